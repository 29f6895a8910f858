//! Whether the journal holds, in the words that the page begins with.
//!
//! INVARIANT: the page is green only if every record was checked against a checkpoint that a trusted key signed. A journal that was
//! not signed, or whose signer nobody vouches for, is never called verified, and neither is one without records.

use contract_lang::diagnostic::render;
use contract_runtime::journal::PublicKey;
use contract_runtime::journal::verify::{self, Remark};

use super::html::{number, plural};

/// How sure a reader may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Level {
    /// Every record is vouched for by a trusted key.
    Verified,
    /// Nothing is wrong, but a part is vouched for by nobody, or by somebody unknown.
    Partly,
    /// Nothing is wrong, and nobody vouches for anything.
    Unsigned,
    /// It does not hold.
    Broken,
}

impl Level {
    /// In a word, for programs.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Verified => "verified",
            Self::Partly => "partly",
            Self::Unsigned => "unsigned",
            Self::Broken => "broken",
        }
    }

    /// The class of the badge.
    pub(super) fn class(self) -> &'static str {
        match self {
            Self::Verified => "good",
            Self::Partly => "warn",
            Self::Unsigned => "plain",
            Self::Broken => "bad",
        }
    }

    /// What is drawn on the shield of the badge.
    pub(super) fn mark(self) -> &'static str {
        match self {
            Self::Verified => "m8.4 11.9 2.5 2.5 4.7-4.9",
            Self::Partly => "M12 8v4.6M12 15.6v.01",
            Self::Unsigned => "M9 12h6",
            Self::Broken => "m9.4 9.4 5.2 5.2m0-5.2-5.2 5.2",
        }
    }
}

/// What a check of the journal came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Standing {
    pub(crate) level: Level,
    /// In a few words.
    pub(crate) title: String,
    /// In a sentence.
    pub(crate) text: String,
    /// What was found besides, and what could not be checked.
    pub(crate) notices: Vec<String>,
}

impl Standing {
    /// What a verification says, for which these keys were given.
    pub(crate) fn of(report: &verify::Report, trust: &[PublicKey]) -> Self {
        // What the title says need not be said twice.
        let said = [Remark::Unsigned, Remark::NoTrustedKey, Remark::TailNotAttested];
        let notices = report.notices.iter().filter(|notice| !report.holds() || !said.contains(&notice.code));
        let notices = notices.map(|notice| render::escape(&notice.message)).collect();
        let (level, title, text) = match &report.problem {
            Some(problem) => broken(report, problem),
            None => holds(report, trust),
        };
        Self { level, title, text, notices }
    }
}

fn broken(report: &verify::Report, problem: &verify::Problem) -> (Level, String, String) {
    let mut place = format!("In {}", render::escape(&problem.file));
    if let Some(line) = problem.line {
        place.push_str(&format!(", line {}", number(line)));
    }
    if let Some(seq) = problem.seq {
        place.push_str(&format!(", record {seq}"));
    }
    let before = match report.records {
        0 => "No record holds.".to_owned(),
        count => format!("The {} before hold; nothing vouches for what follows.", plural(count, "record")),
    };
    let title = format!("Does not verify: {}", problem.code.as_str().replace('-', " "));
    (Level::Broken, title, format!("{place}: {}. {before}", render::escape(&problem.message)))
}

fn holds(report: &verify::Report, trust: &[PublicKey]) -> (Level, String, String) {
    let (records, attested) = (report.records, report.attested);
    let by = match trust {
        [key] => format!("the trusted key {key}, or one that it named,"),
        _ => "a trusted key, or one that it named,".to_owned(),
    };
    let unattested = report.notice(Remark::TailNotAttested).map_or(0, |notice| notice.count);
    match (records, report.signed, report.trusted && !trust.is_empty()) {
        (0, ..) => (Level::Unsigned, "Nothing to verify".to_owned(), "The journal has no records.".to_owned()),
        (_, false, _) => (
            Level::Unsigned,
            "Consistent, but not signed".to_owned(),
            format!(
                "{} follow one another without a break, and nobody vouches for them: whoever can write the file can make it anew.",
                plural(records, "record")
            ),
        ),
        (_, true, false) => (
            Level::Partly,
            "Signed, but by whom was not checked".to_owned(),
            format!(
                "{} hold by a signature whose key only the journal itself names. Give the key that you trust with --trust.",
                plural(attested, "record")
            ),
        ),
        (_, true, true) if unattested > 0 || attested == 0 => (
            Level::Partly,
            format!("Verified up to record {}", attested.saturating_sub(1)),
            format!(
                "Signed by {by} until then. The last {} came after the last checkpoint: they follow one another, and nobody vouches for them yet.",
                plural(unattested, "record")
            ),
        ),
        (_, true, true) => (
            Level::Verified,
            "Verified".to_owned(),
            format!(
                "All {} up to the last checkpoint are as they were when {by} signed them.",
                plural(attested, "record")
            ),
        ),
    }
}

#[cfg(test)]
mod tests;
