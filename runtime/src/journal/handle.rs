//! The journal as hosts have it: shared by sessions and threads.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration as Wait;

use super::content::Fields;
use super::lock::Lock;
use super::options::Options;
use super::record::{self, Body, Broken, Capture, Contract, Id, Key, SessionStart, Sync};
use super::secret::Digests;
use super::sync::Syncer;
use super::writer::{Writer, Written, public};
use super::{JournalError, SigningKey};
use crate::{Clock, Ticket, Time};

/// A journal that is being written. Clones write to the same one; the last that goes closes it.
#[derive(Clone)]
pub struct Journal(Arc<Shared>);

/// How a writer shares the journal with others.
#[derive(Debug)]
pub(super) enum Access {
    /// It does not. (Without a lock where the medium is a test's.)
    Kept(Option<Lock>),
    /// It takes the lock for each append.
    Shared {
        /// The lock's path; none where the medium is a test's.
        lock: Option<PathBuf>,
        /// How long it waits for it.
        deadline: Wait,
    },
    /// It is closed.
    Closed,
}

struct Shared {
    open: Mutex<Open>,
    syncer: Syncer,
    clock: Arc<dyn Clock>,
    digests: Digests,
    path: PathBuf,
    id: Id,
    content: Capture,
    sync: Sync,
    redact: Vec<String>,
    fields: Fields,
}

#[derive(Debug)]
struct Open {
    writer: Writer,
    access: Access,
}

impl Journal {
    /// The journal with this path: say how, then [`create`](Options::create), [`open`](Options::open) or
    /// [`share`](Options::shared) it.
    pub fn at(path: impl Into<PathBuf>) -> Options {
        Options::new(path.into())
    }

    pub(super) fn new(writer: Writer, access: Access, clock: Arc<dyn Clock>, redact: Vec<String>) -> Self {
        Self(Arc::new(Shared {
            syncer: Syncer::default(),
            clock,
            digests: writer.digests.clone(),
            path: writer.place.journal(),
            id: writer.tip.journal,
            content: writer.settings.content,
            sync: writer.settings.sync,
            fields: Fields::new(&redact),
            redact,
            open: Mutex::new(Open { writer, access }),
        }))
    }

    /// Appends a record: of a session, or of none.
    ///
    /// When this returns, the record is with the operating system and its place in the journal is fixed; wait with
    /// [`Journal::commit`], outside all locks, until it is as durable as the journal promises. If it cannot be written, it is
    /// counted, and the journal says how many are missing as soon as it can be written again.
    ///
    /// # Errors
    /// If it cannot be written, or not in time.
    pub fn append(&self, session: Option<&str>, at: Time, body: &Body<'_>) -> Result<Ticket, JournalError> {
        self.0.write(at, 1, |writer| writer.append(session, at, body))
    }

    /// Begins a session: records its contract, unless this file has it, and its start. A session without a name is called
    /// `s` and the number of its first record. Returns its name.
    ///
    /// # Errors
    /// As [`Journal::append`].
    pub fn begin(
        &self,
        session: Option<&str>,
        at: Time,
        contract: &Contract<'_>,
        start: &SessionStart<'_>,
    ) -> Result<(String, Ticket), JournalError> {
        let mut name = String::new();
        let ticket = self.0.write(at, 1, |writer| writer.begin(session, at, contract, start, &mut name))?;
        Ok((name, ticket))
    }

    /// Waits until a record is on the disk, as far as the journal's [`Sync`] promises it.
    ///
    /// # Errors
    /// If it may not be there.
    pub fn commit(&self, ticket: Ticket) -> Result<(), JournalError> {
        self.0.syncer.wait(ticket, || self.0.flush())
    }

    /// Counts records that a host could not even try to append; the journal will say that they are missing, and why.
    pub fn miss(&self, records: u64, why: &JournalError) {
        self.0.open().writer.miss(records, why);
    }

    /// How many records are missing, and not yet said to be.
    #[must_use]
    pub fn missing(&self) -> u64 {
        self.0.open().writer.missing()
    }

    /// Writes a checkpoint now, if there are records since the last, and waits until it is on the disk.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn checkpoint(&self) -> Result<(), JournalError> {
        let at = self.0.clock.now();
        let ticket = self.0.write(at, 0, |writer| {
            writer.check_file()?;
            writer.own_up(at)?;
            writer.checkpoint(at)?;
            writer.settle()?;
            Ok(Written { seq: writer.tip.next().saturating_sub(1), due: true })
        })?;
        self.commit(ticket)
    }

    /// Goes on in a new file now, after a last checkpoint in the old one.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn rotate(&self) -> Result<(), JournalError> {
        let at = self.0.clock.now();
        let ticket = self.0.write(at, 0, |writer| writer.rotate(at))?;
        self.commit(ticket)
    }

    /// Lets another key sign from here on, by a record that the old key signs; waits until it is on the disk.
    ///
    /// # Errors
    /// If the journal has no key, or cannot be written.
    pub fn rotate_key(&self, new: SigningKey) -> Result<(), JournalError> {
        let at = self.0.clock.now();
        let ticket = self.0.write(at, 0, |writer| writer.rotate_key(new, at))?;
        self.commit(ticket)
    }

    /// Says what this journal continues; waits until it is on the disk.
    pub(super) fn reanchor(
        &self,
        broken: &Broken<'_>,
        last: Option<record::Place>,
        reason: &str,
    ) -> Result<(), JournalError> {
        let at = self.0.clock.now();
        let ticket = self.0.write(at, 0, |writer| writer.reanchor(broken, last, reason, at))?;
        self.commit(ticket)
    }

    /// Writes what is due and lets others write. A journal that is kept gets a last checkpoint.
    ///
    /// # Errors
    /// If that could not be written; others can write in any case.
    pub fn close(&self) -> Result<(), JournalError> {
        self.0.close()
    }

    /// Its id.
    #[must_use]
    pub fn id(&self) -> Id {
        self.0.id
    }

    /// Its path.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0.path
    }

    /// What makes digests under its secret.
    #[must_use]
    pub fn digests(&self) -> &Digests {
        &self.0.digests
    }

    /// Whether it stores content, or only digests.
    #[must_use]
    pub fn content(&self) -> Capture {
        self.0.content
    }

    /// The fields that it never stores.
    #[must_use]
    pub fn redact_fields(&self) -> &[String] {
        &self.0.redact
    }

    pub(super) fn fields(&self) -> &Fields {
        &self.0.fields
    }

    /// The key that signs its checkpoints now.
    #[must_use]
    pub fn key(&self) -> Option<Key> {
        self.0.open().writer.key.as_deref().map(public)
    }
}

impl fmt::Debug for Journal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Journal").field("path", &self.0.path).field("id", &self.0.id).finish_non_exhaustive()
    }
}

impl Shared {
    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the lock where others write too, and writes. What could not even be tried counts as so many missing records.
    fn write(
        &self,
        at: Time,
        records: u64,
        write: impl FnOnce(&mut Writer) -> Result<Written, JournalError>,
    ) -> Result<Ticket, JournalError> {
        // Before the mutex: threads wait for each other by the lock too, each until its own deadline.
        let _turn = self.turn().inspect_err(|error| self.open().writer.miss(records, error))?;
        let mut open = self.open();
        let Open { writer, access } = &mut *open;
        let written = match access {
            Access::Kept(_) => write(writer)?,
            Access::Shared { .. } => {
                writer.catch_up(at).inspect_err(|error| writer.miss(records, error))?;
                let written = write(writer)?;
                if self.sync == Sync::Every || (written.due && self.sync == Sync::Checkpoint) {
                    // Under the lock: the next writer must know what is on the disk, and must not put its note into place
                    // before this one.
                    writer.settle()?;
                }
                writer.save_head();
                written
            }
            Access::Closed => return Err(JournalError::Closed { journal: self.path.clone() }),
        };
        let waits = matches!(access, Access::Kept(_))
            && match self.sync {
                Sync::Every => true,
                Sync::Checkpoint => written.due,
                Sync::Never => false,
            };
        Ok(Ticket { seq: written.seq, waits })
    }

    fn turn(&self) -> Result<Option<Lock>, JournalError> {
        let Access::Shared { lock, deadline } = &self.open().access else { return Ok(None) };
        let (lock, deadline) = (lock.clone(), *deadline);
        lock.map(|lock| Lock::wait(&lock, deadline)).transpose()
    }

    /// Syncs what was written until now.
    fn flush(&self) -> (u64, Result<(), JournalError>) {
        let (storage, tip) = {
            let open = self.open();
            (open.writer.storage.clone(), open.writer.tip.clone())
        };
        let size = tip.next();
        if self.sync == Sync::Never {
            return (size, Ok(()));
        }
        if let Err(error) = storage.sync() {
            self.open().writer.unsynced(&error);
            return (size, Err(JournalError::io("sync", &self.path, error)));
        }
        let writer = &mut self.open().writer;
        if size > writer.synced.next() {
            writer.synced = tip;
        }
        // The note may be younger than what was synced; then the next sync is the one for it.
        if writer.tip.mark.size <= size {
            writer.publish();
        }
        (size, Ok(()))
    }

    fn close(&self) -> Result<(), JournalError> {
        let at = self.clock.now();
        let shared = matches!(self.open().access, Access::Shared { .. });
        // Nothing is due of a writer that took turns, unless it has to say that records are missing.
        let turn = if shared && self.open().writer.missing() > 0 { self.turn() } else { Ok(None) };
        let mut open = self.open();
        let access = std::mem::replace(&mut open.access, Access::Closed);
        let writer = &mut open.writer;
        match access {
            Access::Closed => Ok(()),
            Access::Kept(_lock) => writer.check_file().and_then(|()| {
                writer.own_up(at)?;
                writer.checkpoint(at)?;
                writer.settle()?;
                writer.save_head();
                Ok(())
            }),
            Access::Shared { .. } if writer.missing() == 0 => Ok(()),
            Access::Shared { .. } => {
                turn?;
                writer.catch_up(at)?;
                writer.own_up(at)?;
                writer.settle()?;
                writer.save_head();
                Ok(())
            }
        }
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        // Nobody is left to be told; what was appended is with the operating system already.
        let _ = self.close();
    }
}
