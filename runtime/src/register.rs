//! What the register rules share: what they read of an event, occurrences that may or may not count, and how they are
//! returned.

use serde_json::Value;

use crate::instances::Cell;
use crate::key::Part;
use crate::value::{Est, Val};
use crate::{Decimal, Duration, Time, Truth, Verdict};

/// Whether each of a rule's patterns holds for an event, in the order in which the rule names them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Holds(pub [Truth; 3]);

impl Holds {
    /// None holds.
    pub const NOTHING: Self = Self([Truth::False; 3]);

    /// Whether the event may concern the rule.
    #[must_use]
    #[inline]
    pub fn any(&self) -> bool {
        self.0.iter().any(|holds| *holds != Truth::False)
    }
}

/// What a rule reads of an event besides: an amount, an id.
#[derive(Clone, Debug, PartialEq)]
pub enum Operand<'s> {
    /// The rule reads nothing.
    None,
    /// A path of a JSON document.
    Json(Option<&'s Value>),
    /// An expression.
    Value(Est<'s>),
}

impl<'s> Operand<'s> {
    /// The amount: a number that is exact and not negative.
    #[must_use]
    #[inline]
    pub fn amount(self) -> Option<Decimal> {
        let number = match self {
            Self::None => return None,
            Self::Json(json) => match json? {
                Value::Number(number) => Decimal::from_json(number)?,
                _ => return None,
            },
            Self::Value(value) => match value? {
                Val::Number(number) => number,
                _ => return None,
            },
        };
        if number.is_negative() { None } else { Some(number) }
    }

    /// The id: a scalar, as for keys.
    #[must_use]
    #[inline]
    pub fn part(self) -> Option<Part<'s>> {
        match self {
            Self::None => None,
            Self::Json(value) => Part::json(value),
            Self::Value(value) => Part::new(value),
        }
    }
}

/// What a monitor remembers of a counted call, to return it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Receipt {
    /// Whether it was counted.
    pub counted: Truth,
    /// When.
    pub at: Time,
    /// The amount that was counted: what is returned is what was counted, whatever it reads since.
    pub amount: Option<Decimal>,
}

impl Receipt {
    /// Nothing to return.
    pub const NOTHING: Self = Self { counted: Truth::False, at: Time::MIN, amount: None };
}

/// A cell of a rule that counts, sums, or remembers times or ids.
pub trait Register: Cell {
    /// The step that an event is.
    fn of<'s>(holds: Holds, at: Time, operand: Operand<'s>) -> Self::Step<'s>;
    /// What is to be remembered of a step that was counted at admission.
    fn receipt(step: &Self::Step<'_>) -> Receipt;
    /// The step that a receipt is about.
    fn again<'s>(receipt: Receipt, operand: Operand<'s>) -> Self::Step<'s>;
    /// Takes an occurrence back: certainly (the call failed) or perhaps (nobody knows how it ended).
    fn give_back(&mut self, rule: Self::Rule<'_>, step: &Self::Step<'_>, failed: Truth);
    /// Takes an occurrence back that nobody knows to be here: what is possible stays so. That changes only a state in which an
    /// occurrence can hide a later one.
    fn give_back_perhaps(&mut self, _rule: Self::Rule<'_>, _step: &Self::Step<'_>) {}
}

/// The verdict about one more occurrence of which it is known whether it exceeds the limit at least and at most.
#[inline]
pub(crate) fn weigh(occurs: Truth, surely_exceeds: bool, may_exceed: bool) -> Verdict {
    match (occurs, surely_exceeds, may_exceed) {
        (Truth::True, true, _) => Verdict::Violated,
        (Truth::False, ..) | (_, _, false) => Verdict::Open,
        _ => Verdict::Unestablished,
    }
}

/// The same occurrence, if it is known no better than that it may have been one.
#[inline]
pub(crate) fn perhaps(occurs: Truth) -> Truth {
    if occurs == Truth::False { Truth::False } else { Truth::Unknown }
}

/// How many occurrences or values of all keys that were let go are kept one by one. What is more is only known to be possible, so
/// that letting go costs the same however much was let go.
pub(crate) const FEW: u32 = 64;

/// A time of which nothing is known but that it has passed. The next event, which has a time, says what it can have been
/// at the latest.
pub(crate) const SOMETIME: Time = Time::MAX;

/// The last moment at which something of this time and length matters; for [`SOMETIME`] a moment that has passed, so that it
/// is looked at with the next event.
#[inline]
pub(crate) fn lapses(at: Time, length: Duration) -> Option<Time> {
    if at == SOMETIME { Some(Time::MIN) } else { at.checked_add(length) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_amount_is_an_exact_number_that_is_not_negative() {
        let one = Some(Decimal::from(1u32));
        assert_eq!(Operand::Json(Some(&json!(1.0))).amount(), one);
        assert_eq!(Operand::Value(one.map(Val::Number)).amount(), one);
        for wrong in [json!(-1), json!("1"), json!(null), json!(1e300), json!(0.123_456_789_012_345_67)] {
            assert_eq!(Operand::Json(Some(&wrong)).amount(), None, "{wrong}");
            assert_eq!(Operand::Value(Some(Val::from_json(&wrong))).amount(), None, "{wrong}");
        }
        assert_eq!(Operand::None.amount(), None);
    }

    #[test]
    fn an_id_is_a_scalar() {
        assert_eq!(Operand::Json(Some(&json!("a"))).part(), Operand::Value(Some(Val::text("a"))).part());
        assert_eq!(Operand::Json(Some(&json!([1]))).part(), None);
        assert_eq!(Operand::Value(None).part(), None);
    }
}
