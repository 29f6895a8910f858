//! Which events a route of a key is for: subjects that include other subjects, and how they are spelled.

use crate::mir::{Glob, Names, Phases, Subject};

/// Exact names come before globs, and names on a server before names on any.
pub(in crate::resolve) fn rank(subject: &Subject) -> (bool, bool) {
    match subject {
        Subject::Tools(names) => (!names.tool.is_literal(), names.server.is_none()),
        Subject::Event(glob) => (!glob.is_literal(), true),
        Subject::Effect(_) => (true, true),
    }
}

/// Whether every event of one subject is an event of the route's.
pub(crate) fn covers(route: &Subject, subject: &Subject) -> bool {
    match (route, subject) {
        (Subject::Tools(route), Subject::Tools(names)) => {
            let server = match (&route.server, &names.server) {
                (None, _) => true,
                (Some(route), Some(server)) => includes(route, server),
                (Some(_), None) => false,
            };
            server && includes(&route.tool, &names.tool)
        }
        (Subject::Tools(route), Subject::Effect(_)) => route.server.is_none() && route.tool.as_str() == "*",
        (Subject::Event(route), Subject::Event(name)) => includes(route, name),
        (route, subject) => route == subject,
    }
}

/// Whether a glob matches every name that the other matches: the other is read as a text in which a `?` is matched by
/// `?` and `*`, and a `*` by `*` alone.
fn includes(outer: &Glob, inner: &Glob) -> bool {
    if inner.is_literal() {
        return outer.matches(inner.as_str());
    }
    let mut outer = outer.as_str().chars().peekable();
    let mut inner = inner.as_str().chars().peekable();
    // Where to go on after the last `*` of the outer glob, which then takes one character more.
    let mut retry = None;
    loop {
        match (outer.peek().copied(), inner.peek().copied()) {
            (None, None) => return true,
            (Some('*'), _) => {
                outer.next();
                retry = Some((outer.clone(), inner.clone()));
            }
            (Some('?'), Some(c)) if c != '*' => {
                outer.next();
                inner.next();
            }
            (Some(o), Some(c)) if o == c => {
                outer.next();
                inner.next();
            }
            _ => {
                let Some((rest, from)) = &mut retry else { return false };
                if from.next().is_none() {
                    return false;
                }
                (outer, inner) = (rest.clone(), from.clone());
            }
        }
    }
}

/// A subject as it is written in `per`.
pub(in crate::resolve) fn described(subject: &Subject) -> String {
    match subject {
        Subject::Tools(Names { server: None, tool }) => tool.as_str().to_owned(),
        Subject::Tools(Names { server: Some(server), tool }) => format!("{}::{}", server.as_str(), tool.as_str()),
        Subject::Effect(effect) => format!("effect({})", effect.as_str()),
        Subject::Event(glob) => format!("event({})", glob.as_str()),
    }
}

/// The single moments, with their spelling.
const MOMENTS: [(&str, Phases); 4] = [
    ("call", Phases { call: true, ok: false, failed: false, unknown: false, event: false }),
    ("ok", Phases { call: false, ok: true, failed: false, unknown: false, event: false }),
    ("failed", Phases { call: false, ok: false, failed: true, unknown: false, event: false }),
    ("unknown", Phases { call: false, ok: false, failed: false, unknown: true, event: false }),
];

/// The moments of a subject, each spelled as in a pattern: `call(pay)`.
pub(super) fn moments(subject: &Subject, phases: Phases) -> String {
    let name = described(subject);
    let spelled = MOMENTS.iter().filter(|(_, moment)| overlap(*moment, phases)).map(|(word, _)| match subject {
        Subject::Tools(_) => format!("`{word}({name})`"),
        Subject::Effect(_) | Subject::Event(_) => format!("`{name}`"),
    });
    let mut spelled: Vec<String> = spelled.collect();
    spelled.dedup();
    if spelled.is_empty() { format!("`{name}`") } else { spelled.join(", ") }
}

/// The moments in one set and not in the other.
pub(super) fn without(phases: Phases, others: Phases) -> Phases {
    Phases {
        call: phases.call && !others.call,
        ok: phases.ok && !others.ok,
        failed: phases.failed && !others.failed,
        unknown: phases.unknown && !others.unknown,
        event: phases.event && !others.event,
    }
}

/// Whether the sets share a moment.
pub(super) fn overlap(phases: Phases, others: Phases) -> bool {
    without(phases, others) != phases
}

/// How many moments there are.
pub(super) fn count(phases: Phases) -> usize {
    let Phases { call, ok, failed, unknown, event } = phases;
    [call, ok, failed, unknown, event].into_iter().filter(|moment| *moment).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_glob_includes_another_if_it_matches_all_its_names() {
        let covered = |outer: &str, inner: &str| includes(&Glob::new(outer), &Glob::new(inner));
        for (outer, inner) in [
            ("*", "*"),
            ("*", "a_*"),
            ("a*", "a_*"),
            ("a?", "ab"),
            ("a?", "a?"),
            ("*_x", "a*_x"),
            ("a*b*", "a*xb?"),
            ("?*", "a*"),
        ] {
            assert!(covered(outer, inner), "{outer} {inner}");
        }
        for (outer, inner) in
            [("a_*", "*"), ("?", "*"), ("a?", "a*"), ("?*", "*"), ("a*b", "a*"), ("ab", "a?"), ("*a?", "*a*")]
        {
            assert!(!covered(outer, inner), "{outer} {inner}");
        }
    }
}
