//! A guard in front of an MCP server, with a contract that is compiled in: no interpreter, and no file to load.
//!
//! `cargo run -p mcp_guard` plays a client and a server against each other, in one program and without a network.
//! `cargo run -p mcp_guard -- COMMAND` guards that server, on standard input and output.

mod server;

use std::io::{self, Read, Write};
use std::process::Command;

use interlock::{Session, contracts};
use interlock_gateway::mcp::stdio::{Ended, Guarded};
use interlock_gateway::mcp::{Gate, Settings};

contracts!("contract.yaml");

/// Runs a server behind the contract.
fn guard(
    server: Command,
    input: impl Read + Send + 'static,
    output: impl Write + Send + 'static,
) -> Result<Ended, Box<dyn std::error::Error>> {
    let session = Session::builder(Records::new()).agent("janitor", "1.0").surface("mcp").start()?;
    let gate = Gate::new(session, Settings::default());
    Ok(Guarded::new(gate).run(server, input, output)?)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.split_first() {
        Some((word, [])) if word == server::WORD => server::run()?,
        Some((program, arguments)) => {
            let mut command = Command::new(program);
            command.args(arguments);
            guard(command, io::stdin(), io::stdout())?;
        }
        None => {
            let calls = ["delete_record", "find_record", "delete_record"].into_iter().enumerate().map(|(id, tool)| {
                let params = serde_json::json!({"name": tool, "arguments": {"id": "r1"}});
                serde_json::json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}).to_string()
            });
            let (input, output) = server::client(calls);
            let mut command = Command::new(std::env::current_exe()?);
            command.arg(server::WORD);
            guard(command, input, output)?;
        }
    }
    Ok(())
}
