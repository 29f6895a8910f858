//! How long `lint` takes, by the number of rules. `cargo bench -p interlock-tests --bench lint`; with `--check` it fails if 1,000
//! rules take more than linear time, compared with 250 in the same run.

#![expect(clippy::print_stdout, reason = "a benchmark prints what it measures")]

use std::hint::black_box;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use contract_lang::{Depth, Options, check};
use interlock_tests::generate::large;

/// What noise may add to a ratio of 1.
const NOISE: f64 = 1.15;

/// How often the ratio is measured before it counts.
const ATTEMPTS: usize = 3;

/// The shortest of some runs.
fn lint(text: &str, runs: usize) -> Duration {
    let run = || {
        let start = Instant::now();
        let options = Options { depth: Depth::Lint, ..Options::default() };
        black_box(check("large.yaml", black_box(text).as_bytes(), &options));
        start.elapsed()
    };
    (0..runs).map(|_| run()).min().unwrap_or_default()
}

fn main() -> ExitCode {
    let is_checked = std::env::args().any(|argument| argument == "--check");
    for attempt in 1..=ATTEMPTS {
        let times = [(250, 4), (500, 2), (1_000, 1)].map(|(rules, runs)| (rules, lint(&large(rules as usize), runs)));
        for (rules, time) in times {
            println!("{rules:5} rules: {time:10.2?}, {:8.1?} each", time / rules);
        }
        let [(_, few), _, (_, many)] = times;
        let ratio = many.as_secs_f64() / (4.0 * few.as_secs_f64());
        println!("1000 rules / 4 times 250 rules: {ratio:.2}");
        if !is_checked || ratio <= NOISE {
            return ExitCode::SUCCESS;
        }
        println!("attempt {attempt} of {ATTEMPTS}: more than linear");
    }
    ExitCode::FAILURE
}
