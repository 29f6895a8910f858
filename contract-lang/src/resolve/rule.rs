//! Rules: what all kinds have in common.

use std::collections::BTreeMap;

use contract_runtime::{Colour, Mode};

use super::decide::{self, File};
use super::lowering::Lowering;
use super::resolver::{Resolver, pointless};
use super::role::Role;
use crate::ast::{self, Contract, Instances, Rule, Source};
use crate::diagnostic::{Code, Diagnostic};
use crate::mir::{self, Kind, Pattern};
use crate::rule::{Lack, words};
use crate::source::{Span, Spanned};

/// What a rule gets from its contract.
struct Inherited<'a> {
    mode: Mode,
    decide: File<'a>,
    instances: Option<&'a Instances>,
}

impl Resolver<'_> {
    /// The rules in file order, each with what it was made from.
    pub(super) fn rules<'a>(&mut self, contract: &'a Contract, mode: Mode) -> (Vec<mir::Rule>, Vec<&'a Rule>) {
        let decide = File::new(contract.decide.as_ref());
        let inherited = Inherited { mode, decide, instances: contract.instances.as_ref() };
        let mut seen: BTreeMap<&str, Span> = BTreeMap::new();
        let mut rules = Vec::new();
        let mut places = Vec::new();
        for written in &contract.rules {
            let from = self.diagnostics.len();
            let id = &written.id.value.0;
            if !id.is_empty() {
                match seen.get(id.as_str()) {
                    Some(first) => self.report(
                        Diagnostic::new(Code::DuplicateId, written.id.span, format!("the id `{id}` is used twice"))
                            .related(*first, "first used here")
                            .help("give each rule an id of its own"),
                    ),
                    None => {
                        seen.insert(id, written.id.span);
                    }
                }
            }
            self.check_id(&written.id);
            self.check_fields(written);
            if let Some(rule) = self.rule(written, &inherited) {
                rules.push(rule);
                places.push(written);
            }
            if !id.is_empty() {
                self.diagnostics.attribute(from, id);
            }
        }
        (rules, places)
    }

    /// Findings that are not from a rule have ids too.
    fn check_id(&mut self, id: &Spanned<ast::RuleId>) {
        let text = id.value.0.as_str();
        if matches!(text, "default" | "undeclared") || text.starts_with("state.") {
            let message = format!("the id `{text}` is taken: findings that are not from a rule have it");
            self.report(Diagnostic::new(Code::BadValue, id.span, message).help("give the rule another id"));
        }
    }

    /// Fields that say nothing in a rule of this kind.
    fn check_fields(&mut self, rule: &Rule) {
        let kind = rule.kind.name();
        let lacks = rule.kind.template().lacks();
        for (field, help) in &lacks {
            if let Some(span) = place(rule, field) {
                self.report(pointless(span, format!("a rule with `{kind}` has no field `{field}`"), help));
            }
        }
        if let Some(guards) = rule.guards.as_ref().filter(|_| !lacking(&lacks, "guards"))
            && !rule.kind.template().owes()
        {
            let message = format!("a rule with `{kind}` is never pending, so it guards nothing");
            self.report(pointless(guards.span, message, GUARDS_NOTHING));
        }
        if rule.per.is_some() {
            return;
        }
        for (field, what) in [("instances", "bounds the keys of a rule"), ("missing", "is about the key of a rule")] {
            let Some(span) = place(rule, field).filter(|_| !lacking(&lacks, field)) else { continue };
            let message = format!("`{field}` {what}, and this rule has no `per`");
            let help = format!("give the rule a key with `per`, or leave `{field}` out");
            self.report(pointless(span, message, &help));
        }
    }

    fn rule(&mut self, written: &Rule, inherited: &Inherited<'_>) -> Option<mir::Rule> {
        let template = written.kind.template();
        let lacks = template.lacks();
        let has = |field| !lacking(&lacks, field);
        let sources = template.patterns();
        let resolved: Vec<Option<Pattern>> =
            sources.iter().map(|(source, role)| self.narrowed(source, role, written)).collect();
        let mut patterns: Option<Vec<Pattern>> = resolved.into_iter().collect();
        for (pattern, name) in patterns.iter_mut().flatten().zip(template.names()) {
            pattern.name = Some(name.to_owned());
        }
        let guards = self.optional(written.guards.as_ref().filter(|_| has("guards")), &Role::DECIDED);
        let reset_on = self.optional(written.reset_on.as_ref().filter(|_| has("reset_on")), &Role::RESET);
        let per = written.per.as_ref().filter(|_| has("per"));
        let message = written
            .message
            .as_ref()
            .map(|text| self.message(text, per.is_some(), patterns.as_deref(), template.violating()));
        let keyed = match (per, &patterns, &guards) {
            (Some(per), Some(patterns), Some(guards)) => {
                let guard = guards.iter().zip(written.guards.iter().map(|source| source.span));
                let places = patterns.iter().zip(sources.iter().map(|(source, _)| source.span)).chain(guard);
                Some(self.keyed(per, written, inherited.instances, &places.collect::<Vec<_>>()))
            }
            _ => None,
        };
        let kind = template.lower(patterns, &mut Lowering::new(self, written));
        let table = decide::rule(&inherited.decide, written, self.diagnostics);
        let kind = kind?;
        self.check_start(written, &kind);
        self.check_guards(written, &kind);
        let words = words(written);
        Some(mir::Rule {
            id: written.id.value.0.clone(),
            title: written.title.as_ref().map(|text| text.value.0.clone()),
            severity: written.severity.map(|severity| severity.value).unwrap_or_default(),
            tags: written.tags.iter().map(|tag| tag.value.0.clone()).collect(),
            message: given(message)?,
            says: words.says,
            advice: words.advice,
            mode: written.mode.map_or(inherited.mode, |mode| mode.value),
            table,
            guards: guards?,
            reset_on: reset_on?,
            kind,
            violating: template.violating(),
            per: given(keyed)?,
        })
    }

    /// A pattern of the kind, narrowed by what the rule says of all of them.
    fn narrowed(&mut self, source: &Source, role: &Role, rule: &Rule) -> Option<Pattern> {
        let mut pattern = self.pattern(source, role)?;
        let holds = rule.r#where.as_ref().map(|predicate| self.narrow(&mut pattern, source.span, predicate, true));
        let fails = rule.unless.as_ref().map(|predicate| self.narrow(&mut pattern, source.span, predicate, false));
        given(holds)?;
        given(fails)?;
        Some(pattern)
    }

    /// A pattern that may be left out. The outer `None` is a mistake.
    fn optional(&mut self, source: Option<&Source>, role: &Role) -> Option<Option<Pattern>> {
        given(source.map(|source| self.pattern(source, role)))
    }

    /// A rule of a kind that can owe something may owe nothing all the same: that of a formula, which can say anything.
    fn check_guards(&mut self, written: &Rule, kind: &Kind) {
        let (Some(guards), Kind::Automaton { machine, .. }) = (&written.guards, kind) else { return };
        if written.kind.template().owes() && !machine.colours.contains(&Colour::Pending) {
            let message = "the rule is never pending, so it guards nothing";
            self.report(pointless(guards.span, message, GUARDS_NOTHING));
        }
    }

    /// A rule with keys is not pending from the start.
    fn check_start(&mut self, written: &Rule, kind: &Kind) {
        let (Some(per), Kind::Automaton { machine, .. }) = (&written.per, kind) else { return };
        if machine.colours.get(usize::from(machine.initial)) == Some(&Colour::Pending) {
            let message = "the rule is pending before anything happens, so every key that could exist would owe it";
            let help = "leave `per` out: then it is required once";
            self.report(Diagnostic::new(Code::KeyedObligation, per.span(), message).help(help));
        }
    }
}

const GUARDS_NOTHING: &str = "`guards` is for rules that owe something, such as `must_be_followed_by`: leave it out";

/// What was given must be right; what was not given is.
fn given<T>(value: Option<Option<T>>) -> Option<Option<T>> {
    match value {
        None => Some(None),
        Some(value) => value.map(Some),
    }
}

fn lacking(lacks: &[Lack], field: &str) -> bool {
    lacks.iter().any(|(name, _)| *name == field)
}

/// Where a common field that not all kinds have is written.
fn place(rule: &Rule, field: &str) -> Option<Span> {
    match field {
        "per" => rule.per.as_ref().map(ast::Per::span),
        "missing" => rule.missing.map(|missing| missing.span),
        "instances" => rule.instances.as_ref().map(|instances| instances.span),
        "guards" => rule.guards.as_ref().map(|source| source.span),
        "reset_on" => rule.reset_on.as_ref().map(|source| source.span),
        "action" => rule.action.map(|action| action.span),
        "decide" => rule.decide.as_ref().map(|decide| decide.span),
        _ => None,
    }
}
