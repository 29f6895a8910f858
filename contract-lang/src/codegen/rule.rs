//! One rule's field in the generated struct, and what generated code does with it.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::expr::Expressions;
use super::pattern::{self, Match, Moment};
use super::register::{self, Kept};
use super::{Generator, Options, tables};
use crate::dispatch::Tool;
use crate::mir::{Kind, Pattern, Phases, Rule, Subject};

/// A rule that remembers something.
pub(super) struct Field<'g> {
    pub(super) rule: &'g Rule,
    pub(super) name: &'g Ident,
    pub(super) index: usize,
    /// Its index, as the runtime writes it.
    pub(super) number: u16,
}

impl Field<'_> {
    /// What the rule fixes, as an expression, for rules that step.
    pub(super) fn fixed(&self) -> Ident {
        match self.rule.kind {
            Kind::Register { .. } => register::bound_name(self.index),
            _ => tables::machine_name(self.index),
        }
    }

    pub(super) fn keyed(&self) -> bool {
        self.rule.per.is_some()
    }

    /// The type of the field, and the expression for a fresh one.
    fn ty(&self, hidden: &TokenStream) -> TokenStream {
        match (&self.rule.kind, Kept::of(self.index, self.rule)) {
            (_, Some(Kept { cell, .. })) => {
                let container = if self.keyed() { quote!(Keyed) } else { quote!(Single) };
                quote! { #hidden::#container<#hidden::#cell> }
            }
            (Kind::NoFlow { .. }, None) => quote! { #hidden::Flow },
            _ => quote! { #hidden::Stateless },
        }
    }

    fn fresh(&self) -> TokenStream {
        let fixed = self.fixed();
        match (&self.rule.kind, &self.rule.per) {
            (Kind::NoFlow { min_length, .. }, _) => quote! { __p::Flow::new(#min_length) },
            _ if !self.rule.steps() => quote! { __p::Stateless::new() },
            (_, Some(keyed)) => {
                let bounds = tables::bounds(keyed.bounds());
                quote! { __p::Keyed::new(#fixed, #bounds) }
            }
            (_, None) => quote! { __p::Single::new(#fixed) },
        }
    }

    fn verdict(&self) -> TokenStream {
        let (name, fixed) = (self.name, self.fixed());
        if self.rule.steps() {
            quote! { self.#name.verdict(#fixed) }
        } else {
            quote! { self.#name.verdict() }
        }
    }

    /// Frees what time has made as good as fresh. `now` is the time by the rule's clock.
    pub(super) fn fade(&self, now: &TokenStream) -> TokenStream {
        if !self.rule.fades() {
            return TokenStream::new();
        }
        let (name, fixed) = (self.name, self.fixed());
        quote! { self.#name.retire(#fixed, #now); }
    }

    /// Takes a step of a result or host event.
    pub(super) fn observe(&self) -> TokenStream {
        let (name, number, fixed) = (self.name, self.number, self.fixed());
        if self.keyed() {
            quote! { __p::observe_keyed(#number, &mut self.#name, #fixed, &key, &step, &mut findings); }
        } else {
            quote! { __p::observe_single(#number, &mut self.#name, #fixed, &step, &mut findings); }
        }
    }

    /// Closes the instances of a key, and makes all keys fresh, where the event says so.
    pub(super) fn close(&self, key: &Ident, moment: Moment<'_>, expressions: &Expressions<'_>) -> TokenStream {
        let (name, number, fixed) = (self.name, self.number, self.fixed());
        let mut statements = TokenStream::new();
        if let Some(matches) = matches(self.rule.close_on(), moment, expressions) {
            statements.extend(quote! {
                __p::close(#number, &mut self.#name, #fixed, &#key, #matches, &mut findings);
            });
        }
        if let Some(matches) = matches(self.rule.reset_on.as_ref(), moment, expressions) {
            let reset = if self.keyed() { quote!(reset_keyed) } else { quote!(reset_single) };
            statements.extend(quote! {
                __p::#reset(#number, &mut self.#name, #fixed, #matches, &mut findings);
            });
        }
        statements
    }

    /// Lets time go by: what runs out is found.
    pub(super) fn run_out(&self, now: &TokenStream) -> TokenStream {
        let (name, number, fixed) = (self.name, self.number, self.fixed());
        let run_out = if self.keyed() { quote!(run_out_keyed) } else { quote!(run_out_single) };
        quote! { __p::#run_out(#number, &mut self.#name, #fixed, #now, &mut findings); }
    }

    fn end(&self) -> TokenStream {
        let (name, number, fixed) = (self.name, self.number, self.fixed());
        let end = if self.keyed() { quote!(end_keyed) } else { quote!(end_single) };
        quote! { __p::#end(#number, &mut self.#name, #fixed, &mut findings); }
    }
}

/// Whether a pattern matches, as an expression of type `Truth`; `None` if it never does.
fn matches(pattern: Option<&Pattern>, moment: Moment<'_>, expressions: &Expressions<'_>) -> Option<TokenStream> {
    match pattern::occurs(pattern?, moment, expressions) {
        Match::Never => None,
        found => Some(found.into_truth()),
    }
}

impl Generator<'_> {
    /// The struct.
    pub(super) fn structure(&self, options: &Options) -> TokenStream {
        let krate = &options.krate;
        let name = quote::format_ident!("{}", self.contract.type_name);
        let title = format!(" The monitor of the contract `{}`, for one session.", self.contract.name);
        let hidden = quote! { #krate::__private };
        let fields = self.remembering().map(|field| {
            let (name, ty) = (field.name, field.ty(&hidden));
            let says = format!(" `{}`: {}", field.rule.id, field.rule.says);
            quote! { #[doc = #says] #name: #ty }
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
                /// How many calls were admitted.
                position: ::core::primitive::u64,
                #(#fields,)*
            }
        }
    }

    /// The fields of a fresh monitor.
    pub(super) fn fresh(&self) -> TokenStream {
        let fields = self.remembering().map(|field| {
            let (name, fresh) = (field.name, field.fresh());
            quote! { #name: #fresh }
        });
        quote! { #(#fields,)* }
    }

    /// `Monitor::verdict`.
    pub(super) fn verdicts(&self) -> TokenStream {
        let arms = (0..self.contract.rules.len()).map(|index| match self.field(index) {
            Some(field) => {
                let verdict = field.verdict();
                quote! { #index => #verdict, }
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

    /// `Monitor::end`.
    pub(super) fn end(&self) -> TokenStream {
        let ends = self.remembering().filter(|field| field.rule.steps()).map(|field| field.end());
        quote! {
            fn end(&mut self) -> __p::Findings {
                let mut findings = __p::Findings::new();
                #(#ends)*
                findings
            }
        }
    }
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
