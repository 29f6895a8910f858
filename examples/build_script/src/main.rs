//! A records agent. In 2025 a coding agent deleted a production database that it had been told not to touch: nothing stood
//! between the model's mistake and the tool. Here a contract does, compiled by `build.rs`.

use std::error::Error;

use interlock::{Call, Outcome, Session, include_contract};
use serde_json::{Value, json};

include_contract!(records);

fn attempt(session: &Session<Records>, tool: &str, args: &Value) -> Result<(), Box<dyn Error>> {
    match session.before(&Call::new(tool, args)) {
        Ok(permit) => {
            println!("ran      {tool} {args}");
            session.after(permit, Outcome::ok(&json!({"ok": true})))?;
        }
        Err(refusal) => println!("BLOCKED  {tool} {args}\n         {}", refusal.text().replace('\n', "\n         ")),
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let session = Session::builder(Records::new()).agent("records-agent", "1.0").start()?;
    attempt(&session, "delete_record", &json!({"id": 42}))?;
    attempt(&session, "validate_record", &json!({"record_id": 42}))?;
    attempt(&session, "delete_record", &json!({"id": "42"}))?;
    attempt(&session, "delete_record", &json!({"id": 42}))?;
    attempt(&session, "delete_record", &json!({"id": 42}))?;
    attempt(&session, "export_records", &json!({}))?;
    println!("{:?}", session.end().counts);
    Ok(())
}
