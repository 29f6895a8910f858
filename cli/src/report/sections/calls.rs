//! What was decided: counts, and for which reasons calls were stopped.

use std::cmp::Reverse;
use std::io::{self, Write};

use contract_lang::mir::{Kind, Rule};

use super::super::html::{Name, Shown, escaped, filter, number, plural};
use super::super::page::Page;
use super::super::tally::{Calls, Sides, Stop, Stops, Tally};
use super::{cell, close, open, place, sides, tag};

/// The most reasons that are listed.
const MOST: usize = 100;

pub(super) fn write(page: &Page<'_>, out: &mut impl Write) -> io::Result<()> {
    decisions(page.tally, out)?;
    stopped(page.tally, out)?;
    tools(page.tally, out)
}

const COLUMNS: [&str; 8] = ["calls", "allow", "alert", "ask", "block", "did not run", "ran anyway", "failed"];

fn columns(calls: &Calls) -> [u64; 8] {
    let Calls { all, allow, alert, ask, block, stopped, let_through, failed, .. } = *calls;
    [all, allow, alert, ask, block, stopped, let_through, failed]
}

fn head(first: &str, out: &mut dyn Write) -> io::Result<()> {
    write!(out, "<thead><tr><th scope=\"col\">{first}</th>")?;
    COLUMNS.iter().try_for_each(|name| write!(out, "<th scope=\"col\" class=\"num\">{name}</th>"))?;
    write!(out, "</tr></thead>")
}

/// A scrolling frame for a table; it can be scrolled with a keyboard.
fn frame(label: &str, out: &mut dyn Write) -> io::Result<()> {
    write!(out, "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{label}\"><table>")
}

fn decisions(tally: &Tally, out: &mut impl Write) -> io::Result<()> {
    let about = "What the contract decided, and what became of the calls.";
    open("decisions", "Decisions", about, out)?;
    frame("Decisions", out)?;
    head("", out)?;
    write!(out, "<tbody>")?;
    let diverged = tally.calls.after != Calls::default();
    let rows: &[(&str, &Calls)] = if diverged {
        &[("before divergence", &tally.calls.before), ("after divergence", &tally.calls.after)]
    } else {
        &[("all calls", &tally.calls.before)]
    };
    for (name, calls) in rows {
        write!(out, "<tr><th scope=\"row\">{name}</th>{}</tr>", columns(calls).map(cell).concat())?;
    }
    writeln!(out, "</tbody></table></div>")?;
    if diverged {
        writeln!(
            out,
            "<p class=\"note\">{} diverged: in shadow mode a call ran that enforcement would have stopped. What such a session did from then on is not what an enforced one would have done, so the two rows are never added.</p>",
            plural(tally.diverged, "session")
        )?;
    } else if tally.shadow > 0 {
        writeln!(
            out,
            "<p class=\"note\">{} ran in shadow mode, and none diverged.</p>",
            plural(tally.shadow, "session")
        )?;
    }
    let [approved, denied, expired, late] = tally.answers;
    let answers: Vec<_> =
        [(approved, "approved"), (denied, "denied"), (expired, "expired"), (late, "answered too late or twice")]
            .into_iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, what)| format!("{} {what}", number(count)))
            .collect();
    if !answers.is_empty() {
        writeln!(out, "<p class=\"note\">Requests for approval: {}.</p>", answers.join(", "))?;
    }
    let unevaluated = tally.all_calls(|calls| calls.unevaluated);
    if unevaluated > 0 {
        writeln!(
            out,
            "<p class=\"note\">{} could not be evaluated; on_error decided.</p>",
            plural(unevaluated, "call")
        )?;
    }
    close(out)
}

fn stopped(tally: &Tally, out: &mut impl Write) -> io::Result<()> {
    open(
        "stopped",
        "Stopped calls",
        "Which calls did not run, or would not have, and why: one entry for each reason.",
        out,
    )?;
    let mut reasons: Vec<_> = tally.stops.iter().collect();
    reasons.sort_by_key(|(stop, stops)| (stop.ran, Reverse(stops.count), stops.first.as_ref().map(|place| place.seq)));
    if reasons.is_empty() {
        writeln!(out, "<p class=\"none\">No call was stopped.</p>")?;
        return close(out);
    }
    writeln!(out, "<ol class=\"calls\">")?;
    reasons.iter().take(MOST).try_for_each(|(stop, stops)| reason(tally, stop, stops, out))?;
    writeln!(out, "</ol>")?;
    let rest = reasons.iter().skip(MOST).map(|(_, stops)| stops.count);
    let rest = rest.chain(tally.stops.others().map(|stops| stops.count)).fold(0, u64::saturating_add);
    if rest > 0 {
        writeln!(out, "<p class=\"note\">{} more, for other reasons, are in the timeline.</p>", plural(rest, "call"))?;
    }
    close(out)
}

fn reason(tally: &Tally, stop: &Stop, stops: &Stops, out: &mut impl Write) -> io::Result<()> {
    write!(out, "<li><div class=\"what\">{} <b>{}</b>", tag(stop.decision, stop.decision), Name(&stop.tool))?;
    let fate = match (stop.ran, stop.refusal) {
        (true, _) => "ran anyway (shadow)".to_owned(),
        (false, None | Some("blocked")) => "did not run".to_owned(),
        (false, Some(refusal)) => format!("did not run: {}", refusal.replace('_', " ")),
    };
    let divergence = if stop.after_divergence { ", after divergence" } else { "" };
    let mut fields = vec![("tool", stop.tool.as_str())];
    if let Some((rule, ..)) = stop.rules.first() {
        fields.push(("rule", rule));
    }
    write!(
        out,
        "<span>{fate}{divergence}</span><span><a href=\"{}\">{}</a></span>",
        filter(&fields),
        if stops.count == 1 { "once".to_owned() } else { format!("{} times", number(stops.count)) }
    )?;
    write!(out, "<span class=\"when small\">")?;
    if let Some(first) = &stops.first {
        write!(out, "{}{}", if stops.count > 1 { "first " } else { "" }, place(first))?;
    }
    if let (true, Some(last)) = (stops.count > 1, &stops.last) {
        write!(out, " · last {}", super::seq(last.seq))?;
    }
    write!(out, "</span></div>")?;
    if !stop.rules.is_empty() {
        write!(out, "<ul class=\"why\">")?;
        for ((id, why, clause), help) in stop.rules.iter().zip(&stops.help) {
            let rule = tally.contracts.rule(stop.contract, id);
            write!(out, "<li><span class=\"rule\"><a href=\"{}\">{}</a></span>", filter(&[("rule", id)]), Name(id))?;
            let why = because(why, id);
            if !why.is_empty() {
                write!(out, " <span class=\"muted\">{why}</span>")?;
            }
            if let Some(rule) = rule {
                write!(out, "<p>{}{}</p>", Shown(&rule.says), failed(rule, *clause))?;
            }
            let help = help.as_deref().or(rule.map(|rule| rule.advice.as_str())).unwrap_or_default();
            if !help.is_empty() {
                write!(out, "<p class=\"help\">{}</p>", Shown(help))?;
            }
            write!(out, "</li>")?;
        }
        write!(out, "</ul>")?;
    }
    writeln!(out, "</li>")
}

/// The precondition that does not hold.
fn failed(rule: &Rule, clause: Option<u64>) -> String {
    let (Kind::Require { clauses, .. } | Kind::Ensure { clauses, .. }) = &rule.kind else { return String::new() };
    let clause = clause.and_then(|clause| clauses.get(usize::try_from(clause).ok()?));
    clause.map(|clause| format!("; not the case: <code>{}</code>", Shown(&clause.text))).unwrap_or_default()
}

/// Why, where the rule itself is not the reason.
fn because(why: &str, rule: &str) -> String {
    match (why, rule) {
        ("rule" | "clause", _) => String::new(),
        ("no_permit", _) => "no permit matches the call, and no other rule admits it".to_owned(),
        ("unknown_tool", _) => "the contract knows no such tool".to_owned(),
        ("instances_full", _) => "its table of instances is full".to_owned(),
        ("unreadable_key", _) => "the argument that it is keyed by is missing or cannot be a key".to_owned(),
        (other, _) => escaped(&other.replace('_', " ")),
    }
}

fn tools(tally: &Tally, out: &mut impl Write) -> io::Result<()> {
    open("by-tool", "Tools", "Decisions by tool, the most stopped first.", out)?;
    let all: Vec<Sides<Calls>> = tally.tools.iter().map(|(_, calls)| *calls).collect();
    if all.is_empty() {
        writeln!(out, "<p class=\"none\">No call was made.</p>")?;
        return close(out);
    }
    sides(&all, out, |name, side, out| {
        let mut rows: Vec<_> = tally.tools.iter().map(|(tool, calls)| (tool, side(calls))).collect();
        rows.retain(|(_, calls)| **calls != Calls::default());
        let weight = |calls: &Calls| (Reverse(calls.stopped.saturating_add(calls.let_through)), Reverse(calls.all));
        rows.sort_by(|(a, x), (b, y)| weight(x).cmp(&weight(y)).then(a.cmp(b)));
        if !name.is_empty() {
            write!(out, "<h3>{name}</h3>")?;
        }
        frame(&format!("Tools {name}"), out)?;
        head("tool", out)?;
        write!(out, "<tbody>")?;
        for (tool, calls) in rows.iter().take(MOST) {
            let link = filter(&[("tool", tool)]);
            let cells = columns(calls).map(cell).concat();
            writeln!(out, "<tr><th scope=\"row\"><a href=\"{link}\">{}</a></th>{cells}</tr>", Name(tool))?;
        }
        writeln!(out, "</tbody></table></div>")?;
        let hidden = rows.len().saturating_sub(MOST);
        if hidden > 0 {
            writeln!(out, "<p class=\"note\">{} more are in the timeline.</p>", plural(hidden as u64, "tool"))?;
        }
        Ok(())
    })?;
    if let Some(others) = tally.tools.others() {
        let (before, after) = (number(others.before.all), number(others.after.all));
        writeln!(
            out,
            "<p class=\"note\">Only {} tools are counted apart; calls of others: {before}, and {after} after divergence.</p>",
            tally.tools.len()
        )?;
    }
    close(out)
}
