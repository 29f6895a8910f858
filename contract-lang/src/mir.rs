//! The checked contract: every name resolved, every template compiled, every default filled in.
//!
//! INVARIANT: what is in here is complete. The interpreter executes it, code is generated from it, and neither needs the
//! source again. Both ask [`crate::dispatch`] which rules an event may concern, so that they agree by construction.

mod expr;
mod pattern;
mod rule;

pub use expr::*;
pub use pattern::*;
pub use rule::*;

use contract_runtime::{ByEffect, Decision, DefaultPolicy, Duration, Effect, Mode, Type};

/// A checked contract.
#[derive(Clone, Debug, PartialEq)]
pub struct Contract {
    /// The name as written.
    pub name: String,
    /// The name of the generated type, in upper camel case.
    pub type_name: String,
    /// Whether decisions are carried out, unless a rule says otherwise.
    pub mode: Mode,
    /// What becomes of calls that no rule decides.
    pub default: DefaultPolicy,
    /// The decision for tools that neither `tools` nor `catalog` knows, where the file gives one.
    pub undeclared: Option<Decision>,
    /// What becomes of a call when the monitor itself, or the host's store, fails.
    pub on_error: ByEffect<Decision>,
    /// Tool names known from `catalog` files (exact names).
    pub catalog: Vec<String>,
    /// Declared context facts: name and type, in file order.
    pub context: Vec<(String, Type)>,
    /// State cells, in file order. [`Root::State`] indexes this.
    pub cells: Vec<StateCell>,
    /// Declared tools, in file order.
    pub tools: Vec<Tool>,
    /// Commits, in file order.
    pub commits: Vec<Commit>,
    /// Rules, in file order.
    pub rules: Vec<Rule>,
    /// A canonical text of the contract as written: comments and layout do not count. Its digest names a version.
    pub source: String,
}

/// A declared tool, or a glob over tools.
#[derive(Clone, Debug, PartialEq)]
pub struct Tool {
    /// Which tools the declaration covers. An exact name beats a glob; among globs the first in the file wins.
    pub names: Names,
    /// The effect, by argument: the first case whose `when` is true; `when: None` is always true. Empty: irreversible.
    /// Where a `when` is not established, the most dangerous of the cases that may be the first; irreversible where it may be
    /// that none holds.
    pub effect: Vec<EffectCase>,
    /// Whether a host's `ok` was a success. `None`: not `isError: true`, and no top-level `error` that is not null.
    pub succeeds_when: Option<Expr>,
}

/// One case of an effect by argument.
#[derive(Clone, Debug, PartialEq)]
pub struct EffectCase {
    /// A predicate over `args call context now`; `None`: always.
    pub when: Option<Expr>,
    /// The effect.
    pub is: Effect,
}

/// A state cell.
#[derive(Clone, Debug, PartialEq)]
pub struct StateCell {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// The value it starts with. `None`: not established. A set or map starts established and empty with an empty list.
    pub initial: Option<Literal>,
    /// Most members of a set or map.
    pub max: usize,
    /// Most bytes of a member, or of the value of a cell that is not a collection.
    pub max_bytes: usize,
    /// How long a value, or a member of a collection, stays established.
    pub fresh: Option<Duration>,
}

/// A commit: when an event matches, state changes.
#[derive(Clone, Debug, PartialEq)]
pub struct Commit {
    /// The events.
    pub after: Pattern,
    /// A further condition.
    pub when: Option<Expr>,
    /// The changes, in file order; all read the state before the event.
    pub changes: Vec<Change>,
}

/// One change of one cell.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// Index into [`Contract::cells`].
    pub cell: usize,
    /// The verb.
    pub verb: Verb,
}

/// What a change does.
#[derive(Clone, Debug, PartialEq)]
pub enum Verb {
    /// Sets the value.
    Set(Expr),
    /// Sets the value the first time only.
    Bind(Expr),
    /// Adds a member to a set.
    Insert(Expr),
    /// Adds a member to the set at a key of a `map<set<T>>`.
    InsertAt(Expr, Expr),
    /// Removes a member of a set, or a key of a map.
    Remove(Expr),
    /// Removes a member from the set at a key of a `map<set<T>>`.
    RemoveAt(Expr, Expr),
    /// Sets the value at a key of a map.
    Put {
        /// The key.
        at: Expr,
        /// The value.
        value: Expr,
    },
    /// Makes the cell not established; a set or map becomes established and empty.
    Clear,
}
