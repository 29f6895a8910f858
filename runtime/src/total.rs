//! `at_most_total`: an exact decimal sum, as an interval where an occurrence is uncertain.

use serde_json::Value;

use crate::exact::Saved;
use crate::instances::{Cell, Whole};
use crate::register::{Holds, Operand, Receipt, Register, perhaps, weigh};
use crate::{Decimal, Time, Truth, Verdict};

/// The sum so far: at least `low`, at most `high`.
///
/// INVARIANT: `high` is `None` from the first sum on that cannot be represented, and stays so: such a sum is past every
/// limit, whatever is returned of it later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Total {
    low: Decimal,
    high: Option<Decimal>,
}

/// An occurrence with its amount. `None`: the amount is missing, negative, not a number or not exact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Payment {
    pub(crate) occurs: Truth,
    pub(crate) amount: Option<Decimal>,
}

impl Payment {
    /// An occurrence with its amount.
    pub(crate) fn new(occurs: Truth, amount: Option<Decimal>) -> Self {
        Self { occurs, amount }
    }
}

/// Whether `sum + amount` exceeds the limit; a sum that overflows does.
#[inline]
pub(crate) fn exceeds(sum: Decimal, amount: Decimal, limit: Decimal) -> bool {
    sum.checked_add(amount).is_none_or(|total| total > limit)
}

impl Cell for Total {
    type Kept = Whole<Self>;
    /// The most that is allowed.
    type Rule<'r> = Decimal;
    type Step<'s> = Payment;

    fn fresh(_: Decimal) -> Self {
        Self { low: Decimal::ZERO, high: Some(Decimal::ZERO) }
    }

    fn any(_: Decimal) -> Self {
        Self { low: Decimal::ZERO, high: None }
    }

    fn verdict(&self, _: Decimal) -> Verdict {
        Verdict::Open
    }

    fn is_read(payment: &Payment) -> bool {
        payment.occurs != Truth::Unknown && payment.amount.is_some()
    }

    #[inline]
    fn look(&self, limit: Decimal, payment: &Payment) -> Verdict {
        match payment.amount {
            Some(amount) => {
                let may_exceed = self.high.is_none_or(|high| exceeds(high, amount, limit));
                let exceeds = may_exceed && (self.high == Some(self.low) || exceeds(self.low, amount, limit));
                weigh(payment.occurs, exceeds, may_exceed)
            }
            None => weigh(payment.occurs, true, true),
        }
    }

    #[inline]
    fn step(&mut self, _: Decimal, payment: &Payment) {
        let Some(amount) = payment.amount else { return };
        if payment.occurs != Truth::False {
            self.high = self.high.and_then(|high| high.checked_add(amount));
        }
        if payment.occurs == Truth::True {
            // What cannot be added is left out: amounts are not negative, so the sum is still at least this.
            self.low = self.low.checked_add(amount).unwrap_or(self.low);
        }
    }

    fn perhaps(&mut self, limit: Decimal, payment: &Payment) {
        self.step(limit, &Payment { occurs: perhaps(payment.occurs), amount: payment.amount });
    }

    fn join(&mut self, _: Decimal, other: &Self) {
        self.low = self.low.min(other.low);
        self.high = self.high.zip(other.high).map(|(one, other)| one.max(other));
    }

    fn save(&self) -> Value {
        (self.low, self.high).save()
    }

    fn load(_: Decimal, saved: &Value) -> Option<Self> {
        let (low, high): (Decimal, Option<Decimal>) = Saved::load(saved)?;
        (!low.is_negative() && high.is_none_or(|high| low <= high)).then_some(Self { low, high })
    }
}

impl Register for Total {
    #[inline]
    fn of<'s>(holds: Holds, _: Time, operand: Operand<'s>) -> Payment {
        let Holds([call, ..]) = holds;
        Payment::new(call, operand.amount())
    }

    fn receipt(payment: &Payment) -> Receipt {
        Receipt { counted: payment.occurs, amount: payment.amount, ..Receipt::NOTHING }
    }

    fn again<'s>(receipt: Receipt, _: Operand<'s>) -> Payment {
        Payment::new(receipt.counted, receipt.amount)
    }

    fn give_back(&mut self, _: Decimal, payment: &Payment, failed: Truth) {
        let Some(amount) = payment.amount else { return };
        if payment.occurs == Truth::True && failed != Truth::False {
            // Not below nothing: the amount may have been left out when it was counted.
            self.low = self.low.checked_sub(amount).unwrap_or(Decimal::ZERO).max(Decimal::ZERO);
        }
        if payment.occurs != Truth::False && failed == Truth::True {
            self.high = self.high.and_then(|high| high.checked_sub(amount));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Val;

    fn pay_value(call: Truth, amount: Option<Val<'_>>) -> Payment {
        Total::of(Holds([call, Truth::False, Truth::False]), Time::EPOCH, Operand::Value(amount))
    }

    fn pay(amount: &str) -> Payment {
        pay_value(Truth::True, Decimal::parse(amount).map(Val::Number))
    }

    fn limit() -> Decimal {
        Decimal::from(100u32)
    }

    #[test]
    fn thirds_of_a_cent_add_up_exactly() {
        let mut total = Total::fresh(limit());
        for _ in 0..1_000 {
            assert_eq!(total.look(limit(), &pay("0.1")), Verdict::Open);
            total.step(limit(), &pay("0.1"));
        }
        assert_eq!(total.look(limit(), &pay("0.1")), Verdict::Violated);
        assert_eq!(total.look(limit(), &pay("0")), Verdict::Open);
    }

    #[test]
    fn a_sum_that_cannot_be_represented_is_past_every_limit_for_good() {
        let mut total = Total::fresh(limit());
        for amount in ["0.0000000000000000000001", "1000000000000000000"] {
            total.step(limit(), &pay(amount));
        }
        for amount in ["0.0000000000000000000001", "1000000000000000000"] {
            total.give_back(limit(), &pay(amount), Truth::True);
        }
        assert!(total.look(limit(), &pay("500")) >= Verdict::Unestablished);
        assert!(total.look(limit(), &pay("1")) >= Verdict::Unestablished);
    }

    #[test]
    fn what_is_not_an_amount_is_a_violation() {
        let total = Total::fresh(limit());
        assert_eq!(total.look(limit(), &pay("-1")), Verdict::Violated);
        assert_eq!(total.look(limit(), &pay_value(Truth::True, Some(Val::text("1")))), Verdict::Violated);
        assert_eq!(total.look(limit(), &pay_value(Truth::True, None)), Verdict::Violated);
        assert_eq!(total.look(limit(), &pay_value(Truth::Unknown, None)), Verdict::Unestablished);
    }

    #[test]
    fn it_is_saved_exactly_and_an_interval_that_is_none_is_refused() {
        let mut total = Total::fresh(limit());
        total.step(limit(), &pay("12.50"));
        total.step(limit(), &Payment::new(Truth::Unknown, pay("0.1").amount));
        for total in [total, Total::any(limit())] {
            assert_eq!(Total::load(limit(), &total.save()), Some(total));
        }
        let (one, two) = (Decimal::from(1u32), Decimal::from(2u32));
        assert_eq!(Total::load(limit(), &(two, Some(one)).save()), None);
        assert_eq!(Total::load(limit(), &(Decimal::from(-1i64), Some(one)).save()), None);
    }
}
