use contract_runtime::{Decision, Truth, Verdict};

use super::theory::{Known, truths};
use super::*;
use crate::mir::Kind;
use crate::{Options, check};

fn contract(rules: &str) -> Contract {
    let text = format!("version: 1\nname: t\ndefault: allow\n{rules}");
    let checked = check("t.yaml", text.as_bytes(), &Options::default());
    let found = crate::diagnostic::render::short(&checked.source, &checked.diagnostics);
    checked.contract.unwrap_or_else(|| panic!("{found}"))
}

fn named(model: &Model<'_>, tool: &str) -> usize {
    model.subjects().iter().position(|subject| subject.tool() == Some(tool)).unwrap()
}

/// The truth values of the clauses of the first rule.
fn rows(rules: &str) -> (Vec<Vec<Truth>>, bool) {
    let contract = contract(rules);
    let Kind::Require { clauses, .. } = &contract.rules[0].kind else { panic!("a require rule") };
    let predicates: Vec<_> = clauses.iter().map(|clause| &clause.predicate).collect();
    let found = truths(&contract, Known::call(Some("pay")), &predicates).exhausted().unwrap();
    (found.rows.into_iter().map(|(row, _)| row).collect(), found.exact)
}

#[test]
fn a_call_that_needs_another_is_reached_after_it() {
    let contract = contract("rules:\n  - { id: a, must_precede: { first: look, then: pay } }\n");
    let model = Model::of(&contract);
    let space = model.space(&model.focus(0)).exhausted().unwrap();
    assert_eq!(space.states().len(), 3, "not looked, perhaps, surely");
    let pay = named(&model, "pay");
    let calls: Vec<usize> = (0..space.classes().len())
        .filter(|at| space.classes()[*at].subject == pay && space.classes()[*at].moment == Moment::Call)
        .collect();
    assert_eq!(calls.len(), 1);
    assert!(space.verdicts(0, calls[0], 0).must(Verdict::Violated));
    assert!(space.decisions(0, calls[0])[0].must_stop());
    let after = space.states().find(|state| space.decisions(*state, calls[0])[0].may(Decision::Allow)).unwrap();
    assert_eq!(space.path(after).len(), 1);
    assert!(model.live().contains(&pay));
}

#[test]
fn a_tool_whose_only_permission_is_blocked_is_dead() {
    let contract =
        contract("rules:\n  - { id: a, must_precede: { first: look, then: pay } }\n  - { id: b, forbid: look }\n");
    let model = Model::of(&contract);
    assert!(!model.live().contains(&named(&model, "pay")));
    assert!(!model.live().contains(&named(&model, "look")));
}

#[test]
fn an_obligation_whose_answer_is_forbidden_is_a_trap() {
    let contract = contract(
        "rules:\n  - { id: a, must_be_followed_by: { after: hold, then: release } }\n  - { id: b, never_after: { call: release, after: hold } }\n",
    );
    let model = Model::of(&contract);
    let space = model.space(&model.focus(0)).exhausted().unwrap();
    let met = |state: usize| space.owes(state, 0) != Truth::True;
    let trap = space.states().find(|state| !space.reaches(*state, met)).unwrap();
    assert!(space.path(trap).len() <= 2);
    assert!(space.can_reach(met)[trap], "by a `release` that was called before");
}

#[test]
fn predicates_about_one_path_are_seen_together() {
    let (rows, exact) = rows(
        "rules:\n  - id: a\n    call: pay\n    require:\n      - args.n > 5\n      - args.n > 3\n      - not (args.n <= 5)\n      - has(args.n)\n",
    );
    assert!(exact);
    assert!(rows.iter().all(|row| row[0] != Truth::True || row[1] == Truth::True), "{rows:?}");
    assert!(rows.iter().all(|row| row[0] == row[2]), "{rows:?}");
    assert!(rows.iter().all(|row| row[3] == Truth::True || row[0] == Truth::Unknown), "{rows:?}");
    assert!(rows.contains(&vec![Truth::False, Truth::True, Truth::False, Truth::True]));
}

#[test]
fn a_counter_is_exact() {
    let contract = contract("rules:\n  - { id: a, at_most_n_times: { call: pay, n: 2 } }\n");
    let model = Model::of(&contract);
    let space = model.space(&model.focus(0)).exhausted().unwrap();
    assert_eq!(space.states().len(), 3);
}

#[test]
fn rules_without_common_tools_are_apart() {
    let rules: String =
        (0..50).map(|n| format!("  - {{ id: r{n}, must_precede: {{ first: a{n}, then: b{n} }} }}\n")).collect();
    let contract = contract(&format!("rules:\n{rules}"));
    let model = Model::of(&contract);
    assert_eq!(model.components().iter().filter(|focus| !focus.rules.is_empty()).count(), 50);
    assert_eq!(model.live().len(), 101, "each tool, and all others");
}

#[test]
fn two_contracts_differ_where_one_lost_a_rule() {
    let old =
        contract("rules:\n  - { id: a, must_precede: { first: look, then: pay } }\n  - { id: b, forbid: drop }\n");
    let new = contract("rules:\n  - { id: b, forbid: drop }\n");
    let model = Model::pair(&old, &new, &[(1, 0)]);
    let differs = |model: &Model<'_>| {
        model.components().iter().any(|focus| {
            let space = model.space(focus).exhausted().unwrap();
            space.states().any(|state| {
                (0..space.classes().len()).any(|class| space.pairs(state, class).iter().any(|(old, new)| old != new))
            })
        })
    };
    assert!(differs(&model));
    assert!(!differs(&Model::pair(&old, &old, &[(0, 0), (1, 1)])));
    assert!(!differs(&Model::pair(&old, &old, &[])));
}

#[test]
fn many_rules_without_memory_on_one_tool_are_looked_at() {
    let rules: String = (0..12).map(|n| format!("  - {{ id: r{n}, call: pay, require: args.a{n} > 1 }}\n")).collect();
    let contract = contract(&format!("rules:\n{rules}  - {{ id: b, must_precede: {{ first: look, then: pay }} }}\n"));
    let model = Model::of(&contract);
    assert!(model.space(&model.focus(12)).exhausted().is_some());
    assert!(model.live().contains(&named(&model, "pay")));
}

#[test]
fn a_rule_about_every_tool_does_not_hide_that_one_is_dead() {
    let rules: String = (0..30).map(|n| format!("  - {{ id: r{n}, forbid: t{n} }}\n")).collect();
    let contract = contract(&format!("rules:\n{rules}  - {{ id: all, at_most_n_times: {{ call: '*', n: 3 }} }}\n"));
    let model = Model::of(&contract);
    assert_eq!(model.live().len(), 1, "those that the contract does not name");
}

#[test]
fn a_keyed_rule_can_make_a_tool_dead() {
    let contract = contract(
        "instances: { max: 10 }\nrules:\n  - { id: a, must_precede: { first: look, then: pay }, per: args.k }\n  - { id: b, forbid: look }\n",
    );
    let model = Model::of(&contract);
    assert!(!model.live().contains(&named(&model, "pay")));
}
