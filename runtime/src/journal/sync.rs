//! Waiting until records are on the disk.
//!
//! Group commit: one thread syncs for all whose records were written before it began, while others write on; then the next
//! syncs for those. INVARIANT: nobody waits for a record that came after their own.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::JournalError;

/// What a writer waits for after an append.
///
/// Handed out by [`Journal::append`](super::Journal::append), given back to [`Journal::commit`](super::Journal::commit).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "the record is not on the disk before `commit`"]
pub struct Ticket {
    /// How many records there were with the one that was appended.
    pub(super) size: u64,
    /// Whether there is anything to wait for.
    pub(super) waits: bool,
}

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
    /// Up to which record that failed, and how.
    failed: Option<(u64, JournalError)>,
}

impl Syncer {
    /// Waits until the ticket's record is on the disk. `flush` syncs: it says up to which record it tried, and whether it could.
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
            if state.synced >= ticket.size {
                return Ok(());
            }
            if let Some((upto, error)) = &state.failed
                && *upto >= ticket.size
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
