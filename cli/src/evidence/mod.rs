//! What the commands share that look into a journal.
//!
//! INVARIANT: a journal is hostile input, chosen by agents. It is read one record at a time, what is kept of it is bounded, and
//! what is shown of it is escaped and cut ([`text`]).

pub(crate) mod badge;
pub(crate) mod finding;
pub(crate) mod hidden;
pub(crate) mod ignorance;
pub(crate) mod text;
