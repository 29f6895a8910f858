//! The corpus: contracts, traces with what must come of them, and labelled cases from elsewhere. Generic over the engine,
//! so that the interpreted and the compiled form of a contract are held to the same answers.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fs, io};

use contract_lang::interpret::Interpreted;
use contract_lang::{Depth, Options, check, diagnostic};
use contract_runtime::{
    Call, ContractInfo, Decision, Finding, Monitor, Outcome, Permit, RefusalKind, Seed, Session, Status, Time, Verdict,
};
use serde_json::Value;

/// What a run came to: an error is a broken file, never a wrong answer of an engine.
pub type Result<T> = std::result::Result<T, String>;

/// A contract and its traces.
#[derive(Clone, Debug)]
pub struct Contract {
    /// The name of its file, without the extension.
    pub name: String,
    /// Its text.
    pub text: String,
    /// Its traces, by name.
    pub traces: Vec<Trace>,
}

/// A trace with what must come of it.
#[derive(Clone, Debug)]
pub struct Trace {
    /// The name of its file, without the extension.
    pub name: String,
    /// Its lines.
    pub lines: Vec<Value>,
    /// What an engine must say of it: the form of [`expectation`].
    pub expected: String,
}

/// What an engine said of a trace.
#[derive(Clone, Debug, Default)]
pub struct Replay {
    /// The calls, in the order of the file.
    pub calls: Vec<Decided>,
    /// All that was said, in order: of calls, results and host events.
    pub said: Vec<Said>,
    /// The rules that are violated at the end of some session, in contract order.
    pub violated: Vec<String>,
    /// The verdict of each rule at the end of the last session that ended.
    pub ends: Vec<(String, Verdict)>,
}

/// What an engine said of one event.
#[derive(Clone, Debug)]
pub enum Said {
    /// Of a call, by its position in [`Replay::calls`].
    Call(usize),
    /// Of a result.
    Result {
        /// The position of its call.
        call: usize,
        /// What the rules said of it.
        findings: Vec<Named>,
        /// How much of it the agent sees.
        shown: Shown,
    },
    /// Of a host event.
    Event {
        /// Its name.
        name: String,
        /// What the rules said of it.
        findings: Vec<Named>,
    },
}

/// How much of a result the agent sees.
#[derive(Clone, Debug, PartialEq)]
pub enum Shown {
    /// All of it.
    AsIs,
    /// This.
    Redacted(Value),
    /// Nothing.
    Withheld,
}

/// What an engine said of one call.
#[derive(Clone, Debug)]
pub struct Decided {
    /// The decision.
    pub decision: Decision,
    /// The arguments that it runs with, where they are not those of the trace.
    pub rewritten: Option<Value>,
    /// Whether it is the first call of its session that enforcement would not have seen so, or not at all.
    pub diverged: bool,
    /// What the rules said of the call.
    pub findings: Vec<Named>,
    /// What the rules said of its result, where that is on the same line.
    pub later: Vec<Named>,
    /// The verdicts of all rules after the line.
    pub verdicts: Vec<(String, Verdict)>,
}

/// A finding with the id of its rule.
#[derive(Clone, Debug)]
pub struct Named {
    /// The id.
    pub id: String,
    /// The finding.
    pub finding: Finding,
}

/// A file of the corpus.
#[must_use]
pub fn path(relative: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(relative)
}

/// All contracts of the corpus with their traces.
///
/// # Errors
/// If a file cannot be read.
pub fn contracts() -> Result<Vec<Contract>> {
    let mut contracts = Vec::new();
    for (name, file) in files(&path("contracts"), "yaml")? {
        let mut traces = Vec::new();
        for (trace, file) in files(&path("traces").join(&name), "jsonl")? {
            let expected = read(&file.with_extension("expect"))?;
            traces.push(Trace { name: trace, lines: lines(&read(&file)?)?, expected });
        }
        contracts.push(Contract { name, text: read(&file)?, traces });
    }
    Ok(contracts)
}

/// The cases of a file of `cases/`, one a line.
///
/// # Errors
/// If the file cannot be read.
pub fn cases(name: &str) -> Result<Vec<Value>> {
    lines(&read(&path("cases").join(name))?)
}

/// The contract of a case that has a file of its own.
///
/// # Errors
/// If the file cannot be read.
pub fn case_contract(folder: &str, name: &str) -> Result<String> {
    read(&path("cases").join(folder).join(name).with_extension("yaml"))
}

/// Whether a scenario of `sessions.jsonl` came out as it says.
///
/// # Errors
/// How it came out.
pub fn scenario(case: &Value, replay: &Replay) -> Result<()> {
    let decisions: Vec<Value> = replay.calls.iter().map(|call| Value::from(call.decision.as_str())).collect();
    let end: Vec<Value> = replay.violated.iter().map(|id| Value::from(id.as_str())).collect();
    let withheld = replay.said.iter().filter_map(|said| match said {
        Said::Result { call, shown: Shown::Withheld, .. } => Some(Value::from(*call)),
        _ => None,
    });
    let withheld: Vec<Value> = withheld.collect();
    for (field, found) in [("expected", decisions), ("end", end), ("withheld", withheld)] {
        let wanted = case.get(field).and_then(Value::as_array).cloned().unwrap_or_default();
        if wanted != found {
            return Err(format!("{field}: {found:?}, not {wanted:?}"));
        }
    }
    Ok(())
}

fn files(directory: &Path, extension: &str) -> Result<Vec<(String, PathBuf)>> {
    let entries = match fs::read_dir(directory) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(|error| format!("{}: {error}", directory.display()))?,
    };
    let mut files = Vec::new();
    for entry in entries {
        let path = entry.map_err(|error| error.to_string())?.path();
        if path.extension().is_some_and(|found| found == extension)
            && let Some(name) = path.file_stem().and_then(|stem| stem.to_str())
        {
            files.push((name.to_owned(), path.clone()));
        }
    }
    files.sort();
    Ok(files)
}

fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

/// The values of JSON lines.
///
/// # Errors
/// If one is not JSON.
pub fn lines(text: &str) -> Result<Vec<Value>> {
    text.lines().map(|line| serde_json::from_str(line).map_err(|error| format!("{line}: {error}"))).collect()
}

/// A contract, ready to be interpreted.
///
/// # Errors
/// The diagnostics, if it has errors.
pub fn interpreted(name: &str, text: &str) -> Result<Interpreted> {
    let options = Options { depth: Depth::Lint, ..Options::default() };
    let checked = check(name, text.as_bytes(), &options);
    let shown = || diagnostic::render::human(&checked.source, &checked.diagnostics, false);
    checked.contract.clone().map(Interpreted::new).ok_or_else(shown)
}

/// One session of a trace.
struct Running<M: Monitor> {
    session: Session<M>,
    /// The calls in flight: their permits, and their positions.
    permits: BTreeMap<String, (Permit<M>, usize)>,
    diverged: bool,
}

/// What an engine says of a trace; `fresh` makes the monitor of one session.
///
/// # Errors
/// If the trace is not in the trace format.
pub fn replay<M: Monitor>(fresh: &impl Fn() -> M, lines: &[Value]) -> Result<Replay> {
    const SECOND: i128 = 1_000_000_000;
    let mut sessions: BTreeMap<String, Running<M>> = BTreeMap::new();
    let mut replay = Replay::default();
    let mut ended = Vec::new();
    let mut clock = -SECOND;
    for line in lines {
        clock = match line.get("at").and_then(Value::as_str) {
            Some(text) => Time::parse(text).ok_or_else(|| format!("{line}: not a time"))?.as_nanos(),
            None => clock.saturating_add(SECOND),
        };
        let name = line.get("session").and_then(Value::as_str).unwrap_or("default").to_owned();
        let running = match sessions.remove(&name) {
            Some(running) => running,
            None => start(fresh(), line.get("context"))?,
        };
        if line.get("end").is_some() {
            ended.push(running);
            continue;
        }
        let running = step(line, Time::from_nanos(clock), running, &mut replay)?;
        sessions.insert(name, running);
    }
    ended.extend(sessions.into_values());
    if ended.is_empty() {
        // A trace without lines is a session in which nothing happens.
        ended.push(start(fresh(), None)?);
    }
    let mut order = Vec::new();
    let mut violated = Vec::new();
    for Running { session, permits, .. } in ended {
        // A call that got no result is in flight until the end; its permit says so when it is dropped.
        let summary = session.end();
        drop(permits);
        order = summary.verdicts.iter().map(|(id, _)| id.clone()).collect();
        let broken = summary.verdicts.iter().filter(|(_, verdict)| *verdict == Verdict::Violated);
        violated.extend(broken.map(|(id, _)| id.clone()));
        replay.ends = summary.verdicts;
    }
    replay.violated = order.into_iter().filter(|id| violated.contains(id)).collect();
    Ok(replay)
}

fn start<M: Monitor>(monitor: M, context: Option<&Value>) -> Result<Running<M>> {
    let builder = Session::builder(monitor).seed(Seed::default());
    let builder = match context {
        Some(facts) => builder.context(facts.clone()),
        None => builder,
    };
    let session = builder.start().map_err(|error| error.to_string())?;
    Ok(Running { session, permits: BTreeMap::new(), diverged: false })
}

fn step<M: Monitor>(line: &Value, at: Time, mut running: Running<M>, replay: &mut Replay) -> Result<Running<M>> {
    let broken = || format!("{line}: not a line of a trace");
    let outcome = line.get("result").map(|result| outcome(result, at)).transpose()?;
    if let Some(event) = line.get("event") {
        let name = event.get("name").and_then(Value::as_str).ok_or_else(broken)?;
        let value = event.get("value").unwrap_or(&Value::Null);
        let found = running.session.event(name, value, Some(at)).map_err(|error| error.to_string())?;
        let findings = named(running.session.info(), found);
        replay.said.push(Said::Event { name: name.to_owned(), findings });
    } else if let Some(call) = line.get("call") {
        let id = call.get("id").and_then(Value::as_str).unwrap_or_default().to_owned();
        let answer = decide(&running.session, &request(call, at).ok_or_else(broken)?)?;
        let index = replay.calls.len();
        replay.said.push(Said::Call(index));
        let diverged = answer.after_divergence && !running.diverged;
        running.diverged = answer.after_divergence;
        let mut later = Vec::new();
        let mut rewritten = None;
        if let Some(permit) = answer.permit {
            rewritten = Some(permit.args()).filter(|args| Some(*args) != call.get("args")).cloned();
            match outcome {
                Some(outcome) => later = settle(&running.session, permit, outcome, index, replay)?,
                None => drop(running.permits.insert(id, (permit, index))),
            }
        }
        replay.calls.push(Decided {
            decision: answer.decision,
            rewritten,
            diverged,
            findings: named(running.session.info(), answer.findings),
            later,
            verdicts: running.session.verdicts(),
        });
    } else if let Some(id) = line.get("result_of").and_then(Value::as_str) {
        // The result of a call that was blocked is ignored: the call did not happen.
        if let Some((permit, index)) = running.permits.remove(id) {
            settle(&running.session, permit, outcome.ok_or_else(broken)?, index, replay)?;
        }
    } else if line.get("context").is_none() {
        return Err(broken());
    }
    Ok(running)
}

fn request(call: &Value, at: Time) -> Option<Call<'_>> {
    let text = |name: &str| call.get(name).and_then(Value::as_str);
    let mut request = Call::new(text("tool")?, call.get("args")?).at(at);
    if let Some(id) = text("id") {
        request = request.id(id);
    }
    if let Some(server) = text("server") {
        request = request.server(server);
    }
    if let Some(agent) = text("agent") {
        request = request.agent(agent);
    }
    if let Some(batch) = call.get("batch") {
        request = request.batch(u32::try_from(batch.as_u64()?).ok()?);
    }
    if call.get("approved") == Some(&Value::Bool(true)) {
        request = request.approved();
    }
    Some(request)
}

fn outcome(result: &Value, at: Time) -> Result<Outcome<'static>> {
    let status = match result.get("status").and_then(Value::as_str) {
        None | Some("ok") => Status::Ok,
        Some("failed") => Status::Failed,
        Some("unknown") => Status::Unknown,
        Some(other) => return Err(format!("`{other}` is not a status")),
    };
    Ok(Outcome::new(status, result.get("value").cloned()).at(at))
}

struct Answer<M: Monitor> {
    decision: Decision,
    findings: Vec<Finding>,
    permit: Option<Permit<M>>,
    after_divergence: bool,
}

fn decide<M: Monitor>(session: &Session<M>, call: &Call<'_>) -> Result<Answer<M>> {
    match session.before(call) {
        Ok(permit) => Ok(Answer {
            decision: permit.decision(),
            findings: permit.findings().to_vec(),
            after_divergence: permit.after_divergence(),
            permit: Some(permit),
        }),
        Err(refusal) => {
            let decision = match refusal.kind() {
                RefusalKind::Blocked => Decision::Block,
                RefusalKind::NeedsApproval => Decision::Ask,
                _ => return Err(refusal.text().to_owned()),
            };
            let (findings, after_divergence) = (refusal.findings().to_vec(), refusal.after_divergence());
            Ok(Answer { decision, findings, permit: None, after_divergence })
        }
    }
}

fn settle<M: Monitor>(
    session: &Session<M>,
    permit: Permit<M>,
    outcome: Outcome<'_>,
    call: usize,
    replay: &mut Replay,
) -> Result<Vec<Named>> {
    let settled = session.settle(permit, outcome).map_err(|error| error.to_string())?;
    let shown = match (settled.withheld(), settled.redacted()) {
        (true, _) => Shown::Withheld,
        (false, true) => Shown::Redacted(settled.value.into_owned()),
        (false, false) => Shown::AsIs,
    };
    let findings = named(session.info(), settled.findings);
    replay.said.push(Said::Result { call, findings: findings.clone(), shown });
    Ok(findings)
}

fn named(info: &ContractInfo, findings: Vec<Finding>) -> Vec<Named> {
    findings.into_iter().map(|finding| Named { id: finding.id(info), finding }).collect()
}

/// What an engine said, in the form of an `.expect` file: see `traces/README.md`.
#[must_use]
pub fn expectation(replay: &Replay) -> String {
    let mut lines = Vec::new();
    for said in &replay.said {
        match said {
            Said::Call(index) => {
                let Some(call) = replay.calls.get(*index) else { continue };
                lines.push(format!("{index} {} {}", call.decision.as_str(), acting(&call.findings)));
                lines.extend(messages(&call.findings).map(|message| format!("{index} message {message}")));
                lines.extend(call.rewritten.as_ref().map(|args| format!("{index} rewritten {args}")));
                lines.extend(call.diverged.then(|| format!("{index} diverged")));
            }
            Said::Result { call, findings, shown } => {
                let ids = acting(findings);
                lines.extend((!ids.is_empty()).then(|| format!("{call} result {ids}")));
                lines.extend(messages(findings).map(|message| format!("{call} message {message}")));
                match shown {
                    Shown::AsIs => {}
                    Shown::Redacted(value) => lines.push(format!("{call} redacted {value}")),
                    Shown::Withheld => lines.push(format!("{call} withheld")),
                }
            }
            Said::Event { name, findings } => {
                let ids = acting(findings);
                lines.extend((!ids.is_empty()).then(|| format!("event {name} {ids}")));
                lines.extend(messages(findings).map(|message| format!("event {name} message {message}")));
            }
        }
    }
    lines.push(format!("end {}", replay.violated.join(",")));
    lines.iter().fold(String::new(), |text, line| text + line.trim_end() + "\n")
}

/// The rules that want something done.
fn acting(findings: &[Named]) -> String {
    let acting = findings.iter().filter(|named| named.finding.action > Decision::Allow);
    acting.map(|named| named.id.as_str()).collect::<Vec<_>>().join(",")
}

fn messages(findings: &[Named]) -> impl Iterator<Item = String> {
    findings.iter().filter_map(|named| Some(format!("{}: {}", named.id, named.finding.message.as_ref()?)))
}
