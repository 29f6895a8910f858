//! Small changes of a contract that its tests should notice: mutants.
//!
//! A mutant is the contract as written with one change of its tree ([`Operator`]). Those that are no contract are passed over,
//! and so are those that say what the contract says, or what another mutant says.
//!
//! INVARIANT: the same contract has the same mutants in the same order, and at most [`MOST`].

mod edit;
mod expression;
mod lines;
mod operator;
mod pattern;
mod places;

use std::collections::HashSet;

pub use self::lines::Change;
pub use self::operator::Operator;
use crate::diagnostic::Diagnostics;
use crate::source::Span;
use crate::syntax::file::Form;
use crate::syntax::tree::{Kind, Node};
use crate::{Catalog, ast, format, lint, mir, resolve};

/// The most mutants of a contract.
pub const MOST: usize = 10_000;

/// A contract with one change.
#[derive(Clone, Debug)]
pub struct Mutant {
    /// The kind of the change.
    pub operator: Operator,
    /// Where in the contract it is.
    pub span: Span,
    /// The changed contract.
    pub contract: mir::Contract,
    /// The change, in the canonical form.
    pub change: Change,
}

/// The mutants of a contract.
#[derive(Clone, Debug, Default)]
pub struct Mutants {
    /// In the order of the contract.
    pub mutants: Vec<Mutant>,
    /// Whether there are more.
    pub cut: bool,
}

/// Makes the mutants of a contract that has no errors, by some operators. None of one that has some.
#[must_use]
pub fn mutants(form: Form, name: &str, bytes: &[u8], catalogs: &[Catalog], operators: &[Operator]) -> Mutants {
    let mut diagnostics = Diagnostics::new();
    let (_, node) = form.read(name, bytes, &mut diagnostics);
    let mut found = Mutants::default();
    let Some(root) = node.filter(|_| !diagnostics.has_errors()).map(without_tests) else { return found };
    let Some((original, text)) = contract(&root, catalogs) else { return found };
    let mut seen = HashSet::from([original.source]);
    for place in places::of(&root) {
        if !operators.contains(&place.operator) {
            continue;
        }
        if found.mutants.len() >= MOST {
            found.cut = true;
            break;
        }
        let Some((contract, changed)) = place.edit.apply(&root).and_then(|tree| contract(&tree, catalogs)) else {
            continue;
        };
        if seen.insert(contract.source.clone()) {
            let change = lines::change(&text, &changed);
            found.mutants.push(Mutant { operator: place.operator, span: place.span, contract, change });
        }
    }
    found
}

/// The contract of a tree, and its canonical text; `None` if it has errors.
fn contract(root: &Node, catalogs: &[Catalog]) -> Option<(mir::Contract, String)> {
    let mut diagnostics = Diagnostics::new();
    let written = ast::decode(root, &mut diagnostics)?;
    let lowered = resolve::lower(&written, catalogs, &mut diagnostics);
    lint::run(&written, &lowered, &mut diagnostics);
    let text = format::canonical(root, &mut diagnostics);
    (!diagnostics.has_errors()).then_some((lowered.contract, text))
}

fn without_tests(mut root: Node) -> Node {
    if let Kind::Mapping(mapping) = &mut root.kind {
        mapping.entries.retain(|entry| entry.key.text != "tests");
    }
    root
}

#[cfg(test)]
mod tests;
