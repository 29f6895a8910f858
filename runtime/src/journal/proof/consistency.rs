//! That a journal continues an earlier checkpoint: nothing that the earlier one speaks for was changed or removed.
//!
//! ```text
//! old 1000                                         the size of the earlier checkpoint
//! PlRNCrwHpqhGrupue0L7gxbjbMiKA9temvuZZDDpkaw=     the proof
//! jrJZDmY8Y7SyJE0MWLpLozkIVMSMZcD5kvuKxPC3swk=
//!
//! interlock.journal/0123456789abcdef               the later checkpoint, signed
//! 2000
//! nkjqcbVPOTkc2D3vxqjrR6wnjGq5mbl8tnMmIpk9HVs=
//!
//! — interlock.journal/0123456789abcdef x08go/ZJkuBS9UG…
//! ```
//!
//! This is what `add-checkpoint` of C2SP tlog-witness takes.

use std::fmt;
use std::path::Path;

use super::error::{ProofError, ProveError, Refuted};
use super::inclusion::Proven;
use super::{Trust, leaves, text};
use crate::journal::Hash;
use crate::journal::checkpoint::{Checkpoint, decimal};
use crate::journal::note::Note;
use crate::journal::tree::{self, Prover};

/// A proof that a journal continues an earlier checkpoint of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConsistencyProof {
    old: u64,
    path: Vec<Hash>,
    note: Note,
    checkpoint: Checkpoint,
}

impl ConsistencyProof {
    /// Makes the proof from an earlier checkpoint to a later one.
    ///
    /// # Errors
    /// If the note is not such a checkpoint, or the journal cannot be read or is not the one of both checkpoints.
    pub fn make(journal: &Path, old: &Checkpoint, note: Note) -> Result<Self, ProveError> {
        let checkpoint = Checkpoint::parse(note.text()).map_err(ProveError::Checkpoint)?;
        let backwards = ProveError::Backwards { old: old.size, new: checkpoint.size };
        let Some(mut prover) = Prover::consistency(old.size, checkpoint.size) else { return Err(backwards) };
        leaves::each(journal, &[old, &checkpoint], |_, leaf| prover.append(leaf))?;
        let path = prover.finish().ok_or(backwards)?;
        Ok(Self { old: old.size, path, note, checkpoint })
    }

    /// Reads a proof. Whether it holds is still to be checked.
    ///
    /// # Errors
    /// If the text is none.
    pub fn parse(proof: &str) -> Result<Self, ProofError> {
        let (old, rest) = text::line(proof, "old").ok_or(ProofError::Kind)?;
        let old = decimal(old).ok_or(ProofError::Number)?;
        let (path, note, checkpoint) = text::parse(rest)?;
        Ok(Self { old, path, note, checkpoint })
    }

    /// The size of the earlier checkpoint.
    #[must_use]
    pub fn old(&self) -> u64 {
        self.old
    }

    /// The later checkpoint.
    #[must_use]
    pub fn checkpoint(&self) -> &Checkpoint {
        &self.checkpoint
    }

    /// Whether the journal continues the earlier checkpoint, if those are to be believed who are trusted about the later one.
    ///
    /// # Errors
    /// If the proof does not show that.
    pub fn check(&self, old: &Checkpoint, trust: &Trust) -> Result<Proven, Refuted> {
        let new = &self.checkpoint;
        if old.origin != new.origin {
            return Err(Refuted::OtherJournal);
        }
        if self.old != old.size || !tree::is_consistent(old.size, old.root, new.size, new.root, &self.path) {
            return Err(Refuted::Path);
        }
        Ok(Proven { checkpoint: new.clone(), signer: trust.signer(&self.note, new)? })
    }
}

impl fmt::Display for ConsistencyProof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "old {}", self.old)?;
        text::write(f, &self.path, &self.note)
    }
}
