//! Fills the holes of a contract author's message.
//!
//! INVARIANT: a hole shows at most 100 bytes, with hidden characters escaped, of this very event and its key. What is not there
//! is a question mark.

use std::io;

use serde_json::Value;

use crate::info::{Message, MessageStep, Root, Segment};

/// The most bytes that a hole shows.
const LONGEST_HOLE: usize = 100;

/// Of what a message may speak.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Subjects<'a> {
    pub(crate) tool: Option<&'a str>,
    pub(crate) args: Option<&'a Value>,
    pub(crate) result: Option<&'a Value>,
    pub(crate) event: Option<&'a Value>,
}

impl Message {
    /// The message about an event.
    pub(crate) fn fill(&self, subjects: &Subjects<'_>, key: &[Value]) -> String {
        let mut filled = String::new();
        for segment in self.segments.iter() {
            match segment {
                Segment::Text(text) => filled.push_str(text),
                Segment::Tool => filled.push_str(&subjects.tool.map_or_else(nothing, shown)),
                Segment::Key if key.is_empty() => filled.push_str(&nothing()),
                Segment::Key => {
                    let parts: Vec<String> = key.iter().map(plain).collect();
                    filled.push_str(&shown(&parts.join(", ")));
                }
                Segment::Path(root, steps) => {
                    let root = match root {
                        Root::Args => subjects.args,
                        Root::Result => subjects.result,
                        Root::Event => subjects.event,
                    };
                    let value = root.and_then(|root| walk(root, steps));
                    filled.push_str(&value.map_or_else(nothing, |value| shown(&plain(value))));
                }
            }
        }
        filled
    }
}

fn nothing() -> String {
    "?".to_owned()
}

fn walk<'v>(value: &'v Value, steps: &[MessageStep]) -> Option<&'v Value> {
    steps.iter().try_fold(value, |value, step| match step {
        MessageStep::Field(name) => value.as_object()?.get(name.as_ref()),
        MessageStep::Index(index) => value.as_array()?.get(usize::try_from(*index).ok()?),
    })
}

/// A text without its quotes, anything else as JSON: the beginning of it, where it is long.
fn plain(value: &Value) -> String {
    if let Value::String(text) = value {
        return text.chars().take(LONGEST_HOLE.saturating_add(1)).collect();
    }
    let mut beginning = Beginning(Vec::new());
    // An error says that the beginning is complete.
    let _ = serde_json::to_writer(&mut beginning, value);
    String::from_utf8_lossy(&beginning.0).into_owned()
}

/// Keeps the first bytes and then refuses, so that neither the size nor the depth of a value matters.
struct Beginning(Vec<u8>);

impl io::Write for Beginning {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len() > LONGEST_HOLE {
            return Err(io::ErrorKind::WriteZero.into());
        }
        let room = LONGEST_HOLE.saturating_add(4).saturating_sub(self.0.len());
        self.0.extend(bytes.iter().take(room));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A text of at most so many bytes in which hidden characters can be seen.
fn shown(text: &str) -> String {
    const MORE: char = '…';
    let mut shown = String::new();
    let mut fits = 0;
    for character in text.chars() {
        match character {
            '"' | '\'' => shown.push(character),
            _ => shown.extend(character.escape_debug()),
        }
        if shown.len() > LONGEST_HOLE {
            shown.truncate(fits);
            shown.push(MORE);
            return shown;
        }
        if shown.len() <= LONGEST_HOLE.saturating_sub(MORE.len_utf8()) {
            fits = shown.len();
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use serde_json::json;

    use super::*;

    fn message(segments: Vec<Segment>) -> Message {
        Message { segments: Cow::Owned(segments) }
    }

    fn path(root: Root, steps: &[&'static str]) -> Segment {
        let step = |step: &&'static str| match step.parse() {
            Ok(index) => MessageStep::Index(index),
            Err(_) => MessageStep::Field(Cow::Borrowed(step)),
        };
        Segment::Path(root, steps.iter().map(step).collect())
    }

    #[test]
    fn holes_show_the_call_its_result_and_its_key() {
        let message = message(vec![
            Segment::Tool,
            Segment::Text(" of ".into()),
            path(Root::Args, &["ids", "1"]),
            Segment::Text(" for ".into()),
            Segment::Key,
            Segment::Text(": ".into()),
            path(Root::Result, &["status"]),
            path(Root::Event, &[]),
        ]);
        let (args, result) = (json!({"ids": [1, {"a": 2}]}), json!({"status": "ok"}));
        let subjects = Subjects { tool: Some("pay"), args: Some(&args), result: Some(&result), event: None };
        assert_eq!(message.fill(&subjects, &[json!("i7"), json!(2)]), "pay of {\"a\":2} for i7, 2: ok?");
        assert_eq!(message.fill(&Subjects::default(), &[]), "? of ? for ?: ??");
    }

    #[test]
    fn a_hole_is_short_and_hides_nothing() {
        let message = message(vec![path(Root::Args, &["x"])]);
        let fill = |value: Value| {
            let args = json!({ "x": value });
            message.fill(&Subjects { args: Some(&args), ..Subjects::default() }, &[])
        };
        assert_eq!(fill(json!("\u{1b}[31m\u{202e}")), "\\u{1b}[31m\\u{202e}");
        for long in
            [json!("x".repeat(5_000)), json!("\u{202e}".repeat(50)), json!(vec![1; 5_000]), json!("é".repeat(99))]
        {
            let text = fill(long);
            assert!(text.len() <= LONGEST_HOLE && text.ends_with('…'), "{text}");
        }
        assert_eq!(fill(json!("x".repeat(100))), "x".repeat(100));
        let deep = (0..2_000).fold(json!(1), |inner, _| Value::Array(vec![inner]));
        let args = Value::Object([("x".to_owned(), deep)].into_iter().collect());
        assert!(message.fill(&Subjects { args: Some(&args), ..Subjects::default() }, &[]).starts_with("[[["));
    }
}
