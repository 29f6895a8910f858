#![expect(clippy::arithmetic_side_effects, reason = "test code")]

use contract_lang::{Options, check};

use super::super::tally::Moves;
use super::*;

fn rule(text: &str) -> Rule {
    let text = format!("version: 1\nname: p\nrules:\n  - id: r\n    {text}\n");
    let contract = check("p.yaml", text.as_bytes(), &Options::default()).contract.unwrap();
    contract.rules.into_iter().next().unwrap()
}

fn moves(of: &[(&[u64], &[u64])]) -> Moves {
    let mut moves = Moves::default();
    for (before, after) in of {
        moves.violated += 1;
        *moves.moves.of((before.to_vec(), after.to_vec())) += 1;
    }
    moves
}

fn written(text: &str, of: &[(&[u64], &[u64])]) -> String {
    let mut out = Vec::new();
    write("rule-0", &rule(text), &moves(of), &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

const SEQUENCE: &str = "sequence: { steps: [ok(a), ok(b), c] }";

#[test]
fn the_move_that_violates_is_marked_and_counted() {
    let html = written(SEQUENCE, &[(&[0], &[2]), (&[0], &[2]), (&[1], &[2])]);
    assert_eq!(html.matches("<g class=\"taken\">").count(), 2, "{html}");
    assert!(html.contains("2 times it was in state 0 when"), "{html}");
    assert!(html.contains("Once it was in state 1 when"), "{html}");
}

#[test]
fn the_way_there_is_dashed_and_said_to_be_a_guess() {
    let html = written(SEQUENCE, &[(&[3], &[2])]);
    assert_eq!(html.matches("<g class=\"way\">").count(), 2, "{html}");
    assert!(html.contains("Dashed: a shortest way there"), "{html}");
}

#[test]
fn what_is_found_at_the_end_is_a_state_and_no_move() {
    let html = written("must_be_followed_by: { after: a, then: b }", &[(&[1], &[1])]);
    assert!(!html.contains("class=\"taken\""), "{html}");
    assert!(html.contains("in state 1 when the session or its instance ended"), "{html}");
}

#[test]
fn states_that_are_not_of_the_automaton_are_passed_over() {
    let html = written(SEQUENCE, &[(&[99, u64::MAX], &[2]), (&[], &[])]);
    assert!(html.contains("does not say in which state"), "{html}");
}

#[test]
fn every_move_is_there_in_words() {
    let html = written(SEQUENCE, &[]);
    let rule = rule(SEQUENCE);
    let Kind::Automaton { machine, patterns, .. } = &rule.kind else { panic!("no automaton") };
    let edges = Graph::of(patterns, machine).edges.len();
    assert_eq!(html.matches("<tr><td>").count(), edges);
}

#[test]
fn drawings_have_numbers_only_and_are_the_same_each_time() {
    let html = written(SEQUENCE, &[(&[0], &[2])]);
    assert!(!html.contains("NaN") && !html.contains("inf"), "{html}");
    assert_eq!(html, written(SEQUENCE, &[(&[0], &[2])]));
}

#[test]
fn rules_without_automata_say_what_they_keep() {
    let html = written("at_most_n_times: { call: a, n: 1 }", &[]);
    assert!(html.contains("This rule keeps a count, not an automaton."), "{html}");
}
