//! Names as labels: tools are named by agents, and each new label costs whoever stores the metrics a new series for ever.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::refusal::echo;

/// The label of names that have none of their own.
const OTHER: &str = "other";

/// The names that have labels.
///
/// INVARIANT: as many as the limit, at most, and one for all others. Two labels that are not the same are not shown as the
/// same: one series must not be written twice.
#[derive(Debug)]
pub(super) struct Names {
    labels: BTreeSet<Arc<str>>,
    other: Arc<str>,
    limit: usize,
    /// How often a name had to do with the common label.
    pub(super) folded: u64,
}

impl Names {
    pub(super) fn new(limit: usize) -> Self {
        Self { labels: BTreeSet::new(), other: Arc::from(OTHER), limit, folded: 0 }
    }

    /// The label of a name: inert, and short. A name that is not `known` yet gets none.
    pub(super) fn label(&mut self, name: &str, deserves: bool) -> Arc<str> {
        let shown = echo(name);
        if let Some(label) = self.labels.get(shown.as_str()) {
            return Arc::clone(label);
        }
        if !deserves || self.labels.len() >= self.limit {
            self.folded = self.folded.saturating_add(1);
            return Arc::clone(&self.other);
        }
        let label: Arc<str> = Arc::from(shown);
        self.labels.insert(Arc::clone(&label));
        label
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_beyond_the_limit_share_a_label() {
        let mut names = Names::new(2);
        let labels: Vec<_> = ["pay", "bad\u{202e}\nname", "pay", "third", "pay"].map(|n| names.label(n, true)).into();
        let labels: Vec<&str> = labels.iter().map(AsRef::as_ref).collect();
        assert_eq!(labels, ["pay", "bad\\u{202e}\\nname", "pay", "other", "pay"]);
        assert_eq!(names.folded, 1);
    }

    #[test]
    fn a_name_that_deserves_no_label_takes_no_place() {
        let mut names = Names::new(1);
        assert_eq!(&*names.label("invented", false), "other");
        assert_eq!(&*names.label("pay", true), "pay");
        assert_eq!(&*names.label("pay", false), "pay");
    }
}
