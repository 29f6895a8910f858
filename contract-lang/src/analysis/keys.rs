//! Which rules can be looked at together with one key.

use super::context::Context;
use super::model::Focus;
use crate::mir::Keyed;

/// A focus for each key: its rules together with those that have no key. A space follows one key, and whatever that is, events of
/// one rule are about it; so a claim about the events of that key holds of all. Just the focus, where no rule has a key.
pub(super) fn by_key(context: &Context<'_>, focus: &Focus) -> Vec<Focus> {
    let keyed = |rule: &usize| context.rule(*rule).and_then(|rule| rule.per.as_ref());
    let mut keys: Vec<&Keyed> = Vec::new();
    for key in focus.rules.iter().filter_map(keyed) {
        if !keys.iter().any(|known| is_same(known, key)) {
            keys.push(key);
        }
    }
    if keys.len() < 2 {
        return vec![focus.clone()];
    }
    let with = |key: &&Keyed| {
        let rules = focus.rules.iter().copied().filter(|rule| keyed(rule).is_none_or(|own| is_same(own, key)));
        Focus { rules: rules.collect(), subjects: focus.subjects.clone() }
    };
    keys.iter().map(with).collect()
}

fn is_same(one: &Keyed, other: &Keyed) -> bool {
    one.routes == other.routes && one.missing == other.missing
}
