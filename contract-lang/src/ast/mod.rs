//! The contract as written: every field of the file with its place, nothing resolved.
//!
//! Each record is declared once; the declaration gives the struct, the decoder, and the JSON schema, whose descriptions
//! are the doc comments below. They are written for the author of a contract.
//!
//! INVARIANT: patterns, predicates and paths are still text here ([`Source`]); names are not resolved.

mod choice;
mod kind;
mod leaf;
mod names;
mod per_tool;
mod rule;
mod source;
mod test;

pub use choice::{Decide, Effects, Member, OnError, Value};
pub use kind::*;
pub use leaf::{
    Action, Amount, CellType, Count, Extent, Finding, Group, Ident, Int, MAX_SAFE, Missing, Name, OnFailure, Otherwise,
    RuleId, Seen, Text, Version, WhenFull, Window,
};
pub use names::Names;
pub use per_tool::{Per, PerTool};
pub(crate) use rule::HOMES;
pub use rule::{Kind, Rule};
pub use source::{Source, Temporal};
pub use test::{CallResult, Called, Expect, Expected, FullCall, FullEvent, Happening, Test, TestLine, Trace};

use contract_runtime::{Decision, Effect, Mode};

use crate::decode::{Canonical, Decode, Fields, Map, OneOrMany, record};
use crate::diagnostic::{Code, Diagnostic, Diagnostics, Setting};
use crate::source::Spanned;
use crate::syntax::yaml::Node;

/// Reads a contract, reporting every error.
///
/// `None` only if the file is no mapping. After an error the result may lack what was wrong, and a contract whose name or
/// version is missing has a stand-in: it is good for finding further errors, and for nothing else.
pub fn decode(node: &Node, diagnostics: &mut Diagnostics) -> Option<Contract> {
    Contract::decode(node, diagnostics)
}

record! {
    /// An Interlock contract: what an agent may do with its tools, in which order, how often, and on which facts.
    "a contract" struct Contract {
        /// The version of the contract language: 1.
        version: Spanned<Version>,
        /// The name of the contract; the generated type is named after it.
        name: Spanned<Name>,
        /// Whether decisions are carried out (`enforce`, the default) or only recorded (`shadow`). A rule may set its own.
        mode: Option<Spanned<Mode>>,
        /// What becomes of a call that no permit matches: one decision, or one for each effect.
        default: Option<Decide>,
        /// What becomes of a call to a tool that neither `tools` nor `catalog` knows. As `default` if not given.
        undeclared: Option<Spanned<Decision>>,
        /// Overrides of what follows from a verdict. A rule may have its own.
        decide: Option<DecideTable>,
        /// What becomes of a call when the monitor itself, or the host's store, fails: `allow` or `block`, or one for each
        /// effect. Not given: reads run, everything else does not.
        on_error: Option<OnError>,
        /// Saved MCP `tools/list` replies, relative to the contract. With them, an unknown tool name is an error.
        catalog: Vec<Spanned<Text>> = default,
        /// Facts from the host, never from the agent: name and type. Read as `context.name`.
        context: Map<Spanned<Ident>, Spanned<CellType>> = default,
        /// Named patterns, used like tools.
        patterns: Map<Spanned<Group>, Source> = default,
        /// The tools, by name or glob, with their effects.
        tools: Map<Source, Tool> = default,
        /// Trusted state: cells that only `commit` writes. Read as `state.name`.
        state: Map<Spanned<Ident>, Cell> = default,
        /// When trusted state changes: after results and host events.
        commit: Vec<Commit> = default,
        /// The memory bound of keyed rules that have none of their own.
        instances: Option<Instances>,
        /// The rules.
        rules: Vec<Rule> = default,
        /// The levels of findings of `interlock lint`, by code: `off`, `note`, `warning` or `error`. They change nothing of what is
        /// decided.
        lint: Map<Spanned<Finding>, Spanned<Setting>> = default,
        /// The contract's own tests. They are no part of what is decided: the same contract with others is the same version.
        tests: Vec<Test> = default,
    }
    and {
        /// The contract as a text that says which version it is.
        source: Canonical
    }
}

record! {
    /// One decision for each effect; one that is not given keeps its standard.
    "the decisions by effect" struct EffectDecisions {
        /// For tools that read.
        read: Option<Spanned<Decision>>,
        /// For tools that write.
        write: Option<Spanned<Decision>>,
        /// For tools whose effect cannot be undone.
        irreversible: Option<Spanned<Decision>>,
    }
}

record! {
    /// What becomes of calls when the monitor fails, for each effect; one that is not given keeps its standard.
    "`on_error`" struct FailureDecisions {
        /// For tools that read: `allow` if not given.
        read: Option<Spanned<OnFailure>>,
        /// For tools that write: `block` if not given.
        write: Option<Spanned<OnFailure>>,
        /// For tools whose effect cannot be undone: `block` if not given.
        irreversible: Option<Spanned<OnFailure>>,
    }
}

record! {
    /// From verdict to decision: one decision, or one for each effect. A verdict that is not given keeps its standard.
    "`decide`" struct DecideTable {
        /// No continuation violates the rule.
        satisfied: Option<Decide>,
        /// Fine if the session ended now.
        open: Option<Decide>,
        /// Violated if the session ended now.
        pending: Option<Decide>,
        /// The rule cannot be evaluated on this call: a fact, an argument or a key is missing.
        unestablished: Option<Decide>,
        /// Violated, and nothing repairs it.
        violated: Option<Decide>,
    }
}

record! {
    /// A tool, or all the tools that a glob matches.
    "a tool" struct Tool {
        /// The effect of a call: a word, or a list of cases by argument. Without it: `irreversible`.
        effect: Option<Effects>,
        /// A predicate over the result that tells success from failure, where the tool reports `ok` for both.
        succeeds_when: Option<Source>,
    }
}

record! {
    /// One case of an effect by argument. The first whose `when` holds decides.
    "an effect case" struct EffectCase {
        /// A predicate over `args call context now`. Without it the case always holds.
        when: Option<Source>,
        /// The effect.
        is: Spanned<Effect>,
    }
}

record! {
    /// A cell of trusted state.
    "a state cell" struct Cell {
        /// The type of its value.
        r#type: Spanned<CellType>,
        /// The value it starts with. Without it the cell is not established until something is committed.
        initial: Option<Value>,
        /// Most members of a set or map.
        max: Option<Spanned<Int<1, 1_000_000_000>>>,
        /// Most bytes of a member, or of the value of a cell that is no collection.
        max_bytes: Option<Spanned<Int<1, 1_073_741_824>>>,
        /// How long a value, or a member of a collection, stays established after it was written.
        fresh: Option<Spanned<Window>>,
    }
}

record! {
    #[cfg_attr(feature = "schema", schemars(transform = changes_something))]
    /// A change of trusted state. All right sides read the state before the event.
    "a commit" struct Commit {
        /// The events: results of tools (`ok(tool)`), or host events (`event(name)`).
        after: Source,
        /// A further condition.
        when: Option<Source>,
        /// Cell and value: sets the value.
        set: Map<Spanned<Ident>, Source> = default,
        /// Cell and value: sets the value the first time only.
        bind: Map<Spanned<Ident>, Source> = default,
        /// Cell and member: adds a member to a set.
        insert: Map<Spanned<Ident>, Member> = default,
        /// Cell and member: removes a member of a set, or a key of a map.
        remove: Map<Spanned<Ident>, Member> = default,
        /// Cell, key and value: sets the value at a key of a map.
        put: Map<Spanned<Ident>, At> = default,
        /// Cells that become not established; sets and maps become empty.
        clear: Option<OneOrMany<Spanned<Ident>>>,
    }
    check commit_changes_something
}

/// The verbs of a commit.
pub(crate) const VERBS: &[&str] = &["set", "bind", "insert", "remove", "put", "clear"];

fn commit_changes_something(fields: &Fields<'_>, diagnostics: &mut Diagnostics) {
    if !VERBS.iter().any(|verb| fields.entry(verb).is_some()) {
        let verbs: Vec<_> = VERBS.iter().map(|verb| format!("`{verb}`")).collect();
        let message = "the commit changes nothing";
        let help = format!("write at least one of {}", verbs.join(", "));
        diagnostics.push(Diagnostic::new(Code::MissingField, fields.place(), message).help(help));
    }
}

/// The same for the schema.
#[cfg(feature = "schema")]
fn changes_something(schema: &mut schemars::Schema) {
    crate::schema::at_least_one(schema, VERBS);
}

record! {
    /// A place in a map, and a value for it.
    "a place in a map" struct At {
        /// The key.
        at: Source,
        /// The value, or the member of the set at that key.
        value: Source,
    }
}

record! {
    /// How many instances of a keyed rule may live at once, and when one ends.
    "`instances`" struct Instances {
        /// Most live instances.
        max: Option<Spanned<Int<1, 1_000_000_000>>>,
        /// After an event that this matches, its key is fresh again.
        close_on: Option<Source>,
        /// What becomes of a call that needs one more.
        when_full: Option<Spanned<WhenFull>>,
        /// An instance is retired after so long without an event of its key. Of that key it is not known exactly any more what
        /// happened to it.
        idle: Option<Spanned<Window>>,
        /// Of how many retired keys is remembered that they were: 100,000 if not given. It takes ten bits a key.
        remember: Option<Spanned<Int<1, 10_000_000>>>,
    }
}
