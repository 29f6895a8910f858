//! What the events of a session were to one rule, and what they make of one key.
//!
//! Nothing is kept but the events: how a key stands is read off all of them each time.

use std::collections::{BTreeMap, BTreeSet};

use contract_lang::mir::{Counting, Kind, Machine, Pattern, Register, Rule};
use contract_runtime::Verdict;

use super::counted::Counted;
use super::deadline::Deadline;
use super::distinct::Distinct;
use super::event::Status;
use super::formula::{Formula, Letter, Word};
use super::number::Number;
use super::open::Open;
use super::permission::Permission;
use super::temporal::Futures;
use super::value::{Kleene, Value};

/// A key: its components. That of a rule without a key is empty.
pub type Key = Vec<Value>;

/// The keys that an event is about.
#[derive(Clone, Debug, PartialEq)]
pub enum Touched {
    /// These: one, or with a fan-out several.
    Keys(BTreeSet<Key>),
    /// Every key, those never seen too.
    All,
    /// Nobody knows: it may have hit any instance.
    Unreadable,
    /// None: the rule leaves the event out.
    Nothing,
}

/// What an event was to a rule.
#[derive(Clone, Debug)]
pub struct Seen {
    /// The keys that it is about.
    pub touched: Touched,
    /// If there was no room for an instance that it needed: the keys that were live. Any other may have been hit.
    pub no_room: Option<BTreeSet<Key>>,
    /// What it may have been.
    pub step: Step,
    /// The call that it announces.
    pub call: Option<String>,
    /// When, by the rule's clock.
    pub at: i128,
    /// Whether it closed the instances of its keys.
    pub closes: Kleene,
    /// Whether all keys are fresh after it.
    pub resets: Kleene,
    /// How this call ended: what was counted for it is returned.
    pub returns: Option<(String, Status)>,
}

/// What an event may have been to a rule.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The possible letters; 0 is no step.
    pub letters: BTreeSet<Letter>,
    /// What the register reads: a sum's amount, an id. `None` if it cannot be read.
    pub operand: Option<Value>,
}

impl Step {
    /// No step.
    pub fn none() -> Self {
        Self { letters: BTreeSet::from([0]), operand: None }
    }

    /// Whether the event may concern the rule.
    pub fn concerns(&self) -> bool {
        self.letters.iter().any(|letter| *letter != 0)
    }

    /// Whether it certainly does.
    pub fn is_certain(&self) -> bool {
        !self.letters.contains(&0)
    }

    fn or_not(&self) -> Self {
        Self { letters: self.letters.iter().copied().chain([0]).collect(), operand: self.operand.clone() }
    }
}

/// Whether an event was about a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reach {
    No,
    Perhaps,
    Surely,
}

impl Seen {
    /// Whether it was about a key; `None`: about keys never seen.
    fn reach(&self, key: Option<&Key>) -> Reach {
        let doubtful = self.no_room.as_ref().is_some_and(|live| key.is_none_or(|key| !live.contains(key)));
        match &self.touched {
            Touched::Nothing => Reach::No,
            Touched::Unreadable => Reach::Perhaps,
            Touched::Keys(_) if doubtful => Reach::Perhaps,
            Touched::Keys(keys) if key.is_some_and(|key| keys.contains(key)) => Reach::Surely,
            Touched::Keys(_) => Reach::No,
            Touched::All => Reach::Surely,
        }
    }

    /// Whether its `close_on` is about a key.
    fn closes(&self, key: &Key) -> Kleene {
        match &self.touched {
            Touched::Keys(keys) if keys.contains(key) => self.closes,
            Touched::All => self.closes,
            Touched::Unreadable => Kleene::all([self.closes, Kleene::Perhaps]),
            Touched::Keys(_) | Touched::Nothing => Kleene::No,
        }
    }
}

/// One of the ways in which a key may stand: what, of its events, can still matter.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum World {
    /// Of an automaton rule.
    Word(Word),
    /// Of what is counted or summed, in a window or not: the occurrences.
    Counted(Vec<super::counted::Occurrence>),
    /// Of different values.
    Values {
        /// The values.
        known: BTreeSet<Value>,
        /// How many others there are, nobody knows which.
        others: usize,
    },
    /// Of ids that are open: the id, where it is known, and the call that opened it, where it was certainly that one.
    Open(Vec<(Option<Value>, Option<String>)>),
    /// Of a deadline: the triggers without an answer, and whether that is certain.
    Due(BTreeMap<i128, bool>),
    /// Of a permission: when it was given.
    Granted(Option<i128>),
}

/// The ways in which a key may stand.
pub type Worlds = BTreeSet<World>;

/// What becomes of a world by an event.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Whether the rule is violated by it.
    pub violated: bool,
    /// How the key stands after it, if it happens all the same.
    pub world: World,
}

impl Outcome {
    /// The event is fine.
    pub fn fine(world: World) -> Self {
        Self { violated: false, world }
    }

    /// The event violates the rule, which stays as it was.
    pub fn stays(world: &World) -> Self {
        Self { violated: true, world: world.clone() }
    }
}

/// A rule kind by its definition.
pub trait Meaning {
    /// The world of no event.
    fn fresh(&self) -> World;

    /// What may become of a world by an event that has this letter, is not 0, and happens at this time; it announces this
    /// call, and is certainly about the key.
    fn outcomes(&self, world: &World, letter: Letter, step: &Step, at: i128, call: Option<&String>) -> Vec<Outcome>;

    /// The verdict of a world at rest.
    fn rest(&self, _: &World, _: i128) -> Verdict {
        Verdict::Open
    }

    /// Whether an obligation is pending.
    fn owes(&self, worlds: &Worlds, now: i128) -> Kleene {
        let pending = |world: &World| self.rest(world, now) == Verdict::Pending;
        match (worlds.iter().any(pending), worlds.iter().all(pending)) {
            (false, _) => Kleene::No,
            (true, false) => Kleene::Perhaps,
            (true, true) => Kleene::Yes,
        }
    }

    /// Whether nothing that is to come tells two sets of worlds apart.
    fn same(&self, these: &Worlds, those: &Worlds, now: i128) -> bool {
        let now = |worlds: &Worlds| -> Worlds { worlds.iter().map(|world| self.passed(world, now)).collect() };
        now(these) == now(those)
    }

    /// The world when time has passed.
    fn passed(&self, world: &World, _: i128) -> World {
        world.clone()
    }

    /// Whether an obligation ran out after one time, until another.
    fn ran_out(&self, _: &Worlds, _: i128, _: i128) -> Verdict {
        Verdict::Satisfied
    }

    /// The world when what a call counted for is returned.
    fn returned(&self, world: &World, _: &str, _: Status) -> Worlds {
        Worlds::from([world.clone()])
    }

    /// Whether a step cannot be judged because its operand cannot be read.
    fn needs_operand(&self, _: &Step) -> bool {
        false
    }

    /// The worlds after an event.
    fn after(&self, worlds: &Worlds, step: &Step, at: i128, call: Option<&String>) -> Worlds {
        let mut after = Worlds::new();
        for world in worlds {
            let world = self.passed(world, at);
            for letter in &step.letters {
                match letter {
                    0 => drop(after.insert(world.clone())),
                    _ => after.extend(
                        self.outcomes(&world, *letter, step, at, call).into_iter().map(|outcome| outcome.world),
                    ),
                }
            }
        }
        after
    }

    /// The verdict that one more event would give.
    fn look_ahead(&self, worlds: &Worlds, step: &Step, at: i128) -> Verdict {
        if self.needs_operand(step) {
            return Verdict::Unestablished;
        }
        let mut stepped = Vec::new();
        for world in worlds {
            let world = self.passed(world, at);
            for letter in &step.letters {
                match letter {
                    // A formula may be violated before anything happens.
                    0 if self.rest(&world, at) == Verdict::Violated => stepped.push(Outcome::stays(&world)),
                    0 => stepped.push(Outcome::fine(world.clone())),
                    _ => stepped.extend(self.outcomes(&world, *letter, step, at, None)),
                }
            }
        }
        let violated = stepped.iter().filter(|outcome| outcome.violated).count();
        if violated > 0 {
            return if violated == stepped.len() { Verdict::Violated } else { Verdict::Unestablished };
        }
        stepped.iter().map(|outcome| self.rest(&outcome.world, at)).max().unwrap_or(Verdict::Satisfied)
    }
}

/// The definition of a rule's kind, if events move it.
pub fn meaning(rule: &Rule) -> Option<Box<dyn Meaning>> {
    let (template, register) = match &rule.kind {
        Kind::Automaton { template, patterns, machine, formula } => {
            let letters = machine.letters.clone();
            let names: Vec<&str> = patterns.iter().map(|pattern| pattern.name.as_deref().unwrap_or_default()).collect();
            let named = |name: &str| names.iter().position(|known| *known == name);
            return Some(Box::new(Formula {
                template,
                patterns: patterns.len(),
                consume: matches!(*template, "must_precede" | "cannot_follow_without") && consumes(rule),
                restart: *template == "sequence" && restarts(rule),
                forbid: named("forbid"),
                needs: named("needs"),
                written: formula.as_ref().map(|formula| Futures::of(formula, &names, &letters)),
                letters,
            }));
        }
        Kind::Register { template, register, .. } => (template, register),
        _ => return None,
    };
    let whole = |limit: u64| Number::whole(limit);
    let exact = |limit: &contract_runtime::Decimal| {
        Number::parse(&limit.to_string()).unwrap_or_else(|| panic!("{template}: the limit {limit} is a number"))
    };
    Some(match register {
        Register::Count { limit } => Box::new(Counted { limit: whole(*limit), window: None, sums: false }),
        Register::Total { limit } => Box::new(Counted { limit: exact(limit), window: None, sums: true }),
        Register::Rate { limit, window } => {
            Box::new(Counted { limit: whole(u64::from(*limit)), window: Some(window.as_nanos()), sums: false })
        }
        Register::WindowTotal { limit, window } => {
            Box::new(Counted { limit: exact(limit), window: Some(window.as_nanos()), sums: true })
        }
        Register::Distinct { limit } => Box::new(Distinct { limit: size(*limit) }),
        Register::OpenIds { limit } => Box::new(Open { limit: size(*limit), named: has_operand(rule) }),
        Register::Deadline { within } => Box::new(Deadline { within: within.as_nanos() }),
        Register::Permission { expires, consume } => {
            Box::new(Permission { expires: expires.as_nanos(), consume: *consume })
        }
    })
}

fn size(limit: u32) -> usize {
    usize::try_from(limit).unwrap_or(usize::MAX)
}

fn has_operand(rule: &Rule) -> bool {
    matches!(&rule.kind, Kind::Register { operand: Some(_), .. })
}

/// Whether `then` takes the permission. Of what the contract says, only the machine keeps this: one experiment with it tells,
/// a `first` and then two `then`. All else about the machine is left to be found wrong.
fn consumes(rule: &Rule) -> bool {
    let Kind::Automaton { machine, .. } = &rule.kind else { return false };
    let letter = |wanted: fn(u8) -> bool| machine.letters.iter().copied().find(|letter| wanted(*letter));
    let (first, then) = (letter(|letter| letter & 0b111 == 0b001), letter(|letter| letter & 0b110 == 0b010));
    let (Some(first), Some(then)) = (first, then) else { return false };
    violates(machine, &[first, then, then])
}

/// Whether a sequence may start again: the same, by all its steps and then the first.
fn restarts(rule: &Rule) -> bool {
    let Kind::Automaton { machine, patterns, .. } = &rule.kind else { return false };
    let steps = (0..patterns.len()).map(|step| 1 << step);
    let word: Vec<Letter> = steps.chain([1]).collect();
    word.iter().all(|letter| machine.letters.contains(letter)) && !violates(machine, &word)
}

fn violates(machine: &Machine, word: &[Letter]) -> bool {
    let ends = word.iter().fold(machine.initial, |state, letter| {
        machine.delta[usize::from(state) << machine.width | usize::from(*letter)]
    });
    machine.colours[usize::from(ends)] == contract_runtime::Colour::Violated
}

/// Whether a rule returns what it counted for a call that failed.
pub fn returns(rule: &Rule) -> bool {
    match &rule.kind {
        Kind::Register { register: Register::OpenIds { .. }, .. } => true,
        Kind::Register { counting, .. } => *counting == Counting::Succeeded,
        _ => false,
    }
}

/// The patterns by which a rule steps.
pub fn patterns(rule: &Rule) -> &[Pattern] {
    match &rule.kind {
        Kind::Automaton { patterns, .. } | Kind::Register { patterns, .. } => patterns,
        _ => &[],
    }
}

/// The events of a session as one rule sees them.
pub struct History<'a> {
    /// The rule.
    pub rule: &'a Rule,
    /// What it means.
    pub meaning: &'a dyn Meaning,
    /// Its events, in order.
    pub seen: &'a [Seen],
    /// The time by its clock.
    pub now: i128,
}

impl History<'_> {
    /// How a key may stand; `None`: a key never seen.
    pub fn worlds(&self, key: Option<&Key>) -> Worlds {
        let fresh = Worlds::from([self.meaning.fresh()]);
        let (mut base, mut mine) = (fresh.clone(), fresh.clone());
        let take = |worlds: &Worlds, seen: &Seen, reach: Reach| match reach {
            Reach::No => worlds.clone(),
            Reach::Perhaps => self.meaning.after(worlds, &seen.step.or_not(), seen.at, None),
            Reach::Surely => self.meaning.after(worlds, &seen.step, seen.at, seen.call.as_ref()),
        };
        for seen in self.seen {
            if let Some((call, status)) = &seen.returns {
                let back = |worlds: &Worlds| -> Worlds {
                    worlds.iter().flat_map(|world| self.meaning.returned(world, call, *status)).collect()
                };
                (base, mine) = (back(&base), back(&mine));
            }
            mine = take(&mine, seen, seen.reach(key));
            base = take(&base, seen, seen.reach(None));
            match key.map_or(Kleene::No, |key| seen.closes(key)) {
                Kleene::Yes => mine = base.clone(),
                Kleene::Perhaps => mine.extend(base.iter().cloned()),
                Kleene::No => {}
            }
            for worlds in [&mut base, &mut mine] {
                match seen.resets {
                    Kleene::Yes => *worlds = fresh.clone(),
                    Kleene::Perhaps => worlds.extend(fresh.iter().cloned()),
                    Kleene::No => {}
                }
            }
        }
        if key.is_some() { mine } else { base }
    }

    /// The keys that need an instance: those that stand otherwise than a key never seen.
    pub fn live(&self) -> BTreeSet<Key> {
        let base = self.worlds(None);
        let keys = self.seen.iter().filter_map(|seen| match &seen.touched {
            Touched::Keys(keys) => Some(keys),
            _ => None,
        });
        let keys: BTreeSet<&Key> = keys.flatten().collect();
        let stands_out = |key: &&Key| !self.meaning.same(&self.worlds(Some(key)), &base, self.now);
        keys.into_iter().filter(stands_out).cloned().collect()
    }

    /// All that can be told apart: the live keys, and `None` for one never seen. A rule without a key is one instance.
    pub fn instances(&self) -> Vec<Option<Key>> {
        match self.rule.per {
            Some(_) => self.live().into_iter().map(Some).chain([None]).collect(),
            None => vec![Some(Key::new())],
        }
    }

    /// The verdict that a step of a key would give; `None`: of a key never seen.
    fn look_at(&self, key: Option<&Key>, step: &Step, at: i128) -> Verdict {
        self.meaning.look_ahead(&self.worlds(key), step, at)
    }

    /// The verdict that an event would give: the worst of the keys that it is about. One of which nobody knows the key is
    /// never certain.
    pub fn look_ahead(&self, touched: &Touched, step: &Step, at: i128) -> Verdict {
        let worst = |keys: &mut dyn Iterator<Item = Option<&Key>>| {
            keys.map(|key| self.look_at(key, step, at)).max().unwrap_or(Verdict::Satisfied)
        };
        match touched {
            Touched::Keys(keys) => worst(&mut keys.iter().map(Some)),
            Touched::All => worst(&mut self.instances().iter().map(Option::as_ref)),
            Touched::Unreadable => worst(&mut self.instances().iter().map(Option::as_ref)).min(Verdict::Unestablished),
            Touched::Nothing => Verdict::Satisfied,
        }
    }

    /// The verdict at rest: the worst of all keys, and of a key never seen.
    pub fn verdict(&self) -> Verdict {
        let each = self.instances().into_iter().map(|key| self.look_at(key.as_ref(), &Step::none(), self.now));
        each.max().unwrap_or(Verdict::Satisfied)
    }

    /// The keys that certainly owe something, and whether some perhaps do; the empty key speaks for a rule without a key and
    /// for keys never seen.
    pub fn owing(&self) -> (Vec<Key>, bool) {
        let keys = self.instances();
        (self.that_owe(&keys, |owes| owes == Kleene::Yes), !self.that_owe(&keys, |owes| owes != Kleene::No).is_empty())
    }

    fn that_owe(&self, keys: &[Option<Key>], wanted: impl Fn(Kleene) -> bool) -> Vec<Key> {
        let owes = |key: &&Option<Key>| wanted(self.meaning.owes(&self.worlds(key.as_ref()), self.now));
        keys.iter().filter(owes).cloned().map(Option::unwrap_or_default).collect()
    }

    /// The obligations that an event takes away, which are violations; and the verdict on those that it perhaps takes away,
    /// or that were perhaps none. `matches`: the keys that it may be about, whether it is, and whether that is all keys.
    pub fn taken_away(&self, touched: &Touched, closes: Kleene, resets: bool) -> (Vec<Key>, Verdict) {
        let (mut keys, mut perhaps) = (self.instances(), Vec::new());
        if !resets {
            // What keys never seen owe is not closed with a key.
            keys.retain(|key| match (key, touched) {
                (None, _) | (_, Touched::Nothing) => false,
                (Some(key), Touched::Keys(keys)) => keys.contains(key),
                (Some(_), Touched::All | Touched::Unreadable) => true,
            });
        }
        // A key without an instance may be one that an event of which nobody knows the key has hit.
        let unseen = match touched {
            Touched::Keys(keys) => keys.iter().any(|key| !self.live().contains(key)),
            Touched::All | Touched::Unreadable => true,
            Touched::Nothing => false,
        };
        let since = self.seen.iter().rposition(|seen| seen.resets == Kleene::Yes).map_or(0, |at| at + 1);
        let blurs = |seen: &Seen| seen.step.concerns() && seen.reach(None) == Reach::Perhaps;
        if !resets && unseen && self.rule.per.is_some() && self.seen[since..].iter().any(blurs) {
            perhaps.push(None);
        }
        let certain = closes == Kleene::Yes && (resets || *touched != Touched::Unreadable);
        perhaps.extend(keys.iter().cloned());
        let owing = self.that_owe(&perhaps, |owes| owes != Kleene::No);
        let pending = if certain { self.that_owe(&keys, |owes| owes == Kleene::Yes) } else { Vec::new() };
        let verdict = match (pending.is_empty(), owing.is_empty() || closes == Kleene::No) {
            (false, _) => Verdict::Violated,
            (true, false) => Verdict::Unestablished,
            (true, true) => Verdict::Satisfied,
        };
        (pending, verdict)
    }

    /// The keys of which an obligation has run out since this time, each with whether that is certain.
    pub fn expired(&self, since: i128) -> Vec<(Key, Verdict)> {
        let before = History { now: since, ..*self };
        let ran_out = |key: Option<Key>| {
            let verdict = self.meaning.ran_out(&self.worlds(key.as_ref()), since, self.now);
            (key.unwrap_or_default(), verdict)
        };
        let all = before.instances().into_iter().map(ran_out);
        all.filter(|(_, verdict)| *verdict >= Verdict::Unestablished).collect()
    }
}
