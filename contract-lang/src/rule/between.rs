//! `between: { open, close, forbid?, needs? }`: what may not happen from `open` until `close`, and what must.
//!
//! ```yaml
//! between: { open: begin, close: commit, forbid: drop_table, needs: check }
//! ```
//! ```text
//! drop_table      | allow | open
//! commit          | allow | open
//! begin           | allow | open
//! drop_table      | block | open
//! commit          | block | open
//! check → failed  | allow | open
//! commit          | block | open
//! check           | allow | open
//! begin           | allow | open
//! commit          | allow | open
//! drop_table      | allow | open
//! begin           | allow | open
//! end             |       | satisfied
//! ```
//!
//! Patterns: `[open, close]`, then `forbid` and `needs` as far as they are given. A scope is from an `open` until the next
//! `close`, or until the end; an `open` in a scope changes nothing. Formulas: `G(open -> WX(close R !forbid))`, and with `A =
//! !open W (open and WX(!close W (needs and !close)))` for what must be true of the next scope, `A and G(close -> A)`.
//!
//! An event is judged by the scope that it falls in. So one that is `forbid` and `close` violates, `needs` in the event of
//! `close` comes too late, and in that of `open` too early; one that is `forbid` and `open` is judged by the scope before it,
//! if any; one that is `close` and `open` closes a scope and opens the next. The rule is open as long as it is not violated:
//! a scope need not be closed.
//!
//! A bare `close` is its success; with `needs`, it is the call, because that is what has to wait.

use super::words::{first, first_call, proof, quoted};
use super::{Template, Words};
use crate::ast::{Between, Rule, Source};
use crate::formula::Formula;
use crate::mir::{Kind, Pattern};
use crate::resolve::lowering::Lowering;
use crate::resolve::role::Role;

/// The formula of `forbid`, the pattern of this index, over `[open, close]` and it.
#[must_use]
pub fn forbids(forbid: u8) -> Formula {
    let (open, close) = (Formula::name(0), Formula::name(1));
    Formula::always(open.implies(Formula::weak_next(close.release(!Formula::name(forbid)))))
}

/// The formula of `needs`, the pattern of this index, over `[open, close]` and it.
#[must_use]
pub fn demands(needs: u8) -> Formula {
    let (open, close) = (|| Formula::name(0), || Formula::name(1));
    let met = Formula::all([Formula::name(needs), !close()]);
    let inside = Formula::weak_next((!close()).weak_until(met));
    let next_scope = (!open()).weak_until(Formula::all([open(), inside]));
    Formula::all([next_scope.clone(), Formula::always(close().implies(next_scope))])
}

impl Between {
    fn formula(&self) -> Formula {
        let needs = 2u8.saturating_add(u8::from(self.forbid.is_some()));
        let forbids = self.forbid.as_ref().map(|_| forbids(2));
        let demands = self.needs.as_ref().map(|_| demands(needs));
        Formula::all([forbids, demands].into_iter().flatten())
    }
}

impl Template for Between {
    fn patterns(&self) -> Vec<(&Source, Role)> {
        let close = if self.needs.is_some() { Role::GUARDED } else { Role::PROOF };
        let scope = [(&self.open, Role::GUARDED), (&self.close, close)];
        let forbid = self.forbid.as_ref().map(|forbid| (forbid, Role::GUARDED));
        let needs = self.needs.as_ref().map(|needs| (needs, Role::PROOF));
        scope.into_iter().chain(forbid).chain(needs).collect()
    }

    fn names(&self) -> Vec<&str> {
        let given = [("forbid", &self.forbid), ("needs", &self.needs)];
        let given = given.into_iter().filter(|(_, pattern)| pattern.is_some()).map(|(name, _)| name);
        ["open", "close"].into_iter().chain(given).collect()
    }

    fn lower(&self, patterns: Option<Vec<Pattern>>, lowering: &mut Lowering<'_, '_>) -> Option<Kind> {
        lowering.automaton(&self.formula(), patterns?)
    }

    fn violating(&self) -> std::ops::Range<usize> {
        let closing = if self.needs.is_some() { 1 } else { 2 };
        closing..if self.forbid.is_some() { 3 } else { 2 }
    }

    fn words(&self, rule: &Rule) -> Words {
        let (open, close) = (quoted(&self.open), quoted(&self.close));
        let forbid = self.forbid.as_ref().map(quoted);
        let forbidden = forbid.as_ref().map(|forbid| format!("{forbid} is not allowed until {close}"));
        let needed = self.needs.as_ref().map(|needs| format!("{close} is allowed only after {}", proof(needs)));
        let closing = if self.needs.is_some() { first_call } else { first };
        let closes = forbid.map(|forbid| (forbid, closing(&self.close, rule)));
        let meets = self.needs.as_ref().map(|needs| (close.clone(), first(needs, rule)));
        let advice = match (closes, meets) {
            (Some((forbid, closes)), Some((close, meets))) => format!("for {forbid}: {closes}; for {close}: {meets}"),
            (closes, meets) => closes.or(meets).map(|(_, advice)| advice).unwrap_or_default(),
        };
        let says: Vec<String> = [forbidden, needed].into_iter().flatten().collect();
        Words { says: format!("after {open}, {}", says.join(", and ")), advice }
    }
}

#[cfg(test)]
mod tests {
    use contract_runtime::Colour::{Open, Violated};

    use super::*;
    use crate::automaton::construct;
    use crate::automaton::walk::colour_after;
    use crate::diagnostic::Code;
    use crate::formula::oracle::words;
    use crate::mir::Phases;
    use crate::rule::fixture::{assert_mistake, phases, rule};

    const OPEN: u8 = 1;
    const CLOSE: u8 = 2;
    const FORBID: u8 = 4;
    const NEEDS: u8 = 8;

    /// A scope as one goes through it, event by event: where one is, and whether what is needed was there.
    fn judge(word: &[u8]) -> bool {
        let mut scope: Option<bool> = None;
        word.iter().all(|letter| {
            let [open, close, forbid, needs] = [OPEN, CLOSE, FORBID, NEEDS].map(|bit| letter & bit != 0);
            let violated = scope.is_some_and(|met| forbid || (close && !met));
            scope = match scope {
                Some(met) if !close => Some(met || needs),
                _ => open.then_some(false),
            };
            !violated
        })
    }

    #[test]
    fn every_word_is_judged_by_the_scopes_that_its_events_fall_in() {
        let letters: Vec<u8> = (1..16).collect();
        let machine = construct(&Formula::all([forbids(2), demands(3)]), 4, &letters).unwrap();
        assert_eq!(machine.colours, [Open, Open, Violated, Open]);
        for word in words(&letters, 4) {
            assert_eq!(colour_after(&machine, &word), if judge(&word) { Open } else { Violated }, "{word:?}");
        }
    }

    #[test]
    fn each_half_says_its_own() {
        let forbidden = construct(&forbids(2), 3, &[OPEN, CLOSE, FORBID]).unwrap();
        assert_eq!(forbidden.colours, [Open, Open, Violated]);
        let needed = construct(&demands(2), 3, &[OPEN, CLOSE, FORBID]).unwrap();
        assert_eq!(needed.colours, [Open, Open, Violated, Open]);
    }

    #[test]
    fn the_scope_that_an_event_falls_in_is_that_before_it() {
        let letters: Vec<u8> = (1..16).collect();
        let machine = construct(&Formula::all([forbids(2), demands(3)]), 4, &letters).unwrap();
        for (word, colour) in [
            (&[OPEN | FORBID][..], Open),
            (&[OPEN, OPEN | FORBID], Violated),
            (&[OPEN, NEEDS, CLOSE | FORBID], Violated),
            (&[OPEN, CLOSE | NEEDS], Violated),
            (&[OPEN | NEEDS, CLOSE], Violated),
            (&[OPEN, NEEDS, OPEN, CLOSE], Open),
            (&[OPEN, NEEDS, OPEN | CLOSE, CLOSE], Violated),
            (&[OPEN, NEEDS, OPEN | CLOSE | NEEDS, CLOSE], Violated),
            (&[NEEDS, OPEN, CLOSE], Violated),
            (&[CLOSE, FORBID, OPEN], Open),
        ] {
            assert_eq!(colour_after(&machine, word), colour, "{word:?}");
        }
    }

    #[test]
    fn what_is_stopped_is_a_call() {
        let none = Phases::default();
        let (call, ok) = (Phases { call: true, ..none }, Phases { ok: true, ..none });
        assert_eq!(phases("between: { open: a, close: b, forbid: c }"), [vec![call], vec![ok], vec![call]]);
        assert_eq!(phases("between: { open: a, close: b, needs: c }"), [vec![call], vec![call], vec![ok]]);
        let both = phases("between: { open: a, close: b, forbid: c, needs: d }");
        assert_eq!(both, [vec![call], vec![call], vec![call], vec![ok]]);
    }

    #[test]
    fn it_says_something() {
        let message = "the rule says nothing of what is between `open` and `close`";
        assert_mistake("between: { open: a, close: b }", Code::MissingField, "open", message);
        let both = rule("between: { open: a, close: b, forbid: c, needs: d }");
        assert_eq!(
            (both.says.as_str(), both.advice.as_str()),
            (
                "after `a`, `c` is not allowed until `b`, and `b` is allowed only after `d` has succeeded",
                "for `c`: first make a call that matches `b`; for `b`: first make a call that matches `d` and succeeds"
            )
        );
        let by_success = rule("between: { open: a, close: b, forbid: c }");
        assert_eq!(by_success.advice, "first make a call that matches `b` and succeeds");
        let by_result = rule("between: { open: a, close: ok(b), forbid: c, needs: d }");
        assert!(by_result.advice.starts_with("for `c`: `ok(b)` has to happen first; "), "{}", by_result.advice);
        let forbids = rule("between: { open: a, close: event(b), forbid: c }");
        assert_eq!(forbids.says, "after `a`, `c` is not allowed until `event(b)`");
        assert_eq!(forbids.advice, "`event(b)` has to happen first");
    }
}
