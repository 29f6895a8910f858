//! What the host does with a call: decisions, effects, modes, and the table that maps verdicts to decisions.

use crate::Verdict;

/// What the host does with a call. Ordered by strength: the strongest decision of all rules wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Decision {
    /// Runs.
    Allow,
    /// Runs, and is reported.
    Alert,
    /// Runs only if a person approves.
    Ask,
    /// Does not run.
    Block,
}

impl Decision {
    /// The spelling used in contracts and formats.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Alert => "alert",
            Self::Ask => "ask",
            Self::Block => "block",
        }
    }
}

/// A tool's action class. Ordered by danger.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Effect {
    /// Changes nothing.
    Read,
    /// Changes something that can be changed back.
    Write,
    /// Cannot be undone. A tool with no declared effect counts as this.
    Irreversible,
}

impl Effect {
    /// The spelling used in contracts and formats.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Irreversible => "irreversible",
        }
    }
}

/// Whether decisions are carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// Decisions are carried out.
    Enforce,
    /// Everything is evaluated and recorded, nothing is blocked.
    Shadow,
}

impl Mode {
    /// The spelling used in contracts and formats.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Enforce => "enforce",
            Self::Shadow => "shadow",
        }
    }
}

/// One value for each effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ByEffect<T> {
    /// For tools that read.
    pub read: T,
    /// For tools that write.
    pub write: T,
    /// For tools whose effect cannot be undone.
    pub irreversible: T,
}

impl<T: Copy> ByEffect<T> {
    /// The same value for every effect.
    pub const fn all(value: T) -> Self {
        Self { read: value, write: value, irreversible: value }
    }

    /// The value for one effect.
    #[must_use]
    #[inline]
    pub const fn get(&self, effect: Effect) -> T {
        match effect {
            Effect::Read => self.read,
            Effect::Write => self.write,
            Effect::Irreversible => self.irreversible,
        }
    }
}

/// Maps a verdict and an effect to a decision: one row per verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DecisionTable {
    /// Row for [`Verdict::Satisfied`].
    pub satisfied: ByEffect<Decision>,
    /// Row for [`Verdict::Open`].
    pub open: ByEffect<Decision>,
    /// Row for [`Verdict::Pending`].
    pub pending: ByEffect<Decision>,
    /// Row for [`Verdict::Unestablished`].
    pub unestablished: ByEffect<Decision>,
    /// Row for [`Verdict::Violated`].
    pub violated: ByEffect<Decision>,
}

impl DecisionTable {
    /// The table of a contract that overrides nothing: unestablished and violated block, everything else is allowed.
    pub const STANDARD: Self = Self {
        satisfied: ByEffect::all(Decision::Allow),
        open: ByEffect::all(Decision::Allow),
        pending: ByEffect::all(Decision::Allow),
        unestablished: ByEffect::all(Decision::Block),
        violated: ByEffect::all(Decision::Block),
    };

    /// The decision for one verdict about a call with one effect.
    #[must_use]
    #[inline]
    pub const fn decide(&self, verdict: Verdict, effect: Effect) -> Decision {
        match verdict {
            Verdict::Satisfied => self.satisfied,
            Verdict::Open => self.open,
            Verdict::Pending => self.pending,
            Verdict::Unestablished => self.unestablished,
            Verdict::Violated => self.violated,
        }
        .get(effect)
    }
}

/// How a contract decides calls that no rule admits or stops by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DefaultPolicy {
    /// The decision by effect.
    pub by_effect: ByEffect<Decision>,
    /// Written as one word (`default: block`): then it decides every call that no permit matches. Otherwise it decides the
    /// calls that no rule and no permit mentions, and those that a permit mentions but does not match.
    pub strict: bool,
}

impl DefaultPolicy {
    /// The policy of a file that gives none.
    pub const STANDARD: Self = Self {
        by_effect: ByEffect { read: Decision::Allow, write: Decision::Allow, irreversible: Decision::Block },
        strict: false,
    };
}
