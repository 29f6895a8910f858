//! The functions that take results of one tool and host events: monitors step, then commits are carried out.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::expr::Expressions;
use super::pattern::{self, Match, Moment};
use super::{Generator, Group, rule};
use crate::dispatch;
use crate::mir::{Commit, Counting, Kind, Rule, Verb};

impl Generator<'_> {
    /// Whether a result of the tools can change anything, or be judged by a predicate.
    pub(super) fn observes(&self, group: &Group<'_>) -> bool {
        let concerned = group
            .plan
            .rules
            .iter()
            .any(|concern| concern.result || concern.close_result || group.notes.contains_key(&concern.rule));
        let judged = dispatch::declarations(self.contract, group.tool).iter().any(|tool| tool.succeeds_when.is_some());
        concerned || judged || !group.plan.commits.is_empty()
    }

    pub(super) fn after(&self, name: &Ident, group: &Group<'_>, expressions: &Expressions<'_>) -> TokenStream {
        let moment = Moment::Result(group.tool);
        let status = self.status(group, expressions);
        let rules: Vec<TokenStream> = group
            .plan
            .rules
            .iter()
            .filter_map(|concern| {
                let note = group.notes.get(&concern.rule).copied();
                self.observe(concern.rule, self.rule(concern.rule)?, moment, note, expressions)
            })
            .collect();
        let commits = group.plan.commits.iter().filter_map(|index| self.contract.commits.get(*index));
        let commits = commit(commits, moment, expressions);
        let reads = expressions.reads();
        quote! {
            fn #name(
                &mut self,
                call: &__p::CallView<'_>,
                flight: Flight,
                outcome: __p::OutcomeView<'_>,
            ) -> (__p::Status, __p::Report) {
                let (now, context, effect) = (call.now, call.context, flight.effect);
                let status = #status;
                let result = __p::proof(status, &outcome);
                #reads
                let mut findings = __p::Findings::new();
                #(#rules)*
                #commits
                (status, __p::Report { findings })
            }
        }
    }

    /// `Monitor::event`.
    pub(super) fn event(&self, expressions: &Expressions<'_>) -> TokenStream {
        let rules: Vec<TokenStream> = (0..self.contract.rules.len())
            .filter_map(|index| {
                let of = self.rule(index)?;
                let concerned = of.patterns().iter().chain(of.close_on()).any(rule::speaks_of_events);
                concerned.then(|| self.observe(index, of, Moment::Event, None, expressions)).flatten()
            })
            .collect();
        let commits = commit(self.contract.commits.iter(), Moment::Event, expressions);
        let reads = expressions.reads();
        quote! {
            fn event(&mut self, event: &__p::EventView<'_>) -> __p::Report {
                let (now, context) = (event.now, event.context);
                #reads
                let mut findings = __p::Findings::new();
                #(#rules)*
                #commits
                __p::Report { findings }
            }
        }
    }

    fn status(&self, group: &Group<'_>, expressions: &Expressions<'_>) -> TokenStream {
        let expressions = expressions.apart();
        let mut chain = Vec::new();
        let mut otherwise = quote! { __p::plain_success(outcome.value) };
        for declared in dispatch::declarations(self.contract, group.tool) {
            let succeeds = match &declared.succeeds_when {
                Some(predicate) => expressions.predicate(predicate),
                None => quote! { __p::plain_success(outcome.value) },
            };
            match pattern::names(&declared.names, group.tool) {
                Match::Never => {}
                Match::Always => {
                    otherwise = succeeds;
                    break;
                }
                Match::When(test) => chain.push((test, succeeds)),
            }
        }
        let succeeds =
            chain.iter().rev().fold(otherwise, |rest, (test, truth)| quote! { if #test { #truth } else { #rest } });
        let reads = expressions.reads();
        quote! {
            __p::status(outcome.status, || {
                let result = outcome.value;
                #reads
                #succeeds
            })
        }
    }

    /// One rule's part: slots and counts come back, the rule steps, instances close.
    fn observe(
        &self,
        index: usize,
        of: &Rule,
        moment: Moment<'_>,
        note: Option<usize>,
        expressions: &Expressions<'_>,
    ) -> Option<TokenStream> {
        let field = self.field(index)?;
        let (number, fixed) = (rule::number(index), rule::fixed(index, of));
        let steps = rule::step(of, moment, expressions);
        let closes = rule::closes(of, moment, expressions);
        if note.is_none() && steps.is_none() && closes.is_none() {
            return None;
        }
        let keyed = of.per.is_some();
        let key = rule::key(of, moment, expressions);
        let mut body = if keyed {
            quote! { let key = #key; }
        } else {
            quote! { let key = __p::unreadable::<0>(); }
        };
        if let Some(note) = note {
            body.extend(quote! { let note = flight.note(#note); });
            if keyed {
                body.extend(quote! { self.#field.release(note.slot); });
            }
            if of.counting() == Some(Counting::Succeeded) {
                body.extend(give_back(of, field, keyed));
            }
        }
        if let Some(rule::Step { step, concerned }) = steps {
            let observed = if keyed {
                quote! { __p::observed(self.#field.observe(#fixed, &key, &step)) }
            } else {
                quote! { (self.#field.observe(#fixed, &step), __p::Reason::Rule) }
            };
            let retire = rule::retire(of, field, &fixed);
            let observed = quote! {
                #retire
                let (verdict, reason) = #observed;
                if verdict >= __p::Verdict::Unestablished {
                    findings.push(__p::detected(#number, verdict, reason, &key));
                }
            };
            body.extend(quote! { let step = #step; });
            body.extend(match concerned {
                None => observed,
                Some(concerned) => quote! { if #concerned { #observed } },
            });
        }
        if let Some(closes) = closes {
            body.extend(quote! {
                if self.#field.close(#fixed, &key, #closes) {
                    findings.push(__p::left_open(#number, __p::key_json(&key)));
                }
            });
        }
        Some(quote! { { #body } })
    }
}

/// Returns what a call counted that failed, or of which nobody knows whether it failed.
fn give_back(of: &Rule, field: &Ident, keyed: bool) -> TokenStream {
    let step = match &of.kind {
        Kind::Total { .. } => quote! { __p::Payment::noted(note.counted, note.amount) },
        Kind::Rate { .. } => quote! { __p::Tick { occurs: note.counted, at: note.at } },
        _ => quote! { note.counted },
    };
    let give = if keyed {
        quote! { self.#field.give_back(&key, &step, failed, note.incarnation) }
    } else {
        quote! { self.#field.give_back(&step, failed) }
    };
    quote! {
        let failed = __p::failed(status);
        if note.counted != __p::Truth::False && failed != __p::Truth::False {
            let step = #step;
            #give;
        }
    }
}

fn commit<'c>(
    commits: impl Iterator<Item = &'c Commit>,
    moment: Moment<'_>,
    expressions: &Expressions<'_>,
) -> TokenStream {
    let mut writes = Vec::new();
    for commit in commits {
        let holds = match pattern::holds(&commit.after, moment, expressions) {
            Match::Never => continue,
            found => found.into_truth(),
        };
        let result = matches!(moment, Moment::Result(_));
        let mut matches = if result {
            quote! { __p::occurs(status, |reading| #holds) }
        } else {
            holds
        };
        if let Some(when) = &commit.when {
            let predicate = expressions.predicate(when);
            matches = if result && when.reads_result() {
                quote! { __p::and(#matches, || __p::proven(status, || #predicate)) }
            } else {
                quote! { __p::and(#matches, || #predicate) }
            };
        }
        let changes = commit.changes.iter().map(|change| {
            let cell = change.cell;
            let value = |expr| expressions.value(expr);
            match &change.verb {
                Verb::Set(expr) => call(&quote!(set), cell, &[value(expr)]),
                Verb::Bind(expr) => call(&quote!(bind), cell, &[value(expr)]),
                Verb::Insert(expr) => call(&quote!(insert), cell, &[value(expr)]),
                Verb::InsertAt(at, expr) => call(&quote!(insert_at), cell, &[value(at), value(expr)]),
                Verb::Remove(expr) => call(&quote!(remove), cell, &[value(expr)]),
                Verb::RemoveAt(at, expr) => call(&quote!(remove_at), cell, &[value(at), value(expr)]),
                Verb::Put { at, value: expr } => call(&quote!(put), cell, &[value(at), value(expr)]),
                Verb::Clear => quote! { writes.clear(#cell, matches); },
            }
        });
        writes.push(quote! {
            let matches = #matches;
            if matches != __p::Truth::False {
                #(#changes)*
            }
        });
    }
    if writes.is_empty() {
        return TokenStream::new();
    }
    quote! {
        let mut writes = __p::Writes::new();
        #(#writes)*
        self.state.apply(&self.info.cells, writes, &mut findings);
    }
}

fn call(verb: &TokenStream, cell: usize, values: &[TokenStream]) -> TokenStream {
    quote! { writes.#verb(&self.info.cells, #cell, matches, #(#values),*); }
}
