//! What the analyses of one contract share.

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;

use super::model::Model;
use super::search::Search;
use crate::ast;
use crate::diagnostic::{Certainty, Diagnostic, Goal};
use crate::mir::{Contract, Rule};
use crate::resolve::Lowered;
use crate::source::Span;

/// A contract that is analysed.
pub(super) struct Context<'a> {
    pub(super) written: &'a ast::Contract,
    pub(super) lowered: &'a Lowered<'a>,
    pub(super) model: Model<'a>,
    search: OnceCell<Search>,
    /// What was not decided, and where.
    undecided: RefCell<BTreeMap<&'static str, Vec<Span>>>,
}

impl<'a> Context<'a> {
    pub(super) fn new(written: &'a ast::Contract, lowered: &'a Lowered<'a>) -> Self {
        let model = Model::of(&lowered.contract);
        Self { written, lowered, model, search: OnceCell::new(), undecided: RefCell::default() }
    }

    pub(super) fn contract(&self) -> &'a Contract {
        &self.lowered.contract
    }

    /// The rules, as they are checked and as they are written.
    pub(super) fn rules(&self) -> impl Iterator<Item = (&'a Rule, &'a ast::Rule)> + use<'a> {
        self.lowered.contract.rules.iter().zip(self.lowered.rules.iter().copied())
    }

    pub(super) fn rule(&self, rule: usize) -> Option<&'a Rule> {
        self.contract().rules.get(rule)
    }

    /// Where a rule says what kind it is.
    pub(super) fn place(&self, rule: usize) -> Option<Span> {
        self.lowered.rules.get(rule).map(|rule| rule.kind_span)
    }

    /// Whether it is a tool of which no call can run.
    pub(super) fn is_dead(&self, subject: usize) -> bool {
        let is_tool = self.model.subjects().get(subject).is_some_and(|subject| subject.tool().is_some());
        is_tool && !self.model.live().contains(&subject)
    }

    /// The ids of some rules, in words.
    pub(super) fn ids(&self, rules: &[usize]) -> String {
        let ids = rules.iter().filter_map(|rule| self.rule(*rule)).map(|rule| format!("`{}`", rule.id));
        listed(&ids.collect::<Vec<_>>())
    }

    /// Concrete sessions of the contract.
    pub(super) fn search(&self) -> &Search {
        self.search.get_or_init(|| Search::new(self.contract()))
    }

    /// A finding with a session that shows it. If it is not proved already, that session proves it: where what it speaks of never
    /// happens it would say nothing.
    pub(super) fn shown(&self, diagnostic: Diagnostic, goal: Goal, proved: bool) -> Diagnostic {
        let witness = self.search().find(&goal).witness();
        let certainty = if proved || witness.is_some() { Certainty::Proved } else { Certainty::Possible };
        let diagnostic = diagnostic.goal(goal).certainty(certainty);
        match witness {
            Some(witness) => diagnostic.witness(witness),
            None => diagnostic,
        }
    }

    /// Says that a bound was reached before a question was answered.
    pub(super) fn gave_up(&self, place: Option<Span>, question: &'static str) {
        let mut undecided = self.undecided.borrow_mut();
        let places = undecided.entry(question).or_default();
        places.extend(place.filter(|place| !places.contains(place)));
    }

    /// The questions that were not answered, with the places that they are about.
    pub(super) fn undecided(self) -> BTreeMap<&'static str, Vec<Span>> {
        self.undecided.into_inner()
    }
}

/// Some words, with `and` before the last.
pub(super) fn listed(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [one] => one.clone(),
        [before @ .., last] => format!("{} and {last}", before.join(", ")),
    }
}
