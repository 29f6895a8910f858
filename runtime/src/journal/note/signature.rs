//! A note's signature: `— <name> base64(key id || signature)`.

use std::fmt;

use super::verifier::{Algorithm, VerifierKey};
use super::{NoteError, parse};
use crate::journal::base64;
use crate::journal::key::SigningKey;

/// A line that says who signed, by name and key id, and the signature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoteSignature {
    pub(super) name: String,
    pub(super) id: [u8; 4],
    pub(super) bytes: Vec<u8>,
}

impl NoteSignature {
    /// The Ed25519 signature of a text.
    pub(super) fn new(text: &str, name: &str, key: &SigningKey) -> Result<Self, NoteError> {
        let verifier = VerifierKey::new(name, key.public(), Algorithm::Ed25519)?;
        Ok(Self { name: name.to_owned(), id: verifier.id(), bytes: key.sign(text.as_bytes()).0.to_vec() })
    }

    /// Reads a line, without its newline.
    pub(super) fn parse(line: &str) -> Result<Self, NoteError> {
        let (name, encoded) =
            line.strip_prefix("— ").and_then(|rest| rest.split_once(' ')).ok_or(NoteError::SignatureLine)?;
        parse::check_name(name)?;
        let bytes = base64::decode(encoded).ok_or(NoteError::SignatureLine)?;
        match bytes.split_first_chunk() {
            Some((id, rest)) if !rest.is_empty() => Ok(Self { name: name.to_owned(), id: *id, bytes: rest.to_vec() }),
            _ => Err(NoteError::SignatureLine),
        }
    }

    /// The name of the signer, which anybody can write.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The first bytes of a hash of the signer's name and key. They say which key to check with, no more.
    #[must_use]
    pub fn id(&self) -> [u8; 4] {
        self.id
    }
}

impl fmt::Display for NoteSignature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "— {} {}", self.name, base64::encode(&[&self.id, self.bytes.as_slice()].concat()))
    }
}
