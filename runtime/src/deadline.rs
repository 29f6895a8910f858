//! `must_be_followed_by` with `within`: obligations that run out.

use serde_json::Value;

use crate::exact::Saved;
use crate::instances::{Cell, Whole};
use crate::register::{Holds, Operand, Receipt, Register, SOMETIME, lapses, perhaps};
use crate::{Duration, Time, Truth, Verdict};

/// The triggers that have no answer: those that certainly have none, and those that perhaps happened, or perhaps have none.
/// Of each the first and the last: when the first has run out, the obligation since the last one remains.
///
/// Where a trigger that perhaps happened came before one that certainly did, the obligation may run out twice in a row, and the
/// second time is certain only in that by then it was violated once. So what is said is true of the trace, if not of the
/// moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deadline {
    certain: Option<Span>,
    possible: Option<Span>,
}

/// The first and the last of some triggers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Span {
    first: Time,
    last: Time,
}

/// What an event is: a trigger, an answer, or both; then it answers earlier triggers and has none itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Due {
    after: Truth,
    then: Truth,
    at: Time,
}

impl Span {
    fn at(at: Time) -> Self {
        Self { first: at, last: at }
    }

    /// The triggers of both.
    fn with(self, other: Option<Self>) -> Self {
        other.map_or(self, |other| Self { first: self.first.min(other.first), last: self.last.max(other.last) })
    }

    /// What is left at a time, and whether the first has run out.
    fn left(self, within: Duration, now: Time) -> (Option<Self>, bool) {
        // What has happened has not happened later than now.
        let Self { first, last } = Self { first: self.first.min(now), last: self.last.min(now) };
        let is_over = |trigger| now.since(trigger) > within;
        match (is_over(first), is_over(last)) {
            (false, _) => (Some(Self { first, last }), false),
            (true, false) => (Some(Self::at(last)), true),
            (true, true) => (None, true),
        }
    }
}

impl Saved for Span {
    fn save(&self) -> Value {
        (self.first, self.last).save()
    }

    fn load(saved: &Value) -> Option<Self> {
        let (first, last) = Saved::load(saved)?;
        (first <= last).then_some(Self { first, last })
    }
}

impl Deadline {
    /// Answers all triggers, as far as is known.
    fn answer(&mut self, then: Truth) {
        self.possible = match then {
            Truth::True => None,
            Truth::False => return,
            Truth::Unknown => self.certain.map_or(self.possible, |certain| Some(certain.with(self.possible))),
        };
        self.certain = None;
    }

    /// Takes a trigger, as far as it is known to be one.
    fn trigger(&mut self, after: Truth, at: Time) {
        let at = Span::at(at);
        match after {
            Truth::True => self.certain = Some(self.certain.map_or(at, |certain| certain.with(Some(at)))),
            Truth::Unknown => self.possible = Some(at.with(self.possible)),
            Truth::False => {}
        }
    }
}

impl Cell for Deadline {
    type Kept = Whole<Self>;
    /// How long an answer may take.
    type Rule<'r> = Duration;
    type Step<'s> = Due;

    fn fresh(_: Duration) -> Self {
        Self { certain: None, possible: None }
    }

    fn any(_: Duration) -> Self {
        Self { certain: None, possible: Some(Span::at(SOMETIME)) }
    }

    fn verdict(&self, _: Duration) -> Verdict {
        match (self.certain, self.possible) {
            (Some(_), _) => Verdict::Pending,
            (None, Some(_)) => Verdict::Unestablished,
            (None, None) => Verdict::Open,
        }
    }

    fn owes(&self, _: Duration) -> Truth {
        match (self.certain, self.possible) {
            (Some(_), _) => Truth::True,
            (None, Some(_)) => Truth::Unknown,
            (None, None) => Truth::False,
        }
    }

    fn is_read(due: &Due) -> bool {
        due.after != Truth::Unknown && due.then != Truth::Unknown
    }

    /// The verdict at rest after the step: a step never violates the rule.
    fn look(&self, within: Duration, due: &Due) -> Verdict {
        let mut stepped = *self;
        stepped.step(within, due);
        stepped.verdict(within)
    }

    fn step(&mut self, within: Duration, due: &Due) {
        self.expire(within, due.at);
        self.answer(due.then);
        self.trigger(due.after, due.at);
    }

    fn perhaps(&mut self, within: Duration, due: &Due) {
        self.step(within, &Due { after: perhaps(due.after), then: perhaps(due.then), at: due.at });
    }

    /// What only one side has to answer is perhaps to be answered.
    fn join(&mut self, _: Duration, other: &Self) {
        if self.certain != other.certain {
            for certain in [self.certain, other.certain].into_iter().flatten() {
                self.possible = Some(certain.with(self.possible));
            }
        }
        self.possible = self.possible.map(|possible| possible.with(other.possible)).or(other.possible);
        self.certain = self.certain.zip(other.certain).map(|(one, other)| {
            let first = one.first.max(other.first);
            Span { first, last: one.last.min(other.last).max(first) }
        });
    }

    fn expires(&self, within: Duration) -> Option<Time> {
        let first = [self.certain, self.possible].into_iter().flatten().map(|span| span.first).min()?;
        lapses(first, within)
    }

    fn expire(&mut self, within: Duration, now: Time) -> Verdict {
        let [(certain, violated), (possible, doubtful)] =
            [self.certain, self.possible].map(|span| span.map_or((None, false), |span| span.left(within, now)));
        *self = Self { certain, possible };
        match (violated, doubtful) {
            (true, _) => Verdict::Violated,
            (false, true) => Verdict::Unestablished,
            (false, false) => Verdict::Satisfied,
        }
    }

    fn save(&self) -> Value {
        (self.certain, self.possible).save()
    }

    fn load(_: Duration, saved: &Value) -> Option<Self> {
        let (certain, possible) = Saved::load(saved)?;
        Some(Self { certain, possible })
    }
}

/// Nothing is counted, so nothing is returned.
impl Register for Deadline {
    #[inline]
    fn of<'s>(holds: Holds, at: Time, _: Operand<'s>) -> Due {
        let Holds([after, then, _]) = holds;
        Due { after, then, at }
    }

    fn receipt(_: &Due) -> Receipt {
        Receipt::NOTHING
    }

    fn again<'s>(receipt: Receipt, _: Operand<'s>) -> Due {
        Due { after: Truth::False, then: Truth::False, at: receipt.at }
    }

    fn give_back(&mut self, _: Duration, _: &Due, _: Truth) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use Truth::{False, True, Unknown};

    const TEN: Duration = Duration::from_nanos(10);

    fn at(nanos: i128) -> Time {
        Time::from_nanos(nanos)
    }

    fn due(nanos: i128, after: Truth, then: Truth) -> Due {
        Deadline::of(Holds([after, then, False]), at(nanos), Operand::None)
    }

    fn after(steps: &[Due]) -> Deadline {
        let mut deadline = Deadline::fresh(TEN);
        steps.iter().for_each(|step| deadline.step(TEN, step));
        deadline
    }

    #[test]
    fn an_answer_in_the_last_moment_is_in_time() {
        let mut deadline = after(&[due(0, True, False)]);
        assert_eq!(deadline.expires(TEN), Some(at(10)));
        assert_eq!((deadline.expire(TEN, at(10)), deadline.verdict(TEN)), (Verdict::Satisfied, Verdict::Pending));
        assert_eq!(deadline.look(TEN, &due(10, False, True)), Verdict::Open);
        assert_eq!((deadline.expire(TEN, at(11)), deadline.verdict(TEN)), (Verdict::Violated, Verdict::Open));
        assert_eq!(deadline.expire(TEN, at(12)), Verdict::Satisfied, "found once");
    }

    #[test]
    fn when_the_first_has_run_out_the_obligation_since_the_last_remains() {
        let mut deadline = after(&[due(0, True, False), due(3, True, False), due(6, True, False)]);
        assert_eq!((deadline.expire(TEN, at(12)), deadline.verdict(TEN)), (Verdict::Violated, Verdict::Pending));
        assert_eq!(deadline.expires(TEN), Some(at(16)));
        assert_eq!((deadline.expire(TEN, at(30)), deadline.verdict(TEN)), (Verdict::Violated, Verdict::Open));
    }

    #[test]
    fn an_event_that_is_both_answers_earlier_ones_and_not_itself() {
        let deadline = after(&[due(0, True, False), due(8, True, True)]);
        assert_eq!((deadline.verdict(TEN), deadline.expires(TEN)), (Verdict::Pending, Some(at(18))));
    }

    #[test]
    fn what_is_only_possible_is_not_established() {
        let mut deadline = after(&[due(0, Unknown, False)]);
        assert_eq!(deadline.verdict(TEN), Verdict::Unestablished);
        assert_eq!((deadline.expire(TEN, at(11)), deadline.verdict(TEN)), (Verdict::Unestablished, Verdict::Open));
        let mut deadline = after(&[due(0, True, False), due(1, False, Unknown)]);
        assert_eq!(deadline.expire(TEN, at(11)), Verdict::Unestablished);
        assert_eq!(after(&[due(0, Unknown, False), due(1, False, True)]).verdict(TEN), Verdict::Open);
    }

    #[test]
    fn any_state_runs_out_once_and_is_over_then() {
        let mut deadline = Deadline::any(TEN);
        assert_eq!((deadline.verdict(TEN), deadline.expires(TEN)), (Verdict::Unestablished, Some(Time::MIN)));
        assert_eq!((deadline.expire(TEN, at(5)), deadline.expires(TEN)), (Verdict::Satisfied, Some(at(15))));
        assert_eq!((deadline.expire(TEN, at(16)), deadline.verdict(TEN)), (Verdict::Unestablished, Verdict::Open));
        assert_eq!(Deadline::any(TEN).look(TEN, &due(5, False, True)), Verdict::Open);
    }

    #[test]
    fn it_is_saved_exactly() {
        for deadline in [after(&[due(-3, True, False), due(4, Unknown, False)]), Deadline::any(TEN)] {
            assert_eq!(Deadline::load(TEN, &deadline.save()), Some(deadline));
        }
        assert_eq!(Deadline::load(TEN, &(Some((at(2), at(1))), None::<(Time, Time)>).save()), None);
    }
}
