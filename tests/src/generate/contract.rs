//! Random contracts, as YAML.

use super::Seed;
use super::predicate::{Place, predicate};
use super::rule::Rules;

/// A contract of one to four rules.
pub fn contract(seed: &mut Seed) -> String {
    let mut text = String::from("version: 1\nname: random\n");
    if seed.chance(8) {
        text += "mode: shadow\n";
    }
    text += seed.pick(&[
        "",
        "default: allow\n",
        "default: allow\n",
        "default: block\n",
        "default: { read: allow, write: ask, irreversible: ask }\n",
        "default: { read: allow, write: alert, irreversible: allow }\n",
    ]);
    text +=
        seed.pick(&["", "", "undeclared: ask\n", "undeclared: block\n", "undeclared: allow\n", "undeclared: alert\n"]);
    if seed.chance(15) {
        text += "decide: { unestablished: { read: allow, write: alert } }\n";
    }
    text += "context: { user: string, vip: bool }\n";
    text += "patterns:\n  money: pay | post_a\n";
    text += "tools:\n  look: { effect: read }\n";
    text += seed.pick(&[
        "  check: { effect: read }\n",
        "  check: { effect: read, succeeds_when: 'result.ok == true' }\n",
        "  check: { effect: read, succeeds_when: 'not (is_string(result) and starts_with(result, \"Error\"))' }\n",
    ]);
    text += "  pay: { effect: irreversible }\n  'post_*': { effect: write }\n";
    text += seed.pick(&[
        "  drop: { effect: irreversible }\n",
        "  drop:\n    effect:\n      - { when: 'args.mode == \"soft\"', is: read }\n      - { when: 'args.n > 1', is: irreversible }\n      - { is: write }\n",
    ]);
    text += "state:\n";
    text += &format!("  account: {{ type: string{} }}\n", fresh(seed));
    text += &format!("  flag: {{ type: bool, initial: false{} }}\n", fresh(seed));
    text += &format!("  total: {{ type: decimal, initial: 2{} }}\n", fresh(seed));
    text += &format!("  seen: {{ type: set<string>, max: {}, initial: []{} }}\n", 1 + seed.below(3), fresh(seed));
    text += &format!("  score: {{ type: map<decimal>, max: {}, initial: {{}}{} }}\n", 1 + seed.below(3), fresh(seed));
    text += &format!("  owners: {{ type: map<set<string>>, max: 3, initial: {{}}{} }}\n", fresh(seed));
    let commits = seed.below(5);
    if commits > 0 {
        text += "commit:\n";
    }
    for _ in 0..commits {
        text += &commit(seed);
    }
    if seed.chance(30) {
        text += &format!("instances: {{ max: {} }}\n", 1 + seed.below(4));
    } else {
        text += "instances: { max: 100 }\n";
    }
    text += "rules:\n";
    let mut rules = Rules::default();
    for number in 0..=seed.below(4) {
        text += &rules.rule(seed, number);
    }
    text
}

/// How long a fact is good for.
fn fresh(seed: &mut Seed) -> &'static str {
    seed.pick(&["", "", "", ", fresh: 10s", ", fresh: 1m"])
}

/// A commit. Arguments are only what a fact is bound to, and only where the result says something.
fn commit(seed: &mut Seed) -> String {
    if seed.chance(20) {
        let name = seed.pick(&["tick", "stop"]);
        let change = seed.pick(&[
            "set: { account: event.k }",
            "set: { total: event.n }",
            "insert: { seen: event.k }",
            "remove: { seen: event.k }",
            "clear: [seen]",
            "clear: [account, score]",
            "put: { score: { at: event.k, value: event.n } }",
        ]);
        let when =
            if seed.chance(30) { format!("    when: '{}'\n", predicate(seed, Place::Event)) } else { String::new() };
        return format!("  - after: 'event({name})'\n{when}    {change}\n");
    }
    let tool = seed.pick(&["look", "check", "pay", "post_*", "drop"]);
    if seed.chance(20) {
        let phase = seed.pick(&["failed", "unknown", "done"]);
        let change = seed.pick(&["set: { flag: true }", "clear: [account]", "clear: [seen]", "clear: [owners, total]"]);
        return format!("  - after: '{phase}({tool})'\n    {change}\n");
    }
    let change = seed.pick(&[
        "set: { account: result.k }",
        "bind: { account: result.k }",
        "set: { flag: result.ok }",
        "set: { total: state.total + result.n }",
        "set: { total: result.n }",
        "insert: { seen: result.k }",
        "insert: { seen: args.k }",
        "remove: { seen: args.k }",
        "set: { seen: result.tags }",
        "put: { score: { at: args.k, value: result.n } }",
        "remove: { score: args.k }",
        "insert: { owners: { at: args.mode, value: result.k } }",
        "remove: { owners: { at: args.mode, value: args.k } }",
    ]);
    let when = if seed.chance(80) {
        "result.ok == true".to_owned()
    } else {
        predicate(seed, Place::Result) + " and result.ok"
    };
    format!("  - after: 'ok({tool})'\n    when: '{when}'\n    {change}\n")
}
