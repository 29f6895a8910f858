//! What a change of a contract allows that was blocked, and blocks that was allowed.
//!
//! INVARIANT: nothing is claimed that a session refutes. Two versions are [equal](Answer::Equal) only if their normal forms are; a
//! difference is a session that both versions' own interpreters have decided. Of each part that has changed stands in
//! [`Diff::parts`] what sessions show, and what its text says by itself. Everything else is undecided, and does not pass for harmless.

mod comparison;
mod cross;
mod edit;
mod normal;
mod reading;
mod seen;
mod side;
mod union;
mod walk;

use contract_runtime::Mode;

use self::comparison::Comparison;
pub use self::edit::Edit;
use self::normal::Normal;
pub use self::seen::{Direction, Seen, What, shown_as};
use crate::mir::Contract;
use crate::trace::Line;

/// How much is tried.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Lines that are tried for each part that has changed, and for each of three kinds of events; fewer in a large contract.
    pub steps: usize,
    /// Differences.
    pub changes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { steps: 10_000, changes: 20 }
    }
}

/// How two versions of a contract differ.
#[derive(Clone, Debug)]
pub struct Diff {
    /// Where their texts differ.
    pub edits: Vec<Edit>,
    /// Calls that the old version stops and the new one does not.
    pub newly_allowed: Vec<Change>,
    /// Calls that the new version stops and the old one does not.
    pub newly_blocked: Vec<Change>,
    /// Other differences: what is reported, the arguments that calls run with, what the agent sees of results, what is owed at
    /// the end.
    pub other: Vec<Change>,
    /// Whether they are equal.
    pub answer: Answer,
    /// What has changed.
    pub parts: Vec<Part>,
}

/// A part of the contract that has changed, and what is known of that.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// What it is called: `rule once`, `tool pay`, `default`.
    pub name: String,
    /// The direction that the change plainly has as written.
    pub reads: Option<Direction>,
    /// The directions that sessions show.
    pub shown: Vec<Direction>,
}

impl Part {
    /// Whether the change has this direction: shown by a session, or plain as written. `None`: that is neither shown nor excluded.
    #[must_use]
    pub fn has(&self, direction: Direction) -> Option<bool> {
        let plain = self.reads.map(|reads| reads == direction);
        if self.shown.contains(&direction) { Some(true) } else { plain }
    }

    /// Whether nothing is known of it.
    #[must_use]
    pub fn is_undecided(&self) -> bool {
        self.reads.is_none() && self.shown.is_empty()
    }
}

/// Whether two versions of a contract are equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Proved: no session tells them apart.
    Equal,
    /// Proved, by a session.
    Different,
    /// Neither.
    Inconclusive,
}

impl Answer {
    /// Its spelling.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Equal => "equal",
            Self::Different => "different",
            Self::Inconclusive => "inconclusive",
        }
    }
}

/// A difference, with a session that shows it.
#[derive(Clone, Debug)]
pub struct Change {
    /// In what.
    pub what: What,
    /// In which direction.
    pub direction: Direction,
    /// What of the contract has changed that it may come from: `rule once`, `tool pay`, `default`.
    pub concerns: Vec<String>,
    /// The session. Both versions treat its last line differently.
    pub session: Vec<Line>,
    /// What each version makes of each line.
    pub seen: Vec<(Seen, Seen)>,
}

impl Diff {
    /// The parts that change in a direction, and those that perhaps do.
    #[must_use]
    pub fn towards(&self, direction: Direction) -> (Vec<&Part>, Vec<&Part>) {
        let changed = self.parts.iter().filter(|part| part.has(direction) != Some(false));
        changed.partition(|part| part.has(direction) == Some(true))
    }

    /// All differences.
    pub fn changes(&self) -> impl Iterator<Item = &Change> {
        self.newly_allowed.iter().chain(&self.newly_blocked).chain(&self.other)
    }
}

/// Whether two versions are proved to be equal.
#[must_use]
pub fn proved_equal(old: &Contract, new: &Contract) -> bool {
    let (old, new) = (enforced(old, new), enforced(new, old));
    Normal::of(&old).same(&Normal::of(&new))
}

/// How two versions differ.
#[must_use]
pub fn diff(old: &Contract, new: &Contract, limits: &Limits) -> Diff {
    let edits = edit::edits(old, new);
    let (old, new) = (enforced(old, new), enforced(new, old));
    let (one, other) = (Normal::of(&old), Normal::of(&new));
    let same = one.same(&other);
    let comparison = Comparison::new(old, new, (one.without(&other), other.without(&one)));
    if same { comparison.finish(edits, Answer::Equal) } else { comparison.look(limits, edits) }
}

/// Two contracts of which nothing is enforced are compared as if all of them were.
fn enforced(contract: &Contract, other: &Contract) -> Contract {
    let stops_nothing = |contract: &Contract| {
        contract.mode == Mode::Shadow && contract.rules.iter().all(|rule| rule.mode == Mode::Shadow)
    };
    let mut contract = contract.clone();
    if stops_nothing(&contract) && stops_nothing(other) {
        contract.mode = Mode::Enforce;
        contract.rules.iter_mut().for_each(|rule| rule.mode = Mode::Enforce);
    }
    contract
}
