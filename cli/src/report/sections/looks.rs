//! What a reader should look at, whether or not the journal verifies: duties that were not met, calls that never ended, gaps.

use std::io::{self, Write};

use super::super::html::{Name, Shown, filter, number, plural};
use super::super::page::Page;
use super::super::table::Listing;
use super::super::tally::{Note, Tally};
use super::{close, open, place};

/// The most lines of one thing.
const MOST: usize = 12;

pub(super) fn write(page: &Page<'_>, out: &mut impl Write) -> io::Result<()> {
    let tally = page.tally;
    open("looks", "Worth a look", "What a journal can be in order and still have.", out)?;
    writeln!(out, "<ul class=\"looks\">")?;
    unmet(tally, out)?;
    notes("Withheld results", "no result was withheld", &tally.withheld, out)?;
    unfinished(tally, out)?;
    unended(tally, out)?;
    let gaps = format!(
        "Gaps{}",
        if tally.missing > 0 { format!(" ({})", plural(tally.missing, "record")) } else { String::new() }
    );
    notes(&gaps, "every record could be written", &tally.gaps, out)?;
    notes("Recoveries", "no torn line had to be moved away", &tally.recoveries, out)?;
    notes("Re-anchors", "the journal continues no broken one", &tally.reanchors, out)?;
    notes("Changes of keys", "one key and one secret throughout", &tally.keys, out)?;
    if tally.unreadable > 0 {
        item("Lines that are no record", tally.unreadable, "", out)?;
        writeln!(out, "<a href=\"{}\">in the timeline</a></li>", filter(&[("kind", "unreadable")]))?;
    }
    writeln!(out, "</ul>")?;
    close(out)
}

/// Opens an item.
fn item(name: &str, count: u64, none: &str, out: &mut impl Write) -> io::Result<()> {
    let class = if count > 0 { " class=\"some\"" } else { "" };
    write!(out, "<li{class}><div class=\"name\"><span class=\"count\">{}</span><b>{name}</b></div>", number(count))?;
    if count == 0 { write!(out, "<span class=\"none\">{none}</span></li>") } else { Ok(()) }
}

fn more(count: u64, out: &mut impl Write) -> io::Result<()> {
    if count > 0 { write!(out, "<li class=\"muted\">and {} more</li>", number(count)) } else { Ok(()) }
}

fn notes(name: &str, none: &str, of: &Listing<Note>, out: &mut impl Write) -> io::Result<()> {
    item(name, of.total, none, out)?;
    if of.total > 0 {
        write!(out, "<div><ul>")?;
        for note in of.first.iter().take(MOST) {
            write!(out, "<li>{} – {}</li>", place(&note.place), Shown(&note.text))?;
        }
        more(of.total.saturating_sub(MOST as u64), out)?;
        writeln!(out, "</ul></div></li>")?;
    }
    Ok(())
}

fn unmet(tally: &Tally, out: &mut impl Write) -> io::Result<()> {
    let of = &tally.unmet;
    item("Open at a session’s end", of.total, "every duty was met", out)?;
    if of.total > 0 {
        write!(out, "<div><ul>")?;
        for (note, (_, rule)) in of.first.iter().take(MOST) {
            let link = filter(&[("rule", rule)]);
            let rule = Name(rule);
            write!(out, "<li><a href=\"{link}\">{rule}</a> {} – {}</li>", Shown(&note.text), place(&note.place))?;
        }
        more(of.total.saturating_sub(MOST as u64), out)?;
        writeln!(out, "</ul></div></li>")?;
    }
    Ok(())
}

fn unfinished(tally: &Tally, out: &mut impl Write) -> io::Result<()> {
    let (count, calls) = tally.unfinished();
    item("Calls without an outcome", count, "every call that ran has an outcome", out)?;
    if count > 0 {
        write!(out, "<div><ul>")?;
        let mut listed: u64 = 0;
        for (at, tool) in calls.take(MOST) {
            listed = listed.saturating_add(1);
            write!(out, "<li>{} – {}</li>", place(at), Name(tool))?;
        }
        more(count.saturating_sub(listed), out)?;
        writeln!(
            out,
            "</ul><p class=\"note\">They may have run: the record was written first, and what came of it is not known.</p></div></li>"
        )?;
    }
    Ok(())
}

fn unended(tally: &Tally, out: &mut impl Write) -> io::Result<()> {
    let (sessions, crowded) = tally.unended();
    let count = sessions.len() as u64;
    item("Sessions without an end", count, "every session ended", out)?;
    if count > 0 {
        write!(out, "<div><ul>")?;
        for start in sessions.take(MOST) {
            write!(out, "<li>{}</li>", place(start))?;
        }
        more(count.saturating_sub(MOST as u64), out)?;
        write!(out, "</ul>")?;
        if crowded {
            write!(out, "<p class=\"note\">There are more than this page follows.</p>")?;
        }
        writeln!(out, "</div></li>")?;
    }
    Ok(())
}
