//! Arguments that a contract changes before the call is decided.

use serde_json::Value;

use crate::value::Val;
use crate::{Reason, Verdict};

/// What the `rewrite` rules make of the arguments of a call.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rewriting {
    /// The arguments that the call runs with, if they are not the original ones.
    pub args: Option<Value>,
    /// What there is to say of rules that did not change what they might have.
    pub notes: Vec<RewriteNote>,
}

impl Rewriting {
    /// What there is to say of a rule.
    #[must_use]
    pub fn verdict(&self, rule: u16) -> Option<Verdict> {
        self.notes.iter().find(|note| note.rule == rule).map(|note| note.verdict)
    }
}

/// A `rewrite` rule that did not change what it might have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RewriteNote {
    /// The rule, by index.
    pub rule: u16,
    /// Unestablished where it could not; open in shadow mode, where it would have.
    pub verdict: Verdict,
    /// [`Reason::Rewrite`] and [`Reason::Rewritten`] respectively.
    pub reason: Reason,
}

/// One step of a path into arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArgStep<'p> {
    /// A member of an object.
    Field(&'p str),
    /// An element of a list.
    Index(u32),
}

/// Sets the value at a path. False, and nothing is changed, if the value is no JSON, or the path leads nowhere: all but the
/// last field have to be there.
#[must_use]
pub fn rewrite(args: &mut Value, path: &[ArgStep<'_>], value: &Val<'_>) -> bool {
    let Some(value) = value.to_json() else { return false };
    let Some((last, parents)) = path.split_last() else { return false };
    let parent = parents.iter().try_fold(args, |value, step| match step {
        ArgStep::Field(name) => value.as_object_mut()?.get_mut(*name),
        ArgStep::Index(index) => value.as_array_mut()?.get_mut(usize::try_from(*index).ok()?),
    });
    match (parent, last) {
        (Some(Value::Object(object)), ArgStep::Field(name)) => {
            object.insert((*name).to_owned(), value);
            true
        }
        (Some(Value::Array(list)), ArgStep::Index(index)) => {
            let element = usize::try_from(*index).ok().and_then(|index| list.get_mut(index));
            element.is_some_and(|element| {
                *element = value;
                true
            })
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::ArgStep::{Field, Index};
    use super::*;

    #[test]
    fn the_last_field_may_be_new_and_its_parents_may_not() {
        let mut args = json!({"page": {"limit": 500}, "ids": [1, 2]});
        let number = Val::Number(100_i64.into());
        assert!(rewrite(&mut args, &[Field("page"), Field("limit")], &number));
        assert!(rewrite(&mut args, &[Field("page"), Field("size")], &number));
        assert!(rewrite(&mut args, &[Field("ids"), Index(1)], &Val::text("x")));
        let expected = json!({"page": {"limit": 100, "size": 100}, "ids": [1, "x"]});
        assert_eq!(args, expected);
        for path in [&[Field("no"), Field("limit")][..], &[Field("ids"), Index(2)], &[Field("ids"), Field("x")], &[]] {
            assert!(!rewrite(&mut args, path, &number));
        }
        assert!(!rewrite(&mut args, &[Field("page")], &Val::Inexact));
        assert_eq!(args, expected);
    }
}
