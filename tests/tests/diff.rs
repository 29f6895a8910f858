//! What a change of a contract does is found, and shown by a session; what changes nothing is proved to.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "test code")]

use std::path::Path;

use contract_lang::analysis::diff::{Answer, Change, Limits, diff};
use contract_lang::interpret::Interpreted;
use contract_lang::mir::Contract;
use contract_lang::replay::{Player, Stage, Step};
use contract_lang::trace::Body;
use contract_lang::{Form, Options, check, format};
use contract_runtime::{Decision, glob_matches};

/// A text, and what stands there instead in another version. `""` stands for the end of the file.
type Edit = (&'static str, &'static str);

/// The retail desk, with each of these changes: the call that becomes possible, and what is named as the cause.
const LOOSENINGS: [(&str, &[Edit], &str, &str); 13] = [
    (
        "a rule is gone",
        &[(
            "  - id: cancel-reason\n    call: cancel_pending_order\n    require: args.reason in [\"no longer needed\", \"ordered by mistake\"]\n",
            "",
        )],
        "cancel_pending_order",
        "rule `cancel-reason`",
    ),
    (
        "one more is allowed",
        &[("at_most_n_times: { call: delivered_write, n: 1 }", "at_most_n_times: { call: delivered_write, n: 2 }")],
        "*_delivered_order_items",
        "rule `return-or-exchange-once`",
    ),
    (
        "a further value is allowed",
        &[(
            "[\"no longer needed\", \"ordered by mistake\"]",
            "[\"no longer needed\", \"ordered by mistake\", \"other\"]",
        )],
        "cancel_pending_order",
        "rule `cancel-reason`",
    ),
    (
        "an attempt to identify counts, failed or not",
        &[
            ("first: identify, then", "first: call(identify), then"),
            ("    require: state.orders[args.order_id].user_id == state.user\n", "    require: has(args.order_id)\n"),
        ],
        "*",
        "rule `identify-first`",
    ),
    (
        "a precondition is weaker",
        &[(
            "require: state.orders[args.order_id].status == \"delivered\"",
            "require: state.orders[args.order_id].status in [\"delivered\", \"pending\"]",
        )],
        "*_delivered_order_items",
        "rule `only-delivered`",
    ),
    (
        "the user is who was identified last",
        &[("    bind: { user: result }", "    set: { user: result }")],
        "*",
        "commit to `user`",
    ),
    (
        "a frozen order is thawed by looking at it",
        &[(
            "after: ok(modify_pending_order_items) }\n    per: args.order_id\n",
            "after: ok(modify_pending_order_items) }\n    per: args.order_id\n    reset_on: ok(get_order_details)\n",
        )],
        "*",
        "rule `frozen-after-items`",
    ),
    (
        "a violation is only reported",
        &[(
            "require: state.orders[args.order_id].status == \"pending\"\n",
            "require: state.orders[args.order_id].status == \"pending\"\n    action: alert\n",
        )],
        "*",
        "rule `only-pending`",
    ),
    (
        "a rule is on trial",
        &[(
            "    require: args.reason in [\"no longer needed\", \"ordered by mistake\"]\n",
            "    require: args.reason in [\"no longer needed\", \"ordered by mistake\"]\n    mode: shadow\n",
        )],
        "cancel_pending_order",
        "rule `cancel-reason`",
    ),
    (
        "what is not known is let through",
        &[(
            "    require: args.reason in [\"no longer needed\", \"ordered by mistake\"]\n",
            "    require: args.reason in [\"no longer needed\", \"ordered by mistake\"]\n    decide: { unestablished: allow }\n",
        )],
        "cancel_pending_order",
        "rule `cancel-reason`",
    ),
    (
        "the key is another argument",
        &[("    per: args.order_id\n\n  - id: frozen", "    per: args.payment_method_id\n\n  - id: frozen")],
        "*_delivered_order_items",
        "rule `return-or-exchange-once`",
    ),
    ("other tools may do as they like", &[("", "default: allow\n")], "*", "`default`"),
    (
        "a pattern has one tool less",
        &[(
            "pending_write: cancel_pending_order | modify_pending_order_*",
            "pending_write: cancel_pending_order | modify_pending_order_items",
        )],
        "modify_pending_order_*",
        "rule `only-pending`",
    ),
];

/// The retail desk, perhaps with some changes, and the same said otherwise.
const REFACTORINGS: [(&str, &[Edit], &[Edit]); 14] = [
    (
        "a group is written out",
        &[],
        &[(
            "then: order_write }",
            "then: cancel_pending_order | modify_pending_order_* | return_delivered_order_items | exchange_delivered_order_items }",
        )],
    ),
    (
        "a group has another name",
        &[],
        &[("  identify: find", "  who: find"), ("ok(identify)", "ok(who)"), ("first: identify", "first: who")],
    ),
    (
        "rules change places",
        &[],
        &[
            (CANCEL_REASON, ""),
            (
                "rules:\n",
                concat!(
                    "rules:\n",
                    "  - id: cancel-reason\n    call: cancel_pending_order\n    require: args.reason in [\"no longer needed\", \"ordered by mistake\"]\n"
                ),
            ),
        ],
    ),
    (
        "a list is a disjunction",
        &[],
        &[(REASONS, "args.reason == \"ordered by mistake\" or \"no longer needed\" == args.reason")],
    ),
    (
        "De Morgan",
        &[],
        &[(
            "'not (is_string(result) and starts_with(result, \"Error\"))'",
            "'not is_string(result) or not starts_with(result, \"Error\")'",
        )],
    ),
    (
        "two preconditions are two rules",
        &[(
            OWNER,
            "    require:\n      - state.orders[args.order_id].user_id == state.user\n      - args.order_id != \"\"\n",
        )],
        &[(
            OWNER,
            concat!(
                "    require: state.orders[args.order_id].user_id == state.user\n",
                "  - id: an-order\n    call: order_write\n    require: not (\"\" == args.order_id)\n",
            ),
        )],
    ),
    (
        "one precondition is one for each tool",
        &[],
        &[
            ("    call: order_write\n", "    call: pending_write\n"),
            (
                OWNER,
                concat!(
                    "    require: state.orders[args.order_id].user_id == state.user\n",
                    "  - id: own-delivered\n    call: delivered_write\n    require: state.user == state.orders[args.order_id].user_id\n",
                ),
            ),
        ],
    ),
    (
        "precedence from the other end",
        &[],
        &[(PRECEDENCE, "cannot_follow_without: { call: order_write, without: identify }")],
    ),
    (
        "precedence as a formula",
        &[],
        &[(
            PRECEDENCE,
            "formula: not write weak_until known\n    let: { known: ok(identify), write: call(order_write) }",
        )],
    ),
    (
        "titles and messages",
        &[],
        &[(
            "title: The items of an order are modified once",
            "title: Once\n    message: only once\n    severity: low\n    tags: [orders]",
        )],
    ),
    (
        "tools in another order",
        &[],
        &[
            ("  list_all_product_types: { effect: read }\n", ""),
            ("  think: { effect: read }\n", "  think: { effect: read }\n  list_all_product_types: { effect: read }\n"),
        ],
    ),
    (
        "cases that come to one",
        &[],
        &[(
            "  think: { effect: read }\n",
            "  think: { effect: [{ when: args.deep == true, is: read }, { is: read }] }\n",
        )],
    ),
    (
        "a condition within and without",
        &[],
        &[(
            "    call: cancel_pending_order\n",
            "    call: cancel_pending_order where not (args.reason == \"ordered by mistake\" or args.reason == \"no longer needed\")\n",
        )],
    ),
    (
        "one commit is one for each tool",
        &[],
        &[(
            "after: ok(identify)\n    bind: { user: result }",
            "after: ok(find_user_id_by_email)\n    bind: { user: result }\n  - after: ok(find_user_id_by_name_zip)\n    bind: { user: result }",
        )],
    ),
];

const REASONS: &str = "args.reason in [\"no longer needed\", \"ordered by mistake\"]";
const OWNER: &str = "    require: state.orders[args.order_id].user_id == state.user\n";
const PRECEDENCE: &str = "must_precede: { first: identify, then: order_write }";
const CANCEL_REASON: &str = "  - id: cancel-reason\n    call: cancel_pending_order\n    require: args.reason in [\"no longer needed\", \"ordered by mistake\"]\n";

/// The contract without its own tests, which name rules that other versions may not have.
fn retail() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("contracts/retail.yaml");
    let text = std::fs::read_to_string(path).unwrap();
    text.split("\ntests:").next().unwrap().to_owned() + "\n"
}

fn contract(text: &str) -> Contract {
    let checked = check("retail.yaml", text.as_bytes(), &Options::default());
    let said = contract_lang::diagnostic::render::short(&checked.source, &checked.diagnostics);
    checked.contract.expect(&said)
}

fn edited(text: &str, edits: &[Edit]) -> String {
    edits.iter().fold(text.to_owned(), |text, (from, to)| {
        assert!(text.contains(from), "{from}");
        if from.is_empty() { format!("{text}{to}") } else { text.replace(from, to) }
    })
}

#[test]
fn each_of_many_ways_to_say_the_same_is_proved_equal() {
    for (what, before, after) in REFACTORINGS {
        let (old, new) = (contract(&edited(&retail(), before)), contract(&edited(&retail(), after)));
        let found = diff(&old, &new, &Limits::default());
        assert_eq!((found.answer, found.changes().count()), (Answer::Equal, 0), "{what}: {found:#?}");
    }
}

#[test]
fn the_text_form_of_a_contract_is_proved_equal() {
    let text = format("retail.yaml", retail().as_bytes(), Form::Yaml, Form::Text).unwrap();
    let checked = check("retail.contract", text.as_bytes(), &Options::default());
    let found = diff(&contract(&retail()), &checked.contract.unwrap(), &Limits::default());
    assert_eq!(found.answer, Answer::Equal, "{found:#?}");
}

/// Plays a session of its own: what is decided about its last call.
fn decided(contract: &Contract, shown: &Change) -> Decision {
    let contract = Interpreted::new(contract.clone());
    let mut player = Player::new(Stage::new(&contract));
    let mut steps = Vec::new();
    for (number, line) in (1..).zip(&shown.session) {
        player.play(number, line.clone(), &mut steps).unwrap();
    }
    let mut decisions = steps.iter().filter_map(|step| match step {
        Step::Decided(_, decided) => Some(decided.decision),
        _ => None,
    });
    decisions.next_back().unwrap()
}

#[test]
fn each_of_many_ways_to_loosen_a_contract_is_found_and_shown() {
    let old = contract(&retail());
    let mut missed = Vec::new();
    for (what, edits, tool, cause) in LOOSENINGS {
        let new = contract(&edited(&retail(), edits));
        let found = diff(&old, &new, &Limits::default());
        let shows = |shown: &&Change| {
            let last = shown.session.last().unwrap();
            let of_tool = matches!(&last.body, Body::Call(call, _) if glob_matches(tool, &call.tool));
            of_tool && shown.concerns.iter().any(|concerned| concerned == cause)
        };
        let Some(shown) = found.newly_allowed.iter().find(shows) else {
            missed.push(format!(
                "{what}: {:?} {:?}",
                found.answer,
                found.changes().map(|one| (&one.what, &one.direction, &one.concerns)).collect::<Vec<_>>()
            ));
            continue;
        };
        assert_eq!(decided(&old, shown), Decision::Block, "{what}");
        assert!(decided(&new, shown) < Decision::Ask, "{what}");
    }
    assert_eq!(missed, Vec::<String>::new());
}

#[test]
fn what_one_of_very_many_rules_allows_is_found() {
    let with = |limit: usize| {
        let limit_of = |rule: usize| if rule == 150 { limit } else { 1 };
        let rule = |rule: usize| {
            let limit = limit_of(rule);
            format!(
                "  - {{ id: r{rule}, at_most_n_times: {{ call: t{rule}, n: {limit} }}, per: args.a, count: succeeded }}\n"
            )
        };
        let rules: String = (0..300).map(rule).collect();
        contract(&format!("version: 1\nname: many\ninstances: {{ max: 10 }}\nrules:\n{rules}"))
    };
    let found = diff(&with(1), &with(2), &Limits::default());
    let [shown] = found.newly_allowed.as_slice() else { panic!("{found:#?}") };
    assert_eq!((shown.session.len(), shown.concerns.as_slice()), (2, ["rule `r150`".to_owned()].as_slice()));
}
