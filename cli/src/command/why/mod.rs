//! `interlock why`: why a call was decided as it was.
//!
//! Two passes over the journal: the first finds the record, the second all that belongs to it, and plays its session until then
//! where the journal captured content.

mod explanation;
mod human;
mod states;

use std::collections::BTreeMap;
use std::io::{self, Write as _};

use contract_lang::interpret::Interpreted;
use contract_lang::recall;
use contract_runtime::journal::record::{Body, Decided, Hash, NO_HASH, SessionStart};
use contract_runtime::journal::{Record, Records};
use contract_runtime::{Finding, Seed, Subject, message};

use self::explanation::{AnswerObject, Explanation, FindingObject, OutcomeObject, Replayed, Used, findings};
use super::replay::journal::{Player, Stage, Step};
use super::{contract, shown};
use crate::args::{self, Format};
use crate::evidence::badge;
use crate::output::{Console, Exit};

/// The most bytes of contracts that are kept until it is known which one was in force.
const MOST_SOURCES: usize = 32 << 20;

pub(super) fn run(args: &args::Why, console: &mut Console<'_>) -> io::Result<Exit> {
    let told = match badge::check(&args.journal) {
        Ok(report) => explain(args, console)?.map(|told| (report, told)),
        Err(why) => Err(why),
    };
    let (report, mut told) = match told {
        Ok(told) => told,
        Err(why) => {
            writeln!(console.err, "error: {why}")?;
            return Ok(Exit::Unusable);
        }
    };
    match args.format {
        Format::Human => {
            badge::print(&report, &mut console.out)?;
            human::print(&told, &mut console.out)?;
        }
        Format::Json => {
            told.verification = report.to_json();
            console.out.json(&told)?;
        }
    }
    Ok(badge::exit(&report))
}

/// The explanation, or what is wrong.
fn explain(args: &args::Why, console: &mut Console<'_>) -> io::Result<Result<Explanation, String>> {
    let given = match &args.contract {
        None => None,
        Some(path) => match contract(path, console)? {
            Some(contract) => Some((contract, shown(path))),
            None => return Ok(Err(format!("the contract `{}` cannot be used", shown(path)))),
        },
    };
    let found = match find(args) {
        Ok(found) => found,
        Err(why) => return Ok(Err(why)),
    };
    Ok(Case::collect(args, found, given).map(Case::told))
}

/// The record that is asked about; for the outcome of a call, that of its decision.
fn find(args: &args::Why) -> Result<Record, String> {
    let unreadable = |error: io::Error| format!("cannot read the journal `{}`: {error}", shown(&args.journal));
    let at = |seq: u64| -> Result<Record, String> {
        let mut last = None;
        for entry in Records::open(&args.journal).map_err(unreadable)? {
            let Ok(record) = entry.map_err(unreadable)?.record else { continue };
            if record.head.seq == seq {
                return Ok(record);
            }
            last = last.max(Some(record.head.seq));
        }
        let last = last.map_or_else(|| "there are none".to_owned(), |last| format!("the last is {last}"));
        Err(format!("the journal `{}` has no record {seq} that can be read; {last}", shown(&args.journal)))
    };
    let record = at(args.seq)?;
    match &record.body {
        Body::Outcome(outcome) => outcome.decision.map_or(Ok(record.clone()), at),
        _ => Ok(record),
    }
}

/// All that belongs to a record.
struct Case {
    record: Record,
    start: Option<SessionStart<'static>>,
    used: Option<Used>,
    /// Why the contract cannot be told, or the session not played.
    unknown: Vec<String>,
    outcome: Option<Record>,
    answers: Vec<AnswerObject>,
    played: Option<Played>,
}

/// What the replay of a call came to.
struct Played {
    decision: Replayed,
    findings: Vec<Finding>,
    before: Vec<(String, contract_runtime::Verdict)>,
    after: Vec<(String, contract_runtime::Verdict)>,
}

impl Case {
    /// Reads the journal until nothing more of the record can come.
    fn collect(
        args: &args::Why,
        record: Record,
        given: Option<(contract_lang::mir::Contract, String)>,
    ) -> Result<Self, String> {
        let unreadable = |error: io::Error| format!("cannot read the journal `{}`: {error}", shown(&args.journal));
        let mut case = Self {
            start: None,
            used: None,
            unknown: Vec::new(),
            outcome: None,
            answers: Vec::new(),
            played: None,
            record,
        };
        let Some(session) = case.record.head.session.clone() else { return Ok(case) };
        let target = case.record.head.seq;
        case.begin(args, &session, given)?;
        let interpreted = case.used.as_ref().map(|used| Interpreted::new(used.contract.clone()));
        let checked = case.used.as_ref().map(|used| used.contract.clone());
        let mut player = match (&interpreted, &checked, case.plays()) {
            (Some(contract), Some(checked), true) => {
                let digest = case.start.as_ref().map_or(NO_HASH, |start| start.contract.sha256);
                let seed = Seed([0; 16]);
                Some(Player::new(Stage { contract, checked, digest, mode: None, on_error: None, seed }))
            }
            _ => None,
        };
        for entry in Records::open(&args.journal).map_err(unreadable)? {
            let entry = entry.map_err(unreadable)?;
            let Ok(record) = entry.record else {
                player.iter_mut().for_each(Player::miss);
                continue;
            };
            let is_of_session = record.head.session.as_ref() == Some(&session);
            if !is_of_session && record.head.session.is_some() {
                continue;
            }
            let seq = record.head.seq;
            if seq <= target
                && let Some(player) = &mut player
            {
                let before = player.verdicts(&session);
                let step = player.play(&record);
                if seq == target {
                    case.take(step, before, player.verdicts(&session));
                }
            }
            if seq > target && is_of_session && case.follows(record) {
                break;
            }
        }
        Ok(case)
    }

    /// Finds the start of the session, and the contract that was in force.
    fn begin(
        &mut self,
        args: &args::Why,
        session: &str,
        given: Option<(contract_lang::mir::Contract, String)>,
    ) -> Result<(), String> {
        let unreadable = |error: io::Error| format!("cannot read the journal `{}`: {error}", shown(&args.journal));
        let mut sources: BTreeMap<Hash, String> = BTreeMap::new();
        let mut kept = 0_usize;
        for entry in Records::open(&args.journal).map_err(unreadable)? {
            let Ok(record) = entry.map_err(unreadable)?.record else { continue };
            if record.head.seq > self.record.head.seq {
                break;
            }
            match record.body {
                Body::Contract(contract) if kept.saturating_add(contract.source.len()) <= MOST_SOURCES => {
                    kept = kept.saturating_add(contract.source.len());
                    sources.insert(contract.sha256, contract.source.into_owned());
                }
                Body::SessionStart(start) if record.head.session.as_deref() == Some(session) => {
                    self.start = Some(start);
                }
                _ => {}
            }
        }
        let Some(start) = &self.start else {
            self.unknown.push("the start of the session, and so its contract: no record of it comes before".to_owned());
            return Ok(());
        };
        let sha256 = start.contract.sha256;
        if let Some((contract, from)) = given {
            let info = contract_lang::info::of(&contract);
            if Hash::parse(&info.digest()) != Some(sha256) {
                let other =
                    format!("`{from}` is another version of the contract than {sha256}, which the session used");
                return Err(other);
            }
            self.used = Some(Used { contract, info, had_catalog: false, from });
            return Ok(());
        }
        let recalled = sources.get(&sha256).and_then(|source| recall(source));
        let Some(recalled) = recalled else {
            self.unknown
                .push("the text of the contract: the journal does not hold it; give it with --contract".to_owned());
            return Ok(());
        };
        let info = contract_lang::info::of(&recalled.contract);
        if Hash::parse(&info.digest()) != Some(sha256) {
            let why = "the text of the contract: what the journal holds has another digest; give it with --contract";
            self.unknown.push(why.to_owned());
            return Ok(());
        }
        let had_catalog = recalled.had_catalog;
        self.used = Some(Used { contract: recalled.contract, info, had_catalog, from: "journal".to_owned() });
        Ok(())
    }

    /// Whether the session can be played until the record; if not, that is noted.
    fn plays(&mut self) -> bool {
        let (Body::Decided(call), Some(used)) = (&self.record.body, &self.used) else { return false };
        if call.args.text.is_none() {
            let why =
                "the arguments, and so the states of the rules that had nothing to say: the journal holds digests only";
            self.unknown.push(why.to_owned());
            return false;
        }
        if used.had_catalog && used.contract.undeclared.is_some() {
            self.unknown.push(
                "a replay: the contract names catalogs, which no journal holds; give it with --contract".to_owned(),
            );
            return false;
        }
        true
    }

    /// Takes what the replay says of the call.
    fn take(
        &mut self,
        step: Result<Step, String>,
        before: Vec<(String, contract_runtime::Verdict)>,
        after: Vec<(String, contract_runtime::Verdict)>,
    ) {
        let Body::Decided(Decided { decision, ran, .. }) = &self.record.body else { return };
        match step {
            Ok(Step::Decided(decided, _)) => {
                let agrees = decided.decision == *decision && decided.runs == *ran;
                let decision = Replayed { decision: decided.decision.as_str(), ran: decided.runs, agrees };
                self.played = Some(Played { decision, findings: decided.findings, before, after });
            }
            Ok(Step::Undecided(_, why)) => self.unknown.push(format!("what a replay would decide: {why}")),
            Ok(_) => {}
            Err(why) => self.unknown.push(format!("what a replay would decide: {why}")),
        }
    }

    /// Takes a later record of the session. Whether nothing more can come.
    fn follows(&mut self, record: Record) -> bool {
        let target = self.record.head.seq;
        match &record.body {
            Body::Outcome(outcome) if outcome.decision == Some(target) => {
                self.outcome = Some(record);
                true
            }
            Body::Approval(approval) if approval.request == Some(target) => {
                let by = approval.by.as_ref().map(ToString::to_string);
                self.answers.push(AnswerObject { seq: record.head.seq, answer: approval.answer.as_str(), by });
                true
            }
            Body::SessionEnd(_) => true,
            _ => false,
        }
    }

    /// All of it in words.
    fn told(self) -> Explanation {
        let Self { record, start, used, unknown, outcome, answers, played } = self;
        let mut told = Explanation::of(&record, start.as_ref(), used.as_ref());
        told.unknown = unknown;
        told.answers = answers;
        if let Some(outcome) = outcome
            && let Body::Outcome(body) = &outcome.body
        {
            told.outcome = Some(OutcomeObject {
                seq: outcome.head.seq,
                status: body.status.as_str(),
                shown: body.shown.as_str(),
                findings: findings(&body.findings, used.as_ref()),
            });
        } else if let Body::Decided(call) = &record.body
            && call.ran
        {
            told.unknown.push("how the call ended: no record of its outcome follows".to_owned());
        }
        if let (Some(played), Some(used)) = (played, &used) {
            tell(&mut told, played, used);
        }
        told
    }
}

/// Adds what the replay says.
fn tell(told: &mut Explanation, played: Played, used: &Used) {
    let Played { decision, findings, before, after } = played;
    for object in &mut told.findings {
        let of =
            |finding: &&Finding| finding.id(&used.info) == object.rule && finding.verdict.as_str() == object.verdict;
        if let Some(finding) = findings.iter().find(of) {
            fill(object, finding, used);
        }
    }
    for silent in told.silent.iter_mut().flatten() {
        let of = |verdicts: &[(String, contract_runtime::Verdict)]| {
            verdicts.iter().find(|(rule, _)| *rule == silent.rule).map(|(_, verdict)| verdict.as_str())
        };
        (silent.before, silent.after) = (of(&before), of(&after));
    }
    told.replay = Some(decision);
}

/// What only the replay knows of a finding: its key, and the author's words with their holes filled.
fn fill(object: &mut FindingObject, finding: &Finding, used: &Used) {
    if !finding.key.is_empty() {
        object.key = Some(finding.key.clone());
    }
    if let (Some(_), Subject::Rule(_)) = (&finding.message, finding.subject) {
        let said = message(&used.info, finding);
        let helps = object.helps.as_deref().map(|helps| format!(". What helps: {helps}")).unwrap_or_default();
        object.message = Some(said.strip_suffix(helps.as_str()).unwrap_or(&said).to_owned());
    }
}
