//! Diagnostics as annotations in GitHub's checks: workflow commands on standard output.
//!
//! INVARIANT: a diagnostic is one line, whatever its text: what separates commands is escaped.

use std::fmt::Write as _;

use super::render::escape;
use super::{Diagnostic, Level};
use crate::source::SourceFile;

/// One workflow command for each: `::error file=…,line=…,col=…,endLine=…,endColumn=…,title=…::message`.
#[must_use]
pub fn annotations(file: &SourceFile, diagnostics: &[Diagnostic]) -> String {
    let mut out = String::new();
    for diagnostic in diagnostics {
        let command = match diagnostic.level {
            Level::Error => "error",
            Level::Warning => "warning",
            Level::Note => "notice",
        };
        let start = file.position(diagnostic.primary.span.start);
        let end = file.position(diagnostic.primary.span.end);
        let mut message = diagnostic.message.clone();
        if let Some(certainty) = diagnostic.certainty {
            message.push_str(&format!(" ({})", certainty.as_str()));
        }
        for help in &diagnostic.help {
            message.push_str("\nhelp: ");
            message.push_str(&help.with_replacement());
        }
        // Columns count only where a finding is on one line.
        let columns = if start.line == end.line {
            format!(",col={},endColumn={}", start.column, end.column)
        } else {
            String::new()
        };
        // Writing to a string does not fail.
        let _ = writeln!(
            out,
            "::{command} file={},line={},endLine={}{columns},title={}::{}",
            property(file.name()),
            start.line,
            end.line,
            property(diagnostic.code.as_str()),
            data(&message)
        );
    }
    out
}

/// A text as the message of a command: its lines are kept, other control characters can be seen.
fn data(text: &str) -> String {
    let lines: Vec<_> = text.split('\n').map(|line| escape(line).replace('%', "%25")).collect();
    lines.join("%0A")
}

/// A text as the value of a property.
fn property(text: &str) -> String {
    escape(text).replace('%', "%25").replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::Code;
    use crate::source::Span;

    #[test]
    fn each_finding_is_one_command() {
        let file = SourceFile::new("a,b:c.yaml", "rules:\n  - id: x\n");
        let one = Diagnostic::new(Code::UnknownField, Span::new(9, 16), "`x` is 100%\nodd::warning").suggest(
            "did you mean `y`?",
            Span::new(9, 10),
            "y",
        );
        let two = Diagnostic::new(Code::DetectsOnly, Span::new(0, 16), "\u{1b}[31m\r\u{202e}");
        let out = annotations(&file, &[one, two]);
        let expected = "::error file=a%2Cb%3Ac.yaml,line=2,endLine=2,col=3,endColumn=10,title=IL0201::`x` is 100%25%0Aodd::warning%0Ahelp: did you mean `y`?\n\
                        ::warning file=a%2Cb%3Ac.yaml,line=1,endLine=2,title=IL0411::\\u{1b}[31m\\r\\u{202e}\n";
        assert_eq!(out, expected);
    }
}
