//! Contracts of many rules, as an organisation has them that puts all its tools under one: the load of the lint bench.
//!
//! Rules come in groups of ten about six tools of their own, so a tool is shared by a few rules and groups have nothing in common:
//! two of precedence, one of them keyed; a ban; a count and a total, keyed; two `require`s, one over trusted state; an obligation;
//! a formula; and a limit of rate. Every fifth group has a `permit` for its reads besides.

use std::fmt::Write as _;

/// Rules of a group.
pub const GROUP: usize = 10;

/// A contract of so many rules: a multiple of [`GROUP`], and the permits.
pub fn large(rules: usize) -> String {
    let mut tools = String::new();
    let mut state = String::new();
    let mut commits = String::new();
    let mut text = String::new();
    for group in 0..rules / GROUP {
        let g = format!("g{group}");
        // Writing to a string does not fail.
        let _ = write!(
            tools,
            "  {g}_find: {{ effect: read }}\n  {g}_check: {{ effect: read }}\n  {g}_edit: {{ effect: write }}\n  \
             {g}_pay: {{ effect: irreversible }}\n  {g}_send: {{ effect: write }}\n  {g}_drop: {{ effect: irreversible }}\n"
        );
        let _ = writeln!(state, "  {g}_user: {{ type: string }}\n  {g}_limit: {{ type: decimal, initial: 500 }}");
        let _ = writeln!(commits, "  - {{ after: ok({g}_find), bind: {{ {g}_user: result.user }} }}");
        let _ = writeln!(
            commits,
            "  - {{ after: ok({g}_check), when: result.limit > 0, set: {{ {g}_limit: result.limit }} }}"
        );
        let _ = write!(
            text,
            "  - id: {g}-check-first
    must_precede: {{ first: {g}_check, then: {g}_pay }}
  - id: {g}-found-first
    must_precede: {{ first: {g}_find, then: {g}_edit }}
    per: args.id
    instances: {{ max: 1000, close_on: call({g}_drop) }}
  - id: {g}-no-edit-after-drop
    never_after: {{ after: {g}_drop, call: {g}_edit }}
  - id: {g}-pay-once
    at_most_n_times: {{ call: {g}_pay, n: {n} }}
    per: args.invoice
    instances: {{ max: 1000 }}
  - id: {g}-not-too-much
    at_most_total: {{ call: {g}_pay, sum: args.amount, limit: {limit} }}
  - id: {g}-own-account
    call: {g}_edit
    require: args.user == state.{g}_user
  - id: {g}-limit
    call: {g}_pay
    require: [args.amount > 0, args.amount <= state.{g}_limit, 'args.currency in [\"EUR\", \"USD\"]']
  - id: {g}-receipt
    must_be_followed_by: {{ after: {g}_pay, then: {g}_send }}
  - id: {g}-drop-last
    formula: always (dropped implies not eventually found)
    let: {{ dropped: call({g}_drop), found: call({g}_find) }}
  - id: {g}-slowly
    rate_limit: {{ call: {g}_send, n: {n}, window: 60s }}
",
            n = 1 + group % 5,
            limit = 1_000 + 100 * (group % 7),
        );
        if group % 5 == 0 {
            let _ = writeln!(text, "  - id: {g}-reads\n    permit: {g}_find | {g}_check");
        }
    }
    format!("version: 1\nname: large\ndefault: allow\ntools:\n{tools}state:\n{state}commit:\n{commits}rules:\n{text}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_contract_has_no_errors() {
        let text = large(50);
        let checked = contract_lang::check("large.yaml", text.as_bytes(), &contract_lang::Options::default());
        let shown = contract_lang::diagnostic::render::short(&checked.source, &checked.diagnostics);
        assert_eq!(checked.contract.map(|contract| contract.rules.len()), Some(51), "{shown}");
    }
}
