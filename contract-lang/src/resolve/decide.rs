//! From verdicts to decisions: what the file and the rule override, and the default.

use contract_runtime::{ByEffect, Decision, DecisionTable, DefaultPolicy};

use crate::ast::{Decide, DecideTable, Rule};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};

/// The policy for calls that no rule decides.
pub(super) fn default_policy(written: Option<&Decide>) -> DefaultPolicy {
    let standard = DefaultPolicy::STANDARD;
    match written {
        None => standard,
        Some(decide) => {
            let strict = matches!(decide, Decide::Always(_));
            DefaultPolicy { by_effect: row(standard.by_effect, Some(decide)), strict }
        }
    }
}

/// The table of the contract.
pub(super) fn contract(written: Option<&DecideTable>) -> DecisionTable {
    overridden(&DecisionTable::STANDARD, written)
}

/// The table of a rule.
pub(super) fn rule(contract: &DecisionTable, rule: &Rule, diagnostics: &mut Diagnostics) -> DecisionTable {
    let table = overridden(contract, rule.decide.as_ref());
    let Some(action) = rule.action else { return table };
    if rule.decide.as_ref().is_some_and(|decide| decide.violated.is_some()) {
        let place = rule.decide.as_ref().map_or(action.span, |decide| decide.span);
        let message = "the rule says twice what a violation does";
        let diagnostic = Diagnostic::new(Code::BadValue, action.span, message)
            .related(place, "`violated` is given here")
            .help("`action` is short for `decide: { violated: … }`: keep one of them");
        diagnostics.push(diagnostic);
    }
    DecisionTable { violated: ByEffect::all(action.value.decision()), ..table }
}

fn overridden(base: &DecisionTable, written: Option<&DecideTable>) -> DecisionTable {
    let Some(written) = written else { return *base };
    DecisionTable {
        satisfied: row(base.satisfied, written.satisfied.as_ref()),
        open: row(base.open, written.open.as_ref()),
        pending: row(base.pending, written.pending.as_ref()),
        unestablished: row(base.unestablished, written.unestablished.as_ref()),
        violated: row(base.violated, written.violated.as_ref()),
    }
}

fn row(base: ByEffect<Decision>, written: Option<&Decide>) -> ByEffect<Decision> {
    match written {
        None => base,
        Some(Decide::Always(decision)) => ByEffect::all(decision.value),
        Some(Decide::ByEffect(by)) => ByEffect {
            read: by.read.map_or(base.read, |decision| decision.value),
            write: by.write.map_or(base.write, |decision| decision.value),
            irreversible: by.irreversible.map_or(base.irreversible, |decision| decision.value),
        },
    }
}
