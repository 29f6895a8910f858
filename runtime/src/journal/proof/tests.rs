use std::fs;
use std::path::{Path, PathBuf};

use super::*;
use crate::Time;
use crate::journal::record::{self, Head, Hex, NO_HASH, Record};
use crate::journal::{Algorithm, Checkpoint, Hash, Note, SigningKey, VerifierKey, tree};

const JOURNAL: record::Id = Hex([1; 8]);

/// The lines of a journal.
fn lines(count: u64) -> Vec<Vec<u8>> {
    let mut prev = NO_HASH;
    let line = |seq| {
        let mut line = Vec::new();
        let head = Head { at: Time::EPOCH, journal: JOURNAL, prev, seq, session: None };
        let body = record::Gap { missing: seq, why: "test".into() };
        prev = record::encode(&head, &body.into(), &mut line);
        line
    };
    (0..count).map(line).collect()
}

fn hash_of(line: &[u8]) -> Hash {
    Record::decode(line.strip_suffix(b"\n").unwrap()).unwrap().hash
}

fn checkpoint(lines: &[Vec<u8>]) -> Checkpoint {
    let mut frontier = tree::Frontier::default();
    lines.iter().for_each(|line| frontier.append(tree::leaf(&hash_of(line).0)));
    Checkpoint::new(JOURNAL, &frontier)
}

fn key() -> SigningKey {
    SigningKey::from_bytes(&[5; 32])
}

fn trust() -> Trust {
    Trust { keys: vec![key().public()], witnesses: Vec::new() }
}

struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("interlock-proof-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    fn write(&self, name: &str, lines: &[Vec<u8>]) -> PathBuf {
        let path = self.0.join(name);
        fs::write(&path, lines.concat()).unwrap();
        path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn include(journal: &Path, seq: u64, checkpoint: &Checkpoint) -> Result<InclusionProof, ProveError> {
    InclusionProof::make(journal, seq, checkpoint.sign(&key()).unwrap())
}

#[test]
fn every_record_is_proved_without_the_others() {
    let scratch = Scratch::new("records");
    let lines = lines(13);
    // Two files, and a line that is being written.
    scratch.write("j.1", &lines[..5]);
    let journal = scratch.write("j", &[&lines[5..], &[b"{\"at\"".to_vec()]].concat());
    for size in 1..=13 {
        let under = checkpoint(&lines[..size]);
        for (seq, line) in (0u64..).zip(&lines[..size]) {
            let made = include(&journal, seq, &under).unwrap();
            let read = InclusionProof::parse(&made.to_string()).unwrap();
            assert_eq!(read, made);
            assert_eq!(read.record.as_deref(), line.strip_suffix(b"\n"));
            let proven = read.check(&trust()).unwrap();
            assert_eq!((proven.checkpoint, proven.signer), (under.clone(), key().public()));
        }
        assert!(matches!(include(&journal, u64::try_from(size).unwrap(), &under), Err(ProveError::NotYet { .. })));
    }
}

#[test]
fn every_earlier_checkpoint_is_continued() {
    let scratch = Scratch::new("checkpoints");
    let lines = lines(13);
    let journal = scratch.write("j", &lines);
    for new in 0..=13 {
        for old in 0..=new {
            let (before, after) = (checkpoint(&lines[..old]), checkpoint(&lines[..new]));
            let made = ConsistencyProof::make(&journal, &before, after.sign(&key()).unwrap()).unwrap();
            let read = ConsistencyProof::parse(&made.to_string()).unwrap();
            assert_eq!(read, made);
            assert_eq!(read.check(&before, &trust()).unwrap().checkpoint, after);
            let changed = Checkpoint { root: Hex([9; 32]), ..before.clone() };
            assert_eq!(read.check(&changed, &trust()), Err(Refuted::Path));
            if old < new {
                let error = ConsistencyProof::make(&journal, &after, before.sign(&key()).unwrap());
                assert!(matches!(error, Err(ProveError::Backwards { .. })));
            }
        }
    }
}

#[test]
fn a_journal_that_is_not_that_of_the_checkpoint_proves_nothing() {
    let scratch = Scratch::new("journals");
    let mut lines = lines(6);
    let under = checkpoint(&lines);
    let short = scratch.write("short", &lines[..5]);
    assert!(matches!(include(&short, 0, &under), Err(ProveError::Short { records: 5, size: 6 })));
    assert!(matches!(include(&scratch.0.join("none"), 0, &under), Err(ProveError::Io { .. })));
    let other = Checkpoint { origin: "interlock.journal/2222222222222222".into(), ..under };
    assert!(matches!(include(&short, 0, &other), Err(ProveError::Foreign { .. })));
    lines.swap(1, 2);
    let swapped = scratch.write("swapped", &lines);
    assert!(matches!(include(&swapped, 0, &under), Err(ProveError::Differs { size: 6 })));
    let earlier = checkpoint(&lines[..3]);
    let error = ConsistencyProof::make(&short, &earlier, checkpoint(&lines[..5]).sign(&key()).unwrap());
    assert!(matches!(error, Err(ProveError::Differs { size: 3 })));
    lines[3][10] ^= 1;
    let edited = scratch.write("edited", &lines);
    assert!(matches!(include(&edited, 0, &under), Err(ProveError::Line { line: 4, .. })));
}

#[test]
fn what_a_proof_says_of_itself_counts_for_nothing() {
    let scratch = Scratch::new("refuted");
    let lines = lines(9);
    let journal = scratch.write("j", &lines);
    let under = checkpoint(&lines[..8]);
    let proof = include(&journal, 3, &under).unwrap();
    let about = |record| {
        let mut proof = proof.clone();
        proof.record = record;
        proof
    };
    let with = |line: &[u8]| about(Some(line.strip_suffix(b"\n").unwrap().to_vec()));
    assert!(with(&lines[3]).check(&trust()).is_ok());
    assert_eq!(with(&lines[4]).check(&trust()), Err(Refuted::OtherRecord));
    assert_eq!(about(None).check(&trust()), Err(Refuted::NoRecord));
    // Another record with the same number, and one of another journal.
    let mut forged = Vec::new();
    let head = Head { at: Time::EPOCH, journal: JOURNAL, prev: NO_HASH, seq: 3, session: None };
    record::encode(&head, &record::Gap { missing: 7, why: "forged".into() }.into(), &mut forged);
    assert_eq!(with(&forged).check(&trust()), Err(Refuted::Path));
    let mut foreign = Vec::new();
    let head = Head { journal: Hex([2; 8]), ..head };
    record::encode(&head, &record::Gap { missing: 7, why: "forged".into() }.into(), &mut foreign);
    assert_eq!(with(&foreign).check(&trust()), Err(Refuted::OtherRecord));
    // A record that lies about its hash: the leaf would be right.
    let mut lying = lines[3].clone();
    let at = lying.windows(4).position(|window| window == b"test").unwrap();
    lying[at] = b'T';
    assert!(matches!(with(&lying).check(&trust()), Err(Refuted::Record(_))));
    assert!(matches!(with(b"nonsense\n").check(&trust()), Err(Refuted::Record(_))));

    // Every byte of the proof counts, but those of signatures that nobody trusts.
    let text = proof.to_string();
    for at in 0..text.len() {
        let mut bytes = text.clone().into_bytes();
        bytes[at] ^= 1;
        let Ok(changed) = String::from_utf8(bytes) else { continue };
        let holds = InclusionProof::parse(&changed).is_ok_and(|proof| proof.check(&trust()).is_ok());
        assert!(!holds, "{changed}");
    }
}

#[test]
fn only_trusted_signatures_count() {
    let lines = lines(4);
    let under = checkpoint(&lines);
    let scratch = Scratch::new("trust");
    let journal = scratch.write("j", &lines);
    let other = SigningKey::from_bytes(&[6; 32]);
    let proof = include(&journal, 0, &under).unwrap();
    let check = |proof: &InclusionProof, keys: &[&SigningKey], witnesses: &[VerifierKey]| {
        let keys = keys.iter().map(|key| key.public()).collect();
        proof.check(&Trust { keys, witnesses: witnesses.to_vec() }).map(|proven| proven.signer)
    };
    assert_eq!(check(&proof, &[], &[]), Err(Refuted::Untrusted));
    assert_eq!(check(&proof, &[&other], &[]), Err(Refuted::Untrusted));
    assert_eq!(check(&proof, &[&other, &key()], &[]), Ok(key().public()));
    let witness = VerifierKey::new("witness.example", other.public(), Algorithm::CosignatureV1).unwrap();
    let unwitnessed = Refuted::NotWitnessed("witness.example".into());
    assert_eq!(check(&proof, &[&key()], std::slice::from_ref(&witness)), Err(unwitnessed));
    // The same signature under another name is not one of this journal.
    let elsewhere = Note::sign(under.to_string(), "interlock.journal/elsewhere", &key()).unwrap();
    let elsewhere = InclusionProof::make(&journal, 0, elsewhere).unwrap();
    assert_eq!(check(&elsewhere, &[&key()], &[]), Err(Refuted::Untrusted));
    // A key's signature of another checkpoint, pasted in.
    let pasted = under.sign(&key()).unwrap().to_string();
    let pasted = pasted.replace(under.to_string().as_str(), checkpoint(&lines[..3]).to_string().as_str());
    let pasted = InclusionProof::make(&journal, 0, Note::parse(&pasted).unwrap()).unwrap();
    assert_eq!(check(&pasted, &[&key()], &[]), Err(Refuted::BadSignature));
}

#[test]
fn proofs_have_one_spelling() {
    let lines = lines(4);
    let under = checkpoint(&lines);
    let note = under.sign(&key()).unwrap();
    let hash = "nkjqcbVPOTkc2D3vxqjrR6wnjGq5mbl8tnMmIpk9HVs=\n";
    let fine = format!("c2sp.org/tlog-proof@v1\nextra AAAA\nindex 3\n{hash}{hash}\n{note}");
    assert_eq!(InclusionProof::parse(&fine).unwrap().to_string(), fine);
    for (wrong, error) in [
        (String::new(), ProofError::Kind),
        (fine.replace("v1", "v2"), ProofError::Kind),
        (fine.replace('\n', "\r\n"), ProofError::Kind),
        (fine.replace("AAAA", "AAA"), ProofError::Extra),
        (fine.replace("extra AAAA\n", "extra  AAAA\n"), ProofError::Extra),
        (fine.replace("index 3", "index 03"), ProofError::Number),
        (fine.replace("index 3", "index -3"), ProofError::Number),
        (fine.replace("index 3\n", ""), ProofError::Number),
        (fine.replace("extra AAAA\nindex 3\n", "index 3\nextra AAAA\n"), ProofError::Path),
        (fine.replacen("HVs=", "HVt=", 1), ProofError::Path),
        (fine.replacen(hash, &hash.repeat(66), 1), ProofError::Path),
        (fine.replace(&note.to_string(), ""), ProofError::Note(crate::journal::NoteError::NoSignature)),
    ] {
        assert_eq!(InclusionProof::parse(&wrong), Err(error), "{wrong}");
    }
    let fine = format!("old 3\n\n{note}");
    assert_eq!(ConsistencyProof::parse(&fine).unwrap().to_string(), fine);
    for (wrong, error) in [
        (fine.replace("old 3", "new 3"), ProofError::Kind),
        (fine.replace("old 3", "old 3 "), ProofError::Number),
        (fine.replace("old 3\n", "old 3"), ProofError::Path),
        (format!("old 3\n{hash}"), ProofError::NoCheckpoint),
    ] {
        assert_eq!(ConsistencyProof::parse(&wrong), Err(error), "{wrong}");
    }
}
