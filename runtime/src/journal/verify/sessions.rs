//! Whether the records of each session fit together: calls are numbered in order, and each outcome is of a call that ran.
//!
//! None of this speaks against a journal whose chain holds: it wrote these records itself. But it has to be known.

use std::collections::{BTreeMap, HashMap};

use super::facts::Detail;

/// More sessions, and more calls, are not followed at once: memory is bounded.
const MOST_OPEN: usize = 65_536;

/// The sessions that are open.
#[derive(Debug, Default)]
pub(super) struct Sessions {
    open: HashMap<Box<str>, Session>,
    /// How many calls are in flight in all of them.
    in_flight: usize,
    /// How many began.
    pub(super) begun: u64,
    /// Calls that ran and have no outcome, and the first of them.
    pub(super) unfinished: Tally,
    /// Records that do not fit, and the first of them.
    pub(super) broken: Tally,
    /// Whether there were too many to follow.
    pub(super) too_many: bool,
}

/// How many, and the `seq` of the first.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tally {
    pub(super) count: u64,
    pub(super) first: Option<u64>,
}

impl Tally {
    pub(super) fn add(&mut self, seq: u64) {
        self.count = self.count.saturating_add(1);
        self.first = Some(self.first.map_or(seq, |first| first.min(seq)));
    }
}

#[derive(Debug, Default)]
struct Session {
    /// The number of the next call, unless the session was taken up from elsewhere.
    next: Option<u64>,
    /// The calls that run: their numbers, and the `seq` of their decisions.
    calls: BTreeMap<u64, u64>,
}

impl Sessions {
    /// Takes a record of a session.
    pub(super) fn record(&mut self, name: &str, seq: u64, detail: &Detail) {
        if let Detail::Start { resumed, .. } = detail {
            self.start(name, seq, *resumed);
            return;
        }
        let Some(session) = self.open.get_mut(name) else {
            if !self.too_many {
                self.broken.add(seq);
            }
            return;
        };
        match *detail {
            Detail::Decision { call, ran } => {
                if session.next.is_some_and(|next| next != call) {
                    self.broken.add(seq);
                }
                session.next = Some(call.saturating_add(1));
                if ran && self.in_flight < MOST_OPEN {
                    if let Some(earlier) = session.calls.insert(call, seq) {
                        self.unfinished.add(earlier);
                    } else {
                        self.in_flight = self.in_flight.saturating_add(1);
                    }
                } else if ran {
                    self.too_many = true;
                }
            }
            Detail::Outcome { call, decision } => match session.calls.remove(&call) {
                Some(decided) => {
                    self.in_flight = self.in_flight.saturating_sub(1);
                    if decision != Some(decided) {
                        self.broken.add(seq);
                    }
                }
                // `null`: the decision could not be recorded, or is in another journal.
                None if decision.is_some() && !self.too_many => self.broken.add(seq),
                None => {}
            },
            Detail::End => {
                if let Some(session) = self.open.remove(name) {
                    self.leave(session);
                }
            }
            _ => {}
        }
    }

    fn start(&mut self, name: &str, seq: u64, resumed: bool) {
        self.begun = self.begun.saturating_add(1);
        if let Some(session) = self.open.get_mut(name) {
            if resumed {
                session.next = None;
            } else {
                self.broken.add(seq);
            }
        } else if self.open.len() < MOST_OPEN {
            let session = Session { next: (!resumed).then_some(0), calls: BTreeMap::new() };
            self.open.insert(name.into(), session);
        } else {
            self.too_many = true;
        }
    }

    fn leave(&mut self, session: Session) {
        self.in_flight = self.in_flight.saturating_sub(session.calls.len());
        for seq in session.calls.into_values() {
            self.unfinished.add(seq);
        }
    }

    /// Closes what is open when the journal ends.
    pub(super) fn finish(&mut self) {
        // The order does not show: `Tally` keeps a number and a minimum.
        let open = std::mem::take(&mut self.open);
        open.into_values().for_each(|session| self.leave(session));
    }
}
