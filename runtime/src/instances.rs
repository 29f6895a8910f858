//! The instances of a keyed rule: a bounded table of cells.
//!
//! INVARIANT: an instance is in the table only while its state differs from `base`, the state of a key never seen. So the
//! table holds what matters and nothing else, and its bound is the rule's memory bound. Nothing is ever forgotten to stay
//! within it: a call that would need one instance too many is not established instead.

use std::collections::VecDeque;

use foldhash::fast::RandomState;
use hashbrown::HashTable;
use serde_json::Value;

use crate::key::{self, Key, Parts};
use crate::register::Register;
use crate::single::{Admission, Latch};
use crate::{Reason, Time, Truth, Verdict};

/// The state of one instance of a rule.
pub trait Cell: Clone + PartialEq {
    /// What the rule fixes: its machine or its limit.
    type Rule<'r>: Copy;
    /// What an event means for the rule.
    type Step;

    /// The state before any event.
    fn fresh(rule: Self::Rule<'_>) -> Self;
    /// The verdict at rest.
    fn verdict(&self, rule: Self::Rule<'_>) -> Verdict;
    /// The verdict that the step would produce.
    fn look(&self, rule: Self::Rule<'_>, step: &Self::Step) -> Verdict;
    /// Takes the step.
    fn step(&mut self, rule: Self::Rule<'_>, step: &Self::Step);
    /// Takes the step, or not: nobody knows.
    fn perhaps(&mut self, rule: Self::Rule<'_>, step: &Self::Step) {
        let mut stepped = self.clone();
        stepped.step(rule, step);
        self.join(&stepped);
    }
    /// May as well be in the other state.
    fn join(&mut self, other: &Self);
    /// The last moment at which the state can matter, for rules about time.
    fn expires(&self, _rule: Self::Rule<'_>) -> Option<Time> {
        None
    }
    /// Forgets what time has made irrelevant.
    fn expire(&mut self, _rule: Self::Rule<'_>, _now: Time) {}
}

/// Where the instance of a key is.
#[derive(Clone, Copy, Debug)]
enum Place {
    /// In this bucket of the table.
    Live(usize),
    /// Not in the table; the hash of the key.
    New(u64),
    /// The key cannot be read.
    Unreadable,
    /// Not in the table, and the table is full.
    Full,
}

/// The verdict about a step of one instance, and where that instance is. Valid until the table changes.
#[derive(Clone, Copy, Debug)]
pub struct Judged {
    /// The verdict that the step would produce.
    pub verdict: Verdict,
    place: Place,
}

impl Judged {
    /// Why the verdict is what it is, where it is not the rule itself that says so.
    #[must_use]
    pub fn reason(&self) -> Reason {
        match self.place {
            Place::Unreadable => Reason::UnreadableKey,
            Place::Full => Reason::InstancesFull,
            Place::Live(_) | Place::New(_) => Reason::Rule,
        }
    }
}

/// A keyed rule.
#[derive(Clone, Debug)]
pub struct Keyed<C> {
    table: HashTable<Instance<C>>,
    hasher: RandomState,
    base: C,
    max: usize,
    reserved: usize,
    born: u64,
    /// When steps of instances stop to matter, in order: moment, hash, incarnation.
    expiring: VecDeque<(Time, u64, u64)>,
    latch: Latch,
}

#[derive(Clone, Debug)]
struct Instance<C> {
    born: u64,
    key: Key,
    cell: C,
}

impl<C: Cell> Keyed<C> {
    /// The fresh rule, with room for `max` live instances.
    pub fn new(rule: C::Rule<'_>, max: usize) -> Self {
        Self {
            table: HashTable::new(),
            hasher: RandomState::default(),
            base: C::fresh(rule),
            max,
            reserved: 0,
            born: 0,
            expiring: VecDeque::new(),
            latch: Latch::Clear,
        }
    }

    #[inline]
    fn find(&self, key: Parts<'_>) -> Place {
        let Some(hash) = key::hash(&self.hasher, key) else { return Place::Unreadable };
        match self.table.find_bucket_index(hash, |instance| instance.key.is(key)) {
            Some(bucket) => Place::Live(bucket),
            None => Place::New(hash),
        }
    }

    #[inline]
    fn cell(&self, place: Place) -> &C {
        match place {
            Place::Live(bucket) => self.table.get_bucket(bucket).map_or(&self.base, |instance| &instance.cell),
            Place::New(_) | Place::Unreadable | Place::Full => &self.base,
        }
    }

    fn is_full(&self) -> bool {
        self.table.len().saturating_add(self.reserved) >= self.max
    }

    /// Frees the instances that are as good as fresh by now. Each step of a rule about time is looked at once more when it
    /// stops to matter, so the cost of a call does not depend on how many instances there are.
    #[inline]
    pub fn retire(&mut self, rule: C::Rule<'_>, now: Time) {
        while let Some((_, hash, born)) = self.expiring.pop_front_if(|(expires, ..)| *expires < now) {
            self.retire_one(rule, now, hash, born);
        }
        if self.base.expires(rule).is_some_and(|expires| expires < now) {
            self.sweep(rule, now);
        }
    }

    fn retire_one(&mut self, rule: C::Rule<'_>, now: Time, hash: u64, born: u64) {
        let Some(bucket) = self.table.find_bucket_index(hash, |instance| instance.born == born) else { return };
        let Some(instance) = self.table.get_bucket_mut(bucket) else { return };
        instance.cell.expire(rule, now);
        if instance.cell == self.base {
            self.free(bucket);
        }
    }

    /// What may have been any key's has stopped to matter: every instance is looked at, once for such an event.
    #[cold]
    fn sweep(&mut self, rule: C::Rule<'_>, now: Time) {
        self.base.expire(rule, now);
        let base = &self.base;
        self.table.retain(|instance| {
            instance.cell.expire(rule, now);
            instance.cell != *base
        });
    }

    /// The verdict that the step would produce for the instance of a key.
    #[inline]
    pub fn judge(&self, rule: C::Rule<'_>, key: Parts<'_>, step: &C::Step) -> Judged {
        let place = self.find(key);
        match place {
            Place::Unreadable => Judged { verdict: Verdict::Unestablished, place },
            Place::New(_) if self.is_full() && self.leaves_base(rule, step) => {
                Judged { verdict: Verdict::Unestablished, place: Place::Full }
            }
            _ => Judged { verdict: self.cell(place).look(rule, step), place },
        }
    }

    fn leaves_base(&self, rule: C::Rule<'_>, step: &C::Step) -> bool {
        let mut stepped = self.base.clone();
        stepped.step(rule, step);
        stepped != self.base
    }

    /// Takes the step of an admitted call that was judged.
    #[inline]
    pub fn admit(&mut self, rule: C::Rule<'_>, key: Parts<'_>, step: &C::Step, judged: Judged, admission: Admission) {
        if admission.latches && judged.verdict >= Verdict::Unestablished {
            self.latch(rule, step, judged);
        }
        if admission.counts {
            self.step(rule, key, step, judged.place);
        }
    }

    /// Takes the step of a result or host event. Returns the verdict that it produced; not established where it needed an
    /// instance too many, because from then on every key never seen is in doubt.
    pub fn observe(&mut self, rule: C::Rule<'_>, key: Parts<'_>, step: &C::Step) -> Judged {
        let place = match self.find(key) {
            Place::New(_) if self.is_full() && self.leaves_base(rule, step) => Place::Full,
            place => place,
        };
        let verdict = self.actual(rule, step, place);
        self.latch.raise(verdict);
        self.step(rule, key, step, place);
        match place {
            Place::Full => Judged { verdict: verdict.max(Verdict::Unestablished), place },
            // The key of a result may be missing without fault: that is for the verdict to say.
            _ => Judged { verdict, place: Place::New(0) },
        }
    }

    #[cold]
    fn latch(&mut self, rule: C::Rule<'_>, step: &C::Step, judged: Judged) {
        let verdict = self.actual(rule, step, judged.place);
        self.latch.raise(verdict);
    }

    /// The verdict of the step itself, where the judged one speaks of the key or of the table.
    fn actual(&self, rule: C::Rule<'_>, step: &C::Step, place: Place) -> Verdict {
        if !matches!(place, Place::Unreadable) {
            return self.cell(place).look(rule, step);
        }
        // The event hit one of the instances, or a key never seen, or none: nothing is certain.
        let worst = self.table.iter().map(|instance| instance.cell.look(rule, step)).max();
        let worst = worst.unwrap_or(Verdict::Satisfied).max(self.base.look(rule, step));
        worst.min(Verdict::Unestablished)
    }

    #[inline]
    fn step(&mut self, rule: C::Rule<'_>, key: Parts<'_>, step: &C::Step, place: Place) {
        match place {
            Place::Live(bucket) => {
                let Some(instance) = self.table.get_bucket_mut(bucket) else { return };
                instance.cell.step(rule, step);
                if let Some(expires) = instance.cell.expires(rule) {
                    let hash = key::hash_owned(&self.hasher, &instance.key);
                    self.expiring.push_back((expires, hash, instance.born));
                }
                if instance.cell == self.base {
                    self.free(bucket);
                }
            }
            Place::New(hash) => {
                let mut cell = self.base.clone();
                cell.step(rule, step);
                if cell != self.base {
                    let expires = cell.expires(rule);
                    self.insert(hash, key, cell);
                    self.expiring.extend(expires.map(|expires| (expires, hash, self.born)));
                }
            }
            Place::Unreadable => self.step_any(rule, step),
            Place::Full => {
                let before = self.base.clone();
                self.base.perhaps(rule, step);
                if self.base != before {
                    self.table.retain(|instance| instance.cell != self.base);
                }
            }
        }
    }

    #[cold]
    fn step_any(&mut self, rule: C::Rule<'_>, step: &C::Step) {
        self.base.perhaps(rule, step);
        let base = &self.base;
        self.table.retain(|instance| {
            instance.cell.perhaps(rule, step);
            instance.cell != *base
        });
    }

    fn insert(&mut self, hash: u64, key: Parts<'_>, cell: C) {
        self.born = self.born.wrapping_add(1);
        let instance = Instance { born: self.born, key: Key::new(key), cell };
        let hasher = &self.hasher;
        self.table.insert_unique(hash, instance, |instance| key::hash_owned(hasher, &instance.key));
    }

    fn free(&mut self, bucket: usize) {
        if let Ok(entry) = self.table.get_bucket_entry(bucket) {
            entry.remove();
        }
    }

    /// Reserves the slot that an outcome of the call may need: `None` where none is left.
    ///
    /// The answer says whether a slot was taken, to be released with [`Self::release`] at the outcome.
    #[must_use]
    pub fn room(&self, key: Parts<'_>) -> Room {
        match self.find(key) {
            Place::New(_) if self.is_full() => Room::Full,
            Place::New(_) => Room::Needed,
            Place::Live(_) | Place::Unreadable | Place::Full => Room::NotNeeded,
        }
    }

    /// Takes the slot that [`Self::room`] found needed, unless the call itself has made the key live since.
    pub fn reserve(&mut self, key: Parts<'_>, room: Room) -> bool {
        let taken = room == Room::Needed && matches!(self.find(key), Place::New(_));
        self.reserved = self.reserved.saturating_add(usize::from(taken));
        taken
    }

    /// Gives the slot back.
    pub fn release(&mut self, taken: bool) {
        self.reserved = self.reserved.saturating_sub(usize::from(taken));
    }

    /// Closes the instance of a key: the key is fresh again. Returns whether an obligation was pending there.
    pub fn close(&mut self, rule: C::Rule<'_>, key: Parts<'_>, matches: Truth) -> bool {
        match (self.find(key), matches) {
            (_, Truth::False) => false,
            (Place::Live(bucket), Truth::True) => {
                let pending = self.cell(Place::Live(bucket)).verdict(rule) == Verdict::Pending;
                self.free(bucket);
                if pending {
                    self.latch.raise(Verdict::Violated);
                }
                pending
            }
            (Place::Live(bucket), Truth::Unknown) => {
                let Some(instance) = self.table.get_bucket_mut(bucket) else { return false };
                instance.cell.join(&self.base);
                if instance.cell == self.base {
                    self.free(bucket);
                }
                false
            }
            (Place::Unreadable, _) => {
                let base = &self.base;
                self.table.retain(|instance| {
                    instance.cell.join(base);
                    instance.cell != *base
                });
                false
            }
            (Place::New(_) | Place::Full, _) => false,
        }
    }

    /// The rule's verdict: the worst of its past violations, its live instances, and keys never seen.
    pub fn verdict(&self, rule: C::Rule<'_>) -> Verdict {
        let live = self.table.iter().map(|instance| instance.cell.verdict(rule)).max();
        live.unwrap_or(Verdict::Satisfied).max(self.base.verdict(rule)).max(self.latch.verdict())
    }

    /// The keys with a pending obligation, in the order of their components.
    pub fn pending(&self, rule: C::Rule<'_>) -> Vec<Vec<Value>> {
        let pending = self.table.iter().filter(|instance| instance.cell.verdict(rule) == Verdict::Pending);
        let mut keys: Vec<Vec<Value>> = pending.map(|instance| key::owned_to_json(&instance.key)).collect();
        keys.sort_by_cached_key(|key| serde_json::to_string(key).unwrap_or_default());
        keys
    }

    /// Raises the latch: the session ended with an obligation open.
    pub fn fail(&mut self) {
        self.latch.raise(Verdict::Violated);
    }

    /// How many instances are live.
    pub fn live(&self) -> usize {
        self.table.len()
    }
}

impl<C: Register> Keyed<C> {
    /// Which incarnation of a key's instance holds an occurrence that was just admitted; 0 if none does.
    pub fn incarnation(&self, key: Parts<'_>) -> u64 {
        match self.find(key) {
            Place::Live(bucket) => self.table.get_bucket(bucket).map_or(0, |instance| instance.born),
            Place::New(_) | Place::Unreadable | Place::Full => 0,
        }
    }

    /// Returns an occurrence to the incarnation of the instance that holds it; nothing if that one was closed since.
    pub fn give_back(&mut self, key: Parts<'_>, step: &C::Step, failed: Truth, incarnation: u64) {
        match self.find(key) {
            Place::Live(bucket) => {
                let Some(instance) = self.table.get_bucket_mut(bucket) else { return };
                if instance.born != incarnation {
                    return;
                }
                instance.cell.give_back(step, failed);
                if instance.cell == self.base {
                    self.free(bucket);
                }
            }
            // An occurrence whose key could not be read was counted as possible everywhere: it stays so.
            Place::New(_) | Place::Unreadable | Place::Full => {}
        }
    }
}

/// Whether an outcome of a call may need a new instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Room {
    /// No: the instance is live, or the key cannot be read.
    NotNeeded,
    /// Yes, and there is room.
    Needed,
    /// Yes, and there is none.
    Full,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::belief::Belief;
    use crate::count::Count;
    use crate::key::Part;
    use crate::machine::{Letters, Machine, Step};
    use crate::{Colour, value::Val};

    /// `first` (bit 0) before `then` (bit 1): open, satisfied, violated.
    const PRECEDE: Machine<'static> = Machine {
        width: 2,
        initial: 0,
        colours: &[Colour::Open, Colour::Satisfied, Colour::Violated],
        delta: &[0, 1, 2, 2, 1, 1, 1, 1, 2, 2, 2, 2],
    };
    const ADMIT: Admission = Admission { latches: true, counts: true };

    fn key(text: &str) -> [Option<Part<'_>>; 1] {
        [Part::new(Some(Val::text(text)))]
    }

    fn letter(letter: u8) -> Step {
        Step::one(Letters::certain(letter))
    }

    #[test]
    fn keys_are_independent_and_the_violated_state_is_never_entered() {
        let mut rule: Keyed<Belief> = Keyed::new(PRECEDE, 10);
        assert_eq!(rule.observe(PRECEDE, &key("a"), &letter(1)).verdict, Verdict::Satisfied);
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
        let mut rule: Keyed<Count> = Keyed::new(5, 2);
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
    fn a_slot_is_reserved_until_the_outcome() {
        let mut rule: Keyed<Belief> = Keyed::new(PRECEDE, 1);
        let room = rule.room(&key("a"));
        assert_eq!(room, Room::Needed);
        let taken = rule.reserve(&key("a"), room);
        assert_eq!(rule.room(&key("b")), Room::Full);
        rule.release(taken);
        assert_eq!(rule.room(&key("b")), Room::Needed);
    }

    #[test]
    fn going_back_to_the_fresh_state_frees_the_instance() {
        let mut rule: Keyed<Count> = Keyed::new(1, 10);
        let judged = rule.judge(1, &key("a"), &Truth::True);
        rule.admit(1, &key("a"), &Truth::True, judged, ADMIT);
        let incarnation = rule.incarnation(&key("a"));
        assert_eq!(rule.judge(1, &key("a"), &Truth::True).verdict, Verdict::Violated);
        rule.give_back(&key("a"), &Truth::True, Truth::True, incarnation);
        assert_eq!(rule.live(), 0);
    }

    #[test]
    fn what_a_closed_instance_counted_is_not_returned_to_its_successor() {
        let mut rule: Keyed<Count> = Keyed::new(1, 10);
        let take = |rule: &mut Keyed<Count>| {
            let judged = rule.judge(1, &key("a"), &Truth::True);
            rule.admit(1, &key("a"), &Truth::True, judged, ADMIT);
            rule.incarnation(&key("a"))
        };
        let first = take(&mut rule);
        rule.close(1, &key("a"), Truth::True);
        let second = take(&mut rule);
        rule.give_back(&key("a"), &Truth::True, Truth::True, first);
        assert_eq!(rule.judge(1, &key("a"), &Truth::True).verdict, Verdict::Violated);
        rule.give_back(&key("a"), &Truth::True, Truth::True, second);
        assert_eq!(rule.judge(1, &key("a"), &Truth::True).verdict, Verdict::Open);
    }

    #[test]
    fn an_unreadable_key_may_be_any_key() {
        let mut rule: Keyed<Belief> = Keyed::new(PRECEDE, 10);
        assert_eq!(rule.judge(PRECEDE, &[None], &letter(2)).verdict, Verdict::Unestablished);
        rule.observe(PRECEDE, &[None], &letter(1));
        assert_eq!(rule.judge(PRECEDE, &key("a"), &letter(2)).verdict, Verdict::Unestablished);
        rule.observe(PRECEDE, &key("a"), &letter(1));
        assert_eq!(rule.judge(PRECEDE, &key("a"), &letter(2)).verdict, Verdict::Satisfied, "certain again");
    }

    #[test]
    fn keys_are_type_tagged_and_numbers_are_exact() {
        let number = |text: &str| [Part::new(crate::Decimal::parse(text).map(Val::Number))];
        let mut rule: Keyed<Belief> = Keyed::new(PRECEDE, 10);
        rule.observe(PRECEDE, &number("1"), &letter(1));
        assert_eq!(rule.judge(PRECEDE, &number("1.0"), &letter(2)).verdict, Verdict::Satisfied);
        assert_eq!(rule.judge(PRECEDE, &key("1"), &letter(2)).verdict, Verdict::Violated);
    }
}
