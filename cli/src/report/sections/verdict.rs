//! The head of the page: whether the journal holds, and its figures.

use std::io::{self, Write};

use super::super::html::{Name, escaped, number};
use super::super::page::Page;
use super::super::standing::{Level, Standing};

/// Writes the heading, the badge and the figures.
pub(super) fn write(page: &Page<'_>, out: &mut impl Write) -> io::Result<()> {
    let tally = page.tally;
    writeln!(out, "<a class=\"skip\" href=\"#timeline\">Skip to the timeline</a>")?;
    writeln!(out, "<header class=\"head\"><p class=\"kicker\">Interlock report</p><h1>{}</h1>", Name(page.name))?;
    if let (Some(first), Some(last)) = (tally.first, tally.last) {
        writeln!(out, "<p class=\"span\">{} – {} UTC</p>", super::when(first), super::when(last))?;
    }
    write!(out, "<nav class=\"contents\" aria-label=\"Contents\">")?;
    for (id, name) in [
        ("stopped", "Stopped calls"),
        ("by-tool", "Tools"),
        ("rules", "Rules"),
        ("looks", "Worth a look"),
        ("automata", "Violated rules"),
        ("about", "About this journal"),
        ("timeline", "Timeline"),
    ] {
        write!(out, "<a href=\"#{id}\">{name}</a>")?;
    }
    writeln!(out, "</nav></header>\n<main>")?;
    badge(page.standing, out)?;
    figures(page, out)
}

fn badge(standing: &Standing, out: &mut impl Write) -> io::Result<()> {
    let Standing { level, title, text, notices } = standing;
    let role = if *level == Level::Broken { " role=\"alert\"" } else { "" };
    writeln!(out, "<div class=\"verdict {}\" id=\"verdict\"{role}>", level.class())?;
    writeln!(
        out,
        "<span class=\"mark\"><svg viewBox=\"0 0 24 24\" aria-hidden=\"true\"><path d=\"M12 2.6 4.6 5.4v6c0 4.6 3 8.4 7.4 10 4.4-1.6 7.4-5.4 7.4-10v-6z\"/><path d=\"{}\"/></svg></span>",
        level.mark()
    )?;
    write!(out, "<div><h2>{}</h2><p>{}</p>", escaped(title), escaped(text))?;
    if !notices.is_empty() {
        write!(out, "<ul>")?;
        for notice in notices {
            write!(out, "<li>{}</li>", escaped(notice))?;
        }
        write!(out, "</ul>")?;
    }
    writeln!(out, "</div></div>")
}

fn figures(page: &Page<'_>, out: &mut impl Write) -> io::Result<()> {
    let tally = page.tally;
    let stopped = tally.all_calls(|calls| calls.stopped);
    let let_through = tally.all_calls(|calls| calls.let_through);
    let unmet = tally.unmet.total;
    let alarm = |count: u64, class: &'static str| if count > 0 { class } else { "" };
    let ran = tally.all_calls(|calls| calls.all).saturating_sub(stopped);
    write!(out, "<dl class=\"figures\">")?;
    for (class, name, count) in [
        ("", "records", tally.lines()),
        ("", "sessions", tally.sessions),
        ("", "calls that ran", ran),
        (alarm(stopped, "bad"), "calls that were stopped", stopped),
        (alarm(let_through, "warn"), "ran anyway, in shadow mode", let_through),
        (alarm(unmet, "warn"), "rules not met at a session’s end", unmet),
    ] {
        write!(out, "<div class=\"{class}\"><dt>{name}</dt><dd>{}</dd></div>", number(count))?;
    }
    writeln!(out, "</dl>")
}
