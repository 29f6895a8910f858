//! What was seen in a session that is no call, on record.
//!
//! INVARIANT: whoever sends noise does not fill the disk with it. The first of a kind are recorded one by one; after these they
//! are counted, and a record says how many there were whenever their number has doubled, when the session is saved and when it
//! ends. A clock has no part in it, so the same messages leave the same records.

use std::collections::BTreeMap;

use super::core::Core;
use super::summary::Ended;
use crate::sink::Happening;
use crate::{Monitor, NoticeKind, Time};

/// How many notices of a kind are recorded one by one.
pub(super) const ONE_BY_ONE: u64 = 100;

/// What a record says of those that were only counted.
const COUNTED: &str = "more of this kind, which were counted and not recorded one by one";

/// How many notices there were.
#[derive(Clone, Debug, Default)]
pub(super) struct Notices {
    kinds: BTreeMap<NoticeKind, Tally>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    seen: u64,
    /// How many of them no record speaks of.
    unsaid: u64,
}

impl Notices {
    /// Counts one more. Returns for how many a record is to stand now, this one included, if there is to be one.
    fn count(&mut self, kind: NoticeKind) -> Option<u64> {
        let tally = self.kinds.entry(kind).or_default();
        tally.seen = tally.seen.saturating_add(1);
        tally.unsaid = tally.unsaid.saturating_add(1);
        let is_due = tally.seen <= ONE_BY_ONE || tally.unsaid.saturating_mul(2) >= tally.seen;
        is_due.then(|| std::mem::take(&mut tally.unsaid))
    }

    /// Those of which no record speaks so far.
    fn unsaid(&mut self) -> Vec<(NoticeKind, u64)> {
        let all = self.kinds.iter_mut().map(|(kind, tally)| (*kind, std::mem::take(&mut tally.unsaid)));
        all.filter(|(_, count)| *count > 0).collect()
    }
}

impl<M: Monitor> Core<M> {
    /// Takes a notice, which changes nothing but the record.
    pub(super) fn notice(&mut self, kind: NoticeKind, text: &str, about: Option<&[u8]>, at: Time) -> Result<(), Ended> {
        self.check_running()?;
        if self.recorder.is_none() {
            return Ok(());
        }
        let now = self.latest.max(at);
        if let Some(count) = self.notices.count(kind) {
            self.write(now, Happening::Notice { kind, text, about, count });
        }
        Ok(())
    }

    /// Records how many notices there were that no record speaks of.
    pub(super) fn write_notices(&mut self) {
        for (kind, count) in self.notices.unsaid() {
            self.write(self.latest, Happening::Notice { kind, text: COUNTED, about: None, count });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_leaves_few_records_that_count_all_of_it() {
        let mut notices = Notices::default();
        let said: Vec<u64> = (0..1_000_000).filter_map(|_| notices.count(NoticeKind::Noise)).collect();
        assert!(said.len() < 120, "{}", said.len());
        let left: u64 = notices.unsaid().iter().map(|(_, count)| count).sum();
        assert_eq!(said.iter().sum::<u64>() + left, 1_000_000);
        assert!(notices.unsaid().is_empty());
        // Another kind is not drowned by it.
        assert_eq!(notices.count(NoticeKind::Refused), Some(1));
    }
}
