//! Literals and the names of functions, as Rust.

use proc_macro2::{Literal as Token, TokenStream};
use quote::quote;

use crate::mir::{Function, Literal};

/// The runtime's name of a function.
pub(super) fn function_name(function: Function) -> TokenStream {
    match function {
        Function::Min => quote!(min),
        Function::Max => quote!(max),
        Function::Default => quote!(default_),
        Function::Size => quote!(size),
        Function::Lower => quote!(lower),
        Function::Upper => quote!(upper),
        Function::Trim => quote!(trim),
        Function::StartsWith => quote!(starts_with),
        Function::EndsWith => quote!(ends_with),
        Function::Contains => quote!(contains),
        Function::Keys => quote!(keys),
        Function::Values => quote!(values),
        Function::Sum => quote!(sum),
        Function::Distinct => quote!(distinct),
        Function::Subset => quote!(subset),
        Function::Intersects => quote!(intersects),
        Function::Json => quote!(json),
        Function::Time => quote!(time),
        Function::PathNorm => quote!(path_norm),
        Function::PathWithin => quote!(path_within),
        Function::Host => quote!(host),
        Function::Scheme => quote!(scheme),
        Function::DomainIn => quote!(domain_in),
        Function::CidrContains => quote!(cidr_contains),
        Function::Strings => quote!(strings),
        Function::Digest => quote!(digest),
    }
}

/// A literal as an expression of type `Val`.
pub(super) fn literal(value: &Literal) -> TokenStream {
    match value {
        Literal::Null => quote! { __p::Val::Null },
        Literal::Bool(value) => quote! { __p::Val::Bool(#value) },
        Literal::Number(number) => {
            let number = decimal(*number);
            quote! { __p::Val::Number(#number) }
        }
        Literal::Text(text) => quote! { __p::text(#text) },
        Literal::Duration(span) => {
            let span = duration(*span);
            quote! { __p::Val::Duration(#span) }
        }
        Literal::List(items) => {
            let items = items.iter().map(literal);
            quote! { __p::literals([#(#items),*]) }
        }
        Literal::Json(value) => {
            let text = value.to_string();
            quote! { __p::json_literal(#text) }
        }
    }
}

/// An exact number as a constant expression.
pub(super) fn decimal(number: contract_runtime::Decimal) -> TokenStream {
    let (mantissa, scale) = (Token::i128_unsuffixed(number.mantissa()), number.scale());
    quote! { __p::Decimal::from_parts(#mantissa, #scale) }
}

/// A duration as a constant expression.
pub(super) fn duration(span: contract_runtime::Duration) -> TokenStream {
    let nanoseconds = Token::i128_unsuffixed(span.as_nanos());
    quote! { __p::Duration::from_nanos(#nanoseconds) }
}
