//! The abstract model has every session that the interpreter has: random sessions are followed through it, event by event.

#![expect(clippy::unwrap_used, reason = "test code")]

use contract_lang::analysis::model::{Bounded, Entry, Follower, Model};
use contract_lang::interpret::Interpreted;
use contract_lang::mir::Contract;
use contract_lang::{Options, check};
use interlock_tests::differential::watched;
use interlock_tests::generate::{self, Seed};

/// What happens in a random session.
fn session(contract: &Contract, seed: &mut Seed) -> Option<Vec<Entry>> {
    let watch = Follower::new(&Interpreted::new(contract.clone()));
    let log = watch.log();
    watched(contract, watch, &generate::trace(seed, 30)).ok()?;
    let entries = log.lock().unwrap().clone();
    Some(entries)
}

#[test]
fn every_session_is_one_of_the_model() {
    let (mut followed, mut capped, mut events) = (0_u32, 0_u32, 0_usize);
    let first = std::env::var("SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(0_u64);
    let many = std::env::var("MANY").ok().and_then(|many| many.parse().ok()).unwrap_or(100_u64);
    let mut wrong = Vec::new();
    for number in first..first + many {
        let mut seed = Seed::new(number);
        let text = generate::contract(&mut seed);
        let Some(contract) = check("random.yaml", text.as_bytes(), &Options::default()).contract else { continue };
        let Some(entries) = session(&contract, &mut seed) else { continue };
        let model = Model::of(&contract);
        let narrow = (0..contract.rules.len()).map(|rule| model.narrow(&[rule]));
        for focus in model.components().iter().cloned().chain(narrow) {
            let Bounded::Exhausted(space) = model.space(&focus) else {
                capped += 1;
                continue;
            };
            for key in space.keys(&entries) {
                followed += 1;
                events += entries.len();
                if let Err(what) = space.follow(&entries, &key) {
                    wrong.push(format!("seed {number}, rules {:?}, key {key}: {what}\n{text}", focus.rules));
                }
            }
        }
    }
    println!("{followed} sessions of {events} events followed, {capped} spaces too large, {} wrong", wrong.len());
    assert!(followed > 100, "{followed}");
    // One of each kind, the shortest.
    wrong.sort_by_key(String::len);
    let kind = |what: &String| what.split(", ").nth(4).unwrap_or_default().chars().take(12).collect::<String>();
    let mut kinds = std::collections::BTreeSet::new();
    let shown: Vec<&String> = wrong.iter().filter(|what| kinds.insert(kind(what)) || kinds.len() < 2).take(8).collect();
    for what in &shown {
        println!("{what}");
    }
    assert!(shown.is_empty(), "{} wrong", wrong.len());
}
