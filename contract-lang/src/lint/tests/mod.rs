//! What each finding is found in, and what it is not found in.

mod decision;
mod key;
mod message;
mod rule;
mod state;

use crate::{Catalog, Options, check};

/// The codes of lints, with their places and rules; a head of declared tools goes before the text.
fn found(text: &str) -> Vec<(&'static str, String, Option<String>)> {
    let tools = ["a", "b", "c", "'get_*'"].map(|tool| format!("{tool}: {{ effect: write }}")).join(", ");
    found_in(&format!("tools: {{ {tools} }}\n{text}"), &[])
}

/// The same of a contract with its own tools.
fn found_in(text: &str, catalog: &[Catalog]) -> Vec<(&'static str, String, Option<String>)> {
    let text = format!("version: 1\nname: x\n{text}\n");
    let checked = check("x", text.as_bytes(), &Options { catalog, ..Options::default() });
    // What is only warned of is part of the contract.
    let rules = checked.contract.as_ref().map(|contract| contract.rules.len());
    assert!(rules.is_none_or(|rules| rules == text.matches("{ id: ").count()), "{text}");
    let shown = |found: &crate::diagnostic::Diagnostic| {
        assert!(!found.help.is_empty(), "{}", found.message);
        let place = checked.source.slice(found.primary.span).trim().to_owned();
        (found.code.as_str(), place, found.rule.clone())
    };
    checked.diagnostics.iter().map(shown).collect()
}

fn codes(text: &str) -> Vec<&'static str> {
    found(text).into_iter().map(|(code, ..)| code).collect()
}

const NONE: [&str; 0] = [];
