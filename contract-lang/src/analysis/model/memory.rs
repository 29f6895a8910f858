//! What an abstract rule remembers of one key, or of all.
//!
//! Automata are the runtime's own [beliefs](Belief), and small counters are exact. Permissions and deadlines have no times: they
//! may have run out whenever something happens. A rule whose law is [`Law::Loose`] may say whatever it likes.

use contract_runtime::private::{Belief, Cell as _, Letters, Machine, Step};
use contract_runtime::{Truth, Verdict};

use super::sets::Verdicts;
use crate::mir::{Counting, Kind, Register, Rule};

/// Counters up to here are exact.
const MOST_EXACT: u64 = 8;

/// What an event means for a rule that steps: for an automaton the letters of its readings, for a register whether each of its
/// patterns holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Happening {
    /// The patterns that must and may hold, in one reading and in the other.
    Letters([(u8, u8); 2]),
    /// Pattern by pattern: see [`rank`](super::theory).
    Holds([Holds; 3]),
}

/// A truth value with an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Holds {
    No,
    Perhaps,
    Yes,
}

impl From<Truth> for Holds {
    fn from(truth: Truth) -> Self {
        match truth {
            Truth::False => Self::No,
            Truth::Unknown => Self::Perhaps,
            Truth::True => Self::Yes,
        }
    }
}

impl Holds {
    pub(super) fn may(self) -> bool {
        self != Self::No
    }
}

impl Happening {
    /// Whether some pattern may hold.
    pub(super) fn concerns(self) -> bool {
        match self {
            Self::Letters(readings) => readings != [(0, 0); 2],
            Self::Holds(holds) => holds.iter().any(|holds| holds.may()),
        }
    }

    fn letters(self) -> Step {
        let letters = |(must, may): (u8, u8)| {
            (0..8_u8).fold(Letters::certain(must), |letters, bit| {
                let is_free = 1_u8.checked_shl(u32::from(bit)).is_some_and(|mask| may & mask != 0);
                if is_free { letters.with(bit, Truth::Unknown) } else { letters }
            })
        };
        match self {
            Self::Letters([first, second]) => Step::either(letters(first), letters(second)),
            Self::Holds(_) => Step::one(Letters::NONE),
        }
    }

    fn holds(self) -> [Holds; 3] {
        match self {
            Self::Holds(holds) => holds,
            Self::Letters(_) => [Holds::No; 3],
        }
    }
}

/// What is remembered of one key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Cell {
    /// Nothing.
    Nothing,
    /// The possible states of an automaton.
    States(Belief),
    /// At least, and at most, so many occurrences; the greatest number stands for all above it.
    Count { low: u8, high: u8 },
    /// A permission, or an obligation: certainly there, and possibly there.
    Mark { certain: bool, possible: bool },
}

/// How a rule steps.
#[derive(Clone, Copy, Debug)]
pub(super) enum Law<'m> {
    /// An automaton.
    Machine(Machine<'m>),
    /// At most so many occurrences.
    Count { limit: u8, returns: bool },
    /// A permission that runs out.
    Permission { consume: bool },
    /// An obligation that runs out.
    Deadline,
    /// It may say whatever it likes about an event that concerns it: too many possible states, or states that are let go.
    Loose,
    /// It does not step.
    Stateless,
}

impl<'m> Law<'m> {
    /// The law of a rule.
    pub(super) fn of(rule: &'m Rule) -> Self {
        let law = match &rule.kind {
            Kind::Automaton { machine, .. } => Self::Machine(machine.view()),
            Kind::Register { register, counting, .. } => match register {
                Register::Count { limit } if *limit <= MOST_EXACT => Self::Count {
                    limit: u8::try_from(*limit).unwrap_or(u8::MAX),
                    returns: *counting == Counting::Succeeded,
                },
                Register::Permission { consume, .. } => Self::Permission { consume: *consume },
                Register::Deadline { .. } => Self::Deadline,
                _ => Self::Loose,
            },
            _ => return Self::Stateless,
        };
        let retires = rule.per.as_ref().is_some_and(crate::mir::Keyed::retires);
        if retires && law.has_states() { Self::Loose } else { law }
    }

    /// Whether it can be in more than one state, so that what happened before matters.
    pub(super) fn has_states(self) -> bool {
        match self {
            Self::Machine(machine) => Belief::any(machine) != Belief::fresh(machine),
            Self::Count { limit, .. } => limit > 0,
            Self::Permission { .. } | Self::Deadline => true,
            Self::Loose | Self::Stateless => false,
        }
    }

    pub(super) fn fresh(self) -> Cell {
        match self {
            Self::Machine(machine) => Cell::States(Belief::fresh(machine)),
            Self::Count { .. } => Cell::Count { low: 0, high: 0 },
            Self::Permission { .. } | Self::Deadline => Cell::Mark { certain: false, possible: false },
            Self::Loose | Self::Stateless => Cell::Nothing,
        }
    }

    /// What may have become of a cell while time went by.
    pub(super) fn aged(self, cell: Cell) -> Vec<Cell> {
        match (self, cell) {
            (Self::Permission { .. } | Self::Deadline, Cell::Mark { certain, possible }) => {
                let marks = [(certain, possible), (false, possible), (certain, false), (false, false)];
                let sound = |(certain, possible): &(bool, bool)| {
                    !matches!(self, Self::Permission { .. }) || *possible || !*certain
                };
                let mut cells: Vec<Cell> = marks
                    .into_iter()
                    .filter(sound)
                    .map(|(certain, possible)| Cell::Mark { certain, possible })
                    .collect();
                cells.dedup();
                cells
            }
            _ => vec![cell],
        }
    }

    /// The verdict that the step would produce.
    pub(super) fn look(self, cell: Cell, happening: Happening) -> Verdicts {
        let [first, second, _] = happening.holds();
        match (self, cell) {
            (Self::Machine(machine), Cell::States(belief)) => Verdicts::one(belief.look(machine, &happening.letters())),
            (Self::Count { limit, .. }, Cell::Count { low, high }) => {
                Verdicts::one(weigh(first, low >= limit, high >= limit))
            }
            (Self::Permission { .. }, Cell::Mark { certain, possible }) => {
                Verdicts::one(weigh(second, !possible, !certain))
            }
            (Self::Deadline, cell) => Verdicts::one(match self.step(cell, happening) {
                Cell::Mark { certain: true, .. } => Verdict::Pending,
                Cell::Mark { possible: true, .. } => Verdict::Unestablished,
                _ => Verdict::Open,
            }),
            _ => Verdicts::ANY,
        }
    }

    pub(super) fn step(self, cell: Cell, happening: Happening) -> Cell {
        let [first, second, third] = happening.holds();
        match (self, cell) {
            (Self::Machine(machine), Cell::States(mut belief)) => {
                belief.step(machine, &happening.letters());
                Cell::States(belief)
            }
            (Self::Count { limit, .. }, Cell::Count { low, high }) => {
                let more = |number: u8, is: bool| {
                    if is { number.saturating_add(1).min(limit.saturating_add(1)) } else { number }
                };
                Cell::Count { low: more(low, first == Holds::Yes), high: more(high, first.may()) }
            }
            (Self::Permission { consume }, Cell::Mark { mut certain, mut possible }) => {
                possible |= first.may();
                certain |= first == Holds::Yes;
                for taken in [if consume { second } else { Holds::No }, third] {
                    certain &= !taken.may();
                    possible &= taken != Holds::Yes;
                }
                Cell::Mark { certain, possible }
            }
            (Self::Deadline, Cell::Mark { mut certain, mut possible }) => {
                match second {
                    Holds::Yes => possible = false,
                    Holds::Perhaps => possible |= certain,
                    Holds::No => {}
                }
                certain = (certain && second == Holds::No) || first == Holds::Yes;
                possible |= first == Holds::Perhaps;
                Cell::Mark { certain, possible }
            }
            (_, cell) => cell,
        }
    }

    /// What a counted call that did not succeed, or may not have, leaves behind.
    pub(super) fn returned(self, cell: Cell, failed: Holds) -> Vec<Cell> {
        match (self, cell) {
            (Self::Count { limit, returns: true }, Cell::Count { low, high }) if failed.may() => {
                let less = |number: u8| {
                    let top = number > limit;
                    [number.saturating_sub(1), if top { number } else { number.saturating_sub(1) }]
                };
                let highs = if failed == Holds::Yes { less(high) } else { [high, high] };
                // Whether the call itself was certainly counted is not remembered.
                let lows = less(low).into_iter().chain([low]);
                let mut cells = vec![cell];
                for low in lows {
                    cells.extend(highs.into_iter().map(|high| Cell::Count { low: low.min(high), high }));
                }
                cells.sort_unstable();
                cells.dedup();
                cells
            }
            _ => vec![cell],
        }
    }

    pub(super) fn perhaps(self, cell: Cell, happening: Happening) -> Cell {
        match (self, happening) {
            (Self::Count { .. } | Self::Deadline, Happening::Holds(holds)) => {
                let perhaps = holds.map(|holds| if holds.may() { Holds::Perhaps } else { Holds::No });
                self.step(cell, Happening::Holds(perhaps))
            }
            _ => self.join(cell, self.step(cell, happening)),
        }
    }

    pub(super) fn join(self, cell: Cell, other: Cell) -> Cell {
        match (self, cell, other) {
            (Self::Machine(machine), Cell::States(mut one), Cell::States(other)) => {
                one.join(machine, &other);
                Cell::States(one)
            }
            (_, Cell::Count { low, high }, Cell::Count { low: lower, high: higher }) => {
                Cell::Count { low: low.min(lower), high: high.max(higher) }
            }
            (Self::Deadline, Cell::Mark { certain, possible }, Cell::Mark { certain: sure, possible: may }) => {
                Cell::Mark { certain: certain && sure, possible: possible || may || certain != sure }
            }
            (_, Cell::Mark { certain, possible }, Cell::Mark { certain: sure, possible: may }) => {
                Cell::Mark { certain: certain && sure, possible: possible || may }
            }
            (_, cell, _) => cell,
        }
    }

    /// Whether an obligation is pending.
    pub(super) fn owes(self, cell: Cell) -> Truth {
        match (self, cell) {
            (Self::Machine(machine), Cell::States(belief)) => belief.owes(machine),
            (Self::Deadline, Cell::Mark { certain: true, .. }) => Truth::True,
            (Self::Deadline, Cell::Mark { possible: true, .. }) => Truth::Unknown,
            _ => Truth::False,
        }
    }

    /// The verdict at rest.
    pub(super) fn rest(self, cell: Cell) -> Verdicts {
        match (self, cell) {
            (Self::Machine(machine), Cell::States(belief)) => Verdicts::one(belief.verdict(machine)),
            (Self::Deadline, Cell::Mark { certain: true, .. }) => Verdicts::one(Verdict::Pending),
            (Self::Deadline, Cell::Mark { possible: true, .. }) => Verdicts::one(Verdict::Unestablished),
            _ => Verdicts::one(Verdict::Open),
        }
    }
}

/// As the runtime weighs one more occurrence.
fn weigh(occurs: Holds, surely_exceeds: bool, may_exceed: bool) -> Verdict {
    match (occurs, surely_exceeds, may_exceed) {
        (Holds::Yes, true, _) => Verdict::Violated,
        (Holds::No, ..) | (_, _, false) => Verdict::Open,
        _ => Verdict::Unestablished,
    }
}
