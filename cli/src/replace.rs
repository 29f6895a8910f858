//! Replacing a file by another version of it.
//!
//! INVARIANT: whoever reads the file finds the old text or the new one, whole, also if the machine stops in between.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;

/// Gives a file another text; its permissions stay.
///
/// # Errors
/// It cannot be written; it is a symbolic link, which would become a file of its own, or lead to one that nobody named; or its
/// text is not the old one any more.
pub(crate) fn file(path: &Path, old: &str, new: &str) -> io::Result<()> {
    let about = fs::symlink_metadata(path)?;
    if about.is_symlink() {
        return Err(io::Error::other("it is a symbolic link; name the file that it leads to"));
    }
    if fs::read(path)? != old.as_bytes() {
        return Err(io::Error::other("it was changed since it was read"));
    }
    let mut name = std::ffi::OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(format!(".{}.new", std::process::id()));
    let beside = path.with_file_name(name);
    let written = write(&beside, about.permissions(), new).and_then(|()| fs::rename(&beside, path));
    if written.is_err() {
        // What is in the way is not ours to keep; that it cannot be removed changes nothing.
        let _ = fs::remove_file(&beside);
    }
    written
}

/// Makes a file with a text.
///
/// # Errors
/// It cannot be written, or is there already.
pub(crate) fn create(path: &Path, text: &str) -> io::Result<()> {
    let mut name = std::ffi::OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(format!(".{}.new", std::process::id()));
    let beside = path.with_file_name(name);
    let mut file = OpenOptions::new().write(true).create_new(true).open(&beside)?;
    let written = file.write_all(text.as_bytes()).and_then(|()| file.sync_all()).and_then(|()| {
        if fs::symlink_metadata(path).is_ok() {
            return Err(io::Error::from(io::ErrorKind::AlreadyExists));
        }
        fs::rename(&beside, path)
    });
    if written.is_err() {
        let _ = fs::remove_file(&beside);
    }
    written
}

fn write(path: &Path, permissions: fs::Permissions, text: &str) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).open(path)?;
    file.set_permissions(permissions)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}
