//! The contract's own tests as written.

use contract_runtime::{Decision, Mode, Status, Verdict};

use super::{RuleId, Seen, Text, Value, Window};
use crate::decode::{Decode, Map, record};
use crate::diagnostic::Diagnostics;
use crate::source::Spanned;
use crate::syntax::tree::{Kind, Node};

record! {
    /// A test: a session, and what must come of it. It is run by `interlock test`, and is no part of what the contract decides.
    /// What is not expected otherwise must be allowed, with no rule reporting anything, and nothing violated at the end.
    "a test" struct Test {
        /// What it shows, in a sentence.
        name: Spanned<Text>,
        /// The time of the first line, such as `2026-01-01T10:00:00Z`; the start of 1970 if not given.
        start: Option<Spanned<Text>>,
        /// The trusted facts of its sessions.
        context: Option<Value>,
        /// Whether decisions are carried out, instead of the contract's own `mode`.
        mode: Option<Spanned<Mode>>,
        /// What happens: a list of lines, or a file of them, relative to the contract.
        trace: Trace,
        /// What is expected of calls, by their ids; for lines that do not say it themselves.
        expect: Vec<Expected> = default,
        /// The verdicts of rules when a session has ended. A rule that is not named is not violated.
        verdicts: Map<Spanned<RuleId>, Spanned<Verdict>> = default,
    }
}

/// What happens in a test.
#[derive(Clone, Debug, PartialEq)]
pub enum Trace {
    /// The path of a file in the trace format, relative to the contract.
    File(Spanned<Text>),
    /// Line by line.
    Lines(Vec<TestLine>),
}

impl Decode for Trace {
    fn decode(node: &Node, diagnostics: &mut Diagnostics) -> Option<Self> {
        match &node.kind {
            Kind::Sequence { .. } | Kind::Mapping(_) => Vec::decode(node, diagnostics).map(Self::Lines),
            _ => Spanned::decode(node, diagnostics).map(Self::File),
        }
    }
}

record! {
    /// A line of a test: a call, a result, a host event, the context or the end of a session. The lines of the trace format are
    /// read as they are; what is short has fields of its own.
    "a line of a test" struct TestLine {
        /// The session; `default` if not given.
        session: Option<Spanned<Text>>,
        /// When, such as `2026-01-01T10:00:00Z`.
        at: Option<Spanned<Text>>,
        /// How long after the line before; a second if neither this nor `at` is given.
        later: Option<Spanned<Window>>,
        /// A call: the tool, or the call as a trace has it.
        call: Option<Called>,
        /// The arguments of the call; none if not given.
        args: Option<Value>,
        /// The id of the call; its number in the test, from 0, if not given.
        id: Option<Spanned<Text>>,
        /// The server of the tool.
        server: Option<Spanned<Text>>,
        /// The sub-agent that calls.
        agent: Option<Spanned<Text>>,
        /// How many calls the same model turn made.
        batch: Option<Value>,
        /// Whether a person allowed the call.
        approved: Option<Spanned<bool>>,
        /// The result of a call that ended well, as far as the host knows.
        ok: Option<Value>,
        /// The result of a call that failed.
        failed: Option<Value>,
        /// The result of a call of which nobody knows how it ended.
        unknown: Option<Value>,
        /// The result as a trace has it.
        result: Option<CallResult>,
        /// The id of the earlier call whose result this is.
        result_of: Option<Spanned<Text>>,
        /// A host event: its name, or the event as a trace has it.
        event: Option<Happening>,
        /// The value of the host event.
        value: Option<Value>,
        /// The trusted facts of the session, before all else of it.
        context: Option<Value>,
        /// Whether the session ends.
        end: Option<Spanned<bool>>,
        /// What must come of it: a decision, or more.
        expect: Option<Expect>,
    }
}

record! {
    /// A call as a trace has it.
    "a recorded call" struct FullCall {
        /// The id.
        id: Spanned<Text>,
        /// The tool.
        tool: Spanned<Text>,
        /// The arguments.
        args: Value,
        /// The server of the tool.
        server: Option<Spanned<Text>>,
        /// How many calls the same model turn made.
        batch: Option<Value>,
        /// The sub-agent that calls.
        agent: Option<Spanned<Text>>,
        /// Whether a person allowed it.
        approved: Option<Spanned<bool>>,
    }
}

record! {
    /// A result as a trace has it.
    "a recorded result" struct CallResult {
        /// How the call ended; `ok` if not given, and then `succeeds_when` has the last word.
        status: Option<Spanned<Status>>,
        /// The result.
        value: Option<Value>,
    }
}

record! {
    /// A host event as a trace has it.
    "a recorded event" struct FullEvent {
        /// Its name.
        name: Spanned<Text>,
        /// Its value.
        value: Option<Value>,
    }
}

record! {
    /// What must come of a line.
    "`expect`" struct Expected {
        /// The id of the call, in the list of a test. A line speaks of its own call.
        call: Option<Spanned<Text>>,
        /// The decision; `allow` if not given.
        decision: Option<Spanned<Decision>>,
        /// The rules that report something, all of them. Not given: none where the call is allowed and its result shown whole,
        /// any otherwise.
        rules: Option<Vec<Spanned<RuleId>>>,
        /// What the text for the model must contain.
        message: Option<Spanned<Text>>,
        /// The arguments that the call runs with; those of the line if not given.
        args: Option<Value>,
        /// How the call ended, as the contract sees it; not looked at if not given.
        outcome: Option<Spanned<Status>>,
        /// How much of the result the agent sees; `whole` if not given.
        shown: Option<Spanned<Seen>>,
        /// What the agent sees of the result.
        sees: Option<Value>,
        /// The verdicts of rules when the session has ended with this line. A rule that is not named is not violated.
        verdicts: Option<Map<Spanned<RuleId>, Spanned<Verdict>>>,
    }
}

/// Values that are a text in short, and a record in full.
macro_rules! short {
    ($($(#[$doc:meta])* enum $name:ident { $short:literal, $full:ident, $described:literal })*) => { $(
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq)]
        pub enum $name {
            #[doc = $short]
            Short(Spanned<Text>),
            /// All of it.
            Full(Box<$full>),
        }

        impl Decode for $name {
            fn decode(node: &Node, diagnostics: &mut Diagnostics) -> Option<Self> {
                match &node.kind {
                    Kind::Mapping(_) => $full::decode(node, diagnostics).map(|full| Self::Full(Box::new(full))),
                    _ => Spanned::decode(node, diagnostics).map(Self::Short),
                }
            }
        }

        #[cfg(feature = "schema")]
        impl schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                let (short, full) = (generator.subschema_for::<Spanned<Text>>(), generator.subschema_for::<$full>());
                schemars::json_schema!({ "description": $described, "anyOf": [short, full] })
            }
        }
    )* };
}

short! {
    /// A call.
    enum Called { "Its tool.", FullCall, "The tool, or the call as a trace has it." }
    /// A host event.
    enum Happening { "Its name.", FullEvent, "The name, or the event as a trace has it." }
}

/// What must come of a line.
#[derive(Clone, Debug, PartialEq)]
pub enum Expect {
    /// The decision of its call.
    Decision(Spanned<Decision>),
    /// More.
    All(Box<Expected>),
}

impl Decode for Expect {
    fn decode(node: &Node, diagnostics: &mut Diagnostics) -> Option<Self> {
        match &node.kind {
            Kind::Mapping(_) => Expected::decode(node, diagnostics).map(|all| Self::All(Box::new(all))),
            _ => Spanned::decode(node, diagnostics).map(Self::Decision),
        }
    }
}

#[cfg(feature = "schema")]
mod schema {
    use std::borrow::Cow;

    use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

    use super::*;

    impl JsonSchema for Trace {
        fn schema_name() -> Cow<'static, str> {
            "Trace".into()
        }

        fn json_schema(generator: &mut SchemaGenerator) -> Schema {
            let file = generator.subschema_for::<Spanned<Text>>();
            let lines = generator.subschema_for::<Vec<TestLine>>();
            json_schema!({ "description": "A list of lines, or a file of them.", "anyOf": [file, lines] })
        }
    }

    impl JsonSchema for Expect {
        fn schema_name() -> Cow<'static, str> {
            "Expect".into()
        }

        fn json_schema(generator: &mut SchemaGenerator) -> Schema {
            let word = generator.subschema_for::<Spanned<Decision>>();
            let all = generator.subschema_for::<Expected>();
            json_schema!({ "description": "A decision, or more.", "anyOf": [word, all] })
        }
    }
}
