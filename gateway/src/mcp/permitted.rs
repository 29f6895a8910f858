//! Which tools a contract can never let run.
//!
//! INVARIANT: a tool of which some call could run is never among them. What is looked at is what stops every call, whatever its
//! arguments and whatever happened before: a `forbid` or a limit of 0 without a condition, and a default.

use contract_lang::mir::{Alternative, Contract, Kind, Names, Pattern, Register, Rule, Subject};
use contract_runtime::{Decision, Effect, Mode};

/// Whether some call of the tool may run in a session that enforces the contract.
#[must_use]
pub fn may_run(contract: &Contract, server: Option<&str>, tool: &str) -> bool {
    if contract.mode == Mode::Shadow {
        return true;
    }
    let call = Named { contract, server, tool };
    !contract.rules.iter().any(|rule| call.is_forbidden(rule)) && !call.falls_through()
}

/// Whether calls of a tool may run that nobody has looked at: what the contract does with tools that it does not know.
#[must_use]
pub fn admits_strangers(contract: &Contract) -> bool {
    contract.mode == Mode::Shadow
        || contract.undeclared.unwrap_or_else(|| contract.default.by_effect.get(Effect::Irreversible)) < Decision::Ask
}

struct Named<'c> {
    contract: &'c Contract,
    server: Option<&'c str>,
    tool: &'c str,
}

impl Named<'_> {
    fn is(&self, names: &Names) -> bool {
        names.matches(self.tool, self.server)
    }

    /// The effects that calls of the tool may have, and whether the contract declares it.
    fn effects(&self) -> (Vec<Effect>, bool) {
        let tools = || self.contract.tools.iter().filter(|declared| self.is(&declared.names));
        let exact = tools().find(|declared| declared.names.tool.is_literal());
        let Some(declared) = exact.or_else(|| tools().next()) else { return (vec![Effect::Irreversible], false) };
        let mut effects: Vec<Effect> = Vec::new();
        for case in &declared.effect {
            effects.push(case.is);
            if case.when.is_none() {
                return (effects, true);
            }
        }
        effects.push(Effect::Irreversible);
        (effects, true)
    }

    /// Whether an enforced rule stops every call of the tool.
    fn is_forbidden(&self, rule: &Rule) -> bool {
        let never = match &rule.kind {
            Kind::Automaton { template: "forbid", patterns, .. }
            | Kind::Register { register: Register::Count { limit: 0 }, patterns, .. } => patterns.first(),
            _ => None,
        };
        let Some(pattern) = never.filter(|_| rule.per.is_none() && rule.mode == Mode::Enforce) else { return false };
        let (effects, _) = self.effects();
        let is_stopped = |effect: &Effect| {
            rule.table.violated.get(*effect) == Decision::Block
                && pattern.alternatives.iter().any(|one| self.is_any(one, *effect))
        };
        effects.iter().all(is_stopped)
    }

    /// Whether an alternative holds for every call of the tool with the effect.
    fn is_any(&self, one: &Alternative, effect: Effect) -> bool {
        let is_about = match &one.subject {
            Subject::Tools(names) => self.is(names),
            Subject::Effect(of) => *of == effect,
            Subject::Event(_) => false,
        };
        is_about && one.phases.call && one.condition.is_none()
    }

    /// Whether an alternative may hold for a call of the tool.
    fn may_be(&self, pattern: &Pattern) -> bool {
        pattern.alternatives.iter().any(|one| match &one.subject {
            Subject::Tools(names) => self.is(names),
            Subject::Effect(_) => true,
            Subject::Event(_) => false,
        })
    }

    /// Whether the default stops every call of the tool, and nothing lifts it.
    fn falls_through(&self) -> bool {
        let contract = self.contract;
        let rules = || contract.rules.iter().filter(|rule| !contract.on_trial(rule));
        let permits = |rule: &Rule| matches!(&rule.kind, Kind::Permit { pattern } if self.may_be(pattern));
        if rules().any(permits) {
            return false;
        }
        let (effects, declared) = self.effects();
        let is_known = declared || contract.catalog.iter().any(|name| name == self.tool);
        if let Some(action) = contract.undeclared.filter(|_| !is_known) {
            return action == Decision::Block;
        }
        let speaks = |rule: &Rule| rule.patterns().iter().chain(&rule.guards).any(|pattern| self.may_be(pattern));
        let is_left = contract.default.strict || !rules().any(speaks);
        is_left && effects.iter().all(|effect| contract.default.by_effect.get(*effect) == Decision::Block)
    }
}

#[cfg(test)]
mod tests {
    use contract_lang::{Options, check};

    use super::*;

    fn hidden(text: &str) -> String {
        let text = format!("version: 1\nname: n\n{text}\n");
        let contract = check("n.yaml", text.as_bytes(), &Options::default()).contract.expect(&text);
        ["a", "b", "c"].into_iter().filter(|tool| !may_run(&contract, Some("s"), tool)).collect()
    }

    #[test]
    fn a_tool_is_hidden_only_where_no_call_of_it_can_run() {
        let tools = "tools: { a: { effect: read }, b: { effect: write } }\n";
        for (text, wanted) in [
            ("rules: []", "c"),
            ("undeclared: allow", ""),
            ("undeclared: block", "c"),
            ("undeclared: ask", ""),
            ("default: block", "abc"),
            ("default: block\nrules: [{ id: r, permit: a }]", "bc"),
            ("default: block\nrules: [{ id: r, permit: a where args.x == 1 }]", "bc"),
            ("undeclared: allow\nrules: [{ id: r, forbid: b }]", "b"),
            ("undeclared: allow\nrules: [{ id: r, forbid: b where args.x == 1 }]", ""),
            ("undeclared: allow\nrules: [{ id: r, forbid: \"s::*\" }]", "abc"),
            ("undeclared: allow\nrules: [{ id: r, forbid: \"other::*\" }]", ""),
            ("undeclared: allow\nrules: [{ id: r, forbid: ok(b) }]", ""),
            ("undeclared: allow\nrules: [{ id: r, forbid: b, mode: shadow }]", ""),
            ("undeclared: allow\nrules: [{ id: r, forbid: b, per: args.x, instances: { max: 9 } }]", ""),
            ("undeclared: allow\nrules: [{ id: r, at_most_n_times: { call: b, n: 0 } }]", "b"),
            ("undeclared: allow\nrules: [{ id: r, at_most_n_times: { call: b, n: 1 } }]", ""),
            ("mode: shadow\ndefault: block", ""),
        ] {
            assert_eq!(hidden(&format!("{tools}{text}")), wanted, "{text}");
        }
    }
}
