//! Where the instance of a key is, and what was judged there.

use crate::{Reason, Verdict};

/// Where the instances of an event's keys are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// In this bucket of the table.
    Live(usize),
    /// Not in the table; the hash of the key.
    New(u64),
    /// The key cannot be read.
    Unreadable,
    /// Not in the table, and the table is full.
    Full,
    /// The same, and the rule objects by itself.
    Crowded,
    /// The event is left out of the rule.
    Skipped,
    /// Of each key of a fan-out where it is: this one is the worst.
    Each { worst: usize },
    /// The same, and there is no room for those that are not in the table.
    EachFull { worst: usize },
    /// Everywhere; the worst is in this bucket, or is a key never seen.
    All(Option<usize>),
}

/// The verdict about a step of the instances of an event's keys, and where they are. Valid until the table changes.
#[derive(Clone, Copy, Debug)]
pub struct Judged {
    /// The verdict that the step would produce.
    pub verdict: Verdict,
    pub(super) place: Place,
}

impl Judged {
    /// Why the verdict is what it is, where it is not the rule itself that says so.
    #[must_use]
    pub fn reason(&self) -> Reason {
        match self.place {
            Place::Unreadable => Reason::UnreadableKey,
            Place::Full => Reason::InstancesFull,
            Place::EachFull { .. } if self.verdict == Verdict::Unestablished => Reason::InstancesFull,
            Place::EachFull { .. }
            | Place::Live(_)
            | Place::New(_)
            | Place::Skipped
            | Place::Crowded
            | Place::Each { .. }
            | Place::All(_) => Reason::Rule,
        }
    }
}

/// Whether an outcome of a call may need new instances.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Room {
    /// No: they are live, or the key cannot be read.
    NotNeeded,
    /// Yes, and there is room.
    Needed,
    /// Yes, and there is none.
    Full,
}
