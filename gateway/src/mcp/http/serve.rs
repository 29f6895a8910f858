//! A guard that listens.
//!
//! INVARIANT: when it ends, nothing is under way any more: requests had their time to end, then every session has ended.

use std::io;
use std::net::{IpAddr, SocketAddr, TcpListener};
use std::sync::mpsc::Receiver;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use contract_runtime::{Monitor, Session};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpStream;
use tokio::sync::{Semaphore, watch};
use tokio::time::{Instant, sleep, timeout};

use super::door::{Door, without_port};
use super::either::{Either, either};
use super::name::{Names, SessionKey, SessionName};
use super::service::Service;
use super::sessions::{Sessions, Start};
use super::upstream::{Upstream, probe};
use crate::mcp::gate::{Gate, Settings};
use crate::mcp::stdio::Signal;

/// Most connections of clients at a time.
const MOST_CONNECTIONS: usize = 4_096;

/// Most long messages that are read at a time.
const MOST_LONG: usize = 8;

/// How long the head of a request may take.
const HEAD: Duration = Duration::from_secs(10);

/// How often the guard looks for questions that are too old.
const STEP: Duration = Duration::from_millis(100);

/// What is for the operator of a guard to choose.
#[derive(Debug)]
pub struct Options {
    /// By what sessions are told apart.
    pub key: SessionKey,
    /// Names of this host that clients may use, besides those of the address that it listens at.
    pub hosts: Vec<String>,
    /// Origins of the pages that may use the guard.
    pub origins: Vec<String>,
    /// Most sessions at a time.
    pub most_sessions: usize,
    /// When a session ends that nobody uses.
    pub idle: Duration,
    /// How long requests may take to end when the guard is asked to.
    pub grace: Duration,
    /// Whether decisions wait for a disk: then they are made apart from other work.
    pub blocks: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            key: SessionKey::Mcp,
            hosts: Vec::new(),
            origins: Vec::new(),
            most_sessions: 1_000,
            idle: Duration::from_secs(30 * 60),
            grace: Duration::from_secs(5),
            blocks: false,
        }
    }
}

/// What to do with the gates when the contract is to be loaded again.
type Reload<M> = Box<dyn Fn(&[&Gate<M>]) + Send>;

/// A guard in front of a server that is reached over HTTP.
pub struct Guarded<M: Monitor> {
    upstream: Upstream,
    options: Options,
    start: Start<M>,
    settings: Box<dyn Fn() -> Settings + Send + Sync>,
    reload: Reload<M>,
    signals: Option<Receiver<Signal>>,
}

impl<M: Monitor> std::fmt::Debug for Guarded<M> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Guarded").field("upstream", &self.upstream).finish_non_exhaustive()
    }
}

impl<M: Monitor + 'static> Guarded<M>
where
    Gate<M>: Send + Sync,
{
    /// A guard that starts a session for each name, and for each session of the protocol, which has none.
    #[must_use]
    pub fn new(
        upstream: Upstream,
        options: Options,
        start: impl Fn(&SessionName) -> Result<Session<M>, String> + Send + Sync + 'static,
        settings: impl Fn() -> Settings + Send + Sync + 'static,
    ) -> Self {
        Self {
            upstream,
            options,
            start: Box::new(start),
            settings: Box::new(settings),
            reload: Box::new(|_| {}),
            signals: None,
        }
    }

    /// What to do with the gates of all sessions when the contract is to be loaded again. Sessions that begin from then on are
    /// for `start`.
    #[must_use]
    pub fn on_reload(mut self, reload: impl Fn(&[&Gate<M>]) + Send + 'static) -> Self {
        self.reload = Box::new(reload);
        self
    }

    /// Where signals come from. Without them, it never ends.
    #[must_use]
    pub fn signals(mut self, signals: Receiver<Signal>) -> Self {
        self.signals = Some(signals);
        self
    }

    /// Listens until a signal says that it is to end. Returns which.
    ///
    /// # Errors
    /// If it cannot listen, or without a name of this host at an address that others reach.
    pub fn run(self, listener: TcpListener) -> io::Result<i32> {
        let address = listener.local_addr()?;
        if !address.ip().is_loopback() && self.options.hosts.is_empty() {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                "an address that others reach needs the names by which they do",
            ));
        }
        listener.set_nonblocking(true)?;
        let (close, closing) = watch::channel(false);
        let service = Arc::new(Service {
            upstream: Arc::new(self.upstream),
            door: door(address, &self.options),
            names: Names::new(self.options.key.clone()).map_err(io::Error::other)?,
            sessions: Sessions::new(self.options.most_sessions, self.start, self.settings),
            blocks: self.options.blocks,
            long: Semaphore::new(MOST_LONG),
            closing,
        });
        let ended = Arc::new(RwLock::new(0));
        // While somebody could close it, it is open.
        let mut kept = None;
        if let Some(signals) = self.signals {
            let (service, ended, reload) = (Arc::clone(&service), Arc::clone(&ended), self.reload);
            std::thread::Builder::new().name("signals".to_owned()).spawn(move || {
                for signal in signals {
                    match signal {
                        Signal::Reload => {
                            let guards = service.sessions.all();
                            reload(&guards.iter().map(|guard| &guard.gate).collect::<Vec<_>>());
                        }
                        Signal::End(number) => {
                            *ended.write().unwrap_or_else(PoisonError::into_inner) = number;
                            if close.send(true).is_err() {
                                return;
                            }
                        }
                    }
                }
                // Nobody can ask it to end any more.
                let _ = close.send(true);
            })?;
        } else {
            kept = Some(close);
        }
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
        let served = runtime.block_on(serve(&service, listener, &self.options));
        drop(kept);
        service.sessions.end_all("the guard has ended");
        runtime.shutdown_timeout(Duration::from_millis(500));
        served?;
        Ok(*ended.read().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The names by which this host may be called.
fn door(address: SocketAddr, options: &Options) -> Door {
    let mut hosts: Vec<String> = options.hosts.iter().map(|host| without_port(host).to_ascii_lowercase()).collect();
    if address.ip().is_loopback() {
        hosts.extend(["localhost", "127.0.0.1", "[::1]"].map(str::to_owned));
    }
    if !address.ip().is_unspecified() {
        hosts.push(match address.ip() {
            IpAddr::V4(ip) => ip.to_string(),
            IpAddr::V6(ip) => format!("[{ip}]"),
        });
    }
    Door { hosts, origins: options.origins.clone() }
}

/// Takes connections until the end, and waits for them to end.
async fn serve<M: Monitor + 'static>(
    service: &Arc<Service<M>>,
    listener: TcpListener,
    options: &Options,
) -> io::Result<()>
where
    Gate<M>: Send + Sync,
{
    let listener = tokio::net::TcpListener::from_std(listener)?;
    let places = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    let keeper = tokio::spawn(keep(Arc::clone(service), options.idle));
    loop {
        let Ok(place) = Arc::clone(&places).acquire_owned().await else { break };
        match either(service.closed(), listener.accept()).await {
            Either::One(()) => break,
            Either::Other(Ok((stream, _))) => {
                let service = Arc::clone(service);
                tokio::spawn(async move {
                    connection(service, stream).await;
                    drop(place);
                });
            }
            // No more files may be open, or the client is gone again.
            Either::Other(Err(_)) => sleep(Duration::from_millis(10)).await,
        }
    }
    drop(listener);
    // Each connection holds a place until it has ended.
    let all = u32::try_from(MOST_CONNECTIONS).unwrap_or(u32::MAX);
    let _ = timeout(options.grace, places.acquire_many(all)).await;
    keeper.abort();
    Ok(())
}

/// Serves one client until it goes, or the guard is asked to end.
async fn connection<M: Monitor + 'static>(service: Arc<Service<M>>, stream: TcpStream)
where
    Gate<M>: Send + Sync,
{
    probe(&stream);
    let answer = {
        let service = Arc::clone(&service);
        service_fn(move |request| {
            let service = Arc::clone(&service);
            async move { Ok::<_, std::convert::Infallible>(service.answer(request).await) }
        })
    };
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(HEAD);
    let mut connection = std::pin::pin!(builder.serve_connection(TokioIo::new(stream), answer));
    if let Either::One(()) = either(service.closed(), connection.as_mut()).await {
        connection.as_mut().graceful_shutdown();
        // What is broken ends as well.
        let _ = connection.await;
    }
}

/// Ends what is over.
async fn keep<M: Monitor + 'static>(service: Arc<Service<M>>, idle: Duration)
where
    Gate<M>: Send + Sync,
{
    let between = idle.div_f64(4.0).clamp(STEP, Duration::from_secs(10));
    let mut swept = Instant::now();
    loop {
        sleep(STEP).await;
        tokio::task::block_in_place(|| {
            service.sessions.expire();
            if swept.elapsed() >= between {
                service.sessions.sweep(idle);
                swept = Instant::now();
            }
        });
    }
}
