//! Small sets of verdicts and decisions: what an abstract rule may say, and what may become of an abstract call.

use contract_runtime::{Decision, Verdict};

const VERDICTS: [Verdict; 5] =
    [Verdict::Satisfied, Verdict::Open, Verdict::Pending, Verdict::Unestablished, Verdict::Violated];
const DECISIONS: [Decision; 4] = [Decision::Allow, Decision::Alert, Decision::Ask, Decision::Block];

/// A set of verdicts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Verdicts(u8);

impl Verdicts {
    /// None of them.
    const NONE: Self = Self(0);
    /// The rule says nothing.
    pub const SILENT: Self = Self(0b10_0000);
    /// Whatever it likes, or nothing.
    pub const ANY: Self = Self(0b11_1111);

    /// Just this one.
    #[must_use]
    pub fn one(verdict: Verdict) -> Self {
        VERDICTS.iter().zip([1, 2, 4, 8, 16]).filter(|(one, _)| **one == verdict).fold(Self(0), |_, (_, bit)| Self(bit))
    }

    /// This one and all that are worse.
    #[must_use]
    pub fn at_least(verdict: Verdict) -> Self {
        VERDICTS.into_iter().filter(|one| *one >= verdict).collect()
    }

    /// Those of both.
    #[must_use]
    pub const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether this one is among them.
    #[must_use]
    pub fn may(self, verdict: Verdict) -> bool {
        self.0 & Self::one(verdict).0 != 0
    }

    /// Whether the rule may say nothing.
    #[must_use]
    pub const fn may_be_silent(self) -> bool {
        self.0 & Self::SILENT.0 != 0
    }

    /// Whether it is this one and no other.
    #[must_use]
    pub fn must(self, verdict: Verdict) -> bool {
        self == Self::one(verdict)
    }

    /// The members, from best to worst.
    pub fn iter(self) -> impl Iterator<Item = Verdict> {
        VERDICTS.into_iter().filter(move |verdict| self.may(*verdict))
    }
}

impl FromIterator<Verdict> for Verdicts {
    fn from_iter<I: IntoIterator<Item = Verdict>>(verdicts: I) -> Self {
        verdicts.into_iter().map(Self::one).fold(Self::NONE, Self::or)
    }
}

/// A set of decisions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Decisions(u8);

impl Decisions {
    /// Just this one.
    #[must_use]
    pub fn one(decision: Decision) -> Self {
        let bits = DECISIONS.iter().zip([1, 2, 4, 8]);
        bits.filter(|(one, _)| **one == decision).fold(Self(0), |_, (_, bit)| Self(bit))
    }

    /// Those of both.
    #[must_use]
    pub const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether this one is among them.
    #[must_use]
    pub fn may(self, decision: Decision) -> bool {
        self.0 & Self::one(decision).0 != 0
    }

    /// Whether the call may run, where a person may approve it.
    #[must_use]
    pub fn may_run(self) -> bool {
        self.iter().any(|decision| decision < Decision::Block)
    }

    /// Whether the call surely does not run by itself: it is stopped, or a person is asked.
    #[must_use]
    pub fn must_stop(self) -> bool {
        self.iter().all(|decision| decision >= Decision::Ask)
    }

    /// The stronger of one of these and one of those, in every way.
    #[must_use]
    pub fn strongest(self, other: Self) -> Self {
        self.iter().flat_map(|one| other.iter().map(move |other| one.max(other))).collect()
    }

    /// The members, from weakest to strongest.
    pub fn iter(self) -> impl Iterator<Item = Decision> {
        DECISIONS.into_iter().filter(move |decision| self.may(*decision))
    }
}

impl FromIterator<Decision> for Decisions {
    fn from_iter<I: IntoIterator<Item = Decision>>(decisions: I) -> Self {
        decisions.into_iter().map(Self::one).fold(Self(0), Self::or)
    }
}
