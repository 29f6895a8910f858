//! Keys as arguments: in a file, or as they are.

use std::path::Path;

use contract_runtime::journal::{KeyError, PublicKey, VerifierKey};

/// A public key: a file with one, or the key itself.
pub(super) fn public_key(text: &str) -> Result<PublicKey, String> {
    let path = Path::new(text);
    match PublicKey::parse(text) {
        Err(KeyError::Malformed { .. }) if path.exists() => PublicKey::read(path),
        Err(error @ KeyError::Malformed { .. }) => return Err(format!("there is no such file, and {error}")),
        parsed => parsed,
    }
    .map_err(|error| error.to_string())
}

/// The key of a witness.
pub(super) fn verifier_key(text: &str) -> Result<VerifierKey, String> {
    VerifierKey::parse(text).map_err(|error| error.to_string())
}
