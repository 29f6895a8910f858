//! Private keys.

use std::fmt;
use std::path::Path;

use ed25519_dalek::pkcs8::spki::der::pem::LineEnding;
use ed25519_dalek::pkcs8::{DecodePrivateKey as _, EncodePrivateKey as _, KeypairBytes};
use ed25519_dalek::{Signer as _, SigningKey as Ed25519};
use zeroize::Zeroizing;

use super::{KeyError, PublicKey, private_file};
use crate::journal::record::{Base64, Signature};

/// A key that signs. Its bytes are overwritten when it goes.
///
/// INVARIANT: nothing shows it: its `Debug` names the public key, and there is no copy; only [`SigningKey::write_new`] writes it.
pub struct SigningKey(Ed25519);

impl SigningKey {
    /// A new key, from the system's random numbers.
    ///
    /// # Errors
    /// If the system has none.
    pub fn generate() -> Result<Self, KeyError> {
        let mut bytes = Zeroizing::new([0; 32]);
        getrandom::fill(&mut *bytes).map_err(|_| KeyError::Random)?;
        Ok(Self::from_bytes(&bytes))
    }

    /// The key with this seed (RFC 8032 §5.1.5): for tests and for keys that are kept elsewhere.
    #[must_use]
    pub fn from_bytes(seed: &[u8; 32]) -> Self {
        Self(Ed25519::from_bytes(seed))
    }

    /// Reads PKCS#8 in PEM. Version 2 is read as well, where its public key is the right one.
    ///
    /// # Errors
    /// If it is not an Ed25519 private key.
    pub fn from_pem(pem: &str) -> Result<Self, KeyError> {
        if pem.contains("BEGIN ENCRYPTED PRIVATE KEY") {
            return Err(KeyError::malformed("is encrypted: decrypt it with `openssl pkey -in FILE -out FILE`"));
        }
        if pem.contains("BEGIN PUBLIC KEY") {
            return Err(KeyError::malformed("is a public key, and signing needs the private one"));
        }
        if pem.contains("BEGIN OPENSSH PRIVATE KEY") {
            return Err(KeyError::malformed("is a key of OpenSSH: make one with `interlock keygen`"));
        }
        Ed25519::from_pkcs8_pem(pem.trim()).map(Self).map_err(|_| {
            KeyError::malformed("is not an Ed25519 private key in PKCS#8 PEM (`-----BEGIN PRIVATE KEY-----`)")
        })
    }

    /// Reads a private key's file.
    ///
    /// # Errors
    /// If it cannot be read, if others than its owner may read it (on Unix), or if it holds no such key.
    pub fn read(path: &Path) -> Result<Self, KeyError> {
        Self::from_pem(&private_file::read(path)?).map_err(|error| error.in_file(path))
    }

    /// Writes the key to a new file that only its owner may read.
    ///
    /// # Errors
    /// If the file exists, or cannot be written.
    pub fn write_new(&self, path: &Path) -> Result<(), KeyError> {
        private_file::write_new(path, &self.to_pem()?)
    }

    /// PKCS#8 version 1 in PEM.
    pub(super) fn to_pem(&self) -> Result<Zeroizing<String>, KeyError> {
        KeypairBytes { secret_key: self.0.to_bytes(), public_key: None }
            .to_pkcs8_pem(LineEnding::LF)
            .map_err(|_| KeyError::malformed("cannot be written as PEM"))
    }

    /// The key that verifies what this one signs.
    #[must_use]
    pub fn public(&self) -> PublicKey {
        PublicKey::of(&self.0)
    }

    /// The signature of a message. The same message has the same signature.
    #[must_use]
    pub fn sign(&self, message: &[u8]) -> Signature {
        Base64(self.0.sign(message).to_bytes())
    }
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SigningKey(of {})", self.public())
    }
}
