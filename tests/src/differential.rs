//! Runs one trace through an engine and the reference, step by step, and says where they differ. Where a contract retires
//! instances, they may: see `retiring`.

use std::collections::BTreeMap;

use contract_lang::mir::Contract;
use contract_runtime::journal::Journal;
use contract_runtime::{
    Approval, ApprovalRequest, Call, Decision, Finding, Monitor, Outcome, Permit, Reason, RefusalKind, Seed, Session,
    SessionBuilder, Status, Summary, Time, Verdict,
};
use serde_json::Value;

use crate::generate::Step;
use crate::reference::{self, Cause, Delivery, Reference};
use crate::retiring;

/// One finding, comparable: of what, what, and why, where the meaning says.
pub(crate) type Said = (String, Verdict, Decision, Cause);

/// Runs a trace through a session around `monitor` and through the reference.
///
/// # Errors
/// The number of the first step at which they differ, and how.
pub fn compare<M: Monitor>(contract: &Contract, monitor: M, trace: &[Step]) -> Result<(), String> {
    run(contract, Host::new(contract, monitor, trace)?, trace, |_, _| Ok(()))
}

/// The same, where the session is saved before the step of that number, and `other` goes on from there.
///
/// # Errors
/// The number of the first step at which they differ, and how; or that the session could not be restored.
pub fn compare_restored<M: Monitor>(
    contract: &Contract,
    monitors: [M; 2],
    trace: &[Step],
    saved: usize,
) -> Result<(), String> {
    let [monitor, other] = monitors;
    let mut other = Some(other);
    run(contract, Host::new(contract, monitor, trace)?, trace, |number, host| {
        match other.take_if(|_| number == saved) {
            Some(other) => host.go_on(other),
            None => Ok(()),
        }
    })
}

/// Both engines over the same trace must say the same, to the letter.
///
/// # Errors
/// The first step at which they differ, and how.
pub fn same_answers<A: Monitor, B: Monitor>(
    one: A,
    other: B,
    contract: &Contract,
    trace: &[Step],
) -> Result<(), String> {
    let (one, other) = (transcript(one, contract, trace), transcript(other, contract, trace));
    for (number, (one, other)) in one.iter().zip(&other).enumerate() {
        same(&format!("answer {number}"), one, other)?;
    }
    same("length", one.len(), other.len())
}

/// All that a session says of a trace: decisions, findings, refusal texts, what the agent sees, verdicts, what it saves.
pub fn transcript<M: Monitor>(monitor: M, contract: &Contract, trace: &[Step]) -> Vec<String> {
    let Ok(mut host) = Host::new(contract, monitor, trace) else { return vec!["does not start".to_owned()] };
    let mut answers = Vec::new();
    for step in trace {
        answers.push(format!("{:?}", host.take(step)));
        answers.push(format!("{:?} {:?}", host.session.verdicts(), host.session.snapshot()));
    }
    answers
}

/// Plays a trace, for a monitor that watches it.
///
/// # Errors
/// If the session does not start.
pub fn watched<M: Monitor>(contract: &Contract, monitor: M, trace: &[Step]) -> Result<(), String> {
    let mut host = Host::new(contract, monitor, trace)?;
    trace.iter().for_each(|step| {
        host.take(step);
    });
    Ok(())
}

/// What comes of each step, whatever is said of it: whether a call runs, with which arguments, and what the agent sees of its
/// result.
pub fn consequences<M: Monitor>(monitor: M, contract: &Contract, trace: &[Step]) -> Vec<String> {
    let Ok(mut host) = Host::new(contract, monitor, trace) else { return vec!["does not start".to_owned()] };
    let told = |answer| match answer {
        Answer::Runs { decision, args, .. } => format!("{decision:?} {args}"),
        Answer::Stopped { kind, .. } => format!("{kind:?}"),
        Answer::Settled { status, delivery, .. } => format!("{status:?} {delivery:?}"),
        Answer::Noted(_) | Answer::Ended(_) | Answer::Nothing => String::new(),
    };
    trace.iter().map(|step| told(host.take(step))).collect()
}

/// A host of a session: it keeps what a host has to keep.
pub(crate) struct Host<M: Monitor> {
    pub(crate) session: Session<M>,
    permits: BTreeMap<String, Permit<M>>,
    requests: BTreeMap<String, ApprovalRequest>,
}

/// What a session says of a step.
#[derive(Debug)]
pub(crate) enum Answer {
    /// A call runs with these arguments.
    Runs { decision: Decision, args: Value, findings: Vec<Finding>, _after_divergence: bool },
    /// It does not run.
    Stopped { kind: RefusalKind, findings: Vec<Finding>, _text: String },
    /// A call has ended. Of the value it says what the agent may see.
    Settled { status: Status, findings: Vec<Finding>, delivery: Delivery },
    /// Something happened.
    Noted(Vec<Finding>),
    /// The session has ended.
    Ended(Summary),
    /// There is nothing to say: the step speaks of a call that does not run.
    Nothing,
}

impl<M: Monitor> Host<M> {
    pub(crate) fn new(contract: &Contract, monitor: M, trace: &[Step]) -> Result<Self, String> {
        Self::start(contract, Session::builder(monitor), trace)
    }

    /// The same, of a session that is recorded.
    pub(crate) fn recorded(contract: &Contract, monitor: M, trace: &[Step], journal: Journal) -> Result<Self, String> {
        Self::start(contract, Session::builder(monitor).journal(journal), trace)
    }

    fn start(contract: &Contract, builder: SessionBuilder<M>, trace: &[Step]) -> Result<Self, String> {
        let builder = builder.clock(|| Time::EPOCH).seed(Seed::default());
        let session = match facts(contract, trace) {
            Some(facts) => builder.context(facts),
            None => builder,
        };
        let session = session.start().map_err(|error| error.to_string())?;
        Ok(Self { session, permits: BTreeMap::new(), requests: BTreeMap::new() })
    }

    /// Saves the session and goes on with what was saved. Requests for approval are not part of it.
    fn go_on(&mut self, monitor: M) -> Result<(), String> {
        let saved = self.session.snapshot().map_err(|error| error.to_string())?;
        let restored = Session::builder(monitor).clock(|| Time::EPOCH).restore(&saved).start();
        let restored = restored.map_err(|error| format!("{error}\n  {saved}"))?;
        same("findings of the restored session", restored.restored(), &[][..])?;
        let again = restored.snapshot().map_err(|error| error.to_string())?;
        same("what is saved after it was restored", &again, &saved)?;
        let mut permits = BTreeMap::new();
        for (id, permit) in std::mem::take(&mut self.permits) {
            permit.detach();
            let permit = restored.resume(&id).ok_or_else(|| format!("the call {id} is lost\n  {saved}"))?;
            permits.insert(id, permit);
        }
        *self = Self { session: restored, permits, requests: BTreeMap::new() };
        Ok(())
    }

    pub(crate) fn take(&mut self, step: &Step) -> Answer {
        let time = |at: &i128| Time::from_nanos(*at);
        match step {
            Step::Context(_) => Answer::Nothing,
            Step::Call(call) => {
                let decided = self.session.before(&owned(call));
                self.decided(&call.id, decided)
            }
            Step::Approve { id, at } => match self.requests.remove(id) {
                Some(request) => {
                    let decided = self.session.approve(&request, Approval::new().at(time(at)));
                    self.decided(id, decided)
                }
                None => Answer::Nothing,
            },
            Step::Result { id, status, value, at } => {
                let Some(permit) = self.permits.remove(id) else { return Answer::Nothing };
                let status = match status {
                    None | Some(reference::Status::Ok) => Status::Ok,
                    Some(reference::Status::Failed) => Status::Failed,
                    Some(reference::Status::Unknown) => Status::Unknown,
                };
                let outcome = Outcome::new(status, Some(value.clone())).at(time(at));
                match self.session.settle(permit, outcome) {
                    Ok(settled) => {
                        let delivery = match (settled.withheld(), settled.redacted()) {
                            (true, _) => Delivery::Withheld,
                            (false, true) => Delivery::Redacted(settled.value.clone().into_owned()),
                            (false, false) => Delivery::AsIs,
                        };
                        Answer::Settled { status: settled.status, findings: settled.findings, delivery }
                    }
                    Err(_) => Answer::Nothing,
                }
            }
            Step::Event { name, value, at } => {
                self.session.event(name, value, Some(time(at))).map_or(Answer::Nothing, Answer::Noted)
            }
            Step::Advance { at } => self.session.advance(time(at)).map_or(Answer::Nothing, Answer::Noted),
            Step::End => Answer::Ended(self.session.end()),
        }
    }

    fn decided(&mut self, id: &str, decided: Result<Permit<M>, contract_runtime::Refusal>) -> Answer {
        match decided {
            Ok(permit) => {
                let answer = Answer::Runs {
                    decision: permit.decision(),
                    args: permit.args().clone(),
                    findings: permit.findings().to_vec(),
                    _after_divergence: permit.after_divergence(),
                };
                self.permits.insert(id.to_owned(), permit);
                answer
            }
            Err(refusal) => {
                if let Some(request) = refusal.request() {
                    self.requests.insert(id.to_owned(), request.clone());
                }
                let findings = refusal.findings().to_vec();
                Answer::Stopped { kind: refusal.kind(), findings, _text: refusal.to_string() }
            }
        }
    }

    /// Findings, in any order.
    pub(crate) fn said(&self, findings: &[Finding]) -> Vec<Said> {
        let info = self.session.info();
        let mut said: Vec<Said> =
            findings.iter().map(|found| (found.id(info), found.verdict, found.action, cause(found))).collect();
        said.sort();
        said
    }
}

/// Why, as far as the meaning says.
fn cause(finding: &Finding) -> Cause {
    match finding.reason {
        // That a key never seen is violated says the rule.
        Reason::InstancesFull if finding.verdict < Verdict::Violated => Cause::Full,
        Reason::Expired => Cause::Expired,
        Reason::Ended => Cause::LeftOpen,
        Reason::Guarded => Cause::Guarded,
        Reason::Rewrite => Cause::Rewrite,
        Reason::Rewritten => Cause::Rewritten,
        Reason::Redacted => Cause::Redacted,
        Reason::Flow { position } => Cause::Flow(position, finding.source.clone().unwrap_or_default()),
        _ => Cause::Rule,
    }
}

fn run<M: Monitor>(
    contract: &Contract,
    mut host: Host<M>,
    trace: &[Step],
    mut between: impl FnMut(usize, &mut Host<M>) -> Result<(), String>,
) -> Result<(), String> {
    if retiring::retires(contract) {
        return retiring::run(contract, host, trace, between);
    }
    let mut reference = informed(contract, trace);
    for (number, step) in trace.iter().enumerate() {
        between(number, &mut host).map_err(|what| format!("before step {number}: {what}"))?;
        let at = |what: &str| format!("step {number}, {what}: {step:?}");
        let answer = host.take(step);
        match step {
            Step::Context(_) => continue,
            Step::Call(call) => same_decision(&at, &host, &answer, &reference.call(call))?,
            Step::Approve { id, at: time } => {
                // What is no longer known to the host was lost with its session.
                if matches!(answer, Answer::Nothing) {
                    continue;
                }
                match reference.approve(id, *time) {
                    Some(theirs) => same_decision(&at, &host, &answer, &theirs)?,
                    None => {
                        let expired = matches!(answer, Answer::Stopped { kind: RefusalKind::ApprovalExpired, .. });
                        same(&at("expired"), expired, true)?;
                    }
                }
            }
            Step::Result { id, status, value, at: time } => {
                let status = status.unwrap_or(reference::Status::Ok);
                match (&answer, reference.result(id, status, Some(value), *time)) {
                    (Answer::Settled { status, findings, delivery }, Some(theirs)) => {
                        same(&at("status"), of_session(*status), theirs.status)?;
                        same(&at("delivery"), delivery, &theirs.delivery)?;
                        same(&at("findings"), host.said(findings), told(&theirs.findings))?;
                    }
                    (_, theirs) => same(&at("ignored result"), matches!(answer, Answer::Nothing), theirs.is_none())?,
                }
            }
            Step::Event { name, value, at: time } => {
                same_findings(&at, &host, &answer, &reference.event(name, value, *time))?;
            }
            Step::Advance { at: time } => same_findings(&at, &host, &answer, &reference.advance(*time))?,
            Step::End => {
                let (findings, verdicts) = reference.end();
                let Answer::Ended(summary) = answer else { return Err(at("no end")) };
                same(&at("verdicts"), &summary.verdicts, &verdicts)?;
                same(&at("findings"), host.said(&summary.findings), told(&findings))?;
                return Ok(());
            }
        }
        same(&at("verdicts"), host.session.verdicts(), reference.verdicts())?;
    }
    Ok(())
}

fn same_decision<M: Monitor>(
    at: &dyn Fn(&str) -> String,
    host: &Host<M>,
    answer: &Answer,
    theirs: &reference::Decided,
) -> Result<(), String> {
    let (findings, decision) = match answer {
        Answer::Runs { decision, args, findings, .. } => {
            same(&at("arguments"), &reference::value::Value::from_json(args), &theirs.args)?;
            (findings, *decision)
        }
        Answer::Stopped { kind: RefusalKind::NeedsApproval, findings, .. } => (findings, Decision::Ask),
        Answer::Stopped { findings, .. } => (findings, Decision::Block),
        other => return Err(at(&format!("no decision but {other:?}"))),
    };
    same(&at("findings"), host.said(findings), told(&theirs.findings))?;
    same(&at("admission"), matches!(answer, Answer::Runs { .. }), theirs.admitted)?;
    same(&at("decision"), decision, theirs.decision)
}

fn same_findings<M: Monitor>(
    at: &dyn Fn(&str) -> String,
    host: &Host<M>,
    answer: &Answer,
    theirs: &[reference::Finding],
) -> Result<(), String> {
    let Answer::Noted(findings) = answer else { return Err(at("not noted")) };
    same(&at("findings"), host.said(findings), told(theirs))
}

fn owned(call: &reference::Call) -> Call<'_> {
    let mut made = Call::new(call.tool.as_str(), &call.args).id(call.id.as_str()).at(Time::from_nanos(call.at));
    if let Some(server) = &call.server {
        made = made.server(server.as_str());
    }
    if let Some(agent) = &call.agent {
        made = made.agent(agent.as_str());
    }
    if let Some(batch) = call.batch {
        made = made.batch(u32::try_from(batch).unwrap_or(u32::MAX));
    }
    if call.approved { made.approved() } else { made }
}

/// The context that a trace gives, as far as the contract declares it.
fn facts(contract: &Contract, trace: &[Step]) -> Option<Value> {
    let facts = trace.iter().find_map(|step| match step {
        Step::Context(facts) => Some(facts),
        _ => None,
    })?;
    let known = |name: &String| contract.context.iter().any(|(declared, _)| declared == name);
    let object = facts.as_object().into_iter().flatten();
    let declared = object.filter(|(name, _)| known(name)).map(|(name, fact)| (name.clone(), fact.clone()));
    Some(Value::Object(declared.collect()))
}

/// The reference before its first event, with the context that a trace gives.
pub(crate) fn informed<'c>(contract: &'c Contract, trace: &[Step]) -> Reference<'c> {
    let mut reference = Reference::new(contract);
    if let Some(facts) = facts(contract, trace) {
        reference.context(&facts);
    }
    reference
}

/// How a session says that a call ended, in the words of the reference.
pub(crate) fn of_session(status: Status) -> reference::Status {
    match status {
        Status::Ok => reference::Status::Ok,
        Status::Failed => reference::Status::Failed,
        Status::Unknown => reference::Status::Unknown,
    }
}

fn told(findings: &[reference::Finding]) -> Vec<Said> {
    let one = |found: &reference::Finding| (found.rule.clone(), found.verdict, found.action, found.cause.clone());
    let mut told: Vec<Said> = findings.iter().map(one).collect();
    told.sort();
    told
}

fn same<T: std::fmt::Debug + PartialEq<U>, U: std::fmt::Debug>(what: &str, ours: T, theirs: U) -> Result<(), String> {
    if ours == theirs { Ok(()) } else { Err(format!("{what}\n  here:  {ours:?}\n  there: {theirs:?}")) }
}
