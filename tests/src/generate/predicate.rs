//! Random predicates over calls, results and host events.

use super::Seed;

/// Over what a call pattern or a precondition can read.
const CALL: &[&str] = &[
    r#"args.mode == "soft""#,
    r#"args.mode != "hard""#,
    r#"lower(args.mode) == "soft""#,
    r#"args.mode like "s*""#,
    r#"args.mode matches r"^h""#,
    r#"starts_with(args.mode, "so")"#,
    "has(args.mode)",
    "is_string(args.k)",
    "is_number(args.k)",
    r#"args.k == "a""#,
    "args.k == 1",
    "args.k != null",
    r#"args.k in ["a", "b", 1]"#,
    "args.k in state.seen",
    "not (args.k in state.seen)",
    "args.k == state.account",
    "state.score[args.k] >= 2",
    "args.n <= state.score[args.k]",
    r#"args.k in state.owners["a"]"#,
    "args.k in state.owners[args.mode]",
    "state.flag",
    "not state.flag",
    "has(state.account)",
    "args.n + 1 <= state.total",
    "args.n > 1",
    "args.n == 1",
    "args.n * 2 > 3",
    "args.n - 0.5 < 1",
    "default(args.n, 0) < 3",
    "min(args.n, 2) == 2",
    "max(default(args.n, 1), 2) > 2",
    "context.vip",
    "context.user == args.k",
    "call.batch == 1",
    r#"any(x in args.tags => x == "hot")"#,
    r#"all(x in args.tags => is_string(x) and size(x) < 4)"#,
    r#"none(x in args.tags => x == args.k)"#,
    r#"count(x in args.tags => x == "hot") <= 1"#,
    r#"contains(args.tags, "hot")"#,
    r#"args.tags[0] == "hot""#,
    "size(args.tags) < 2",
    "subset(args.tags, state.seen)",
    "intersects(args.tags, state.seen)",
    r#"any(x in state.seen => x == args.k)"#,
    r#"now < time("2026-01-01T10:02:00Z", "UTC")"#,
];

/// The same, for patterns of results.
const RESULT: &[&str] = &[
    "result.ok == true",
    "result.ok",
    "result.n > 1",
    "result.k == args.k",
    r#"result.status in ["active", "new"]"#,
    "not has(result.error)",
    "result.n == args.n",
];

/// The same, for host events.
const EVENT: &[&str] = &["event.n > 1", r#"event.k == "a""#, "event.k in state.seen", "has(event.n)", "state.flag"];

/// Where a predicate stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In a call pattern or precondition.
    Call,
    /// In a pattern of results.
    Result,
    /// In a postcondition.
    Value,
    /// In a pattern of host events.
    Event,
}

/// A predicate.
pub fn predicate(seed: &mut Seed, place: Place) -> String {
    match seed.below(10) {
        0 => format!("{} and {}", atom(seed, place), atom(seed, place)),
        1 => format!("{} or {}", atom(seed, place), atom(seed, place)),
        2 => format!("({}) implies ({})", atom(seed, place), atom(seed, place)),
        3 => format!("not ({})", atom(seed, place)),
        _ => atom(seed, place),
    }
}

fn atom(seed: &mut Seed, place: Place) -> String {
    let of = match place {
        Place::Call => CALL,
        Place::Result if seed.chance(70) => RESULT,
        Place::Value if seed.chance(85) => RESULT,
        Place::Result | Place::Value => CALL,
        Place::Event => EVENT,
    };
    seed.pick(of).to_owned()
}
