//! What a checked contract says of itself at run time.

use std::borrow::Cow;

use contract_runtime::info::{Message, MessageStep, Root, Segment, Vocabulary};
use contract_runtime::private::{Datum, Val, initial};
use contract_runtime::{CellInfo, Colour, ContractInfo, RuleInfo, WhenFull};

use crate::automaton;
use crate::mir::{self, Contract, Glob, Kind, Literal, Names, Pattern, Register, Rule, StateCell, Subject};

/// The description of a contract that is interpreted.
#[must_use]
pub fn of(contract: &Contract) -> ContractInfo {
    ContractInfo {
        name: Cow::Owned(contract.name.clone()),
        mode: contract.mode,
        rules: Cow::Owned(contract.rules.iter().map(of_rule).collect()),
        context: contract.context.iter().map(|(name, ty)| (Cow::Owned(name.clone()), ty.clone())).collect(),
        cells: contract.cells.iter().map(of_cell).collect(),
        on_error: contract.on_error,
        source: Cow::Owned(contract.source.clone()),
    }
}

fn of_rule(rule: &Rule) -> RuleInfo {
    RuleInfo {
        id: Cow::Owned(rule.id.clone()),
        title: rule.title.clone().map(Cow::Owned),
        severity: rule.severity,
        message: rule.message.as_ref().map(of_message),
        says: Cow::Owned(rule.says.clone()),
        advice: Cow::Owned(rule.advice.clone()),
        vocabulary: vocabulary(rule),
        clauses: Cow::Owned(rule.clauses().iter().map(|text| Cow::Owned((*text).to_owned())).collect()),
        tags: Cow::Owned(rule.tags.iter().cloned().map(Cow::Owned).collect()),
        mode: rule.mode,
        table: rule.table,
        when_full: rule.per.as_ref().map_or(WhenFull::Block, |keyed| keyed.when_full),
        frees: frees(rule),
    }
}

/// Whether keys give up their instances when what is under way is finished: the table of the rule has room again then.
#[must_use]
pub fn frees(rule: &Rule) -> bool {
    let Some(keyed) = &rule.per else { return false };
    // A table that evicts is only ever full of what calls in flight may need.
    keyed.when_full == WhenFull::Evict
        || keyed.close_on.is_some()
        || match &rule.kind {
            Kind::Automaton { machine, .. } => machine.returns(),
            Kind::Register { register, .. } => matches!(
                register,
                Register::OpenIds { .. } | Register::Deadline { .. } | Register::Permission { consume: true, .. }
            ),
            _ => false,
        }
}

impl mir::Machine {
    /// Whether some event leads back to the state of an empty trace.
    fn returns(&self) -> bool {
        let states = (0usize..)
            .zip(&self.colours)
            .filter(|(state, colour)| *state != usize::from(self.initial) && **colour != Colour::Violated);
        let mut states = states.map(|(state, _)| state);
        states.any(|state| {
            let row = self.delta.chunks(1usize.checked_shl(u32::from(self.width)).unwrap_or(1)).nth(state);
            row.is_some_and(|row| row.contains(&self.initial))
        })
    }
}

/// The events that move an automaton rule, in words; empty for other rules.
#[must_use]
pub fn vocabulary(rule: &Rule) -> Vocabulary {
    let Kind::Automaton { patterns, machine, .. } = &rule.kind else { return Vocabulary::NONE };
    let own = |fresh: &&Pattern| patterns.iter().any(|pattern| meet(pattern, fresh));
    let (elusive, fresh): (Vec<&Pattern>, Vec<&Pattern>) = rule.reset_on.iter().chain(rule.close_on()).partition(own);
    let fresh: Vec<String> = fresh.into_iter().map(|pattern| format!("`{}`", pattern.spelled)).collect();
    Vocabulary {
        patterns: patterns.iter().map(|pattern| Cow::Owned(pattern.spelled.clone())).collect(),
        fresh: (!fresh.is_empty()).then(|| Cow::Owned(fresh.join(" or "))),
        elusive: !elusive.is_empty(),
        keyed: rule.per.is_some(),
        joint: machine.letters.iter().copied().filter(|letter| !letter.is_power_of_two()).collect(),
    }
}

/// Whether events of one call, or one host event, may match both.
fn meet(a: &Pattern, b: &Pattern) -> bool {
    let pairs = a.alternatives.iter().flat_map(|a| b.alternatives.iter().map(move |b| (&a.subject, &b.subject)));
    pairs.into_iter().any(|subjects| match subjects {
        (Subject::Tools(a), Subject::Tools(b)) => automaton::overlap(a, b),
        (Subject::Event(a), Subject::Event(b)) => automaton::overlap(&named(a), &named(b)),
        (Subject::Event(_), _) | (_, Subject::Event(_)) => false,
        (Subject::Effect(_), _) | (_, Subject::Effect(_)) => true,
    })
}

fn named(glob: &Glob) -> Names {
    Names { server: None, tool: glob.clone() }
}

fn of_message(message: &mir::Message) -> Message {
    let segment = |segment: &mir::Segment| match segment {
        mir::Segment::Text(text) => Segment::Text(Cow::Owned(text.clone())),
        mir::Segment::Key => Segment::Key,
        mir::Segment::Tool => Segment::Tool,
        mir::Segment::Path(path) => Segment::Path(
            match path.root {
                mir::Root::Result => Root::Result,
                mir::Root::Event => Root::Event,
                _ => Root::Args,
            },
            Cow::Owned(path.steps.iter().filter_map(of_step).collect()),
        ),
    };
    Message { segments: Cow::Owned(message.segments.iter().map(segment).collect()) }
}

/// A message's paths have fixed steps.
fn of_step(step: &mir::Step) -> Option<MessageStep> {
    match step {
        mir::Step::Field(name) => Some(MessageStep::Field(Cow::Owned(name.clone()))),
        mir::Step::Index(index) => Some(MessageStep::Index(*index)),
        mir::Step::Dynamic(_) | mir::Step::Each | mir::Step::Deep => None,
    }
}

fn of_cell(cell: &StateCell) -> CellInfo {
    CellInfo {
        name: Cow::Owned(cell.name.clone()),
        ty: cell.ty.clone(),
        max: cell.max,
        max_bytes: cell.max_bytes,
        fresh: cell.fresh,
    }
}

impl Rule {
    /// The source texts of its preconditions.
    #[must_use]
    pub fn clauses(&self) -> Vec<&str> {
        match &self.kind {
            Kind::Require { clauses, .. } | Kind::Ensure { clauses, .. } => {
                clauses.iter().map(|clause| clause.text.as_str()).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Which occurrences it counts, for rules that count.
    #[must_use]
    pub fn counting(&self) -> Option<mir::Counting> {
        match &self.kind {
            Kind::Register { counting, .. } => Some(*counting),
            _ => None,
        }
    }
}

/// The value that a literal stands for.
#[must_use]
pub fn constant(literal: &Literal) -> Val<'_> {
    match literal {
        Literal::Null => Val::Null,
        Literal::Bool(value) => Val::Bool(*value),
        Literal::Number(number) => Val::Number(*number),
        Literal::Text(text) => Val::text(text),
        Literal::Duration(duration) => Val::Duration(*duration),
        Literal::List(items) => Val::List(items.iter().map(|item| Some(constant(item))).collect()),
        Literal::Json(value) => Val::from_json(value),
    }
}

/// The values that the contract's cells start with.
#[must_use]
pub fn initial_state(contract: &Contract) -> Vec<Option<Datum>> {
    let value = |cell: &StateCell| initial(constant(cell.initial.as_ref()?), &cell.ty, cell.max_bytes);
    contract.cells.iter().map(value).collect()
}
