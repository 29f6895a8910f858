//! The right edge of a tree: all that is needed to append to it and to know its root.

use super::{Hash, empty, node};

/// A growing tree, as the roots of the perfect trees that its leaves fill, largest first.
///
/// INVARIANT: as many roots as the size has bits set, one for each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frontier {
    size: u64,
    roots: Vec<Hash>,
}

impl Frontier {
    /// The number of leaves.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Appends a leaf, given by its [hash](super::leaf). Amortised, that is one more hash.
    pub fn append(&mut self, leaf: Hash) {
        let mut root = leaf;
        // Each bit that the increment clears is a tree that is now one half of a larger one.
        for _ in 0..self.size.trailing_ones() {
            if let Some(left) = self.roots.pop() {
                root = node(&left, &root);
            }
        }
        self.roots.push(root);
        // Nobody lives to see 2⁶⁴ leaves.
        self.size = self.size.wrapping_add(1);
    }

    /// The root hash of the tree.
    #[must_use]
    pub fn root(&self) -> Hash {
        self.roots.iter().rev().copied().reduce(|right, left| node(&left, &right)).unwrap_or_else(empty)
    }

    /// The roots, largest tree first: with the size, all that [`Frontier::from_roots`] needs.
    #[must_use]
    pub fn roots(&self) -> &[Hash] {
        &self.roots
    }

    /// The tree of this size that had these [roots](Frontier::roots); `None` if there is a wrong number of them. Whether they are
    /// the right ones only the leaves can tell.
    #[must_use]
    pub fn from_roots(size: u64, roots: Vec<Hash>) -> Option<Self> {
        (usize::try_from(size.count_ones()).ok()? == roots.len()).then_some(Self { size, roots })
    }
}
