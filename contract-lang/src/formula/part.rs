//! The subformulas of a formula, each numbered once, so that nothing compares trees while a machine is explored.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::{Formula, Node};

/// Most different leaves, and most past subformulas: one bit each.
pub(super) const MOST: usize = 128;

/// The bits of a set.
pub(super) fn bits() -> impl Iterator<Item = u128> {
    (0u32..).take(MOST).filter_map(|position| 1u128.checked_shl(position))
}

/// The number of a subformula.
pub(super) type Number = usize;

/// A subformula. Past operators have their place among the past subformulas with them.
#[derive(Clone, Debug)]
pub(super) enum Part {
    Constant(bool),
    Name { index: u8, positive: bool },
    And(Rc<[Number]>),
    Or(Rc<[Number]>),
    Next(Number),
    WeakNext(Number),
    Until(Number, Number),
    Release(Number, Number),
    Previous(Number, usize),
    WeakPrevious(Number, usize),
    Since(Number, Number, usize),
    Trigger(Number, Number, usize),
}

impl Part {
    /// Its value on the empty trace, where it is a leaf: the constants and junctions are none.
    pub(super) fn holds_on_empty(&self) -> bool {
        match self {
            Self::Name { positive, .. } => !positive,
            Self::WeakNext(_) | Self::Release(..) | Self::WeakPrevious(..) | Self::Trigger(..) => true,
            _ => false,
        }
    }

    /// Its place among the past subformulas.
    fn place(&self) -> Option<usize> {
        match self {
            Self::Previous(_, at) | Self::WeakPrevious(_, at) | Self::Since(.., at) | Self::Trigger(.., at) => {
                Some(*at)
            }
            _ => None,
        }
    }
}

/// A numbered subformula.
#[derive(Clone, Debug)]
struct Numbered {
    part: Part,
    /// The past operators in it, itself included, by their places.
    past: u128,
    /// Its negation, if that is a subformula, too.
    opposite: Option<Number>,
}

/// All of them.
#[derive(Debug, Default)]
pub(super) struct Parts {
    list: Vec<Numbered>,
    numbers: BTreeMap<Formula, Number>,
    /// Those that are past operators.
    past: Vec<Number>,
}

impl Parts {
    /// The number of a formula, which gets one with all that is in it.
    pub(super) fn number(&mut self, formula: &Formula) -> Number {
        if let Some(number) = self.numbers.get(formula) {
            return *number;
        }
        let inner: Vec<Number> = formula.parts().map(|part| self.number(part)).collect();
        let at = self.past.len();
        let part = match (&formula.0, inner.as_slice()) {
            (Node::True, _) => Part::Constant(true),
            (Node::Name { index, positive }, _) => Part::Name { index: *index, positive: *positive },
            (Node::And(_), inner) => Part::And(inner.into()),
            (Node::Or(_), inner) => Part::Or(inner.into()),
            (Node::Next(_), &[inner]) => Part::Next(inner),
            (Node::WeakNext(_), &[inner]) => Part::WeakNext(inner),
            (Node::Previous(_), &[inner]) => Part::Previous(inner, at),
            (Node::WeakPrevious(_), &[inner]) => Part::WeakPrevious(inner, at),
            (Node::Until(..), &[hold, goal]) => Part::Until(hold, goal),
            (Node::Release(..), &[free, bound]) => Part::Release(free, bound),
            (Node::Since(..), &[hold, start]) => Part::Since(hold, start, at),
            (Node::Trigger(..), &[free, bound]) => Part::Trigger(free, bound, at),
            _ => Part::Constant(false),
        };
        let number = self.list.len();
        self.past.extend(part.place().map(|_| number));
        let own = part.place().and_then(|at| bits().nth(at)).unwrap_or(0);
        let past = inner.iter().fold(own, |past, inner| past | self.past_in(*inner));
        let opposite = self.numbers.get(&!formula.clone()).copied();
        if let Some(opposite) = opposite.and_then(|opposite| self.list.get_mut(opposite)) {
            opposite.opposite = Some(number);
        }
        self.list.push(Numbered { part, past, opposite });
        self.numbers.insert(formula.clone(), number);
        number
    }

    pub(super) fn part(&self, number: Number) -> Part {
        self.list.get(number).map_or(Part::Constant(false), |numbered| numbered.part.clone())
    }

    /// The past operators in a subformula, by their places.
    pub(super) fn past_in(&self, number: Number) -> u128 {
        self.list.get(number).map_or(0, |numbered| numbered.past)
    }

    pub(super) fn opposite(&self, number: Number) -> Option<Number> {
        self.list.get(number)?.opposite
    }

    /// The past subformulas, by their places.
    pub(super) fn past(&self) -> &[Number] {
        &self.past
    }
}
