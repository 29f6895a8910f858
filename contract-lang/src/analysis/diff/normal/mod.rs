//! The normal form of a contract: a set of texts, each for a part that does something. Contracts with equal sets decide alike.
//!
//! INVARIANT: equal texts mean the same whatever happens. What two texts that differ mean is left open: they may still be the same.
//!
//! Left out is what no decision depends on: ids, titles, messages, severities and tags; rules on trial; cells that nothing reads,
//! with their commits; the order of what cannot meet in one event. Where the order of two parts matters, that one comes before the
//! other is a part of its own.

mod events;
mod expression;
mod form;
mod keys;
mod machine;
mod rule;

use std::collections::{BTreeMap, BTreeSet};

use self::events::{Events, Selected};
use self::expression::Words;
use self::form::Form;
use self::rule::{Said, Shared, Together};
use crate::automaton::overlap;
use crate::mir::{Change, Commit, Contract, Expr, Glob, Names, Pattern, Root, Rule, Subject, Tool, Verb};
use contract_runtime::Effect;

/// Of more than so many parts that may meet, all are taken to meet the next.
const MOST_PAIRED: usize = 64;

/// Where a part was written.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Origin {
    /// A field of the contract itself.
    Setting(&'static str),
    /// A tool, as it is declared.
    Tool(String),
    /// A state cell.
    Cell(String),
    /// A commit that writes a cell.
    Commit(String),
    /// A rule, by index.
    Rule(usize),
}

/// The parts of a contract.
#[derive(Clone, Debug, Default)]
pub(super) struct Normal {
    parts: BTreeMap<String, BTreeSet<Origin>>,
    /// What each rule says by itself, by its index.
    rules: BTreeMap<usize, String>,
}

impl Normal {
    /// Of a contract.
    pub(super) fn of(contract: &Contract) -> Self {
        let mut normal = Self::default();
        normal.settings(contract);
        normal.tools(contract);
        normal.rules(contract);
        normal.state(contract);
        normal
    }

    /// Whether another contract has the same parts.
    pub(super) fn same(&self, other: &Self) -> bool {
        self.parts.keys().eq(other.parts.keys())
    }

    /// Where the parts were written that another contract does not have. A rule that the other has as well is not named where only
    /// what it says together with others has changed.
    pub(super) fn without(&self, other: &Self) -> BTreeSet<Origin> {
        let known: BTreeSet<&String> = other.rules.values().collect();
        let missing = self.parts.iter().filter(|(part, _)| !other.parts.contains_key(*part));
        let origins = missing.flat_map(|(_, origins)| origins);
        let kept = |origin: &&Origin| match origin {
            Origin::Rule(rule) => self.rules.get(rule).is_none_or(|says| !known.contains(says)),
            _ => true,
        };
        origins.filter(kept).cloned().collect()
    }

    fn add(&mut self, part: String, origin: Origin) {
        self.parts.entry(part).or_default().insert(origin);
    }

    fn settings(&mut self, contract: &Contract) {
        let Contract { mode, default, undeclared, on_error, context, .. } = contract;
        let mut catalog: Vec<&String> = contract.catalog.iter().filter(|_| undeclared.is_some()).collect();
        catalog.sort();
        catalog.dedup();
        let mut context: Vec<String> = context.iter().map(|(name, ty)| format!("{name} {ty:?}")).collect();
        context.sort();
        for (name, value) in [
            ("mode", format!("{mode:?}")),
            ("default", format!("{default:?}")),
            ("undeclared", format!("{undeclared:?}")),
            ("catalog", format!("{catalog:?}")),
            ("on_error", format!("{on_error:?}")),
            ("context", format!("{context:?}")),
        ] {
            self.add(format!("{name} {value}"), Origin::Setting(name));
        }
    }

    fn tools(&mut self, contract: &Contract) {
        let words = Words(contract);
        let (exact, globs): (Vec<_>, Vec<_>) = contract.tools.iter().partition(|tool| tool.names.tool.is_literal());
        for tools in [exact, globs] {
            let parts: Vec<_> = tools
                .iter()
                .map(|tool| (declared(words, tool), &tool.names, Origin::Tool(spelled(&tool.names))))
                .collect();
            self.ordered("tool", &parts, |one, other| overlap(one, other));
        }
    }

    fn rules(&mut self, contract: &Contract) {
        let words = Words(contract);
        let mut shared = Shared::new();
        let mut ordered: BTreeMap<&str, Vec<(String, &Pattern, Origin)>> = BTreeMap::new();
        for (index, rule) in contract.rules.iter().enumerate().filter(|(_, rule)| !contract.on_trial(rule)) {
            let said = rule::said(words, rule);
            self.rules.insert(index, said.text());
            match said {
                Said::Alone(part) => self.add(part, Origin::Rule(index)),
                Said::Shared(parts) => {
                    for (together, part) in parts {
                        let (parts, rules) = shared.entry(together).or_default();
                        parts.push(part);
                        rules.push(index);
                    }
                }
                Said::Ordered(what, part) => {
                    let pattern = rule.patterns().first();
                    ordered.entry(what).or_default().extend(pattern.map(|of| (part, of, Origin::Rule(index))));
                }
            }
        }
        for (together, (parts, rules)) in shared {
            // A precondition that always holds still speaks of the call.
            let part = Together::join(&together, parts);
            rules.into_iter().for_each(|rule| self.add(part.clone(), Origin::Rule(rule)));
        }
        for (what, parts) in ordered {
            self.ordered(what, &parts, |one, other| may_meet(one, other));
        }
    }

    fn state(&mut self, contract: &Contract) {
        let words = Words(contract);
        let read = read_cells(contract);
        for (index, cell) in contract.cells.iter().enumerate().filter(|(index, _)| read.contains(index)) {
            self.add(format!("{cell:?}"), Origin::Cell(cell.name.clone()));
            let mut parts = Vec::new();
            for commit in &contract.commits {
                for change in commit.changes.iter().filter(|change| change.cell == index) {
                    let verb = verb(words, change);
                    let origin = || Origin::Commit(cell.name.clone());
                    for (when, subjects) in occasions(words, commit) {
                        parts.push((format!("{:?} {when} {verb}", cell.name), subjects, origin()));
                    }
                }
            }
            self.ordered("commit", &parts, |one: &Vec<Subject>, other| {
                one.iter().any(|one| other.iter().any(|other| !disjoint(one, other)))
            });
        }
    }

    /// Adds parts, and the order of those that meet. One that comes again is another: its place among the others counts, too.
    fn ordered<M>(&mut self, what: &str, parts: &[(String, M, Origin)], meet: impl Fn(&M, &M) -> bool) {
        let mut times: BTreeMap<&str, usize> = BTreeMap::new();
        let mut numbered = Vec::with_capacity(parts.len());
        for (part, of, origin) in parts {
            let time = times.entry(part).or_default();
            *time = time.saturating_add(1);
            let part = if *time == 1 { part.clone() } else { format!("{part} (time {time})") };
            numbered.push((part, of, origin));
        }
        let many = numbered.len() > MOST_PAIRED;
        for (at, (part, of, origin)) in numbered.iter().enumerate() {
            self.add(format!("{what} {part}"), (*origin).clone());
            let later = numbered.iter().skip(at.saturating_add(1)).take(if many { 1 } else { numbered.len() });
            for (then, _, after) in later.filter(|(_, other, _)| many || meet(of, other)) {
                let order = format!("{what} {part} before {then}");
                self.add(order.clone(), (*origin).clone());
                self.add(order, (*after).clone());
            }
        }
    }
}

/// A declared tool: its names, its effect by argument, and what a success is.
fn declared(words: Words<'_>, tool: &Tool) -> String {
    let mut cases: Vec<(Effect, Form)> = Vec::new();
    let written = tool
        .effect
        .iter()
        .map(|case| (case.is, case.when.as_ref().map_or(Form::Constant(true), |when| words.predicate(when))));
    for (effect, when) in written.chain([(Effect::Irreversible, Form::Constant(true))]) {
        match cases.last_mut() {
            Some((_, Form::Constant(true))) => break,
            Some((last, condition)) if *last == effect => *condition = Form::any([condition.clone(), when]),
            _ => cases.push((effect, when)),
        }
    }
    let cases: Vec<String> = cases.iter().map(|(effect, when)| format!("{effect:?} if {}", when.key())).collect();
    let succeeds = tool.succeeds_when.as_ref().map(|predicate| words.predicate(predicate).key());
    format!("{} {cases:?} {succeeds:?}", spelled(&tool.names))
}

fn spelled(names: &Names) -> String {
    let server = names.server.as_ref().map(|server| format!("{}::", server.as_str())).unwrap_or_default();
    format!("{server}{}", names.tool.as_str())
}

fn verb(words: Words<'_>, change: &Change) -> String {
    let value = |expr: &Expr| words.value(expr);
    match &change.verb {
        Verb::Set(expr) => format!("set {}", value(expr)),
        Verb::Bind(expr) => format!("bind {}", value(expr)),
        Verb::Insert(expr) => format!("insert {}", value(expr)),
        Verb::InsertAt(at, expr) => format!("insert at {} {}", value(at), value(expr)),
        Verb::Remove(expr) => format!("remove {}", value(expr)),
        Verb::RemoveAt(at, expr) => format!("remove at {} {}", value(at), value(expr)),
        Verb::Put { at, value: expr } => format!("put at {} {}", value(at), value(expr)),
        Verb::Clear => "clear".to_owned(),
    }
}

/// When a commit changes something: one text for each subject, where its subjects exclude each other.
fn occasions(words: Words<'_>, commit: &Commit) -> Vec<(String, Vec<Subject>)> {
    let subjects = |events: &Events| events.0.iter().map(|one| one.subject.clone()).collect::<Vec<_>>();
    let reads = commit.when.as_ref().is_some_and(Expr::reads_result);
    let joins = |condition: &Option<Expr>| condition.as_ref().is_none_or(|condition| condition.reads_result() == reads);
    let alternatives = &commit.after.alternatives;
    if !alternatives.iter().all(|alternative| commit.when.is_none() || joins(&alternative.condition)) {
        let events = Events::of(words, &commit.after, None);
        let when = commit.when.as_ref().map(|when| words.predicate(when).key());
        return vec![(format!("{} when {when:?} {reads}", events.key()), subjects(&events))];
    }
    let events = Events::of(words, &commit.after, commit.when.as_ref());
    let mut by_subject: Vec<(Subject, Vec<Selected>)> = Vec::new();
    for one in events.0.iter().cloned() {
        match by_subject.iter_mut().find(|(subject, _)| *subject == one.subject) {
            Some((_, all)) => all.push(one),
            None => by_subject.push((one.subject.clone(), vec![one])),
        }
    }
    let apart = by_subject.len() <= MOST_PAIRED
        && by_subject
            .iter()
            .enumerate()
            .all(|(at, (one, _))| by_subject.iter().skip(at.saturating_add(1)).all(|(other, _)| disjoint(one, other)));
    if !apart {
        return vec![(events.key(), subjects(&events))];
    }
    by_subject.into_iter().map(|(subject, all)| (Events(all).key(), vec![subject])).collect()
}

/// Whether no event is of both subjects.
fn disjoint(one: &Subject, other: &Subject) -> bool {
    let named = |glob: &Glob| Names { server: None, tool: glob.clone() };
    match (one, other) {
        (Subject::Tools(one), Subject::Tools(other)) => !overlap(one, other),
        (Subject::Event(one), Subject::Event(other)) => !overlap(&named(one), &named(other)),
        (Subject::Effect(one), Subject::Effect(other)) => one != other,
        (Subject::Event(_), _) | (_, Subject::Event(_)) => true,
        (Subject::Effect(_), Subject::Tools(_)) | (Subject::Tools(_), Subject::Effect(_)) => false,
    }
}

fn may_meet(one: &Pattern, other: &Pattern) -> bool {
    let subjects = |pattern: &Pattern| {
        pattern.alternatives.iter().map(|alternative| alternative.subject.clone()).collect::<Vec<_>>()
    };
    let others = subjects(other);
    subjects(one).iter().any(|one| others.iter().any(|other| !disjoint(one, other)))
}

/// The cells on which decisions depend.
pub(super) fn read_cells(contract: &Contract) -> BTreeSet<usize> {
    let tools = contract
        .tools
        .iter()
        .flat_map(|tool| tool.effect.iter().filter_map(|case| case.when.as_ref()).chain(&tool.succeeds_when));
    let rules = contract.rules.iter().filter(|rule| !contract.on_trial(rule)).flat_map(|rule| rule.expressions());
    let mut read: BTreeSet<usize> = tools.chain(rules).flat_map(cells_of).collect();
    loop {
        let before = read.len();
        for commit in &contract.commits {
            let changes: Vec<&Change> = commit.changes.iter().filter(|change| read.contains(&change.cell)).collect();
            if changes.is_empty() {
                continue;
            }
            let conditions = commit.after.alternatives.iter().filter_map(|one| one.condition.as_ref());
            let all = conditions.chain(&commit.when).chain(changes.iter().flat_map(|change| change.expressions()));
            read.extend(all.flat_map(cells_of).collect::<Vec<_>>());
        }
        if read.len() == before {
            return read;
        }
    }
}

fn cells_of(expr: &Expr) -> Vec<usize> {
    let mut found = Vec::new();
    expr.visit(&mut |expr| {
        if let Expr::Path(path) | Expr::Has(path) = expr
            && let Root::State(cell) = path.root
        {
            found.push(cell);
        }
    });
    found
}

/// Whether a rule reads the cell of this name.
pub(super) fn reads_cell(contract: &Contract, rule: &Rule, name: &str) -> bool {
    let is = |cell: usize| contract.cells.get(cell).is_some_and(|cell| cell.name == name);
    rule.expressions().into_iter().flat_map(cells_of).any(is)
}

#[cfg(test)]
mod tests {
    use crate::analysis::diff::proved_equal;
    use crate::{Options, check};

    fn equal(old: &str, new: &str) -> bool {
        let head = "version: 1\nname: a\ntools: { pay: { effect: irreversible }, look: { effect: read } }\n";
        let contract = |text: &str| {
            let checked = check("a.yaml", format!("{head}{text}").as_bytes(), &Options::default());
            checked.contract.unwrap_or_else(|| panic!("{:?}", checked.diagnostics))
        };
        proved_equal(&contract(old), &contract(new))
    }

    #[test]
    fn the_last_of_changes_that_come_again_counts() {
        let sets = |fields: [&str; 3]| {
            let commits = fields.map(|field| format!("  - {{ after: ok(look), set: {{ x: result.{field} }} }}\n"));
            let rule = "rules: [{ id: r, call: pay, require: state.x == 1 }]\n";
            format!("state: {{ x: {{ type: int }} }}\ncommit:\n{}{rule}", commits.concat())
        };
        assert!(equal(&sets(["a", "b", "a"]), &sets(["a", "b", "a"])));
        assert!(!equal(&sets(["a", "b", "a"]), &sets(["b", "a", "b"])));
        assert!(!equal(&sets(["a", "b", "a"]), &sets(["a", "a", "b"])));
    }

    #[test]
    fn what_is_enforced_in_a_contract_on_trial_counts() {
        let rule =
            |mode: &str| format!("mode: shadow\nrules: [{{ id: r, forbid: pay where args.x == 1, mode: {mode} }}]\n");
        assert!(!equal(&rule("enforce"), &rule("shadow")));
        assert!(equal(&rule("shadow"), &rule("shadow")));
        assert!(equal(&rule("enforce"), &rule("enforce")));
    }
}
