//! The function that decides a call of one tool: judge every rule that mentions it, decide, then commit if the call runs.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::expr::Expressions;
use super::group::Group;
use super::judge::{self, Part};
use super::pattern::{self, Match, Moment};
use super::{Generator, tables};
use crate::dispatch::{Concern, Tool};
use crate::mir::{Clock, Kind, Rule};

impl Generator<'_> {
    pub(super) fn before(&self, name: &Ident, group: &Group<'_>, expressions: &Expressions<'_>) -> TokenStream {
        let moment = Moment::Call(group.tool);
        let effect = self.effect_of(group.tool, expressions);
        let parts: Vec<Part> = group
            .plan
            .rules
            .iter()
            .filter_map(|concern| self.part(concern, self.rule(concern.rule)?, group, moment, expressions))
            .collect();
        let default = self.default(group);
        let reads = expressions.reads();
        let judge = parts.iter().map(|part| &part.judge);
        let commit = parts.iter().map(|part| &part.commit);
        let (fades, rewritten) = (self.expire(), self.rewritten());
        let admitted = quote! { __p::position(self.position) };
        let run_outs = self.remembering().filter(|field| field.rule.runs_out(Clock::Calls));
        let run_outs = run_outs.map(|field| field.run_out(&admitted));
        quote! {
            fn #name(&mut self, call: &__p::CallView<'_>, rewriting: &__p::Rewriting, posture: __p::Posture) -> __p::Ruling<Flight> {
                let (now, context) = (call.now, call.context);
                #fades
                // What the position will be if the call runs, and there is no result yet.
                let position = self.position.saturating_add(1);
                let result: __p::Option<&__p::Value> = __p::None;
                #reads
                let (effect, declared) = #effect;
                let mut deliberation = __p::Deliberation::new(posture, effect);
                #rewritten
                let mut permitted = false;
                #(#judge)*
                #default
                if !deliberation.admitted() {
                    return deliberation.conclude(__p::None);
                }
                self.position = position;
                let mut flight = Flight::new(effect);
                let mut findings = __p::Findings::new();
                #(#run_outs)*
                #(#commit)*
                deliberation.admit(flight, findings)
            }
        }
    }

    /// What the `rewrite` rules have to say.
    fn rewritten(&self) -> TokenStream {
        if self.contract.rules.iter().any(|rule| matches!(rule.kind, Kind::Rewrite { .. })) {
            quote! { deliberation.rewritten(rewriting, &RULES); }
        } else {
            TokenStream::new()
        }
    }

    fn part(
        &self,
        concern: &Concern,
        of: &Rule,
        group: &Group<'_>,
        moment: Moment<'_>,
        expressions: &Expressions<'_>,
    ) -> Option<Part> {
        match &of.kind {
            Kind::Permit { .. } if self.contract.on_trial(of) => None,
            Kind::Permit { pattern } => {
                let truth = match pattern::holds(pattern, moment, expressions) {
                    Match::Never => return None,
                    found => found.into_truth(),
                };
                let judge = quote! { permitted |= #truth == __p::Truth::True; };
                Some(Part { judge, commit: TokenStream::new() })
            }
            Kind::Require { pattern, clauses } => {
                let applies = pattern::holds(pattern, moment, expressions);
                judge::require(&self.field(concern.rule)?, applies, clauses, expressions)
            }
            Kind::NoFlow { patterns: [_, to], .. } => {
                let (field, to) = (self.field(concern.rule)?, pattern::holds(to, moment, expressions));
                Some(judge::flow(&field, to, group.keeps(concern.rule)))
            }
            Kind::Automaton { .. } | Kind::Register { .. } => {
                judge::stepping(&self.field(concern.rule)?, group, moment, expressions)
            }
            Kind::Rewrite { .. } => Some(judge::rewritten(&self.field(concern.rule)?)),
            Kind::Ensure { .. } | Kind::Redact { .. } => None,
        }
    }

    /// What becomes of the call if no rule decides it.
    fn default(&self, group: &Group<'_>) -> TokenStream {
        let contract = self.contract;
        let moment = Moment::Call(group.tool);
        let mut by_rule = Vec::new();
        let mut by_permit = Vec::new();
        let mut always = false;
        let rules = group.plan.rules.iter().filter_map(|concern| self.rule(concern.rule));
        for of in rules.filter(|of| !contract.on_trial(of)) {
            for pattern in of.patterns().iter().chain(&of.guards) {
                let test = match pattern::mentions(pattern, moment, |phases| phases.call) {
                    Match::Never => continue,
                    Match::Always => {
                        always = true;
                        quote! { true }
                    }
                    Match::When(test) => test,
                };
                if matches!(of.kind, Kind::Permit { .. }) {
                    by_permit.push(test.clone());
                }
                by_rule.push(test);
            }
        }
        if always && by_permit.is_empty() && !contract.default.strict && contract.undeclared.is_none() {
            // Some rule speaks of every call of these tools, and no permit does.
            return TokenStream::new();
        }
        let policy = tables::default_policy(&contract.default);
        let falls = if contract.default.strict {
            quote! { true }
        } else {
            quote! { #(#by_permit ||)* !(#(#by_rule ||)* false) }
        };
        let fall_back = quote! {
            if #falls {
                deliberation.fall_back(&#policy);
            }
        };
        let otherwise = match contract.undeclared {
            None => fall_back,
            Some(action) => {
                let (action, known) = (tables::decision(action), self.known(group.tool));
                quote! {
                    if !(declared || #known) {
                        deliberation.undeclared(#action);
                    } else {
                        #fall_back
                    }
                }
            }
        };
        quote! {
            if !permitted {
                #otherwise
            }
        }
    }

    /// Whether a catalog knows the tool, as a `bool`.
    fn known(&self, tool: Tool<'_>) -> TokenStream {
        let catalog = &self.contract.catalog;
        match tool {
            Tool::Named(name) => {
                let known = catalog.iter().any(|known| known == name);
                quote! { #known }
            }
            Tool::Other if catalog.is_empty() => quote! { false },
            Tool::Other => quote! { match call.tool { #(#catalog)|* => true, _ => false } },
        }
    }
}
