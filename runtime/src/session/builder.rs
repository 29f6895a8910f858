//! Starts sessions.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex};

use serde_json::Value;

use super::approval::{Requests, WINDOW};
use super::core::Core;
use super::notices::Notices;
use super::recorder::Recorder;
use super::summary::Counts;
use super::{Session, Shared};
use crate::clock::{Clock, SystemClock};
use crate::context::{Context, ContextError};
use crate::sink::{Sink, SinkError};
use crate::{ByEffect, Decision, Duration, Mode, Monitor, RestoreError, Seed, Time};

/// What becomes of all calls when the monitor itself, or the host's store, fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OnError {
    /// They run.
    Open,
    /// They do not.
    Closed,
}

/// Builds a session.
pub struct SessionBuilder<M: Monitor> {
    monitor: M,
    mode: Option<Mode>,
    on_error: Option<OnError>,
    context: Option<Value>,
    clock: Box<dyn Clock>,
    agent: Option<(String, String)>,
    surface: Option<String>,
    window: Duration,
    asks: bool,
    saved: Option<String>,
    seed: Option<Seed>,
    sink: Option<Arc<dyn Sink>>,
    id: Option<String>,
    parent: Option<String>,
}

impl<M: Monitor> fmt::Debug for SessionBuilder<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SessionBuilder").field("agent", &self.agent).finish_non_exhaustive()
    }
}

/// Why a session cannot start.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StartError {
    /// The context does not fit the contract's declarations.
    Context(ContextError),
    /// The snapshot cannot be taken up.
    Restore(RestoreError),
    /// The start of the session cannot be recorded.
    Journal(SinkError),
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Context(error) => error.fmt(f),
            Self::Restore(error) => error.fmt(f),
            Self::Journal(error) => write!(f, "the start of the session cannot be recorded: {error}"),
        }
    }
}

impl std::error::Error for StartError {}

impl From<RestoreError> for StartError {
    fn from(error: RestoreError) -> Self {
        Self::Restore(error)
    }
}

impl<M: Monitor> SessionBuilder<M> {
    pub(super) fn new(monitor: M) -> Self {
        Self {
            monitor,
            mode: None,
            on_error: None,
            context: None,
            clock: Box::new(SystemClock),
            agent: None,
            surface: None,
            window: WINDOW,
            asks: true,
            saved: None,
            seed: None,
            sink: None,
            id: None,
            parent: None,
        }
    }

    /// Who calls: the agent's name and version. Recorded, never part of a decision.
    #[must_use]
    pub fn agent(mut self, name: impl Into<String>, version: impl Into<String>) -> Self {
        self.agent = Some((name.into(), version.into()));
        self
    }

    /// Where the session runs. Recorded, never part of a decision.
    #[must_use]
    pub fn surface(mut self, surface: impl Into<String>) -> Self {
        self.surface = Some(surface.into());
        self
    }

    /// The trusted facts that the contract declares as `context`: a JSON object.
    #[must_use]
    pub fn context(mut self, facts: Value) -> Self {
        self.context = Some(facts);
        self
    }

    /// Overrides the contract's mode.
    #[must_use]
    pub fn mode(mut self, mode: Mode) -> Self {
        self.mode = Some(mode);
        self
    }

    /// Overrides the contract's `on_error`.
    #[must_use]
    pub fn on_error(mut self, on_error: OnError) -> Self {
        self.on_error = Some(on_error);
        self
    }

    /// How long a request for approval waits for its answer: ten minutes, unless this says otherwise.
    #[must_use]
    pub fn approval_window(mut self, window: Duration) -> Self {
        self.window = window;
        self
    }

    /// There is no person to approve calls: a call that needs approval is refused at once, with that reason.
    #[must_use]
    pub fn nobody_to_ask(mut self) -> Self {
        self.asks = false;
        self
    }

    /// Where the time of events comes from that carry none. Without it, the computer's clock.
    #[must_use]
    pub fn clock(mut self, clock: impl Clock + 'static) -> Self {
        self.clock = Box::new(clock);
        self
    }

    /// The secret by which rules remember the keys that they [let go](crate::Retired). Sixteen bytes that nobody can guess; the
    /// same ones make a replay decide as the session did. Without it, they come from the operating system.
    #[must_use]
    pub fn seed(mut self, seed: Seed) -> Self {
        self.seed = Some(seed);
        self
    }

    /// Takes up the session that [`Session::snapshot`] saved. If another version of the contract saved it, nothing that it
    /// says of rules and cells is taken for established; [`Session::restored`] says which. The facts of the context are the
    /// saved ones unless [`Self::context`] gives others.
    #[cfg(feature = "digest")]
    #[must_use]
    pub fn restore(mut self, snapshot: &str) -> Self {
        self.saved = Some(snapshot.to_owned());
        self
    }

    /// Where the session is recorded. A call is on record before it runs; where it cannot be recorded, `on_error` decides
    /// whether it runs. [`Summary::unrecorded`](crate::Summary::unrecorded) says how much is missing.
    #[must_use]
    pub fn journal(mut self, sink: impl Sink + 'static) -> Self {
        self.sink = Some(Arc::new(sink));
        self
    }

    /// What the session is called in records. Without it, `s` and the number of its first record. A session that is taken up
    /// again keeps its name.
    #[must_use]
    pub fn id(mut self, id: impl Into<String>) -> Self {
        self.id = Some(id.into());
        self
    }

    /// The session that this one is a part of, by its id. Recorded, never part of a decision.
    #[must_use]
    pub fn parent(mut self, id: impl Into<String>) -> Self {
        self.parent = Some(id.into());
        self
    }

    /// Starts the session.
    ///
    /// # Errors
    /// If the context does not fit the contract's declarations, or the snapshot cannot be taken up; or if the start cannot be
    /// recorded, unless `on_error` lets every call run.
    pub fn start(mut self) -> Result<Session<M>, StartError> {
        self.monitor.seed(self.seed.unwrap_or_else(Seed::random));
        let info = Arc::new(self.monitor.info().clone());
        let recorder = self.sink.clone().map(|sink| Recorder {
            agent: self.agent.clone(),
            surface: self.surface.clone(),
            parent: self.parent,
            ..Recorder::new(sink, self.saved.is_some())
        });
        let core = Core {
            monitor: self.monitor,
            mode: self.mode,
            on_error: match self.on_error {
                Some(OnError::Open) => ByEffect::all(Decision::Allow),
                Some(OnError::Closed) => ByEffect::all(Decision::Block),
                None => info.on_error,
            },
            failed: false,
            context: Context::empty(),
            facts: self.context,
            latest: Time::MIN,
            flights: BTreeMap::new(),
            ids: BTreeMap::new(),
            next: 0,
            diverged: false,
            counts: Counts::default(),
            blocked: vec![0; info.rules.len()],
            requests: self.asks.then(|| Requests::new(self.window)),
            summary: None,
            name: self.id,
            calls: 0,
            recorder,
            notices: Notices::default(),
            info: Arc::clone(&info),
        };
        let (mut core, restored) = match &self.saved {
            #[cfg(feature = "digest")]
            Some(saved) => core.restore(saved)?,
            _ => (core, Vec::new()),
        };
        if let Some(facts) = &core.facts {
            core.context = Context::new(&info.context, facts).map_err(StartError::Context)?;
        }
        if core.recorder.is_some() {
            core.open_record(self.clock.now(), &restored).map_err(StartError::Journal)?;
        }
        let shared = Shared {
            core: Mutex::new(core),
            info,
            clock: self.clock,
            agent: self.agent,
            surface: self.surface,
            restored,
            sink: self.sink,
        };
        Ok(Session { shared: Arc::new(shared) })
    }
}
