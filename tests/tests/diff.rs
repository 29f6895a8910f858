//! What a change of a contract does is found, and shown by a session; what changes nothing is proved to.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "test code")]

use std::path::Path;

use contract_lang::analysis::diff::{Answer, Limits, diff};
use contract_lang::mir::Contract;
use contract_lang::{Form, Options, check, format};

/// A text, and what stands there instead in another version. `""` stands for the end of the file.
type Edit = (&'static str, &'static str);

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

fn retail() -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("contracts/retail.yaml")).unwrap()
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
