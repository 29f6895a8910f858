//! How a journal is to be written.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration as Wait;

use super::file::Folder;
use super::handle::{Access, Journal};
use super::key::KeyError;
use super::lock::Lock;
use super::medium::Medium;
use super::place::Place;
use super::record::{Capture, Hex, Id, Sync};
use super::secret::Secret;
use super::writer::Writer;
use super::{JournalError, SigningKey};
use crate::{Clock, Duration, SystemClock};

/// Says how a journal is to be written, and opens it. Made by [`Journal::at`].
pub struct Options {
    pub(super) path: PathBuf,
    medium: Option<Arc<dyn Medium>>,
    pub(super) key: Option<Arc<SigningKey>>,
    secret: Option<Secret>,
    id: Option<Id>,
    clock: Arc<dyn Clock>,
    redact: Vec<String>,
    settings: Settings,
}

/// What the writer needs to know.
#[derive(Clone, Debug)]
pub(super) struct Settings {
    pub(super) content: Capture,
    pub(super) sync: Sync,
    pub(super) checkpoint_every: u64,
    pub(super) checkpoint_after: Duration,
    pub(super) rotate_bytes: Option<u64>,
    pub(super) rotate_after: Option<Duration>,
    /// Whether content and sync are those of the journal that is there.
    pub(super) as_begun: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            content: Capture::Digest,
            sync: Sync::Every,
            checkpoint_every: 1000,
            checkpoint_after: Duration::from_nanos(60_000_000_000),
            rotate_bytes: None,
            rotate_after: None,
            as_begun: false,
        }
    }
}

impl Options {
    pub(super) fn new(path: PathBuf) -> Self {
        Self {
            path,
            medium: None,
            key: None,
            secret: None,
            id: None,
            clock: Arc::new(SystemClock),
            redact: Vec::new(),
            settings: Settings::default(),
        }
    }

    /// Signs checkpoints with this key. Without one, the journal is hash-chained, and nobody outside vouches for it.
    #[must_use]
    pub fn key(mut self, key: SigningKey) -> Self {
        self.key = Some(Arc::new(key));
        self
    }

    /// Stores arguments and results, not only their digests.
    #[must_use]
    pub fn capture_content(mut self) -> Self {
        self.settings.content = Capture::Captured;
        self
    }

    /// Fields that are never stored: a name at any depth, or a path such as `card.number`, `items[].ssn`, `**.token`.
    #[must_use]
    pub fn redact_fields(mut self, fields: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.redact.extend(fields.into_iter().map(Into::into));
        self
    }

    /// When what was written is forced to the disk: [`Sync::Every`] record unless said otherwise. Whatever is chosen, a
    /// record is with the operating system before its call runs: it outlives the process, but not a loss of power.
    #[must_use]
    pub fn sync(mut self, sync: Sync) -> Self {
        self.settings.sync = sync;
        self
    }

    /// Writes a checkpoint at least every so many records. 1000 unless said otherwise.
    #[must_use]
    pub fn checkpoint_every(mut self, records: u64) -> Self {
        self.settings.checkpoint_every = records.max(1);
        self
    }

    /// Writes a checkpoint with the first record that comes this long after the last one. A minute unless said otherwise.
    #[must_use]
    pub fn checkpoint_after(mut self, time: Duration) -> Self {
        self.settings.checkpoint_after = time;
        self
    }

    /// Goes on in a new file when the file has this many bytes.
    #[must_use]
    pub fn rotate_bytes(mut self, bytes: u64) -> Self {
        self.settings.rotate_bytes = Some(bytes);
        self
    }

    /// Goes on in a new file with the first record that comes this long after the file was begun.
    #[must_use]
    pub fn rotate_after(mut self, time: Duration) -> Self {
        self.settings.rotate_after = Some(time);
        self
    }

    /// Where the time of records comes from that no session asked for: the computer's clock unless said otherwise.
    #[must_use]
    pub fn clock(mut self, clock: impl Clock + 'static) -> Self {
        self.clock = Arc::new(clock);
        self
    }

    /// Gives a new journal this id instead of a random one: with the same secret, key, times and calls, its bytes are the same.
    #[must_use]
    pub fn id(mut self, id: Id) -> Self {
        self.id = Some(id);
        self
    }

    /// Makes digests under this secret, which is not read from `<journal>.secret`, nor written there.
    #[must_use]
    pub fn secret(mut self, secret: Secret) -> Self {
        self.secret = Some(secret);
        self
    }

    /// Writes to this medium instead of the file system, without a lock.
    #[cfg(test)]
    pub(super) fn medium(mut self, medium: Arc<dyn Medium>) -> Self {
        self.medium = Some(medium);
        self
    }

    /// Begins a journal, and keeps it until it is closed.
    ///
    /// # Errors
    /// If there is one already, or was one; if it cannot be written.
    pub fn create(self) -> Result<Journal, JournalError> {
        self.begin(true, None)
    }

    /// Continues a journal, or begins it, and keeps it until it is closed: other writers are refused.
    ///
    /// # Errors
    /// If another writer has it; if what is there does not continue as a journal; if it cannot be written.
    pub fn open(self) -> Result<Journal, JournalError> {
        self.begin(false, None)
    }

    /// Continues a journal as it was begun, with the same content and sync, and keeps it until it is closed.
    ///
    /// # Errors
    /// As [`Options::open`], and if there is none.
    pub fn resume(mut self) -> Result<Journal, JournalError> {
        self.settings.as_begun = true;
        let place = Place::new(&self.path)?;
        let (medium, lock) = self.locked(&place, None)?;
        if medium.open(place.name())?.is_none() && medium.open(&place.segment(0))?.is_none() {
            let missing = std::io::Error::from(std::io::ErrorKind::NotFound);
            return Err(JournalError::io("open", &place.journal(), missing));
        }
        self.begin_locked(place, medium, lock, None)
    }

    /// Continues a journal, or begins it, for writers that take turns: each append waits for the others, at most this long.
    ///
    /// # Errors
    /// As [`Options::open`], but that another writer is waited for.
    pub fn shared(self, deadline: Wait) -> Result<Journal, JournalError> {
        self.begin(false, Some(deadline))
    }

    fn begin(self, fresh: bool, deadline: Option<Wait>) -> Result<Journal, JournalError> {
        let place = Place::new(&self.path)?;
        let (medium, lock) = self.locked(&place, deadline)?;
        if fresh && (medium.open(place.name())?.is_some() || medium.open(&place.segment(0))?.is_some()) {
            return Err(JournalError::Exists { journal: place.journal() });
        }
        self.begin_locked(place, medium, lock, deadline)
    }

    /// The medium, and the lock on the journal.
    pub(super) fn locked(
        &self,
        place: &Place,
        deadline: Option<Wait>,
    ) -> Result<(Arc<dyn Medium>, Option<Lock>), JournalError> {
        if let Some(medium) = &self.medium {
            return Ok((Arc::clone(medium), None));
        }
        let path = place.path(&place.beside("lock"));
        let lock = match deadline {
            Some(most) => Lock::wait(&path, most)?,
            None => Lock::take(&path)?,
        };
        Ok((Arc::new(Folder::new(place.folder())), Some(lock)))
    }

    /// Continues the journal, or begins it, under its lock.
    pub(super) fn begin_locked(
        self,
        place: Place,
        medium: Arc<dyn Medium>,
        lock: Option<Lock>,
        deadline: Option<Wait>,
    ) -> Result<Journal, JournalError> {
        let lock_path = place.path(&place.beside("lock"));
        let digests = match self.secret {
            Some(secret) => secret.digests(),
            None => secret_of(&place)?.digests(),
        };
        let id = match self.id {
            Some(id) => id,
            None => {
                let mut id = [0; 8];
                getrandom::fill(&mut id).map_err(|_| JournalError::Random)?;
                Hex(id)
            }
        };
        let at = self.clock.now();
        let writer = Writer::open(medium, place, self.settings, digests, self.key, id, at)?;
        writer.save_head();
        let access = match (deadline, lock) {
            (Some(deadline), lock) => Access::Shared { lock: lock.map(|_| lock_path), deadline },
            (None, lock) => Access::Kept(lock),
        };
        Ok(Journal::new(writer, access, self.clock, self.redact))
    }
}

/// The journal's secret; a new one if there is none, or none any more.
fn secret_of(place: &Place) -> Result<Secret, JournalError> {
    let path = place.path(&place.beside("secret"));
    let failed = |error| JournalError::secret(&path, error);
    match Secret::read(&path) {
        Err(KeyError::Io { error, .. }) if error.kind() == std::io::ErrorKind::NotFound => {
            let secret = Secret::generate().map_err(failed)?;
            secret.write_new(&path).map_err(failed)?;
            Ok(secret)
        }
        read => read.map_err(failed),
    }
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options")
            .field("path", &self.path)
            .field("key", &self.key)
            .field("id", &self.id)
            .field("redact", &self.redact)
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}
