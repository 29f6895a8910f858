//! The slicing lemma: a rule with a key says of each event what the same rule without one says in a session of the events
//! with that key alone; and of the whole session the worst of what it says of them.

#![expect(clippy::unwrap_used, reason = "test code: what goes wrong fails the test")]

use std::collections::BTreeMap;

use contract_lang::interpret::{Interpreted, Interpreter};
use contract_lang::mir::Kind;
use contract_runtime::{Call, Outcome, Permit, Session, Status, Verdict};
use interlock_tests::corpus::interpreted;
use interlock_tests::generate::Seed;
use interlock_tests::generate::formula::{NAMES, formula};
use serde_json::{Value, json};

const KEYS: [&str; 3] = ["a", "b", "c"];

/// Something that happens to a key.
#[derive(Clone, Debug)]
enum Event {
    Call { id: usize, tool: &'static str, args: Value },
    Result { id: usize, status: Status, value: Value },
}

/// Random rules of every kind that is an automaton and may have a key.
fn rule(seed: &mut Seed) -> String {
    let mut pool = Vec::from([
        "call(t1)",
        "call(t2)",
        "call(t2 where args.x == 1)",
        "call(t1) | call(t3)",
        "ok(t1)",
        "ok(t3 where result.y == 1)",
        "failed(t2)",
        "unknown(t1) | failed(t3)",
        "call(t3)",
        "done(t2)",
    ]);
    let mut next = |seed: &mut Seed| pool.swap_remove(seed.below(pool.len()));
    let [p, q, r, s] = [next(seed), next(seed), next(seed), next(seed)];
    match seed.below(12) {
        0 => format!("must_precede: {{ first: '{p}', then: '{q}', consume: {} }}", seed.chance(50)),
        1 => format!("cannot_follow_without: {{ call: '{p}', without: '{q}', void_on: '{r}' }}"),
        2 => format!("never_after: {{ call: '{p}', after: '{q}' }}"),
        3 => format!("mutually_exclusive: ['{p}', '{q}', '{r}']"),
        4 => format!("must_be_followed_by: {{ after: '{p}', then: '{q}' }}"),
        5 => format!("alternate: {{ first: '{p}', second: '{q}' }}"),
        6 => format!("between: {{ open: '{p}', close: '{q}', forbid: '{r}', needs: '{s}' }}"),
        7 => format!("sequence: {{ steps: ['{p}', '{q}', '{r}'], restart: {} }}", seed.chance(50)),
        _ => loop {
            let formula = formula(seed, 3, 3);
            if formula.on_nothing {
                let patterns = NAMES.iter().zip([p, q, r]).filter(|(name, _)| formula.text.contains(**name));
                let patterns: Vec<String> = patterns.map(|(name, pattern)| format!("{name}: '{pattern}'")).collect();
                return format!("formula: {}\n    let: {{ {} }}", formula.text, patterns.join(", "));
            }
        },
    }
}

fn contract(rule: &str, key: &str) -> Result<Interpreted, String> {
    let tools = "tools: { t1: { effect: write }, t2: { effect: write }, t3: { effect: write } }";
    let text = format!("version: 1\nname: sliced\ndefault: allow\n{tools}\nrules:\n  - id: r\n    {rule}\n{key}");
    interpreted("sliced", &text)
}

/// Calls of several keys, some of them in flight while others run.
fn events(seed: &mut Seed) -> Vec<(usize, Event)> {
    let (mut events, mut running) = (Vec::new(), Vec::new());
    for id in 0..40 {
        if seed.chance(40) && !running.is_empty() {
            let (key, id) = running.swap_remove(seed.below(running.len()));
            events.push((key, result(seed, id)));
        }
        let key = seed.below(KEYS.len());
        let args = json!({ "k": KEYS.get(key), "x": seed.pick(&[json!(1), json!(2), json!("one")]) });
        events.push((key, Event::Call { id, tool: seed.pick(&["t1", "t2", "t3"]), args }));
        match seed.chance(70) {
            true => events.push((key, result(seed, id))),
            false => running.push((key, id)),
        }
    }
    events
}

fn result(seed: &mut Seed, id: usize) -> Event {
    let status = seed.pick(&[Status::Ok, Status::Ok, Status::Failed, Status::Unknown]);
    Event::Result { id, status, value: json!({ "y": seed.pick(&[json!(1), json!(2), json!("one")]) }) }
}

/// A session, and its calls in flight.
struct Run {
    session: Session<Interpreter>,
    permits: BTreeMap<usize, Permit<Interpreter>>,
}

impl Run {
    fn new(contract: &Interpreted) -> Self {
        Self { session: Session::builder(contract.monitor()).start().unwrap(), permits: BTreeMap::new() }
    }

    /// What the rule says of an event: whether the call runs, and the verdicts of its findings.
    fn step(&mut self, event: &Event) -> (bool, Vec<Verdict>) {
        match event {
            Event::Call { id, tool, args } => match self.session.before(&Call::new(*tool, args)) {
                Ok(permit) => {
                    let verdicts = permit.findings().iter().map(|found| found.verdict).collect();
                    self.permits.insert(*id, permit);
                    (true, verdicts)
                }
                Err(refusal) => (false, refusal.findings().iter().map(|found| found.verdict).collect()),
            },
            Event::Result { id, status, value } => {
                let Some(permit) = self.permits.remove(id) else { return (false, Vec::new()) };
                let settled = self.session.settle(permit, Outcome::new(*status, Some(value.clone()))).unwrap();
                (true, settled.findings.iter().map(|found| found.verdict).collect())
            }
        }
    }

    fn verdict(&self) -> Verdict {
        self.session.verdicts().first().unwrap().1
    }

    fn ended(&self) -> Verdict {
        self.session.end();
        self.verdict()
    }
}

#[test]
fn a_rule_with_a_key_is_the_rule_without_one_on_the_events_of_each_key() {
    let mut sliced = 0;
    for number in 0..400 {
        let mut seed = Seed::new(number);
        let rule = rule(&mut seed);
        let keyed = contract(&rule, "    per: args.k\n    instances: { max: 10 }\n");
        // Some formulas are too large.
        let (Ok(keyed), Ok(plain)) = (keyed, contract(&rule, "")) else { continue };
        assert!(matches!(&keyed.contract().rules.first().unwrap().kind, Kind::Automaton { .. }), "{rule}");
        sliced += 1;
        let mut whole = Run::new(&keyed);
        let mut each: Vec<Run> = KEYS.iter().map(|_| Run::new(&plain)).collect();
        let never_seen = Run::new(&plain);
        for (key, event) in events(&mut seed) {
            let one = each.get_mut(key).unwrap();
            assert_eq!(whole.step(&event), one.step(&event), "seed {number}: {event:?}\n{rule}");
            let worst = each.iter().chain([&never_seen]).map(Run::verdict).max();
            assert_eq!(Some(whole.verdict()), worst, "seed {number}: {event:?}\n{rule}");
        }
        let worst = each.iter().chain([&never_seen]).map(Run::ended).max();
        assert_eq!(Some(whole.ended()), worst, "seed {number}: the end\n{rule}");
    }
    assert!(sliced > 350, "{sliced}");
}
