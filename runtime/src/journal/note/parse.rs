//! Reading notes, strictly.

use super::{Note, NoteError, NoteSignature};

impl Note {
    /// Reads a note. Who signed it is still to be checked.
    ///
    /// # Errors
    /// If the text is not a note to the letter.
    pub fn parse(note: &str) -> Result<Self, NoteError> {
        if note.len() > Self::MOST_BYTES {
            return Err(NoteError::TooLong);
        }
        // The last empty line ends the text: texts may have empty lines, signatures have none.
        let (text, lines) = note.rsplit_once("\n\n").ok_or(NoteError::NoSignature)?;
        let text = format!("{text}\n");
        check_text(&text)?;
        let lines = match lines.strip_suffix('\n') {
            Some(lines) => lines,
            None if lines.is_empty() => return Err(NoteError::NoSignature),
            None => return Err(NoteError::SignatureLine),
        };
        let mut note = Self { text, signatures: Vec::new() };
        lines.split('\n').try_for_each(|line| note.add(NoteSignature::parse(line)?))?;
        Ok(note)
    }
}

/// Whether a text can be that of a note.
pub(super) fn check_text(text: &str) -> Result<(), NoteError> {
    let fine = text.len() <= Note::MOST_BYTES && text.ends_with('\n') && text.chars().all(|c| c == '\n' || c >= ' ');
    if fine { Ok(()) } else { Err(NoteError::Text) }
}

/// Whether a name can be that of a signer.
pub(super) fn check_name(name: &str) -> Result<(), NoteError> {
    let fine = !name.is_empty() && name.chars().all(|c| c != '+' && !c.is_control() && !c.is_whitespace());
    if fine { Ok(()) } else { Err(NoteError::Name) }
}
