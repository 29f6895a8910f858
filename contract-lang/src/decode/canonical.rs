//! The text that names a version of a contract.

use std::collections::HashSet;

use serde_json::Value;

use crate::source::Span;
use crate::syntax::tree::{Entry, Kind, Node, Resolved, Scalar};

/// A file as JSON on one line: its form, layout, comments, quotes and the order of fields do not count.
///
/// Expressions are strings, and a string literal keeps its quotes: `text` and `"text"` are two expressions. What is said about
/// the contract and decides nothing is left out: it makes no other version of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Canonical(pub String);

impl Canonical {
    /// What a file says; `expressions` are the places of what was read as one.
    #[must_use]
    pub fn of(node: &Node, expressions: &[Span]) -> Self {
        let expressions = expressions.iter().copied().collect();
        let mut text = String::new();
        match &node.kind {
            Kind::Mapping(mapping) => {
                let entries = mapping.entries.iter().filter(|entry| !ASIDE.contains(&entry.key.text.as_str()));
                object(entries.collect(), false, &expressions, &mut text);
            }
            _ => write(node, false, &expressions, &mut text),
        }
        Self(text)
    }
}

/// The fields of a contract that decide nothing.
const ASIDE: [&str; 2] = ["lint", "tests"];

/// The mappings whose order counts: from globs, of which the first that matches counts, and the names of a formula, whose order
/// numbers the letters and states of its automaton.
const ORDERED: [&str; 4] = ["tools", "per", "of", "let"];

fn write(node: &Node, ordered: bool, expressions: &HashSet<Span>, into: &mut String) {
    let expression = expressions.contains(&node.span);
    match &node.kind {
        Kind::Broken => {}
        Kind::Scalar(scalar) if expression => into.push_str(&quoted(scalar.expression().0)),
        Kind::Sequence { expression: Some(text), .. } if expression => into.push_str(&quoted(text)),
        Kind::Scalar(scalar) => into.push_str(&plain(scalar)),
        Kind::Sequence { items, .. } => {
            into.push('[');
            for (index, item) in items.iter().enumerate() {
                separate(index, into);
                write(item, false, expressions, into);
            }
            into.push(']');
        }
        Kind::Mapping(mapping) => object(mapping.entries.iter().collect(), ordered, expressions, into),
    }
}

fn object(mut entries: Vec<&Entry>, ordered: bool, expressions: &HashSet<Span>, into: &mut String) {
    into.push('{');
    if !ordered {
        entries.sort_by_key(|entry| &entry.key.text);
    }
    for (index, entry) in entries.into_iter().enumerate() {
        separate(index, into);
        into.push_str(&quoted(&entry.key.text));
        into.push(':');
        write(&entry.value, ORDERED.contains(&entry.key.text.as_str()), expressions, into);
    }
    into.push('}');
}

fn separate(index: usize, into: &mut String) {
    if index > 0 {
        into.push(',');
    }
}

fn plain(scalar: &Scalar) -> String {
    match scalar.resolve() {
        Resolved::Null => "null".to_owned(),
        Resolved::Bool | Resolved::Number => scalar.text.clone(),
        Resolved::Text => quoted(scalar.text.trim_end_matches('\n')),
    }
}

fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::Diagnostics;
    use crate::source::SourceFile;
    use crate::syntax::file::Form;

    fn canonical(text: &str) -> String {
        let node = Form::Yaml.parse(&SourceFile::new("test", text), &mut Diagnostics::new()).unwrap();
        Canonical::of(&node, &[]).0
    }

    fn contract(form: Form, text: &str) -> String {
        let mut diagnostics = Diagnostics::new();
        let node = form.parse(&SourceFile::new("test", text), &mut diagnostics).unwrap();
        crate::ast::decode(&node, &mut diagnostics).unwrap().source.0
    }

    #[test]
    fn the_form_does_not_count_and_string_literals_are_not_their_content() {
        let yaml = |value: &str| {
            contract(
                Form::Yaml,
                &format!("version: 1\nname: a\ncommit:\n  - {{ after: ok(x), set: {{ b: {value} }} }}\n"),
            )
        };
        let text = |value: &str| {
            contract(Form::Text, &format!("contract a {{ version 1; commit {{ after ok(x); set {{ b {value} }} }} }}"))
        };
        for (one, other) in
            [("c", "c"), ("'\"c\"'", "\"c\""), ("'[1, 2]'", "[1, 2]"), ("true", "true"), ("'true'", "true")]
        {
            assert_eq!(yaml(one), text(other), "{one}");
        }
        assert_ne!(text("c"), text("\"c\""));
    }

    #[test]
    fn levels_of_findings_make_no_other_version() {
        let said = |text: &str| contract(Form::Yaml, &format!("version: 1\nname: a\n{text}"));
        assert_eq!(said("lint: { IL0411: off }\n"), said(""));
        assert_ne!(said("mode: shadow\n"), said(""));
    }

    #[test]
    fn tests_do_not_count() {
        let plain = "version: 1\nname: a\n";
        let tested = format!("{plain}tests: [{{ name: t, trace: [{{ call: x }}] }}]\n");
        assert_eq!(contract(Form::Yaml, plain), contract(Form::Yaml, &tested));
    }

    #[test]
    fn layout_comments_quotes_and_the_order_of_fields_do_not_count() {
        let one = canonical("b: [1.50, true, null] # why\na:\n  - x: |\n      args.x\n  - 'y \"z\"'\n");
        assert_eq!(one, r#"{"a":[{"x":"args.x"},"y \"z\""],"b":[1.50,true,null]}"#);
        assert_eq!(one, canonical("{a: [{x: args.x}, 'y \"z\"'], b: [1.50, true, null]}"));
        assert_ne!(canonical("a: 1"), canonical("a: \"1\""));
        assert_ne!(canonical("a: [1, 2]"), canonical("a: [2, 1]"));
        assert_ne!(canonical("tools: { b: {}, a: {} }"), canonical("tools: { a: {}, b: {} }"));
    }
}
