//! Every predicate of a contract where it stands: on which events it is asked, and what holds of these besides.

use super::context::Context;
use super::model::theory::Known;
use crate::ast::{self, Source};
use crate::diagnostic::Goal;
use crate::lint::placed;
use crate::mir::{Alternative, Expr, Kind, Pattern, Rule, Subject};
use crate::source::Span;

/// A predicate where it stands.
pub(super) struct Site<'s> {
    pub(super) predicate: &'s Expr,
    /// The events on which it is asked, each with what holds of them besides.
    pub(super) asked: Vec<(Known<'s>, Option<&'s Expr>)>,
    pub(super) span: Span,
    /// Its text, if it stands alone.
    pub(super) source: Option<&'s Source>,
    /// What to call it.
    pub(super) what: String,
    /// Whether it must hold. Others say of which events something holds.
    pub(super) demanded: bool,
    pub(super) rule: Option<&'s str>,
    /// A session in which it is asked.
    pub(super) goal: Option<Goal>,
}

impl<'s> Site<'s> {
    /// The condition of a pattern, in an alternative of it.
    fn condition(pattern: &'s Pattern, alternative: &'s Alternative, span: Span) -> Option<Self> {
        Some(Self {
            predicate: alternative.condition.as_ref()?,
            asked: moments(alternative).into_iter().map(|known| (known, None)).collect(),
            span,
            source: None,
            what: format!("the condition of `{}`", pattern.text),
            demanded: false,
            rule: None,
            goal: tool(&alternative.subject).filter(|_| alternative.phases.call).map(|tool| Goal::call().tool(tool)),
        })
    }

    /// A predicate with a place of its own.
    fn alone(predicate: &'s Expr, source: &'s Source, asked: Vec<(Known<'s>, Option<&'s Expr>)>) -> Self {
        Self {
            predicate,
            asked,
            span: source.span,
            source: Some(source),
            what: format!("`{}`", source.text),
            demanded: false,
            rule: None,
            goal: None,
        }
    }
}

/// All predicates.
pub(super) fn sites<'s>(context: &Context<'s>) -> Vec<Site<'s>> {
    let rules = context.rules().flat_map(|(rule, written)| of_rule(rule, written));
    rules.chain(of_commits(context)).chain(of_tools(context)).collect()
}

/// The conditions of a rule's patterns, and its clauses.
fn of_rule<'s>(rule: &'s Rule, written: &'s ast::Rule) -> Vec<Site<'s>> {
    let mut sites = Vec::new();
    for (pattern, span) in placed(rule, written) {
        sites.extend(pattern.alternatives.iter().filter_map(|one| Site::condition(pattern, one, span)));
    }
    let clauses = match (&rule.kind, &written.kind) {
        (Kind::Require { pattern, clauses }, ast::Kind::Require(require)) => {
            Some((pattern, clauses, &require.require, Goal::call().spoken_of(&rule.id)))
        }
        (Kind::Ensure { pattern, clauses }, ast::Kind::Ensure(ensure)) => {
            Some((pattern, clauses, &ensure.ensure, Goal::call()))
        }
        _ => None,
    };
    if let Some((pattern, clauses, sources, goal)) = clauses {
        sites.extend(clauses.iter().zip(sources.iter()).map(|(clause, source)| {
            let site = Site::alone(&clause.predicate, source, occasions(pattern));
            Site { demanded: true, goal: Some(goal.clone()), ..site }
        }));
    }
    for site in &mut sites {
        site.rule = Some(&rule.id);
    }
    sites
}

fn of_commits<'s>(context: &Context<'s>) -> Vec<Site<'s>> {
    let mut sites = Vec::new();
    for (commit, written) in context.lowered.contract.commits.iter().zip(&context.lowered.commits) {
        let conditions = commit.after.alternatives.iter();
        sites.extend(conditions.filter_map(|one| Site::condition(&commit.after, one, written.after.span)));
        let when = commit.when.iter().zip(&written.when);
        sites.extend(when.map(|(when, source)| Site::alone(when, source, occasions(&commit.after))));
    }
    sites
}

fn of_tools<'s>(context: &Context<'s>) -> Vec<Site<'s>> {
    let mut sites = Vec::new();
    for (tool, (name, written)) in context.lowered.contract.tools.iter().zip(context.written.tools.iter()) {
        let named = tool.names.tool.is_literal().then(|| tool.names.tool.as_str());
        let succeeds = tool.succeeds_when.iter().zip(&written.succeeds_when);
        let of_result = |(predicate, source)| Site::alone(predicate, source, vec![(Known::result(named), None)]);
        let cases = match &written.effect {
            Some(ast::Effects::Cases(cases)) => cases.items.as_slice(),
            _ => &[],
        };
        let effects = tool.effect.iter().zip(cases).filter_map(|(case, written)| {
            Some(Site::alone(case.when.as_ref()?, written.when.as_ref()?, vec![(Known::call(named), None)]))
        });
        let goal = Goal::call().tool(&name.text);
        sites.extend(succeeds.map(of_result).chain(effects).map(|site| Site { goal: Some(goal.clone()), ..site }));
    }
    sites
}

/// The events of a pattern, each with its condition.
fn occasions(pattern: &Pattern) -> Vec<(Known<'_>, Option<&Expr>)> {
    let mut occasions = Vec::new();
    for one in &pattern.alternatives {
        occasions.extend(moments(one).into_iter().map(|known| (known, one.condition.as_ref())));
    }
    occasions
}

/// What is known of the events of an alternative.
fn moments(alternative: &Alternative) -> Vec<Known<'_>> {
    let (phases, tool) = (alternative.phases, tool(&alternative.subject));
    let call = phases.call.then(|| Known::call(tool));
    let result = phases.result().then(|| Known::result(tool));
    call.into_iter().chain(result).chain(phases.event.then(Known::event)).collect()
}

/// The tool, if it is one.
fn tool(subject: &Subject) -> Option<&str> {
    match subject {
        Subject::Tools(names) if names.tool.is_literal() => Some(names.tool.as_str()),
        _ => None,
    }
}
