//! The key of a rule as what it is for each kind of event that the rule looks at, however the routes are written.

use super::expression::Words;
use crate::mir::{Expr, Keyed, Phases, RouteKey, Rule, Subject};
use crate::resolve::covers;

/// A text that equal keys of one rule share.
pub(super) fn key(words: Words<'_>, rule: &Rule, keyed: &Keyed) -> String {
    let looked_at = looked_at(rule);
    let by_event: Option<Vec<String>> =
        looked_at.iter().map(|(subject, phases)| of(words, keyed, subject, *phases)).collect();
    match by_event {
        // The key of every event is known.
        Some(keys) => {
            let mut lines: Vec<String> = looked_at
                .iter()
                .zip(keys)
                .map(|((subject, phases), key)| format!("{subject:?} {phases:?} {key}"))
                .collect();
            lines.sort();
            lines.dedup();
            lines.join("; ")
        }
        // Which route is taken depends on the name of the tool.
        None => {
            let routes = keyed.routes.iter();
            let route = |route: &crate::mir::KeyRoute| {
                format!("{:?} {:?} {}", route.subject, route.phases, components(words, &route.key))
            };
            format!("routes {}", routes.map(route).collect::<Vec<_>>().join("; "))
        }
    }
}

/// The events that a rule looks at: one moment each. Of a result also the call, where a place is reserved and a count returned.
fn looked_at(rule: &Rule) -> Vec<(&Subject, Phases)> {
    let none = Phases::default();
    let mut found = Vec::new();
    for alternative in rule.all_patterns().flat_map(|pattern| &pattern.alternatives) {
        let Phases { call, ok, failed, unknown, event } = alternative.phases;
        let moments = [
            (call || ok || failed || unknown, Phases { call: true, ..none }),
            (ok || unknown, Phases { ok: true, ..none }),
            (failed || unknown, Phases { failed: true, ..none }),
            (ok || failed || unknown, Phases { unknown: true, ..none }),
            (event, Phases { event: true, ..none }),
        ];
        found.extend(moments.into_iter().filter(|(at, _)| *at).map(|(_, moment)| (&alternative.subject, moment)));
    }
    found
}

/// The key of all events of a subject at a moment; `None` if that is not the same for all.
fn of(words: Words<'_>, keyed: &Keyed, subject: &Subject, moment: Phases) -> Option<String> {
    let at = |phases: Phases| {
        (phases.call && moment.call)
            || (phases.ok && moment.ok)
            || (phases.failed && moment.failed)
            || (phases.unknown && moment.unknown)
            || (phases.event && moment.event)
    };
    let may = keyed.routes.iter().filter(|route| at(route.phases) && !super::disjoint(&route.subject, subject));
    let mut keys: Vec<String> = Vec::new();
    let mut complete = false;
    for route in may {
        keys.push(components(words, &route.key));
        if covers(&route.subject, subject) {
            complete = true;
            break;
        }
    }
    keys.dedup();
    match keys.as_slice() {
        [] => Some("none".to_owned()),
        [only] if complete => Some(only.clone()),
        _ => None,
    }
}

fn components(words: Words<'_>, key: &RouteKey) -> String {
    let listed = |parts: &[Expr]| parts.iter().map(|part| words.value(part)).collect::<Vec<_>>().join(", ");
    match key {
        RouteKey::One(parts) => format!("one {}", listed(parts)),
        RouteKey::Each { before, list, component, after } => {
            format!("each {} < {} {} > {}", listed(before), words.value(list), words.value(component), listed(after))
        }
        RouteKey::All => "all".to_owned(),
    }
}
