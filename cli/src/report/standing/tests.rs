use contract_runtime::journal::SigningKey;
use contract_runtime::journal::verify::{Code, Notice, Problem, Report};

use super::*;

fn report(records: u64) -> Report {
    Report {
        journal: None,
        file: "j".into(),
        problem: None,
        records,
        segments: 1,
        sessions: 0,
        signed: false,
        trusted: false,
        attested: 0,
        head: None,
        last: None,
        notices: Vec::new(),
    }
}

fn key() -> PublicKey {
    SigningKey::from_bytes(&[7; 32]).public()
}

fn level(report: &Report, trust: &[PublicKey]) -> Level {
    Standing::of(report, trust).level
}

#[test]
fn it_is_green_only_if_a_trusted_key_vouches_for_all_of_it() {
    let signed = Report { signed: true, trusted: true, attested: 9, ..report(10) };
    assert_eq!(level(&signed, &[key()]), Level::Verified);
    let standing = Standing::of(&signed, &[key()]);
    assert!(standing.text.contains(&key().to_string()), "{}", standing.text);

    let code = Remark::TailNotAttested;
    let tail = Notice { code, file: None, line: None, seq: None, count: 3, message: "3 records …".into() };
    for (report, trust) in [
        // No key was given, whatever the journal says of its own.
        (signed.clone(), &[][..]),
        (Report { trusted: false, ..signed.clone() }, &[key()]),
        (Report { attested: 7, notices: vec![tail], ..signed.clone() }, &[key()]),
        (Report { attested: 0, ..signed }, &[key()]),
    ] {
        assert_eq!(level(&report, trust), Level::Partly, "{report:?}");
    }
    assert_eq!(level(&report(10), &[key()]), Level::Unsigned);
}

#[test]
fn nothing_is_not_verified() {
    let empty = Report { signed: true, trusted: true, ..report(0) };
    let standing = Standing::of(&empty, &[key()]);
    assert_eq!((standing.level, standing.title.as_str()), (Level::Unsigned, "Nothing to verify"));
}

#[test]
fn a_break_says_where_and_why() {
    let problem = Problem {
        code: Code::MissingSegment,
        file: "j\u{202e}".into(),
        line: Some(4200),
        seq: Some(41),
        message: "the hash is \u{1b}[31manother".into(),
    };
    let broken = Report { problem: Some(problem), signed: true, trusted: true, attested: 10, ..report(10) };
    let standing = Standing::of(&broken, &[key()]);
    assert_eq!(standing.level, Level::Broken);
    assert_eq!(standing.title, "Does not verify: missing segment");
    assert_eq!(
        standing.text,
        "In j\\u{202e}, line 4,200, record 41: the hash is \\u{1b}[31manother. The 10 records before hold; nothing vouches \
         for what follows."
    );
}
