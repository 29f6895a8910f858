//! A server that runs as a child, with messages on its standard input and output.
//!
//! INVARIANT: the child never outlives the guard's orderly end; every request that the client has made gets an answer before the
//! guard ends; the guard ends with the server.

use std::io::{self, BufReader, Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use contract_runtime::{Clock as _, Monitor, SystemClock};

use super::frame::{Frame, Framing, Next, one_line};
use super::gate::{Action, Gate, lock};

/// What happens beside messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// The guard is asked to end, with this number.
    End(i32),
    /// The guard is asked to load its contract again.
    Reload,
}

/// How it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// The client went first, and the server after it.
    Client(ExitStatus),
    /// The server went first.
    Server(ExitStatus),
    /// The guard was asked to, by this signal.
    Signal(i32),
    /// The guard itself failed.
    Failed,
}

/// How long a server has to end by itself, once its client is gone and nothing is under way, and again once it was asked to.
const PATIENCE: Duration = Duration::from_millis(900);

/// How long it has, if something is under way.
const LONG_PATIENCE: Duration = Duration::from_secs(10);

/// How often the guard looks whether the child is gone and questions are too old.
const STEP: Duration = Duration::from_millis(50);

/// What the threads tell the one that waits for them.
enum Told {
    ClientGone,
    ServerGone,
    Failed,
    Signal(Signal),
}

/// What to do when the contract is to be loaded again.
type Reload<M> = Box<dyn Fn(&Gate<M>) + Send>;

/// A guard around a child.
pub struct Guarded<M: Monitor> {
    gate: Arc<Gate<M>>,
    reload: Reload<M>,
    signals: Option<Receiver<Signal>>,
}

impl<M: Monitor> std::fmt::Debug for Guarded<M> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Guarded").finish_non_exhaustive()
    }
}

impl<M: Monitor + 'static> Guarded<M>
where
    Gate<M>: Send + Sync,
{
    /// A guard that goes by what a gate says.
    #[must_use]
    pub fn new(gate: Gate<M>) -> Self {
        Self { gate: Arc::new(gate), reload: Box::new(|_| {}), signals: None }
    }

    /// What to do when the contract is to be loaded again.
    #[must_use]
    pub fn on_reload(mut self, reload: impl Fn(&Gate<M>) + Send + 'static) -> Self {
        self.reload = Box::new(reload);
        self
    }

    /// Where signals come from.
    #[must_use]
    pub fn signals(mut self, signals: Receiver<Signal>) -> Self {
        self.signals = Some(signals);
        self
    }

    /// Runs a server behind the guard, until it or the client goes. Everything under way is answered then, and the session ends.
    ///
    /// # Errors
    /// If the server cannot be started.
    pub fn run(
        self,
        mut command: Command,
        input: impl Read + Send + 'static,
        output: impl Write + Send + 'static,
    ) -> io::Result<Ended> {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let (Some(to_server), Some(from_server)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(io::Error::other("the server has no standard input and output"));
        };
        let (tell, told) = mpsc::channel();
        let link = Arc::new(Link {
            gate: Arc::clone(&self.gate),
            client: Mutex::new(Client { output: Box::new(output), framing: Framing::Line, is_gone: false }),
            server: Mutex::new(Some(to_server)),
        });
        spawn(&link, &tell, Told::ClientGone, move |link| link.read_client(input))?;
        spawn(&link, &tell, Told::ServerGone, move |link| link.read_server(from_server))?;
        if let Some(signals) = self.signals {
            thread::Builder::new().name("signals".to_owned()).spawn(move || {
                for signal in signals {
                    if tell.send(Told::Signal(signal)).is_err() {
                        return;
                    }
                }
            })?;
        }
        let ended = watch(&link, &mut child, &told, &self.reload);
        self.gate.end();
        ended
    }
}

/// Waits for the end of one side, and ends the other.
fn watch<M: Monitor>(
    link: &Link<M>,
    child: &mut Child,
    told: &Receiver<Told>,
    reload: &dyn Fn(&Gate<M>),
) -> io::Result<Ended> {
    let mut client_gone: Option<Instant> = None;
    let mut asked_to_end: Option<(i32, Instant)> = None;
    let mut server_silent = false;
    loop {
        match told.recv_timeout(STEP) {
            Ok(Told::ClientGone) => {
                // The server is told, and may finish.
                link.close_server();
                client_gone.get_or_insert_with(Instant::now);
            }
            Ok(Told::ServerGone) => {
                link.abandon("the server has ended");
                server_silent = true;
            }
            Ok(Told::Failed) => {
                link.abandon("the guard has failed");
                let _ = end(child);
                return Ok(Ended::Failed);
            }
            Ok(Told::Signal(Signal::Reload)) => reload(&link.gate),
            Ok(Told::Signal(Signal::End(number))) => {
                link.close_server();
                ask(child, number);
                asked_to_end.get_or_insert_with(|| (number, Instant::now()));
            }
            Err(RecvTimeoutError::Timeout) => {}
            // All others have said their last.
            Err(RecvTimeoutError::Disconnected) => thread::sleep(STEP),
        }
        link.expire();
        if let Some(status) = child.try_wait()? {
            if !server_silent {
                // What it said last is still on its way.
                drain(told);
            }
            link.abandon("the server has ended");
            let _ = end(child);
            return Ok(match (asked_to_end, client_gone) {
                (Some((number, _)), _) => Ended::Signal(number),
                (None, Some(_)) => Ended::Client(status),
                (None, None) => Ended::Server(status),
            });
        }
        let is_over = match (asked_to_end, client_gone) {
            (Some((_, since)), _) => since.elapsed() > PATIENCE,
            (None, Some(since)) => {
                since.elapsed() > if link.gate.is_busy() && !server_silent { LONG_PATIENCE } else { PATIENCE }
            }
            (None, None) => server_silent,
        };
        if is_over {
            link.abandon("the server was ended");
            let status = end(child)?;
            return Ok(match (asked_to_end, client_gone) {
                (Some((number, _)), _) => Ended::Signal(number),
                (None, Some(_)) => Ended::Client(status),
                (None, None) => Ended::Server(status),
            });
        }
    }
}

/// Waits for the last words of a server that has ended.
fn drain(told: &Receiver<Told>) {
    let until = Instant::now().checked_add(PATIENCE);
    while let Some(left) = until.and_then(|until| until.checked_duration_since(Instant::now())) {
        match told.recv_timeout(left) {
            Ok(Told::ServerGone | Told::Failed) | Err(_) => return,
            Ok(Told::ClientGone | Told::Signal(_)) => {}
        }
    }
}

/// Ends a child that did not end by itself, with all that it started.
fn end(child: &mut Child) -> io::Result<ExitStatus> {
    #[cfg(unix)]
    {
        ask(child, rustix::process::Signal::TERM.as_raw());
        let until = Instant::now().checked_add(PATIENCE);
        while until.is_some_and(|until| Instant::now() < until) {
            if let Some(status) = child.try_wait()? {
                // Those that it started and left behind.
                ask(child, rustix::process::Signal::KILL.as_raw());
                return Ok(status);
            }
            thread::sleep(Duration::from_millis(10));
        }
        ask(child, rustix::process::Signal::KILL.as_raw());
    }
    let _ = child.kill();
    child.wait()
}

/// Sends a signal to a child, and to all that it started.
#[cfg(unix)]
fn ask(child: &Child, number: i32) {
    use rustix::process::{Pid, Signal, kill_process_group};

    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    if let (Some(pid), Some(signal)) = (pid, Signal::from_named_raw(number)) {
        // It may be gone already.
        let _ = kill_process_group(pid, signal);
    }
}

#[cfg(not(unix))]
fn ask(_: &Child, _: i32) {}

fn spawn<M: Monitor + 'static>(
    link: &Arc<Link<M>>,
    tell: &Sender<Told>,
    at_end: Told,
    run: impl FnOnce(&Link<M>) + Send + 'static,
) -> io::Result<()>
where
    Gate<M>: Send + Sync,
{
    let (link, tell) = (Arc::clone(link), tell.clone());
    thread::Builder::new().spawn(move || {
        let ran = catch_unwind(AssertUnwindSafe(|| run(&link)));
        // Nobody listens where the guard has ended already.
        let _ = tell.send(if ran.is_ok() { at_end } else { Told::Failed });
    })?;
    Ok(())
}

/// What a client hears.
struct Client {
    output: Box<dyn Write + Send>,
    /// How it frames its messages.
    framing: Framing,
    is_gone: bool,
}

impl Client {
    fn write(&mut self, bytes: &[u8]) {
        if !self.is_gone && self.output.write_all(bytes).and_then(|()| self.output.flush()).is_err() {
            self.is_gone = true;
        }
    }

    fn say(&mut self, message: &[u8]) {
        let wire = self.framing.wrap(message);
        self.write(&wire);
    }
}

/// The two sides, and the gate between them.
struct Link<M: Monitor> {
    gate: Arc<Gate<M>>,
    client: Mutex<Client>,
    server: Mutex<Option<ChildStdin>>,
}

impl<M: Monitor> Link<M> {
    fn read_client(&self, input: impl Read) {
        let mut input = BufReader::with_capacity(64 * 1024, input);
        loop {
            let frame = match Frame::read(&mut input) {
                Ok(Next::Frame(frame)) => frame,
                Ok(Next::TooLong) => {
                    self.act(&self.gate.reject("it is longer than 64 MiB"), None);
                    continue;
                }
                Ok(Next::End) => return,
                Err(error) => {
                    self.act(&self.gate.reject(&error.to_string()), None);
                    return;
                }
            };
            if frame.is_blank() {
                continue;
            }
            lock(&self.client).framing = frame.framing;
            if frame.has_line_breaks() {
                self.act(
                    &self.gate.reject("it has line breaks, at which a server could see another message begin"),
                    None,
                );
                continue;
            }
            self.act(&self.gate.from_client(frame.body()), Some(&frame));
        }
    }

    /// Does what becomes of a message of the client.
    fn act(&self, action: &Action<'_>, frame: Option<&Frame>) {
        match action {
            Action::Forward(message) => {
                let framing = frame.map_or(Framing::Line, |frame| frame.framing);
                let message = one_line(message);
                match frame {
                    Some(frame) if *message == *frame.body() && frame.ends() => self.to_server(frame.wire()),
                    _ => self.to_server(&framing.wrap(&message)),
                }
            }
            Action::Answer(message) | Action::Ask(_, message) => lock(&self.client).say(message),
            Action::Answered(_, then) => self.act(then, None),
            Action::Drop => {}
        }
    }

    fn to_server(&self, wire: &[u8]) {
        if let Some(server) = lock(&self.server).as_mut() {
            // A server that is gone is noticed by its silence.
            let _ = server.write_all(wire).and_then(|()| server.flush());
        }
    }

    fn read_server(&self, output: ChildStdout) {
        let mut output = BufReader::with_capacity(64 * 1024, output);
        loop {
            let frame = match Frame::read(&mut output) {
                Ok(Next::Frame(frame)) => frame,
                Ok(Next::TooLong) => {
                    self.gate.skip("a message longer than 64 MiB");
                    // It may have been the answer to any of them.
                    self.abandon("the server sent a message longer than 64 MiB");
                    return;
                }
                Ok(Next::End) => return,
                Err(error) => {
                    self.gate.skip(&error.to_string());
                    return;
                }
            };
            if frame.is_blank() {
                continue;
            }
            match self.gate.from_server(frame.body()) {
                Action::Forward(message) if *message == *frame.body() && frame.ends() => {
                    lock(&self.client).write(frame.wire());
                }
                Action::Forward(message) => {
                    let wire = frame.framing.wrap(&message);
                    lock(&self.client).write(&wire);
                }
                _ => {}
            }
            if lock(&self.client).is_gone {
                return;
            }
        }
    }

    /// Tells the server that nothing more will come.
    fn close_server(&self) {
        // A server that does not read holds the lock; it is ended in time.
        if let Ok(mut server) = self.server.try_lock() {
            *server = None;
        }
    }

    /// Answers everything that is under way.
    fn abandon(&self, why: &str) {
        let answers = self.gate.abandon(why);
        let mut client = lock(&self.client);
        answers.iter().for_each(|answer| client.say(answer));
    }

    /// Answers questions that nobody answered in time.
    fn expire(&self) {
        for (_, action) in self.gate.expire(SystemClock.now()) {
            self.act(&action, None);
        }
    }
}
