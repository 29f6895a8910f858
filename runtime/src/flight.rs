//! What a monitor keeps of a call in flight: its effect, and what each rule wants back with the outcome.

use crate::Effect;
use crate::register::Receipt;

/// What a monitor keeps of a call in flight. Sessions save and restore it by its parts.
pub trait Flight: Send {
    /// The effect of the call.
    fn effect(&self) -> Effect;
    /// What the rules want back; [`Note::NOTHING`] does not count.
    fn notes(&self) -> &[Note];
    /// From its parts.
    fn new(effect: Effect, notes: &[Note]) -> Self;
}

/// What a monitor keeps of one rule while a call is in flight.
#[derive(Clone, Copy, Debug)]
pub struct Note {
    /// The rule, by index.
    pub rule: u16,
    /// What was counted, for rules that return failed calls.
    pub receipt: Receipt,
    /// When the rule's instances were what they were at admission.
    pub epoch: u64,
    /// How many slots for new instances are reserved.
    pub slots: u32,
}

impl Note {
    /// Of no rule.
    pub const NOTHING: Self = Self { rule: u16::MAX, receipt: Receipt::NOTHING, epoch: 0, slots: 0 };
}

/// What a compiled monitor keeps of a call in flight: at most one note for each of `N` rules.
#[derive(Clone, Copy, Debug)]
pub struct Notes<const N: usize> {
    effect: Effect,
    notes: [Note; N],
}

impl<const N: usize> Notes<N> {
    /// Nothing to return.
    #[must_use]
    #[inline]
    pub const fn new(effect: Effect) -> Self {
        Self { effect, notes: [Note::NOTHING; N] }
    }

    /// The effect of the call.
    #[must_use]
    #[inline]
    pub const fn effect(&self) -> Effect {
        self.effect
    }

    /// The place of a rule's note: the one it has, or a free one.
    #[inline]
    fn place(&mut self, rule: u16) -> Option<&mut Note> {
        let nothing = Note::NOTHING.rule;
        self.notes.iter_mut().find(|note| note.rule == rule || note.rule == nothing)
    }

    /// Keeps a note.
    #[inline]
    pub fn keep(&mut self, note: Note) {
        if let Some(place) = self.place(note.rule) {
            *place = note;
        }
    }

    /// Remembers that so many slots are reserved for a rule.
    #[inline]
    pub fn hold(&mut self, rule: u16, slots: u32) {
        if slots > 0
            && let Some(place) = self.place(rule)
        {
            *place = Note { rule, slots, ..*place };
        }
    }

    /// The note of a rule; [`Note::NOTHING`] if it has none.
    #[must_use]
    #[inline]
    pub fn note(&self, rule: u16) -> Note {
        self.notes.iter().find(|note| note.rule == rule).copied().unwrap_or(Note::NOTHING)
    }
}

impl<const N: usize> Flight for Notes<N> {
    fn effect(&self) -> Effect {
        self.effect
    }

    fn notes(&self) -> &[Note] {
        &self.notes
    }

    fn new(effect: Effect, notes: &[Note]) -> Self {
        let mut all = Self::new(effect);
        notes.iter().for_each(|note| all.keep(*note));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_are_found_by_their_rule_and_slots_join_them() {
        let mut notes = Notes::<2>::new(Effect::Write);
        notes.keep(Note { rule: 7, epoch: 3, ..Note::NOTHING });
        notes.hold(7, 2);
        notes.hold(9, 0);
        notes.hold(300, 1);
        notes.hold(8, 1);
        assert_eq!((notes.note(7).epoch, notes.note(7).slots), (3, 2));
        assert_eq!((notes.note(300).slots, notes.note(9).slots, notes.note(8).slots), (1, 0, 0));
        let again = <Notes<2> as Flight>::new(notes.effect(), notes.notes());
        assert_eq!((again.note(7).slots, again.note(300).slots), (2, 1));
    }
}
