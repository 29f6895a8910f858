//! Sessions of the contract in force.

use std::error::Error;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use contract_lang::interpret::{Interpreted, Interpreter};
use contract_lang::{LoadError, load, mir};
use contract_runtime::journal::Journal;
use contract_runtime::{Mode, OnError, Session};
use interlock_gateway::mcp::{self, Choice, Gate};
use serde_json::Value;

use super::named;
use super::pins::Known;
use crate::args;

/// What sessions are started with.
pub(in crate::command) struct Sessions {
    contract: PathBuf,
    agent: Option<String>,
    context: Option<Value>,
    mode: Option<Mode>,
    on_error: Option<OnError>,
    journal: Option<Journal>,
    in_force: Arc<Mutex<Option<Said>>>,
    /// What is known of the server's tools.
    known: Known,
}

/// The contract in force.
struct Said {
    /// In the mode of its sessions.
    contract: mir::Contract,
    /// The methods that it decides beside `tools/call`.
    decided: Vec<&'static str>,
}

impl Sessions {
    /// Opens the journal, and reads the facts.
    pub(super) fn new(args: &args::Mcp, known: Known) -> Result<Self, Box<dyn Error>> {
        let rehearsal = Self::rehearsal(args)?;
        Ok(Self { journal: args.recording.exclusive()?, known, ..rehearsal })
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
            in_force: Arc::default(),
            known: Known::default(),
        })
    }

    /// Whether the contract in force decides a method beside `tools/call`.
    pub(super) fn decides(&self) -> Choice {
        self.asked(|said, method| said.decided.contains(&method))
    }

    /// Whether the contract in force lets tools run that nobody has looked at.
    pub(super) fn strangers(&self) -> Choice {
        self.asked(|said, _| mcp::admits_strangers(&said.contract))
    }

    /// Whether some call of a tool may run under the contract in force.
    pub(super) fn shows(&self, server: Option<String>) -> Choice {
        self.asked(move |said, tool| mcp::may_run(&said.contract, server.as_deref(), tool))
    }

    fn asked(&self, says: impl Fn(&Said, &str) -> bool + Send + Sync + 'static) -> Choice {
        let in_force = Arc::clone(&self.in_force);
        Box::new(move |name| {
            let said = in_force.lock().unwrap_or_else(PoisonError::into_inner);
            said.as_ref().is_some_and(|said| says(said, name))
        })
    }

    pub(super) fn known(&self) -> &Known {
        &self.known
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
        let said = self.said(&contract);
        let session = self.begin(&Interpreted::new(contract), saved, None)?;
        self.put(said);
        Ok(session)
    }

    /// What is asked of a contract in force.
    fn said(&self, contract: &mir::Contract) -> Said {
        let mut contract = contract.clone();
        contract.mode = self.mode.unwrap_or(contract.mode);
        Said { decided: named::methods(&contract), contract }
    }

    /// Another contract is in force.
    fn put(&self, said: Said) {
        *self.in_force.lock().unwrap_or_else(PoisonError::into_inner) = Some(said);
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
        sessions.put(sessions.said(&contract));
        Self { sessions, contract: Mutex::new(Arc::new(Interpreted::new(contract))) }
    }

    pub(super) fn sessions(&self) -> &Sessions {
        &self.sessions
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
        let (name, said) = (contract.name.clone(), self.sessions.said(&contract));
        let contract = Arc::new(Interpreted::new(contract));
        *self.contract.lock().unwrap_or_else(PoisonError::into_inner) = Arc::clone(&contract);
        self.sessions.put(said);
        let stays = |gate: &&&Gate<Interpreter>| {
            gate.exchange(|saved| self.sessions.begin(&contract, Some(saved), None)).is_err()
        };
        Ok((name, gates.iter().filter(stays).count()))
    }
}
