//! What tests reach of a contract: rules, the states and steps of their automata, both outcomes of each predicate, commits.

use std::collections::BTreeSet;

use contract_runtime::{Colour, Verdict};

use crate::interpret::{Interpreted, Touched, Watch};
use crate::mir::{Contract, Expr, Kind, Machine, Pattern, Rule, Subject};

/// Something that tests may reach.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Goal {
    /// The rule, tool or commit that it is part of.
    pub of: String,
    /// Its kind.
    pub what: What,
    /// What it is, in words.
    pub text: String,
    /// How often it was reached.
    pub times: u64,
}

/// A kind of goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum What {
    /// A rule has something to say of an event.
    Rule,
    /// A rule stops a call, or would.
    Violation,
    /// A state of an automaton.
    State,
    /// A step of an automaton from one state to another.
    Transition,
    /// A predicate is true, or false.
    Predicate,
    /// A commit is carried out.
    Commit,
}

impl What {
    /// All, in the order in which they are shown.
    pub const ALL: [Self; 6] =
        [Self::Rule, Self::Violation, Self::State, Self::Transition, Self::Predicate, Self::Commit];

    /// Its name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Rule => "rule",
            Self::Violation => "violation",
            Self::State => "state",
            Self::Transition => "transition",
            Self::Predicate => "predicate",
            Self::Commit => "commit",
        }
    }
}

/// What was reached of a contract, and what was not. The contract is the one that was watched.
#[must_use]
pub fn goals(contract: &Interpreted, watch: &Watch) -> Vec<Goal> {
    let contract = contract.contract();
    let mut collector = Collector { watch, goals: Vec::new() };
    for tool in &contract.tools {
        let name = format!("tool `{}`", tool.names.tool.as_str());
        for when in tool.effect.iter().filter_map(|case| case.when.as_ref()) {
            collector.predicate(&name, "the condition of an effect", when);
        }
        tool.succeeds_when.iter().for_each(|predicate| collector.predicate(&name, "`succeeds_when`", predicate));
    }
    collector.commits(contract);
    for (index, rule) in contract.rules.iter().enumerate() {
        collector.rule(rule, &watch.touched(index));
    }
    collector.goals
}

struct Collector<'w> {
    watch: &'w Watch,
    goals: Vec<Goal>,
}

impl Collector<'_> {
    fn add(&mut self, of: &str, what: What, text: impl Into<String>, times: u64) {
        self.goals.push(Goal { of: of.to_owned(), what, text: text.into(), times });
    }

    fn predicate(&mut self, of: &str, text: &str, predicate: &Expr) {
        let [yes, no, _] = self.watch.outcomes(predicate);
        self.add(of, What::Predicate, format!("{text} is true"), yes);
        self.add(of, What::Predicate, format!("{text} is false"), no);
    }

    fn pattern(&mut self, of: &str, pattern: &Pattern) {
        for alternative in &pattern.alternatives {
            let Some(condition) = &alternative.condition else { continue };
            let text = match (&alternative.subject, &pattern.alternatives[..]) {
                (Subject::Tools(names), [_, _, ..]) => {
                    format!("the condition of `{}` for `{}`", pattern.spelled, names.tool.as_str())
                }
                _ => format!("the condition of `{}`", pattern.spelled),
            };
            self.predicate(of, &text, condition);
        }
    }

    fn commits(&mut self, contract: &Contract) {
        for (index, commit) in contract.commits.iter().enumerate() {
            let of = format!("commit after `{}`", commit.after.spelled);
            self.add(&of, What::Commit, "is carried out", self.watch.committed(index));
            self.pattern(&of, &commit.after);
            commit.when.iter().for_each(|when| self.predicate(&of, "`when`", when));
        }
    }

    fn rule(&mut self, rule: &Rule, touched: &Touched) {
        let of = format!("rule `{}`", rule.id);
        self.add(&of, What::Rule, "has something to say of an event", touched.times);
        if !matches!(rule.kind, Kind::Permit { .. } | Kind::Rewrite { .. } | Kind::Redact { .. }) {
            if let Kind::Automaton { machine, .. } = &rule.kind {
                self.machine(&of, machine, touched);
            } else {
                self.add(&of, What::Violation, "is violated by an event", touched.violated);
            }
        }
        rule.all_patterns().for_each(|pattern| self.pattern(&of, pattern));
        if let Kind::Require { clauses, .. } | Kind::Ensure { clauses, .. } = &rule.kind {
            for clause in clauses {
                self.predicate(&of, &format!("`{}`", clause.text), &clause.predicate);
            }
        }
    }

    fn machine(&mut self, of: &str, machine: &Machine, touched: &Touched) {
        let edges = edges(machine);
        let into = |state: u8| touched.steps.iter().filter(move |((_, to), _)| *to == state).map(|(_, times)| *times);
        let states: BTreeSet<u8> = edges.iter().map(|(_, to)| *to).filter(|to| *to != machine.initial).collect();
        for state in states {
            let colour = machine.colours.get(usize::from(state)).copied().unwrap_or(Colour::Open);
            let text = format!("state {state}, {}, is reached", Verdict::from(colour).as_str());
            self.add(of, What::State, text, into(state).fold(0, u64::saturating_add));
        }
        for edge @ (from, to) in edges {
            let times = touched.steps.get(&edge).copied().unwrap_or_default();
            self.add(of, What::Transition, format!("the step from state {from} to state {to}"), times);
        }
    }
}

/// The steps of an automaton from one state to another, of those that can be reached and go on.
fn edges(machine: &Machine) -> BTreeSet<(u8, u8)> {
    let mut edges = BTreeSet::new();
    let mut reached = BTreeSet::from([machine.initial]);
    let mut waiting = vec![machine.initial];
    while let Some(from) = waiting.pop() {
        for letter in &machine.letters {
            let at = (usize::from(from) << machine.width) | usize::from(*letter);
            let Some(to) = machine.delta.get(at).copied().filter(|to| *to != from) else { continue };
            edges.insert((from, to));
            // A call that violates the rule does not run.
            let ends = machine.colours.get(usize::from(to)) == Some(&Colour::Violated);
            if !ends && reached.insert(to) {
                waiting.push(to);
            }
        }
    }
    edges
}
