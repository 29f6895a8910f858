//! Which rules and commits an event may concern, by tool name alone.
//!
//! The interpreter and the code generator both ask here, so that a rule takes part in the same decisions in both.

use std::collections::BTreeSet;

use contract_runtime::Mode;
use contract_runtime::private::Reading;

use crate::mir::{Alternative, Contract, Expr, Glob, Kind, Names, Operand, Pattern, Phases, Rule, Subject};

/// The tool of an event, as far as it is known before the event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tool<'a> {
    /// This one.
    Named(&'a str),
    /// One that the contract does not name exactly: only globs and effects can match it.
    Other,
}

/// What one tool concerns.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Plan {
    /// The rules concerned, ascending.
    pub rules: Vec<Concern>,
    /// The commits whose pattern may match a result of the tool, ascending.
    pub commits: Vec<usize>,
}

/// How one rule is concerned.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Concern {
    /// The rule's index.
    pub rule: usize,
    /// A pattern may match the call: the rule takes part in the decision.
    pub call: bool,
    /// A pattern may match the result.
    pub result: bool,
    /// `close_on` may match the call.
    pub close_call: bool,
    /// `close_on` may match the result.
    pub close_result: bool,
    /// `reset_on` may match the call.
    pub reset_call: bool,
    /// `reset_on` may match the result.
    pub reset_result: bool,
    /// `guards` may match the call: the rule takes part in the decision.
    pub guard: bool,
}

impl Contract {
    /// Whether a rule is on trial in a contract that is enforced: then it neither permits calls nor speaks of them, so that it
    /// does not lift the default.
    #[must_use]
    pub fn on_trial(&self, rule: &Rule) -> bool {
        rule.mode == Mode::Shadow && self.mode == Mode::Enforce
    }
}

impl Plan {
    /// Whether a rule may withhold or redact a result of the tool.
    #[must_use]
    pub fn shields(&self, contract: &Contract) -> bool {
        let rules = self.rules.iter().filter(|concern| concern.result);
        let mut kinds = rules.filter_map(|concern| contract.rules.get(concern.rule)).map(|rule| &rule.kind);
        kinds.any(|kind| matches!(kind, Kind::Ensure { .. } | Kind::Redact { .. }))
    }
}

impl Concern {
    /// Whether the rule has something to do when the call is made.
    #[must_use]
    pub fn at_call(&self) -> bool {
        self.call || self.guard || self.close_call || self.reset_call
    }

    /// Whether the rule has something to do when the result is there.
    #[must_use]
    pub fn at_result(&self) -> bool {
        self.result || self.close_result || self.reset_result
    }
}

impl Rule {
    /// The patterns that the rule steps on, in the order of the bits of a letter.
    #[must_use]
    pub fn patterns(&self) -> &[Pattern] {
        match &self.kind {
            Kind::Automaton { patterns, .. } | Kind::Register { patterns, .. } => patterns,
            Kind::NoFlow { patterns, .. } => patterns,
            Kind::Permit { pattern }
            | Kind::Require { pattern, .. }
            | Kind::Rewrite { pattern, .. }
            | Kind::Ensure { pattern, .. }
            | Kind::Redact { pattern, .. } => std::slice::from_ref(pattern),
        }
    }

    /// Whether events move its state, so that it has verdicts, instances and obligations.
    #[must_use]
    pub fn steps(&self) -> bool {
        matches!(self.kind, Kind::Automaton { .. } | Kind::Register { .. })
    }

    /// Whether instances end otherwise than by what they remember: they are closed, or retired.
    #[must_use]
    pub fn lets_go(&self) -> bool {
        self.per.as_ref().is_some_and(|keyed| keyed.close_on.is_some() || keyed.retires())
    }

    /// Whether instances are retired whose keys had no event for long.
    #[must_use]
    pub fn idles(&self) -> bool {
        self.per.as_ref().is_some_and(|keyed| keyed.idle.is_some())
    }

    /// The pattern that closes an instance.
    #[must_use]
    pub fn close_on(&self) -> Option<&Pattern> {
        self.per.as_ref().and_then(|keyed| keyed.close_on.as_ref())
    }

    /// All its patterns: those that it steps on, and those that close, reset and guard.
    pub fn all_patterns(&self) -> impl Iterator<Item = &Pattern> {
        self.patterns().iter().chain(self.close_on()).chain(&self.reset_on).chain(&self.guards)
    }

    /// What is said by tool: its key, and what its register reads.
    pub fn routes(&self) -> impl Iterator<Item = &Subject> {
        let operands: &[(Subject, Expr)] = match &self.kind {
            Kind::Register { operand: Some(Operand::ByTool(routes)), .. } => routes,
            _ => &[],
        };
        let keys = self.per.iter().flat_map(|keyed| &keyed.routes).map(|route| &route.subject);
        keys.chain(operands.iter().map(|(subject, _)| subject))
    }
}

impl Phases {
    /// Whether it names a moment of a result.
    #[must_use]
    pub fn result(self) -> bool {
        self.ok || self.failed || self.unknown
    }

    /// The outcomes that it names, as the runtime reads them.
    #[must_use]
    pub fn outcomes(self) -> u8 {
        let bits = [(self.ok, Reading::OK), (self.failed, Reading::FAILED), (self.unknown, Reading::UNKNOWN)];
        bits.into_iter().filter(|(named, _)| *named).fold(0, |all, (_, bit)| all | bit)
    }
}

impl Names {
    /// Whether it may match a call of the tool, on some server.
    #[must_use]
    pub fn may_match(&self, tool: Tool<'_>) -> bool {
        match tool {
            Tool::Named(name) => self.tool.matches(name),
            Tool::Other => !self.tool.is_literal(),
        }
    }

    /// Whether it matches a call of the tool on the server.
    #[must_use]
    pub fn matches(&self, tool: &str, server: Option<&str>) -> bool {
        self.tool.matches(tool)
            && self.server.as_ref().is_none_or(|glob| server.is_some_and(|server| glob.matches(server)))
    }
}

impl Alternative {
    /// Whether it may match a call or result of the tool.
    #[must_use]
    pub fn may_match(&self, tool: Tool<'_>) -> bool {
        match &self.subject {
            Subject::Tools(names) => names.may_match(tool),
            Subject::Effect(_) => true,
            Subject::Event(_) => false,
        }
    }
}

fn any(pattern: &Pattern, tool: Tool<'_>, phase: impl Fn(Phases) -> bool) -> bool {
    pattern.alternatives.iter().any(|alternative| phase(alternative.phases) && alternative.may_match(tool))
}

/// What a tool concerns.
#[must_use]
pub fn plan(contract: &Contract, tool: Tool<'_>) -> Plan {
    let call = |pattern: &Pattern| any(pattern, tool, |phases| phases.call);
    let result = |pattern: &Pattern| any(pattern, tool, Phases::result);
    let concern = |(index, rule): (usize, &Rule)| Concern {
        rule: index,
        call: rule.patterns().iter().any(call),
        result: rule.patterns().iter().any(result),
        close_call: rule.close_on().is_some_and(call),
        close_result: rule.close_on().is_some_and(result),
        reset_call: rule.reset_on.as_ref().is_some_and(call),
        reset_result: rule.reset_on.as_ref().is_some_and(result),
        guard: rule.guards.as_ref().is_some_and(call),
    };
    let concerned = |concern: &Concern| concern.at_call() || concern.at_result();
    Plan {
        rules: contract.rules.iter().enumerate().map(concern).filter(concerned).collect(),
        commits: (0..contract.commits.len())
            .filter(|index| contract.commits.get(*index).is_some_and(|commit| result(&commit.after)))
            .collect(),
    }
}

/// Every tool name that the contract spells out, ascending.
#[must_use]
pub fn named_tools(contract: &Contract) -> BTreeSet<&str> {
    let rules = contract.rules.iter().flat_map(Rule::all_patterns);
    let patterns = rules.chain(contract.commits.iter().map(|commit| &commit.after));
    let subjects = patterns.flat_map(|pattern| &pattern.alternatives).map(|alternative| &alternative.subject);
    let subjects = subjects.chain(contract.rules.iter().flat_map(Rule::routes));
    let names = subjects.filter_map(|subject| match subject {
        Subject::Tools(names) => Some(names),
        Subject::Effect(_) | Subject::Event(_) => None,
    });
    let names = names.chain(contract.tools.iter().map(|tool| &tool.names));
    let literal = |names: &'_ Names| names.tool.is_literal();
    names.filter(|names| literal(names)).map(|names| names.tool.as_str()).collect()
}

/// Every name of a host event that the contract speaks of, ascending; globs included.
#[must_use]
pub fn events(contract: &Contract) -> BTreeSet<&Glob> {
    let rules = contract.rules.iter().flat_map(Rule::all_patterns);
    let patterns = rules.chain(contract.commits.iter().map(|commit| &commit.after));
    let subjects = patterns.flat_map(|pattern| &pattern.alternatives).map(|alternative| &alternative.subject);
    subjects
        .filter_map(|subject| match subject {
            Subject::Event(glob) => Some(glob),
            Subject::Tools(_) | Subject::Effect(_) => None,
        })
        .collect()
}

/// The declaration of a tool on any server: an exact name beats a glob; among globs the first in the file wins.
#[must_use]
pub fn declarations<'c>(contract: &'c Contract, tool: Tool<'_>) -> Vec<&'c crate::mir::Tool> {
    let may = contract.tools.iter().filter(|declared| declared.names.may_match(tool));
    let (exact, globs): (Vec<_>, Vec<_>) = may.partition(|declared| declared.names.tool.is_literal());
    exact.into_iter().chain(globs).collect()
}
