//! `interlock mcp`: a guard in front of an MCP server.

mod child;
#[cfg(feature = "http")]
mod listen;
mod named;
mod pins;
mod session;

use std::io::{self, Write as _};
use std::process::ExitStatus;
use std::sync::Arc;

use contract_lang::Loaded;
use contract_runtime::SystemClock;
use interlock_gateway::approval::{Folder, FolderDesk, Problem};
use interlock_gateway::mcp::stdio::{Ended, Guarded, Signal};
use interlock_gateway::mcp::{Desk, Gate, Listed, Notice, Settings};

use self::pins::Known;
pub(super) use self::session::Sessions;
use super::{advised, shown};
use crate::args;
use crate::output::{Console, Exit};

pub(super) use self::child::become_child;

pub(super) fn run(args: &args::Mcp, console: &mut Console<'_>) -> io::Result<Exit> {
    #[cfg(feature = "http")]
    if args.http.listen.is_none()
        && let Some(flag) = args.http.in_vain()
    {
        writeln!(
            console.err,
            "error: `{flag}` is for a guard that listens; write `--listen ADDRESS:PORT`, and no command"
        )?;
        return Ok(Exit::Unusable);
    }
    let Some(Loaded { contract, files, .. }) = super::loaded(&args.contract, console)? else {
        return Ok(Exit::Unusable);
    };
    let known = match Known::new(pins::catalogs(&files), args.pins.as_deref(), args.server.as_deref()) {
        Ok(known) => known,
        Err(error) => {
            writeln!(console.err, "error: {error}")?;
            return Ok(Exit::Unusable);
        }
    };
    let sessions = match Sessions::new(args, known) {
        Ok(sessions) => sessions,
        Err(error) => {
            writeln!(console.err, "{}", advised(&*error))?;
            return Ok(Exit::Unusable);
        }
    };
    let folder = match folder(args) {
        Ok(folder) => folder,
        Err(problem) => {
            writeln!(console.err, "{}", advised(&problem))?;
            return Ok(Exit::Unusable);
        }
    };
    #[cfg(feature = "http")]
    if let (Some(address), Some(upstream)) = (args.http.listen, &args.http.upstream) {
        return listen::run(args, address, upstream, contract, sessions, folder, console);
    }
    let session = match sessions.start(contract, None) {
        Ok(session) => session,
        Err(error) => {
            writeln!(console.err, "error: {error}")?;
            return Ok(Exit::Unusable);
        }
    };
    let gate = Gate::new(session, Settings { desk: desk(folder.as_ref()), ..settings(args, &sessions) });
    let journal = sessions.journal();
    let guarded = Guarded::new(gate).signals(signals()?).on_reload(move |gate| {
        let said = match sessions.reload(gate) {
            Ok(name) => format!("the contract `{name}` is in force now"),
            Err(why) => format!("the contract stays as it was: {why}"),
        };
        tell(&said);
    });
    let ended = match guarded.run(child::command(&args.command)?, io::stdin(), io::stdout()) {
        Ok(ended) => ended,
        Err(error) => {
            let program = args.command.first().map(|program| shown(program.as_ref())).unwrap_or_default();
            writeln!(console.err, "error: the server `{program}` cannot be run: {error}")?;
            return Ok(Exit::Code(child::NOT_RUN));
        }
    };
    if let Some(Err(error)) = journal.map(|journal| journal.close()) {
        writeln!(console.err, "{}", advised(&error))?;
        return Ok(Exit::Unusable);
    }
    Ok(match ended {
        // It went because there was no server.
        Ended::Client(status) if status.code() == Some(i32::from(child::NOT_RUN)) => exit(status),
        Ended::Client(_) => Exit::Fine,
        Ended::Server(status) => exit(status),
        Ended::Signal(number) => Exit::Code(u8::try_from(number.saturating_add(128)).unwrap_or(1)),
        Ended::Failed => Exit::Unusable,
    })
}

fn settings(args: &args::Mcp, sessions: &Sessions) -> Settings {
    Settings {
        server: args.server.clone(),
        decides: Some(sessions.decides()),
        pins: sessions.known().pins(),
        keep: sessions.known().keep(),
        strangers: Some(sessions.strangers()),
        shows: args.hide_blocked.then(|| sessions.shows(args.server.clone())),
        protocol_errors: args.protocol_errors,
        listed: if args.allow_changed_tools { Listed::Report } else { Listed::Block },
        notices: Some(Box::new(|notice: &Notice| tell(&notice.text))),
        prefix: prefix(),
        ..Settings::default()
    }
}

/// Where requests for approval wait.
fn folder(args: &args::Mcp) -> Result<Option<Arc<Folder>>, Problem> {
    let folder = args.approvals.as_ref().map(|path| Folder::create(path, args.approvers.clone()));
    Ok(folder.transpose()?.map(Arc::new))
}

/// Where a person is asked whom the client cannot ask: a desk for each session.
fn desk(folder: Option<&Arc<Folder>>) -> Option<Box<dyn Desk>> {
    let folder = Arc::clone(folder?);
    Some(Box::new(FolderDesk::new(folder, SystemClock)))
}

/// What no server comes upon: the time, to the nanosecond, and the process.
fn prefix() -> String {
    use contract_runtime::Clock as _;

    format!("interlock-{:x}-{:x}-", SystemClock.now().as_nanos(), std::process::id())
}

/// Says something to whoever operates the guard.
fn tell(what: &str) {
    // Nobody listens where standard error is closed.
    let _ = writeln!(io::stderr(), "interlock: {what}");
}

/// The code with which a guard ends whose server has ended by itself.
fn exit(status: ExitStatus) -> Exit {
    #[cfg(unix)]
    if let Some(number) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return Exit::Code(u8::try_from(number.saturating_add(128)).unwrap_or(1));
    }
    match status.code() {
        Some(0) => Exit::Fine,
        Some(code) => Exit::Code(u8::try_from(code & 0xff).unwrap_or(1)),
        None => Exit::Fails,
    }
}

/// The signals that a guard listens to.
#[cfg(unix)]
fn signals() -> io::Result<std::sync::mpsc::Receiver<Signal>> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;

    let mut signals = Signals::new([SIGHUP, SIGINT, SIGTERM])?;
    let (tell, told) = std::sync::mpsc::channel();
    std::thread::Builder::new().spawn(move || {
        for number in signals.forever() {
            let signal = if number == SIGHUP { Signal::Reload } else { Signal::End(number) };
            if tell.send(signal).is_err() {
                return;
            }
        }
    })?;
    Ok(told)
}

#[cfg(not(unix))]
fn signals() -> io::Result<std::sync::mpsc::Receiver<Signal>> {
    // Without a sender it ends at once.
    Ok(std::sync::mpsc::channel().1)
}
