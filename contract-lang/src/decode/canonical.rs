//! The text that names a version of a contract.

use serde_json::Value;

use crate::syntax::tree::{Entry, Kind, Node, Resolved, Scalar};

/// A file as JSON on one line: layout, comments, quotes and the order of fields do not count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Canonical(pub String);

impl From<&Node> for Canonical {
    fn from(node: &Node) -> Self {
        let mut text = String::new();
        write(node, false, &mut text);
        Self(text)
    }
}

/// The mappings from globs, of which the first that matches counts.
const ORDERED: [&str; 3] = ["tools", "per", "of"];

fn write(node: &Node, ordered: bool, into: &mut String) {
    match &node.kind {
        Kind::Broken => {}
        Kind::Scalar(scalar) => into.push_str(&plain(scalar)),
        Kind::Sequence { items, .. } => {
            into.push('[');
            for (index, item) in items.iter().enumerate() {
                separate(index, into);
                write(item, false, into);
            }
            into.push(']');
        }
        Kind::Mapping(mapping) => {
            into.push('{');
            let mut entries: Vec<&Entry> = mapping.entries.iter().collect();
            if !ordered {
                entries.sort_by_key(|entry| &entry.key.text);
            }
            for (index, entry) in entries.into_iter().enumerate() {
                separate(index, into);
                into.push_str(&quoted(&entry.key.text));
                into.push(':');
                write(&entry.value, ORDERED.contains(&entry.key.text.as_str()), into);
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
    fn layout_comments_quotes_and_the_order_of_fields_do_not_count() {
        let one = canonical("b: [1.50, true, null] # why\na:\n  - x: |\n      args.x\n  - 'y \"z\"'\n");
        assert_eq!(one, r#"{"a":[{"x":"args.x"},"y \"z\""],"b":[1.50,true,null]}"#);
        assert_eq!(one, canonical("{a: [{x: args.x}, 'y \"z\"'], b: [1.50, true, null]}"));
        assert_ne!(canonical("a: 1"), canonical("a: \"1\""));
        assert_ne!(canonical("a: [1, 2]"), canonical("a: [2, 1]"));
        assert_ne!(canonical("tools: { b: {}, a: {} }"), canonical("tools: { a: {}, b: {} }"));
    }
}
