//! Parts of generated code that speak of one rule.

use proc_macro2::TokenStream;
use quote::quote;

use super::expr::{self, Expressions};
use super::pattern::{self, Match, Moment};
use super::tables;
use super::{Generator, Options};
use crate::dispatch::Tool;
use crate::mir::{Kind, Pattern, Phases, Rule, Subject};

impl Generator<'_> {
    /// The struct.
    pub(super) fn structure(&self, options: &Options) -> TokenStream {
        let krate = &options.krate;
        let name = quote::format_ident!("{}", self.contract.type_name);
        let title = format!(" The monitor of the contract `{}`, for one session.", self.contract.name);
        let fields = self.contract.rules.iter().zip(&self.fields).filter_map(|(rule, field)| {
            let field = field.as_ref()?;
            let cell = match rule.kind {
                Kind::Automaton { .. } => quote!(Belief),
                Kind::Count { .. } => quote!(Count),
                Kind::Total { .. } => quote!(Total),
                Kind::Rate { .. } => quote!(Rate),
                Kind::Require { .. } => {
                    let says = format!(" `{}`: {}", rule.id, rule.says);
                    return Some(quote! { #[doc = #says] #field: #krate::__private::Stateless });
                }
                Kind::Permit { .. } => return None,
            };
            let container = if rule.per.is_some() { quote!(Keyed) } else { quote!(Single) };
            let says = format!(" `{}`: {}", rule.id, rule.says);
            Some(quote! { #[doc = #says] #field: #krate::__private::#container<#krate::__private::#cell> })
        });
        let rules = self.contract.rules.iter().map(|rule| format!(" * `{}`: {}", rule.id, rule.says));
        quote! {
            #[doc = #title]
            #[doc = ""]
            #(#[doc = #rules])*
            #[derive(::core::fmt::Debug)]
            pub struct #name {
                info: #krate::__private::ContractInfo,
                #[allow(dead_code)]
                state: #krate::__private::State,
                #(#fields,)*
            }
        }
    }

    /// The fields of a fresh monitor.
    pub(super) fn fresh(&self) -> TokenStream {
        let fields = self.contract.rules.iter().enumerate().filter_map(|(index, rule)| {
            let (field, fixed) = (self.field(index)?, fixed(index, rule));
            Some(match &rule.per {
                _ if matches!(rule.kind, Kind::Require { .. }) => quote! { #field: __p::Stateless::new() },
                Some(keyed) => {
                    let max = keyed.max;
                    quote! { #field: __p::Keyed::new(#fixed, #max) }
                }
                None => quote! { #field: __p::Single::new(#fixed) },
            })
        });
        quote! { #(#fields,)* }
    }

    /// `Monitor::verdict`.
    pub(super) fn verdicts(&self) -> TokenStream {
        let arms = self.contract.rules.iter().enumerate().map(|(index, rule)| match self.field(index) {
            Some(field) => {
                let fixed = fixed(index, rule);
                quote! { #index => self.#field.verdict(#fixed), }
            }
            None => quote! { #index => __p::Verdict::Open, },
        });
        quote! {
            fn verdict(&self, rule: usize) -> __p::Verdict {
                match rule {
                    #(#arms)*
                    _ => __p::Verdict::Unestablished,
                }
            }
        }
    }

    /// `Monitor::end`: only automaton rules have obligations.
    pub(super) fn end(&self) -> TokenStream {
        let ends = self.contract.rules.iter().enumerate().filter_map(|(index, rule)| {
            let Kind::Automaton { .. } = rule.kind else { return None };
            let (field, fixed, number) = (self.field(index)?, fixed(index, rule), number(index));
            Some(if rule.per.is_some() {
                quote! { __p::end_keyed(#number, &mut self.#field, #fixed, &mut findings); }
            } else {
                quote! { __p::end_single(#number, &mut self.#field, #fixed, &mut findings); }
            })
        });
        quote! {
            fn end(&mut self) -> __p::Findings {
                let mut findings = __p::Findings::new();
                #(#ends)*
                findings
            }
        }
    }
}

/// What a rule fixes: its machine or its limit.
pub(super) fn fixed(index: usize, rule: &Rule) -> TokenStream {
    match &rule.kind {
        Kind::Automaton { .. } => {
            let machine = tables::machine_name(index);
            quote! { #machine }
        }
        Kind::Count { limit, .. } => quote! { #limit },
        Kind::Total { limit, .. } => expr::decimal(*limit),
        Kind::Rate { limit, window, .. } => {
            let window = expr::duration(*window);
            quote! { __p::RateLimit { limit: #limit, window: #window } }
        }
        Kind::Permit { .. } | Kind::Require { .. } => TokenStream::new(),
    }
}

/// Frees the instances that time has made fresh, for keyed rules about time.
pub(super) fn retire(rule: &Rule, field: &proc_macro2::Ident, fixed: &TokenStream) -> TokenStream {
    match (&rule.kind, &rule.per) {
        (Kind::Rate { .. }, Some(_)) => quote! { self.#field.retire(#fixed, now); },
        _ => TokenStream::new(),
    }
}

/// A rule's index as generated code writes it.
pub(super) fn number(index: usize) -> TokenStream {
    let index = u16::try_from(index).unwrap_or(u16::MAX);
    quote! { #index }
}

/// What an event means for a rule: the step, and whether there is one.
pub(super) struct Step {
    /// An expression of the step's type.
    pub(super) step: TokenStream,
    /// A `bool` expression over `step` that says whether the rule is concerned; `None`: it always is.
    pub(super) concerned: Option<TokenStream>,
}

/// What an event means for a rule; `None` if nothing ever.
pub(super) fn step(rule: &Rule, moment: Moment<'_>, expressions: &Expressions<'_>) -> Option<Step> {
    let result = matches!(moment, Moment::Result(_));
    if let Kind::Automaton { patterns, .. } = &rule.kind {
        return automaton_step(patterns, moment, expressions, result);
    }
    let occurs = match pattern::holds(rule.patterns().first()?, moment, expressions) {
        Match::Never => return None,
        found => found,
    };
    let certain = matches!(occurs, Match::Always);
    let truth = occurs.into_truth();
    let truth = if result {
        quote! { __p::occurs(status, |reading| #truth) }
    } else {
        truth
    };
    Some(match &rule.kind {
        Kind::Total { amount, .. } => {
            let step = match expressions.json(amount) {
                Some(amount) => quote! { __p::Payment::json(#truth, #amount) },
                None => {
                    let amount = expressions.value(amount);
                    quote! { __p::Payment::new(#truth, #amount) }
                }
            };
            Step { step, concerned: (!certain).then(|| quote! { step.occurs() != __p::Truth::False }) }
        }
        Kind::Rate { .. } => Step {
            step: quote! { __p::Tick { occurs: #truth, at: now } },
            concerned: (!certain).then(|| quote! { step.occurs != __p::Truth::False }),
        },
        _ => Step { step: truth, concerned: (!certain).then(|| quote! { step != __p::Truth::False }) },
    })
}

fn automaton_step(
    patterns: &[Pattern],
    moment: Moment<'_>,
    expressions: &Expressions<'_>,
    result: bool,
) -> Option<Step> {
    let found: Vec<Match> = patterns.iter().map(|pattern| pattern::holds(pattern, moment, expressions)).collect();
    if found.iter().all(Match::is_never) {
        return None;
    }
    let certain = found.iter().all(|found| !matches!(found, Match::When(_)));
    if certain {
        let bits = (0u32..).zip(&found).filter(|(_, found)| matches!(found, Match::Always));
        let letter = bits.fold(0u8, |letter, (bit, _)| letter | 1u8.checked_shl(bit).unwrap_or(0));
        return Some(Step { step: quote! { __p::Step::one(__p::Letters::certain(#letter)) }, concerned: None });
    }
    let always = found.iter().any(|found| matches!(found, Match::Always));
    let withs = (0u8..).zip(found).filter(|(_, found)| !found.is_never()).map(|(bit, found)| {
        let truth = found.into_truth();
        quote! { .with(#bit, #truth) }
    });
    let letters = quote! { __p::Letters::NONE #(#withs)* };
    let step = if result {
        quote! { __p::step_of(status, |reading| #letters) }
    } else {
        quote! { __p::Step::one(#letters) }
    };
    Some(Step { step, concerned: (!always).then(|| quote! { !step.is_none() }) })
}

/// The components of a rule's key for an event, as an array expression; empty for a rule without a key.
pub(super) fn key(rule: &Rule, moment: Moment<'_>, expressions: &Expressions<'_>) -> TokenStream {
    let Some(keyed) = &rule.per else { return quote! { __p::unreadable::<0>() } };
    let mut otherwise: Option<TokenStream> = None;
    let mut chain = Vec::new();
    for route in &keyed.routes {
        let parts = route.parts.iter().map(|part| match expressions.json(part) {
            Some(value) => quote! { __p::Part::json(#value) },
            None => {
                let value = expressions.value(part);
                quote! { __p::Part::new(#value) }
            }
        });
        let parts = quote! { __p::parts([#(#parts),*]) };
        match pattern::subject(&route.subject, moment) {
            Match::Never => {}
            Match::Always => {
                otherwise = Some(parts);
                break;
            }
            Match::When(test) => chain.push((test, parts)),
        }
    }
    let width = keyed.routes.first().map_or(1, |route| route.parts.len());
    let otherwise = otherwise.unwrap_or_else(|| quote! { __p::unreadable::<#width>() });
    chain.iter().rev().fold(otherwise, |rest, (test, parts)| quote! { if #test { #parts } else { #rest } })
}

/// Whether a rule's `close_on` matches.
pub(super) fn closes(rule: &Rule, moment: Moment<'_>, expressions: &Expressions<'_>) -> Option<TokenStream> {
    let found = match pattern::holds(rule.close_on()?, moment, expressions) {
        Match::Never => return None,
        found => found.into_truth(),
    };
    Some(if matches!(moment, Moment::Result(_)) {
        quote! { __p::occurs(status, |reading| #found) }
    } else {
        found
    })
}

/// Whether any pattern of a rule speaks of results of the tool, conditions aside.
pub(super) fn may_observe(rule: &Rule, tool: Tool<'_>) -> Match {
    let mut tests = Vec::new();
    for pattern in rule.patterns() {
        match pattern::mentions(pattern, Moment::Result(tool), Phases::result) {
            Match::Never => {}
            Match::Always => return Match::Always,
            Match::When(test) => tests.push(test),
        }
    }
    if tests.is_empty() { Match::Never } else { Match::When(quote! { #(#tests)||* }) }
}

/// Whether the subject of a pattern is ever a host event.
pub(super) fn speaks_of_events(pattern: &Pattern) -> bool {
    pattern.alternatives.iter().any(|alternative| matches!(alternative.subject, Subject::Event(_)))
}
