//! The keys that an event touches, as Rust.
//!
//! The key of a rule all of whose routes name one key is an array on the stack. Only rules with a fan-out or a broadcast pay
//! for a key that may be several.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use super::expr::Expressions;
use super::pattern::{self, Match, Moment};
use crate::mir::{Expr, KeyRoute, Keyed, Missing, RouteKey};

/// The keys that an event touches, as an expression.
pub(super) fn key(keyed: &Keyed, moment: Moment<'_>, expressions: &Expressions<'_>) -> TokenStream {
    let width = keyed.width();
    // A call without a route has its key in the result.
    let none = if matches!(moment, Moment::Call(_)) { quote!(later) } else { quote!(unreadable) };
    let mut otherwise = quote! { __p::#none::<#width>() };
    if keyed.spreads() {
        otherwise = quote! { __p::Touched::One(__p::list_of(#otherwise)) };
    }
    let mut chain = Vec::new();
    for route in &keyed.routes {
        match applies(route, moment) {
            Match::Never => {}
            Match::Always => {
                otherwise = route_key(keyed, route, expressions);
                break;
            }
            Match::When(test) => chain.push((test, route_key(keyed, route, expressions))),
        }
    }
    chain.iter().rev().fold(otherwise, |rest, (test, key)| quote! { if #test { #key } else { #rest } })
}

/// Whether a route is for an event, as a `bool`.
fn applies(route: &KeyRoute, moment: Moment<'_>) -> Match {
    let phases = route.phases;
    let now = match moment {
        Moment::Call(_) if phases.call => Match::Always,
        Moment::Event if phases.event => Match::Always,
        Moment::Result(_) | Moment::Review(_) if phases.ok && phases.failed && phases.unknown => Match::Always,
        Moment::Result(_) | Moment::Review(_) if phases.result() => {
            let outcomes = [(phases.ok, "Ok"), (phases.failed, "Failed"), (phases.unknown, "Unknown")];
            let outcomes = outcomes.into_iter().filter(|(named, _)| *named).map(|(_, name)| format_ident!("{name}"));
            Match::When(quote! { (#(status == __p::Status::#outcomes)||*) })
        }
        _ => Match::Never,
    };
    match (now, pattern::subject(&route.subject, moment)) {
        (Match::Never, _) | (_, Match::Never) => Match::Never,
        (Match::Always, other) | (other, Match::Always) => other,
        (Match::When(now), Match::When(subject)) => Match::When(quote! { #now && #subject }),
    }
}

fn route_key(keyed: &Keyed, route: &KeyRoute, expressions: &Expressions<'_>) -> TokenStream {
    let part = |expr: &Expr| part(keyed.missing, expr, expressions);
    match &route.key {
        RouteKey::One(parts) => {
            let parts = parts.iter().map(part);
            let parts = quote! { __p::parts([#(#parts),*]) };
            if keyed.spreads() {
                quote! { __p::Touched::One(__p::list_of(#parts)) }
            } else {
                parts
            }
        }
        RouteKey::Each { before, list, component, after } => {
            let (before, after) = (before.iter().map(part), after.iter().map(part));
            let skip = match keyed.missing {
                Missing::Skip if list.reads_result() => quote! { result.is_some() },
                Missing::Skip => quote! { true },
                Missing::Block => quote! { false },
            };
            let list = expressions.value(list);
            let (item, component) = (super::expr::variable(0), part(component));
            quote! {
                __p::fan_out(
                    __p::list_of(__p::parts([#(#before),*])),
                    #list,
                    #skip,
                    |#item| #component,
                    __p::list_of(__p::parts([#(#after),*])),
                )
            }
        }
        RouteKey::All => quote! { __p::Touched::All },
    }
}

fn part(missing: Missing, expr: &Expr, expressions: &Expressions<'_>) -> TokenStream {
    let json = expressions.json(expr);
    let plain = match &json {
        Some(value) => quote! { __p::Part::json(#value) },
        None => {
            let value = expressions.value(expr);
            quote! { __p::Part::new(#value) }
        }
    };
    let skipping = match (&json, missing) {
        (_, Missing::Block) => return plain,
        (Some(value), Missing::Skip) => quote! { __p::Part::json_or_skip(#value) },
        (None, Missing::Skip) => {
            let (path, value) = (expressions.value(expr.innermost()), expressions.value(expr));
            quote! { __p::Part::wrapped_or_skip(&#path, #value) }
        }
    };
    // Where there is no result nobody knows what is absent from it.
    if expr.reads_result() {
        quote! { if result.is_some() { #skipping } else { #plain } }
    } else {
        skipping
    }
}
