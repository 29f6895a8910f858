//! What a rule may say of an event, and what it remembers afterwards.

use contract_runtime::{Decision, Effect, Truth, Verdict, WhenFull};

use super::Model;
use super::memory::{Cell, Holds, Law};
use super::scene::{Moment, Sight, Steps};
use super::sets::{Decisions, Verdicts};
use super::touch::Touch;
use crate::mir::{Kind, Rule};

/// What a rule remembers: of the key that is looked at, and of keys never seen. A rule without a key has only the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Memory {
    pub(super) cell: Cell,
    pub(super) base: Cell,
}

/// One way in which a rule may take an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Move {
    /// What it may say of it.
    pub(super) verdicts: Verdicts,
    /// What it may decide.
    pub(super) decisions: Decisions,
    /// What it remembers if the event happens.
    pub(super) to: Memory,
}

/// The decisions of a rule that may say these.
pub(super) fn decided(rule: &Rule, verdicts: Verdicts, effect: Effect) -> Decisions {
    let silent = verdicts.may_be_silent().then_some(Decision::Allow);
    verdicts.iter().map(|verdict| rule.table.decide(verdict, effect)).chain(silent).collect()
}

/// What a rule decides that has no room for an instance.
pub(super) fn crowded(rule: &Rule, effect: Effect) -> Decisions {
    match rule.per.as_ref().map(|keyed| keyed.when_full) {
        Some(WhenFull::Alert) => Decisions::one(Decision::Alert),
        _ => decided(rule, Verdicts::one(Verdict::Unestablished), effect),
    }
}

impl Model<'_> {
    /// What a rule remembers before anything has happened.
    pub(super) fn fresh(&self, index: usize) -> Memory {
        let cell = self.rule(index).map_or(Cell::Nothing, |rule| Law::of(rule).fresh());
        Memory { cell, base: cell }
    }

    /// Every way in which a rule may take an event.
    pub(super) fn moves(
        &self,
        index: usize,
        memory: Memory,
        sight: Sight,
        moment: Moment,
        effect: Effect,
    ) -> Vec<Move> {
        let Some(rule) = self.rule(index) else { return Vec::new() };
        let quiet = |verdicts| Move { verdicts, decisions: decided(rule, verdicts, effect), to: memory };
        match sight {
            Sight::Nothing => vec![quiet(Verdicts::SILENT)],
            Sight::Says(verdicts) => vec![quiet(verdicts)],
            Sight::Steps(steps) => {
                let law = Law::of(rule);
                let mut moves = Vec::new();
                for cell in law.aged(memory.cell) {
                    // Keys never seen are as the others.
                    let bases = if memory.base == memory.cell { vec![cell] } else { law.aged(memory.base) };
                    for base in bases {
                        let step = Stepping { rule, law, steps, moment, effect, enforced: self.enforces(index) };
                        step.moves(Memory { cell, base }, &mut moves);
                    }
                }
                moves.sort_unstable();
                moves.dedup();
                moves
            }
        }
    }
}

/// A step of a rule.
struct Stepping<'r> {
    rule: &'r Rule,
    law: Law<'r>,
    steps: Steps,
    moment: Moment,
    effect: Effect,
    enforced: bool,
}

impl Stepping<'_> {
    fn moves(&self, memory: Memory, moves: &mut Vec<Move>) {
        let Steps { happening, touch, returned, .. } = self.steps;
        let concerned = happening.concerns();
        let keyed = self.rule.per.is_some();
        let look = self.look(memory);
        let opinion = if concerned { look } else { Verdicts::SILENT };
        let stepped = if concerned { self.stepped(memory) } else { memory };
        // What is returned is returned before the result itself is looked at, wherever it was counted.
        let mut ends = vec![stepped];
        if returned.may() {
            for cell in self.law.returned(memory.cell, returned) {
                for base in self.law.returned(memory.base, returned) {
                    let before = Memory { cell, base: if keyed { base } else { cell } };
                    ends.push(if concerned { self.stepped(before) } else { before });
                }
            }
        }
        let is_call = self.moment == Moment::Call;
        // In shadow mode a register does not count what would not have run.
        if is_call && concerned && !self.enforced && matches!(self.rule.kind, Kind::Register { .. }) {
            ends.push(memory);
        }
        let decisions = self.decisions(opinion, look);
        for to in &ends {
            moves.push(Move { verdicts: opinion, decisions, to: self.ended(*to) });
        }
        // There may be no room for an instance of this key, or of the other that the event is about.
        let may_be_full = keyed && !matches!(touch, Touch::All | Touch::Skipped) && (concerned || self.steps.reserves);
        if may_be_full {
            let full = Verdicts::one(Verdict::Unestablished);
            let decisions = crowded(self.rule, self.effect).strongest(self.guarded(look));
            let to = self.ended(if concerned { self.crowded(memory) } else { memory });
            moves.push(Move { verdicts: full, decisions, to });
            if !is_call {
                moves.push(Move { verdicts: opinion, decisions, to });
            }
        }
    }

    /// The verdict that the step would produce.
    fn look(&self, Memory { cell, base }: Memory) -> Verdicts {
        let happening = self.steps.happening;
        let own = self.law.look(cell, happening);
        let at_least = |verdicts: Verdicts| verdicts.iter().min().map_or(Verdicts::ANY, Verdicts::at_least);
        match self.steps.touch {
            _ if matches!(self.law, Law::Loose) => Verdicts::ANY,
            Touch::Whole | Touch::This => own,
            Touch::With => at_least(own),
            Touch::All => {
                let worst = own.iter().min().max(self.law.look(base, happening).iter().min());
                worst.map_or(Verdicts::ANY, Verdicts::at_least)
            }
            Touch::Other | Touch::Without => Verdicts::ANY,
            Touch::Unread if self.moment == Moment::Call => Verdicts::one(Verdict::Unestablished),
            Touch::Unread => Verdicts::ANY.iter().filter(|verdict| *verdict != Verdict::Violated).collect::<Verdicts>(),
            Touch::Skipped => Verdicts::one(Verdict::Satisfied),
        }
    }

    /// What the rule decides: about the step, and about what it guards.
    fn decisions(&self, opinion: Verdicts, look: Verdicts) -> Decisions {
        if self.moment != Moment::Call {
            return Decisions::one(Decision::Allow);
        }
        let own = if self.steps.happening.concerns() {
            decided(self.rule, opinion, self.effect)
        } else {
            Decisions::one(Decision::Allow)
        };
        own.strongest(self.guarded(look))
    }

    /// What the rule decides about a call that it guards.
    fn guarded(&self, after: Verdicts) -> Decisions {
        let none = Decisions::one(Decision::Allow);
        if !self.steps.guard.may() {
            return none;
        }
        let row = |verdict: Verdict| match (self.steps.guard, verdict) {
            (Holds::Yes, Verdict::Pending) => Some(Verdict::Violated),
            (Holds::Yes | Holds::Perhaps, Verdict::Pending | Verdict::Unestablished) => Some(Verdict::Unestablished),
            _ => None,
        };
        let decided = |verdict| row(verdict).map_or(Decision::Allow, |row| self.rule.table.decide(row, self.effect));
        let found: Decisions = after.iter().map(decided).collect();
        if after.may_be_silent() { found.or(none) } else { found }
    }

    /// After the step.
    fn stepped(&self, Memory { cell, base }: Memory) -> Memory {
        let (law, happening) = (self.law, self.steps.happening);
        match self.steps.touch {
            Touch::Whole => {
                let cell = law.step(cell, happening);
                Memory { cell, base: cell }
            }
            Touch::This | Touch::With => Memory { cell: law.step(cell, happening), base },
            Touch::All => Memory { cell: law.step(cell, happening), base: law.step(base, happening) },
            Touch::Unread => Memory { cell: law.perhaps(cell, happening), base: law.perhaps(base, happening) },
            Touch::Other | Touch::Without | Touch::Skipped => Memory { cell, base },
        }
    }

    /// After a step for which there was no room: keys never seen may have taken it.
    fn crowded(&self, Memory { cell, base }: Memory) -> Memory {
        let unseen = self.law.perhaps(base, self.steps.happening);
        let cell = match self.steps.touch {
            _ if cell == base => unseen,
            Touch::With => self.law.step(cell, self.steps.happening),
            _ => cell,
        };
        Memory { cell, base: unseen }
    }

    /// After what closes and resets.
    fn ended(&self, Memory { cell, base }: Memory) -> Memory {
        let law = self.law;
        let cell = match (self.steps.close, self.steps.touch) {
            (Holds::No, _) | (_, Touch::Whole | Touch::Other | Touch::Without | Touch::Skipped) => cell,
            (Holds::Yes, Touch::This | Touch::With | Touch::All) => base,
            _ => law.join(cell, base),
        };
        let fresh = law.fresh();
        match self.steps.reset {
            Holds::No => Memory { cell, base },
            Holds::Yes => Memory { cell: fresh, base: fresh },
            Holds::Perhaps => Memory { cell: law.join(cell, fresh), base: law.join(base, fresh) },
        }
    }
}

impl Model<'_> {
    /// Whether a rule owes something, of the key that is looked at.
    pub(super) fn owed(&self, index: usize, memory: Memory) -> Truth {
        self.rule(index).map_or(Truth::False, |rule| Law::of(rule).owes(memory.cell))
    }

    /// The verdict of a rule at rest.
    pub(super) fn rests(&self, index: usize, memory: Memory) -> Verdicts {
        self.rule(index).map_or(Verdicts::ANY, |rule| Law::of(rule).rest(memory.cell))
    }
}
