//! Outcomes of tests, for programs: JSON lines.

use std::io;

use contract_lang::testing::{Case, Failure, Outcome, Place};
use serde_json::{Value, json};

use super::{Suite, Tally};
use crate::output::Console;

/// What came of a test.
pub(super) fn outcome(suite: &Suite, case: &Case, outcome: &Outcome, console: &mut Console<'_>) -> io::Result<()> {
    let (_, line) = suite.place(case, Place::Contract(case.span));
    let failures: Vec<_> = outcome.failures.iter().map(|failure| failed(suite, case, failure)).collect();
    console.out.json(&json!({
        "file": suite.name, "line": line, "test": case.name, "passed": failures.is_empty(), "calls": outcome.calls,
        "failures": failures,
    }))
}

fn failed(suite: &Suite, case: &Case, failure: &Failure) -> Value {
    let (file, line) = suite.place(case, failure.place);
    let Failure { of, what, expected, found, because, .. } = failure;
    json!({
        "file": file, "line": line, "of": of, "what": what, "expected": expected, "found": found, "because": because,
    })
}

/// The last line.
pub(super) fn summary(tally: &Tally, console: &mut Console<'_>) -> io::Result<()> {
    let tests = tally.passed.saturating_add(tally.failed);
    console.out.json(&json!({ "summary": true, "tests": tests, "passed": tally.passed, "failed": tally.failed }))
}
