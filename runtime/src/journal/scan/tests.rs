#![expect(clippy::arithmetic_side_effects, reason = "test code")]

use super::*;
use crate::Time;
use crate::journal::record::{self, Head, Hex, Record};
use crate::value::lcg::Lcg;

fn below(random: &mut Lcg, bound: usize) -> usize {
    usize::try_from(random.next() % bound as u64).unwrap()
}

/// One line of each kind, without its newline.
fn lines() -> Vec<Vec<u8>> {
    let head = Head {
        at: Time::EPOCH,
        journal: Hex([0xab; 8]),
        prev: Hex([0xcd; 32]),
        seq: 1_000,
        session: Some("s \"1\"\\ \u{1}\u{1f}\n\u{7f} ünï 😀".into()),
    };
    let encoded = |body| {
        let mut line = Vec::new();
        record::encode(&head, &body, &mut line);
        line.pop();
        line
    };
    record::tests::bodies().into_iter().map(encoded).collect()
}

#[test]
fn each_kind_is_scanned_with_its_fields_and_its_hash() {
    for line in lines() {
        let scanned = scan(&line).unwrap_or_else(|flaw| panic!("{}\n{flaw}", String::from_utf8_lossy(&line)));
        let record = Record::decode(&line).unwrap();
        assert_eq!(scanned.kind(), record.body.kind());
        assert_eq!((scanned.hash, scanned.computed()), (record.hash, record.hash));
        assert_eq!((scanned.prev, scanned.journal, scanned.seq), (record.head.prev, record.head.journal, 1_000));
        let session = scanned.raw("session").and_then(unescaped);
        assert_eq!(session.as_deref(), record.head.session.as_deref());
    }
}

#[test]
fn the_scanner_accepts_what_the_decoder_accepts() {
    let mut random = Lcg::new(7);
    let snippets: [&[u8]; 16] = [
        b" ", b"\r", b"\\u0041", b"\\/", b"\\u001F", b"\\u001f", b"\\u0009", b"\\t", b"1", b"0", b".0", b"e0", b"null",
        b"\xff", b"\"", b",",
    ];
    let mut accepted = 0;
    for line in lines() {
        for _ in 0..4_000 {
            let mut edited = line.clone();
            for _ in 0..=below(&mut random, 2) {
                let at = below(&mut random, edited.len());
                match below(&mut random, 5) {
                    0 => edited[at] = u8::try_from(below(&mut random, 256)).unwrap(),
                    1 => edited[at] = line[below(&mut random, line.len())],
                    2 => drop(edited.remove(at)),
                    3 => drop(edited.splice(at..at, snippets[below(&mut random, snippets.len())].iter().copied())),
                    _ => {
                        let to = (at + below(&mut random, 12)).min(edited.len());
                        let piece = edited[at..to].to_vec();
                        edited.splice(at..at, piece);
                    }
                }
            }
            let (scanned, decoded) = (scan(&edited), Record::decode(&edited));
            assert_eq!(
                scanned.is_ok(),
                decoded.is_ok(),
                "{}\n{:?}\n{:?}",
                String::from_utf8_lossy(&edited),
                scanned.err(),
                decoded.err()
            );
            accepted += usize::from(scanned.is_ok());
        }
    }
    // Edits within strings leave a record.
    assert!(accepted > 1_000, "{accepted}");
}

#[test]
fn random_bytes_and_cut_lines_are_flaws() {
    let mut random = Lcg::new(11);
    for _ in 0..5_000 {
        let length = below(&mut random, 200);
        let bytes: Vec<u8> = (0..length).map(|_| u8::try_from(below(&mut random, 256)).unwrap()).collect();
        assert!(scan(&bytes).is_err());
    }
    for line in lines() {
        for end in 0..line.len() {
            assert!(scan(&line[..end]).is_err());
        }
    }
}

#[test]
fn what_is_wrong_is_said() {
    let line = String::from_utf8(lines().swap_remove(0)).unwrap();
    let says = |line: &str| scan(line.as_bytes()).unwrap_err().to_string();
    assert!(says(&format!("{line}\r")).ends_with("found a carriage return: lines end in a newline alone"));
    assert!(says(&format!("\u{feff}{line}")).ends_with("at byte 0, expected `{`, found a byte order mark"));
    assert!(says(&line.replacen(':', ": ", 1)).ends_with("found white space"));
    assert!(says("").ends_with("found an empty line"));
    assert!(says(&line.replacen("\"seq\":1000", "\"seq\":1e3", 1)).contains("found a number in another spelling"));
    assert!(says(&line.replacen("\"seq\":1000", "\"seq\":01000", 1)).contains("expected an integer"));
    assert!(says(&line.replacen("\"seq\":1000", "\"seq\":9007199254740992", 1)).contains("expected an integer"));
    assert!(
        says(&line.replacen("\"seq\":1000", "\"seq\":1000,\"seq\":1000", 1)).contains("expected the field `session`")
    );
    assert!(says(&format!("{line}{line}")).starts_with("two records on one line"));
    assert!(says(&line.replacen("\"v\":1", "\"v\":2", 1)).contains("the version of the format"));
}
