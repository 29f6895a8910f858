//! What every part of the resolution needs: the declarations in scope, and a way to check one expression or pattern.

use contract_runtime::Type;

use super::expr::{self, Checked};
use super::group::Groups;
use super::pattern;
use super::role::Role;
use super::scope::{Roots, Scope};
use crate::ast::Source;
use crate::diagnostic::{Code, Diagnostic, Diagnostics, nearest};
use crate::mir::{self, Names};
use crate::source::{Span, Spanned};
use crate::syntax::written::Written;

/// Resolves one contract: the declarations, what was found wrong, and every tool that a pattern spells out.
#[derive(Debug)]
pub(super) struct Resolver<'a> {
    pub(super) scope: Scope<'a>,
    pub(super) groups: &'a Groups,
    pub(super) tools: Vec<Spanned<Names>>,
    pub(super) diagnostics: &'a mut Diagnostics,
    pub(super) formulas: Formulas,
}

/// What the formulas of a contract have taken so far: a contract is compiled in a time that its size does not multiply.
#[derive(Debug, Default)]
pub(super) struct Formulas {
    /// Their operators and names.
    pub(super) size: u64,
    /// How many were too large.
    pub(super) too_large: usize,
}

/// Gives an expression's text, with its place, to a function.
pub(super) fn written<T>(source: &Source, check: impl FnOnce(Written<'_>) -> T) -> T {
    check(Written::new(&source.text, &|range| source.span_in(range)))
}

/// The text of an expression on one line.
pub(crate) fn text(source: &Source) -> String {
    written(source, |written| written.source_text())
}

impl Resolver<'_> {
    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    /// A predicate that reads these roots.
    pub(super) fn predicate(&mut self, source: &Source, roots: Roots) -> Option<mir::Expr> {
        let scope = self.scope.reading(roots);
        written(source, |written| expr::predicate(written, &scope, self.diagnostics)).map(|checked| checked.expr)
    }

    /// A value of any type that reads these roots.
    pub(super) fn value(&mut self, source: &Source, roots: Roots) -> Option<Checked> {
        let scope = self.scope.reading(roots);
        written(source, |written| expr::value(written, &scope, self.diagnostics))
    }

    /// A value to be stored as this type.
    pub(super) fn value_for(&mut self, ty: &Type, source: &Source, roots: Roots) -> Option<mir::Expr> {
        let scope = self.scope.reading(roots);
        written(source, |written| expr::value_for(ty, written, &scope, self.diagnostics)).map(|checked| checked.expr)
    }

    /// A pattern in its role.
    pub(super) fn pattern(&mut self, source: &Source, role: &Role) -> Option<mir::Pattern> {
        let scope = self.scope;
        let mut resolved =
            written(source, |written| pattern::resolve(written, role, &scope, self.groups, self.diagnostics))?;
        for alternative in &mut resolved.pattern.alternatives {
            let phases = &mut alternative.phases;
            phases.unknown |= role.unknown_is_ok && phases.ok;
        }
        self.tools.extend(resolved.tools);
        Some(resolved.pattern)
    }

    /// Narrows every alternative of a pattern, which stands at `place`, to where a predicate holds, or does not.
    pub(super) fn narrow(
        &mut self,
        pattern: &mut mir::Pattern,
        place: Span,
        predicate: &Source,
        holds: bool,
    ) -> Option<()> {
        let scope = self.scope.reading(roots(pattern));
        let mut found = Diagnostics::new();
        let checked = written(predicate, |written| expr::predicate(written, &scope, &mut found));
        // Every pattern of a rule checks the rule's one predicate; a mistake in it is reported once.
        for diagnostic in found.into_sorted() {
            let same = |known: &Diagnostic| {
                (known.code, &known.primary, &known.message)
                    == (diagnostic.code, &diagnostic.primary, &diagnostic.message)
            };
            if self.diagnostics.iter().any(same) {
                continue;
            }
            self.report(match diagnostic.code {
                Code::NotReadable => diagnostic.related(place, "the condition is about this pattern, too").help(
                    "write it in the pattern that it is for, `tool where …`: `where` and `unless` narrow them all",
                ),
                _ => diagnostic,
            });
        }
        let condition = match (checked?.expr, holds) {
            (expr, true) => expr,
            (expr, false) => mir::Expr::Not(Box::new(expr)),
        };
        for alternative in &mut pattern.alternatives {
            alternative.condition = Some(pattern::conjoined(alternative.condition.take(), condition.clone()));
        }
        Some(())
    }
}

/// What can be read at every moment that a pattern speaks of.
pub(super) fn roots(pattern: &mir::Pattern) -> Roots {
    let each = pattern.alternatives.iter().map(|alternative| Roots::at(alternative.phases));
    each.reduce(Roots::and).unwrap_or(Roots::NONE)
}

/// Adds "did you mean" where a known name is near, else other advice.
pub(super) fn suggest<'k>(
    diagnostic: Diagnostic,
    name: &str,
    span: Span,
    known: impl IntoIterator<Item = &'k str>,
    otherwise: &str,
) -> Diagnostic {
    match nearest(name, known) {
        Some(near) => diagnostic.suggest(format!("did you mean `{near}`?"), span, near),
        None => diagnostic.help(otherwise),
    }
}

/// A field that says nothing at its place.
pub(super) fn pointless(span: Span, message: impl Into<String>, help: &str) -> Diagnostic {
    Diagnostic::new(Code::UnknownField, span, message).help(help)
}
