//! Rust names for the contract's names: readable, valid, distinct.

use std::collections::BTreeSet;

use proc_macro2::{Ident, Span};

/// The words of a name in lower case, joined by `_`: letters and digits stay, everything else separates.
pub(super) fn snake(name: &str) -> String {
    let mut words = String::new();
    for character in name.chars() {
        if character.is_ascii_alphanumeric() {
            words.push(character.to_ascii_lowercase());
        } else if !words.ends_with('_') && !words.is_empty() {
            words.push('_');
        }
    }
    words.trim_end_matches('_').to_owned()
}

/// Hands out distinct identifiers.
#[derive(Debug, Default)]
pub(super) struct Names {
    taken: BTreeSet<String>,
}

impl Names {
    /// An identifier that begins with `prefix` and tells of `name`.
    pub(super) fn fresh(&mut self, prefix: &str, name: &str) -> Ident {
        let words = snake(name);
        let base = if words.is_empty() { format!("{prefix}unnamed") } else { format!("{prefix}{words}") };
        let mut candidate = base.clone();
        let mut number = 2u32;
        while !self.taken.insert(candidate.clone()) {
            candidate = format!("{base}_{number}");
            number = number.saturating_add(1);
        }
        Ident::new(&candidate, Span::call_site())
    }
}
