//! Journals that are made record by record, for what reads them.

use contract_runtime::Time;
use contract_runtime::journal::record::{self, Body, Capture, Content, Head, Hex, NO_HASH, Over, Sync};

/// A journal as it grows.
pub(crate) struct Journal {
    bytes: Vec<u8>,
    prev: record::Hash,
    seq: u64,
    second: u64,
}

impl Journal {
    /// One that only has its first record.
    pub(crate) fn new(file: &str, content: Capture) -> Self {
        let mut journal = Self { bytes: Vec::new(), prev: NO_HASH, seq: 0, second: 0 };
        journal.add(
            None,
            record::Genesis {
                content,
                file: file.to_owned().into(),
                key: None,
                previous: None,
                program: "contract-runtime 0.1.0".into(),
                secret: Hex([7; 32]),
                segment: 0,
                sync: Sync::Every,
            },
        );
        journal
    }

    /// Adds a record, one second after the one before. Returns its number.
    pub(crate) fn add(&mut self, session: Option<&str>, body: impl Into<Body<'static>>) -> u64 {
        let (seq, second) = (self.seq, self.second);
        let at =
            Time::parse(&format!("2026-01-01T{:02}:{:02}:{:02}Z", 10 + second / 3600, second / 60 % 60, second % 60));
        let head = Head {
            at: at.unwrap(),
            journal: Hex([0xab; 8]),
            prev: self.prev,
            seq,
            session: session.map(|name| name.to_owned().into()),
        };
        self.prev = record::encode(&head, &body.into(), &mut self.bytes);
        self.seq += 1;
        self.second += 1;
        seq
    }

    /// The lines so far.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The lines since this was last asked for.
    pub(crate) fn drain(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.bytes)
    }
}

/// A value: captured, or by its digest alone.
pub(crate) fn content(text: Option<&str>) -> Content<'static> {
    Content { digest: Hex([3; 32]), form: Over::Jcs, text: text.map(|text| text.to_owned().into()) }
}

/// The record of a contract, from its text.
pub(crate) fn contract(yaml: &str) -> record::Contract<'static> {
    let checked = contract_lang::check("contract.yaml", yaml.as_bytes(), &contract_lang::Options::default());
    let info = contract_lang::info::of(&checked.contract.unwrap());
    record::Contract {
        name: info.name.to_string().into(),
        sha256: Hex::parse(&info.digest()).unwrap(),
        source: info.source.to_string().into(),
    }
}

/// A session that uses a contract.
pub(crate) fn under(contract: &record::Contract<'static>) -> record::SessionStart<'static> {
    let id = record::ContractId { name: contract.name.clone(), sha256: contract.sha256 };
    record::SessionStart { contract: id, ..start("clerk") }
}

/// The start of a session of the agent `clerk`.
pub(crate) fn start(agent: &str) -> record::SessionStart<'static> {
    record::SessionStart {
        agent: Some(record::Agent { name: agent.to_owned().into(), version: "1.0".into() }),
        context: None,
        contract: record::ContractId { name: "payments".into(), sha256: Hex([9; 32]) },
        key: None,
        mode: contract_runtime::Mode::Enforce,
        parent: None,
        program: "contract-runtime 0.1.0".into(),
        resumed: false,
        surface: None,
    }
}

/// A call that was allowed.
pub(crate) fn allowed(call: u64, tool: &str) -> record::Decided<'static> {
    record::Decided {
        after_divergence: false,
        agent: None,
        approved: false,
        args: content(None),
        batch: None,
        call,
        decision: contract_runtime::Decision::Allow,
        effect: contract_runtime::Effect::Read,
        evaluated: true,
        findings: Vec::new(),
        id: Some(format!("c{call}").into()),
        original: None,
        ran: true,
        refusal: None,
        server: None,
        tool: tool.to_owned().into(),
    }
}

/// A call that a rule blocked.
pub(crate) fn blocked(call: u64, tool: &str, rule: &str) -> record::Decided<'static> {
    let finding = record::Finding {
        action: contract_runtime::Decision::Block,
        clause: None,
        help: Some("first let `ok(verify_payee)` happen for the same key".into()),
        key: Some(Hex([5; 32])),
        reason: record::Why::Rule,
        rule: rule.to_owned().into(),
        source: None,
        states: Some(record::States { after: vec![2], before: vec![0] }),
        verdict: contract_runtime::Verdict::Violated,
    };
    record::Decided {
        decision: contract_runtime::Decision::Block,
        findings: vec![finding],
        ran: false,
        refusal: Some(contract_runtime::RefusalKind::Blocked),
        ..allowed(call, tool)
    }
}

/// The outcome of a call.
pub(crate) fn outcome(call: u64, decision: u64, tool: &str) -> record::Outcome<'static> {
    record::Outcome {
        call,
        decision: Some(decision),
        evaluated: true,
        findings: Vec::new(),
        result: Some(content(None)),
        shown: record::Seen::All,
        status: contract_runtime::Status::Ok,
        tool: tool.to_owned().into(),
    }
}

/// The end of a session in which a rule was violated.
pub(crate) fn end(rule: &str) -> record::SessionEnd<'static> {
    record::SessionEnd {
        counts: record::Counts { alert: 0, allow: 1, ask: 0, block: 1 },
        findings: Vec::new(),
        rules: vec![record::RuleEnd {
            blocked: 1,
            rule: rule.to_owned().into(),
            verdict: contract_runtime::Verdict::Violated,
        }],
    }
}
