//! Resolves patterns: groups are expanded, every alternative gets its phases, conditions are checked against what can be
//! read at those moments.
//!
//! INVARIANT: a resolved pattern has at most [`MAX_ALTERNATIVES`] alternatives, whatever its groups.

mod subject;

use std::ops::Range;

use contract_runtime::Effect;

pub use self::subject::{moments, names, subjects};
use super::expr;
use super::group::Groups;
use super::role::{self, Role};
use super::scope::{Roots, Scope};
use crate::diagnostic::{Code, Diagnostic, Diagnostics, nearest};
use crate::mir::{self, Glob, Names, Phases, Subject};
use crate::source::Spanned;
use crate::syntax::parse;
use crate::syntax::pattern::{Alternative, Phase};
use crate::syntax::written::Written;

/// The most alternatives of a pattern, groups expanded.
pub const MAX_ALTERNATIVES: usize = 512;

/// A resolved pattern and the tools that it names itself (those that its groups name are listed with the groups).
#[derive(Clone, Debug, PartialEq)]
pub struct Resolved {
    /// The pattern.
    pub pattern: mir::Pattern,
    /// Every name that is not a glob, with its place.
    pub tools: Vec<Spanned<Names>>,
}

/// Resolves a pattern in its role.
pub fn resolve(
    written: Written<'_>,
    role: &Role,
    scope: &Scope<'_>,
    groups: &Groups,
    diagnostics: &mut Diagnostics,
) -> Option<Resolved> {
    let mut reader = Reader::new(written, scope, groups, Some(role.bare), diagnostics);
    let members = reader.members();
    let (tools, spelled) = (reader.tools, reader.spelled.join(" | "));
    let mut alternatives = Vec::new();
    let mut complete = true;
    for member in members? {
        match place(member, role, written, diagnostics) {
            Some(alternative) => alternatives.push(alternative),
            None => complete = false,
        }
    }
    let pattern = mir::Pattern { alternatives, text: written.source_text(), spelled, name: None };
    complete.then_some(Resolved { pattern, tools })
}

/// One alternative before its role is known.
#[derive(Clone, Debug)]
pub(super) struct Member {
    pub(super) phases: Option<Phases>,
    pub(super) subject: Subject,
    pub(super) condition: Option<mir::Expr>,
    pub(super) reads: Roots,
    /// The name as it stands in the pattern, perhaps that of a group.
    pub(super) name: String,
    pub(super) range: Range<usize>,
}

/// Gives an alternative its phases.
fn place(member: Member, role: &Role, written: Written<'_>, diagnostics: &mut Diagnostics) -> Option<mir::Alternative> {
    let Member { phases, subject, condition, reads, name, range } = member;
    let span = written.span(&range);
    let Some(phases) = phases.or(bare_phases(&subject, role.bare)) else {
        let message = format!("`{name}` has no phase");
        let diagnostic = Diagnostic::new(Code::MissingPhase, span, message);
        let advice = format!("write `ok({name})` for a success, `done({name})` for any outcome");
        let calls =
            if role.allowed.call { format!(", `call({name})` for the call before it runs") } else { String::new() };
        let events = match (role.allowed.event, &subject) {
            (true, Subject::Tools(_)) => format!(", `event({name})` for an event of the host"),
            _ => String::new(),
        };
        push_once(diagnostic.help(format!("{advice}{calls}{events}")), diagnostics);
        return None;
    };
    if !role::within(phases, role.allowed) {
        let message = format!("`{}({name})` cannot be {}", role::spelled(phases), role.what);
        let diagnostic = Diagnostic::new(Code::WrongPhase, span, message);
        let diagnostic = match (&subject, role.allowed.call) {
            (Subject::Event(_), true) => diagnostic.help("write the name of a tool"),
            (_, true) => diagnostic.help(format!("a result comes too late: write `{name}`")),
            (Subject::Tools(_), false) => {
                diagnostic.help(format!("a call proves nothing before it has run: write `ok({name})`"))
            }
            (_, false) => diagnostic.help("write `ok(tool)` for each tool"),
        };
        push_once(diagnostic, diagnostics);
        return None;
    }
    let unreadable = reads.without(Roots::at(phases));
    if unreadable != Roots::NONE {
        let message =
            format!("`{name}` reads {}, which `{}(…)` does not have", unreadable.listed(), role::spelled(phases));
        let help = format!("{} can be read there", Roots::at(phases).listed());
        push_once(Diagnostic::new(Code::NotReadable, span, message).help(help), diagnostics);
        return None;
    }
    Some(mir::Alternative { phases, subject, condition })
}

/// Reports a mistake that several alternatives may share: those of one group.
fn push_once(diagnostic: Diagnostic, diagnostics: &mut Diagnostics) {
    if !diagnostics.iter().any(|known| *known == diagnostic) {
        diagnostics.push(diagnostic);
    }
}

fn bare_phases(subject: &Subject, bare: Option<Phases>) -> Option<Phases> {
    match subject {
        Subject::Effect(_) => bare.or(Some(role::EFFECT_DEFAULT)),
        Subject::Tools(_) | Subject::Event(_) => bare,
    }
}

/// Both conditions, flat.
pub(super) fn conjoined(first: Option<mir::Expr>, second: mir::Expr) -> mir::Expr {
    let Some(first) = first else { return second };
    let parts = [first, second].into_iter().flat_map(|part| match part {
        mir::Expr::And(inner) => inner,
        other => vec![other],
    });
    mir::Expr::And(parts.collect())
}

/// Splits `server::tool`; `any` is `*`. `None` if a side is empty.
pub(crate) fn tool_names(text: &str) -> Option<Names> {
    let glob = |part: &str| Glob::new(if part == "any" { "*" } else { part });
    match text.split_once("::") {
        Some((server, tool)) => {
            (!server.is_empty() && !tool.is_empty()).then(|| Names { server: Some(glob(server)), tool: glob(tool) })
        }
        None => Some(Names { server: None, tool: glob(text) }),
    }
}

fn bad_server(written: Written<'_>, range: &Range<usize>, name: &str) -> Diagnostic {
    Diagnostic::new(Code::ExpressionSyntax, written.span(range), format!("`{name}` lacks a server or a tool"))
        .help("write `server::tool`, with `*` for any")
}

/// Reads the alternatives of one pattern.
pub(super) struct Reader<'a> {
    pub(super) written: Written<'a>,
    pub(super) scope: &'a Scope<'a>,
    pub(super) groups: &'a Groups,
    /// The phases of bare tools; the outer `None` in groups, whose role is not known yet.
    pub(super) bare: Option<Option<Phases>>,
    pub(super) tools: Vec<Spanned<Names>>,
    /// Each alternative with its moment, where that is known.
    spelled: Vec<String>,
    pub(super) diagnostics: &'a mut Diagnostics,
}

impl<'a> Reader<'a> {
    pub(super) fn new(
        written: Written<'a>,
        scope: &'a Scope<'a>,
        groups: &'a Groups,
        bare: Option<Option<Phases>>,
        diagnostics: &'a mut Diagnostics,
    ) -> Self {
        Self { written, scope, groups, bare, tools: Vec::new(), spelled: Vec::new(), diagnostics }
    }
}

impl Reader<'_> {
    /// All alternatives, groups expanded.
    pub(super) fn members(&mut self) -> Option<Vec<Member>> {
        let tree = parse::pattern(self.written.text);
        let tree = tree.map_err(|flaw| self.diagnostics.push(flaw.at(self.written))).ok()?;
        let mut members = Vec::new();
        let mut complete = true;
        for alternative in &tree.alternatives {
            match self.alternative(alternative) {
                Some(found) => {
                    self.spell(alternative, &found);
                    members.extend(found);
                }
                None => complete = false,
            }
            if members.len() > MAX_ALTERNATIVES {
                let message = format!("the pattern has more than {MAX_ALTERNATIVES} alternatives, groups included");
                return self.report(Code::BadValue, &alternative.name.range, message, "use globs");
            }
        }
        complete.then_some(members)
    }

    fn alternative(&mut self, alternative: &Alternative) -> Option<Vec<Member>> {
        let mut members = self.selected(alternative);
        let Some(condition) = &alternative.condition else { return members };
        let roots = members.iter().flatten().map(|member| self.roots(member)).reduce(Roots::and);
        let scope = self.scope.reading(roots.unwrap_or(Roots::OF_RESULT | Roots::EVENT));
        let checked = expr::check_predicate(condition, self.written, &scope, self.diagnostics)?;
        for member in members.iter_mut().flatten() {
            member.condition = Some(conjoined(member.condition.take(), checked.expr.clone()));
            member.reads = member.reads | checked.reads;
        }
        members
    }

    fn spell(&mut self, alternative: &Alternative, members: &[Member]) {
        let has_moment = alternative.phase.is_some() || members.iter().any(|member| member.phases.is_some());
        self.spelled.push(match self.bare.flatten() {
            Some(bare) if !has_moment => format!("{}({alternative})", role::spelled(bare)),
            _ => alternative.to_string(),
        });
    }

    /// What can be read by the condition of an alternative. A group does not know yet what its bare tools will be.
    fn roots(&self, member: &Member) -> Roots {
        let bare = self.bare.and_then(|bare| bare_phases(&member.subject, bare));
        member.phases.or(bare).map_or(Roots::OF_RESULT, Roots::at)
    }

    fn selected(&mut self, alternative: &Alternative) -> Option<Vec<Member>> {
        let name = alternative.name.text.as_str();
        let range = &alternative.name.range;
        let phases = alternative.phase.and_then(role::phases);
        let subject = match alternative.phase {
            Some(Phase::Event) => Subject::Event(Glob::new(if name == "any" { "*" } else { name })),
            Some(Phase::Effect) => Subject::Effect(self.effect(name, range)?),
            _ => match self.groups.find(name) {
                Some(group) => {
                    let members = group.members(self.written, range, self.diagnostics)?;
                    return self.expanded(members, alternative, phases);
                }
                None => Subject::Tools(self.tool(name, range)?),
            },
        };
        let name = name.to_owned();
        Some(vec![Member { phases, subject, condition: None, reads: Roots::NONE, name, range: range.clone() }])
    }

    /// The members of a group, at the place where it is named.
    fn expanded(
        &mut self,
        members: &[Member],
        alternative: &Alternative,
        phases: Option<Phases>,
    ) -> Option<Vec<Member>> {
        let name = &alternative.name;
        if let (Some(outer), Some(_)) = (alternative.phase, members.iter().find(|member| member.phases.is_some())) {
            let message = format!("`{}(…)` around a group that has phases of its own", outer.as_str());
            return self.report(Code::WrongPhase, &name.range, message, "write the name of the group alone");
        }
        let placed = members.iter().map(|member| Member {
            phases: member.phases.or(phases),
            name: name.text.clone(),
            range: name.range.clone(),
            ..member.clone()
        });
        Some(placed.collect())
    }

    fn tool(&mut self, name: &str, range: &Range<usize>) -> Option<Names> {
        let Some(names) = tool_names(name) else {
            self.diagnostics.push(bad_server(self.written, range, name));
            return None;
        };
        if names.tool.is_literal() {
            self.tools.push(Spanned::new(names.clone(), self.written.span(range)));
        }
        Some(names)
    }

    fn effect(&mut self, name: &str, range: &Range<usize>) -> Option<Effect> {
        const EFFECTS: [(&str, Effect); 3] =
            [("read", Effect::Read), ("write", Effect::Write), ("irreversible", Effect::Irreversible)];
        if let Some((_, effect)) = EFFECTS.into_iter().find(|(known, _)| *known == name) {
            return Some(effect);
        }
        let message = format!("`{name}` is not an effect");
        match nearest(name, EFFECTS.map(|(known, _)| known)) {
            Some(near) => {
                let span = self.written.span(range);
                let diagnostic = Diagnostic::new(Code::UnknownName, span, message);
                self.diagnostics.push(diagnostic.suggest(format!("did you mean `{near}`?"), span, near));
                None
            }
            None => self.report(Code::UnknownName, range, message, "write `read`, `write` or `irreversible`"),
        }
    }

    fn report<T>(&mut self, code: Code, range: &Range<usize>, message: impl Into<String>, help: &str) -> Option<T> {
        self.diagnostics.push(Diagnostic::new(code, self.written.span(range), message).help(help));
        None
    }
}

#[cfg(test)]
mod tests;
