//! What a contract says of arguments and results that the schemas of its tools exclude, or do not promise.
//!
//! Each place where a contract reads them ([`site`]) is held against each tool that it may be about ([`fault`]). What may be
//! missing, or of another type, is at fault only if it can put the whole in doubt: `has(args.x) and args.x > 1` cannot
//! ([`truth`]). Faults are exact for what the schemas say; agents may send what they forbid.

mod argument_type;
mod consequence;
mod fault;
mod optional_argument;
mod renamed;
mod site;
mod truth;
mod unknown_argument;
mod unknown_tool;
mod view;

use std::collections::BTreeMap;

use self::consequence::Consequence;
use self::fault::{Fault, Faults, What};
use self::site::{Site, Use};
use self::view::View;
use super::{Known, Tool};
use crate::ast;
use crate::diagnostic::{Certainty, Code, Diagnostic, Diagnostics, Level};
use crate::mir::{Kind, Step};
use crate::resolve::Lowered;
use crate::source::Span;

/// How much is looked at in one contract: the sizes of expressions, times the tools that they are about.
const MOST: usize = 2_000_000;

/// A fault of an expression, and every tool that has it.
struct Shared<'a, 'k> {
    site: &'a Site<'a>,
    fault: Fault,
    tools: Vec<&'k Tool>,
    /// Whether the expression is about no other tool.
    is_general: bool,
    /// Whether the schemas forbid that it is otherwise.
    is_forbidden: bool,
}

impl Shared<'_, '_> {
    fn span(&self) -> Span {
        self.site.source.span_in(self.fault.range.clone())
    }

    /// The tools, for messages: `` `a`, `b` and 3 others ``.
    fn named(&self) -> String {
        let names: Vec<String> =
            self.tools.iter().take(3).map(|tool| format!("`{}`", crate::decode::shorten(&tool.name))).collect();
        match self.tools.len().saturating_sub(names.len()) {
            0 => match names.split_last() {
                Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
                _ => names.concat(),
            },
            1 => format!("{} and one other", names.join(", ")),
            others => format!("{} and {others} others", names.join(", ")),
        }
    }
}

/// Reports everything that the catalogs tell of. `before` is what an older one knew.
pub(crate) fn run(written: &ast::Contract, lowered: &Lowered<'_>, diagnostics: &mut Diagnostics) {
    unknown_tool::check(written, lowered, diagnostics);
    if lowered.catalog.is_empty() {
        return;
    }
    let sites = site::sites(written, lowered);
    let rewritten = rewritten(lowered);
    let mut left = MOST;
    for site in &sites {
        let from = diagnostics.len();
        match shared(site, &lowered.catalog, &rewritten, &mut left) {
            Some(faults) => faults.iter().for_each(|fault| report(fault, lowered, diagnostics)),
            None => {
                let message = "the contract has more paths and tools than are held against the catalog";
                let note = Diagnostic {
                    level: Level::Note,
                    ..Diagnostic::new(Code::UnknownArgument, site.source.span, message)
                };
                diagnostics.push(note.certainty(Certainty::Inconclusive).help("nothing is said of what follows here"));
                return;
            }
        }
        if let Some(rule) = site.rule.and_then(|rule| lowered.contract.rules.get(rule)) {
            diagnostics.attribute(from, &rule.id);
        }
    }
}

fn report(shared: &Shared<'_, '_>, lowered: &Lowered<'_>, diagnostics: &mut Diagnostics) {
    let consequence = Consequence::of(shared, lowered);
    let diagnostic = match &shared.fault.what {
        What::Unlisted { path, name } => unknown_argument::diagnostic(shared, path, name, lowered, &consequence),
        What::Optional { path } => optional_argument::diagnostic(shared, path, &consequence),
        What::Type(message) => argument_type::diagnostic(shared, message, true, &consequence),
        What::Value(message) => argument_type::diagnostic(shared, message, false, &consequence),
    };
    diagnostics.push(match consequence.goal(shared, lowered) {
        Some(goal) => diagnostic.goal(goal),
        None => diagnostic,
    });
}

/// The arguments that the contract itself changes before rules see them.
fn rewritten(lowered: &Lowered<'_>) -> Vec<Vec<String>> {
    let changes = lowered.contract.rules.iter().filter_map(|rule| match &rule.kind {
        Kind::Rewrite { changes, .. } => Some(changes),
        _ => None,
    });
    let field = |step: &Step| match step {
        Step::Field(name) => name.clone(),
        _ => "[]".to_owned(),
    };
    let trail = |path: &[Step]| std::iter::once("args".to_owned()).chain(path.iter().map(field)).collect();
    changes.flatten().map(|change| trail(&change.path)).collect()
}

/// The faults of a site that matter, each with the tools that have it; `None` if there is too much to look at.
fn shared<'a, 'k>(
    site: &'a Site<'a>,
    known: &'k Known,
    rewritten: &[Vec<String>],
    left: &mut usize,
) -> Option<Vec<Shared<'a, 'k>>> {
    let mut tools: BTreeMap<&str, &Tool> = BTreeMap::new();
    for names in &site.names {
        *left = left.checked_sub(if names.tool.is_literal() { 1 } else { known.len() })?;
        let mine =
            known.matching(names).into_iter().filter(|tool| !site.but.iter().any(|but| but.tool.as_str() == tool.name));
        tools.extend(mine.map(|tool| (tool.name.as_str(), tool)));
    }
    let mut found: Vec<Shared<'a, 'k>> = Vec::new();
    for tool in tools.values().copied() {
        *left = left.checked_sub(site.source.text.len())?;
        let view = View::new(tool);
        let Faults { found: faults, forbidden, .. } = Faults::of(site, &view);
        for (index, fault) in faults.into_iter().enumerate() {
            *left = left.checked_sub(site.source.text.len())?;
            let is_forbidden = forbidden.contains(&index);
            match found.iter_mut().find(|known| (&known.fault.range, &known.fault.what) == (&fault.range, &fault.what))
            {
                Some(known) => {
                    known.tools.push(tool);
                    known.is_forbidden &= is_forbidden;
                }
                None => found.push(Shared { site, fault, tools: vec![tool], is_general: false, is_forbidden }),
            }
        }
    }
    for fault in &mut found {
        fault.is_general = fault.tools.len() == tools.len();
    }
    found.retain(|shared| matters(shared, rewritten));
    Some(found)
}

/// Whether a fault matters: it puts the whole in doubt, or it is so for every tool that the expression is about.
fn matters(shared: &Shared<'_, '_>, rewritten: &[Vec<String>]) -> bool {
    let Shared { site, fault, tools, is_general, .. } = shared;
    if site.of != Use::Argument
        && site.of != Use::Target
        && let Some(truth::Wrong::Missing(trail)) = &fault.wrong
        && rewritten.iter().any(|changed| changed.starts_with(trail) || trail.starts_with(changed))
    {
        return false;
    }
    let doubt = || match (&fault.wrong, tools.first()) {
        (Some(wrong), Some(tool)) => truth::truths(&site.tree, wrong, &View::new(tool)) & truth::UNKNOWN != 0,
        _ => false,
    };
    match (&fault.what, site.of) {
        (What::Optional { .. }, Use::Other | Use::Target | Use::Key { skip: true }) => false,
        (What::Optional { .. }, _) => doubt(),
        (What::Unlisted { .. }, Use::Key { skip: true }) | (_, Use::Other) | (What::Value(_), _) => *is_general,
        (What::Unlisted { .. }, _) => *is_general || site.of == Use::Target || doubt(),
        (What::Type(_), _) => doubt(),
    }
}

#[cfg(test)]
mod tests;
