//! The runtime of Interlock: what generated contract monitors and their hosts use.
//!
//! A *monitor* ([`Monitor`]) decides single calls; generated code and the interpreter implement it. A [`Session`] wraps a
//! monitor for hosts: permits, refusals, calls in flight, the end of the session. Verdicts, decisions, keys, instances and
//! trusted state are defined here once, so that the compiled and the interpreted form of a contract differ in nothing but
//! the code that strings them together.
//!
//! INVARIANT: nothing in here does I/O, reads a clock or the environment; time comes in with each call.

mod belief;
mod call;
mod clock;
mod context;
mod count;
mod decision;
mod deliberation;
mod finding;
mod info;
mod instances;
mod key;
mod machine;
mod monitor;
mod permit;
#[doc(hidden)]
pub mod private;
mod rate;
mod refusal;
mod register;
mod session;
mod single;
mod state;
mod total;
pub mod value;
mod verdict;

pub use call::{Call, CallView, EventView, Outcome, OutcomeView, Status};
pub use clock::{Clock, SystemClock};
pub use context::{Context, ContextError};
pub use decision::{ByEffect, Decision, DecisionTable, DefaultPolicy, Effect, Mode};
pub use deliberation::{Approval, Posture, Ruling};
pub use finding::{Finding, Reason, Report, Subject};
pub use info::{CellInfo, ContractInfo, RuleInfo, Severity};
pub use monitor::Monitor;
pub use permit::Permit;
pub use refusal::{Refusal, RefusalKind, describe, explain, message};
pub use session::{AfterError, Counts, Ended, RunError, Session, SessionBuilder, Settled, StartError, Summary};
pub use value::{Decimal, Duration, Fuel, Time, Type, glob_matches};
pub use verdict::{Colour, Ltl3, Truth, Verdict};
