use super::super::group::Definition;
use super::super::scope::fixture::{found, with_scope, written};
use super::*;
use crate::source::Span;

const GROUPS: [(&str, &str); 4] = [
    ("payout", "send_payment | schedule_payment where args.n > 1"),
    ("money", "payout where args.m | github::refund"),
    ("done_well", "ok(check where result.ok)"),
    ("seen", "lookup where result.found"),
];

fn with_groups<T>(run: impl FnOnce(&Scope<'_>, &Groups, &mut Diagnostics) -> T) -> T {
    let place = |range: Range<usize>| Span::new(range.start, range.end);
    let definitions =
        GROUPS.map(|(name, text)| Definition { name, span: Span::new(0, 0), written: Written::new(text, &place) });
    with_scope(Roots::NONE, |scope| {
        let mut diagnostics = Diagnostics::new();
        let groups = Groups::check(&definitions, scope, &mut diagnostics);
        assert_eq!(diagnostics.len(), 0);
        run(scope, &groups, &mut diagnostics)
    })
}

fn check(text: &str, role: &Role) -> Result<Resolved, Vec<(Code, String, String)>> {
    with_groups(|scope, groups, diagnostics| {
        let resolved = written(text, |text| resolve(text, role, scope, groups, diagnostics));
        resolved.ok_or_else(|| found(text, std::mem::take(diagnostics)))
    })
}

fn resolved(text: &str, role: &Role) -> Vec<mir::Alternative> {
    check(text, role).unwrap_or_else(|found| panic!("{text}: {found:?}")).pattern.alternatives
}

fn phases(text: &str, role: &Role) -> Vec<&'static str> {
    resolved(text, role).iter().map(|each| role::spelled(each.phases)).collect()
}

#[test]
fn bare_tools_take_the_phase_of_their_role() {
    assert_eq!(phases("a | ok(b) | done(c) | effect(write)", &Role::GUARDED), ["call", "ok", "done", "call"]);
    assert_eq!(phases("a | failed(b) | effect(read) | event(x)", &Role::PROOF), ["ok", "failed", "ok", "event"]);
    assert_eq!(phases("call(a) | effect(write)", &Role::CLOSE), ["call", "call"]);
}

#[test]
fn groups_stand_for_their_alternatives() {
    assert_eq!(phases("ok(payout)", &Role::GUARDED), ["ok", "ok"]);
    assert_eq!(phases("money | done_well", &Role::GUARDED), ["call", "call", "call", "ok"]);
    let conditions: Vec<_> = resolved("money where args.k", &Role::GUARDED)
        .into_iter()
        .map(|each| match each.condition {
            Some(mir::Expr::And(parts)) => parts.len(),
            other => usize::from(other.is_some()),
        })
        .collect();
    assert_eq!(conditions, [2, 3, 1]);
}

#[test]
fn any_is_every_tool_and_servers_stand_before_two_colons() {
    let names = |text| match resolved(text, &Role::GUARDED).swap_remove(0).subject {
        Subject::Tools(names) => (names.server.map(|glob| glob.as_str().to_owned()), names.tool.as_str().to_owned()),
        other => panic!("{other:?}"),
    };
    assert_eq!(names("any"), (None, "*".to_owned()));
    assert_eq!(names("github::any"), (Some("github".to_owned()), "*".to_owned()));
    assert_eq!(names("a:b::c::d"), (Some("a:b".to_owned()), "c::d".to_owned()));
}

#[test]
fn conditions_join_flat() {
    let condition = |text: &str| {
        let pattern = format!("a where {text}");
        resolved(&pattern, &Role::GUARDED).remove(0).condition.unwrap()
    };
    let joined = conjoined(Some(condition("args.x")), condition("state.open and args.z"));
    assert!(matches!(&joined, mir::Expr::And(parts) if parts.len() == 3), "{joined:?}");
    assert_eq!(conjoined(None, condition("args.x")), condition("args.x"));
}

#[test]
fn literal_tools_are_listed_with_their_places() {
    let tools = check("a | b_* | ok(github::c where result.x) | payout | event(d)", &Role::GUARDED).unwrap().tools;
    let tools: Vec<_> = tools.iter().map(|tool| (tool.value.tool.as_str(), tool.span.start)).collect();
    assert_eq!(tools, [("a", 0), ("c", 13)]);
    with_groups(|_, groups, _| {
        let tools: Vec<_> = groups.tools().iter().map(|tool| tool.value.tool.as_str()).collect();
        assert_eq!(tools, ["send_payment", "schedule_payment", "refund", "check", "lookup"]);
    });
}

#[test]
fn mistakes_are_named_where_they_are() {
    use Code::{ExpressionSyntax, MissingPhase, NotReadable, UnknownName, WrongPhase};
    for (text, role, code, at, message) in [
        ("a", Role::COMMIT, MissingPhase, "a", "`a` has no phase"),
        ("payout", Role::CLOSE, MissingPhase, "payout", "`payout` has no phase"),
        ("call(a)", Role::COMMIT, WrongPhase, "a", "`call(a)` cannot be what a commit follows"),
        ("ok(a)", Role::DECIDED, WrongPhase, "a", "`ok(a)` cannot be a decided call"),
        ("event(a)", Role::DECIDED, WrongPhase, "a", "`event(a)` cannot be a decided call"),
        ("ok(done_well)", Role::GUARDED, WrongPhase, "done_well", "`ok(…)` around a group that has phases of its own"),
        ("seen", Role::GUARDED, NotReadable, "seen", "`seen` reads `result`, which `call(…)` does not have"),
        ("a where result.x", Role::GUARDED, NotReadable, "result", "`result` cannot be read here"),
        ("event(a where args.x)", Role::GUARDED, NotReadable, "args", "`args` cannot be read here"),
        ("effect(delete)", Role::GUARDED, UnknownName, "delete", "`delete` is not an effect"),
        ("::a", Role::GUARDED, ExpressionSyntax, "::a", "`::a` lacks a server or a tool"),
    ] {
        let found = check(text, &role).unwrap_err();
        assert_eq!(found, [(code, at.to_owned(), message.to_owned())], "{text}");
    }
    assert!(check("seen", &Role::PROOF).is_ok());
}

#[test]
fn groups_refer_upwards_only_and_stay_small() {
    let errors = |list: &[(&str, &str)]| {
        let place = |range: Range<usize>| Span::new(range.start, range.end);
        let define = |(name, text)| Definition { name, span: Span::new(0, 0), written: Written::new(text, &place) };
        let definitions: Vec<_> = list.iter().copied().map(define).collect();
        let mut diagnostics = Diagnostics::new();
        with_scope(Roots::NONE, |scope| Groups::check(&definitions, scope, &mut diagnostics));
        diagnostics.into_sorted().into_iter().map(|each| each.message).collect::<Vec<_>>()
    };
    assert_eq!(errors(&[("a", "x | a")]), ["the group `a` names itself"]);
    assert_eq!(errors(&[("a", "b"), ("b", "a")]), ["the group `b` stands further down"]);
    let bomb: Vec<_> = (0..40)
        .map(|level| (format!("g{level}"), if level == 0 { "x".to_owned() } else { format!("g{0} | g{0}", level - 1) }))
        .collect();
    let bomb: Vec<_> = bomb.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    assert_eq!(errors(&bomb), ["the pattern has more than 512 alternatives, groups included"]);
}

#[test]
fn names_and_subjects_have_no_conditions() {
    let mut diagnostics = Diagnostics::new();
    assert!(written("github::report_*", |text| names(text, &mut diagnostics)).is_some());
    for text in ["a | b", "ok(a)", "a where args.x", "a b"] {
        assert!(written(text, |text| names(text, &mut diagnostics)).is_none(), "{text}");
    }
    with_groups(|scope, groups, diagnostics| {
        let mut read = |text| written(text, |text| subjects(text, scope, groups, diagnostics)).map(|list| list.len());
        assert_eq!(read("a | event(x) | b_*"), Some(3));
        assert_eq!(read("ok(a)"), None);
        assert_eq!(read("payout"), None);
    });
    with_groups(|scope, groups, diagnostics| {
        let mut read = |text| written(text, |text| moments(text, scope, groups, diagnostics));
        let phases = |text: Option<Vec<(Subject, Option<Phases>)>>| {
            text.map(|list| list.iter().map(|(_, phases)| phases.map(role::spelled)).collect::<Vec<_>>())
        };
        assert_eq!(phases(read("ok(a) | b_* | event(x)")), Some(vec![Some("ok"), None, Some("event")]));
        assert_eq!(phases(read("a where args.x")), None);
    });
}
