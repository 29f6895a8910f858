//! Outcomes of tests, for people.

use std::io::{self, Write as _};

use contract_lang::diagnostic::render;
use contract_lang::testing::{Case, Outcome};

use super::{Suite, Tally};
use crate::output::{Console, some};

/// What came of a test.
pub(super) fn outcome(suite: &Suite, case: &Case, outcome: &Outcome, console: &mut Console<'_>) -> io::Result<()> {
    let name = render::escape(&case.name);
    let out = &mut console.out;
    if outcome.failures.is_empty() {
        return writeln!(out, "ok      {name}");
    }
    writeln!(out, "FAILED  {name}")?;
    for failure in &outcome.failures {
        let (file, line) = suite.place(case, failure.place);
        let (of, what) = (render::escape(&failure.of), failure.what);
        let values = [&failure.expected, &failure.found].map(|value| render::escape(&value.to_string()));
        let [expected, found] = values;
        writeln!(out, "        {file}:{line}: {of}: {what}")?;
        writeln!(out, "          expected {expected}")?;
        writeln!(out, "          found    {found}")?;
        for because in &failure.because {
            writeln!(out, "          {}", render::escape(because))?;
        }
    }
    Ok(())
}

/// The last line.
pub(super) fn summary(tally: &Tally, console: &mut Console<'_>) -> io::Result<()> {
    let tests = some(tally.passed.saturating_add(tally.failed), "test");
    writeln!(console.out, "{tests}: {} passed, {} failed", tally.passed, tally.failed)
}
