//! A rule as a machine: states and letters, or registers, and the bytes that it may take.

use contract_lang::Bytes;
use contract_lang::mir::{Kind, Machine, Pattern, Rule};
use contract_runtime::{Colour, Verdict};
use serde::{Serialize, Serializer};

/// What `explain RULE --format json` prints.
#[derive(serde::Serialize)]
pub(super) struct Description<'a> {
    rule: &'a str,
    kind: &'static str,
    #[serde(flatten)]
    memory: Memory<'a>,
    /// Absent for a rule that remembers nothing.
    #[serde(flatten)]
    bytes: Option<BytesObject>,
}

/// What a rule takes at most.
#[derive(serde::Serialize)]
struct BytesObject {
    /// The state of an instance.
    bytes_per_instance: usize,
    /// What an instance takes besides while its state is not known exactly.
    doubt_bytes: usize,
    /// The key of an instance, and its place in the table.
    key_bytes: usize,
    /// What the keys are remembered in that were let go.
    #[serde(skip_serializing_if = "is_zero")]
    filter_bytes: usize,
    /// All of it, for as many instances as there may be.
    bound_bytes: usize,
}

/// The patterns of a rule by their names in letters, in the order of the bits.
struct Patterns<'a>(Vec<(&'a str, &'a str)>);

impl Serialize for Patterns<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().copied())
    }
}

/// What a rule remembers of a trace.
#[derive(serde::Serialize)]
#[serde(untagged)]
enum Memory<'a> {
    Automaton {
        states: usize,
        initial: u8,
        colours: Vec<&'static str>,
        letters: Vec<String>,
        transitions: Vec<Vec<u8>>,
        patterns: Patterns<'a>,
        /// The states that an instance may forget, to start anew, at no other price than to be stricter.
        forgetting: Vec<u8>,
    },
    Registers {
        registers: Vec<&'static str>,
        limit: String,
    },
    Nothing {},
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
            patterns: Patterns(patterns.iter().map(|of| (name(of), of.spelled.as_str())).collect()),
            forgetting: forgetting(machine),
        },
        Kind::Register { register, clock, .. } => {
            Memory::Registers { registers: vec![register.keeps()], limit: register.bound(*clock) }
        }
        Kind::NoFlow { min_length, .. } => {
            Memory::Registers { registers: vec!["fingerprints"], limit: format!("of {min_length} bytes and more") }
        }
        _ => Memory::Nothing {},
    };
    let bytes = rule.bytes().map(|Bytes { state, doubt, key, filter, bound }| BytesObject {
        bytes_per_instance: state,
        doubt_bytes: doubt,
        key_bytes: key,
        filter_bytes: filter,
        bound_bytes: bound,
    });
    Description { rule: &rule.id, kind: rule.kind(), memory, bytes }
}

fn is_zero(bytes: &usize) -> bool {
    *bytes == 0
}

pub(super) fn colour(colour: Colour) -> &'static str {
    Verdict::from(colour).as_str()
}

/// The successors of a state, one for each letter that some event can have.
pub(crate) fn successors(machine: &Machine, state: usize) -> Vec<u8> {
    let row = state.checked_shl(u32::from(machine.width)).unwrap_or(usize::MAX);
    machine.letters.iter().filter_map(|letter| machine.delta.get(row | usize::from(*letter)).copied()).collect()
}

/// A letter, named by the patterns that hold in it.
pub(crate) fn letter(patterns: &[Pattern], letter: u8) -> String {
    let held = (0u32..).zip(patterns).filter(|(bit, _)| letter.checked_shr(*bit).unwrap_or(0) & 1 == 1);
    held.map(|(_, pattern)| name(pattern)).collect::<Vec<_>>().join("+")
}

/// The name of a pattern in the letters of its rule.
fn name(pattern: &Pattern) -> &str {
    pattern.name.as_ref().unwrap_or(&pattern.text)
}

/// The states of which being taken for the initial one is only stricter.
fn forgetting(machine: &Machine) -> Vec<u8> {
    let set = machine.stricter.get(usize::from(machine.initial)).copied().unwrap_or(0);
    (0u8..64).filter(|state| set.checked_shr(u32::from(*state)).unwrap_or(0) & 1 == 1).collect()
}
