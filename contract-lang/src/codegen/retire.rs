//! What concerns instances that are let go: the secret by which their keys are remembered, how many they were, and which.

use proc_macro2::TokenStream;
use quote::quote;

use super::Generator;
use super::rule::Field;

impl Generator<'_> {
    /// `Monitor::seed`, `Monitor::retired` and `Monitor::departures`, where the standard ones do not do.
    pub(super) fn retire(&self) -> TokenStream {
        let seeds: Vec<_> = self.retiring().map(|Field { name, .. }| quote! { self.#name.seed(seed); }).collect();
        let seed = (!seeds.is_empty()).then(|| {
            quote! {
                fn seed(&mut self, seed: __p::Seed) {
                    #(#seeds)*
                }
            }
        });
        let counting = self.remembering().filter(|field| field.rule.lets_go());
        let arms: Vec<_> =
            counting.map(|Field { name, index, .. }| quote! { #index => self.#name.retired(), }).collect();
        let retired = (!arms.is_empty()).then(|| {
            quote! {
                fn retired(&self, rule: usize) -> __p::Retired {
                    match rule {
                        #(#arms)*
                        _ => ::core::default::Default::default(),
                    }
                }
            }
        });
        let letting_go = || self.remembering().filter(|field| field.rule.lets_go());
        let watches: Vec<_> =
            letting_go().map(|Field { name, .. }| quote! { self.#name.watch_departures(); }).collect();
        let asks = letting_go().map(|Field { name, number, .. }| {
            quote! { self.#name.departures(#number, &mut all); }
        });
        let departures = (!watches.is_empty()).then(|| {
            quote! {
                fn watch_departures(&mut self) {
                    #(#watches)*
                }
                fn departures(&mut self) -> __p::Vec<__p::Departed> {
                    let mut all = __p::Vec::new();
                    #(#asks)*
                    all
                }
            }
        });
        quote! { #seed #retired #departures }
    }

    /// Lets go of what is idle.
    pub(super) fn tidy(&self) -> TokenStream {
        let idle = self.retiring().filter(|field| field.rule.idles());
        let tidies = idle.map(|field| {
            let (name, fixed) = (field.name, field.fixed());
            quote! { self.#name.tidy(#fixed, now); }
        });
        quote! { #(#tidies)* }
    }

    /// The rules that retire instances whose state matters still.
    fn retiring(&self) -> impl Iterator<Item = Field<'_>> {
        self.remembering().filter(|field| field.rule.per.as_ref().is_some_and(crate::mir::Keyed::retires))
    }
}
