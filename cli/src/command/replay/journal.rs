//! Plays the sessions of a journal that captured content: each call is decided as if it were made now, at its recorded time and
//! with its recorded result.
//!
//! INVARIANT: a call is decided only if all that its decision depends on is in the journal; see [`Ignorance`]. Memory does not
//! grow with the journal, but for sessions and calls that are open, and no more than [`MOST`] sessions are played at once.

use std::collections::BTreeMap;

use contract_lang::interpret::Interpreted;
use contract_lang::mir::Contract;
use contract_runtime::journal::Record;
use contract_runtime::journal::record::{Body, Content, Decided as Decision, Event, Hash, Outcome, Seen, SessionStart};
use contract_runtime::{Finding, Mode, OnError, RefusalKind, Seed, Status, Subject, Summary, Time, Verdict};
use serde_json::Value;

use crate::evidence::hidden::Hidden;
use crate::evidence::ignorance::Ignorance;
use contract_lang::replay::{Came, Decided, Running, Terms};
use contract_lang::trace::{Recorded, RecordedCall};

/// The most sessions that are played at once.
const MOST: usize = 10_000;

/// How sessions are played.
pub(in crate::command) struct Stage<'p> {
    pub(in crate::command) contract: &'p Interpreted,
    pub(in crate::command) checked: &'p Contract,
    /// The digest of the contract: sessions that used another one may have had other outcomes.
    pub(in crate::command) digest: Hash,
    /// Instead of the mode that a session had.
    pub(in crate::command) mode: Option<Mode>,
    pub(in crate::command) on_error: Option<OnError>,
    pub(in crate::command) seed: Seed,
}

/// The sessions of a journal.
pub(in crate::command) struct Player<'p> {
    stage: Stage<'p>,
    playing: BTreeMap<String, Playing>,
    began: u64,
}

/// A session that is played.
struct Playing {
    running: Running,
    unknown: Ignorance,
    /// What is hidden of the arguments of calls in flight, where something is.
    hidden: BTreeMap<String, Hidden>,
    /// Whether it used the contract that it is played with.
    same_contract: bool,
}

/// What comes of a record.
pub(in crate::command) enum Step {
    /// Nothing to tell.
    Nothing,
    Began,
    Decided(Box<Decided>, RecordedCall),
    /// Why the call cannot be decided.
    Undecided(RecordedCall, String),
    Came(Came),
    Happened(Vec<Finding>),
    Ended(Vec<Came>, Summary),
}

impl<'p> Player<'p> {
    pub(in crate::command) fn new(stage: Stage<'p>) -> Self {
        Self { stage, playing: BTreeMap::new(), began: 0 }
    }

    /// A session as it stands.
    pub(in crate::command) fn session(&self, name: &str) -> Option<&Running> {
        self.playing.get(name).map(|playing| &playing.running)
    }

    /// Records are missing, and nobody knows of which sessions.
    pub(in crate::command) fn miss(&mut self) {
        let why = "records before it are missing or damaged";
        self.playing.values_mut().for_each(|playing| playing.unknown.of_everything(why));
    }

    /// Plays a record.
    ///
    /// # Errors
    /// If the record cannot be played.
    pub(in crate::command) fn play(&mut self, record: &Record) -> Result<Step, String> {
        if let Body::Gap(_) = record.body {
            self.miss();
        }
        let Some(session) = record.head.session.as_deref() else { return Ok(Step::Nothing) };
        let at = record.head.at;
        match &record.body {
            Body::SessionStart(start) => self.begin(session, start, at),
            Body::Decided(call) if decides(call) => self.decided(session, record.head.seq, call, at),
            Body::Outcome(outcome) => self.came(session, outcome, at),
            Body::Event(event) => self.happened(session, event, at),
            Body::SessionEnd(_) => {
                let Some(playing) = self.playing.get_mut(session) else { return Ok(Step::Nothing) };
                playing.running.advance(at);
                Ok(self.end(session).map_or(Step::Nothing, |(came, summary)| Step::Ended(came, summary)))
            }
            _ => Ok(Step::Nothing),
        }
    }

    /// The sessions that are left, in the order in which they began.
    pub(in crate::command) fn left(&self) -> Vec<String> {
        let mut left: Vec<_> = self.playing.iter().map(|(name, playing)| (playing.running.order, name)).collect();
        left.sort_unstable();
        left.into_iter().map(|(_, name)| name.clone()).collect()
    }

    /// Ends a session. Of what is not known, nothing is said but that it is not established.
    pub(in crate::command) fn end(&mut self, session: &str) -> Option<(Vec<Came>, Summary)> {
        let Playing { running, unknown, .. } = self.playing.remove(session)?;
        let checked = self.stage.checked;
        let (mut came, mut summary) = running.end();
        came.iter_mut().for_each(|came| keep_known(&unknown, checked, &mut came.findings));
        keep_known(&unknown, checked, &mut summary.findings);
        establish(&unknown, checked, &mut summary.verdicts);
        Some((came, summary))
    }

    /// The verdicts of a session so far.
    pub(in crate::command) fn verdicts(&self, session: &str) -> Vec<(String, Verdict)> {
        let Some(playing) = self.playing.get(session) else { return Vec::new() };
        let mut verdicts = playing.running.verdicts();
        establish(&playing.unknown, self.stage.checked, &mut verdicts);
        verdicts
    }

    fn begin(&mut self, name: &str, start: &SessionStart<'_>, at: Time) -> Result<Step, String> {
        let same_contract = start.contract.sha256 == self.stage.digest;
        if let Some(playing) = self.playing.get_mut(name) {
            // Taken up again: what it knew, it still knows, under the same contract.
            if !start.resumed {
                playing.unknown.of_everything("its session begins twice");
            } else if !(playing.same_contract && same_contract) {
                playing.unknown.of_everything("its session was taken up under another contract");
            }
            return Ok(Step::Nothing);
        }
        if self.playing.len() >= MOST {
            return Ok(Step::Nothing);
        }
        let checked = self.stage.checked;
        let mut unknown = Ignorance::none(checked);
        let facts = start.context.as_ref().and_then(value);
        if start.context.is_some() && facts.as_ref().is_none_or(|facts| !Hidden::of(facts).is_empty()) {
            unknown.of_context();
        }
        if start.resumed {
            unknown.of_everything("its session was taken up from a snapshot that the journal does not hold");
        }
        let (mode, on_error) = (self.stage.mode.unwrap_or(start.mode), self.stage.on_error);
        let facts = facts.filter(|facts| Hidden::of(facts).is_empty());
        let Stage { contract, seed, .. } = self.stage;
        let mode = Some(mode);
        let terms = Terms { contract, mode, on_error, context: facts, seed, at, recorded: None };
        let running = Running::start(terms, self.began)?;
        self.began = self.began.saturating_add(1);
        let hidden = BTreeMap::new();
        self.playing.insert(name.to_owned(), Playing { running, unknown, hidden, same_contract });
        Ok(Step::Began)
    }

    fn decided(&mut self, session: &str, seq: u64, recorded: &Decision<'_>, at: Time) -> Result<Step, String> {
        let asked = recorded.original.as_ref().unwrap_or(&recorded.args);
        let args = value(asked);
        let hidden = args.as_ref().map_or_else(Hidden::everything, Hidden::of);
        let call = RecordedCall {
            id: recorded.id.as_ref().map_or_else(|| format!("#{}", recorded.call), |id| id.to_string()),
            key: Some(seq.to_string()),
            tool: recorded.tool.to_string(),
            args: args.unwrap_or_default(),
            server: recorded.server.as_ref().map(ToString::to_string),
            agent: recorded.agent.as_ref().map(ToString::to_string),
            batch: recorded.batch.and_then(|batch| u32::try_from(batch).ok()),
            approved: recorded.approved,
        };
        let Some(playing) = self.playing.get_mut(session) else {
            let why = "the start of its session is not in the journal, or too many sessions are under way at once";
            return Ok(Step::Undecided(call, why.to_owned()));
        };
        if let Some(why) = playing.unknown.of_call(self.stage.checked, &call.tool, &hidden) {
            return Ok(Step::Undecided(call, why));
        }
        let running = &mut playing.running;
        let now = running.advance(at);
        running.number(recorded.call);
        let decided = running.call(&call, now)?;
        let key = call.key().to_owned();
        if !decided.runs {
            running.forget_stopped(&key);
        } else if !recorded.ran {
            // It would run, and nobody knows how it would end. What could not be recorded was taken back.
            let unrecorded = recorded.refusal == Some(RefusalKind::Unrecorded);
            let status = if unrecorded { Status::Failed } else { Status::Unknown };
            running.result(&key, Recorded { status, value: None }, now)?;
        } else if !hidden.is_empty() {
            playing.hidden.insert(key, hidden);
        }
        Ok(Step::Decided(Box::new(decided), call))
    }

    fn came(&mut self, session: &str, outcome: &Outcome<'_>, at: Time) -> Result<Step, String> {
        let Some(playing) = self.playing.get_mut(session) else { return Ok(Step::Nothing) };
        let Some(key) = outcome.decision.map(|seq| seq.to_string()) else {
            // It ran, and nothing is known of when and with what.
            playing.unknown.of_everything("a call before it ran without being recorded");
            return Ok(Step::Nothing);
        };
        if !playing.running.runs(&key) {
            return Ok(Step::Nothing);
        }
        let result = outcome.result.as_ref().and_then(value);
        let hidden = match (&outcome.result, &result) {
            (None, _) => Hidden::default(),
            (Some(_), Some(value)) if outcome.shown == Seen::All => Hidden::of(value),
            _ => Hidden::everything(),
        };
        let args = playing.hidden.remove(&key).unwrap_or_default();
        let (checked, same) = (self.stage.checked, playing.same_contract);
        playing.unknown.of_outcome(checked, &outcome.tool, &args, &hidden, same || outcome.status != Status::Ok);
        let now = playing.running.advance(at);
        let recorded = Recorded { status: outcome.status, value: result };
        let came = playing.running.result(&key, recorded, now)?;
        Ok(match came {
            Some(mut came) => {
                keep_known(&playing.unknown, checked, &mut came.findings);
                Step::Came(came)
            }
            None => Step::Nothing,
        })
    }

    fn happened(&mut self, session: &str, event: &Event<'_>, at: Time) -> Result<Step, String> {
        let Some(playing) = self.playing.get_mut(session) else { return Ok(Step::Nothing) };
        let value = value(&event.value);
        let hidden = value.as_ref().map_or_else(Hidden::everything, Hidden::of);
        playing.unknown.of_event(self.stage.checked, &event.name, &hidden);
        let now = playing.running.advance(at);
        let mut findings = playing.running.event(&event.name, &value.unwrap_or_default(), now)?;
        keep_known(&playing.unknown, self.stage.checked, &mut findings);
        Ok(Step::Happened(findings))
    }
}

/// Whether the contract decided the call, and not a person, or its place in the session.
fn decides(call: &Decision<'_>) -> bool {
    matches!(call.refusal, None | Some(RefusalKind::Blocked | RefusalKind::NeedsApproval | RefusalKind::NobodyToAsk))
}

/// A captured value.
fn value(content: &Content<'_>) -> Option<Value> {
    content.text.as_deref().and_then(|text| serde_json::from_str(text).ok())
}

/// Leaves out what is not certain.
fn keep_known(unknown: &Ignorance, contract: &Contract, findings: &mut Vec<Finding>) {
    findings.retain(|finding| match finding.subject {
        Subject::Rule(index) => !unknown.of_rule(contract, usize::from(index)),
        Subject::Default | Subject::Undeclared | Subject::State(_) => true,
    });
}

/// Nothing is established of a rule of which not all is known.
fn establish(unknown: &Ignorance, contract: &Contract, verdicts: &mut [(String, Verdict)]) {
    for (index, (_, verdict)) in verdicts.iter_mut().enumerate() {
        if unknown.of_rule(contract, index) {
            *verdict = Verdict::Unestablished;
        }
    }
}
