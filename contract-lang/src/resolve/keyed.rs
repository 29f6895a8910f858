//! Keys: which paths make the key of which events, and how many instances may live.

mod cover;
mod route;

use contract_runtime::WhenFull;

pub(crate) use self::cover::covers;
pub(super) use self::cover::{described, rank};
use self::route::Entry;
use super::pattern;
use super::resolver::{Resolver, written};
use super::role::Role;
use crate::ast::{self, Instances, Per, PerTool};
use crate::diagnostic::{Code, Diagnostic, Goal};
use crate::mir::{Glob, Keyed, Missing, Names, Pattern, Subject};
use crate::source::Span;

/// Most instances of one rule.
const MOST: u64 = 10_000_000;

/// The bound that is suggested where there is none.
const SUGGESTED: usize = 10_000;

/// Of how many retired keys is remembered that they were, where the contract does not say.
const REMEMBERED: u32 = 100_000;

/// Most paths of one `per`, groups included: each is compared with all others.
const MOST_PATHS: usize = 512;

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
    /// The key of a rule with these patterns, those that guard included: each of their events has one. `file` is the
    /// contract's own `instances`.
    pub(super) fn keyed(
        &mut self,
        per: &Per,
        rule: &ast::Rule,
        file: Option<&Instances>,
        patterns: &[(&Pattern, Span)],
    ) -> Option<Keyed> {
        let own = rule.instances.as_ref();
        let max = self.bound(per, rule, file);
        let close = own.and_then(|own| own.close_on.as_ref()).or_else(|| file.and_then(|file| file.close_on.as_ref()));
        let close_on = close.map(|source| self.pattern(source, &Role::CLOSE));
        let close_span = close.map_or(per.span(), |source| source.span);
        let mut patterns = patterns.to_vec();
        patterns.extend(close_on.iter().flatten().map(|pattern| (pattern, close_span)));
        let entries = self.entries(per, &patterns);
        let routes = entries.and_then(|entries| self.routes(&entries, per.span(), &patterns));
        let close_on = match close_on {
            None => None,
            Some(pattern) => Some(pattern?),
        };
        let when_full = own.and_then(|own| own.when_full).or_else(|| file.and_then(|file| file.when_full));
        let when_full = match when_full.map(|word| word.value) {
            Some(ast::WhenFull::Alert) => WhenFull::Alert,
            Some(ast::WhenFull::Evict) => WhenFull::Evict,
            Some(ast::WhenFull::Block) | None => WhenFull::Block,
        };
        let idle = own.and_then(|own| own.idle).or_else(|| file.and_then(|file| file.idle));
        if when_full != WhenFull::Evict && idle.is_none() {
            self.refuse_remember(own);
        }
        let remember = own.and_then(|own| own.remember).or_else(|| file.and_then(|file| file.remember));
        Some(Keyed {
            routes: routes?,
            max: max?,
            when_full,
            idle: idle.map(|idle| idle.value.duration()),
            remember: remember.and_then(|most| u32::try_from(most.value.get()).ok()).unwrap_or(REMEMBERED),
            missing: match rule.missing.map(|word| word.value) {
                Some(ast::Missing::Skip) => Missing::Skip,
                Some(ast::Missing::Block) | None => Missing::Block,
            },
            close_on,
        })
    }

    fn bound(&mut self, per: &Per, rule: &ast::Rule, file: Option<&Instances>) -> Option<usize> {
        let own = rule.instances.as_ref();
        let Some(max) = own.and_then(|own| own.max).or_else(|| file.and_then(|file| file.max)) else {
            let message = "the rule keeps something for every key, and has no bound";
            let help = format!("write `instances: {{ max: {SUGGESTED} }}` in the rule, or once in the contract");
            let shown = Goal::call().by(&rule.id.value.0);
            self.report(Diagnostic::new(Code::NoBound, per.span(), message).help(help).goal(shown));
            return Some(SUGGESTED);
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

    /// Nothing is remembered of retired keys where none is retired.
    fn refuse_remember(&mut self, own: Option<&Instances>) {
        if let Some(remember) = own.and_then(|own| own.remember) {
            let message = "`remember` is about retired keys, and this rule retires none";
            let help = "leave it out, or add `when_full: evict` or `idle: 1h`";
            self.report(Diagnostic::new(Code::UnknownField, remember.span, message).help(help));
        }
    }

    /// The entries of `per`, one for each subject.
    fn entries<'p>(&mut self, per: &'p Per, patterns: &[(&Pattern, Span)]) -> Option<Vec<Entry<'p>>> {
        match per {
            PerTool::Same(paths) => {
                let anything = Subject::Tools(Names { server: None, tool: Glob::new("*") });
                let entry = Entry { subject: anything, phases: None, paths, span: paths.span };
                self.no_events(patterns).then(|| vec![entry])
            }
            PerTool::ByTool(tools) => {
                let mut entries = Vec::new();
                let mut complete = tools.broken.is_empty();
                for (name, paths) in tools {
                    let scope = self.scope;
                    let subjects =
                        written(name, |written| pattern::moments(written, &scope, self.groups, self.diagnostics));
                    complete &= subjects.is_some();
                    entries.extend(subjects.into_iter().flatten().map(|(subject, phases)| Entry {
                        subject,
                        phases,
                        paths,
                        span: name.span,
                    }));
                }
                if entries.len() > MOST_PATHS {
                    let message = format!("`per` gives {} paths, and {MOST_PATHS} is the most", entries.len());
                    self.report(Diagnostic::new(Code::BadValue, per.span(), message).help("use globs"));
                    return None;
                }
                complete.then_some(entries)
            }
        }
    }

    /// One path for all is a path into arguments, which host events do not have.
    fn no_events(&mut self, patterns: &[(&Pattern, Span)]) -> bool {
        let before = self.diagnostics.len();
        for (alternative, span) in route::alternatives(patterns) {
            if let Subject::Event(name) = &alternative.subject {
                let name = name.as_str();
                let message = format!("the event `{name}` has no key: `per` is a path into the arguments of a call");
                let help = format!(
                    "give a path for each, such as `per: {{ any: args.id, event({name}): event.id }}`; the path `\"*\"` is \
                     every key"
                );
                self.report(Diagnostic::new(Code::KeyMissing, span, message).help(help));
            }
        }
        self.diagnostics.len() == before
    }
}

#[cfg(test)]
mod tests;
