//! Static analysis: what can be proved of a contract, with a session that shows it.
//!
//! INVARIANT: nothing is claimed that a session refutes. A finding is [proved](crate::diagnostic::Certainty::Proved) where the
//! abstraction is exact or errs on the side that makes the claim stronger; a [witness](crate::diagnostic::Witness) is a session
//! that was decided by the contract's own interpreter.

mod lasso;
pub mod model;
mod overlapping_patterns;
pub mod search;
mod unmonitorable;

use crate::ast;
use crate::diagnostic::Diagnostics;
use crate::lint::placed;
use crate::resolve::Lowered;

/// Runs every analysis over a contract that has no errors.
pub fn run(written: &ast::Contract, lowered: &Lowered<'_>, diagnostics: &mut Diagnostics) {
    let _ = written;
    overlapping_patterns::check(lowered, diagnostics);
    unmonitorable::check(lowered, diagnostics);
    show(lowered, diagnostics);
}

/// Looks for the sessions that findings ask for.
pub fn show(lowered: &Lowered<'_>, diagnostics: &mut Diagnostics) {
    let mut search = None;
    for diagnostic in diagnostics.iter_mut().filter(|diagnostic| diagnostic.witness.is_none()) {
        let Some(goal) = &diagnostic.goal else { continue };
        let search = search.get_or_insert_with(|| search::Search::new(&lowered.contract));
        diagnostic.witness = search.find(goal).witness().map(Box::new);
    }
}
