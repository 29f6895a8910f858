//! A theory of predicates: which truth values some of them can have together on one event.
//!
//! Predicates are taken apart into *atoms*. An atom that compares one *variable* (a path, or an application of a function that is
//! not interpreted) with constants is decided for each *cell* of the variable: a set of values that no atom tells apart. The
//! truth on a cell is what the runtime's own operation says of a sample of it. All other atoms are *opaque*: they may be true,
//! false or not established, whatever else holds; but the same atom twice is one atom.
//!
//! INVARIANT: no combination that an event can have is missing, as long as the evaluation of the predicates stays within its
//! [fuel](contract_runtime::private::Fuel). Exact (every combination is that of some event) where all variables are different
//! paths of plain fields into the arguments, the result or the event, none within another, and there is neither an opaque atom
//! nor a test of texts other than equality.

mod atom;
mod cell;
mod compile;
mod formula;
mod table;

pub(super) use self::compile::Theory;
pub(super) use self::formula::Formula;
pub(super) use self::table::{Row, Unit};

pub use self::compile::{Known, Readable};
pub use self::table::Sample;

use contract_runtime::Truth;

use super::Bounded;
use super::naming::Naming;
use crate::mir::{Contract, Expr};

/// The truth values that some predicates can have together.
#[derive(Clone, Debug)]
pub struct Truths {
    /// Each combination, with values that give it.
    pub rows: Vec<(Vec<Truth>, Sample)>,
    /// Whether each combination is that of some event.
    pub exact: bool,
}

/// The truth values that some predicates of a contract can have together, on one event.
#[must_use]
pub fn truths(contract: &Contract, known: Known<'_>, predicates: &[&Expr]) -> Bounded<Truths> {
    let naming = Naming::default();
    let mut theory = Theory::new(&[contract], &naming, known);
    let units = predicates.iter().map(|predicate| {
        let formula = theory.compile(0, predicate);
        Unit::new(vec![formula], |truths: &[Truth]| truths.first().map(|truth| rank(*truth)))
    });
    let units: Vec<_> = units.collect();
    let Some(table) = theory.table(&units, |_, _| None, |_| true) else { return Bounded::Capped };
    let unrank = |row: Row<u8>| (row.outcomes.into_iter().map(truth).collect(), row.sample);
    Bounded::Exhausted(Truths { exact: table.exact, rows: table.rows.into_iter().map(unrank).collect() })
}

/// An order of truth values, for sets of them.
fn rank(truth: Truth) -> u8 {
    match truth {
        Truth::False => 0,
        Truth::Unknown => 1,
        Truth::True => 2,
    }
}

fn truth(rank: u8) -> Truth {
    match rank {
        0 => Truth::False,
        1 => Truth::Unknown,
        _ => Truth::True,
    }
}
