//! What stepping rules keep, as generated code names it. A further register needs one line in [`Kept::register`].

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::literal::{decimal, duration};
use super::tables;
use crate::mir::{Kind, Register, Rule};

/// What a stepping rule keeps.
pub(super) struct Kept {
    /// The type of its cells.
    pub(super) cell: Ident,
    /// What the rule fixes, as a constant expression.
    fixed: TokenStream,
}

impl Kept {
    /// Of a rule; `None` for a rule that does not step.
    pub(super) fn of(index: usize, rule: &Rule) -> Option<Self> {
        match &rule.kind {
            Kind::Automaton { .. } => {
                let machine = tables::machine_name(index);
                Some(Self::new("Belief", quote! { #machine }))
            }
            Kind::Register { register, .. } => Some(Self::register(register)),
            _ => None,
        }
    }

    fn new(cell: &str, fixed: TokenStream) -> Self {
        Self { cell: format_ident!("{cell}"), fixed }
    }

    fn register(register: &Register) -> Self {
        match register {
            Register::Count { limit } => Self::new("Count", quote! { #limit }),
            Register::Total { limit } => Self::new("Total", decimal(*limit)),
            Register::Rate { limit, window } => {
                let window = duration(*window);
                Self::new("Rate", quote! { __p::RateLimit { limit: #limit, window: #window } })
            }
            Register::WindowTotal { limit, window } => {
                let (limit, window) = (decimal(*limit), duration(*window));
                Self::new("WindowTotal", quote! { __p::TotalLimit { limit: #limit, window: #window } })
            }
            Register::Distinct { limit } => Self::new("Distinct", quote! { #limit }),
            Register::OpenIds { limit } => Self::new("OpenIds", quote! { #limit }),
            Register::Deadline { within } => Self::new("Deadline", duration(*within)),
            Register::Permission { expires, consume } => {
                let expires = duration(*expires);
                Self::new("Permission", quote! { __p::PermissionRule { expires: #expires, consume: #consume } })
            }
        }
    }
}

/// The constant of what a rule fixes; an automaton's machine has one of its own.
pub(super) fn bound(index: usize, rule: &Rule) -> Option<TokenStream> {
    let Kind::Register { .. } = rule.kind else { return None };
    let (name, Kept { cell, fixed }) = (bound_name(index), Kept::of(index, rule)?);
    Some(quote! { const #name: <__p::#cell as __p::Cell>::Rule<'static> = #fixed; })
}

/// The name of that constant.
pub(super) fn bound_name(index: usize) -> Ident {
    format_ident!("BOUND_{index}")
}
