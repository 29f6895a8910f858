//! What lint says of parts of a contract is so: leaving them out changes nothing.

use std::collections::BTreeMap;

use contract_lang::diagnostic::{Code, Diagnostic, Level};
use contract_lang::interpret::Interpreted;
use contract_lang::mir::Contract;
use contract_lang::{Checked, Options};
use interlock_tests::differential::consequences;
use interlock_tests::generate::{self, Seed, Step};

/// How many random contracts are tried; `INTERLOCK_PAIRS` sets another number.
fn pairs() -> u64 {
    std::env::var("INTERLOCK_PAIRS").ok().and_then(|text| text.parse().ok()).unwrap_or(250)
}

/// The contract without what a finding says does nothing; `None` if the finding is of another kind.
fn without(contract: &Contract, checked: &Checked, found: &Diagnostic) -> Option<Contract> {
    let mut less = contract.clone();
    match found.code {
        Code::MaskedRule => {
            let rule = found.rule.as_deref()?;
            less.rules.retain(|each| each.id != rule);
        }
        Code::TwoCommits if found.level == Level::Warning => {
            let before = &checked.source.text()[..found.primary.span.range().start];
            let commit = before.matches("  - after:").count() - 1;
            let cell = cell(contract, found)?;
            less.commits[commit].changes.retain(|change| change.cell != cell);
        }
        Code::NeverCommitted if found.level == Level::Note => {
            let cell = cell(contract, found)?;
            less.commits.iter_mut().for_each(|commit| commit.changes.retain(|change| change.cell != cell));
        }
        _ => return None,
    }
    Some(less)
}

/// The cell that a message names.
fn cell(contract: &Contract, found: &Diagnostic) -> Option<usize> {
    let named = |name: &str| found.message.contains(&format!("`state.{name}`"));
    contract.cells.iter().position(|cell| named(&cell.name))
}

/// The name of a tool of which is said that nothing stops it.
fn unguarded(found: &Diagnostic) -> Option<&str> {
    (found.code == Code::UnguardedIrreversible).then(|| found.message.split('`').nth(1)).flatten()
}

#[test]
fn what_lint_says_does_nothing_does_nothing() {
    let mut tried = BTreeMap::<&str, u64>::new();
    let mut wrong = BTreeMap::<&str, String>::new();
    for number in 0..pairs() {
        let mut seed = Seed::new(number);
        let text = generate::contract(&mut seed);
        let checked = contract_lang::check("random.yaml", text.as_bytes(), &Options::default());
        let Some(contract) = &checked.contract else { continue };
        let trace = generate::trace(&mut seed, 60);
        let whole = Interpreted::new(contract.clone());
        let comes = consequences(whole.monitor(), contract, &trace);
        for found in &checked.diagnostics {
            if let Some(less) = without(contract, &checked, found) {
                *tried.entry(found.code.as_str()).or_default() += 1;
                let other = consequences(Interpreted::new(less.clone()).monitor(), &less, &trace);
                if let Some(at) = comes.iter().zip(&other).position(|(one, other)| one != other) {
                    let shown = generate::print("s", &trace[..=at]);
                    let why = format!("seed {number}: {}\n{text}\n{shown}", found.message);
                    wrong.entry(found.code.as_str()).or_insert(why);
                }
            }
            if let Some(tool) = unguarded(found) {
                *tried.entry(found.code.as_str()).or_default() += 1;
                for (step, comes) in trace.iter().zip(&comes) {
                    let runs = comes.starts_with("Allow") || comes.starts_with("Alert");
                    let spoken = matches!(step, Step::Call(call) if call.tool == tool);
                    if spoken && !runs {
                        let why = format!("seed {number}: {}: {comes}\n{text}\n{step:?}", found.message);
                        wrong.entry(found.code.as_str()).or_insert(why);
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.into_values().collect::<Vec<_>>().join("\n\n"));
    assert_eq!(tried.len(), 4, "every kind is met: {tried:?}");
}
