//! A contract that was recorded can be read back: its canonical text is a contract, the same one, and decides the same.

use contract_lang::interpret::Interpreted;
use contract_lang::mir::{self, Kind};
use contract_lang::{Options, check, recall};
use interlock_tests::corpus::{contracts, expectation, replay};

/// An automaton, with its patterns as they are spelled.
type Automaton<'c> = (&'c mir::Machine, Vec<&'c str>);

/// What a record of a session may refer to: rules by their ids, states of automata and letters by their numbers.
fn referred(contract: &mir::Contract) -> Vec<(&str, Option<Automaton<'_>>)> {
    contract.rules.iter().map(|rule| (rule.id.as_str(), automaton(rule))).collect()
}

fn automaton(rule: &mir::Rule) -> Option<Automaton<'_>> {
    let Kind::Automaton { patterns, machine, .. } = &rule.kind else { return None };
    Some((machine, patterns.iter().map(|pattern| pattern.spelled.as_str()).collect()))
}

#[test]
fn every_contract_of_the_corpus_is_read_back_as_it_was() {
    let mut flaws = Vec::new();
    for of in contracts().unwrap() {
        let contract = check(&of.name, of.text.as_bytes(), &Options::default()).contract.unwrap();
        let Some(recalled) = recall(&contract.source) else {
            flaws.push(format!("{}: not read: {}", of.name, contract.source));
            continue;
        };
        if referred(&recalled.contract) != referred(&contract) {
            flaws.push(format!("{}: other rules: {}", of.name, contract.source));
        }
        let recalled = Interpreted::new(recalled.contract);
        for trace in &of.traces {
            let found = expectation(&replay(&|| recalled.monitor(), &trace.lines).unwrap());
            if found != trace.expected {
                flaws.push(format!("{}/{}: expected\n{}found\n{found}", of.name, trace.name, trace.expected));
            }
        }
    }
    assert!(flaws.is_empty(), "{}:\n{}", flaws.len(), flaws.join("\n"));
}

#[test]
fn what_is_not_canonical_is_not_taken() {
    let text = r#"{"name":"p","rules":[{"forbid":"bash","id":"r"}],"version":1}"#;
    assert_eq!(recall(text).unwrap().contract.source, text);
    for other in ["", "{}", "version: 1\nname: p\n", &text.replace(':', ": "), &text.replace("bash", "ok(ba")] {
        assert!(recall(other).is_none(), "{other}");
    }
}

#[test]
fn the_order_of_names_in_a_formula_counts() {
    let of = |names: &str| {
        let text = format!(
            "version: 1\nname: p\nrules:\n  - id: r\n    formula: always (a implies once b)\n    let: {names}\n"
        );
        check("p.yaml", text.as_bytes(), &Options::default()).contract.unwrap().source
    };
    assert_ne!(of("{ a: call(x), b: ok(y) }"), of("{ b: ok(y), a: call(x) }"));
}

#[test]
fn a_catalog_is_no_part_of_a_record() {
    let text = r#"{"catalog":["tools.json"],"name":"p","rules":[{"forbid":"bash","id":"r"}],"undeclared":"block","version":1}"#;
    let recalled = recall(text).unwrap();
    assert!(recalled.had_catalog && recalled.contract.catalog.is_empty());
}
