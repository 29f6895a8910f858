//! Moving away what a crash left at the end of a journal.

use sha2::{Digest as _, Sha256};

use super::JournalError;
use super::medium::{Medium, Storage, write_all};
use super::place::Place;
use super::record::{Hex, Recovery};

/// How many recoveries have a file of their own.
const MOST_FILES: u32 = 1000;

/// Moves the bytes from this offset on to `<journal>.torn` (`.torn-2`, … if there is one), and says so. If all these names are
/// taken, the bytes go to the end of the first: no number of files in the folder keeps a journal from going on.
///
/// INVARIANT: they are on the disk there before they are cut off here.
pub(super) fn move_away(
    medium: &dyn Medium,
    place: &Place,
    storage: &dyn Storage,
    offset: u64,
) -> Result<Recovery<'static>, JournalError> {
    let (name, file) = create(medium, place)?;
    let failed = |error| JournalError::io("recover", &place.journal(), error);
    let mut hash = Sha256::new();
    let mut bytes: u64 = 0;
    let mut chunk = vec![0; 64 * 1024];
    loop {
        let read = storage.read_at(offset.saturating_add(bytes), &mut chunk).map_err(failed)?;
        let Some(part) = chunk.get(..read).filter(|part| !part.is_empty()) else { break };
        hash.update(part);
        bytes = bytes.saturating_add(u64::try_from(read).unwrap_or(u64::MAX));
        write_all(&*file, part).map_err(|error| JournalError::io("write", &place.path(&name), error))?;
    }
    file.sync().map_err(|error| JournalError::io("write", &place.path(&name), error))?;
    medium.sync()?;
    // At once on the disk: what comes next is written over the same place.
    storage.truncate(offset).and_then(|()| storage.sync()).map_err(failed)?;
    Ok(Recovery { bytes, file: name.into(), sha256: Hex(hash.finalize().into()) })
}

fn create(medium: &dyn Medium, place: &Place) -> Result<(String, std::sync::Arc<dyn Storage>), JournalError> {
    let mut number = 1;
    loop {
        let name = if number == 1 { place.beside("torn") } else { place.beside(&format!("torn-{number}")) };
        match medium.create(&name) {
            Ok(file) => return Ok((name, file)),
            Err(JournalError::Io { error, .. }) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
        if number == MOST_FILES {
            let name = place.beside("torn");
            let gone = || JournalError::Gone { journal: place.journal(), left: name.clone() };
            let file = medium.open(&name)?.ok_or_else(gone)?;
            return Ok((name, file));
        }
        number = number.saturating_add(1);
    }
}
