//! What an event means for a stepping rule, as Rust.

use proc_macro2::TokenStream;
use quote::quote;

use super::expr::Expressions;
use super::pattern::{self, Match, Moment};
use super::register::Kept;
use crate::mir::{Clock, Expr, Kind, Operand, Pattern, Rule};

/// What an event means for a rule: its step, and whether there is one.
#[derive(Clone)]
pub(super) struct Step {
    /// Statements that bind `step`.
    pub(super) bind: TokenStream,
    /// A `bool` expression, right after them, that says whether the rule is concerned.
    pub(super) concerned: Concerned,
}

/// Whether an event concerns a rule.
#[derive(Clone)]
pub(super) enum Concerned {
    /// It always does.
    Always,
    /// It never does.
    Never,
    /// It does if this `bool` expression holds.
    When(TokenStream),
}

impl Step {
    /// The step of an event in which nothing holds: to look at a rule at rest.
    pub(super) fn nothing(index: usize, rule: &Rule, moment: Moment<'_>) -> Self {
        let bind = match (&rule.kind, Kept::of(index, rule)) {
            (Kind::Register { clock, .. }, Some(Kept { cell, .. })) => {
                let at = at(*clock, moment);
                quote! {
                    let step = <__p::#cell as __p::Register>::of(__p::Holds::NOTHING, #at, __p::Operand::None);
                }
            }
            _ => quote! { let step = __p::Step::one(__p::Letters::NONE); },
        };
        Self { bind, concerned: Concerned::Never }
    }

    /// What an event means for a rule; `None` if nothing ever.
    pub(super) fn of(index: usize, rule: &Rule, moment: Moment<'_>, expressions: &Expressions<'_>) -> Option<Self> {
        match &rule.kind {
            Kind::Automaton { patterns, .. } => automaton(patterns, moment, expressions),
            Kind::Register { patterns, clock, operand, .. } => {
                let found: Vec<Match> =
                    patterns.iter().map(|pattern| pattern::occurs(pattern, moment, expressions)).collect();
                if found.iter().all(Match::is_never) {
                    return None;
                }
                let always = found.iter().any(|found| matches!(found, Match::Always));
                let holds =
                    found.into_iter().map(Match::into_truth).chain(std::iter::repeat(quote! { __p::Truth::False }));
                let holds = holds.take(3);
                let Kept { cell, .. } = Kept::of(index, rule)?;
                let (at, operand) = (at(*clock, moment), operand_of(operand.as_ref(), moment, expressions));
                let bind = quote! {
                    let holds = __p::Holds([#(#holds),*]);
                    let step = <__p::#cell as __p::Register>::of(holds, #at, #operand);
                };
                let concerned = if always { Concerned::Always } else { Concerned::When(quote! { holds.any() }) };
                Some(Self { bind, concerned })
            }
            _ => None,
        }
    }
}

fn automaton(patterns: &[Pattern], moment: Moment<'_>, expressions: &Expressions<'_>) -> Option<Step> {
    let found: Vec<Match> = patterns.iter().map(|pattern| pattern::holds(pattern, moment, expressions)).collect();
    if found.iter().all(Match::is_never) {
        return None;
    }
    let certain = found.iter().all(|found| !matches!(found, Match::When(_)));
    if certain {
        let bits = (0u32..).zip(&found).filter(|(_, found)| matches!(found, Match::Always));
        let letter = bits.fold(0u8, |letter, (bit, _)| letter | 1u8.checked_shl(bit).unwrap_or(0));
        let bind = quote! { let step = __p::Step::one(__p::Letters::certain(#letter)); };
        return Some(Step { bind, concerned: Concerned::Always });
    }
    let always = found.iter().any(|found| matches!(found, Match::Always));
    let withs = (0u8..).zip(found).filter(|(_, found)| !found.is_never()).map(|(bit, found)| {
        let truth = found.into_truth();
        quote! { .with(#bit, #truth) }
    });
    let letters = quote! { __p::Letters::NONE #(#withs)* };
    let bind = match moment {
        Moment::Result(_) | Moment::Review(_) => {
            quote! { let step = __p::step_of(status, |reading| #letters); }
        }
        Moment::Call(_) | Moment::Event => quote! { let step = __p::Step::one(#letters); },
    };
    let concerned = if always { Concerned::Always } else { Concerned::When(quote! { !step.is_none() }) };
    Some(Step { bind, concerned })
}

/// When an event happens, by a rule's clock. A call has the position that it will have if it is admitted.
pub(super) fn at(clock: Clock, moment: Moment<'_>) -> TokenStream {
    match (clock, moment) {
        (Clock::Time, _) => quote! { now },
        (Clock::Calls, Moment::Call(_)) => quote! { __p::position(position) },
        (Clock::Calls, _) => quote! { __p::position(self.position) },
    }
}

/// What a register reads of the event besides.
pub(super) fn operand_of(operand: Option<&Operand>, moment: Moment<'_>, expressions: &Expressions<'_>) -> TokenStream {
    let read = |expr: &Expr| match expressions.json(expr) {
        Some(value) => quote! { __p::Operand::Json(#value) },
        None => {
            let value = expressions.value(expr);
            quote! { __p::Operand::Value(#value) }
        }
    };
    match operand {
        None => quote! { __p::Operand::None },
        Some(Operand::Same(expr)) => read(expr),
        Some(Operand::ByTool(routes)) => {
            let mut otherwise = quote! { __p::Operand::Value(__p::None) };
            let mut chain = Vec::new();
            for (subject, expr) in routes {
                match pattern::subject(subject, moment) {
                    Match::Never => {}
                    Match::Always => {
                        otherwise = read(expr);
                        break;
                    }
                    Match::When(test) => chain.push((test, read(expr))),
                }
            }
            chain.iter().rev().fold(otherwise, |rest, (test, read)| quote! { if #test { #read } else { #rest } })
        }
    }
}
