//! Where the instance of a key is, and what was judged there.

use crate::{Reason, Verdict};

/// Why nothing certain is known of a key without an instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Doubt {
    /// There is no doubt.
    None,
    /// It may have been let go.
    Forgotten,
    /// So may every key, because more were let go than the rule can tell from others.
    FilterFull,
}

impl Doubt {
    fn reason(self) -> Reason {
        match self {
            Self::None => Reason::Rule,
            Self::Forgotten => Reason::Forgotten,
            Self::FilterFull => Reason::FilterFull,
        }
    }
}

/// Where the instances of an event's keys are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// In this bucket of the table.
    Live(usize),
    /// Not in the table; the hash of the key.
    New(u64),
    /// The same, and it may have been let go.
    Gone { hash: u64, doubt: Doubt },
    /// The key cannot be read.
    Unreadable,
    /// Not in the table, and the table is full.
    Full,
    /// The same, and the rule objects by itself.
    Crowded,
    /// The event is left out of the rule.
    Skipped,
    /// Of each key of a fan-out where it is: this one is the worst, and how well it is known.
    Each { worst: usize, doubt: Doubt },
    /// The same, and there is no room for those that are not in the table.
    EachFull { worst: usize },
    /// Everywhere; the worst is in this bucket, or is a key never seen.
    All(Option<usize>),
}

impl Place {
    /// Whether the key has no instance.
    pub(super) fn is_unseen(self) -> bool {
        matches!(self, Self::New(_) | Self::Gone { .. })
    }

    /// Whether it is the place of one key.
    pub(super) fn is_readable(self) -> bool {
        matches!(self, Self::Live(_)) || self.is_unseen()
    }

    /// Whether it may have been let go.
    pub(super) fn doubt(self) -> Doubt {
        if let Self::Gone { doubt, .. } = self { doubt } else { Doubt::None }
    }

    /// Why nothing is established there, where it is not the rule itself that says so.
    pub(super) fn why(self) -> Reason {
        match self {
            Self::Unreadable => Reason::UnreadableKey,
            Self::Full | Self::EachFull { .. } => Reason::InstancesFull,
            Self::Gone { doubt, .. } | Self::Each { doubt, .. } => doubt.reason(),
            Self::Live(_) | Self::New(_) | Self::Crowded | Self::Skipped | Self::All(_) => Reason::Rule,
        }
    }
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
        if self.verdict == Verdict::Unestablished { self.place.why() } else { Reason::Rule }
    }

    /// Why it is not known whether an obligation is pending, where keys that were let go are the reason.
    #[must_use]
    pub fn doubt(&self) -> Option<Reason> {
        match self.place {
            Place::Gone { doubt, .. } | Place::Each { doubt, .. } if doubt != Doubt::None => Some(doubt.reason()),
            _ => None,
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
