//! The text of one expression together with where it stands in its file.

use std::fmt;
use std::ops::Range;

use crate::source::Span;

/// Maps a byte range of an expression's text to its place in the file.
pub type Place<'a> = &'a dyn Fn(Range<usize>) -> Span;

/// The text of an expression and its place.
#[derive(Clone, Copy)]
pub struct Written<'a> {
    /// The text.
    pub text: &'a str,
    place: Place<'a>,
}

impl<'a> Written<'a> {
    /// A text and the map from its byte ranges to the file.
    #[must_use]
    pub fn new(text: &'a str, place: Place<'a>) -> Self {
        Self { text, place }
    }

    /// Where a byte range of the text stands.
    #[must_use]
    pub fn span(self, range: &Range<usize>) -> Span {
        (self.place)(range.clone())
    }

    /// Where the whole text stands.
    #[must_use]
    pub fn whole(self) -> Span {
        (self.place)(0..self.text.len())
    }

    /// The text on one line, as it is shown to people. Strings hold no line breaks, so nothing in them changes.
    #[must_use]
    pub fn source_text(self) -> String {
        self.text.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
    }
}

impl fmt::Debug for Written<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Written").field("text", &self.text).finish_non_exhaustive()
    }
}
