//! `interlock doctor`: whether a forbidden call is blocked on the way that a client is configured to go.
//!
//! INVARIANT: nothing is called that a server could have. A canary is a call that the contract blocks, of a tool whose name was made
//! up, or that the server does not list; so a way without a guard does no harm, and is found out.

mod canary;
mod checkup;
mod way;

use std::io::{self, Write as _};
use std::time::Duration;

use contract_lang::diagnostic::render;
use serde::Serialize;

use self::way::{Named, Way};
use crate::args::{self, Format};
use crate::output::{Console, Exit};

/// What came of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Status {
    Ok,
    Failed,
    NotChecked,
}

/// A check, and what came of it.
#[derive(Debug, Serialize)]
struct Checked {
    #[serde(skip_serializing_if = "Option::is_none")]
    server: Option<String>,
    check: &'static str,
    status: Status,
    says: String,
}

/// What was checked so far.
#[derive(Debug, Default)]
struct Findings {
    server: Option<String>,
    all: Vec<Checked>,
    /// Whether the guard was seen to block the canary.
    proved: bool,
}

impl Findings {
    fn ok(&mut self, check: &'static str, says: impl Into<String>) {
        self.push(check, Status::Ok, says.into());
    }

    fn failed(&mut self, check: &'static str, says: impl Into<String>) {
        self.push(check, Status::Failed, says.into());
    }

    fn not_checked(&mut self, check: &'static str, says: impl Into<String>) {
        self.push(check, Status::NotChecked, says.into());
    }

    fn push(&mut self, check: &'static str, status: Status, says: String) {
        self.all.push(Checked { server: self.server.clone(), check, status, says });
    }

    fn holds(&self) -> bool {
        self.proved && self.all.iter().all(|checked| checked.status != Status::Failed)
    }
}

pub(super) fn run(args: &args::Doctor, console: &mut Console<'_>) -> io::Result<Exit> {
    let ways: Vec<(Option<String>, Result<Way, String>)> = match &args.config {
        None => vec![(None, Ok(Way::new(&args.command)))],
        Some(path) => match way::configured(path, &args.servers) {
            Ok(ways) => ways.into_iter().map(|(name, way): Named| (Some(name), way)).collect(),
            Err(why) => {
                writeln!(console.err, "error: {}", why.lines().map(render::escape).collect::<Vec<_>>().join("\n"))?;
                return Ok(Exit::Unusable);
            }
        },
    };
    let mut exit = Exit::Fine;
    for (server, way) in ways {
        let mut findings = Findings { server, ..Findings::default() };
        match way {
            Ok(way) => checkup::examine(&way, Duration::from_secs(args.timeout), &mut findings),
            Err(why) => findings.not_checked("path", why),
        }
        if !findings.holds() {
            exit.worsen(Exit::Fails);
        }
        match args.format {
            Format::Json => findings.all.iter().try_for_each(|checked| console.out.json(checked))?,
            Format::Human => print(&findings, console)?,
        }
        console.out.flush()?;
    }
    Ok(exit)
}

fn print(findings: &Findings, console: &mut Console<'_>) -> io::Result<()> {
    if let Some(server) = &findings.server {
        writeln!(console.out, "{}", render::escape(server))?;
    }
    for Checked { check, status, says, .. } in &findings.all {
        let status = match status {
            Status::Ok => "ok",
            Status::Failed => "FAILED",
            Status::NotChecked => "not checked",
        };
        writeln!(console.out, "{status:<12}{check:<10}{}", render::escape(says))?;
    }
    let proved = match (findings.holds(), findings.proved) {
        (true, _) => "a forbidden call is blocked",
        (false, true) => "a forbidden call is blocked, but see what failed",
        (false, false) => "NOT PROVED: nothing shows that a forbidden call is blocked",
    };
    writeln!(console.out, "{proved}")
}
