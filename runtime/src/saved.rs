//! What a monitor remembers, as JSON: `{"position": n, "state": …, "rules": {id: …}}`.
//!
//! INVARIANT: nothing is silently reset. State of the same contract is taken up exactly or refused; state of another version
//! leaves every rule and cell in doubt, and that is reported.

use serde_json::{Map, Value};

use crate::finding::{Finding, Reason, Subject};
use crate::info::CellInfo;
use crate::monitor::{RestoreError, Version};
use crate::state::State;
use crate::{Decision, Verdict};

/// Collects what a monitor remembers.
#[derive(Debug)]
pub struct Saving {
    position: u64,
    state: Value,
    rules: Map<String, Value>,
}

impl Saving {
    /// Of a monitor that has admitted so many calls.
    #[must_use]
    pub fn new(position: u64, state: &State) -> Self {
        Self { position, state: state.save(), rules: Map::new() }
    }

    /// Adds a rule that remembers something.
    pub fn rule(&mut self, id: &str, saved: Value) {
        self.rules.insert(id.to_owned(), saved);
    }

    /// All of it.
    #[must_use]
    pub fn finish(self) -> Value {
        let mut saved = Map::new();
        saved.insert("position".to_owned(), self.position.into());
        saved.insert("state".to_owned(), self.state);
        saved.insert("rules".to_owned(), Value::Object(self.rules));
        Value::Object(saved)
    }
}

/// Takes up what a monitor remembered.
#[derive(Debug)]
pub struct Restoring<'v> {
    position: u64,
    state: &'v Value,
    rules: &'v Map<String, Value>,
    version: Version,
    findings: Vec<Finding>,
}

impl<'v> Restoring<'v> {
    /// From what was saved.
    ///
    /// # Errors
    /// If it has not the shape of what monitors save.
    pub fn new(saved: &'v Value, version: Version) -> Result<Self, RestoreError> {
        let parts = || {
            let position = saved.get("position")?.as_u64()?;
            Some((position, saved.get("state")?, saved.get("rules")?.as_object()?))
        };
        let (position, state, rules) =
            parts().ok_or_else(|| RestoreError::new("it has no position, state and rules"))?;
        Ok(Self { position, state, rules, version, findings: Vec::new() })
    }

    /// How many calls had been admitted.
    #[must_use]
    pub fn position(&self) -> u64 {
        self.position
    }

    /// The state cells. `fresh` are those of a session that begins.
    ///
    /// # Errors
    /// If the cells of the contract could not have held this.
    pub fn state(&mut self, cells: &[CellInfo], mut fresh: State) -> Result<State, RestoreError> {
        match self.version {
            Version::Same => {
                State::load(cells, self.state).ok_or_else(|| RestoreError::new("its state does not fit the cells"))
            }
            Version::Other => {
                fresh.doubt(cells);
                let cells = (0u16..).zip(cells);
                self.findings.extend(cells.map(|(index, _)| in_doubt(Subject::State(index))));
                Ok(fresh)
            }
        }
    }

    /// One rule that remembers something. `take` loads what was saved of the same version, and says whether it fits; of
    /// another version it gets what was saved of a rule of this name, or null, and leaves the rule in doubt.
    ///
    /// # Errors
    /// If the rule could not have saved this.
    pub fn rule(
        &mut self,
        index: u16,
        id: &str,
        take: impl FnOnce(&Value, Version) -> bool,
    ) -> Result<(), RestoreError> {
        let saved = self.rules.get(id);
        let fits = match (saved, self.version) {
            (Some(saved), version) => take(saved, version),
            (None, Version::Other) => take(&Value::Null, Version::Other),
            (None, Version::Same) => false,
        };
        if !fits {
            return Err(RestoreError::new(format!("what is there for the rule `{id}` is not its state")));
        }
        if self.version == Version::Other {
            self.findings.push(in_doubt(Subject::Rule(index)));
        }
        Ok(())
    }

    /// What is in doubt: rules first, in their order, then cells.
    #[must_use]
    pub fn finish(self) -> Vec<Finding> {
        let mut findings = self.findings;
        findings.sort_by_key(|finding| match finding.subject {
            Subject::Rule(index) => (0, index),
            Subject::State(index) => (1, index),
            Subject::Default | Subject::Undeclared => (2, 0),
        });
        findings
    }
}

/// Puts a loaded value in place; `false` if there is none.
pub fn replace<T>(place: &mut T, loaded: Option<T>) -> bool {
    let fits = loaded.is_some();
    if let Some(loaded) = loaded {
        *place = loaded;
    }
    fits
}

fn in_doubt(subject: Subject) -> Finding {
    Finding::new(subject, Verdict::Unestablished, Decision::Alert, Reason::Changed)
}
