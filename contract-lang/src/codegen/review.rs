//! The part of a result's function that asks the rules about results: what is withheld, what is masked.

use proc_macro2::TokenStream;
use quote::quote;

use super::expr::Expressions;
use super::group::Group;
use super::judge::clauses;
use super::pattern::{self, Match, Moment};
use super::{Generator, tables};
use crate::mir::Kind;

impl Generator<'_> {
    /// The statements over `review`; `None` if no rule is about results of the tool. They read the value as it came.
    pub(super) fn review(&self, group: &Group<'_>, expressions: &Expressions<'_>) -> Option<TokenStream> {
        let expressions = expressions.apart();
        let rules = group.plan.rules.iter().filter(|concern| concern.result);
        let rules: Vec<TokenStream> =
            rules.filter_map(|concern| self.reviewed(concern.rule, group, &expressions)).collect();
        if rules.is_empty() {
            return None;
        }
        let reads = expressions.reads();
        Some(quote! {
            let result = outcome.value;
            if result.is_some() {
                #reads
                #(#rules)*
            }
        })
    }

    fn reviewed(&self, index: usize, group: &Group<'_>, expressions: &Expressions<'_>) -> Option<TokenStream> {
        let rule = self.rule(index)?;
        let number = u16::try_from(index).unwrap_or(u16::MAX);
        let applies = |pattern| pattern::occurs(pattern, Moment::Review(group.tool), expressions);
        match &rule.kind {
            Kind::Ensure { pattern, clauses: of } => {
                let applies = match applies(pattern) {
                    Match::Never => return None,
                    found => found.into_truth(),
                };
                let (clauses, name) = (clauses(of, expressions), self.field(index)?.name);
                Some(quote! {
                    let applies = #applies;
                    if applies != __p::Truth::False {
                        let mut required = __p::Requirement::new(applies);
                        #clauses
                        review.weigh(#number, &RULES[#index], required.verdict(), required.reason());
                        self.#name.observe(required.verdict());
                    }
                })
            }
            Kind::Redact { pattern, paths } => {
                let paths = paths.iter().map(|path| tables::result_path(path));
                let redact = quote! { review.redact(#number, &RULES[#index], result, &[#(#paths),*]); };
                match applies(pattern) {
                    Match::Never => None,
                    Match::Always => Some(redact),
                    Match::When(applies) => Some(quote! { if #applies != __p::Truth::False { #redact } }),
                }
            }
            _ => None,
        }
    }
}
