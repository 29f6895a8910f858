//! Small files in a folder that others may write to.
//!
//! INVARIANT: reading one waits for nothing, follows no link and takes bounded memory; writing one leaves a whole file or none,
//! and replaces nothing.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::Path;

use contract_runtime::Seed;
use contract_runtime::journal::Hex;

use super::problem::Problem;

/// Who may have written a file that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Writer {
    /// Anybody: what it says is checked in another way.
    Anybody,
    /// Nobody but the user of this process.
    Me,
}

/// Reads a file. `None`: there is none.
pub(super) fn read(path: &Path, most: u64, writer: Writer) -> Result<Option<Vec<u8>>, Problem> {
    let failed = |error: &io::Error| Problem::io("it cannot be read", error);
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(&error)),
        // Looked at before it is opened, and again of the file that was opened.
        Ok(metadata) => check(&metadata, most, writer)?,
    }
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;

        let flags = OFlags::NOFOLLOW.union(OFlags::NONBLOCK).bits();
        std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, flags.cast_signed());
    }
    let file = match options.open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(&error)),
        Ok(file) => file,
    };
    check(&file.metadata().map_err(|error| failed(&error))?, most, writer)?;
    let mut bytes = Vec::new();
    file.take(most.saturating_add(1)).read_to_end(&mut bytes).map_err(|error| failed(&error))?;
    if u64::try_from(bytes.len()).is_ok_and(|length| length <= most) { Ok(Some(bytes)) } else { Err(too_long(most)) }
}

fn check(metadata: &fs::Metadata, most: u64, writer: Writer) -> Result<(), Problem> {
    if !metadata.is_file() {
        return Err(Problem::new("it is not a regular file"));
    }
    if metadata.len() > most {
        return Err(too_long(most));
    }
    #[cfg(unix)]
    if writer == Writer::Me {
        use std::os::unix::fs::MetadataExt as _;

        if metadata.uid() != rustix::process::geteuid().as_raw() {
            return Err(Problem::new("it is another user's"));
        }
        if metadata.mode() & 0o022 != 0 {
            return Err(Problem::new(format!("others can change it (mode {:04o})", metadata.mode() & 0o7777)));
        }
    }
    #[cfg(not(unix))]
    let _ = writer;
    Ok(())
}

fn too_long(most: u64) -> Problem {
    Problem::new(format!("it has more than {most} bytes"))
}

/// Writes a file that must not exist. Whoever sees it sees all of it.
pub(super) fn write_new(path: &Path, bytes: &[u8], is_shared: bool) -> io::Result<()> {
    let Some(folder) = path.parent() else { return Err(io::ErrorKind::InvalidInput.into()) };
    let draft = folder.join(format!(".{}", Hex(Seed::random().0)));
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, if is_shared { 0o640 } else { 0o600 });
    #[cfg(not(unix))]
    let _ = is_shared;
    let mut file: File = options.open(&draft)?;
    let linked = file.write_all(bytes).and_then(|()| file.sync_all()).and_then(|()| fs::hard_link(&draft, path));
    let _ = fs::remove_file(&draft);
    linked
}
