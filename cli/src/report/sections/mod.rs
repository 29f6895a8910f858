//! The parts of the page that are there without scripts.

mod about;
mod calls;
mod looks;
mod rules;
mod verdict;

use std::io::{self, Write};

use contract_runtime::Time;

use super::html::{self, Name, filter, number};
use super::page::Page;
use super::tally::{Place, Sides};

pub(super) use rules::legend;

/// Writes all parts, in the order of what a reader asks: does it hold, what was stopped and why, what needs a look.
pub(super) fn write(page: &Page<'_>, out: &mut impl Write) -> io::Result<()> {
    verdict::write(page, out)?;
    calls::write(page, out)?;
    rules::write_tables(page, out)?;
    looks::write(page, out)?;
    rules::write_automata(page, out)?;
    about::write(page, out)
}

/// A link to a record.
fn seq(seq: u64) -> String {
    format!("<a href=\"#seq={seq}\">{seq}</a>")
}

/// A record with its time and session.
fn place(place: &Place) -> String {
    let session = match place.session.as_str() {
        "" => String::new(),
        session => format!(" <a href=\"{}\">{}</a>", filter(&[("session", session)]), Name(session)),
    };
    format!("{} <span class=\"muted\">{}{session}</span>", seq(place.seq), when(place.at))
}

/// A time in UTC, without what a reader need not see.
fn when(time: Time) -> String {
    time.to_string().replacen('T', " ", 1).replace('Z', "")
}

/// A count in a cell of a table.
fn cell(count: u64) -> String {
    let class = if count == 0 { "num zero" } else { "num" };
    format!("<td class=\"{class}\">{}</td>", number(count))
}

/// A table for each side that something was counted on: they are never added.
fn sides<T: Copy + Default + PartialEq>(
    all: &[Sides<T>],
    out: &mut impl Write,
    mut table: impl FnMut(&str, fn(&Sides<T>) -> &T, &mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let nothing = T::default();
    let diverged = all.iter().any(|sides| sides.after != nothing);
    if !diverged {
        return table("", |sides| &sides.before, out);
    }
    table("Before divergence", |sides| &sides.before, out)?;
    table("After divergence", |sides| &sides.after, out)
}

/// Opens a section.
fn open(id: &str, title: &str, about: &str, out: &mut dyn Write) -> io::Result<()> {
    write!(out, "<section id=\"{id}\" aria-labelledby=\"{id}-h\"><header><h2 id=\"{id}-h\">{title}</h2>")?;
    if !about.is_empty() {
        write!(out, "<p>{about}</p>")?;
    }
    writeln!(out, "</header><div class=\"body\">")
}

fn close(out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "</div></section>")
}

/// A word with the colour of what it says. The words are ours.
fn tag(class: &str, word: &str) -> String {
    format!("<span class=\"tag {class}\">{}</span>", html::escaped(word))
}
