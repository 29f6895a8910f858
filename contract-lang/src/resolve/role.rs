//! The roles of patterns: which phase a bare tool takes, and which phases make sense at all.

use crate::mir::Phases;
use crate::syntax::pattern::Phase;

const NONE: Phases = Phases { call: false, ok: false, failed: false, unknown: false, event: false };
const CALL: Phases = Phases { call: true, ..NONE };
const OK: Phases = Phases { ok: true, ..NONE };
const EVENT: Phases = Phases { event: true, ..NONE };
const DONE: Phases = Phases { ok: true, failed: true, unknown: true, ..NONE };
const AFTER: Phases = Phases { event: true, ..DONE };
const EVERY: Phases = Phases { call: true, ..AFTER };

/// The role of a pattern in its rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Role {
    /// What is at its place, for messages: "a guarded call".
    pub what: &'static str,
    /// The phases of a bare tool. `None`: the pattern must say it.
    pub bare: Option<Phases>,
    /// The phases that are accepted.
    pub allowed: Phases,
}

impl Role {
    /// A call that is stopped before it runs: `then` of `must_precede`, `call` of `cannot_follow_without`, `forbid`.
    pub const GUARDED: Self = Self { what: "a guarded call", bare: Some(CALL), allowed: EVERY };
    /// A call that is decided and nothing else: `permit`, and the calls of `require`.
    pub const DECIDED: Self = Self { what: "a decided call", bare: Some(CALL), allowed: CALL };
    /// A prerequisite or an obligation: an attempt, a failure or a call that still runs proves nothing.
    pub const PROOF: Self = Self { what: "a prerequisite", bare: Some(OK), allowed: EVERY };
    /// The trigger of a ban: an attempt may have had its effect.
    pub const TRIGGER: Self = Self { what: "a trigger", bare: Some(CALL), allowed: EVERY };
    /// What is counted: calls, reserved at admission.
    pub const COUNTED: Self = Self { what: "a counted call", bare: Some(CALL), allowed: EVERY };
    /// What state changes after: never a call before it ran.
    pub const COMMIT: Self = Self { what: "what a commit follows", bare: None, allowed: AFTER };
    /// What closes an instance.
    pub const CLOSE: Self = Self { what: "what closes an instance", bare: None, allowed: EVERY };
}

/// The phases of a word before brackets. `effect(…)` takes those of its role.
pub(super) fn phases(word: Phase) -> Option<Phases> {
    match word {
        Phase::Call => Some(CALL),
        Phase::Ok => Some(OK),
        Phase::Failed => Some(Phases { failed: true, ..NONE }),
        Phase::Unknown => Some(Phases { unknown: true, ..NONE }),
        Phase::Done => Some(DONE),
        Phase::Event => Some(EVENT),
        Phase::Effect => None,
    }
}

/// What `effect(…)` means where the role has no phase.
pub(super) const EFFECT_DEFAULT: Phases = CALL;

/// Whether all of the first are among the second.
pub(super) fn within(phases: Phases, allowed: Phases) -> bool {
    let pairs = [
        (phases.call, allowed.call),
        (phases.ok, allowed.ok),
        (phases.failed, allowed.failed),
        (phases.unknown, allowed.unknown),
        (phases.event, allowed.event),
    ];
    pairs.iter().all(|(has, may)| *may || !*has)
}

/// The spelling of a set of phases.
pub(super) fn spelled(phases: Phases) -> &'static str {
    let words = [Phase::Done, Phase::Call, Phase::Ok, Phase::Failed, Phase::Unknown, Phase::Event];
    words.into_iter().find(|word| self::phases(*word) == Some(phases)).map_or("call", Phase::as_str)
}
