//! What keyed rules do, one behaviour at a time.

use std::borrow::Cow;

use serde_json::{Value, json};

use super::*;
use crate::belief::Belief;
use crate::count::Count;
use crate::deadline::Deadline;
use crate::key::Part;
use crate::keys::Touched;
use crate::machine::{Letters, Machine, Step};
use crate::open_ids::OpenIds;
use crate::rate::{Rate, RateLimit};
use crate::register::{Holds, Operand, Register};
use crate::single::Admission;
use crate::value::Val;
use crate::{Colour, Duration, Reason, Truth, Verdict};

/// `first` (bit 0) before `then` (bit 1): open, satisfied, violated.
const PRECEDE: Machine<'static> = Machine {
    width: 2,
    initial: 0,
    colours: &[Colour::Open, Colour::Satisfied, Colour::Violated],
    delta: &[0, 1, 2, 2, 1, 1, 1, 1, 2, 2, 2, 2],
    stricter: &[0b011, 0b010, 0b111],
};
const ADMIT: Admission = Admission { latches: true, counts: true };

fn key(text: &str) -> [Option<Part<'_>>; 1] {
    [Part::new(Some(Val::text(text)))]
}

fn each<'k>(keys: &[&'k str]) -> Touched<'k> {
    Touched::Each(keys.iter().map(|text| vec![Part::new(Some(Val::text(text)))]).collect())
}

fn letter(letter: u8) -> Step {
    Step::one(Letters::certain(letter))
}

#[test]
fn keys_are_independent_and_the_violated_state_is_never_entered() {
    let mut rule: Keyed<Belief> = Keyed::new(PRECEDE, Bounds::of(10));
    assert_eq!(rule.observe(PRECEDE, &key("a"), &letter(1)).0.verdict, Verdict::Satisfied);
    assert_eq!(rule.judge(PRECEDE, &key("a"), &letter(2)).verdict, Verdict::Satisfied);
    let judged = rule.judge(PRECEDE, &key("b"), &letter(2));
    assert_eq!(judged.verdict, Verdict::Violated);
    rule.admit(PRECEDE, &key("b"), &letter(2), judged, ADMIT);
    assert_eq!(rule.live(), 1, "the violating step left the key where it was");
    assert_eq!(rule.judge(PRECEDE, &key("b"), &letter(2)).verdict, Verdict::Violated, "seen again by itself");
    assert_eq!(rule.verdict(PRECEDE), Verdict::Violated, "and remembered");
}

#[test]
fn a_full_table_is_not_established_and_never_grows() {
    let mut rule: Keyed<Count> = Keyed::new(5, Bounds::of(2));
    for name in ["a", "b"] {
        let judged = rule.judge(5, &key(name), &Truth::True);
        rule.admit(5, &key(name), &Truth::True, judged, ADMIT);
    }
    let judged = rule.judge(5, &key("c"), &Truth::True);
    assert_eq!((judged.verdict, judged.reason()), (Verdict::Unestablished, Reason::InstancesFull));
    // A host that lets it run all the same: any new key may have been counted now.
    rule.admit(5, &key("c"), &Truth::True, judged, ADMIT);
    assert_eq!(rule.live(), 2);
    assert_eq!(rule.judge(5, &key("a"), &Truth::True).verdict, Verdict::Open);
}

#[test]
fn slots_are_reserved_until_the_outcome() {
    let mut rule: Keyed<Belief> = Keyed::new(PRECEDE, Bounds::of(2));
    let room = rule.room(&each(&["a", "b"]));
    assert_eq!(room, Room::Needed);
    assert_eq!(rule.room(&each(&["a", "b", "c"])), Room::Full);
    let taken = rule.reserve(&each(&["a", "b"]), room);
    assert_eq!((taken, rule.room(&key("c"))), (2, Room::Full));
    rule.release(taken);
    assert_eq!(rule.room(&key("c")), Room::Needed);
    assert_eq!((rule.room(&[None]), rule.room(&Touched::All)), (Room::NotNeeded, Room::NotNeeded));
}

/// Counts a call of these keys.
fn count(rule: &mut Keyed<Count>, limit: u64, key: &impl crate::keys::Keys) -> u64 {
    let judged = rule.judge(limit, key, &Truth::True);
    rule.admit(limit, key, &Truth::True, judged, ADMIT);
    rule.epoch()
}

#[test]
fn going_back_to_the_fresh_state_frees_the_instance() {
    let mut rule: Keyed<Count> = Keyed::new(1, Bounds::of(10));
    let epoch = count(&mut rule, 1, &key("a"));
    assert_eq!(rule.judge(1, &key("a"), &Truth::True).verdict, Verdict::Violated);
    rule.give_back(1, &key("a"), &Truth::True, Truth::True, epoch);
    assert_eq!(rule.live(), 0);
}

#[test]
fn what_a_closed_instance_counted_is_not_returned_to_its_successor() {
    let mut rule: Keyed<Count> = Keyed::new(1, Bounds::of(10));
    let first = count(&mut rule, 1, &key("a"));
    rule.close(1, &key("a"), Truth::True);
    let second = count(&mut rule, 1, &key("a"));
    rule.give_back(1, &key("a"), &Truth::True, Truth::True, first);
    assert_eq!(rule.judge(1, &key("a"), &Truth::True).verdict, Verdict::Violated);
    rule.give_back(1, &key("a"), &Truth::True, Truth::True, second);
    assert_eq!(rule.judge(1, &key("a"), &Truth::True).verdict, Verdict::Open);
}

#[test]
fn an_unreadable_key_may_be_any_key() {
    let mut rule: Keyed<Belief> = Keyed::new(PRECEDE, Bounds::of(10));
    assert_eq!(rule.judge(PRECEDE, &[None], &letter(2)).verdict, Verdict::Unestablished);
    rule.observe(PRECEDE, &[None], &letter(1));
    assert_eq!(rule.judge(PRECEDE, &key("a"), &letter(2)).verdict, Verdict::Unestablished);
    rule.observe(PRECEDE, &key("a"), &letter(1));
    assert_eq!(rule.judge(PRECEDE, &key("a"), &letter(2)).verdict, Verdict::Satisfied, "certain again");
}

#[test]
fn keys_are_type_tagged_and_numbers_are_exact() {
    let number = |text: &str| [Part::new(crate::Decimal::parse(text).map(Val::Number))];
    let mut rule: Keyed<Belief> = Keyed::new(PRECEDE, Bounds::of(10));
    rule.observe(PRECEDE, &number("1"), &letter(1));
    assert_eq!(rule.judge(PRECEDE, &number("1.0"), &letter(2)).verdict, Verdict::Satisfied);
    assert_eq!(rule.judge(PRECEDE, &key("1"), &letter(2)).verdict, Verdict::Violated);
}

#[test]
fn a_key_that_is_left_out_touches_nothing() {
    let skipped = [Some(Part::Text(Cow::Borrowed("a"))), Some(Part::Absent)];
    let mut rule: Keyed<Count> = Keyed::new(0, Bounds::of(10));
    let judged = rule.judge(0, &skipped, &Truth::True);
    assert_eq!((judged.verdict, judged.reason()), (Verdict::Satisfied, Reason::Rule));
    rule.admit(0, &skipped, &Truth::True, judged, ADMIT);
    assert_eq!(rule.observe(0, &skipped, &Truth::True).0.verdict, Verdict::Satisfied);
    assert_eq!(rule.room(&skipped), Room::NotNeeded);
    assert!(rule.close(0, &skipped, Truth::True).is_empty());
    assert_eq!((rule.live(), rule.verdict(0)), (0, Verdict::Open));
    assert!(rule.blame(&skipped, &judged).is_empty());
}

#[test]
fn a_fan_out_is_judged_by_its_worst_key_and_steps_all() {
    let mut rule: Keyed<Count> = Keyed::new(1, Bounds::of(10));
    count(&mut rule, 1, &key("b"));
    let keys = each(&["a", "b", "c"]);
    let judged = rule.judge(1, &keys, &Truth::True);
    assert_eq!((judged.verdict, judged.reason()), (Verdict::Violated, Reason::Rule));
    assert_eq!(rule.blame(&keys, &judged), [json!("b")]);
    let epoch = count(&mut rule, 1, &each(&["a", "c"]));
    assert_eq!(rule.live(), 3);
    rule.give_back(1, &each(&["a", "c"]), &Truth::True, Truth::True, epoch);
    assert_eq!(rule.live(), 1);
}

#[test]
fn new_instances_of_a_fan_out_fit_all_or_none() {
    let mut rule: Keyed<Count> = Keyed::new(5, Bounds::of(2));
    let keys = each(&["a", "b", "c"]);
    let judged = rule.judge(5, &keys, &Truth::True);
    assert_eq!((judged.verdict, judged.reason()), (Verdict::Unestablished, Reason::InstancesFull));
    assert_eq!(rule.blame(&keys, &judged), [json!("a")]);
    rule.admit(5, &keys, &Truth::True, judged, ADMIT);
    assert_eq!(rule.live(), 0);
    count(&mut rule, 5, &each(&["a", "b"]));
    assert_eq!(rule.live(), 2);
    let (observed, _) = rule.observe(5, &keys, &Truth::True);
    assert_eq!((observed.verdict, observed.reason()), (Verdict::Unestablished, Reason::InstancesFull));
}

#[test]
fn an_event_about_all_keys_is_also_about_keys_never_seen() {
    let mut rule: Keyed<Belief> = Keyed::new(PRECEDE, Bounds::of(10));
    rule.observe(PRECEDE, &key("a"), &letter(1));
    let judged = rule.judge(PRECEDE, &Touched::All, &letter(2));
    assert_eq!(judged.verdict, Verdict::Violated);
    assert!(rule.blame(&Touched::All, &judged).is_empty(), "a key never seen is the worst");
    rule.observe(PRECEDE, &Touched::All, &letter(1));
    assert_eq!(rule.live(), 0, "all keys are the same again");
    assert_eq!(rule.judge(PRECEDE, &key("b"), &letter(2)).verdict, Verdict::Satisfied);
    let mut rule: Keyed<Count> = Keyed::new(2, Bounds::of(10));
    let epoch = count(&mut rule, 2, &Touched::All);
    count(&mut rule, 2, &key("b"));
    count(&mut rule, 2, &key("a"));
    let judged = rule.judge(2, &Touched::All, &Truth::True);
    assert_eq!((judged.verdict, rule.blame(&Touched::All, &judged)), (Verdict::Violated, vec![json!("a")]));
    rule.give_back(2, &Touched::All, &Truth::True, Truth::True, epoch);
    assert_eq!(rule.judge(2, &Touched::All, &Truth::True).verdict, Verdict::Open);
}

const TEN: Duration = Duration::from_nanos(10);

fn due(at: i128, after: bool, then: bool) -> crate::deadline::Due {
    Deadline::of(Holds([Truth::of(after), Truth::of(then), Truth::False]), Time::from_nanos(at), Operand::None)
}

#[test]
fn obligations_run_out_in_the_order_of_their_keys_and_are_remembered() {
    let mut rule: Keyed<Deadline> = Keyed::new(TEN, Bounds::of(10));
    for (name, at) in [("b", 0), ("a", 1), ("c", 20)] {
        rule.observe(TEN, &key(name), &due(at, true, false));
    }
    assert!(rule.retire(TEN, Time::from_nanos(10)).is_empty());
    let over = rule.retire(TEN, Time::from_nanos(25));
    assert_eq!(over, [(vec![json!("a")], Verdict::Violated), (vec![json!("b")], Verdict::Violated)]);
    assert_eq!((rule.live(), rule.verdict(TEN)), (1, Verdict::Violated));
    assert_eq!(rule.end(TEN), [[json!("c")]]);
}

#[test]
fn an_obligation_of_all_keys_runs_out_for_keys_never_seen_too() {
    let mut rule: Keyed<Deadline> = Keyed::new(TEN, Bounds::of(10));
    rule.observe(TEN, &key("a"), &due(0, true, false));
    rule.observe(TEN, &Touched::All, &due(5, true, false));
    assert_eq!(rule.clone().end(TEN), [vec![json!("a")], vec![]]);
    rule.observe(TEN, &key("b"), &due(6, false, true));
    let over = rule.retire(TEN, Time::from_nanos(16));
    assert_eq!(over, [(vec![json!("a")], Verdict::Violated), (vec![], Verdict::Violated)]);
    assert_eq!((rule.live(), rule.retire(TEN, Time::from_nanos(30)).len()), (0, 0));
}

#[test]
fn an_obligation_that_is_closed_is_violated_and_one_that_may_be_is_doubtful() {
    for (closes, rest) in [(Truth::True, Verdict::Violated), (Truth::Unknown, Verdict::Unestablished)] {
        let mut rule: Keyed<Deadline> = Keyed::new(TEN, Bounds::of(10));
        rule.observe(TEN, &each(&["b", "a"]), &due(0, true, false));
        let open = rule.close(TEN, &each(&["b", "a", "x"]), closes);
        assert_eq!(open.len(), if closes == Truth::True { 2 } else { 0 });
        rule.observe(TEN, &Touched::All, &due(1, false, true));
        assert_eq!(rule.verdict(TEN), rest);
    }
}

#[test]
fn after_a_reset_everything_is_fresh_and_nothing_is_returned() {
    let mut rule: Keyed<Count> = Keyed::new(1, Bounds::of(10));
    let epoch = count(&mut rule, 1, &Touched::All);
    assert!(rule.reset(1, Truth::True).is_empty());
    count(&mut rule, 1, &key("a"));
    rule.give_back(1, &Touched::All, &Truth::True, Truth::True, epoch);
    rule.give_back(1, &key("a"), &Truth::True, Truth::True, epoch);
    assert_eq!(rule.judge(1, &key("a"), &Truth::True).verdict, Verdict::Violated);
    assert_eq!(rule.judge(1, &key("b"), &Truth::True).verdict, Verdict::Open);
    rule.reset(1, Truth::Unknown);
    assert_eq!(rule.judge(1, &key("a"), &Truth::True).verdict, Verdict::Unestablished);
    let mut rule: Keyed<Deadline> = Keyed::new(TEN, Bounds::of(10));
    rule.observe(TEN, &Touched::All, &due(0, true, false));
    rule.observe(TEN, &key("a"), &due(3, true, false));
    assert_eq!(rule.reset(TEN, Truth::True), [vec![json!("a")], vec![]]);
    assert_eq!((rule.live(), rule.verdict(TEN)), (0, Verdict::Violated));
}

#[test]
fn time_frees_instances_and_what_waits_for_it_is_bounded() {
    let two = RateLimit { limit: 2, window: TEN };
    let tick =
        |at: i128| Rate::of(Holds([Truth::True, Truth::False, Truth::False]), Time::from_nanos(at), Operand::None);
    let mut rule: Keyed<Rate> = Keyed::new(two, Bounds::of(10));
    let judged = rule.judge(two, &key("a"), &tick(0));
    rule.admit(two, &key("a"), &tick(0), judged, ADMIT);
    let judged = rule.judge(two, &key("a"), &tick(4));
    rule.admit(two, &key("a"), &tick(4), judged, ADMIT);
    let epoch = rule.epoch();
    rule.retire(two, Time::from_nanos(11));
    assert_eq!(rule.live(), 1);
    rule.retire(two, Time::from_nanos(15));
    assert_eq!((rule.live(), rule.due.len()), (0, 0));
    for _ in 0..10_000 {
        let judged = rule.judge(two, &key("a"), &tick(20));
        rule.admit(two, &key("a"), &tick(20), judged, ADMIT);
        rule.give_back(two, &key("a"), &tick(20), Truth::True, rule.epoch());
    }
    assert!(rule.live() == 0 && rule.due.len() <= 2_000 && rule.epoch() > epoch);
}

#[test]
fn a_snapshot_is_taken_up_exactly() {
    let mut rule: Keyed<Count> = Keyed::new(2, Bounds::of(10));
    let before = count(&mut rule, 2, &key("a"));
    count(&mut rule, 2, &key("b"));
    count(&mut rule, 2, &key("b"));
    rule.observe(2, &[None], &Truth::True);
    let room = rule.room(&key("c"));
    rule.reserve(&key("c"), room);
    let saved: Value = serde_json::from_str(&rule.save().to_string()).unwrap();
    let mut loaded: Keyed<Count> = Keyed::load(2, Bounds::of(10), &saved).unwrap();
    assert_eq!((loaded.save(), loaded.epoch(), loaded.reserved), (saved.clone(), rule.epoch(), 1));
    assert_eq!(loaded.judge(2, &key("b"), &Truth::True).verdict, Verdict::Violated);
    loaded.give_back(2, &key("a"), &Truth::True, Truth::True, before);
    assert_eq!(loaded.live(), 1);
    assert!(Keyed::<Count>::load(2, Bounds::of(1), &saved).is_none(), "more instances than fit");
}

#[test]
fn what_no_run_could_have_saved_is_refused() {
    let instance = |born: &str, key: &str, low: &str| json!([born, [key], [low, low]]);
    let saved = |instances: Value| json!(["clear", ["2", "0"], "0", ["0", "0"], false, "0", instances, null]);
    let load = |saved: Value| Keyed::<Count>::load(2, Bounds::of(10), &saved);
    assert!(load(saved(json!([instance("1", "t:a", "1"), instance("2", "n:1", "1")]))).is_some());
    for wrong in [
        json!([instance("1", "t:a", "0")]),
        json!([instance("3", "t:a", "1")]),
        json!([instance("0", "t:a", "1")]),
        json!([instance("1", "a", "1")]),
        json!([instance("1", "t:a", "1"), instance("2", "t:a", "2")]),
        json!([[]]),
        json!({}),
    ] {
        assert!(load(saved(wrong.clone())).is_none(), "{wrong}");
    }
    assert!(load(json!(null)).is_none());
}

#[test]
fn in_another_version_every_key_may_be_in_any_state() {
    let mut old: Keyed<Belief> = Keyed::new(PRECEDE, Bounds::of(10));
    old.observe(PRECEDE, &key("a"), &letter(1));
    for saved in [old.save(), json!({"what": "else"})] {
        let mut rule: Keyed<Belief> = Keyed::new(PRECEDE, Bounds::of(10));
        rule.doubt(PRECEDE, &saved);
        assert_eq!(rule.judge(PRECEDE, &key("a"), &letter(2)).verdict, Verdict::Unestablished);
        assert_eq!(rule.judge(PRECEDE, &key("b"), &letter(2)).verdict, Verdict::Unestablished);
        assert_eq!((rule.verdict(PRECEDE), rule.live()), (Verdict::Unestablished, 0));
        rule.observe(PRECEDE, &key("b"), &letter(1));
        assert_eq!(rule.judge(PRECEDE, &key("b"), &letter(2)).verdict, Verdict::Satisfied, "certain again");
    }
}

#[test]
fn what_a_failed_call_may_have_opened_anywhere_hides_what_others_opened() {
    let open = |at, id| OpenIds::of(Holds([Truth::True, Truth::False, Truth::False]), Time::from_nanos(at), id);
    let z = || Operand::Value(Some(Val::text("z")));
    let mut rule: Keyed<OpenIds> = Keyed::new(1, Bounds::of(10));
    let mut take = |key: &[Option<Part<'_>>; 1], at| {
        let judged = rule.judge(1, key, &open(at, z()));
        rule.admit(1, key, &open(at, z()), judged, ADMIT);
        rule.epoch()
    };
    let first = take(&[None], 1);
    take(&key("a"), 2);
    let other = || open(3, Operand::Value(Some(Val::text("y"))));
    assert_eq!(rule.judge(1, &key("a"), &other()).verdict, Verdict::Violated);
    rule.give_back(1, &[None], &open(1, z()), Truth::True, first);
    assert_eq!(rule.judge(1, &key("a"), &other()).verdict, Verdict::Unestablished, "the first call may have opened it");
}

#[test]
fn an_instance_takes_one_byte_of_state_and_a_set_only_while_it_is_not_known() {
    assert_eq!(size_of::<<Belief as Cell>::Kept>(), 1);
    assert_eq!(size_of::<Instance<Belief>>(), 40, "birth, key, whether it is queued, state");
    let mut rule: Keyed<Belief> = Keyed::new(PRECEDE, Bounds::of(10));
    let perhaps = Step::one(Letters::NONE.with(0, Truth::Unknown));
    for name in ["a", "b", "c"] {
        rule.observe(PRECEDE, &key(name), &perhaps);
    }
    assert_eq!((rule.live(), rule.aside.len()), (3, 3));
    rule.observe(PRECEDE, &key("a"), &letter(1));
    rule.close(PRECEDE, &key("b"), Truth::True);
    assert_eq!((rule.live(), rule.aside.len()), (2, 1));
    rule.observe(PRECEDE, &Touched::All, &letter(1));
    assert_eq!((rule.live(), rule.aside.len()), (0, 0));
}
