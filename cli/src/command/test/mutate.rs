//! `interlock test --mutate`: whether the tests notice small changes of the contract.

use std::io::{self, Write as _};

use contract_lang::analysis::diff::{self, Answer, Limits};
use contract_lang::diagnostic::render;
use contract_lang::interpret::Interpreted;
use contract_lang::testing;
use contract_lang::testing::mutate::{Mutant, Mutants, mutants};
use contract_lang::trace::Line;
use serde_json::{Value, json};

use super::Suite;
use crate::args::{self, Format};
use crate::output::{Console, Exit, some};

/// How long is looked for a session that tells a mutant from the contract: there may be many mutants.
const LIMITS: Limits = Limits { steps: 5_000, changes: 1 };

/// What became of a mutant.
enum Fate {
    /// A test fails on it.
    Killed(String),
    /// It decides what the contract decides.
    Equal,
    /// No test fails. A session on which the two differ, if one is known.
    Survived(Option<Vec<Line>>),
}

/// How many mutants there were.
#[derive(Default)]
pub(super) struct Tally {
    killed: u64,
    equal: u64,
    survived: u64,
}

fn bump(count: &mut u64) {
    *count = count.saturating_add(1);
}

/// Tries all mutants of a contract.
pub(super) fn run(suite: &Suite, args: &args::Test, tally: &mut Tally, console: &mut Console<'_>) -> io::Result<Exit> {
    let operators = args.operators();
    let Mutants { mutants, cut } =
        mutants(suite.form, suite.source.name(), suite.source.text().as_bytes(), &suite.catalogs, &operators);
    let mut exit = Exit::Fine;
    for mutant in &mutants {
        let fate = fate(suite, mutant);
        match &fate {
            Fate::Killed(_) => bump(&mut tally.killed),
            Fate::Equal => bump(&mut tally.equal),
            Fate::Survived(_) => {
                bump(&mut tally.survived);
                exit = Exit::Fails;
            }
        }
        match args.format {
            Format::Human => show(suite, mutant, &fate, console)?,
            Format::Json => console.out.json(&line(suite, mutant, &fate))?,
        }
    }
    if cut {
        let most = testing::mutate::MOST;
        writeln!(console.err, "note: `{}` has more than {most} changes; the rest was not tried", suite.name)?;
    }
    Ok(exit)
}

fn fate(suite: &Suite, mutant: &Mutant) -> Fate {
    let changed = Interpreted::new(mutant.contract.clone());
    let fails = |test: &&super::Test| !testing::run(&changed, &test.case, &test.lines).failures.is_empty();
    if let Some(test) = suite.tests.iter().find(fails) {
        return Fate::Killed(test.case.name.clone());
    }
    let original = suite.contract.contract();
    if diff::proved_equal(original, &mutant.contract) {
        return Fate::Equal;
    }
    let difference = diff::diff(original, &mutant.contract, &LIMITS);
    match difference.answer {
        Answer::Equal => Fate::Equal,
        Answer::Different | Answer::Inconclusive => {
            Fate::Survived(difference.changes().next().map(|change| change.session.clone()))
        }
    }
}

fn place(suite: &Suite, mutant: &Mutant) -> u32 {
    suite.source.position(mutant.span.start).line
}

/// Shows a mutant that survived.
fn show(suite: &Suite, mutant: &Mutant, fate: &Fate, console: &mut Console<'_>) -> io::Result<()> {
    let Fate::Survived(session) = fate else { return Ok(()) };
    let (line, operator) = (place(suite, mutant), mutant.operator.as_str());
    writeln!(console.out, "survived  {}:{line}: {operator}", suite.name)?;
    for old in &mutant.change.old {
        writeln!(console.out, "          - {}", render::escape(old))?;
    }
    for new in &mutant.change.new {
        writeln!(console.out, "          + {}", render::escape(new))?;
    }
    let Some(session) = session else {
        return writeln!(console.out, "          not proved equal, and no session was found that tells the two apart");
    };
    writeln!(console.out, "          a session that tells the two apart:")?;
    session
        .iter()
        .try_for_each(|line| writeln!(console.out, "          {}", crate::output::inert(&line.encode().to_string())))
}

fn line(suite: &Suite, mutant: &Mutant, fate: &Fate) -> Value {
    let (outcome, by, session) = match fate {
        Fate::Killed(test) => ("killed", Some(test), None),
        Fate::Equal => ("equal", None, None),
        Fate::Survived(session) => ("survived", None, session.as_ref()),
    };
    let mut object = json!({
        "file": suite.name, "line": place(suite, mutant), "operator": mutant.operator.as_str(), "outcome": outcome,
        "old": mutant.change.old, "new": mutant.change.new,
    });
    if let Some(fields) = object.as_object_mut() {
        fields.extend(by.map(|by| ("by".to_owned(), by.as_str().into())));
        let session = session.map(|lines| lines.iter().map(Line::encode).collect::<Vec<_>>());
        fields.extend(session.map(|session| ("session".to_owned(), session.into())));
    }
    object
}

/// The last line.
pub(super) fn summary(tally: &Tally, format: Format, console: &mut Console<'_>) -> io::Result<()> {
    let Tally { killed, equal, survived } = tally;
    let all = killed.saturating_add(*equal).saturating_add(*survived);
    match format {
        Format::Human => writeln!(
            console.out,
            "{}: {killed} noticed, {equal} proved to change nothing, {survived} survived",
            some(all, "change")
        ),
        Format::Json => console
            .out
            .json(&json!({ "summary": true, "mutants": all, "killed": killed, "equal": equal, "survived": survived })),
    }
}
