//! What lint claims of random contracts, no session refutes.
//!
//! `INTERLOCK_PAIRS` is how many pairs of contract and trace are tried, `INTERLOCK_SEED` the first seed. Each contract is checked once and
//! plays many traces, so that a claim about every session meets many.

#![expect(clippy::unwrap_used, reason = "test code: what goes wrong fails the test")]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use contract_lang::analysis::diff::proved_equal;
use contract_lang::analysis::search::replays;
use contract_lang::diagnostic::{Certainty, Code, Diagnostic};
use contract_lang::interpret::Interpreted;
use contract_lang::mir::{Contract, Kind};
use contract_lang::replay::{Player, Stage, Step};
use contract_lang::trace::Line;
use contract_lang::{Checked, Depth, Options, check};
use contract_runtime::{Decision, Finding, Subject, Verdict};
use interlock_tests::generate::{self, Seed};

/// Traces of one contract.
const TRACES: u64 = 40;

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok().and_then(|text| text.parse().ok())
}

fn checked(text: &str, depth: Depth) -> Checked {
    check("random.yaml", text.as_bytes(), &Options { depth, ..Options::default() })
}

/// What came of a call.
#[derive(Clone, Debug, PartialEq)]
struct Call {
    tool: String,
    /// `Allow` where it is only reported.
    decision: Decision,
    runs: bool,
}

/// What came of a trace.
#[derive(Default)]
struct Played {
    calls: Vec<Call>,
    /// Rules that found something violated, by index.
    violated: BTreeSet<u16>,
    /// Rules that could not be evaluated on some call, by index.
    unestablished: BTreeSet<u16>,
    end: BTreeMap<String, Verdict>,
}

impl Played {
    fn of(contract: &Interpreted, trace: &[Line]) -> Self {
        let mut player = Player::new(Stage::new(contract));
        let (mut played, mut steps) = (Self::default(), Vec::new());
        for (number, line) in (1..).zip(trace) {
            // Calls of one id while it is in flight, and the like, are no sessions.
            let _ = player.play(number, line.clone(), &mut steps);
        }
        for step in steps {
            match step {
                Step::Decided(call, decided) => {
                    played.note(&decided.findings);
                    let decision = if decided.decision >= Decision::Ask { decided.decision } else { Decision::Allow };
                    played.calls.push(Call { tool: call.tool, decision, runs: decided.runs });
                }
                Step::Came(came) => played.note(&came.findings),
                Step::Happened { findings, .. } => played.note(&findings),
                Step::Ended(came, summary) => {
                    came.iter().for_each(|came| played.note(&came.findings));
                    played.note(&summary.findings);
                    played.end = summary.verdicts.into_iter().collect();
                }
                Step::Began | Step::Backwards { .. } => {}
            }
        }
        played
    }

    fn note(&mut self, findings: &[Finding]) {
        for finding in findings {
            let Subject::Rule(rule) = finding.subject else { continue };
            match finding.verdict {
                Verdict::Violated => self.violated.insert(rule),
                Verdict::Unestablished => self.unestablished.insert(rule),
                _ => false,
            };
        }
    }
}

/// The names that a message has in backticks.
fn names(message: &str) -> Vec<&str> {
    message.split('`').skip(1).step_by(2).collect()
}

/// The contract without a rule.
fn without(text: &str, rule: &str) -> Option<Interpreted> {
    let mut out = String::new();
    let mut skipped = false;
    for line in text.lines() {
        skipped = match line.strip_prefix("  - id: ") {
            Some(id) => id == rule,
            None => skipped && line.starts_with("    "),
        };
        if !skipped {
            writeln!(out, "{line}").unwrap();
        }
    }
    checked(&out, Depth::Build).contract.map(Interpreted::new)
}

/// A claim, and how a trace would refute it.
enum Claim {
    /// This rule, by index, finds nothing violated.
    NeverViolated(u16),
    /// This rule is violated when a session has ended.
    NeverSatisfied(String),
    /// One of these rules is.
    NotAllKept(Vec<String>),
    /// No call of this tool runs.
    Dead(String),
    /// This contract decides alike.
    Alike(Box<Interpreted>),
    /// This rule, by index, is established for every call.
    Established(u16),
}

impl Claim {
    fn is_refuted(&self, trace: &[Line], played: &Played) -> bool {
        let violated = |rule: &String| played.end.get(rule).is_none_or(|verdict| *verdict == Verdict::Violated);
        match self {
            Self::NeverViolated(rule) => played.violated.contains(rule),
            Self::NeverSatisfied(rule) => !violated(rule),
            Self::NotAllKept(rules) => !rules.iter().any(violated),
            Self::Dead(tool) => played.calls.iter().any(|call| call.runs && call.tool == *tool),
            Self::Alike(other) => Played::of(other, trace).calls != played.calls,
            Self::Established(rule) => played.unestablished.contains(rule),
        }
    }

    /// The claims that are proved of a contract, each with the finding that makes it.
    fn of_finding(found: &Diagnostic, contract: &Contract, text: &str) -> Vec<Self> {
        if found.certainty.is_some_and(|certainty| certainty != Certainty::Proved) {
            return Vec::new();
        }
        let index = found.rule.as_ref().and_then(|id| contract.rules.iter().position(|rule| rule.id == *id));
        let number = index.and_then(|index| u16::try_from(index).ok());
        let rule = index.and_then(|index| contract.rules.get(index));
        let one = match (found.code, &found.rule, number) {
            (Code::NeverViolated, _, Some(rule)) => Some(Self::NeverViolated(rule)),
            (Code::NeverSatisfied, Some(rule), _) => Some(Self::NeverSatisfied(rule.clone())),
            (Code::Contradiction, ..) if found.message.starts_with("no session") => {
                let rules =
                    names(&found.message).into_iter().filter(|name| contract.rules.iter().any(|rule| rule.id == *name));
                Some(Self::NotAllKept(rules.map(str::to_owned).collect()))
            }
            (Code::DeadTool, ..) => names(&found.message).first().map(|tool| Self::Dead((*tool).to_owned())),
            (Code::RedundantRule, Some(rule), _) => without(text, rule).map(|other| Self::Alike(Box::new(other))),
            _ => None,
        };
        let mut claims: Vec<_> = one.into_iter().collect();
        // A rule of one clause, which is the predicate, and says so.
        if let (Code::ConstantPredicate, Some(number), Some(Kind::Require { clauses, .. })) =
            (found.code, number, rule.map(|rule| &rule.kind))
            && clauses.len() == 1
            && found.message.starts_with("`")
            && rule.is_some_and(|rule| {
                rule.patterns().iter().all(|pattern| pattern.alternatives.iter().all(|one| one.condition.is_none()))
            })
        {
            let says = |word: &str| found.message.ends_with(word);
            if says("always true") || says("never false") || says("never established") {
                claims.push(Self::NeverViolated(number));
            }
            if says("always true") || says("always false") {
                claims.push(Self::Established(number));
            }
        }
        claims
    }
}

/// Changes that mostly make another contract, and sometimes none.
const EDITS: &[(&str, &str)] = &[
    ("n: 1", "n: 2"),
    ("n: 2", "n: 1"),
    ("args.n > 1", "args.n >= 1"),
    ("args.n > 1", "1 < args.n"),
    ("ok(", "done("),
    ("call(", "done("),
    ("unless:", "where:"),
    ("action: ask", "action: block"),
    ("    mode: shadow\n", ""),
    ("    per: args.k\n", ""),
    ("default: allow", "default: ask"),
    (" == \"soft\"", " in [\"soft\"]"),
    ("bind:", "set:"),
    ("cannot_follow_without: { call: ", "must_precede: { then: "),
    ("without: ", "first: "),
    ("effect: write", "effect: irreversible"),
];

/// Another version of the contract that is proved to decide alike.
fn equal_version(seed: &mut Seed, text: &str, contract: &Contract) -> Option<Interpreted> {
    let (old, new) = seed.pick(EDITS);
    let edited = text.replacen(old, new, 1);
    let edited = if new == "must_precede: { then: " { edited.replacen("without: ", "first: ", 1) } else { edited };
    let other = (edited != text).then(|| checked(&edited, Depth::Build).contract).flatten()?;
    proved_equal(contract, &other).then(|| Interpreted::new(other))
}

#[test]
fn no_random_session_refutes_what_is_claimed() {
    let pairs = number("INTERLOCK_PAIRS").unwrap_or(if cfg!(debug_assertions) { 2_000 } else { 100_000 });
    let first = number("INTERLOCK_SEED").unwrap_or(0);
    let mut claimed: BTreeMap<&str, u64> = BTreeMap::new();
    let mut refuted = Vec::new();
    let (mut played, mut shown) = (0, 0);
    for number in first.. {
        if played >= pairs {
            break;
        }
        let mut seed = Seed::new(number);
        let text = if number % 3 == 0 { generate::contract(&mut seed) } else { generate::small(&mut seed) };
        let checked = checked(&text, Depth::Lint);
        let Some(contract) = checked.contract.or(checked.runnable) else { continue };
        let interpreted = Interpreted::new(contract.clone());
        let mut claims = Vec::new();
        for found in &checked.diagnostics {
            if let Some(witness) = &found.witness {
                shown += 1;
                assert!(replays(&interpreted, witness), "seed {number}: {}: {witness:?}\n{text}", found.message);
            }
            let here = Claim::of_finding(found, &contract, &text);
            claims.extend(here.into_iter().map(|claim| (found.code.as_str(), found.message.clone(), claim)));
        }
        if let Some(other) = equal_version(&mut seed, &text, &contract) {
            claims.push(("equal", "proved equal".to_owned(), Claim::Alike(Box::new(other))));
        }
        claims.iter().for_each(|(code, ..)| *claimed.entry(code).or_default() += 1);
        for _ in 0..TRACES {
            let steps = generate::trace(&mut seed, 24);
            let lines = generate::print("s", &steps);
            let lines = lines.lines().map(|line| serde_json::from_str(line).unwrap());
            // People who approve later and time that goes by are no lines of traces.
            let trace: Vec<Line> = lines.filter_map(|line| Line::decode(line).ok()).collect();
            played += 1;
            if claims.is_empty() {
                continue;
            }
            let came = Played::of(&interpreted, &trace);
            claims.retain(|(code, message, claim)| {
                let is_refuted = claim.is_refuted(&trace, &came);
                if is_refuted {
                    let lines: String = trace.iter().map(|line| format!("{}\n", line.encode())).collect();
                    refuted.push(format!("seed {number}: {code}: {message}\n{text}{lines}"));
                }
                !is_refuted
            });
        }
    }
    println!("seeds from {first}: {played} pairs, {shown} sessions of findings replayed, claims {claimed:?}");
    let some: Vec<_> = refuted.iter().take(3).map(String::as_str).collect();
    assert!(refuted.is_empty(), "{} claims were refuted, such as\n{}", refuted.len(), some.join("\n"));
}
