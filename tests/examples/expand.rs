//! Prints how long the expansion of a contract takes, as the `contracts!` macro does it.

use std::path::PathBuf;
use std::time::Instant;

use contract_lang::codegen;

fn main() {
    let contract = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("benches/contracts/hundred_rules.yaml");
    let mut times: Vec<u128> = (0..11)
        .map(|_| {
            let start = Instant::now();
            let loaded = contract_lang::load(&contract).expect("the bench contracts have no errors");
            let tokens = codegen::generate(&loaded.contract, &codegen::Options::default());
            assert!(!tokens.is_empty());
            start.elapsed().as_millis()
        })
        .collect();
    times.sort_unstable();
    println!("{} ms of 200: expand 100 rules (debug, median of 11)", times[times.len() / 2]);
}
