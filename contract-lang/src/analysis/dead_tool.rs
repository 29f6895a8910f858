//! A tool that is named and of which no call can ever run.
//!
//! The product of the rules that may stop it admits no call of it, whatever happened before. The claim is proved: the product has
//! every session of the contract. What is plainly meant is not reported: a `forbid` or `n: 0` without a condition, and a `default`
//! or `undeclared` that is written down.

use std::collections::BTreeMap;

use contract_runtime::{Decision, Effect, Verdict};

use super::context::Context;
use super::keys::by_key;
use super::model::{Moment, Space};
use super::stops::Stops;
use crate::diagnostic::{Certainty, Code, Diagnostic, Diagnostics, Goal, Level};
use crate::mir::{Alternative, Kind, Register, Rule, Subject};
use crate::source::Span;

/// Looks at every tool that a pattern, a declaration or a catalog names.
pub(super) fn check(context: &Context<'_>, diagnostics: &mut Diagnostics) {
    let mut tools: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (index, subject) in context.model.subjects().iter().enumerate() {
        if let Some(tool) = subject.tool() {
            tools.entry(tool).or_default().push(index);
        }
    }
    for (tool, subjects) in tools {
        // Whatever its server.
        let dead = subjects.iter().map(|subject| stops(context, *subject, tool)).collect::<Option<Vec<_>>>();
        let Some((stops, never)) = dead.and_then(|dead| dead.into_iter().next()) else { continue };
        if let Some(span) = place(context, tool, &stops).filter(|_| !is_meant(context, tool, &subjects, &stops)) {
            diagnostics.push(finding(context, &stops, never, span));
        }
    }
}

/// What stops every call of a tool, and whether that is because rules are never established.
fn stops(context: &Context<'_>, subject: usize, tool: &str) -> Option<(Stops, bool)> {
    let focus = context.model.focus_on(subject)?;
    for focus in by_key(context, focus) {
        let Some(space) = context.model.space(&focus).exhausted() else {
            let place = context.model.touching(subject).first().and_then(|rule| context.place(*rule));
            context.gave_up(place, "whether some tool can never be called");
            continue;
        };
        let calls: Vec<usize> = calls(&space, subject);
        let runs = |state: usize| space.edges(state).iter().any(|edge| calls.contains(&edge.class));
        if calls.is_empty() || space.states().any(runs) {
            continue;
        }
        let stops = Stops::of(context, &space, 0, tool)?;
        let violated = |rule: &usize| {
            let may =
                |state: usize| calls.iter().any(|class| space.verdicts(state, *class, *rule).may(Verdict::Violated));
            space.states().any(may)
        };
        let never = !stops.rules.is_empty() && !stops.rules.iter().any(violated);
        return Some((stops, never));
    }
    None
}

/// The classes of the calls of a tool with the key that is looked at.
fn calls(space: &Space<'_, '_>, subject: usize) -> Vec<usize> {
    let classes = space.classes().iter().enumerate();
    let calls = classes.filter(|(_, class)| class.subject == subject && class.moment == Moment::Call);
    calls.map(|(class, _)| class).filter(|class| space.is_about_the_key(*class)).collect()
}

/// Whether somebody has written down that the tool is not to be called.
fn is_meant(context: &Context<'_>, tool: &str, subjects: &[usize], stops: &Stops) -> bool {
    let names = |one: &Alternative| {
        let named = match &one.subject {
            Subject::Tools(names) => names.server.is_none() && names.tool.matches(tool),
            Subject::Effect(_) => true,
            Subject::Event(_) => false,
        };
        one.phases.call && one.condition.is_none() && named
    };
    let rules =
        subjects.iter().flat_map(|subject| context.model.touching(*subject)).filter_map(|rule| context.rule(*rule));
    let mut forbidding = rules.filter(|rule| match &rule.kind {
        Kind::Automaton { template, .. } => *template == "forbid",
        Kind::Register { register: Register::Count { limit }, .. } => *limit == 0,
        _ => false,
    });
    let by_table = stops.rules.iter().any(|rule| context.rule(*rule).is_some_and(stops_what_is_fine));
    let by_rule =
        by_table || forbidding.any(|rule| rule.patterns().iter().flat_map(|pattern| &pattern.alternatives).any(names));
    let written = context.written.default.is_some() || context.written.undeclared.is_some();
    by_rule || stops.rules.is_empty() && written
}

/// Whether a `decide` says that calls are stopped of which the rule has nothing to say.
fn stops_what_is_fine(rule: &Rule) -> bool {
    let effects = [Effect::Read, Effect::Write, Effect::Irreversible];
    let fine = [Verdict::Satisfied, Verdict::Open, Verdict::Pending];
    fine.iter().any(|verdict| effects.iter().any(|effect| rule.table.decide(*verdict, *effect) == Decision::Block))
}

/// Where the tool is declared, or else a rule that stops it.
fn place(context: &Context<'_>, tool: &str, stops: &Stops) -> Option<Span> {
    let declared = context.written.tools.iter().find(|(name, _)| name.text == tool).map(|(name, _)| name.span);
    declared.or_else(|| stops.rules.iter().next().and_then(|rule| context.place(*rule)))
}

fn finding(context: &Context<'_>, stops: &Stops, never: bool, span: Span) -> Diagnostic {
    let (tool, by) = (&stops.tool, stops.by(context));
    let (message, help) = match (stops.rules.is_empty(), never) {
        (true, _) => (
            format!("no call of `{tool}` can ever run: it counts as irreversible, and no rule speaks of it"),
            "say in a rule when it may run, or write `forbid` or `default` if it must not",
        ),
        (false, true) => (
            format!("no call of `{tool}` can ever run: {by} can never be established for it"),
            "commit what the rule reads, let what it waits for happen, or say under `decide` what follows while it is not established",
        ),
        (false, false) => (
            format!(
                "no call of `{tool}` can ever run: {by} {} every one",
                if stops.is_plural() { "stop" } else { "stops" }
            ),
            "see whether what the rules wait for can happen; write `forbid` if the tool must not be called",
        ),
    };
    let mut diagnostic = Diagnostic::new(Code::DeadTool, span, message).help(help).certainty(Certainty::Proved);
    if stops.rules.is_empty() {
        // That is what the default is for; and yet who declares a tool will mostly want it called.
        diagnostic.level = Level::Note;
    }
    let mut goal = Goal::call().tool(tool).decided(Decision::Block);
    for rule in &stops.rules {
        if let Some(place) = context.place(*rule).filter(|place| *place != span) {
            diagnostic = diagnostic.related(place, "stops it");
        }
    }
    if let Some(rule) = stops.rules.iter().next().and_then(|rule| context.rule(*rule)) {
        diagnostic.rule = Some(rule.id.clone());
        goal = goal.by(&rule.id);
    }
    diagnostic.goal(goal)
}
