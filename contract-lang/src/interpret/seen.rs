//! What each rule sees of an event, for whoever reasons about rules apart from their state.

use contract_runtime::private::{Part, Requirement, Touched};
use contract_runtime::{CallView, EventView, OutcomeView, Status, Truth};

use super::evaluate::{Moment, Scope};
use super::{Interpreter, Program};
use crate::mir::{Kind, Pattern, Rule};

/// What one rule sees of an event.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    /// Whether each pattern holds, in one reading of the event and in the other.
    pub(crate) holds: Vec<[Truth; 2]>,
    /// Whether the event is guarded, closes, and resets.
    pub(crate) guard: Truth,
    pub(crate) close: Truth,
    pub(crate) reset: Truth,
    /// The verdict of a rule that looks at the event alone; `None` if it says nothing.
    pub(crate) says: Option<contract_runtime::Verdict>,
    /// What the event touches; `None` for a rule without a key.
    pub(crate) key: Option<SeenKey>,
}

/// The keys that an event touches, as texts that tell them apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SeenKey {
    One(String),
    Each(Vec<String>),
    All,
    Unread,
    Skipped,
}

impl SeenKey {
    fn of(touched: &Touched<'_>) -> Self {
        let one = |parts: &[Option<Part<'_>>]| match parts {
            parts if parts.contains(&Some(Part::Absent)) => Self::Skipped,
            parts if parts.iter().any(|part| matches!(part, None | Some(Part::Later))) => Self::Unread,
            parts => Self::One(format!("{parts:?}")),
        };
        match touched {
            Touched::One(parts) => one(parts),
            Touched::Each(keys) => Self::Each(keys.iter().map(|parts| format!("{parts:?}")).collect()),
            Touched::All => Self::All,
        }
    }
}

impl Interpreter {
    /// What each rule sees of a call.
    pub(crate) fn seen_call(&self, call: &CallView<'_>) -> Vec<Seen> {
        let (scope, _) = self.program.call_scope(&self.state, self.position, call);
        self.program.contract.rules.iter().map(|rule| seen(rule, &scope, &scope)).collect()
    }

    /// What each rule sees of a result that counts as `status` in the end.
    pub(crate) fn seen_result(
        &self,
        call: &CallView<'_>,
        effect: contract_runtime::Effect,
        outcome: &OutcomeView<'_>,
        status: Status,
    ) -> Vec<Seen> {
        let program: &Program = &self.program;
        let moment = |status| Moment::Result { call: *call, effect, status, value: outcome.value };
        let scope = Scope {
            watch: None,
            regexes: &program.regexes,
            state: &self.state,
            context: call.context,
            now: call.now,
            position: self.position,
            subject: moment(Status::Ok),
        };
        let came = program.status(call, &scope, outcome);
        let as_came = Scope { subject: moment(came), ..scope };
        let settled = Scope { subject: moment(status).settled(), ..scope };
        let mut all: Vec<Seen> = program.contract.rules.iter().map(|rule| seen(rule, &settled, &as_came)).collect();
        if outcome.value.is_none() {
            // Without a value there is nothing to review.
            all.iter_mut().for_each(|seen| seen.says = None);
        }
        all
    }

    /// What each rule sees of a host event.
    pub(crate) fn seen_event(&self, event: &EventView<'_>) -> Vec<Seen> {
        let scope = Scope {
            watch: None,
            regexes: &self.program.regexes,
            state: &self.state,
            context: event.context,
            now: event.now,
            position: self.position,
            subject: Moment::Event { name: event.name, value: event.value },
        };
        self.program.contract.rules.iter().map(|rule| seen(rule, &scope, &scope)).collect()
    }
}

fn seen<'a>(rule: &'a Rule, scope: &Scope<'a>, as_came: &Scope<'a>) -> Seen {
    let occurs = |pattern: Option<&'a Pattern>| pattern.map_or(Truth::False, |pattern| scope.occurs(pattern));
    let is_call = matches!(scope.subject, Moment::Call { .. });
    let says = match &rule.kind {
        Kind::Require { pattern, clauses } if is_call => {
            Some((scope.occurs(pattern), clauses)).map(|(applies, clauses)| (applies, clauses, scope))
        }
        Kind::Ensure { pattern, clauses } => Some((as_came.applies(pattern), clauses, as_came)),
        _ => None,
    };
    let says = says.filter(|(applies, ..)| *applies != Truth::False).map(|(applies, clauses, scope)| {
        let mut required = Requirement::new(applies);
        for (clause, of) in (0_u16..).zip(clauses) {
            required.clause(clause, scope.truth(&of.predicate));
        }
        required.verdict()
    });
    let patterns: &'a [Pattern] = if rule.steps() { rule.patterns() } else { &[] };
    Seen {
        holds: patterns.iter().map(|pattern| scope.readings(pattern)).collect(),
        guard: occurs(rule.guards.as_ref().filter(|_| is_call)),
        close: occurs(rule.close_on()),
        reset: occurs(rule.reset_on.as_ref()),
        says,
        key: rule.per.as_ref().map(|keyed| SeenKey::of(&scope.key(keyed))),
    }
}
