//! `at_most_open`: the ids that are open. Positions are its clock: they tell which call opened an id, so that a call that
//! failed closes only what it opened itself.

mod set;
#[cfg(test)]
mod tests;

use serde_json::Value;

pub use self::set::OpenIds;
use self::set::{Known, count, most};
use crate::exact::Saved;
use crate::instances::{Cell, Whole};
use crate::key::Part;
use crate::register::{FEW, Holds, Operand, Receipt, Register, perhaps, weigh};
use crate::{Time, Truth, Verdict};

/// What an event opens or closes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turn<'s> {
    open: Truth,
    close: Truth,
    at: Time,
    id: Id<'s>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Id<'s> {
    /// The rule names none.
    Anonymous,
    Unreadable,
    Known(Part<'s>),
}

impl<'s> Id<'s> {
    #[inline]
    fn of(operand: Operand<'s>) -> Self {
        if operand == Operand::None { Self::Anonymous } else { operand.part().map_or(Self::Unreadable, Self::Known) }
    }
}

impl Cell for OpenIds {
    type Kept = Whole<Self>;
    /// The most that may be open.
    type Rule<'r> = u32;
    type Step<'s> = Turn<'s>;

    fn fresh(_: u32) -> Self {
        Self { known: Vec::new(), unknown: 0, low: 0 }
    }

    fn any(limit: u32) -> Self {
        Self { unknown: u64::MAX, ..Self::fresh(limit) }
    }

    fn verdict(&self, _: u32) -> Verdict {
        Verdict::Open
    }

    fn is_read(turn: &Turn<'_>) -> bool {
        turn.open != Truth::Unknown && turn.id != Id::Unreadable
    }

    fn look(&self, limit: u32, turn: &Turn<'_>) -> Verdict {
        if turn.open == Truth::False {
            return Verdict::Open;
        }
        let fullness = self.fullness(u64::from(limit), &turn.id);
        fullness.map_or(Verdict::Open, |(full, perhaps_full)| weigh(turn.open, full, perhaps_full))
    }

    fn step(&mut self, limit: u32, turn: &Turn<'_>) {
        let limit = u64::from(limit);
        self.open(limit, &turn.id, turn.open, turn.at);
        self.close(limit, &turn.id, turn.close);
    }

    fn perhaps(&mut self, limit: u32, turn: &Turn<'_>) {
        let [open, close] = [turn.open, turn.close].map(perhaps);
        self.step(limit, &Turn { open, close, at: turn.at, id: turn.id.clone() });
        // Nothing is returned to what is only possible, so it does not matter who may have opened it.
        self.known
            .iter_mut()
            .filter(|known| !known.certain && known.by == Some(turn.at))
            .for_each(|known| known.by = None);
    }

    fn absorb(&mut self, limit: u32, other: &Self) {
        if limit <= FEW {
            return self.join(limit, other);
        }
        *self = Self::any(limit);
    }

    fn join(&mut self, limit: u32, other: &Self) {
        self.merge(other);
        self.bound(u64::from(limit));
    }

    fn save(&self) -> Value {
        (self.known.clone(), self.unknown, self.low).save()
    }

    fn load(limit: u32, saved: &Value) -> Option<Self> {
        let (known, unknown, low): (Vec<Known>, u64, u64) = Saved::load(saved)?;
        let open = Self { known, unknown, low };
        let most = most(u64::from(limit)).saturating_add(1);
        let fits = open.known.is_sorted_by_key(|known| &known.id)
            && count(open.known.len()) <= most
            && (open.certain()..=open.high()).contains(&low);
        fits.then_some(open)
    }
}

impl Register for OpenIds {
    #[inline]
    fn of<'s>(holds: Holds, at: Time, operand: Operand<'s>) -> Turn<'s> {
        let Holds([open, close, _]) = holds;
        Turn { open, close, at, id: Id::of(operand) }
    }

    fn receipt(turn: &Turn<'_>) -> Receipt {
        Receipt { counted: turn.open, at: turn.at, amount: None }
    }

    fn again<'s>(receipt: Receipt, operand: Operand<'s>) -> Turn<'s> {
        Turn { open: receipt.counted, close: Truth::False, at: receipt.at, id: Id::of(operand) }
    }

    /// Closes what the call opened itself.
    fn give_back(&mut self, _: u32, turn: &Turn<'_>, failed: Truth) {
        if turn.open == Truth::False || failed == Truth::False {
            return;
        }
        let opened = match &turn.id {
            Id::Known(id) => self.find(id),
            Id::Anonymous => self.find_opened(turn),
            Id::Unreadable => {
                if failed == Truth::True {
                    self.unknown = self.unknown.saturating_sub(1);
                }
                return self.settle();
            }
        };
        match opened {
            Ok(at) => match self.known.get(at).filter(|known| !known.shared).map(|known| known.by) {
                Some(Some(by)) if by == turn.at => self.end(at, failed),
                // It is not known whether it was this call.
                Some(None) => self.end(at, Truth::Unknown),
                // Other calls have opened it.
                Some(Some(_)) | None => {}
            },
            Err(_) if self.unknown > 0 => self.one_less(),
            Err(_) => {}
        }
        self.settle();
    }

    /// Where this call has opened an id, a later call that opened it too has not.
    fn give_back_perhaps(&mut self, limit: u32, turn: &Turn<'_>) {
        self.give_back(limit, &Turn { open: perhaps(turn.open), ..turn.clone() }, Truth::Unknown);
    }
}
