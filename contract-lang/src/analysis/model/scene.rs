//! Classes of events: what each rule sees of one, and what the contract's defaults make of it.
//!
//! Two events of which every rule sees the same are one class. A class is made for each combination of what the rules can see
//! together, as the [theory](super::theory) of their predicates tells.

use std::collections::BTreeSet;

use contract_runtime::private::{Requirement, effect_of};
use contract_runtime::{Decision, Effect, Mode, Truth};

use super::memory::{Happening, Holds};
use super::sets::Verdicts;
use super::subject::Subject;
use super::theory::{Formula, Known, Readable, Row, Sample, Theory, Unit};
use super::touch::Touch;
use super::{Focus, Model};
use crate::mir::{Contract, Kind, Pattern, Phases, Rule, Subject as Spoken};

/// How a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Ending {
    /// It succeeded.
    Ok,
    /// It failed.
    Failed,
    /// Nobody knows, or the result is withheld.
    Unknown,
}

/// When.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Moment {
    /// A call is made.
    Call,
    /// A call has ended.
    Result(Ending),
    /// The host says something.
    Event,
}

/// A class of events.
#[derive(Clone, Debug)]
pub struct Class {
    /// Index of the tool or host event.
    pub subject: usize,
    /// When.
    pub moment: Moment,
    /// The effect of the call, in each contract.
    pub effects: [Effect; 2],
    /// Whether the result is withheld.
    pub withheld: bool,
    /// Values that an event of the class may have, as far as any are known.
    pub sample: Sample,
    /// What each rule of the focus sees.
    pub(super) sights: Vec<Sight>,
    /// What the defaults of each contract decide.
    pub(super) base: [Decision; 2],
    /// The rules beyond the focus that take part in the decision.
    pub(super) others: Vec<usize>,
}

/// What a rule sees of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Sight {
    /// Nothing that concerns it.
    Nothing,
    /// It says this, whatever happened before.
    Says(Verdicts),
    /// It steps.
    Steps(Steps),
}

/// A step of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Steps {
    pub(super) happening: Happening,
    pub(super) guard: Holds,
    pub(super) close: Holds,
    pub(super) reset: Holds,
    pub(super) touch: Touch,
    /// Whether the result of the call may need an instance.
    pub(super) reserves: bool,
    /// Whether a call that was counted did not succeed.
    pub(super) returned: Holds,
}

/// What a unit comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Outcome {
    Sight(Sight),
    Base(Decision),
    Nothing,
}

impl Outcome {
    /// Either of two, where both are of a rule without memory, about a call.
    fn blended(self, other: Self, moment: Moment) -> Option<Self> {
        let says = |outcome| match outcome {
            Self::Sight(Sight::Nothing) => Some(Verdicts::SILENT),
            Self::Sight(Sight::Says(verdicts)) => Some(verdicts),
            _ => None,
        };
        match (says(self), says(other)) {
            _ if self == other => Some(self),
            (Some(one), Some(other)) if moment == Moment::Call => Some(Self::Sight(Sight::Says(one.or(other)))),
            _ => None,
        }
    }
}

/// One kind of event: everything but what predicates read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Occasion<'m> {
    pub(super) subject: &'m Subject,
    pub(super) moment: Moment,
    pub(super) effects: [Effect; 2],
}

impl Occasion<'_> {
    /// Whether it is of a subject, for one of the contracts.
    pub(super) fn is_about(&self, side: usize, spoken: &Spoken) -> bool {
        match (spoken, self.subject) {
            (Spoken::Tools(names), subject) => subject.is_named(names),
            (Spoken::Effect(effect), Subject::Tool { .. }) => self.effects.get(side) == Some(effect),
            (Spoken::Event(glob), Subject::Event(name)) => name.matches(glob),
            _ => false,
        }
    }

    /// The same call when it was made.
    fn at_call(self) -> Self {
        Self { moment: Moment::Call, ..self }
    }
}

/// A reading of how a call ended: which phases it is one of, and whether the result proves anything.
#[derive(Clone, Copy)]
struct Reading {
    phases: Phases,
    proves: bool,
}

impl Moment {
    /// The readings of the moment: an unknown outcome was a success or a failure.
    fn readings(self) -> Vec<Reading> {
        let none = Phases::default();
        let certain = |phases| vec![Reading { phases, proves: true }];
        match self {
            Self::Call => certain(Phases { call: true, ..none }),
            Self::Event => certain(Phases { event: true, ..none }),
            Self::Result(Ending::Ok) => certain(Phases { ok: true, ..none }),
            Self::Result(Ending::Failed) => certain(Phases { failed: true, ..none }),
            Self::Result(Ending::Unknown) => vec![
                Reading { phases: Phases { ok: true, unknown: true, ..none }, proves: false },
                Reading { phases: Phases { failed: true, unknown: true, ..none }, proves: false },
            ],
        }
    }
}

fn meets(one: Phases, other: Phases) -> bool {
    (one.call && other.call)
        || (one.ok && other.ok)
        || (one.failed && other.failed)
        || (one.unknown && other.unknown)
        || (one.event && other.event)
}

/// The formulas of the classes of one occasion.
struct Writer<'w, 'c> {
    theory: Theory<'c>,
    occasion: Occasion<'w>,
    /// Whether conditions read the result as it came, whatever is known of the outcome.
    as_came: bool,
}

impl Writer<'_, '_> {
    /// Whether a pattern holds in a reading.
    fn holds(&mut self, side: usize, pattern: &Pattern, reading: Reading) -> Formula {
        let mut any = Vec::new();
        for one in &pattern.alternatives {
            if meets(one.phases, reading.phases) && self.occasion.is_about(side, &one.subject) {
                any.push(match &one.condition {
                    None => Formula::True,
                    Some(condition) if condition.reads_result() && !reading.proves && !self.as_came => Formula::Unknown,
                    Some(condition) => self.theory.compile(side, condition),
                });
            }
        }
        Formula::any(any)
    }

    /// The formulas of a pattern, one for each reading.
    fn occurs(&mut self, side: usize, pattern: Option<&Pattern>, into: &mut Vec<Formula>) -> Occurs {
        let Some(pattern) = pattern else { return Occurs::Never };
        let first = into.len();
        for reading in self.occasion.moment.readings() {
            let formula = self.holds(side, pattern, reading);
            into.push(formula);
        }
        Occurs::In(first, into.len())
    }
}

/// Where the formulas of a pattern are.
#[derive(Clone, Copy)]
enum Occurs {
    Never,
    In(usize, usize),
}

impl Occurs {
    /// The truth of the pattern: not established where the readings differ.
    fn truth(self, truths: &[Truth]) -> Truth {
        let Self::In(from, to) = self else { return Truth::False };
        let mut readings = truths.get(from..to).unwrap_or_default().iter().copied();
        let first = readings.next().unwrap_or(Truth::False);
        if readings.all(|other| other == first) { first } else { Truth::Unknown }
    }
}

/// The letters of a reading: `readings` is how many there are, `index` which.
fn letters(patterns: &[Occurs], truths: &[Truth], index: usize) -> (u8, u8) {
    let bits = [1_u8, 2, 4, 8, 16, 32, 64, 128];
    patterns.iter().zip(bits).fold((0, 0), |(must, may), (pattern, bit)| {
        let Occurs::In(from, to) = *pattern else { return (must, may) };
        let at = from.saturating_add(index).min(to.saturating_sub(1));
        match truths.get(at) {
            Some(Truth::True) => (must | bit, may),
            Some(Truth::Unknown) => (must, may | bit),
            _ => (must, may),
        }
    })
}

impl Model<'_> {
    /// The classes of the events of a subject, as the rules of a focus see them. `None`: too many to tell.
    pub(super) fn classes(&self, focus: &Focus, index: usize) -> Option<Vec<Class>> {
        let subject = self.subjects.get(index)?;
        if let Subject::Event(_) = subject {
            let occasion = Occasion { subject, moment: Moment::Event, effects: [Effect::Irreversible; 2] };
            return self.classes_of(focus, index, occasion);
        }
        let mut classes = Vec::new();
        for effects in self.effects(subject) {
            let at = |moment| Occasion { subject, moment, effects };
            classes.extend(self.classes_of(focus, index, at(Moment::Call))?);
            classes.extend(self.results(focus, index, at(Moment::Result(Ending::Unknown)))?);
        }
        Some(classes)
    }

    /// The effects that a call of a tool can have, in each contract.
    fn effects(&self, subject: &Subject) -> Vec<[Effect; 2]> {
        let possible = |contract: &Contract| {
            let mut effects = match self.declaration(contract, subject) {
                None => vec![Effect::Irreversible],
                Some(tool) => {
                    let certain = tool.effect.iter().any(|case| case.when.is_none());
                    let cases = tool.effect.iter().map(|case| case.is);
                    cases.chain((!certain).then_some(Effect::Irreversible)).collect()
                }
            };
            effects.sort_unstable();
            effects.dedup();
            effects
        };
        let of: Vec<Vec<Effect>> = self.contracts.iter().map(|contract| possible(contract)).collect();
        match of.as_slice() {
            [old, new] => old.iter().flat_map(|old| new.iter().map(move |new| [*old, *new])).collect(),
            [only, ..] => only.iter().map(|effect| [*effect; 2]).collect(),
            [] => Vec::new(),
        }
    }

    /// The declaration of a tool: an exact name beats a glob; among globs the first in the file wins.
    pub(super) fn declaration<'c>(&self, contract: &'c Contract, subject: &Subject) -> Option<&'c crate::mir::Tool> {
        let tools = || contract.tools.iter().filter(|tool| subject.is_named(&tool.names));
        tools().find(|tool| tool.names.tool.is_literal()).or_else(|| tools().next())
    }

    /// The classes of the results of a call. The rules about results come first: what they withhold ends nobody knows how, and so
    /// may any result, withheld by another rule. A result without a value is not reviewed.
    fn results(&self, focus: &Focus, index: usize, unknown: Occasion<'_>) -> Option<Vec<Class>> {
        let blind = self.classes_of(focus, index, unknown)?;
        let unreviewed = |class: &Class| {
            let sight = |(rule, sight): (&usize, &Sight)| {
                if self.is_about_results(*rule) { Sight::Nothing } else { *sight }
            };
            let sights = focus.rules.iter().zip(&class.sights).map(sight).collect();
            Class { sights, withheld: false, ..class.clone() }
        };
        let mut classes: Vec<Class> = blind.iter().map(unreviewed).collect();
        let mut reviewed = self.reviews(focus, index, unknown)?;
        for ending in [Ending::Ok, Ending::Failed] {
            let occasion = Occasion { moment: Moment::Result(ending), ..unknown };
            for class in self.classes_of(focus, index, occasion)? {
                classes.push(unreviewed(&class));
                if !class.withheld {
                    classes.push(class.clone());
                }
                reviewed.push(class);
            }
        }
        // What rules about results say, with every way in which the others may see that the outcome is unknown.
        for review in &reviewed {
            for other in &blind {
                let sight = |((rule, review), other): ((&usize, &Sight), &Sight)| {
                    if self.is_about_results(*rule) { *review } else { *other }
                };
                let sights = focus.rules.iter().zip(&review.sights).zip(&other.sights).map(sight).collect();
                let (withheld, sample) = (review.withheld, review.sample.clone());
                classes.push(Class { sights, withheld, sample, ..other.clone() });
            }
        }
        let mut seen = BTreeSet::new();
        classes.retain(|class| seen.insert((class.moment, class.withheld, class.sights.clone())));
        (classes.len() <= MOST_CLASSES).then_some(classes)
    }

    /// Whether a rule looks at results before all others.
    fn is_about_results(&self, rule: usize) -> bool {
        matches!(self.rule(rule).map(|rule| &rule.kind), Some(Kind::Ensure { .. } | Kind::Redact { .. }))
    }

    /// What the rules about results say where nobody knows how the call ended, but there may be a value.
    fn reviews(&self, focus: &Focus, index: usize, occasion: Occasion<'_>) -> Option<Vec<Class>> {
        let about_results = focus.rules.iter().filter(|rule| self.is_about_results(**rule));
        let only = Focus { rules: about_results.copied().collect(), subjects: focus.subjects.clone() };
        let found = self.classes_of(&only, index, Occasion { ..occasion })?;
        let spread = |class: Class| {
            let sight = |rule: &usize| {
                let at = only.rules.iter().position(|one| one == rule);
                at.and_then(|at| class.sights.get(at)).copied().unwrap_or(Sight::Nothing)
            };
            Class { sights: focus.rules.iter().map(sight).collect(), ..class.clone() }
        };
        Some(found.into_iter().map(spread).collect())
    }

    fn classes_of(&self, focus: &Focus, index: usize, occasion: Occasion<'_>) -> Option<Vec<Class>> {
        // Rules about results read the value as it came; all others know nothing of it where the outcome is unknown.
        let about_results = |rule: &usize| self.is_about_results(*rule);
        let as_came = !focus.rules.is_empty() && focus.rules.iter().all(about_results);
        let known = Known {
            tool: occasion.subject.tool(),
            moment: match occasion.moment {
                Moment::Call => Readable::Call,
                Moment::Event => Readable::Event,
                Moment::Result(Ending::Unknown) if !as_came => Readable::Gone,
                Moment::Result(_) => Readable::Result,
            },
        };
        let theory = Theory::new(&self.contracts, &self.naming, known);
        let mut writer = Writer { theory, occasion, as_came };
        let mut units: Vec<Unit<'_, Outcome>> = Vec::new();
        let hidden =
            |rule: &usize| !as_came && occasion.moment == Moment::Result(Ending::Unknown) && about_results(rule);
        for rule in &focus.rules {
            units.push(match self.rule(*rule).filter(|_| !hidden(rule)) {
                Some(checked) => self.unit(*rule, checked, &mut writer),
                None => Unit::new(Vec::new(), |_| Some(Outcome::Sight(Sight::Nothing))),
            });
        }
        for (side, contract) in self.contracts.iter().enumerate() {
            units.push(self.base(side, contract, &mut writer));
            units.push(self.effect(side, contract, &mut writer));
            units.push(self.success(side, contract, &mut writer));
        }
        let blend = |one: &Outcome, other: &Outcome| one.blended(*other, occasion.moment);
        let table = writer.theory.table(&units, blend, |work| self.spend(work.div_ceil(32)))?;
        let others = self.others(focus, occasion);
        let mut classes = Vec::new();
        for row in table.rows {
            self.touched(focus, index, occasion, &others, &row, &mut classes)?;
        }
        Some(classes)
    }

    /// One class for each way in which the keys of the rules can be the one that is looked at, or another.
    fn touched(
        &self,
        focus: &Focus,
        index: usize,
        occasion: Occasion<'_>,
        others: &[usize],
        row: &Row<Outcome>,
        classes: &mut Vec<Class>,
    ) -> Option<()> {
        let sights: Vec<Sight> = row
            .outcomes
            .iter()
            .take(focus.rules.len())
            .map(|outcome| match outcome {
                Outcome::Sight(sight) => *sight,
                _ => Sight::Nothing,
            })
            .collect();
        let bases: Vec<Decision> = row
            .outcomes
            .iter()
            .filter_map(|outcome| match outcome {
                Outcome::Base(decision) => Some(*decision),
                _ => None,
            })
            .collect();
        let first = bases.first().copied().unwrap_or(Decision::Allow);
        let base = [first, bases.get(1).copied().unwrap_or(first)];
        let withheld = self.withholds(focus, &sights, occasion);
        for sights in self.with_keys(focus, occasion, sights)? {
            let known = classes.iter().any(|class| class.sights == sights && class.base == base);
            if !known {
                classes.push(Class {
                    subject: index,
                    moment: occasion.moment,
                    effects: occasion.effects,
                    withheld,
                    sample: row.sample.clone(),
                    sights,
                    base,
                    others: others.to_vec(),
                });
            }
        }
        (classes.len() <= MOST_CLASSES).then_some(())
    }

    /// Whether what rules say of a result keeps it from the agent.
    fn withholds(&self, focus: &Focus, sights: &[Sight], occasion: Occasion<'_>) -> bool {
        let Moment::Result(_) = occasion.moment else { return false };
        focus.rules.iter().zip(sights).any(|(index, sight)| match (self.rule(*index), sight) {
            (Some(rule), Sight::Says(verdicts)) if matches!(rule.kind, Kind::Ensure { .. }) => {
                let [effect, _] = occasion.effects;
                self.enforces(*index)
                    && verdicts.iter().any(|verdict| rule.table.decide(verdict, effect) >= Decision::Ask)
            }
            _ => false,
        })
    }

    /// The rules beyond a focus that take part in the decision of a call.
    fn others(&self, focus: &Focus, occasion: Occasion<'_>) -> Vec<usize> {
        if occasion.moment != Moment::Call {
            return Vec::new();
        }
        let takes_part = |index: &usize| {
            let (Some(rule), side) = (self.rule(*index), self.side(*index)) else { return false };
            let mut patterns = rule.patterns().iter().chain(&rule.guards);
            let silent = matches!(rule.kind, Kind::Permit { .. } | Kind::Ensure { .. } | Kind::Redact { .. });
            let reserves = || {
                let mut patterns = rule.patterns().iter();
                rule.per.is_some() && patterns.any(|pattern| mentions_result(side, pattern, occasion))
            };
            !silent && (patterns.any(|pattern| mentions(side, pattern, occasion)) || reserves())
        };
        let subject = self.subjects.binary_search(occasion.subject).ok();
        let concerned = subject.map(|subject| self.touching(subject)).unwrap_or_default().iter().copied();
        let beyond = concerned.filter(|index| focus.rules.binary_search(index).is_err());
        beyond.filter(takes_part).collect()
    }

    fn unit<'u>(&self, index: usize, rule: &'u Rule, writer: &mut Writer<'_, '_>) -> Unit<'u, Outcome> {
        let side = self.side(index);
        let moment = writer.occasion.moment;
        let mut formulas = Vec::new();
        match &rule.kind {
            Kind::Permit { .. } => Unit::new(formulas, |_| Some(Outcome::Sight(Sight::Nothing))),
            Kind::Require { pattern, clauses } | Kind::Ensure { pattern, clauses } => {
                let applies = writer.occurs(side, Some(pattern), &mut formulas);
                let first = formulas.len();
                if formulas.iter().any(|formula| *formula != Formula::False) {
                    let each: Vec<Formula> =
                        clauses.iter().map(|clause| writer.theory.compile(side, &clause.predicate)).collect();
                    // What the clauses come to does not depend on which of them fails.
                    formulas.push(Formula::all(each));
                }
                Unit::new(formulas, move |truths| {
                    let applies = applies.truth(truths);
                    if applies == Truth::False {
                        return Some(Outcome::Sight(Sight::Nothing));
                    }
                    let mut required = Requirement::new(applies);
                    required.clause(0, truths.get(first).copied().unwrap_or(Truth::True));
                    Some(Outcome::Sight(Sight::Says(Verdicts::one(required.verdict()))))
                })
            }
            Kind::Rewrite { pattern, .. } | Kind::NoFlow { patterns: [_, pattern], .. } if moment == Moment::Call => {
                let applies = writer.occurs(side, Some(pattern), &mut formulas);
                let says = match rule.kind {
                    Kind::Rewrite { .. } => {
                        Verdicts::SILENT.or(Verdicts::one(contract_runtime::Verdict::Unestablished))
                    }
                    _ => Verdicts::ANY,
                };
                Unit::new(formulas, move |truths| {
                    Some(Outcome::Sight(match applies.truth(truths) {
                        Truth::False => Sight::Nothing,
                        _ => Sight::Says(says),
                    }))
                })
            }
            Kind::Redact { pattern, .. } => {
                let applies = writer.occurs(side, Some(pattern), &mut formulas);
                Unit::new(formulas, move |truths| {
                    Some(Outcome::Sight(match applies.truth(truths) {
                        Truth::False => Sight::Nothing,
                        _ => Sight::Says(Verdicts::SILENT),
                    }))
                })
            }
            Kind::Rewrite { .. } | Kind::NoFlow { .. } => Unit::new(formulas, |_| Some(Outcome::Sight(Sight::Nothing))),
            Kind::Automaton { .. } | Kind::Register { .. } => {
                let patterns: Vec<Occurs> =
                    rule.patterns().iter().map(|pattern| writer.occurs(side, Some(pattern), &mut formulas)).collect();
                let is_call = moment == Moment::Call;
                let guard = writer.occurs(side, rule.guards.as_ref().filter(|_| is_call), &mut formulas);
                let close = writer.occurs(side, rule.close_on(), &mut formulas);
                let reset = writer.occurs(side, rule.reset_on.as_ref(), &mut formulas);
                let occasion = writer.occasion;
                let reserves = is_call
                    && rule.per.is_some()
                    && rule.patterns().iter().any(|pattern| mentions_result(side, pattern, occasion));
                let returned = match moment {
                    Moment::Result(Ending::Failed) => Holds::Yes,
                    Moment::Result(Ending::Unknown) => Holds::Perhaps,
                    _ => Holds::No,
                };
                let counts = rule.counting() == Some(crate::mir::Counting::Succeeded)
                    && rule.patterns().iter().any(|pattern| mentions(side, pattern, occasion.at_call()));
                let returned = if counts { returned } else { Holds::No };
                let is_machine = matches!(rule.kind, Kind::Automaton { .. });
                Unit::new(formulas, move |truths| {
                    let happening = if is_machine {
                        Happening::Letters([letters(&patterns, truths, 0), letters(&patterns, truths, 1)])
                    } else {
                        let mut holds = [Holds::No; 3];
                        for (slot, pattern) in holds.iter_mut().zip(&patterns) {
                            *slot = pattern.truth(truths).into();
                        }
                        Happening::Holds(holds)
                    };
                    let of = |occurs: Occurs| Holds::from(occurs.truth(truths));
                    let (guard, close, reset) = (of(guard), of(close), of(reset));
                    let touch = Touch::Whole;
                    let steps = Steps { happening, guard, close, reset, touch, reserves, returned };
                    let none = !happening.concerns()
                        && !reserves
                        && ![guard, close, reset, returned].iter().any(|holds| holds.may());
                    Some(Outcome::Sight(if none { Sight::Nothing } else { Sight::Steps(steps) }))
                })
            }
        }
    }

    /// What the defaults decide.
    fn base<'u>(&'u self, side: usize, contract: &'u Contract, writer: &mut Writer<'_, '_>) -> Unit<'u, Outcome> {
        let occasion = writer.occasion;
        let mut formulas = Vec::new();
        if occasion.moment != Moment::Call || contract.mode == Mode::Shadow {
            return Unit::new(formulas, |_| Some(Outcome::Base(Decision::Allow)));
        }
        let rules = self.concerned(contract, side, occasion);
        let speaks = |rule: &&Rule| !contract.on_trial(rule);
        let mentioned =
            |rule: &&Rule| rule.patterns().iter().chain(&rule.guards).any(|pattern| mentions(side, pattern, occasion));
        let rules: Vec<&Rule> = rules.into_iter().filter(speaks).filter(mentioned).collect();
        let permits: Vec<&Pattern> = rules
            .iter()
            .filter_map(|rule| match &rule.kind {
                Kind::Permit { pattern } => Some(pattern),
                _ => None,
            })
            .collect();
        let permitted: Vec<Occurs> =
            permits.iter().map(|pattern| writer.occurs(side, Some(pattern), &mut formulas)).collect();
        let (by_rule, by_permit) = (!rules.is_empty(), !permits.is_empty());
        let declared = self.declaration(contract, occasion.subject).is_some();
        let known =
            declared || occasion.subject.tool().is_some_and(|tool| contract.catalog.iter().any(|name| name == tool));
        let effect = occasion.effects.get(side).copied().unwrap_or(Effect::Irreversible);
        Unit::new(formulas, move |truths| {
            let permitted = permitted.iter().any(|occurs| occurs.truth(truths) == Truth::True);
            Some(Outcome::Base(match contract.undeclared {
                _ if permitted => Decision::Allow,
                Some(action) if !known => action,
                _ if contract.default.strict || by_permit || !by_rule => contract.default.by_effect.get(effect),
                _ => Decision::Allow,
            }))
        })
    }

    /// That the effect is the one that the occasion says.
    fn effect<'u>(&self, side: usize, contract: &'u Contract, writer: &mut Writer<'_, '_>) -> Unit<'u, Outcome> {
        let tool = self.declaration(contract, writer.occasion.subject);
        let cases = tool.map(|tool| tool.effect.as_slice()).unwrap_or_default();
        let effect = writer.occasion.effects.get(side).copied();
        if writer.occasion.moment == Moment::Event || cases.len() < 2 && cases.iter().all(|case| case.when.is_none()) {
            return Unit::new(Vec::new(), |_| Some(Outcome::Nothing));
        }
        let formulas =
            cases.iter().map(|case| case.when.as_ref().map_or(Formula::True, |when| writer.theory.compile(side, when)));
        let formulas = formulas.collect();
        Unit::new(formulas, move |truths| {
            let found = effect_of(truths.iter().copied().zip(cases.iter().map(|case| case.is)));
            (effect == Some(found)).then_some(Outcome::Nothing)
        })
    }

    /// That a success is one.
    fn success<'u>(&self, side: usize, contract: &'u Contract, writer: &mut Writer<'_, '_>) -> Unit<'u, Outcome> {
        let tool = self.declaration(contract, writer.occasion.subject);
        match tool.and_then(|tool| tool.succeeds_when.as_ref()) {
            Some(predicate) if writer.occasion.moment == Moment::Result(Ending::Ok) => {
                let formula = writer.theory.compile(side, predicate);
                Unit::new(vec![formula], |truths| (truths.first() == Some(&Truth::True)).then_some(Outcome::Nothing))
            }
            _ => Unit::new(Vec::new(), |_| Some(Outcome::Nothing)),
        }
    }
}

/// Most classes of one subject at one moment.
const MOST_CLASSES: usize = 4_096;

/// Whether a pattern speaks of the call, conditions aside.
fn mentions(side: usize, pattern: &Pattern, occasion: Occasion<'_>) -> bool {
    pattern.alternatives.iter().any(|one| one.phases.call && occasion.is_about(side, &one.subject))
}

/// Whether a pattern speaks of results of the call, conditions aside.
fn mentions_result(side: usize, pattern: &Pattern, occasion: Occasion<'_>) -> bool {
    pattern.alternatives.iter().any(|one| one.phases.result() && occasion.is_about(side, &one.subject))
}
