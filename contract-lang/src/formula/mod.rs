//! Linear temporal logic on finite traces, the empty one included.
//!
//! A trace is a sequence of letters; a letter is the set of names (patterns of a rule) that hold at that position.
//! Names, `not`, `and`, `or`, `until` and so on have their standard meaning on finite traces: `next` is false and
//! `weak_next` is true where there is no next position. The empty trace has no position at all; there names, `next`,
//! `until` and `eventually` are false, and `weak_next`, `weak_until`, `release` and `always` are true. `not` is
//! negation everywhere, so `not next p` is `weak_next not p`, and on the empty trace `not p` is true.
//!
//! The past operators are their mirror images, over the positions of the trace before this one: `previous`,
//! `weak_previous`, `since`, `trigger`, `once`, `historically`. At the first position `previous` is false and
//! `weak_previous` is true; on the empty trace so are, in the same way, `since` and `once`, `trigger` and `historically`.
//! Past and future operators may be inside each other.
//!
//! INVARIANT: a formula is in negation normal form, and its conjunctions and disjunctions are flat, sorted, without
//! repetition, without the constants, without complements and without members that another member absorbs. The
//! constructors see to it; there is no other way to build one. Laws that fail on the empty trace are not used:
//! `eventually true` says that there is an event, and is not `true`.
//!
//! Formulas are as deep as the text that they are built from, whose nesting the parser bounds.

use std::collections::BTreeSet;
use std::ops::Not;

#[cfg(test)]
pub(crate) mod oracle;
mod part;
mod progress;

pub use progress::Intractable;
pub(crate) use progress::{Progression, Remainder};

/// A formula. Built with the functions below; `!formula` is its negation.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Formula(Node);

/// The normal form. `eventually p` is `true until p`, `always p` is `false release p`, and `p weak_until q` is
/// `q release (p or q)`; `once p` is `true since p`, `historically p` is `false trigger p`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Node {
    True,
    False,
    Name { index: u8, positive: bool },
    And(BTreeSet<Formula>),
    Or(BTreeSet<Formula>),
    Next(Box<Formula>),
    WeakNext(Box<Formula>),
    Until(Box<Formula>, Box<Formula>),
    Release(Box<Formula>, Box<Formula>),
    Previous(Box<Formula>),
    WeakPrevious(Box<Formula>),
    Since(Box<Formula>, Box<Formula>),
    Trigger(Box<Formula>, Box<Formula>),
}

impl Formula {
    /// Holds on every trace.
    pub const TRUE: Self = Self(Node::True);
    /// Holds on no trace.
    pub const FALSE: Self = Self(Node::False);

    /// Pattern `index` holds at this position.
    #[must_use]
    pub fn name(index: u8) -> Self {
        Self(Node::Name { index, positive: true })
    }

    /// All of these hold.
    #[must_use]
    pub fn all(members: impl IntoIterator<Item = Self>) -> Self {
        let members = members.into_iter().flat_map(|member| match member.0 {
            Node::And(inner) => inner,
            node => BTreeSet::from([Self(node)]),
        });
        match Junction::And.simplify(members.collect()) {
            Ok(members) => Self(Node::And(members)),
            Err(single) => single,
        }
    }

    /// At least one of these holds.
    #[must_use]
    pub fn any(members: impl IntoIterator<Item = Self>) -> Self {
        let members = members.into_iter().flat_map(|member| match member.0 {
            Node::Or(inner) => inner,
            node => BTreeSet::from([Self(node)]),
        });
        match Junction::Or.simplify(members.collect()) {
            Ok(members) => Self(Node::Or(members)),
            Err(single) => single,
        }
    }

    /// If this holds, `then` holds.
    #[must_use]
    pub fn implies(self, then: Self) -> Self {
        Self::any([!self, then])
    }

    /// There is a next position, and `inner` holds there.
    #[must_use]
    pub fn next(inner: Self) -> Self {
        if inner == Self::FALSE { inner } else { Self(Node::Next(Box::new(inner))) }
    }

    /// If there is a next position, `inner` holds there.
    #[must_use]
    pub fn weak_next(inner: Self) -> Self {
        if inner == Self::TRUE { inner } else { Self(Node::WeakNext(Box::new(inner))) }
    }

    /// `goal` holds at some position, and this holds at all positions before it.
    #[must_use]
    pub fn until(self, goal: Self) -> Self {
        let repeated = self == Self::TRUE && matches!(&goal.0, Node::Until(hold, _) if **hold == Self::TRUE);
        if goal == Self::FALSE || repeated { goal } else { Self(Node::Until(Box::new(self), Box::new(goal))) }
    }

    /// `bound` holds at all positions, up to and including the first where this holds, if there is one.
    #[must_use]
    pub fn release(self, bound: Self) -> Self {
        let repeated = self == Self::FALSE && matches!(&bound.0, Node::Release(free, _) if **free == Self::FALSE);
        if bound == Self::TRUE || repeated { bound } else { Self(Node::Release(Box::new(self), Box::new(bound))) }
    }

    /// This holds at all positions before the first where `goal` holds, if there is one.
    #[must_use]
    pub fn weak_until(self, goal: Self) -> Self {
        goal.clone().release(Self::any([self, goal]))
    }

    /// `inner` holds at some position.
    #[must_use]
    pub fn eventually(inner: Self) -> Self {
        Self::TRUE.until(inner)
    }

    /// `inner` holds at all positions.
    #[must_use]
    pub fn always(inner: Self) -> Self {
        Self::FALSE.release(inner)
    }

    /// There is a position before, and `inner` holds there.
    #[must_use]
    pub fn previous(inner: Self) -> Self {
        if inner == Self::FALSE { inner } else { Self(Node::Previous(Box::new(inner))) }
    }

    /// If there is a position before, `inner` holds there.
    #[must_use]
    pub fn weak_previous(inner: Self) -> Self {
        if inner == Self::TRUE { inner } else { Self(Node::WeakPrevious(Box::new(inner))) }
    }

    /// `start` holds here or at some position before, and this holds at all positions since.
    #[must_use]
    pub fn since(self, start: Self) -> Self {
        let repeated = self == Self::TRUE && matches!(&start.0, Node::Since(hold, _) if **hold == Self::TRUE);
        if start == Self::FALSE || repeated { start } else { Self(Node::Since(Box::new(self), Box::new(start))) }
    }

    /// `bound` holds here and at all positions before, back to and including the last where this holds, if there is one.
    #[must_use]
    pub fn trigger(self, bound: Self) -> Self {
        let repeated = self == Self::FALSE && matches!(&bound.0, Node::Trigger(free, _) if **free == Self::FALSE);
        if bound == Self::TRUE || repeated { bound } else { Self(Node::Trigger(Box::new(self), Box::new(bound))) }
    }

    /// `inner` holds here or at some position before.
    #[must_use]
    pub fn once(inner: Self) -> Self {
        Self::TRUE.since(inner)
    }

    /// `inner` holds here and at all positions before.
    #[must_use]
    pub fn historically(inner: Self) -> Self {
        Self::FALSE.trigger(inner)
    }

    /// What it is made of.
    fn parts(&self) -> Box<dyn Iterator<Item = &Self> + '_> {
        match &self.0 {
            Node::True | Node::False | Node::Name { .. } => Box::new(std::iter::empty()),
            Node::And(members) | Node::Or(members) => Box::new(members.iter()),
            Node::Next(inner) | Node::WeakNext(inner) | Node::Previous(inner) | Node::WeakPrevious(inner) => {
                Box::new(std::iter::once(&**inner))
            }
            Node::Until(left, right)
            | Node::Release(left, right)
            | Node::Since(left, right)
            | Node::Trigger(left, right) => Box::new([&**left, &**right].into_iter()),
        }
    }
}

impl Not for Formula {
    type Output = Self;

    /// The dual. The dual of a normal form is one, so nothing is simplified anew.
    fn not(self) -> Self {
        let negate = |inner: Box<Self>| Box::new(!*inner);
        Self(match self.0 {
            Node::True => Node::False,
            Node::False => Node::True,
            Node::Name { index, positive } => Node::Name { index, positive: !positive },
            Node::And(members) => Node::Or(members.into_iter().map(Self::not).collect()),
            Node::Or(members) => Node::And(members.into_iter().map(Self::not).collect()),
            Node::Next(inner) => Node::WeakNext(negate(inner)),
            Node::WeakNext(inner) => Node::Next(negate(inner)),
            Node::Until(hold, goal) => Node::Release(negate(hold), negate(goal)),
            Node::Release(free, bound) => Node::Until(negate(free), negate(bound)),
            Node::Previous(inner) => Node::WeakPrevious(negate(inner)),
            Node::WeakPrevious(inner) => Node::Previous(negate(inner)),
            Node::Since(hold, start) => Node::Trigger(negate(hold), negate(start)),
            Node::Trigger(free, bound) => Node::Since(negate(free), negate(bound)),
        })
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Junction {
    And,
    Or,
}

impl Junction {
    /// The members in normal form, or the one formula that they come to.
    fn simplify(self, mut members: BTreeSet<Formula>) -> Result<BTreeSet<Formula>, Formula> {
        let (unit, zero) = match self {
            Self::And => (Formula::TRUE, Formula::FALSE),
            Self::Or => (Formula::FALSE, Formula::TRUE),
        };
        members.remove(&unit);
        if members.contains(&zero) || members.iter().any(|member| members.contains(&!member.clone())) {
            return Err(zero);
        }
        let mut kept: BTreeSet<Formula> =
            members.iter().filter(|member| !members.iter().any(|other| self.absorbs(other, member))).cloned().collect();
        match (kept.pop_first(), kept.is_empty()) {
            (None, _) => Err(unit),
            (Some(only), true) => Err(only),
            (Some(first), false) => {
                kept.insert(first);
                Ok(kept)
            }
        }
    }

    /// Whether `member` adds nothing beside `other`: `p and (p or q)`, `p or (p and q)`.
    fn absorbs(self, other: &Formula, member: &Formula) -> bool {
        let parts = |formula: &Formula| match (self, &formula.0) {
            (Self::And, Node::Or(parts)) | (Self::Or, Node::And(parts)) => Some(parts.clone()),
            _ => None,
        };
        match (parts(other), parts(member)) {
            (_, None) => false,
            (None, Some(member)) => member.contains(other),
            (Some(other), Some(member)) => other != member && other.is_subset(&member),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn p() -> Formula {
        Formula::name(0)
    }

    fn q() -> Formula {
        Formula::name(1)
    }

    #[test]
    fn junctions_are_flat_sorted_and_without_repetition() {
        let nested = Formula::all([q(), Formula::all([p(), q()]), p()]);
        assert_eq!(nested, Formula::all([p(), q()]));
        assert_eq!(Formula::any([Formula::any([q(), p()]), p()]), Formula::any([p(), q()]));
        assert_eq!(Formula::all([p()]), p());
    }

    #[test]
    fn constants_and_complements_disappear() {
        assert_eq!(Formula::all([]), Formula::TRUE);
        assert_eq!(Formula::any([]), Formula::FALSE);
        assert_eq!(Formula::all([p(), Formula::TRUE]), p());
        assert_eq!(Formula::all([p(), q(), !p()]), Formula::FALSE);
        assert_eq!(Formula::any([p(), Formula::TRUE]), Formula::TRUE);
        let eventually = Formula::eventually(p());
        assert_eq!(Formula::any([eventually.clone(), !eventually]), Formula::TRUE);
    }

    #[test]
    fn weaker_members_are_absorbed() {
        assert_eq!(Formula::all([p(), Formula::any([p(), q()])]), p());
        assert_eq!(Formula::any([p(), Formula::all([p(), q()])]), p());
        let three = Formula::any([p(), q(), Formula::name(2)]);
        assert_eq!(Formula::all([three, Formula::any([p(), q()])]), Formula::any([p(), q()]));
    }

    #[test]
    fn negation_is_dual_and_its_own_inverse() {
        assert_eq!(!Formula::next(p()), Formula::weak_next(!p()));
        assert_eq!(!Formula::eventually(p()), Formula::always(!p()));
        assert_eq!(!p().until(q()), (!p()).release(!q()));
        assert_eq!(!Formula::previous(p()), Formula::weak_previous(!p()));
        assert_eq!(!Formula::once(p()), Formula::historically(!p()));
        assert_eq!(!p().since(q()), (!p()).trigger(!q()));
        let formula = p().weak_until(Formula::all([q(), Formula::next(p())]));
        assert_eq!(!!formula.clone(), formula);
    }

    #[test]
    fn laws_that_fail_on_the_empty_trace_are_not_used() {
        assert_ne!(Formula::eventually(Formula::TRUE), Formula::TRUE);
        assert_ne!(Formula::always(Formula::FALSE), Formula::FALSE);
        assert_ne!(Formula::next(Formula::TRUE), Formula::TRUE);
        assert_ne!(Formula::FALSE.until(p()), p());
        assert_ne!(Formula::once(Formula::TRUE), Formula::TRUE);
        assert_ne!(Formula::previous(Formula::TRUE), Formula::TRUE);
    }

    #[test]
    fn repeated_operators_collapse() {
        let eventually = Formula::eventually(p());
        assert_eq!(Formula::eventually(eventually.clone()), eventually);
        let always = Formula::always(p());
        assert_eq!(Formula::always(always.clone()), always);
        let once = Formula::once(p());
        assert_eq!(Formula::once(once.clone()), once);
    }
}
