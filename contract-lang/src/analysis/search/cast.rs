//! Who takes part in the sessions that are looked for: one tool for each name and for each glob, one event for each name; and the
//! part of the contract that they concern.

use std::collections::BTreeSet;

use super::aim::names;
use crate::diagnostic::Goal;
use crate::dispatch;
use crate::mir::{Alternative, Contract, Expr, Glob, Kind, Names, Pattern, Root, Rule, Subject};

/// A tool, perhaps of a server.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Actor {
    pub(super) server: Option<String>,
    pub(super) tool: String,
}

/// Tools and events, and what of the contract they concern.
#[derive(Debug)]
pub(super) struct Cast {
    /// The contract with only the rules and commits that matter.
    pub(super) contract: Contract,
    pub(super) tools: Vec<Actor>,
    pub(super) events: Vec<String>,
    /// The tools that the goal speaks of, by number: those before the others.
    pub(super) leading: Vec<usize>,
    /// The commits of the goal, by their numbers here.
    pub(super) committed: Vec<usize>,
}

/// Most tools and events.
const MOST: usize = 48;

/// A name that a glob matches.
fn example(glob: &Glob, any: &str) -> String {
    if glob.as_str().bytes().all(|byte| byte == b'*') {
        return any.to_owned();
    }
    glob.as_str().chars().map(|letter| if matches!(letter, '*' | '?') { 'x' } else { letter }).collect()
}

impl Actor {
    fn new(names: &Names) -> Self {
        Self {
            server: names.server.as_ref().map(|server| example(server, "server")),
            tool: example(&names.tool, "other_tool"),
        }
    }

    fn is_named(&self, names: &Names) -> bool {
        names.matches(&self.tool, self.server.as_deref())
    }

    /// Whether an alternative may match its calls or results.
    pub(super) fn may_match(&self, alternative: &Alternative) -> bool {
        match &alternative.subject {
            Subject::Tools(names) => self.is_named(names),
            Subject::Effect(_) => true,
            Subject::Event(_) => false,
        }
    }

    fn is_subject(&self, subject: &Subject) -> bool {
        match subject {
            Subject::Tools(names) => self.is_named(names),
            Subject::Effect(_) => true,
            Subject::Event(_) => false,
        }
    }
}

/// Whether a subject is that of a tool.
pub(super) fn is_subject(actor: &Actor, subject: &Subject) -> bool {
    actor.is_subject(subject)
}

fn subjects(contract: &Contract) -> impl Iterator<Item = &Subject> {
    let patterns = contract.rules.iter().flat_map(Rule::all_patterns);
    let patterns = patterns.chain(contract.commits.iter().map(|commit| &commit.after));
    patterns
        .flat_map(|pattern| &pattern.alternatives)
        .map(|alternative| &alternative.subject)
        .chain(contract.rules.iter().flat_map(Rule::routes))
}

fn tools(subject: &Subject) -> Option<&Names> {
    match subject {
        Subject::Tools(names) => Some(names),
        Subject::Effect(_) | Subject::Event(_) => None,
    }
}

/// One tool for each name that the contract writes, and for each glob that matches none of these.
fn actors(contract: &Contract, goal: &Goal) -> Vec<Actor> {
    let wanted: Vec<Names> = goal.tool.iter().chain(&goal.in_flight).map(|name| names(name)).collect();
    let mut written: Vec<&Names> = wanted.iter().collect();
    if subjects(contract).nth(MOST).is_some() {
        // Not all of so many will have room: those of the goal do.
        let rules: Vec<&str> = goal.rules().collect();
        let rules = contract.rules.iter().filter(|rule| rules.contains(&rule.id.as_str()));
        let alternatives = rules.flat_map(Rule::all_patterns).flat_map(|pattern| &pattern.alternatives);
        written.extend(alternatives.filter_map(|alternative| tools(&alternative.subject)));
    }
    written.extend(subjects(contract).filter_map(tools));
    let declared = contract.tools.iter().map(|tool| &tool.names);
    let literal = |names: &&Names| names.tool.is_literal();
    let mut actors: Vec<Actor> = Vec::new();
    let mut add = |actor: Actor| {
        if !actors.contains(&actor) && actors.len() < MOST {
            actors.push(actor);
        }
    };
    written.iter().copied().chain(declared.clone()).filter(literal).for_each(|names| add(Actor::new(names)));
    let catalog = |names: &Names| contract.catalog.iter().find(|name| names.matches(name, None)).cloned();
    let globs = written.into_iter().chain(declared).filter(|names| !literal(names));
    for names in globs {
        let known = catalog(names).map(|tool| Actor { server: None, tool });
        let fresh = known.unwrap_or_else(|| Actor::new(names));
        let wanted = !actors.iter().any(|actor| actor.is_named(names)) || names.tool.as_str() == "*";
        if wanted && !actors.contains(&fresh) && actors.len() < MOST {
            actors.push(fresh);
        }
    }
    if actors.is_empty() {
        actors.push(Actor { server: None, tool: "other_tool".to_owned() });
    }
    actors
}

/// What matters for a goal, so far.
struct Closure<'c> {
    contract: &'c Contract,
    actors: Vec<Actor>,
    events: Vec<&'c Glob>,
    rules: BTreeSet<usize>,
    commits: BTreeSet<usize>,
    tools: BTreeSet<usize>,
    heard: BTreeSet<usize>,
    cells: BTreeSet<usize>,
}

impl<'c> Closure<'c> {
    /// The tools and events of a pattern. One that matches every tool is met by those that are there.
    fn pattern(&mut self, pattern: &Pattern, all: bool) {
        for alternative in &pattern.alternatives {
            let everyone = match &alternative.subject {
                Subject::Tools(names) => names.tool.as_str() == "*",
                Subject::Effect(_) => true,
                Subject::Event(glob) => {
                    let heard = self.events.iter().enumerate().filter(|(_, event)| ***event == *glob);
                    self.heard.extend(heard.map(|(index, _)| index));
                    continue;
                }
            };
            if !everyone || all || self.tools.is_empty() {
                let met = self.actors.iter().enumerate().filter(|(_, actor)| actor.may_match(alternative));
                self.tools.extend(met.map(|(index, _)| index));
            }
        }
    }

    fn expr(&mut self, expr: &Expr) {
        expr.visit(&mut |expr| {
            if let Expr::Path(path) | Expr::Has(path) = expr
                && let Root::State(cell) = path.root
            {
                self.cells.insert(cell);
            }
        });
    }

    fn rule(&mut self, index: usize, all: bool) {
        let Some(rule) = self.contract.rules.get(index) else { return };
        self.rules.insert(index);
        rule.all_patterns().for_each(|pattern| self.pattern(pattern, all));
        rule.expressions().into_iter().for_each(|expr| self.expr(expr));
    }

    fn commit(&mut self, index: usize) {
        let Some(commit) = self.contract.commits.get(index) else { return };
        self.commits.insert(index);
        self.pattern(&commit.after, true);
        let conditions = commit.after.alternatives.iter().filter_map(|each| each.condition.as_ref());
        let changed = commit.changes.iter().flat_map(|change| change.expressions());
        conditions.chain(&commit.when).chain(changed).for_each(|expr| self.expr(expr));
    }

    fn size(&self) -> usize {
        let sizes = [&self.rules, &self.commits, &self.tools, &self.heard, &self.cells].map(BTreeSet::len);
        sizes.iter().fold(0, |all, size| all.saturating_add(*size))
    }

    /// Whether a rule takes part in what becomes of a tool's calls and results.
    fn concerns(&self, rule: &Rule) -> bool {
        let speaks = |pattern: &Pattern, moment: fn(&Alternative) -> bool| {
            pattern.alternatives.iter().filter(|each| moment(each)).any(|each| {
                self.tools.iter().filter_map(|tool| self.actors.get(*tool)).any(|actor| actor.may_match(each))
            })
        };
        let reviews = matches!(rule.kind, Kind::Ensure { .. } | Kind::Redact { .. });
        rule.patterns().iter().chain(&rule.guards).any(|pattern| speaks(pattern, |each| each.phases.call))
            || (reviews && rule.patterns().iter().any(|pattern| speaks(pattern, |each| each.phases.result())))
    }

    fn grow(&mut self) {
        loop {
            let before = self.size();
            for (index, rule) in self.contract.rules.iter().enumerate() {
                if !self.rules.contains(&index) && self.concerns(rule) {
                    self.rule(index, false);
                }
            }
            for (index, commit) in self.contract.commits.iter().enumerate() {
                let writes = commit.changes.iter().any(|change| self.cells.contains(&change.cell));
                if writes && !self.commits.contains(&index) {
                    self.commit(index);
                }
            }
            for tool in &self.contract.tools {
                let cases = tool.effect.iter().filter_map(|case| case.when.as_ref());
                cases.chain(&tool.succeeds_when).for_each(|expr| self.expr(expr));
            }
            if self.size() == before {
                return;
            }
        }
    }
}

impl Cast {
    /// The cast for a goal.
    pub(super) fn new(contract: &Contract, goal: &Goal) -> Self {
        let events: Vec<&Glob> = dispatch::events(contract).into_iter().take(MOST).collect();
        let mut closure = Closure {
            contract,
            actors: actors(contract, goal),
            events,
            rules: BTreeSet::new(),
            commits: BTreeSet::new(),
            tools: BTreeSet::new(),
            heard: BTreeSet::new(),
            cells: BTreeSet::new(),
        };
        let wanted: Vec<Names> = goal.tool.iter().chain(&goal.in_flight).map(|name| names(name)).collect();
        for names in &wanted {
            let meant = closure.actors.iter().enumerate().filter(|(_, actor)| actor.is_named(names));
            let meant: Vec<usize> = meant.map(|(index, _)| index).collect();
            closure.tools.extend(meant);
        }
        let named: Vec<&str> = goal.rules().collect();
        let rules = contract.rules.iter().enumerate().filter(|(_, rule)| named.contains(&rule.id.as_str()));
        for (index, _) in rules {
            // Where the goal names a tool, that one will do for patterns that match every tool.
            closure.rule(index, wanted.is_empty());
        }
        goal.committed.iter().for_each(|commit| closure.commit(*commit));
        if closure.tools.is_empty() && closure.heard.is_empty() {
            closure.tools.extend(0..closure.actors.len());
            closure.heard.extend(0..closure.events.len());
        }
        let leading = closure.tools.clone();
        closure.grow();
        closure.finish(&leading, &goal.committed)
    }
}

impl Closure<'_> {
    fn finish(self, leading: &BTreeSet<usize>, committed: &[usize]) -> Cast {
        let Self { contract, actors, events, rules, commits, tools, heard, .. } = self;
        let sliced = Contract {
            name: contract.name.clone(),
            type_name: contract.type_name.clone(),
            mode: contract.mode,
            default: contract.default,
            undeclared: contract.undeclared,
            on_error: contract.on_error,
            catalog: contract.catalog.clone(),
            context: contract.context.clone(),
            cells: contract.cells.clone(),
            tools: contract.tools.clone(),
            commits: commits.iter().filter_map(|index| contract.commits.get(*index).cloned()).collect(),
            rules: rules.iter().filter_map(|index| contract.rules.get(*index).cloned()).collect(),
            source: String::new(),
        };
        let order: Vec<usize> = leading.iter().chain(tools.difference(leading)).copied().collect();
        Cast {
            contract: sliced,
            tools: order.iter().filter_map(|tool| actors.get(*tool).cloned()).collect(),
            events: heard.iter().filter_map(|event| Some(example(events.get(*event)?, "tick"))).collect(),
            leading: (0..leading.len()).collect(),
            committed: committed.iter().filter_map(|commit| commits.iter().position(|index| index == commit)).collect(),
        }
    }
}
