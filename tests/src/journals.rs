//! Journals for tests, made record by record: right ones, and whatever an attacker could make instead.

use contract_runtime::journal::record::{
    Capture, Content, ContractId, Counts, Decided, Event, Genesis, Hex, NO_HASH, Notice, Outcome, Over, Previous,
    RuleEnd, Seen, SessionEnd, SessionStart, Sync, encode,
};
use contract_runtime::journal::tree::{self, Frontier};
use contract_runtime::journal::{Body, Checkpoint, Hash, Head, Id, Secret, SigningKey, record, statement};
use contract_runtime::{Decision, Effect, Mode, NoticeKind, Status, Time, Verdict};
use sha2::{Digest as _, Sha256};

/// The text of the contract in these journals.
pub const CONTRACT: &str = "{\"contract\":\"payments\",\"version\":1}";

/// A file of a journal: its name, and its lines without their newlines.
pub type File = (String, Vec<Vec<u8>>);

/// Writes a journal into memory.
pub struct Maker {
    /// Its id.
    pub id: Id,
    /// What signs, if anything does.
    pub key: Option<SigningKey>,
    /// The number of the next record.
    pub seq: u64,
    /// The hash of the last record.
    pub last: Hash,
    /// The time of the next record, in seconds since 1970.
    pub seconds: i128,
    /// The tree over the records.
    pub tree: Frontier,
    /// The files, the one that is written last.
    pub files: Vec<File>,
    calls: u64,
    segment: u64,
}

/// A key for tests.
pub fn key(byte: u8) -> SigningKey {
    SigningKey::from_bytes(&[byte; 32])
}

/// The secret of the digests in these journals.
pub fn secret() -> Secret {
    Secret::from_bytes(&[5; 32])
}

/// The arguments of each call in these journals.
pub const ARGS: &str = r#"{"amount":40,"invoice":"i7"}"#;

/// The result of each.
pub const RESULT: &str = r#"{"receipt":"r1"}"#;

/// A value, which is not stored.
pub fn content(canonical: &str) -> Content<'static> {
    Content { digest: secret().digests().digest(canonical.as_bytes()), form: Over::Jcs, text: None }
}

impl Maker {
    /// A journal `audit.jsonl` with its first record.
    pub fn new(id: u8, key: Option<SigningKey>) -> Self {
        let mut maker = Self {
            id: Hex([id; 8]),
            key,
            seq: 0,
            last: NO_HASH,
            seconds: 1_767_261_600,
            tree: Frontier::default(),
            files: vec![("audit.jsonl".into(), Vec::new())],
            calls: 0,
            segment: 0,
        };
        maker.genesis(None);
        maker
    }

    fn genesis(&mut self, previous: Option<Previous<'static>>) {
        let genesis = Genesis {
            content: Capture::Digest,
            file: "audit.jsonl".into(),
            key: self.key.as_ref().map(|key| key.public().into()),
            previous,
            program: "contract-runtime 0.1.0".into(),
            secret: secret().digests().commitment(),
            segment: self.segment,
            sync: Sync::Every,
        };
        self.record(None, genesis);
    }

    /// Appends a record.
    pub fn record(&mut self, session: Option<&'static str>, body: impl Into<Body<'static>>) -> &mut Self {
        let at = Time::from_nanos(self.seconds * 1_000_000_000);
        let head = Head {
            at,
            journal: self.id,
            prev: self.last,
            seq: self.seq,
            session: session.map(std::borrow::Cow::Borrowed),
        };
        let mut line = Vec::new();
        self.last = encode(&head, &body.into(), &mut line);
        line.pop();
        self.lines().push(line);
        self.tree.append(tree::leaf(&self.last.0));
        self.seq += 1;
        self.seconds += 1;
        self
    }

    /// Appends a line that some other hand made.
    pub fn line(&mut self, line: &[u8]) -> &mut Self {
        let line = rechained(line, self.seq, self.last);
        self.last = hash_of(&line);
        self.lines().push(line);
        self.tree.append(tree::leaf(&self.last.0));
        self.seq += 1;
        self
    }

    /// The lines of the file that is written.
    pub fn lines(&mut self) -> &mut Vec<Vec<u8>> {
        &mut self.files.last_mut().expect("there is a file").1
    }

    /// Records the contract and the start of a session.
    pub fn start(&mut self, session: &'static str) -> &mut Self {
        let sha256 = contract_sha256();
        self.record(None, record::Contract { name: "payments".into(), sha256, source: CONTRACT.into() });
        self.calls = 0;
        let start = SessionStart {
            agent: Some(record::Agent { name: "support-bot".into(), version: "1.4".into() }),
            context: None,
            contract: ContractId { name: "payments".into(), sha256 },
            key: self.key.as_ref().map(|key| key.public().into()),
            mode: Mode::Enforce,
            parent: None,
            program: "contract-runtime 0.1.0".into(),
            resumed: false,
            surface: None,
        };
        self.record(Some(session), start)
    }

    /// Records that a call is let run.
    pub fn decision(&mut self, session: &'static str, tool: &'static str) -> &mut Self {
        let decided = Decided {
            after_divergence: false,
            agent: None,
            approved: false,
            args: content(ARGS),
            batch: None,
            call: self.calls,
            decision: Decision::Allow,
            effect: Effect::Write,
            evaluated: true,
            findings: Vec::new(),
            id: None,
            original: None,
            ran: true,
            refusal: None,
            server: None,
            tool: tool.into(),
        };
        self.record(Some(session), decided)
    }

    /// Records that the last call ended.
    pub fn outcome(&mut self, session: &'static str, tool: &'static str) -> &mut Self {
        let outcome = Outcome {
            call: self.calls,
            decision: self.seq.checked_sub(1),
            evaluated: true,
            findings: Vec::new(),
            result: Some(content(RESULT)),
            shown: Seen::All,
            status: Status::Ok,
            tool: tool.into(),
        };
        self.calls += 1;
        self.record(Some(session), outcome)
    }

    /// Records a call and its end.
    pub fn call(&mut self, session: &'static str, tool: &'static str) -> &mut Self {
        self.decision(session, tool).outcome(session, tool)
    }

    /// Records an event of the host.
    pub fn event(&mut self, session: &'static str) -> &mut Self {
        self.record(
            Some(session),
            Event { findings: Vec::new(), name: "user_message".into(), value: content("\"pay i7\"") },
        )
    }

    /// Records that a guard passed a message of so many bytes not on.
    pub fn notice(&mut self, session: &'static str, message: &str) -> &mut Self {
        let notice = Notice {
            bytes: Some(message.len() as u64),
            count: 1,
            digest: Some(secret().digests().digest(message.as_bytes())),
            text: "a message was not passed on: batches are not passed on; send each message by itself".into(),
            what: NoticeKind::Refused,
        };
        self.record(Some(session), notice)
    }

    /// Records the end of a session.
    pub fn end(&mut self, session: &'static str) -> &mut Self {
        let counts = Counts { alert: 0, allow: self.calls, ask: 0, block: 0 };
        let rules = vec![RuleEnd { blocked: 0, rule: "verify-first".into(), verdict: Verdict::Satisfied }];
        self.record(Some(session), SessionEnd { counts, findings: Vec::new(), rules })
    }

    /// The signed note of what there is, by the journal's key.
    pub fn note(&self) -> String {
        self.note_by(self.key.as_ref().expect("the journal has a key"))
    }

    /// The signed note of what there is, by any key.
    pub fn note_by(&self, key: &SigningKey) -> String {
        Checkpoint::new(self.id, &self.tree).sign(key).expect("the origin can be a name").to_string()
    }

    /// Records a checkpoint, where the journal has a key.
    pub fn checkpoint(&mut self) -> &mut Self {
        if self.key.is_some() {
            let note = self.note();
            self.record(None, record::Checkpoint { note: note.into() });
        }
        self
    }

    /// Changes the key.
    pub fn rotate_key(&mut self, to: SigningKey) -> &mut Self {
        let by = self.key.take().expect("the journal has a key");
        let key = to.public().into();
        let text = statement::key_change(self.id, self.seq, self.last, key);
        let signature = by.sign(text.as_bytes());
        self.record(None, record::KeyChange { by: by.public().into(), key, signature });
        self.key = Some(to);
        self
    }

    /// Goes on in a new file.
    pub fn rotate_file(&mut self) -> &mut Self {
        self.segment += 1;
        let rotated = format!("audit.jsonl.{}", self.segment);
        self.files.last_mut().expect("there is a file").0.clone_from(&rotated);
        self.files.push(("audit.jsonl".into(), Vec::new()));
        self.genesis(Some(Previous { file: rotated.into(), hash: self.last, size: self.seq }));
        self
    }
}

/// SHA-256 of some bytes.
pub fn sha256(bytes: &[u8]) -> Hash {
    Hex(Sha256::digest(bytes).into())
}

/// SHA-256 of the contract.
pub fn contract_sha256() -> Hash {
    sha256(CONTRACT.as_bytes())
}

/// The lines of a file as bytes.
pub fn bytes(lines: &[Vec<u8>]) -> Vec<u8> {
    lines.iter().flat_map(|line| line.iter().copied().chain([b'\n'])).collect()
}

/// Where the value of a field of the record itself is in its line, as long as it has no quotation marks within.
fn field(line: &str, name: &str) -> std::ops::Range<usize> {
    let opening = format!("\"{name}\":");
    let from = line.find(&opening).expect("the record has the field") + opening.len();
    let end = line[from..].find([',', '}']).expect("the record goes on");
    from..from + end
}

/// The line with another value for a field; its hash is left as it is.
pub fn with(line: &[u8], name: &str, value: &str) -> Vec<u8> {
    let mut line = String::from_utf8(line.to_vec()).expect("a line is UTF-8");
    let at = field(&line, name);
    line.replace_range(at, value);
    line.into_bytes()
}

/// The line with the hash that it should have.
pub fn rehashed(line: &[u8]) -> Vec<u8> {
    let text = std::str::from_utf8(line).expect("a line is UTF-8");
    let value = field(text, "hash");
    let mut without = text.to_owned();
    without.replace_range(value.start - ",\"hash\":".len()..value.end, "");
    with(line, "hash", &format!("\"{}\"", sha256(without.as_bytes())))
}

/// The line as the record of this number after a record with this hash.
pub fn rechained(line: &[u8], seq: u64, prev: Hash) -> Vec<u8> {
    rehashed(&with(&with(line, "seq", &seq.to_string()), "prev", &format!("\"{prev}\"")))
}

/// The hash that a line states.
pub fn hash_of(line: &[u8]) -> Hash {
    let text = std::str::from_utf8(line).expect("a line is UTF-8");
    Hex::parse(text[field(text, "hash")].trim_matches('"')).expect("it is hexadecimal")
}
