//! Contracts of one rule, for the tests of its kind.

use contract_runtime::DecisionTable;

use crate::diagnostic::Code;
use crate::mir::{Contract, Kind, Phases, Register, Rule};
use crate::{Checked, Options, check};

/// A contract with this rule, whose fields stand one a line.
pub(super) fn contract(rule: &str) -> String {
    let rule: String = rule.lines().map(|line| format!("    {line}\n")).collect();
    format!("version: 1\nname: example\ndefault: allow\ninstances: {{ max: 10 }}\nrules:\n  - id: rule\n{rule}")
}

fn checked(text: &str) -> Checked {
    check("contract.yaml", text.as_bytes(), &Options::default())
}

/// The checked contract of a text.
#[track_caller]
pub(super) fn accepted(text: &str) -> Contract {
    let checked = checked(text);
    let shown = crate::diagnostic::render::short(&checked.source, &checked.diagnostics);
    checked.contract.unwrap_or_else(|| panic!("{shown}"))
}

/// The checked form of a rule.
#[track_caller]
pub(super) fn rule(rule: &str) -> Rule {
    accepted(&contract(rule)).rules.swap_remove(0)
}

/// What a rule keeps.
#[track_caller]
pub(super) fn register(text: &str) -> Register {
    match rule(text).kind {
        Kind::Register { register, .. } => register,
        other => panic!("{other:?}"),
    }
}

/// The table of a rule, in a contract that begins with these fields.
#[track_caller]
pub(super) fn table(fields: &str, rule: &str) -> DecisionTable {
    accepted(&format!("{fields}\n{}", contract(rule))).rules.swap_remove(0).table
}

/// The phases of the alternatives of each pattern of a rule.
#[track_caller]
pub(super) fn phases(text: &str) -> Vec<Vec<Phases>> {
    let each = |pattern: &crate::mir::Pattern| pattern.alternatives.iter().map(|each| each.phases).collect();
    rule(text).patterns().iter().map(each).collect()
}

/// The errors of a rule: code, place, message.
pub(super) fn mistakes(rule: &str) -> Vec<(Code, String, String)> {
    let checked = checked(&contract(rule));
    let errors = checked.diagnostics.iter().filter(|found| found.level == crate::diagnostic::Level::Error);
    errors
        .map(|found| (found.code, checked.source.slice(found.primary.span).to_owned(), found.message.clone()))
        .collect()
}

/// Asserts that a rule has one error.
#[track_caller]
pub(super) fn assert_mistake(rule: &str, code: Code, place: &str, message: &str) {
    assert_eq!(mistakes(rule), [(code, place.to_owned(), message.to_owned())], "{rule}");
}
