//! The effect of a call, and whether the contract declares its tool.

use proc_macro2::TokenStream;
use quote::quote;

use contract_runtime::Effect;

use super::expr::Expressions;
use super::group::Group;
use super::pattern::{self, Match};
use super::{Arm, Generator, by_tool, tables};
use crate::dispatch::{self, Tool};
use crate::mir::EffectCase;

impl Generator<'_> {
    /// Both, as a pair.
    pub(super) fn effect_of(&self, tool: Tool<'_>, expressions: &Expressions<'_>) -> TokenStream {
        let irreversible = tables::effect(Effect::Irreversible);
        let mut chain = Vec::new();
        let mut otherwise = quote! { (#irreversible, false) };
        for declared in dispatch::declarations(self.contract, tool) {
            let effect = effect_of(&declared.effect, expressions);
            match pattern::names(&declared.names, tool) {
                Match::Never => {}
                Match::Always => {
                    otherwise = quote! { (#effect, true) };
                    break;
                }
                Match::When(test) => chain.push((test, effect)),
            }
        }
        chain
            .iter()
            .rev()
            .fold(otherwise, |rest, (test, effect)| quote! { if #test { (#effect, true) } else { #rest } })
    }

    /// `Monitor::effect`.
    pub(super) fn effect(&self, groups: &[Group<'_>], expressions: &Expressions<'_>) -> TokenStream {
        let mut arms: Vec<Arm<'_>> = Vec::new();
        for group in groups {
            let expressions = expressions.apart();
            let effect = self.effect_of(group.tool, &expressions);
            let reads = expressions.reads();
            let effect = if reads.is_empty() {
                effect
            } else {
                quote! { { #reads #effect } }
            };
            let text = effect.to_string();
            let alike = arms.iter_mut().find(|(_, known)| !group.tools.is_empty() && known.to_string() == text);
            match alike {
                Some((tools, _)) => tools.extend(&group.tools),
                None => arms.push((group.tools.clone(), effect)),
            }
        }
        let effect = by_tool(&arms);
        quote! {
            fn effect(&self, call: &__p::CallView<'_>) -> __p::Effect {
                let (now, context) = (call.now, call.context);
                let result: __p::Option<&__p::Value> = __p::None;
                let (effect, _) = #effect;
                effect
            }
        }
    }
}

fn effect_of(cases: &[EffectCase], expressions: &Expressions<'_>) -> TokenStream {
    match cases {
        [] => tables::effect(Effect::Irreversible),
        [EffectCase { when: None, is }, ..] => tables::effect(*is),
        cases => {
            let cases = cases.iter().map(|case| {
                let when = match &case.when {
                    Some(when) => expressions.predicate(when),
                    None => quote! { __p::Truth::True },
                };
                let is = tables::effect(case.is);
                quote! { (#when, #is) }
            });
            quote! { __p::effect_of([#(#cases),*]) }
        }
    }
}
