//! Whose signatures count.

use super::Refuted;
use crate::journal::checkpoint::Checkpoint;
use crate::journal::key::PublicKey;
use crate::journal::note::{Checked, Note, VerifierKey};

/// Whom to believe about a checkpoint.
#[derive(Clone, Debug, Default)]
pub struct Trust {
    /// Keys of the journal, one of which must have signed.
    pub keys: Vec<PublicKey>,
    /// Witnesses, all of which must have signed.
    pub witnesses: Vec<VerifierKey>,
}

impl Trust {
    /// The trusted key that signed a checkpoint.
    pub(super) fn signer(&self, note: &Note, checkpoint: &Checkpoint) -> Result<PublicKey, Refuted> {
        let mut signer = None;
        for key in &self.keys {
            // A name that no signer can have signs nothing.
            let verifier = checkpoint.verifier(*key).map_err(|_| Refuted::Untrusted)?;
            match note.check(&verifier) {
                Checked::Wrong => return Err(Refuted::BadSignature),
                Checked::Signed { .. } => signer = signer.or(Some(*key)),
                Checked::Unsigned => {}
            }
        }
        let signer = signer.ok_or(Refuted::Untrusted)?;
        for witness in &self.witnesses {
            match note.check(witness) {
                Checked::Wrong => return Err(Refuted::BadSignature),
                Checked::Unsigned => return Err(Refuted::NotWitnessed(witness.name().to_owned())),
                Checked::Signed { .. } => {}
            }
        }
        Ok(signer)
    }
}
