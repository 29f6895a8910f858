use super::*;
use crate::journal::note::Checked;

const TEXT: &str = "interlock.journal/0123456789abcdef\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n";

#[test]
fn checkpoints_have_one_spelling() {
    let read = Checkpoint::parse(TEXT).unwrap();
    assert_eq!((read.origin.as_str(), read.size), ("interlock.journal/0123456789abcdef", 20_852_163));
    assert_eq!(read.to_string(), TEXT);
    for (wrong, error) in [
        ("", CheckpointError::Lines),
        ("\n", CheckpointError::Lines),
        (TEXT.trim_end(), CheckpointError::Lines),
        (&format!("{TEXT}\n"), CheckpointError::Lines),
        (&format!("{TEXT}extension\n"), CheckpointError::Lines),
        (&TEXT.replace("interlock.journal/0123456789abcdef", ""), CheckpointError::Origin),
        (&TEXT.replace("interlock", &"x".repeat(300)), CheckpointError::Origin),
        (&TEXT.replace("20852163", "020852163"), CheckpointError::Size),
        (&TEXT.replace("20852163", "+20852163"), CheckpointError::Size),
        (&TEXT.replace("20852163", "-1"), CheckpointError::Size),
        (&TEXT.replace("20852163", "2e3"), CheckpointError::Size),
        (&TEXT.replace("20852163", ""), CheckpointError::Size),
        (&TEXT.replace("20852163", "20852163 "), CheckpointError::Size),
        (&TEXT.replace("20852163", "18446744073709551616"), CheckpointError::Size),
        (&TEXT.replace("q2I=", "q2J="), CheckpointError::Root),
        (&TEXT.replace("q2I=", "q2I"), CheckpointError::Root),
        (&TEXT.replace("CsUY", ""), CheckpointError::Root),
    ] {
        assert_eq!(Checkpoint::parse(wrong), Err(error), "{wrong}");
    }
}

#[test]
fn a_signed_checkpoint_is_a_note_of_its_origin() {
    let journal = Hex::parse("0123456789abcdef").unwrap();
    let mut frontier = Frontier::default();
    let empty = Checkpoint::new(journal, &frontier);
    assert_eq!(empty.to_string(), format!("{}\n0\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n", empty.origin));
    frontier.append(crate::journal::tree::leaf(&[1; 32]));
    let checkpoint = Checkpoint::new(journal, &frontier);
    let key = SigningKey::from_bytes(&[3; 32]);
    let note = Note::parse(&checkpoint.sign(&key).unwrap().to_string()).unwrap();
    assert_eq!(Checkpoint::parse(note.text()), Ok(checkpoint.clone()));
    assert_eq!(note.check(&checkpoint.verifier(key.public()).unwrap()), Checked::Signed { time: None });
    let other = SigningKey::from_bytes(&[4; 32]).public();
    assert_eq!(note.check(&checkpoint.verifier(other).unwrap()), Checked::Unsigned);
}
