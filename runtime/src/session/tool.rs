//! Plain async functions with a guard around them.

use std::borrow::Cow;
use std::fmt;
use std::future::Future;

use serde_core::Serialize;
use serde_core::de::DeserializeOwned;

use super::Session;
use super::run::RunError;
use crate::Monitor;
use crate::call::{Call, Outcome, Status};

/// A tool that runs only with a permit. See [`Session::tool`].
pub struct Tool<M: Monitor, F> {
    session: Session<M>,
    name: Cow<'static, str>,
    server: Option<Cow<'static, str>>,
    run: F,
}

impl<M: Monitor, F> fmt::Debug for Tool<M, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tool").field("name", &self.name).finish_non_exhaustive()
    }
}

impl<M: Monitor> Session<M> {
    /// Guards an async function: each [`Tool::call`] is decided, run and completed.
    pub fn tool<F>(&self, name: impl Into<Cow<'static, str>>, run: F) -> Tool<M, F> {
        Tool { session: self.clone(), name: name.into(), server: None, run }
    }
}

impl<M: Monitor, F> Tool<M, F> {
    /// The server that has the tool.
    #[must_use]
    pub fn server(mut self, server: impl Into<Cow<'static, str>>) -> Self {
        self.server = Some(server.into());
        self
    }

    /// Decides a call with these arguments, runs it, and takes its outcome. The function gets the arguments after the
    /// contract's rewrites; what comes back is what the agent may see. An error is the outcome `failed`, a dropped future
    /// `unknown`.
    ///
    /// # Errors
    /// If the call is refused, the tool fails, its result is withheld, or one of the values does not fit the function's types.
    pub async fn call<A, T, E, R>(&self, args: A) -> Result<T, RunError<E>>
    where
        F: Fn(A) -> R,
        R: Future<Output = Result<T, E>>,
        A: Serialize + DeserializeOwned,
        T: Serialize + DeserializeOwned,
        E: fmt::Display,
    {
        let shape = |error: serde_json::Error| RunError::Arguments(error.to_string());
        let mut call = Call::owned(self.name.as_ref(), serde_json::to_value(&args).map_err(shape)?);
        if !call.args.is_object() {
            return Err(RunError::Arguments("they are no JSON object".to_owned()));
        }
        if let Some(server) = &self.server {
            call = call.server(server.as_ref());
        }
        let permit = self.session.before(&call).map_err(RunError::Refused)?;
        let args = if permit.rewritten() {
            match serde_json::from_value(permit.args().clone()) {
                Ok(args) => args,
                // It never ran, which a failed outcome says.
                Err(error) => {
                    let said = serde_json::json!({ "error": error.to_string() });
                    self.session.settle(permit, Outcome::new(Status::Failed, Some(said))).map_err(RunError::After)?;
                    return Err(shape(error));
                }
            }
        } else {
            args
        };
        let result = match (self.run)(args).await {
            Ok(result) => result,
            Err(error) => return Err(self.session.fail(permit, error)),
        };
        let value = match serde_json::to_value(&result) {
            Ok(value) => value,
            Err(error) => {
                self.session.settle(permit, Outcome::unknown()).map_err(RunError::After)?;
                return Err(RunError::Unreadable(error.to_string()));
            }
        };
        let settled = self.session.settle(permit, Outcome::new(Status::Ok, Some(value))).map_err(RunError::After)?;
        if settled.withheld() {
            return Err(RunError::Withheld(settled.text()));
        }
        if !settled.redacted() {
            return Ok(result);
        }
        let seen = settled.value.into_owned();
        serde_json::from_value(seen.clone()).map_err(|_| RunError::Shape(seen))
    }
}
