//! Compiled = interpreted = reference; and a session that was saved and restored goes on as if nothing had been.

use contract_lang::interpret::Interpreted;
use contract_lang::mir::Contract;
use interlock_tests::differential::{compare, compare_restored};
use interlock_tests::generate::{self, Seed, Step};

/// How many random pairs of contract and trace are tried; `INTERLOCK_PAIRS` sets another number.
fn pairs() -> u64 {
    number("INTERLOCK_PAIRS").unwrap_or(250)
}

/// The first seed; `INTERLOCK_SEED` sets another.
fn first() -> u64 {
    number("INTERLOCK_SEED").unwrap_or(0)
}

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok().and_then(|text| text.parse().ok())
}

fn check(text: &str) -> Result<Contract, String> {
    let checked = contract_lang::check("random.yaml", text.as_bytes(), &contract_lang::Options::default());
    let rendered = contract_lang::diagnostic::render::human(&checked.source, &checked.diagnostics, false);
    checked.contract.ok_or(rendered)
}

/// Whether the generator, which looks at one pattern and operator at a time, may have made this: one pattern twice in a rule, a
/// formula that is too large, or one that owes nothing and guards a call.
fn is_refused_rightly(error: &str) -> bool {
    let mut codes = error.lines().filter(|line| line.starts_with("error[")).peekable();
    let rightly =
        |line: &str| ["IL0406", "IL0408", "the rule is never pending"].iter().any(|known| line.contains(known));
    codes.peek().is_some() && codes.all(rightly)
}

/// Leaves steps out as long as the difference stays.
fn shrink(mut trace: Vec<Step>, fails: impl Fn(&[Step]) -> Option<String>) -> (Vec<Step>, String) {
    let mut difference = fails(&trace).unwrap_or_default();
    // First what comes after the step that shows it.
    let (mut fine, mut shows) = (0, trace.len());
    while shows - fine > 1 {
        let middle = usize::midpoint(fine, shows);
        match fails(&trace[..middle]) {
            Some(found) => (shows, difference) = (middle, found),
            None => fine = middle,
        }
    }
    trace.truncate(shows);
    let mut index = trace.len();
    while index > 0 {
        index -= 1;
        let mut shorter = trace.clone();
        shorter.remove(index);
        if let Some(found) = fails(&shorter) {
            (trace, difference) = (shorter, found);
        }
    }
    (trace, difference)
}

/// Leaves rules and commits out as long as the difference stays.
fn shrink_contract(text: String, fails: impl Fn(&Interpreted) -> Option<String>) -> String {
    let fails = |text: &str| check(text).ok().and_then(|contract| fails(&Interpreted::new(contract)));
    let mut lines: Vec<Vec<String>> = Vec::new();
    // A line with what hangs on it.
    for line in text.lines() {
        let indented = line.starts_with("    ");
        match lines.last_mut() {
            Some(item) if indented => item.push(line.to_owned()),
            _ => lines.push(vec![line.to_owned()]),
        }
    }
    let joined = |lines: &[Vec<String>]| lines.concat().join("\n") + "\n";
    let mut index = lines.len();
    while index > 0 {
        index -= 1;
        let mut shorter = lines.clone();
        shorter.remove(index);
        if fails(&joined(&shorter)).is_some() {
            lines = shorter;
            continue;
        }
        let mut line = lines.get(index).map_or(0, Vec::len);
        while line > 1 {
            line -= 1;
            let mut shorter = lines.clone();
            shorter[index].remove(line);
            if fails(&joined(&shorter)).is_some() {
                lines = shorter;
            }
        }
    }
    joined(&lines)
}

#[test]
fn random_contracts_mean_the_same_to_the_interpreter_and_the_reference() {
    let mut refused = 0;
    for number in first()..first() + pairs() {
        let mut seed = Seed::new(number);
        let text = generate::contract(&mut seed);
        let contract = match check(&text) {
            Ok(contract) => contract,
            Err(error) if is_refused_rightly(&error) => {
                refused += 1;
                continue;
            }
            Err(error) => panic!("seed {number}: {error}\n{text}"),
        };
        let interpreted = Interpreted::new(contract);
        for _ in 0..2 {
            let trace = generate::trace(&mut seed, 40);
            let saved = seed.below(trace.len());
            let plain = |of: &Interpreted, trace: &[Step]| compare(of.contract(), of.monitor(), trace).err();
            let restored = |of: &Interpreted, trace: &[Step]| {
                compare_restored(of.contract(), [of.monitor(), of.monitor()], trace, saved.min(trace.len() - 1)).err()
            };
            if plain(&interpreted, &trace).is_some() {
                report(number, &text, &interpreted, trace, plain);
            } else if restored(&interpreted, &trace).is_some() {
                report(number, &text, &interpreted, trace, restored);
            }
        }
    }
    assert!(refused * 10 <= pairs(), "most contracts are run: {refused} of {} were refused", pairs());
}

/// Shows the smallest contract and trace that still differ.
fn report(
    number: u64,
    text: &str,
    interpreted: &Interpreted,
    trace: Vec<Step>,
    fails: impl Fn(&Interpreted, &[Step]) -> Option<String>,
) -> ! {
    let fails = |of: &Interpreted, trace: &[Step]| if trace.is_empty() { None } else { fails(of, trace) };
    let (trace, _) = shrink(trace, |trace| fails(interpreted, trace));
    let text = shrink_contract(text.to_owned(), |of| fails(of, &trace));
    let smaller = check(&text).map(Interpreted::new);
    let of = smaller.as_ref().unwrap_or(interpreted);
    let (trace, difference) = shrink(trace, |trace| fails(of, trace));
    panic!("seed {number}: {difference}\n\n{text}\n{}", generate::print("s", &trace));
}
