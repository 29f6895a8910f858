//! `interlock approve`: what waits for a person, and a person's answer.

use std::io::{self, Write as _};

use contract_lang::diagnostic::render;
use contract_runtime::journal::SigningKey;
use contract_runtime::{Clock as _, SystemClock, Time};
use interlock_gateway::approval::{Answer, Folder, Problem, Request, Waiting};
use serde_json::json;

use crate::args::{self, Format};
use crate::evidence::text::{clip, name};
use crate::output::{Console, Exit, some};

/// Most characters of arguments that are shown to people.
const MOST: usize = 4_000;

pub(super) fn run(args: &args::Approve, console: &mut Console<'_>) -> io::Result<Exit> {
    let folder = match Folder::open(&args.dir) {
        Ok(folder) => folder,
        Err(problem) => {
            let help = "give the folder that the guard has as `--approvals` with `--dir`";
            writeln!(console.err, "error: `{}`: {problem}\nhelp: {help}", super::shown(&args.dir))?;
            return Ok(Exit::Unusable);
        }
    };
    let now = SystemClock.now();
    match &args.request {
        None => list(args, &folder, now, console),
        Some(request) => answer(args, request, &folder, now, console),
    }
}

fn list(args: &args::Approve, folder: &Folder, now: Time, console: &mut Console<'_>) -> io::Result<Exit> {
    let Waiting { requests: waiting, wrong } = match folder.waiting(now) {
        Ok(found) => found,
        Err(problem) => return refused(&problem, Exit::Unusable, console),
    };
    for (file, problem) in &wrong {
        writeln!(console.err, "warning: `{}` is left out: {}", name(file), render::escape(&problem.to_string()))?;
    }
    match args.format {
        Format::Json => waiting.iter().try_for_each(|request| console.out.json(&request.to_json()))?,
        Format::Human => {
            for request in &waiting {
                show(request, console)?;
            }
            let count = u64::try_from(waiting.len()).unwrap_or(u64::MAX);
            writeln!(console.out, "{} for approval", some(count, "request"))?;
        }
    }
    Ok(Exit::Fine)
}

fn show(request: &Request, console: &mut Console<'_>) -> io::Result<()> {
    let out = &mut console.out;
    let server = request.server.as_ref().map(|server| format!("{}::", name(server))).unwrap_or_default();
    let agent = request.agent.as_ref().map(|agent| format!("  by {}", name(agent))).unwrap_or_default();
    writeln!(out, "{}  {server}{}{agent}", request.name, name(&request.tool))?;
    let args = request.args.to_string();
    let length = args.chars().count();
    writeln!(out, "  would run with  {}", clip(&args, MOST))?;
    if length > MOST {
        writeln!(out, "                  (the first {MOST} of {length} characters; --format json shows all)")?;
    }
    for (at, line) in request.why.lines().enumerate() {
        writeln!(out, "  {}{}", if at == 0 { "why             " } else { "                " }, clip(line, MOST))?;
    }
    let session =
        if request.session.is_empty() { String::new() } else { format!(", session {}", name(&request.session)) };
    let digest = clip(&request.contract_digest, 12);
    writeln!(out, "  contract        {} {digest}{session}", name(&request.contract))?;
    writeln!(out, "  since           {}, expires {}", request.since, request.expires)?;
    for key in &request.approvers {
        writeln!(out, "  approver        {}", name(key))?;
    }
    writeln!(out)
}

fn answer(args: &args::Approve, name: &str, folder: &Folder, now: Time, console: &mut Console<'_>) -> io::Result<Exit> {
    let key = match args.key.as_deref().map(SigningKey::read).transpose() {
        Ok(key) => key,
        Err(error) => {
            writeln!(console.err, "error: {}", render::escape(&error.to_string()))?;
            return Ok(Exit::Unusable);
        }
    };
    let request = match folder.request(name, now) {
        Ok(request) => request,
        Err(problem) => return refused(&problem, Exit::Fails, console),
    };
    let answer = Answer {
        request: request.digest.clone(),
        is_approved: !args.deny,
        by: args.by.clone().or_else(login),
        reason: args.reason.clone(),
        at: now,
    };
    if let Err(problem) = folder.answer(&request, &answer, key.as_ref()) {
        return refused(&problem, Exit::Fails, console);
    }
    let said = if args.deny { "denied" } else { "approved" };
    match args.format {
        Format::Json => console.out.json(&json!({
            "name": request.name,
            "digest": request.digest,
            "answer": said,
            "by": answer.by,
            "reason": answer.reason,
            "key": key.map(|key| key.public().to_string()),
        }))?,
        Format::Human => {
            let tool = crate::evidence::text::name(&request.tool);
            let then = if args.deny { "will be told so" } else { "may make the call once, in exactly this form" };
            writeln!(console.out, "{said}: `{tool}`, request {}; the agent {then}", request.name)?;
        }
    }
    Ok(Exit::Fine)
}

fn refused(problem: &Problem, exit: Exit, console: &mut Console<'_>) -> io::Result<Exit> {
    writeln!(console.err, "error: {}", render::escape(&problem.to_string()))?;
    if let Some(help) = problem.advice() {
        writeln!(console.err, "help: {help}")?;
    }
    Ok(exit)
}

/// Who is logged in, as the environment says.
fn login() -> Option<String> {
    ["USER", "USERNAME"].into_iter().find_map(|variable| std::env::var(variable).ok()).filter(|name| !name.is_empty())
}
