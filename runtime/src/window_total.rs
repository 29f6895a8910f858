//! `at_most_total` with a window: an exact decimal sum in every closed window of event time or of positions.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::exact::Saved;
use crate::instances::{Cell, Whole};
use crate::register::{FEW, Holds, Operand, Receipt, Register, SOMETIME, lapses, perhaps, weigh};
use crate::total::{Payment, exceeds};
use crate::{Decimal, Duration, Time, Truth, Verdict};

/// The most kinds of occurrences that are kept: those of one moment and amount are one kind.
const MOST_KEPT: usize = 65_536;

/// The occurrences within the last window.
///
/// INVARIANT: `low` and `high` are the sums of what is kept, taken at least and at most. What is not kept (because there is no
/// place for it, or no number for the sum) leaves the answer not established until it has left the window.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WindowTotal {
    /// By moment and amount: how many there were.
    kept: BTreeMap<(Time, Decimal), Times>,
    low: Decimal,
    high: Decimal,
    /// The latest occurrence that was not kept, or that may have been as far as anybody knows.
    dropped: Option<Time>,
}

/// How often something happened: at least, at most.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Times {
    low: u64,
    high: u64,
}

/// The bound of an `at_most_total` with a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TotalLimit {
    /// The most that is allowed in a window.
    pub limit: Decimal,
    /// The length of the closed window.
    pub window: Duration,
}

/// An occurrence with its amount and its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Expense {
    payment: Payment,
    at: Time,
}

fn times(amount: Decimal, times: u64) -> Option<Decimal> {
    amount.checked_mul(Decimal::from(times))
}

impl WindowTotal {
    /// Adds to what is kept, if it can be added and there is a place for it. Returns whether it was.
    fn keep(&mut self, at: Time, amount: Decimal, more: Times) -> bool {
        if self.kept.len() >= MOST_KEPT && !self.kept.contains_key(&(at, amount)) {
            return false;
        }
        let sum = |sum: Decimal, more| times(amount, more).and_then(|more| sum.checked_add(more));
        let (Some(low), Some(high)) = (sum(self.low, more.low), sum(self.high, more.high)) else { return false };
        (self.low, self.high) = (low, high);
        let kept = self.kept.entry((at, amount)).or_default();
        kept.low = kept.low.saturating_add(more.low);
        kept.high = kept.high.saturating_add(more.high);
        true
    }

    fn drop_at(&mut self, at: Time) {
        self.dropped = self.dropped.max(Some(at));
    }

    /// Keeps exactly these.
    fn refill(&mut self, all: impl IntoIterator<Item = ((Time, Decimal), Times)>) {
        self.kept.clear();
        (self.low, self.high) = (Decimal::ZERO, Decimal::ZERO);
        for ((at, amount), times) in all {
            if !self.keep(at, amount, times) {
                self.drop_at(at);
            }
        }
    }

    /// Takes from what is kept.
    fn take(&mut self, at: Time, amount: Decimal, less: Times) {
        let Some(kept) = self.kept.get_mut(&(at, amount)) else { return };
        let high = kept.high.saturating_sub(less.high);
        let left = Times { low: kept.low.saturating_sub(less.low).min(high), high };
        let less = Times { low: kept.low.saturating_sub(left.low), high: kept.high.saturating_sub(left.high) };
        *kept = left;
        if left.high == 0 {
            self.kept.remove(&(at, amount));
        }
        self.subtract(amount, less);
    }

    /// Corrects the sums. A difference may have no number although both sums had one; then they are made anew.
    fn subtract(&mut self, amount: Decimal, less: Times) {
        let sum = |sum: Decimal, less| times(amount, less).and_then(|less| sum.checked_sub(less));
        match (sum(self.low, less.low), sum(self.high, less.high)) {
            (Some(low), Some(high)) => (self.low, self.high) = (low, high),
            _ => {
                let kept = std::mem::take(&mut self.kept);
                self.refill(kept);
            }
        }
    }

    /// When something happened last, or may have.
    fn latest(&self) -> Option<Time> {
        self.kept.last_key_value().map(|((at, _), _)| *at).max(self.dropped)
    }

    fn is_past(&self, window: Duration, now: Time) -> bool {
        self.kept.first_key_value().is_some_and(|((at, _), _)| now.since(*at) > window)
    }

    fn trim(&mut self, window: Duration, now: Time) {
        while self.is_past(window, now) {
            if let Some(((_, amount), times)) = self.kept.pop_first() {
                self.subtract(amount, times);
            }
        }
        // What has happened has not happened later than now.
        self.dropped = self.dropped.map(|at| at.min(now)).filter(|at| now.since(*at) <= window);
    }
}

impl Cell for WindowTotal {
    type Kept = Whole<Self>;
    type Rule<'r> = TotalLimit;
    type Step<'s> = Expense;

    fn fresh(_: TotalLimit) -> Self {
        Self { kept: BTreeMap::new(), low: Decimal::ZERO, high: Decimal::ZERO, dropped: None }
    }

    fn any(rule: TotalLimit) -> Self {
        Self { dropped: Some(SOMETIME), ..Self::fresh(rule) }
    }

    fn verdict(&self, _: TotalLimit) -> Verdict {
        Verdict::Open
    }

    fn is_read(expense: &Expense) -> bool {
        expense.payment.occurs != Truth::Unknown && expense.payment.amount.is_some()
    }

    fn look(&self, rule: TotalLimit, expense: &Expense) -> Verdict {
        let Expense { payment: Payment { occurs, amount: Some(amount) }, at } = *expense else {
            return weigh(expense.payment.occurs, true, true);
        };
        if self.is_past(rule.window, at) {
            let mut trimmed = self.clone();
            trimmed.trim(rule.window, at);
            return trimmed.look(rule, expense);
        }
        let dropped = self.dropped.is_some_and(|dropped| at.since(dropped) <= rule.window);
        let surely = exceeds(self.low, amount, rule.limit);
        weigh(occurs, surely, dropped || exceeds(self.high, amount, rule.limit))
    }

    fn step(&mut self, rule: TotalLimit, expense: &Expense) {
        self.trim(rule.window, expense.at);
        let Some(amount) = expense.payment.amount.filter(|amount| *amount != Decimal::ZERO) else { return };
        let more = match expense.payment.occurs {
            Truth::True => Times { low: 1, high: 1 },
            Truth::Unknown => Times { low: 0, high: 1 },
            Truth::False => return,
        };
        if !self.keep(expense.at, amount, more) {
            self.drop_at(expense.at);
        }
    }

    fn perhaps(&mut self, rule: TotalLimit, expense: &Expense) {
        let payment = Payment { occurs: perhaps(expense.payment.occurs), ..expense.payment };
        self.step(rule, &Expense { payment, ..*expense });
    }

    fn join(&mut self, _: TotalLimit, other: &Self) {
        let mut all = std::mem::take(&mut self.kept);
        for (key, times) in &mut all {
            times.low = times.low.min(other.kept.get(key).map_or(0, |times| times.low));
        }
        for (key, theirs) in &other.kept {
            let times = all.entry(*key).or_default();
            times.high = times.high.max(theirs.high);
        }
        self.dropped = self.dropped.max(other.dropped);
        self.refill(all);
    }

    /// Where they are many, only when something may have happened last is kept.
    fn absorb(&mut self, rule: TotalLimit, other: &Self) {
        let many = self.kept.len().saturating_add(other.kept.len());
        if u32::try_from(many).is_ok_and(|many| many <= FEW) {
            return self.join(rule, other);
        }
        *self = Self { dropped: self.latest().max(other.latest()), ..Self::fresh(rule) };
    }

    fn expires(&self, rule: TotalLimit) -> Option<Time> {
        lapses(self.latest()?, rule.window)
    }

    fn expire(&mut self, rule: TotalLimit, now: Time) -> Verdict {
        self.trim(rule.window, now);
        Verdict::Satisfied
    }

    fn save(&self) -> Value {
        let kept = self.kept.iter().map(|((at, amount), times)| (*at, *amount, times.low, times.high));
        (kept.collect::<Vec<_>>(), self.dropped).save()
    }

    fn load(rule: TotalLimit, saved: &Value) -> Option<Self> {
        let (kept, dropped) = Saved::load(saved)?;
        let kept: Vec<(Time, Decimal, u64, u64)> = kept;
        let mut total = Self { dropped, ..Self::fresh(rule) };
        let mut before = None;
        for (at, amount, low, high) in kept {
            let key = Some((at, amount));
            let is_new = std::mem::replace(&mut before, key) < key;
            let is_amount = !amount.is_negative() && amount != Decimal::ZERO;
            let keeps = is_new && is_amount && low <= high && high > 0;
            if !keeps || !total.keep(at, amount, Times { low, high }) {
                return None;
            }
        }
        Some(total)
    }
}

impl Register for WindowTotal {
    #[inline]
    fn of<'s>(holds: Holds, at: Time, operand: Operand<'s>) -> Expense {
        let Holds([call, ..]) = holds;
        Expense { payment: Payment::new(call, operand.amount()), at }
    }

    fn receipt(expense: &Expense) -> Receipt {
        Receipt { counted: expense.payment.occurs, at: expense.at, amount: expense.payment.amount }
    }

    fn again<'s>(receipt: Receipt, _: Operand<'s>) -> Expense {
        Expense { payment: Payment::new(receipt.counted, receipt.amount), at: receipt.at }
    }

    fn give_back(&mut self, _: TotalLimit, expense: &Expense, failed: Truth) {
        let Some(amount) = expense.payment.amount else { return };
        let counted = expense.payment.occurs;
        let less = Times {
            low: u64::from(counted == Truth::True && failed != Truth::False),
            high: u64::from(counted != Truth::False && failed == Truth::True),
        };
        self.take(expense.at, amount, less);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Val;
    use Truth::{False, True, Unknown};

    fn hundred() -> TotalLimit {
        TotalLimit { limit: Decimal::from(100u32), window: Duration::from_nanos(60) }
    }

    fn pay(at: i128, amount: &str, occurs: Truth) -> Expense {
        let amount = Operand::Value(Decimal::parse(amount).map(Val::Number));
        WindowTotal::of(Holds([occurs, False, False]), Time::from_nanos(at), amount)
    }

    fn after(steps: &[Expense]) -> WindowTotal {
        let mut total = WindowTotal::fresh(hundred());
        steps.iter().for_each(|step| total.step(hundred(), step));
        total
    }

    #[test]
    fn the_window_is_closed_and_slides() {
        let total = after(&[pay(0, "60", True), pay(30, "39.5", True)]);
        assert_eq!(total.look(hundred(), &pay(60, "0.5", True)), Verdict::Open);
        assert_eq!(total.look(hundred(), &pay(60, "0.51", True)), Verdict::Violated);
        assert_eq!(total.look(hundred(), &pay(61, "60.5", True)), Verdict::Open);
        assert_eq!(total.look(hundred(), &pay(61, "60.51", True)), Verdict::Violated);
    }

    #[test]
    fn what_is_not_an_amount_is_a_violation_and_adds_nothing() {
        let mut total = after(&[]);
        for wrong in ["-1", "x"] {
            assert_eq!(total.look(hundred(), &pay(0, wrong, True)), Verdict::Violated);
            total.step(hundred(), &pay(0, wrong, True));
        }
        assert_eq!(total.look(hundred(), &pay(0, "x", Unknown)), Verdict::Unestablished);
        total.step(hundred(), &pay(0, "0", True));
        assert!(total == after(&[]), "and nothing of no amount is kept");
    }

    #[test]
    fn what_was_let_go_is_no_larger_for_being_much() {
        let mut gone = after(&[]);
        for at in 0..50 {
            gone.absorb(hundred(), &after(&[pay(at, "1", True), pay(at, "2", True)]));
        }
        assert!(gone.kept.len() <= 64 && gone.latest() == Some(Time::from_nanos(49)));
        assert_eq!(gone.look(hundred(), &pay(60, "1", True)), Verdict::Unestablished);
        assert_eq!(gone.look(hundred(), &pay(110, "1", True)), Verdict::Open);
    }

    #[test]
    fn what_may_have_been_paid_is_not_established_until_it_is_returned() {
        let mut total = after(&[pay(0, "50", True), pay(1, "50", Unknown)]);
        assert_eq!(total.look(hundred(), &pay(2, "1", True)), Verdict::Unestablished);
        total.give_back(hundred(), &pay(1, "50", Unknown), True);
        assert_eq!(total.look(hundred(), &pay(2, "1", True)), Verdict::Open);
        total.give_back(hundred(), &pay(0, "50", True), Unknown);
        assert_eq!(total.look(hundred(), &pay(2, "51", True)), Verdict::Unestablished);
        total.give_back(hundred(), &pay(0, "50", True), True);
        assert!(total == after(&[]));
    }

    #[test]
    fn a_sum_without_a_number_is_not_established_until_it_has_left() {
        let total = after(&[pay(0, "0.0000000000000000000001", True), pay(1, "1000000000000000000", True)]);
        assert!(total.look(hundred(), &pay(61, "1", True)) >= Verdict::Unestablished);
        assert_eq!(total.look(hundred(), &pay(62, "100", True)), Verdict::Open);
    }

    #[test]
    fn a_difference_without_a_number_is_summed_anew() {
        let half = "0.000000000000000000000000000005";
        let unlimited = TotalLimit { limit: Decimal::from(u64::MAX), ..hundred() };
        let mut total = WindowTotal::fresh(unlimited);
        for (at, amount) in [(0, half), (1, half), (50, "100000000")] {
            total.step(unlimited, &pay(at, amount, True));
        }
        total.expire(unlimited, Time::from_nanos(61));
        assert!(total.look(unlimited, &pay(61, "1", True)) <= Verdict::Unestablished);
        total.expire(unlimited, Time::from_nanos(62));
        assert_eq!(total.kept.len(), 1);
    }

    #[test]
    fn memory_is_bounded_and_what_is_not_kept_is_not_forgiven() {
        let mut total = WindowTotal::fresh(hundred());
        let amount = |index: u32| Decimal::from_parts(i128::from(index) + 1, 9);
        for index in 0..70_000 {
            total.step(hundred(), &Expense { payment: Payment::new(True, Some(amount(index))), at: Time::EPOCH });
        }
        assert_eq!(total.kept.len(), MOST_KEPT);
        assert_eq!(total.look(hundred(), &pay(60, "1", True)), Verdict::Unestablished);
        assert_eq!(total.look(hundred(), &pay(61, "1", True)), Verdict::Open);
    }

    #[test]
    fn any_state_is_known_again_after_a_window() {
        let mut total = WindowTotal::any(hundred());
        assert_eq!(total.look(hundred(), &pay(1_000, "1", True)), Verdict::Unestablished);
        assert_eq!(total.expires(hundred()), Some(Time::MIN));
        total.expire(hundred(), Time::from_nanos(1_000));
        assert_eq!(total.look(hundred(), &pay(1_060, "1", True)), Verdict::Unestablished);
        assert_eq!(total.look(hundred(), &pay(1_061, "1", True)), Verdict::Open);
    }

    #[test]
    fn it_is_saved_exactly_and_what_is_out_of_order_is_refused() {
        let total = after(&[pay(0, "60", True), pay(3, "1.5", Unknown), pay(3, "1.5", True)]);
        for total in [total, WindowTotal::any(hundred())] {
            assert!(WindowTotal::load(hundred(), &total.save()) == Some(total));
        }
        let one = |at| (Time::from_nanos(at), Decimal::from(1u32), 1u64, 1u64);
        assert!(WindowTotal::load(hundred(), &(vec![one(1), one(0)], None::<Time>).save()).is_none());
        assert!(WindowTotal::load(hundred(), &(vec![one(1), one(1)], None::<Time>).save()).is_none());
        assert!(
            WindowTotal::load(hundred(), &(vec![(Time::EPOCH, Decimal::ZERO, 1u64, 1u64)], None::<Time>).save())
                .is_none()
        );
    }
}
