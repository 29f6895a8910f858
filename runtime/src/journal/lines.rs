//! Lines of a file, in bounded memory.

use std::io::{self, BufRead};

use super::scan::MAX_LINE;

/// What the next line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// A line that ends in a newline, which is not part of it.
    Whole,
    /// The rest of the file, without a newline.
    Torn,
    /// A line that is longer than records are. Its rest was read past.
    TooLong,
    /// There is none.
    End,
}

/// Reads the next line into the buffer. Returns what it is, and how many bytes of the file it takes.
pub(super) fn next(input: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<(Line, u64)> {
    line.clear();
    let limit = u64::try_from(MAX_LINE).unwrap_or(u64::MAX);
    let read = io::Read::take(&mut *input, limit).read_until(b'\n', line)?;
    let mut size = u64::try_from(read).unwrap_or(u64::MAX);
    if read == 0 {
        return Ok((Line::End, 0));
    }
    if line.pop_if(|last| *last == b'\n').is_some() {
        return Ok((Line::Whole, size));
    }
    if read < MAX_LINE {
        return Ok((Line::Torn, size));
    }
    line.clear();
    let (rest, found) = rest(input)?;
    size = size.saturating_add(rest);
    Ok((found, size))
}

/// Reads past the rest of a line that is longer than records are. One without an end is what a crash left: zeros, whatever
/// their number.
pub(super) fn rest(input: &mut impl BufRead) -> io::Result<(u64, Line)> {
    let mut size = 0_u64;
    loop {
        let buffer = match input.fill_buf() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            other => other?,
        };
        let end = buffer.iter().position(|byte| *byte == b'\n');
        let taken = end.map_or(buffer.len(), |at| at.saturating_add(1));
        input.consume(taken);
        size = size.saturating_add(u64::try_from(taken).unwrap_or(u64::MAX));
        match (end, taken) {
            (Some(_), _) => return Ok((size, Line::TooLong)),
            (None, 0) => return Ok((size, Line::Torn)),
            (None, _) => {}
        }
    }
}
