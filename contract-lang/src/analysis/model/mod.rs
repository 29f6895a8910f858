//! An abstract model of a contract, or of two at once: what can happen in any session, and perhaps more.
//!
//! Claims about *every* session come from here: that nothing violates a rule, that a tool is dead. The model has at least every session
//! that the contract has, so what it cannot reach cannot be reached. (That two versions are equal is found by their normal forms.)
//!
//! An event is abstracted to a [class](Class): what each rule sees of it. A class is made for each combination of truth values that the
//! predicates of the rules can have ([theory]). A [space](Space) is the product of some rules, explored breadth-first over
//! the events that may be admitted: automata and small counters exactly, times and sums loosely; of keyed rules the instances of one key,
//! whichever it is. State cells that commits change may have any value at any event.
//!
//! INVARIANT: whatever an approximation leaves out, it only adds sessions. Rules beyond a space's [focus](Focus) stop nothing there and
//! may say anything. Where a bound is reached the answer is [`Bounded::Capped`].
//!
//! Bounds are counters, so that the same contract gives the same answer everywhere.

mod component;
mod follow;
mod memory;
mod moves;
mod naming;
mod scene;
mod sets;
mod space;
mod subject;
pub mod theory;
mod touch;

use std::cell::{Cell, OnceCell};
use std::collections::BTreeSet;

use contract_runtime::Mode;

pub use self::follow::{Entry, Follower};
pub use self::scene::{Class, Ending, Moment};
pub use self::sets::{Decisions, Verdicts};
pub use self::space::{Edge, Space};
pub use self::subject::{Name, Subject};

use self::component::Components;
use self::naming::Naming;
use self::scene::Occasion;
use crate::mir::{Contract, Rule};

/// An answer, unless a bound was reached.
#[derive(Clone, Debug)]
pub enum Bounded<T> {
    /// Everything was looked at.
    Exhausted(T),
    /// A bound was reached: nothing is known.
    Capped,
}

impl<T> Bounded<T> {
    /// The answer, if there is one.
    #[must_use]
    pub fn exhausted(self) -> Option<T> {
        match self {
            Self::Exhausted(answer) => Some(answer),
            Self::Capped => None,
        }
    }
}

/// A rule of the model: of one contract, or the same in both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModelRule {
    /// Its index in the only or old contract, and in the new one.
    pub sides: [Option<usize>; 2],
}

/// What a space follows: these rules, over the events of these tools and host events.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Focus {
    /// Rules of the model, ascending.
    pub rules: Vec<usize>,
    /// Subjects of the model, ascending.
    pub subjects: Vec<usize>,
}

/// The abstract model of a contract, or of two.
#[derive(Debug)]
pub struct Model<'c> {
    contracts: Vec<&'c Contract>,
    naming: Naming,
    rules: Vec<ModelRule>,
    subjects: Vec<Subject>,
    /// The rules that each subject concerns, ascending.
    touching: Vec<Vec<usize>>,
    /// Whether the globs of the contracts were too many to tell.
    lost: bool,
    components: Components,
    explored: OnceCell<space::Explored>,
    /// How much work is left.
    budget: Cell<u64>,
}

/// Most edges that are looked at for one contract.
const BUDGET: u64 = 500_000;

impl<'c> Model<'c> {
    /// The model of a contract. Its rules have the numbers that they have there.
    #[must_use]
    pub fn of(contract: &'c Contract) -> Self {
        let rules = (0..contract.rules.len()).map(|index| ModelRule { sides: [Some(index), None] });
        Self::new(vec![contract], Naming::default(), rules.collect())
    }

    /// The model of two contracts that take the same sessions as long as both admit the same calls. `shared` are the rules that
    /// say the same in both, as far as the tools that they concern are declared alike.
    #[must_use]
    pub fn pair(old: &'c Contract, new: &'c Contract, shared: &[(usize, usize)]) -> Self {
        let apart: Vec<ModelRule> = (0..old.rules.len())
            .map(|index| ModelRule { sides: [Some(index), None] })
            .chain((0..new.rules.len()).map(|index| ModelRule { sides: [None, Some(index)] }))
            .collect();
        let naming = Naming::new(old, new);
        let model = Self::new(vec![old, new], naming.clone(), apart);
        let is_alike = |index: &usize| {
            let subject = model.subjects.get(*index);
            subject.is_some_and(|subject| model.declaration(old, subject) == model.declaration(new, subject))
        };
        let same = |rule: usize| model.touches(rule).iter().all(is_alike);
        let shared: Vec<(usize, usize)> = shared.iter().copied().filter(|(rule, _)| same(*rule)).collect();
        let of_old = (0..old.rules.len()).map(|index| {
            let other = shared.iter().find(|(rule, _)| *rule == index).map(|(_, other)| *other);
            ModelRule { sides: [Some(index), other] }
        });
        let of_new = (0..new.rules.len()).filter(|index| !shared.iter().any(|(_, other)| other == index));
        let rules = of_old.chain(of_new.map(|index| ModelRule { sides: [None, Some(index)] }));
        Self::new(vec![old, new], naming, rules.collect())
    }

    fn new(contracts: Vec<&'c Contract>, naming: Naming, rules: Vec<ModelRule>) -> Self {
        let subjects = subject::subjects(&contracts);
        let lost = subjects.is_none();
        let mut model = Self {
            contracts,
            naming,
            rules,
            subjects: subjects.unwrap_or_default(),
            touching: Vec::new(),
            lost,
            components: Components::default(),
            explored: OnceCell::new(),
            budget: Cell::new(BUDGET),
        };
        model.touching = model.concerns();
        model.components = Components::of(&model);
        model
    }

    /// The rules, in the order of the old or only contract, then those that only the new one has.
    #[must_use]
    pub fn rules(&self) -> &[ModelRule] {
        &self.rules
    }

    /// A rule.
    #[must_use]
    pub fn rule(&self, index: usize) -> Option<&'c Rule> {
        let [old, new] = self.rules.get(index)?.sides;
        match old {
            Some(rule) => self.contracts.first()?.rules.get(rule),
            None => self.contracts.get(1)?.rules.get(new?),
        }
    }

    /// The contract in which a rule is looked up.
    fn side(&self, index: usize) -> usize {
        self.rules.get(index).map_or(0, |rule| usize::from(rule.sides[0].is_none()))
    }

    /// Whether a rule's decisions are carried out.
    #[must_use]
    pub fn enforces(&self, index: usize) -> bool {
        self.rule(index).is_some_and(|rule| rule.mode == Mode::Enforce)
    }

    /// Whether a contract has a rule.
    fn is_of(&self, index: usize, side: usize) -> bool {
        self.rules.get(index).and_then(|rule| rule.sides.get(side)).is_some_and(Option::is_some)
    }

    /// The subjects that a rule's patterns may speak of, ascending.
    #[must_use]
    pub fn touches(&self, rule: usize) -> Vec<usize> {
        let touching = self.touching.iter().enumerate();
        touching.filter(|(_, rules)| rules.binary_search(&rule).is_ok()).map(|(subject, _)| subject).collect()
    }

    /// The rules that may have to do with a subject, ascending.
    #[must_use]
    pub fn touching(&self, subject: usize) -> &[usize] {
        self.touching.get(subject).map(Vec::as_slice).unwrap_or_default()
    }

    /// The rules of one contract that an occasion may concern.
    fn concerned<'m>(&'m self, contract: &'m Contract, side: usize, occasion: Occasion<'_>) -> Vec<&'m Rule> {
        let subject = self.subjects.binary_search(occasion.subject).ok();
        let rules = subject.map(|subject| self.touching(subject)).unwrap_or_default().iter();
        let own = rules.filter_map(|index| *self.rules.get(*index)?.sides.get(side)?);
        own.filter_map(|index| contract.rules.get(index)).collect()
    }

    /// The components: rules that have no event in common are in different ones. Rules about very many tools are alone.
    #[must_use]
    pub fn components(&self) -> &[Focus] {
        &self.components.all
    }

    /// The component of a rule.
    #[must_use]
    pub fn focus(&self, rule: usize) -> Focus {
        let own = self.components.all.iter().find(|focus| focus.rules.binary_search(&rule).is_ok());
        own.cloned().unwrap_or_else(|| self.narrow(&[rule]))
    }

    /// The component of a tool or host event.
    #[must_use]
    pub fn focus_on(&self, subject: usize) -> Option<&Focus> {
        self.components.all.iter().find(|focus| focus.subjects.binary_search(&subject).is_ok())
    }

    /// Just these rules, over the events that may concern them.
    #[must_use]
    pub fn narrow(&self, rules: &[usize]) -> Focus {
        let rules: BTreeSet<usize> = rules.iter().copied().collect();
        let concerned = |(_, touching): &(usize, &Vec<usize>)| touching.iter().any(|rule| rules.contains(rule));
        let subjects = self.touching.iter().enumerate().filter(concerned).map(|(subject, _)| subject).collect();
        Focus { rules: rules.into_iter().collect(), subjects }
    }

    /// Takes work from the budget; `false` if it does not suffice.
    fn spend(&self, work: u64) -> bool {
        let left = self.budget.get().checked_sub(work);
        self.budget.set(left.unwrap_or(0));
        left.is_some()
    }
}

#[cfg(test)]
mod tests;
