#![expect(clippy::arithmetic_side_effects, reason = "test code")]

use std::io::{BufReader, Cursor, Read as _};

use super::*;
use crate::trace::Body;

fn read(bytes: &[u8]) -> Vec<(u64, Result<Line, Flaw>)> {
    let mut reader = Reader::new(BufReader::with_capacity(7, Cursor::new(bytes)));
    let mut out = Vec::new();
    while let Some(Entry { number, line }) = reader.next_line().unwrap() {
        out.push((number, line));
    }
    out
}

/// What is wrong with a line, with its column.
fn flaw(line: &str) -> String {
    let lines = read(line.as_bytes());
    let [(1, Err(flaw))] = lines.as_slice() else { panic!("{line} is read as {lines:?}") };
    match flaw.column {
        Some(column) => format!("{column}: {}", flaw.message),
        None => flaw.message.clone(),
    }
}

const CALL: &str = r#"{"call":{"id":"c","tool":"t","args":{}}}"#;

#[test]
fn lines_end_as_they_like_and_blank_ones_do_not_matter() {
    let text = format!("\u{feff}{CALL}\r\n\n  \t\n{CALL}\n\r\n{CALL}");
    let numbers: Vec<_> = read(text.as_bytes()).into_iter().map(|(number, line)| (number, line.is_ok())).collect();
    assert_eq!(numbers, [(1, true), (4, true), (6, true)]);
    assert!(read(b"").is_empty());
    assert!(read(b"\n\n").is_empty());
}

#[test]
fn a_line_without_a_session_is_of_the_default_one() {
    let lines = read(br#"{"at":"2026-01-01T10:00:00Z","end":true}"#);
    let [(_, Ok(line))] = lines.as_slice() else { panic!("{lines:?}") };
    assert_eq!(line.session, "default");
    assert_eq!(line.at.unwrap().to_string(), "2026-01-01T10:00:00.000Z");
    assert!(matches!(line.body, Body::End));
}

#[test]
fn lines_that_are_not_json_objects_say_so() {
    assert_eq!(flaw("[]"), "the line is a list; expected an object");
    assert_eq!(flaw("null"), "the line is null; expected an object");
    assert_eq!(flaw("{"), "1: the line is not one JSON object: EOF while parsing an object");
    assert_eq!(flaw("{} {}"), "4: the line is not one JSON object: trailing characters");
    assert_eq!(flaw("call"), "1: the line is not one JSON object: expected value");
    assert_eq!(flaw(r#"{"end":1e999}"#), "12: the line is not one JSON object: number out of range");
    assert!(flaw(&"[".repeat(100_000)).contains("recursion limit exceeded"));
    assert!(flaw(r#"{"end":NaN}"#).contains("expected value"));
}

#[test]
fn bytes_that_are_no_text_are_refused() {
    let lines = read(b"{\"end\":true,\"session\":\"\xff\"}\n\x00\x01\x02\n");
    let [(1, Err(first)), (2, Err(_))] = lines.as_slice() else { panic!("{lines:?}") };
    assert_eq!(first.column, Some(24));
    assert!(first.message.contains("UTF-8"));
}

#[test]
fn a_repeated_key_is_refused_wherever_it_is() {
    assert_eq!(flaw(r#"{"end":true,"end":true}"#), "17: the key `end` is written twice; write it once");
    assert!(
        flaw(r#"{"call":{"id":"c","tool":"t","args":{"to":"a","\u0074o":"b"}}}"#).contains("`to` is written twice")
    );
    assert!(flaw(r#"{"event":{"name":"n","value":[{"x":{"a":1,"a":1}}]}}"#).contains("`a` is written twice"));
}

#[test]
fn unknown_fields_are_refused_at_every_level() {
    assert_eq!(flaw(r#"{"end":true,"sesion":"s"}"#), "the line has an unknown field `sesion`; did you mean `session`?");
    assert_eq!(flaw(r#"{"cal":{}}"#), "the line has an unknown field `cal`; did you mean `call`?");
    assert_eq!(
        flaw(r#"{"call":{"id":"c","tool":"t","args":{},"servr":"s"}}"#),
        "`call` has an unknown field `servr`; did you mean `server`?"
    );
    assert_eq!(
        flaw(r#"{"result_of":"c","result":{"status":"ok","error":"x"}}"#),
        "`result` has an unknown field `error`; expected `status`, `value`"
    );
    assert_eq!(
        flaw(r#"{"event":{"name":"n","payload":1}}"#),
        "`event` has an unknown field `payload`; expected `name`, `value`"
    );
    let long = format!(r#"{{"end":true,"{}":1}}"#, "x".repeat(1 << 20));
    assert!(flaw(&long).contains("unknown field"));
}

#[test]
fn a_line_says_exactly_one_thing() {
    let one = "expected exactly one of `call`, `result_of`, `event`, `context`, `end` in the line";
    assert_eq!(flaw("{}"), one);
    assert_eq!(flaw(r#"{"session":"s"}"#), one);
    assert_eq!(flaw(r#"{"end":true,"context":{}}"#), one);
    assert_eq!(flaw(r#"{"result":{}}"#), one);
    assert_eq!(flaw(r#"{"result_of":"c"}"#), "the line has `result_of` but no `result`");
    assert_eq!(flaw(r#"{"end":true,"result":{}}"#), "a `result` goes with `call` or `result_of`, not with `end`");
    assert_eq!(flaw(r#"{"end":false}"#), "`end` is not true; leave it out of lines that do not end the session");
}

#[test]
fn fields_are_what_they_should_be() {
    assert_eq!(flaw(r#"{"session":1,"end":true}"#), "`session` is a number; expected a text");
    assert_eq!(flaw(r#"{"call":[]}"#), "`call` is a list; expected an object");
    assert_eq!(flaw(r#"{"call":{"tool":"t","args":{}}}"#), "`call` has no `id`");
    assert_eq!(flaw(r#"{"call":{"id":"c","args":{}}}"#), "`call` has no `tool`");
    assert_eq!(flaw(r#"{"call":{"id":"c","tool":"t"}}"#), "`call` has no `args`");
    assert_eq!(flaw(r#"{"call":{"id":"c","tool":"t","args":[]}}"#), "`args` is a list; expected an object");
    assert_eq!(flaw(r#"{"context":"u1"}"#), "`context` is a text; expected an object");
    assert_eq!(
        flaw(r#"{"call":{"id":"c","tool":"t","args":{},"approved":"yes"}}"#),
        "`approved` is a text; expected true or false"
    );
    for batch in ["0", "-1", "1.5", "4294967296", "\"2\""] {
        let line = format!(r#"{{"call":{{"id":"c","tool":"t","args":{{}},"batch":{batch}}}}}"#);
        assert_eq!(flaw(&line), "`batch` is not a number of calls; expected a whole number from 1");
    }
    assert_eq!(
        flaw(r#"{"result_of":"c","result":{"status":"okay"}}"#),
        "`status` is `okay`; expected `ok`, `failed` or `unknown`"
    );
    for at in ["2026-01-01", "2026-01-01T10:00:00", "noon", "2026-13-01T10:00:00Z"] {
        let line = format!(r#"{{"at":"{at}","end":true}}"#);
        assert_eq!(flaw(&line), "`at` is not a time; expected RFC 3339, such as `2026-01-01T10:00:00.000Z`");
    }
}

#[test]
fn a_line_that_is_too_long_is_refused_and_the_next_one_read() {
    let long = io::repeat(b'x').take(u64::try_from(LONGEST_LINE).unwrap() + 1);
    let input = long.chain(Cursor::new(format!("\n{CALL}\n").into_bytes()));
    let mut reader = Reader::new(BufReader::new(input));
    let Some(Entry { number: 1, line: Err(flaw) }) = reader.next_line().unwrap() else { panic!() };
    assert_eq!(flaw.message, "the line is longer than 64 MiB, the most that is read");
    assert!(reader.buffer.capacity() <= KEPT);
    assert!(matches!(reader.next_line().unwrap(), Some(Entry { number: 2, line: Ok(_) })));
    assert!(reader.next_line().unwrap().is_none());
}

#[test]
fn a_line_that_does_not_end_is_not_read_for_ever() {
    let mut reader = Reader::new(BufReader::with_capacity(1 << 20, io::repeat(b'\0')));
    assert_eq!(reader.next_line().unwrap_err().to_string(), "a line does not end");
}

/// Numbers without a pattern to speak of (Knuth's MMIX generator).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % bound
    }
}

#[test]
fn whatever_the_bytes_every_line_is_read_or_refused() {
    let pieces: [&[u8]; 16] = [
        b"{",
        b"}",
        b"[",
        b"]",
        b"\"call\":",
        b"\"id\":\"c\"",
        b",",
        b"\"end\":true",
        b"\n",
        b"\r\n",
        b"\xff",
        b"\xef\xbb\xbf",
        b"\"args\":{}",
        b"\"\\ud800\"",
        b"1e9",
        b"null",
    ];
    let mut random = Random(7);
    for _ in 0..5_000 {
        let count = random.below(24);
        let bytes: Vec<u8> = (0..count).flat_map(|_| pieces[random.below(pieces.len())].to_vec()).collect();
        let lines = bytes.split(|byte| *byte == b'\n').count();
        assert!(read(&bytes).len() <= lines);
    }
}
