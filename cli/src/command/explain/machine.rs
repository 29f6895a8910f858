//! A rule as a machine: states and letters, or registers, and the bytes that it may take.

use contract_lang::mir::{Kind, Machine, Pattern, Rule};
use contract_runtime::{Colour, Verdict};

/// What `explain RULE --format json` prints.
#[derive(serde::Serialize)]
pub(super) struct Description<'a> {
    rule: &'a str,
    kind: &'static str,
    #[serde(flatten)]
    memory: Memory,
    /// At most, key included; absent for a rule that remembers nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes_per_instance: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bound_bytes: Option<usize>,
}

/// What a rule remembers of a trace.
#[derive(serde::Serialize)]
#[serde(untagged)]
enum Memory {
    Automaton {
        states: usize,
        initial: u8,
        colours: Vec<&'static str>,
        letters: Vec<String>,
        transitions: Vec<Vec<u8>>,
    },
    Registers {
        registers: Vec<&'static str>,
        limit: String,
    },
    Nothing {},
}

impl Description<'_> {
    /// The most bytes of an instance, and of all.
    pub(super) fn bound(&self) -> Option<(usize, usize)> {
        self.bytes_per_instance.zip(self.bound_bytes)
    }
}

/// The description of a rule.
pub(super) fn describe(rule: &Rule) -> Description<'_> {
    let memory = match &rule.kind {
        Kind::Automaton { patterns, machine, .. } => Memory::Automaton {
            states: machine.colours.len(),
            initial: machine.initial,
            colours: machine.colours.iter().copied().map(colour).collect(),
            letters: machine.letters.iter().map(|letter| self::letter(patterns, *letter)).collect(),
            transitions: (0..machine.colours.len()).map(|state| successors(machine, state)).collect(),
        },
        Kind::Register { register, clock, .. } => {
            Memory::Registers { registers: vec![register.keeps()], limit: register.bound(*clock) }
        }
        Kind::NoFlow { min_length, .. } => {
            Memory::Registers { registers: vec!["fingerprints"], limit: format!("of {min_length} bytes and more") }
        }
        _ => Memory::Nothing {},
    };
    let bytes = rule.bytes_per_instance();
    let instances = rule.per.as_ref().map_or(1, |keyed| keyed.max);
    Description {
        rule: &rule.id,
        kind: rule.kind(),
        memory,
        bytes_per_instance: bytes,
        bound_bytes: bytes.map(|bytes| bytes.saturating_mul(instances)),
    }
}

pub(super) fn colour(colour: Colour) -> &'static str {
    Verdict::from(colour).as_str()
}

/// The successors of a state, one for each letter that some event can have.
pub(super) fn successors(machine: &Machine, state: usize) -> Vec<u8> {
    let row = state.checked_shl(u32::from(machine.width)).unwrap_or(usize::MAX);
    machine.letters.iter().filter_map(|letter| machine.delta.get(row | usize::from(*letter)).copied()).collect()
}

/// A letter, named by the patterns that hold in it.
pub(super) fn letter(patterns: &[Pattern], letter: u8) -> String {
    let names = (0u32..).zip(patterns).filter(|(bit, _)| letter.checked_shr(*bit).unwrap_or(0) & 1 == 1);
    let names: Vec<_> = names.map(|(_, pattern)| pattern.name.as_ref().unwrap_or(&pattern.text).as_str()).collect();
    names.join("+")
}
