//! Small contracts with few conditions, of which much can be proved: rules that exclude, cover and wait for each other.

use super::Seed;

const TOOLS: &[&str] = &["look", "check", "pay", "post_a", "drop"];

/// What rules look at, so that some conditions exclude or imply others.
const CONDITIONS: &[&str] = &[
    "args.n > 1",
    "args.n >= 1",
    "args.n < 1",
    "args.n <= 2",
    "args.n > 3",
    "args.mode == \"soft\"",
    "args.mode != \"soft\"",
    "args.mode in [\"soft\", \"hard\"]",
    "args.n > 1 or args.n <= 1",
    "args.n > 2 and args.n < 1",
    "not (args.n > 1)",
    "has(args.k)",
    "state.flag",
    "state.account == args.k",
    "state.open",
    "args.n < 2 and args.n < 4",
];

/// A contract of two to five rules.
pub fn small(seed: &mut Seed) -> String {
    let mut text = String::from("version: 1\nname: small\n");
    text += seed.pick(&["", "default: allow\n", "default: allow\n", "default: allow\n", "default: ask\n"]);
    text += "tools:\n  look: { effect: read }\n  check: { effect: read }\n  pay: { effect: irreversible }\n";
    text += "  post_a: { effect: write }\n  drop: { effect: irreversible }\n";
    text += "state:\n  flag: { type: bool, initial: false }\n  account: { type: string }\n  open: { type: bool }\n";
    text += seed.pick(&[
        "",
        "commit:\n  - { after: ok(look), set: { flag: result.ok } }\n",
        "commit:\n  - { after: ok(check), set: { account: result.k } }\n  - { after: 'failed(look)', set: { flag: true } }\n",
    ]);
    text += "instances: { max: 3 }\nrules:\n";
    for number in 0..2 + seed.below(4) {
        text += &rule(seed, number);
    }
    text
}

fn rule(seed: &mut Seed, number: usize) -> String {
    let (one, other) = (pattern(seed), pattern(seed));
    let kind = match seed.below(16) {
        0 | 1 => format!("must_precede: {{ first: '{one}', then: '{other}' }}"),
        2 => format!("never_after: {{ after: '{one}', call: '{other}' }}"),
        3 => format!("mutually_exclusive: ['{one}', '{other}']"),
        4 | 5 => format!("required_before_session_end: ['{one}']"),
        6 | 7 => format!("must_be_followed_by: {{ after: '{one}', then: '{other}' }}"),
        8 => format!("forbid: '{one}'"),
        9 | 10 => format!("at_most_n_times: {{ call: '{one}', n: {} }}", seed.below(3)),
        11 => format!("cannot_follow_without: {{ call: '{one}', without: '{other}' }}"),
        12 => format!("alternate: ['{one}', '{other}']"),
        _ => {
            let tool = seed.pick(TOOLS);
            format!("call: {tool}\n    require: '{}'", seed.pick(CONDITIONS))
        }
    };
    let mut text = format!("  - id: r{number}\n    {kind}\n");
    let has_condition = kind.contains("where");
    if seed.chance(15) && !kind.contains("require:") && !kind.starts_with("required") {
        text += "    per: args.k\n";
    }
    if seed.chance(10) && !has_condition {
        text += &format!("    unless: '{}'\n", seed.pick(CONDITIONS));
    }
    if seed.chance(8) {
        text += seed.pick(&["    action: ask\n", "    action: alert\n", "    mode: shadow\n"]);
    }
    if seed.chance(8) {
        text += "    decide: { unestablished: allow }\n";
    }
    text
}

fn pattern(seed: &mut Seed) -> String {
    let tool = seed.pick(TOOLS);
    match seed.below(10) {
        0 | 1 => format!("call({tool} where {})", seed.pick(CONDITIONS)),
        2 => format!("ok({tool})"),
        3 => format!("call({tool})"),
        _ => tool.to_owned(),
    }
}
