//! The server as a child that does not outlive its guard.
//!
//! On Linux the guard starts itself, and that process asks to be ended when the guard is gone, however it went, before it becomes
//! the server.

use std::ffi::OsString;
use std::io::{self, Write as _};
use std::process::Command;

use crate::args;
use crate::output::{Console, Exit};

/// The exit code where the server cannot be run, as shells have it.
pub(super) const NOT_RUN: u8 = 127;

/// The command that runs a server.
pub(super) fn command(server: &[OsString]) -> io::Result<Command> {
    #[cfg(target_os = "linux")]
    let mut command = {
        let mut command = Command::new(std::env::current_exe()?);
        command.arg("become").arg("--").args(server);
        command
    };
    #[cfg(not(target_os = "linux"))]
    let mut command = {
        let (program, arguments) = server.split_first().ok_or(io::ErrorKind::InvalidInput)?;
        let mut command = Command::new(program);
        command.args(arguments);
        command
    };
    // A signal of the terminal goes to the guard, which tells the server.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    Ok(command)
}

/// Becomes the server.
pub(in crate::command) fn become_child(args: &args::Become, console: &mut Console<'_>) -> io::Result<Exit> {
    let Some((program, arguments)) = args.command.split_first() else { return Ok(Exit::Unusable) };
    #[cfg(target_os = "linux")]
    rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::TERM))?;
    let mut command = Command::new(program);
    command.args(arguments);
    #[cfg(unix)]
    let error = std::os::unix::process::CommandExt::exec(&mut command);
    #[cfg(not(unix))]
    let error = io::Error::from(io::ErrorKind::Unsupported);
    writeln!(console.err, "error: the server `{}` cannot be run: {error}", super::shown(program.as_ref()))?;
    Ok(Exit::Code(NOT_RUN))
}
