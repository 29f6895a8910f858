//! Journals under crashes and many writers: real processes, real files.
//!
//! Child processes are this same program, told by the environment what to do.

#![cfg(target_os = "linux")]

use std::collections::BTreeSet;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use contract_runtime::journal::record::{Body, Content, Decided, Outcome, Over, Passed, Seen};
use contract_runtime::journal::verify::{self, verify};
use contract_runtime::journal::{Hex, Journal, JournalError, Options, Record, Records, SigningKey, Sync};
use contract_runtime::{Clock as _, Decision, Effect, Status, SystemClock};

/// Longer than anything takes on a slow machine, so that a hang is a failure.
const LONG: Duration = Duration::from_secs(120);

struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let name = format!("interlock-crash-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        fs::create_dir(&path).unwrap();
        Self(path)
    }

    fn journal(&self) -> PathBuf {
        self.0.join("j.jsonl")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn key() -> SigningKey {
    SigningKey::from_bytes(&[7; 32])
}

fn options(path: &Path) -> Options {
    Journal::at(path).key(key()).checkpoint_every(50).rotate_bytes(200_000)
}

fn child(job: &str, path: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "job", "--nocapture", "--test-threads=1"]);
    command.env("INTERLOCK_JOB", job).env("INTERLOCK_JOURNAL", path);
    command.stdout(Stdio::null()).stderr(Stdio::piped());
    command
}

/// Not a test: what a child process does.
#[test]
fn job() {
    let (Ok(job), Some(path)) = (std::env::var("INTERLOCK_JOB"), std::env::var_os("INTERLOCK_JOURNAL")) else { return };
    let path = PathBuf::from(path);
    match job.as_str() {
        "calls" => calls(&path),
        "four" => four(&path),
        "fill" => fill(&path),
        "hold" => {
            let _journal = options(&path).open().unwrap();
            fs::write(path.with_extension("ready"), "").unwrap();
            std::thread::sleep(LONG);
        }
        job => panic!("no such job: {job}"),
    }
}

fn decided(call: u64) -> Body<'static> {
    let args = Content { digest: Hex([1; 32]), form: Over::Bytes, text: None };
    Decided {
        after_divergence: false,
        agent: None,
        approved: false,
        args,
        batch: None,
        call,
        decision: Decision::Allow,
        effect: Effect::Irreversible,
        evaluated: true,
        findings: Vec::new(),
        id: None,
        original: None,
        ran: true,
        refusal: None,
        server: None,
        tool: "delete".into(),
    }
    .into()
}

/// Four agents call tools until they are killed. A tool leaves a mark that names its decision record.
fn calls(path: &Path) {
    let seed: u64 = std::process::id().into();
    let sync = [Sync::Every, Sync::Checkpoint, Sync::Never][usize::try_from(seed % 3).unwrap()];
    let journal = options(path).sync(sync).open().unwrap();
    let marks = OpenOptions::new().create(true).append(true).open(path.with_extension("marks")).unwrap();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let (journal, mut marks) = (journal.clone(), &marks);
            scope.spawn(move || {
                let session = format!("{seed}-{thread}");
                for call in 0.. {
                    let now = SystemClock.now();
                    let intent = journal.append(Some(&session), now, &decided(call)).unwrap();
                    journal.commit(intent).unwrap();
                    marks.write_all(format!("{} {session} {call}\n", intent.seq).as_bytes()).unwrap();
                    let outcome = Outcome {
                        call,
                        decision: Some(intent.seq),
                        evaluated: true,
                        findings: Vec::new(),
                        result: None,
                        shown: Seen::All,
                        status: Status::Ok,
                        tool: "delete".into(),
                    };
                    let outcome = journal.append(Some(&session), now, &outcome.into()).unwrap();
                    journal.commit(outcome).unwrap();
                }
            });
        }
    });
}

/// A short-lived process with four records.
fn four(path: &Path) {
    let journal = options(path).shared(LONG).unwrap();
    let session = std::process::id().to_string();
    for _ in 0..4 {
        let body = Passed { findings: Vec::new() }.into();
        journal.commit(journal.append(Some(&session), SystemClock.now(), &body).unwrap()).unwrap();
    }
}

/// Appends until the file may not grow any more, and on.
fn fill(path: &Path) {
    let journal = Journal::at(path).sync(Sync::Never).open().unwrap();
    let mut failed = 0_u64;
    while failed < 5 {
        match journal.append(None, SystemClock.now(), &Passed { findings: Vec::new() }.into()) {
            Ok(_) => assert_eq!(failed, 0),
            Err(JournalError::Full { .. }) => failed += 1,
            Err(error) => panic!("{error:?}"),
        }
    }
    assert_eq!(journal.missing(), failed);
}

/// That the journal verifies, and its records.
fn verified(path: &Path) -> Vec<Record> {
    let report = verify(path, &verify::Options { trust: vec![key().public()], ..Default::default() }).unwrap();
    assert!(report.holds(), "{report:?}");
    Records::open(path).unwrap().map(|entry| entry.unwrap().record.unwrap()).collect()
}

fn run(mut child: Child) {
    let start = Instant::now();
    while child.try_wait().unwrap().is_none() {
        assert!(start.elapsed() < LONG, "a child hangs");
        std::thread::sleep(Duration::from_millis(2));
    }
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn processes_that_are_killed_at_any_time_leave_a_journal_that_verifies_and_no_call_without_its_intent() {
    let (mut recoveries, mut unfinished, mut ran) = (0, 0, 0);
    let mut random: u64 = 1;
    for _ in 0..10 {
        let folder = Folder::new();
        let path = folder.journal();
        for _ in 0..50 {
            let mut child = child("calls", &path).spawn().unwrap();
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            std::thread::sleep(Duration::from_micros(4_000 + (random >> 33) % 40_000));
            let failed = child.try_wait().unwrap();
            child.kill().unwrap();
            let output = child.wait_with_output().unwrap();
            assert!(failed.is_none(), "{}", String::from_utf8_lossy(&output.stderr));
        }
        options(&path).open().unwrap().close().unwrap();
        let records = verified(&path);
        let mut open = BTreeSet::new();
        for record in &records {
            match &record.body {
                Body::Decided(decided) => drop(open.insert((record.head.seq, decided.call))),
                Body::Outcome(outcome) => assert!(open.remove(&(outcome.decision.unwrap(), outcome.call))),
                Body::Recovery(_) => recoveries += 1,
                _ => {}
            }
        }
        unfinished += open.len();
        let marks = fs::read_to_string(path.with_extension("marks")).unwrap();
        for mark in marks.split_inclusive('\n').filter(|mark| mark.ends_with('\n')) {
            let mark: Vec<&str> = mark.trim_end().split(' ').collect();
            let record = &records[mark[0].parse::<usize>().unwrap()];
            let Body::Decided(decided) = &record.body else { panic!("a call without an intent: {mark:?}") };
            assert_eq!((record.head.session.as_deref(), decided.call), (Some(mark[1]), mark[2].parse().unwrap()));
            ran += 1;
        }
    }
    println!("{ran} calls ran, {unfinished} intents have no outcome, {recoveries} torn lines were recovered");
    assert!(ran > 0 && unfinished > 0);
}

#[test]
fn fifty_short_lived_processes_at_once_lose_nothing() {
    let folder = Folder::new();
    let path = folder.journal();
    let children: Vec<_> = (0..50).map(|_| child("four", &path).spawn().unwrap()).collect();
    children.into_iter().for_each(run);
    let written = verified(&path).iter().filter(|record| record.body.kind() == "time").count();
    assert_eq!(written, 200);
}

#[test]
fn eight_threads_lose_nothing_and_wait_for_their_own_records() {
    let folder = Folder::new();
    let path = folder.journal();
    let journal = options(&path).open().unwrap();
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let journal = &journal;
            scope.spawn(move || {
                let mut last = 0;
                for call in 0..100 {
                    let ticket = journal.append(Some(&format!("{thread}")), SystemClock.now(), &decided(call)).unwrap();
                    assert!(ticket.seq > last);
                    last = ticket.seq;
                    journal.commit(ticket).unwrap();
                }
            });
        }
    });
    journal.close().unwrap();
    assert_eq!(verified(&path).iter().filter(|record| record.body.kind() == "decision").count(), 800);
}

#[test]
fn a_second_long_lived_writer_is_told_who_has_the_journal_until_that_one_dies() {
    let folder = Folder::new();
    let path = folder.journal();
    let mut holder = child("hold", &path).spawn().unwrap();
    let start = Instant::now();
    while !path.with_extension("ready").exists() {
        assert!(start.elapsed() < LONG);
        std::thread::sleep(Duration::from_millis(2));
    }
    let error = options(&path).open().unwrap_err();
    assert!(matches!(error, JournalError::InUse { by: Some(by), .. } if by == holder.id()), "{error}");
    let waited = Instant::now();
    let error = options(&path).shared(Duration::from_millis(50)).unwrap_err();
    assert!(matches!(error, JournalError::Deadline { by: Some(by), .. } if by == holder.id()), "{error}");
    assert!(waited.elapsed() >= Duration::from_millis(50) && waited.elapsed() < LONG);
    holder.kill().unwrap();
    holder.wait().unwrap();
    options(&path).open().unwrap().close().unwrap();
    verified(&path);
}

#[test]
fn a_file_that_may_not_grow_ends_with_a_whole_line() {
    let folder = Folder::new();
    let path = folder.journal();
    let child = child("fill", &path);
    let mut limited = Command::new("sh");
    // So many blocks that writes fall short in the middle of a line. Without the signal, writing says so.
    limited
        .args(["-c", "trap '' XFSZ; ulimit -f 23; exec \"$0\" \"$@\""])
        .arg(child.get_program())
        .args(child.get_args());
    limited.envs(child.get_envs().filter_map(|(name, value)| Some((name, value?))));
    run(limited.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap());
    assert_eq!(fs::read(&path).unwrap().last(), Some(&b'\n'));
    Journal::at(&path).sync(Sync::Never).open().unwrap().close().unwrap();
    let report = verify(&path, &verify::Options::default()).unwrap();
    assert!(report.holds(), "{report:?}");
}

#[test]
fn where_nothing_can_be_written_the_journal_says_so() {
    // Not even root can create files there.
    for folder in ["/sys", "/sys/kernel"] {
        let error = Journal::at(Path::new(folder).join("j.jsonl")).open().unwrap_err();
        assert!(matches!(error, JournalError::ReadOnly { .. }), "{error:?}");
        assert!(error.to_string().contains(folder), "{error}");
    }
}
