//! The keys that sign checkpoints: Ed25519 (RFC 8032), in the files that OpenSSL, node and Python read and write.
//!
//! A private key is PKCS#8 *version 1* in PEM (RFC 5958, RFC 8410): version 2, which holds the public key as well, is refused by
//! OpenSSL 3.0, node and Python. A public key is SPKI in PEM, the base64 of its 32 bytes, or a verifier key of
//! [`VerifierKey`](super::VerifierKey).
//!
//! * [`SigningKey`]: `generate`, `from_bytes`, `from_pem`, `read(path)`, `write_new(path)`, `public`, `sign`;
//! * [`PublicKey`]: `from_bytes`, `parse(text)`, `to_pem`, `verify`; its `Display` is base64;
//! * [`KeyError`]: what is wrong with a key or its file.
//!
//! INVARIANT: a private key is written nowhere but to its own file, which is new and only its owner's, and read only from one
//! that is nobody else's to read.

mod error;
pub(super) mod private_file;
mod public;
mod signing;
#[cfg(test)]
mod tests;

pub use error::KeyError;
pub use public::PublicKey;
pub use signing::SigningKey;
