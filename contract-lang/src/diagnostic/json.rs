//! Diagnostics for programs.

use serde_json::{Value, json};

use super::{Diagnostic, Help, Level};
use crate::source::SourceFile;
use crate::trace::Line;

impl Level {
    /// Its spelling.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// One diagnostic as an object: `file line column end_line end_column code level message`, and where they exist `help`,
/// `rule`, `certainty`, and of a witness `trace` (its lines) and `shows`. Lines and columns count from 1, columns in characters; the end is one past the last character.
#[must_use]
pub fn line(file: &SourceFile, diagnostic: &Diagnostic) -> Value {
    let start = file.position(diagnostic.primary.span.start);
    let end = file.position(diagnostic.primary.span.end);
    let mut object = json!({
        "file": file.name(),
        "line": start.line,
        "column": start.column,
        "end_line": end.line,
        "end_column": end.column,
        "code": diagnostic.code.as_str(),
        "level": diagnostic.level.as_str(),
        "message": diagnostic.message,
    });
    let help: Vec<_> = diagnostic.help.iter().map(Help::with_replacement).collect();
    if let Value::Object(object) = &mut object {
        if !help.is_empty() {
            object.insert("help".to_owned(), help.join("; ").into());
        }
        if let Some(rule) = &diagnostic.rule {
            object.insert("rule".to_owned(), rule.as_str().into());
        }
        if let Some(certainty) = diagnostic.certainty {
            object.insert("certainty".to_owned(), certainty.as_str().into());
        }
        if let Some(witness) = &diagnostic.witness {
            object.insert("trace".to_owned(), witness.trace.iter().map(Line::encode).collect());
            object.insert("shows".to_owned(), witness.shows.encode());
        }
    }
    object
}
