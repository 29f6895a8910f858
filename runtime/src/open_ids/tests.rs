//! What at most so many open ids come to.

use super::*;
use crate::value::Val;
use Truth::{False, True, Unknown};

fn turn(at: i128, open: Truth, close: Truth, id: Option<&str>) -> Turn<'_> {
    let operand = match id {
        None => Operand::None,
        Some("") => Operand::Value(None),
        Some(id) => Operand::Value(Some(Val::text(id))),
    };
    OpenIds::of(Holds([open, close, False]), Time::from_nanos(at), operand)
}

fn open(at: i128, id: &str) -> Turn<'_> {
    turn(at, True, False, Some(id))
}

fn close(id: &str) -> Turn<'_> {
    turn(9, False, True, Some(id))
}

fn after(limit: u32, steps: &[Turn<'_>]) -> OpenIds {
    let mut ids = OpenIds::fresh(limit);
    steps.iter().for_each(|step| ids.step(limit, step));
    ids
}

#[test]
fn an_id_that_is_open_counts_once_and_one_that_is_not_closes_nothing() {
    let ids = after(2, &[open(1, "a"), open(2, "a"), close("x"), open(3, "b")]);
    assert_eq!(ids.look(2, &open(4, "a")), Verdict::Open);
    assert_eq!(ids.look(2, &open(4, "c")), Verdict::Violated);
    assert_eq!(ids.look(2, &close("c")), Verdict::Open);
    assert_eq!(after(1, &[open(1, "a"), close("a")]), OpenIds::fresh(1));
    assert_eq!(after(1, &[turn(1, True, True, Some("a"))]), OpenIds::fresh(1), "opened, then closed");
}

#[test]
fn an_id_too_many_counts_like_any() {
    let mut ids = after(1, &[open(1, "a"), open(2, "b")]);
    ids.step(1, &close("a"));
    assert_eq!(ids.look(1, &open(3, "c")), Verdict::Violated, "b is open");
    ids.step(1, &close("b"));
    assert_eq!(ids, OpenIds::fresh(1));
}

#[test]
fn a_call_that_failed_closes_only_what_it_opened() {
    let mut ids = after(2, &[open(1, "a"), open(2, "b")]);
    ids.give_back(2, &open(2, "b"), True);
    assert_eq!(ids, after(2, &[open(1, "a")]));
    ids.give_back(2, &open(1, "a"), True);
    assert_eq!(ids, OpenIds::fresh(2));
    let mut ids = after(1, &[open(1, "a"), open(2, "a")]);
    ids.give_back(1, &open(1, "a"), True);
    assert_eq!(ids.look(1, &open(3, "b")), Verdict::Violated, "the second call holds it");
    let mut ids = after(2, &[open(1, "a"), close("a"), open(3, "a")]);
    ids.give_back(2, &open(1, "a"), True);
    assert_eq!(ids, after(2, &[open(3, "a")]));
}

#[test]
fn a_call_of_which_nobody_knows_how_it_ended_has_perhaps_opened() {
    let mut ids = after(1, &[open(1, "a")]);
    ids.give_back(1, &open(1, "a"), Unknown);
    assert_eq!(ids.look(1, &open(2, "b")), Verdict::Unestablished);
    assert_eq!(ids.look(1, &open(2, "a")), Verdict::Open);
    ids.step(1, &close("a"));
    assert_eq!(ids, OpenIds::fresh(1));
}

#[test]
fn what_may_have_been_opened_by_either_of_two_calls_stays_possible() {
    let mut ids = after(2, &[turn(1, Unknown, False, Some("a")), open(2, "a")]);
    ids.give_back(2, &open(2, "a"), True);
    assert_eq!(ids.look(2, &open(3, "a")), Verdict::Open);
    assert_eq!((ids.high(), ids.low), (1, 0));
}

#[test]
fn an_id_that_cannot_be_read_opens_or_closes_any() {
    let ids = after(2, &[open(1, "a"), open(2, "")]);
    assert_eq!(ids.look(2, &open(3, "")), Verdict::Unestablished);
    assert_eq!(ids.look(2, &open(3, "b")), Verdict::Unestablished);
    let ids = after(2, &[open(1, "a"), open(2, "b"), close("")]);
    assert_eq!((ids.low, ids.high()), (1, 2));
    assert_eq!(ids.look(2, &open(3, "c")), Verdict::Unestablished);
}

#[test]
fn without_ids_each_opening_is_one_and_each_closing_ends_the_oldest() {
    let (open, close) = (|at| turn(at, True, False, None), turn(9, False, True, None));
    let mut ids = after(2, &[open(1), open(2)]);
    assert_eq!(ids.look(2, &open(3)), Verdict::Violated);
    ids.step(2, &close);
    assert_eq!(ids.look(2, &open(3)), Verdict::Open);
    ids.give_back(2, &open(1), True);
    assert_eq!((ids.low, ids.high()), (1, 1), "it was closed already");
    ids.give_back(2, &open(2), True);
    assert_eq!(ids, OpenIds::fresh(2));
    ids.step(2, &close);
    assert_eq!(ids, OpenIds::fresh(2), "never below nothing");
}

#[test]
fn the_oldest_that_is_only_possible_may_be_the_next_one() {
    let close = turn(9, False, True, None);
    let ids = after(2, &[turn(1, Unknown, False, None), turn(2, True, False, None), close]);
    assert_eq!((ids.low, ids.high()), (0, 1));
}

#[test]
fn memory_is_bounded_by_the_limit_and_nothing_is_lost_by_that() {
    let close = turn(9, False, True, None);
    let mut ids = OpenIds::fresh(2);
    (0..1_000).for_each(|at| ids.step(2, &turn(at, True, False, None)));
    assert!(ids.known.len() <= 13);
    (0..998).for_each(|_| ids.step(2, &close));
    assert_eq!(ids.look(2, &turn(1_000, True, False, None)), Verdict::Violated);
    ids.step(2, &close);
    assert_eq!(ids.look(2, &turn(1_000, True, False, None)), Verdict::Open);
    let mut ids = OpenIds::fresh(2);
    for at in 0..1_000 {
        ids.step(2, &turn(at, Unknown, False, Some(&at.to_string())));
    }
    assert!(ids.known.len() <= 12);
}

#[test]
fn it_is_saved_exactly_and_what_no_run_saves_is_refused() {
    let ids = after(2, &[open(1, "b"), turn(2, Unknown, False, Some("a")), open(3, "")]);
    for ids in [ids, OpenIds::any(2), after(2, &[turn(1, True, False, None), turn(1, True, False, None)])] {
        assert_eq!(OpenIds::load(2, &ids.save()), Some(ids));
    }
    for known in [vec![("b", true), ("a", true)], vec![("a", false), ("b", true)]] {
        let known = known.into_iter().map(|(id, certain)| {
            let id = Part::new(Some(Val::text(id))).unwrap().into_owned();
            (id, certain, None::<Time>, false)
        });
        assert_eq!(OpenIds::load(2, &(known.collect::<Vec<_>>(), 0u64, 0u64).save()), None);
    }
}
