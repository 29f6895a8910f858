//! Collects what the `rewrite` rules make of the arguments of one call.

use serde_json::Value;

use crate::deliberation::Posture;
use crate::finding::Reason;
use crate::info::RuleInfo;
use crate::rewriting::{ArgStep, RewriteNote, Rewriting, rewrite};
use crate::value::Est;
use crate::{Truth, Verdict};

/// What the rules make of the arguments so far. Each reads the original ones.
#[derive(Debug)]
pub struct Rewriter<'c> {
    original: &'c Value,
    posture: Posture,
    rewriting: Rewriting,
}

impl<'c> Rewriter<'c> {
    /// Of a call with these arguments.
    #[must_use]
    pub fn new(original: &'c Value, posture: Posture) -> Self {
        Self { original, posture, rewriting: Rewriting::default() }
    }

    /// Takes the changes of a rule that speaks of the call, with paths of several lengths in one array.
    pub fn change<const N: usize>(
        &mut self,
        rule: u16,
        info: &RuleInfo,
        applies: Truth,
        changes: [(&[ArgStep<'_>], Est<'_>); N],
    ) {
        self.change_each(rule, info, applies, changes);
    }

    /// Takes the changes of a rule that speaks of the call: all of them or none.
    pub fn change_each<'p>(
        &mut self,
        rule: u16,
        info: &RuleInfo,
        applies: Truth,
        changes: impl IntoIterator<Item = (&'p [ArgStep<'p>], Est<'p>)>,
    ) {
        let mut args = self.rewriting.args.clone().unwrap_or_else(|| self.original.clone());
        let mut changes = changes.into_iter();
        let set =
            |(path, value): (&[ArgStep<'_>], Est<'_>)| value.is_some_and(|value| rewrite(&mut args, path, &value));
        let changed = applies == Truth::True && changes.all(set);
        let (verdict, reason) = match changed {
            true if self.posture.enforces(info) => {
                self.rewriting.args = Some(args);
                return;
            }
            true => (Verdict::Open, Reason::Rewritten),
            false => (Verdict::Unestablished, Reason::Rewrite),
        };
        self.rewriting.notes.push(RewriteNote { rule, verdict, reason });
    }

    /// All of it.
    #[must_use]
    pub fn finish(self) -> Rewriting {
        self.rewriting
    }
}
