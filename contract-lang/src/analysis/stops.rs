//! What is sure to stop the calls of a tool.

use std::collections::BTreeSet;

use super::context::{Context, listed};
use super::model::{Moment, Space};

/// What stops the calls of a tool.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Stops {
    /// The tool.
    pub(super) tool: String,
    /// Rules: all that stop every call, or, where different calls are stopped by different rules, all of these.
    pub(super) rules: BTreeSet<usize>,
    /// Whether `default` or `undeclared` stops calls, too.
    pub(super) by_default: bool,
}

impl Stops {
    /// What stops the calls of a tool in a state. `None` if some call may run there.
    pub(super) fn of(context: &Context<'_>, space: &Space<'_, '_>, state: usize, tool: &str) -> Option<Self> {
        let is_call = |class: &usize| {
            space.classes().get(*class).is_some_and(|class| class.moment == Moment::Call)
                && space.subject(*class).and_then(|subject| subject.tool()) == Some(tool)
                && space.is_about_the_key(*class)
        };
        let rules = &space.focus().rules;
        let mut each: Vec<Self> = Vec::new();
        for class in (0..space.classes().len()).filter(is_call) {
            let stops =
                |rule: &&usize| context.model.enforces(**rule) && !space.decided(state, class, **rule).may_run();
            let found = Self {
                tool: tool.to_owned(),
                rules: rules.iter().filter(stops).copied().collect(),
                by_default: !space.decisions_without(state, class, rules).may_run(),
            };
            if found.rules.is_empty() && !found.by_default {
                return None;
            }
            each.push(found);
        }
        let every = each.iter().cloned().reduce(|one, other| Self {
            tool: one.tool,
            rules: &one.rules & &other.rules,
            by_default: one.by_default && other.by_default,
        })?;
        if !every.rules.is_empty() || every.by_default {
            return Some(every);
        }
        each.into_iter().reduce(|one, other| Self {
            tool: one.tool,
            rules: &one.rules | &other.rules,
            by_default: one.by_default || other.by_default,
        })
    }

    /// Whether it is more than one.
    pub(super) fn is_plural(&self) -> bool {
        self.rules.len().saturating_add(usize::from(self.by_default)) > 1
    }

    /// Who it is, in words.
    pub(super) fn by(&self, context: &Context<'_>) -> String {
        let rules = self.rules.iter().filter_map(|rule| context.rule(*rule)).map(|rule| format!("`{}`", rule.id));
        let by_default = self.by_default.then(|| "`default`".to_owned());
        listed(&rules.chain(by_default).collect::<Vec<_>>())
    }
}
