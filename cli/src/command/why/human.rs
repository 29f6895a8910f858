//! An explanation for people.

use std::io::{self, Write as _};

use super::explanation::{CallObject, Explanation, FindingObject};
use super::states::State;
use crate::evidence::text::{name, text};
use crate::output::Stream;

pub(super) fn print(of: &Explanation, out: &mut Stream<'_>) -> io::Result<()> {
    let session = of.session.as_ref().map(|session| format!(", session {}", name(session))).unwrap_or_default();
    let agent = of.agent.as_ref().map(|agent| format!(" of {}", name(agent))).unwrap_or_default();
    writeln!(out, "record {}, {}{session}{agent}", of.seq, of.at)?;
    if let Some(contract) = &of.contract {
        let sha256: String = contract.sha256.chars().take(12).collect();
        let from = match contract.from.as_deref() {
            Some("journal") => "as recorded in the journal".to_owned(),
            Some(file) => format!("from {}", name(file)),
            None => "whose text is not at hand".to_owned(),
        };
        writeln!(out, "contract {} {sha256}, {from}", name(&contract.name))?;
    }
    if let Some(call) = &of.call {
        self::call(call, out)?;
    }
    let is_call = of.call.is_some();
    of.findings.iter().try_for_each(|found| finding(found, is_call, out))?;
    for rule in of.silent.iter().flatten() {
        writeln!(out, "\n{} ({}): no objection", name(&rule.rule), rule.kind)?;
        row("says", &rule.says, out)?;
        if let (Some(before), Some(after)) = (rule.before, rule.after) {
            let word = if before == after { before.to_owned() } else { format!("{before}, then {after}") };
            row("verdict", &format!("{word}, over all of the session"), out)?;
        }
    }
    if of.findings.is_empty() && of.silent.as_ref().is_none_or(Vec::is_empty) {
        writeln!(out, "\nno rule had anything to say")?;
    }
    writeln!(out)?;
    for answer in &of.answers {
        let by = answer.by.as_ref().map(|by| format!(" by {}", name(by))).unwrap_or_default();
        writeln!(out, "record {}: {}{by}", answer.seq, answer.answer.replace('_', " "))?;
    }
    if let Some(outcome) = &of.outcome {
        let shown = if outcome.shown == "all" { String::new() } else { format!(", {}", outcome.shown) };
        writeln!(out, "record {}: the call ended, {}{shown}", outcome.seq, outcome.status)?;
        outcome.findings.iter().try_for_each(|found| finding(found, false, out))?;
    }
    if let Some(replay) = &of.replay {
        let (decision, ran) = (replay.decision, if replay.ran { "it runs" } else { "it does not run" });
        match replay.agrees {
            true => writeln!(out, "replayed from what is recorded: the same, {decision}")?,
            false => writeln!(out, "replayed from what is recorded: {decision}, {ran}; that is not what is recorded")?,
        }
    }
    of.unknown.iter().try_for_each(|unknown| writeln!(out, "not known: {}", text(unknown)))
}

fn row(what: &str, said: &str, out: &mut Stream<'_>) -> io::Result<()> {
    writeln!(out, "  {what:<8}{}", text(said))
}

fn call(call: &CallObject, out: &mut Stream<'_>) -> io::Result<()> {
    let id = call.id.as_ref().map(|id| format!(" {}", name(id))).unwrap_or_default();
    let mut notes = Vec::new();
    if call.approved {
        notes.push("a person approved it".to_owned());
    }
    if !call.evaluated {
        notes.push("the contract was not evaluated".to_owned());
    }
    if call.after_divergence {
        notes.push("after a call that would have been stopped".to_owned());
    }
    let ran = match call.refusal {
        _ if call.ran => "it ran".to_owned(),
        None | Some("blocked") => "it did not run".to_owned(),
        Some(refusal) => format!("it did not run ({})", refusal.replace('_', " ")),
    };
    let notes: String = notes.iter().map(|note| format!(", {note}")).collect();
    let (number, tool, effect) = (call.call, name(&call.tool), call.effect);
    writeln!(out, "call #{number}{id}: {tool} ({effect})")?;
    if let Some(args) = &call.args {
        row("args", args, out)?;
    }
    writeln!(out, "{}: {ran}{notes}", call.decision)
}

fn finding(found: &FindingObject, is_call: bool, out: &mut Stream<'_>) -> io::Result<()> {
    let kind = found.kind.map(|kind| format!(" ({kind})")).unwrap_or_default();
    writeln!(out, "\n{}{kind}: {}: {}", name(&found.rule), found.verdict, found.action)?;
    match &found.message {
        Some(message) => row("why", message, out)?,
        None => row("why", &found.reason.replace('_', " "), out)?,
    }
    match (&found.key, &found.key_digest) {
        (Some(key), _) => {
            let key: Vec<_> = key.iter().map(ToString::to_string).collect();
            row("key", &key.join(", "), out)?;
        }
        (None, Some(digest)) => row("key", &format!("digest {digest}"), out)?,
        (None, None) => {}
    }
    states("before", &found.before, out)?;
    states("after", &found.after, out)?;
    match &found.helps {
        Some(helps) if is_call => row("helps", helps, out),
        _ => Ok(()),
    }
}

/// What is known of a state: one of several, where it is not known exactly.
fn states(when: &str, states: &[State], out: &mut Stream<'_>) -> io::Result<()> {
    let mut what = when;
    for state in states {
        row(what, &state.sentence(), out)?;
        what = "or";
    }
    Ok(())
}
