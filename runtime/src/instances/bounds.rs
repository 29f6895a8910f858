//! How much a keyed rule may remember.

use std::fmt;
use std::hash::{BuildHasher as _, RandomState};

use crate::Duration;

/// The memory bound of a keyed rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Most live instances.
    pub max: usize,
    /// Whether an instance makes room for another at the bound.
    pub evicts: bool,
    /// After how long without an event of its key an instance is let go.
    pub idle: Option<Duration>,
    /// How many keys that were let go are told from those never seen.
    pub remember: u32,
}

impl Bounds {
    /// So many instances, and none is ever let go.
    #[must_use]
    pub const fn of(max: usize) -> Self {
        Self { max, evicts: false, idle: None, remember: 0 }
    }
}

/// The secret by which keys that were let go are remembered, so that nobody can choose keys that are taken for them. Its host
/// gives a session one that nobody can guess.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct Seed(pub [u8; 16]);

impl Seed {
    /// One that nobody can guess, from the operating system.
    #[must_use]
    pub fn random() -> Self {
        // The keys of the standard library's hasher are drawn from the operating system.
        let half = || RandomState::new().hash_one(0u8).to_le_bytes();
        let mut seed = [0; 16];
        let (first, second) = seed.split_at_mut(8);
        first.copy_from_slice(&half());
        second.copy_from_slice(&half());
        Self(seed)
    }
}

impl fmt::Debug for Seed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Seed(…)")
    }
}

/// How many instances of a rule were let go, and why.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Retired {
    /// To make room.
    pub evicted: u64,
    /// Because their keys had no event for a while.
    pub idle: u64,
    /// Because their keys were closed.
    pub closed: u64,
    /// Whether more keys were let go than the rule can tell from those never seen.
    pub filter_full: bool,
}
