//! What it costs to let instances go: calls with fresh keys, ten times as many as the rule tells from those never seen.
//!
//! Of each stretch: nanoseconds for a call with its result, the heap bytes that the monitor has at its end, and how many of the
//! fresh keys are taken for ones that were let go.

use std::alloc::{GlobalAlloc, Layout, System};
use std::hint::black_box;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use contract_runtime::{Monitor, Seed};
use interlock::contracts;
use interlock_tests::bare::Bare;
use serde_json::json;

contracts!("benches/contracts/flood.yaml");

/// `remember` of the rule.
const REMEMBERED: usize = 100_000;

static LIVE: AtomicUsize = AtomicUsize::new(0);

/// Counts the bytes that are allocated.
struct Counting;

#[expect(unsafe_code, reason = "an allocator is unsafe by its signature; this one only counts")]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        LIVE.fetch_add(layout.size(), Ordering::Relaxed);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Ordering::Relaxed);
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn main() {
    let ok = json!({"status": "ok"});
    let before = LIVE.load(Ordering::Relaxed);
    let mut monitor = Flood::new();
    monitor.seed(Seed::random());
    let mut engine = Bare::new(monitor);
    println!("{:>12} {:>12} {:>14} {:>12}", "fresh keys", "ns a call", "heap bytes", "mistaken");
    let mut from = 0;
    for to in (1..=20).map(|half| half * REMEMBERED / 2) {
        let calls: Vec<_> = (from..to).map(|key| json!({"invoice": format!("invoice-{key}"), "amount": 1})).collect();
        let start = Instant::now();
        let mut mistaken = 0;
        for args in &calls {
            let (_, findings) = black_box(engine.call("pay", black_box(args), &ok));
            mistaken += usize::from(!findings.is_empty());
        }
        let elapsed = start.elapsed().as_nanos() as f64 / calls.len() as f64;
        drop(calls);
        let live = LIVE.load(Ordering::Relaxed).saturating_sub(before);
        let share = mistaken as f64 * 100.0 / (to - from) as f64;
        println!("{to:>12} {elapsed:>12.0} {live:>14} {share:>10.2} %");
        from = to;
    }
}
