//! Changes of patterns and formulas.

use super::expression;
use super::operator::Operator;
use crate::syntax::formula::{Formula, Kind};
use crate::syntax::pattern::{Alternative, Pattern, Phase};

/// The phases that a pattern may come to speak of.
const PHASES: [Phase; 3] = [Phase::Call, Phase::Ok, Phase::Done];

/// The variants of a pattern.
pub(super) fn variants(pattern: &Pattern) -> Vec<(Operator, String)> {
    let mut variants = Vec::new();
    let mut add = |operator, alternatives| variants.push((operator, Pattern { alternatives }.to_string()));
    for (index, alternative) in pattern.alternatives.iter().enumerate().take(expression::MOST) {
        let with = |changed: Option<Alternative>| {
            let mut alternatives = pattern.alternatives.clone();
            alternatives.splice(index..=index, changed);
            alternatives
        };
        if pattern.alternatives.len() > 1 {
            add(Operator::Alternative, with(None));
        }
        let speaks_of_calls = !matches!(alternative.phase, Some(Phase::Event | Phase::Effect));
        for phase in PHASES.into_iter().filter(|phase| speaks_of_calls && alternative.phase != Some(*phase)) {
            add(Operator::Phase, with(Some(Alternative { phase: Some(phase), ..alternative.clone() })));
        }
        if let Some(condition) = &alternative.condition {
            add(Operator::Clause, with(Some(Alternative { condition: None, ..alternative.clone() })));
            for (operator, condition) in expression::predicate(condition) {
                add(operator, with(Some(Alternative { condition: Some(condition), ..alternative.clone() })));
            }
        }
    }
    variants
}

/// The variants of a formula: each operator dropped, each connective exchanged.
pub(super) fn formulas(formula: &Formula) -> Vec<(Operator, String)> {
    let changed = rebuilt(&formula.kind).into_iter().filter_map(|kind| Formula::new(kind, 0..0).ok());
    changed.map(|formula| (Operator::Connective, formula.to_string())).collect()
}

fn rebuilt(kind: &Kind) -> Vec<Kind> {
    let mut variants = Vec::new();
    let parts: Vec<&Formula> = kind.parts().collect();
    for (index, part) in parts.iter().enumerate().take(expression::MOST) {
        let with = |changed: Kind| -> Option<Kind> {
            let changed = Formula::new(changed, 0..0).ok()?;
            let mut parts: Vec<Formula> = parts.iter().map(|part| (*part).clone()).collect();
            *parts.get_mut(index)? = changed;
            let mut parts = parts.into_iter();
            Some(match kind {
                Kind::Bool(_) | Kind::Name(_) => return None,
                Kind::Unary(operator, _) => Kind::Unary(*operator, Box::new(parts.next()?)),
                Kind::Binary(operator, ..) => Kind::Binary(*operator, Box::new(parts.next()?), Box::new(parts.next()?)),
                Kind::And(_) => Kind::And(parts.collect()),
                Kind::Or(_) => Kind::Or(parts.collect()),
            })
        };
        variants.push(part.kind.clone());
        variants.extend(rebuilt(&part.kind).into_iter().filter_map(with));
    }
    match kind {
        Kind::And(members) => variants.push(Kind::Or(members.clone())),
        Kind::Or(members) => variants.push(Kind::And(members.clone())),
        _ => {}
    }
    variants.truncate(expression::MOST);
    variants
}
