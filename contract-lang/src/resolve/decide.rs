//! From verdicts to decisions: what the file and the rule override, and the default.

use contract_runtime::{ByEffect, Decision, DecisionTable, DefaultPolicy};

use crate::ast::{Decide, DecideTable, OnError, OnFailure, Rule};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::source::Spanned;

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

/// What becomes of a call when the monitor fails.
pub(super) fn on_error(written: Option<&OnError>) -> ByEffect<Decision> {
    let standard = ByEffect { read: Decision::Allow, write: Decision::Block, irreversible: Decision::Block };
    let decision = |written: Spanned<OnFailure>| match written.value {
        OnFailure::Allow => Decision::Allow,
        OnFailure::Block => Decision::Block,
    };
    match written {
        None => standard,
        Some(OnError::Always(written)) => ByEffect::all(decision(*written)),
        Some(OnError::ByEffect(by)) => ByEffect {
            read: by.read.map_or(standard.read, decision),
            write: by.write.map_or(standard.write, decision),
            irreversible: by.irreversible.map_or(standard.irreversible, decision),
        },
    }
}

/// What a contract says of verdicts: its table, and what of it is written.
#[derive(Clone, Copy, Debug)]
pub(super) struct File<'a> {
    table: DecisionTable,
    written: Option<&'a DecideTable>,
}

impl<'a> File<'a> {
    pub(super) fn new(written: Option<&'a DecideTable>) -> Self {
        Self { table: overridden(&DecisionTable::STANDARD, written), written }
    }
}

/// The table of a rule.
pub(super) fn rule(file: &File<'_>, rule: &Rule, diagnostics: &mut Diagnostics) -> DecisionTable {
    let table = overridden(&file.table, rule.decide.as_ref());
    if let Some(otherwise) = rule.kind.template().otherwise() {
        let all = ByEffect::all(otherwise);
        let by = |base, table: Option<&DecideTable>| row(base, table.and_then(|table| table.unestablished.as_ref()));
        let unestablished = by(by(all, file.written), rule.decide.as_ref());
        return DecisionTable { violated: all, unestablished, ..table };
    }
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
