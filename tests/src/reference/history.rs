//! What the events of a session were to one rule, and what they make of one key.
//!
//! Nothing is kept but the events: how a key stands is read off all of them each time.

use std::collections::{BTreeMap, BTreeSet};

use contract_lang::mir::{Counting, Kind, Pattern, Rule};
use contract_runtime::Verdict;

use super::event::Status;
use super::formula::{Formula, Letter, Words, empty};
use super::number::Number;
use super::value::{Kleene, Value};

/// A key: its components. That of a rule without a key is empty.
pub type Key = Vec<Value>;

/// What an event was to a rule.
#[derive(Clone, Debug)]
pub struct Seen {
    /// Its key; `None` if it cannot be read, so that it may have hit any instance.
    pub key: Option<Key>,
    /// If there was no room for the key's instance: the keys that were live. Any other may have been hit.
    pub no_room: Option<BTreeSet<Key>>,
    /// What it may have been.
    pub step: Step,
    /// Whether registers count it.
    pub counted: bool,
    /// The call that it announces.
    pub call: Option<String>,
    /// When.
    pub at: i128,
    /// Whether it closed the instance of its key.
    pub closes: Kleene,
}

/// What an event may have been to a rule: one of these letters; and what it adds to a sum.
#[derive(Clone, Debug)]
pub struct Step {
    /// The possible letters; 0 is no step.
    pub letters: BTreeSet<Letter>,
    /// The amount, if it is one that can be summed.
    pub amount: Option<Number>,
}

impl Step {
    /// Whether the event may concern the rule.
    pub fn concerns(&self) -> bool {
        self.letters.iter().any(|letter| *letter != 0)
    }

    fn is_certain(&self) -> bool {
        !self.letters.contains(&0)
    }

    fn or_not(&self) -> BTreeSet<Letter> {
        self.letters.iter().copied().chain([0]).collect()
    }
}

/// How a key stands. Equal standings are equal states.
#[derive(Clone, Debug)]
pub enum Standing {
    /// Of an automaton rule: the words that its events may have made.
    Words(Formula, Words),
    /// Of a count or sum: at least, at most.
    Between(Number, Number),
    /// Of a rate: which occurrences are in the window, and whether they are certain.
    Times(Vec<(i128, bool)>),
}

impl PartialEq for Standing {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Words(formula, these), Self::Words(_, those)) => formula.same(these, those),
            (Self::Between(least, most), Self::Between(other_least, other_most)) => {
                (least, most) == (other_least, other_most)
            }
            (Self::Times(these), Self::Times(those)) => these == those,
            _ => false,
        }
    }
}

/// An occurrence that counts.
#[derive(Clone)]
struct Occurrence {
    certain: bool,
    at: i128,
    amount: Number,
    call: Option<String>,
}

/// The events of a session as one rule sees them.
#[derive(Clone, Copy, Debug)]
pub struct History<'a> {
    /// The rule.
    pub rule: &'a Rule,
    /// Its events, in order.
    pub seen: &'a [Seen],
    /// How calls ended, those that did.
    pub outcomes: &'a BTreeMap<String, Status>,
    /// Nanoseconds since 1970.
    pub now: i128,
}

/// The patterns by which a rule steps.
pub fn patterns(rule: &Rule) -> Vec<&Pattern> {
    match &rule.kind {
        Kind::Automaton { patterns, .. } => patterns.iter().collect(),
        Kind::Count { pattern, .. } | Kind::Total { pattern, .. } | Kind::Rate { pattern, .. } => vec![pattern],
        Kind::Permit { .. } | Kind::Require { .. } => Vec::new(),
    }
}

impl History<'_> {
    fn formula(&self) -> Option<Formula> {
        match &self.rule.kind {
            Kind::Automaton { template, patterns, machine } => {
                Some(Formula { template, patterns: patterns.len(), letters: machine.letters.clone() })
            }
            _ => None,
        }
    }

    /// The words of a key; `None`: of a key never seen.
    fn words(&self, formula: &Formula, key: Option<&Key>) -> Words {
        let (mut base, mut mine) = (empty(), empty());
        for seen in self.seen {
            let own = key.is_some() && seen.key.as_ref() == key;
            let perhaps = seen.step.or_not();
            mine = match (&seen.key, &seen.no_room) {
                (None, _) => formula.after(&mine, &perhaps),
                (Some(_), Some(live)) if key.is_none_or(|key| !live.contains(key)) => formula.after(&mine, &perhaps),
                (Some(_), None) if own => formula.after(&mine, &seen.step.letters),
                _ => mine,
            };
            if seen.key.is_none() || seen.no_room.is_some() {
                base = formula.after(&base, &perhaps);
            }
            match seen.closes {
                Kleene::Yes if own => mine = base.clone(),
                Kleene::Yes | Kleene::Perhaps if own || seen.key.is_none() => mine.extend(base.iter().cloned()),
                _ => {}
            }
        }
        mine
    }

    /// The occurrences that count for a key; `None`: for a key never seen.
    fn occurrences(&self, key: Option<&Key>) -> Vec<Occurrence> {
        let returned = match &self.rule.kind {
            Kind::Count { counting, .. } | Kind::Total { counting, .. } | Kind::Rate { counting, .. } => {
                *counting == Counting::Succeeded
            }
            _ => false,
        };
        let (mut base, mut occurrences): (Vec<Occurrence>, Vec<Occurrence>) = (Vec::new(), Vec::new());
        for seen in self.seen {
            let own = key.is_some() && seen.key.as_ref() == key;
            let anyones = seen.key.is_none()
                || seen.no_room.as_ref().is_some_and(|live| key.is_none_or(|key| !live.contains(key)));
            let amount = match &self.rule.kind {
                Kind::Total { .. } => seen.step.amount.clone(),
                _ => Some(Number::whole(1)),
            };
            let amount = amount.filter(|_| seen.step.concerns() && seen.counted);
            if let Some(amount) = amount.clone().filter(|_| seen.key.is_none() || seen.no_room.is_some()) {
                base.push(Occurrence { certain: false, at: seen.at, amount, call: None });
            }
            if let Some(amount) = amount.filter(|_| own || anyones) {
                let own = own && !anyones;
                let call = seen.call.clone().filter(|_| returned && own);
                occurrences.push(Occurrence { certain: own && seen.step.is_certain(), at: seen.at, amount, call });
            }
            match seen.closes {
                Kleene::Yes if own => occurrences = base.clone(),
                Kleene::Yes | Kleene::Perhaps if own || seen.key.is_none() => {
                    occurrences.iter_mut().for_each(|occurrence| occurrence.certain = false);
                }
                _ => {}
            }
        }
        let outcome =
            |occurrence: &Occurrence| occurrence.call.as_ref().and_then(|call| self.outcomes.get(call)).copied();
        occurrences.retain(|occurrence| outcome(occurrence) != Some(Status::Failed));
        for occurrence in &mut occurrences {
            occurrence.certain &= outcome(occurrence) != Some(Status::Unknown);
        }
        if let Kind::Rate { window, .. } = &self.rule.kind {
            occurrences.retain(|occurrence| self.now - occurrence.at <= window.as_nanos());
        }
        occurrences
    }

    /// At least and at most how much counts for a key.
    fn between(&self, key: Option<&Key>) -> (Number, Number) {
        let mut between = (Number::zero(), Number::zero());
        for occurrence in self.occurrences(key) {
            if occurrence.certain {
                between.0 = between.0.plus(&occurrence.amount).unwrap_or(between.0);
            }
            between.1 = between.1.plus(&occurrence.amount).unwrap_or(between.1);
        }
        between
    }

    /// How a key stands; `None`: a key never seen.
    pub fn standing(&self, key: Option<&Key>) -> Standing {
        match (self.formula(), &self.rule.kind) {
            (Some(formula), _) => {
                let words = self.words(&formula, key);
                Standing::Words(formula, words)
            }
            (None, Kind::Rate { .. }) => {
                Standing::Times(self.occurrences(key).iter().map(|one| (one.at, one.certain)).collect())
            }
            _ => {
                let (least, most) = self.between(key);
                Standing::Between(least, most)
            }
        }
    }

    /// The keys that need an instance: those that stand otherwise than a key never seen.
    pub fn live(&self) -> BTreeSet<Key> {
        let base = self.standing(None);
        let keys: BTreeSet<&Key> = self.seen.iter().filter_map(|seen| seen.key.as_ref()).collect();
        keys.into_iter().filter(|key| self.standing(Some(key)) != base).cloned().collect()
    }

    /// All that can be told apart: the live keys, and `None` for one never seen. A rule without a key is one instance.
    fn instances(&self) -> Vec<Option<Key>> {
        match self.rule.per {
            Some(_) => self.live().into_iter().map(Some).chain([None]).collect(),
            None => vec![Some(Key::new())],
        }
    }

    /// The verdict that a step of a key would give; `None`: of a key never seen.
    pub fn look_ahead(&self, key: Option<&Key>, step: &Step) -> Verdict {
        if let Some(formula) = self.formula() {
            return formula.look_ahead(&self.words(&formula, key), &step.letters);
        }
        let limit = match &self.rule.kind {
            Kind::Count { limit, .. } => Some(Number::whole(*limit)),
            Kind::Rate { limit, .. } => Some(Number::whole(u64::from(*limit))),
            Kind::Total { limit, .. } => Number::parse(&limit.to_string()),
            _ => None,
        };
        let amount = match &self.rule.kind {
            Kind::Total { .. } => step.amount.clone(),
            _ => Some(Number::whole(1)),
        };
        let (least, most) = self.between(key);
        let exceeds = |so_far: Number| match (&amount, &limit) {
            (Some(amount), Some(limit)) => so_far.plus(amount).is_none_or(|sum| sum > *limit),
            _ => true,
        };
        match (step.concerns(), step.is_certain(), exceeds(least), exceeds(most)) {
            (true, true, true, _) => Verdict::Violated,
            (true, _, _, true) => Verdict::Unestablished,
            _ => Verdict::Open,
        }
    }

    /// The worst that a step of which nobody knows the key may have been: never certain.
    pub fn look_anywhere(&self, step: &Step) -> Verdict {
        let instances = self.instances();
        instances
            .iter()
            .map(|key| self.look_ahead(key.as_ref(), step))
            .max()
            .unwrap_or(Verdict::Satisfied)
            .min(Verdict::Unestablished)
    }

    /// The verdict at rest: the worst of all keys, and of a key never seen.
    pub fn verdict(&self) -> Verdict {
        let Some(formula) = self.formula() else { return Verdict::Open };
        let instances = self.instances();
        let each = instances.iter().map(|key| formula.verdict(&self.words(&formula, key.as_ref())));
        each.max().unwrap_or(Verdict::Satisfied)
    }

    /// The keys with a pending obligation; the empty key speaks for a rule without a key and for keys never seen.
    pub fn pending(&self) -> Vec<Key> {
        let Some(formula) = self.formula() else { return Vec::new() };
        let pending = |key: &Option<Key>| formula.verdict(&self.words(&formula, key.as_ref())) == Verdict::Pending;
        self.instances().into_iter().filter(pending).map(Option::unwrap_or_default).collect()
    }
}
