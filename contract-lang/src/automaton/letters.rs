//! Which patterns of a rule can hold together on one event.
//!
//! Sound for whatever the runtime can meet: no letter that an event can have is missing. Exact in phases, servers,
//! names and effects. Conditions are taken as independent of each other, unless they are equal.

use std::collections::BTreeSet;

use contract_runtime::Effect;

use super::globs::matched_together;
use crate::mir::{Alternative, Expr, Glob, Names, Pattern, Phases, Subject};

const EFFECTS: [Effect; 3] = [Effect::Read, Effect::Write, Effect::Irreversible];

/// The letters that some event can have, without letter 0, ascending. Bit i is pattern i; patterns beyond the eighth
/// are left out.
#[must_use]
pub fn satisfiable(patterns: &[Pattern]) -> Vec<u8> {
    let mut letters = BTreeSet::new();
    for moment in MOMENTS {
        let active: Vec<Active<'_>> = patterns
            .iter()
            .zip([1, 2, 4, 8, 16, 32, 64, 128])
            .flat_map(|(pattern, bit)| pattern.alternatives.iter().map(move |alternative| Active { bit, alternative }))
            .filter(|active| moment(active.alternative.phases))
            .collect();
        letters.extend(letters_of(&active));
    }
    letters.remove(&0);
    letters.into_iter().collect()
}

/// Whether some call can match both.
#[must_use]
pub fn overlap(a: &Names, b: &Names) -> bool {
    let servers = match (&a.server, &b.server) {
        (Some(a), Some(b)) => globs_overlap(a, b),
        _ => true,
    };
    servers && globs_overlap(&a.tool, &b.tool)
}

/// Whether some event can be of both subjects, as far as names tell: a tool may have any effect.
#[must_use]
pub fn may_meet(a: &Subject, b: &Subject) -> bool {
    match (a, b) {
        (Subject::Tools(a), Subject::Tools(b)) => overlap(a, b),
        (Subject::Effect(a), Subject::Effect(b)) => a == b,
        (Subject::Event(a), Subject::Event(b)) => globs_overlap(a, b),
        (Subject::Event(_), _) | (_, Subject::Event(_)) => false,
        (Subject::Tools(_), Subject::Effect(_)) | (Subject::Effect(_), Subject::Tools(_)) => true,
    }
}

/// Whether two patterns select the same events because they are written alike: the same phases, subjects and
/// conditions, in whatever order.
#[must_use]
pub fn same_events(a: &Pattern, b: &Pattern) -> bool {
    let covers = |a: &Pattern, b: &Pattern| {
        b.alternatives.iter().all(|wanted| {
            let alike = a
                .alternatives
                .iter()
                .filter(|given| given.subject == wanted.subject && given.condition == wanted.condition);
            let given = alike.fold(Phases::default(), |all, given| all.union(given.phases));
            given.union(wanted.phases) == given
        })
    };
    covers(a, b) && covers(b, a)
}

/// The moments of an event, each as a test whether phases include it. An unknown outcome is read as a success and as a
/// failure, and in both readings as unknown.
const MOMENTS: [fn(Phases) -> bool; 6] = [
    |phases| phases.call,
    |phases| phases.ok,
    |phases| phases.failed,
    |phases| phases.ok || phases.unknown,
    |phases| phases.failed || phases.unknown,
    |phases| phases.event,
];

/// An alternative of a pattern that can hold at some moment.
#[derive(Clone, Copy)]
struct Active<'p> {
    /// The letter that has only this pattern.
    bit: u8,
    alternative: &'p Alternative,
}

/// The letters of the events of one moment.
fn letters_of(active: &[Active<'_>]) -> BTreeSet<u8> {
    match subjects_together(active) {
        Some(sets) => {
            sets.into_iter().flat_map(|set| under_conditions(set.iter().filter_map(|&at| active.get(at)))).collect()
        }
        None => unions(0, active.iter().map(|active| active.bit)),
    }
}

/// Every set of alternatives (as indices) such that the subjects of just these match one event. `None`: too many to
/// tell.
fn subjects_together(active: &[Active<'_>]) -> Option<BTreeSet<Vec<usize>>> {
    let names = |active: &Active<'_>| match &active.alternative.subject {
        Subject::Tools(names) => Some(names.clone()),
        _ => None,
    };
    let tools = Together::of(active.iter().filter_map(names).map(|names| names.tool))?;
    let servers = Together::of(active.iter().filter_map(names).filter_map(|names| names.server))?;
    let events = Together::of(active.iter().filter_map(|active| match &active.alternative.subject {
        Subject::Event(event) => Some(event.clone()),
        _ => None,
    }))?;
    // A moment has calls or host events, not both, so that tools or events are without globs here: one empty set. A
    // call without a server is matched by no glob over servers.
    let mut found = BTreeSet::new();
    for tool in &tools.sets {
        for server in servers.sets.iter().chain([&BTreeSet::new()]) {
            for event in &events.sets {
                for effect in EFFECTS {
                    let matches = |active: &Active<'_>| match &active.alternative.subject {
                        Subject::Tools(names) => {
                            tools.matches(tool, &names.tool)
                                && names.server.as_ref().is_none_or(|name| servers.matches(server, name))
                        }
                        Subject::Effect(wanted) => *wanted == effect,
                        Subject::Event(name) => events.matches(event, name),
                    };
                    found.insert((0..active.len()).filter(|&at| active.get(at).is_some_and(matches)).collect());
                }
            }
        }
    }
    Some(found)
}

/// Different globs, and the sets of them that can match one name.
struct Together {
    globs: Vec<Glob>,
    sets: BTreeSet<BTreeSet<usize>>,
}

impl Together {
    fn of(globs: impl Iterator<Item = Glob>) -> Option<Self> {
        let globs: Vec<Glob> = globs.collect::<BTreeSet<_>>().into_iter().collect();
        let sets = matched_together(&globs.iter().collect::<Vec<_>>())?;
        Some(Self { globs, sets })
    }

    fn matches(&self, set: &BTreeSet<usize>, glob: &Glob) -> bool {
        self.globs.binary_search(glob).is_ok_and(|at| set.contains(&at))
    }
}

/// The letters of an event that the subjects of these alternatives match. Those without a condition hold; each
/// condition holds or not, with all alternatives that have it.
fn under_conditions<'a, 'p: 'a>(matched: impl Iterator<Item = &'a Active<'p>>) -> BTreeSet<u8> {
    let mut certain = 0;
    let mut conditions: Vec<(&Expr, u8)> = Vec::new();
    for active in matched {
        match &active.alternative.condition {
            None => certain |= active.bit,
            Some(condition) => match conditions.iter_mut().find(|(known, _)| *known == condition) {
                Some((_, bits)) => *bits |= active.bit,
                None => conditions.push((condition, active.bit)),
            },
        }
    }
    unions(certain, conditions.into_iter().map(|(_, bits)| bits))
}

/// A letter joined with any of some others.
fn unions(letter: u8, others: impl Iterator<Item = u8>) -> BTreeSet<u8> {
    let mut unions = BTreeSet::from([letter]);
    for other in others.collect::<BTreeSet<_>>() {
        let joined: Vec<u8> = unions.iter().map(|letter| letter | other).collect();
        unions.extend(joined);
    }
    unions
}

fn globs_overlap(a: &Glob, b: &Glob) -> bool {
    match (a.is_literal(), b.is_literal()) {
        (true, _) => return b.matches(a.as_str()),
        (_, true) => return a.matches(b.as_str()),
        (false, false) => {}
    }
    let both = BTreeSet::from([0, 1]);
    matched_together(&[a, b]).is_none_or(|sets| sets.contains(&both))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formula::oracle::Random;
    use crate::mir::{Literal, Path, Root, Step};

    const CALL: Phases = Phases { call: true, ok: false, failed: false, unknown: false, event: false };
    const OK: Phases = Phases { call: false, ok: true, failed: false, unknown: false, event: false };
    const FAILED: Phases = Phases { call: false, ok: false, failed: true, unknown: false, event: false };
    const UNKNOWN: Phases = Phases { call: false, ok: false, failed: false, unknown: true, event: false };
    const EVENT: Phases = Phases { call: false, ok: false, failed: false, unknown: false, event: true };

    fn names(text: &str) -> Names {
        match text.split_once("::") {
            Some((server, tool)) => Names { server: Some(Glob::new(server)), tool: Glob::new(tool) },
            None => Names { server: None, tool: Glob::new(text) },
        }
    }

    fn nameless() -> Pattern {
        Pattern { alternatives: vec![], text: String::new(), spelled: String::new(), name: None }
    }

    fn pattern(phases: Phases, subject: Subject, condition: Option<Expr>) -> Pattern {
        Pattern { alternatives: vec![Alternative { phases, subject, condition }], ..nameless() }
    }

    fn call(text: &str) -> Pattern {
        pattern(CALL, Subject::Tools(names(text)), None)
    }

    fn or(a: Pattern, b: Pattern) -> Pattern {
        Pattern { alternatives: [a.alternatives, b.alternatives].concat(), ..nameless() }
    }

    fn condition(field: &str) -> Option<Expr> {
        Some(Expr::Path(Path { root: Root::Args, steps: vec![Step::Field(field.to_owned())] }))
    }

    #[test]
    fn different_names_exclude_each_other() {
        assert_eq!(satisfiable(&[call("pay"), call("refund")]), [1, 2]);
        assert_eq!(satisfiable(&[call("pay"), call("pay")]), [3]);
    }

    #[test]
    fn phases_exclude_each_other() {
        let ok = pattern(OK, Subject::Tools(names("pay")), None);
        assert_eq!(satisfiable(&[call("pay"), ok.clone()]), [1, 2]);
        assert_eq!(satisfiable(&[or(call("pay"), ok.clone()), ok]), [1, 3]);
    }

    #[test]
    fn an_unknown_outcome_is_read_as_success_and_as_failure() {
        let of = |phases| pattern(phases, Subject::Tools(names("pay")), None);
        assert_eq!(satisfiable(&[of(OK), of(FAILED)]), [1, 2]);
        assert_eq!(satisfiable(&[of(OK), of(UNKNOWN)]), [1, 2, 3]);
        assert_eq!(satisfiable(&[of(Phases { unknown: true, ..OK }), of(FAILED)]), [1, 2, 3]);
    }

    #[test]
    fn globs_overlap_where_some_name_matches_both() {
        assert_eq!(satisfiable(&[call("send_*"), call("send_mail")]), [1, 3]);
        assert_eq!(satisfiable(&[call("send_*"), call("*_mail")]), [1, 2, 3]);
        assert_eq!(satisfiable(&[call("*"), call("*_mail")]), [1, 3]);
    }

    #[test]
    fn servers_tell_tools_apart() {
        assert_eq!(satisfiable(&[call("github::push"), call("gitlab::push")]), [1, 2]);
        assert_eq!(satisfiable(&[call("github::push"), call("push")]), [2, 3]);
        assert_eq!(satisfiable(&[call("git*::push"), call("*::push"), call("push")]), [4, 6, 7]);
    }

    #[test]
    fn a_call_has_one_effect_whatever_its_name() {
        let effect = |effect| pattern(CALL, Subject::Effect(effect), None);
        assert_eq!(satisfiable(&[effect(Effect::Read), effect(Effect::Write)]), [1, 2]);
        assert_eq!(satisfiable(&[effect(Effect::Read), call("pay")]), [1, 2, 3]);
        let any = or(or(effect(Effect::Read), effect(Effect::Write)), effect(Effect::Irreversible));
        assert_eq!(satisfiable(&[any, call("pay")]), [1, 3]);
    }

    #[test]
    fn host_events_are_told_apart_by_name() {
        let event = |name: &str| pattern(EVENT, Subject::Event(Glob::new(name)), None);
        assert_eq!(satisfiable(&[event("login"), event("log*"), call("login")]), [2, 3, 4]);
    }

    #[test]
    fn a_condition_may_hold_or_not() {
        let when = |tool: &str, field| pattern(CALL, Subject::Tools(names(tool)), condition(field));
        assert_eq!(satisfiable(&[call("pay"), when("pay", "urgent")]), [1, 3]);
        assert_eq!(satisfiable(&[when("pay", "urgent"), when("pay", "large")]), [1, 2, 3]);
        assert_eq!(satisfiable(&[when("pay", "urgent"), when("pay", "urgent")]), [3]);
        assert_eq!(satisfiable(&[or(when("pay", "urgent"), call("pay")), when("pay", "urgent")]), [1, 3]);
    }

    #[test]
    fn patterns_without_phases_never_hold() {
        assert_eq!(satisfiable(&[pattern(Phases::default(), Subject::Tools(names("pay")), None)]), [0u8; 0]);
        assert_eq!(satisfiable(&[]), [0u8; 0]);
    }

    #[test]
    fn names_overlap_by_server_and_tool() {
        assert!(overlap(&names("send_*"), &names("*_mail")));
        assert!(!overlap(&names("send_*"), &names("read_*")));
        assert!(overlap(&names("github::*"), &names("push")));
        assert!(!overlap(&names("github::push"), &names("gitlab::push")));
    }

    #[test]
    fn patterns_are_the_same_in_whatever_order_they_are_written() {
        let both = Phases { ok: true, ..CALL };
        let split = or(pattern(OK, Subject::Tools(names("a")), None), call("a"));
        assert!(same_events(&split, &pattern(both, Subject::Tools(names("a")), None)));
        assert!(same_events(&or(call("a"), call("b")), &or(call("b"), call("a"))));
        assert!(!same_events(&split, &call("a")));
        let literal = Some(Expr::Literal(Literal::Bool(true)));
        assert!(!same_events(&call("a"), &pattern(CALL, Subject::Tools(names("a")), literal)));
    }

    /// All letters of the calls of some servers, short tool names and effects, at each moment.
    fn letters_by_enumeration(patterns: &[Pattern]) -> Vec<u8> {
        let mut tools = vec![String::new()];
        for from in 0..13 {
            tools.extend(["a", "b", "c"].map(|next| format!("{}{next}", tools[from])));
        }
        let mut letters = BTreeSet::new();
        for (tool, server) in tools.iter().flat_map(|tool| [None, Some("s"), Some("tt")].map(|server| (tool, server))) {
            for (effect, moment) in EFFECTS.into_iter().flat_map(|effect| MOMENTS.map(|moment| (effect, moment))) {
                for true_conditions in [vec![], vec!["x"], vec!["y"], vec!["x", "y"]] {
                    let holds = |alternative: &Alternative| {
                        let subject = match &alternative.subject {
                            Subject::Tools(names) => {
                                let on = |glob: &Glob| server.is_some_and(|server| glob.matches(server));
                                names.tool.matches(tool) && names.server.as_ref().is_none_or(on)
                            }
                            Subject::Effect(wanted) => *wanted == effect,
                            Subject::Event(_) => false,
                        };
                        let true_conditions: Vec<_> = true_conditions.iter().map(|field| condition(field)).collect();
                        let condition =
                            alternative.condition.is_none() || true_conditions.contains(&alternative.condition);
                        moment(alternative.phases) && subject && condition
                    };
                    let bits =
                        patterns.iter().enumerate().filter(|(_, pattern)| pattern.alternatives.iter().any(holds));
                    letters.insert(bits.fold(0u8, |letter, (at, _)| letter | (1 << at)));
                }
            }
        }
        letters.remove(&0);
        letters.into_iter().collect()
    }

    #[test]
    fn letters_are_those_of_all_events() {
        let mut random = Random(1);
        for _ in 0..50 {
            let mut any_pattern = || {
                let mut pick = |bound| usize::try_from(random.below(bound)).unwrap();
                let tools = ["a", "b", "ab", "a*", "*b", "?", "*", "s::a", "t*::*", "*::b?"];
                let subject = match pick(6) {
                    0 => Subject::Effect(EFFECTS[pick(3)]),
                    _ => Subject::Tools(names(tools[pick(10)])),
                };
                let phases = [CALL, OK, FAILED, UNKNOWN, OK.union(UNKNOWN), CALL.union(FAILED)][pick(6)];
                pattern(phases, subject, [None, None, condition("x"), condition("y")][pick(4)].clone())
            };
            let patterns = [any_pattern(), any_pattern(), or(any_pattern(), any_pattern())];
            assert_eq!(satisfiable(&patterns), letters_by_enumeration(&patterns), "{patterns:?}");
        }
    }

    #[test]
    fn a_rule_over_hundreds_of_tools_is_no_trouble() {
        let group = |n: usize| (0..40).map(|at| call(&format!("long_tool_name_{n}_{at}"))).reduce(or).unwrap();
        let patterns: Vec<Pattern> = (0..7).map(group).chain([call("long_*_0")]).collect();
        assert_eq!(satisfiable(&patterns), [1, 2, 4, 8, 16, 32, 64, 128, 129, 130, 132, 136, 144, 160, 192]);
    }
}
