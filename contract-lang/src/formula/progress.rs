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

use super::{Formula, Node};

/// Most different leaves: one bit each.
const MAX_LEAVES: usize = 128;

/// Most comparisons of clauses in one construction. Formulas that people write stay below a thousandth of it.
const MAX_WORK: usize = 1 << 26;

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

/// The leaves of one construction and how they progress.
#[derive(Debug, Default)]
pub(crate) struct Progression {
    /// Each leaf and its bit.
    bits: BTreeMap<Formula, u128>,
    /// The leaves, by the position of their bit.
    leaves: Vec<Formula>,
    /// The leaves that hold on the empty trace.
    hold_on_empty: u128,
    /// Pairs of a leaf and its negation.
    opposites: Vec<u128>,
    /// The past subformulas.
    past: Vec<Formula>,
    /// Which past subformulas there are in each leaf, by the position of its bit.
    past_in: Vec<u128>,
    /// What the position before says of the past subformulas.
    before: Vec<Obligation>,
    /// Progressions of leaves without past operators that were needed before, by leaf and letter.
    known: BTreeMap<(u128, u8), Obligation>,
    /// Progressions of leaves by the present letter.
    here: BTreeMap<u128, Obligation>,
    work: usize,
}

impl Progression {
    /// What a formula asks of a whole trace.
    pub(crate) fn start(&mut self, formula: &Formula) -> Result<Remainder, Intractable> {
        self.find_past(formula)?;
        // There is no position before the first.
        let weak = |past: &Formula| matches!(past.0, Node::WeakPrevious(_) | Node::Trigger(..));
        let before = self.past.iter().map(|past| Obligation::constant(weak(past))).collect();
        Ok(Remainder { must: self.obligation(formula)?, before })
    }

    /// What remains after a letter.
    pub(crate) fn progress(&mut self, rest: &Remainder, letter: u8) -> Result<Remainder, Intractable> {
        self.before.clone_from(&rest.before);
        self.here.clear();
        let must = self.progress_obligation(&rest.must, letter)?;
        let asked = must.0.iter().fold(0, |asked, clause| asked | self.past_of(*clause));
        let past = self.past.clone();
        let before = past.iter().zip(bits()).map(|(past, bit)| match &past.0 {
            _ if asked & bit == 0 => Ok(Obligation::FALSE),
            Node::Previous(inner) | Node::WeakPrevious(inner) => self.progress_formula(inner, letter),
            _ => self.progress_formula(past, letter),
        });
        Ok(Remainder { before: before.collect::<Result<_, _>>()?, must })
    }

    /// Whether the trace may end here.
    pub(crate) fn holds_on_empty(&self, rest: &Remainder) -> bool {
        rest.must.0.iter().any(|clause| clause & !self.hold_on_empty == 0)
    }

    /// Finds the past subformulas of a formula.
    fn find_past(&mut self, formula: &Formula) -> Result<(), Intractable> {
        for part in formula.parts() {
            self.find_past(part)?;
        }
        if is_past(formula) && !self.past.contains(formula) {
            self.past.push(formula.clone());
        }
        if self.past.len() > MAX_LEAVES { Err(Intractable) } else { Ok(()) }
    }

    /// The obligation that a formula is.
    fn obligation(&mut self, formula: &Formula) -> Result<Obligation, Intractable> {
        match &formula.0 {
            Node::And(members) => self.conjunction(members, Self::obligation),
            Node::Or(members) => self.disjunction(members, Self::obligation),
            Node::True | Node::False => Ok(Obligation::constant(*formula == Formula::TRUE)),
            _ => Ok(Obligation::of(self.bit(formula)?)),
        }
    }

    fn progress_obligation(&mut self, obligation: &Obligation, letter: u8) -> Result<Obligation, Intractable> {
        self.disjunction(&obligation.0, |this, &clause| {
            let leaves: Vec<Formula> = this.leaves_of(clause).cloned().collect();
            this.conjunction(&leaves, |this, leaf| this.progress_formula(leaf, letter))
        })
    }

    fn progress_formula(&mut self, formula: &Formula, letter: u8) -> Result<Obligation, Intractable> {
        match &formula.0 {
            Node::True | Node::False => Ok(Obligation::constant(*formula == Formula::TRUE)),
            Node::Name { index, positive } => {
                let holds = letter.checked_shr(u32::from(*index)).is_some_and(|rest| rest & 1 == 1);
                Ok(Obligation::constant(holds == *positive))
            }
            Node::And(members) => self.conjunction(members, |this, member| this.progress_formula(member, letter)),
            Node::Or(members) => self.disjunction(members, |this, member| this.progress_formula(member, letter)),
            _ => {
                let bit = self.bit(formula)?;
                if let Some(known) = self.here.get(&bit).or_else(|| self.known.get(&(bit, letter))) {
                    return Ok(known.clone());
                }
                let progressed = self.progress_temporal(formula, letter)?;
                if self.past_of(bit) == 0 {
                    self.known.insert((bit, letter), progressed.clone());
                } else {
                    self.here.insert(bit, progressed.clone());
                }
                Ok(progressed)
            }
        }
    }

    /// The expansion laws of the temporal operators.
    fn progress_temporal(&mut self, formula: &Formula, letter: u8) -> Result<Obligation, Intractable> {
        match &formula.0 {
            Node::Next(inner) => {
                let another = self.obligation(&Formula::eventually(Formula::TRUE))?;
                let inner = self.obligation(inner)?;
                self.and(&inner, &another)
            }
            Node::WeakNext(inner) => {
                let no_other = self.obligation(&Formula::always(Formula::FALSE))?;
                let inner = self.obligation(inner)?;
                self.or(&inner, &no_other)
            }
            Node::Until(hold, goal) => {
                let hold = self.progress_formula(hold, letter)?;
                let goal = self.progress_formula(goal, letter)?;
                let again = self.obligation(formula)?;
                let later = self.and(&hold, &again)?;
                self.or(&goal, &later)
            }
            Node::Release(free, bound) => {
                let free = self.progress_formula(free, letter)?;
                let bound = self.progress_formula(bound, letter)?;
                let again = self.obligation(formula)?;
                let later = self.or(&free, &again)?;
                self.and(&bound, &later)
            }
            Node::Previous(_) | Node::WeakPrevious(_) => self.progress_before(formula, letter),
            Node::Since(hold, start) => {
                let hold = self.progress_formula(hold, letter)?;
                let start = self.progress_formula(start, letter)?;
                let before = self.progress_before(formula, letter)?;
                let since = self.and(&hold, &before)?;
                self.or(&start, &since)
            }
            Node::Trigger(free, bound) => {
                let free = self.progress_formula(free, letter)?;
                let bound = self.progress_formula(bound, letter)?;
                let before = self.progress_before(formula, letter)?;
                let since = self.or(&free, &before)?;
                self.and(&bound, &since)
            }
            Node::True | Node::False | Node::Name { .. } | Node::And(_) | Node::Or(_) => {
                self.progress_formula(formula, letter)
            }
        }
    }

    /// What remains of what the position before said of a past formula.
    fn progress_before(&mut self, formula: &Formula, letter: u8) -> Result<Obligation, Intractable> {
        let at = self.past.iter().position(|past| past == formula);
        let before = at.and_then(|at| self.before.get(at)).cloned().unwrap_or(Obligation::FALSE);
        self.progress_obligation(&before, letter)
    }

    fn conjunction<'m, M: 'm>(
        &mut self,
        members: impl IntoIterator<Item = &'m M>,
        mut each: impl FnMut(&mut Self, &M) -> Result<Obligation, Intractable>,
    ) -> Result<Obligation, Intractable> {
        let mut all = Obligation::constant(true);
        for member in members {
            let member = each(self, member)?;
            all = self.and(&all, &member)?;
        }
        Ok(all)
    }

    fn disjunction<'m, M: 'm>(
        &mut self,
        members: impl IntoIterator<Item = &'m M>,
        mut each: impl FnMut(&mut Self, &M) -> Result<Obligation, Intractable>,
    ) -> Result<Obligation, Intractable> {
        let mut any = Obligation::FALSE;
        for member in members {
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

    /// Charges for bringing a number of clauses into normal form, which compares each with each.
    fn spend(&mut self, clauses: usize) -> Result<(), Intractable> {
        self.work = self.work.saturating_add(clauses.saturating_mul(clauses));
        if self.work > MAX_WORK { Err(Intractable) } else { Ok(()) }
    }

    fn leaves_of(&self, clause: u128) -> impl Iterator<Item = &Formula> {
        self.leaves.iter().zip(bits()).filter(move |(_, bit)| clause & bit != 0).map(|(leaf, _)| leaf)
    }

    /// The past subformulas in the leaves of a clause.
    fn past_of(&self, clause: u128) -> u128 {
        let leaves = self.past_in.iter().zip(bits()).filter(|(_, bit)| clause & bit != 0);
        leaves.fold(0, |past, (inside, _)| past | inside)
    }

    /// The past subformulas in a formula.
    fn past_inside(&self, formula: &Formula) -> u128 {
        let own = self.past.iter().zip(bits()).find(|(past, _)| *past == formula).map_or(0, |(_, bit)| bit);
        formula.parts().fold(own, |past, part| past | self.past_inside(part))
    }

    /// The bit of a leaf, which becomes known if it was not.
    fn bit(&mut self, leaf: &Formula) -> Result<u128, Intractable> {
        if let Some(bit) = self.bits.get(leaf) {
            return Ok(*bit);
        }
        let bit = bits().nth(self.leaves.len()).ok_or(Intractable)?;
        if let Some(opposite) = self.bits.get(&!leaf.clone()) {
            self.opposites.push(bit | opposite);
        }
        if holds_on_empty(leaf) {
            self.hold_on_empty |= bit;
        }
        self.past_in.push(self.past_inside(leaf));
        self.leaves.push(leaf.clone());
        self.bits.insert(leaf.clone(), bit);
        Ok(bit)
    }
}

/// The value of a leaf on the empty trace. (The constants and junctions are no leaves.)
fn holds_on_empty(leaf: &Formula) -> bool {
    let weak = matches!(leaf.0, Node::WeakNext(_) | Node::Release(..) | Node::WeakPrevious(_) | Node::Trigger(..));
    weak || matches!(leaf.0, Node::Name { positive: false, .. })
}

fn is_past(formula: &Formula) -> bool {
    matches!(formula.0, Node::Previous(_) | Node::WeakPrevious(_) | Node::Since(..) | Node::Trigger(..))
}

fn bits() -> impl Iterator<Item = u128> {
    (0u32..).take(MAX_LEAVES).filter_map(|position| 1u128.checked_shl(position))
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
