//! What the journal says of itself, and the contracts that were in force.

use std::io::{self, Write};

use super::super::contracts::Reading;
use super::super::html::{Name, plural};
use super::super::page::Page;
use super::{close, open};

pub(super) fn write(page: &Page<'_>, out: &mut impl Write) -> io::Result<()> {
    let tally = page.tally;
    open("about", "About this journal", "", out)?;
    writeln!(out, "<dl class=\"facts\">")?;
    if let Some(journal) = tally.journal {
        writeln!(out, "<dt>Journal</dt><dd><code>{journal}</code></dd>")?;
    }
    match tally.key {
        Some(key) => writeln!(out, "<dt>Signing key</dt><dd><code>{key}</code></dd>")?,
        None => writeln!(out, "<dt>Signing key</dt><dd class=\"none\">none: the journal is hash-chained only</dd>")?,
    }
    let content = if tally.captured { "captured, what was redacted aside" } else { "digests only" };
    writeln!(out, "<dt>Content</dt><dd>{content}</dd>")?;
    let programs: Vec<_> = tally.programs.first.iter().map(|program| Name(program).to_string()).collect();
    let more = if tally.programs.more() > 0 { ", and others" } else { "" };
    writeln!(out, "<dt>Written by</dt><dd>{}{more}</dd>", programs.join(", "))?;
    let resumed = if tally.resumed > 0 { format!(", {} resumed", super::number(tally.resumed)) } else { String::new() };
    writeln!(
        out,
        "<dt>Sessions</dt><dd>{}{resumed}, {} in shadow mode</dd>",
        super::number(tally.sessions),
        super::number(tally.shadow)
    )?;
    for contract in tally.contracts.all() {
        let note = match contract.reading {
            Reading::Read(_) => "",
            Reading::Missing => " · its text is not in the journal",
            Reading::Skipped => " · its text was not looked at: there are too many contracts",
            Reading::Unreadable => " · its text is not what the digest names, or not of this version of the language",
        };
        writeln!(
            out,
            "<dt>Contract</dt><dd>{} <span class=\"muted\">used by {}{note}</span><br><code>{}</code></dd>",
            Name(&contract.name),
            plural(contract.sessions, "session"),
            contract.sha256
        )?;
    }
    writeln!(out, "</dl>")?;
    close(out)
}
