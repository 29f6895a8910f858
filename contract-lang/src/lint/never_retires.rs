//! A keyed rule that never lets go of a key: once so many were seen as it may keep, calls with a new one are refused.

use contract_runtime::{Colour, Reason, WhenFull};

use super::Place;
use crate::diagnostic::{Certainty, Code, Diagnostic, Diagnostics, Goal};
use crate::mir::{Kind, Machine, Register};

/// How many keys a session that shows it has at most: one with more is too long to be looked for.
const SHOWN: usize = 4;

pub(super) fn check(&Place { rule, written, file, .. }: &Place<'_>, diagnostics: &mut Diagnostics) {
    let (Some(keyed), Some(per)) = (&rule.per, &written.per) else { return };
    let bounded = written.instances.iter().chain(&file.instances).any(|instances| instances.max.is_some());
    if !bounded || rule.lets_go() || rule.reset_on.is_some() {
        return;
    }
    let stays = match &rule.kind {
        Kind::Automaton { machine, .. } => stays(machine),
        Kind::Register { register: Register::Count { limit }, .. } => *limit > 0,
        Kind::Register { register: Register::Total { .. } | Register::Distinct { .. }, .. } => true,
        _ => false,
    };
    if !stays {
        return;
    }
    let becomes = match keyed.when_full {
        WhenFull::Alert => "runs unchecked",
        WhenFull::Block | WhenFull::Evict => "is refused",
    };
    let message = format!(
        "what is kept of a key is kept until the session ends: with {} of them, a call that brings one more {becomes}",
        keyed.max
    );
    let shown = Goal::call().by(&rule.id).because(Reason::InstancesFull);
    let help = "under `instances`, write `close_on: call(…)` for what ends a key, or `idle: 1h` or `when_full: evict` to let the \
                oldest go; leave it if no session has so many";
    let found = Diagnostic::new(Code::NeverRetires, per.span(), message).certainty(Certainty::Proved).help(help);
    diagnostics.push(if keyed.max <= SHOWN { found.goal(shown) } else { found });
}

/// Whether some instance can get to a state from which it never again becomes one of a key never seen. A violation is not
/// stepped into.
fn stays(machine: &Machine) -> bool {
    let fine = |state: u8| machine.colours.get(usize::from(state)).is_some_and(|colour| *colour != Colour::Violated);
    let steps: Vec<(u8, u8)> = (0u8..)
        .zip(machine.delta.chunks(1 << machine.width))
        .flat_map(|(from, row)| {
            let to = |letter: &u8| row.get(usize::from(*letter)).copied();
            machine.letters.iter().filter_map(to).map(move |to| (from, to))
        })
        .filter(|(from, to)| fine(*from) && fine(*to))
        .collect();
    let seen = closure(machine.initial, steps.iter().copied());
    let back = closure(machine.initial, steps.iter().map(|(from, to)| (*to, *from)));
    seen & !back != 0
}

/// The states that are reached from one by steps, as a set.
fn closure(from: u8, steps: impl Iterator<Item = (u8, u8)> + Clone) -> u64 {
    let bit = |state: u8| 1u64.checked_shl(u32::from(state)).unwrap_or_default();
    let mut reached = bit(from);
    loop {
        let next =
            steps.clone().filter(|(from, _)| reached & bit(*from) != 0).fold(reached, |all, (_, to)| all | bit(to));
        if next == reached {
            return reached;
        }
        reached = next;
    }
}
