//! Appending records.
//!
//! INVARIANT: the file ends with a whole record whenever no append is under way; if an error leaves it otherwise and the rest
//! of the line cannot be cut off, nothing more is written until the journal is opened again. What could not be written is
//! counted, and the next record that can be written is preceded by one that says how many are missing.

use std::sync::Arc;

use super::canonical::MAX_INTEGER;
use super::checkpoint::Checkpoint;
use super::medium::{Durability, Medium, Storage, write_all};
use super::options::Settings;
use super::place::Place;
use super::record::{
    self, Base64, Body, Broken, Contract, Gap, Head, Id, Key, KeyChange, Reanchor, SecretChange, SessionStart,
};
use super::recovery::{self, End, Found};
use super::scan::MAX_LINE;
use super::secret::Digests;
use super::tip::{Mark, Tip};
use super::{JournalError, SigningKey, head, segment, statement, torn};
use crate::Time;

/// Writes one journal. Who calls it holds the lock.
#[derive(Debug)]
pub(super) struct Writer {
    pub(super) medium: Arc<dyn Medium>,
    pub(super) place: Place,
    pub(super) settings: Settings,
    pub(super) digests: Digests,
    pub(super) key: Option<Arc<SigningKey>>,
    pub(super) storage: Arc<dyn Storage>,
    pub(super) tip: Tip,
    /// The tip when the file was last synced.
    pub(super) synced: Tip,
    boot: Option<String>,
    /// The latest note, until it lies beside the journal.
    pub(super) note: Option<String>,
    missing: Missing,
    halted: Option<Arc<str>>,
    /// From which record on a new segment may be begun: later, after one could not be.
    turn_from: u64,
    line: Vec<u8>,
}

/// After how many records it is tried again to begin a segment.
const TURN_AGAIN: u64 = 100;

/// Records that could not be written.
#[derive(Debug, Default)]
struct Missing {
    count: u64,
    why: String,
}

/// A record that was written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Written {
    /// Its number.
    pub(super) seq: u64,
    /// Whether a checkpoint follows, or would if there were a key.
    pub(super) due: bool,
}

impl Writer {
    /// Opens a journal where it ends, or begins one with this id.
    pub(super) fn open(
        medium: Arc<dyn Medium>,
        place: Place,
        mut settings: Settings,
        digests: Digests,
        key: Option<Arc<SigningKey>>,
        id: Id,
        at: Time,
    ) -> Result<Self, JournalError> {
        let found = recovery::find(&*medium, &place, &digests)?;
        if settings.as_begun
            && let Some(tip) = found.tip()
        {
            (settings.content, settings.sync) = (tip.content, tip.sync);
        }
        let public = key.as_deref().map(public);
        let (end, begun) = match found {
            Found::Open(end) => (*end, false),
            Found::Closed(tip) => {
                let secret = digests.commitment();
                let tip = segment::begin(&*medium, &place, &settings, *tip, secret, at)?;
                (Self::reopen(&*medium, &place, tip)?, true)
            }
            Found::Nothing => {
                let secret = digests.commitment();
                let tip = segment::first(id, &settings, public, secret, at);
                let tip = segment::begin(&*medium, &place, &settings, tip, secret, at)?;
                (Self::reopen(&*medium, &place, tip)?, true)
            }
        };
        let End { storage, tip, synced, torn, lost } = end;
        let mut writer = Self {
            boot: medium.boot(),
            medium,
            place,
            settings,
            digests,
            key,
            storage,
            tip,
            synced,
            note: None,
            missing: Missing::default(),
            halted: None,
            turn_from: 0,
            line: Vec::with_capacity(2048),
        };
        writer.check_key()?;
        writer.mend(torn, lost, at)?;
        if !begun && (writer.tip.content, writer.tip.sync) != (writer.settings.content, writer.settings.sync) {
            segment::turn(&mut writer, at)?;
        }
        if writer.tip.secret != writer.digests.commitment() {
            let secret = writer.digests.commitment();
            writer.put(None, at, &SecretChange { secret }.into())?;
        }
        if writer.tip.mark.size == 0 && writer.key.is_some() {
            // From the first record on there is something that only the key's holder can have written.
            writer.checkpoint(at)?;
            writer.settle()?;
        }
        Ok(writer)
    }

    fn reopen(medium: &dyn Medium, place: &Place, tip: Tip) -> Result<End, JournalError> {
        let storage = medium.open(place.name())?;
        let storage =
            storage.ok_or_else(|| JournalError::Gone { journal: place.journal(), left: place.beside("head") })?;
        Ok(End { storage, synced: tip.clone(), tip, torn: 0, lost: 0 })
    }

    /// Whether the key that signs is the one that this writer has.
    fn check_key(&self) -> Result<(), JournalError> {
        let why = match (self.tip.key, self.key.as_deref().map(public)) {
            (None, None) => return Ok(()),
            (Some(one), Some(other)) if one == other => return Ok(()),
            (Some(_), None) => "it was begun with a key, and none is given",
            (None, Some(_)) => "it was begun without a key; `interlock checkpoint` signs it from outside",
            (Some(_), Some(_)) => "another key signs it",
        };
        Err(JournalError::Key { journal: self.place.journal(), why })
    }

    /// Removes what a crash left, and says so.
    fn mend(&mut self, torn: u64, lost: u64, at: Time) -> Result<(), JournalError> {
        if torn > 0 {
            let recovery = torn::move_away(&*self.medium, &self.place, &*self.storage, self.tip.end)?;
            self.put(None, at, &recovery.into())?;
        }
        if lost > 0 {
            let why =
                "the journal ended before what was known of it: after a loss of power, or because somebody cut it";
            self.put(None, at, &Gap { missing: lost, why: why.into() }.into())?;
        }
        Ok(())
    }

    /// Takes up what other writers wrote since.
    pub(super) fn catch_up(&mut self, at: Time) -> Result<(), JournalError> {
        self.halted = None;
        let length = self.storage.length();
        if self.storage.is_in_place() && length.is_ok_and(|length| length == self.tip.end) {
            return Ok(());
        }
        let journal = self.tip.journal;
        let (end, turned) = match recovery::find(&*self.medium, &self.place, &self.digests)? {
            Found::Open(end) => (*end, false),
            Found::Closed(tip) => {
                let tip = segment::begin(&*self.medium, &self.place, &self.settings, *tip, self.tip.secret, at)?;
                (Self::reopen(&*self.medium, &self.place, tip)?, true)
            }
            Found::Nothing => {
                let left = "this writer".to_owned();
                return Err(JournalError::Gone { journal: self.place.journal(), left });
            }
        };
        if end.tip.journal != journal {
            return Err(JournalError::Foreign { path: self.place.journal(), offset: 0, found: end.tip.journal });
        }
        let End { storage, tip, synced, torn, lost } = end;
        (self.storage, self.tip, self.synced) = (storage, tip, synced);
        self.check_key()?;
        if self.tip.secret != self.digests.commitment() {
            return Err(JournalError::OtherSecret { path: self.place.path(&self.place.beside("secret")) });
        }
        if !turned {
            self.mend(torn, lost, at)?;
        }
        Ok(())
    }

    /// Appends a record, and what is due before and after it. What fails is counted.
    pub(super) fn append(&mut self, session: Option<&str>, at: Time, body: &Body<'_>) -> Result<Written, JournalError> {
        self.try_append(session, at, body).inspect_err(|error| self.miss(1, error))
    }

    /// Counts records that could not be written.
    pub(super) fn miss(&mut self, count: u64, error: &JournalError) {
        if self.missing.count == 0 {
            self.missing.why = error.to_string();
        }
        self.missing.count = self.missing.count.saturating_add(count).min(MAX_INTEGER);
    }

    /// How many records are missing, and not yet said to be.
    pub(super) fn missing(&self) -> u64 {
        self.missing.count
    }

    fn try_append(&mut self, session: Option<&str>, at: Time, body: &Body<'_>) -> Result<Written, JournalError> {
        self.prepare(at)?;
        let seq = self.put(session, at, body)?;
        Ok(self.finish(seq, at, matches!(body, Body::SessionEnd(_))))
    }

    /// What is due before a record.
    fn prepare(&mut self, at: Time) -> Result<(), JournalError> {
        self.check_file()?;
        if self.turn_is_due(at)
            && let Err(error) = segment::turn(self, at)
        {
            // The old file is as good as it was, unless it is not to be written any more: no record is lost because a
            // new one cannot be begun.
            if self.halted.is_some() {
                return Err(error);
            }
            self.turn_from = self.tip.next().saturating_add(TURN_AGAIN);
        }
        self.own_up(at)
    }

    /// What is due after a record.
    fn finish(&mut self, seq: u64, at: Time, ends_session: bool) -> Written {
        let due = ends_session || self.checkpoint_is_due(at);
        if due {
            // The record is written; that a checkpoint could not be is no reason to say otherwise. It stays due.
            let _ = self.checkpoint(at);
        }
        Written { seq, due }
    }

    /// Begins a session; see [`super::Journal::begin`].
    pub(super) fn begin(
        &mut self,
        session: Option<&str>,
        at: Time,
        contract: &Contract<'_>,
        start: &SessionStart<'_>,
        name: &mut String,
    ) -> Result<Written, JournalError> {
        let mut attempt = || {
            self.prepare(at)?;
            if !self.tip.contracts.contains(&contract.sha256) {
                self.put(None, at, &contract.clone().into())?;
            }
            *name = session.map_or_else(|| format!("s{}", self.tip.next()), str::to_owned);
            let seq = self.put(Some(name), at, &start.clone().into())?;
            Ok(self.finish(seq, at, false))
        };
        attempt().inspect_err(|error| self.miss(1, error))
    }

    /// Says how many records are missing.
    pub(super) fn own_up(&mut self, at: Time) -> Result<(), JournalError> {
        if self.missing.count > 0 {
            let gap = Gap { missing: self.missing.count, why: self.missing.why.clone().into() };
            self.put(None, at, &gap.into())?;
            self.missing = Missing::default();
        }
        Ok(())
    }

    /// Whether nobody else wrote to the file, and no error left it unusable.
    pub(super) fn check_file(&mut self) -> Result<(), JournalError> {
        if let Some(why) = &self.halted {
            return Err(JournalError::Halted { journal: self.place.journal(), why: why.clone() });
        }
        let length = self.storage.length().map_err(|error| JournalError::io("read", &self.place.journal(), error))?;
        if length != self.tip.end {
            // Whoever it was did not ask for the lock. To go on would fork the chain.
            return Err(self.halt("somebody else wrote to it"));
        }
        Ok(())
    }

    /// Syncs under the lock, whatever the policy, and puts the latest note into its place.
    pub(super) fn settle(&mut self) -> Result<(), JournalError> {
        if let Err(error) = self.storage.sync() {
            self.unsynced(&error);
            return Err(JournalError::io("sync", &self.place.journal(), error));
        }
        self.synced = self.tip.clone();
        self.publish();
        Ok(())
    }

    /// Puts the latest note beside the journal, all of whose records are on the disk: or a loss of power could leave a
    /// checkpoint of records that are lost. If that fails, it is tried again with the next.
    pub(super) fn publish(&mut self) {
        if let Some(note) = &self.note
            && self.medium.replace(&self.place.beside("checkpoint"), note.as_bytes(), Durability::Synced).is_ok()
        {
            self.note = None;
        }
    }

    /// After a failed sync nobody knows what is on the disk: another one may succeed although pages are lost.
    pub(super) fn unsynced(&mut self, error: &std::io::Error) -> JournalError {
        self.halt(&format!("what was written may not be on the disk: {error}"))
    }

    /// Writes nothing more.
    pub(super) fn halt(&mut self, why: &str) -> JournalError {
        let why: Arc<str> = self.halted.get_or_insert_with(|| why.into()).clone();
        JournalError::Halted { journal: self.place.journal(), why }
    }

    fn turn_is_due(&self, at: Time) -> bool {
        let large = self.settings.rotate_bytes.is_some_and(|most| self.tip.end >= most);
        let old = self.settings.rotate_after.is_some_and(|most| at.since(self.tip.begun) >= most);
        // A segment has at least one record besides the one that begins it.
        (large || old) && self.tip.line > 0 && self.tip.next() >= self.turn_from
    }

    fn checkpoint_is_due(&self, at: Time) -> bool {
        let Mark { size, at: last } = self.tip.mark;
        self.tip.next().saturating_sub(size) >= self.settings.checkpoint_every
            || at.since(last) >= self.settings.checkpoint_after
    }

    /// Writes a signed checkpoint of all records, if there is a key and there are any since the last.
    pub(super) fn checkpoint(&mut self, at: Time) -> Result<(), JournalError> {
        if self.tip.mark.size == self.tip.next() {
            return Ok(());
        }
        if let Some(key) = self.key.clone() {
            let checkpoint = Checkpoint::new(self.tip.journal, &self.tip.frontier);
            let note = checkpoint.sign(&key).map_err(|_| JournalError::Key {
                journal: self.place.journal(),
                why: "the checkpoint cannot be written as a note",
            })?;
            let note = note.to_string();
            self.put(None, at, &record::Checkpoint { note: note.as_str().into() }.into())?;
            self.note = Some(note);
        } else {
            self.tip.mark = Mark { size: self.tip.next(), at };
        }
        self.save_head();
        Ok(())
    }

    /// Goes on in a new file.
    pub(super) fn rotate(&mut self, at: Time) -> Result<Written, JournalError> {
        self.check_file()?;
        self.own_up(at)?;
        self.checkpoint(at)?;
        segment::turn(self, at)?;
        Ok(Written { seq: self.tip.next().saturating_sub(1), due: true })
    }

    /// Lets another key sign from here on.
    pub(super) fn rotate_key(&mut self, new: SigningKey, at: Time) -> Result<Written, JournalError> {
        self.check_file()?;
        self.own_up(at)?;
        let Some(old) = self.key.clone() else {
            return Err(JournalError::Key {
                journal: self.place.journal(),
                why: "it was begun without a key; `interlock checkpoint` signs it from outside",
            });
        };
        let (by, key) = (public(&old), public(&new));
        let statement = statement::key_change(self.tip.journal, self.tip.next(), self.tip.last, key);
        let signature = old.sign(statement.as_bytes());
        let seq = self.put(None, at, &KeyChange { by, key, signature }.into())?;
        self.key = Some(Arc::new(new));
        self.save_head();
        Ok(Written { seq, due: true })
    }

    /// Says what this journal continues.
    pub(super) fn reanchor(
        &mut self,
        broken: &Broken<'_>,
        last: Option<record::Place>,
        reason: &str,
        at: Time,
    ) -> Result<Written, JournalError> {
        let statement = statement::reanchor(self.tip.journal, self.tip.next(), self.tip.last, broken, reason);
        let key = self.key.as_ref().map(|key| public(key));
        let signature = self.key.as_ref().map(|key| key.sign(statement.as_bytes()));
        let record = Reanchor { broken: broken.clone(), key, last, reason: reason.into(), signature };
        let seq = self.put(None, at, &record.into())?;
        self.save_head();
        Ok(Written { seq, due: true })
    }

    /// Writes the head. It is a cache: without it, the next writer has more to read.
    pub(super) fn save_head(&self) {
        let head = head::write(&self.tip, &self.synced, self.boot.as_deref(), &self.digests);
        let _ = self.medium.replace(&self.place.beside("head"), &head, Durability::Buffered);
    }

    /// Writes one record.
    pub(super) fn put(&mut self, session: Option<&str>, at: Time, body: &Body<'_>) -> Result<u64, JournalError> {
        let seq = self.tip.next();
        let head = Head { at, journal: self.tip.journal, prev: self.tip.last, seq, session: session.map(Into::into) };
        self.line.clear();
        let hash = record::encode(&head, body, &mut self.line);
        if self.line.len() > MAX_LINE {
            return Err(JournalError::TooLong { bytes: self.line.len() });
        }
        if let Err(error) = write_all(&*self.storage, &self.line) {
            let end = self.tip.end;
            let cut = self.storage.truncate(end).and_then(|()| self.storage.length());
            if cut.is_ok_and(|length| length == end) {
                return Err(JournalError::io("write", &self.place.journal(), error));
            }
            return Err(self.halt(&format!("a line could not be written, nor cut off: {error}")));
        }
        self.tip.push(at, body, hash, u64::try_from(self.line.len()).unwrap_or(u64::MAX));
        Ok(seq)
    }
}

/// The public key as records have it.
pub(super) fn public(key: &SigningKey) -> Key {
    Base64(*key.public().as_bytes())
}
