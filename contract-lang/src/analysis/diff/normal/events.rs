//! Patterns as sets of alternatives that equal patterns share.
//!
//! Each alternative is one moment of one subject. Conditions of the same are joined, and what another alternative covers is
//! left out. A condition that reads the result is not known where nobody knows how the call ended, even if its value would be:
//! so those that read it and those that do not stay apart.

use super::expression::Words;
use super::form::Form;
use crate::mir::{Alternative, Expr, Pattern, Phases, Subject};
use crate::resolve::covers;

/// The events that a pattern selects.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Events(pub(super) Vec<Selected>);

/// Events of one moment.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Selected {
    /// When: one of [`MOMENTS`].
    pub(super) moment: &'static str,
    /// Of what.
    pub(super) subject: Subject,
    /// Whether the condition, as written, reads the result.
    pub(super) reads: bool,
    /// Under which condition.
    pub(super) condition: Form,
}

/// A moment, and whether phases include it.
type Moment = (&'static str, fn(Phases) -> bool);

const MOMENTS: [Moment; 5] = [
    ("call", |phases| phases.call),
    ("ok", |phases| phases.ok),
    ("failed", |phases| phases.failed),
    ("unknown", |phases| phases.unknown),
    ("event", |phases| phases.event),
];

impl Events {
    /// Of a pattern; `also` is a further condition that all of its events have to meet.
    pub(super) fn of(words: Words<'_>, pattern: &Pattern, also: Option<&Expr>) -> Self {
        let mut found: Vec<Selected> = Vec::new();
        for (moment, includes) in MOMENTS {
            for alternative in pattern.alternatives.iter().filter(|alternative| includes(alternative.phases)) {
                add(&mut found, selected(words, moment, alternative, also));
            }
        }
        let covered: Vec<bool> = (0..).zip(&found).map(|(at, one)| is_covered(&found, at, one)).collect();
        let mut kept: Vec<Selected> =
            found.into_iter().zip(covered).filter(|(_, covered)| !covered).map(|(one, _)| one).collect();
        kept.sort_by_cached_key(Selected::order);
        Self(kept)
    }

    /// A text that equal patterns share.
    pub(super) fn key(&self) -> String {
        self.0.iter().map(Selected::key).collect::<Vec<_>>().join(" | ")
    }
}

impl Selected {
    fn order(&self) -> String {
        format!("{} {:?} {}", self.moment, self.subject, self.reads)
    }

    /// A text that equal ones share.
    pub(super) fn key(&self) -> String {
        format!("{} where {}", self.order(), self.condition.key())
    }
}

fn selected(words: Words<'_>, moment: &'static str, alternative: &Alternative, also: Option<&Expr>) -> Selected {
    let conditions = || alternative.condition.iter().chain(also);
    Selected {
        moment,
        subject: alternative.subject.clone(),
        reads: conditions().any(Expr::reads_result),
        condition: Form::all(conditions().map(|condition| words.predicate(condition))),
    }
}

fn add(found: &mut Vec<Selected>, new: Selected) {
    let same =
        |known: &&mut Selected| (known.moment, &known.subject, known.reads) == (new.moment, &new.subject, new.reads);
    match found.iter_mut().find(same) {
        Some(known) => known.condition = Form::any([known.condition.clone(), new.condition]),
        None => found.push(new),
    }
}

/// Whether another alternative holds whenever this one does.
fn is_covered(all: &[Selected], at: usize, one: &Selected) -> bool {
    (0..).zip(all).any(|(other_at, other): (usize, &Selected)| {
        other_at != at
            && other.moment == one.moment
            && !other.reads
            && other.condition == Form::Constant(true)
            && covers(&other.subject, &one.subject)
            && (one.reads
                || one.condition != Form::Constant(true)
                || !covers(&one.subject, &other.subject)
                || other_at < at)
    })
}
