//! What a decision costs, beside a floor with fixed ingredients in the same run.
//!
//! Each row is the median over interleaved rounds, so that a machine that changes its speed changes all columns alike; quote
//! the ratios. The floor is what one would write by hand for the same two rules: a `match` on the name, hashbrown tables
//! with foldhash and a random seed, keyed by borrowed strings, the same argument paths, exact `i128` sums, no lock.

use std::hint::black_box;
use std::time::Instant;

use contract_lang::interpret::Interpreted;
use contract_runtime::private::{Decision, OutcomeView, Posture, Status};
use contract_runtime::{Call, CallView, Consent, Context, Mode, Monitor, Outcome, Session, Time};
use hashbrown::HashMap;
use interlock::contracts;
use serde_json::{Value, json};

contracts!("benches/contracts/one_rule.yaml");
contracts!("benches/contracts/two_rules.yaml");
contracts!("benches/contracts/ten_rules.yaml");
contracts!("benches/contracts/hundred_rules.yaml");

const POSTURE: Posture = Posture { mode: Mode::Enforce, rules: None, consent: Consent::None };
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

struct Bare<M>(M, Context);

impl<M: Monitor> Engine for Bare<M> {
    fn call(&mut self, tool: &str, args: &Value, result: &Value) -> bool {
        let call = CallView { tool, server: None, args, batch: None, agent: None, now: Time::EPOCH, context: &self.1 };
        let over = self.0.advance(Time::EPOCH).findings.len();
        let rewriting = self.0.rewrite(&call, POSTURE);
        let ruling = self.0.before(&call, &rewriting, POSTURE);
        match ruling.flight {
            Some(flight) => {
                let outcome = OutcomeView { status: Status::Ok, value: Some(result) };
                black_box(self.0.after(&call, flight, outcome, POSTURE));
                over == 0 && ruling.decision == Decision::Allow
            }
            None => false,
        }
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

struct Case<'a> {
    name: &'static str,
    engine: Box<dyn Engine + 'a>,
}

/// Runs the cases in turn, round after round, and returns the median nanoseconds per call of each.
fn measure(cases: &mut [Case<'_>], traffic: &[(&str, Value)], result: &Value) -> Vec<f64> {
    let mut times: Vec<Vec<f64>> = vec![Vec::new(); cases.len()];
    for _ in 0..ROUNDS {
        for (case, times) in cases.iter_mut().zip(&mut times) {
            let start = Instant::now();
            for (tool, args) in traffic.iter().cycle().take(CALLS) {
                black_box(case.engine.call(black_box(tool), black_box(args), result));
            }
            times.push(start.elapsed().as_nanos() as f64 / CALLS as f64);
        }
    }
    times
        .into_iter()
        .map(|mut times| {
            times.sort_by(f64::total_cmp);
            times[times.len() / 2]
        })
        .collect()
}

fn report(title: &str, cases: &mut [Case<'_>], traffic: &[(&str, Value)], result: &Value) -> Vec<f64> {
    let found = measure(cases, traffic, result);
    println!("\n{title}");
    for (case, nanoseconds) in cases.iter().zip(&found) {
        println!("  {:<34}{:>9.1} ns  {:>6.2} x", case.name, nanoseconds, nanoseconds / found[0]);
    }
    found
}

fn bare<'a, M: Monitor + 'a>(name: &'static str, monitor: M) -> Case<'a> {
    Case { name, engine: Box::new(Bare(monitor, Context::empty())) }
}

fn interpreted(source: &str) -> contract_lang::interpret::Interpreter {
    let checked = contract_lang::check("bench.yaml", source.as_bytes(), &contract_lang::Options::default());
    Interpreted::new(checked.contract.expect("the bench contracts have no errors")).monitor()
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

    for keys in [1_000, 10_000, 1_000_000] {
        let session = Session::builder(TwoRules::new()).start().expect("a session without context starts");
        let mut cases = [
            Case { name: "floor, by hand", engine: Box::new(Floor::default()) },
            bare("compiled, 2 rules", TwoRules::new()),
            bare("compiled, 10 rules, 2 concerned", TenRules::new()),
            bare("compiled, 100 rules, 2 concerned", HundredRules::new()),
            bare("interpreted, 2 rules", interpreted(two)),
            bare("interpreted, 100 rules, 2 concerned", interpreted(hundred)),
            Case { name: "compiled, 2 rules, in a Session", engine: Box::new(session) },
        ];
        for case in &mut cases {
            warm(&mut *case.engine, keys, &ok);
        }
        let calls = traffic(keys, keys.min(CALLS));
        report(&format!("before + after of a payment, {keys} live instances"), &mut cases, &calls, &ok);
    }

    let mut one = [bare("compiled, 1 rule", OneRule::new()), bare("compiled, 2 rules", TwoRules::new())];
    for case in &mut one {
        warm(&mut *case.engine, 1_000, &ok);
    }
    report("1 rule", &mut one, &traffic(1_000, 1_000), &ok);

    let blocked: Vec<(&str, Value)> =
        vec![("send_payment", json!({"payee": "nobody", "currency": "EUR", "amount": 1}))];
    let payments = traffic(1_000, 1_000);
    let mut fresh = Bare(TwoRules::new(), Context::empty());
    let mut used = Bare(TwoRules::new(), Context::empty());
    warm(&mut fresh, 1_000, &ok);
    warm(&mut used, 1_000, &ok);
    for (tool, args) in payments.iter().cycle().take(1_000_000) {
        used.call(tool, args, &ok);
    }
    for (tool, args) in blocked.iter().cycle().take(1_000_000) {
        used.call(tool, args, &ok);
    }
    let mut cases = [
        Case { name: "after 1,000 calls", engine: Box::new(fresh) },
        Case { name: "after 2,000,000 calls", engine: Box::new(used) },
    ];
    report("an allowed call", &mut cases, &payments, &ok);
    report("a violation", &mut cases, &blocked, &ok);
}
