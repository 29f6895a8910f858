//! `must_be_followed_by: { after, then, within? }`: what happened must be followed by something.
//!
//! ```yaml
//! must_be_followed_by: { after: pay, then: send_receipt, within: 2 calls }
//! guards: close_ticket
//! ```
//! ```text
//! pay → failed   | allow | open
//! pay            | allow | pending
//! close_ticket   | block | pending
//! send_receipt   | allow | open
//! close_ticket   | allow | open
//! pay → unknown  | allow | pending
//! look           | allow | pending
//! look           | allow | pending
//! look           | alert | violated
//! end            |       | violated
//! ```
//!
//! Patterns: `[after, then]`. Formula: `G(after -> X F then)`. An event does not answer itself: one that is both answers
//! what came before and leaves its own obligation. A bare `after` is a success, and an unknown outcome counts as one,
//! because it may have been. The rule is never violated before the session ends; it blocks only what it `guards`.
//!
//! With `within` the rule keeps a register: the first and the last trigger that have no answer. A duration is by the time
//! of the events, and `then` is in time while no more than that has passed. `N calls` counts further admitted calls of
//! the session, of any tool, the trigger's own not counted. An obligation that has run out is one finding, an alert: it
//! latches the rule, is gone, and blocks nothing.

use super::words::{extent, proof, quoted};
use super::{Template, Words};
use crate::ast::{Extent, MustBeFollowedBy, Rule, Source};
use crate::formula::Formula;
use crate::mir::{Clock, Kind, Pattern, Register};
use crate::resolve::lowering::{Lowering, calls};
use crate::resolve::role::Role;

/// The formula over `[after, then]`.
#[must_use]
pub fn formula() -> Formula {
    let (after, then) = (Formula::name(0), Formula::name(1));
    Formula::always(after.implies(Formula::next(Formula::eventually(then))))
}

impl Template for MustBeFollowedBy {
    fn patterns(&self) -> Vec<(&Source, Role)> {
        vec![(&self.after, Role::OBLIGES), (&self.then, Role::PROOF)]
    }

    fn names(&self) -> Vec<&str> {
        vec!["after", "then"]
    }

    fn lower(&self, patterns: Option<Vec<Pattern>>, lowering: &mut Lowering<'_, '_>) -> Option<Kind> {
        let patterns = patterns?;
        let (within, clock) = match self.within.map(|within| within.value) {
            None => return lowering.automaton(&formula(), patterns),
            Some(Extent::Time(window)) => (window.duration(), Clock::Time),
            Some(Extent::Calls(n)) => (calls(n), Clock::Calls),
        };
        Some(lowering.register(patterns, Register::Deadline { within }, clock, None))
    }

    fn owes(&self) -> bool {
        true
    }

    fn violating(&self) -> std::ops::Range<usize> {
        0..0
    }

    fn words(&self, _: &Rule) -> Words {
        let then = proof(&self.then);
        let in_time = match &self.within {
            None => "before the session ends".to_owned(),
            Some(within) => format!("within {}", extent(within.value)),
        };
        Words {
            says: format!("after {}, {then} {in_time}", quoted(&self.after)),
            advice: format!("do what is owed first: {}", quoted(&self.then)),
        }
    }
}

#[cfg(test)]
mod tests {
    use contract_runtime::Colour::{Open, Pending};

    use super::*;
    use crate::automaton::{construct, walk::colour_after};
    use crate::mir::Phases;
    use crate::rule::fixture::{phases, register, rule};

    const AFTER: u8 = 1;
    const THEN: u8 = 2;

    #[test]
    fn an_answer_serves_all_triggers_before_it_and_none_at_its_own_event() {
        let machine = construct(&formula(), 2, &[AFTER, THEN, AFTER | THEN]).unwrap();
        assert_eq!(machine.colours, [Open, Pending]);
        for (word, colour) in [
            (&[AFTER][..], Pending),
            (&[THEN, AFTER], Pending),
            (&[AFTER, AFTER, THEN], Open),
            (&[AFTER, AFTER | THEN], Pending),
            (&[AFTER | THEN, THEN], Open),
        ] {
            assert_eq!(colour_after(&machine, word), colour, "{word:?}");
        }
    }

    #[test]
    fn an_unknown_outcome_obliges_as_a_success_does() {
        let none = Phases::default();
        let found = phases("must_be_followed_by: { after: a where result.x | failed(b) | event(c), then: d }");
        let after = [Phases { ok: true, unknown: true, ..none }, Phases { failed: true, ..none }];
        let event = Phases { event: true, ..none };
        assert_eq!(found, [vec![after[0], after[1], event], vec![Phases { ok: true, ..none }]]);
    }

    #[test]
    fn a_deadline_is_a_duration_or_a_number_of_calls() {
        let within = |text: &str| format!("must_be_followed_by: {{ after: a, then: b, within: {text} }}\nguards: c");
        assert_eq!(register(&within("5 calls")), Register::Deadline { within: calls(5) });
        let tenth = contract_runtime::Duration::from_nanos(100_000_000);
        assert_eq!(register(&within("100ms")), Register::Deadline { within: tenth });
        let kind = |text: &str| rule(&within(text)).kind;
        assert!(matches!(kind("1 call"), Kind::Register { clock: Clock::Calls, .. }));
        assert!(matches!(kind("1d"), Kind::Register { clock: Clock::Time, .. }));
    }
}
