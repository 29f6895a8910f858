//! What a note says under a key.

use super::verifier::{Algorithm, VerifierKey};
use super::{Note, NoteSignature};
use crate::journal::record::Base64;

/// What a note's signatures are under one key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Checked {
    /// None is of this key.
    Unsigned,
    /// One says that it is of this key, and is not: the whole note is to be refused.
    Wrong,
    /// Signed.
    Signed {
        /// When, in seconds since the Unix epoch, where the signature says so: those of witnesses do.
        time: Option<u64>,
    },
}

impl Note {
    /// Whether a key signed the note.
    #[must_use]
    pub fn check(&self, verifier: &VerifierKey) -> Checked {
        let id = verifier.id();
        let mut checked = Checked::Unsigned;
        for signature in
            self.signatures.iter().filter(|signature| signature.id == id && signature.name == verifier.name())
        {
            match signature.check(&self.text, verifier) {
                // The first of several times is kept: a witness may sign again later, and an attacker may reorder lines, but
                // each of them is true.
                Some(time) if checked == Checked::Unsigned => checked = Checked::Signed { time },
                Some(_) => {}
                None => return Checked::Wrong,
            }
        }
        checked
    }
}

impl NoteSignature {
    /// The time of the signature, if it is one of this key.
    fn check(&self, text: &str, verifier: &VerifierKey) -> Option<Option<u64>> {
        match verifier.algorithm() {
            Algorithm::Ed25519 => {
                let signature = Base64(self.bytes.as_slice().try_into().ok()?);
                verifier.key().verify(text.as_bytes(), &signature).then_some(None)
            }
            Algorithm::CosignatureV1 => {
                let (time, signature) = self.bytes.split_first_chunk()?;
                let time = u64::from_be_bytes(*time);
                let signature = Base64(signature.try_into().ok()?);
                let message = format!("cosignature/v1\ntime {time}\n{text}");
                let holds = i64::try_from(time).is_ok() && verifier.key().verify(message.as_bytes(), &signature);
                holds.then_some(Some(time))
            }
        }
    }
}
