//! Random contracts, as YAML.

use super::Seed;
use super::pattern::{Pattern, Role, pattern};
use super::predicate::{Place, predicate};

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
    text += "state:\n  account: { type: string }\n  flag: { type: bool, initial: false }\n";
    text += "  total: { type: decimal, initial: 2 }\n";
    text += &format!("  seen: {{ type: set<string>, max: {}, initial: [] }}\n", 1 + seed.below(3));
    text += &format!("  score: {{ type: map<decimal>, max: {}, initial: {{}} }}\n", 1 + seed.below(3));
    text += "  owners: { type: map<set<string>>, max: 3, initial: {} }\n";
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
    for number in 0..=seed.below(4) {
        text += &rule(seed, number);
    }
    text
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

fn rule(seed: &mut Seed, number: usize) -> String {
    let mut host = seed.chance(25);
    let mut keyed = !host && seed.chance(55);
    let mut used: Vec<Pattern> = Vec::new();
    let kind = match seed.below(14) {
        0 | 1 => {
            let (first, then) = (fresh(seed, Role::Ok, host, &mut used), fresh(seed, Role::Call, false, &mut used));
            format!("must_precede: {{ first: '{first}', then: '{then}' }}")
        }
        2 => {
            let (without, call) = (fresh(seed, Role::Ok, host, &mut used), fresh(seed, Role::Call, false, &mut used));
            format!("cannot_follow_without: {{ call: '{call}', without: '{without}' }}")
        }
        3 => {
            let (after, call) = (fresh(seed, Role::Call, host, &mut used), fresh(seed, Role::Call, false, &mut used));
            format!("never_after: {{ call: '{call}', after: '{after}' }}")
        }
        4 => {
            let members = 2 + seed.below(2);
            let members: Vec<String> =
                (0..members).map(|_| format!("'{}'", fresh(seed, Role::Call, host, &mut used))).collect();
            format!("mutually_exclusive: [{}]", members.join(", "))
        }
        5 => {
            keyed = false;
            let members = 1 + seed.below(2);
            let members: Vec<String> =
                (0..members).map(|_| format!("'{}'", fresh(seed, Role::Ok, host, &mut used))).collect();
            format!("required_before_session_end: [{}]", members.join(", "))
        }
        6 | 7 => {
            let call = fresh(seed, Role::Call, host, &mut used);
            format!("at_most_n_times: {{ call: '{call}', n: {} }}{}", 1 + seed.below(3), counting(seed))
        }
        8 | 9 => {
            host = false;
            let call = fresh(seed, Role::Call, false, &mut used);
            let limit = seed.pick(&["2", "3.5", "5"]);
            let sum = seed.pick(&["args.n", "args.n", "args.n * 2", "default(args.n, 1)"]);
            format!("at_most_total: {{ call: '{call}', sum: '{sum}', limit: {limit} }}{}", counting(seed))
        }
        10 => {
            let call = fresh(seed, Role::Call, host, &mut used);
            let window = seed.pick(&["5s", "20s", "2m"]);
            format!("rate_limit: {{ call: '{call}', n: {}, window: {window} }}{}", 1 + seed.below(2), counting(seed))
        }
        11 => {
            keyed = false;
            format!("forbid: '{}'", fresh(seed, Role::Call, host, &mut used))
        }
        12 => {
            (keyed, host) = (false, false);
            format!("permit: '{}'", calls(seed, &mut used))
        }
        _ => {
            (keyed, host) = (false, false);
            let call = calls(seed, &mut used);
            let (one, other) = (predicate(seed, Place::Call), predicate(seed, Place::Call));
            if seed.chance(70) {
                format!("call: '{call}'\n    require: '{one}'")
            } else {
                format!("call: '{call}'\n    require: ['{one}', '{other}']")
            }
        }
    };
    let mut text = format!("  - id: r{number}\n    {kind}\n");
    let about_host = host && used.iter().any(|pattern| pattern.host);
    if !about_host && seed.chance(15) {
        text += &format!("    where: '{}'\n", predicate(seed, Place::Call));
    }
    if keyed {
        text += &key(seed, &used);
    }
    if !text.contains("permit:") {
        text += seed.pick(&["", "", "", "    action: alert\n", "    action: ask\n"]);
        if seed.chance(10) {
            text += "    mode: shadow\n";
        }
        text += seed.pick(&[
            "",
            "",
            "",
            "    decide: { unestablished: allow }\n",
            "    decide: { unestablished: { read: allow, write: alert, irreversible: ask } }\n",
            "    decide: { pending: { irreversible: ask } }\n",
        ]);
    }
    text
}

/// A pattern that is not yet in the rule.
fn fresh(seed: &mut Seed, role: Role, host: bool, used: &mut Vec<Pattern>) -> String {
    loop {
        let candidate = pattern(seed, role, host);
        if used.iter().all(|pattern| pattern.text != candidate.text) {
            let text = candidate.text.clone();
            used.push(candidate);
            return text;
        }
    }
}

/// A pattern of calls only.
fn calls(seed: &mut Seed, used: &mut Vec<Pattern>) -> String {
    loop {
        let candidate = pattern(seed, Role::Call, false);
        if !["ok(", "failed(", "unknown(", "done("].iter().any(|phase| candidate.text.contains(phase)) {
            let text = candidate.text.clone();
            used.push(candidate);
            return text;
        }
    }
}

fn counting(seed: &mut Seed) -> &'static str {
    seed.pick(&["", "", "\n    count: succeeded"])
}

/// `per` and `instances` of a keyed rule.
fn key(seed: &mut Seed, used: &[Pattern]) -> String {
    let close = if seed.chance(30) { Some(pattern(seed, Role::Close, false)) } else { None };
    let close_on = close.as_ref().map(|close| format!(", close_on: '{}'", close.text)).unwrap_or_default();
    let tools = used.iter().chain(&close).map(|pattern| pattern.tools.clone());
    let tools: Option<Vec<String>> = tools.collect::<Option<Vec<_>>>().map(|sets| {
        let mut all: Vec<String> = sets.into_iter().flatten().collect();
        all.sort();
        all.dedup();
        all
    });
    let per = match (seed.below(10), tools) {
        (0, _) => "lower(args.k)".to_owned(),
        (1, _) => "[args.k, args.mode]".to_owned(),
        (2..=4, Some(tools)) => {
            let paths = ["args.k", "args.k", "args.k", "args.mode"];
            let routes: Vec<String> = tools.iter().map(|tool| format!("'{tool}': {}", seed.pick(&paths))).collect();
            format!("{{ {} }}", routes.join(", "))
        }
        _ => "args.k".to_owned(),
    };
    let mut text = format!("    per: {per}\n");
    if close.is_some() || seed.chance(60) {
        text += &format!("    instances: {{ max: {}{close_on} }}\n", 1 + seed.below(3));
    }
    text
}
