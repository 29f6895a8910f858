//! The runtime of Interlock: what generated contract monitors and their hosts use.
//!
//! A *monitor* ([`Monitor`]) decides single calls; generated code and the interpreter implement it. A [`Session`] wraps a
//! monitor for hosts: permits, refusals, calls in flight, the end of the session. Verdicts, decisions, keys, instances and
//! trusted state are defined here once, so that the compiled and the interpreted form of a contract differ in nothing but
//! the code that strings them together.
//!
//! INVARIANT: nothing in here but `journal` does I/O, and nothing reads a clock or the environment; time
//! comes in with each call.

mod belief;
mod call;
mod clock;
mod context;
mod count;
mod deadline;
mod decision;
mod deliberation;
mod distinct;
mod exact;
mod finding;
mod flight;
mod flow;
pub mod info;
mod instances;
#[cfg(feature = "journal")]
pub mod journal;
mod key;
mod keys;
mod machine;
mod message;
mod metrics;
mod monitor;
mod notice;
mod open_ids;
mod permission;
mod permit;
#[doc(hidden)]
pub mod private;
mod rate;
mod redaction;
mod refusal;
mod register;
mod repair;
mod review;
mod rewriting;
mod saved;
mod session;
mod settlement;
mod single;
mod sink;
mod state;
mod total;
pub mod value;
mod verdict;
mod window_total;

pub use call::{Call, CallView, EventView, Outcome, OutcomeView, Status};
pub use clock::{Clock, SystemClock};
pub use context::{Context, ContextError};
pub use decision::{ByEffect, Decision, DecisionTable, DefaultPolicy, Effect, Mode};
pub use deliberation::{Consent, Posture, Ruling};
pub use finding::{Finding, Reason, Report, StateSet, States, Subject};
pub use flight::Flight;
pub use info::{CellInfo, ContractInfo, RuleInfo, Severity, WhenFull};
pub use instances::{Departed, Retired, Seed};
pub use metrics::{Metered, Metrics, Observed};
pub use monitor::{Monitor, RestoreError, Version};
pub use notice::NoticeKind;
pub use permit::Permit;
pub use refusal::{Refusal, RefusalKind, describe, explain, message, what_helps};
pub use rewriting::{RewriteNote, Rewriting};
#[cfg(feature = "digest")]
pub use session::SnapshotError;
pub use session::{
    AfterError, Approval, ApprovalRequest, Counts, Denial, Ended, OnError, RunError, Session, SessionBuilder, Settled,
    StartError, Summary, Tool,
};
pub use settlement::{Delivery, Settlement};
pub use sink::{Answer, Cause, Completed, Decided, Entry, Happening, Shown, Sink, SinkError, Start, Ticket};
pub use value::{Decimal, Duration, Fuel, Time, Type, glob_matches};
pub use verdict::{Colour, Ltl3, Truth, Verdict};
