//! Where a journal lies: a folder with one file that is appended to, and a few small ones beside it.
//!
//! A trait, so that tests can lose power, fill the disk and fail at any byte. What a medium promises is what a file system
//! does, and no more: bytes that were not synced may be gone after a crash, any of them, with holes of zeros between those
//! that are not.

use std::fmt;
use std::io;
use std::sync::Arc;

use super::JournalError;

/// A file that is appended to.
pub(super) trait Storage: Send + Sync + fmt::Debug {
    /// Writes at the end in one call to the system, and says how many bytes it took.
    ///
    /// # Errors
    /// If nothing could be written.
    fn append(&self, bytes: &[u8]) -> io::Result<usize>;

    /// Reads from here, and says how many bytes there were: 0 at the end.
    ///
    /// # Errors
    /// If the file cannot be read.
    fn read_at(&self, offset: u64, into: &mut [u8]) -> io::Result<usize>;

    /// How many bytes there are.
    ///
    /// # Errors
    /// If the file cannot be asked.
    fn length(&self) -> io::Result<u64>;

    /// Cuts the file off.
    ///
    /// # Errors
    /// If it cannot be cut.
    fn truncate(&self, length: u64) -> io::Result<()>;

    /// Returns when all that was written before is on the disk.
    ///
    /// # Errors
    /// If it may not be there. What was written since the last time may then be lost, even if a later call succeeds.
    fn sync(&self) -> io::Result<()>;

    /// Whether the file is still found under the name by which it was opened.
    fn is_in_place(&self) -> bool;
}

/// Whether a change must be on the disk before the call returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Durability {
    /// It must.
    Synced,
    /// It may be lost with the power.
    Buffered,
}

/// A folder. Names are those of files in it.
pub(super) trait Medium: Send + Sync + fmt::Debug {
    /// Opens a file to read it and append to it, if it exists.
    ///
    /// # Errors
    /// If it is not a plain file, others may write to it, or it cannot be opened.
    fn open(&self, name: &str) -> Result<Option<Arc<dyn Storage>>, JournalError>;

    /// Creates a file that nobody else can read.
    ///
    /// # Errors
    /// If it exists, or cannot be created.
    fn create(&self, name: &str) -> Result<Arc<dyn Storage>, JournalError>;

    /// Gives a file another name, that no file has.
    ///
    /// # Errors
    /// If a file has it, or the file cannot be renamed.
    fn rename(&self, from: &str, to: &str) -> Result<(), JournalError>;

    /// Puts these bytes in the place of a small file: a reader sees the old ones or the new ones.
    ///
    /// # Errors
    /// If it cannot be written.
    fn replace(&self, name: &str, bytes: &[u8], durability: Durability) -> Result<(), JournalError>;

    /// What names the time since the computer was started, if the system can tell: for as long, nothing that was written is
    /// lost.
    fn boot(&self) -> Option<String>;

    /// Returns when all names are on the disk.
    ///
    /// # Errors
    /// If they may not be.
    fn sync(&self) -> Result<(), JournalError>;
}

/// Writes all bytes at the end, however many calls it takes.
pub(super) fn write_all(storage: &dyn Storage, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        match storage.append(bytes)? {
            0 => return Err(io::ErrorKind::WriteZero.into()),
            count => bytes = bytes.get(count..).unwrap_or_default(),
        }
    }
    Ok(())
}
