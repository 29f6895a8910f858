//! That one record is in a journal: C2SP tlog-proof.
//!
//! ```text
//! c2sp.org/tlog-proof@v1
//! extra eyJhZnRlcl9kaXZlcmdlbmNlIjpmYWxzZSwi…     the record's line, in base64
//! index 41                                         its `seq`
//! gSKyXoYZUgZ6jduWYrkDOARinOMGJveXjgMkBTcdPlQ=     the path to the root, from the leaf
//! B95lDa8R83lS8n0eG+o0buTxRKQTYFi//1U8anccXmA=
//!
//! interlock.journal/0123456789abcdef               the signed checkpoint
//! 1000
//! nkjqcbVPOTkc2D3vxqjrR6wnjGq5mbl8tnMmIpk9HVs=
//!
//! — interlock.journal/0123456789abcdef x08go/ZJkuBS9UG…
//! ```

use std::fmt;
use std::path::Path;

use super::error::{ProofError, ProveError, Refuted};
use super::{Trust, leaves, text};
use crate::journal::Hash;
use crate::journal::base64;
use crate::journal::checkpoint::{Checkpoint, decimal, origin};
use crate::journal::key::PublicKey;
use crate::journal::note::Note;
use crate::journal::scan::{Flaw, scan};
use crate::journal::tree::{self, Prover};

const KIND: &str = "c2sp.org/tlog-proof@v1\n";

/// A proof that one record is in a journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InclusionProof {
    /// The record's line, without its newline; `None` where the proof goes without it.
    pub record: Option<Vec<u8>>,
    index: u64,
    path: Vec<Hash>,
    note: Note,
    checkpoint: Checkpoint,
}

/// What a proof shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proven {
    /// The state of the journal that it is about.
    pub checkpoint: Checkpoint,
    /// The trusted key that signed it.
    pub signer: PublicKey,
}

impl InclusionProof {
    /// Makes the proof for a record, under a checkpoint that speaks for it.
    ///
    /// # Errors
    /// If the note is not such a checkpoint, or the journal cannot be read or is not the one of the checkpoint.
    pub fn make(journal: &Path, seq: u64, note: Note) -> Result<Self, ProveError> {
        let checkpoint = Checkpoint::parse(note.text()).map_err(ProveError::Checkpoint)?;
        let not_yet = ProveError::NotYet { seq, size: checkpoint.size };
        let Some(mut prover) = Prover::inclusion(seq, checkpoint.size) else { return Err(not_yet) };
        let mut record = None;
        let mut index = 0u64;
        leaves::each(journal, &[&checkpoint], |scanned, leaf| {
            if index == seq {
                record = Some(scanned.line().as_bytes().to_vec());
            }
            index = index.saturating_add(1);
            prover.append(leaf);
        })?;
        let path = prover.finish().ok_or(not_yet)?;
        Ok(Self { record, index: seq, path, note, checkpoint })
    }

    /// Reads a proof. Whether it holds is still to be checked.
    ///
    /// # Errors
    /// If the text is none.
    pub fn parse(proof: &str) -> Result<Self, ProofError> {
        let rest = proof.strip_prefix(KIND).ok_or(ProofError::Kind)?;
        let (record, rest) = match text::line(rest, "extra") {
            Some((encoded, rest)) => (Some(base64::decode(encoded).ok_or(ProofError::Extra)?), rest),
            None => (None, rest),
        };
        let (index, rest) = text::line(rest, "index").ok_or(ProofError::Number)?;
        let index = decimal(index).ok_or(ProofError::Number)?;
        let (path, note, checkpoint) = text::parse(rest)?;
        Ok(Self { record, index, path, note, checkpoint })
    }

    /// The number of the record in its journal.
    #[must_use]
    pub fn index(&self) -> u64 {
        self.index
    }

    /// The checkpoint that the path leads to.
    #[must_use]
    pub fn checkpoint(&self) -> &Checkpoint {
        &self.checkpoint
    }

    /// Whether the record is in the journal, if those are to be believed who are trusted.
    ///
    /// # Errors
    /// If the proof does not show that.
    pub fn check(&self, trust: &Trust) -> Result<Proven, Refuted> {
        let record = scan(self.record.as_deref().ok_or(Refuted::NoRecord)?).map_err(Refuted::Record)?;
        if record.computed() != record.hash {
            return Err(Refuted::Record(Flaw::Edited));
        }
        let checkpoint = &self.checkpoint;
        if (record.seq, origin(record.journal)) != (self.index, checkpoint.origin.clone()) {
            return Err(Refuted::OtherRecord);
        }
        if !tree::is_included(tree::leaf(&record.hash.0), self.index, checkpoint.size, &self.path, checkpoint.root) {
            return Err(Refuted::Path);
        }
        Ok(Proven { checkpoint: checkpoint.clone(), signer: trust.signer(&self.note, checkpoint)? })
    }
}

impl fmt::Display for InclusionProof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(KIND)?;
        if let Some(record) = &self.record {
            writeln!(f, "extra {}", base64::encode(record))?;
        }
        writeln!(f, "index {}", self.index)?;
        text::write(f, &self.path, &self.note)
    }
}
