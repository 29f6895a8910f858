//! Random rules, of every kind and with every field.

use super::Seed;
use super::formula::{NAMES, formula};
use super::pattern::{Pattern, Role, pattern};
use super::predicate::{Place, predicate};

/// What a rule can have besides its kind.
#[derive(Clone, Copy, Debug)]
struct Shape {
    /// Whether it steps: it may be reset, and count.
    steps: bool,
    /// Whether it may have a key.
    keyed: bool,
    /// Whether it may be pending: it may guard.
    pending: bool,
    /// Whether it counts.
    counts: bool,
}

const STEPS: Shape = Shape { steps: true, keyed: true, pending: false, counts: false };
const COUNTS: Shape = Shape { counts: true, ..STEPS };
const UNKEYED: Shape = Shape { keyed: false, ..STEPS };
const PLAIN: Shape = Shape { steps: false, keyed: false, pending: false, counts: false };

/// What the rules of one contract share.
#[derive(Debug, Default)]
pub struct Rules {
    /// The paths that are rewritten already: two rules must not rewrite one.
    rewritten: Vec<&'static str>,
}

impl Rules {
    /// The next rule.
    pub fn rule(&mut self, seed: &mut Seed, number: usize) -> String {
        let mut rule = Draft { seed, host: false, used: Vec::new() };
        rule.host = rule.seed.chance(25);
        let (kind, shape) = match rule.seed.below(24) {
            0 => (rule.must_precede("must_precede: { first: ", ", then: "), STEPS),
            1 => (rule.must_precede("cannot_follow_without: { without: ", ", call: "), STEPS),
            2 => {
                let (after, call) = (rule.any(Role::Call), rule.calls());
                (format!("never_after: {{ call: '{call}', after: '{after}' }}"), STEPS)
            }
            3 => {
                let members = 2 + rule.seed.below(2);
                let members: Vec<String> = (0..members).map(|_| format!("'{}'", rule.any(Role::Call))).collect();
                (format!("mutually_exclusive: [{}]", members.join(", ")), STEPS)
            }
            4 => {
                let members = 1 + rule.seed.below(2);
                let members: Vec<String> = (0..members).map(|_| format!("'{}'", rule.any(Role::Ok))).collect();
                let shape = Shape { pending: true, ..UNKEYED };
                (format!("required_before_session_end: [{}]", members.join(", ")), shape)
            }
            5 | 6 => {
                let (after, then) = (rule.any(Role::Ok), rule.any(Role::Ok));
                let within =
                    rule.seed.pick(&["", ", within: 5s", ", within: 30s", ", within: 1 call", ", within: 3 calls"]);
                let shape = Shape { pending: true, ..STEPS };
                (format!("must_be_followed_by: {{ after: '{after}', then: '{then}'{within} }}"), shape)
            }
            7 => {
                let (call, n) = (rule.any(Role::Call), rule.seed.below(4));
                let window = rule.window();
                let n = if window.is_empty() { n } else { n.max(1) };
                (format!("at_most_n_times: {{ call: '{call}', n: {n}{window} }}"), COUNTS)
            }
            8 => {
                rule.host = false;
                let (call, limit) = (rule.any(Role::Call), rule.seed.pick(&["2", "3.5", "5"]));
                let sum = rule.seed.pick(&["args.n", "args.n", "args.n * 2", "default(args.n, 1)"]);
                let window = rule.window();
                (format!("at_most_total: {{ call: '{call}', sum: '{sum}', limit: {limit}{window} }}"), COUNTS)
            }
            9 => {
                rule.host = false;
                let (call, n) = (rule.any(Role::Call), 1 + rule.seed.below(2));
                let of = rule.of();
                (format!("at_most_distinct: {{ call: '{call}', of: {of}, n: {n} }}"), STEPS)
            }
            10 => {
                let (call, n) = (rule.any(Role::Call), 1 + rule.seed.below(2));
                let window = rule.seed.pick(&["5s", "20s", "2m"]);
                (format!("rate_limit: {{ call: '{call}', n: {n}, window: {window} }}"), COUNTS)
            }
            11 => {
                let (call, gap) = (rule.any(Role::Call), rule.seed.pick(&["5s", "12s", "30s"]));
                (format!("cooldown: {{ call: '{call}', gap: {gap} }}"), COUNTS)
            }
            12 | 13 => {
                rule.host = false;
                let (open, close, n) = (rule.any(Role::Call), rule.any(Role::Ok), 1 + rule.seed.below(2));
                let of = if rule.seed.chance(70) { format!(", of: {}", rule.of()) } else { String::new() };
                (format!("at_most_open: {{ open: '{open}', close: '{close}', n: {n}{of} }}"), STEPS)
            }
            14 => (format!("forbid: '{}'", rule.any(Role::Call)), UNKEYED),
            15 => {
                rule.host = false;
                if rule.seed.chance(50) {
                    (format!("permit: '{}'", rule.calls_only()), PLAIN)
                } else {
                    let (call, predicates) = (rule.calls_only(), rule.predicates(Place::Call));
                    (format!("call: '{call}'\n    require: {predicates}"), PLAIN)
                }
            }
            16 => {
                rule.host = false;
                let (after, predicates) = (rule.any(Role::Done), rule.predicates(Place::Value));
                let otherwise = rule.seed.pick(&["", "", "\n    otherwise: withhold", "\n    otherwise: alert"]);
                (format!("after: '{after}'\n    ensure: {predicates}{otherwise}"), PLAIN)
            }
            17 => {
                rule.host = false;
                if rule.seed.chance(50) { (rule.redact(), PLAIN) } else { (rule.no_flow(), PLAIN) }
            }
            18 => {
                let (first, second) = (rule.any(Role::Call), rule.any(Role::Call));
                (format!("alternate: {{ first: '{first}', second: '{second}' }}"), STEPS)
            }
            19 => {
                let steps = 2 + rule.seed.below(2);
                let steps: Vec<String> = (0..steps).map(|_| format!("'{}'", rule.any(Role::Call))).collect();
                let restart = rule.seed.pick(&["", ", restart: true"]);
                (format!("sequence: {{ steps: [{}]{restart} }}", steps.join(", ")), STEPS)
            }
            20 => (rule.between(), STEPS),
            21 | 22 => rule.formula(),
            _ => {
                rule.host = false;
                (rule.rewrite(&mut self.rewritten), PLAIN)
            }
        };
        format!("  - id: r{number}\n    {kind}\n{}", rule.fields(shape, &kind))
    }
}

/// A rule that is being made.
struct Draft<'s> {
    seed: &'s mut Seed,
    /// Whether it may speak of host events.
    host: bool,
    /// Its patterns so far.
    used: Vec<Pattern>,
}

impl Draft<'_> {
    /// A pattern that is not yet in the rule.
    fn fresh(&mut self, make: impl Fn(&mut Seed, bool) -> Pattern) -> String {
        loop {
            let candidate = make(self.seed, self.host);
            if self.used.iter().all(|pattern| pattern.text != candidate.text) {
                let text = candidate.text.clone();
                self.used.push(candidate);
                return text;
            }
        }
    }

    fn any(&mut self, role: Role) -> String {
        self.fresh(|seed, host| pattern(seed, role, host))
    }

    fn calls(&mut self) -> String {
        self.fresh(|seed, _| pattern(seed, Role::Call, false))
    }

    /// A pattern of calls and nothing else.
    fn calls_only(&mut self) -> String {
        loop {
            let candidate = pattern(self.seed, Role::Call, false);
            if !["ok(", "failed(", "unknown(", "done("].iter().any(|phase| candidate.text.contains(phase)) {
                let text = candidate.text.clone();
                self.used.push(candidate);
                return text;
            }
        }
    }

    fn window(&mut self) -> &'static str {
        self.seed.pick(&["", "", "", ", window: 10s", ", window: 1m", ", window: 2 calls", ", window: 4 calls"])
    }

    /// What tells one thing from another.
    fn of(&mut self) -> &'static str {
        self.seed.pick(&["args.k", "args.k", "args.mode"])
    }

    fn predicates(&mut self, place: Place) -> String {
        let (one, other) = (predicate(self.seed, place), predicate(self.seed, place));
        if self.seed.chance(70) { format!("'{one}'") } else { format!("['{one}', '{other}']") }
    }

    fn must_precede(&mut self, first: &str, then: &str) -> String {
        let (granted, call) = (self.any(Role::Ok), self.calls());
        let mut text = format!("{first}'{granted}'{then}'{call}'");
        text += self.seed.pick(&["", "", ", consume: true"]);
        text += self.seed.pick(&["", "", ", expires: 5s", ", expires: 40s"]);
        if self.seed.chance(25) {
            text += &format!(", void_on: '{}'", self.any(Role::Close));
        }
        text + " }"
    }

    fn between(&mut self) -> String {
        let says = 1 + self.seed.below(3);
        let close = if says & 2 == 2 { Role::Call } else { Role::Ok };
        let mut text = format!("between: {{ open: '{}', close: '{}'", self.any(Role::Call), self.any(close));
        if says & 1 == 1 {
            text += &format!(", forbid: '{}'", self.any(Role::Call));
        }
        if says & 2 == 2 {
            text += &format!(", needs: '{}'", self.any(Role::Ok));
        }
        text + " }"
    }

    /// A formula over up to three names, and the patterns that they stand for.
    fn formula(&mut self) -> (String, Shape) {
        let formula = formula(self.seed, 3, 3);
        let used: Vec<&str> = NAMES.iter().copied().filter(|name| formula.text.contains(name)).collect();
        let names: Vec<String> = used.iter().map(|name| format!("{name}: '{}'", self.any(Role::Close))).collect();
        // A rule that is pending before anything happens has no key, and one that is not may never be pending.
        let shape = Shape { keyed: formula.on_nothing, pending: !formula.on_nothing, ..STEPS };
        (format!("formula: {}\n    let: {{ {} }}", formula.text, names.join(", ")), shape)
    }

    fn redact(&mut self) -> String {
        let after = self.any(Role::Done);
        let mut paths = vec![];
        for _ in 0..=self.seed.below(2) {
            paths.push(self.seed.pick(&[
                "result.k",
                "result.tags",
                "result.tags[]",
                "result.tags[0]",
                "result.**.note",
                "result.rows[].k",
                "result.*",
                "result",
            ]));
        }
        paths.dedup();
        format!("after: '{after}'\n    redact: ['{}']", paths.join("', '"))
    }

    fn no_flow(&mut self) -> String {
        let (from, to) = (self.any(Role::Done), self.calls_only());
        let values = self.seed.pick(&["", "", ", values: [result.note]", ", values: ['result.rows[].k', result.k]"]);
        let min_length = self.seed.pick(&["", "", ", min_length: 4", ", min_length: 12"]);
        format!("no_flow: {{ from: '{from}', to: '{to}'{values}{min_length} }}")
    }

    fn rewrite(&mut self, rewritten: &mut Vec<&'static str>) -> String {
        const CHANGES: &[(&str, &[&str])] = &[
            ("args.n", &["min(default(args.n, 2), 2)", "1", "args.n + 1", "state.total"]),
            ("args.mode", &[r#""soft""#, "lower(args.mode)", "args.k"]),
            ("args.k", &["state.account", "lower(args.k)", "context.user", "args.tags[0]"]),
            ("args.page.limit", &["5", "args.n"]),
            ("args.tags[0]", &[r#""hot""#, "args.k"]),
        ];
        let call = self.calls_only();
        let mut changes = Vec::new();
        for _ in 0..=self.seed.below(2) {
            let (path, values) = self.seed.pick(CHANGES);
            if !rewritten.contains(&path) {
                rewritten.push(path);
                changes.push(format!("'{path}': '{}'", self.seed.pick(values)));
            }
        }
        if changes.is_empty() {
            return format!("forbid: '{call}'");
        }
        format!("call: '{call}'\n    rewrite: {{ {} }}", changes.join(", "))
    }

    /// The fields of a rule besides its kind.
    fn fields(&mut self, shape: Shape, kind: &str) -> String {
        let mut text = String::new();
        let about_host = self.used.iter().any(|pattern| !pattern.events.is_empty());
        if !about_host && self.seed.chance(15) {
            let field = self.seed.pick(&["where", "unless"]);
            text += &format!("    {field}: '{}'\n", predicate(self.seed, Place::Call));
        }
        if shape.counts {
            text += self.seed.pick(&["", "", "    count: succeeded\n"]);
        }
        if shape.pending && self.seed.chance(50) {
            text += &format!("    guards: '{}'\n", self.calls_only());
        }
        if shape.keyed && self.seed.chance(60) {
            text += &self.key();
        }
        if shape.steps && self.seed.chance(15) {
            let reset = pattern(self.seed, Role::Close, true);
            text += &format!("    reset_on: '{}'\n", reset.text);
        }
        if kind.contains("permit:") {
            return text;
        }
        let (on_results, silent) = (kind.contains("ensure:"), kind.contains("redact:"));
        if !on_results && !silent && !kind.contains("rewrite:") {
            text += self.seed.pick(&["", "", "", "    action: alert\n", "    action: ask\n", "    action: ask\n"]);
        }
        if self.seed.chance(12) {
            text += "    mode: shadow\n";
        }
        if !silent {
            text += self.seed.pick(&[
                "",
                "",
                "",
                "    decide: { unestablished: allow }\n",
                "    decide: { unestablished: { read: allow, write: alert, irreversible: ask } }\n",
            ]);
        }
        text
    }

    /// `per`, `missing` and `instances` of a keyed rule.
    fn key(&mut self) -> String {
        let close = if self.seed.chance(30) { Some(pattern(self.seed, Role::Close, false)) } else { None };
        let close_on = close.as_ref().map(|close| format!(", close_on: '{}'", close.text)).unwrap_or_default();
        let all = || self.used.iter().chain(&close);
        let tools: Option<Vec<_>> = all().map(|pattern| pattern.tools.clone()).collect();
        let mut tools: Option<Vec<String>> = tools.map(|sets| sets.into_iter().flatten().collect());
        let mut events: Vec<String> = all().flat_map(|pattern| pattern.events.iter().cloned()).collect();
        for names in tools.iter_mut().chain([&mut events]) {
            names.sort();
            names.dedup();
        }
        // Where events have a key, so must tools that can be listed.
        let tools = tools.or_else(|| (!events.is_empty()).then(|| vec!["*".to_owned()]));
        let listed = !events.is_empty() || self.seed.chance(35);
        let per = match (listed, tools) {
            (true, Some(tools)) => {
                let mut routes: Vec<String> = tools.iter().map(|tool| self.route(tool)).collect();
                routes.extend(
                    events.iter().map(|event| format!("'{event}': {}", self.seed.pick(&["event.k", "event.k", "'*'"]))),
                );
                // Some event has to have a key.
                if routes.iter().all(|route| route.ends_with("'*'")) {
                    routes = routes.iter().map(|route| route.replace("'*'", "args.k")).collect();
                    routes = routes.iter().map(|route| route.replace(")': args.k", ")': event.k")).collect();
                }
                format!("{{ {} }}", routes.join(", "))
            }
            _ => self
                .seed
                .pick(&[
                    "args.k",
                    "args.k",
                    "args.k",
                    "args.k",
                    "lower(args.k)",
                    "[args.k, args.mode]",
                    "'args.tags[]'",
                    "['args.tags[]', args.k]",
                    "'lower(args.tags[])'",
                ])
                .to_owned(),
        };
        let mut text = format!("    per: {per}\n");
        text += self.seed.pick(&["", "", "", "    missing: skip\n"]);
        if close.is_some() || self.seed.chance(60) {
            let full = ["", "", "", "", ", when_full: alert", ", when_full: alert", ", when_full: evict"];
            let mut full = self.seed.pick(&full).to_owned();
            if self.seed.chance(8) {
                full += &format!(", idle: {}s", 1 + self.seed.below(30));
            }
            if full.contains("evict") || full.contains("idle") {
                full += self.seed.pick(&["", ", remember: 2", ", remember: 1"]);
            }
            text += &format!("    instances: {{ max: {}{close_on}{full} }}\n", 1 + self.seed.below(4));
        }
        text
    }

    /// The key of a tool's events, perhaps by their moment.
    fn route(&mut self, tool: &str) -> String {
        let path = self.seed.pick(&["args.k", "args.k", "args.k", "args.k", "args.mode", "'args.tags[]'", "'*'"]);
        match self.seed.below(8) {
            0 => format!("'ok({tool})': result.k, '{tool}': {path}"),
            1 => format!("'done({tool})': args.mode, '{tool}': {path}"),
            _ => format!("'{tool}': {path}"),
        }
    }
}
