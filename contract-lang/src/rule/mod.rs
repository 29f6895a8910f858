//! The rule kinds that are automata, one file each: what a rule means, its formula, an example.
//!
//! A formula speaks of the patterns of its rule by index, and so do the letters of its machine: bit i is pattern i. The
//! order of the patterns is part of each kind's documentation and must be kept by whoever lowers rules. An event that
//! matches several patterns of a rule never helps the agent.

pub mod cannot_follow_without;
pub mod forbid;
pub mod must_precede;
pub mod mutually_exclusive;
pub mod never_after;
pub mod required_before_session_end;
