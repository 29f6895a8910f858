//! What a rule keeps, for people, and the most bytes that it takes: the memory bound is part of the contract.

use contract_runtime::Time;
use contract_runtime::private::{
    Belief, Count, Deadline, Distinct, OpenIds, Part, Permission, Rate, Total, WindowTotal,
};

use crate::mir::{Clock, Kind, Register, Rule};

/// The longest text that a key keeps as it is; a longer one is kept as its digest.
const LONGEST_TEXT: usize = 256;

/// What an instance takes in the order in which instances are let go.
const IN_ORDER: usize = 128;

/// The most occurrences that a windowed sum keeps.
const MOST_AMOUNTS: usize = 65_536;

/// The most values that a `no_flow` rule remembers, and the bytes of one.
const FLOW: (usize, usize) = (16_384, 32);

impl Rule {
    /// The name of its kind in a contract.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match &self.kind {
            Kind::Automaton { template, .. } | Kind::Register { template, .. } => template,
            Kind::Permit { .. } => "permit",
            Kind::Require { .. } => "require",
            Kind::Rewrite { .. } => "rewrite",
            Kind::Ensure { .. } => "ensure",
            Kind::Redact { .. } => "redact",
            Kind::NoFlow { .. } => "no_flow",
        }
    }

    /// The bytes that a rule takes at most; `None` for a rule that keeps nothing.
    #[must_use]
    pub fn bytes(&self) -> Option<Bytes> {
        let (state, doubt) = match &self.kind {
            Kind::Automaton { .. } => (1, size_of::<Belief>()),
            Kind::Register { register, .. } => (register.bytes(), 0),
            Kind::NoFlow { .. } => (FLOW.0.saturating_mul(FLOW.1), 0),
            _ => return None,
        };
        let (instances, key, filter) = self.per.as_ref().map_or((1, 0, 0), |keyed| {
            let part = size_of::<Part<'_>>().saturating_add(LONGEST_TEXT);
            let place = size_of::<u64>().saturating_mul(2);
            let (order, filter) = if keyed.retires() { (IN_ORDER, filter(keyed.remember)) } else { (0, 0) };
            (keyed.max, keyed.width().saturating_mul(part).saturating_add(place).saturating_add(order), filter)
        });
        let each = state.saturating_add(doubt).saturating_add(key);
        Some(Bytes { state, doubt, key, filter, bound: each.saturating_mul(instances).saturating_add(filter) })
    }
}

/// What tells so many keys that were let go from those never seen: ten bits for each.
fn filter(keys: u32) -> usize {
    usize::try_from(keys).unwrap_or(usize::MAX).saturating_mul(10).div_ceil(8)
}

/// The bytes that a rule takes at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bytes {
    /// The state of an instance.
    pub state: usize,
    /// What it takes besides where the state is not known exactly.
    pub doubt: usize,
    /// Its key, and its place in the table, and in the order in which instances are let go.
    pub key: usize,
    /// What the keys are remembered in that were let go, of all together.
    pub filter: usize,
    /// All instances together, each as large as it may be.
    pub bound: usize,
}

impl Rule {
    /// Whether time alone frees instances, without a word: then it does before they are looked at. Obligations that run out
    /// are another matter, see [`Self::runs_out`].
    #[must_use]
    pub fn fades(&self) -> bool {
        use Register::{Permission, Rate, WindowTotal};
        let Kind::Register { register, .. } = &self.kind else { return false };
        self.per.is_some() && matches!(register, Rate { .. } | WindowTotal { .. } | Permission { .. })
    }

    /// What its times are.
    #[must_use]
    pub fn clock(&self) -> Clock {
        match self.kind {
            Kind::Register { clock, .. } => clock,
            _ => Clock::Time,
        }
    }

    /// Whether its obligations run out by this clock.
    #[must_use]
    pub fn runs_out(&self, by: Clock) -> bool {
        matches!(&self.kind, Kind::Register { register: Register::Deadline { .. }, clock, .. } if *clock == by)
    }
}

impl Register {
    /// What is kept, in a word.
    #[must_use]
    pub fn keeps(&self) -> &'static str {
        match self {
            Self::Count { .. } => "count",
            Self::Total { .. } => "total",
            Self::Rate { .. } => "times",
            Self::WindowTotal { .. } => "amounts",
            Self::Distinct { .. } => "values",
            Self::OpenIds { .. } => "ids",
            Self::Deadline { .. } => "triggers",
            Self::Permission { .. } => "permission",
        }
    }

    /// Its bound, in words.
    #[must_use]
    pub fn bound(&self, clock: Clock) -> String {
        let length = |length: contract_runtime::Duration| match clock {
            Clock::Time => length.to_string(),
            Clock::Calls => format!("{} calls", length.as_nanos().saturating_add(1)),
        };
        match self {
            Self::Count { limit } => limit.to_string(),
            Self::Total { limit } => limit.to_string(),
            Self::Rate { limit, window } => format!("{limit} in every {}", length(*window)),
            Self::WindowTotal { limit, window } => format!("{limit} in every {}", length(*window)),
            Self::Distinct { limit } => limit.to_string(),
            Self::OpenIds { limit } => format!("{limit} at once"),
            Self::Deadline { within } => match clock {
                Clock::Time => within.to_string(),
                Clock::Calls => format!("{} calls", within.as_nanos()),
            },
            Self::Permission { expires, consume } => {
                format!("{expires}{}", if *consume { ", one use" } else { "" })
            }
        }
    }

    /// The most bytes that it takes.
    fn bytes(&self) -> usize {
        let many = |most: usize, each: usize| most.saturating_mul(each);
        let count = |limit: u32| usize::try_from(limit).unwrap_or(usize::MAX);
        let value = size_of::<Part<'_>>().saturating_add(LONGEST_TEXT);
        match self {
            Self::Count { .. } => size_of::<Count>(),
            Self::Total { .. } => size_of::<Total>(),
            // Those that certainly counted, and those that perhaps did.
            Self::Rate { limit, .. } => {
                size_of::<Rate>().saturating_add(many(count(*limit).saturating_mul(2), size_of::<Time>()))
            }
            Self::WindowTotal { .. } => size_of::<WindowTotal>().saturating_add(many(MOST_AMOUNTS, 64)),
            Self::Distinct { limit } => size_of::<Distinct>().saturating_add(many(count(*limit), value)),
            Self::OpenIds { limit } => {
                size_of::<OpenIds>().saturating_add(many(count(*limit).saturating_mul(2).saturating_add(9), value))
            }
            Self::Deadline { .. } => size_of::<Deadline>(),
            Self::Permission { .. } => size_of::<Permission>(),
        }
    }
}
