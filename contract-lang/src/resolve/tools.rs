//! The declared tools, and the names that patterns spell out.

use std::collections::BTreeSet;

use super::pattern;
use super::resolver::{Resolver, suggest, written};
use super::scope::Roots;
use crate::ast::{Effects, Source, Tool};
use crate::automaton::overlap;
use crate::catalog::Known;
use crate::decode::Map;
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::mir::{self, EffectCase, Names};
use crate::source::{Span, Spanned};

impl Resolver<'_> {
    /// The declared tools in file order, each with what it was made from.
    pub(super) fn tools<'a>(&mut self, declared: &'a Map<Source, Tool>) -> (Vec<mir::Tool>, Vec<&'a (Source, Tool)>) {
        let mut seen: Vec<(Names, Span)> = Vec::new();
        let mut tools = Vec::new();
        let mut places = Vec::new();
        for entry @ (name, tool) in declared {
            let names = written(name, |written| pattern::names(written, self.diagnostics));
            let effect = self.effect(tool);
            let succeeds_when =
                tool.succeeds_when.as_ref().and_then(|predicate| self.predicate(predicate, Roots::OF_RESULT));
            let Some(names) = names else { continue };
            if let Some((_, first)) = seen.iter().find(|(known, _)| *known == names) {
                let message = format!("the tool `{}` is declared twice", name.text);
                let diagnostic = Diagnostic::new(Code::DuplicateKey, name.span, message);
                self.report(diagnostic.related(*first, "declared here").help("make it one declaration"));
            }
            seen.push((names.clone(), name.span));
            tools.push(mir::Tool { names, effect, succeeds_when });
            places.push(entry);
        }
        (tools, places)
    }

    fn effect(&mut self, tool: &Tool) -> Vec<EffectCase> {
        let cases = match &tool.effect {
            None => return Vec::new(),
            Some(Effects::Always(effect)) => return vec![EffectCase { when: None, is: effect.value }],
            Some(Effects::Cases(cases)) => cases,
        };
        let mut resolved = Vec::new();
        let mut always: Option<Span> = None;
        for case in cases.iter() {
            if let Some(before) = always {
                let diagnostic = Diagnostic::new(Code::BadValue, case.span, "this case is never reached");
                self.report(
                    diagnostic.related(before, "this one always holds").help("put the case without `when` last"),
                );
            }
            let when = case.when.as_ref().map(|when| self.predicate(when, Roots::OF_EFFECT));
            if when.is_none() {
                always = always.or(Some(case.span));
            }
            match when {
                Some(None) => {}
                when => resolved.push(EffectCase { when: when.flatten(), is: case.is.value }),
            }
        }
        resolved
    }
}

/// Reports each name that is written in a pattern and that neither `tools` nor a catalog knows, once. `broken` are tools
/// whose declarations are wrong.
pub(super) fn check_names(
    mut named: Vec<Spanned<Names>>,
    tools: &[mir::Tool],
    broken: &[String],
    catalog: &Known,
    diagnostics: &mut Diagnostics,
) {
    named.sort_by_key(|name| name.span);
    let broken: Vec<Names> = broken.iter().filter_map(|name| pattern::tool_names(name)).collect();
    let mut reported = BTreeSet::new();
    for Spanned { value: names, span } in &named {
        let tool = names.tool.as_str();
        let mut declared = tools.iter().map(|tool| &tool.names).chain(&broken);
        let known = declared.any(|declared| overlap(declared, names)) || catalog.get(tool).is_some();
        if known || !reported.insert(names) {
            continue;
        }
        let (code, message) = match catalog.is_whole() {
            true => (Code::UnknownTool, format!("neither `tools` nor the catalog knows the tool `{tool}`")),
            false => (Code::UndeclaredTool, format!("the tool `{tool}` is not declared under `tools`")),
        };
        let declared =
            tools.iter().map(|declared| declared.names.tool.as_str()).filter(|name| !name.contains(['*', '?']));
        let known = declared.chain(catalog.names());
        let diagnostic = Diagnostic::new(code, *span, message);
        let help = "declare it; until then its calls count as irreversible";
        // The place is that of the whole name, server included, so only a bare name can be put in its place.
        diagnostics.push(match names.server {
            None => suggest(diagnostic, tool, *span, known, help),
            Some(_) => diagnostic.help(help),
        });
    }
}
