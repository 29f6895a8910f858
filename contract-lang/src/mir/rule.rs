//! Rules: what they say, what they keep, and for which keys.

use std::ops::Range;

use contract_runtime::private::Bounds;
use contract_runtime::{Colour, Decimal, DecisionTable, Duration, Mode, Severity, WhenFull};

use super::{Expr, Path, Pattern, Phases, Step, Subject};

/// A rule.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    /// Its id, unique in the contract.
    pub id: String,
    /// A title for people.
    pub title: Option<String>,
    /// How bad a violation is.
    pub severity: Severity,
    /// Free tags.
    pub tags: Vec<String>,
    /// The contract author's own message.
    pub message: Option<Message>,
    /// What the rule says, in a sentence made from its kind and patterns.
    pub says: String,
    /// What would make a blocked call allowed, in a sentence for the model.
    pub advice: String,
    /// Whether this rule's decisions are carried out.
    pub mode: Mode,
    /// From verdict and effect to decision, every override applied.
    pub table: DecisionTable,
    /// Calls that are stopped while the rule would be pending after them.
    pub guards: Option<Pattern>,
    /// Events after which all keys of the rule are fresh again.
    pub reset_on: Option<Pattern>,
    /// How it is evaluated.
    pub kind: Kind,
    /// The patterns that a violating event matches.
    pub violating: Range<usize>,
    /// Its key and memory bound, for a keyed rule.
    pub per: Option<Keyed>,
}

/// A message with holes.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    /// Its pieces, in order.
    pub segments: Vec<Segment>,
}

/// A piece of a message.
#[derive(Clone, Debug, PartialEq)]
pub enum Segment {
    /// As it stands.
    Text(String),
    /// The components of the key.
    Key,
    /// The name of the tool.
    Tool,
    /// What a path with fixed steps leads to, from the arguments, the result or the event.
    Path(Path),
}

/// How a rule is evaluated.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// A Moore machine over letters: bit i of a letter says that pattern i holds.
    Automaton {
        /// The name of the rule kind in the file: `must_precede`, `forbid`, …
        template: &'static str,
        /// At most eight patterns.
        patterns: Vec<Pattern>,
        /// The machine.
        machine: Machine,
        /// What it was made of, where that was written as a formula over the names of the patterns.
        formula: Option<String>,
    },
    /// A fixed number of exact counters, sums, times or ids.
    Register {
        /// The name of the rule kind in the file: `at_most_total`, …
        template: &'static str,
        /// At most three patterns, in the order that the register documents.
        patterns: Vec<Pattern>,
        /// What is kept.
        register: Register,
        /// The clock of its times.
        clock: Clock,
        /// What it reads of an event: an amount, an id.
        operand: Option<Operand>,
        /// Which occurrences count.
        counting: Counting,
    },
    /// With a permit, calls run that the default would stop.
    Permit {
        /// Which calls.
        pattern: Pattern,
    },
    /// A precondition.
    Require {
        /// Which calls.
        pattern: Pattern,
        /// Each must hold; with its source text, to be named when it fails.
        clauses: Vec<Clause>,
    },
    /// Calls run with changed arguments.
    Rewrite {
        /// Which calls.
        pattern: Pattern,
        /// The changes; all read the original arguments.
        changes: Vec<Rewrite>,
    },
    /// A postcondition: a result for which it does not hold is withheld, or reported, as the rule's table says.
    Ensure {
        /// Which results.
        pattern: Pattern,
        /// Each must hold.
        clauses: Vec<Clause>,
    },
    /// Parts of a result that the agent does not see.
    Redact {
        /// Which results.
        pattern: Pattern,
        /// Paths into the result.
        paths: Vec<Vec<Step>>,
    },
    /// What was seen in a result must not appear in arguments.
    NoFlow {
        /// The results, and the calls.
        patterns: [Pattern; 2],
        /// Paths into the result.
        values: Vec<Vec<Step>>,
        /// Shorter texts are not looked at, in bytes.
        min_length: u32,
    },
}

/// What a register rule keeps, and its bound.
#[derive(Clone, Debug, PartialEq)]
pub enum Register {
    /// Patterns `[call]`: at most `limit` occurrences.
    Count {
        /// The most that is allowed.
        limit: u64,
    },
    /// Patterns `[call]`: the exact sum of the operand is at most `limit`.
    Total {
        /// The most that is allowed.
        limit: Decimal,
    },
    /// Patterns `[call]`: at most `limit` occurrences in every closed window.
    Rate {
        /// The most that is allowed in a window.
        limit: u32,
        /// The length of the window.
        window: Duration,
    },
    /// Patterns `[call]`: the exact sum of the operand is at most `limit` in every closed window.
    WindowTotal {
        /// The most that is allowed in a window.
        limit: Decimal,
        /// The length of the window.
        window: Duration,
    },
    /// Patterns `[call]`: at most `limit` different values of the operand.
    Distinct {
        /// The most that is allowed.
        limit: u32,
    },
    /// Patterns `[open, close]`: at most `limit` values of the operand are open at once.
    OpenIds {
        /// The most that is allowed.
        limit: u32,
    },
    /// Patterns `[after, then]`: each `after` is followed by a `then` in time.
    Deadline {
        /// How long it may take.
        within: Duration,
    },
    /// Patterns `[first, then]`, perhaps `void`: `then` needs a `first` that is not older than this.
    Permission {
        /// How long a `first` is good for.
        expires: Duration,
        /// Whether an admitted `then` takes it.
        consume: bool,
    },
}

/// What the times of a register are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// Event time.
    Time,
    /// The position in the session: how many calls were admitted, one nanosecond each.
    Calls,
}

/// What a register reads of an event besides its patterns.
#[derive(Clone, Debug, PartialEq)]
pub enum Operand {
    /// The same expression for every event.
    Same(Expr),
    /// By tool: the first that matches.
    ByTool(Vec<(Subject, Expr)>),
}

/// One change of the arguments.
#[derive(Clone, Debug, PartialEq)]
pub struct Rewrite {
    /// Where: fields and indices, at least one.
    pub path: Vec<Step>,
    /// The new value.
    pub value: Expr,
    /// Its source text.
    pub text: String,
}

/// One precondition.
#[derive(Clone, Debug, PartialEq)]
pub struct Clause {
    /// The predicate.
    pub predicate: Expr,
    /// Its source text.
    pub text: String,
}

/// Which occurrences a register rule counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counting {
    /// All that were admitted.
    All,
    /// Those that did not fail: counted at admission, returned when the outcome is `failed`.
    Succeeded,
}

/// A Moore machine over letters, complete and minimal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Machine {
    /// How many patterns make a letter: there are `1 << width` letters. At most 8.
    pub width: u8,
    /// The state of an empty trace.
    pub initial: u8,
    /// The colour of each state. At most 64 states.
    pub colours: Vec<Colour>,
    /// The successor of state `s` under letter `l` is at `(s << width) | l`. Letter 0 (no pattern holds) stays.
    pub delta: Vec<u8>,
    /// The letters that some event can have, without letter 0, ascending.
    pub letters: Vec<u8>,
    /// For each state `b`, the set of the states from which being taken for `b` is only stricter: whatever is violated from them,
    /// the end of the session included, is violated from `b`.
    pub stricter: Vec<u64>,
}

/// The key of a rule and its memory bound.
#[derive(Clone, Debug, PartialEq)]
pub struct Keyed {
    /// Which paths make the key of an event. The first route that matches decides: exact names come before globs.
    pub routes: Vec<KeyRoute>,
    /// Most live instances.
    pub max: usize,
    /// What becomes of a call that needs one more.
    pub when_full: WhenFull,
    /// After how long without an event of its key an instance is retired.
    pub idle: Option<Duration>,
    /// Of how many retired keys is remembered that they were.
    pub remember: u32,
    /// Whether events without the key's arguments are left out.
    pub missing: Missing,
    /// Events after which the key is fresh again.
    pub close_on: Option<Pattern>,
}

impl Keyed {
    /// The memory bound, as the runtime keeps it.
    #[must_use]
    pub fn bounds(&self) -> Bounds {
        let evicts = self.when_full == WhenFull::Evict;
        Bounds { max: self.max, evicts, idle: self.idle, remember: self.remember }
    }

    /// Whether instances may be retired before their state stops to matter.
    #[must_use]
    pub fn retires(&self) -> bool {
        self.when_full == WhenFull::Evict || self.idle.is_some()
    }

    /// Whether some events have more than one key, or none yet.
    #[must_use]
    pub fn spreads(&self) -> bool {
        self.routes.iter().any(|route| !matches!(route.key, RouteKey::One(_)))
    }

    /// How many components its keys have.
    #[must_use]
    pub fn width(&self) -> usize {
        self.routes.iter().find_map(|route| route.key.width()).unwrap_or(1)
    }
}

/// What becomes of an event whose key path leads nowhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// The rule is not established.
    Block,
    /// The rule leaves the event out.
    Skip,
}

/// The key of the events of some tools, or of a host event.
#[derive(Clone, Debug, PartialEq)]
pub struct KeyRoute {
    /// For which events.
    pub subject: Subject,
    /// At which of their moments.
    pub phases: Phases,
    /// The key.
    pub key: RouteKey,
}

/// The keys that an event touches.
#[derive(Clone, Debug, PartialEq)]
pub enum RouteKey {
    /// One key: its components, at least one, which are paths, perhaps wrapped in normalisers.
    One(Vec<Expr>),
    /// One key for each element of a list.
    Each {
        /// The components before the one that fans out.
        before: Vec<Expr>,
        /// The list.
        list: Expr,
        /// The component that an element makes: it reads the element as the variable in slot 0.
        component: Expr,
        /// The components after it.
        after: Vec<Expr>,
    },
    /// Every key.
    All,
}

impl RouteKey {
    /// How many components the keys have; `None` for every key.
    #[must_use]
    pub fn width(&self) -> Option<usize> {
        match self {
            Self::One(parts) => Some(parts.len()),
            Self::Each { before, after, .. } => Some(before.len().saturating_add(after.len()).saturating_add(1)),
            Self::All => None,
        }
    }
}
