//! Where the time of events comes from when a host does not give it.

use crate::Time;

/// A source of event time.
pub trait Clock: Send + Sync {
    /// The present.
    fn now(&self) -> Time;
}

/// The computer's clock. The only place where the runtime reads one, and only if a session was built with it.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Time {
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        Time::from_nanos(since.map_or(0, |since| i128::try_from(since.as_nanos()).unwrap_or(i128::MAX)))
    }
}

impl<F: Fn() -> Time + Send + Sync> Clock for F {
    fn now(&self) -> Time {
        self()
    }
}
