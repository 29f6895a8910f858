//! Rules: their patterns in the order of their machine, and what their kind makes of them.

use std::collections::BTreeMap;

use contract_runtime::{Colour, Decimal, DecisionTable, Duration, Mode};

use super::resolver::{Resolver, pointless, roots, text};
use super::role::Role;
use super::scope::Roots;
use super::types::Static;
use super::{decide, says};
use crate::ast::{self, Contract, Count, Instances, Rule, Source};
use crate::automaton::{MAX_PATTERNS, TooLarge, construct, satisfiable};
use crate::diagnostic::{Code, Diagnostic};
use crate::formula::Formula;
use crate::mir::{self, Clause, Counting, Expr, Kind, Machine, Pattern};
use crate::rule as template;
use crate::source::{Span, Spanned};

/// The patterns of a rule with their roles, in the order of the bits of a letter.
pub(crate) fn patterns(kind: &ast::Kind) -> Vec<(&Source, Role)> {
    match kind {
        ast::Kind::MustPrecede(rule) => vec![(&rule.first, Role::PROOF), (&rule.then, Role::GUARDED)],
        ast::Kind::CannotFollowWithout(rule) => vec![(&rule.without, Role::PROOF), (&rule.call, Role::GUARDED)],
        ast::Kind::NeverAfter(rule) => vec![(&rule.after, Role::TRIGGER), (&rule.call, Role::GUARDED)],
        ast::Kind::MutuallyExclusive(list) => list.items.iter().map(|source| (source, Role::TRIGGER)).collect(),
        ast::Kind::RequiredBeforeSessionEnd(list) => list.iter().map(|source| (source, Role::PROOF)).collect(),
        ast::Kind::AtMostNTimes(rule) => vec![(&rule.call, Role::COUNTED)],
        ast::Kind::AtMostTotal(rule) => vec![(&rule.call, Role::COUNTED)],
        ast::Kind::RateLimit(rule) => vec![(&rule.call, Role::COUNTED)],
        ast::Kind::Forbid(source) => vec![(source, Role::GUARDED)],
        ast::Kind::Permit(source) | ast::Kind::Require(_, source) => vec![(source, Role::DECIDED)],
    }
}

/// What a rule gets from its contract.
struct Inherited<'a> {
    mode: Mode,
    table: &'a DecisionTable,
    instances: Option<&'a Instances>,
}

impl Resolver<'_> {
    /// The rules in file order, each with what it was made from.
    pub(super) fn rules<'a>(
        &mut self,
        contract: &'a Contract,
        mode: Mode,
        table: &DecisionTable,
    ) -> (Vec<mir::Rule>, Vec<&'a Rule>) {
        let inherited = Inherited { mode, table, instances: contract.instances.as_ref() };
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
        if let ast::Kind::Permit(_) | ast::Kind::Require(..) = rule.kind
            && let Some(per) = &rule.per
        {
            let message = format!("a rule with `{kind}` has no field `per`");
            let help = "it looks at one call and remembers nothing, so it is the same for every key: leave `per` out";
            self.report(pointless(per.span(), message, help));
        }
        if let (None, Some(instances)) = (&rule.per, &rule.instances) {
            let message = "`instances` bounds the keys of a rule, and this rule has no `per`";
            self.report(pointless(instances.span, message, "give the rule a key with `per`, or leave `instances` out"));
        }
        if let ast::Kind::Permit(_) = rule.kind {
            let fields =
                [("action", rule.action.map(|action| action.span)), ("decide", rule.decide.as_ref().map(|d| d.span))];
            for (name, span) in fields {
                let Some(span) = span else { continue };
                let message = format!("a rule with `permit` has no field `{name}`");
                let help =
                    "what it does not match is decided by `default`; a rule that asks is a `forbid` with `action: ask`";
                self.report(pointless(span, message, help));
            }
        }
    }

    fn rule(&mut self, written: &Rule, inherited: &Inherited<'_>) -> Option<mir::Rule> {
        let condition = written.r#where.as_ref();
        let sources = patterns(&written.kind);
        let resolved: Vec<Option<Pattern>> =
            sources.iter().map(|(source, role)| self.pattern(source, role, condition)).collect();
        let first = resolved.first().and_then(Option::as_ref).map_or(Roots::OF_CALL, roots);
        let complete: Option<Vec<Pattern>> = resolved.into_iter().collect();
        let spans: Vec<Span> = sources.iter().map(|(source, _)| source.span).collect();
        let kind = self.kind(written, complete.as_deref(), first);
        let per = match (&written.per, &complete) {
            (Some(per), Some(patterns)) if !matches!(written.kind, ast::Kind::Permit(_) | ast::Kind::Require(..)) => {
                let patterns: Vec<(&Pattern, Span)> = patterns.iter().zip(spans).collect();
                Some(self.keyed(per, written.instances.as_ref(), inherited.instances, &patterns))
            }
            _ => None,
        };
        let table = decide::rule(inherited.table, written, self.diagnostics);
        let kind = kind?;
        if let (Some(per), Kind::Automaton { machine, .. }) = (&written.per, &kind)
            && machine.colours.get(usize::from(machine.initial)) == Some(&Colour::Pending)
        {
            let message = "the rule is pending before anything happens, so every key that could exist would owe it";
            let help = "leave `per` out: then it is required once";
            self.report(Diagnostic::new(Code::KeyedObligation, per.span(), message).help(help));
        }
        let words = says::words(written);
        let text = |value: &Option<Spanned<ast::Text>>| value.as_ref().map(|text| text.value.0.clone());
        Some(mir::Rule {
            id: written.id.value.0.clone(),
            title: text(&written.title),
            severity: written.severity.map(|severity| severity.value).unwrap_or_default(),
            tags: written.tags.iter().map(|tag| tag.value.0.clone()).collect(),
            message: text(&written.message),
            says: words.says,
            advice: words.advice,
            mode: written.mode.map_or(inherited.mode, |mode| mode.value),
            table,
            kind,
            per: match per {
                None => None,
                Some(per) => Some(per?),
            },
        })
    }

    /// What the kind makes of the patterns; without all patterns the rest is checked all the same.
    fn kind(&mut self, written: &Rule, patterns: Option<&[Pattern]>, readable: Roots) -> Option<Kind> {
        let pattern = || patterns.and_then(|patterns| patterns.first()).cloned();
        let counting = match written.count.map(|count| count.value) {
            Some(Count::Succeeded) => Counting::Succeeded,
            Some(Count::All) | None => Counting::All,
        };
        match &written.kind {
            ast::Kind::AtMostNTimes(rule) => {
                Some(Kind::Count { pattern: pattern()?, limit: rule.n.value.get(), counting })
            }
            ast::Kind::AtMostTotal(rule) => {
                let amount = self.amount(&rule.sum, readable);
                let limit = Decimal::parse(&rule.limit.value.text);
                Some(Kind::Total { pattern: pattern()?, amount: amount?, limit: limit?, counting })
            }
            ast::Kind::RateLimit(rule) => {
                let window = i128::from(rule.window.value.milliseconds).saturating_mul(1_000_000);
                let limit = u32::try_from(rule.n.value.get()).ok()?;
                Some(Kind::Rate { pattern: pattern()?, limit, window: Duration::from_nanos(window), counting })
            }
            ast::Kind::Permit(_) => Some(Kind::Permit { pattern: pattern()? }),
            ast::Kind::Require(predicates, _) => {
                let clauses: Vec<Option<Clause>> = predicates
                    .iter()
                    .map(|source| {
                        let predicate = self.predicate(source, Roots::OF_CALL)?;
                        Some(Clause { predicate, text: text(source) })
                    })
                    .collect();
                Some(Kind::Require { pattern: pattern()?, clauses: clauses.into_iter().collect::<Option<_>>()? })
            }
            other => {
                let patterns = patterns?;
                let machine = self.machine(other, patterns, written.kind_span)?;
                Some(Kind::Automaton { template: other.name(), patterns: patterns.to_vec(), machine })
            }
        }
    }

    fn amount(&mut self, source: &Source, readable: Roots) -> Option<Expr> {
        let checked = self.value(source, readable)?;
        if checked.ty.may_be(&Static::Number) {
            return Some(checked.expr);
        }
        let message = format!("the sum is over numbers, and this is {}", checked.ty.described());
        self.report(Diagnostic::new(Code::TypeMismatch, source.span, message));
        None
    }

    fn machine(&mut self, kind: &ast::Kind, patterns: &[Pattern], span: Span) -> Option<Machine> {
        let built = match u8::try_from(patterns.len()) {
            Ok(width) if patterns.len() <= MAX_PATTERNS => {
                construct(&formula(kind, width), width, &satisfiable(patterns))
            }
            _ => Err(TooLarge::Letters),
        };
        built.map_err(|error| self.report(too_large(error, span))).ok()
    }
}

fn formula(kind: &ast::Kind, width: u8) -> Formula {
    match kind {
        ast::Kind::MustPrecede(_) => template::must_precede::formula(),
        ast::Kind::CannotFollowWithout(_) => template::cannot_follow_without::formula(),
        ast::Kind::NeverAfter(_) => template::never_after::formula(),
        ast::Kind::MutuallyExclusive(_) => template::mutually_exclusive::formula(width),
        ast::Kind::RequiredBeforeSessionEnd(_) => template::required_before_session_end::formula(width),
        ast::Kind::Forbid(_) => template::forbid::formula(),
        ast::Kind::AtMostNTimes(_)
        | ast::Kind::AtMostTotal(_)
        | ast::Kind::RateLimit(_)
        | ast::Kind::Permit(_)
        | ast::Kind::Require(..) => Formula::TRUE,
    }
}

fn too_large(error: TooLarge, span: Span) -> Diagnostic {
    let help = "make it two rules, or join patterns that mean the same with `|`";
    Diagnostic::new(Code::MachineTooLarge, span, error.to_string()).help(help)
}
