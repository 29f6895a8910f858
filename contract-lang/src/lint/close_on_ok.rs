//! An instance that closes on a success: two calls in flight at once share what it holds.

use contract_runtime::Decision;

use super::Place;
use crate::automaton::overlap;
use crate::diagnostic::{Code, Diagnostic, Diagnostics, Goal};
use crate::mir::{Alternative, Subject};

pub(super) fn check(&Place { rule, written, file, .. }: &Place<'_>, diagnostics: &mut Diagnostics) {
    let Some(close) = rule.close_on() else { return };
    let guarded = rule.patterns().iter().flat_map(|pattern| &pattern.alternatives).filter(|each| each.phases.call);
    let late = guarded.flat_map(|call| close.alternatives.iter().map(move |close| (call, close)));
    let Some((late, _)) = late.into_iter().find(|(call, close)| close.phases.result() && same_call(call, close)) else {
        return;
    };
    let own = written.instances.as_ref().and_then(|instances| instances.close_on.as_ref());
    let shared = file.instances.as_ref().and_then(|instances| instances.close_on.as_ref());
    let span = own.or(shared).map_or(written.kind_span, |source| source.span);
    let message = format!("`{}` closes the key when the call has ended; until then others can use it too", close.text);
    let help = "close on the call itself, `call(…)`: then one permission is used once";
    let mut shown = Goal::call().spoken_of(&rule.id).decided(Decision::Allow);
    if let Subject::Tools(names) = &late.subject {
        shown = shown.tool(&names.to_string()).in_flight(&names.to_string());
    }
    diagnostics.push(Diagnostic::new(Code::CloseOnOk, span, message).help(help).goal(shown));
}

fn same_call(call: &Alternative, close: &Alternative) -> bool {
    match (&call.subject, &close.subject) {
        (Subject::Tools(call), Subject::Tools(close)) => overlap(call, close),
        (Subject::Effect(call), Subject::Effect(close)) => call == close,
        _ => false,
    }
}
