//! Which events a pattern selects (language.md, "Patterns and phases").

use contract_lang::mir::{Alternative, Names, Pattern, Phases, Subject};

use super::event::{Moment, Status};
use super::expr::{Scope, reads_result};
use super::text::glob;
use super::value::Kleene;

/// Whether a tool is meant.
pub fn names(names: &Names, tool: &str, server: Option<&str>) -> bool {
    let served = match (&names.server, server) {
        (None, _) => true,
        (Some(wanted), Some(server)) => glob(wanted.as_str(), server),
        (Some(_), None) => false,
    };
    served && glob(names.tool.as_str(), tool)
}

/// Whether an event is spoken of, whatever its moment.
pub fn speaks_of(subject: &Subject, moment: &Moment<'_>) -> bool {
    match (subject, moment) {
        (Subject::Event(wanted), Moment::Host { name, .. }) => glob(wanted.as_str(), name),
        (Subject::Tools(wanted), Moment::Call { call, .. } | Moment::Result { call, .. }) => {
            names(wanted, &call.tool, call.server.as_deref())
        }
        (Subject::Effect(wanted), Moment::Call { effect, .. } | Moment::Result { effect, .. }) => wanted == effect,
        _ => false,
    }
}

/// Whether an alternative for this moment of calls speaks of the call, conditions aside.
pub fn may_match(pattern: &Pattern, moment: &Moment<'_>, phase: fn(&Phases) -> bool) -> bool {
    pattern.alternatives.iter().any(|alternative| phase(&alternative.phases) && speaks_of(&alternative.subject, moment))
}

/// The readings of an event: one, but for an unknown outcome two (it was `ok`, it was `failed`).
pub fn readings(moment: &Moment<'_>) -> &'static [fn(&Phases) -> bool] {
    match moment {
        Moment::Call { .. } => &[|phases| phases.call],
        Moment::Result { status: Status::Ok, .. } => &[|phases| phases.ok],
        Moment::Result { status: Status::Failed, .. } => &[|phases| phases.failed],
        Moment::Result { status: Status::Unknown, .. } => {
            &[|phases| phases.ok || phases.unknown, |phases| phases.failed || phases.unknown]
        }
        Moment::Host { .. } => &[|phases| phases.event],
    }
}

/// A condition, at an event: where nobody knows the outcome, one that reads the result is not established.
pub fn condition(condition: &contract_lang::mir::Expr, moment: &Moment<'_>, scope: &Scope<'_>) -> Kleene {
    let unknown = matches!(moment, Moment::Result { status: Status::Unknown, .. });
    if unknown && reads_result(condition) { Kleene::Perhaps } else { scope.truth(condition) }
}

/// Whether the pattern matches, in each reading of the event.
pub fn statuses(pattern: &Pattern, moment: &Moment<'_>, scope: &Scope<'_>) -> Vec<Kleene> {
    statuses_where(pattern, moment, &|wanted| condition(wanted, moment, scope))
}

/// The same where the value is there to be read, however the call ended.
pub fn statuses_of_value(pattern: &Pattern, moment: &Moment<'_>, scope: &Scope<'_>) -> Vec<Kleene> {
    statuses_where(pattern, moment, &|wanted| scope.truth(wanted))
}

fn statuses_where(
    pattern: &Pattern,
    moment: &Moment<'_>,
    condition: &dyn Fn(&contract_lang::mir::Expr) -> Kleene,
) -> Vec<Kleene> {
    let in_reading = |phase: &fn(&Phases) -> bool| {
        let holds = |alternative: &Alternative| {
            if !phase(&alternative.phases) || !speaks_of(&alternative.subject, moment) {
                return Kleene::No;
            }
            alternative.condition.as_ref().map_or(Kleene::Yes, condition)
        };
        Kleene::any(pattern.alternatives.iter().map(holds))
    };
    readings(moment).iter().map(in_reading).collect()
}

/// Whether the pattern matches: what all readings agree on.
pub fn status(pattern: &Pattern, moment: &Moment<'_>, scope: &Scope<'_>) -> Kleene {
    statuses(pattern, moment, scope).into_iter().reduce(Kleene::agreed).unwrap_or(Kleene::No)
}
