//! `must_precede` with `expires`: a permission that is good for some time.

use serde_json::Value;

use crate::exact::Saved;
use crate::instances::{Cell, Whole};
use crate::register::{Holds, Operand, Receipt, Register, SOMETIME, lapses, weigh};
use crate::{Duration, Time, Truth, Verdict};

/// When the permission was given that holds: certainly not before `certain`, at the latest at `possible`.
///
/// INVARIANT: what is certain is possible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Permission {
    certain: Option<Time>,
    possible: Option<Time>,
}

/// How long a permission is good for, and whether it is good for once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PermissionRule {
    /// How long.
    pub expires: Duration,
    /// Whether the call that it permits takes it.
    pub consume: bool,
}

/// What an event is: it gives the permission, needs it, or ends it. It is judged with the permission from before, and ending
/// wins over giving.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grant {
    first: Truth,
    then: Truth,
    void: Truth,
    at: Time,
}

impl Permission {
    fn give(&mut self, given: Truth, at: Time) {
        if given != Truth::False {
            self.possible = Some(at);
        }
        if given == Truth::True {
            self.certain = Some(at);
        }
    }

    fn take(&mut self, taken: Truth) {
        if taken != Truth::False {
            self.certain = None;
        }
        if taken == Truth::True {
            self.possible = None;
        }
    }
}

fn holds(given: Option<Time>, rule: PermissionRule, now: Time) -> bool {
    given.is_some_and(|given| now.since(given) <= rule.expires)
}

impl Cell for Permission {
    type Kept = Whole<Self>;
    type Rule<'r> = PermissionRule;
    type Step<'s> = Grant;

    fn fresh(_: PermissionRule) -> Self {
        Self { certain: None, possible: None }
    }

    fn any(_: PermissionRule) -> Self {
        Self { certain: None, possible: Some(SOMETIME) }
    }

    fn verdict(&self, _: PermissionRule) -> Verdict {
        Verdict::Open
    }

    fn is_read(grant: &Grant) -> bool {
        grant.then != Truth::Unknown
    }

    #[inline]
    fn look(&self, rule: PermissionRule, grant: &Grant) -> Verdict {
        weigh(grant.then, !holds(self.possible, rule, grant.at), !holds(self.certain, rule, grant.at))
    }

    #[inline]
    fn step(&mut self, rule: PermissionRule, grant: &Grant) {
        self.expire(rule, grant.at);
        self.give(grant.first, grant.at);
        if rule.consume {
            self.take(grant.then);
        }
        self.take(grant.void);
    }

    fn join(&mut self, _: PermissionRule, other: &Self) {
        self.certain = self.certain.zip(other.certain).map(|(one, other)| one.min(other));
        self.possible = self.possible.max(other.possible);
    }

    /// Whatever `base` may permit, this certainly does.
    fn is_lenient(&self, _: PermissionRule, base: &Self) -> bool {
        base.possible <= self.certain
    }

    fn expires(&self, rule: PermissionRule) -> Option<Time> {
        lapses(self.possible?, rule.expires)
    }

    fn expire(&mut self, rule: PermissionRule, now: Time) -> Verdict {
        // What has happened has not happened later than now.
        self.certain = self.certain.filter(|_| holds(self.certain, rule, now));
        self.possible = self.possible.map(|given| given.min(now)).filter(|_| holds(self.possible, rule, now));
        Verdict::Satisfied
    }

    fn save(&self) -> Value {
        (self.certain, self.possible).save()
    }

    fn load(_: PermissionRule, saved: &Value) -> Option<Self> {
        let (certain, possible) = Saved::load(saved)?;
        (certain <= possible).then_some(Self { certain, possible })
    }
}

/// Nothing is counted, so nothing is returned.
impl Register for Permission {
    #[inline]
    fn of<'s>(holds: Holds, at: Time, _: Operand<'s>) -> Grant {
        let Holds([first, then, void]) = holds;
        Grant { first, then, void, at }
    }

    fn receipt(_: &Grant) -> Receipt {
        Receipt::NOTHING
    }

    fn again<'s>(receipt: Receipt, _: Operand<'s>) -> Grant {
        Grant { first: Truth::False, then: Truth::False, void: Truth::False, at: receipt.at }
    }

    fn give_back(&mut self, _: PermissionRule, _: &Grant, _: Truth) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use Truth::{False, True, Unknown};

    const KEPT: PermissionRule = PermissionRule { expires: Duration::from_nanos(10), consume: false };
    const TAKEN: PermissionRule = PermissionRule { consume: true, ..KEPT };

    fn grant(nanos: i128, holds: [Truth; 3]) -> Grant {
        Permission::of(Holds(holds), Time::from_nanos(nanos), Operand::None)
    }

    fn first(nanos: i128) -> Grant {
        grant(nanos, [True, False, False])
    }

    fn then(nanos: i128) -> Grant {
        grant(nanos, [False, True, False])
    }

    fn after(rule: PermissionRule, steps: &[Grant]) -> Permission {
        let mut permission = Permission::fresh(rule);
        steps.iter().for_each(|step| permission.step(rule, step));
        permission
    }

    #[test]
    fn a_permission_is_good_for_as_long_as_it_says_and_is_renewed() {
        let permission = after(KEPT, &[first(0)]);
        assert_eq!(permission.look(KEPT, &then(10)), Verdict::Open);
        assert_eq!(permission.look(KEPT, &then(11)), Verdict::Violated);
        assert_eq!(after(KEPT, &[first(0), then(5), first(8)]).look(KEPT, &then(18)), Verdict::Open);
        assert_eq!(Permission::fresh(KEPT).look(KEPT, &then(0)), Verdict::Violated);
    }

    #[test]
    fn what_is_taken_is_gone() {
        assert_eq!(after(TAKEN, &[first(0), then(1)]).look(TAKEN, &then(2)), Verdict::Violated);
        assert_eq!(after(KEPT, &[first(0), then(1)]).look(KEPT, &then(2)), Verdict::Open);
        let both = grant(1, [True, True, False]);
        assert_eq!(after(TAKEN, &[both]).look(TAKEN, &then(2)), Verdict::Violated, "gone, as it would be taken");
        assert_eq!(after(KEPT, &[both]).look(KEPT, &then(2)), Verdict::Open, "counts afterwards");
        assert_eq!(Permission::fresh(KEPT).look(KEPT, &both), Verdict::Violated, "and not for itself");
    }

    #[test]
    fn ending_wins_over_giving() {
        let void = grant(1, [True, False, True]);
        assert_eq!(after(KEPT, &[first(0), void]).look(KEPT, &then(2)), Verdict::Violated);
        let perhaps = grant(1, [False, False, Unknown]);
        assert_eq!(after(KEPT, &[first(0), perhaps]).look(KEPT, &then(2)), Verdict::Unestablished);
    }

    #[test]
    fn what_is_only_possible_is_not_established() {
        let perhaps = grant(5, [Unknown, False, False]);
        let permission = after(KEPT, &[first(0), perhaps]);
        assert_eq!(permission.look(KEPT, &then(10)), Verdict::Open);
        assert_eq!(permission.look(KEPT, &then(15)), Verdict::Unestablished);
        assert_eq!(permission.look(KEPT, &then(16)), Verdict::Violated);
        let maybe_then = grant(0, [False, Unknown, False]);
        assert_eq!(Permission::fresh(KEPT).look(KEPT, &maybe_then), Verdict::Unestablished);
    }

    #[test]
    fn any_state_is_known_again_after_the_time_of_a_permission() {
        let mut permission = Permission::any(KEPT);
        assert_eq!(permission.look(KEPT, &then(100)), Verdict::Unestablished);
        assert_eq!(permission.expires(KEPT), Some(Time::MIN));
        permission.expire(KEPT, Time::from_nanos(100));
        assert_eq!(permission.look(KEPT, &then(110)), Verdict::Unestablished);
        assert_eq!(permission.look(KEPT, &then(111)), Verdict::Violated);
    }

    #[test]
    fn it_is_saved_exactly() {
        for permission in [after(KEPT, &[first(0), grant(3, [Unknown, False, False])]), Permission::any(KEPT)] {
            assert_eq!(Permission::load(KEPT, &permission.save()), Some(permission));
        }
        assert_eq!(Permission::load(KEPT, &(Some(Time::EPOCH), None::<Time>).save()), None);
    }
}
