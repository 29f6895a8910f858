//! The `contracts!` macro: a shim over `contract-lang`.

use std::path::{Path, PathBuf};

use contract_lang::codegen::{self, Options};
use contract_lang::inline;
use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::parse::{Parse, ParseStream};

/// What the macro is given: a path or a contract, and perhaps `crate = path`.
struct Input {
    contract: Contract,
    krate: TokenStream,
}

enum Contract {
    File(syn::LitStr),
    Text(TokenStream),
}

impl Parse for Input {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let krate = quote! { ::interlock };
        if !input.peek(syn::LitStr) {
            let krate = given_crate(input)?.unwrap_or(krate);
            input.parse::<Option<syn::Token![;]>>()?;
            return Ok(Self { contract: Contract::Text(input.parse()?), krate });
        }
        let contract = Contract::File(input.parse()?);
        let comma = input.parse::<Option<syn::Token![,]>>()?;
        let krate = comma.and_then(|_| given_crate(input).transpose()).transpose()?.unwrap_or(krate);
        input.parse::<Option<syn::Token![,]>>()?;
        Ok(Self { contract, krate })
    }
}

/// `crate = path`, if it is there.
fn given_crate(input: ParseStream<'_>) -> syn::Result<Option<TokenStream>> {
    if input.parse::<Option<syn::Token![crate]>>()?.is_none() {
        return Ok(None);
    }
    input.parse::<syn::Token![=]>()?;
    let given: syn::Path = input.parse()?;
    Ok(Some(quote! { #given }))
}

/// Compiles a contract into a monitor: a struct named after the contract that implements `Monitor`.
///
/// ```text
/// interlock::contracts!("contracts/payments.yaml");
/// interlock::contracts!("contracts/payments.contract", crate = my_crate::interlock);
/// interlock::contracts! {
///     contract payments {
///         version 1
///         rule once { at_most_n_times { call send_payment; n 1 } }
///     }
/// }
/// ```
///
/// A path is relative to the package (`CARGO_MANIFEST_DIR`), and a file `*.contract` is text, any other YAML. Changing the
/// file rebuilds the crate. Errors in the contract are compile errors that show the contract's own lines. A contract that is
/// written out here is in text form; `crate = my_crate::interlock;` may stand before it.
#[proc_macro]
pub fn contracts(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    match syn::parse::<Input>(input) {
        Ok(input) => expand(input).into(),
        Err(error) => error.into_compile_error().into(),
    }
}

fn expand(Input { contract, krate }: Input) -> TokenStream {
    let root = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from).unwrap_or_default();
    let file = match contract {
        Contract::File(file) => file,
        Contract::Text(text) => return inline::compile(text, &root, Options { krate, tracked: Vec::new() }),
    };
    let written = file.value();
    let path = root.join(&written);
    match contract_lang::load_as(&path, &written) {
        Ok(loaded) => {
            let tracked = loaded.files.iter().map(|file| inline::absolute(file)).collect();
            codegen::generate(&loaded.contract, &Options { krate, tracked })
        }
        Err(error) => fail(file.span(), &path, &error.to_string()),
    }
}

/// A compile error at the path's place, which also makes the compiler look again when the file changes.
fn fail(span: Span, path: &Path, message: &str) -> TokenStream {
    let message = format!("the contract has errors\n\n{message}");
    let tracked = path.is_file().then(|| inline::absolute(path)).into_iter();
    quote_spanned! { span =>
        ::core::compile_error!(#message);
        #(const _: &[u8] = ::core::include_bytes!(#tracked);)*
    }
}
