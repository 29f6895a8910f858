//! What is touched of a contract while it runs, for those who ask what their tests reach.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use contract_runtime::{States, Truth, Verdict};

use crate::mir::Expr;

/// What is touched by all sessions of a contract.
#[derive(Debug, Default)]
pub struct Watch {
    seen: Mutex<Seen>,
}

#[derive(Debug, Default)]
struct Seen {
    /// By the address of the predicate in the contract that runs: how often it was true, false, not established.
    predicates: BTreeMap<usize, [u64; 3]>,
    /// By rule.
    rules: BTreeMap<usize, Touched>,
    /// By commit: how often it was carried out.
    commits: BTreeMap<usize, u64>,
}

/// What is touched of a rule.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Touched {
    /// How often it had something to say of an event.
    pub times: u64,
    /// How often that was that the event violates it.
    pub violated: u64,
    /// How often it could not be evaluated.
    pub unestablished: u64,
    /// The steps of its automaton, also those that were not taken because the call was stopped: from which state to which.
    pub steps: BTreeMap<(u8, u8), u64>,
}

fn bump(count: &mut u64) {
    *count = count.saturating_add(1);
}

fn address(predicate: &Expr) -> usize {
    std::ptr::from_ref(predicate).addr()
}

impl Watch {
    fn seen(&self) -> MutexGuard<'_, Seen> {
        // What is counted is right whenever a count is.
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn predicate(&self, predicate: &Expr, truth: Truth) {
        let mut seen = self.seen();
        let [yes, no, unknown] = seen.predicates.entry(address(predicate)).or_default();
        bump(match truth {
            Truth::True => yes,
            Truth::False => no,
            Truth::Unknown => unknown,
        });
    }

    pub(super) fn rule(&self, rule: usize, verdict: Verdict, states: Option<States>) {
        let mut seen = self.seen();
        let touched = seen.rules.entry(rule).or_default();
        bump(&mut touched.times);
        match verdict {
            Verdict::Violated => bump(&mut touched.violated),
            Verdict::Unestablished => bump(&mut touched.unestablished),
            Verdict::Satisfied | Verdict::Open | Verdict::Pending => {}
        }
        // Where it is not known in which state the automaton is, no step is certain.
        let Some(States { before, after }) = states else { return };
        let mut ends = [before, after].map(|states| {
            let mut states = states.iter();
            states.next().filter(|_| states.next().is_none())
        });
        if let [Some(from), Some(to)] = &mut ends {
            bump(touched.steps.entry((*from, *to)).or_default());
        }
    }

    pub(super) fn commit(&self, commit: usize) {
        bump(self.seen().commits.entry(commit).or_default());
    }

    /// How often a predicate of the contract that runs was true, false, and not established.
    #[must_use]
    pub fn outcomes(&self, predicate: &Expr) -> [u64; 3] {
        self.seen().predicates.get(&address(predicate)).copied().unwrap_or_default()
    }

    /// What is touched of a rule, by index.
    #[must_use]
    pub fn touched(&self, rule: usize) -> Touched {
        self.seen().rules.get(&rule).cloned().unwrap_or_default()
    }

    /// How often a commit was carried out, by index.
    #[must_use]
    pub fn committed(&self, commit: usize) -> u64 {
        self.seen().commits.get(&commit).copied().unwrap_or_default()
    }
}
