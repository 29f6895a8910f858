//! Two versions of a contract as one: what both speak of, so that sessions can be made that concern either.
//!
//! Nothing is decided by it. Cells and facts of one name and type are one.

use std::collections::BTreeMap;

use crate::mir::{
    Change, Commit, Contract, Expr, KeyRoute, Kind, Operand, Path, Pattern, Root, RouteKey, Rule, Step, Tool, Verb,
};

/// Both versions as one contract. The rules of the old one come first, and keep their numbers; then those of the new one that
/// the old one does not have. Also says at which number each rule of the new one is.
pub(super) fn union(old: &Contract, new: &Contract) -> (Contract, Vec<usize>) {
    let mut both = old.clone();
    let cells: Vec<usize> = new
        .cells
        .iter()
        .map(|cell| {
            let same = both.cells.iter().position(|known| known.name == cell.name && known.ty == cell.ty);
            same.unwrap_or_else(|| push(&mut both.cells, cell.clone()))
        })
        .collect();
    let facts: Vec<usize> = new
        .context
        .iter()
        .map(|fact| {
            let same = both.context.iter().position(|known| known == fact);
            same.unwrap_or_else(|| push(&mut both.context, fact.clone()))
        })
        .collect();
    let mut move_root = |root: &mut Root| match root {
        Root::State(cell) => *cell = cells.get(*cell).copied().unwrap_or(*cell),
        Root::Context(fact) => *fact = facts.get(*fact).copied().unwrap_or(*fact),
        _ => {}
    };
    for tool in &new.tools {
        let mut tool = tool.clone();
        tool_roots(&mut tool, &mut move_root);
        if !both.tools.contains(&tool) {
            both.tools.push(tool);
        }
    }
    for commit in &new.commits {
        let mut commit = commit.clone();
        commit_roots(&mut commit, &mut move_root);
        for change in &mut commit.changes {
            change.cell = cells.get(change.cell).copied().unwrap_or(change.cell);
        }
        if !both.commits.contains(&commit) {
            both.commits.push(commit);
        }
    }
    let places: BTreeMap<&str, usize> =
        old.rules.iter().enumerate().map(|(place, rule)| (rule.id.as_str(), place)).collect();
    let mut numbers = Vec::new();
    for rule in &new.rules {
        let mut rule = rule.clone();
        rule_roots(&mut rule, &mut move_root);
        let known = places.get(rule.id.as_str()).copied();
        let same = known.filter(|place| old.rules.get(*place) == Some(&rule));
        numbers.push(same.unwrap_or_else(|| {
            if known.is_some() {
                rule.id.push_str(" (new)");
            }
            push(&mut both.rules, rule)
        }));
    }
    both.catalog.extend(new.catalog.iter().cloned());
    (both, numbers)
}

fn push<T>(list: &mut Vec<T>, item: T) -> usize {
    list.push(item);
    list.len().saturating_sub(1)
}

type MoveRoot<'m> = &'m mut dyn FnMut(&mut Root);

fn tool_roots(tool: &mut Tool, each: MoveRoot<'_>) {
    tool.effect.iter_mut().filter_map(|case| case.when.as_mut()).for_each(|when| roots(when, each));
    tool.succeeds_when.iter_mut().for_each(|predicate| roots(predicate, each));
}

fn commit_roots(commit: &mut Commit, each: MoveRoot<'_>) {
    pattern_roots(&mut commit.after, each);
    commit.when.iter_mut().for_each(|when| roots(when, each));
    for Change { verb, .. } in &mut commit.changes {
        match verb {
            Verb::Set(expr) | Verb::Bind(expr) | Verb::Insert(expr) | Verb::Remove(expr) => roots(expr, each),
            Verb::InsertAt(at, expr) | Verb::RemoveAt(at, expr) | Verb::Put { at, value: expr } => {
                roots(at, each);
                roots(expr, each);
            }
            Verb::Clear => {}
        }
    }
}

fn rule_roots(rule: &mut Rule, each: MoveRoot<'_>) {
    match &mut rule.kind {
        Kind::Automaton { patterns, .. } => patterns.iter_mut().for_each(|pattern| pattern_roots(pattern, each)),
        Kind::Register { patterns, operand, .. } => {
            patterns.iter_mut().for_each(|pattern| pattern_roots(pattern, each));
            match operand {
                Some(Operand::Same(expr)) => roots(expr, each),
                Some(Operand::ByTool(routes)) => routes.iter_mut().for_each(|(_, expr)| roots(expr, each)),
                None => {}
            }
        }
        Kind::NoFlow { patterns, .. } => patterns.iter_mut().for_each(|pattern| pattern_roots(pattern, each)),
        Kind::Require { pattern, clauses } | Kind::Ensure { pattern, clauses } => {
            pattern_roots(pattern, each);
            clauses.iter_mut().for_each(|clause| roots(&mut clause.predicate, each));
        }
        Kind::Rewrite { pattern, changes } => {
            pattern_roots(pattern, each);
            changes.iter_mut().for_each(|change| roots(&mut change.value, each));
        }
        Kind::Permit { pattern } | Kind::Redact { pattern, .. } => pattern_roots(pattern, each),
    }
    let keyed = rule.per.as_mut();
    let more = rule.guards.iter_mut().chain(&mut rule.reset_on);
    match keyed {
        Some(keyed) => {
            more.chain(&mut keyed.close_on).for_each(|pattern| pattern_roots(pattern, each));
            keyed.routes.iter_mut().for_each(|route| route_roots(route, each));
        }
        None => more.for_each(|pattern| pattern_roots(pattern, each)),
    }
}

fn route_roots(route: &mut KeyRoute, each: MoveRoot<'_>) {
    match &mut route.key {
        RouteKey::One(parts) => parts.iter_mut().for_each(|part| roots(part, each)),
        RouteKey::Each { before, list, component, after } => {
            before.iter_mut().chain([list, component]).chain(after).for_each(|part| roots(part, each));
        }
        RouteKey::All => {}
    }
}

fn pattern_roots(pattern: &mut Pattern, each: MoveRoot<'_>) {
    let conditions = pattern.alternatives.iter_mut().filter_map(|alternative| alternative.condition.as_mut());
    conditions.for_each(|condition| roots(condition, each));
}

/// The roots of all paths of an expression.
fn roots(expr: &mut Expr, each: MoveRoot<'_>) {
    match expr {
        Expr::Literal(_) | Expr::Now => {}
        Expr::Path(Path { root, steps }) | Expr::Has(Path { root, steps }) => {
            each(root);
            step_roots(steps, each);
        }
        Expr::Select(inner, steps) => {
            roots(inner, each);
            step_roots(steps, each);
        }
        Expr::Not(inner) | Expr::Like(inner, _) | Expr::Matches(inner, _) | Expr::Is(_, inner) => roots(inner, each),
        Expr::List(list) | Expr::And(list) | Expr::Or(list) | Expr::Call(_, list) => {
            list.iter_mut().for_each(|inner| roots(inner, each));
        }
        Expr::Implies(left, right)
        | Expr::Compare(_, left, right)
        | Expr::In(left, right)
        | Expr::Arithmetic(_, left, right)
        | Expr::Quantified { list: left, body: right, .. } => {
            roots(left, each);
            roots(right, each);
        }
    }
}

fn step_roots(steps: &mut [Step], each: MoveRoot<'_>) {
    for step in steps {
        if let Step::Dynamic(expr) = step {
            roots(expr, each);
        }
    }
}
