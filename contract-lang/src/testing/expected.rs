//! What a test expects of a line.

use std::collections::BTreeMap;

use contract_runtime::{Decision, Status, Verdict};
use serde_json::Value;

use crate::ast::{self, Seen};
use crate::source::Span;

/// The verdicts of rules when a session has ended, by id. A rule that is not named is not violated.
pub type Ends = BTreeMap<String, Verdict>;

/// What is expected of a line.
#[derive(Clone, Debug, PartialEq)]
pub struct Expected {
    /// Where that is written.
    pub span: Span,
    /// The decision.
    pub decision: Decision,
    /// The rules that report something, if that is said: all of them, by id, in order.
    pub rules: Option<Vec<String>>,
    /// What the text for the model contains.
    pub message: Option<String>,
    /// What the call runs with, if not with what the line says.
    pub args: Option<Value>,
    /// How the call ended, as the contract sees it.
    pub outcome: Option<Status>,
    /// How much of the result the agent sees.
    pub shown: Seen,
    /// What the agent sees of it.
    pub sees: Option<Value>,
    /// The verdicts of the session, if it ends with the line.
    pub verdicts: Option<Ends>,
}

impl Expected {
    /// What is expected where nothing else is said.
    #[must_use]
    pub fn fine(span: Span) -> Self {
        Self {
            span,
            decision: Decision::Allow,
            rules: None,
            message: None,
            args: None,
            outcome: None,
            shown: Seen::Whole,
            sees: None,
            verdicts: None,
        }
    }

    /// The rules that report something; `None`: any.
    #[must_use]
    pub fn reports(&self) -> Option<&[String]> {
        match &self.rules {
            Some(rules) => Some(rules),
            None if self.decision == Decision::Allow && self.shown == Seen::Whole => Some(&[]),
            None => None,
        }
    }

    /// What is written of a line.
    pub(super) fn of(written: &ast::Expect) -> Self {
        match written {
            ast::Expect::Decision(decision) => Self { decision: decision.value, ..Self::fine(decision.span) },
            ast::Expect::All(all) => Self::of_record(all),
        }
    }

    /// What is written of a line in full. What is no value was reported.
    pub(super) fn of_record(all: &ast::Expected) -> Self {
        let rules = all.rules.as_ref().map(|rules| {
            let mut ids: Vec<_> = rules.iter().map(|rule| rule.value.0.clone()).collect();
            ids.sort_unstable();
            ids.dedup();
            ids
        });
        Self {
            span: all.span,
            decision: all.decision.map_or(Decision::Allow, |decision| decision.value),
            rules,
            message: all.message.as_ref().map(|message| message.value.0.clone()),
            args: all.args.as_ref().and_then(ast::Value::json),
            outcome: all.outcome.map(|outcome| outcome.value),
            shown: all.shown.map_or(Seen::Whole, |shown| shown.value),
            sees: all.sees.as_ref().and_then(ast::Value::json),
            verdicts: all.verdicts.as_ref().map(ends),
        }
    }
}

/// The verdicts that are written.
pub(super) fn ends(
    written: &crate::decode::Map<crate::source::Spanned<ast::RuleId>, crate::source::Spanned<Verdict>>,
) -> Ends {
    written.iter().map(|(rule, verdict)| (rule.value.0.clone(), verdict.value)).collect()
}
