//! A journal as one HTML page, which needs nothing else: no network, no server, no script to be read at all.
//!
//! The page is static: badge, counts, reasons, automata. Only the timeline is drawn by a script, from the records themselves, which
//! the page carries as data. Its policy lets exactly that script and that style run, by their hashes, and nothing be loaded; text of a
//! journal is text wherever it stands, so that it cannot become anything else even if the policy were ignored.
//!
//! INVARIANT: a journal is read twice, record by record, once to count and once to be copied into the page; memory does not grow with
//! it. The page says nothing but what the journal and its check say, so the same journal gives the same page.

mod contracts;
mod html;
mod machine;
mod page;
mod rows;
mod sections;
mod standing;
mod summary;
mod table;
mod tally;
#[cfg(test)]
mod tests;

pub(crate) use page::Page;
pub(crate) use standing::{Level, Standing};
pub(crate) use summary::Summary;
pub(crate) use tally::{Bounds, Tally};

/// The most characters that are kept of a text.
const LONGEST_KEPT: usize = 500;

/// A text of the journal as it is kept: up to a length.
fn kept(text: &str) -> String {
    text.chars().take(LONGEST_KEPT).collect()
}
