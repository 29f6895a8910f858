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
    /// Whether an unknown outcome counts as the success that it may have been.
    pub unknown_is_ok: bool,
}

impl Role {
    /// A call that is stopped before it runs: `then` of `must_precede`, `call` of `cannot_follow_without`, `forbid`.
    pub const GUARDED: Self = Self::new("a guarded call", Some(CALL), EVERY);
    /// A call that is decided and nothing else: `permit`, the calls of `require`, `guards`.
    pub const DECIDED: Self = Self::new("a decided call", Some(CALL), CALL);
    /// A prerequisite or an obligation: an attempt, a failure or a call that still runs proves nothing.
    pub const PROOF: Self = Self::new("a prerequisite", Some(OK), EVERY);
    /// The trigger of a ban: an attempt may have had its effect.
    pub const TRIGGER: Self = Self::new("a trigger", Some(CALL), EVERY);
    /// The trigger of an obligation: what happened, or may have happened.
    pub const OBLIGES: Self = Self { unknown_is_ok: true, ..Self::new("a trigger", Some(OK), EVERY) };
    /// What is counted: calls, reserved at admission.
    pub const COUNTED: Self = Self::new("a counted call", Some(CALL), EVERY);
    /// A result that is looked at, however the call ended.
    pub const RESULT: Self = Self::new("a result", Some(DONE), DONE);
    /// What state changes after: never a call before it ran.
    pub const COMMIT: Self = Self::new("what a commit follows", None, AFTER);
    /// What a name of a formula stands for.
    pub const NAMED: Self = Self::new("a named pattern", None, EVERY);
    /// What closes an instance.
    pub const CLOSE: Self = Self::new("what closes an instance", None, EVERY);
    /// What undoes a permission.
    pub const VOID: Self = Self::new("what undoes a permission", None, EVERY);
    /// What makes a rule start afresh.
    pub const RESET: Self = Self::new("what starts a rule afresh", None, EVERY);

    const fn new(what: &'static str, bare: Option<Phases>, allowed: Phases) -> Self {
        Self { what, bare, allowed, unknown_is_ok: false }
    }
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
