//! Making proofs in one pass over the leaves.
//!
//! A proof is a list of roots of ranges of leaves: `PATH` and `SUBPROOF` of RFC 6962 §2.1.1 and §2.1.2, with the ranges written
//! down first and hashed later. The ranges do not overlap, so one frontier at a time is enough.

use std::ops::Range;

use super::{Frontier, Hash};
use crate::journal::record::NO_HASH;

/// Makes a proof out of the hashes of all leaves of a tree, given in order.
#[derive(Clone, Debug)]
pub struct Prover {
    /// In the order of the proof.
    parts: Vec<Part>,
    /// The parts whose leaves are still to come, as places in `parts`; the next one last.
    open: Vec<usize>,
    /// The tree over what has come of the next part.
    current: Frontier,
    seen: u64,
    size: u64,
}

#[derive(Clone, Debug)]
struct Part {
    leaves: Range<u64>,
    root: Hash,
}

impl Prover {
    /// A proof that a leaf is in the tree of `size` leaves; `None` if there is no such leaf.
    #[must_use]
    pub fn inclusion(index: u64, size: u64) -> Option<Self> {
        if index >= size {
            return None;
        }
        let mut siblings = Vec::new();
        let mut within = 0..size;
        while let Some((left, right)) = halves(&within) {
            let (inner, sibling) = if index < left.end { (left, right) } else { (right, left) };
            siblings.push(sibling);
            within = inner;
        }
        siblings.reverse();
        Some(Self::new(siblings, size))
    }

    /// A proof that the tree of `new` leaves continues the one of its first `old` leaves; `None` if `old` is more. Trees of the
    /// same size, and the empty tree, need no hashes.
    #[must_use]
    pub fn consistency(old: u64, new: u64) -> Option<Self> {
        if old > new {
            return None;
        }
        let mut parts = Vec::new();
        let mut within = 0..new;
        if old > 0 {
            while within.end > old
                && let Some((left, right)) = halves(&within)
            {
                let (inner, sibling) = if old <= left.end { (left, right) } else { (right, left) };
                parts.push(sibling);
                within = inner;
            }
            // Where the old tree is itself a subtree of the new one, who checks has its root already.
            if within.start > 0 {
                parts.push(within);
            }
        }
        parts.reverse();
        Some(Self::new(parts, new))
    }

    fn new(ranges: Vec<Range<u64>>, size: u64) -> Self {
        let mut open: Vec<usize> = (0..ranges.len()).collect();
        open.sort_by_key(|&place| std::cmp::Reverse(ranges.get(place).map(|range| range.start)));
        let parts = ranges.into_iter().map(|leaves| Part { leaves, root: NO_HASH }).collect();
        Self { parts, open, current: Frontier::default(), seen: 0, size }
    }

    /// Takes the next leaf, given by its [hash](super::leaf). Leaves beyond the tree's size change nothing.
    pub fn append(&mut self, leaf: Hash) {
        let index = self.seen;
        self.seen = self.seen.saturating_add(1);
        let Some(part) = self.open.last().and_then(|&place| self.parts.get_mut(place)) else { return };
        if part.leaves.contains(&index) {
            self.current.append(leaf);
            if self.seen == part.leaves.end {
                part.root = self.current.root();
                self.current = Frontier::default();
                self.open.pop();
            }
        }
    }

    /// The proof; `None` if leaves are missing.
    #[must_use]
    pub fn finish(self) -> Option<Vec<Hash>> {
        (self.seen >= self.size).then(|| self.parts.into_iter().map(|part| part.root).collect())
    }
}

/// The two subtrees of a tree over some leaves: the left one is the largest perfect tree that leaves something over.
fn halves(leaves: &Range<u64>) -> Option<(Range<u64>, Range<u64>)> {
    let largest = leaves.end.checked_sub(leaves.start)?.checked_sub(1)?.checked_ilog2()?;
    let middle = leaves.start.checked_add(1u64.checked_shl(largest)?)?;
    Some((leaves.start..middle, middle..leaves.end))
}
