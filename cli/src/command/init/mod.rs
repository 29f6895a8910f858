//! `interlock init`: a contract to start from.

mod starter;
mod suggestion;
mod tools;

use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use contract_lang::catalog::{Reply, Tool};
use contract_lang::diagnostic::render;
use serde_json::json;

use super::shown;
use crate::args;
use crate::mcp::Client;
use crate::output::{Console, Exit, inert, some};

/// Most bytes of a file of tools: what a catalog may have.
const LARGEST: u64 = 16 * 1024 * 1024;

/// Tools, and the file in which they are.
struct Listed {
    tools: Vec<Tool>,
    file: Option<String>,
}

pub(super) fn run(args: &args::Init, console: &mut Console<'_>) -> io::Result<Exit> {
    let listed = match (&args.from, args.from_server) {
        (Some(path), _) => read(path, args).map(Some),
        (None, true) => ask(args, console)?.map(Some),
        (None, false) => Ok(None),
    };
    let listed = match listed {
        Ok(listed) => listed,
        Err(why) => {
            writeln!(console.err, "error: {}", render::escape(&why))?;
            return Ok(Exit::Unusable);
        }
    };
    let text = match &listed {
        None => starter::example(&args.name),
        Some(Listed { tools, file }) => starter::of_tools(&args.name, tools, file.as_deref()),
    };
    if args.output == Path::new("-") {
        console.out.write_all(text.as_bytes())?;
        return Ok(Exit::Fine);
    }
    if let Err(why) = create(&args.output, &text) {
        writeln!(console.err, "error: {why}")?;
        return Ok(Exit::Unusable);
    }
    let tools = listed.map_or(String::new(), |listed| format!(", with {}", some(count(&listed.tools), "tool")));
    writeln!(console.err, "wrote `{}`{tools}; `interlock lint` checks it", shown(&args.output))?;
    Ok(Exit::Fine)
}

fn count(tools: &[Tool]) -> u64 {
    u64::try_from(tools.len()).unwrap_or(u64::MAX)
}

/// Writes a file that is not there yet.
fn create(path: &Path, text: &str) -> Result<(), String> {
    let file = OpenOptions::new().write(true).create_new(true).open(path);
    let written = file.and_then(|mut file| file.write_all(text.as_bytes()));
    written.map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => format!("`{}` exists, and is not overwritten", shown(path)),
        _ => format!("cannot write `{}`: {error}", shown(path)),
    })
}

/// The tools of a file.
fn read(path: &Path, args: &args::Init) -> Result<Listed, String> {
    let unreadable = |error: io::Error| format!("cannot read `{}`: {error}", shown(path));
    let mut text = String::new();
    let file = std::fs::File::open(path).map_err(unreadable)?;
    io::Read::read_to_string(&mut io::Read::take(file, LARGEST.saturating_add(1)), &mut text).map_err(unreadable)?;
    let reply = Reply::parse(&text).map_err(|why| format!("`{}` is no list of tools: {why}", shown(path)))?;
    Ok(Listed { tools: reply.tools, file: beside(path, &args.output) })
}

/// The tools of a server, which are saved if that is asked for.
fn ask(args: &args::Init, console: &mut Console<'_>) -> io::Result<Result<Listed, String>> {
    let Some((program, arguments)) = args.command.split_first() else {
        return Ok(Err("there is no command".to_owned()));
    };
    console.err.flush()?;
    let within = Duration::from_secs(args.timeout);
    let asked = Client::start(Command::new(program).args(arguments), within)
        .and_then(|mut client| Ok((client.tools()?, client.server.take())));
    Ok(asked.map_err(|error| error.to_string()).and_then(|(tools, server)| {
        let reply = json!({ "server": server, "tools": tools });
        let text = serde_json::to_string_pretty(&reply).map_err(|error| error.to_string())?;
        let reply = Reply::parse(&text).map_err(|why| format!("the server's tools cannot be used: {why}"))?;
        if let Some(path) = &args.save {
            // Line breaks stay; nothing else that is hidden does.
            create(path, &text.lines().map(|line| inert(line) + "\n").collect::<String>())?;
        }
        let file = args.save.as_deref().and_then(|path| beside(path, &args.output));
        Ok(Listed { tools: reply.tools, file })
    }))
}

/// How a contract names a file, whose catalogs are relative to it: where both are in one folder, or the path is whole.
fn beside(path: &Path, contract: &Path) -> Option<String> {
    let text = path.to_str()?;
    let name = path.file_name()?.to_str()?;
    let folder = |path: &Path| path.parent().map(Path::to_owned).unwrap_or_default();
    let named = match path.is_absolute() {
        true => text,
        false if contract == Path::new("-") && folder(path) == Path::new("") => name,
        false if folder(path) == folder(contract) => name,
        false if folder(contract) == Path::new("") => text,
        false => return None,
    };
    (!named.chars().any(render::is_hidden)).then(|| named.to_owned())
}

#[cfg(test)]
mod tests;
