//! The records as data for the timeline, in blocks that a browser reads on their own.

use std::io::{self, Write};
use std::mem;

use super::html;

/// When a block is full: browsers keep a text of up to 64 KiB in one piece.
const BLOCK: usize = 60 << 10;

/// The most records of a block.
const MOST: usize = 120;

/// Writes blocks of records.
///
/// INVARIANT: keeps one block.
#[derive(Debug, Default)]
pub(super) struct Rows {
    block: String,
    held: usize,
}

impl Rows {
    /// Adds an object of JSON.
    pub(super) fn push(&mut self, json: &str, out: &mut impl Write) -> io::Result<()> {
        let data = html::data(json);
        if self.held > 0 && (self.held >= MOST || self.block.len().saturating_add(data.len()) > BLOCK) {
            self.flush(out)?;
        }
        self.block.push_str(if self.held == 0 { "" } else { ",\n" });
        self.block.push_str(&data);
        self.held = self.held.saturating_add(1);
        Ok(())
    }

    fn flush(&mut self, out: &mut impl Write) -> io::Result<()> {
        self.held = 0;
        let block = mem::take(&mut self.block);
        writeln!(out, "<script type=\"application/json\" class=\"block\">[{block}]</script>")
    }

    /// Writes what is left.
    pub(super) fn finish(mut self, out: &mut impl Write) -> io::Result<()> {
        if self.held > 0 { self.flush(out) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_hold_all_records_in_order() {
        let mut out = Vec::new();
        let mut rows = Rows::default();
        for number in 0..1000 {
            rows.push(&format!("{{\"n\":{number},\"x\":\"{}\"}}", "y".repeat(number)), &mut out).unwrap();
        }
        rows.finish(&mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        let mut next = 0;
        for line in text.split("</script>\n").filter(|block| !block.is_empty()) {
            let json = line.split_once("class=\"block\">").unwrap().1;
            assert!(json.len() < 64 << 10);
            let records: Vec<serde_json::Value> = serde_json::from_str(json).unwrap();
            for record in records {
                assert_eq!(record["n"], next);
                next += 1;
            }
        }
        assert_eq!(next, 1000);
    }
}
