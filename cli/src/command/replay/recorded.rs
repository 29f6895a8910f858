//! Replays a journal, and says where what was decided then differs from what the contract decides now.

use std::io;
use std::path::Path;

use contract_lang::interpret::Interpreted;
use contract_lang::mir::Contract;
use contract_runtime::journal::record::{Body, Decided, Hash};
use contract_runtime::journal::{Entry, Flaw, Records};

use super::journal::{Player, Stage, Step};
use super::report::{Recorded, Reporter, Undecided};
use crate::args;
use crate::evidence::{badge, text};
use crate::output::Exit;

/// Whether a file is a journal: its first line is a record. What is no plain file is none, and is not looked into: what was read
/// from a pipe is gone.
pub(super) fn is_journal(path: &Path) -> bool {
    if !std::fs::metadata(path).is_ok_and(|found| found.is_file()) {
        return false;
    }
    let Ok(mut records) = Records::open(path) else { return false };
    let first = records.next().and_then(Result::ok);
    first.is_some_and(|entry| match entry.record {
        Ok(_) | Err(Flaw::Edited) => true,
        // What is wrong with it is for `verify` to say.
        Err(_) => {
            let line = records.current().map_or(&[][..], |reader| reader.raw());
            line.windows(GENESIS.len()).any(|part| part == GENESIS)
        }
    })
}

const GENESIS: &[u8] = b"\"kind\":\"genesis\"";

/// Plays all sessions of a journal.
pub(super) fn play(
    contract: &Interpreted,
    checked: &Contract,
    args: &args::Replay,
    path: &Path,
    mut reporter: Reporter<'_, '_>,
) -> io::Result<Exit> {
    let name = super::shown(path);
    reporter.of_journal();
    let digest = Hash::parse(&contract.info().digest()).unwrap_or(contract_runtime::journal::record::NO_HASH);
    let (mode, on_error, seed) = (args.mode, args.on_error(), args.seed);
    let mut player = Player::new(Stage { contract, checked, digest, mode, on_error, seed });
    let mut exit = match badge::check(path) {
        Ok(report) => {
            reporter.verified(&badge::sentence(&report))?;
            badge::exit(&report)
        }
        Err(why) => {
            reporter.verified(&format!("{name} cannot be verified: {why}"))?;
            Exit::Unusable
        }
    };
    let records = match Records::open(path) {
        Ok(records) => records,
        Err(error) => {
            reporter.unreadable(&name, &error)?;
            return Ok(Exit::Unusable);
        }
    };
    for entry in records {
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => {
                exit = Exit::Unusable;
                reporter.unreadable(&name, &error)?;
                break;
            }
        };
        exit.worsen(step(&mut player, &entry, &mut reporter)?);
    }
    for session in player.left() {
        if args.open {
            let Some(running) = player.session(&session) else { continue };
            let verdicts = player.verdicts(&session);
            reporter.left_open(&session, &verdicts, &running.blocked(), &running.retired())?;
        } else if let Some((came, summary)) = player.end(&session) {
            came.iter().try_for_each(|came| reporter.came(&session, came))?;
            reporter.ended(&session, &summary)?;
        }
    }
    Ok(exit)
}

fn step(player: &mut Player<'_>, entry: &Entry, reporter: &mut Reporter<'_, '_>) -> io::Result<Exit> {
    let file = || text::name(&entry.file.name());
    let record = match &entry.record {
        Ok(record) => record,
        // A line that a crash cut off was never acknowledged.
        Err(Flaw::Torn) => return Ok(Exit::Fine),
        Err(flaw) => {
            player.miss();
            reporter.flaw(&file(), entry.line, &flaw.to_string().into())?;
            return Ok(Exit::Unusable);
        }
    };
    let session = record.head.session.as_deref().unwrap_or_default();
    match player.play(record) {
        Err(why) => {
            reporter.flaw(&file(), entry.line, &why.into())?;
            return Ok(Exit::Unusable);
        }
        Ok(Step::Nothing) => {}
        Ok(Step::Began) => reporter.began(),
        Ok(Step::Decided(decided, call)) => {
            let then = recorded(&record.body).filter(|then| !then.agrees(&decided));
            reporter.decided(session, &call, &decided, then)?;
        }
        Ok(Step::Undecided(call, why)) => {
            let (index, then) = match &record.body {
                Body::Decided(decided) => (decided.call, recorded(&record.body)),
                _ => (0, None),
            };
            reporter.undecided(session, &call, Undecided { index, why: &why, then })?;
            return Ok(Exit::Unusable);
        }
        Ok(Step::Came(came)) => reporter.came(session, &came)?,
        Ok(Step::Happened(findings)) => {
            let event = if let Body::Event(event) = &record.body { event.name.as_ref() } else { "" };
            reporter.happened(session, event, &findings)?;
        }
        Ok(Step::Ended(came, summary)) => {
            came.iter().try_for_each(|came| reporter.came(session, came))?;
            reporter.ended(session, &summary)?;
        }
    }
    Ok(Exit::Fine)
}

/// What was decided then.
fn recorded(body: &Body<'_>) -> Option<Recorded> {
    match body {
        Body::Decided(Decided { decision, ran, .. }) => Some(Recorded { decision: *decision, ran: *ran }),
        _ => None,
    }
}
