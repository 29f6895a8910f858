//! The page: its head, its policy, its parts in order.

use std::io::{self, Write};

use contract_lang::diagnostic::render;
use contract_runtime::journal::reader::Entry;
use contract_runtime::journal::record::Base64;
use contract_runtime::value::sha256;
use serde_json::json;

use super::html;
use super::rows::Rows;
use super::sections;
use super::standing::Standing;
use super::tally::Tally;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");
const FILTERS: &str = include_str!("timeline.html");

/// The most characters of a line that is no record.
const LONGEST_UNREADABLE: usize = 2000;

/// A page to be written.
#[derive(Debug)]
pub(crate) struct Page<'a> {
    /// The name of the journal.
    pub(crate) name: &'a str,
    /// What its check came to.
    pub(crate) standing: &'a Standing,
    /// What the first pass came to.
    pub(crate) tally: &'a Tally,
}

impl Page<'_> {
    /// Writes the page. The lines are those that the tally was made of.
    pub(crate) fn write(
        &self,
        lines: impl Iterator<Item = io::Result<(Entry, String)>>,
        out: &mut impl Write,
    ) -> io::Result<()> {
        self.head(out)?;
        sections::write(self, out)?;
        self.timeline(lines, out)
    }

    fn head(&self, out: &mut impl Write) -> io::Result<()> {
        let name = html::escaped(self.name);
        writeln!(out, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">")?;
        // Before anything that it speaks of.
        writeln!(out, "<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">", policy())?;
        writeln!(out, "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">")?;
        writeln!(out, "<meta name=\"referrer\" content=\"no-referrer\">")?;
        writeln!(out, "<meta name=\"color-scheme\" content=\"light dark\">")?;
        writeln!(out, "<title>{name} – Interlock report</title>\n<style>{STYLE}</style>\n</head>\n<body>")
    }

    fn timeline(
        &self,
        lines: impl Iterator<Item = io::Result<(Entry, String)>>,
        out: &mut impl Write,
    ) -> io::Result<()> {
        let shown = self.tally.shown();
        let skipped = self.tally.lines().saturating_sub(shown as u64);
        let (before, after) = FILTERS.split_once("<!-- bounds -->").unwrap_or((FILTERS, ""));
        out.write_all(before.as_bytes())?;
        if skipped > 0 {
            let (all, shown) = (html::number(self.tally.lines()), html::number(shown as u64));
            write!(out, "<p>The latest {shown} of {all} records. What is said above is of all of them.</p>")?;
        }
        out.write_all(after.as_bytes())?;
        let broken = self.tally.broken_at.map(|line| line.saturating_sub(skipped));
        let meta = json!({ "rows": shown, "broken": broken, "rules": sections::legend(self.tally) });
        writeln!(out, "<script type=\"application/json\" id=\"meta\">{}</script>", html::data(&meta.to_string()))?;
        let mut rows = Rows::default();
        let skipped = usize::try_from(skipped).unwrap_or(usize::MAX);
        for line in lines.skip(skipped).take(shown) {
            let (entry, raw) = line?;
            rows.push(&row(&entry, &raw), out)?;
        }
        rows.finish(out)?;
        writeln!(out, "<script>{SCRIPT}</script>\n</body>\n</html>")
    }
}

/// A line as the timeline takes it: the record as it stands, or what is wrong with it.
fn row(entry: &Entry, raw: &str) -> String {
    match &entry.record {
        Ok(_) => raw.to_owned(),
        Err(flaw) => {
            let text: String = raw.chars().take(LONGEST_UNREADABLE).collect();
            let problem = render::escape(&flaw.to_string());
            json!({ "file": entry.file.name(), "line": entry.line, "problem": problem, "text": text }).to_string()
        }
    }
}

/// Nothing is loaded from anywhere, and exactly this style and this script count.
fn policy() -> String {
    let hash = |text: &str| format!("'sha256-{}'", Base64(sha256(text.as_bytes())));
    format!(
        "default-src 'none'; style-src {}; script-src {}; base-uri 'none'; form-action 'none'; \
         require-trusted-types-for 'script'; trusted-types 'none'",
        hash(STYLE),
        hash(SCRIPT)
    )
}
