//! The medium of `std::fs`.
//!
//! What somebody gains who can write to the journal's folder: the journal's name as a symbolic or hard link to another file
//! makes the writer spoil that file; a pipe makes it hang; a file that they own makes evidence that they can rewrite. So a
//! name is looked at before and after it is opened: it must be a plain file, the same both times, that not everybody can
//! write to; and what it holds must be a journal before a byte is appended. New files are created exclusively, readable by
//! their owner only. Removing files cannot be prevented, but the head, the numbers of the segments and checkpoints that are
//! kept elsewhere show it.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::JournalError;
use super::medium::{Durability, Medium, Storage};

/// A folder of the file system.
#[derive(Clone, Debug)]
pub(super) struct Folder(PathBuf);

impl Folder {
    /// The folder at this path.
    #[must_use]
    pub(super) fn new(path: impl Into<PathBuf>) -> Self {
        Self(path.into())
    }
}

impl Medium for Folder {
    fn open(&self, name: &str) -> Result<Option<Arc<dyn Storage>>, JournalError> {
        let path = self.0.join(name);
        let mut options = OpenOptions::new();
        let file = open_plain(&path, options.read(true).append(true))?;
        Ok(file.map(|file| Arc::new(Plain { file, path }) as Arc<dyn Storage>))
    }

    fn create(&self, name: &str) -> Result<Arc<dyn Storage>, JournalError> {
        let path = self.0.join(name);
        let mut options = OpenOptions::new();
        let file = private(options.read(true).append(true).create_new(true)).open(&path);
        let file = file.map_err(|error| JournalError::io("create", &path, error))?;
        Ok(Arc::new(Plain { file, path }))
    }

    fn rename(&self, from: &str, to: &str) -> Result<(), JournalError> {
        let (from, to) = (self.0.join(from), self.0.join(to));
        // There is no portable way to rename without replacing. Who could place a file between these two lines could as
        // well remove the renamed one after them.
        if fs::symlink_metadata(&to).is_ok() {
            return Err(JournalError::io("rename a segment to", &to, io::ErrorKind::AlreadyExists.into()));
        }
        fs::rename(&from, &to).map_err(|error| JournalError::io("rename", &from, error))
    }

    fn replace(&self, name: &str, bytes: &[u8], durability: Durability) -> Result<(), JournalError> {
        let path = self.0.join(name);
        let next = self.0.join(format!("{name}.new"));
        // What a crash left. Removing a link removes the link, not what it points to.
        match fs::remove_file(&next) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(JournalError::io("replace", &next, error));
            }
            _ => {}
        }
        let write = || {
            let mut file = private(OpenOptions::new().write(true).create_new(true)).open(&next)?;
            file.write_all(bytes)?;
            if durability == Durability::Synced {
                file.sync_data()?;
            }
            fs::rename(&next, &path)
        };
        write().map_err(|error| {
            // A full disk is not to be filled with leftovers; if even this fails, the next attempt removes it.
            let _ = fs::remove_file(&next);
            JournalError::io("write", &path, error)
        })?;
        if durability == Durability::Synced { self.sync() } else { Ok(()) }
    }

    fn boot(&self) -> Option<String> {
        let boot = cfg!(target_os = "linux").then(|| fs::read_to_string("/proc/sys/kernel/random/boot_id"));
        Some(boot?.ok()?.trim_end().to_owned()).filter(|boot| boot.len() == 36)
    }

    fn sync(&self) -> Result<(), JournalError> {
        // Only Unix has folders that can be synced, and needs it.
        if cfg!(unix) {
            let folder = if self.0.as_os_str().is_empty() { Path::new(".") } else { &self.0 };
            let synced = File::open(folder).and_then(|folder| folder.sync_all());
            synced.map_err(|error| JournalError::io("sync the folder", folder, error))?;
        }
        Ok(())
    }
}

/// A file of the file system.
#[derive(Debug)]
struct Plain {
    file: File,
    path: PathBuf,
}

impl Storage for Plain {
    fn append(&self, bytes: &[u8]) -> io::Result<usize> {
        loop {
            match (&self.file).write(bytes) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                done => return done,
            }
        }
    }

    fn read_at(&self, offset: u64, into: &mut [u8]) -> io::Result<usize> {
        // The position is nobody else's: appends go to the end wherever it is, and one thread at a time reads.
        (&self.file).seek(SeekFrom::Start(offset))?;
        loop {
            match (&self.file).read(into) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                done => return done,
            }
        }
    }

    fn length(&self) -> io::Result<u64> {
        // Asked before each append: finding the end costs less than all that `metadata` brings.
        (&self.file).seek(SeekFrom::End(0))
    }

    fn truncate(&self, length: u64) -> io::Result<()> {
        self.file.set_len(length)
    }

    fn sync(&self) -> io::Result<()> {
        self.file.sync_data()
    }

    fn is_in_place(&self) -> bool {
        let named = fs::symlink_metadata(&self.path);
        named.is_ok_and(|named| self.file.metadata().is_ok_and(|opened| is_same(&named, &opened)))
    }
}

/// Opens a file that exists, if it is plain and only its owner and group can write to it.
pub(super) fn open_plain(path: &Path, options: &OpenOptions) -> Result<Option<File>, JournalError> {
    let before = match fs::symlink_metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(JournalError::io("open", path, error)),
    };
    let refuse = |why| Err(JournalError::Unsafe { path: path.to_owned(), why });
    if before.is_symlink() {
        return refuse("it is a symbolic link");
    }
    if before.is_dir() {
        return refuse("it is a folder");
    }
    if !before.is_file() {
        return refuse("it is not a plain file");
    }
    let file = options.open(path).map_err(|error| JournalError::io("open", path, error))?;
    let opened = file.metadata().map_err(|error| JournalError::io("open", path, error))?;
    if !is_same(&before, &opened) {
        return refuse("it was exchanged while it was being opened");
    }
    if everybody_writes(&opened) {
        return refuse("everybody can write to it");
    }
    Ok(Some(file))
}

/// Makes files that are created readable by their owner only.
pub(super) fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    options
}

/// Whether both are of the same file.
#[cfg(unix)]
pub(super) fn is_same(one: &Metadata, other: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    (one.dev(), one.ino(), one.is_file()) == (other.dev(), other.ino(), other.is_file())
}

/// Whether both are of the same file.
#[cfg(not(unix))]
pub(super) fn is_same(one: &Metadata, other: &Metadata) -> bool {
    (one.created().ok(), one.is_file()) == (other.created().ok(), other.is_file())
}

#[cfg(unix)]
fn everybody_writes(metadata: &Metadata) -> bool {
    std::os::unix::fs::MetadataExt::mode(metadata) & 0o002 != 0
}

#[cfg(not(unix))]
fn everybody_writes(_: &Metadata) -> bool {
    false
}

/// Whether both are the same file.
pub(super) fn is_same_file(one: &File, other: &File) -> bool {
    one.metadata().is_ok_and(|one| other.metadata().is_ok_and(|other| is_same(&one, &other)))
}
