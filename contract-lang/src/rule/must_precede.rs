//! `must_precede: { first, then, consume?, expires?, void_on? }`: the dependent action may run only after its
//! prerequisite.
//!
//! ```yaml
//! must_precede: { first: confirm, then: delete, consume: true, expires: 10m, void_on: ok(undo) }
//! ```
//! ```text
//! delete             | block | open
//! confirm → failed   | allow | open
//! delete             | block | open
//! confirm            | allow | open
//! delete             | allow | open
//! delete             | block | open
//! confirm            | allow | open
//! undo               | allow | open
//! delete             | block | open
//! confirm            | allow | open
//! 10m later          |       | open
//! delete             | allow | open
//! confirm            | allow | open
//! 601s later         |       | open
//! delete             | block | open
//! end                |       | satisfied
//! ```
//!
//! Patterns: `[first, then]`, and `void_on`, if given, as the third. Formula: `!then W (first and !then)`. Once `first`
//! has happened the rule is satisfied for good: one occurrence allows any number of `then`. An event that is both is a
//! `then` without a `first` before it, and violates; it does not vouch for itself.
//!
//! With `consume` an admitted `then` takes the permission, of which there is one, not a number; with `void_on` that event
//! takes it. Judged first, then stepped: an event that is `first` and `then` is judged with the permission from before, and
//! leaves none where `then` takes it; `void_on` wins over `first`. These make the automaton of [`Permission`].
//!
//! With `expires` the rule keeps a register: the time of the latest `first`. `then` at `now` is fine exactly if
//! `now - time <= expires`. It is open as long as the session lasts.

use super::words::{extent, first, proof, quoted};
use super::{Template, Words};
use crate::ast::{Extent, MustPrecede, Rule, Source, Window};
use crate::automaton::Steps;
use crate::formula::Formula;
use crate::mir::{Clock, Kind, Pattern, Register};
use crate::resolve::lowering::Lowering;
use crate::resolve::role::Role;
use crate::source::Spanned;

/// The formula over `[first, then]`.
#[must_use]
pub fn formula() -> Formula {
    let (first, then) = (Formula::name(0), Formula::name(1));
    (!then.clone()).weak_until(Formula::all([first, !then]))
}

/// A permission that can be taken away, over `[first, then, void]`. Its states: violated, or whether it is there.
#[derive(Clone, Copy, Debug)]
pub struct Permission {
    /// Whether `then` takes it.
    pub consume: bool,
}

impl Steps for Permission {
    type State = Option<bool>;

    fn initial(&self) -> Option<bool> {
        Some(false)
    }

    fn step(&self, state: &Option<bool>, letter: u8) -> Option<bool> {
        let there = (*state)?;
        let [first, then, void] = [1, 2, 4].map(|bit| letter & bit != 0);
        match then {
            true if !there => None,
            _ if void => Some(false),
            true if self.consume => Some(false),
            _ => Some(there || first),
        }
    }

    fn may_end(&self, state: &Option<bool>) -> bool {
        state.is_some()
    }
}

/// A prerequisite as it is written, for both kinds that have one.
pub(super) struct Prerequisite<'a> {
    pub(super) first: &'a Source,
    pub(super) then: &'a Source,
    pub(super) consume: bool,
    pub(super) expires: Option<Window>,
    pub(super) void_on: Option<&'a Source>,
}

impl<'a> Prerequisite<'a> {
    pub(super) fn patterns(&self) -> Vec<(&'a Source, Role)> {
        let two = [(self.first, Role::PROOF), (self.then, Role::GUARDED)];
        two.into_iter().chain(self.void_on.map(|void| (void, Role::VOID))).collect()
    }

    pub(super) fn lower(&self, patterns: Vec<Pattern>, lowering: &mut Lowering<'_, '_>) -> Option<Kind> {
        let consume = self.consume;
        if let Some(expires) = self.expires {
            let register = Register::Permission { expires: expires.duration(), consume };
            return Some(lowering.register(patterns, register, Clock::Time, None));
        }
        match consume || self.void_on.is_some() {
            true => lowering.stepping(Permission { consume }, patterns),
            false => lowering.automaton(&formula(), patterns),
        }
    }

    /// What makes the permission less than one for good, as the end of a sentence.
    pub(super) fn limits(&self) -> String {
        let expires = self.expires.map(|window| format!(" at most {} before", extent(Extent::Time(window))));
        let consume = self.consume.then(|| ", once for each time".to_owned());
        let void = self.void_on.map(|void| format!(", and not after {}", quoted(void)));
        [expires, consume, void].into_iter().flatten().collect()
    }
}

pub(super) fn is_set(flag: Option<Spanned<bool>>) -> bool {
    flag.is_some_and(|flag| flag.value)
}

impl MustPrecede {
    fn prerequisite(&self) -> Prerequisite<'_> {
        Prerequisite {
            first: &self.first,
            then: &self.then,
            consume: is_set(self.consume),
            expires: self.expires.map(|window| window.value),
            void_on: self.void_on.as_ref(),
        }
    }
}

impl Template for MustPrecede {
    fn patterns(&self) -> Vec<(&Source, Role)> {
        self.prerequisite().patterns()
    }

    fn names(&self) -> Vec<&str> {
        vec!["first", "then", "void_on"]
    }

    fn lower(&self, patterns: Option<Vec<Pattern>>, lowering: &mut Lowering<'_, '_>) -> Option<Kind> {
        self.prerequisite().lower(patterns?, lowering)
    }

    fn violating(&self) -> std::ops::Range<usize> {
        1..2
    }

    fn words(&self, rule: &Rule) -> Words {
        let limits = self.prerequisite().limits();
        Words {
            says: format!("{} is allowed only after {}{limits}", quoted(&self.then), proof(&self.first)),
            advice: first(&self.first, rule),
        }
    }
}

#[cfg(test)]
mod tests {
    use contract_runtime::Colour::{Open, Satisfied, Violated};

    use super::*;
    use crate::automaton::{construct, construct_steps, walk::colour_after};
    use crate::diagnostic::Code;
    use crate::rule::fixture::{assert_mistake, register, rule};

    const FIRST: u8 = 1;
    const THEN: u8 = 2;
    const VOID: u8 = 4;
    const EVERY: [u8; 7] = [1, 2, 3, 4, 5, 6, 7];

    #[test]
    fn one_prerequisite_satisfies_for_good() {
        let machine = construct(&formula(), 2, &[FIRST, THEN]).unwrap();
        assert_eq!(machine.colours, [Open, Satisfied, Violated]);
        assert_eq!(machine.delta, [0, 1, 2, 0, 1, 1, 1, 1, 2, 2, 2, 2]);
    }

    #[test]
    fn an_event_that_is_both_does_not_vouch_for_itself() {
        let machine = construct(&formula(), 2, &[FIRST, THEN, FIRST | THEN]).unwrap();
        assert_eq!(machine.colours, [Open, Satisfied, Violated]);
        assert_eq!(machine.delta, [0, 1, 2, 2, 1, 1, 1, 1, 2, 2, 2, 2]);
    }

    #[test]
    fn a_permission_that_is_consumed_is_good_for_one() {
        let machine = construct_steps(Permission { consume: true }, 2, &[FIRST, THEN, FIRST | THEN]).unwrap();
        assert_eq!(machine.colours, [Open, Open, Violated]);
        for (word, colour) in [
            (&[THEN][..], Violated),
            (&[FIRST, THEN], Open),
            (&[FIRST, THEN, THEN], Violated),
            (&[FIRST, FIRST, THEN, THEN], Violated),
            (&[FIRST | THEN], Violated),
            (&[FIRST, FIRST | THEN], Open),
            (&[FIRST, FIRST | THEN, THEN], Violated),
        ] {
            assert_eq!(colour_after(&machine, word), colour, "{word:?}");
        }
    }

    #[test]
    fn what_voids_wins_over_what_permits() {
        let machine = construct_steps(Permission { consume: false }, 3, &EVERY).unwrap();
        assert_eq!(machine.colours, [Open, Open, Violated]);
        for (word, colour) in [
            (&[FIRST, THEN, THEN][..], Open),
            (&[FIRST, VOID, THEN], Violated),
            (&[FIRST | VOID, THEN], Violated),
            (&[FIRST, THEN | VOID], Open),
            (&[FIRST, THEN | VOID, THEN], Violated),
            (&[FIRST, FIRST | THEN, THEN], Open),
            (&[THEN | VOID], Violated),
        ] {
            assert_eq!(colour_after(&machine, word), colour, "{word:?}");
        }
    }

    #[test]
    fn what_is_written_decides_what_is_kept() {
        let states = |text: &str| match rule(text).kind {
            Kind::Automaton { machine, template: "must_precede", .. } => machine.colours,
            other => panic!("{other:?}"),
        };
        assert_eq!(states("must_precede: { first: a, then: b, consume: false }"), [Open, Satisfied, Violated]);
        assert_eq!(states("must_precede: { first: a, then: b, consume: true }"), [Open, Open, Violated]);
        assert_eq!(states("must_precede: { first: a, then: b, void_on: ok(c) }"), [Open, Open, Violated]);
        let limited = "must_precede: { first: a, then: b, expires: 10m, consume: true, void_on: failed(c) }";
        let expires = contract_runtime::Duration::from_nanos(600_000_000_000);
        assert_eq!(register(limited), Register::Permission { expires, consume: true });
        assert_eq!(rule(limited).patterns().len(), 3);
    }

    #[test]
    fn what_voids_has_a_phase() {
        let voids = "must_precede: { first: a, then: b, void_on: c }";
        assert_mistake(voids, Code::MissingPhase, "c", "`c` has no phase");
    }

    #[test]
    fn a_permission_is_good_for_longer_than_nothing() {
        let never = "must_precede: { first: a, then: b, expires: 0s }";
        assert_mistake(never, Code::BadValue, "0s", "`0s` is not a duration");
    }
}
