//! How fast a journal is verified, against plain SHA-256 of the same file, on one core: both in one run, as a ratio.
//!
//! `VERIFY_MIB=1024 cargo bench --bench verify` makes a larger journal; the peak of the process's memory is printed too.

use std::fs::{self, File};
use std::io::{BufWriter, Read as _, Write as _};
use std::num::NonZeroUsize;
use std::path::Path;
use std::time::{Duration, Instant};

use contract_runtime::journal::record::{Decided, Finding, Head, Hex, NO_HASH, Outcome, Seen, SessionEnd, Why, encode};
use contract_runtime::journal::verify::{Options, verify};
use contract_runtime::journal::{Body, Hash};
use contract_runtime::{Decision, Effect, Status, Time, Verdict};
use interlock_tests::journals::{ARGS, Maker, RESULT, bytes, content, key};
use sha2::{Digest as _, Sha256};

const ROUNDS: usize = 5;

/// Appends calls until the file has this many bytes.
fn write(path: &Path, size: u64) -> u64 {
    let mut maker = Maker::new(1, Some(key(1)));
    maker.start("s1");
    let mut out = BufWriter::new(File::create(path).unwrap());
    out.write_all(&bytes(maker.lines())).unwrap();
    let (mut seq, mut prev, mut written, mut call) = (maker.seq, maker.last, 0, 0);
    let mut line = Vec::new();
    let mut put = |seq: &mut u64, prev: &mut Hash, body: Body<'static>| {
        line.clear();
        let at = Time::from_nanos(i128::from(*seq) * 1_000_000);
        let head = Head { at, journal: maker.id, prev: *prev, seq: *seq, session: Some("s1".into()) };
        *prev = encode(&head, &body, &mut line);
        *seq += 1;
        out.write_all(&line).unwrap();
        line.len() as u64
    };
    while written < size {
        let finding = Finding {
            action: Decision::Alert,
            clause: None,
            help: None,
            key: Some(Hex([4; 32])),
            reason: Why::Rule,
            rule: "verify-before-paying".into(),
            source: None,
            states: None,
            verdict: Verdict::Pending,
        };
        let decided = Decided {
            after_divergence: false,
            agent: None,
            approved: false,
            args: content(ARGS),
            batch: None,
            call,
            decision: Decision::Alert,
            effect: Effect::Irreversible,
            evaluated: true,
            findings: vec![finding],
            id: Some("call_0123456789abcdef".into()),
            original: None,
            ran: true,
            refusal: None,
            server: Some("payments".into()),
            tool: "send_payment".into(),
        };
        let decision = seq;
        written += put(&mut seq, &mut prev, decided.into());
        let outcome = Outcome {
            call,
            decision: Some(decision),
            evaluated: true,
            findings: Vec::new(),
            result: Some(content(RESULT)),
            shown: Seen::All,
            status: Status::Ok,
            tool: "send_payment".into(),
        };
        written += put(&mut seq, &mut prev, outcome.into());
        call += 1;
    }
    let end = SessionEnd {
        counts: contract_runtime::journal::record::Counts { alert: call, allow: 0, ask: 0, block: 0 },
        findings: Vec::new(),
        rules: Vec::new(),
    };
    put(&mut seq, &mut prev, end.into());
    assert_ne!(prev, NO_HASH);
    seq
}

fn plain(path: &Path) {
    let mut file = File::open(path).unwrap();
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 1 << 20];
    loop {
        let read = file.read(&mut buffer).unwrap();
        if read == 0 {
            break;
        }
        hasher.update(&buffer[..read]);
    }
    assert_ne!(hasher.finalize()[..], [0; 32]);
}

fn best(mut run: impl FnMut()) -> Duration {
    (0..ROUNDS)
        .map(|_| {
            let start = Instant::now();
            run();
            start.elapsed()
        })
        .min()
        .unwrap()
}

fn main() {
    let mib = std::env::var("VERIFY_MIB").ok().and_then(|text| text.parse().ok()).unwrap_or(64_u64);
    let folder = std::env::temp_dir().join(format!("interlock-verify-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join("audit.jsonl");
    let records = write(&path, mib << 20);
    let size = fs::metadata(&path).unwrap().len() as f64 / f64::from(1 << 20);
    let check = |threads: usize| {
        let options = Options { threads: NonZeroUsize::new(threads), ..Options::default() };
        let report = verify(&path, &options).unwrap();
        assert!(report.holds() && report.records == records, "{report:?}");
    };
    let speed = |time: Duration| size / time.as_secs_f64();
    let (hash, one, two) = (best(|| plain(&path)), best(|| check(1)), best(|| check(2)));
    println!("{records} records, {size:.0} MiB");
    println!("plain SHA-256, one core   {:7.0} MiB/s", speed(hash));
    println!(
        "verify, one core          {:7.0} MiB/s   ratio {:.2} (target at least 0.20)",
        speed(one),
        speed(one) / speed(hash)
    );
    println!("verify, two cores         {:7.0} MiB/s   ratio {:.2}", speed(two), speed(two) / speed(hash));
    if let Ok(status) = fs::read_to_string("/proc/self/status") {
        let peak = status.lines().find(|line| line.starts_with("VmHWM")).unwrap_or_default();
        println!("peak memory               {}", peak.trim_start_matches("VmHWM:").trim());
    }
    fs::remove_dir_all(&folder).unwrap();
}
