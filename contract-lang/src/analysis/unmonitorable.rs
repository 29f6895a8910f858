//! Formulas that no event decides, and formulas that are decided only because sessions end.
//!
//! A rule is decided before the end of the session in the states from which no continuation violates it, or none keeps it. A
//! formula is *unmonitorable* if no such state can be reached (Pnueli and Zaks, "PSL model checking and run-time verification
//! via testers", FM 2006), and weakly monitorable if a state can be reached from which none can: there the rule has nothing
//! more to say until the session ends, and stops no call. Found in the machine, exactly.
//!
//! A verdict that is final for sessions, which end, need not be one for sequences that do not (De Giacomo, De Masellis and
//! Montali, "Reasoning on LTL on finite traces: insensitivity to infiniteness", AAAI 2014). Nothing is wrong with that, but who
//! writes such a formula has mostly thought of a sequence without an end. It is found by an example, a
//! [repetition](super::lasso), so that what is found is true, and not all is found.

use std::collections::VecDeque;

use contract_runtime::{Colour, Verdict};

use super::lasso::Lasso;
use crate::ast;
use crate::diagnostic::{Certainty, Code, Diagnostic, Diagnostics, Goal};
use crate::mir::{Kind, Machine, Pattern, Rule};
use crate::resolve::Lowered;
use crate::syntax::parse;

/// Looks at every formula that is not decided from the start.
pub(super) fn check(lowered: &Lowered<'_>, diagnostics: &mut Diagnostics) {
    for (rule, written) in lowered.contract.rules.iter().zip(&lowered.rules) {
        let (Kind::Automaton { patterns, machine, formula: Some(formula), .. }, ast::Kind::Formula(place)) =
            (&rule.kind, &written.kind)
        else {
            continue;
        };
        let found = silent(rule, patterns, machine).or_else(|| endless(patterns, machine, formula));
        if let Some((message, help)) = found {
            let from = diagnostics.len();
            let diagnostic = Diagnostic::new(Code::Unmonitorable, place.formula.0.span, message).help(help);
            let goal = Goal::verdict(&rule.id, Verdict::Violated).ended();
            diagnostics.push(diagnostic.certainty(Certainty::Proved).goal(goal));
            diagnostics.attribute(from, &rule.id);
        }
    }
}

/// Whether a state can be reached in which the rule has nothing more to say before the end. A rule with `guards` has.
fn silent(rule: &Rule, patterns: &[Pattern], machine: &Machine) -> Option<(String, String)> {
    if rule.guards.is_some() {
        return None;
    }
    let decides = deciding(machine);
    let is_silent = |state: usize| decides.get(state) == Some(&false);
    let word = shortest(machine, is_silent)?;
    if word.is_empty() {
        let message = "no event decides the formula: only when the session ends it is known whether it holds";
        let help = "to hold calls back while something is owed, write `guards: PATTERN`; leave it if a report at the end is what \
                    you want";
        return Some((message.to_owned(), help.to_owned()));
    }
    let message = format!(
        "after {} no event decides the formula any more: only when the session ends it is known whether it holds",
        spelled(&word, patterns)
    );
    let help =
        "make it two rules, one of what must not happen and one of what must: then the first goes on stopping calls";
    Some((message, help.to_owned()))
}

/// Whether a verdict is final only because sessions end.
fn endless(patterns: &[Pattern], machine: &Machine, formula: &str) -> Option<(String, String)> {
    let tree = parse::formula(formula).ok()?;
    let names: Vec<&str> = patterns.iter().map(name).collect();
    let (lasso, decided, kept) = Lasso::all(&machine.letters).find_map(|lasso| {
        let (decided, kept) = decision(machine, &lasso)?;
        (lasso.satisfies(&tree, &names)? != kept).then_some((lasso, decided, kept))
    })?;
    let verdict = if kept { "cannot be violated any more" } else { "is violated" };
    let since = match decided.as_slice() {
        [] => "from the start".to_owned(),
        word => format!("after {}", spelled(word, patterns)),
    };
    let stem = match lasso.stem.as_slice() {
        [] => String::new(),
        stem => format!("{}, then ", spelled(stem, patterns)),
    };
    let cycle = spelled(&lasso.cycle, patterns);
    let message = format!("the formula {verdict} {since} only because sessions end");
    let breaks = if kept { "break" } else { "keep" };
    let help = format!(
        "{stem}{cycle} over and over without an end would {breaks} it; of a session that ends, `eventually always p` and \
         `always eventually p` both say that `p` holds at last"
    );
    Some((message, help))
}

/// The events after which the machine has a final verdict on a sequence, and whether that is that the rule is kept.
fn decision(machine: &Machine, lasso: &Lasso) -> Option<(Vec<u8>, bool)> {
    let (mut state, mut word) = (usize::from(machine.initial), Vec::new());
    // A machine that has come to no verdict after so many events may go round in a circle.
    let most = machine.colours.len().saturating_mul(lasso.cycle.len());
    for letter in lasso.events().take(most) {
        match machine.colours.get(state)? {
            Colour::Satisfied => return Some((word, true)),
            Colour::Violated => return Some((word, false)),
            Colour::Open | Colour::Pending => {}
        }
        state = next(machine, state, letter)?;
        word.push(letter);
    }
    None
}

fn next(machine: &Machine, state: usize, letter: u8) -> Option<usize> {
    let row = state.checked_shl(u32::from(machine.width))?;
    machine.delta.get(row | usize::from(letter)).copied().map(usize::from)
}

/// From which states one with a final verdict can be reached.
fn deciding(machine: &Machine) -> Vec<bool> {
    let is_final = |colour: &Colour| matches!(colour, Colour::Satisfied | Colour::Violated);
    let mut decides: Vec<bool> = machine.colours.iter().map(is_final).collect();
    // Each round adds a state, or is the last.
    for _ in 0..decides.len() {
        let reaches = |state: usize| {
            let mut successors = machine.letters.iter().filter_map(|&letter| next(machine, state, letter));
            successors.any(|successor| decides.get(successor) == Some(&true))
        };
        decides = decides.iter().enumerate().map(|(state, decides)| *decides || reaches(state)).collect();
    }
    decides
}

/// The shortest word to a state of a kind.
fn shortest(machine: &Machine, wanted: impl Fn(usize) -> bool) -> Option<Vec<u8>> {
    let mut seen = vec![false; machine.colours.len()];
    let mut queue = VecDeque::from([(usize::from(machine.initial), Vec::new())]);
    while let Some((state, word)) = queue.pop_front() {
        if wanted(state) {
            return Some(word);
        }
        for &letter in &machine.letters {
            let Some(successor) = next(machine, state, letter) else { continue };
            let Some(seen @ false) = seen.get_mut(successor) else { continue };
            *seen = true;
            let longer = word.iter().copied().chain([letter]).collect();
            queue.push_back((successor, longer));
        }
    }
    None
}

fn name(pattern: &Pattern) -> &str {
    pattern.name.as_deref().unwrap_or(&pattern.text)
}

/// A word by the names of its letters.
fn spelled(word: &[u8], patterns: &[Pattern]) -> String {
    let letter = |letter: &u8| {
        let bits = [1u8, 2, 4, 8, 16, 32, 64, 128];
        let holding = patterns.iter().zip(bits).filter(|(_, bit)| letter & bit != 0);
        holding.map(|(pattern, _)| format!("`{}`", name(pattern))).collect::<Vec<_>>().join(" with ")
    };
    word.iter().map(letter).collect::<Vec<_>>().join(", ")
}
