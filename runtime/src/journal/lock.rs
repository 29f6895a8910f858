//! One writer at a time: an advisory lock on a file beside the journal.
//!
//! The system lets go of the lock when its holder dies, however it dies; so there are no stale locks, and nothing to clean
//! up. The holder's process id lies in the file for the error message only.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::JournalError;
use super::file::{open_plain, private};

/// The first pause of a writer that waits for its turn.
const PAUSE: Duration = Duration::from_micros(200);
/// Its longest: with many writers, one of them finds the lock free soon after it is.
const LONGEST_PAUSE: Duration = Duration::from_millis(4);

/// A held lock. Dropping it lets go.
#[derive(Debug)]
pub(super) struct Lock {
    /// The lock goes with the open file.
    _file: File,
}

impl Lock {
    /// Takes the lock, or says who has it.
    pub(super) fn take(path: &Path) -> Result<Self, JournalError> {
        Self::attempt(path)?.ok_or_else(|| JournalError::InUse { journal: journal(path), by: holder(path) })
    }

    /// Waits for the lock, but not longer than this.
    pub(super) fn wait(path: &Path, most: Duration) -> Result<Self, JournalError> {
        let start = Instant::now();
        let mut pause = PAUSE;
        loop {
            if let Some(lock) = Self::attempt(path)? {
                return Ok(lock);
            }
            let left = most.saturating_sub(start.elapsed());
            if left.is_zero() {
                return Err(JournalError::Deadline { journal: journal(path), waited: most, by: holder(path) });
            }
            std::thread::sleep(pause.min(left));
            pause = pause.saturating_mul(2).min(LONGEST_PAUSE);
        }
    }

    /// The lock, unless somebody holds it.
    fn attempt(path: &Path) -> Result<Option<Self>, JournalError> {
        let mut options = OpenOptions::new();
        options.read(true).write(true);
        let Some(file) = open_plain(path, &options)? else {
            // Whoever creates it first, all open the same.
            match private(options.clone().create_new(true)).open(path) {
                Ok(_) => {}
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(JournalError::io("create", path, error)),
            }
            return Self::attempt(path);
        };
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(error)) => return Err(JournalError::io("lock", path, error)),
        }
        // Removed between opening and locking: others lock another file now.
        let Some(named) = open_plain(path, &options)? else { return Ok(None) };
        if !super::file::is_same_file(&named, &file) {
            return Ok(None);
        }
        // For the message of others only: a lock without a name in it is held as well.
        let _ = file.set_len(0).and_then(|()| writeln!(&file, "{}", std::process::id()));
        Ok(Some(Self { _file: file }))
    }
}

/// Who wrote their name into the lock.
fn holder(path: &Path) -> Option<u32> {
    let mut file = open_plain(path, OpenOptions::new().read(true)).ok()??;
    let mut text = String::new();
    file.rewind().ok()?;
    (&file).take(16).read_to_string(&mut text).ok()?;
    text.trim_end().parse().ok()
}

/// The journal that a lock is of.
fn journal(path: &Path) -> PathBuf {
    path.with_extension("")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::tests::Scratch;

    #[test]
    fn a_second_holder_is_refused_and_told_who_has_it() {
        let folder = Scratch::new();
        let path = folder.path("j.jsonl.lock");
        let held = Lock::take(&path).unwrap();
        let Err(JournalError::InUse { journal, by }) = Lock::take(&path) else { panic!() };
        assert_eq!((journal, by), (folder.path("j.jsonl"), Some(std::process::id())));
        drop(held);
        Lock::take(&path).unwrap();
    }

    #[test]
    fn waiting_ends_at_the_deadline() {
        let folder = Scratch::new();
        let path = folder.path("j.jsonl.lock");
        let held = Lock::take(&path).unwrap();
        let most = Duration::from_millis(30);
        let start = Instant::now();
        assert!(matches!(Lock::wait(&path, most), Err(JournalError::Deadline { waited, .. }) if waited == most));
        assert!(start.elapsed() >= most);
        let waiting = std::thread::spawn(move || Lock::wait(&path, Duration::from_secs(60)).is_ok());
        drop(held);
        assert!(waiting.join().unwrap());
    }

    #[cfg(unix)]
    #[test]
    fn a_lock_that_is_a_link_is_refused_and_what_it_points_to_is_left_alone() {
        let folder = Scratch::new();
        let target = folder.path("precious");
        std::fs::write(&target, "keep").unwrap();
        let path = folder.path("j.jsonl.lock");
        std::os::unix::fs::symlink(&target, &path).unwrap();
        assert!(matches!(Lock::take(&path), Err(JournalError::Unsafe { .. })));
        assert_eq!(std::fs::read_to_string(&target).unwrap(), "keep");
    }
}
