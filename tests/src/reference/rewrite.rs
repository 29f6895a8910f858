//! Calls that run with changed arguments.

use contract_lang::mir::{Kind, Step};
use contract_runtime::Mode;

use super::event::{Call, Moment};
use super::value::{Kleene, Value};
use super::{Cause, Reference, effect, pattern};

/// A rule that did not change what it might have.
pub struct Note {
    /// The rule.
    pub rule: usize,
    /// [`Cause::Rewrite`] or, in shadow mode, [`Cause::Rewritten`].
    pub cause: Cause,
}

impl Reference<'_> {
    /// The arguments that a call runs with. All rules read the original ones.
    pub(super) fn rewrite(&self, call: &Call) -> (Value, Vec<Note>) {
        let original = Value::from_json(&call.args);
        let mut scope = self.scope();
        (scope.call, scope.args) = (Some(call), Some(&original));
        let effect = effect::effect(self.contract, call, &scope);
        let moment = Moment::Call { call, args: &original, effect };
        let (mut args, mut notes) = (original.clone(), Vec::new());
        for (index, rule) in self.contract.rules.iter().enumerate() {
            let Kind::Rewrite { pattern, changes } = &rule.kind else { continue };
            let applies = pattern::status(pattern, &moment, &scope);
            if applies == Kleene::No {
                continue;
            }
            let mut changed = args.clone();
            let possible = applies == Kleene::Yes
                && changes.iter().all(|change| {
                    let value = scope.value(&change.value).and_then(|value| plain(&value));
                    value.is_some_and(|value| set(&mut changed, &change.path, value))
                });
            match (possible, rule.mode) {
                (false, _) => notes.push(Note { rule: index, cause: Cause::Rewrite }),
                (true, Mode::Shadow) => notes.push(Note { rule: index, cause: Cause::Rewritten }),
                (true, Mode::Enforce) => args = changed,
            }
        }
        (args, notes)
    }
}

/// A value that arguments can hold.
fn plain(value: &Value) -> Option<Value> {
    match value {
        Value::Inexact(_) | Value::Duration(_) | Value::Map(_) => None,
        Value::Time(at) => Some(Value::text(super::text::print_time(*at))),
        Value::Set(set) if set.unsure => None,
        Value::Set(set) => Some(Value::List(set.members.clone())),
        other => Some(other.clone()),
    }
}

/// Sets what a path leads to. Only the last field may be new.
fn set(args: &mut Value, path: &[Step], value: Value) -> bool {
    let Some((step, rest)) = path.split_first() else {
        *args = value;
        return true;
    };
    let inner = match (args, step) {
        (Value::Object(fields), Step::Field(name)) if rest.is_empty() => {
            Some(fields.entry(name.clone()).or_insert(Value::Null))
        }
        (Value::Object(fields), Step::Field(name)) => fields.get_mut(name),
        (Value::List(items), Step::Index(index)) => usize::try_from(*index).ok().and_then(|index| items.get_mut(index)),
        _ => None,
    };
    inner.is_some_and(|inner| set(inner, rest, value))
}
