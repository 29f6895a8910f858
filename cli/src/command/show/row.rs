//! What one record says, for people.

use contract_runtime::journal::record::{
    Body, Capture, Content, Decided, Finding, Hash, Key, Outcome, Seen, SessionEnd,
};
use contract_runtime::{Decision, RefusalKind, Status, Verdict};

use crate::evidence::text::{name, text};
use crate::output::some;

/// How a word is coloured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Paint {
    None,
    Good,
    Doubtful,
    Bad,
}

/// A line of the timeline, and those below it.
#[derive(Debug)]
pub(super) struct Row {
    /// What happened, in at most eight letters.
    pub(super) word: &'static str,
    pub(super) paint: Paint,
    pub(super) what: String,
    pub(super) details: Vec<String>,
}

impl Row {
    fn new(word: &'static str, what: String) -> Self {
        Self { word, paint: Paint::None, what, details: Vec::new() }
    }

    fn painted(self, paint: Paint) -> Self {
        Self { paint, ..self }
    }

    fn with(self, details: Vec<String>) -> Self {
        Self { details, ..self }
    }
}

/// What a record says.
pub(super) fn of(body: &Body<'_>) -> Row {
    match body {
        Body::Decided(call) => decided(call),
        Body::Outcome(outcome) => ended(outcome),
        Body::Event(event) => {
            let details = captured("value", &event.value).into_iter().chain(findings(&event.findings)).collect();
            Row::new("event", name(&event.name)).with(details)
        }
        Body::Passed(passed) => Row::new("time", "went by".to_owned()).with(findings(&passed.findings)),
        Body::Retirement(retired) => {
            let (by, instances) = (retired.by.as_str(), some(retired.count, "instance"));
            Row::new("retired", format!("{instances} of {} ({by})", name(&retired.rule)))
        }
        Body::Approval(approval) => {
            let by = approval.by.as_ref().map(|by| format!(" by {}", name(by))).unwrap_or_default();
            let of = approval.request.map(|seq| format!(", the call of record {seq}")).unwrap_or_default();
            let details = approval.reason.iter().flat_map(|reason| captured("reason", reason)).collect();
            let answer = approval.answer.as_str().replace('_', " ");
            Row::new("approval", format!("{answer}{by}{of}")).painted(Paint::Doubtful).with(details)
        }
        Body::Notice(notice) => {
            let (what, said) = (notice.what.as_str().replace('_', " "), text(&notice.text));
            let times = if notice.count == 1 { String::new() } else { format!(", {} times", notice.count) };
            let details = notice.bytes.zip(notice.digest.as_ref());
            let details = details.map(|(bytes, hash)| format!("about {}, digest {}", some(bytes, "byte"), short(hash)));
            Row::new("notice", format!("{what}{times}: {said}"))
                .painted(Paint::Doubtful)
                .with(details.into_iter().collect())
        }
        Body::SessionStart(start) => {
            let agent = start.agent.as_ref().map(|agent| format!("{} {}, ", name(&agent.name), name(&agent.version)));
            let contract = format!("contract {} {}", name(&start.contract.name), short(&start.contract.sha256));
            let surface = start.surface.as_ref().map(|surface| format!(", on {}", name(surface)));
            let parent = start.parent.as_ref().map(|parent| format!(", started by {}", name(parent)));
            let resumed = if start.resumed { ", taken up again" } else { "" };
            let (agent, mode) = (agent.unwrap_or_default(), start.mode.as_str());
            let (surface, parent) = (surface.unwrap_or_default(), parent.unwrap_or_default());
            let details = start.context.iter().flat_map(|context| captured("context", context)).collect();
            Row::new("start", format!("{agent}{contract}, {mode}{surface}{parent}{resumed}")).with(details)
        }
        Body::SessionEnd(end) => session_end(end),
        other => of_journal(other),
    }
}

/// What a record of no session says.
fn of_journal(body: &Body<'_>) -> Row {
    match body {
        Body::Genesis(genesis) => {
            let signs = genesis
                .key
                .as_ref()
                .map_or_else(|| "unsigned".to_owned(), |key| format!("signed by {}", self::key(key)));
            let content = match genesis.content {
                Capture::Digest => "digests only",
                Capture::Captured => "content captured",
            };
            let (file, segment, sync) = (name(&genesis.file), genesis.segment, genesis.sync.as_str());
            let segment = if segment == 0 { String::new() } else { format!(", segment {segment}") };
            let by = name(&genesis.program);
            Row::new("journal", format!("{file}{segment}: {content}, sync {sync}, {signs}, by {by}"))
        }
        Body::Contract(contract) => {
            Row::new("contract", format!("{} {}", name(&contract.name), short(&contract.sha256)))
        }
        Body::Checkpoint(checkpoint) => {
            let size = checkpoint.note.lines().nth(1).unwrap_or_default();
            Row::new(
                "signed",
                format!(
                    "all before this one, {}",
                    size.parse().map_or_else(|_| name(size), |size| some(size, "record"))
                ),
            )
        }
        Body::KeyChange(change) => {
            Row::new("key", format!("{} signs from here on, as {} says", key(&change.key), key(&change.by)))
                .painted(Paint::Doubtful)
        }
        Body::SecretChange(_) => Row::new("secret", "another secret makes the digests from here on".to_owned()),
        Body::Recovery(recovery) => {
            let moved = format!("a line cut off by a crash, {} bytes, is in {}", recovery.bytes, name(&recovery.file));
            Row::new("recovery", moved).painted(Paint::Doubtful)
        }
        Body::Gap(gap) => {
            let missing = some(gap.missing, "record");
            Row::new("gap", format!("{missing} could not be written: {}", text(&gap.why))).painted(Paint::Bad)
        }
        Body::Reanchor(reanchor) => {
            let broken = &reanchor.broken;
            let (file, line, problem) = (name(&broken.file), broken.line, name(&broken.problem));
            let signed = if reanchor.signature.is_some() { "" } else { ", unsigned" };
            let what = format!("continues after {file}, {problem} at line {line}{signed}: {}", text(&reanchor.reason));
            Row::new("reanchor", what).painted(Paint::Doubtful)
        }
        // Records of sessions are told before.
        _ => Row::new("record", String::new()),
    }
}

fn decided(call: &Decided<'_>) -> Row {
    let paint = match call.decision {
        Decision::Allow => Paint::Good,
        Decision::Alert | Decision::Ask => Paint::Doubtful,
        Decision::Block => Paint::Bad,
    };
    let weighed = call.findings.iter().map(|finding| finding.action).max().unwrap_or(Decision::Allow);
    let mut notes = Vec::new();
    if let Some(refusal) = call.refusal.and_then(refused) {
        notes.push(refusal.to_owned());
    }
    if call.approved {
        notes.push("approved".to_owned());
    }
    if !call.evaluated {
        notes.push("not evaluated".to_owned());
    }
    if call.ran && call.evaluated && !call.approved && weighed > call.decision {
        notes.push(format!("shadow: would {}", weighed.as_str()));
    } else if call.after_divergence {
        notes.push("after a divergence".to_owned());
    }
    let notes = if notes.is_empty() { String::new() } else { format!("  ({})", notes.join(", ")) };
    let server = call.server.as_ref().map(|server| format!("{}::", name(server))).unwrap_or_default();
    let id = call.id.as_ref().map(|id| format!("  {}", name(id))).unwrap_or_default();
    let agent = call.agent.as_ref().map(|agent| format!("  by {}", name(agent))).unwrap_or_default();
    let what = format!("#{} {server}{}{id}{agent}{notes}", call.call, name(&call.tool));
    let original = call.original.iter().flat_map(|original| captured("asked for", original));
    let arguments = captured(if call.original.is_some() { "runs with" } else { "args" }, &call.args);
    let details = original.chain(arguments).chain(findings(&call.findings)).collect();
    Row::new(call.decision.as_str(), what).painted(paint).with(details)
}

/// What stopped a call, where it was not simply the contract.
fn refused(kind: RefusalKind) -> Option<&'static str> {
    match kind {
        RefusalKind::Blocked => None,
        RefusalKind::NeedsApproval => Some("waits for a person"),
        RefusalKind::ApprovalDenied => Some("a person said no"),
        RefusalKind::ApprovalExpired => Some("nobody answered in time"),
        RefusalKind::NobodyToAsk => Some("nobody to ask"),
        RefusalKind::NoSuchRequest => Some("no such request"),
        RefusalKind::DuplicateId => Some("its id is in flight already"),
        RefusalKind::Ended => Some("the session had ended"),
        RefusalKind::Unrecorded => Some("it could not be recorded"),
        _ => Some("refused"),
    }
}

fn ended(outcome: &Outcome<'_>) -> Row {
    let paint = match outcome.status {
        Status::Ok => Paint::Good,
        Status::Failed => Paint::Bad,
        Status::Unknown => Paint::Doubtful,
    };
    let shown = match outcome.shown {
        Seen::All => "",
        Seen::Redacted => "  (redacted)",
        Seen::Withheld => "  (withheld)",
    };
    let unscored = if outcome.evaluated { "" } else { "  (not evaluated)" };
    let details = outcome.result.iter().flat_map(|result| captured("result", result));
    Row::new(outcome.status.as_str(), format!("#{} {}{shown}{unscored}", outcome.call, name(&outcome.tool)))
        .painted(paint)
        .with(details.chain(findings(&outcome.findings)).collect())
}

fn session_end(end: &SessionEnd<'_>) -> Row {
    let bad = |verdict: Verdict| {
        let rules = end.rules.iter().filter(|rule| rule.verdict == verdict).map(|rule| rule.rule.as_ref());
        rules.collect::<Vec<_>>().join(", ")
    };
    let said: Vec<_> = [Verdict::Violated, Verdict::Unestablished]
        .into_iter()
        .map(|verdict| (verdict.as_str(), bad(verdict)))
        .filter(|(_, rules)| !rules.is_empty())
        .map(|(verdict, rules)| format!("; {verdict}: {}", text(&rules)))
        .collect();
    let paint = if said.is_empty() { Paint::None } else { Paint::Bad };
    let said = if said.is_empty() { "; no rule is violated".to_owned() } else { said.concat() };
    let counts = &end.counts;
    let counted = [(counts.allow, "allow"), (counts.alert, "alert"), (counts.ask, "ask"), (counts.block, "block")];
    let counted: Vec<_> = counted.iter().map(|(count, what)| format!("{count} {what}")).collect();
    Row::new("end", format!("{}{said}", counted.join(", "))).painted(paint).with(findings(&end.findings))
}

/// The captured text of a value.
fn captured(what: &str, content: &Content<'_>) -> Option<String> {
    content.text.as_ref().map(|json| format!("{what} {}", text(json)))
}

/// A line for each finding, and one for what helps.
fn findings(findings: &[Finding<'_>]) -> Vec<String> {
    findings.iter().flat_map(finding).collect()
}

fn finding(finding: &Finding<'_>) -> Vec<String> {
    let key = finding.key.as_ref().map(|key| format!(", key {}", short(key))).unwrap_or_default();
    let clause = finding.clause.map(|clause| format!(", clause {clause}")).unwrap_or_default();
    let source = finding.source.as_ref().map(|tool| format!(", from {}", name(tool))).unwrap_or_default();
    let reason = match finding.reason.as_str() {
        "rule" | "clause" => String::new(),
        reason => format!(", {}", reason.replace('_', " ")),
    };
    let (rule, verdict, action) = (name(&finding.rule), finding.verdict.as_str(), finding.action.as_str());
    let said = format!("- {rule}: {verdict}{reason}{clause}{key}{source}: {action}");
    let help = finding.help.as_ref().map(|help| format!("  what helps: {}", text(help)));
    [said].into_iter().chain(help).collect()
}

/// The first digits of a hash, enough to tell it from others.
fn short(hash: &Hash) -> String {
    hash.to_string().chars().take(12).collect()
}

fn key(key: &Key) -> String {
    key.to_string()
}
