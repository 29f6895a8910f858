//! Server-sent events: where one ends, and the message in it.
//!
//! INVARIANT: an event keeps the bytes that it came in. What goes on is read in one way: lines of which the format says that they
//! mean nothing are left out, as a lenient reader may find a message in them.

use std::borrow::Cow;

/// An event as it came.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Event {
    raw: Vec<u8>,
    data: Option<Vec<u8>>,
    /// Whether a client could go on after it, should its connection break.
    pub(super) has_id: bool,
}

/// Cuts a stream into events.
#[derive(Debug, Default)]
pub(super) struct Events {
    /// What came and is no whole event so far.
    kept: Vec<u8>,
    /// How much of it was looked at: a whole number of lines.
    seen: usize,
    /// How far no line ends after that.
    searched: usize,
    /// Whether a carriage return came last, whose line feed may come next.
    is_half: bool,
    /// The lines looked at, as they go on.
    raw: Vec<u8>,
    data: Option<Vec<u8>>,
    has_id: bool,
    began: bool,
}

impl Events {
    /// Takes what came next.
    pub(super) fn push(&mut self, part: &[u8]) {
        self.kept.extend_from_slice(part);
    }

    /// How many bytes wait for the end of their event.
    pub(super) fn waiting(&self) -> usize {
        self.kept.len().saturating_add(self.raw.len())
    }

    /// The next whole event.
    pub(super) fn next(&mut self) -> Option<Event> {
        if !self.began && self.kept.len() >= BOM.len() {
            self.began = true;
            if self.kept.starts_with(BOM) {
                self.seen = BOM.len();
            }
        }
        while let Some((line, ending)) = self.line() {
            if line.is_empty() {
                self.raw.extend_from_slice(&ending);
                return Some(Event {
                    raw: std::mem::take(&mut self.raw),
                    data: self.data.take(),
                    has_id: std::mem::take(&mut self.has_id),
                });
            }
            self.field(&line, &ending);
        }
        self.kept.drain(..self.seen);
        self.searched = self.searched.saturating_sub(self.seen);
        self.seen = 0;
        None
    }

    /// The next line, without and with what ends it.
    fn line(&mut self) -> Option<(Vec<u8>, Vec<u8>)> {
        if self.is_half && self.seen < self.kept.len() {
            self.is_half = false;
            if self.kept.get(self.seen) == Some(&b'\n') {
                self.seen = self.seen.saturating_add(1);
                self.raw.push(b'\n');
            }
        }
        let from = self.searched.max(self.seen);
        let Some(at) = self.kept.get(from..)?.iter().position(|byte| matches!(byte, b'\n' | b'\r')) else {
            self.searched = self.kept.len();
            return None;
        };
        let line = from.saturating_add(at);
        let end = match (self.kept.get(line), self.kept.get(line.saturating_add(1))) {
            (Some(b'\r'), Some(b'\n')) => line.saturating_add(2),
            (Some(b'\r'), None) => {
                // An event must not wait for the other half.
                self.is_half = true;
                line.saturating_add(1)
            }
            _ => line.saturating_add(1),
        };
        let found = (self.kept.get(self.seen..line)?.to_vec(), self.kept.get(line..end)?.to_vec());
        self.seen = end;
        Some(found)
    }

    fn field(&mut self, line: &[u8], ending: &[u8]) {
        let colon = line.iter().position(|byte| *byte == b':');
        let (name, value) = match colon {
            Some(at) => line.split_at_checked(at).unwrap_or_default(),
            None => (line, &[][..]),
        };
        let value = value.strip_prefix(b":").unwrap_or_default();
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match name {
            b"data" => match &mut self.data {
                Some(data) => {
                    data.push(b'\n');
                    data.extend_from_slice(value);
                }
                None => self.data = Some(value.to_vec()),
            },
            b"id" => self.has_id |= !value.is_empty(),
            b"event" | b"retry" | b"" => {}
            _ => return,
        }
        self.raw.extend_from_slice(line);
        self.raw.extend_from_slice(ending);
    }
}

/// What may stand before a stream.
const BOM: &[u8] = "\u{feff}".as_bytes();

impl Event {
    /// An event that holds a message.
    pub(super) fn of(message: &[u8]) -> Vec<u8> {
        let mut wire = b"event: message\n".to_vec();
        put(&mut wire, message);
        wire.push(b'\n');
        wire
    }

    /// The message in it, if there is one.
    pub(super) fn message(&self) -> Option<&[u8]> {
        self.data.as_deref().filter(|data| !data.is_empty())
    }

    /// As it came.
    pub(super) fn into_raw(self) -> Vec<u8> {
        self.raw
    }

    /// With another message in it, or none: then nothing happens at the client but that it knows how far it is.
    pub(super) fn with(&self, message: Option<&[u8]>) -> Vec<u8> {
        let mut wire = Vec::with_capacity(self.raw.len());
        for line in self.raw.split(|byte| matches!(byte, b'\n' | b'\r')) {
            let is_kept = line.starts_with(b"id") || line.starts_with(b"retry") || line.starts_with(b":");
            if is_kept || (message.is_some() && line.starts_with(b"event")) {
                wire.extend_from_slice(line);
                wire.push(b'\n');
            }
        }
        if let Some(message) = message {
            put(&mut wire, message);
        }
        if !wire.is_empty() {
            wire.push(b'\n');
        }
        wire
    }
}

fn put(wire: &mut Vec<u8>, message: &[u8]) {
    for line in lines(message) {
        wire.extend_from_slice(b"data: ");
        wire.extend_from_slice(&line);
        wire.push(b'\n');
    }
}

/// The lines of a message: breaks stand between its tokens only.
fn lines(message: &[u8]) -> impl Iterator<Item = Cow<'_, [u8]>> {
    message.split(|byte| matches!(byte, b'\n' | b'\r')).map(Cow::Borrowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(parts: &[&str]) -> Vec<Event> {
        let mut events = Events::default();
        let mut found = Vec::new();
        for part in parts {
            events.push(part.as_bytes());
            while let Some(event) = events.next() {
                found.push(event);
            }
        }
        found
    }

    #[test]
    fn events_are_cut_wherever_their_parts_are() {
        let text =
            ": hello\n\nid: 1\nretry: 5\ndata: {\"a\":\ndata: 1}\n\nevent: message\r\ndata:x\r\n\r\ndata: y\r\rdata: z";
        let whole = all(&[text]);
        assert_eq!(whole.len(), 4);
        assert_eq!(whole[0].message(), None);
        assert_eq!(whole[1].message(), Some(&b"{\"a\":\n1}"[..]));
        assert!(whole[1].has_id);
        assert_eq!((whole[2].message(), whole[3].message()), (Some(&b"x"[..]), Some(&b"y"[..])));
        let raw: Vec<u8> = whole.into_iter().flat_map(Event::into_raw).collect();
        assert_eq!(String::from_utf8(raw).unwrap(), text.trim_end_matches("data: z"));
        for at in 1..text.len() {
            let (one, other) = text.split_at(at);
            let messages: Vec<_> =
                all(&[one, other]).iter().filter_map(|event| event.message().map(<[u8]>::to_vec)).collect();
            assert_eq!(messages, [b"{\"a\":\n1}".to_vec(), b"x".to_vec(), b"y".to_vec()], "{at}");
        }
    }

    #[test]
    fn what_only_a_lenient_reader_would_take_for_data_does_not_go_on() {
        let events = all(&["\u{feff}Data: {\"a\":1}\ndata : {\"b\":1}\ndata: c\n\n"]);
        assert_eq!(events[0].message(), Some(&b"c"[..]));
        assert_eq!(all(&["Data: 1\ndata: c\n\n"]).remove(0).into_raw(), b"data: c\n\n");
    }

    #[test]
    fn another_message_takes_the_place_of_the_first_one() {
        let event = all(&["id: 7\nevent: message\ndata: {\"a\":\ndata: 1}\n\n"]).remove(0);
        assert_eq!(event.with(Some(b"{}")), b"id: 7\nevent: message\ndata: {}\n\n");
        assert_eq!(event.with(None), b"id: 7\n\n");
        assert_eq!(all(&["data: x\n\n"]).remove(0).with(None), b"");
        assert_eq!(Event::of(b"{\n}"), b"event: message\ndata: {\ndata: }\n\n");
    }
}
