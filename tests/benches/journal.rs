//! What it costs to record a decision, beside hashing and writing the same bytes.
//!
//! Buffered: without waiting for the disk, against SHA-256 of the line and one `write` of it. Durable: with one thread and with
//! eight, which share syncs. Ratios are of one run on one machine.

use std::fs::{self, File, OpenOptions};
use std::io::Write as _;
use std::path::PathBuf;
use std::time::Instant;

use contract_runtime::journal::record::{Body, Content, Decided, Over, Text};
use contract_runtime::journal::{Journal, Sync};
use contract_runtime::value::sha256;
use contract_runtime::{Clock as _, Decision, Effect, SystemClock, Time};

/// How many records a measurement takes, and how often it is taken: the best counts.
const RECORDS: u64 = 50_000;
const ROUNDS: u32 = 5;

struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn folder(name: &str) -> Folder {
    let path = std::env::temp_dir().join(format!("interlock-bench-{}-{name}", std::process::id()));
    let _ = fs::remove_dir_all(&path);
    fs::create_dir(&path).unwrap();
    Folder(path)
}

fn decided<'a>(journal: &Journal, call: u64, args: &'a str, captured: bool) -> Body<'a> {
    let digest = journal.digests().digest(args.as_bytes());
    let text = captured.then_some(Text::Borrowed(args));
    Decided {
        after_divergence: false,
        agent: None,
        approved: false,
        args: Content { digest, form: Over::Bytes, text },
        batch: None,
        call,
        decision: Decision::Allow,
        effect: Effect::Write,
        evaluated: true,
        findings: Vec::new(),
        id: Some("call_0123456789".into()),
        original: None,
        ran: true,
        refusal: None,
        server: None,
        tool: "send_payment".into(),
    }
    .into()
}

/// Nanoseconds for each, at best.
fn best(mut measure: impl FnMut() -> f64) -> f64 {
    (0..ROUNDS).map(|_| measure()).fold(f64::INFINITY, f64::min)
}

fn per_record(start: Instant, records: u64) -> f64 {
    start.elapsed().as_nanos() as f64 / records as f64
}

fn buffered(args: &str, captured: bool, at: Time) {
    let mut line = Vec::new();
    let recorded = best(|| {
        let folder = folder("buffered");
        let path = folder.0.join("j.jsonl");
        let options = Journal::at(&path).sync(Sync::Never);
        let journal = if captured { options.capture_content().open() } else { options.open() }.unwrap();
        let start = Instant::now();
        for call in 0..RECORDS {
            journal.append(Some("session"), at, &decided(&journal, call, args, captured)).unwrap();
        }
        let elapsed = per_record(start, RECORDS);
        let text = fs::read(&path).unwrap();
        line = text.split_inclusive(|byte| *byte == b'\n').nth(1000).unwrap().to_vec();
        elapsed
    });
    let plain = best(|| {
        let folder = folder("plain");
        let mut file: File = OpenOptions::new().create(true).append(true).open(folder.0.join("f")).unwrap();
        let start = Instant::now();
        for _ in 0..RECORDS {
            std::hint::black_box(sha256(std::hint::black_box(&line)));
            file.write_all(&line).unwrap();
        }
        per_record(start, RECORDS)
    });
    let what = if captured { "captured" } else { "digest" };
    println!(
        "{what:>10}: {recorded:.0} ns a record of {} bytes, {plain:.0} ns to hash and write it: {:.2} ×",
        line.len(),
        recorded / plain
    );
}

fn durable(threads: u64, args: &str, at: Time) -> f64 {
    let folder = folder("durable");
    let journal = Journal::at(folder.0.join("j.jsonl")).open().unwrap();
    let each = 200;
    let start = Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                for call in 0..each {
                    let ticket = journal.append(Some("session"), at, &decided(&journal, call, args, false)).unwrap();
                    journal.commit(ticket).unwrap();
                }
            });
        }
    });
    per_record(start, threads * each)
}

fn main() {
    let at = SystemClock.now();
    let args = format!(r#"{{"amount":40,"invoice":"i7","note":"{}","payee":"acme"}}"#, "x".repeat(147));
    assert_eq!(args.len(), 200);
    for captured in [false, true] {
        buffered(&args, captured, at);
    }
    // In turns: how long a disk takes changes with whatever else it does.
    let (mut one, mut eight) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..ROUNDS {
        one = one.min(durable(1, &args, at));
        eight = eight.min(durable(8, &args, at));
    }
    println!(
        "   synced: {:.1} µs a record with one thread, {:.1} µs with eight: {:.1} × as many",
        one / 1e3,
        eight / 1e3,
        one / eight
    );
}
