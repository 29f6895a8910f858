//! The functions that change the arguments of a call before it is decided.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::expr::Expressions;
use super::group::Group;
use super::pattern::{self, Match, Moment};
use super::{Generator, tables};
use crate::mir::{Kind, Pattern, Rewrite};

impl Generator<'_> {
    /// The function for one tool; `None` if no rule changes its arguments.
    pub(super) fn rewrite(
        &self,
        name: &Ident,
        group: &Group<'_>,
        expressions: &Expressions<'_>,
    ) -> Option<TokenStream> {
        let moment = Moment::Call(group.tool);
        let rules: Vec<TokenStream> = group
            .plan
            .rules
            .iter()
            .filter_map(|concern| match &self.rule(concern.rule)?.kind {
                Kind::Rewrite { pattern, changes } => {
                    let number = u16::try_from(concern.rule).unwrap_or(u16::MAX);
                    changes_of(number, pattern, changes, moment, expressions)
                }
                _ => None,
            })
            .collect();
        if rules.is_empty() {
            return None;
        }
        let effect = self.effect_of(group.tool, expressions);
        let reads = expressions.reads();
        Some(quote! {
            fn #name(&self, call: &__p::CallView<'_>, posture: __p::Posture) -> __p::Rewriting {
                let (now, context) = (call.now, call.context);
                let result: __p::Option<&__p::Value> = __p::None;
                #reads
                let (effect, declared) = #effect;
                let mut rewriter = __p::Rewriter::new(call.args, posture);
                #(#rules)*
                rewriter.finish()
            }
        })
    }
}

fn changes_of(
    number: u16,
    pattern: &Pattern,
    changes: &[Rewrite],
    moment: Moment<'_>,
    expressions: &Expressions<'_>,
) -> Option<TokenStream> {
    let applies = match pattern::occurs(pattern, moment, expressions) {
        Match::Never => return None,
        found => found.into_truth(),
    };
    let changes = changes.iter().map(|change| {
        let (path, value) = (tables::args_path(&change.path), expressions.value(&change.value));
        quote! { (#path, #value) }
    });
    let index = usize::from(number);
    Some(quote! {
        let applies = #applies;
        if applies != __p::Truth::False {
            rewriter.change(#number, &RULES[#index], applies, [#(#changes),*]);
        }
    })
}
