//! Rust from a checked contract.
//!
//! One struct per contract with one field per rule that remembers something; a `match` on the tool's name that runs only the
//! rules that mention it; transition tables as constants. Generated code names nothing but `__private` of one crate and
//! needs no prelude.
//!
//! INVARIANT: the same contract gives the same tokens, and the tokens decide as [`crate::interpret`] does.

mod after;
mod before;
mod expr;
mod names;
mod pattern;
mod rule;
mod tables;

use std::cell::RefCell;
use std::collections::BTreeMap;

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use self::expr::Expressions;
use self::names::Names;
use crate::dispatch::{self, Plan, Tool};
use crate::mir::{Contract, Kind, Rule};

/// How code is generated.
#[derive(Clone, Debug)]
pub struct Options {
    /// The path of the crate whose `__private` module generated code names: `::interlock`.
    pub krate: TokenStream,
    /// Absolute paths of the files that the contract was read from: a change of one rebuilds the crate.
    pub tracked: Vec<String>,
}

impl Default for Options {
    fn default() -> Self {
        Self { krate: quote! { ::interlock }, tracked: Vec::new() }
    }
}

/// What the functions of one generated type share.
struct Generator<'c> {
    contract: &'c Contract,
    /// The field of each rule; `None` for rules that remember nothing.
    fields: Vec<Option<Ident>>,
}

impl<'c> Generator<'c> {
    fn new(contract: &'c Contract) -> Self {
        let mut names = Names::default();
        let fields = contract
            .rules
            .iter()
            .map(|rule| match rule.kind {
                Kind::Permit { .. } => None,
                _ => Some(names.fresh("rule_", &rule.id)),
            })
            .collect();
        Self { contract, fields }
    }

    fn field(&self, rule: usize) -> Option<&Ident> {
        self.fields.get(rule)?.as_ref()
    }

    fn rule(&self, index: usize) -> Option<&'c Rule> {
        self.contract.rules.get(index)
    }
}

/// The numbers of the notes that rules want back with an outcome of the tool: a rule may have to return a count, or it may
/// have reserved a slot.
fn notes(contract: &Contract, plan: &Plan, tool: Tool<'_>) -> BTreeMap<usize, usize> {
    let wants = |concern: &&dispatch::Concern| {
        let Some(rule) = contract.rules.get(concern.rule) else { return false };
        let returns = concern.call && rule.counting() == Some(crate::mir::Counting::Succeeded);
        returns || (rule.per.is_some() && concern.result && !rule::may_observe(rule, tool).is_never())
    };
    plan.rules.iter().filter(wants).map(|concern| concern.rule).zip(0..).collect()
}

/// The tools that have the same code, with a name for that code.
struct Group<'c> {
    name: String,
    tools: Vec<&'c str>,
    plan: Plan,
    notes: BTreeMap<usize, usize>,
    tool: Tool<'c>,
}

/// Groups the named tools by what they concern. Tools whose declarations differ stay apart.
fn groups(contract: &Contract) -> Vec<Group<'_>> {
    let mut groups: Vec<Group<'_>> = Vec::new();
    let mut names = Names::default();
    for name in dispatch::named_tools(contract) {
        let tool = Tool::Named(name);
        let plan = dispatch::plan(contract, tool);
        let alike = groups.iter_mut().find(|group| group.plan == plan && same_code(contract, group.tool, tool));
        match alike {
            Some(group) => group.tools.push(name),
            None => {
                let name_of = names.fresh("", name).to_string();
                let notes = notes(contract, &plan, tool);
                groups.push(Group { name: name_of, tools: vec![name], plan, notes, tool });
            }
        }
    }
    let plan = dispatch::plan(contract, Tool::Other);
    let name = names.fresh("", "other_tools").to_string();
    let notes = notes(contract, &plan, Tool::Other);
    groups.push(Group { name, tools: Vec::new(), plan, notes, tool: Tool::Other });
    groups
}

/// Whether every alternative, declaration and key route treats two tools alike.
fn same_code(contract: &Contract, one: Tool<'_>, other: Tool<'_>) -> bool {
    let declarations = |tool| -> Vec<_> {
        dispatch::declarations(contract, tool)
            .iter()
            .map(|tool| (&tool.effect, &tool.succeeds_when, &tool.names.server))
            .collect::<Vec<_>>()
    };
    let rules = || contract.rules.iter().flat_map(|rule| rule.patterns().iter().chain(rule.close_on()));
    let mut patterns = rules().chain(contract.commits.iter().map(|commit| &commit.after));
    let mut routes = contract.rules.iter().filter_map(|rule| rule.per.as_ref()).flat_map(|keyed| &keyed.routes);
    declarations(one) == declarations(other)
        && patterns.all(|pattern| {
            pattern.alternatives.iter().all(|alternative| alternative.may_match(one) == alternative.may_match(other))
        })
        && routes.all(|route| match &route.subject {
            crate::mir::Subject::Tools(names) => names.may_match(one) == names.may_match(other),
            _ => true,
        })
}

/// The Rust items of a contract: a public struct that implements `Monitor`.
#[must_use]
pub fn generate(contract: &Contract, options: &Options) -> TokenStream {
    let generator = Generator::new(contract);
    let groups = groups(contract);
    let patterns = RefCell::new(Vec::new());
    let mut methods = Vec::new();
    let mut before_arms = Vec::new();
    let mut after_arms = Vec::new();
    for group in &groups {
        let before = format_ident!("before_{}", group.name);
        let after = format_ident!("after_{}", group.name);
        methods.push(generator.before(&before, group, &Expressions::new(&patterns)));
        let observes = generator.observes(group);
        if observes {
            methods.push(generator.after(&after, group, &Expressions::new(&patterns)));
        }
        let tools = &group.tools;
        let arm = if tools.is_empty() { quote!(_) } else { quote!(#(#tools)|*) };
        before_arms.push(quote! { #arm => self.#before(call, posture) });
        if observes {
            after_arms.push(quote! { #arm => self.#after(call, flight, outcome) });
        } else {
            let succeeds = quote! { __p::plain_success(outcome.value) };
            after_arms.push(quote! {
                #arm => (__p::status(outcome.status, || #succeeds), __p::Report { findings: __p::Findings::new() })
            });
        }
    }
    let event = generator.event(&Expressions::new(&patterns));
    let verdicts = generator.verdicts();
    let end = generator.end();
    let structure = generator.structure(options);
    let constants = tables::constants(contract, &patterns.borrow());
    let (info, initial) = (tables::info(contract), tables::initial(contract));
    let fresh = generator.fresh();
    let name = format_ident!("{}", contract.type_name);
    let krate = &options.krate;
    let notes = groups.iter().map(|group| group.notes.len()).max().unwrap_or(0);
    let tracked = &options.tracked;
    quote! {
        #structure
        #[allow(
            dead_code,
            unused_braces,
            unused_mut,
            unused_parens,
            unused_variables,
            clippy::all,
            clippy::pedantic,
            clippy::nursery
        )]
        const _: () = {
            use #krate::__private as __p;
            #(const _: &[u8] = ::core::include_bytes!(#tracked);)*
            #constants
            type Flight = __p::Flight<#notes>;
            impl #name {
                /// A fresh monitor, for one session.
                #[must_use]
                pub fn new() -> Self {
                    Self { info: #info, state: #initial, #fresh }
                }
                #(#methods)*
            }
            impl ::core::default::Default for #name {
                fn default() -> Self {
                    Self::new()
                }
            }
            impl __p::Monitor for #name {
                type Flight = Flight;
                fn info(&self) -> &__p::ContractInfo {
                    &self.info
                }
                #[inline]
                fn before(&mut self, call: &__p::CallView<'_>, posture: __p::Posture) -> __p::Ruling<Flight> {
                    match call.tool { #(#before_arms,)* }
                }
                #[inline]
                fn after(
                    &mut self,
                    call: &__p::CallView<'_>,
                    flight: Flight,
                    outcome: __p::OutcomeView<'_>,
                ) -> (__p::Status, __p::Report) {
                    match call.tool { #(#after_arms,)* }
                }
                #event
                #end
                #verdicts
            }
        };
    }
}

/// The generated items as formatted source text.
///
/// # Errors
/// If the tokens are not valid Rust, which is a bug of the generator.
pub fn format(tokens: TokenStream) -> Result<String, syn::Error> {
    Ok(prettyplease::unparse(&syn::parse2(tokens)?))
}
