//! Two equal patterns in one rule: it says nothing, or forbids everything.

use crate::ast;
use crate::automaton::same_events;
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::mir::Rule;
use crate::resolve::patterns;

pub(super) fn check(rule: &Rule, written: &ast::Rule, diagnostics: &mut Diagnostics) {
    let places: Vec<_> = patterns(&written.kind).into_iter().map(|(source, _)| source.span).collect();
    let patterns = || rule.patterns().iter().zip(&places).enumerate();
    for (index, (pattern, span)) in patterns() {
        let equal = patterns().take(index).find(|(_, (earlier, _))| same_events(earlier, pattern));
        if let Some((_, (_, earlier))) = equal {
            let message = format!("the pattern `{}` is in the rule twice", pattern.text);
            let diagnostic = Diagnostic::new(Code::EqualPatterns, *span, message);
            diagnostics.push(diagnostic.related(*earlier, "the same events").help("write two different patterns"));
        }
    }
}
