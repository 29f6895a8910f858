//! The contract's own tests: what they say ([`Case`]), what came of them (`run`), what they reach (`coverage`), and which
//! changes of the contract they notice (`mutate`).
//!
//! INVARIANT: a test decides nothing. The same contract with other tests is the same version, and a program that is built
//! from it has none of them.

mod case;
#[cfg(feature = "interpret")]
pub mod coverage;
mod expected;
#[cfg(feature = "interpret")]
pub mod mutate;
#[cfg(feature = "interpret")]
mod run;

pub use case::{Case, Script, Scripted, cases};
pub use expected::{Ends, Expected};
#[cfg(feature = "interpret")]
pub use run::{Failure, Outcome, Place, run};

use crate::ast;
use crate::diagnostic::Diagnostics;
use crate::syntax::file::Form;

/// The tests of a contract that has no errors; of one that has some, those that can be read.
#[must_use]
pub fn read(form: Form, name: &str, bytes: &[u8]) -> Vec<Case> {
    let mut diagnostics = Diagnostics::new();
    let (_, node) = form.read(name, bytes, &mut diagnostics);
    let written = node.and_then(|node| ast::decode(&node, &mut diagnostics));
    written.map(|written| cases(&written, &mut diagnostics)).unwrap_or_default()
}
