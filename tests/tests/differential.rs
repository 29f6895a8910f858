//! Compiled = interpreted = reference.

use contract_lang::interpret::Interpreted;
use contract_lang::mir::Contract;
use interlock_tests::differential::compare;
use interlock_tests::generate::{self, Seed, Step};

/// How many random pairs of contract and trace are tried; `INTERLOCK_PAIRS` sets another number.
fn pairs() -> u64 {
    std::env::var("INTERLOCK_PAIRS").ok().and_then(|text| text.parse().ok()).unwrap_or(250)
}

fn check(text: &str) -> Result<Contract, String> {
    let checked = contract_lang::check("random.yaml", text.as_bytes(), &contract_lang::Options::default());
    let rendered = contract_lang::diagnostic::render::human(&checked.source, &checked.diagnostics, false);
    checked.contract.ok_or(rendered)
}

/// Leaves steps out as long as the difference stays.
fn shrink(mut trace: Vec<Step>, fails: impl Fn(&[Step]) -> Option<String>) -> (Vec<Step>, String) {
    let mut difference = fails(&trace).unwrap_or_default();
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

#[test]
fn random_contracts_mean_the_same_to_the_interpreter_and_the_reference() {
    let mut refused = 0;
    for number in 0..pairs() {
        let mut seed = Seed::new(number);
        let text = generate::contract(&mut seed);
        let contract = match check(&text) {
            Ok(contract) => contract,
            // The generator may write one pattern twice in a rule, which is refused. Anything else would be a gap.
            Err(error) if error.contains("IL0406") => {
                refused += 1;
                continue;
            }
            Err(error) => panic!("seed {number}: {error}\n{text}"),
        };
        let interpreted = Interpreted::new(contract);
        for _ in 0..2 {
            let trace = generate::trace(&mut seed, 40);
            let fails = |trace: &[Step]| compare(interpreted.contract(), interpreted.monitor(), trace).err();
            if fails(&trace).is_some() {
                let (trace, difference) = shrink(trace, fails);
                panic!("seed {number}: {difference}\n\n{text}\n{}", generate::print("s", &trace));
            }
        }
    }
    assert!(refused * 10 <= pairs(), "most contracts are run: {refused} of {} were refused", pairs());
}
