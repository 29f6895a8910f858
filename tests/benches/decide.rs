//! What a decision costs, beside a floor with fixed ingredients in the same run.
//!
//! The floor is what one would write by hand for the same two rules: a `match` on the name, hashbrown tables with foldhash and
//! a random seed, keyed by borrowed strings, the same argument paths, exact `i128` sums, no lock.

use std::hint::black_box;

use contract_runtime::{Call, Decision, Monitor, Outcome, Session, Time};
use hashbrown::HashMap;
use interlock::contracts;
use interlock_tests::bare::Bare;
use interlock_tests::corpus;
use interlock_tests::race::{Case, race};
use serde_json::{Value, json};

contracts!("benches/contracts/one_rule.yaml");
contracts!("benches/contracts/two_rules.yaml");
contracts!("benches/contracts/ten_rules.yaml");
contracts!("benches/contracts/hundred_rules.yaml");

const ROUNDS: usize = 41;
const CALLS: usize = 20_000;

/// The same two rules by hand.
#[derive(Default)]
struct Floor {
    verified: HashMap<Box<str>, u8, foldhash::fast::RandomState>,
    spent: HashMap<Box<str>, i128, foldhash::fast::RandomState>,
}

impl Floor {
    fn before(&mut self, tool: &str, args: &Value) -> bool {
        match tool {
            "verify_payee" => args.get("payee").and_then(Value::as_str).is_some(),
            "send_payment" => {
                let Some(payee) = args.get("payee").and_then(Value::as_str) else { return false };
                if self.verified.get(payee).copied().unwrap_or(0) != 1 {
                    return false;
                }
                let Some(currency) = args.get("currency").and_then(Value::as_str) else { return false };
                let Some(amount) = args.get("amount").and_then(Value::as_i64) else { return false };
                if amount < 0 {
                    return false;
                }
                match self.spent.get_mut(currency) {
                    Some(spent) => match spent.checked_add(i128::from(amount)) {
                        Some(sum) if sum <= 1_000_000_000_000_000 => *spent = sum,
                        _ => return false,
                    },
                    None => {
                        self.spent.insert(currency.into(), i128::from(amount));
                    }
                }
                true
            }
            _ => true,
        }
    }

    fn after(&mut self, tool: &str, args: &Value, result: &Value) {
        let failed = result.get("isError") == Some(&Value::Bool(true)) || result.get("error").is_some();
        if tool == "verify_payee"
            && !failed
            && let Some(payee) = args.get("payee").and_then(Value::as_str)
        {
            match self.verified.get_mut(payee) {
                Some(state) => *state = 1,
                None => {
                    self.verified.insert(payee.into(), 1);
                }
            }
        }
    }
}

/// One way to decide a call and take its result.
trait Engine {
    fn call(&mut self, tool: &str, args: &Value, result: &Value) -> bool;
}

impl Engine for Floor {
    fn call(&mut self, tool: &str, args: &Value, result: &Value) -> bool {
        let runs = self.before(tool, args);
        if runs {
            self.after(tool, args, result);
        }
        runs
    }
}

impl<M: Monitor> Engine for Bare<M> {
    fn call(&mut self, tool: &str, args: &Value, result: &Value) -> bool {
        let (decision, findings) = black_box(Bare::call(self, tool, args, result));
        decision == Decision::Allow && findings.is_empty()
    }
}

impl<M: Monitor> Engine for Session<M> {
    fn call(&mut self, tool: &str, args: &Value, result: &Value) -> bool {
        match self.before(&Call::new(tool, args).at(Time::EPOCH)) {
            Ok(permit) => {
                let _ = black_box(self.after(permit, Outcome::ok(result).at(Time::EPOCH)));
                true
            }
            Err(refusal) => {
                black_box(refusal);
                false
            }
        }
    }
}

/// Times the engines, each in its own memory, against each other.
fn report(title: &str, engines: Vec<(&'static str, Box<dyn Engine>)>, traffic: &[(&str, Value)], result: &Value) {
    let case = |(name, mut engine): (&'static str, Box<dyn Engine>)| {
        Case::new(name, move || {
            for (tool, args) in traffic.iter().cycle().take(CALLS) {
                black_box(engine.call(black_box(tool), black_box(args), result));
            }
        })
    };
    race(title, &mut engines.into_iter().map(case).collect::<Vec<_>>(), ROUNDS, CALLS);
}

fn bare(monitor: impl Monitor + 'static) -> Box<dyn Engine> {
    Box::new(Bare::new(monitor))
}

fn interpreted(text: &str) -> Box<dyn Engine> {
    bare(corpus::interpreted("bench", text).expect("the bench contracts have no errors").monitor())
}

/// Verifies `keys` payees, so that as many instances are live.
fn warm(engine: &mut dyn Engine, keys: usize, result: &Value) {
    for key in 0..keys {
        engine.call("verify_payee", &json!({"payee": format!("payee-{key}")}), result);
    }
}

fn traffic(keys: usize, count: usize) -> Vec<(&'static str, Value)> {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state as usize
    };
    (0..count)
        .map(|_| {
            let payee = format!("payee-{}", next() % keys);
            ("send_payment", json!({"payee": payee, "currency": "EUR", "amount": 1, "invoice": "i7", "note": "thanks"}))
        })
        .collect()
}

fn main() {
    let ok = json!({"status": "ok", "id": 7});
    let two = include_str!("contracts/two_rules.yaml");
    let hundred = include_str!("contracts/hundred_rules.yaml");
    let warmed = |mut engines: Vec<(&'static str, Box<dyn Engine>)>, keys| {
        engines.iter_mut().for_each(|(_, engine)| warm(&mut **engine, keys, &ok));
        engines
    };

    for keys in [1_000, 10_000, 1_000_000] {
        let session = Session::builder(TwoRules::new()).start().expect("a session without context starts");
        let engines: Vec<(&str, Box<dyn Engine>)> = vec![
            ("floor, by hand", Box::new(Floor::default())),
            ("compiled, 2 rules", bare(TwoRules::new())),
            ("compiled, 10 rules, 2 concerned", bare(TenRules::new())),
            ("compiled, 100 rules, 2 concerned", bare(HundredRules::new())),
            ("interpreted, 2 rules", interpreted(two)),
            ("interpreted, 100 rules, 2 concerned", interpreted(hundred)),
            ("compiled, 2 rules, in a Session", Box::new(session)),
        ];
        let title = format!("before + after of a payment, {keys} live instances");
        report(&title, warmed(engines, keys), &traffic(keys, keys.min(CALLS)), &ok);
    }

    let one = vec![("compiled, 1 rule", bare(OneRule::new())), ("compiled, 2 rules", bare(TwoRules::new()))];
    report("1 rule", warmed(one, 1_000), &traffic(1_000, 1_000), &ok);

    let payments = traffic(1_000, 1_000);
    let blocked = [("send_payment", json!({"payee": "nobody", "currency": "EUR", "amount": 1}))];
    for (title, calls) in [("an allowed call", &payments[..]), ("a violation", &blocked[..])] {
        let mut engines = warmed(
            vec![("after 1,000 calls", bare(TwoRules::new())), ("after 2,000,000 calls", bare(TwoRules::new()))],
            1_000,
        );
        for (tool, args) in payments.iter().cycle().take(1_000_000).chain(blocked.iter().cycle().take(1_000_000)) {
            engines[1].1.call(tool, args, &ok);
        }
        report(title, engines, calls, &ok);
    }
}
