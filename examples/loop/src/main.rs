use contract_lang::interpret::Interpreted;
use interlock::Session;
use serde_json::{Value, json};

/// The agent's tools.
fn run_tool(name: &str, args: &Value) -> Result<Value, String> {
    match name {
        "find_record" => Ok(json!({"id": args["id"], "owner": "ann", "ssn": "123-45-6789"})),
        "delete_record" => Ok(json!({"deleted": args["id"]})),
        other => Err(format!("there is no tool `{other}`")),
    }
}

/// Stands in for a model: what it wants next, after so many answers.
fn model(answers: &[Value]) -> Option<(&'static str, Value)> {
    let wants = ["delete_record", "find_record", "delete_record", "delete_record", "drop_table"];
    wants.get(answers.len()).map(|tool| (*tool, json!({"id": "r1"})))
}

pub fn agent(contract: &str) -> Result<Vec<Value>, Box<dyn std::error::Error>> {
    let contract = Interpreted::new(contract_lang::load(contract)?.contract);
    let session = Session::builder(contract.monitor()).agent("janitor", "1.0").start()?;
    let mut answers = Vec::new();
    while let Some((tool, args)) = model(&answers) {
        let result = session.run_blocking(tool, args, |args| run_tool(tool, args));
        answers.push(result.unwrap_or_else(|error| json!({"error": error.to_string()})));
    }
    session.end();
    Ok(answers)
}

pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    let contract = std::env::args().nth(1).unwrap_or_else(|| "examples/loop/contract.yaml".to_owned());
    for answer in agent(&contract)? {
        println!("{answer}");
    }
    Ok(())
}
