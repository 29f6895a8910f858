//! Checkpoints (C2SP tlog-checkpoint): what a journal was at some size, as the text of a signed note.
//!
//! ```text
//! interlock.journal/0123456789abcdef      the origin: the journal's id
//! 1000                                    the size: records 0 to 999
//! nkjqcbVPOTkc2D3vxqjrR6wnjGq5mbl8tnM…    the root of their tree, in base64
//! ```
//!
//! Whoever keeps a checkpoint elsewhere notices when records up to its size change or go.
//!
//! * [`Checkpoint`]: `new(journal id, frontier)`, `parse`, `sign`, `verifier(public key)`; its `Display` is the text;
//! * [`origin`]: the name of a journal in checkpoints and of its signatures;
//! * [`CheckpointError`].

use std::fmt;

use super::key::{PublicKey, SigningKey};
use super::note::{Algorithm, Note, NoteError, VerifierKey};
use super::record::{Base64, Hex};
use super::tree::Frontier;
use super::{Hash, Id};

/// The origin of a journal's checkpoints, from its id.
#[must_use]
pub fn origin(journal: Id) -> String {
    format!("interlock.journal/{journal}")
}

/// The state of a journal at some size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkpoint {
    /// Which journal: its [`origin`].
    pub origin: String,
    /// The number of records.
    pub size: u64,
    /// The root of their tree.
    pub root: Hash,
}

impl Checkpoint {
    /// The checkpoint of a journal, by its id, at the size of a frontier.
    #[must_use]
    pub fn new(journal: Id, frontier: &Frontier) -> Self {
        Self { origin: origin(journal), size: frontier.size(), root: frontier.root() }
    }

    /// Reads the text of a checkpoint's note. Lines beyond the three, which the format allows for other uses, are refused: nobody
    /// could say what they mean here.
    ///
    /// # Errors
    /// If it is not a checkpoint to the letter.
    pub fn parse(text: &str) -> Result<Self, CheckpointError> {
        let text = text.strip_suffix('\n').ok_or(CheckpointError::Lines)?;
        let mut lines = text.split('\n');
        let (Some(origin), Some(size), Some(root), None) = (lines.next(), lines.next(), lines.next(), lines.next())
        else {
            return Err(CheckpointError::Lines);
        };
        if origin.is_empty() || origin.len() > Self::LONGEST_ORIGIN {
            return Err(CheckpointError::Origin);
        }
        let size = decimal(size).ok_or(CheckpointError::Size)?;
        let root = Base64::parse(root).map(|root| Hex(root.0)).ok_or(CheckpointError::Root)?;
        Ok(Self { origin: origin.to_owned(), size, root })
    }

    /// Origins are not longer (in bytes).
    pub const LONGEST_ORIGIN: usize = 255;

    /// Signs the checkpoint, under the name of its origin.
    ///
    /// # Errors
    /// If a signer cannot have the origin as its name.
    pub fn sign(&self, key: &SigningKey) -> Result<Note, NoteError> {
        Note::sign(self.to_string(), &self.origin, key)
    }

    /// Who signs this journal's checkpoints with a key: the verifier key for [`Note::check`].
    ///
    /// # Errors
    /// If a signer cannot have the origin as its name.
    pub fn verifier(&self, key: PublicKey) -> Result<VerifierKey, NoteError> {
        VerifierKey::new(&self.origin, key, Algorithm::Ed25519)
    }
}

impl fmt::Display for Checkpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\n{}\n{}\n", self.origin, self.size, Base64(self.root.0))
    }
}

/// A number in its one decimal spelling.
pub(super) fn decimal(text: &str) -> Option<u64> {
    let number: u64 = text.parse().ok()?;
    (number.to_string() == text).then_some(number)
}

/// Why a text is not a checkpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CheckpointError {
    /// Not three lines.
    Lines,
    /// The origin is empty or too long.
    Origin,
    /// The size is not a decimal number without leading zeros.
    Size,
    /// The root is not 32 bytes in base64.
    Root,
}

impl fmt::Display for CheckpointError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Lines => "a checkpoint is three lines: origin, size and root",
            Self::Origin => "a checkpoint's origin must have 1 to 255 bytes",
            Self::Size => "a checkpoint's size must be a decimal number without leading zeros",
            Self::Root => "a checkpoint's root must be 32 bytes in base64",
        })
    }
}

impl std::error::Error for CheckpointError {}

#[cfg(test)]
mod tests;
