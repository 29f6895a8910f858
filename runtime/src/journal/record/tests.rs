use serde_json::json;

use super::*;
use crate::call::Status;
use crate::journal::canonical;
use crate::{Answer, Cause, Decision, Effect, Mode, NoticeKind, RefusalKind, Verdict};

fn hash(byte: u8) -> Hash {
    Hex([byte; 32])
}

fn content(text: Option<&str>) -> Content<'_> {
    Content { digest: hash(7), form: Over::Jcs, text: text.map(Text::Borrowed) }
}

fn finding() -> Finding<'static> {
    Finding {
        action: Decision::Block,
        clause: Some(1),
        help: Some("first let it happen".into()),
        key: Some(hash(9)),
        reason: Why::Rule,
        rule: "verify-first".into(),
        source: None,
        states: Some(States { after: vec![2], before: vec![0, 1] }),
        verdict: Verdict::Violated,
    }
}

/// One record of each kind.
pub(in crate::journal) fn bodies() -> Vec<Body<'static>> {
    let key = Base64([3; 32]);
    let id = ContractId { name: "payments".into(), sha256: hash(4) };
    vec![
        Genesis {
            content: Capture::Digest,
            file: "j".into(),
            key: Some(key),
            previous: Some(Previous { file: "j.1".into(), hash: hash(1), size: 5 }),
            program: "contract-runtime 0.1.0".into(),
            secret: hash(2),
            segment: 1,
            sync: Sync::Every,
        }
        .into(),
        Contract { name: "payments".into(), sha256: hash(4), source: "{\"version\":1}".into() }.into(),
        SessionStart {
            agent: Some(Agent { name: "bot".into(), version: "1".into() }),
            context: Some(content(None)),
            contract: id,
            key: None,
            mode: Mode::Enforce,
            parent: None,
            program: "p".into(),
            resumed: false,
            surface: None,
        }
        .into(),
        Decided {
            after_divergence: false,
            agent: None,
            approved: false,
            args: content(Some("{\"id\":5}")),
            batch: Some(2),
            call: 0,
            decision: Decision::Block,
            effect: Effect::Irreversible,
            evaluated: true,
            findings: vec![finding(), finding()],
            id: Some("c\u{1}\n\"\\é\u{202e}".into()),
            original: None,
            ran: false,
            refusal: Some(RefusalKind::Blocked),
            server: None,
            tool: "send".into(),
        }
        .into(),
        Outcome {
            call: 0,
            decision: Some(4),
            evaluated: true,
            findings: vec![],
            result: Some(content(None)),
            shown: Seen::Redacted,
            status: Status::Ok,
            tool: "send".into(),
        }
        .into(),
        Event { findings: vec![], name: "turn".into(), value: content(None) }.into(),
        Passed { findings: vec![finding()] }.into(),
        Retirement { by: Cause::Idle, count: 2, keys: vec![hash(1), hash(2)], rule: "r".into() }.into(),
        Approval { answer: Answer::Denied, by: Some("ann".into()), reason: Some(content(None)), request: Some(3) }
            .into(),
        Notice { bytes: Some(7), count: 1, digest: Some(hash(3)), text: "x".into(), what: NoticeKind::CallWithoutId }
            .into(),
        SessionEnd {
            counts: Counts { alert: 0, allow: 1, ask: 0, block: 1 },
            findings: vec![],
            rules: vec![RuleEnd { blocked: 1, rule: "r".into(), verdict: Verdict::Satisfied }],
        }
        .into(),
        Checkpoint { note: "o\n1\n\n— o x\n".into() }.into(),
        KeyChange { by: key, key: Base64([4; 32]), signature: Base64([5; 64]) }.into(),
        SecretChange { secret: hash(6) }.into(),
        Recovery { bytes: 10, file: "j.torn".into(), sha256: hash(8) }.into(),
        Gap { missing: 3, why: "disk full".into() }.into(),
        Reanchor {
            broken: Broken { bytes: 1, file: "j.broken-1".into(), line: 3, problem: "edited".into(), sha256: hash(1) },
            key: Some(key),
            last: Some(Place { hash: hash(1), seq: 2 }),
            reason: "a bad disk".into(),
            signature: Some(Base64([6; 64])),
        }
        .into(),
    ]
}

fn head() -> Head<'static> {
    Head { at: Time::EPOCH, journal: Hex([0xab; 8]), prev: NO_HASH, seq: 12, session: Some("s1".into()) }
}

#[test]
fn each_kind_is_written_canonically_and_reads_back() {
    let bodies = bodies();
    let kinds: Vec<_> = bodies.iter().map(Body::kind).collect();
    assert_eq!(kinds, KINDS.iter().map(|kind| kind.name).collect::<Vec<_>>());
    for body in bodies {
        let mut out = Vec::new();
        let hash = encode(&head(), &body, &mut out);
        let line = out.strip_suffix(b"\n").unwrap();
        let record = Record::decode(line).unwrap();
        assert_eq!((&record.head, &record.body, record.hash), (&head(), &body, hash));
        assert_eq!(record.expected_hash(), hash);
        // The same bytes as any canonical writer makes of the value.
        let value: Value = serde_json::from_slice(line).unwrap();
        let mut canonical = Vec::new();
        canonical::write(&mut canonical, &value);
        assert_eq!(String::from_utf8_lossy(line), String::from_utf8_lossy(&canonical));
        // And the hash is that of the canonical value without it.
        let mut without = value.clone();
        without.as_object_mut().unwrap().remove("hash");
        canonical.clear();
        canonical::write(&mut canonical, &without);
        assert_eq!(Hex(sha256(&canonical)), hash);
        assert_eq!(line.len(), canonical.len() + HASH_MEMBER);
    }
}

#[test]
fn what_is_spelled_otherwise_is_no_record() {
    let mut out = Vec::new();
    encode(&head(), &bodies()[3], &mut out);
    let line = String::from_utf8(out).unwrap().trim_end().to_owned();
    let changed = |from: &str, to: &str| {
        assert!(line.contains(from), "{from}");
        Record::decode(line.replacen(from, to, 1).as_bytes())
    };
    for (from, to) in [
        ("\"call\":0", "\"call\": 0"),
        ("\"call\":0", "\"call\":0,\"call\":0"),
        ("\"batch\":2", "\"batch\":2.0"),
        ("é", "\\u00e9"),
        ("\\u0001", "\\u0001\\u0001x"),
    ] {
        let _ = changed(from, to).map(|record| assert_ne!(record.hash, record.expected_hash()));
    }
    assert_eq!(
        changed("\"call\":0", "\"call\":0.0").unwrap_err().to_string(),
        "`call`: expected an integer from 0 to 2^53−1"
    );
    assert_eq!(changed("é", "\\u00e9"), Err(DecodeError::NotCanonical));
    assert_eq!(changed("{", "{ "), Err(DecodeError::NotCanonical));
    assert_eq!(changed("\"call\":0,", "\"call\":1,\"call\":0,"), Err(DecodeError::NotCanonical));
    assert_eq!(changed("\"v\":1", "\"v\":2"), Err(DecodeError::Version));
    assert_eq!(
        changed("\"v\":1", "\"v\":1,\"w\":1").unwrap_err().to_string(),
        "expected no other fields than those of its kind"
    );
    assert_eq!(
        changed("\"args\":{", "\"args\":{\"x\":1,").unwrap_err().to_string(),
        "`args`: expected an object with exactly its members"
    );
    assert_eq!(
        changed("\"kind\":\"decision\"", "\"kind\":\"x\"").unwrap_err().to_string(),
        "`kind`: expected a kind of record"
    );
}

#[test]
fn hexadecimal_and_base64_have_one_spelling() {
    assert_eq!(Hex::<2>::parse("0aff"), Some(Hex([10, 255])));
    for wrong in ["0aFF", "0af", "0aff0", "0agf", ""] {
        assert_eq!(Hex::<2>::parse(wrong), None);
    }
    let key = Base64([3; 32]);
    assert_eq!(Base64::<32>::read(&json!(key.to_string())), Ok(key));
    let unpadded = key.to_string().trim_end_matches('=').to_owned();
    assert!(Base64::<32>::read(&json!(unpadded)).is_err());
    assert!(Base64::<32>::read(&json!("A===")).is_err());
}
