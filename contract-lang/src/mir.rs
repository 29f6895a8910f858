//! The checked contract: every name resolved, every template compiled, every default filled in.
//!
//! INVARIANT: what is in here is complete. The interpreter executes it, code is generated from it, and neither needs the
//! source again. Both ask [`crate::dispatch`] which rules an event may concern, so that they agree by construction.

use contract_runtime::{ByEffect, Colour, Decision, DecisionTable, DefaultPolicy, Duration, Effect, Mode, Type};
use contract_runtime::{Decimal, Severity, WhenFull};

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
    /// What a path with fixed steps leads to: [`Root::Args`], [`Root::Result`] or [`Root::Event`].
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
    /// Whether events without the key's arguments are left out.
    pub missing: Missing,
    /// Events after which the key is fresh again.
    pub close_on: Option<Pattern>,
}

impl Keyed {
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

/// What selects events: one alternative must hold.
#[derive(Clone, Debug, PartialEq)]
pub struct Pattern {
    /// At least one.
    pub alternatives: Vec<Alternative>,
    /// Its source text.
    pub text: String,
}

/// One alternative of a pattern.
#[derive(Clone, Debug, PartialEq)]
pub struct Alternative {
    /// At which moments.
    pub phases: Phases,
    /// Of what.
    pub subject: Subject,
    /// Under which condition.
    pub condition: Option<Expr>,
}

/// A set of moments. `event` excludes the others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Phases {
    /// A call, before it runs.
    pub call: bool,
    /// A result that is a success.
    pub ok: bool,
    /// A result that is a failure.
    pub failed: bool,
    /// Nobody knows how it ended.
    pub unknown: bool,
    /// A host event.
    pub event: bool,
}

/// What an alternative speaks of.
#[derive(Clone, Debug, PartialEq)]
pub enum Subject {
    /// Tools by name.
    Tools(Names),
    /// Calls (and results of calls) whose effect is this.
    Effect(Effect),
    /// A host event by name (a glob).
    Event(Glob),
}

/// A tool name or glob, with an optional server.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Names {
    /// `None`: any server, and calls without one.
    pub server: Option<Glob>,
    /// The tool.
    pub tool: Glob,
}

/// A name or a glob (`*`: any characters, `?`: one character), anchored, byte for byte.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Glob(String);

impl Glob {
    /// A glob from its text.
    #[must_use]
    pub fn new(text: &str) -> Self {
        Self(text.to_owned())
    }

    /// Its text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether it has no wildcard, so that it is one name.
    #[must_use]
    pub fn is_literal(&self) -> bool {
        !self.0.contains(['*', '?'])
    }

    /// Whether it matches a name.
    #[must_use]
    pub fn matches(&self, name: &str) -> bool {
        if self.is_literal() { self.0 == name } else { contract_runtime::glob_matches(&self.0, name) }
    }
}

/// A literal value.
#[derive(Clone, Debug, PartialEq)]
pub enum Literal {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// An exact number.
    Number(Decimal),
    /// A string.
    Text(String),
    /// A duration, `15m`.
    Duration(Duration),
    /// A list of literals.
    List(Vec<Literal>),
    /// A JSON value (initial values of `json` cells and maps).
    Json(serde_json::Value),
}

/// A checked expression. Evaluates to a value or to "not established"; predicates evaluate to a Kleene truth value.
#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    /// A literal.
    Literal(Literal),
    /// A list of expressions that are not all literals.
    List(Vec<Expr>),
    /// A path.
    Path(Path),
    /// Steps into the value of a function: `json(result).status`. At least one step.
    Select(Box<Expr>, Vec<Step>),
    /// The time of the event.
    Now,
    /// Kleene negation.
    Not(Box<Expr>),
    /// Kleene conjunction of at least two, left to right.
    And(Vec<Expr>),
    /// Kleene disjunction of at least two, left to right.
    Or(Vec<Expr>),
    /// `not a or b`.
    Implies(Box<Expr>, Box<Expr>),
    /// A comparison.
    Compare(Comparison, Box<Expr>, Box<Expr>),
    /// Membership in a list, set, or the keys of a state map.
    In(Box<Expr>, Box<Expr>),
    /// An anchored glob over a string.
    Like(Box<Expr>, String),
    /// A regular expression search.
    Matches(Box<Expr>, String),
    /// Exact arithmetic.
    Arithmetic(Arithmetic, Box<Expr>, Box<Expr>),
    /// Whether the path exists (a JSON null exists); for state and context, whether it is established. Always definite.
    Has(Path),
    /// A test of a value's JSON type. Always definite: false where the operand is not established.
    Is(JsonType, Box<Expr>),
    /// A function.
    Call(Function, Vec<Expr>),
    /// A quantifier over a list.
    Quantified {
        /// Which.
        quantifier: Quantifier,
        /// The slot of the bound variable: its nesting depth, from 0.
        slot: usize,
        /// The list.
        list: Box<Expr>,
        /// The predicate for one element.
        body: Box<Expr>,
    },
}

impl Expr {
    /// The path that the normalisers of a key component are around.
    #[must_use]
    pub fn innermost(&self) -> &Self {
        let mut inner = self;
        while let Self::Call(_, args) = inner
            && let Some(first) = args.first()
        {
            inner = first;
        }
        inner
    }

    /// Whether it evaluates to a truth value by itself (so that "not established" is [`contract_runtime::Truth::Unknown`]).
    #[must_use]
    pub fn is_predicate(&self) -> bool {
        match self {
            Self::Not(_)
            | Self::And(_)
            | Self::Or(_)
            | Self::Implies(..)
            | Self::Compare(..)
            | Self::In(..)
            | Self::Like(..)
            | Self::Matches(..)
            | Self::Has(_)
            | Self::Is(..) => true,
            Self::Quantified { quantifier, .. } => *quantifier != Quantifier::Count,
            Self::Call(function, _) => function.is_predicate(),
            Self::Literal(_) | Self::List(_) | Self::Path(_) | Self::Select(..) | Self::Now | Self::Arithmetic(..) => {
                false
            }
        }
    }
}

/// A path.
#[derive(Clone, Debug, PartialEq)]
pub struct Path {
    /// Where it starts.
    pub root: Root,
    /// What it walks.
    pub steps: Vec<Step>,
}

/// Where a path starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Root {
    /// The call's arguments.
    Args,
    /// The result's value.
    Result,
    /// A state cell, by index.
    State(usize),
    /// A declared context fact, by index.
    Context(usize),
    /// The host event's value.
    Event,
    /// A fact about the call: the first step of the source path, already resolved.
    Call(CallFact),
    /// A bound variable, by slot.
    Variable(usize),
}

/// A fact about the call itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallFact {
    /// `call.tool`: its name.
    Tool,
    /// `call.server`: the server, where there is one.
    Server,
    /// `call.batch`: how many calls the same model turn made.
    Batch,
    /// `call.agent`: the sub-agent, where there is one.
    Agent,
}

/// One step of a path.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// `.name` or `["name"]`.
    Field(String),
    /// `[0]`.
    Index(u32),
    /// `[expression]`: a field or map key (text), or an index (number).
    Dynamic(Box<Expr>),
    /// `[]` or `.*`: each element of a list or value of an object; the path then yields a list.
    Each,
    /// `.**`: the value itself and everything below it.
    Deep,
}

/// A comparison operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
}

/// An arithmetic operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arithmetic {
    /// `+`: numbers; time and duration; durations.
    Add,
    /// `-`: numbers; time and duration; two times; durations.
    Subtract,
    /// `*`: numbers; number and duration.
    Multiply,
}

/// A JSON type, for `is_string(x)` and its kin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JsonType {
    /// `is_string`
    String,
    /// `is_object`
    Object,
    /// `is_list`
    List,
    /// `is_number`
    Number,
    /// `is_bool`
    Bool,
}

/// A quantifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantifier {
    /// Kleene conjunction over the elements.
    All,
    /// Kleene disjunction over the elements.
    Any,
    /// `not any`.
    None,
    /// How many elements hold; not established if one is not.
    Count,
}

/// A function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Function {
    /// The smallest of the arguments, or of one list.
    Min,
    /// The largest of the arguments, or of one list.
    Max,
    /// The first argument, or the second (a literal) where the first is not established.
    Default,
    /// Length: characters of a string, members of a list, object, set or map.
    Size,
    /// Lower case (Unicode).
    Lower,
    /// Upper case (Unicode).
    Upper,
    /// Without surrounding white space.
    Trim,
    /// Predicate on two strings.
    StartsWith,
    /// Predicate on two strings.
    EndsWith,
    /// A string contains a string; a list or set contains a value.
    Contains,
    /// The keys of an object or map, as a list.
    Keys,
    /// The values of an object or map, as a list.
    Values,
    /// The exact sum of a list of numbers.
    Sum,
    /// The list without repeated elements, in order of first occurrence.
    Distinct,
    /// Every element of the first is in the second (lists, sets).
    Subset,
    /// Some element of the first is in the second (lists, sets).
    Intersects,
    /// The value of a JSON text.
    Json,
    /// The time of an RFC 3339 text; the second argument is the zone of a text that has none.
    Time,
    /// A path, lexically normalised.
    PathNorm,
    /// The first path lies within the second.
    PathWithin,
    /// The host of a URL, in lower case.
    Host,
    /// The scheme of a URL, in lower case.
    Scheme,
    /// The domain of a URL, e-mail address or host is one of the listed ones or below it.
    DomainIn,
    /// The second, an IP address, is in the first, a network.
    CidrContains,
    /// All string leaves and keys of a value, as a list.
    Strings,
    /// The digest of a value, in hexadecimal.
    Digest,
}

impl Function {
    /// Whether it yields a truth value.
    #[must_use]
    pub fn is_predicate(self) -> bool {
        matches!(
            self,
            Self::StartsWith
                | Self::EndsWith
                | Self::Contains
                | Self::Subset
                | Self::Intersects
                | Self::PathWithin
                | Self::DomainIn
                | Self::CidrContains
        )
    }
}
