//! Calls decided, run and completed in one go.

use std::fmt;
use std::future::Future;

use serde_json::{Value, json};

use super::Session;
use super::settled::{AfterError, Settled};
use crate::Monitor;
use crate::call::{Call, Outcome, Status};
use crate::permit::Permit;
use crate::refusal::Refusal;

/// Why a call that was to run has no value for the agent.
#[derive(Debug)]
#[non_exhaustive]
pub enum RunError<E> {
    /// The call did not run.
    Refused(Refusal),
    /// The tool failed.
    Failed(E),
    /// The tool failed, and the contract masks what it said: this is what the agent may see.
    Redacted(Value),
    /// The tool ran, and the contract withholds what came of it. The text is for the model.
    Withheld(String),
    /// The tool ran, but its outcome was not taken.
    After(AfterError),
    /// The arguments are no JSON object, or those that the contract changed them to are not what the tool takes.
    Arguments(String),
    /// The tool ran, but what the agent may see of its result is not what the tool returns: a masked part is a text. It is this.
    Shape(Value),
    /// The tool ran, but what it returned cannot be written as JSON, so no rule could look at it. The outcome is `unknown`.
    Unreadable(String),
}

impl<E: fmt::Display> fmt::Display for RunError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(refusal) => refusal.fmt(f),
            Self::Failed(error) => error.fmt(f),
            Self::Redacted(value) | Self::Shape(value) => value.fmt(f),
            Self::Withheld(text) => f.write_str(text),
            Self::After(error) => error.fmt(f),
            Self::Arguments(error) => write!(f, "the arguments do not fit the tool: {error}"),
            Self::Unreadable(error) => write!(f, "the result cannot be written as JSON: {error}"),
        }
    }
}

impl<E: fmt::Debug + fmt::Display> std::error::Error for RunError<E> {}

impl<M: Monitor> Session<M> {
    /// Decides a call, runs it, and takes its outcome. An error of the tool is the outcome `failed`, with the error's text
    /// as `{"error": …}`. If the future is dropped while the tool runs, the outcome is `unknown`.
    ///
    /// The value is for the agent: masked where the contract says so, and `{"withheld": "…"}` for a result that is withheld.
    ///
    /// # Errors
    /// If the call is refused, or the tool fails.
    pub async fn run<E: fmt::Display, F: Future<Output = Result<Value, E>>>(
        &self,
        tool: &str,
        args: Value,
        make: impl FnOnce(Value) -> F,
    ) -> Result<Value, RunError<E>> {
        let permit = self.before(&Call::owned(tool, args)).map_err(RunError::Refused)?;
        let result = make(permit.args().clone()).await;
        self.finish(permit, result)
    }

    /// The same as [`Self::run`] for a tool that blocks the thread.
    ///
    /// # Errors
    /// If the call is refused, or the tool fails.
    pub fn run_blocking<E: fmt::Display>(
        &self,
        tool: &str,
        args: Value,
        make: impl FnOnce(&Value) -> Result<Value, E>,
    ) -> Result<Value, RunError<E>> {
        let permit = self.before(&Call::owned(tool, args)).map_err(RunError::Refused)?;
        let result = make(permit.args());
        self.finish(permit, result)
    }

    fn finish<E: fmt::Display>(&self, permit: Permit<M>, result: Result<Value, E>) -> Result<Value, RunError<E>> {
        match result {
            Ok(value) => {
                let settled = self.settle(permit, Outcome::new(Status::Ok, Some(value))).map_err(RunError::After)?;
                Ok(settled.value.into_owned())
            }
            Err(error) => Err(self.fail(permit, error)),
        }
    }

    /// Completes a call whose tool failed. The agent sees of the error what it may see of the outcome.
    pub(super) fn fail<E: fmt::Display>(&self, permit: Permit<M>, error: E) -> RunError<E> {
        let outcome = Outcome::new(Status::Failed, Some(json!({"error": error.to_string()})));
        match self.settle(permit, outcome) {
            Ok(settled) if settled.withheld() => RunError::Withheld(settled.text()),
            Ok(settled) if settled.redacted() => RunError::Redacted(settled.value.into_owned()),
            Ok(_) => RunError::Failed(error),
            Err(error) => RunError::After(error),
        }
    }
}

impl Settled<'_> {
    /// The text for the model of a result that is [withheld](Self::withheld); empty for others.
    #[must_use]
    pub fn text(&self) -> String {
        if !self.withheld() {
            return String::new();
        }
        self.value.get("withheld").and_then(Value::as_str).unwrap_or_default().to_owned()
    }
}
