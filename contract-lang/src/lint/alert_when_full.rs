//! A bound on the keys past which a rule only reports.

use crate::ast::{Contract, Instances, WhenFull};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::resolve::Lowered;

pub(super) fn check(written: &Contract, _: &Lowered<'_>, diagnostics: &mut Diagnostics) {
    check_one(written.instances.as_ref(), diagnostics);
    for rule in &written.rules {
        let from = diagnostics.len();
        check_one(rule.instances.as_ref(), diagnostics);
        diagnostics.attribute(from, &rule.id.value.0);
    }
}

fn check_one(instances: Option<&Instances>, diagnostics: &mut Diagnostics) {
    let when_full = instances.and_then(|instances| instances.when_full);
    if let Some(word) = when_full.filter(|word| word.value == WhenFull::Alert) {
        let message = "with `max` keys live, a call with a new key runs whatever the rule says, and is reported";
        let help = "write `when_full: block` if the agent must not get past the rule by making many keys";
        diagnostics.push(Diagnostic::new(Code::AlertWhenFull, word.span, message).help(help));
    }
}
