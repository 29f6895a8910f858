//! Signed notes (C2SP signed-note): a text, an empty line, and a line for each signature.
//!
//! ```text
//! interlock.journal/0123456789abcdef
//! 2
//! nkjqcbVPOTkc2D3vxqjrR6wnjGq5mbl8tnMmIpk9HVs=
//!
//! — interlock.journal/0123456789abcdef x08go/ZJkuBS9UG…
//! ```
//!
//! * [`Note`]: `parse`, `sign`, `add`, `text`, `signatures`, `check(verifier)`; its `Display` is the note;
//! * [`VerifierKey`]: a key with the name that its signatures carry, `name+hash+base64`; of a signer (Ed25519) or of a witness
//!   (cosignature/v1 of C2SP tlog-cosignature, with a time);
//! * [`Checked`]: what a note says under a key.
//!
//! INVARIANT: nothing that is read is used before [`Note::check`] said who signed it, and a note is read only in the spelling in
//! which it is written.

mod check;
mod error;
mod parse;
mod signature;
#[cfg(test)]
mod tests;
mod verifier;

use std::fmt;

pub use check::Checked;
pub use error::NoteError;
pub use signature::NoteSignature;
pub use verifier::{Algorithm, VerifierKey};

use super::key::SigningKey;

/// A text with its signatures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    text: String,
    signatures: Vec<NoteSignature>,
}

impl Note {
    /// Longer notes are not read.
    pub const MOST_BYTES: usize = 256 * 1024;
    /// Notes with more signatures are not read.
    pub const MOST_SIGNATURES: usize = 64;

    /// Signs a text.
    ///
    /// # Errors
    /// If no note can have this text or this name.
    pub fn sign(text: impl Into<String>, name: &str, key: &SigningKey) -> Result<Self, NoteError> {
        let text = text.into();
        parse::check_text(&text)?;
        let mut note = Self { text, signatures: Vec::new() };
        note.add(NoteSignature::new(&note.text, name, key)?)?;
        Ok(note)
    }

    /// Adds a signature.
    ///
    /// # Errors
    /// If there are too many already.
    pub fn add(&mut self, signature: NoteSignature) -> Result<(), NoteError> {
        if self.signatures.len() >= Self::MOST_SIGNATURES {
            return Err(NoteError::TooManySignatures);
        }
        self.signatures.push(signature);
        Ok(())
    }

    /// The text that is signed; it ends in a newline.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The signatures, of known and unknown signers.
    #[must_use]
    pub fn signatures(&self) -> &[NoteSignature] {
        &self.signatures
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.text)?;
        self.signatures.iter().try_for_each(|signature| writeln!(f, "{signature}"))
    }
}
