//! Rust from a checked contract.
//!
//! One struct per contract with one field per rule that remembers something; a `match` on the tool's name that runs only the
//! rules that mention it; transition tables as constants. Generated code names nothing but `__private` of one crate and
//! needs no prelude.
//!
//! INVARIANT: the same contract gives the same tokens, and the tokens decide as [`crate::interpret`] does.

mod after;
mod before;
mod effect;
mod expr;
mod group;
mod judge;
mod key;
mod literal;
mod names;
mod pattern;
mod register;
mod retire;
mod review;
mod rewrite;
mod rule;
mod save;
mod step;
mod tables;
mod time;

use std::cell::RefCell;

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use self::expr::{Expressions, Place};
use self::group::{Group, groups};
use self::names::Names;
use self::rule::Field;
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
                Kind::Permit { .. } | Kind::Redact { .. } => None,
                _ => Some(names.fresh("rule_", &rule.id)),
            })
            .collect();
        Self { contract, fields }
    }

    fn rule(&self, index: usize) -> Option<&'c Rule> {
        self.contract.rules.get(index)
    }

    /// A rule that remembers something.
    fn field(&self, index: usize) -> Option<Field<'_>> {
        let name = self.fields.get(index)?.as_ref()?;
        Some(Field { rule: self.rule(index)?, name, index, number: u16::try_from(index).unwrap_or(u16::MAX) })
    }

    /// All of them, in file order.
    fn remembering(&self) -> impl Iterator<Item = Field<'_>> {
        (0..self.fields.len()).filter_map(|index| self.field(index))
    }
}

/// What to do for some tools; none for all others.
type Arm<'g> = (Vec<&'g str>, TokenStream);

/// The functions that are generated for each group of tools, and what chooses among them.
#[derive(Default)]
struct Methods<'g> {
    functions: Vec<TokenStream>,
    rewrite: Vec<Arm<'g>>,
    before: Vec<Arm<'g>>,
    after: Vec<Arm<'g>>,
    shields: Vec<Arm<'g>>,
}

impl Generator<'_> {
    fn methods<'g>(&self, groups: &[Group<'g>], patterns: &RefCell<Vec<String>>) -> Methods<'g> {
        let mut methods = Methods::default();
        for group in groups {
            let name = |prefix: &str| format_ident!("{prefix}_{}", group.name);
            let expressions = || Expressions::new(Place::Call, patterns);
            let (rewrite, before, after) = (name("rewrite"), name("before"), name("after"));
            let arm = |what| (group.tools.clone(), what);
            methods.rewrite.push(arm(match self.rewrite(&rewrite, group, &expressions()) {
                Some(function) => {
                    methods.functions.push(function);
                    quote! { self.#rewrite(call, posture) }
                }
                None => quote! { __p::unchanged() },
            }));
            methods.functions.push(self.before(&before, group, &expressions()));
            methods.before.push(arm(quote! { self.#before(call, rewriting, posture) }));
            methods.after.push(arm(if self.observes(group) {
                methods.functions.push(self.after(&after, group, &expressions()));
                quote! { self.#after(call, flight, outcome, posture) }
            } else {
                quote! { __p::settle_plainly(&outcome) }
            }));
            let shields = self.review(group, &expressions()).is_some();
            methods.shields.push(arm(quote! { #shields }));
        }
        methods
    }
}

/// A `match` on the tool's name without the arms that do what all others do, the last one.
fn by_tool(arms: &[Arm<'_>]) -> TokenStream {
    let Some(((_, otherwise), arms)) = arms.split_last() else { return TokenStream::new() };
    let usual = otherwise.to_string();
    let arms: Vec<_> = arms.iter().filter(|(_, arm)| arm.to_string() != usual).collect();
    if arms.is_empty() {
        return otherwise.clone();
    }
    let arms = arms.iter().map(|(tools, arm)| quote! { #(#tools)|* => #arm, });
    quote! { match call.tool { #(#arms)* _ => #otherwise } }
}

/// The Rust items of a contract: a public struct that implements `Monitor`.
#[must_use]
pub fn generate(contract: &Contract, options: &Options) -> TokenStream {
    let generator = Generator::new(contract);
    let groups = groups(contract);
    let patterns = RefCell::new(Vec::new());
    let Methods { functions, rewrite, before, after, shields } = generator.methods(&groups, &patterns);
    let [rewrite, before, after, shields] = [rewrite, before, after, shields].map(|arms| by_tool(&arms));
    let effect = generator.effect(&groups, &Expressions::new(Place::Call, &patterns));
    let event = generator.event(&Expressions::new(Place::Event, &patterns));
    let retire = generator.retire();
    let (advance, end, verdicts, save) = (generator.advance(), generator.end(), generator.verdicts(), generator.save());
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
            type Flight = __p::Notes<#notes>;
            impl #name {
                /// A fresh monitor, for one session.
                #[must_use]
                pub fn new() -> Self {
                    Self { info: #info, state: #initial, position: 0, #fresh }
                }
                #(#functions)*
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
                #effect
                #[inline]
                fn rewrite(&self, call: &__p::CallView<'_>, posture: __p::Posture) -> __p::Rewriting {
                    #rewrite
                }
                #[inline]
                fn before(
                    &mut self,
                    call: &__p::CallView<'_>,
                    rewriting: &__p::Rewriting,
                    posture: __p::Posture,
                ) -> __p::Ruling<Flight> {
                    #before
                }
                #[inline]
                fn after(
                    &mut self,
                    call: &__p::CallView<'_>,
                    flight: Flight,
                    outcome: __p::OutcomeView<'_>,
                    posture: __p::Posture,
                ) -> __p::Settlement {
                    #after
                }
                fn shields(&self, call: &__p::CallView<'_>) -> bool {
                    #shields
                }
                #event
                #advance
                #end
                #verdicts
                #save
                #retire
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
