//! What happens without an event: time goes by.

use proc_macro2::TokenStream;
use quote::quote;

use super::Generator;
use crate::mir::Clock;

impl Generator<'_> {
    /// `Monitor::advance`: facts get old, obligations run out, and then idle instances go.
    pub(super) fn advance(&self) -> TokenStream {
        let running_out = self.remembering().filter(|field| field.rule.runs_out(Clock::Time));
        let running_out = running_out.map(|field| field.run_out(&quote!(now)));
        let (expire, tidy) = (self.expire(), self.tidy());
        quote! {
            fn advance(&mut self, now: __p::Time) -> __p::Report {
                #expire
                let mut findings = __p::Findings::new();
                #(#running_out)*
                #tidy
                __p::Report { findings }
            }
        }
    }

    /// Makes what state has become too old for not established, where a cell says how old is too old.
    pub(super) fn expire(&self) -> TokenStream {
        if self.contract.cells.iter().any(|cell| cell.fresh.is_some()) {
            quote! { self.state.expire(&self.info.cells, now); }
        } else {
            TokenStream::new()
        }
    }
}
