//! Two versions whose normal forms differ: sessions that show what the parts do that have changed.

use std::collections::{BTreeMap, BTreeSet};

use contract_runtime::Decision;

use super::cross::cross;
use super::normal::{Origin, reads_cell};
use super::seen::{self, Direction, What};
use super::union::union;
use super::walk::Walk;
use super::{Answer, Change, Diff, Edit, Limits, Part, reading};
use crate::analysis::search::{self, Breadth, Move};
use crate::automaton::overlap;
use crate::diagnostic::Goal;
use crate::interpret::Interpreted;
use crate::mir::{Contract, Glob, Names, Rule, Subject};
use crate::trace::{Line, RecordedCall};

/// Most lines that are tried in all; one of a large contract counts as several.
const MOST_IN_ALL: usize = 300_000;

/// What it costs to make the events for one part that has changed, in lines.
const EVENTS: usize = 100;

/// How many rules, cells and commits there are.
fn size(contract: &Contract) -> usize {
    contract.rules.len().saturating_add(contract.cells.len()).saturating_add(contract.commits.len())
}

/// A tool that no contract is likely to know.
const UNKNOWN: &str = "other_tool";

/// Two versions, and what was found so far.
pub(super) struct Comparison {
    old: Interpreted,
    new: Interpreted,
    /// What has changed.
    changed: Vec<Changed>,
    found: Vec<Change>,
}

/// A part that has changed.
struct Changed {
    /// What it is called.
    name: String,
    /// The rule, if it is one: its number in each version.
    rule: [Option<usize>; 2],
    /// The cell, if it is one or writes one.
    cell: Option<String>,
    /// The tool.
    tool: Option<String>,
    /// The field of the contract itself.
    setting: Option<&'static str>,
}

impl Comparison {
    pub(super) fn new(old: Contract, new: Contract, (gone, came): (BTreeSet<Origin>, BTreeSet<Origin>)) -> Self {
        let mut changed: Vec<Changed> = Vec::new();
        let mut places: BTreeMap<String, usize> = BTreeMap::new();
        for (side, (contract, origins)) in [(&old, gone), (&new, came)].into_iter().enumerate() {
            for origin in origins {
                let new = Changed::of(contract, origin, side);
                match places.get(&new.name).and_then(|place| changed.get_mut(*place)) {
                    Some(known) => known.rule = [known.rule[0].or(new.rule[0]), known.rule[1].or(new.rule[1])],
                    None => {
                        places.insert(new.name.clone(), changed.len());
                        changed.push(new);
                    }
                }
            }
        }
        Self { old: Interpreted::new(old), new: Interpreted::new(new), changed, found: Vec::new() }
    }

    /// Looks for sessions that show what the changed parts do.
    pub(super) fn look(mut self, limits: &Limits, edits: Vec<Edit>) -> Diff {
        let (both, numbers) = union(self.old.contract(), self.new.contract());
        let rules: BTreeSet<String> =
            self.changed.iter().flat_map(|one| one.rules(self.old.contract(), self.new.contract())).collect();
        let targets: Vec<(String, Goal)> =
            self.changed.iter().map(|one| (one.name.clone(), one.goal(&both, &numbers))).collect();
        let mut fuel = MOST_IN_ALL;
        for (name, goal) in targets {
            if self.enough(&name, limits) {
                continue;
            }
            // To find out what matters and to make the events costs, too.
            fuel = fuel.saturating_sub(size(&both).max(EVENTS));
            if fuel == 0 {
                break;
            }
            let (old, new) = self.slices(&search::concerned(&both, &goal), &both, &numbers);
            // A line costs what is read and written of all rules and cells.
            let price = size(old.contract()).max(size(new.contract())).div_ceil(32).max(1);
            let odd = calls(&both, &goal);
            for breadth in Breadth::ALL {
                let mut alphabet = search::alphabet(&both, &goal, breadth);
                cross(&mut alphabet);
                let meant = meant(&both, &goal, &alphabet.moves);
                let steps = limits.steps.min(fuel).checked_div(price).unwrap_or(0);
                let walk = Walk { old: &old, new: &new, alphabet: &alphabet, meant, odd: &odd, rules: &rules, steps };
                let (_, tried) = walk.run(&mut |lines| {
                    self.take(lines);
                    self.enough(&name, limits)
                });
                fuel = fuel.saturating_sub(tried.saturating_mul(price));
                if self.enough(&name, limits) {
                    break;
                }
            }
        }
        let answer = if self.found.is_empty() { Answer::Inconclusive } else { Answer::Different };
        self.finish(edits, answer)
    }

    /// Both versions with only those rules that matter, by their ids in the union. What is found in these is played in the whole ones.
    fn slices(&self, matter: &BTreeSet<String>, both: &Contract, numbers: &[usize]) -> (Interpreted, Interpreted) {
        let slice = |contract: &Contract, number: &dyn Fn(usize) -> Option<usize>| {
            let mut sliced = contract.clone();
            let kept = |place: usize| both.rules.get(number(place)?).filter(|rule| matter.contains(&rule.id));
            sliced.rules = contract
                .rules
                .iter()
                .enumerate()
                .filter(|(place, _)| kept(*place).is_some())
                .map(|(_, r)| r.clone())
                .collect();
            Interpreted::new(sliced)
        };
        let new = slice(self.new.contract(), &|place| numbers.get(place).copied());
        (slice(self.old.contract(), &Some), new)
    }

    /// Whether no more has to be looked for: what it comes to is known, in both directions.
    fn enough(&self, name: &str, limits: &Limits) -> bool {
        let shown = |direction| {
            let mut all = self.found.iter().filter(|change| change.concerns.iter().any(|concerned| concerned == name));
            all.any(|change| change.direction == direction)
        };
        self.found.len() >= limits.changes || shown(Direction::Loosened)
    }

    /// What is known of a part that has changed.
    fn part(&self, changed: &Changed) -> Part {
        let (old, new) = (self.old.contract(), self.new.contract());
        let reads = match changed.setting {
            Some(name) => reading::of_setting(name, old, new),
            None if changed.rule != [None; 2] => reading::of_rule(old, new, changed.rule),
            None => None,
        };
        let concerns = |change: &&Change| change.concerns.contains(&changed.name);
        let mut shown: Vec<_> = self.found.iter().filter(concerns).map(|change| change.direction).collect();
        shown.sort_unstable();
        shown.dedup();
        Part { name: changed.name.clone(), reads, shown }
    }

    /// Takes a session whose last line the versions treat differently, if it shows something new.
    fn take(&mut self, lines: Vec<Line>) {
        let Some(change) = self.change(lines) else { return };
        let same = |known: &Change| {
            (known.what, known.direction, &known.concerns) == (change.what, change.direction, &change.concerns)
        };
        if self.found.iter().any(same) {
            return;
        }
        let shorter = self.shortened(change);
        self.found.push(shorter);
    }

    /// What a session shows, played anew.
    fn change(&self, session: Vec<Line>) -> Option<Change> {
        let (old, new) = (seen::play(&self.old, &session)?, seen::play(&self.new, &session)?);
        let seen: Vec<_> = old.into_iter().zip(new).collect();
        let (old, new) = seen.last()?;
        let (what, direction) = old.differs(new)?;
        let rules = match direction {
            Direction::Loosened => old.rules.clone(),
            Direction::Tightened => new.rules.clone(),
            Direction::Altered => old.rules.iter().chain(&new.rules).cloned().collect(),
        };
        Some(Change { what, direction, concerns: self.concerned(&rules), session, seen })
    }

    /// What has changed that a difference may come from, where these rules speak.
    fn concerned(&self, rules: &[String]) -> Vec<String> {
        let speaks = |one: &&Changed| rules.iter().any(|rule| one.name == named_rule(rule));
        let is_rule = |one: &&Changed| one.rule.iter().any(Option::is_some);
        let named = |some: Vec<&Changed>| some.into_iter().map(|one| one.name.clone()).collect::<Vec<_>>();
        let speaking: Vec<&Changed> = self.changed.iter().filter(speaks).collect();
        if !speaking.is_empty() {
            return named(speaking);
        }
        let others: Vec<&Changed> = self.changed.iter().filter(|one| !is_rule(one)).collect();
        if others.is_empty() { named(self.changed.iter().collect()) } else { named(others) }
    }

    /// The same difference without what it does not need.
    fn shortened(&self, change: Change) -> Change {
        let same = |lines: &[Line]| {
            self.change(lines.to_vec()).is_some_and(|other| {
                (other.what, other.direction, &other.concerns) == (change.what, change.direction, &change.concerns)
            })
        };
        let shorter = search::shrink(change.session.clone(), &same);
        self.change(shorter).unwrap_or(change)
    }

    pub(super) fn finish(self, edits: Vec<Edit>, answer: Answer) -> Diff {
        let parts = match answer {
            Answer::Equal => Vec::new(),
            _ => self.changed.iter().map(|one| self.part(one)).collect(),
        };
        let (mut newly_allowed, mut newly_blocked, mut other) = (Vec::new(), Vec::new(), Vec::new());
        for change in self.found {
            let last = change.seen.last();
            let stops = |decision: Option<Decision>| decision >= Some(Decision::Ask);
            let (old, new) = last.map_or((false, false), |(old, new)| (stops(old.decision), stops(new.decision)));
            match (change.what, change.direction) {
                (What::Decision, Direction::Loosened) if old => newly_allowed.push(change),
                (What::Decision, Direction::Tightened) if new => newly_blocked.push(change),
                _ => other.push(change),
            }
        }
        [&mut newly_allowed, &mut newly_blocked, &mut other]
            .into_iter()
            .for_each(|changes| changes.sort_by_key(|change| change.session.len()));
        Diff { edits, newly_allowed, newly_blocked, other, answer, parts }
    }
}

/// Odd calls that the rules of a goal speak of.
fn calls(both: &Contract, goal: &Goal) -> Vec<RecordedCall> {
    let moves = search::alphabet(both, goal, Breadth::Near).moves;
    let meant = meant(both, goal, &moves);
    let call = |(number, next)| match next {
        Move::Call(call, _) if meant.contains(&number) => Some(call),
        _ => None,
    };
    (0..).zip(moves).filter_map(call).collect()
}

/// The moves that the rules of a goal speak of; all, if it names none.
fn meant(both: &Contract, goal: &Goal, moves: &[Move]) -> BTreeSet<usize> {
    let named: Vec<&str> = goal.rules().collect();
    let rules = both.rules.iter().filter(|rule| named.contains(&rule.id.as_str()));
    let subjects: Vec<&Subject> = rules
        .flat_map(|rule| rule.all_patterns())
        .flat_map(|pattern| pattern.alternatives.iter().map(|alternative| &alternative.subject))
        .collect();
    let speaks = |next: &Move| match next {
        Move::Call(call, _) => subjects.iter().any(|subject| match subject {
            Subject::Tools(names) => names.matches(&call.tool, call.server.as_deref()),
            Subject::Effect(_) => true,
            Subject::Event(_) => false,
        }),
        Move::Event(..) | Move::Wait(_) => true,
    };
    let moves = (0..).zip(moves);
    moves.filter(|(_, next)| named.is_empty() || speaks(next)).map(|(number, _)| number).collect()
}

/// The names that a text means, `server::tool` or `tool`, with globs.
fn names_of(text: &str) -> Names {
    let (server, tool) = text.split_once("::").map_or((None, text), |(server, tool)| (Some(server), tool));
    Names { server: server.map(Glob::new), tool: Glob::new(tool) }
}

/// Whether a rule looks at results of a tool, or at its effect.
fn hears(rule: &Rule, tool: &str) -> bool {
    let mut alternatives = rule.all_patterns().flat_map(|pattern| &pattern.alternatives);
    alternatives.any(|alternative| match &alternative.subject {
        Subject::Tools(names) => alternative.phases.result() && overlap(names, &names_of(tool)),
        Subject::Effect(_) => true,
        Subject::Event(_) => false,
    })
}

fn named_rule(id: &str) -> String {
    format!("rule `{id}`")
}

impl Changed {
    fn of(contract: &Contract, origin: Origin, side: usize) -> Self {
        let mut changed = Self { name: String::new(), rule: [None; 2], cell: None, tool: None, setting: None };
        changed.name = match origin {
            Origin::Rule(index) => {
                changed.rule = [(side == 0).then_some(index), (side == 1).then_some(index)];
                named_rule(contract.rules.get(index).map_or("", |rule| &rule.id))
            }
            Origin::Setting(name) => {
                changed.setting = Some(name);
                format!("`{name}`")
            }
            Origin::Tool(tool) => {
                changed.tool = Some(tool.clone());
                format!("tool `{tool}`")
            }
            Origin::Cell(cell) => {
                changed.cell = Some(cell.clone());
                format!("state `{cell}`")
            }
            Origin::Commit(cell) => {
                changed.cell = Some(cell.clone());
                format!("commit to `{cell}`")
            }
        };
        changed
    }

    /// The ids of the rule.
    fn rules(&self, old: &Contract, new: &Contract) -> Vec<String> {
        let [one, other] = self.rule;
        let id = |of: &Contract, rule: Option<usize>| Some(of.rules.get(rule?)?.id.clone());
        id(old, one).into_iter().chain(id(new, other)).collect()
    }

    /// What sessions should be about, in the union of both versions.
    fn goal(&self, both: &Contract, numbers: &[usize]) -> Goal {
        let mut goal = Goal::call();
        let [old, new] = self.rule;
        let new = new.and_then(|new| numbers.get(new)).copied();
        for rule in old.into_iter().chain(new.filter(|new| Some(*new) != old)) {
            goal = both.rules.get(rule).map_or(goal.clone(), |rule| goal.spoken_of(&rule.id));
        }
        if let Some(tool) = &self.tool {
            goal = goal.tool(tool);
            for rule in both.rules.iter().filter(|rule| hears(rule, tool)) {
                goal = goal.spoken_of(&rule.id);
            }
        }
        if let Some("default" | "undeclared") = self.setting {
            goal = goal.tool(UNKNOWN);
        }
        if let Some(cell) = &self.cell {
            for rule in both.rules.iter().filter(|rule| reads_cell(both, rule, cell)) {
                goal = goal.spoken_of(&rule.id);
            }
        }
        goal
    }
}
