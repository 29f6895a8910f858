//! Sessions of the contract in force.

use std::error::Error;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use contract_lang::interpret::{Interpreted, Interpreter};
use contract_lang::{LoadError, load, mir};
use contract_runtime::journal::Journal;
use contract_runtime::{Mode, OnError, Session};
use interlock_gateway::mcp::{Choice, Gate};
use serde_json::Value;

use super::named;
use crate::args;

/// What sessions are started with.
pub(in crate::command) struct Sessions {
    contract: PathBuf,
    agent: Option<String>,
    context: Option<Value>,
    mode: Option<Mode>,
    on_error: Option<OnError>,
    journal: Option<Journal>,
    /// The methods that the contract in force decides beside `tools/call`.
    decided: Arc<Mutex<Vec<&'static str>>>,
}

impl Sessions {
    /// Opens the journal, and reads the facts.
    pub(super) fn new(args: &args::Mcp) -> Result<Self, Box<dyn Error>> {
        let rehearsal = Self::rehearsal(args)?;
        Ok(Self { journal: args.recording.exclusive()?, ..rehearsal })
    }

    /// The same for sessions that leave nothing behind.
    pub(in crate::command) fn rehearsal(args: &args::Mcp) -> Result<Self, Box<dyn Error>> {
        let context = args.context.as_deref().map(serde_json::from_str::<Value>).transpose();
        let context = context.map_err(|error| format!("`--context` is no JSON object: {error}"))?;
        if context.as_ref().is_some_and(|context| !context.is_object()) {
            return Err("`--context` is no JSON object".into());
        }
        Ok(Self {
            contract: args.contract.clone(),
            agent: args.agent.clone(),
            context,
            mode: args.mode,
            on_error: args.on_error(),
            journal: None,
            decided: Arc::default(),
        })
    }

    /// Whether the contract in force decides a method beside `tools/call`.
    pub(super) fn decides(&self) -> Choice {
        let decided = Arc::clone(&self.decided);
        Box::new(move |method| decided.lock().unwrap_or_else(PoisonError::into_inner).contains(&method))
    }

    pub(super) fn journal(&self) -> Option<Journal> {
        self.journal.clone()
    }

    /// Starts a session, or takes one up again.
    pub(in crate::command) fn start(
        &self,
        contract: mir::Contract,
        saved: Option<&str>,
    ) -> Result<Session<Interpreter>, String> {
        let decided = named::methods(&contract);
        let session = self.begin(&Interpreted::new(contract), saved, None)?;
        *self.decided.lock().unwrap_or_else(PoisonError::into_inner) = decided;
        Ok(session)
    }

    /// A session of a contract that is compiled. `agent` is who calls where the command line does not say.
    fn begin(
        &self,
        contract: &Interpreted,
        saved: Option<&str>,
        agent: Option<&str>,
    ) -> Result<Session<Interpreter>, String> {
        let mut session = Session::builder(contract.monitor()).surface("mcp");
        if let Some(agent) = self.agent.as_deref().or(agent) {
            session = session.agent(agent, "");
        }
        if let Some(context) = &self.context {
            session = session.context(context.clone());
        }
        if let Some(mode) = self.mode {
            session = session.mode(mode);
        }
        if let Some(on_error) = self.on_error {
            session = session.on_error(on_error);
        }
        if let Some(journal) = &self.journal {
            session = session.journal(journal.clone());
        }
        if let Some(saved) = saved {
            session = session.restore(saved);
        }
        session.start().map_err(|error| error.to_string())
    }

    /// Loads the contract again, for a session that goes on.
    pub(super) fn reload(&self, gate: &Gate<Interpreter>) -> Result<String, String> {
        let contract = self.load()?;
        gate.exchange(|saved| self.start(contract, Some(saved)))?;
        Ok(gate.session().info().name.to_string())
    }

    fn load(&self) -> Result<mir::Contract, String> {
        match load(&self.contract) {
            Ok(loaded) => Ok(loaded.contract),
            Err(LoadError::Invalid(_)) => Err("it has errors; `interlock lint` tells them".to_owned()),
            Err(error) => Err(error.to_string()),
        }
    }
}

/// Sessions of one contract, of which many are under way.
#[cfg(feature = "http")]
pub(super) struct Shared {
    sessions: Sessions,
    contract: Mutex<Arc<Interpreted>>,
}

#[cfg(feature = "http")]
impl Shared {
    pub(super) fn new(sessions: Sessions, contract: mir::Contract) -> Self {
        *sessions.decided.lock().unwrap_or_else(PoisonError::into_inner) = named::methods(&contract);
        Self { sessions, contract: Mutex::new(Arc::new(Interpreted::new(contract))) }
    }

    /// Whether the contract in force decides a method beside `tools/call`.
    pub(super) fn decides(&self) -> Choice {
        self.sessions.decides()
    }

    /// Starts a session of the contract in force.
    pub(super) fn start(&self, name: Option<&str>) -> Result<Session<Interpreter>, String> {
        let contract = Arc::clone(&self.contract.lock().unwrap_or_else(PoisonError::into_inner));
        self.sessions.begin(&contract, None, name)
    }

    /// Loads the contract again, for sessions that go on and those that will begin. Returns its name, and how many sessions stay
    /// with the one that they have.
    pub(super) fn reload(&self, gates: &[&Gate<Interpreter>]) -> Result<(String, usize), String> {
        let contract = self.sessions.load()?;
        let (name, decided) = (contract.name.to_string(), named::methods(&contract));
        let contract = Arc::new(Interpreted::new(contract));
        *self.contract.lock().unwrap_or_else(PoisonError::into_inner) = Arc::clone(&contract);
        *self.sessions.decided.lock().unwrap_or_else(PoisonError::into_inner) = decided;
        let stays = |gate: &&&Gate<Interpreter>| {
            gate.exchange(|saved| self.sessions.begin(&contract, Some(saved), None)).is_err()
        };
        Ok((name, gates.iter().filter(stays).count()))
    }
}
