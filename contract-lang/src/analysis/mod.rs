//! Static analysis: what can be proved of a contract, with a session that shows it.
//!
//! INVARIANT: nothing is claimed that a session refutes. A finding is [proved](crate::diagnostic::Certainty::Proved) where the
//! abstraction is exact or errs on the side that makes the claim stronger; a [witness](crate::diagnostic::Witness) is a session
//! that was decided by the contract's own interpreter.

mod constant_predicate;
mod context;
mod contradiction;
mod dead_tool;
pub mod diff;
mod doom;
mod inconclusive;
mod keys;
mod lasso;
pub mod model;
mod never_violated;
mod overlapping_patterns;
mod predicates;
mod redundant_rule;
pub mod search;
mod stops;
mod trap;
mod unmet_obligation;
mod unmonitorable;

use std::cell::OnceCell;

use self::context::Context;
use self::search::Search;
use crate::ast;
use crate::diagnostic::Diagnostics;
use crate::resolve::Lowered;

/// Runs every analysis over a contract that has no errors.
pub fn run(written: &ast::Contract, lowered: &Lowered<'_>, diagnostics: &mut Diagnostics) {
    unmonitorable::check(lowered, diagnostics);
    let context = Context::new(written, lowered);
    overlapping_patterns::check(&context, diagnostics);
    constant_predicate::check(&context, diagnostics);
    never_violated::check(&context, diagnostics);
    let dooms = doom::dooms(&context);
    unmet_obligation::check(&context, &dooms, diagnostics);
    contradiction::check(&context, &dooms, diagnostics);
    trap::check(&context, &dooms, diagnostics);
    dead_tool::check(&context, diagnostics);
    redundant_rule::check(&context, diagnostics);
    find(diagnostics, || context.search());
    inconclusive::report(context, diagnostics);
}

/// Looks for the sessions that findings ask for.
pub fn show(lowered: &Lowered<'_>, diagnostics: &mut Diagnostics) {
    let search = OnceCell::new();
    find(diagnostics, || search.get_or_init(|| Search::new(&lowered.contract)));
}

fn find<'s>(diagnostics: &mut Diagnostics, search: impl Fn() -> &'s Search) {
    for diagnostic in diagnostics.iter_mut().filter(|diagnostic| diagnostic.witness.is_none()) {
        if let Some(goal) = &diagnostic.goal {
            diagnostic.witness = search().find(goal).witness().map(Box::new);
        }
    }
}
