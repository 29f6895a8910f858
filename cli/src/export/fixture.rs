//! A small journal for the tests of exports: a contract, a session with an agent, calls of every sort, hostile names.

#![expect(clippy::arithmetic_side_effects, reason = "test code")]

use contract_runtime::journal::record::{
    Agent, Approval, Content, Contract, ContractId, Counts, Decided, Event, Finding, Gap, Genesis, Hex, Outcome, Over,
    Passed, Retirement, Seen, SessionEnd, SessionStart, Sync, Why,
};
use contract_runtime::journal::record::{Capture, NO_HASH, encode};
use contract_runtime::journal::{Body, Head, Record};
use contract_runtime::value::sha256;
use contract_runtime::{Decision, Effect, Mode, RefusalKind, Status, Time, Verdict};

use super::join::{Lost, Room};
use super::{Joiner, Target};

/// What an agent would call a tool to fool whoever looks.
pub(super) const HOSTILE: &str = "pay\u{202e}\u{1b}[2J\"}\n\\x";

/// Writes records, as a journal would.
#[derive(Debug, Default)]
pub(super) struct Pen {
    pub(super) records: Vec<(Record, usize)>,
}

impl Pen {
    /// Appends a record; returns its number.
    pub(super) fn write(&mut self, session: Option<&str>, body: impl Into<Body<'static>>) -> u64 {
        let body = body.into();
        let seq = u64::try_from(self.records.len()).unwrap();
        let prev = self.records.last().map_or(NO_HASH, |(record, _)| record.hash);
        let at = Time::from_nanos(1_767_225_600_000_000_000 + i128::from(seq) * 1_500_000_000);
        let head = Head { at, journal: Hex([7; 8]), prev, seq, session: session.map(|name| name.to_owned().into()) };
        let mut line = Vec::new();
        let hash = encode(&head, &body, &mut line);
        self.records.push((Record { head, hash, body }, line.len()));
        seq
    }

    pub(super) fn start(&mut self, session: &str, parent: Option<&str>) -> u64 {
        let start = SessionStart {
            agent: Some(Agent { name: "billing".into(), version: "2.1".into() }),
            context: Some(content("{\"user\":\"u1\"}")),
            contract: ContractId { name: "payments".into(), sha256: Hex(sha256(source().as_bytes())) },
            key: None,
            mode: Mode::Enforce,
            parent: parent.map(|parent| parent.to_owned().into()),
            program: "contract-runtime 0.1.0".into(),
            resumed: false,
            surface: Some("worker-1".into()),
        };
        self.write(Some(session), start)
    }

    pub(super) fn decide(&mut self, session: &str, change: impl FnOnce(&mut Decided<'static>)) -> u64 {
        let mut decided = Decided {
            after_divergence: false,
            agent: None,
            approved: false,
            args: content("{\"invoice\":\"i7\",\"card\":\"c4rd\"}"),
            batch: None,
            call: 0,
            decision: Decision::Allow,
            effect: Effect::Read,
            evaluated: true,
            findings: Vec::new(),
            id: Some("c1".into()),
            original: None,
            ran: true,
            refusal: None,
            server: None,
            tool: "validate".into(),
        };
        change(&mut decided);
        self.write(Some(session), decided)
    }

    pub(super) fn complete(&mut self, session: &str, decision: u64, status: Status) -> u64 {
        let outcome = Outcome {
            call: 0,
            decision: Some(decision),
            evaluated: true,
            findings: Vec::new(),
            result: Some(content("{\"receipt\":\"r3ceipt\"}")),
            shown: Seen::All,
            status,
            tool: "validate".into(),
        };
        self.write(Some(session), outcome)
    }

    /// Hands all of it to a target.
    pub(super) fn export(self, content: bool, target: &mut dyn Target) -> Lost {
        self.export_with(Joiner::new(content), target)
    }

    pub(super) fn export_within(self, room: Room, target: &mut dyn Target) -> Lost {
        self.export_with(Joiner::with_room(false, room), target)
    }

    fn export_with(self, mut joiner: Joiner, target: &mut dyn Target) -> Lost {
        for (record, bytes) in self.records {
            joiner.record(record, bytes, target).unwrap();
        }
        joiner.finish(target).unwrap()
    }
}

/// The canonical text of the contract.
fn source() -> String {
    let text = r#"
version: 1
name: payments
tools:
  validate: { effect: read }
  pay: { effect: irreversible }
  send_receipt: { effect: write }
rules:
  - id: validated-first
    title: Validate first
    severity: critical
    must_precede: { first: validate, then: pay }
  - id: receipt
    severity: low
    must_be_followed_by: { after: pay, then: send_receipt }
"#;
    let checked = contract_lang::check("contract.yaml", text.as_bytes(), &contract_lang::Options::default());
    checked.contract.expect("the contract has no errors").source
}

fn content(text: &str) -> Content<'static> {
    Content { digest: Hex(sha256(text.as_bytes())), form: Over::Jcs, text: Some(text.to_owned().into()) }
}

pub(super) fn finding(rule: &'static str, verdict: Verdict, action: Decision) -> Finding<'static> {
    Finding {
        action,
        clause: None,
        help: Some("call `validate` first".into()),
        key: Some(Hex([9; 32])),
        reason: Why::Rule,
        rule: rule.into(),
        source: None,
        states: None,
        verdict,
    }
}

/// The whole journal.
pub(super) fn journal() -> Pen {
    let mut pen = Pen::default();
    let genesis = Genesis {
        content: Capture::Captured,
        file: "j.jsonl".into(),
        key: None,
        previous: None,
        program: "contract-runtime 0.1.0".into(),
        secret: Hex([5; 32]),
        segment: 0,
        sync: Sync::Every,
    };
    pen.write(None, genesis);
    let source = source();
    let contract = Contract { name: "payments".into(), sha256: Hex(sha256(source.as_bytes())), source: source.into() };
    pen.write(None, contract);
    pen.start("s1", None);
    let validate = pen.decide("s1", |call| call.server = Some("erp".into()));
    // Blocked, by a rule, under a name that is meant to fool.
    pen.decide("s1", |call| {
        call.tool = HOSTILE.into();
        (call.effect, call.decision, call.ran) = (Effect::Irreversible, Decision::Block, false);
        call.refusal = Some(RefusalKind::Blocked);
        call.findings.push(finding("validated-first", Verdict::Violated, Decision::Block));
        (call.call, call.batch) = (1, Some(2));
    });
    pen.complete("s1", validate, Status::Ok);
    // Asked, approved, failed.
    let ask = pen.decide("s1", |call| {
        (call.tool, call.effect, call.decision, call.ran) = ("pay".into(), Effect::Write, Decision::Ask, false);
        (call.refusal, call.id, call.call) = (Some(RefusalKind::NeedsApproval), None, 2);
        call.findings.push(finding("validated-first", Verdict::Unestablished, Decision::Ask));
    });
    let reason = Some(content("\"fine\""));
    pen.write(
        Some("s1"),
        Approval { answer: contract_runtime::Answer::Approved, by: Some("ann".into()), reason, request: Some(ask) },
    );
    let pay = pen.decide("s1", |call| {
        (call.tool, call.effect, call.decision, call.approved) = ("pay".into(), Effect::Write, Decision::Ask, true);
        call.call = 3;
    });
    pen.complete("s1", pay, Status::Failed);
    // Stopped without a rule.
    pen.decide("s1", |call| {
        (call.tool, call.effect, call.decision) = ("pay".into(), Effect::Irreversible, Decision::Block);
        (call.ran, call.evaluated, call.refusal, call.call) = (false, false, Some(RefusalKind::Blocked), 4);
    });
    // A sub-agent's session, with a call that never ended.
    pen.start("s2", Some("s1"));
    pen.decide("s2", |call| call.agent = Some("helper".into()));
    pen.write(Some("s1"), Event { findings: Vec::new(), name: "user_message".into(), value: content("{}") });
    pen.write(
        Some("s1"),
        Retirement { by: contract_runtime::Cause::Idle, count: 3, keys: Vec::new(), rule: "receipt".into() },
    );
    pen.write(Some("s1"), Passed { findings: vec![finding("receipt", Verdict::Violated, Decision::Alert)] });
    pen.write(None, Gap { missing: 2, why: "the disk is full".into() });
    let end = SessionEnd {
        counts: Counts { alert: 0, allow: 1, ask: 2, block: 2 },
        findings: vec![finding("receipt", Verdict::Violated, Decision::Alert)],
        rules: Vec::new(),
    };
    pen.write(Some("s1"), end);
    pen
}
