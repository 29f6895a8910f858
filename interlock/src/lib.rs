//! Contracts for the tool calls of AI agents, compiled to Rust.
//!
//! Write a contract, compile it into a monitor with [`contracts!`], and let a [`Session`] decide each call before it runs:
//!
//! ```
//! use interlock::{Call, Outcome, Session, contracts};
//! use serde_json::json;
//!
//! contracts!("examples/payments.yaml");
//!
//! let session = Session::builder(Payments::new()).agent("support-bot", "1.4").start()?;
//!
//! // An invoice may be paid once.
//! let args = json!({"invoice": "i7", "payee": "acme", "amount": 40});
//! let refused = session.before(&Call::new("send_payment", &args)).unwrap_err();
//! assert!(refused.text().contains("verify-first"));
//!
//! let payee = json!({"payee": "acme"});
//! let permit = session.before(&Call::new("verify_payee", &payee))?;
//! session.after(permit, Outcome::ok(&json!({"status": "active"})))?;
//!
//! let permit = session.before(&Call::new("send_payment", &args))?;
//! session.after(permit, Outcome::ok(&json!({"receipt": "r1"})))?;
//! assert!(session.before(&Call::new("send_payment", &args)).is_err());
//! # session.end();
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The contract:
//!
//! ```yaml
#![doc = include_str!("../examples/payments.yaml")]
//! ```

pub use contract_macros::contracts;
pub use contract_runtime::*;

#[doc(hidden)]
pub use contract_runtime::private as __private;

#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;

#[cfg(doctest)]
#[doc = include_str!("../../docs/embedding.md")]
struct Embedding;

/// Includes the monitor that [`contract_lang::Build`](https://docs.rs/contract-lang) compiled in the build script from the
/// contract file of this name: `include_contract!(payments)` for `contracts/payments.yaml`.
#[macro_export]
macro_rules! include_contract {
    ($name:ident) => {
        ::core::include!(::core::concat!(::core::env!("OUT_DIR"), "/interlock/", ::core::stringify!($name), ".rs"));
    };
}
