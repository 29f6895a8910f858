//! Lines of a trace, one at a time, none held longer than it is worked on.

use std::io::{self, BufRead};

use super::json::Strict;
use super::line::Line;

/// The most bytes of one line. The rest of a longer one is skipped, not kept.
pub const LONGEST_LINE: usize = 64 << 20;

/// How much of a longer line is skipped. One that goes on is a device or a mistake, and might never end.
const MOST_SKIPPED: usize = 4 * LONGEST_LINE;

/// What a line keeps of its memory for the next one.
const KEPT: usize = 1 << 20;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// What is wrong with a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flaw {
    /// Where in the line, in bytes from 1, where that is known.
    pub column: Option<usize>,
    /// What is wrong, and what was expected.
    pub message: String,
}

impl From<String> for Flaw {
    fn from(message: String) -> Self {
        Self { column: None, message }
    }
}

/// A line with its number.
#[derive(Debug)]
pub struct Entry {
    /// The number, from 1.
    pub number: u64,
    /// What it says, or what is wrong with it.
    pub line: Result<Line, Flaw>,
}

/// Reads a trace.
#[derive(Debug)]
pub struct Reader<R> {
    input: R,
    buffer: Vec<u8>,
    number: u64,
}

/// How a line came in.
enum Taken {
    Whole,
    TooLong,
}

impl<R: BufRead> Reader<R> {
    /// A trace from its bytes.
    pub fn new(input: R) -> Self {
        Self { input, buffer: Vec::new(), number: 0 }
    }

    /// The next line that is not blank; `None` at the end.
    ///
    /// # Errors
    /// If the bytes cannot be read.
    pub fn next_line(&mut self) -> io::Result<Option<Entry>> {
        while let Some(taken) = self.take()? {
            self.number = self.number.saturating_add(1);
            let number = self.number;
            if let Taken::TooLong = taken {
                let message = format!("the line is longer than {} MiB, the most that is read", LONGEST_LINE >> 20);
                return Ok(Some(Entry { number, line: Err(message.into()) }));
            }
            let mut bytes = self.buffer.as_slice();
            if number == 1 {
                bytes = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes);
            }
            if !bytes.trim_ascii().is_empty() {
                return Ok(Some(Entry { number, line: parse(bytes) }));
            }
        }
        Ok(None)
    }

    /// Takes the next line into the buffer, without its line feed.
    fn take(&mut self) -> io::Result<Option<Taken>> {
        self.buffer.clear();
        self.buffer.shrink_to(KEPT);
        let mut taken = None;
        let mut skipped: usize = 0;
        loop {
            let chunk = match self.input.fill_buf() {
                Ok(chunk) => chunk,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            if chunk.is_empty() {
                return Ok(taken);
            }
            let (part, ends) = match chunk.iter().position(|byte| *byte == b'\n') {
                Some(at) => (chunk.get(..at).unwrap_or_default(), true),
                None => (chunk, false),
            };
            let length = part.len().saturating_add(usize::from(ends));
            if self.buffer.len().saturating_add(part.len()) > LONGEST_LINE {
                taken = Some(Taken::TooLong);
                self.buffer = Vec::new();
            }
            match taken {
                Some(Taken::TooLong) => {
                    skipped = skipped.saturating_add(part.len());
                    if skipped > MOST_SKIPPED {
                        return Err(io::Error::new(io::ErrorKind::InvalidData, "a line does not end"));
                    }
                }
                _ => {
                    self.buffer.extend_from_slice(part);
                    taken = Some(Taken::Whole);
                }
            }
            self.input.consume(length);
            if ends {
                return Ok(taken);
            }
        }
    }
}

fn parse(bytes: &[u8]) -> Result<Line, Flaw> {
    let text = std::str::from_utf8(bytes).map_err(|error| Flaw {
        column: Some(error.valid_up_to().saturating_add(1)),
        message: "the line is not UTF-8 text; a trace is JSON lines in UTF-8".to_owned(),
    })?;
    let Strict(value) = serde_json::from_str(text).map_err(|error| {
        // The message ends in the place, of which the line is always the first.
        let message = error.to_string();
        let what = message.rsplit_once(" at line ").map_or(message.as_str(), |(what, _)| what);
        let hint = match error.classify() {
            serde_json::error::Category::Syntax | serde_json::error::Category::Eof => {
                "the line is not one JSON object: "
            }
            _ => "",
        };
        Flaw { column: Some(error.column()), message: format!("{hint}{what}") }
    })?;
    Line::decode(value).map_err(Flaw::from)
}

#[cfg(test)]
mod tests;
