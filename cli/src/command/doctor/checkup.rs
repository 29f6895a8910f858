//! The checks of one way to a server.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use contract_lang::diagnostic::Level;
use contract_lang::mir::Contract;
use contract_lang::{Depth, FileOptions, check_file};
use contract_runtime::journal::{Body, Records};
use contract_runtime::{Decision, Mode};
use serde_json::Value;

use super::canary::{self, Fate, Rehearsal};
use super::{Findings, Way};
use crate::args;
use crate::command::shown;
use crate::mcp::Client;
use crate::output::some;

/// Most names that are listed.
const NAMED: usize = 8;

/// The members of a tool that make it what it is.
const MEMBERS: [&str; 6] = ["name", "title", "description", "inputSchema", "outputSchema", "annotations"];

/// The guard of a way, with the contract that it is given.
struct Guard {
    args: args::Mcp,
    contract: Contract,
    /// The files of the contract's catalogs.
    catalogs: Vec<PathBuf>,
}

pub(super) fn examine(way: &Way, within: Duration, findings: &mut Findings) {
    let guard = guard(way, findings);
    let mut client = match Client::start(&mut way.command(), within) {
        Ok(client) => client,
        Err(error) => return findings.failed("path", format!("it cannot be gone: {error}")),
    };
    let tools = match client.tools() {
        Ok(tools) => tools,
        Err(error) => return findings.failed("path", format!("no list of tools comes back: {error}")),
    };
    let server = client.server.as_deref().map_or_else(|| "a server".to_owned(), |name| format!("the server `{name}`"));
    let count = u64::try_from(tools.len()).unwrap_or(u64::MAX);
    findings.ok("path", format!("{server} answers, with {}", some(count, "tool")));
    let listed: BTreeSet<&str> = tools.iter().filter_map(name).collect();
    if let Some(guard) = &guard {
        known(guard, &listed, findings);
    }
    let canary = canary(&mut client, guard.as_ref(), &listed, findings);
    // The guard ends, and its journal is whole.
    drop(client);
    if let Some(guard) = &guard {
        journal(way, guard, canary.as_deref(), findings);
        pins(guard, &tools, findings);
    }
}

/// Looks at the command line and the contract.
fn guard(way: &Way, findings: &mut Findings) -> Option<Guard> {
    let Some(mut args) = way.guard() else {
        findings.failed("guard", "`interlock mcp` is not in the command: what is started is the server itself");
        return None;
    };
    args.contract = way.path(&args.contract);
    let path = shown(&args.contract);
    let options = FileOptions { depth: Depth::Lint, ..FileOptions::default() };
    let (checked, files) = match check_file(&args.contract, &path, &options) {
        Ok(checked) => checked,
        Err(error) => {
            findings.failed("contract", error.to_string());
            return None;
        }
    };
    let count = |level| {
        let found = checked.diagnostics.iter().filter(|found| found.level == level).count();
        u64::try_from(found).unwrap_or(u64::MAX)
    };
    let (errors, warnings) = (count(Level::Error), count(Level::Warning));
    let found = format!("{} and {}", some(errors, "error"), some(warnings, "warning"));
    if errors > 0 {
        findings.failed("contract", format!("`{path}` has {found}; `interlock lint` tells them"));
    }
    // An error of static analysis leaves a contract that a guard takes.
    let contract = checked.contract.or(checked.runnable)?;
    if errors == 0 {
        findings.ok("contract", format!("`{}` in `{path}`: {found}", contract.name));
    }
    match args.mode.unwrap_or(contract.mode) {
        Mode::Enforce => {
            let on_trial: Vec<&str> =
                contract.rules.iter().filter(|rule| rule.mode != Mode::Enforce).map(|rule| rule.id.as_str()).collect();
            match on_trial.as_slice() {
                [] => findings.ok("mode", "enforce"),
                some => findings.ok("mode", format!("enforce; only reported are {}", names(some))),
            }
        }
        _ => findings.failed("mode", "shadow: what the contract blocks runs all the same, and is only reported"),
    }
    Some(Guard { args, contract, catalogs: files.into_iter().skip(1).collect() })
}

/// Whether the contract knows the server's tools.
fn known(guard: &Guard, listed: &BTreeSet<&str>, findings: &mut Findings) {
    let Guard { args, contract, .. } = guard;
    let is_known = |tool: &str| {
        let server = args.server.as_deref();
        let of_server = |names: &contract_lang::mir::Names| match (&names.server, server) {
            (None, _) => true,
            (Some(glob), Some(server)) => glob.matches(server),
            (Some(_), None) => false,
        };
        let declared = contract.tools.iter().any(|known| of_server(&known.names) && known.names.tool.matches(tool));
        declared || contract.catalog.iter().any(|known| known == tool)
    };
    let unknown: Vec<&str> = listed.iter().copied().filter(|tool| !is_known(tool)).collect();
    if unknown.is_empty() {
        return findings.ok("tools", "the contract knows all of them");
    }
    let rehearsal = Rehearsal { contract, args };
    let run = |tool: &&str| matches!(rehearsal.fate(tool), Ok(Fate::Runs));
    let running: Vec<&str> = unknown.iter().copied().filter(run).collect();
    match (running.is_empty(), contract.undeclared) {
        (true, _) => {
            findings.ok("tools", format!("stopped, since the contract does not know them: {}", names(&unknown)))
        }
        (false, Some(Decision::Allow | Decision::Alert)) => {
            findings.ok(
                "tools",
                format!("the contract lets tools run that it does not know (`undeclared`): {}", names(&running)),
            );
        }
        (false, _) => findings.failed(
            "tools",
            format!(
                "they run, and the contract does not know them: {}; declare them, or write `undeclared: block`",
                names(&running)
            ),
        ),
    }
}

/// Makes the call, and looks who answers. Returns the tool that was called.
fn canary(
    client: &mut Client,
    guard: Option<&Guard>,
    listed: &BTreeSet<&str>,
    findings: &mut Findings,
) -> Option<String> {
    let contract = guard.map(|guard| guard.contract.name.as_str());
    let tool = match guard.map(|Guard { contract, args, .. }| Rehearsal { contract, args }.pick(listed)) {
        // Whoever answers, it is not known what the contract says.
        None => canary::made_up(),
        Some(Ok(Some(tool))) => tool,
        Some(Ok(None)) => {
            let why = "the contract blocks no call that could be made without harm; `undeclared: block` would be one";
            findings.not_checked("canary", why);
            return None;
        }
        Some(Err(why)) => {
            findings.failed("canary", format!("no session can be started: {why}"));
            return None;
        }
    };
    match client.call(&tool, &serde_json::json!({})) {
        Ok(answer) if canary::is_blocked(&answer, &tool, contract) => {
            findings.proved = true;
            findings.ok("canary", format!("the guard blocks a call of `{tool}`"));
        }
        Ok(answer) => {
            let says = format!("a call of `{tool}` is not blocked by the guard; the answer is: {}", answer.text());
            findings.failed("canary", says);
        }
        Err(error) => findings.failed("canary", format!("a call of `{tool}` has no answer: {error}")),
    }
    Some(tool)
}

/// Whether the call is on record.
fn journal(way: &Way, guard: &Guard, canary: Option<&str>, findings: &mut Findings) {
    let Some(journal) = &guard.args.recording.journal else {
        return findings.not_checked("journal", "the guard keeps none; `--journal FILE` would");
    };
    let Some(tool) = canary else { return findings.not_checked("journal", "there was no call to be on record") };
    let path = way.path(journal);
    match recorded(&path, tool) {
        Ok(Some(seq)) => findings.ok("journal", format!("record {seq} of `{}` has the blocked call", shown(&path))),
        Ok(None) => findings.failed("journal", format!("`{}` has no record of the blocked call", shown(&path))),
        Err(error) => findings.failed("journal", format!("`{}` cannot be read: {error}", shown(&path))),
    }
}

/// The record of a call that was blocked.
fn recorded(journal: &Path, tool: &str) -> std::io::Result<Option<u64>> {
    for entry in Records::open(journal)? {
        let Ok(record) = entry?.record else { continue };
        if let Body::Decided(call) = &record.body
            && call.tool == tool
            && call.decision == Decision::Block
        {
            return Ok(Some(record.head.seq));
        }
    }
    Ok(None)
}

/// Whether the server's tools are those of the contract's catalogs.
fn pins(guard: &Guard, tools: &[Value], findings: &mut Findings) {
    let meanwhile = match guard.args.allow_changed_tools {
        true => "a tool that changes while the guard runs is only reported (`--allow-changed-tools`)",
        false => "a tool that changes while the guard runs is stopped",
    };
    let mut saved = BTreeMap::new();
    for path in &guard.catalogs {
        let text = std::fs::read_to_string(path).unwrap_or_default();
        let reply: Value = serde_json::from_str(text.trim_start_matches('\u{feff}')).unwrap_or_default();
        collect(&reply, 0, &mut saved);
    }
    if saved.is_empty() {
        let why = format!("the contract names no `catalog` that the server could be held against; {meanwhile}");
        return findings.not_checked("pins", why);
    }
    let is_other = |tool: &&Value| {
        let saved = name(tool).and_then(|name| saved.get(name));
        saved.is_some_and(|saved| MEMBERS.iter().any(|member| tool.get(*member) != saved.get(*member)))
    };
    let changed: Vec<&str> = tools.iter().filter(is_other).filter_map(name).collect();
    match changed.is_empty() {
        true => findings.ok("pins", format!("tools are described as in the contract's `catalog`; {meanwhile}")),
        false => {
            let says = format!("described otherwise than in the contract's `catalog`: {}", names(&changed));
            findings.failed("pins", says);
        }
    }
}

/// The tools of a saved list, of one page or of several.
fn collect(reply: &Value, depth: u8, saved: &mut BTreeMap<String, Value>) {
    let list = reply.get("tools").or_else(|| reply.get("result")?.get("tools")).unwrap_or(reply);
    for entry in list.as_array().into_iter().flatten() {
        match name(entry) {
            Some(name) => drop(saved.entry(name.to_owned()).or_insert_with(|| entry.clone())),
            None if depth == 0 => collect(entry, 1, saved),
            None => {}
        }
    }
}

fn name(tool: &Value) -> Option<&str> {
    tool.get("name").and_then(Value::as_str)
}

/// The first of some names.
fn names(all: &[&str]) -> String {
    let mut named: Vec<String> = all.iter().take(NAMED).map(|name| format!("`{name}`")).collect();
    if let Some(more) = all.len().checked_sub(NAMED).filter(|more| *more > 0) {
        named.push(format!("{more} more"));
    }
    named.join(", ")
}
