//! The function that decides a call of one tool: judge every rule that mentions it, decide, then commit if the call runs.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use contract_runtime::Effect;

use super::expr::Expressions;
use super::pattern::{self, Match, Moment};
use super::{Generator, Group, rule, tables};
use crate::dispatch::{self, Concern, Tool};
use crate::mir::{EffectCase, Kind, Rule};

/// What one rule adds to the function.
#[derive(Default)]
struct Part {
    judge: TokenStream,
    commit: TokenStream,
}

impl Generator<'_> {
    pub(super) fn before(&self, name: &Ident, group: &Group<'_>, expressions: &Expressions<'_>) -> TokenStream {
        let moment = Moment::Call(group.tool);
        let effect = self.effect(group.tool, expressions);
        let parts: Vec<Part> = group
            .plan
            .rules
            .iter()
            .filter_map(|concern| {
                let note = group.notes.get(&concern.rule).copied();
                self.part(concern, self.rule(concern.rule)?, moment, note, expressions)
            })
            .collect();
        let default = self.default(group);
        let reads = expressions.reads();
        let judge = parts.iter().map(|part| &part.judge);
        let commit = parts.iter().map(|part| &part.commit);
        quote! {
            fn #name(&mut self, call: &__p::CallView<'_>, posture: __p::Posture) -> __p::Ruling<Flight> {
                let (now, context) = (call.now, call.context);
                // There is no result yet.
                let result: __p::Option<&__p::Value> = __p::None;
                #reads
                let (effect, declared) = #effect;
                let mut deliberation = __p::Deliberation::new(posture, effect);
                let mut permitted = false;
                #(#judge)*
                #default
                if !deliberation.admitted() {
                    return deliberation.conclude(__p::None);
                }
                let mut flight = Flight::new(effect);
                let mut left_open = __p::Findings::new();
                #(#commit)*
                deliberation.admit(flight, left_open)
            }
        }
    }

    /// The effect of the call and whether the contract declares the tool, as a pair.
    fn effect(&self, tool: Tool<'_>, expressions: &Expressions<'_>) -> TokenStream {
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

    fn part(
        &self,
        concern: &Concern,
        of: &Rule,
        moment: Moment<'_>,
        note: Option<usize>,
        expressions: &Expressions<'_>,
    ) -> Option<Part> {
        let (index, number) = (concern.rule, rule::number(concern.rule));
        match &of.kind {
            Kind::Permit { pattern } => {
                let truth = match pattern::holds(pattern, moment, expressions) {
                    Match::Never => return None,
                    found => found.into_truth(),
                };
                let judge = quote! { permitted |= #truth == __p::Truth::True; };
                return Some(Part { judge, commit: TokenStream::new() });
            }
            Kind::Require { pattern, clauses } => {
                let applies = match pattern::holds(pattern, moment, expressions) {
                    Match::Never => return None,
                    found => found.into_truth(),
                };
                let clauses = (0u16..).zip(clauses).map(|(clause, of)| {
                    let truth = expressions.predicate(&of.predicate);
                    quote! { required.clause(#clause, #truth); }
                });
                let look = format_ident!("look_{index}");
                let judge = quote! {
                    let applies = #applies;
                    let mut required = __p::Requirement::new(applies);
                    if applies != __p::Truth::False {
                        #(#clauses)*
                        deliberation.weigh(#number, &RULES[#index], required.verdict(), required.reason(), &[]);
                    }
                    let #look = required.verdict();
                };
                let field = self.field(index)?;
                let commit = quote! {
                    if #look >= __p::Verdict::Unestablished {
                        self.#field.admit(#look, deliberation.admission(&RULES[#index], #look));
                    }
                };
                return Some(Part { judge, commit });
            }
            _ => {}
        }
        let field = self.field(index)?;
        Some(if of.per.is_some() {
            self.keyed(concern, of, field, moment, note, expressions)
        } else {
            single(index, of, field, moment, expressions, note)
        })
    }

    fn keyed(
        &self,
        concern: &Concern,
        of: &Rule,
        field: &Ident,
        moment: Moment<'_>,
        note: Option<usize>,
        expressions: &Expressions<'_>,
    ) -> Part {
        let Moment::Call(tool) = moment else { return Part::default() };
        let index = concern.rule;
        let [key, step, look, room] = ["key", "step", "look", "room"].map(|name| format_ident!("{name}_{index}"));
        let (number, fixed) = (rule::number(index), rule::fixed(index, of));
        let steps = rule::step(of, moment, expressions);
        let reserves = rule::may_observe(of, tool);
        let closes = rule::closes(of, moment, expressions);
        if steps.is_none() && reserves.is_never() && closes.is_none() {
            return Part::default();
        }
        let key_of = rule::key(of, moment, expressions);
        let retire = rule::retire(of, field, &fixed);
        let mut judge = quote! { let #key = #key_of; #retire };
        if let Some(rule::Step { step: made, concerned }) = &steps {
            let judged = quote! { self.#field.judge(#fixed, &#key, &step) };
            judge.extend(match concerned {
                None => quote! { let step = #made; let #look = __p::Some(#judged); let #step = step; },
                Some(concerned) => quote! {
                    let step = #made;
                    let #look = if #concerned { __p::Some(#judged) } else { __p::None };
                    let #step = step;
                },
            });
        } else {
            judge.extend(quote! { let #look: __p::Option<__p::Judged> = __p::None; });
        }
        match &reserves {
            Match::Never => judge.extend(quote! { let #room = __p::Room::NotNeeded; }),
            Match::Always => judge.extend(quote! { let #room = self.#field.room(&#key); }),
            Match::When(test) => judge.extend(quote! {
                let #room = if #test { self.#field.room(&#key) } else { __p::Room::NotNeeded };
            }),
        }
        judge.extend(quote! {
            if let __p::Some((verdict, reason)) = __p::opinion(#look, #room) {
                deliberation.weigh(#number, &RULES[#index], verdict, reason, &#key);
            }
        });
        let mut commit = TokenStream::new();
        if steps.is_some() {
            let admission = admission(of, index);
            let counted = match (of.counting(), note) {
                (Some(crate::mir::Counting::Succeeded), Some(note)) => {
                    let occurs = occurs(of, &step);
                    let amount = amount(of, &step);
                    quote! {
                        if admission.counts {
                            flight.keep(#note, __p::Note {
                                counted: #occurs,
                                incarnation: self.#field.incarnation(&#key),
                                at: now,
                                amount: #amount,
                                slot: false,
                            });
                        }
                    }
                }
                _ => TokenStream::new(),
            };
            commit.extend(quote! {
                if let __p::Some(look) = #look {
                    let verdict = look.verdict;
                    let admission = #admission;
                    self.#field.admit(#fixed, &#key, &#step, look, admission);
                    #counted
                }
            });
        }
        if let (false, Some(note)) = (reserves.is_never(), note) {
            commit.extend(quote! {
                if self.#field.reserve(&#key, #room) {
                    flight.hold(#note);
                }
            });
        }
        if let Some(closes) = closes {
            commit.extend(quote! {
                if self.#field.close(#fixed, &#key, #closes) {
                    left_open.push(__p::left_open(#number, __p::key_json(&#key)));
                }
            });
        }
        Part { judge, commit }
    }

    /// What becomes of the call if no rule decides it.
    fn default(&self, group: &Group<'_>) -> TokenStream {
        let contract = self.contract;
        let moment = Moment::Call(group.tool);
        let mut by_rule = Vec::new();
        let mut by_permit = Vec::new();
        let mut always = false;
        for of in group.plan.rules.iter().filter_map(|concern| self.rule(concern.rule)) {
            for pattern in of.patterns() {
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

fn single(
    index: usize,
    of: &Rule,
    field: &Ident,
    moment: Moment<'_>,
    expressions: &Expressions<'_>,
    note: Option<usize>,
) -> Part {
    let Some(rule::Step { step: made, concerned }) = rule::step(of, moment, expressions) else {
        return Part::default();
    };
    let [step, look] = ["step", "look"].map(|name| format_ident!("{name}_{index}"));
    let (number, fixed) = (rule::number(index), rule::fixed(index, of));
    let looked = quote! { self.#field.look(#fixed, &step) };
    let looked = match concerned {
        None => quote! { __p::Some(#looked) },
        Some(concerned) => quote! { if #concerned { __p::Some(#looked) } else { __p::None } },
    };
    let judge = quote! {
        let step = #made;
        let #look = #looked;
        let #step = step;
        if let __p::Some(verdict) = #look {
            deliberation.weigh(#number, &RULES[#index], verdict, __p::Reason::Rule, &[]);
        }
    };
    let admission = admission(of, index);
    let counted = note.map(|note| {
        let occurs = occurs(of, &step);
        let amount = amount(of, &step);
        quote! {
            if admission.counts {
                flight.keep(#note, __p::Note {
                    counted: #occurs,
                    incarnation: 0,
                    at: now,
                    amount: #amount,
                    slot: false,
                });
            }
        }
    });
    let commit = quote! {
        if let __p::Some(verdict) = #look {
            let admission = #admission;
            self.#field.admit(#fixed, &#step, verdict, admission);
            #counted
        }
    };
    Part { judge, commit }
}

fn admission(of: &Rule, index: usize) -> TokenStream {
    match of.kind {
        Kind::Automaton { .. } => quote! { deliberation.admission(&RULES[#index], verdict) },
        _ => quote! { deliberation.register_admission(&RULES[#index], verdict) },
    }
}

/// Whether a step of a register rule is an occurrence.
fn occurs(of: &Rule, step: &Ident) -> TokenStream {
    match of.kind {
        Kind::Total { .. } => quote! { #step.occurs() },
        Kind::Rate { .. } => quote! { #step.occurs },
        _ => quote! { #step },
    }
}

/// The amount of an occurrence, for rules that sum.
fn amount(of: &Rule, step: &Ident) -> TokenStream {
    match &of.kind {
        Kind::Total { .. } => quote! { #step.amount() },
        _ => quote! { __p::None },
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
