//! Who signed: keys, checkpoints in the journal and kept elsewhere, cosignatures of witnesses.

use super::Options;
use super::kept::Kept;
use super::report::Code;
use crate::journal::Id;
use crate::journal::checkpoint::{Checkpoint, origin};
use crate::journal::key::PublicKey;
use crate::journal::note::{Checked, Note};
use crate::journal::record::{Hash, Key, KeyChange, Reanchor, Signature};
use crate::journal::statement;
use crate::journal::tree::Frontier;

/// More keys are not remembered as the journal's own.
const MOST_KEYS: usize = 4_096;

/// What is known of the keys of a journal.
#[derive(Debug)]
pub(super) struct Trust<'o> {
    options: &'o Options,
    /// The key that has to sign now.
    current: Option<PublicKey>,
    /// All that the journal introduced.
    own: Vec<PublicKey>,
    /// Those given, and those that these named.
    trusted: Vec<PublicKey>,
    /// The size under the last checkpoint with a valid signature.
    pub(super) signed: Option<u64>,
    /// The size under the last one by a trusted key.
    pub(super) attested: Option<u64>,
    /// How many checkpoints are by keys that are not trusted, and one of these.
    pub(super) untrusted: u64,
    pub(super) stranger: Option<PublicKey>,
    /// For each witness, the largest size that it signed.
    witnessed: Vec<Option<u64>>,
}

/// Something that does not hold.
pub(super) type Wrong = (Code, String);

impl<'o> Trust<'o> {
    pub(super) fn new(options: &'o Options) -> Self {
        Self {
            options,
            current: None,
            own: Vec::new(),
            trusted: options.trust.clone(),
            signed: None,
            attested: None,
            untrusted: 0,
            stranger: None,
            witnessed: vec![None; options.witnesses.len()],
        }
    }

    /// The key in the first record of the journal.
    pub(super) fn begin(&mut self, key: Option<Key>) -> Result<(), Wrong> {
        self.current = key.map(public).transpose()?;
        self.own.extend(self.current);
        Ok(())
    }

    /// The key in the first record of a later file.
    pub(super) fn go_on(&self, key: Option<Key>) -> Result<(), Wrong> {
        if key.map(public).transpose()? == self.current {
            return Ok(());
        }
        Err((Code::WrongKey, "the file begins with another key than the one that signs, and no record names it".into()))
    }

    /// Another key signs from here on.
    pub(super) fn change(&mut self, journal: Id, seq: u64, prev: Hash, change: &KeyChange) -> Result<(), Wrong> {
        let (by, key) = (public(change.by)?, public(change.key)?);
        if Some(by) != self.current {
            return Err((Code::WrongKey, format!("the new key is named by `{by}`, which is not the one that signs")));
        }
        let text = statement::key_change(journal, seq, prev, change.key);
        if !by.verify(text.as_bytes(), &change.signature) {
            return Err((Code::BadSignature, format!("the new key is not signed by `{by}`")));
        }
        if self.trusted.contains(&by) && !self.trusted.contains(&key) && self.trusted.len() < MOST_KEYS {
            self.trusted.push(key);
        }
        if !self.own.contains(&key) && self.own.len() < MOST_KEYS {
            self.own.push(key);
        }
        self.current = Some(key);
        Ok(())
    }

    /// A journal continues after a broken one. Whether a key signed that.
    pub(super) fn reanchor(&self, journal: Id, seq: u64, prev: Hash, record: &Reanchor<'_>) -> Result<bool, Wrong> {
        let (key, signature): (Key, Signature) = match (record.key, record.signature) {
            (Some(key), Some(signature)) => (key, signature),
            (None, None) if self.current.is_none() => return Ok(false),
            _ => return Err((Code::BadSignature, "the record says that it is signed, and is not".into())),
        };
        let key = public(key)?;
        if Some(key) != self.current {
            return Err((
                Code::WrongKey,
                format!("the record is signed by `{key}`, which is not the key of the journal"),
            ));
        }
        let text = statement::reanchor(journal, seq, prev, &record.broken, &record.reason);
        if key.verify(text.as_bytes(), &signature) {
            return Ok(true);
        }
        Err((Code::BadSignature, format!("the record is not signed by `{key}`")))
    }

    /// A checkpoint in the journal, over all records before it.
    pub(super) fn checkpoint(&mut self, journal: Id, note: &str, tree: &Frontier) -> Result<(), Wrong> {
        let bad = |why: &dyn std::fmt::Display| (Code::BadCheckpoint, format!("{why}"));
        let note = Note::parse(note).map_err(|error| bad(&error))?;
        let checkpoint = Checkpoint::parse(note.text()).map_err(|error| bad(&error))?;
        if checkpoint.origin != origin(journal) {
            return Err(bad(&format!("the checkpoint is of `{}`, another journal", checkpoint.origin)));
        }
        if checkpoint.size != tree.size() {
            let message =
                format!("the checkpoint is over {} records, and stands after {}", checkpoint.size, tree.size());
            return Err(bad(&message));
        }
        if checkpoint.root != tree.root() {
            return Err(bad(&"the checkpoint's root is not that of the records before it"));
        }
        // A key that was given may sign for others, as a second signature does; one that the journal has replaced may not.
        let outside = self.trusted.iter().filter(|key| !self.own.contains(key));
        let may: Vec<_> = self.current.iter().chain(outside).copied().collect();
        let Some(signer) = signer(&note, &checkpoint, &may)? else {
            if let Some(old) = signer(&note, &checkpoint, &self.own)? {
                return Err((Code::WrongKey, format!("the checkpoint is signed by `{old}`, which signs no more")));
            }
            return Err((Code::UnknownSigner, "the checkpoint is signed by no key that the journal introduced".into()));
        };
        self.attest(signer, checkpoint.size);
        self.witness(&note, checkpoint.size)
    }

    /// The signatures of a checkpoint kept elsewhere, whose root was compared. Whether it is signed by a known key.
    pub(super) fn kept(&mut self, kept: &Kept) -> Result<bool, Wrong> {
        let size = kept.checkpoint.size;
        let signer = self.known(kept)?;
        self.witness(&kept.note, size)?;
        if let Some(signer) = signer {
            self.attest(signer, size);
        }
        Ok(signer.is_some())
    }

    /// The first of the keys known by now that signed a checkpoint kept elsewhere.
    pub(super) fn known(&self, kept: &Kept) -> Result<Option<PublicKey>, Wrong> {
        let known: Vec<_> = self.trusted.iter().chain(&self.own).copied().collect();
        signer(&kept.note, &kept.checkpoint, &known)
    }

    fn attest(&mut self, signer: PublicKey, size: u64) {
        self.signed = self.signed.max(Some(size));
        if self.trusted.contains(&signer) {
            self.attested = self.attested.max(Some(size));
        } else if !self.trusted.is_empty() {
            self.untrusted = self.untrusted.saturating_add(1);
            self.stranger = Some(signer);
        }
    }

    fn witness(&mut self, note: &Note, size: u64) -> Result<(), Wrong> {
        for (witness, signed) in self.options.witnesses.iter().zip(&mut self.witnessed) {
            match note.check(witness) {
                Checked::Signed { .. } => *signed = (*signed).max(Some(size)),
                Checked::Wrong => {
                    let message = format!("the cosignature is not by the witness `{}`, as it says", witness.name());
                    return Err((Code::BadSignature, message));
                }
                Checked::Unsigned => {}
            }
        }
        Ok(())
    }

    /// What is missing when all was read.
    pub(super) fn finish(&self) -> Result<(), Wrong> {
        if !self.options.trust.is_empty() && self.attested.is_none() {
            let message = match (self.current, self.signed) {
                (None, None) => "a key was given, and nothing in the journal is signed",
                (Some(key), None) if self.trusted.contains(&key) => "nothing is signed yet by the key that was given",
                _ => "nothing is signed by a key that was given, or that such a key named",
            };
            return Err((Code::WrongKey, message.into()));
        }
        let missing = self.options.witnesses.iter().zip(&self.witnessed).find(|(_, signed)| signed.is_none());
        match missing {
            Some((witness, _)) => {
                Err((Code::BadCheckpoint, format!("no checkpoint has the cosignature of `{}`", witness.name())))
            }
            None => Ok(()),
        }
    }
}

/// The first of these keys that signed, under the name of the checkpoint's origin.
fn signer(note: &Note, checkpoint: &Checkpoint, keys: &[PublicKey]) -> Result<Option<PublicKey>, Wrong> {
    for key in keys {
        let Ok(verifier) = checkpoint.verifier(*key) else { continue };
        match note.check(&verifier) {
            Checked::Signed { .. } => return Ok(Some(*key)),
            Checked::Wrong => {
                return Err((Code::BadSignature, format!("the checkpoint's signature is not by `{key}`, as it says")));
            }
            Checked::Unsigned => {}
        }
    }
    Ok(None)
}

fn public(key: Key) -> Result<PublicKey, Wrong> {
    PublicKey::from_bytes(&key.0).map_err(|error| (Code::WrongKey, error.to_string()))
}
