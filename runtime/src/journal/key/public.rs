//! Public keys.

use std::fmt;
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use ed25519_dalek::pkcs8::spki::der::pem::LineEnding;
use ed25519_dalek::pkcs8::{DecodePublicKey as _, EncodePublicKey as _};
use ed25519_dalek::{Signature as Ed25519Signature, SigningKey as Ed25519, VerifyingKey};

use super::KeyError;
use crate::journal::note::VerifierKey;
use crate::journal::record::{Key, Signature};

/// A key that verifies signatures, shown as the base64 of its 32 bytes.
///
/// INVARIANT: in its one canonical encoding, and not of small order: under such a key anybody's signature holds.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct PublicKey(VerifyingKey);

impl PublicKey {
    /// The key with this encoding (RFC 8032 §5.1.2).
    ///
    /// # Errors
    /// If it is none, or a weak one.
    pub fn from_bytes(bytes: &[u8; 32]) -> Result<Self, KeyError> {
        let key = VerifyingKey::from_bytes(bytes)
            .map_err(|_| KeyError::malformed("is not an Ed25519 public key: no point has these bytes"))?;
        if key.is_weak() || !is_canonical(bytes) {
            return Err(KeyError::malformed("is weak: anybody can make signatures that it accepts"));
        }
        Ok(Self(key))
    }

    /// Reads a public key: SPKI in PEM, the base64 of its 32 bytes, or a verifier key (`name+hash+base64`).
    ///
    /// # Errors
    /// If it is none of these, or a weak key.
    pub fn parse(text: &str) -> Result<Self, KeyError> {
        let text = text.trim();
        if text.contains("PRIVATE KEY-----") {
            return Err(KeyError::malformed("is a private key: give the public one, and keep this one to yourself"));
        }
        if text.starts_with("-----BEGIN") {
            let key = VerifyingKey::from_public_key_pem(text).map_err(|_| {
                KeyError::malformed("is not an Ed25519 public key in PEM (`-----BEGIN PUBLIC KEY-----`)")
            })?;
            return Self::from_bytes(key.as_bytes());
        }
        if let Some(key) = Key::parse(text) {
            return Self::from_bytes(&key.0);
        }
        match VerifierKey::parse(text) {
            Ok(key) => Ok(key.key()),
            Err(_) => Err(KeyError::malformed(
                "is not a public key: give PEM (`-----BEGIN PUBLIC KEY-----`), 32 bytes in base64, or `name+hash+base64`",
            )),
        }
    }

    /// Reads a public key's file, in any form of [`PublicKey::parse`].
    ///
    /// # Errors
    /// If it cannot be read or holds no such key.
    pub fn read(path: &Path) -> Result<Self, KeyError> {
        let mut text = String::new();
        File::open(path)
            .and_then(|file| file.take(4096).read_to_string(&mut text))
            .map_err(|error| KeyError::Io { path: path.to_owned(), error })?;
        Self::parse(&text).map_err(|error| error.in_file(path))
    }

    pub(super) fn of(key: &Ed25519) -> Self {
        Self(key.verifying_key())
    }

    /// Its 32 bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 32] {
        self.0.as_bytes()
    }

    /// SPKI in PEM, as in the file `KEY.pub`.
    ///
    /// # Errors
    /// Never in practice: the text of every key has the same length.
    pub fn to_pem(&self) -> Result<String, KeyError> {
        self.0.to_public_key_pem(LineEnding::LF).map_err(|_| KeyError::malformed("cannot be written as PEM"))
    }

    /// Whether this is the key's signature of the message; strictly, so that a signature cannot be changed into another one.
    #[must_use]
    pub fn verify(&self, message: &[u8], signature: &Signature) -> bool {
        self.0.verify_strict(message, &Ed25519Signature::from_bytes(&signature.0)).is_ok()
    }
}

/// Whether the coordinate, without its sign bit, is below 2²⁵⁵ − 19.
fn is_canonical([first, middle @ .., last]: &[u8; 32]) -> bool {
    last & 0x7f != 0x7f || middle.iter().any(|byte| *byte != 0xff) || *first < 0xed
}

impl From<PublicKey> for Key {
    fn from(key: PublicKey) -> Self {
        Self(*key.as_bytes())
    }
}

impl fmt::Display for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Key::from(*self).fmt(f)
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PublicKey({self})")
    }
}
