//! `interlock demo`: a scripted agent under a contract, what is left of it in a journal, and what becomes of that when somebody
//! changes a byte.
//!
//! INVARIANT: the same output each time, but for the folder: the clock, the key, the secret and the journal's id are fixed. They are
//! for the demonstration only.

mod script;

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::thread;

use contract_lang::interpret::{Interpreted, Interpreter};
use contract_lang::{Options, check, mir};
use contract_runtime::journal::record::Hex;
use contract_runtime::journal::{Journal, Secret, SigningKey, verify};
use contract_runtime::{Call, Clock, Duration, Outcome, Session, Time, Verdict};

use self::script::{Step, steps};
use super::shown;
use crate::args::{self, Format, Speed};
use crate::evidence::text;
use crate::output::{Console, Exit, Stream};

const CONTRACT: &str = include_str!("records.yaml");

/// The private key of the demonstration, which everybody knows.
const KEY: [u8; 32] = [7; 32];

/// 2026-01-01T10:00:00Z.
const START: i64 = 1_767_261_600;

/// The width of what the agent is told.
const WIDTH: usize = 100;

pub(super) fn run(args: &args::Demo, console: &mut Console<'_>) -> io::Result<Exit> {
    let Some(contract) = check("records.yaml", CONTRACT.as_bytes(), &Options::default()).contract else {
        return Err(io::Error::other("the contract of the demonstration has errors"));
    };
    let demo = folder(args).and_then(|folder| Demo::new(folder, args.speed, contract));
    let played = demo.and_then(|demo| demo.play(&mut console.out).map(|exit| (demo, exit)));
    match played {
        Ok((demo, mut exit)) => {
            exit.worsen(demo.report(console)?);
            demo.pointers(&mut console.out)?;
            Ok(exit)
        }
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Err(error),
        Err(error) => {
            console.out.flush()?;
            writeln!(console.err, "error: {}", text::text(&error.to_string()))?;
            Ok(Exit::Unusable)
        }
    }
}

/// The folder to write to, which is there now.
fn folder(args: &args::Demo) -> io::Result<PathBuf> {
    if let Some(folder) = &args.dir {
        fs::create_dir_all(folder)?;
        return Ok(folder.clone());
    }
    let parent = std::env::temp_dir();
    for number in 1..1000 {
        let folder = parent.join(format!("interlock-demo-{}-{number}", std::process::id()));
        match fs::create_dir(&folder) {
            Ok(()) => return Ok(folder),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::other("there are too many folders of demonstrations; give one with --dir"))
}

/// A clock that goes on when it is told.
#[derive(Clone, Default)]
struct Script(Arc<AtomicI64>);

impl Script {
    fn tick(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

impl Clock for Script {
    fn now(&self) -> Time {
        let nanos = |seconds: i64| i128::from(seconds).saturating_mul(1_000_000_000);
        let since = nanos(START.saturating_add(self.0.load(Ordering::Relaxed)));
        Time::EPOCH.checked_add(Duration::from_nanos(since)).unwrap_or(Time::EPOCH)
    }
}

struct Demo {
    folder: PathBuf,
    speed: Speed,
    contract: mir::Contract,
    clock: Script,
}

impl Demo {
    fn new(folder: PathBuf, speed: Speed, contract: mir::Contract) -> io::Result<Self> {
        let demo = Self { folder, speed, contract, clock: Script::default() };
        if demo.journal().exists() {
            let there = shown(&demo.journal());
            return Err(io::Error::other(format!("`{there}` is there already; give an empty folder")));
        }
        Ok(demo)
    }

    fn journal(&self) -> PathBuf {
        self.folder.join("records.jsonl")
    }

    fn play(&self, out: &mut Stream<'_>) -> io::Result<Exit> {
        writeln!(out, "An agent works on records. Its contract, records.yaml, has two rules:\n")?;
        for rule in &self.contract.rules {
            writeln!(out, "  {:<24}{}", rule.id, rule.says)?;
        }
        writeln!(out, "\nThe agent is scripted: no model, no network. Files are in {}\n", shown(&self.folder))?;
        self.act(out)?;
        self.examine(out)
    }

    /// The session.
    fn act(&self, out: &mut Stream<'_>) -> io::Result<()> {
        fs::write(self.folder.join("records.yaml"), CONTRACT)?;
        let key = SigningKey::from_bytes(&KEY);
        key.write_new(&self.folder.join("records.key")).map_err(io::Error::other)?;
        fs::write(self.folder.join("records.pub"), key.public().to_pem().map_err(io::Error::other)?)?;
        let journal = Journal::at(self.journal())
            .key(key)
            .secret(Secret::from_bytes(&[42; 32]))
            .id(Hex([0xde, 0x30, 0, 0, 0, 0, 0, 1]))
            .clock(self.clock.clone())
            .capture_content()
            .create()
            .map_err(io::Error::other)?;
        let monitor = Interpreted::new(self.contract.clone()).monitor();
        let session = Session::builder(monitor)
            .journal(journal.clone())
            .clock(self.clock.clone())
            .agent("record-keeper", "1.0")
            .id("demo")
            .start()
            .map_err(io::Error::other)?;
        for step in steps() {
            self.step(&session, &step, out)?;
        }
        self.heading("It ends.", out)?;
        let summary = session.end();
        for (rule, verdict) in summary.verdicts.iter().filter(|(_, verdict)| *verdict == Verdict::Violated) {
            writeln!(out, "   {:<9}{rule}: what it owes was never done", verdict.as_str().to_uppercase())?;
        }
        writeln!(out)?;
        journal.close().map_err(io::Error::other)
    }

    fn step(&self, session: &Session<Interpreter>, step: &Step, out: &mut Stream<'_>) -> io::Result<()> {
        self.heading(step.title, out)?;
        self.clock.tick();
        let made = format!("{} {}", step.tool, step.args);
        match session.before(&Call::new(step.tool, &step.args)) {
            Ok(permit) => {
                self.clock.tick();
                let (word, outcome, answer) = match &step.answer {
                    Ok(value) => ("ran", Outcome::ok(value), value.to_string()),
                    Err(why) => ("FAILED", Outcome::failed(&serde_json::Value::Null), (*why).to_owned()),
                };
                writeln!(out, "   {word:<9}{made} -> {answer}\n")?;
                session.after(permit, outcome).map_err(io::Error::other)?;
            }
            Err(refusal) => {
                writeln!(out, "   BLOCKED  {made}")?;
                for line in refusal.text().lines() {
                    wrapped(line).iter().try_for_each(|line| writeln!(out, "            {line}"))?;
                }
                writeln!(out)?;
            }
        }
        Ok(())
    }

    /// What is left of the session.
    fn examine(&self, out: &mut Stream<'_>) -> io::Result<Exit> {
        let journal = self.journal();
        self.heading("All of it is in the journal, signed.", out)?;
        let mut exit = if self.verify(&journal, out)? { Exit::Fine } else { Exit::Fails };

        self.heading("In a copy, somebody changes one byte: which record it was about.", out)?;
        let copy = self.tamper()?;
        exit.worsen(if self.verify(&copy, out)? { Exit::Fails } else { Exit::Fine });
        Ok(exit)
    }

    /// What `verify` says of a journal. Returns whether it holds.
    fn verify(&self, journal: &Path, out: &mut Stream<'_>) -> io::Result<bool> {
        let key = shown(&self.folder.join("records.pub"));
        self.command(&format!("verify {} --trust {key}", shown(journal)), out)?;
        let trust = vec![SigningKey::from_bytes(&KEY).public()];
        let options = verify::Options { trust, ..verify::Options::default() };
        let report = verify::verify(journal, &options).map_err(io::Error::other)?;
        let mut said = Vec::new();
        super::verify::human(&report, &mut said)?;
        String::from_utf8_lossy(&said).lines().try_for_each(|line| writeln!(out, "   {line}"))?;
        writeln!(out)?;
        Ok(report.holds())
    }

    /// The page for an auditor.
    fn report(&self, console: &mut Console<'_>) -> io::Result<Exit> {
        self.heading("One page for an auditor.", &mut console.out)?;
        let (journal, output) = (self.journal(), self.folder.join("records.html"));
        let key = shown(&self.folder.join("records.pub"));
        let arguments = format!("report {} --trust {key} -o {}", shown(&journal), shown(&output));
        self.command(&arguments, &mut console.out)?;
        let args = args::Report {
            journal,
            output,
            trust: vec![SigningKey::from_bytes(&KEY).public()],
            checkpoint: None,
            as_name: None,
            records: 1000,
            format: Format::Human,
        };
        let exit = super::report::run(&args, console)?;
        writeln!(console.out)?;
        Ok(exit)
    }

    /// What to try next.
    fn pointers(&self, out: &mut Stream<'_>) -> io::Result<()> {
        let journal = self.journal();
        self.heading("Look into it:", out)?;
        for command in ["show", "why", "replay"] {
            let arguments = match command {
                "why" => format!("why {} 4", shown(&journal)),
                "replay" => format!("replay {} {}", shown(&self.folder.join("records.yaml")), shown(&journal)),
                command => format!("{command} {}", shown(&journal)),
            };
            self.command(&arguments, out)?;
        }
        Ok(())
    }

    /// A copy of the journal in which one byte is another.
    fn tamper(&self) -> io::Result<PathBuf> {
        let folder = self.folder.join("tampered");
        fs::create_dir_all(&folder)?;
        let copy = folder.join("records.jsonl");
        let text = fs::read_to_string(self.journal())?;
        fs::write(&copy, text.replacen("\"record\\\":\\\"r7", "\"record\\\":\\\"r8", 1))?;
        Ok(copy)
    }

    fn heading(&self, title: &str, out: &mut Stream<'_>) -> io::Result<()> {
        out.flush()?;
        if self.speed == Speed::Slow {
            thread::sleep(std::time::Duration::from_millis(1200));
        }
        writeln!(out, "-- {title}")
    }

    fn command(&self, arguments: &str, out: &mut Stream<'_>) -> io::Result<()> {
        writeln!(out, "   $ interlock {arguments}")
    }
}

/// A text in lines that are not too long.
fn wrapped(text: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let long = lines.last().is_some_and(|line| line.chars().count().saturating_add(word.chars().count()) >= WIDTH);
        if long {
            lines.push("  ".to_owned());
        }
        if let Some(line) = lines.last_mut() {
            if !line.is_empty() && !line.ends_with(' ') {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines
}
