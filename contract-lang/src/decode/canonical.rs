//! The text that names a version of a contract.

use serde_json::Value;

use crate::syntax::tree::{Kind, Node, Resolved, Scalar};

/// A file as JSON on one line, in the order in which it is written: layout, comments and quotes do not count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Canonical(pub String);

impl From<&Node> for Canonical {
    fn from(node: &Node) -> Self {
        let mut text = String::new();
        write(node, &mut text);
        Self(text)
    }
}

/// Not by way of [`Value`]: its objects may be sorted, and the order of rules and globs counts.
fn write(node: &Node, into: &mut String) {
    match &node.kind {
        Kind::Broken => {}
        Kind::Scalar(scalar) => into.push_str(&plain(scalar)),
        Kind::Sequence { items, .. } => {
            into.push('[');
            for (index, item) in items.iter().enumerate() {
                separate(index, into);
                write(item, into);
            }
            into.push(']');
        }
        Kind::Mapping(mapping) => {
            into.push('{');
            for (index, entry) in mapping.entries.iter().enumerate() {
                separate(index, into);
                into.push_str(&quoted(&entry.key.text));
                into.push(':');
                write(&entry.value, into);
            }
            into.push('}');
        }
    }
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
    use crate::syntax::yaml::parse;

    fn canonical(text: &str) -> String {
        let node = parse(&SourceFile::new("test", text), &mut Diagnostics::new()).unwrap();
        Canonical::from(&node).0
    }

    #[test]
    fn layout_comments_and_quotes_do_not_count() {
        let one = canonical("b: [1.50, true, null] # why\na:\n  - x: |\n      args.x\n  - 'y \"z\"'\n");
        assert_eq!(one, r#"{"b":[1.50,true,null],"a":[{"x":"args.x"},"y \"z\""]}"#);
        assert_eq!(one, canonical("{b: [1.50, true, null], a: [{x: args.x}, 'y \"z\"']}"));
        assert_ne!(canonical("a: 1"), canonical("a: \"1\""));
        assert_ne!(canonical("a: 1\nb: 2"), canonical("b: 2\na: 1"));
    }
}
