//! Two rules that key the calls of one tool by what looks like one thing and is not spelled so.

use std::collections::{BTreeMap, BTreeSet};

use contract_runtime::Decision;

use crate::ast::Contract;
use crate::diagnostic::{Certainty, Code, Diagnostic, Diagnostics, Goal};
use crate::mir::{Expr, Keyed, Root, RouteKey, Rule, Step, Subject};
use crate::resolve::{Lowered, covers};
use crate::source::Span;

/// How many keys of one tool are compared with each other.
const MOST: usize = 32;

/// The key that a rule has for the calls of a tool.
#[derive(Clone, Copy)]
struct Key<'a> {
    rule: &'a str,
    span: Span,
    components: &'a [Expr],
}

pub(super) fn check(_: &Contract, lowered: &Lowered<'_>, diagnostics: &mut Diagnostics) {
    let mut tools: BTreeMap<&str, Vec<Key<'_>>> = BTreeMap::new();
    for (rule, written) in lowered.contract.rules.iter().zip(&lowered.rules) {
        let (Some(keyed), Some(per)) = (&rule.per, &written.per) else { continue };
        for tool in called(rule) {
            if let Some(components) = key_of(keyed, tool) {
                let keys = tools.entry(name(tool)).or_default();
                let is_new = keys.last().is_none_or(|last| last.rule != rule.id);
                if is_new && keys.len() < MOST {
                    keys.push(Key { rule: &rule.id, span: per.span(), components });
                }
            }
        }
    }
    let mut told = BTreeSet::new();
    for (tool, keys) in &tools {
        for (at, later) in keys.iter().enumerate() {
            let found = keys.iter().take(at).find_map(|earlier| Some((earlier, differ(earlier, later, keys)?)));
            let Some((earlier, how)) = found else { continue };
            if told.insert((earlier.rule, later.rule)) {
                let message = how.said(tool, earlier.rule, later.rule);
                let mut diagnostic = Diagnostic::new(Code::KeysDiffer, later.span, message)
                    .certainty(Certainty::Possible)
                    .goal(
                        Goal::call().tool(tool).spoken_of(earlier.rule).spoken_of(later.rule).decided(Decision::Allow),
                    )
                    .related(earlier.span, "the other key")
                    .help("if both mean one thing, write the same path, with the same functions around it");
                diagnostic.rule = Some(later.rule.to_owned());
                diagnostics.push(diagnostic);
            }
        }
    }
}

/// The tools that the rule names exactly, of whose calls or results it speaks.
fn called(rule: &Rule) -> impl Iterator<Item = &Subject> {
    let alternatives = rule.all_patterns().flat_map(|pattern| &pattern.alternatives);
    let subjects = alternatives.map(|alternative| &alternative.subject);
    subjects.filter(|subject| matches!(subject, Subject::Tools(names) if names.tool.is_literal()))
}

fn name(tool: &Subject) -> &str {
    match tool {
        Subject::Tools(names) => names.tool.as_str(),
        Subject::Effect(_) | Subject::Event(_) => "",
    }
}

/// The components of the key that calls of the tool have, if all are read from arguments.
fn key_of<'a>(keyed: &'a Keyed, tool: &Subject) -> Option<&'a [Expr]> {
    let route = keyed.routes.iter().find(|route| route.phases.call && covers(&route.subject, tool))?;
    match &route.key {
        RouteKey::One(components) if components.iter().all(|part| path(part).is_some()) => Some(components),
        RouteKey::One(_) | RouteKey::Each { .. } | RouteKey::All => None,
    }
}

/// The fields on the way to an argument, whatever functions are around it.
fn path(component: &Expr) -> Option<Vec<&str>> {
    let Expr::Path(path) = component.innermost() else { return None };
    let fields = path.steps.iter().map(|step| match step {
        Step::Field(name) => Some(name.as_str()),
        _ => None,
    });
    (path.root == Root::Args).then(|| fields.collect()).flatten()
}

/// How two keys differ.
enum Difference<'a> {
    /// They are read from arguments that are named alike.
    Named(Vec<&'a str>, Vec<&'a str>),
    /// They are read from this argument, with different functions around it.
    Wrapped(Vec<&'a str>),
}

impl Difference<'_> {
    fn said(&self, tool: &str, earlier: &str, later: &str) -> String {
        match self {
            Self::Named(one, other) => format!(
                "`{earlier}` has a key for each `args.{}` of `{tool}`, and `{later}` for each `args.{}`",
                one.join("."),
                other.join(".")
            ),
            Self::Wrapped(path) => format!(
                "`{earlier}` and `{later}` make their keys from `args.{}` of `{tool}` with different functions",
                path.join(".")
            ),
        }
    }
}

/// How they differ, if they are one argument each, look alike, and no rule tells the two arguments apart by having both in its
/// key.
fn differ<'a>(earlier: &Key<'a>, later: &Key<'a>, all: &[Key<'_>]) -> Option<Difference<'a>> {
    let ([one], [other]) = (earlier.components, later.components) else { return None };
    let (from, to) = (path(one)?, path(other)?);
    if from == to {
        return (one != other).then_some(Difference::Wrapped(from));
    }
    let has = |key: &Key<'_>, wanted: &[&str]| {
        key.components.iter().any(|part| path(part).is_some_and(|path| path == wanted))
    };
    let told_apart = all.iter().any(|key| has(key, &from) && has(key, &to));
    (!told_apart && alike(&words(&from), &words(&to))).then_some(Difference::Named(from, to))
}

/// The words of all names, in lower case: those of `args.record.itemId` are `record`, `item` and `id`.
fn words(path: &[&str]) -> Vec<String> {
    let mut words = vec![String::new()];
    for letter in path.iter().flat_map(|name| ["_", name]).flat_map(str::chars) {
        if !letter.is_alphanumeric() || letter.is_uppercase() {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| letter.is_alphanumeric()) {
            word.extend(letter.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Whether the one says only more of the same: `id` and `record_id`, `invoice` and `invoice_id`, `orderId` and `order_id`.
fn alike(one: &[String], other: &[String]) -> bool {
    let (short, long) = if one.len() <= other.len() { (one, other) } else { (other, one) };
    let more = || long.strip_prefix(short).is_some_and(|rest| rest == ["id"]);
    one.concat() == other.concat() || long.ends_with(short) || more()
}
