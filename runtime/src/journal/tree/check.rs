//! Checking proofs: the algorithms of RFC 9162 §2.1.3.2 and §2.1.4.2.

use super::{Hash, LONGEST_PROOF, empty, node};

/// Whether a proof shows that a leaf, given by its [hash](super::leaf), is the one at `index` in the tree of `size` leaves that
/// has this root.
#[must_use]
pub fn is_included(leaf: Hash, index: u64, size: u64, path: &[Hash], root: Hash) -> bool {
    if index >= size || path.len() > LONGEST_PROOF {
        return false;
    }
    let mut climb = Climb { place: index, last: size.wrapping_sub(1) };
    let mut hash = leaf;
    for sibling in path {
        match climb.step() {
            Some(Side::Left) => hash = node(sibling, &hash),
            Some(Side::Right) => hash = node(&hash, sibling),
            None => return false,
        }
    }
    climb.last == 0 && hash == root
}

/// Whether a proof shows that the tree of `new` leaves with the root `new_root` begins with the leaves of the tree of `old`
/// leaves with the root `old_root`.
#[must_use]
pub fn is_consistent(old: u64, old_root: Hash, new: u64, new_root: Hash, path: &[Hash]) -> bool {
    if old > new || path.len() > LONGEST_PROOF {
        return false;
    }
    if old == new {
        return path.is_empty() && old_root == new_root;
    }
    if old == 0 {
        return path.is_empty() && old_root == empty();
    }
    // The proof leaves out the root of the old tree where that is a subtree of the new one.
    let (first, rest) = match (old.is_power_of_two(), path.split_first()) {
        (true, Some(_)) => (&old_root, path),
        (false, Some((first, rest))) => (first, rest),
        (_, None) => return false,
    };
    let mut climb = Climb { place: old.wrapping_sub(1), last: new.wrapping_sub(1) };
    climb.up(climb.place.trailing_ones());
    let (mut old_hash, mut new_hash) = (*first, *first);
    for sibling in rest {
        match climb.step() {
            Some(Side::Left) => {
                old_hash = node(sibling, &old_hash);
                new_hash = node(sibling, &new_hash);
            }
            Some(Side::Right) => new_hash = node(&new_hash, sibling),
            None => return false,
        }
    }
    climb.last == 0 && old_hash == old_root && new_hash == new_root
}

/// The way from a node to the root: the node's place on its level, and that of the last node there.
struct Climb {
    place: u64,
    last: u64,
}

/// The side on which a node's sibling is.
enum Side {
    Left,
    Right,
}

impl Climb {
    /// To the parent; `None` at the root. A last node without a sibling is its own parent, so levels on which there is nothing to
    /// join are passed over.
    fn step(&mut self) -> Option<Side> {
        if self.last == 0 {
            return None;
        }
        let side = if self.place & 1 == 1 || self.place == self.last {
            self.up(self.place.trailing_zeros());
            Side::Left
        } else {
            Side::Right
        };
        self.up(1);
        Some(side)
    }

    fn up(&mut self, levels: u32) {
        // By 64 or more levels: place 0, of which all bits are zero.
        self.place = self.place.checked_shr(levels).unwrap_or(0);
        self.last = self.last.checked_shr(levels).unwrap_or(0);
    }
}
