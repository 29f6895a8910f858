//! The declared tools, and the names that patterns spell out.

use super::pattern;
use super::resolver::{Resolver, written};
use super::scope::Roots;
use crate::ast::{Effects, Source, Tool};
use crate::decode::Map;
use crate::diagnostic::{Code, Diagnostic};
use crate::mir::{self, EffectCase, Names};
use crate::source::Span;

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
