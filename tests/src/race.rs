//! Times cases against each other. They run in turn, round after round, so that a machine that changes its speed changes all
//! alike: of what is printed, quote the ratios.

use std::time::Instant;

/// One of the cases: what runs in a round.
#[expect(missing_debug_implementations, reason = "a closure has nothing to show")]
pub struct Case<'a> {
    name: &'static str,
    round: Box<dyn FnMut() + 'a>,
}

impl<'a> Case<'a> {
    /// A case that runs this in each round.
    pub fn new(name: &'static str, round: impl FnMut() + 'a) -> Self {
        Self { name, round: Box::new(round) }
    }
}

/// The median nanoseconds of each case for one of the `events` of a round.
#[must_use]
pub fn medians(cases: &mut [Case<'_>], rounds: usize, events: usize) -> Vec<f64> {
    let mut times: Vec<Vec<f64>> = vec![Vec::new(); cases.len()];
    for _ in 0..rounds {
        for (case, times) in cases.iter_mut().zip(&mut times) {
            let start = Instant::now();
            (case.round)();
            times.push(start.elapsed().as_nanos() as f64 / events as f64);
        }
    }
    let median = |mut times: Vec<f64>| {
        times.sort_by(f64::total_cmp);
        times[times.len() / 2]
    };
    times.into_iter().map(median).collect()
}

/// Times the cases and prints them, each beside the first.
pub fn race(title: &str, cases: &mut [Case<'_>], rounds: usize, events: usize) {
    let found = medians(cases, rounds, events);
    println!("\n{title}");
    for (case, nanoseconds) in cases.iter().zip(&found) {
        println!("  {:<34}{nanoseconds:>9.1} ns  {:>6.2} x", case.name, nanoseconds / found[0]);
    }
}
