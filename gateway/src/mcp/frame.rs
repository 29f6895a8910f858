//! How messages follow each other in a stream of bytes: a line each, or each behind a header with its length.
//!
//! INVARIANT: a frame keeps the bytes that it came in, so that what is passed on as it came is passed on with them; and none is
//! kept that is longer than [`LONGEST`].

use std::borrow::Cow;
use std::io::{self, BufRead, Read as _};

/// Most bytes of a message.
pub const LONGEST: usize = 64 * 1024 * 1024;

/// Most bytes of the header before a message.
const LONGEST_HEADER: usize = 8 * 1024;

/// How a frame is told from the next one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Framing {
    /// A line is a message.
    #[default]
    Line,
    /// `Content-Length: N`, an empty line, and N bytes.
    Length,
}

/// A message with the bytes around it.
#[derive(Debug, Default)]
pub struct Frame {
    wire: Vec<u8>,
    body: std::ops::Range<usize>,
    /// How it came.
    pub framing: Framing,
}

/// What comes next in a stream.
#[derive(Debug)]
pub enum Next {
    /// A message, or what stands in the place of one.
    Frame(Frame),
    /// More bytes than a message may have. They were skipped.
    TooLong,
    /// The stream has ended.
    End,
}

impl Frame {
    /// The message.
    #[must_use]
    pub fn body(&self) -> &[u8] {
        self.wire.get(self.body.clone()).unwrap_or_default()
    }

    /// All that came.
    #[must_use]
    pub fn wire(&self) -> &[u8] {
        &self.wire
    }

    /// Whether the end of the message can be seen: the last line of a stream may lack it.
    #[must_use]
    pub fn ends(&self) -> bool {
        self.framing == Framing::Length || self.wire.ends_with(b"\n")
    }

    /// Whether someone who reads lines could take a part of it for a message of its own.
    #[must_use]
    pub fn has_line_breaks(&self) -> bool {
        self.body().iter().any(|byte| matches!(byte, b'\n' | b'\r'))
    }

    /// Whether there is nothing in it.
    #[must_use]
    pub fn is_blank(&self) -> bool {
        self.body().iter().all(u8::is_ascii_whitespace)
    }

    /// Takes the next frame from a stream.
    ///
    /// # Errors
    /// If the stream cannot be read, or its framing is broken, so that nobody knows where the next message begins.
    pub fn read(from: &mut impl BufRead) -> io::Result<Next> {
        let mut wire = Vec::new();
        match line(from, &mut wire, LONGEST)? {
            Line::End if wire.is_empty() => return Ok(Next::End),
            // What a crash cut off, or a last line without its end.
            Line::End | Line::Whole => {}
            Line::TooLong => return Ok(Next::TooLong),
        }
        let Some(mut length) = content_length(&wire)? else {
            let mut end = wire.len();
            while end > 0 && wire.get(end.saturating_sub(1)).is_some_and(|byte| matches!(byte, b'\n' | b'\r')) {
                end = end.saturating_sub(1);
            }
            return Ok(Next::Frame(Self { wire, body: 0..end, framing: Framing::Line }));
        };
        loop {
            let start = wire.len();
            match line(from, &mut wire, LONGEST_HEADER)? {
                Line::Whole => {}
                Line::End | Line::TooLong => return Err(broken("the header before a message does not end")),
            }
            let header = wire.get(start..).unwrap_or_default();
            if header.iter().all(u8::is_ascii_whitespace) {
                break;
            }
            // Who reads lines must not find a message here.
            if !is_header(header) {
                return Err(broken("a line in the header of a message that is no header"));
            }
            if let Some(other) = content_length(header)? {
                if other != length {
                    return Err(broken("two different lengths of one message"));
                }
                length = other;
            }
        }
        if length > LONGEST {
            let skipped = io::copy(&mut from.take(u64::try_from(length).unwrap_or(u64::MAX)), &mut io::sink())?;
            return if usize::try_from(skipped) == Ok(length) { Ok(Next::TooLong) } else { Ok(Next::End) };
        }
        let start = wire.len();
        let read = from.take(u64::try_from(length).unwrap_or(u64::MAX)).read_to_end(&mut wire)?;
        if read < length {
            return Err(broken("the stream ends in the middle of a message"));
        }
        let body = start..wire.len();
        Ok(Next::Frame(Self { wire, body, framing: Framing::Length }))
    }
}

impl Framing {
    /// A message of the guard's own, as it goes on the wire.
    #[must_use]
    pub fn wrap(self, body: &[u8]) -> Vec<u8> {
        match self {
            Self::Length => [format!("Content-Length: {}\r\n\r\n", body.len()).as_bytes(), body].concat(),
            // A line break between tokens means nothing to JSON; inside of strings it is escaped.
            Self::Line => {
                let mut wire: Vec<u8> =
                    body.iter().map(|byte| if matches!(byte, b'\n' | b'\r') { b' ' } else { *byte }).collect();
                wire.push(b'\n');
                wire
            }
        }
    }
}

/// A message in which nothing but an end of line ends a line: U+2028 and U+2029, at which some readers of lines end one, are
/// escaped. They stand in strings, where that is the same.
#[must_use]
pub fn one_line(message: &[u8]) -> Cow<'_, [u8]> {
    if !message.windows(SEPARATOR.len()).any(|part| part == SEPARATOR) {
        return Cow::Borrowed(message);
    }
    let text = String::from_utf8_lossy(message);
    Cow::Owned(text.replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029").into_bytes())
}

/// What U+2028 and U+2029 begin with.
const SEPARATOR: &[u8] = &[0xE2, 0x80];

enum Line {
    Whole,
    End,
    TooLong,
}

/// Adds a line with its end. Of one that is too long, nothing is kept.
fn line(from: &mut impl BufRead, wire: &mut Vec<u8>, longest: usize) -> io::Result<Line> {
    let before = wire.len();
    loop {
        let part = match from.fill_buf() {
            Ok(part) => part,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if part.is_empty() {
            return Ok(Line::End);
        }
        let end = part.iter().position(|byte| *byte == b'\n');
        let taken = end.map_or(part.len(), |at| at.saturating_add(1));
        if wire.len().saturating_sub(before).saturating_add(taken) > longest.saturating_add(2) {
            wire.truncate(before);
            skip_line(from)?;
            return Ok(Line::TooLong);
        }
        wire.extend_from_slice(part.get(..taken).unwrap_or_default());
        from.consume(taken);
        if end.is_some() {
            return Ok(Line::Whole);
        }
    }
}

fn skip_line(from: &mut impl BufRead) -> io::Result<()> {
    loop {
        let part = from.fill_buf()?;
        let end = part.iter().position(|byte| *byte == b'\n');
        let taken = end.map_or(part.len(), |at| at.saturating_add(1));
        if taken == 0 {
            return Ok(());
        }
        from.consume(taken);
        if end.is_some() {
            return Ok(());
        }
    }
}

/// Whether a line is `Name: value`.
fn is_header(line: &[u8]) -> bool {
    let mut parts = line.splitn(2, |byte| *byte == b':');
    let name = parts.next().unwrap_or_default();
    let value = parts.next().map(<[u8]>::trim_ascii);
    let is_name = !name.is_empty() && name.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'-');
    is_name && value.is_some_and(|value| value.iter().all(|byte| (b' '..=b'~').contains(byte)))
}

/// The length that a header line gives. `None`: it is no such line.
fn content_length(line: &[u8]) -> io::Result<Option<usize>> {
    const NAME: &[u8] = b"content-length:";
    let Some((name, value)) = line.split_at_checked(NAME.len()) else { return Ok(None) };
    if !name.eq_ignore_ascii_case(NAME) {
        return Ok(None);
    }
    let digits = value.trim_ascii();
    let length = std::str::from_utf8(digits).ok().filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()));
    length.and_then(|digits| digits.parse().ok()).map(Some).ok_or_else(|| broken("a length that is no number"))
}

fn broken(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, why)
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::*;

    fn all(bytes: &[u8]) -> Vec<(Vec<u8>, Framing)> {
        // A small buffer, so that frames go over its end.
        let mut from = BufReader::with_capacity(7, bytes);
        let mut frames = Vec::new();
        let mut wire = Vec::new();
        while let Next::Frame(frame) = Frame::read(&mut from).unwrap() {
            wire.extend_from_slice(frame.wire());
            frames.push((frame.body().to_vec(), frame.framing));
        }
        assert_eq!(wire, bytes);
        frames
    }

    #[test]
    fn lines_and_lengths_may_be_mixed() {
        let bytes = b"{\"a\":1}\r\nContent-Length: 9\r\nContent-Type: x\r\n\r\n{\n\"b\":2}\n\nlog\n{\"last\":1}";
        let wanted = [
            (&b"{\"a\":1}"[..], Framing::Line),
            (b"{\n\"b\":2}\n", Framing::Length),
            (b"", Framing::Line),
            (b"log", Framing::Line),
            (b"{\"last\":1}", Framing::Line),
        ];
        assert_eq!(all(bytes), wanted.map(|(body, framing)| (body.to_vec(), framing)));
    }

    #[test]
    fn what_a_guard_says_itself_can_be_read_again() {
        for framing in [Framing::Line, Framing::Length] {
            let wire = framing.wrap(b"{\n\"a\": \"x\\n\"}");
            let Ok(Next::Frame(frame)) = Frame::read(&mut &wire[..]) else { panic!("no frame") };
            let body: serde_json::Value = serde_json::from_slice(frame.body()).unwrap();
            assert_eq!((body, frame.framing), (serde_json::json!({"a": "x\n"}), framing));
        }
    }

    #[test]
    fn no_reader_of_lines_finds_a_message_inside_of_one() {
        let message = "{\"a\":\"x\u{2028}{}\u{2029}\u{2014}\"}".as_bytes();
        let one = one_line(message);
        assert!(!String::from_utf8_lossy(&one).contains(['\u{2028}', '\u{2029}']));
        let read = |bytes: &[u8]| serde_json::from_slice::<serde_json::Value>(bytes).unwrap();
        assert_eq!(read(&one), read(message));
        assert_eq!(one_line("{\"a\":\"—\"}".as_bytes()), "{\"a\":\"—\"}".as_bytes());
        let Ok(Next::Frame(frame)) = Frame::read(&mut &b"{\"a\":[\r{}\r]}\r\n"[..]) else { panic!("no frame") };
        assert!(frame.has_line_breaks());
    }

    #[test]
    fn broken_framing_is_an_error_and_long_messages_are_skipped() {
        for bytes in [
            &b"Content-Length: x\r\n\r\n{}"[..],
            b"Content-Length: 2\r\n",
            b"Content-Length: 5\r\n\r\n{}",
            b"content-length: 1\ncontent-length: 2\n\n{}",
            b"Content-Length: 2\n{\"jsonrpc\":\"2.0\"}\n\n{}",
        ] {
            assert!(Frame::read(&mut &bytes[..]).is_err(), "{}", String::from_utf8_lossy(bytes));
        }
        let mut long = vec![b'x'; LONGEST + 3];
        long.extend_from_slice(b"\n{}\n");
        let mut from = &long[..];
        assert!(matches!(Frame::read(&mut from), Ok(Next::TooLong)));
        assert!(matches!(Frame::read(&mut from), Ok(Next::Frame(frame)) if frame.body() == b"{}"));
        assert!(matches!(Frame::read(&mut from), Ok(Next::End)));
    }
}
