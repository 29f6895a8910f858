//! What retiring instances may cost, and what it must not: held against the reference, which keeps the whole trace.
//!
//! An engine that retires says *not established* where the reference still knows. It never calls fine what is violated, and never
//! calls violated what is fine.

use contract_lang::mir::Contract;
use contract_runtime::{Decision, Finding, Monitor, RefusalKind, Verdict, WhenFull};

use crate::differential::{Answer, Host, informed, of_session};
use crate::generate::Step;
use crate::reference;

/// Whether some rule of the contract retires instances.
pub(crate) fn retires(contract: &Contract) -> bool {
    contract.rules.iter().filter_map(|rule| rule.per.as_ref()).any(contract_lang::mir::Keyed::retires)
}

/// Runs a trace through a session, and what it admits through the reference, as if no rule had a bound. Before each step it asks
/// `between`.
///
/// # Errors
/// The first step at which something was forgiven, or held against the agent without ground; what `between` says.
pub(crate) fn run<M: Monitor>(
    contract: &Contract,
    mut host: Host<M>,
    trace: &[Step],
    mut between: impl FnMut(usize, &mut Host<M>) -> Result<(), String>,
) -> Result<(), String> {
    let whole = boundless(contract);
    let mut reference = informed(&whole, trace);
    for (number, step) in trace.iter().enumerate() {
        between(number, &mut host).map_err(|what| format!("before step {number}: {what}"))?;
        let at = |what: &str| format!("step {number}, {what}: {step:?}");
        let answer = host.take(step);
        match step {
            Step::Context(_) => continue,
            Step::Call(call) => {
                let mut ahead = reference.clone();
                let theirs = ahead.call(call);
                match (&answer, theirs.admitted) {
                    (Answer::Runs { .. }, true) => reference = ahead,
                    // It runs because its rule says what becomes of calls that are not established.
                    (Answer::Runs { findings, .. }, false) => {
                        let known = host.said(findings);
                        let doubted =
                            |rule: &str| known.iter().any(|said| said.0 == rule && said.1 >= Verdict::Unestablished);
                        let stops = theirs.findings.iter().filter(|found| found.action >= Decision::Ask);
                        return match stops.into_iter().find(|found| !doubted(&found.rule)) {
                            None => Ok(()),
                            Some(found) => Err(at(&format!("forgiven\n  there: {found:?}\n  here: {known:?}"))),
                        };
                    }
                    (Answer::Stopped { .. }, false) => reference = ahead,
                    (Answer::Stopped { findings, .. }, true) => certain(&at, findings)?,
                    (other, _) => return Err(at(&format!("no decision but {other:?}"))),
                }
            }
            // What is no longer known to the host was lost with its session.
            Step::Approve { .. } if matches!(answer, Answer::Nothing) => continue,
            Step::Approve { id, at: time } => match (&answer, reference.approve(id, *time)) {
                (Answer::Stopped { kind: RefusalKind::ApprovalExpired, .. }, None) => {}
                (Answer::Runs { .. }, Some(theirs)) if theirs.admitted => {}
                // From here on they speak of different sessions.
                _ => return Ok(()),
            },
            Step::Result { id, status, value, at: time } => {
                let status = status.unwrap_or(reference::Status::Ok);
                let theirs = reference.result(id, status, Some(value), *time);
                let ours = match &answer {
                    Answer::Settled { status, .. } => Some(of_session(*status)),
                    _ => None,
                };
                let theirs = theirs.map(|settled| settled.status);
                if ours != theirs {
                    return Err(at(&format!("status\n  here: {ours:?}\n  there: {theirs:?}")));
                }
            }
            Step::Event { name, value, at: time } => drop(reference.event(name, value, *time)),
            Step::Advance { at: time } => drop(reference.advance(*time)),
            Step::End => {
                let Answer::Ended(summary) = &answer else { return Err(at("no end")) };
                return sound(&at, &summary.verdicts, &reference.end().1);
            }
        }
        sound(&at, &host.session.verdicts(), &reference.verdicts())?;
    }
    Ok(())
}

/// The contract with room for every key.
fn boundless(contract: &Contract) -> Contract {
    let mut whole = contract.clone();
    for keyed in whole.rules.iter_mut().filter_map(|rule| rule.per.as_mut()).filter(|keyed| keyed.retires()) {
        (keyed.max, keyed.when_full, keyed.idle) = (10_000_000, WhenFull::Block, None);
    }
    whole
}

/// A call that would run if nothing had been retired is stopped only by rules that do not know.
fn certain(at: &dyn Fn(&str) -> String, findings: &[Finding]) -> Result<(), String> {
    match findings.iter().find(|found| found.action >= Decision::Ask && found.verdict != Verdict::Unestablished) {
        None => Ok(()),
        Some(found) => Err(at(&format!("stopped without ground: {found:?}"))),
    }
}

fn sound(at: &dyn Fn(&str) -> String, ours: &[(String, Verdict)], theirs: &[(String, Verdict)]) -> Result<(), String> {
    use Verdict::{Unestablished, Violated};
    for ((rule, ours), (_, theirs)) in ours.iter().zip(theirs) {
        match (*ours, *theirs) {
            (Violated, Violated) | (Unestablished, _) => {}
            (Violated, _) => return Err(at(&format!("`{rule}` is violated without ground; it is {theirs:?}"))),
            (_, Violated) => return Err(at(&format!("`{rule}` is {ours:?}; a violation is forgiven"))),
            _ => {}
        }
    }
    Ok(())
}
