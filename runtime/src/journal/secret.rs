//! The secret under which a journal digests content: HMAC-SHA-256 (RFC 2104).
//!
//! A plain hash of `{"id":5}` is found by trying; one under a secret of 32 random bytes is not. The secret lies in
//! `<journal>.secret`, as 64 hexadecimal digits and a newline, and nowhere else; once it is destroyed, no digest can be guessed
//! any more. What the journal says about it is its commitment, so that a secret that is shown later can be checked.
//!
//! * [`Secret`]: `generate`, `from_bytes`, `read(path)`, `write_new(path)`, `digests`;
//! * [`Digests`]: `digest(bytes)`, `commitment()`.

use std::fmt;
use std::hint::black_box;
use std::path::Path;

use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;
use zeroize::Zeroizing;

use super::Hash;
use super::key::{KeyError, private_file};
use super::record::Hex;

/// What is digested under a secret to name it.
const COMMITTED: &[u8] = b"interlock journal secret";

/// The secret of a journal. Its bytes are overwritten when it goes.
pub struct Secret(Zeroizing<[u8; 32]>);

impl Secret {
    /// A new secret, from the system's random numbers.
    ///
    /// # Errors
    /// If the system has none.
    pub fn generate() -> Result<Self, KeyError> {
        let mut bytes = Zeroizing::new([0; 32]);
        getrandom::fill(&mut *bytes).map_err(|_| KeyError::Random)?;
        Ok(Self(bytes))
    }

    /// The secret with these bytes: for tests, and where the same journal is to be made again.
    #[must_use]
    pub fn from_bytes(bytes: &[u8; 32]) -> Self {
        Self(Zeroizing::new(*bytes))
    }

    /// Reads a secret's file.
    ///
    /// # Errors
    /// If it cannot be read, if others than its owner may read it (on Unix), or if it holds no secret.
    pub fn read(path: &Path) -> Result<Self, KeyError> {
        let text = private_file::read(path)?;
        let digits = text.strip_suffix('\n').unwrap_or(&text);
        let bytes = Hex::parse(digits).map(|bytes| Zeroizing::new(bytes.0));
        bytes.map(Self).ok_or(KeyError::Malformed {
            path: Some(path.to_owned()),
            problem: "is not a journal's secret: that is 64 hexadecimal digits (0-9, a-f)",
        })
    }

    /// Writes the secret to a new file that only its owner may read.
    ///
    /// # Errors
    /// If the file exists, or cannot be written.
    pub fn write_new(&self, path: &Path) -> Result<(), KeyError> {
        let mut text = Zeroizing::new(Hex(*self.0).to_string());
        text.push('\n');
        private_file::write_new(path, &text)
    }

    /// What makes digests under this secret.
    #[must_use]
    pub fn digests(&self) -> Digests {
        Digests::new(&self.0)
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// Makes digests under a secret, whose two padded blocks are hashed once and for all.
#[derive(Clone)]
pub struct Digests(Hmac<Sha256>);

impl Digests {
    fn new(secret: &[u8; 32]) -> Self {
        let mut block = Zeroizing::new([0; 64]);
        // HMAC fills a short key up with zeros.
        for (to, from) in block.iter_mut().zip(secret) {
            *to = *from;
        }
        Self(Hmac::new(&(*block).into()))
    }

    /// The digest of some bytes.
    #[must_use]
    pub fn digest(&self, bytes: &[u8]) -> Hash {
        Hex(self.0.clone().chain_update(bytes).finalize().into_bytes().into())
    }

    /// What a journal says about its secret: the digest of `interlock journal secret`.
    #[must_use]
    pub fn commitment(&self) -> Hash {
        self.digest(COMMITTED)
    }
}

impl fmt::Debug for Digests {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Digests(under {})", self.commitment())
    }
}

impl Drop for Digests {
    fn drop(&mut self) {
        self.0 = Hmac::new(&[0; 64].into());
        // Or the compiler would see that nobody reads what was written.
        black_box(&mut self.0);
    }
}

#[cfg(test)]
mod tests;
