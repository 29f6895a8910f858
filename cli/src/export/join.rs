//! Joins what a journal says in several records: a call is a decision and an outcome, a session begins and ends.
//!
//! INVARIANT: only so many calls and sessions are open at once, and their records take only so much memory. The oldest is given
//! up for another, and counted: a journal can be made to leave any number of them open.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::rc::Rc;

use contract_runtime::Time;
use contract_runtime::journal::record::{Content, Decided, Finding, Outcome, SessionStart};
use contract_runtime::journal::{Body, Head, Id, Record};
use contract_runtime::value::sha256;

use super::facts::{Contracts, Facts};
use super::{Call, Found, Item, Place, Target};

/// How many findings outside of calls a session keeps for its end.
const NOTES: usize = 128;

/// How much is kept of what is open: of calls, and of sessions.
#[derive(Clone, Copy, Debug)]
pub(super) struct Room {
    pub(super) number: usize,
    /// The bytes of their records.
    pub(super) bytes: usize,
}

impl Room {
    const STANDARD: Self = Self { number: 10_000, bytes: 64 << 20 };

    fn exceeded(self, number: usize, bytes: usize) -> bool {
        number > self.number || bytes > self.bytes
    }
}

/// A session.
#[derive(Debug)]
pub(crate) struct Session {
    pub(super) journal: Id,
    pub(super) name: String,
    /// The trace that its spans belong to: that of the session that started it, if that one is known.
    pub(super) trace: [u8; 16],
    /// The span of the session itself.
    pub(super) span: [u8; 8],
    /// The span of the session that started it.
    pub(super) parent: Option<[u8; 8]>,
    /// Its first record, which is its start unless that is missing.
    pub(super) first: Place,
    pub(super) start: Option<SessionStart<'static>>,
    /// What its contract says.
    pub(super) facts: Rc<Facts>,
    /// What was found outside of calls, and how much of it was not kept.
    pub(super) notes: Vec<(Place, &'static str, Finding<'static>)>,
    pub(super) more_notes: u64,
    /// The time of its latest record.
    pub(super) latest: Time,
    /// The record of its end.
    pub(super) end: Option<Place>,
    /// The decisions of its calls that have no outcome.
    open: BTreeSet<u64>,
    /// The bytes of what is kept of it.
    bytes: usize,
}

impl Session {
    fn new(head: &Head<'_>, place: Place, name: &str) -> Self {
        let key = format!("interlock trace\n{}\n{name}", head.journal);
        Self {
            journal: head.journal,
            name: name.to_owned(),
            trace: start(&sha256(key.as_bytes())),
            span: start(&place.hash.0),
            parent: None,
            first: place,
            start: None,
            facts: Rc::default(),
            notes: Vec::new(),
            more_notes: 0,
            latest: place.at,
            end: None,
            open: BTreeSet::new(),
            bytes: name.len(),
        }
    }

    /// The name of the contract, where the start is known.
    pub(super) fn contract(&self) -> &str {
        self.start.as_ref().map_or("", |start| start.contract.name.as_ref())
    }

    /// Keeps findings, as far as there is room; whether it kept any.
    fn note(&mut self, found: &Found<'_>, has_room: bool) -> bool {
        let room = if has_room { NOTES.saturating_sub(self.notes.len()) } else { 0 };
        let kept = found.findings.iter().take(room);
        self.notes.extend(kept.map(|finding| (found.place, found.kind, finding.clone())));
        let more = found.findings.len().saturating_sub(room);
        self.more_notes = self.more_notes.saturating_add(u64::try_from(more).unwrap_or(u64::MAX));
        room > 0
    }
}

/// The first bytes of a hash.
pub(super) fn start<const N: usize>(hash: &[u8; 32]) -> [u8; N] {
    hash.first_chunk().copied().unwrap_or([0; N])
}

/// What was given up for want of room.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Lost {
    /// Calls whose outcome, if there is one, is not told.
    pub(crate) calls: u64,
    /// Sessions that were open for too long.
    pub(crate) sessions: u64,
}

/// Joins the records of a journal, and hands what came of it to a target.
#[derive(Debug)]
pub(crate) struct Joiner {
    room: Room,
    /// Whether the content of calls is kept.
    content: bool,
    contracts: Contracts,
    /// By name.
    sessions: BTreeMap<String, Session>,
    /// The numbers of their first records, and their names.
    order: BTreeSet<(u64, String)>,
    /// By the number of their decision.
    calls: BTreeMap<u64, Call>,
    /// The bytes of `calls`, and of `sessions`.
    bytes_of_calls: usize,
    bytes_of_sessions: usize,
    lost: Lost,
}

impl Joiner {
    /// With the content of calls, or without.
    pub(crate) fn new(content: bool) -> Self {
        Self::with_room(content, Room::STANDARD)
    }

    pub(super) fn with_room(content: bool, room: Room) -> Self {
        Self {
            room,
            content,
            contracts: Contracts::default(),
            sessions: BTreeMap::new(),
            order: BTreeSet::new(),
            calls: BTreeMap::new(),
            bytes_of_calls: 0,
            bytes_of_sessions: 0,
            lost: Lost::default(),
        }
    }

    /// Takes the next record, of so many bytes.
    ///
    /// # Errors
    /// If the target cannot write.
    pub(crate) fn record(&mut self, record: Record, bytes: usize, target: &mut dyn Target) -> io::Result<()> {
        let Record { head, hash, body } = record;
        let place = Place::of(&head, hash);
        match body {
            Body::Contract(contract) => {
                self.contracts.learn(&contract);
                Ok(())
            }
            Body::Gap(gap) => target.take(&Item::Missing(gap.missing)),
            Body::SessionStart(start) => self.begin(&head, place, start, bytes, target),
            Body::Decided(decided) => self.decide(&head, place, decided, bytes, target),
            Body::Outcome(outcome) => self.complete(&head, place, outcome, bytes, target),
            Body::Event(event) => {
                let session = self.session(&head, place, target)?;
                target.take(&Item::Event(session))?;
                let findings = Found { place, kind: "event", findings: &event.findings };
                self.found(&head, &findings, bytes, target)
            }
            Body::Passed(time) => {
                let findings = Found { place, kind: "time", findings: &time.findings };
                self.found(&head, &findings, bytes, target)
            }
            Body::Retirement(retirement) => {
                let session = self.session(&head, place, target)?;
                target.take(&Item::Retired(session, &retirement))
            }
            Body::Approval(approval) => {
                let session = self.session(&head, place, target)?;
                target.take(&Item::Answered(session, &approval))
            }
            Body::Notice(notice) => {
                let session = self.session(&head, place, target)?;
                target.take(&Item::Noticed(session, &notice))
            }
            Body::SessionEnd(end) => {
                self.found(&head, &Found { place, kind: "session_end", findings: &end.findings }, bytes, target)?;
                let session = self.session(&head, place, target)?;
                session.end = Some(place);
                let name = session.name.clone();
                self.close(&name, target)
            }
            _ => Ok(()),
        }
    }

    /// Hands over what is still open.
    ///
    /// # Errors
    /// If the target cannot write.
    pub(crate) fn finish(mut self, target: &mut dyn Target) -> io::Result<Lost> {
        while let Some((_, call)) = self.calls.pop_first() {
            self.hand_over(call, target)?;
        }
        while let Some((_, name)) = self.order.pop_first() {
            if let Some(session) = self.sessions.remove(&name) {
                target.take(&Item::Ended(&session))?;
            }
        }
        target.finish()?;
        Ok(self.lost)
    }

    fn begin(
        &mut self,
        head: &Head<'static>,
        place: Place,
        mut start: SessionStart<'static>,
        bytes: usize,
        target: &mut dyn Target,
    ) -> io::Result<()> {
        let name = head.session.as_deref().unwrap_or_default();
        // The same session was taken up again, without an end in between.
        if let Some(before) = self.sessions.get(name) {
            let name = before.name.clone();
            self.forget(&name, target)?;
        }
        let mut session = Session::new(head, place, name);
        if let Some(parent) = start.parent.as_deref().and_then(|parent| self.sessions.get(parent)) {
            session.trace = parent.trace;
            session.parent = Some(parent.span);
        }
        session.facts = self.contracts.get(&start.contract.sha256);
        session.bytes = session.bytes.saturating_add(bytes);
        start.context = None;
        session.start = Some(start);
        target.take(&Item::Started(&session))?;
        self.add(session, target)
    }

    /// The session of a record.
    fn session(&mut self, head: &Head<'_>, place: Place, target: &mut dyn Target) -> io::Result<&mut Session> {
        let name = head.session.as_deref().unwrap_or_default();
        if !self.sessions.contains_key(name) {
            self.add(Session::new(head, place, name), target)?;
        }
        let session = self.sessions.entry(name.to_owned()).or_insert_with(|| Session::new(head, place, name));
        session.latest = session.latest.max(place.at);
        Ok(session)
    }

    fn add(&mut self, session: Session, target: &mut dyn Target) -> io::Result<()> {
        self.bytes_of_sessions = self.bytes_of_sessions.saturating_add(session.bytes);
        while self.room.exceeded(self.sessions.len().saturating_add(1), self.bytes_of_sessions)
            && let Some((_, oldest)) = self.order.first().cloned()
        {
            self.lost.sessions = self.lost.sessions.saturating_add(1);
            self.forget(&oldest, target)?;
        }
        self.order.insert((session.first.seq, session.name.clone()));
        self.sessions.insert(session.name.clone(), session);
        Ok(())
    }

    /// Hands over a session with its open calls.
    fn forget(&mut self, name: &str, target: &mut dyn Target) -> io::Result<()> {
        let open = self.sessions.get(name).map(|session| session.open.clone()).unwrap_or_default();
        for seq in open {
            if let Some(call) = self.take_call(seq) {
                self.hand_over(call, target)?;
            }
        }
        self.close(name, target)
    }

    /// Hands over a session that ended, when none of its calls is open any more.
    fn close(&mut self, name: &str, target: &mut dyn Target) -> io::Result<()> {
        if self.sessions.get(name).is_some_and(|session| session.open.is_empty())
            && let Some(session) = self.sessions.remove(name)
        {
            self.order.remove(&(session.first.seq, session.name.clone()));
            self.bytes_of_sessions = self.bytes_of_sessions.saturating_sub(session.bytes);
            target.take(&Item::Ended(&session))?;
        }
        Ok(())
    }

    fn decide(
        &mut self,
        head: &Head<'static>,
        place: Place,
        mut decided: Decided<'static>,
        bytes: usize,
        target: &mut dyn Target,
    ) -> io::Result<()> {
        if !self.content {
            decided.args.text = None;
            decided.original = decided.original.map(|content| Content { text: None, ..content });
        }
        let session = self.session(head, place, target)?;
        let call = Call { place, decided, outcome: None, session: session.name.clone(), bytes };
        if !call.decided.ran {
            return target.take(&Item::Call(session, &call));
        }
        session.open.insert(place.seq);
        // Only in a journal that does not verify.
        if let Some(same) = self.take_call(place.seq) {
            self.hand_over(same, target)?;
        }
        self.calls.insert(place.seq, call);
        self.bytes_of_calls = self.bytes_of_calls.saturating_add(bytes);
        while self.room.exceeded(self.calls.len(), self.bytes_of_calls)
            && let Some(oldest) = self.calls.first_key_value().map(|(seq, _)| *seq)
            && let Some(oldest) = self.take_call(oldest)
        {
            self.lost.calls = self.lost.calls.saturating_add(1);
            self.hand_over(oldest, target)?;
        }
        Ok(())
    }

    fn take_call(&mut self, decision: u64) -> Option<Call> {
        let call = self.calls.remove(&decision)?;
        self.bytes_of_calls = self.bytes_of_calls.saturating_sub(call.bytes);
        Some(call)
    }

    fn complete(
        &mut self,
        head: &Head<'static>,
        place: Place,
        outcome: Outcome<'static>,
        bytes: usize,
        target: &mut dyn Target,
    ) -> io::Result<()> {
        let session = self.session(head, place, target)?;
        let decision = outcome.decision.filter(|decision| session.open.contains(decision));
        match decision.and_then(|decision| self.take_call(decision)) {
            Some(call) => self.hand_over(Call { outcome: Some((place, outcome)), ..call }, target),
            // Its call was handed over long ago, or is in another journal.
            None => self.found(head, &Found { place, kind: "outcome", findings: &outcome.findings }, bytes, target),
        }
    }

    /// Hands over a call, and its session if that was all it waited for.
    fn hand_over(&mut self, call: Call, target: &mut dyn Target) -> io::Result<()> {
        let Some(session) = self.sessions.get_mut(&call.session) else { return Ok(()) };
        session.open.remove(&call.place.seq);
        target.take(&Item::Call(session, &call))?;
        if session.end.is_some() { self.close(&call.session, target) } else { Ok(()) }
    }

    /// Hands over what was found outside of calls, and keeps it for the end of the session.
    fn found(&mut self, head: &Head<'_>, found: &Found<'_>, bytes: usize, target: &mut dyn Target) -> io::Result<()> {
        let has_room = !self.room.exceeded(0, self.bytes_of_sessions.saturating_add(bytes));
        let session = self.session(head, found.place, target)?;
        if found.findings.is_empty() {
            return Ok(());
        }
        target.take(&Item::Found(session, found))?;
        if session.note(found, has_room) {
            session.bytes = session.bytes.saturating_add(bytes);
            self.bytes_of_sessions = self.bytes_of_sessions.saturating_add(bytes);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
