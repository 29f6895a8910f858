//! Verifier keys: a public key with the name that its signatures carry.

use std::fmt;

use sha2::{Digest as _, Sha256};

use super::{NoteError, parse};
use crate::journal::base64;
use crate::journal::key::PublicKey;
use crate::journal::record::Hex;

/// What a signature is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Algorithm {
    /// Ed25519 over the note's text (0x01): who wrote the note.
    Ed25519,
    /// Ed25519 over a time and the note's text (0x04): a witness, who saw no other journal of that name and size until then.
    CosignatureV1,
}

impl Algorithm {
    fn byte(self) -> u8 {
        match self {
            Self::Ed25519 => 1,
            Self::CosignatureV1 => 4,
        }
    }
}

/// A public key with a name: `name+hash+base64`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct VerifierKey {
    name: String,
    key: PublicKey,
    algorithm: Algorithm,
}

impl VerifierKey {
    /// A key under a name.
    ///
    /// # Errors
    /// If a signer cannot have this name.
    pub fn new(name: &str, key: PublicKey, algorithm: Algorithm) -> Result<Self, NoteError> {
        parse::check_name(name)?;
        Ok(Self { name: name.to_owned(), key, algorithm })
    }

    /// Reads `name+hash+base64`, the base64 of a byte for the algorithm and the key.
    ///
    /// # Errors
    /// If it is not that, or does not belong together.
    pub fn parse(text: &str) -> Result<Self, NoteError> {
        let mut parts = text.splitn(3, '+');
        let (Some(name), Some(id), Some(encoded)) = (parts.next(), parts.next(), parts.next()) else {
            return Err(NoteError::VerifierKey);
        };
        let id = Hex::parse(id).ok_or(NoteError::VerifierKey)?;
        let bytes = base64::decode(encoded).ok_or(NoteError::VerifierKey)?;
        let (algorithm, key) = match bytes.split_first() {
            Some((1, key)) => (Algorithm::Ed25519, key),
            Some((4, key)) => (Algorithm::CosignatureV1, key),
            _ => return Err(NoteError::VerifierKey),
        };
        let key = key.try_into().map_err(|_| NoteError::VerifierKey)?;
        let key = Self::new(name, PublicKey::from_bytes(key).map_err(|_| NoteError::WeakKey)?, algorithm)?;
        if key.id() == id.0 { Ok(key) } else { Err(NoteError::VerifierHash) }
    }

    /// The name that the signatures carry.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The key.
    #[must_use]
    pub fn key(&self) -> PublicKey {
        self.key
    }

    /// What its signatures are made of.
    #[must_use]
    pub fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// The key id: the first bytes of `SHA-256(name || 0x0A || algorithm || key)`.
    #[must_use]
    pub fn id(&self) -> [u8; 4] {
        let hash: [u8; 32] = Sha256::new()
            .chain_update(&self.name)
            .chain_update([b'\n', self.algorithm.byte()])
            .chain_update(self.key.as_bytes())
            .finalize()
            .into();
        let [a, b, c, d, ..] = hash;
        [a, b, c, d]
    }
}

impl fmt::Display for VerifierKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let encoded = base64::encode(&[&[self.algorithm.byte()], self.key.as_bytes().as_slice()].concat());
        write!(f, "{}+{}+{encoded}", self.name, Hex(self.id()))
    }
}
