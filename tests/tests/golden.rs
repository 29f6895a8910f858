//! Machines against tables that were made without this project: by a tableau, by Spot, and by trying all short words
//! (`tests/external/golden`).
//!
//! In the tables every letter is a step, that without any name too. In a machine letter 0 is no step. So the machines
//! are made over one more name, `other`, which holds where no other does; it comes first, so that letters keep their
//! order and with it states their numbers.

#![expect(clippy::unwrap_used, clippy::panic, reason = "test code")]

use contract_lang::automaton::construct;
use contract_lang::diagnostic::render;
use contract_lang::formula::Formula;
use contract_lang::mir::{Kind, Machine};
use contract_lang::{Options, check};
use contract_runtime::Colour;
use serde_json::Value;

const DWYER: &str = include_str!("../golden/dwyer.json");
const RANDOM: &str = include_str!("../golden/random.json");

/// A table: the colours, and the successors by state and letter.
#[derive(Debug, PartialEq)]
struct Table {
    colours: Vec<String>,
    transitions: Vec<Vec<u64>>,
}

impl Table {
    fn written(entry: &Value) -> Self {
        let numbers = |row: &Value| row.as_array().unwrap().iter().map(|next| next.as_u64().unwrap()).collect();
        assert_eq!(entry["initial"], 0);
        Self {
            colours: strings(&entry["colours"]),
            transitions: entry["transitions"].as_array().unwrap().iter().map(numbers).collect(),
        }
    }

    fn of(machine: &Machine) -> Self {
        assert_eq!(machine.initial, 0);
        let states = u8::try_from(machine.colours.len()).unwrap();
        let successor =
            |state: u8, letter: u8| machine.delta[usize::from(state) << machine.width | usize::from(letter)];
        let row = |state| machine.letters.iter().map(|&letter| u64::from(successor(state, letter))).collect();
        Self {
            colours: machine.colours.iter().map(|colour| word(*colour).to_owned()).collect(),
            transitions: (0..states).map(row).collect(),
        }
    }
}

fn word(colour: Colour) -> &'static str {
    match colour {
        Colour::Satisfied => "satisfied",
        Colour::Open => "open",
        Colour::Pending => "pending",
        Colour::Violated => "violated",
    }
}

fn strings(list: &Value) -> Vec<String> {
    list.as_array().unwrap().iter().map(|item| item.as_str().unwrap().to_owned()).collect()
}

/// A formula in the words of the language, with all parentheses.
struct Reader<'t> {
    words: std::iter::Peekable<std::vec::IntoIter<&'t str>>,
    names: &'t [String],
}

impl<'t> Reader<'t> {
    fn read(text: &'t str, names: &'t [String]) -> Formula {
        let mut words = Vec::new();
        for mut word in text.split(' ') {
            while let Some(rest) = word.strip_prefix('(') {
                words.push("(");
                word = rest;
            }
            let bare = word.trim_end_matches(')');
            words.push(bare);
            words.extend(word[bare.len()..].split_terminator(')').map(|_| ")"));
        }
        let mut reader = Self { words: words.into_iter().peekable(), names };
        let formula = reader.operand();
        assert_eq!(reader.words.next(), None, "{text}");
        formula
    }

    fn operand(&mut self) -> Formula {
        match self.words.next().unwrap() {
            "(" => self.operation(),
            "true" => Formula::TRUE,
            "false" => Formula::FALSE,
            "not" => !self.operand(),
            "next" => Formula::next(self.operand()),
            "weak_next" => Formula::weak_next(self.operand()),
            "eventually" => Formula::eventually(self.operand()),
            "always" => Formula::always(self.operand()),
            "previous" => Formula::previous(self.operand()),
            "weak_previous" => Formula::weak_previous(self.operand()),
            "once" => Formula::once(self.operand()),
            "historically" => Formula::historically(self.operand()),
            name => {
                let index = self.names.iter().position(|known| known == name).unwrap_or_else(|| panic!("`{name}`"));
                Formula::name(u8::try_from(index).unwrap())
            }
        }
    }

    /// What is between parentheses: `left operator right`, and for `and` and `or` more of the same.
    fn operation(&mut self) -> Formula {
        let mut left = self.operand();
        loop {
            left = match self.words.next().unwrap() {
                ")" => return left,
                "and" => Formula::all([left, self.operand()]),
                "or" => Formula::any([left, self.operand()]),
                "implies" => left.implies(self.operand()),
                "until" => left.until(self.operand()),
                "weak_until" => left.weak_until(self.operand()),
                "release" => left.release(self.operand()),
                "since" => left.since(self.operand()),
                operator => panic!("`{operator}`"),
            };
        }
    }
}

fn formula(entry: &Value, names: &[String]) -> Formula {
    Reader::read(entry["formula"].as_str().unwrap(), names)
}

fn width(names: &[String]) -> u8 {
    u8::try_from(names.len()).unwrap()
}

/// The machine over all letters, `other` among them.
fn machine(entry: &Value) -> Machine {
    let names = [vec!["other".to_owned()], strings(&entry["names"])].concat();
    let letters: Vec<u8> = std::iter::once(1).chain((2..1 << names.len()).step_by(2)).collect();
    construct(&formula(entry, &names), width(&names), &letters).unwrap()
}

/// The machine of a contract that says it. The patterns are independent of each other, so that all letters are possible.
fn machine_in_contract(entry: &Value) -> Machine {
    let names = strings(&entry["names"]);
    let patterns = names.iter().map(|name| format!("      {name}: call(act where has(args.{name}))\n"));
    let text = format!(
        "version: 1\nname: golden\ndefault: allow\nrules:\n  - id: golden\n    formula: {}\n    let:\n{}",
        entry["formula"],
        patterns.collect::<String>()
    );
    let checked = check("golden.yaml", text.as_bytes(), &Options::default());
    let Some(contract) = checked.contract else {
        panic!("{}", render::short(&checked.source, &checked.diagnostics));
    };
    match contract.rules.into_iter().next().unwrap().kind {
        Kind::Automaton { machine, .. } => machine,
        other => panic!("{other:?}"),
    }
}

fn entries(tables: &str) -> Vec<Value> {
    serde_json::from_str(tables).unwrap()
}

fn assert_all_agree(tables: &str, count: usize) {
    let entries = entries(tables);
    for entry in &entries {
        assert_eq!(Table::of(&machine(entry)), Table::written(entry), "{}", entry["formula"]);
    }
    assert_eq!(entries.len(), count);
}

#[test]
fn the_property_patterns_have_the_known_machines() {
    assert_all_agree(DWYER, 55);
}

#[test]
fn random_formulas_have_the_known_machines() {
    assert_all_agree(RANDOM, 300);
}

/// Where no pattern matches, a contract sees no step, so these machines are others than the tables.
#[test]
fn contracts_read_the_formulas_as_the_tables_do() {
    let mut read = 0;
    for entry in entries(DWYER).iter().chain(&entries(RANDOM)) {
        let names = strings(&entry["names"]);
        let text = entry["formula"].as_str().unwrap();
        // A contract refuses names that its formula does not use.
        if names.iter().all(|name| text.contains(name)) {
            let letters: Vec<u8> = (1..1 << names.len()).collect();
            let expected = construct(&formula(entry, &names), width(&names), &letters).unwrap();
            assert_eq!(machine_in_contract(entry), expected, "{text}");
            read += 1;
        }
    }
    assert!(read > 200, "{read}");
}
