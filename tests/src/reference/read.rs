//! What an event is to a rule: its keys, and what it may be for its patterns.

use std::collections::BTreeSet;

use contract_lang::mir::{Clock, Expr, KeyRoute, Kind, Missing, Operand, Path, Phases, Root, RouteKey, Rule};

use super::event::{Moment, Status};
use super::expr::Scope;
use super::history::{Key, Step, Touched, patterns};
use super::pattern;
use super::value::{Kleene, Value};

/// Most elements of a list that fans out.
const WIDEST: usize = 1_000;

/// The keys of an event.
pub fn touched(rule: &Rule, moment: &Moment<'_>, scope: &Scope<'_>) -> Touched {
    let Some(keyed) = &rule.per else { return Touched::Keys(BTreeSet::from([Key::new()])) };
    let skips = keyed.missing == Missing::Skip;
    let route = |is_at: fn(&Phases) -> bool| {
        let speaks = |route: &&KeyRoute| is_at(&route.phases) && pattern::speaks_of(&route.subject, moment);
        keyed.routes.iter().find(speaks)
    };
    let [ok, failed, unknown] =
        [route(|phases| phases.ok), route(|phases| phases.failed), route(|phases| phases.unknown)];
    let routes = match moment {
        Moment::Call { .. } => vec![route(|phases| phases.call)],
        Moment::Host { .. } => vec![route(|phases| phases.event)],
        Moment::Result { status: Status::Ok, .. } => vec![ok],
        Moment::Result { status: Status::Failed, .. } => vec![failed],
        // Where nobody knows how a call ended, it has the key of that, or the one that it has in all cases.
        Moment::Result { .. } if unknown.is_some() && unknown != ok && unknown != failed => vec![unknown],
        Moment::Result { .. } => vec![ok, failed],
    };
    let mut touched = routes.into_iter().flatten().map(|route| by_route(&route.key, skips, scope));
    let first = touched.next().unwrap_or(Touched::Unreadable);
    if touched.all(|other| other == first) { first } else { Touched::Unreadable }
}

/// Whether the rule reads a key when the event happens.
pub fn has_key(rule: &Rule, moment: &Moment<'_>) -> bool {
    let is_at = |phases: &Phases| match moment {
        Moment::Call { .. } => phases.call,
        Moment::Host { .. } => phases.event,
        Moment::Result { .. } => phases.ok || phases.failed || phases.unknown,
    };
    let routes = rule.per.iter().flat_map(|keyed| &keyed.routes);
    routes.into_iter().any(|route| is_at(&route.phases) && pattern::speaks_of(&route.subject, moment))
}

/// A component that is there.
fn component(expr: &Expr, scope: &Scope<'_>) -> Option<Value> {
    let value = scope.value(expr)?;
    matches!(value, Value::Text(_) | Value::Number(_) | Value::Bool(_) | Value::Time(_)).then_some(value)
}

/// Whether the path of a component leads nowhere, or to null. Where there is no result nobody knows that.
fn is_missing(expr: &Expr, scope: &Scope<'_>) -> bool {
    let of_path = |path: &Path| {
        let known = path.root != Root::Result || scope.result.is_some();
        known && scope.value(&Expr::Path(path.clone())).is_none_or(|value| value == Value::Null)
    };
    match expr {
        Expr::Path(path) => of_path(path),
        Expr::Call(_, operands) => operands.first().is_some_and(|operand| is_missing(operand, scope)),
        _ => false,
    }
}

fn by_route(key: &RouteKey, skips: bool, scope: &Scope<'_>) -> Touched {
    let parts = |exprs: &[Expr]| exprs.iter().map(|part| component(part, scope)).collect::<Option<Key>>();
    let missing = |exprs: &[Expr]| skips && exprs.iter().any(|part| is_missing(part, scope));
    match key {
        RouteKey::All => Touched::All,
        RouteKey::One(exprs) if missing(exprs) => Touched::Nothing,
        RouteKey::One(exprs) => parts(exprs).map_or(Touched::Unreadable, |key| Touched::Keys(BTreeSet::from([key]))),
        RouteKey::Each { before, list, after, .. }
            if missing(before) || missing(after) || (skips && is_missing(list, scope)) =>
        {
            Touched::Nothing
        }
        RouteKey::Each { before, list, component: of_element, after } => {
            let elements = match scope.value(list) {
                Some(Value::List(elements)) if (1..=WIDEST).contains(&elements.len()) => elements,
                _ => return Touched::Unreadable,
            };
            let of = |element: &Value| {
                let scope = Scope { variables: vec![element.clone()], ..scope.clone() };
                component(of_element, &scope)
            };
            let each = elements.iter().map(|element| {
                let middle = of(element)?;
                Some(parts(before)?.into_iter().chain([middle]).chain(parts(after)?).collect::<Key>())
            });
            each.collect::<Option<BTreeSet<Key>>>().map_or(Touched::Unreadable, Touched::Keys)
        }
    }
}

/// What an event may be for the patterns of a rule: in each reading, those that hold and any of those that may.
pub fn step(rule: &Rule, moment: &Moment<'_>, scope: &Scope<'_>) -> Step {
    let by_pattern: Vec<Vec<Kleene>> = match &rule.kind {
        // What a register keeps takes each pattern by itself.
        Kind::Register { patterns, .. } => {
            patterns.iter().map(|pattern| vec![pattern::status(pattern, moment, scope)]).collect()
        }
        _ => patterns(rule).iter().map(|pattern| pattern::statuses(pattern, moment, scope)).collect(),
    };
    let readings = by_pattern.first().map_or(0, Vec::len);
    let mut letters = BTreeSet::new();
    for reading in 0..readings {
        let mut words = vec![0u8];
        for (bit, statuses) in by_pattern.iter().enumerate() {
            let with = |letter: &u8| letter | 1 << bit;
            match statuses[reading] {
                Kleene::No => {}
                Kleene::Yes => words = words.iter().map(with).collect(),
                Kleene::Perhaps => words.extend(words.iter().map(with).collect::<Vec<u8>>()),
            }
        }
        letters.extend(words);
    }
    // Patterns that imply one another cannot hold apart.
    if let Kind::Automaton { machine, .. } = &rule.kind {
        letters.retain(|letter| *letter == 0 || machine.letters.contains(letter));
    }
    if letters.is_empty() {
        letters.insert(0);
    }
    Step { letters, operand: operand(rule, moment, scope) }
}

/// What a register reads of an event: a scalar.
fn operand(rule: &Rule, moment: &Moment<'_>, scope: &Scope<'_>) -> Option<Value> {
    let Kind::Register { operand: Some(operand), .. } = &rule.kind else { return None };
    let expr = match operand {
        Operand::Same(expr) => expr,
        Operand::ByTool(routes) => {
            let (_, expr) = routes.iter().find(|(subject, _)| pattern::speaks_of(subject, moment))?;
            expr
        }
    };
    component(expr, scope)
}

/// Whether the clock of a rule counts calls.
pub fn counts_calls(rule: &Rule) -> bool {
    matches!(&rule.kind, Kind::Register { clock: Clock::Calls, .. })
}
