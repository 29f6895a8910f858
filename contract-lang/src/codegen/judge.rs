//! What one rule adds to the function that decides a call: what it thinks of the call, and what it does if the call runs.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::expr::Expressions;
use super::group::Group;
use super::key;
use super::pattern::{self, Match, Moment};
use super::register::Kept;
use super::rule::{self, Field};
use super::step::{self, Concerned, Step};
use crate::mir::{Clause, Counting, Kind};

/// What one rule adds to the function.
pub(super) struct Part {
    pub(super) judge: TokenStream,
    pub(super) commit: TokenStream,
}

/// The statements that ask the clauses of a `require` or `ensure`, over `required`.
pub(super) fn clauses(clauses: &[Clause], expressions: &Expressions<'_>) -> TokenStream {
    let clauses = (0u16..).zip(clauses).map(|(clause, of)| {
        let truth = expressions.predicate(&of.predicate);
        quote! { required.clause(#clause, #truth); }
    });
    quote! { #(#clauses)* }
}

/// A precondition.
pub(super) fn require(field: &Field<'_>, applies: Match, of: &[Clause], expressions: &Expressions<'_>) -> Option<Part> {
    if applies.is_never() {
        return None;
    }
    let Field { index, number, name, .. } = *field;
    let (applies, clauses, look) = (applies.into_truth(), clauses(of, expressions), format_ident!("look_{index}"));
    let judge = quote! {
        let applies = #applies;
        let mut required = __p::Requirement::new(applies);
        if applies != __p::Truth::False {
            #clauses
            deliberation.weigh(#number, &RULES[#index], required.verdict(), required.reason(), __p::no_key);
        }
        let #look = required.verdict();
    };
    let commit = quote! {
        if #look >= __p::Verdict::Unestablished {
            self.#name.admit(#look, deliberation.admission(&RULES[#index], #look));
        }
    };
    Some(Part { judge, commit })
}

/// A `rewrite` that could not be made and runs all the same.
pub(super) fn rewritten(field: &Field<'_>) -> Part {
    let Field { index, number, name, .. } = *field;
    let commit = quote! {
        if let __p::Some(verdict) = rewriting.verdict(#number) {
            self.#name.admit(verdict, deliberation.admission(&RULES[#index], verdict));
        }
    };
    Part { judge: TokenStream::new(), commit }
}

/// `no_flow`. A call whose result is to be remembered is noted.
pub(super) fn flow(field: &Field<'_>, to: Match, keeps: bool) -> Part {
    let Field { index, number, name, .. } = *field;
    let mut part = Part { judge: TokenStream::new(), commit: TokenStream::new() };
    if !to.is_never() {
        let (to, look) = (to.into_truth(), format_ident!("look_{index}"));
        part.judge = quote! {
            let (#look, reason, source) = self.#name.look(call.args, #to);
            deliberation.weigh_flow(#number, &RULES[#index], #look, reason, source);
        };
        part.commit = quote! {
            if #look >= __p::Verdict::Unestablished {
                self.#name.admit(#look, deliberation.admission(&RULES[#index], #look));
            }
        };
    }
    if keeps {
        part.commit.extend(quote! { flight.keep(__p::watch(#number, position)); });
    }
    part
}

/// A rule that steps: what it thinks of the call, and how it takes it.
pub(super) fn stepping(
    field: &Field<'_>,
    group: &Group<'_>,
    moment: Moment<'_>,
    expressions: &Expressions<'_>,
) -> Option<Part> {
    let Field { rule: of, index, number, name, .. } = *field;
    let fixed = field.fixed();
    let [key, step, look, room] = ["key", "step", "look", "room"].map(|name| format_ident!("{name}_{index}"));
    let steps = Step::of(index, of, moment, expressions);
    let guards = of.guards.as_ref().map_or(Match::Never, |pattern| pattern::occurs(pattern, moment, expressions));
    let reserves = if field.keyed() { rule::may_observe(of, group.tool) } else { Match::Never };
    let closes = field.close(&key, moment, expressions);
    if steps.is_none() && guards.is_never() && reserves.is_never() && closes.is_empty() {
        return None;
    }
    let asks = steps.is_some() || !guards.is_never();
    let judged = if field.keyed() {
        quote! { self.#name.judge(#fixed, &#key, &step) }
    } else {
        quote! { self.#name.look(#fixed, &step) }
    };
    let mut judge = match &of.per {
        Some(keyed) => {
            let key_of = key::key(keyed, moment, expressions);
            let fade = field.fade(&step::at(of.clock(), Moment::Event));
            quote! { let #key = #key_of; #fade }
        }
        None => TokenStream::new(),
    };
    if asks {
        let Step { bind, concerned } = steps.as_ref().map_or_else(|| Step::nothing(index, of, moment), Step::clone);
        judge.extend(bind);
        judge.extend(match concerned {
            Concerned::Always => quote! { let #look = __p::Some(#judged); },
            Concerned::Never => quote! { let #look = __p::None; },
            Concerned::When(test) => quote! { let #look = if #test { __p::Some(#judged) } else { __p::None }; },
        });
        judge.extend(quote! { let #step = step; });
    }
    if field.keyed() {
        judge.extend(match &reserves {
            Match::Never => quote! { let #room = __p::Room::NotNeeded; },
            Match::Always => quote! { let #room = self.#name.room(&#key); },
            Match::When(test) => quote! {
                let #room = if #test { self.#name.room(&#key) } else { __p::Room::NotNeeded };
            },
        });
        let look = if asks {
            quote! { #look.map(|look| (&#step, look)) }
        } else {
            quote! { __p::None }
        };
        judge.extend(quote! {
            __p::weigh_keyed(
                &mut deliberation, (#number, &RULES[#index]), &self.#name, #fixed, &#key, #look, #room,
            );
        });
    } else if steps.is_some() {
        judge.extend(quote! {
            if let __p::Some(verdict) = #look {
                __p::weigh_single(
                    &mut deliberation, (#number, &RULES[#index]), &self.#name, #fixed, &#step, verdict,
                );
            }
        });
    }
    if !guards.is_never() {
        let guarded = guards.into_truth();
        let (judged, guard, key) = if field.keyed() {
            (quote! { self.#name.judge(#fixed, &#key, &#step) }, quote!(guard_keyed), quote! { &#key, })
        } else {
            (quote! { self.#name.look(#fixed, &#step) }, quote!(guard_single), TokenStream::new())
        };
        judge.extend(quote! {
            let guarded = #guarded;
            if guarded != __p::Truth::False {
                let look = match #look { __p::Some(look) => look, __p::None => #judged };
                __p::#guard(
                    &mut deliberation, (#number, &RULES[#index]), &self.#name, #fixed, #key (&#step, look), guarded,
                );
            }
        });
    }
    let mut commit = TokenStream::new();
    if steps.is_some() {
        commit.extend(admit(field, group.keeps(index), &[key.clone(), step, look]));
    }
    if !reserves.is_never() {
        commit.extend(quote! { flight.hold(#number, self.#name.reserve(&#key, #room)); });
    }
    commit.extend(closes);
    Some(Part { judge, commit })
}

/// A rule takes the step of the call, and keeps a receipt for what it may have to give back.
fn admit(field: &Field<'_>, keeps: bool, [key, step, look]: &[Ident; 3]) -> TokenStream {
    let Field { rule: of, index, number, name, .. } = *field;
    let fixed = field.fixed();
    let admission = match of.kind {
        Kind::Automaton { .. } => quote!(admission),
        _ => quote!(register_admission),
    };
    let receipt = match (of.counting(), Kept::of(index, of)) {
        (Some(Counting::Succeeded), Some(Kept { cell, .. })) if keeps => quote! {
            if admission.counts {
                flight.keep(__p::Note {
                    rule: #number,
                    receipt: <__p::#cell as __p::Register>::receipt(&#step),
                    epoch: self.#name.epoch(),
                    slots: 0,
                });
            }
        },
        _ => TokenStream::new(),
    };
    let (verdict, admitted) = if field.keyed() {
        (quote! { look.verdict }, quote! { self.#name.admit(#fixed, &#key, &#step, look, admission); })
    } else {
        (quote! { look }, quote! { self.#name.admit(#fixed, &#step, look, admission); })
    };
    quote! {
        if let __p::Some(look) = #look {
            let admission = deliberation.#admission(&RULES[#index], #verdict);
            #admitted
            #receipt
        }
    }
}
