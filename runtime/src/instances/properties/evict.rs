//! Instances that are let go are never forgiven: every short run of random machines, floods of keys, and how many keys are
//! taken for others.

use super::*;
use crate::Reason;
use crate::key::Part;

/// A run that lets instances go, and the same run with room for all.
#[derive(Clone, Debug)]
struct Pair {
    bounded: Keyed<Belief>,
    full: Keyed<Belief>,
}

impl Pair {
    fn take(&mut self, machine: Machine<'_>, aim: Option<usize>, letter: u8, at: i128) {
        let key = aim.map_or(Touched::All, |key| Touched::One(vec![Part::new(Some(Val::text(KEYS[key])))]));
        let step = Step::one(Letters::certain(letter));
        let [said, truly] = [&mut self.bounded, &mut self.full].map(|keyed| {
            keyed.tidy(machine, Time::from_nanos(at));
            keyed.observe(machine, &key, &step).0.verdict
        });
        assert!(!contradicts(ALL, said, truly), "{said:?} of {truly:?}: {self:#?} {machine:?}");
        let [said, truly] = [&self.bounded, &self.full].map(|keyed| keyed.verdict(machine));
        assert!(!contradicts(ALL, said, truly), "at rest {said:?} of {truly:?}: {self:#?} {machine:?}");
        let [said, truly] = [&self.bounded, &self.full].map(|keyed| {
            let mut keyed = keyed.clone();
            keyed.end(machine);
            keyed.verdict(machine).at_end()
        });
        assert!(!contradicts(ALL, said, truly), "at the end {said:?} of {truly:?}: {self:#?} {machine:?}");
    }
}

const KEYS: [&str; 4] = ["a", "b", "c", "d"];
const LETTERS: std::ops::Range<u8> = 1..4;

/// A machine with arbitrary successors. What is violated stays so.
#[derive(Debug)]
struct Random {
    colours: Vec<Colour>,
    delta: Vec<u8>,
    stricter: Vec<u64>,
}

impl Random {
    fn new(chance: &mut Lcg) -> Self {
        let states = 2 + chance.below(4);
        let colours: Vec<Colour> = (0..states)
            .map(|state| match (state, chance.below(4)) {
                (0, 0..2) | (_, 0) => Colour::Open,
                (0, _) | (_, 1) => Colour::Pending,
                (_, 2) => Colour::Satisfied,
                _ => Colour::Violated,
            })
            .collect();
        let mut delta = Vec::new();
        for (state, colour) in (0u8..).zip(&colours) {
            for letter in 0..4 {
                let to = u8::try_from(chance.below(states)).unwrap();
                delta.push(if letter == 0 || *colour == Colour::Violated { state } else { to });
            }
        }
        let stricter = stricter(&colours, &delta);
        Self { colours, delta, stricter }
    }

    fn machine(&self) -> Machine<'_> {
        Machine { width: 2, initial: 0, colours: &self.colours, delta: &self.delta, stricter: &self.stricter }
    }
}

/// The states from which being taken for another is only stricter, for each of those: what is not found otherwise.
fn stricter(colours: &[Colour], delta: &[u8]) -> Vec<u64> {
    let states = colours.len();
    let is_bad = |state: usize| matches!(colours[state], Colour::Pending | Colour::Violated);
    let mut forgiven: Vec<Vec<bool>> =
        (0..states).map(|b| (0..states).map(|s| is_bad(s) && !is_bad(b)).collect()).collect();
    for _ in 0..states * states {
        for b in 0..states {
            for s in 0..states {
                let next = |state: usize, letter| usize::from(delta[state << 2 | letter]);
                forgiven[b][s] |= (1..4).any(|letter| forgiven[next(b, letter)][next(s, letter)]);
            }
        }
    }
    forgiven.iter().map(|row| (0..states).filter(|s| !row[*s]).fold(0, |set, s| set | 1 << s)).collect()
}

/// Bounds under which instances are let go all the time.
fn tight(chance: &mut Lcg) -> Bounds {
    let idle = (chance.below(3) == 0).then(|| Duration::from_nanos(1 + i128::from(chance.below(3))));
    let evicts = idle.is_none() || chance.below(2) == 0;
    let max = usize::try_from(1 + chance.below(2)).unwrap();
    Bounds { max, evicts, idle, remember: u32::try_from(1 + chance.below(3)).unwrap() }
}

fn pair(machine: Machine<'_>, bounds: Bounds) -> Pair {
    Pair { bounded: Keyed::new(machine, bounds), full: Keyed::new(machine, Bounds::of(10)) }
}

fn descend(machine: Machine<'_>, pair: &Pair, depth: u32, at: i128) {
    if depth == 0 {
        return;
    }
    for aim in [Some(0), Some(1), Some(2), None] {
        for letter in LETTERS {
            let mut pair = pair.clone();
            pair.take(machine, aim, letter, at);
            descend(machine, &pair, depth - 1, at + 1);
        }
    }
}

#[test]
fn every_short_run_of_random_machines() {
    for seed in 0..40 {
        let chance = &mut Lcg::new(seed);
        let random = Random::new(chance);
        descend(random.machine(), &pair(random.machine(), tight(chance)), 4, 0);
    }
}

#[test]
fn long_runs_of_random_machines() {
    let mut evicted = 0;
    for seed in 0..3_000 {
        let chance = &mut Lcg::new(seed);
        let random = Random::new(chance);
        let mut pair = pair(random.machine(), tight(chance));
        let mut at = 0;
        for _ in 0..40 {
            at += i128::from(chance.below(3));
            let aim = usize::try_from(chance.below(25)).unwrap();
            let letter = u8::try_from(1 + chance.below(3)).unwrap();
            pair.take(random.machine(), (aim < 24).then_some(aim % 4), letter, at);
        }
        let retired = pair.bounded.retired();
        evicted += retired.evicted + retired.idle;
    }
    assert!(evicted > 10_000, "only {evicted} were let go");
}

/// `call` (bit 1) never after `after` (bit 0).
const BAN: Machine<'static> = Machine {
    width: 2,
    initial: 0,
    colours: &[Colour::Open, Colour::Open, Colour::Violated],
    delta: &[0, 1, 0, 2, 1, 1, 2, 2, 2, 2, 2, 2],
    stricter: &[0b001, 0b011, 0b111],
};

fn numbered(number: u32) -> [Option<Part<'static>>; 1] {
    [Part::new(Some(Val::Number(number.into())))]
}

/// Calls with fresh keys, as many as it takes to let go of what a rule remembers of the first one, do not free that one.
#[test]
fn a_flood_of_keys_frees_none() {
    for remember in [1, 3, 10_000] {
        let bounds = Bounds { max: 2, evicts: true, idle: None, remember };
        let mut once: Keyed<Count> = Keyed::new(1, bounds);
        let mut ban: Keyed<Belief> = Keyed::new(BAN, bounds);
        let (trigger, call) = (Step::one(Letters::certain(1)), Step::one(Letters::certain(2)));
        for number in 0..5_000 {
            once.observe(1, &numbered(number), &Truth::True);
            ban.observe(BAN, &numbered(number), &trigger);
        }
        assert_eq!((once.live(), once.retired().evicted), (2, 4_998));
        assert_eq!(once.retired().filter_full, remember < 4_998);
        for number in 0..4_998 {
            assert_eq!(once.judge(1, &numbered(number), &Truth::True).verdict, Verdict::Unestablished);
            assert_eq!(ban.judge(BAN, &numbered(number), &call).verdict, Verdict::Unestablished);
        }
    }
}

#[test]
fn few_fresh_keys_are_taken_for_others_until_more_were_let_go_than_are_remembered() {
    let remember = 2_000;
    let mut once: Keyed<Count> = Keyed::new(1, Bounds { max: 100, evicts: true, idle: None, remember });
    once.seed(Seed([3; 16]));
    for (evictions, most) in [(remember / 2, 20), (remember, 20), (2 * remember, 1_000), (10 * remember, 1_000)] {
        while once.retired().evicted < u64::from(evictions) {
            let number =
                u32::try_from(once.retired().evicted).unwrap() + 1_000_000 * u32::try_from(once.live()).unwrap();
            once.observe(1, &numbered(number), &Truth::True);
        }
        let fresh = (0..10_000).map(|number| numbered(500_000_000 + number));
        let mistaken = fresh.filter(|key| once.judge(1, key, &Truth::True).verdict != Verdict::Open).count();
        assert!(mistaken <= most * 10, "{mistaken} of 10,000 after {evictions} evictions");
    }
}

/// A permission goes before a ban that is older: that it is forgotten forgives nobody.
#[test]
fn what_may_be_forgotten_goes_first() {
    // Letter 1 permits what letter 2 is, and letter 3 bans it.
    let colours = vec![Colour::Open, Colour::Open, Colour::Open, Colour::Violated];
    let delta = vec![0, 1, 3, 2, 1, 1, 1, 2, 2, 2, 3, 2, 3, 3, 3, 3];
    let random = Random { stricter: stricter(&colours, &delta), colours, delta };
    let machine = random.machine();
    let [permit, call, ban] = [1, 2, 3].map(|letter| Step::one(Letters::certain(letter)));
    let mut rule: Keyed<Belief> = Keyed::new(machine, Bounds { max: 2, evicts: true, idle: None, remember: 100 });
    for (key, step) in [(1, ban), (2, permit), (3, permit)] {
        rule.observe(machine, &numbered(key), &step);
    }
    assert_eq!((rule.live(), rule.retired().evicted), (2, 1));
    let judged = |key| rule.judge(machine, &numbered(key), &call);
    assert_eq!((judged(1).verdict, judged(3).verdict), (Verdict::Violated, Verdict::Open));
    assert_eq!((judged(2).verdict, judged(2).reason()), (Verdict::Unestablished, Reason::Forgotten));
    assert_eq!(judged(4).verdict, Verdict::Violated, "never seen");
}

#[test]
fn what_is_idle_is_let_go() {
    let bounds = Bounds { max: 10, evicts: false, idle: Some(TEN), remember: 100 };
    let mut rule: Keyed<Belief> = Keyed::new(BAN, bounds);
    let trigger = Step::one(Letters::certain(1));
    for (key, at) in [(1, 0), (2, 5), (1, 8)] {
        rule.tidy(BAN, Time::from_nanos(at));
        rule.observe(BAN, &numbered(key), &trigger);
    }
    rule.tidy(BAN, Time::from_nanos(15));
    assert_eq!(rule.live(), 2, "idle for as long as is allowed");
    rule.tidy(BAN, Time::from_nanos(16));
    assert_eq!((rule.live(), rule.retired().idle), (1, 1));
    rule.tidy(BAN, Time::from_nanos(30));
    assert_eq!((rule.live(), rule.retired().idle), (0, 2));
    rule.reset(BAN, Truth::True);
    assert_eq!(rule.judge(BAN, &numbered(1), &Step::one(Letters::certain(2))).verdict, Verdict::Open, "all is fresh");
}

/// What one run saves decides as it would have.
#[test]
fn a_snapshot_goes_on_in_the_same_order() {
    for seed in 0..200 {
        let chance = &mut Lcg::new(seed);
        let random = Random::new(chance);
        let (machine, bounds) = (random.machine(), tight(chance));
        let mut goes_on = Keyed::<Belief>::new(machine, bounds);
        let mut taken_up = goes_on.clone();
        let mut at = 0;
        for _ in 0..30 {
            at += i128::from(chance.below(3));
            let key = numbered(u32::try_from(chance.below(5)).unwrap());
            let step = Step::one(Letters::certain(u8::try_from(1 + chance.below(3)).unwrap()));
            let saved = serde_json::from_str(&taken_up.save().to_string()).unwrap();
            taken_up = Keyed::load(machine, bounds, &saved).unwrap();
            let [one, other] = [&mut goes_on, &mut taken_up].map(|keyed| {
                keyed.tidy(machine, Time::from_nanos(at));
                (keyed.observe(machine, &key, &step).0.verdict, keyed.retired(), keyed.save())
            });
            assert_eq!(one, other, "seed {seed}");
        }
    }
}
