//! Waiting until records are on the disk.
//!
//! Group commit: one thread syncs for all whose records were written before it began, while others write on; then the next
//! syncs for those. INVARIANT: nobody waits for a record that came after their own.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::JournalError;
use crate::Ticket;

/// Who syncs, and how far.
#[derive(Debug, Default)]
pub(super) struct Syncer {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// How many records are on the disk.
    synced: u64,
    /// Whether a thread is syncing.
    busy: bool,
    /// For how many records that failed, and how.
    failed: Option<(u64, JournalError)>,
}

impl Syncer {
    /// Waits until the ticket's record is on the disk. `flush` syncs: it says for how many records it tried, and
    /// whether it could.
    pub(super) fn wait(
        &self,
        ticket: Ticket,
        flush: impl Fn() -> (u64, Result<(), JournalError>),
    ) -> Result<(), JournalError> {
        if !ticket.waits {
            return Ok(());
        }
        let mut state = self.state();
        loop {
            if state.synced > ticket.seq {
                return Ok(());
            }
            if let Some((upto, error)) = &state.failed
                && *upto > ticket.seq
            {
                return Err(error.clone());
            }
            if state.busy {
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            state.busy = true;
            drop(state);
            let (upto, result) = flush();
            state = self.state();
            state.busy = false;
            match result {
                Ok(()) => state.synced = state.synced.max(upto),
                Err(error) => state.failed = Some((upto, error)),
            }
            self.changed.notify_all();
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
