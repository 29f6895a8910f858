//! What is not known is never forgiven: runs in which some events are uncertain, against runs in which chance has settled them.

#![expect(clippy::arithmetic_side_effects, reason = "test code")]

mod event;
mod evict;
mod exhaustive;

use std::fmt::Debug;

use self::event::{Event, Mix, events};
use super::*;
use crate::belief::Belief;
use crate::count::Count;
use crate::deadline::Deadline;
use crate::distinct::Distinct;
use crate::keys::Touched;
use crate::machine::{Letters, Machine, Step};
use crate::open_ids::OpenIds;
use crate::permission::{Permission, PermissionRule};
use crate::rate::{Rate, RateLimit};
use crate::register::{Holds, Operand, Receipt, Register};
use crate::total::Total;
use crate::value::Val;
use crate::value::lcg::Lcg;
use crate::window_total::{TotalLimit, WindowTotal};
use crate::{Colour, Decimal, Duration, Truth, Verdict};

const UNCERTAIN_RUNS: u64 = 300;
const SETTLED_RUNS: usize = 6;

/// A cell that can be driven, whether or not it is a register.
trait Driven: Cell + Debug {
    fn make(holds: [Truth; 3], at: i128, operand: Operand<'static>) -> Self::Step<'static>;
    fn receipt(_: &Self::Step<'static>) -> Receipt {
        Receipt::NOTHING
    }
    fn back(_: &mut Keyed<Self>, _: Self::Rule<'_>, _: &Touched<'_>, _: (Receipt, u64), _: Operand<'static>, _: Truth) {
    }
}

impl Driven for Belief {
    fn make(holds: [Truth; 3], _: i128, _: Operand<'static>) -> Step {
        Step::one((0..3).zip(holds).fold(Letters::NONE, |letters, (bit, holds)| letters.with(bit, holds)))
    }
}

macro_rules! registers {
    ($($cell:ident),*) => {
        $(impl Driven for $cell {
            fn make(holds: [Truth; 3], at: i128, operand: Operand<'static>) -> Self::Step<'static> {
                <Self as Register>::of(Holds(holds), Time::from_nanos(at), operand)
            }
            fn receipt(step: &Self::Step<'static>) -> Receipt {
                <Self as Register>::receipt(step)
            }
            fn back(
                keyed: &mut Keyed<Self>,
                rule: Self::Rule<'_>,
                key: &Touched<'_>,
                (receipt, epoch): (Receipt, u64),
                operand: Operand<'static>,
                failed: Truth,
            ) {
                keyed.give_back(rule, key, &<Self as Register>::again(receipt, operand), failed, epoch);
            }
        })*
    };
}

registers!(Count, Total, Rate, WindowTotal, Distinct, OpenIds, Deadline, Permission);

/// What a rule reads of an event: values by number, of which number 0 cannot be read.
type Read = fn(usize) -> Operand<'static>;

fn nothing(_: usize) -> Operand<'static> {
    Operand::None
}

fn id(value: usize) -> Operand<'static> {
    Operand::Value((value > 0).then(|| Val::text(["x", "y", "z", "w"][value - 1])))
}

/// Amounts are the same in all runs: one that cannot be read is a violation, not a doubt.
fn amount(value: usize) -> Operand<'static> {
    Operand::Value(Some(Val::Number(Decimal::from_parts(if value < 4 { 12 } else { 4 }, 1))))
}

struct Run<C: Cell> {
    keyed: Keyed<C>,
    bounds: Bounds,
    read: Read,
    /// Of the calls by event: what they counted, and with what.
    receipts: Vec<Option<(Touched<'static>, Receipt, u64, usize)>>,
}

impl<C: Driven> Run<C> {
    fn new(rule: C::Rule<'_>, bounds: Bounds, read: Read) -> Self {
        Self { keyed: Keyed::new(rule, bounds), bounds, read, receipts: Vec::new() }
    }

    /// Takes an event. Returns what it was judged to be, if it was a step.
    fn take(&mut self, rule: C::Rule<'_>, event: &Event, is_uncertain: bool) -> Option<Verdict> {
        let (keyed, bounds) = (&mut self.keyed, self.bounds);
        let (mut receipt, mut verdict) = (None, None);
        match event {
            Event::Step { aim, holds, at, value, is_call } => {
                keyed.retire(rule, Time::from_nanos(*at));
                keyed.tidy(rule, Time::from_nanos(*at));
                let (key, step) = (aim.touched(), C::make(*holds, *at, (self.read)(*value)));
                if *is_call {
                    let judged = keyed.judge(rule, &key, &step);
                    let admission = crate::single::Admission { latches: true, counts: true };
                    keyed.admit(rule, &key, &step, judged, admission);
                    receipt = Some((key, C::receipt(&step), keyed.epoch(), *value));
                    verdict = Some(judged.verdict);
                } else {
                    verdict = Some(keyed.observe(rule, &key, &step).0.verdict);
                }
            }
            Event::Close { aim, matches } => drop(keyed.close(rule, &aim.touched(), *matches)),
            Event::Reset { matches } => drop(keyed.reset(rule, *matches)),
            Event::Ended { event, failed } => {
                if let Some((key, receipt, epoch, value)) = self.receipts[*event].take() {
                    C::back(keyed, rule, &key, (receipt, epoch), (self.read)(value), *failed);
                }
            }
            Event::Time { at } => drop(keyed.retire(rule, Time::from_nanos(*at))),
            Event::Snapshot => {
                let saved = serde_json::from_str(&keyed.save().to_string()).unwrap();
                let loaded = Keyed::load(rule, bounds, &saved);
                *keyed = loaded.unwrap_or_else(|| panic!("a run saves what it does not load: {saved}"));
            }
            Event::Change if is_uncertain => {
                let saved = keyed.save();
                *keyed = Keyed::new(rule, bounds);
                keyed.doubt(rule, &saved);
            }
            Event::Change => {}
        }
        self.receipts.push(receipt);
        assert!(keyed.live() <= bounds.max);
        verdict
    }

    /// The verdict once the session has ended.
    fn end(&mut self, rule: C::Rule<'_>) -> Verdict {
        self.keyed.end(rule);
        self.keyed.verdict(rule).at_end()
    }
}

/// A bound under which some runs let instances go.
fn bounds(chance: &mut Lcg) -> Bounds {
    Bounds {
        max: *chance.pick(&[1, 2, 10]),
        evicts: chance.below(2) == 0,
        idle: (chance.below(3) == 0).then(|| Duration::from_nanos(3)),
        remember: *chance.pick(&[1, 2, 3]),
    }
}

/// Whether a verdict of a run in which something is uncertain can be true where this is the verdict of a settled run.
fn contradicts(mix: Mix, uncertain: Verdict, settled: Verdict) -> bool {
    match uncertain {
        Verdict::Unestablished => false,
        Verdict::Violated => mix.certain && settled < Verdict::Unestablished,
        fine => settled > fine,
    }
}

fn never_contradicts<C: Driven>(rule: C::Rule<'_>, read: Read, mix: Mix) {
    let (mut certain, mut compared) = (0, 0);
    for seed in 0..UNCERTAIN_RUNS {
        let chance = &mut Lcg::new(seed);
        let events = events(mix, chance);
        let bounds = bounds(chance);
        let mut uncertain: Run<C> = Run::new(rule, bounds, read);
        let mut settled: Vec<(Run<C>, Lcg)> = (0..SETTLED_RUNS as u64)
            .map(|run| (Run::new(rule, Bounds::of(10), read), Lcg::new(seed * 1_000 + run)))
            .collect();
        for (index, event) in events.iter().enumerate() {
            let said = uncertain.take(rule, event, true);
            let rest = uncertain.keyed.verdict(rule);
            for (run, chance) in &mut settled {
                let event = event.settle(chance);
                let truly = run.take(rule, &event, false);
                let truly_rest = run.keyed.verdict(rule);
                let story = || {
                    format!(
                        "seed {seed}, event {index} {event:?} of {events:#?}\n{:#?}\n{:#?}",
                        uncertain.keyed, run.keyed
                    )
                };
                if let (Some(said), Some(truly)) = (said, truly) {
                    compared += 1;
                    certain += u32::from(said != Verdict::Unestablished);
                    assert!(!contradicts(mix, said, truly), "{said:?} of {truly:?}: {}", story());
                }
                assert!(!contradicts(mix, rest, truly_rest), "at rest {rest:?} of {truly_rest:?}: {}", story());
            }
        }
        let end = uncertain.end(rule);
        for (run, _) in &mut settled {
            let truly = run.end(rule);
            assert!(!contradicts(mix, end, truly), "at the end {end:?} of {truly:?}: seed {seed}, {events:#?}");
        }
    }
    assert!(certain > compared / 10, "only {certain} of {compared} say anything");
}

const ALL: Mix = Mix { changes: true, closes: true, broadcasts: true, first_is_call: false, certain: true };
const UNCHANGED: Mix = Mix { changes: false, ..ALL };

/// `first` (bit 0) before `then` (bit 1), taken by it, and lost by the third.
const CONSUME: Machine<'static> = Machine {
    width: 3,
    initial: 0,
    colours: &[Colour::Open, Colour::Open, Colour::Violated],
    delta: &[
        0, 1, 2, 2, 0, 0, 2, 2, //
        1, 1, 0, 0, 0, 0, 0, 0, //
        2, 2, 2, 2, 2, 2, 2, 2,
    ],
    stricter: &[0b011, 0b010, 0b111],
};

/// After each `first` (bit 0) a `then` (bit 1); none after a third.
const ANSWER: Machine<'static> = Machine {
    width: 3,
    initial: 0,
    colours: &[Colour::Open, Colour::Pending, Colour::Violated],
    delta: &[
        0, 1, 0, 1, 0, 1, 0, 1, //
        1, 1, 0, 1, 2, 2, 2, 2, //
        2, 2, 2, 2, 2, 2, 2, 2,
    ],
    stricter: &[0b001, 0b011, 0b111],
};

const TEN: Duration = Duration::from_nanos(10);

#[test]
fn automata() {
    never_contradicts::<Belief>(CONSUME, nothing, ALL);
    // As with deadlines.
    never_contradicts::<Belief>(ANSWER, nothing, Mix { broadcasts: false, ..ALL });
    never_contradicts::<Belief>(ANSWER, nothing, Mix { closes: false, ..ALL });
    never_contradicts::<Belief>(ANSWER, nothing, Mix { certain: false, ..ALL });
}

#[test]
fn counts() {
    never_contradicts::<Count>(2, nothing, ALL);
}

#[test]
fn sums() {
    never_contradicts::<Total>(Decimal::from(2u32), amount, ALL);
}

#[test]
fn rates() {
    never_contradicts::<Rate>(RateLimit { limit: 2, window: TEN }, nothing, ALL);
    never_contradicts::<Rate>(RateLimit { limit: 0, window: TEN }, nothing, ALL);
    never_contradicts::<Rate>(RateLimit { limit: 1, window: Duration::from_nanos(3) }, nothing, UNCHANGED);
}

#[test]
fn sums_in_windows() {
    never_contradicts::<WindowTotal>(TotalLimit { limit: Decimal::from(2u32), window: TEN }, amount, ALL);
}

#[test]
fn different_values() {
    never_contradicts::<Distinct>(1, id, UNCHANGED);
    never_contradicts::<Distinct>(2, id, ALL);
}

/// What is opened at the position of a call, the call has opened.
const CALLS_OPEN: Mix = Mix { first_is_call: true, ..ALL };

#[test]
fn open_ids() {
    never_contradicts::<OpenIds>(1, id, Mix { changes: false, ..CALLS_OPEN });
    never_contradicts::<OpenIds>(2, id, CALLS_OPEN);
}

#[test]
fn open_without_ids() {
    never_contradicts::<OpenIds>(1, nothing, Mix { changes: false, ..CALLS_OPEN });
    never_contradicts::<OpenIds>(2, nothing, CALLS_OPEN);
}

/// Whether a closed obligation is one that goes on for all keys cannot be told for certain, and counts as violated.
#[test]
fn deadlines() {
    never_contradicts::<Deadline>(TEN, nothing, Mix { broadcasts: false, ..ALL });
    never_contradicts::<Deadline>(TEN, nothing, Mix { closes: false, ..ALL });
    never_contradicts::<Deadline>(TEN, nothing, Mix { certain: false, ..ALL });
    never_contradicts::<Deadline>(Duration::from_nanos(4), nothing, Mix { broadcasts: false, ..UNCHANGED });
}

#[test]
fn permissions() {
    never_contradicts::<Permission>(PermissionRule { expires: TEN, consume: false }, nothing, ALL);
    never_contradicts::<Permission>(
        PermissionRule { expires: Duration::from_nanos(5), consume: true },
        nothing,
        UNCHANGED,
    );
}
