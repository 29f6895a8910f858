//! Keys: which paths make the key of which events, and how many instances may live.

use super::key::{self, Of};
use super::pattern;
use super::resolver::{Resolver, written};
use super::role::Role;
use crate::ast::{Instances, Per, Source};
use crate::automaton::overlap;
use crate::diagnostic::{Code, Diagnostic};
use crate::mir::{Alternative, Glob, KeyRoute, Keyed, Names, Pattern, Subject};
use crate::source::Span;

/// Most instances of one rule.
const MOST: u64 = 10_000_000;

impl Per {
    /// Where it stands.
    pub(crate) fn span(&self) -> Span {
        match self {
            Self::Same(paths) => paths.span,
            Self::ByTool(tools) => {
                let ends = tools.iter().map(|(tool, paths)| tool.span.to(paths.span));
                ends.reduce(Span::to).unwrap_or_default()
            }
        }
    }
}

impl Resolver<'_> {
    /// The key of a rule with these patterns; `file` is the contract's own `instances`.
    pub(super) fn keyed(
        &mut self,
        per: &Per,
        own: Option<&Instances>,
        file: Option<&Instances>,
        patterns: &[(&Pattern, Span)],
    ) -> Option<Keyed> {
        let max = self.bound(per, own, file);
        let close = own.and_then(|own| own.close_on.as_ref()).or_else(|| file.and_then(|file| file.close_on.as_ref()));
        let close_on = close.map(|source| self.pattern(source, &Role::CLOSE, None));
        let close_span = close.map_or(per.span(), |source| source.span);
        let mut patterns = patterns.to_vec();
        patterns.extend(close_on.iter().flatten().map(|pattern| (pattern, close_span)));
        let routes = match per {
            Per::Same(paths) => self.same(&paths.items, &patterns),
            Per::ByTool(tools) => self.by_tool(&tools.entries, &patterns),
        };
        let close_on = match close_on {
            None => None,
            Some(pattern) => Some(pattern?),
        };
        Some(Keyed { routes: routes?, max: max?, close_on })
    }

    fn bound(&mut self, per: &Per, own: Option<&Instances>, file: Option<&Instances>) -> Option<usize> {
        let Some(max) = own.and_then(|own| own.max).or_else(|| file.and_then(|file| file.max)) else {
            let message = "the rule keeps something for every key, and has no bound";
            let help = "write `instances: { max: 10000 }` in the rule, or once in the contract";
            self.report(Diagnostic::new(Code::NoBound, per.span(), message).help(help));
            return None;
        };
        if max.value.get() > MOST {
            let message = format!("`{}` instances are more than a rule may keep", max.value.get());
            let diagnostic = Diagnostic::new(Code::BadValue, max.span, message);
            if !self.diagnostics.iter().any(|known| known.code == Code::BadValue && known.primary.span == max.span) {
                self.report(diagnostic.help(format!("write at most {MOST}")));
            }
            return None;
        }
        usize::try_from(max.value.get()).ok()
    }

    /// One key for all tools of the rule.
    fn same(&mut self, paths: &[Source], patterns: &[(&Pattern, Span)]) -> Option<Vec<KeyRoute>> {
        let anything = Names { server: None, tool: Glob::new("*") };
        let subject = Subject::Tools(anything);
        let mut complete = true;
        for (alternative, span) in alternatives(patterns) {
            if let Subject::Event(name) = &alternative.subject {
                let name = name.as_str();
                let message = format!("the event `{name}` has no key: `per` is a path into the arguments of a call");
                let help = format!("give a path for each, such as `per: {{ tool: args.id, event({name}): event.id }}`");
                self.report(Diagnostic::new(Code::KeyMissing, span, message).help(help));
                complete = false;
            }
        }
        let parts = self.parts(paths, of(&subject, patterns))?;
        complete.then(|| vec![KeyRoute { subject, parts }])
    }

    /// A key for each tool of the rule; exact names come before globs.
    fn by_tool(
        &mut self,
        entries: &[(Source, crate::decode::OneOrMany<Source>)],
        patterns: &[(&Pattern, Span)],
    ) -> Option<Vec<KeyRoute>> {
        let mut routes: Vec<(KeyRoute, Span)> = Vec::new();
        let mut complete = true;
        for (name, paths) in entries {
            let scope = self.scope;
            let subjects = written(name, |written| pattern::subjects(written, &scope, self.groups, self.diagnostics));
            let Some(subjects) = subjects else {
                complete = false;
                continue;
            };
            if let Some((first, span)) = routes.first()
                && first.parts.len() != paths.items.len()
            {
                let message = "the keys of one rule have the same number of parts";
                let diagnostic = Diagnostic::new(Code::BadValue, paths.span, message);
                self.report(diagnostic.related(*span, format!("there are {} parts here", first.parts.len())));
                complete = false;
            }
            for subject in subjects {
                if let Some((_, first)) = routes.iter().find(|(route, _)| route.subject == subject) {
                    let message = format!("`{}` has two keys", described(&subject));
                    let diagnostic = Diagnostic::new(Code::DuplicateKey, name.span, message);
                    self.report(diagnostic.related(*first, "one is here"));
                    complete = false;
                    continue;
                }
                match self.parts(&paths.items, of(&subject, patterns)) {
                    Some(parts) => routes.push((KeyRoute { subject, parts }, name.span)),
                    None => complete = false,
                }
            }
        }
        if complete {
            complete = self.covers(&routes, patterns);
        }
        routes.sort_by_key(|(route, _)| rank(&route.subject));
        complete.then(|| routes.into_iter().map(|(route, _)| route).collect())
    }

    fn covers(&mut self, routes: &[(KeyRoute, Span)], patterns: &[(&Pattern, Span)]) -> bool {
        let mut missing: Vec<(&Subject, Span)> = Vec::new();
        for (alternative, span) in alternatives(patterns) {
            let subject = &alternative.subject;
            let covered = routes.iter().any(|(route, _)| covers(&route.subject, subject));
            if !covered && !missing.iter().any(|(known, _)| *known == subject) {
                missing.push((subject, span));
            }
        }
        for (subject, span) in &missing {
            let name = described(subject);
            let root = if matches!(subject, Subject::Event(_)) { "event" } else { "args" };
            let help = format!("add `{name}: {root}.…` to `per`");
            let diagnostic = Diagnostic::new(Code::KeyMissing, *span, format!("`per` gives no path for `{name}`"));
            let place = routes.iter().map(|(_, span)| *span).reduce(Span::to);
            self.report(
                place.iter().fold(diagnostic, |found, place| found.related(*place, "`per` is here")).help(help),
            );
        }
        missing.is_empty()
    }

    fn parts(&mut self, paths: &[Source], of: Of) -> Option<Vec<crate::mir::Expr>> {
        let scope = self.scope;
        let mut check = |source| written(source, |written| key::check(written, of, &scope, self.diagnostics));
        let parts: Vec<_> = paths.iter().map(&mut check).collect();
        parts.into_iter().collect()
    }
}

fn alternatives<'p>(patterns: &[(&'p Pattern, Span)]) -> impl Iterator<Item = (&'p Alternative, Span)> {
    patterns.iter().flat_map(|(pattern, span)| pattern.alternatives.iter().map(|alternative| (alternative, *span)))
}

/// What the key of a subject can read: a result only where the rule never asks for the key of its calls.
fn of(subject: &Subject, patterns: &[(&Pattern, Span)]) -> Of {
    if matches!(subject, Subject::Event(_)) {
        return Of::Event;
    }
    let concerned = |alternative: &Alternative| match (subject, &alternative.subject) {
        (_, Subject::Event(_)) => false,
        (Subject::Tools(route), Subject::Tools(names)) => overlap(route, names),
        _ => true,
    };
    let concerned: Vec<&Alternative> =
        alternatives(patterns).map(|(alternative, _)| alternative).filter(|each| concerned(each)).collect();
    let calls = concerned.is_empty() || concerned.iter().any(|alternative| alternative.phases.call);
    if calls { Of::Calls } else { Of::Results }
}

/// Exact names come before globs, and names on a server before names on any.
fn rank(subject: &Subject) -> (bool, bool) {
    match subject {
        Subject::Tools(names) => (!names.tool.is_literal(), names.server.is_none()),
        Subject::Event(glob) => (!glob.is_literal(), true),
        Subject::Effect(_) => (true, true),
    }
}

/// Whether every event of one subject is an event of the route's.
fn covers(route: &Subject, subject: &Subject) -> bool {
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
fn described(subject: &Subject) -> String {
    match subject {
        Subject::Tools(Names { server: None, tool }) => tool.as_str().to_owned(),
        Subject::Tools(Names { server: Some(server), tool }) => format!("{}::{}", server.as_str(), tool.as_str()),
        Subject::Effect(effect) => format!("effect({})", effect.as_str()),
        Subject::Event(glob) => format!("event({})", glob.as_str()),
    }
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
