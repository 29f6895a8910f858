//! What a captured value does not show: the parts that were redacted before it was stored.

use serde_json::Value;

use contract_lang::mir::Step;

/// The most places that are told apart. A value with more counts as hidden altogether.
const MOST: usize = 256;

/// A step to a place in a value.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Field(String),
    Index(usize),
}

/// Where something is hidden in a value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Hidden {
    places: Vec<Vec<Part>>,
}

impl Hidden {
    /// All of it.
    pub(crate) fn everything() -> Self {
        Self { places: vec![Vec::new()] }
    }

    /// The redacted parts of a value.
    pub(crate) fn of(value: &Value) -> Self {
        let mut hidden = Self::default();
        hidden.look(value, &mut Vec::new());
        if hidden.places.len() > MOST { Self::everything() } else { hidden }
    }

    /// Whether nothing is seen.
    pub(crate) fn is_everything(&self) -> bool {
        self.places.iter().any(Vec::is_empty)
    }

    /// Whether nothing is hidden.
    pub(crate) fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Whether the value of a path may depend on what is hidden.
    pub(crate) fn meets(&self, path: &[Step]) -> bool {
        self.places.iter().any(|place| {
            // What is above or below a hidden place depends on it.
            path.iter().zip(place).all(|(step, part)| match (step, part) {
                (Step::Field(name), Part::Field(hidden)) => name == hidden,
                (Step::Index(index), Part::Index(hidden)) => usize::try_from(*index) == Ok(*hidden),
                (Step::Field(_), Part::Index(_)) | (Step::Index(_), Part::Field(_)) => false,
                (Step::Dynamic(_) | Step::Each | Step::Deep, _) => true,
            })
        })
    }

    /// `serde_json` bounds how deep a text is nested.
    fn look(&mut self, value: &Value, at: &mut Vec<Part>) {
        if self.places.len() > MOST {
            return;
        }
        match value {
            Value::Object(object) if is_marker(value) || object.keys().any(|name| hides(name)) => {
                self.places.push(at.clone());
            }
            Value::Object(object) => {
                for (name, inner) in object {
                    at.push(Part::Field(name.clone()));
                    self.look(inner, at);
                    at.pop();
                }
            }
            Value::Array(list) => {
                for (index, inner) in list.iter().enumerate() {
                    at.push(Part::Index(index));
                    self.look(inner, at);
                    at.pop();
                }
            }
            Value::String(text) if hides(text) => self.places.push(at.clone()),
            _ => {}
        }
    }
}

/// Whether a value stands for one that was redacted.
fn is_marker(value: &Value) -> bool {
    let Some(object) = value.as_object().filter(|object| object.len() == 1) else { return false };
    object.get("redacted").and_then(Value::as_str).is_some_and(is_digest)
}

fn is_digest(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// Whether a text, which may be JSON itself, holds a mark of redaction.
fn hides(text: &str) -> bool {
    text.contains("redacted") && text.as_bytes().windows(64).any(|part| part.iter().all(u8::is_ascii_hexdigit))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn field(name: &str) -> Step {
        Step::Field(name.to_owned())
    }

    #[test]
    fn what_is_above_or_below_a_redacted_part_depends_on_it() {
        let mark = json!({"redacted": "0123456789abcdef".repeat(4)});
        let hidden = Hidden::of(&json!({"card": {"number": mark, "name": "x"}, "items": [{"ssn": mark}], "amount": 3}));
        for path in [
            vec![],
            vec![field("card")],
            vec![field("card"), field("number")],
            vec![field("card"), field("number"), field("redacted")],
            vec![field("items"), Step::Each, field("ssn")],
            vec![field("items"), Step::Index(0)],
            vec![Step::Deep],
        ] {
            assert!(hidden.meets(&path), "{path:?}");
        }
        for path in [
            vec![field("amount")],
            vec![field("card"), field("name")],
            vec![field("items"), Step::Index(1)],
            vec![field("items"), Step::Each, field("id")],
            vec![field("nothing")],
        ] {
            assert!(!hidden.meets(&path), "{path:?}");
        }
    }

    #[test]
    fn only_marks_hide() {
        let digest = "0123456789abcdef".repeat(4);
        for value in
            [json!({"redacted": "no"}), json!({"redacted": digest, "more": 1}), json!("redacted"), json!(digest)]
        {
            assert!(Hidden::of(&value).is_empty(), "{value}");
        }
        let inside = format!("{{\"token\":{{\"redacted\":\"{digest}\"}}}}");
        assert!(Hidden::of(&json!({"body": inside})).meets(&[field("body")]));
        assert!(Hidden::of(&json!([{"redacted": digest}])).meets(&[Step::Index(0)]));
        let many: Vec<_> = (0..1000).map(|_| json!({"redacted": digest})).collect();
        assert!(Hidden::of(&json!({"many": many})).meets(&[field("other")]));
    }
}
