//! Whether a journal holds: what every look into it begins with.

use std::io::{self, Write as _};
use std::path::Path;

use contract_lang::diagnostic::render;
use contract_runtime::journal::verify::{Notice, Options, Remark, Report, Unreadable, verify};

use super::text::{name, text};
use crate::output::{Exit, Stream, some};

/// Verifies a journal by itself: no key and no checkpoint that was kept elsewhere is asked for.
pub(crate) fn check(journal: &Path) -> Result<Report, String> {
    verify(journal, &Options::default()).map_err(|error: Unreadable| render::escape(&error.to_string()))
}

/// What a report comes to.
pub(crate) fn exit(report: &Report) -> Exit {
    if report.holds() { Exit::Fine } else { Exit::Fails }
}

/// The report in a sentence.
pub(crate) fn sentence(report: &Report) -> String {
    let file = name(&report.file);
    match &report.problem {
        None => {
            let (records, sessions) = (some(report.records, "record"), some(report.sessions, "session"));
            let signed = match report.signed {
                true => format!("its own key signed the first {}", some(report.attested, "record")),
                false => "unsigned: whoever can write it can make it anew".to_owned(),
            };
            format!("{file} holds: {records}, {sessions}, {signed}")
        }
        Some(problem) => {
            let file = name(&problem.file);
            let line = problem.line.map(|line| format!(", line {line}")).unwrap_or_default();
            format!("{file} DOES NOT HOLD: {}{line}: {}", problem.code.as_str(), text(&problem.message))
        }
    }
}

/// The report for people: the sentence, and what speaks of more than what was not asked for.
pub(crate) fn print(report: &Report, out: &mut Stream<'_>) -> io::Result<()> {
    let color = match (out.styled(), report.holds()) {
        (false, _) => ("", ""),
        (true, true) => ("\x1b[32m", "\x1b[0m"),
        (true, false) => ("\x1b[1;31m", "\x1b[0m"),
    };
    writeln!(out, "{}{}{}", color.0, sentence(report), color.1)?;
    let told = |notice: &&Notice| {
        !matches!(notice.code, Remark::Unsigned | Remark::NoTrustedKey | Remark::NoCheckpoint | Remark::TailNotAttested)
    };
    report.notices.iter().filter(told).try_for_each(|notice| writeln!(out, "  note: {}", text(&notice.message)))
}
