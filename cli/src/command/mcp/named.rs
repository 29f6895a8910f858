//! Which requests beside calls of tools a contract speaks of.
//!
//! INVARIANT: whatever a contract says of `resources/read` or `prompts/get` by name, in whichever part, is not said in vain. A glob
//! such as `*` speaks of tools: who wrote it may never have thought of resources, and guarding them would break servers.

use contract_lang::mir::{Alternative, Contract, Names, Pattern, Subject};

/// The methods that are decided only where a contract names them.
const METHODS: [&str; 2] = ["resources/read", "prompts/get"];

/// Those of them that a contract names.
pub(super) fn methods(contract: &Contract) -> Vec<&'static str> {
    METHODS.into_iter().filter(|method| names(contract, method)).collect()
}

fn names(contract: &Contract, method: &str) -> bool {
    let declared = contract.tools.iter().any(|tool| is(&tool.names, method));
    let commits = contract.commits.iter().map(|commit| &commit.after);
    let rules = contract.rules.iter().flat_map(|rule| {
        let closes = rule.per.as_ref().and_then(|keyed| keyed.close_on.as_ref());
        rule.patterns().iter().chain(&rule.guards).chain(&rule.reset_on).chain(closes)
    });
    declared || commits.chain(rules).any(|pattern| speaks(pattern, method))
}

fn speaks(pattern: &Pattern, method: &str) -> bool {
    pattern
        .alternatives
        .iter()
        .any(|Alternative { subject, .. }| matches!(subject, Subject::Tools(names) if is(names, method)))
}

/// Whether a name is a method, or a glob that begins as it does up to its `/`: `resources/*` can only mean one.
fn is(names: &Names, method: &str) -> bool {
    let family = method.split_inclusive('/').next().unwrap_or(method);
    names.tool.as_str().starts_with(family) && names.tool.matches(method)
}

#[cfg(test)]
mod tests {
    use contract_lang::{Options, check};

    use super::*;

    #[test]
    fn a_method_is_decided_where_any_part_of_the_contract_names_it() {
        for (text, wanted) in [
            ("tools: { a: { effect: read } }", &[][..]),
            ("tools: { \"*\": { effect: read } }", &[]),
            ("tools: { resources/read: { effect: read } }", &["resources/read"]),
            ("rules: [{ id: r, forbid: prompts/get }]", &["prompts/get"]),
            ("rules: [{ id: r, forbid: 'a | docs::resources/*' }]", &["resources/read"]),
            ("rules: [{ id: r, never_after: { after: ok(resources/read), call: a } }]", &["resources/read"]),
            ("rules: [{ id: r, forbid: \"*\", guards: prompts/get }]", &[]),
        ] {
            let text = format!("version: 1\nname: n\n{text}\n");
            let checked = check("n.yaml", text.as_bytes(), &Options::default());
            let found = checked.contract.map(|contract| methods(&contract)).unwrap_or_default();
            assert_eq!(found, wanted, "{text}");
        }
    }
}
