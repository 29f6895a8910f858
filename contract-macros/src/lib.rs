//! The `contracts!` macro: a shim over `contract-lang`.

use std::path::{Path, PathBuf};

use contract_lang::codegen::{self, Options};
use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::parse::{Parse, ParseStream};

/// What the macro is given: a path, and perhaps `crate = path`.
struct Input {
    path: syn::LitStr,
    krate: TokenStream,
}

impl Parse for Input {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let path = input.parse()?;
        let mut krate = quote! { ::interlock };
        if input.parse::<Option<syn::Token![,]>>()?.is_some() && !input.is_empty() {
            input.parse::<syn::Token![crate]>()?;
            input.parse::<syn::Token![=]>()?;
            let given: syn::Path = input.parse()?;
            krate = quote! { #given };
            input.parse::<Option<syn::Token![,]>>()?;
        }
        Ok(Self { path, krate })
    }
}

/// Compiles a contract file into a monitor: a struct named after the contract that implements `Monitor`.
///
/// ```text
/// interlock::contracts!("contracts/payments.yaml");
/// interlock::contracts!("contracts/payments.yaml", crate = my_crate::interlock);
/// ```
///
/// The path is relative to the package (`CARGO_MANIFEST_DIR`). Changing the file rebuilds the crate. Errors in the contract
/// are compile errors that show the contract's own lines.
#[proc_macro]
pub fn contracts(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    match syn::parse::<Input>(input) {
        Ok(input) => expand(&input).into(),
        Err(error) => error.into_compile_error().into(),
    }
}

fn expand(input: &Input) -> TokenStream {
    let written = input.path.value();
    let root = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from).unwrap_or_default();
    let path = root.join(&written);
    match contract_lang::load_as(&path, &written) {
        Ok(loaded) => {
            let tracked = loaded.files.iter().map(|file| absolute(file)).collect();
            codegen::generate(&loaded.contract, &Options { krate: input.krate.clone(), tracked })
        }
        Err(error) => fail(input.path.span(), &path, &error.to_string()),
    }
}

/// A compile error at the path's place, which also makes the compiler look again when the file changes.
fn fail(span: Span, path: &Path, message: &str) -> TokenStream {
    let message = format!("the contract has errors\n\n{message}");
    let tracked = path.is_file().then(|| absolute(path)).into_iter();
    quote_spanned! { span =>
        ::core::compile_error!(#message);
        #(const _: &[u8] = ::core::include_bytes!(#tracked);)*
    }
}

fn absolute(path: &Path) -> String {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned()).display().to_string()
}
