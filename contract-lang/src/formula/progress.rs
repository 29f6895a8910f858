//! Progression: what remains of a formula after a letter.
//!
//! `f` holds on the word `l w` exactly when the progression of `f` by `l` holds on `w` (Bacchus and Kabanza, "Using
//! temporal logics to express search control knowledge for planning", AIJ 116, 2000). An obligation is kept as a
//! disjunction of conjunctions over *leaves* (names and temporal subformulas). In negation normal form leaves occur
//! only positively, so that the disjunction without absorbed clauses is canonical; and there are finitely many leaves,
//! so there are finitely many obligations. A tree of formulas, simplified by rewriting, would not have this property.
//!
//! `next f` leaves `f` *and that there is another event*: `f` alone could hold on the empty remainder.
//!
//! Past operators need what the position before said. It is remembered in the form that everything has here: for each past
//! subformula, what must hold of the rest of the trace for it to be true of the position before (a constant, where no future
//! operator is inside). `previous f` progresses as what is remembered of `f` does, and `f since g` as
//! `g or (f and previous (f since g))`; then what is remembered becomes the progression by this letter. What is remembered
//! of a formula speaks of smaller formulas only, so that this ends.

use std::collections::BTreeMap;

use super::Formula;
use super::part::{MOST, Number, Part, Parts, bits};

/// Most comparisons of clauses in one construction. Formulas that people write stay below a thousandth of it.
const MAX_WORK: usize = 1 << 26;

/// What an operation costs besides, in comparisons.
const OVERHEAD: usize = 8;

/// The formula has too many subformulas, or its obligations are too large.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Intractable;

/// What must hold of the rest of the trace: one of the clauses; a clause is a set of leaves that must all hold.
///
/// INVARIANT: ascending, no clause contains another, no clause contains a leaf and its negation.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Obligation(Vec<u128>);

impl Obligation {
    const FALSE: Self = Self(vec![]);

    fn of(clause: u128) -> Self {
        Self(vec![clause])
    }

    fn constant(value: bool) -> Self {
        if value { Self::of(0) } else { Self::FALSE }
    }
}

/// What must hold of the rest of the trace, and what the position before says of the past operators in it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Remainder {
    must: Obligation,
    /// For each past subformula: for `previous f` what must hold for `f` to be true of the position before; for `f since g`
    /// what must hold for itself to be. False where nothing asks for it any more.
    before: Vec<Obligation>,
}

/// The subformulas of one construction and how they progress.
#[derive(Debug, Default)]
pub(crate) struct Progression {
    parts: Parts,
    /// Each leaf and its bit.
    bits: BTreeMap<Number, u128>,
    /// The leaves, by the position of their bit.
    leaves: Vec<Number>,
    /// The leaves that hold on the empty trace.
    hold_on_empty: u128,
    /// Pairs of a leaf and its negation.
    opposites: Vec<u128>,
    /// What the position before says of the past subformulas.
    before: Vec<Obligation>,
    /// Progressions without past operators that were needed before, by leaf and letter.
    known: BTreeMap<(Number, u8), Obligation>,
    /// Progressions of leaves by the present letter.
    here: BTreeMap<Number, Obligation>,
    work: usize,
}

impl Progression {
    /// What a formula asks of a whole trace.
    pub(crate) fn start(&mut self, formula: &Formula) -> Result<Remainder, Intractable> {
        let whole = self.parts.number(formula);
        if self.parts.past().len() > MOST {
            return Err(Intractable);
        }
        // There is no position before the first.
        let before = self.parts.past().iter().map(|past| Obligation::constant(self.parts.part(*past).holds_on_empty()));
        Ok(Remainder { before: before.collect(), must: self.obligation(whole)? })
    }

    /// What remains after a letter.
    pub(crate) fn progress(&mut self, rest: &Remainder, letter: u8) -> Result<Remainder, Intractable> {
        self.before.clone_from(&rest.before);
        self.here.clear();
        let must = self.progress_obligation(&rest.must, letter)?;
        let left = must.0.iter().fold(0, |all, clause| all | clause);
        let asked = self.leaves_of(left).fold(0, |asked, leaf| asked | self.parts.past_in(leaf));
        let past = self.parts.past().to_vec();
        let before = past.into_iter().zip(bits()).map(|(past, bit)| match self.parts.part(past) {
            _ if asked & bit == 0 => Ok(Obligation::FALSE),
            Part::Previous(inner, _) | Part::WeakPrevious(inner, _) => self.progress_part(inner, letter),
            _ => self.progress_part(past, letter),
        });
        Ok(Remainder { before: before.collect::<Result<_, _>>()?, must })
    }

    /// Whether the trace may end here.
    pub(crate) fn holds_on_empty(&self, rest: &Remainder) -> bool {
        rest.must.0.iter().any(|clause| clause & !self.hold_on_empty == 0)
    }

    /// The obligation that a formula is.
    fn obligation(&mut self, number: Number) -> Result<Obligation, Intractable> {
        match self.parts.part(number) {
            Part::And(members) => self.conjunction(&members, Self::obligation),
            Part::Or(members) => self.disjunction(&members, Self::obligation),
            Part::Constant(value) => Ok(Obligation::constant(value)),
            _ => Ok(Obligation::of(self.bit(number)?)),
        }
    }

    fn progress_obligation(&mut self, obligation: &Obligation, letter: u8) -> Result<Obligation, Intractable> {
        self.disjunction(&obligation.0, |this, clause| {
            let leaves: Vec<Number> = this.leaves_of(clause).collect();
            this.conjunction(&leaves, |this, leaf| this.progress_part(leaf, letter))
        })
    }

    fn progress_part(&mut self, number: Number, letter: u8) -> Result<Obligation, Intractable> {
        match self.parts.part(number) {
            Part::Constant(value) => Ok(Obligation::constant(value)),
            Part::Name { index, positive } => {
                let holds = letter.checked_shr(u32::from(index)).is_some_and(|rest| rest & 1 == 1);
                Ok(Obligation::constant(holds == positive))
            }
            Part::And(members) => self.conjunction(&members, |this, member| this.progress_part(member, letter)),
            Part::Or(members) => self.disjunction(&members, |this, member| this.progress_part(member, letter)),
            temporal => {
                if let Some(known) = self.here.get(&number).or_else(|| self.known.get(&(number, letter))) {
                    return Ok(known.clone());
                }
                let progressed = self.progress_temporal(number, &temporal, letter)?;
                if self.parts.past_in(number) == 0 {
                    self.known.insert((number, letter), progressed.clone());
                } else {
                    self.here.insert(number, progressed.clone());
                }
                Ok(progressed)
            }
        }
    }

    /// The expansion laws of the temporal operators.
    fn progress_temporal(&mut self, number: Number, part: &Part, letter: u8) -> Result<Obligation, Intractable> {
        match *part {
            Part::Next(inner) => {
                let another = self.parts.number(&Formula::eventually(Formula::TRUE));
                let another = self.obligation(another)?;
                let inner = self.obligation(inner)?;
                self.and(&inner, &another)
            }
            Part::WeakNext(inner) => {
                let no_other = self.parts.number(&Formula::always(Formula::FALSE));
                let no_other = self.obligation(no_other)?;
                let inner = self.obligation(inner)?;
                self.or(&inner, &no_other)
            }
            Part::Until(hold, goal) => {
                let again = self.obligation(number)?;
                self.progress_strong(hold, goal, &again, letter)
            }
            Part::Release(free, bound) => {
                let again = self.obligation(number)?;
                self.progress_weak(free, bound, &again, letter)
            }
            Part::Since(hold, start, at) => {
                let before = self.progress_before(at, letter)?;
                self.progress_strong(hold, start, &before, letter)
            }
            Part::Trigger(free, bound, at) => {
                let before = self.progress_before(at, letter)?;
                self.progress_weak(free, bound, &before, letter)
            }
            Part::Previous(_, at) | Part::WeakPrevious(_, at) => self.progress_before(at, letter),
            Part::Constant(_) | Part::Name { .. } | Part::And(_) | Part::Or(_) => self.progress_part(number, letter),
        }
    }

    /// `goal or (hold and other)`, where `other` is the operator at the next position, or at the one before.
    fn progress_strong(
        &mut self,
        hold: Number,
        goal: Number,
        other: &Obligation,
        letter: u8,
    ) -> Result<Obligation, Intractable> {
        let hold = self.progress_part(hold, letter)?;
        let goal = self.progress_part(goal, letter)?;
        let other = self.and(&hold, other)?;
        self.or(&goal, &other)
    }

    /// `bound and (free or other)`.
    fn progress_weak(
        &mut self,
        free: Number,
        bound: Number,
        other: &Obligation,
        letter: u8,
    ) -> Result<Obligation, Intractable> {
        let free = self.progress_part(free, letter)?;
        let bound = self.progress_part(bound, letter)?;
        let other = self.or(&free, other)?;
        self.and(&bound, &other)
    }

    /// What remains of what the position before said of a past subformula.
    fn progress_before(&mut self, at: usize, letter: u8) -> Result<Obligation, Intractable> {
        let before = self.before.get(at).cloned().unwrap_or(Obligation::FALSE);
        self.progress_obligation(&before, letter)
    }

    fn conjunction<M: Copy>(
        &mut self,
        members: &[M],
        mut each: impl FnMut(&mut Self, M) -> Result<Obligation, Intractable>,
    ) -> Result<Obligation, Intractable> {
        let mut all = Obligation::constant(true);
        for &member in members {
            let member = each(self, member)?;
            all = self.and(&all, &member)?;
        }
        Ok(all)
    }

    fn disjunction<M: Copy>(
        &mut self,
        members: &[M],
        mut each: impl FnMut(&mut Self, M) -> Result<Obligation, Intractable>,
    ) -> Result<Obligation, Intractable> {
        let mut any = Obligation::FALSE;
        for &member in members {
            let member = each(self, member)?;
            any = self.or(&any, &member)?;
        }
        Ok(any)
    }

    fn and(&mut self, left: &Obligation, right: &Obligation) -> Result<Obligation, Intractable> {
        self.spend(left.0.len().saturating_mul(right.0.len()))?;
        let clauses = left.0.iter().flat_map(|left| right.0.iter().map(move |right| left | right));
        Ok(self.normal(clauses.collect()))
    }

    fn or(&mut self, left: &Obligation, right: &Obligation) -> Result<Obligation, Intractable> {
        self.spend(left.0.len().saturating_add(right.0.len()))?;
        Ok(self.normal(left.0.iter().chain(&right.0).copied().collect()))
    }

    /// The normal form of a disjunction of clauses.
    fn normal(&self, mut clauses: Vec<u128>) -> Obligation {
        clauses.sort_unstable_by_key(|clause| (clause.count_ones(), *clause));
        let mut kept: Vec<u128> = Vec::new();
        for clause in clauses {
            let contradictory = self.opposites.iter().any(|pair| clause & pair == *pair);
            if !contradictory && !kept.iter().any(|smaller| smaller & clause == *smaller) {
                kept.push(clause);
            }
        }
        kept.sort_unstable();
        Obligation(kept)
    }

    /// Charges for bringing a number of clauses into normal form, which compares each with each, and with the pairs of
    /// opposites.
    fn spend(&mut self, clauses: usize) -> Result<(), Intractable> {
        let each = clauses.saturating_add(self.opposites.len()).saturating_add(OVERHEAD);
        self.work = self.work.saturating_add(clauses.saturating_add(1).saturating_mul(each));
        if self.work > MAX_WORK { Err(Intractable) } else { Ok(()) }
    }

    fn leaves_of(&self, clause: u128) -> impl Iterator<Item = Number> {
        self.leaves.iter().zip(bits()).filter(move |(_, bit)| clause & bit != 0).map(|(leaf, _)| *leaf)
    }

    /// The bit of a leaf, which becomes known if it was not.
    fn bit(&mut self, leaf: Number) -> Result<u128, Intractable> {
        if let Some(bit) = self.bits.get(&leaf) {
            return Ok(*bit);
        }
        let bit = bits().nth(self.leaves.len()).ok_or(Intractable)?;
        if let Some(opposite) = self.parts.opposite(leaf).and_then(|opposite| self.bits.get(&opposite)) {
            self.opposites.push(bit | opposite);
        }
        if self.parts.part(leaf).holds_on_empty() {
            self.hold_on_empty |= bit;
        }
        self.leaves.push(leaf);
        self.bits.insert(leaf, bit);
        Ok(bit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formula::oracle::{Random, Written, words};

    fn holds(formula: &Formula, word: &[u8]) -> bool {
        let mut progression = Progression::default();
        let start = progression.start(formula).unwrap();
        let end = word.iter().fold(start, |rest, &letter| progression.progress(&rest, letter).unwrap());
        progression.holds_on_empty(&end)
    }

    #[test]
    fn progression_agrees_with_the_meaning_on_all_short_words() {
        let mut random = Random(1);
        let words = words(&[0, 1, 2, 3], 4);
        for _ in 0..250 {
            let written = Written::random(&mut random, 2, 4);
            let formula = written.formula();
            for word in &words {
                assert_eq!(holds(&formula, word), written.holds(word), "{written:?} on {word:?}");
            }
        }
    }

    #[test]
    fn next_needs_an_event_even_where_its_operand_holds_on_the_empty_trace() {
        let next = Formula::next(Formula::always(Formula::name(0)));
        assert!(!holds(&next, &[]));
        assert!(!holds(&next, &[1]));
        assert!(holds(&next, &[0, 1]));
        let weak = Formula::weak_next(Formula::name(0));
        assert!(holds(&weak, &[0]));
        assert!(!holds(&weak, &[0, 0]));
    }

    #[test]
    fn a_formula_with_too_many_subformulas_is_refused() {
        let mut formula = Formula::name(0);
        for _ in 0..200 {
            formula = Formula::next(formula);
        }
        let mut progression = Progression::default();
        let mut rest = progression.start(&formula);
        for _ in 0..200 {
            rest = rest.and_then(|rest| progression.progress(&rest, 1));
        }
        assert_eq!(rest, Err(Intractable));
    }

    #[test]
    fn obligations_that_would_explode_are_refused() {
        let pairs = (0..40u8).map(|depth| {
            let nest = |name: u8| (0..depth).fold(Formula::name(name), |inner, _| Formula::next(inner));
            Formula::any([nest(0), nest(1)])
        });
        let mut progression = Progression::default();
        assert_eq!(progression.start(&Formula::all(pairs)), Err(Intractable));
    }
}
