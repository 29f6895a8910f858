//! A call that the contract forbids, and that could do nothing if it came through.

use std::collections::BTreeSet;
use std::hash::{BuildHasher as _, RandomState};

use contract_lang::mir::{Contract, Names, Subject};
use contract_runtime::{Call, RefusalKind};
use serde_json::{Value, json};

use crate::args;
use crate::command::mcp::Sessions;
use crate::mcp::Answer;

/// Most names that are tried.
const MOST: usize = 1_000;

/// What a guard calls a blocked call in a JSON-RPC error.
const BLOCKED: i64 = -32010;

/// What a contract makes of calls at the beginning of a session.
pub(super) struct Rehearsal<'a> {
    pub(super) contract: &'a Contract,
    pub(super) args: &'a args::Mcp,
}

/// What becomes of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    Blocked,
    /// A person is asked, or it cannot be decided and is stopped.
    Stopped,
    Runs,
}

impl Rehearsal<'_> {
    /// What becomes of a call without arguments that is the first of its session. An error: no session can be started.
    pub(super) fn fate(&self, tool: &str) -> Result<Fate, String> {
        let sessions = Sessions::rehearsal(self.args).map_err(|error| error.to_string())?;
        let session = sessions.start(self.contract.clone(), None)?;
        let none = json!({});
        let mut call = Call::new(tool, &none);
        if let Some(server) = &self.args.server {
            call = call.server(server.as_str());
        }
        Ok(match session.before(&call) {
            Ok(_) => Fate::Runs,
            Err(refusal) if refusal.kind() == RefusalKind::Blocked => Fate::Blocked,
            Err(_) => Fate::Stopped,
        })
    }

    /// A tool that the contract blocks, and the server does not list.
    pub(super) fn pick(&self, listed: &BTreeSet<&str>) -> Result<Option<String>, String> {
        let made_up = made_up();
        let named = names(self.contract).into_iter().map(|names| names.tool.as_str());
        // What a wildcard stands for can be made up, too.
        let filled = named.map(|name| name.replace('*', &made_up).replace('?', "x"));
        for name in std::iter::once(made_up.clone()).chain(filled).take(MOST) {
            if !listed.contains(name.as_str()) && !name.contains('/') && self.fate(&name)? == Fate::Blocked {
                return Ok(Some(name));
            }
        }
        Ok(None)
    }
}

/// A name that no server has, another one each time.
pub(super) fn made_up() -> String {
    format!("interlock_canary_{:016x}", RandomState::new().hash_one(std::process::id()))
}

/// The tools that a contract names.
fn names(contract: &Contract) -> Vec<&Names> {
    let subjects = contract.rules.iter().flat_map(|rule| rule.patterns()).flat_map(|pattern| &pattern.alternatives);
    let tools = subjects.filter_map(|alternative| match &alternative.subject {
        Subject::Tools(names) => Some(names),
        _ => None,
    });
    contract.tools.iter().map(|tool| &tool.names).chain(tools).collect()
}

/// What a guard says of a tool that is not among those it has pinned.
const NEW: &str = "did not run: it was not among the tools when they were looked at";

/// Whether an answer is the guard's, which blocks a call by a contract: by this one, where it is known.
pub(super) fn is_blocked(answer: &Answer, tool: &str, contract: Option<&str>) -> bool {
    let is_refusal = match answer {
        Answer::Result(result) => result.get("isError") == Some(&Value::Bool(true)),
        Answer::Error(error) => error.get("code").and_then(Value::as_i64) == Some(BLOCKED),
    };
    let by = answer.said().and_then(|said| said.strip_prefix(&format!("`{tool}` did not run: the contract `")));
    // A guard that has pinned the tools stops one that it has never seen before the contract is asked.
    let is_new = answer.said().is_some_and(|said| said.starts_with(&format!("`{tool}` {NEW}")));
    is_refusal
        && match (by, contract) {
            _ if is_new => true,
            (Some(by), Some(contract)) => by.strip_prefix(contract).is_some_and(|rest| rest.starts_with("` blocks it")),
            (Some(by), None) => by.contains("` blocks it"),
            (None, _) => false,
        }
}
