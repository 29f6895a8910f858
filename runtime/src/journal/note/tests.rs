use super::*;
use crate::journal::base64;
use crate::journal::record::Base64;

/// The note in the documentation of Go's `golang.org/x/mod/sumdb/note`.
const VERIFIER: &str = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW";
const SEED: &str = "gQoUAtUUbI2E8kQzMPVAgOv5juF9nHT2JS/F1ccoMXM=";
const TEXT: &str =
    "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n";
const SIGNATURE: &str =
    "— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n";

fn peter() -> SigningKey {
    SigningKey::from_bytes(&Base64::parse(SEED).unwrap().0)
}

fn note() -> String {
    format!("{TEXT}\n{SIGNATURE}")
}

fn verifier() -> VerifierKey {
    VerifierKey::parse(VERIFIER).unwrap()
}

#[test]
fn a_note_of_another_program_is_read_checked_and_made_again() {
    let read = Note::parse(&note()).unwrap();
    assert_eq!(read.text(), TEXT);
    assert_eq!(read.check(&verifier()), Checked::Signed { time: None });
    assert_eq!(read.to_string(), note());
    assert_eq!(Note::sign(TEXT, "PeterNeumann", &peter()).unwrap().to_string(), note());
    assert_eq!(verifier().to_string(), VERIFIER);
    assert_eq!(verifier().key(), peter().public());
}

#[test]
fn a_changed_note_is_not_signed() {
    let changed = Note::parse(&note().replace("answer", "Answer")).unwrap();
    assert_eq!(changed.check(&verifier()), Checked::Wrong);
    let longer = Note::parse(&note().replace(TEXT, &format!("{TEXT}\n"))).unwrap();
    assert_eq!(longer.check(&verifier()), Checked::Wrong);
    // Another name or another key: not this signer's.
    let renamed = Note::parse(&note().replace("— PeterNeumann", "— PeterNewman")).unwrap();
    assert_eq!(renamed.check(&verifier()), Checked::Unsigned);
    let other = SigningKey::from_bytes(&[1; 32]);
    let other = Note::sign(TEXT, "PeterNeumann", &other).unwrap();
    assert_eq!(other.check(&verifier()), Checked::Unsigned);
    // Signed by both, and by somebody unknown.
    let mut both = other;
    both.add(NoteSignature::new(TEXT, "PeterNeumann", &peter()).unwrap()).unwrap();
    both.add(NoteSignature { name: "post-quantum".to_owned(), id: [0; 4], bytes: vec![1; 2420] }).unwrap();
    let both = Note::parse(&both.to_string()).unwrap();
    assert_eq!(both.signatures().len(), 3);
    assert_eq!(both.check(&verifier()), Checked::Signed { time: None });
    // One right signature does not outweigh a wrong one of the same key.
    let mut spoilt = both;
    spoilt.add(NoteSignature { name: "PeterNeumann".to_owned(), id: verifier().id(), bytes: vec![1; 64] }).unwrap();
    assert_eq!(spoilt.check(&verifier()), Checked::Wrong);
}

#[test]
fn notes_have_one_spelling() {
    let fine = note();
    for (wrong, error) in [
        (String::new(), NoteError::NoSignature),
        (TEXT.to_owned(), NoteError::NoSignature),
        (format!("{TEXT}\n"), NoteError::NoSignature),
        (format!("\n{SIGNATURE}"), NoteError::NoSignature),
        (format!("{TEXT}{SIGNATURE}"), NoteError::NoSignature),
        (format!("{TEXT}\n{}", SIGNATURE.trim_end()), NoteError::SignatureLine),
        (format!("{fine}\n"), NoteError::NoSignature),
        (format!("{fine}more\n"), NoteError::SignatureLine),
        (fine.replace("— P", "- P"), NoteError::SignatureLine),
        (fine.replace("— P", "—  P"), NoteError::Name),
        (fine.replace("— P", "—P"), NoteError::SignatureLine),
        (fine.replace(" x08", "  x08"), NoteError::SignatureLine),
        (fine.replace("Jnam=", "Jnan="), NoteError::SignatureLine),
        (fine.replace("PeterNeumann", "Peter+Neumann"), NoteError::Name),
        (fine.replace("PeterNeumann", "Peter\u{a0}Neumann"), NoteError::Name),
        (fine.replace("PeterNeumann", "Peter\tNeumann"), NoteError::Name),
        (fine.replace("PeterNeumann", "Peter\u{9b}Neumann"), NoteError::Name),
        (fine.replace('\n', "\r\n"), NoteError::NoSignature),
        (fine.replace(",\n", ",\r\n"), NoteError::Text),
        (fine.replace("If", "\0If"), NoteError::Text),
        (format!("{TEXT}\n— PeterNeumann x08goA==\n").replace("goA", "g"), NoteError::SignatureLine),
        (format!("{TEXT}\n— PeterNeumann x08gow==\n"), NoteError::SignatureLine),
        (format!("{TEXT}\n{}", SIGNATURE.repeat(65)), NoteError::TooManySignatures),
        (format!("{}\n{SIGNATURE}", TEXT.repeat(3000)), NoteError::TooLong),
    ] {
        if wrong != fine {
            assert_eq!(Note::parse(&wrong), Err(error), "{:?}", wrong.chars().take(400).collect::<String>());
        }
    }
    assert!(Note::parse(&format!("{TEXT}\n{}", SIGNATURE.repeat(64))).is_ok());
    assert_eq!(Note::sign("no newline", "me", &peter()), Err(NoteError::Text));
    assert_eq!(Note::sign("a\n", "you and me", &peter()), Err(NoteError::Name));
    // Empty lines belong to the text, all but the last.
    let verse = Note::sign("one\n\ntwo\n\n\n", "me", &peter()).unwrap();
    assert_eq!(Note::parse(&verse.to_string()), Ok(verse));
}

#[test]
fn verifier_keys_have_one_spelling() {
    for start in 0..VERIFIER.len() {
        for end in start..=VERIFIER.len() {
            let part = VERIFIER.get(start..end).unwrap();
            assert_eq!(VerifierKey::parse(part).is_ok(), part == VERIFIER, "{part}");
        }
    }
    let bytes = VERIFIER.as_bytes();
    for at in 0..bytes.len() {
        let mut changed = bytes.to_vec();
        changed[at] ^= 1;
        assert!(VerifierKey::parse(std::str::from_utf8(&changed).unwrap()).is_err(), "{at}");
    }
    for (wrong, error) in [
        // A key that is too long and an unknown algorithm, each with the hash that belongs to it.
        ("PeterNeumann+cc469956+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TWBADKEY==", NoteError::VerifierKey),
        ("PeterNeumann+173116ae+ZRpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW", NoteError::VerifierKey),
        ("PeterNeumann+C74F20A3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW", NoteError::VerifierKey),
        ("PeterNewman+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW", NoteError::VerifierHash),
        ("weak+00000000+AQEAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", NoteError::WeakKey),
        ("+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW", NoteError::Name),
        ("", NoteError::VerifierKey),
    ] {
        assert_eq!(VerifierKey::parse(wrong), Err(error), "{wrong}");
    }
}

/// The cosignature of a witness, as C2SP tlog-cosignature describes it.
fn cosign(text: &str, time: u64, signed_time: &str, witness: &VerifierKey, key: &SigningKey) -> NoteSignature {
    let message = format!("cosignature/v1\ntime {signed_time}\n{text}");
    let bytes = [time.to_be_bytes().as_slice(), &key.sign(message.as_bytes()).0].concat();
    NoteSignature { name: witness.name().to_owned(), id: witness.id(), bytes }
}

#[test]
fn witnesses_say_when() {
    let key = SigningKey::from_bytes(&[2; 32]);
    let witness = VerifierKey::new("witness.example/w1", key.public(), Algorithm::CosignatureV1).unwrap();
    assert_eq!(VerifierKey::parse(&witness.to_string()), Ok(witness.clone()));
    let note = Note::parse(&note()).unwrap();
    let with = |signature| {
        let mut note = note.clone();
        note.add(signature).unwrap();
        Note::parse(&note.to_string()).unwrap().check(&witness)
    };
    let time = 1_679_315_147;
    assert_eq!(note.check(&witness), Checked::Unsigned);
    let signed = Checked::Signed { time: Some(time) };
    assert_eq!(with(cosign(TEXT, time, "1679315147", &witness, &key)), signed);
    assert_eq!(with(cosign(TEXT, time, "1679315148", &witness, &key)), Checked::Wrong, "another time");
    assert_eq!(with(cosign(TEXT, time, "01679315147", &witness, &key)), Checked::Wrong, "a leading zero");
    assert_eq!(with(cosign("", time, "1679315147", &witness, &key)), Checked::Wrong, "another text");
    assert_eq!(with(cosign(TEXT, u64::MAX, "18446744073709551615", &witness, &key)), Checked::Wrong, "beyond 2⁶³");
    // The same key as an ordinary signer is another one: neither signature passes for the other.
    let signer = VerifierKey::new("witness.example/w1", key.public(), Algorithm::Ed25519).unwrap();
    assert_ne!(signer.id(), witness.id());
    let plain = NoteSignature { id: witness.id(), ..NoteSignature::new(TEXT, signer.name(), &key).unwrap() };
    assert_eq!(with(plain), Checked::Wrong);
    let timed = NoteSignature { id: signer.id(), ..cosign(TEXT, time, "1679315147", &witness, &key) };
    let mut confused = note.clone();
    confused.add(timed).unwrap();
    assert_eq!(confused.check(&signer), Checked::Wrong);
}

#[test]
fn a_checkpoint_with_a_cosignature_is_read_as_it_is_written() {
    // The example of C2SP tlog-cosignature.
    let example = "example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n\n\
        — example.com/behind-the-sofa Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=\n\
        — witness.example.com/w1 jWbPPwAAAABkGFDLEZMHwSRaJNiIDoe9DYn/zXcrtPHeolMI5OWXEhZCB9dlrDJsX3b2oyin1nPZqhf5nNo0xUe+mbIUBkBIfZ+qnA==\n";
    let note = Note::parse(example).unwrap();
    assert_eq!(note.to_string(), example);
    let witness = &note.signatures()[1];
    assert_eq!((witness.name(), base64::encode(&witness.id())), ("witness.example.com/w1", "jWbPPw==".to_owned()));
    assert_eq!(witness.bytes[..8], 1_679_315_147u64.to_be_bytes());
    assert_eq!(base64::decode("jWbPPw==").unwrap(), witness.id());
}
