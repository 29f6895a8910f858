//! Routes: from the entries of `per` to the key of each event, by tool and moment.
//!
//! INVARIANT: every event that steps, closes or guards has a route. An unknown outcome may be a success, so it has the route
//! of one, unless it has its own.

use super::cover::{count, covers, described, moments, overlap, rank, without};
use crate::ast::Source;
use crate::automaton;
use crate::decode::OneOrMany;
use crate::diagnostic::{Code, Diagnostic};
use crate::mir::{Alternative, Expr, KeyRoute, Pattern, Phases, RouteKey, Subject};
use crate::resolve::key::{self, Component, Of};
use crate::resolve::resolver::{Resolver, written};
use crate::source::Span;

const RESULTS: Phases = Phases { call: false, ok: true, failed: true, unknown: true, event: false };
const MOMENTS: Phases = Phases { call: true, ..RESULTS };
const UNKNOWN: Phases = Phases { unknown: true, ok: false, failed: false, ..RESULTS };
const EVENT: Phases = Phases { event: true, unknown: false, ..UNKNOWN };

/// The paths for one subject of `per`.
pub(super) struct Entry<'p> {
    pub(super) subject: Subject,
    /// The moments that it is for, where it says so.
    pub(super) phases: Option<Phases>,
    pub(super) paths: &'p OneOrMany<Source>,
    pub(super) span: Span,
}

/// The alternatives of some patterns, each with the place of its pattern.
pub(super) fn alternatives<'p>(patterns: &[(&'p Pattern, Span)]) -> impl Iterator<Item = (&'p Alternative, Span)> {
    patterns.iter().flat_map(|(pattern, span)| pattern.alternatives.iter().map(|alternative| (alternative, *span)))
}

impl Resolver<'_> {
    /// The routes of a rule with these patterns, those of exact names and single moments first.
    pub(super) fn routes(
        &mut self,
        entries: &[Entry<'_>],
        per: Span,
        patterns: &[(&Pattern, Span)],
    ) -> Option<Vec<KeyRoute>> {
        let mut routes: Vec<(KeyRoute, Span)> = Vec::new();
        let before = self.diagnostics.len();
        for (index, entry) in entries.iter().enumerate() {
            let same = |other: &&Entry<'_>| other.subject == entry.subject && other.phases == entry.phases;
            if let Some(first) = entries.iter().take(index).find(same) {
                let message = format!("`{}` has two keys", described(&entry.subject));
                let diagnostic = Diagnostic::new(Code::DuplicateKey, entry.span, message);
                self.report(diagnostic.related(first.span, "one is here").help("take one of them out"));
                continue;
            }
            let Some(route) = self.route(entry, entries, patterns) else { continue };
            if let Some(width) = route.key.width()
                && let Some((first, span)) = routes.iter().find_map(|(route, span)| route.key.width().zip(Some(*span)))
                && first != width
            {
                let message = "the keys of one rule have the same number of parts";
                let diagnostic = Diagnostic::new(Code::BadValue, entry.paths.span, message);
                let diagnostic = diagnostic.related(span, format!("the number of parts is {first} here"));
                self.report(diagnostic.help(format!("write a list of {first} paths, or `\"*\"` for every key")));
            }
            routes.push((route, entry.span));
        }
        if self.diagnostics.len() > before {
            return None;
        }
        self.one_is_keyed(&routes, per);
        self.all_are_covered(&routes, patterns);
        (self.diagnostics.len() == before)
            .then(|| ordered(routes.into_iter().map(|(route, _)| route).collect(), entries))
    }

    fn route(&mut self, entry: &Entry<'_>, entries: &[Entry<'_>], patterns: &[(&Pattern, Span)]) -> Option<KeyRoute> {
        let Entry { subject, paths, .. } = entry;
        if matches!(subject, Subject::Event(_)) {
            let key = self.route_key(paths, Of::Event)?;
            return Some(KeyRoute { subject: subject.clone(), phases: EVENT, key });
        }
        let others = entries.iter().filter(|other| other.subject == *subject && other.phases != entry.phases);
        let phases = match entry.phases {
            Some(phases) => phases,
            None => others.clone().filter_map(|other| other.phases).fold(MOMENTS, without),
        };
        if phases == Phases::default() {
            let message = format!("every moment of `{}` has a path already", described(subject));
            self.report(Diagnostic::new(Code::DuplicateKey, entry.span, message).help("take this one out"));
            return None;
        }
        let concerned = alternatives(patterns).filter(|(alternative, _)| concerns(subject, alternative));
        let asked = concerned.map(|(alternative, _)| alternative.phases).fold(Phases::default(), Phases::union);
        let calls = if overlap(asked, phases) { asked.call && phases.call } else { phases.call };
        let key = self.route_key(paths, if calls { Of::Calls } else { Of::Results })?;
        let reads_result = key.expressions().iter().any(|expr| expr.reads_result());
        let phases = match entry.phases {
            Some(phases) if names_unknown(phases, others) => phases.union(UNKNOWN),
            None if reads_result => without(phases, Phases { call: true, ..Phases::default() }),
            _ => phases,
        };
        Some(KeyRoute { subject: subject.clone(), phases, key })
    }

    fn route_key(&mut self, paths: &OneOrMany<Source>, of: Of) -> Option<RouteKey> {
        let scope = self.scope;
        let mut before = Vec::new();
        let mut fan: Option<(Expr, Expr)> = None;
        let mut after = Vec::new();
        let mut complete = true;
        for source in paths.iter() {
            let component = written(source, |written| key::component(written, of, &scope, self.diagnostics));
            let wrong = match component {
                None => {
                    complete = false;
                    continue;
                }
                Some(Component::All) if paths.items.len() == 1 => return Some(RouteKey::All),
                Some(Component::All) => ("`*` is every key, and no part of one", "write `\"*\"` alone, or a path"),
                Some(Component::Each { .. }) if fan.is_some() => {
                    ("two parts of the key fan out", "make one of the lists a rule of its own")
                }
                Some(Component::Each { list, component }) => {
                    fan = Some((list, component));
                    continue;
                }
                Some(Component::One(expr)) => {
                    if fan.is_some() { &mut after } else { &mut before }.push(expr);
                    continue;
                }
            };
            let (message, help) = wrong;
            self.report(Diagnostic::new(Code::BadValue, source.span, message).help(help));
            complete = false;
        }
        let key = match fan {
            None => RouteKey::One(before),
            Some((list, component)) => RouteKey::Each { before, list, component, after },
        };
        complete.then_some(key)
    }

    /// Where every event concerns every key, no event has one.
    fn one_is_keyed(&mut self, routes: &[(KeyRoute, Span)], per: Span) {
        if !routes.is_empty() && routes.iter().all(|(route, _)| route.key == RouteKey::All) {
            let message = "no event has a key: `*` is every key that another event of the rule made";
            let help = "give one of the tools a path, or leave `per` out";
            self.report(Diagnostic::new(Code::KeyMissing, per, message).help(help));
        }
    }

    /// Reports the events without a route, once for each subject.
    fn all_are_covered(&mut self, routes: &[(KeyRoute, Span)], patterns: &[(&Pattern, Span)]) {
        let mut missing: Vec<(&Subject, Phases, Span)> = Vec::new();
        for (alternative, span) in alternatives(patterns) {
            let subject = &alternative.subject;
            let covering = routes.iter().filter(|(route, _)| covers(&route.subject, subject));
            let left = covering.fold(alternative.phases, |left, (route, _)| without(left, route.phases));
            if left == Phases::default() {
                continue;
            }
            match missing.iter_mut().find(|(known, ..)| *known == subject) {
                Some((_, known, _)) => *known = known.union(left),
                None => missing.push((subject, left, span)),
            }
        }
        let place = routes.iter().map(|(_, span)| *span).reduce(Span::to);
        for (subject, phases, span) in missing {
            // Where some moment has a path, the others are named; a tool without any is named as it is.
            let named = match routes.iter().any(|(route, _)| covers(&route.subject, subject)) {
                true => moments(subject, phases),
                false => format!("`{}`", described(subject)),
            };
            let diagnostic = Diagnostic::new(Code::KeyMissing, span, format!("`per` gives no path for {named}"));
            let first = named.split(", ").next().unwrap_or_default().trim_matches('`');
            let root = if matches!(subject, Subject::Event(_)) { "event" } else { "args" };
            let help = format!("add `{first}: {root}.…` to `per`, or `{first}: \"*\"` if it concerns every key");
            let diagnostic = place.iter().fold(diagnostic, |found, place| found.related(*place, "`per` is here"));
            self.report(diagnostic.help(help));
        }
    }
}

/// Whether events of the alternative may be events of the subject.
fn concerns(subject: &Subject, alternative: &Alternative) -> bool {
    match (subject, &alternative.subject) {
        (_, Subject::Event(_)) => false,
        (Subject::Tools(route), Subject::Tools(names)) => automaton::overlap(route, names),
        _ => true,
    }
}

/// Whether an entry for successes, or for failures alone, is the one that an unknown outcome has.
fn names_unknown<'e>(phases: Phases, mut others: impl Iterator<Item = &'e Entry<'e>> + Clone) -> bool {
    let elsewhere = others.clone().any(|other| other.phases.is_some_and(|phases| phases.unknown));
    let success = others.any(|other| other.phases.is_none_or(|phases| phases.ok));
    !phases.unknown && !elsewhere && (phases.ok || (phases.failed && !success))
}

/// Exact names come before globs, and among equal subjects those of fewer moments first; else as they are written.
fn ordered(routes: Vec<KeyRoute>, entries: &[Entry<'_>]) -> Vec<KeyRoute> {
    let first = |subject: &Subject| entries.iter().position(|entry| entry.subject == *subject);
    let moments = |index: usize| entries.get(index).and_then(|entry| entry.phases).map_or(usize::MAX, count);
    let mut indexed: Vec<(usize, KeyRoute)> = routes.into_iter().enumerate().collect();
    indexed.sort_by_key(|(index, route)| (rank(&route.subject), first(&route.subject), moments(*index)));
    indexed.into_iter().map(|(_, route)| route).collect()
}
