//! A guard that listens, in front of a server that is reached over HTTP.

use std::io::{self, Write as _};
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use contract_lang::mir;
use interlock_gateway::approval::Folder;
use interlock_gateway::mcp::Settings;
use interlock_gateway::mcp::http::{Guarded, Options, PATH, Upstream};

use super::session::{Sessions, Shared};
use super::{advised, desk, settings, tell};
use crate::args;
use crate::output::{Console, Exit};

pub(super) fn run(
    args: &args::Mcp,
    address: SocketAddr,
    upstream: &str,
    contract: mir::Contract,
    sessions: Sessions,
    folder: Option<Arc<Folder>>,
    console: &mut Console<'_>,
) -> io::Result<Exit> {
    let upstream = match server(upstream, args) {
        Ok(upstream) => upstream,
        Err(why) => {
            writeln!(console.err, "error: {why}")?;
            return Ok(Exit::Unusable);
        }
    };
    if !address.ip().is_loopback() && args.http.allow_host.is_empty() {
        writeln!(console.err, "error: others can reach `{address}`")?;
        writeln!(console.err, "  help: name with `--allow-host` how they do, or listen on `127.0.0.1`")?;
        return Ok(Exit::Unusable);
    }
    let listener = match TcpListener::bind(address) {
        Ok(listener) => listener,
        Err(error) => {
            writeln!(console.err, "error: `{address}` cannot be listened at: {error}")?;
            return Ok(Exit::Unusable);
        }
    };
    let journal = sessions.journal();
    let options = Options {
        key: args.http.session.clone(),
        hosts: args.http.allow_host.clone(),
        origins: args.http.allow_origin.clone(),
        most_sessions: args.http.max_sessions,
        idle: Duration::from_secs(args.http.idle),
        grace: Duration::from_secs(args.http.grace),
        blocks: journal.is_some(),
    };
    let shared = Arc::new(Shared::new(sessions, contract));
    let chosen = args.clone();
    let (starting, deciding, reloading) = (Arc::clone(&shared), Arc::clone(&shared), shared);
    let guarded = Guarded::new(
        upstream,
        options,
        move |name| starting.start(name.as_str()),
        move || Settings { desk: desk(folder.as_ref()), ..settings(&chosen, deciding.sessions()) },
    );
    let guarded = guarded.on_reload(move |gates| {
        tell(&match reloading.reload(gates) {
            Ok((name, 0)) => format!("the contract `{name}` is in force now"),
            Ok((name, stay)) => format!("the contract `{name}` is in force now, but not in {stay} sessions"),
            Err(why) => format!("the contract stays as it was: {why}"),
        });
    });
    #[cfg(unix)]
    let guarded = guarded.signals(super::signals()?);
    writeln!(console.out, "listening on http://{}{PATH}", listener.local_addr()?)?;
    console.out.flush()?;
    let ended = guarded.run(listener);
    if let Some(Err(error)) = journal.map(|journal| journal.close()) {
        writeln!(console.err, "{}", advised(&error))?;
        return Ok(Exit::Unusable);
    }
    match ended {
        Ok(_) => Ok(Exit::Fine),
        Err(error) => {
            writeln!(console.err, "error: the guard has failed: {error}")?;
            Ok(Exit::Unusable)
        }
    }
}

fn server(url: &str, args: &args::Mcp) -> Result<Upstream, String> {
    let roots = match &args.http.upstream_ca {
        Some(path) => {
            let roots = std::fs::read(path);
            Some(roots.map_err(|error| format!("`{}` cannot be read: {error}", super::shown(path.as_ref())))?)
        }
        None => None,
    };
    Upstream::new(url, roots.as_deref())
}
