//! What the agent of the demonstration does. It is scripted: no model, no network.

use serde_json::{Value, json};

/// A step of the agent.
pub(super) struct Step {
    /// What it is about.
    pub(super) title: &'static str,
    pub(super) tool: &'static str,
    pub(super) args: Value,
    /// What the tool answers, if the call runs.
    pub(super) answer: Result<Value, &'static str>,
}

/// All that it does.
pub(super) fn steps() -> Vec<Step> {
    let record = || json!({"record": "r7"});
    let step = |title, tool, args, answer| Step { title, tool, args, answer };
    vec![
        step("It deletes a record at once.", "delete_record", record(), Ok(json!({"deleted": "r7"}))),
        step(
            "It validates the record, but the validator does not answer.",
            "validate_record",
            record(),
            Err("timeout"),
        ),
        step("A call that failed proves nothing.", "delete_record", record(), Ok(json!({"deleted": "r7"}))),
        step("It tries the validation again.", "validate_record", record(), Ok(json!({"valid": true}))),
        step("Now the record may be deleted.", "delete_record", record(), Ok(json!({"deleted": "r7"}))),
        step("Once: the validation is used up.", "delete_record", record(), Ok(json!({"deleted": "r7"}))),
        step(
            "It locks a table, and forgets it.",
            "lock_table",
            json!({"table": "orders"}),
            Ok(json!({"locked": true})),
        ),
    ]
}
