//! Small files that only their owner may read: private keys and secrets. On systems without Unix permissions, that is for the
//! folder to see to.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::Path;

use zeroize::Zeroizing;

use super::KeyError;

/// Neither a key nor a secret is longer.
const MOST_BYTES: u64 = 4096;

/// Writes a file that must not exist, with mode 0600 from the start.
pub(in crate::journal) fn write_new(path: &Path, text: &str) -> Result<(), KeyError> {
    let failed = |error: io::Error| match error.kind() {
        io::ErrorKind::AlreadyExists => KeyError::Exists(path.to_owned()),
        _ => KeyError::Io { path: path.to_owned(), error },
    };
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path).map_err(failed)?;
    file.write_all(text.as_bytes()).and_then(|()| file.sync_all()).map_err(|error| {
        // Half a key would only be in the way of the next attempt.
        let _ = fs::remove_file(path);
        failed(error)
    })
}

/// Reads such a file.
pub(in crate::journal) fn read(path: &Path) -> Result<Zeroizing<String>, KeyError> {
    let failed = |error| KeyError::Io { path: path.to_owned(), error };
    // Before it is opened, because opening a pipe waits for somebody to write into it; and again of the file that was opened.
    let checked = check(path, &fs::metadata(path).map_err(failed)?);
    if let Err(KeyError::Exposed { .. }) = checked
        && super::PublicKey::read(path).is_ok()
    {
        return Err(KeyError::malformed("is a public key; the private one is needed").in_file(path));
    }
    checked?;
    let file = File::open(path).map_err(failed)?;
    check(path, &file.metadata().map_err(failed)?)?;
    let mut text = Zeroizing::new(String::new());
    match file.take(MOST_BYTES).read_to_string(&mut text) {
        Ok(_) => Ok(text),
        Err(error) if error.kind() == io::ErrorKind::InvalidData => {
            Err(KeyError::malformed("is not text").in_file(path))
        }
        Err(error) => Err(failed(error)),
    }
}

fn check(path: &Path, metadata: &fs::Metadata) -> Result<(), KeyError> {
    if !metadata.is_file() {
        return Err(KeyError::NotAFile(path.to_owned()));
    }
    #[cfg(unix)]
    {
        let mode = std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o7777;
        if mode & 0o077 != 0 {
            return Err(KeyError::Exposed { path: path.to_owned(), mode });
        }
    }
    if metadata.len() > MOST_BYTES {
        return Err(KeyError::malformed("is too large to be a key or a secret").in_file(path));
    }
    Ok(())
}
