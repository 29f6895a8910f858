//! What becomes of a call of which a rule cannot be established.

use contract_runtime::{Decision, Effect, Mode, Verdict};

use super::Shared;
use super::site::Use;
use crate::diagnostic::{Goal, Level};
use crate::mir::{Contract, Kind, Tool as Declared};
use crate::resolve::Lowered;

/// What it comes to, for the tool for which it is worst.
pub(super) struct Consequence {
    /// The decision, where it is about the call.
    pub(super) decision: Option<Decision>,
    /// What happens, in words.
    pub(super) words: String,
}

impl Consequence {
    pub(super) fn of(shared: &Shared<'_, '_>, lowered: &Lowered<'_>) -> Self {
        let contract = &lowered.contract;
        let rule = shared.site.rule.and_then(|rule| contract.rules.get(rule));
        let nothing = |words: &str| Self { decision: None, words: words.to_owned() };
        let Some(rule) = rule else { return nothing("whether it holds is then not established") };
        let verdict = if shared.site.of == Use::Amount { Verdict::Violated } else { Verdict::Unestablished };
        match (shared.site.of, &rule.kind) {
            (_, Kind::Ensure { .. }) => {
                return nothing("where the rule depends on it, it is not established, and the result is withheld");
            }
            (Use::Condition, Kind::Automaton { template: "forbid", .. }) => {}
            (Use::Condition, _) => {
                return nothing("it is then not established whether the rule speaks of the call");
            }
            (Use::Other | Use::Target, _) => return nothing("nothing is there"),
            _ => {}
        }
        let decided = shared
            .tools
            .iter()
            .flat_map(|tool| effects(contract, &tool.name))
            .map(|effect| rule.table.decide(verdict, effect));
        let decision = decided.max_by_key(|decision| rank(*decision)).unwrap_or(Decision::Block);
        let decision = if rule.mode == Mode::Shadow { Decision::Allow } else { decision };
        let becomes = match decision {
            Decision::Block => "and the call is blocked",
            Decision::Ask => "and somebody is asked",
            Decision::Alert => "and the call is reported",
            Decision::Allow => "and the call runs",
        };
        let is = if verdict == Verdict::Violated { "violated" } else { "not established" };
        Self { decision: Some(decision), words: format!("where the rule depends on it, it is {is}, {becomes}") }
    }

    /// A session that shows it: a call of the tool about which the rule says something.
    pub(super) fn goal(&self, shared: &Shared<'_, '_>, lowered: &Lowered<'_>) -> Option<Goal> {
        let (rule, decision) = (lowered.contract.rules.get(shared.site.rule?)?, self.decision?);
        let tool = shared.tools.first().filter(|_| shared.fault.wrong.is_some())?;
        Some(Goal::call().tool(&tool.name).by(&rule.id).decided(decision))
    }

    /// A warning if calls are stopped for it.
    pub(super) fn level(&self) -> Level {
        match self.decision {
            Some(Decision::Block | Decision::Ask) => Level::Warning,
            _ => Level::Note,
        }
    }
}

fn rank(decision: Decision) -> u8 {
    match decision {
        Decision::Allow => 0,
        Decision::Alert => 1,
        Decision::Ask => 2,
        Decision::Block => 3,
    }
}

/// The effects that calls of a tool may have.
fn effects(contract: &Contract, name: &str) -> Vec<Effect> {
    let exact = |tool: &&Declared| tool.names.tool.as_str() == name;
    let declared =
        contract.tools.iter().find(exact).or_else(|| contract.tools.iter().find(|tool| tool.names.tool.matches(name)));
    match declared {
        Some(tool) if !tool.effect.is_empty() => tool.effect.iter().map(|case| case.is).collect(),
        _ => vec![Effect::Irreversible],
    }
}
