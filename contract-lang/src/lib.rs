//! The Interlock contract language: text in; checked contract, diagnostics, Rust tokens out.
//!
//! A contract says what an agent may do with its tools: in which order, how often, on which facts. It is YAML, or text
//! (`contract payments { … }`, in files `*.contract`); in both, rules read events by a small language of patterns and
//! predicates.
//!
//! ```
//! use contract_lang::{Options, check};
//!
//! let text = r#"
//! version: 1
//! name: payments
//! tools:
//!   verify_payee: { effect: read }
//!   send_payment: { effect: irreversible }
//! state:
//!   verified: { type: set<string>, initial: [] }
//! commit:
//!   - after: ok(verify_payee)
//!     when: result.status == "active"
//!     insert: { verified: args.payee }
//! rules:
//!   - id: pay-verified-payees
//!     call: send_payment
//!     require: args.payee in state.verified
//!   - id: once-per-invoice
//!     at_most_n_times: { call: send_payment, n: 1 }
//!     per: args.invoice
//!     instances: { max: 10000 }
//! "#;
//! let checked = check("payments.yaml", text.as_bytes(), &Options::default());
//! let contract = checked.contract.expect("the contract has no errors");
//! assert_eq!(contract.type_name, "Payments");
//! assert_eq!(contract.rules.len(), 2);
//! ```
//!
//! Mistakes are found before anything runs, all in one go, each with its place and, where there is one, the way out:
//!
//! ```
//! # use contract_lang::{Options, check};
//! let text = "version: 1\nname: payments\nrules:\n  - id: once\n    at_most_n_times: { call: pay, m: 1 }\n";
//! let checked = check("payments.yaml", text.as_bytes(), &Options::default());
//! assert!(checked.contract.is_none());
//! let short = contract_lang::diagnostic::render::short(&checked.source, &checked.diagnostics);
//! assert!(short.contains("payments.yaml:5:35: error[IL0201]"), "{short}");
//! ```
//!
//! [`check`] is the whole way: [`syntax`] reads either form with places, [`ast`] decodes it, [`resolve`] makes the checked
//! contract of it ([`mir`]), [`lint`] says what is probably not meant. A checked contract is interpreted
#![cfg_attr(feature = "interpret", doc = "([`interpret`])")]
//! or compiled ([`codegen`]). The library does no I/O: whoever calls it reads the files.

#[cfg(feature = "interpret")]
pub mod analysis;
pub mod ast;
pub mod automaton;
mod build;
pub mod catalog;
mod check;
pub mod codegen;
pub mod decode;
pub mod diagnostic;
pub mod dispatch;
pub mod fix;
pub mod format;
pub mod formula;
pub mod info;
pub mod inline;
#[cfg(feature = "interpret")]
pub mod interpret;
pub mod lint;
mod memory;
pub mod mir;
#[cfg(feature = "interpret")]
pub mod replay;
pub mod resolve;
pub mod rule;
#[cfg(feature = "schema")]
pub mod schema;
pub mod source;
pub mod syntax;
pub mod testing;
pub mod trace;
pub mod visit;

pub use build::{
    Build, BuildError, Built, FileOptions, LoadError, Loaded, check_edited, check_file, load, load_as, read_file,
};

pub use format::{Unformatted, format};

pub use memory::Bytes;

pub use check::{Catalog, Checked, Depth, Options, Recalled, catalog_paths, catalog_paths_as, check, check_as, recall};
pub use syntax::file::Form;
