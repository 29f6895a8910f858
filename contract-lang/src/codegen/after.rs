//! The functions that take results of one tool and host events: monitors step, then commits are carried out.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::expr::Expressions;
use super::group::Group;
use super::key;
use super::pattern::{self, Match, Moment};
use super::register::Kept;
use super::rule::{self, Field};
use super::step::{self, Concerned, Step};
use super::{Generator, tables};
use crate::dispatch;
use crate::mir::{Commit, Counting, Kind, Pattern, Rule, Verb};

impl Generator<'_> {
    /// Whether a result of the tools can change anything, or be judged by a predicate.
    pub(super) fn observes(&self, group: &Group<'_>) -> bool {
        let concerned = group.plan.rules.iter().any(|concern| concern.at_result() || group.keeps(concern.rule));
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
                let keeps = group.keeps(concern.rule);
                self.observe(concern.rule, self.rule(concern.rule)?, moment, keeps, expressions)
            })
            .collect();
        let commits = group.plan.commits.iter().filter_map(|index| self.contract.commits.get(*index));
        let commits = commit(commits, moment, expressions);
        let (reads, expire) = (expressions.reads(), self.expire());
        let (review, status, settle) = match self.review(group, expressions) {
            None => (
                TokenStream::new(),
                quote! { let status = #status; },
                quote! { __p::Settlement { status, findings, delivery: __p::Delivery::AsIs } },
            ),
            Some(rules) => (
                quote! { let mut review = __p::Review::new(posture, effect); },
                quote! {
                    let status = #status;
                    #rules
                    let status = review.status(status);
                },
                quote! { review.settle(status, findings) },
            ),
        };
        // What is withheld changes no state.
        let (withheld, commits) = match (review.is_empty(), commits.is_empty()) {
            (true, _) => (quote! { false }, commits),
            (false, true) => (quote! { review.withheld() }, commits),
            (false, false) => (quote! { review.withheld() }, quote! { if !withheld { #commits } }),
        };
        quote! {
            fn #name(
                &mut self,
                call: &__p::CallView<'_>,
                flight: Flight,
                outcome: __p::OutcomeView<'_>,
                posture: __p::Posture,
            ) -> __p::Settlement {
                let (now, context, effect) = (call.now, call.context, flight.effect());
                #expire
                #review
                #status
                let withheld = #withheld;
                let result = __p::proof(status, &outcome);
                #reads
                let mut findings = __p::Findings::new();
                #(#rules)*
                #commits
                #settle
            }
        }
    }

    /// `Monitor::event`.
    pub(super) fn event(&self, expressions: &Expressions<'_>) -> TokenStream {
        let rules: Vec<TokenStream> = (0..self.contract.rules.len())
            .filter_map(|index| {
                let of = self.rule(index)?;
                let concerned = of.all_patterns().any(rule::speaks_of_events);
                concerned.then(|| self.observe(index, of, Moment::Event, false, expressions)).flatten()
            })
            .collect();
        let commits = commit(self.contract.commits.iter(), Moment::Event, expressions);
        let (reads, expire) = (expressions.reads(), self.expire());
        quote! {
            fn event(&mut self, event: &__p::EventView<'_>) -> __p::Report {
                let (now, context) = (event.now, event.context);
                #expire
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
        keeps: bool,
        expressions: &Expressions<'_>,
    ) -> Option<TokenStream> {
        let field = self.field(index)?;
        match &of.kind {
            Kind::Automaton { .. } | Kind::Register { .. } => observe(&field, moment, keeps, expressions),
            Kind::NoFlow { patterns: [from, _], values, .. } => taint(&field, from, values, moment, expressions),
            _ => None,
        }
    }
}

fn observe(field: &Field<'_>, moment: Moment<'_>, keeps: bool, expressions: &Expressions<'_>) -> Option<TokenStream> {
    let Field { rule: of, index, number, name, .. } = *field;
    let steps = Step::of(index, of, moment, expressions);
    let closes = field.close(&format_ident!("key"), moment, expressions);
    if !keeps && steps.is_none() && closes.is_empty() {
        return None;
    }
    let mut body = TokenStream::new();
    if let Some(keyed) = &of.per {
        let key = key::key(keyed, moment, expressions);
        body.extend(quote! { let key = #key; });
    }
    if keeps {
        body.extend(quote! { let note = flight.note(#number); });
        if field.keyed() {
            body.extend(quote! { self.#name.release(note.slots); });
        }
        body.extend(give_back(field, moment, expressions));
    }
    if let Some(Step { bind, concerned }) = steps {
        let (fade, observe) = (field.fade(&step::at(of.clock(), moment)), field.observe());
        body.extend(bind);
        body.extend(match concerned {
            Concerned::Always => quote! { #fade #observe },
            Concerned::When(test) => quote! { if #test { #fade #observe } },
            Concerned::Never => TokenStream::new(),
        });
    }
    body.extend(closes);
    Some(quote! { { #body } })
}

/// Returns what a call counted that failed, or of which nobody knows whether it failed, where the call was counted. What is
/// withheld stays counted.
fn give_back(field: &Field<'_>, moment: Moment<'_>, expressions: &Expressions<'_>) -> TokenStream {
    let Field { rule: of, index, name, .. } = *field;
    let (Kind::Register { operand, counting: Counting::Succeeded, .. }, Some(Kept { cell, .. }), Moment::Result(tool)) =
        (&of.kind, Kept::of(index, of), moment)
    else {
        return TokenStream::new();
    };
    let (fixed, call) = (field.fixed(), Moment::Call(tool));
    let operand = step::operand_of(operand.as_ref(), call, expressions);
    let (held, key) = match &of.per {
        None => (TokenStream::new(), TokenStream::new()),
        Some(keyed) => {
            let key = key::key(keyed, call, expressions);
            let same = key.to_string() == key::key(keyed, moment, expressions).to_string();
            if same { (TokenStream::new(), quote! { &key, }) } else { (quote! { let held = #key; }, quote! { &held, }) }
        }
    };
    quote! {
        let failed = __p::failed(status);
        if note.receipt.counted != __p::Truth::False && failed != __p::Truth::False && !withheld {
            #held
            let step = <__p::#cell as __p::Register>::again(note.receipt, #operand);
            self.#name.give_back(#fixed, #key &step, failed, note.epoch);
        }
    }
}

/// Remembers what a result said, for `no_flow`: the value as it came, unless it is withheld.
fn taint(
    field: &Field<'_>,
    from: &Pattern,
    values: &[Vec<crate::mir::Step>],
    moment: Moment<'_>,
    expressions: &Expressions<'_>,
) -> Option<TokenStream> {
    let Moment::Result(tool) = moment else { return None };
    let expressions = expressions.apart();
    let holds = match pattern::occurs(from, Moment::Review(tool), &expressions) {
        Match::Never => return None,
        found => found.into_truth(),
    };
    let (name, number, reads) = (field.name, field.number, expressions.reads());
    let takes = values.iter().map(|path| {
        let path = tables::result_path(path);
        quote! { self.#name.take(__p::select(value, #path), holds, position, call.tool); }
    });
    Some(quote! {
        if let (__p::Some(value), false) = (outcome.value, withheld) {
            let result = outcome.value;
            #reads
            let holds = #holds;
            if holds != __p::Truth::False {
                let position = __p::ordinal(flight.note(#number).receipt.at);
                #(#takes)*
            }
        }
    })
}

fn commit<'c>(
    commits: impl Iterator<Item = &'c Commit>,
    moment: Moment<'_>,
    expressions: &Expressions<'_>,
) -> TokenStream {
    let mut writes = Vec::new();
    for commit in commits {
        let mut matches = match pattern::occurs(&commit.after, moment, expressions) {
            Match::Never => continue,
            found => found.into_truth(),
        };
        let result = matches!(moment, Moment::Result(_));
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
        self.state.apply(&self.info.cells, writes, now, &mut findings);
    }
}

fn call(verb: &TokenStream, cell: usize, values: &[TokenStream]) -> TokenStream {
    quote! { writes.#verb(&self.info.cells, #cell, matches, #(#values),*); }
}
