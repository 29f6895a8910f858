//! What the analyses of one contract share.

use std::cell::RefCell;
use std::collections::BTreeMap;

use super::model::Model;
use crate::ast;
use crate::mir::{Contract, Rule};
use crate::resolve::Lowered;
use crate::source::Span;

/// A contract that is analysed.
pub(super) struct Context<'a> {
    pub(super) written: &'a ast::Contract,
    pub(super) lowered: &'a Lowered<'a>,
    pub(super) model: Model<'a>,
    /// What was not decided, and where.
    undecided: RefCell<BTreeMap<&'static str, Vec<Span>>>,
}

impl<'a> Context<'a> {
    pub(super) fn new(written: &'a ast::Contract, lowered: &'a Lowered<'a>) -> Self {
        let model = Model::of(&lowered.contract);
        Self { written, lowered, model, undecided: RefCell::default() }
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

    /// Says that a bound was reached before a question was answered.
    pub(super) fn gave_up(&self, place: Option<Span>, question: &'static str) {
        self.undecided.borrow_mut().entry(question).or_default().extend(place);
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
