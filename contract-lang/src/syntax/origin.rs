//! Where a text that was read out of a file stands in that file.
//!
//! An expression reaches its parser as the *value* of a scalar: escapes resolved, indentation removed. Errors are found
//! at offsets of that value and must be shown at offsets of the file. The map between them is a list of runs; a run is
//! either copied byte for byte or is one escape.

use std::ops::Range;

use crate::source::Span;

/// One run of a text and where it stands in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Run {
    value: Span,
    file: Span,
}

impl Run {
    fn is_copied(self) -> bool {
        self.value.end.saturating_sub(self.value.start) == self.file.end.saturating_sub(self.file.start)
    }
}

/// The map from a text to its file. Without runs every part of the text is the whole.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    runs: Vec<Run>,
}

impl Origin {
    /// The origin of a text that stands in the file as it is.
    #[must_use]
    pub fn verbatim(span: Span) -> Self {
        let length = span.end.saturating_sub(span.start);
        Self { runs: vec![Run { value: Span { start: 0, end: length }, file: span }] }
    }

    /// Adds the next run: so many bytes of the value, which stand at a range of the file.
    pub(crate) fn push(&mut self, value_length: usize, file: Range<usize>) {
        let start = self.runs.last().map_or(0, |run| run.value.end as usize);
        let next =
            Run { value: Span::new(start, start.saturating_add(value_length)), file: Span::new(file.start, file.end) };
        match self.runs.last_mut() {
            Some(last) if last.is_copied() && next.is_copied() && last.file.end == next.file.start => {
                last.value.end = next.value.end;
                last.file.end = next.file.end;
            }
            _ => self.runs.push(next),
        }
    }

    /// The place in the file of a range of the text; `whole` where it is not known more exactly.
    #[must_use]
    pub fn span(&self, range: Range<usize>, whole: Span) -> Span {
        let start = u32::try_from(range.start).unwrap_or(u32::MAX);
        let end = u32::try_from(range.end).unwrap_or(u32::MAX).max(start);
        let (Some(from), Some(last)) = (self.start_of(start), self.runs.last()) else { return whole };
        if end <= start {
            return Span { start: from, end: from };
        }
        let to = self.end_of(end.saturating_sub(1)).unwrap_or(last.file.end);
        Span { start: from, end: to.max(from) }
    }

    /// The run that holds an offset; past the end, the last.
    fn run(&self, offset: u32) -> Option<Run> {
        let after = self.runs.partition_point(|run| run.value.start <= offset);
        after.checked_sub(1).and_then(|index| self.runs.get(index)).copied()
    }

    fn start_of(&self, offset: u32) -> Option<u32> {
        let run = self.run(offset)?;
        let into = offset.saturating_sub(run.value.start);
        Some(match offset >= run.value.end {
            true => run.file.end,
            false if run.is_copied() => run.file.start.saturating_add(into),
            false => run.file.start,
        })
    }

    /// One past the file's bytes for the byte at an offset.
    fn end_of(&self, offset: u32) -> Option<u32> {
        let run = self.run(offset)?;
        let into = offset.saturating_sub(run.value.start).saturating_add(1);
        Some(match run.is_copied() {
            true => run.file.start.saturating_add(into).min(run.file.end),
            false => run.file.end,
        })
    }
}
