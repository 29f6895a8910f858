#![expect(clippy::arithmetic_side_effects, reason = "test code")]

use contract_runtime::{Decision, Verdict};

use super::{Found, Search, replays};
use crate::diagnostic::{Goal, Witness};
use crate::interpret::Interpreted;
use crate::trace::Line;
use crate::{Options, check};

fn found(text: &str, goal: &Goal) -> (Found, usize) {
    let checked = check("c.yaml", text.as_bytes(), &Options::default());
    let contract = checked.contract.unwrap_or_else(|| panic!("{:?}", checked.diagnostics));
    let search = Search::new(&contract);
    let found = search.find(goal);
    if let Found::Witness(witness) = &found {
        assert!(replays(&Interpreted::new(contract), witness));
    }
    (found, super::MOST_IN_ALL - search.fuel.get())
}

fn lines(witness: &Witness) -> Vec<String> {
    witness.trace.iter().map(|line| Line::encode(line).to_string()).collect()
}

/// The session that is found, with so many lines at most.
fn find(text: &str, goal: &Goal, most: usize) -> Witness {
    let (found, used) = found(text, goal);
    let Found::Witness(witness) = found else { panic!("{goal:?}: {found:?} after {used} events") };
    let lines = lines(&witness);
    assert!(lines.len() <= most, "{}", lines.join("\n"));
    witness
}

fn contract(rest: &str) -> String {
    format!("version: 1\nname: c\ndefault: allow\n{rest}")
}

#[test]
fn the_retail_desk_cancels_an_order() {
    let text = include_str!("../../../../tests/contracts/retail.yaml");
    let witness = find(text, &Goal::call().tool("cancel_pending_order").decided(Decision::Allow), 3);
    assert_eq!(witness.trace.len(), 3);
    let blocked = Goal::call().decided(Decision::Block);
    for rule in ["own-orders", "only-pending", "frozen-after-items", "items-once", "cancel-reason"] {
        find(text, &blocked.clone().by(rule), 5);
    }
}

#[test]
fn each_kind_of_rule_stops_a_call() {
    let rules = [
        ("forbid: pay where args.amount > 100 and args.currency == \"EUR\"", 1),
        ("must_precede: { first: verify, then: pay }", 1),
        ("never_after: { call: pay, after: close }", 2),
        ("at_most_n_times: { call: pay, n: 3 }", 4),
        ("at_most_total: { call: pay, sum: args.amount, limit: 100 }", 2),
        ("at_most_distinct: { call: pay, of: args.payee, n: 2 }", 3),
        ("rate_limit: { call: pay, n: 2, window: 1m }", 3),
        ("cooldown: { call: pay, gap: 1m }", 2),
        ("at_most_open: { open: pay, close: refund, n: 1 }", 2),
        ("mutually_exclusive: [pay, refund]", 2),
        ("sequence: { steps: [a, pay, b] }", 1),
        ("between: { open: call(a), close: call(b), forbid: pay }", 2),
        ("call: pay, require: args.url like \"https://*.example.org/*\"", 1),
        ("call: pay, require: 'args.path matches \"^/srv/[a-z]+$\"'", 1),
        ("call: pay, require: 'size(args.items) <= 3 and all(i in args.items => i.price < 10)'", 1),
        ("no_flow: { from: read_secret, to: pay }", 2),
        ("must_be_followed_by: { after: a, then: b }, guards: pay", 2),
    ];
    for (rule, most) in rules {
        let text = contract(&format!("rules:\n  - {{ id: r, {rule} }}"));
        find(&text, &Goal::call().decided(Decision::Block).by("r"), most);
        find(&text, &Goal::call().tool("pay").decided(Decision::Allow), 3);
    }
}

#[test]
fn what_is_read_from_the_state_was_put_there() {
    let text = contract(
        r#"
tools:
  pay: { effect: irreversible }
  quote: { effect: read }
state:
  quotes: { type: map<json>, max: 10, initial: {} }
  friends: { type: set<string>, max: 10, initial: [] }
commit:
  - after: ok(quote)
    put: { quotes: { at: args.id, value: json(result.body) } }
  - after: ok(befriend where result.accepted)
    insert: { friends: args.name }
rules:
  - id: as-quoted
    call: pay
    require: |
      args.amount <= state.quotes[args.quote].price and args.to in state.friends
"#,
    );
    find(&text, &Goal::call().tool("pay").decided(Decision::Allow), 3);
    find(&text, &Goal::call().tool("pay").by("as-quoted").decided(Decision::Block), 1);
}

#[test]
fn time_goes_by_where_it_matters() {
    let late = Goal::verdict("r", Verdict::Violated);
    let within = contract("rules:\n  - { id: r, must_be_followed_by: { after: a, then: b, within: 5m } }");
    find(&within, &late, 2);
    find(&within, &Goal::verdict("r", Verdict::Violated).ended(), 3);
}

#[test]
fn two_calls_are_in_flight() {
    let text = contract(
        "instances: { max: 10 }\nrules:\n  - id: r\n    must_precede: { first: grant, then: use }\n    per: args.id\n    instances: { close_on: ok(use) }",
    );
    let twice = Goal::call().tool("use").decided(Decision::Allow).in_flight("use");
    let witness = find(&text, &twice, 3);
    assert_eq!(witness.trace.len(), 3, "{:?}", lines(&witness));
}

#[test]
fn a_goal_that_nothing_comes_to_ends_the_search() {
    let text = contract("rules:\n  - { id: r, forbid: pay }");
    let (found, used) = found(&text, &Goal::call().tool("pay").decided(Decision::Allow));
    assert_eq!(found, Found::Exhausted);
    assert!(used < 100, "{used}");
}
