//! A payments agent, guarded.
//!
//! The agent's calls are scripted, so that the run is the same each time. Watch what the contract in
//! `contracts/payments.yaml` lets through, what it blocks, and what it tells the model.

use std::error::Error;
use std::thread;

use interlock::{RunError, Session, contracts};
use serde_json::{Value, json};

contracts!("contracts/payments.yaml");

/// The agent's tools. The bank is down for the first payment of 40.
fn tool(name: &str, args: &Value, attempt: u32) -> Result<Value, String> {
    match name {
        "lookup_invoice" => Ok(json!({"invoice": args["invoice"], "owner": "u1", "amount": 40})),
        "verify_payee" => Ok(json!({"payee": args["payee"], "active": true})),
        "send_payment" if attempt == 1 && args["amount"] == 40 => Ok(json!({"status": "bank unavailable"})),
        "send_payment" => {
            Ok(json!({"status": "sent", "receipt": format!("r-{}", args["invoice"].as_str().unwrap_or_default())}))
        }
        "send_receipt" => Ok(json!({"delivered": true})),
        other => Err(format!("no such tool: {other}")),
    }
}

/// Makes one call through the session and prints what became of it.
fn call(session: &Session<Payments>, name: &str, args: Value, attempt: u32) -> bool {
    let shown = format!("{name} {args}");
    match session.run_blocking(name, args, |args| tool(name, args, attempt)) {
        Ok(value) => {
            println!("ran      {shown}\n         -> {value}");
            true
        }
        Err(RunError::Refused(refusal)) => {
            println!("BLOCKED  {shown}");
            for line in refusal.text().lines() {
                println!("         {line}");
            }
            false
        }
        Err(error) => {
            println!("failed   {shown}: {error}");
            false
        }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let session = Session::builder(Payments::new())
        .agent("payments-agent", "1.0")
        .surface("quickstart")
        .context(json!({"user": "u1"}))
        .start()?;
    let pay = |invoice: &str, amount: u32| json!({"invoice": invoice, "payee": "acme", "amount": amount});

    println!("-- the agent pays at once: neither the invoice nor the payee has been looked at");
    call(&session, "send_payment", pay("i7", 40), 1);

    println!("\n-- it does what the refusal says; then the bank fails, which does not count as a payment");
    call(&session, "lookup_invoice", json!({"invoice": "i7"}), 1);
    call(&session, "verify_payee", json!({"payee": "acme"}), 1);
    call(&session, "send_payment", pay("i7", 40), 1);

    println!("\n-- the retry goes through; paying the same invoice again does not");
    call(&session, "send_payment", pay("i7", 40), 2);
    call(&session, "send_payment", pay("i7", 40), 3);

    println!("\n-- twenty parallel calls for one invoice: exactly one is paid");
    call(&session, "lookup_invoice", json!({"invoice": "i8"}), 1);
    let paid = thread::scope(|scope| {
        let threads: Vec<_> = (0..20)
            .map(|_| {
                scope.spawn(|| {
                    session.run_blocking("send_payment", pay("i8", 100), |args| tool("send_payment", args, 1))
                })
            })
            .collect();
        threads.into_iter().filter_map(|thread| thread.join().ok()).filter(Result::is_ok).count()
    });
    println!("ran      {paid} of 20");

    println!("\n-- 140 of 500 are spent: 361 would be too much, 360 is not");
    call(&session, "lookup_invoice", json!({"invoice": "i9"}), 1);
    call(&session, "send_payment", pay("i9", 361), 1);
    call(&session, "send_payment", pay("i9", 360), 1);

    println!("\n-- the session ends without a receipt");
    let summary = session.end();
    for (rule, verdict) in &summary.verdicts {
        println!("{:<17}{}", rule, verdict.as_str());
    }
    let counts = summary.counts;
    println!("\n{} calls allowed, {} blocked", counts.allow, counts.block);
    Ok(())
}
