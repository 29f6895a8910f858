//! `at_most_distinct`: the different values so far.

use serde_json::Value;

use crate::exact::Saved;
use crate::instances::{Cell, Whole};
use crate::key::Part;
use crate::register::{FEW, Holds, Operand, Receipt, Register, perhaps, weigh};
use crate::{Time, Truth, Verdict};

/// A set of at most as many values as the rule allows: a value too many that occurs all the same is not added.
///
/// INVARIANT: at most twice as many values are known as the rule allows, in their order, of which the certain ones are no more
/// than `low`; of further ones, which are only possible, there is the number. The set has at least `low` members, and at most
/// as many as are known and unknown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Distinct {
    known: Vec<Member>,
    /// How many others there may be, nobody knows which.
    unknown: u64,
    low: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Member {
    value: Part<'static>,
    certain: bool,
}

/// An occurrence with its value; `None`: it cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Occurrence<'s> {
    occurs: Truth,
    value: Option<Part<'s>>,
}

impl Saved for Member {
    fn save(&self) -> Value {
        (self.value.clone(), self.certain).save()
    }

    fn load(saved: &Value) -> Option<Self> {
        let (value, certain) = Saved::load(saved)?;
        Some(Self { value, certain })
    }
}

fn count(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}

impl Distinct {
    fn find(&self, value: &Part<'_>) -> Result<usize, usize> {
        self.known.binary_search_by(|member| {
            let known: &Part<'_> = &member.value;
            known.cmp(value)
        })
    }

    fn certain(&self) -> u64 {
        count(self.known.iter().filter(|member| member.certain).count())
    }

    /// A set that is full of certain values has no others: what would be one too many was not added.
    fn settle(&mut self, limit: u64) {
        if self.certain() >= limit {
            self.known.retain(|member| member.certain);
            (self.unknown, self.low) = (0, self.certain());
        }
    }

    /// Whether the set is full where it lacks the value: certainly, perhaps. `None`: it certainly has the value.
    fn fullness(&self, limit: u64, value: &Part<'_>) -> Option<(bool, bool)> {
        let others = match self.find(value) {
            Ok(at) if self.known.get(at).is_some_and(|member| member.certain) => return None,
            Ok(_) => self.known.len().saturating_sub(1),
            Err(_) => self.known.len(),
        };
        let is_new = others == self.known.len() && self.unknown == 0;
        Some((is_new && self.low >= limit, count(others).saturating_add(self.unknown) >= limit))
    }

    fn add(&mut self, limit: u64, value: &Part<'_>, occurs: Truth) {
        let Some((full, perhaps_full)) = self.fullness(limit, value) else { return };
        if full {
            return;
        }
        let place = self.find(value);
        let certain = occurs == Truth::True && !perhaps_full;
        if occurs == Truth::True {
            // It was there already, or is new; then there is one more, if it is added.
            let at_least = if place.is_err() && self.unknown == 0 { self.low } else { self.certain() };
            self.low = self.low.max(at_least.saturating_add(1)).min(limit);
        }
        match place {
            Ok(at) => self.known.get_mut(at).into_iter().for_each(|member| member.certain |= certain),
            Err(at) => self.known.insert(at, Member { value: value.clone().into_owned(), certain }),
        }
        self.bound(limit);
    }

    fn bound(&mut self, limit: u64) {
        while count(self.known.len()) > limit.saturating_mul(2) {
            let Some(possible) = self.known.iter().rposition(|member| !member.certain) else { break };
            self.known.remove(possible);
            self.unknown = self.unknown.saturating_add(1);
        }
        self.unknown = self.unknown.min(limit);
        self.settle(limit);
    }
}

impl Cell for Distinct {
    type Kept = Whole<Self>;
    /// The most that is allowed.
    type Rule<'r> = u32;
    type Step<'s> = Occurrence<'s>;

    fn fresh(_: u32) -> Self {
        Self { known: Vec::new(), unknown: 0, low: 0 }
    }

    fn any(limit: u32) -> Self {
        Self { unknown: u64::from(limit), ..Self::fresh(limit) }
    }

    fn verdict(&self, _: u32) -> Verdict {
        Verdict::Open
    }

    fn is_read(occurrence: &Occurrence<'_>) -> bool {
        occurrence.occurs != Truth::Unknown && occurrence.value.is_some()
    }

    fn look(&self, limit: u32, occurrence: &Occurrence<'_>) -> Verdict {
        let fullness = match &occurrence.value {
            Some(value) => self.fullness(u64::from(limit), value),
            None => Some((false, true)),
        };
        fullness.map_or(Verdict::Open, |(full, perhaps_full)| weigh(occurrence.occurs, full, perhaps_full))
    }

    fn step(&mut self, limit: u32, occurrence: &Occurrence<'_>) {
        let limit = u64::from(limit);
        match &occurrence.value {
            _ if occurrence.occurs == Truth::False => {}
            Some(value) => self.add(limit, value, occurrence.occurs),
            None => {
                self.unknown = self.unknown.saturating_add(1).min(limit);
                self.settle(limit);
            }
        }
    }

    fn perhaps(&mut self, limit: u32, occurrence: &Occurrence<'_>) {
        self.step(limit, &Occurrence { occurs: perhaps(occurrence.occurs), value: occurrence.value.clone() });
    }

    fn absorb(&mut self, limit: u32, other: &Self) {
        if limit <= FEW {
            return self.join(limit, other);
        }
        *self = Self::any(limit);
    }

    fn join(&mut self, limit: u32, other: &Self) {
        for member in &mut self.known {
            let theirs = other.find(&member.value).ok().and_then(|at| other.known.get(at));
            member.certain &= theirs.is_some_and(|theirs| theirs.certain);
        }
        for member in &other.known {
            if let Err(at) = self.find(&member.value) {
                self.known.insert(at, Member { value: member.value.clone(), certain: false });
            }
        }
        self.unknown = self.unknown.max(other.unknown);
        self.low = self.low.min(other.low);
        self.bound(u64::from(limit));
    }

    fn save(&self) -> Value {
        (self.known.clone(), self.unknown, self.low).save()
    }

    fn load(limit: u32, saved: &Value) -> Option<Self> {
        let (known, unknown, low): (Vec<Member>, u64, u64) = Saved::load(saved)?;
        let limit = u64::from(limit);
        let in_order = known.is_sorted_by(|one, next| one.value < next.value);
        let most = count(known.len()).saturating_add(unknown).min(limit);
        let mut distinct = Self { known, unknown, low };
        let fits = in_order && unknown <= limit && low <= most && distinct.certain() <= low;
        distinct.bound(limit);
        fits.then_some(distinct)
    }
}

/// A value stays, whatever becomes of the call that brought it: another call may have brought it since.
impl Register for Distinct {
    #[inline]
    fn of<'s>(holds: Holds, _: Time, operand: Operand<'s>) -> Occurrence<'s> {
        let Holds([occurs, ..]) = holds;
        Occurrence { occurs, value: operand.part() }
    }

    fn receipt(_: &Occurrence<'_>) -> Receipt {
        Receipt::NOTHING
    }

    fn again<'s>(receipt: Receipt, operand: Operand<'s>) -> Occurrence<'s> {
        Occurrence { occurs: receipt.counted, value: operand.part() }
    }

    fn give_back(&mut self, _: u32, _: &Occurrence<'_>, _: Truth) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Val;
    use Truth::{False, True, Unknown};

    fn occurs(value: &str, occurs: Truth) -> Occurrence<'_> {
        let value = (!value.is_empty()).then(|| Val::text(value));
        Distinct::of(Holds([occurs, False, False]), Time::EPOCH, Operand::Value(value))
    }

    fn after(limit: u32, steps: &[(&str, Truth)]) -> Distinct {
        let mut distinct = Distinct::fresh(limit);
        steps.iter().for_each(|(value, truth)| distinct.step(limit, &occurs(value, *truth)));
        distinct
    }

    #[test]
    fn a_value_that_has_occurred_never_violates() {
        let distinct = after(2, &[("a", True), ("b", True), ("a", True)]);
        assert_eq!(distinct.look(2, &occurs("a", True)), Verdict::Open);
        assert_eq!(distinct.look(2, &occurs("c", True)), Verdict::Violated);
        assert_eq!(distinct.look(2, &occurs("c", Unknown)), Verdict::Unestablished);
        assert_eq!(Distinct::fresh(0).look(0, &occurs("a", True)), Verdict::Violated);
    }

    #[test]
    fn a_value_too_many_is_not_added() {
        let distinct = after(1, &[("a", True), ("b", True)]);
        assert_eq!(distinct, after(1, &[("a", True)]));
    }

    #[test]
    fn a_value_that_cannot_be_read_may_be_one_more() {
        let distinct = after(2, &[("a", True), ("", True)]);
        assert_eq!(distinct.look(2, &occurs("a", True)), Verdict::Open);
        assert_eq!(distinct.look(2, &occurs("b", True)), Verdict::Unestablished);
        assert_eq!(Distinct::fresh(9).look(9, &occurs("", True)), Verdict::Unestablished);
    }

    #[test]
    fn what_is_full_with_one_of_two_values_is_full() {
        // Either `a` has occurred, and `b` was one too many; or it has not, and `b` is there.
        let distinct = after(1, &[("a", Unknown), ("b", True)]);
        assert_eq!(distinct.look(1, &occurs("a", True)), Verdict::Unestablished);
        assert_eq!(distinct.look(1, &occurs("c", True)), Verdict::Violated);
    }

    #[test]
    fn memory_is_bounded_by_the_limit() {
        let mut distinct = Distinct::fresh(3);
        for index in 0..1_000 {
            let value = index.to_string();
            distinct.step(3, &occurs(&value, Unknown));
            distinct.perhaps(3, &occurs("", True));
            assert!(distinct.known.len() <= 6 && distinct.unknown <= 3);
        }
        assert_eq!(distinct.look(3, &occurs("0", True)), Verdict::Unestablished);
    }

    #[test]
    fn it_is_saved_exactly_and_what_no_run_saves_is_refused() {
        for distinct in [after(3, &[("b", True), ("a", Unknown), ("", True)]), Distinct::any(3)] {
            assert_eq!(Distinct::load(3, &distinct.save()), Some(distinct));
        }
        let member = |value: &str, certain| (Part::new(Some(Val::text(value))).unwrap().into_owned(), certain);
        let saved = |known: Vec<(Part<'static>, bool)>, unknown: u64, low: u64| (known, unknown, low).save();
        assert_eq!(Distinct::load(3, &saved(vec![member("b", true), member("a", true)], 0, 2)), None);
        assert_eq!(Distinct::load(3, &saved(vec![member("a", true)], 0, 0)), None);
        assert_eq!(Distinct::load(3, &saved(vec![member("a", true)], 0, 2)), None);
        assert_eq!(Distinct::load(0, &saved(vec![member("a", true)], 0, 1)), None);
        assert_eq!(Distinct::load(3, &saved(vec![], 4, 0)), None);
    }
}
