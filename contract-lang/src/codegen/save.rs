//! The functions that save what a monitor remembers, and take it up again.

use proc_macro2::TokenStream;
use quote::quote;

use super::rule::Field;
use super::{Generator, tables};
use crate::mir::Kind;

impl Generator<'_> {
    /// `Monitor::save` and `Monitor::restore`.
    pub(super) fn save(&self) -> TokenStream {
        let saves = self.remembering().map(|Field { rule, name, .. }| {
            let id = &rule.id;
            quote! { saving.rule(#id, self.#name.save()); }
        });
        let restores = self.remembering().map(|field| restore(&field));
        let initial = tables::initial(self.contract);
        quote! {
            fn save(&self) -> __p::Value {
                let mut saving = __p::Saving::new(self.position, &self.state);
                #(#saves)*
                saving.finish()
            }
            fn restore(
                &mut self,
                saved: &__p::Value,
                version: __p::Version,
            ) -> __p::Result<__p::Findings, __p::RestoreError> {
                let mut restoring = __p::Restoring::new(saved, version)?;
                self.position = restoring.position();
                self.state = restoring.state(&self.info.cells, #initial)?;
                #(#restores)*
                __p::Ok(restoring.finish())
            }
        }
    }
}

fn restore(field: &Field<'_>) -> TokenStream {
    let Field { rule, name, number, .. } = *field;
    let (id, fixed) = (&rule.id, field.fixed());
    let take = match (&rule.kind, &rule.per) {
        (Kind::NoFlow { min_length, .. }, _) => quote! { restore_flow(&mut self.#name, #min_length, saved, version) },
        _ if !rule.steps() => quote! { restore_stateless(&mut self.#name, saved, version) },
        (_, Some(keyed)) => {
            let bounds = tables::bounds(keyed.bounds());
            quote! { restore_keyed(&mut self.#name, #fixed, #bounds, saved, version) }
        }
        (_, None) => quote! { restore_single(&mut self.#name, #fixed, saved, version) },
    };
    quote! { restoring.rule(#number, #id, |saved, version| __p::#take)?; }
}
