//! Everything that can be done to a journal, at its first, a middle and its last record: what `verify` calls it, and where.
//!
//! The same files are left in a folder with their verdicts, for the second verifier (`tests/external/verify`).

use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use contract_runtime::journal::record::{Base64, Broken, Checkpoint, Hex, KeyChange, Reanchor};
use contract_runtime::journal::verify::{self, Options};
use contract_runtime::journal::{Journal, PublicKey, statement};
use interlock_tests::journals::{File, Maker, bytes, contract_sha256, hash_of, key, rechained, rehashed, sha256, with};
use serde_json::json;

/// What is to be verified, and what it comes to.
struct Case {
    name: String,
    files: Vec<File>,
    options: Options,
    /// The problem, and its line and file, where they are not those of a journal that holds.
    problem: Option<&'static str>,
    line: Option<u64>,
    file: &'static str,
    /// Notices that have to be there.
    remarks: Vec<&'static str>,
}

impl Case {
    fn new(name: impl Into<String>, files: Vec<File>) -> Self {
        let (name, options) = (name.into(), Options::default());
        Self { name, files, options, problem: None, line: None, file: "audit.jsonl", remarks: Vec::new() }
    }

    fn one(name: impl Into<String>, lines: Vec<Vec<u8>>) -> Self {
        Self::new(name, vec![("audit.jsonl".into(), lines)])
    }

    fn trust(mut self, keys: &[u8]) -> Self {
        self.options.trust = keys.iter().map(|byte| key(*byte).public()).collect();
        self
    }

    fn kept(mut self, note: String) -> Self {
        self.options.checkpoint = Some(note);
        self
    }

    fn with(mut self, change: impl FnOnce(&mut Options)) -> Self {
        change(&mut self.options);
        self
    }

    fn is(mut self, problem: &'static str, line: impl Into<Option<u64>>) -> Self {
        (self.problem, self.line) = (Some(problem), line.into());
        self
    }

    fn in_file(mut self, file: &'static str) -> Self {
        self.file = file;
        self
    }

    fn says(mut self, remark: &'static str) -> Self {
        self.remarks.push(remark);
        self
    }
}

/// A journal of 15 records: genesis, contract, start, three calls, a checkpoint, a call, an event, an end, a checkpoint.
fn whole(signed: bool) -> Maker {
    let mut maker = Maker::new(1, signed.then(|| key(1)));
    maker.start("s1").call("s1", "verify").call("s1", "pay").call("s1", "mail").checkpoint();
    maker.call("s1", "pay").event("s1").end("s1").checkpoint();
    maker
}

/// The same, of another journal.
fn other() -> Vec<Vec<u8>> {
    let mut maker = Maker::new(2, Some(key(2)));
    maker.start("s1").call("s1", "verify").call("s1", "pay").call("s1", "mail").checkpoint();
    maker.call("s1", "pay").event("s1").end("s1").checkpoint();
    maker.lines().clone()
}

/// Each later record continues the one before again.
fn rewrite(lines: &mut [Vec<u8>], from: usize) {
    for at in from..lines.len() {
        let prev = at.checked_sub(1).map_or(Hex([0; 32]), |before| hash_of(&lines[before]));
        lines[at] = rechained(&lines[at], at as u64, prev);
    }
}

fn later(line: &[u8]) -> Vec<u8> {
    let text = String::from_utf8(line.to_vec()).unwrap();
    text.replacen(".000Z\"", ".001Z\"", 1).into_bytes()
}

fn respelled(line: &[u8], from: &str, to: &str) -> Vec<u8> {
    let text = String::from_utf8(line.to_vec()).unwrap();
    assert!(text.contains(from), "{text}");
    text.replacen(from, to, 1).into_bytes()
}

/// What is done to one record, signed and unsigned.
fn at_each_place(cases: &mut Vec<Case>) {
    for signed in [true, false] {
        let mut maker = whole(signed);
        let base = maker.lines().clone();
        let count = base.len();
        let note = signed.then(|| maker.note());
        let kept = |case: Case| match &note {
            Some(note) => case.kept(note.clone()).trust(&[1]),
            None => case.with(|options| options.expect_at_least = Some(count as u64)),
        };
        for (place, at) in [("first", 0), ("middle", 6), ("last", count - 1)] {
            let name = |what: &str| format!("{what}-{place}-{}", if signed { "signed" } else { "unsigned" });
            let line = at as u64 + 1;
            let last = at + 1 == count;
            let mut add = |what: &str, change: &dyn Fn(&mut Vec<Vec<u8>>), problem, line: Option<u64>| {
                let mut lines = base.clone();
                change(&mut lines);
                cases.push(kept(Case::one(name(what), lines)).is(problem, line));
            };
            add("edit", &|lines| lines[at] = later(&lines[at]), "edited", Some(line));
            add(
                "delete",
                &|lines| drop(lines.remove(at)),
                if last { "truncated" } else { "removed" },
                (!last).then_some(line),
            );
            let swap = at.min(count - 2);
            add("reorder", &|lines| lines.swap(swap, swap + 1), "reordered", Some(swap as u64 + 1));
            let stray = |lines: &[Vec<u8>]| rechained(&later(&lines[at]), at as u64, Hex([9; 32]));
            add("insert", &|lines| lines.insert(at, stray(lines)), "inserted", Some(line));
            let twin = |lines: &[Vec<u8>]| rehashed(&later(&lines[at]));
            // The checkpoint that was kept is over the last record, so it shows before the fork does.
            let (found, on) = if last && signed { ("bad-checkpoint", line) } else { ("forked", line + 1) };
            add("insert-chained", &|lines| lines.insert(at, twin(lines)), found, Some(on));
            add("duplicate", &|lines| lines.insert(at, lines[at].clone()), "duplicated", Some(line + 1));
            add("replay", &|lines| lines.push(lines[at].clone()), "duplicated", Some(count as u64 + 1));
            add("truncate", &|lines| lines.truncate(at), "truncated", if at == 0 { Some(1) } else { None });
            add("splice", &|lines| lines[at] = other()[at % 15].clone(), "foreign", Some(line));
            add("splice-in", &|lines| lines.insert(at, other()[at % 15].clone()), "foreign", Some(line));
            add("crlf", &|lines| lines[at].push(b'\r'), "not-canonical", Some(line));
            add("blank", &|lines| lines.insert(at, Vec::new()), "not-canonical", Some(line));
            add("bom", &|lines| drop(lines[at].splice(0..0, *b"\xef\xbb\xbf")), "not-canonical", Some(line));
            add("not-utf8", &|lines| lines[at][9] = 0xff, "not-canonical", Some(line));
            add("space", &|lines| lines[at] = respelled(&lines[at], ",\"v\"", ", \"v\""), "not-canonical", Some(line));
            add("space-after", &|lines| lines[at].push(b' '), "not-canonical", Some(line));
            for (what, number) in [("1.0", "1.0"), ("1e0", "1e0"), ("01", "01"), ("-1", "-1"), ("2", "2")] {
                let name = format!("number-{what}");
                add(&name, &|lines| lines[at] = rehashed(&with(&lines[at], "v", number)), "not-canonical", Some(line));
            }
            add(
                "duplicate-key",
                &|lines| lines[at] = respelled(&lines[at], ",\"v\":1", ",\"v\":1,\"v\":1"),
                "not-canonical",
                Some(line),
            );
            add(
                "unknown-field",
                &|lines| lines[at] = rehashed(&respelled(&lines[at], ",\"v\":1", ",\"v\":1,\"w\":1")),
                "not-canonical",
                Some(line),
            );
            add(
                "missing-field",
                &|lines| lines[at] = rehashed(&respelled(&lines[at], ",\"v\":1", "")),
                "not-canonical",
                Some(line),
            );
            add(
                "other-order",
                &|lines| lines[at] = respelled(&with(&lines[at], "v", "1"), "{\"", "{\"v\":1,\""),
                "not-canonical",
                Some(line),
            );
            add(
                "escape",
                &|lines| lines[at] = rehashed(&respelled(&lines[at], "\"kind\"", "\"k\\u0069nd\"")),
                "not-canonical",
                Some(line),
            );
            add(
                "glue",
                &|lines| {
                    let next = lines.remove(swap + 1);
                    lines[swap].extend(next);
                },
                "glued",
                Some(swap as u64 + 1),
            );
            // Hashes made anew, for one record or for all: what the chain, a checkpoint, or nothing can show.
            let mut anew = base.clone();
            anew[at] = rehashed(&later(&anew[at]));
            let case = Case::one(name("edit-anew"), anew.clone());
            cases.push(match (last, &note) {
                (false, _) => kept(case).is("edited", line),
                (true, Some(note)) => case.kept(note.clone()).is("bad-checkpoint", line),
                (true, None) => case.says("unsigned"),
            });
            rewrite(&mut anew, at + 1);
            let case = Case::one(name("rewrite"), anew);
            cases.push(match (last, &note) {
                (false, Some(_)) => case.is("bad-checkpoint", 10),
                (true, Some(note)) => case.kept(note.clone()).is("bad-checkpoint", line),
                (_, None) => case.says("unsigned").says("no-checkpoint"),
            });
            // Cut off, by a crash or by hand.
            let cut = base[..=at].to_vec();
            cases.push(kept(Case::one(name("torn"), cut.clone())).is("truncated", (at == 0).then_some(1)));
            let case = Case::one(name("torn-unnoticed"), cut);
            cases.push(if at == 0 { case.is("truncated", 1) } else { case.says("torn-tail").says("no-checkpoint") });
            // A second writer that continues the same record.
            let mut branch = whole(signed);
            let mut forked = base.clone();
            for (offset, line) in branch.lines()[at..].iter().take(2).enumerate() {
                let prev = if offset > 0 { hash_of(forked.last().unwrap()) } else { hash_of(&base[at]) };
                forked.push(rechained(&later(line), (at + 1 + offset) as u64, prev));
            }
            let case = Case::one(name("fork"), forked);
            // After the last record, there is nothing to be a fork of.
            cases.push(if last {
                if signed { case.is("bad-checkpoint", 16) } else { case.says("broken-session") }
            } else {
                case.is("forked", count as u64 + 1)
            });
        }
        let mut lines = base.clone();
        let (mut one, mut two) = (lines[8].clone(), lines[9].clone());
        one = rehashed(&later(&one));
        two = rechained(&later(&two), 9, hash_of(&one));
        lines.splice(9..10, [one, lines[9].clone(), two]);
        let name = |what: &str| format!("{what}-{}", if signed { "signed" } else { "unsigned" });
        cases.push(Case::one(name("fork-interleaved"), lines).is("forked", 10));
        let mut lines = base.clone();
        lines.truncate(6);
        lines.extend(other().split_off(6));
        cases.push(Case::one(name("splice-tail"), lines).is("foreign", 7));
        cases.push(Case::one(name("empty"), Vec::new()).is("truncated", 1));
        let crlf = base.iter().map(|line| [line.as_slice(), b"\r"].concat()).collect();
        cases.push(Case::one(name("crlf-all"), crlf).is("not-canonical", 1));
        cases.push(
            Case::new(name("renamed"), vec![("other.jsonl".into(), base.clone())])
                .is("renamed", 1)
                .in_file("other.jsonl"),
        );
        let accepted =
            Case::new(name("renamed-accepted"), vec![("other.jsonl".into(), base.clone())]).in_file("other.jsonl");
        cases.push(accepted.with(|options| options.as_name = Some("audit.jsonl".into())));
        let contract = |hash| move |options: &mut Options| options.contract = Some(hash);
        cases.push(Case::one(name("contract"), base.clone()).with(contract(contract_sha256())));
        cases
            .push(Case::one(name("other-contract"), base.clone()).with(contract(Hex([3; 32]))).is("wrong-contract", 3));
    }
}

/// Checkpoints, keys, and what they can and cannot show.
fn signatures(cases: &mut Vec<Case>) {
    let mut maker = whole(true);
    let (base, note) = (maker.lines().clone(), maker.note());
    cases.push(Case::one("holds", base.clone()).says("no-trusted-key").says("no-checkpoint"));
    cases.push(Case::one("holds-trusted", base.clone()).trust(&[1]));
    cases.push(Case::one("holds-kept", base.clone()).trust(&[1]).kept(note.clone()));
    cases.push(Case::one("holds-unsigned", whole(false).lines().clone()).says("unsigned"));
    cases.push(Case::one("wrong-key", base.clone()).trust(&[3]).is("wrong-key", 1));
    cases.push(Case::one("wrong-key-unsigned", whole(false).lines().clone()).trust(&[1]).is("wrong-key", 1));
    cases.push(Case::one("replaced-by-another", other()).trust(&[1]).is("wrong-key", 1));
    cases.push(Case::one("replaced-by-another-kept", other()).kept(note.clone()).is("foreign", 1));
    // An old copy, with its old checkpoints.
    let old = base[..10].to_vec();
    cases.push(Case::one("old", old.clone()).trust(&[1]).says("no-checkpoint"));
    cases.push(Case::one("old-kept", old.clone()).trust(&[1]).kept(note.clone()).is("truncated", None));
    cases.push(
        Case::one("old-expected", old)
            .trust(&[1])
            .with(|options| options.expect_at_least = Some(15))
            .is("truncated", None),
    );
    let beside = ("audit.jsonl.checkpoint".to_owned(), vec![note.trim_end().into()]);
    cases.push(
        Case::new("old-beside", vec![("audit.jsonl".into(), base[..10].to_vec()), beside.clone()])
            .is("truncated", None),
    );
    cases.push(Case::new("holds-beside", vec![("audit.jsonl".into(), base.clone()), beside]).trust(&[1]));
    let garbage = ("audit.jsonl.checkpoint".to_owned(), vec![b"nothing".to_vec()]);
    cases.push(
        Case::new("garbage-beside", vec![("audit.jsonl".into(), base.clone()), garbage]).says("unusable-checkpoint"),
    );
    beside_it(cases, &base);

    // A checkpoint by a key that the journal never introduced, or none at all, or over something else.
    let forged = |change: &dyn Fn(&mut Maker)| {
        let mut maker = Maker::new(1, Some(key(1)));
        maker.start("s1").call("s1", "verify");
        change(&mut maker);
        maker.end("s1");
        maker.lines().clone()
    };
    let note = |maker: &mut Maker, note: String| {
        maker.record(None, Checkpoint { note: note.into() });
    };
    let stranger = forged(&|maker| {
        maker.checkpoint();
        let by = maker.note_by(&key(3));
        note(maker, by);
    });
    cases.push(Case::one("unknown-signer", stranger).trust(&[1]).is("unknown-signer", 7));
    let wrong = forged(&|maker| {
        let real = maker.note();
        let mut signature = real.clone();
        let at = signature.len() - 20;
        let other = if signature.as_bytes()[at] == b'A' { "B" } else { "A" };
        signature.replace_range(at..=at, other);
        note(maker, signature);
    });
    cases.push(Case::one("bad-signature", wrong).trust(&[1]).is("bad-signature", 6));
    let early = forged(&|maker| {
        let early = maker.note();
        maker.event("s1");
        note(maker, early);
    });
    cases.push(Case::one("checkpoint-of-another-size", early).trust(&[1]).is("bad-checkpoint", 7));
    let garbage = forged(&|maker| note(maker, "garbage\n".into()));
    cases.push(Case::one("checkpoint-garbage", garbage).is("bad-checkpoint", 6));
    let foreign = forged(&|maker| {
        let mut other = Maker::new(2, Some(key(1)));
        other.start("s1").call("s1", "verify");
        note(maker, other.note());
    });
    cases.push(Case::one("checkpoint-of-another-journal", foreign).is("bad-checkpoint", 6));
    // Signed elsewhere, by a key of which the journal knows nothing.
    let mut maker = whole(false);
    let off_host = maker.note_by(&key(4));
    let lines = maker.lines().clone();
    cases.push(Case::one("off-host", lines.clone()).trust(&[4]).kept(off_host.clone()));
    cases.push(
        Case::one("off-host-unknown", lines.clone()).trust(&[5]).kept(off_host.clone()).is("unknown-signer", None),
    );
    cases.push(Case::one("off-host-untrusted", lines).kept(off_host).says("untrusted-signer"));
}

/// Whatever a stranger lays beside a journal says nothing against it; what the journal's key signed does.
fn beside_it(cases: &mut Vec<Case>, base: &[Vec<u8>]) {
    // Of more records, of other records, of fewer, of another journal.
    let mut longer = whole(true);
    longer.event("s1");
    let mut different = Maker::new(1, Some(key(1)));
    different.start("s1").event("s1").event("s1");
    let mut shorter = Maker::new(1, Some(key(1)));
    shorter.start("s1");
    let foreign = Maker::new(2, Some(key(1)));
    for (name, maker, problem, line) in [
        ("longer", longer, Some("truncated"), None),
        ("different", different, Some("bad-checkpoint"), Some(5)),
        ("shorter", shorter, None, None),
        ("foreign", foreign, Some("foreign"), Some(1)),
    ] {
        let case = |by: &str, note: &str| {
            let beside = ("audit.jsonl.checkpoint".to_owned(), vec![note.trim_end().into()]);
            Case::new(format!("beside-{name}-{by}"), vec![("audit.jsonl".into(), base.to_vec()), beside]).trust(&[1])
        };
        let own = Case { problem, line, ..case("own", &maker.note()) };
        cases.push(own);
        cases.push(case("stranger", &maker.note_by(&key(9))).says("untrusted-signer"));
        // It names the journal's key, and the signature is none.
        let note = maker.note();
        let at = note.len() - 20;
        let other = if note.as_bytes()[at] == b'A' { "B" } else { "A" };
        cases.push(case("forged", &format!("{}{other}{}", &note[..at], &note[at + 1..])).says("unusable-checkpoint"));
        let given = Case::one(format!("given-{name}-stranger"), base.to_vec()).trust(&[1]).kept(maker.note_by(&key(9)));
        cases.push(given.is(problem.unwrap_or("unknown-signer"), line));
    }
}

/// What is nearly a key, a note or a word.
fn near_misses(cases: &mut Vec<Case>) {
    let mut weak = vec![("zero", [0; 32]), ("one", [0; 32]), ("no-point", [0; 32]), ("not-reduced", [0xff; 32])];
    (weak[1].1[0], weak[2].1[0], weak[3].1[0], weak[3].1[31]) = (1, 2, 0xee, 0x7f);
    let eighth = Hex::parse("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a").unwrap();
    weak.push(("eighth", eighth.0));
    for (what, bytes) in weak {
        let weak = Base64(bytes);
        let first = Maker::new(1, Some(key(1))).lines()[0].clone();
        let first = rehashed(&with(&first, "key", &format!("\"{weak}\"")));
        cases.push(Case::one(format!("weak-key-{what}"), vec![first]).is("wrong-key", 1));
        let mut maker = Maker::new(1, Some(key(1)));
        let signature = key(1).sign(statement::key_change(maker.id, maker.seq, maker.last, weak).as_bytes());
        maker.record(None, KeyChange { by: key(1).public().into(), key: weak, signature });
        cases.push(Case::one(format!("change-to-weak-key-{what}"), maker.lines().clone()).is("wrong-key", 2));
    }
    let more = [
        ("200-signatures", "— x AAAAAAA=\n".repeat(200)),
        ("3-bytes", "— x AAAA\n".into()),
        ("4-bytes", "— x AAAAAA==\n".into()),
        ("stray-bits", "— x AAAAAAB=\n".into()),
        ("no-padding", "— x AAAAAAA\n".into()),
        ("no-break-space", "— x\u{a0}y AAAAAAA=\n".into()),
        ("tab", "— x\ty AAAAAAA=\n".into()),
        ("carriage-return", "— x\ry AAAAAAA=\n".into()),
        ("next-line", "— x\u{85} AAAAAAA=\n".into()),
        ("plus", "— x+y AAAAAAA=\n".into()),
        ("no-name", "—  AAAAAAA=\n".into()),
        ("two-spaces", "— x  AAAAAAA=\n".into()),
        ("long", format!("— {} AAAAAAA=\n", "x".repeat(256 * 1024))),
    ];
    for (what, more) in more {
        let mut maker = Maker::new(1, Some(key(1)));
        let note = maker.note() + &more;
        maker.record(None, Checkpoint { note: note.into() });
        cases.push(Case::one(format!("note-{what}"), maker.lines().clone()).is("bad-checkpoint", 2));
    }
    let mut maker = Maker::new(1, Some(key(1)));
    let note = maker.note() + "— x AAAAAAA=\n";
    maker.record(None, Checkpoint { note: note.into() });
    cases.push(Case::one("note-of-a-stranger-too", maker.lines().clone()).trust(&[1]));

    let mut maker = whole(true);
    let base = maker.lines().clone();
    let note = maker.note();
    let huge = note.replacen("\n15\n", "\n18446744073709551616\n", 1);
    assert_ne!(huge, note);
    for (what, note) in [("crlf", note.replace('\n', "\r\n")), ("huge", huge)] {
        let beside = ("audit.jsonl.checkpoint".to_owned(), vec![note.trim_end_matches('\n').into()]);
        let files = vec![("audit.jsonl".into(), base.clone()), beside];
        cases.push(Case::new(format!("{what}-beside"), files).says("unusable-checkpoint"));
    }
    let mut lines = base;
    lines[3] = rehashed(&respelled(&lines[3], "\"refusal\":null", "\"refusal\":\"zzz\""));
    cases.push(Case::one("refusal-unheard-of", lines).is("not-canonical", 4));
}

/// What is done to what a guard saw that is no call.
fn notices(cases: &mut Vec<Case>) {
    let mut maker = Maker::new(1, Some(key(1)));
    maker.start("s1").notice("s1", "[]").call("s1", "pay").notice("s1", "[[]]").end("s1").checkpoint();
    let base = maker.lines().clone();
    cases.push(Case::one("notices", base.clone()).trust(&[1]));
    let mut changed = |what: &str, problem, line: u64, change: &dyn Fn(&mut Vec<Vec<u8>>)| {
        let mut lines = base.clone();
        change(&mut lines);
        cases.push(Case::one(format!("notice-{what}"), lines).trust(&[1]).is(problem, line));
    };
    let (refused, noise) = ("\"what\":\"refused\"", "\"what\":\"noise\"");
    changed("of-another-kind", "edited", 4, &|lines| lines[3] = respelled(&lines[3], refused, noise));
    changed("counted-otherwise", "edited", 4, &|lines| lines[3] = respelled(&lines[3], "\"count\":1", "\"count\":2"));
    changed("removed", "removed", 4, &|lines| drop(lines.remove(3)));
    let unheard = |line: &[u8]| rehashed(&respelled(line, refused, "\"what\":\"zzz\""));
    changed("unheard-of", "not-canonical", 4, &|lines| lines[3] = unheard(&lines[3]));
    let unsure = |line: &[u8]| rehashed(&respelled(line, "\"bytes\":2", "\"bytes\":\"2\""));
    changed("of-another-shape", "not-canonical", 4, &|lines| lines[3] = unsure(&lines[3]));
}

fn rotated_keys(cases: &mut Vec<Case>) {
    let mut maker = Maker::new(1, Some(key(1)));
    maker.start("s1").call("s1", "verify").checkpoint().rotate_key(key(2)).call("s1", "pay").end("s1").checkpoint();
    let lines = maker.lines().clone();
    cases.push(Case::one("rotated-both", lines.clone()).trust(&[1, 2]));
    cases.push(Case::one("rotated-old", lines.clone()).trust(&[1]));
    cases.push(Case::one("rotated-new", lines.clone()).trust(&[2]).says("untrusted-signer"));
    cases.push(Case::one("rotated-neither", lines.clone()).trust(&[3]).is("wrong-key", 1));
    let mut unsigned = lines.clone();
    let text = String::from_utf8(unsigned[6].clone()).unwrap();
    let at = text.find("\"signature\":\"").unwrap() + 20;
    let other = if text.as_bytes()[at] == b'A' { b'B' } else { b'A' };
    unsigned[6][at] = other;
    unsigned[6] = rehashed(&unsigned[6]);
    rewrite(&mut unsigned, 7);
    cases.push(Case::one("rotated-by-nobody", unsigned).trust(&[1]).is("bad-signature", 7));
    // Somebody who found the old key.
    maker.event("s1");
    let note = maker.note_by(&key(1));
    maker.record(None, Checkpoint { note: note.into() });
    cases.push(Case::one("retired-key-signs", maker.lines().clone()).trust(&[1]).is("wrong-key", 13));
    let mut by_other = Maker::new(1, Some(key(1)));
    by_other.start("s1");
    by_other.key = Some(key(3));
    by_other.rotate_key(key(2)).end("s1").checkpoint();
    cases.push(Case::one("rotated-by-a-stranger", by_other.lines().clone()).is("wrong-key", 4));
}

fn segments(cases: &mut Vec<Case>) {
    let three = |signed: bool| {
        let mut maker = Maker::new(1, signed.then(|| key(1)));
        maker.start("s1").call("s1", "verify").checkpoint().rotate_file();
        maker.call("s1", "pay").call("s1", "mail").checkpoint().rotate_file();
        maker.event("s1").end("s1").checkpoint();
        maker
    };
    for signed in [true, false] {
        let maker = three(signed);
        let files = maker.files.clone();
        let name = |what: &str| format!("segments-{what}-{}", if signed { "signed" } else { "unsigned" });
        cases.push(Case::new(name("hold"), files.clone()));
        let without = |gone: &[usize]| {
            let kept = files.iter().enumerate().filter(|(index, _)| !gone.contains(index));
            kept.map(|(_, file)| file.clone()).collect::<Vec<_>>()
        };
        let missing = |what: &str, gone: &[usize], file| {
            Case::new(name(what), without(gone)).is("missing-segment", None).in_file(file)
        };
        cases.push(missing("without-first", &[0], "audit.jsonl.1"));
        cases.push(missing("without-middle", &[1], "audit.jsonl.2"));
        cases.push(missing("without-both", &[0, 1], "audit.jsonl.1"));
        cases.push(Case::new(name("without-last"), without(&[2])).says("no-active-file"));
        let count = maker.seq;
        let short = Case::new(name("without-last-expected"), without(&[2]));
        cases.push(short.with(|options| options.expect_at_least = Some(count)).is("truncated", None));
        let mut swapped = files.clone();
        let (first, second) = (swapped[0].1.clone(), swapped[1].1.clone());
        (swapped[0].1, swapped[1].1) = (second, first);
        cases.push(Case::new(name("swapped"), swapped).is("renamed", 1).in_file("audit.jsonl.1"));
        let mut edited = files.clone();
        edited[1].1[2] = later(&edited[1].1[2]);
        cases.push(Case::new(name("edited"), edited).is("edited", 3).in_file("audit.jsonl.2"));
        let mut cut = files.clone();
        cut[0].1.pop();
        cases.push(Case::new(name("cut"), cut).is("removed", 1).in_file("audit.jsonl.2"));
        let mut moved = files.clone();
        let line = moved[1].1.remove(2);
        moved[2].1.push(line);
        cases.push(Case::new(name("moved"), moved).is("reordered", 3).in_file("audit.jsonl.2"));
        let mut copied = files.clone();
        let line = copied[0].1[3].clone();
        copied[2].1.push(line);
        let line = copied[2].1.len() as u64;
        cases.push(Case::new(name("copied"), copied).is("duplicated", line));
        // Files that are chained as they should be, and whose first record says that they continue another.
        let zeros = "0".repeat(64);
        let (last, size) = (hash_of(files[1].1.last().unwrap()), files[0].1.len() + files[1].1.len());
        let previous = format!("{{\"file\":\"audit.jsonl.2\",\"hash\":\"{last}\",\"size\":{size}}}");
        for (what, from, to) in [
            ("other-file", "audit.jsonl.2", "audit.jsonl.1"),
            ("other-hash", &*format!("\"hash\":\"{last}\",\"size\""), &*format!("\"hash\":\"{zeros}\",\"size\"")),
            ("other-size", "\"size\":", "\"size\":1"),
            ("no-previous", &*previous, "null"),
            ("segment-99", "\"segment\":2", "\"segment\":99"),
            ("second-first", "\"segment\":2", "\"segment\":0"),
        ] {
            let mut other = files.clone();
            other[2].1 = vec![rehashed(&respelled(&files[2].1[0], from, to))];
            cases.push(Case::new(name(what), other).is("foreign", 1));
        }
        for (what, from, to) in [
            ("first-with-previous", "\"previous\":null", &*format!("\"previous\":{previous}")),
            ("first-with-segment", "\"segment\":0", "\"segment\":1"),
        ] {
            let first = rehashed(&respelled(&files[0].1[0], from, to));
            cases.push(Case::one(name(what), vec![first]).is("foreign", 1));
        }
    }
}

/// A journal that continues one of two files.
fn continued(cases: &mut Vec<Case>) {
    let mut old = Maker::new(2, Some(key(1)));
    old.start("s1").call("s1", "verify").rotate_file().call("s1", "pay");
    let [first, last] = [0, 1].map(|index| old.files[index].1.clone());
    let content = [bytes(&first), bytes(&last)].concat();
    for (bad, name) in [("rotated", "audit.jsonl.broken-1.1"), ("last", "audit.jsonl.broken-1")] {
        let mut maker = Maker::new(1, Some(key(1)));
        let broken = Broken {
            bytes: content.len() as u64,
            file: name.into(),
            line: 2,
            problem: "edited".into(),
            sha256: sha256(&content),
        };
        let statement = statement::reanchor(maker.id, maker.seq, maker.last, &broken, "a disk");
        let record = Reanchor {
            broken,
            key: Some(key(1).public().into()),
            last: None,
            reason: "a disk".into(),
            signature: Some(key(1).sign(statement.as_bytes())),
        };
        maker.record(None, record).checkpoint();
        let lines = maker.lines().clone();
        let case = |what: &str, first: Option<&[Vec<u8>]>, last: Option<&[Vec<u8>]>| {
            let mut files: Vec<File> = vec![("audit.jsonl".into(), lines.clone())];
            files.extend(first.map(|lines| ("audit.jsonl.broken-1.1".into(), lines.to_vec())));
            files.extend(last.map(|lines| ("audit.jsonl.broken-1".into(), lines.to_vec())));
            Case::new(format!("continued-{bad}-{what}"), files)
        };
        let other = [b"nothing".to_vec()];
        cases.push(case("holds", Some(&first), Some(&last)).says("reanchored"));
        cases.push(case("alone", None, None).says("reanchored"));
        for (what, first, last) in [
            ("other-first", Some(&other[..]), Some(&last[..])),
            ("other-last", Some(&first[..]), Some(&other[..])),
            ("no-first", None, Some(&last[..])),
            ("no-last", Some(&first[..]), None),
        ] {
            cases.push(case(what, first, last).is("edited", None).in_file(name));
        }
    }
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    at_each_place(&mut cases);
    signatures(&mut cases);
    near_misses(&mut cases);
    notices(&mut cases);
    rotated_keys(&mut cases);
    segments(&mut cases);
    continued(&mut cases);
    cases
}

/// Writes the files. The last line of a case that is `torn` loses its end.
fn write(folder: &Path, case: &Case) -> PathBuf {
    fs::create_dir_all(folder).unwrap();
    for (name, lines) in &case.files {
        let mut bytes = bytes(lines);
        if case.name.starts_with("torn") {
            bytes.truncate(bytes.len() - 20);
        }
        fs::write(folder.join(name), bytes).unwrap();
    }
    let named = case.files.iter().find(|(name, _)| name.ends_with(".jsonl"));
    folder.join(named.map_or("audit.jsonl", |(name, _)| name))
}

#[test]
fn each_kind_of_tampering_has_its_name_and_its_line() {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("tamper");
    let _ = fs::remove_dir_all(&root);
    let cases = cases();
    let mut wrong = Vec::new();
    for case in &cases {
        let folder = root.join(&case.name);
        assert!(!folder.exists(), "`{}` is there twice", case.name);
        let journal = write(&folder, case);
        let reports = [1, 3].map(|threads| {
            let options = Options { threads: NonZeroUsize::new(threads), ..case.options.clone() };
            verify::verify(&journal, &options).unwrap()
        });
        assert_eq!(reports[0], reports[1], "{}", case.name);
        let report = reports[0].to_json();
        let remarks: Vec<_> = reports[0].notices.iter().map(|notice| notice.code.as_str()).collect();
        let as_expected = report["problem"] == json!(case.problem)
            && report["line"] == json!(case.line)
            && report["file"] == case.file
            && case.remarks.iter().all(|remark| remarks.contains(remark));
        if !as_expected {
            let Case { name, problem, line, file, remarks, .. } = case;
            wrong.push(format!("{name}: expected {problem:?} at {line:?} of {file}, {remarks:?}, not\n    {report}"));
        }
        let options = json!({
            "journal": journal.file_name().unwrap().to_str().unwrap(),
            "trust": case.options.trust.iter().map(PublicKey::to_string).collect::<Vec<_>>(),
            "checkpoint": case.options.checkpoint,
            "expect_at_least": case.options.expect_at_least,
            "contract": case.options.contract.map(|hash| hash.to_string()),
            "as": case.options.as_name,
        });
        fs::write(folder.join("options.json"), options.to_string()).unwrap();
        fs::write(folder.join("report.json"), report.to_string()).unwrap();
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

#[test]
fn a_journal_of_several_files_is_continued_after_all_of_them() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("several");
    let _ = fs::remove_dir_all(&folder);
    let mut maker = Maker::new(1, None);
    maker.start("s1").call("s1", "verify").rotate_file().call("s1", "pay");
    let mut case = Case::new("several", maker.files);
    case.files[1].1[1] = later(&case.files[1].1[1]);
    let path = write(&folder, &case);
    let begun = Journal::at(&path).reanchor("a disk").unwrap();
    begun.journal.close().unwrap();
    let verdict = || verify::verify(&path, &Options::default()).unwrap().problem;
    assert_eq!(verdict(), None);
    for name in ["audit.jsonl.broken-1.1", "audit.jsonl.broken-1"] {
        let whole = fs::read(folder.join(name)).unwrap();
        fs::write(folder.join(name), "nothing").unwrap();
        assert_eq!(verdict().unwrap().code, verify::Code::Edited);
        fs::write(folder.join(name), whole).unwrap();
    }
    assert_eq!(verdict(), None);
}

/// Numbers that look random and are the same each time.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }

    fn byte(&mut self) -> u8 {
        self.below(256) as u8
    }
}

#[test]
fn no_change_of_bytes_verifies() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("fuzz");
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join("audit.jsonl");
    let mut random = Random(5);
    for signed in [true, false] {
        let mut maker = whole(signed);
        let base = bytes(maker.lines());
        let checkpoint = signed.then(|| maker.note());
        let options = Options {
            checkpoint,
            expect_at_least: Some(maker.seq),
            threads: NonZeroUsize::new(1),
            ..Options::default()
        };
        fs::write(&path, &base).unwrap();
        assert!(verify::verify(&path, &options).unwrap().holds());
        for _ in 0..4_000 {
            let mut edited = base.clone();
            for _ in 0..=random.below(3) {
                let at = random.below(edited.len());
                let to = (at + random.below(40)).min(edited.len());
                match random.below(6) {
                    0 => edited[at] = random.byte(),
                    1 => edited[at] = base[random.below(base.len())],
                    2 => edited.insert(at, random.byte()),
                    3 => drop(edited.drain(at..to)),
                    4 => {
                        let piece = edited[at..to].to_vec();
                        edited.splice(at..at, piece);
                    }
                    _ => edited[at..to].reverse(),
                }
            }
            fs::write(&path, &edited).unwrap();
            let report = verify::verify(&path, &options).unwrap();
            // Bytes after the last newline are a write that was cut off: they are no record, and it is said that they are there.
            let whole_lines = edited.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
            let same =
                edited == base || edited[..whole_lines] == base && report.notice(verify::Remark::TornTail).is_some();
            assert_eq!(report.holds(), same, "{}", String::from_utf8_lossy(&edited));
        }
        for _ in 0..500 {
            let noise: Vec<u8> = (0..random.below(400)).map(|_| random.byte()).collect();
            fs::write(&path, &noise).unwrap();
            assert!(!verify::verify(&path, &options).unwrap().holds());
        }
    }
}
