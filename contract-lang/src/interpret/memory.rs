//! The memory of one stepping rule at run time, whatever its kind and whether or not it is keyed.

use std::fmt;

use contract_runtime::private::{
    self as rt, About, Admission, Cell, Judged, Keyed, Note, Operand, Receipt, Register, Room, Single, Touched, Wanted,
};
use contract_runtime::{Departed, Reason, Retired, Seed, States, Time, Truth, Verdict};
use serde_json::Value;

use super::event::Event;
use crate::mir::{Kind, Rule};

/// A cell that the interpreter can run: how it reads a checked rule, and an event.
pub(super) trait Executed: Cell + fmt::Debug + Send + 'static {
    /// What the rule fixes; `None` for a rule of another kind.
    fn fixed(kind: &Kind) -> Option<Self::Rule<'_>>;
    /// The event as a step.
    fn read<'s>(event: &Event<'s>) -> Self::Step<'s>;
    /// What to remember of a counted call.
    fn receipt(step: &Self::Step<'_>) -> Receipt;
    /// Returns what the receipt is about.
    fn give_back(memory: &mut Instances<Self>, kind: &Kind, key: &Touched<'_>, returned: &Returned<'_>);
}

/// What a call counted that failed, or of which nobody knows whether it failed.
pub(super) struct Returned<'a> {
    pub(super) note: Note,
    pub(super) operand: Option<rt::Est<'a>>,
    pub(super) failed: Truth,
}

/// The instances of a rule.
#[derive(Clone, Debug)]
pub(super) enum Instances<C: Cell> {
    /// A rule without a key.
    Single(Single<C>),
    /// A keyed rule.
    Keyed(Keyed<C>),
}

/// A verdict about a step, with what is needed to take it.
#[derive(Clone, Copy)]
pub(super) enum Look {
    Single(Verdict),
    Keyed(Judged),
}

impl Look {
    /// The verdict, and why it is not known whether an obligation is pending.
    pub(super) fn owing(self) -> (Verdict, Option<Reason>) {
        match self {
            Self::Single(verdict) => (verdict, None),
            Self::Keyed(judged) => (judged.verdict, judged.doubt()),
        }
    }

    pub(super) fn verdict(self) -> Verdict {
        match self {
            Self::Single(verdict) => verdict,
            Self::Keyed(judged) => judged.verdict,
        }
    }
}

/// What a rule has to say of a step that was taken.
pub(super) struct Observed {
    pub(super) verdict: Verdict,
    pub(super) reason: Reason,
    pub(super) key: Vec<Value>,
    pub(super) states: Option<States>,
}

/// The state of one rule, with the type of its cell forgotten. Keys of a rule without `per` are not looked at.
pub(super) trait Memory: fmt::Debug + Send {
    fn boxed_clone(&self) -> Box<dyn Memory>;
    fn judge(&self, rule: &Rule, key: &Touched<'_>, event: &Event<'_>) -> Look;
    /// The key to report of what was judged, what would make the event lead to what is wanted, and the states around it.
    fn about(&self, rule: &Rule, key: &Touched<'_>, event: &Event<'_>, look: Look, wanted: Wanted<'_>) -> About;
    /// The states around the event, if the rule is an automaton and one key is concerned.
    fn states(&self, rule: &Rule, key: &Touched<'_>, event: &Event<'_>) -> Option<States>;
    fn admit(&mut self, rule: &Rule, key: &Touched<'_>, event: &Event<'_>, look: Look, admission: Admission);
    fn observe(&mut self, rule: &Rule, key: &Touched<'_>, event: &Event<'_>) -> Observed;
    fn room(&self, key: &Touched<'_>) -> Room;
    fn reserve(&mut self, key: &Touched<'_>, room: Room) -> u32;
    fn release(&mut self, slots: u32);
    /// Lets time go by: the keys whose obligation ran out.
    fn retire(&mut self, rule: &Rule, now: Time) -> Vec<(Vec<Value>, Verdict)>;
    /// Closes keys: those with a pending obligation.
    fn close(&mut self, rule: &Rule, key: &Touched<'_>, matches: Truth) -> Vec<Vec<Value>>;
    /// Makes every key fresh: those with a pending obligation.
    fn reset(&mut self, rule: &Rule, matches: Truth) -> Vec<Vec<Value>>;
    /// What to remember of an admitted call that a rule may have to give back.
    fn receipt(&self, event: &Event<'_>) -> (Receipt, u64);
    fn give_back(&mut self, rule: &Rule, key: &Touched<'_>, returned: &Returned<'_>);
    fn verdict(&self, rule: &Rule) -> Verdict;
    /// Ends the session: the keys whose obligation is left open, an empty key for a rule without one.
    fn end(&mut self, rule: &Rule) -> Vec<Vec<Value>>;
    /// Takes the secret of the session.
    fn seed(&mut self, seed: Seed);
    /// Lets go of what is idle.
    fn tidy(&mut self, rule: &Rule, now: Time);
    /// How many instances were let go.
    fn retired(&self) -> Retired;
    /// From now on, remembers which.
    fn watch_departures(&mut self);
    /// Which were let go since this was last asked.
    fn departures(&mut self, rule: u16, all: &mut Vec<Departed>);
    fn save(&self) -> Value;
    /// Goes on from what was saved; `false` if no run of this rule could have saved it.
    fn load(&mut self, rule: &Rule, saved: &Value) -> bool;
    /// Goes on from what another version of the contract saved: nothing is known but the keys.
    fn doubt(&mut self, rule: &Rule, saved: &Value);
}

impl Clone for Box<dyn Memory> {
    fn clone(&self) -> Self {
        self.as_ref().boxed_clone()
    }
}

impl<C: Executed> Instances<C> {
    /// The fresh state of a rule; `None` for a rule of another kind.
    pub(super) fn boxed(rule: &Rule) -> Option<Box<dyn Memory>> {
        let fixed = C::fixed(&rule.kind)?;
        Some(match &rule.per {
            None => Box::new(Self::Single(Single::new(fixed))),
            Some(keyed) => Box::new(Self::Keyed(Keyed::new(fixed, keyed.bounds()))),
        })
    }
}

/// Runs code with what the rule fixes. A rule never changes its kind, so there is always something.
macro_rules! fixed {
    ($rule:expr, $fixed:ident => $body:expr, else $other:expr) => {
        match C::fixed(&$rule.kind) {
            Some($fixed) => $body,
            None => $other,
        }
    };
}

impl<C: Executed> Memory for Instances<C> {
    fn boxed_clone(&self) -> Box<dyn Memory> {
        Box::new(self.clone())
    }

    fn judge(&self, rule: &Rule, key: &Touched<'_>, event: &Event<'_>) -> Look {
        let step = C::read(event);
        fixed!(rule, fixed => match self {
            Self::Single(single) => Look::Single(single.look(fixed, &step)),
            Self::Keyed(keyed) => Look::Keyed(keyed.judge(fixed, key, &step)),
        }, else Look::Single(Verdict::Unestablished))
    }

    fn about(&self, rule: &Rule, key: &Touched<'_>, event: &Event<'_>, look: Look, wanted: Wanted<'_>) -> About {
        let step = C::read(event);
        fixed!(rule, fixed => match (self, look) {
            (Self::Single(single), _) => About {
                key: Vec::new(),
                repair: single.repair(fixed, &step, wanted),
                states: single.states(fixed, &step),
            },
            (Self::Keyed(keyed), Look::Keyed(judged)) => About {
                key: keyed.blame(key, &judged),
                repair: keyed.repair(fixed, key, &step, &judged, wanted),
                states: keyed.states(fixed, key, &step, &judged),
            },
            (Self::Keyed(_), Look::Single(_)) => About::default(),
        }, else About::default())
    }

    fn states(&self, rule: &Rule, key: &Touched<'_>, event: &Event<'_>) -> Option<States> {
        let step = C::read(event);
        fixed!(rule, fixed => match self {
            Self::Single(single) => single.states(fixed, &step),
            Self::Keyed(keyed) => keyed.states(fixed, key, &step, &keyed.judge(fixed, key, &step)),
        }, else None)
    }

    fn admit(&mut self, rule: &Rule, key: &Touched<'_>, event: &Event<'_>, look: Look, admission: Admission) {
        let step = C::read(event);
        fixed!(rule, fixed => match (self, look) {
            (Self::Single(single), look) => single.admit(fixed, &step, look.verdict(), admission),
            (Self::Keyed(keyed), Look::Keyed(judged)) => keyed.admit(fixed, key, &step, judged, admission),
            (Self::Keyed(_), Look::Single(_)) => {}
        }, else ());
    }

    fn observe(&mut self, rule: &Rule, key: &Touched<'_>, event: &Event<'_>) -> Observed {
        let step = C::read(event);
        let nothing = Observed { verdict: Verdict::Open, reason: Reason::Rule, key: Vec::new(), states: None };
        fixed!(rule, fixed => match self {
            Self::Single(single) => {
                let (verdict, states) = single.observe(fixed, &step);
                Observed { verdict, states, ..nothing }
            }
            Self::Keyed(keyed) => {
                let (judged, states) = keyed.observe(fixed, key, &step);
                let key = keyed.blame(key, &judged);
                Observed { verdict: judged.verdict, reason: judged.reason(), key, states }
            }
        }, else nothing)
    }

    fn room(&self, key: &Touched<'_>) -> Room {
        match self {
            Self::Single(_) => Room::NotNeeded,
            Self::Keyed(keyed) => keyed.room(key),
        }
    }

    fn reserve(&mut self, key: &Touched<'_>, room: Room) -> u32 {
        match self {
            Self::Single(_) => 0,
            Self::Keyed(keyed) => keyed.reserve(key, room),
        }
    }

    fn release(&mut self, slots: u32) {
        if let Self::Keyed(keyed) = self {
            keyed.release(slots);
        }
    }

    fn retire(&mut self, rule: &Rule, now: Time) -> Vec<(Vec<Value>, Verdict)> {
        fixed!(rule, fixed => match self {
            Self::Single(single) => match single.retire(fixed, now) {
                verdict if verdict >= Verdict::Unestablished => vec![(Vec::new(), verdict)],
                _ => Vec::new(),
            },
            Self::Keyed(keyed) => keyed.retire(fixed, now),
        }, else Vec::new())
    }

    fn close(&mut self, rule: &Rule, key: &Touched<'_>, matches: Truth) -> Vec<Vec<Value>> {
        fixed!(rule, fixed => match self {
            Self::Single(_) => Vec::new(),
            Self::Keyed(keyed) => keyed.close(fixed, key, matches),
        }, else Vec::new())
    }

    fn reset(&mut self, rule: &Rule, matches: Truth) -> Vec<Vec<Value>> {
        fixed!(rule, fixed => match self {
            Self::Single(single) => {
                if single.reset(fixed, matches) { vec![Vec::new()] } else { Vec::new() }
            }
            Self::Keyed(keyed) => keyed.reset(fixed, matches),
        }, else Vec::new())
    }

    fn receipt(&self, event: &Event<'_>) -> (Receipt, u64) {
        let epoch = match self {
            Self::Single(single) => single.epoch(),
            Self::Keyed(keyed) => keyed.epoch(),
        };
        (C::receipt(&C::read(event)), epoch)
    }

    fn give_back(&mut self, rule: &Rule, key: &Touched<'_>, returned: &Returned<'_>) {
        C::give_back(self, &rule.kind, key, returned);
    }

    fn verdict(&self, rule: &Rule) -> Verdict {
        fixed!(rule, fixed => match self {
            Self::Single(single) => single.verdict(fixed),
            Self::Keyed(keyed) => keyed.verdict(fixed),
        }, else Verdict::Unestablished)
    }

    fn end(&mut self, rule: &Rule) -> Vec<Vec<Value>> {
        fixed!(rule, fixed => match self {
            Self::Single(single) => {
                if single.end(fixed) { vec![Vec::new()] } else { Vec::new() }
            }
            Self::Keyed(keyed) => keyed.end(fixed),
        }, else Vec::new())
    }

    fn seed(&mut self, seed: Seed) {
        if let Self::Keyed(keyed) = self {
            keyed.seed(seed);
        }
    }

    fn tidy(&mut self, rule: &Rule, now: Time) {
        fixed!(rule, fixed => if let Self::Keyed(keyed) = self {
            keyed.tidy(fixed, now);
        }, else ());
    }

    fn retired(&self) -> Retired {
        match self {
            Self::Single(_) => Retired::default(),
            Self::Keyed(keyed) => keyed.retired(),
        }
    }

    fn watch_departures(&mut self) {
        if let Self::Keyed(keyed) = self {
            keyed.watch_departures();
        }
    }

    fn departures(&mut self, rule: u16, all: &mut Vec<Departed>) {
        if let Self::Keyed(keyed) = self {
            keyed.departures(rule, all);
        }
    }

    fn save(&self) -> Value {
        match self {
            Self::Single(single) => single.save(),
            Self::Keyed(keyed) => keyed.save(),
        }
    }

    fn load(&mut self, rule: &Rule, saved: &Value) -> bool {
        let loaded = fixed!(rule, fixed => match &rule.per {
            None => Single::load(fixed, saved).map(Self::Single),
            Some(keyed) => Keyed::load(fixed, keyed.bounds(), saved).map(Self::Keyed),
        }, else None);
        let good = loaded.is_some();
        if let Some(loaded) = loaded {
            *self = loaded;
        }
        good
    }

    fn doubt(&mut self, rule: &Rule, saved: &Value) {
        fixed!(rule, fixed => match self {
            Self::Single(single) => single.doubt(fixed),
            Self::Keyed(keyed) => keyed.doubt(fixed, saved),
        }, else ());
    }
}

/// Gives a receipt back to a register.
pub(super) fn give_back<C: Executed + Register>(
    memory: &mut Instances<C>,
    fixed: C::Rule<'_>,
    key: &Touched<'_>,
    returned: &Returned<'_>,
) {
    let operand = returned.operand.clone().map_or(Operand::None, Operand::Value);
    let step = C::again(returned.note.receipt, operand);
    match memory {
        Instances::Single(single) => single.give_back(fixed, &step, returned.failed, returned.note.epoch),
        Instances::Keyed(keyed) => keyed.give_back(fixed, key, &step, returned.failed, returned.note.epoch),
    }
}
