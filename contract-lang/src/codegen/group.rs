//! Which tools share their code.

use crate::dispatch::{self, Plan, Tool};
use crate::mir::{Contract, Counting, Kind, Rule, Subject};

use super::names::Names;
use super::rule;

/// The tools that have the same code, with a name for that code.
pub(super) struct Group<'c> {
    pub(super) name: String,
    /// Their names; none for the tools that the contract does not name.
    pub(super) tools: Vec<&'c str>,
    pub(super) plan: Plan,
    /// The rules that want a note back with an outcome.
    pub(super) notes: Vec<usize>,
    pub(super) tool: Tool<'c>,
}

impl Group<'_> {
    /// Whether a rule wants a note back.
    pub(super) fn keeps(&self, rule: usize) -> bool {
        self.notes.contains(&rule)
    }
}

/// Groups the named tools by what they concern. Tools whose declarations differ stay apart.
pub(super) fn groups(contract: &Contract) -> Vec<Group<'_>> {
    let mut groups: Vec<Group<'_>> = Vec::new();
    let mut names = Names::default();
    for name in dispatch::named_tools(contract) {
        let tool = Tool::Named(name);
        let plan = dispatch::plan(contract, tool);
        let alike = groups.iter_mut().find(|group| group.plan == plan && same_code(contract, group.tool, tool));
        match alike {
            Some(group) => group.tools.push(name),
            None => {
                let name_of = names.fresh("", name).to_string();
                let notes = notes(contract, &plan, tool);
                groups.push(Group { name: name_of, tools: vec![name], plan, notes, tool });
            }
        }
    }
    let plan = dispatch::plan(contract, Tool::Other);
    let name = names.fresh("", "other_tools").to_string();
    let notes = notes(contract, &plan, Tool::Other);
    groups.push(Group { name, tools: Vec::new(), plan, notes, tool: Tool::Other });
    groups
}

/// The rules that want a note back with an outcome of the tool: a rule may have to return a count, may have reserved a slot,
/// or wants to know which call it was.
fn notes(contract: &Contract, plan: &Plan, tool: Tool<'_>) -> Vec<usize> {
    let wants = |concern: &&dispatch::Concern| {
        let Some(rule) = contract.rules.get(concern.rule) else { return false };
        let returns = concern.call && rule.counting() == Some(Counting::Succeeded);
        let reserves =
            rule.steps() && rule.per.is_some() && concern.result && !rule::may_observe(rule, tool).is_never();
        let remembers = concern.result && matches!(rule.kind, Kind::NoFlow { .. });
        returns || reserves || remembers
    };
    plan.rules.iter().filter(wants).map(|concern| concern.rule).collect()
}

/// Whether every alternative, declaration and route treats two tools alike.
fn same_code(contract: &Contract, one: Tool<'_>, other: Tool<'_>) -> bool {
    let declarations = |tool| -> Vec<_> {
        let declared = dispatch::declarations(contract, tool);
        declared.iter().map(|tool| (&tool.effect, &tool.succeeds_when, &tool.names.server)).collect()
    };
    let rules = contract.rules.iter().flat_map(Rule::all_patterns);
    let mut patterns = rules.chain(contract.commits.iter().map(|commit| &commit.after));
    let mut routes = contract.rules.iter().flat_map(Rule::routes);
    declarations(one) == declarations(other)
        && patterns.all(|pattern| {
            pattern.alternatives.iter().all(|alternative| alternative.may_match(one) == alternative.may_match(other))
        })
        && routes.all(|subject| match subject {
            Subject::Tools(names) => names.may_match(one) == names.may_match(other),
            Subject::Effect(_) | Subject::Event(_) => true,
        })
}
