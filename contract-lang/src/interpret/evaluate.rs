//! Evaluates checked expressions and patterns by walking them. Every operation is the runtime's own, the same that
//! generated code calls.

use std::collections::HashMap;

use contract_runtime::private::{self as rt, Est, Fuel, Letters, Reading, Regex, Step as RuleStep, Touched, Val};
use contract_runtime::{CallView, Context, Effect, Status, Time, Truth};
use serde_json::Value;

use super::watch::Watch;
use crate::info::constant;
use crate::mir::{
    Alternative, Arithmetic, CallFact, Comparison, Expr, Function, JsonType, Keyed, Missing, Operand, Path, Pattern,
    Phases, Quantifier, Root, RouteKey, Step, Subject,
};

/// The compiled regular expressions of a contract, by their source text.
pub(super) type Regexes = HashMap<String, Regex>;

/// What an expression can read.
#[derive(Clone, Copy)]
pub(super) struct Scope<'a> {
    pub(super) regexes: &'a Regexes,
    pub(super) watch: Option<&'a Watch>,
    pub(super) state: &'a rt::State,
    pub(super) context: &'a Context,
    pub(super) now: Time,
    /// The position of the event: of a call, the one that it will have if it is admitted.
    pub(super) position: u64,
    pub(super) subject: Moment<'a>,
}

/// The event itself.
#[derive(Clone, Copy)]
pub(super) enum Moment<'a> {
    Call { call: CallView<'a>, effect: Effect },
    Result { call: CallView<'a>, effect: Effect, status: Status, value: Option<&'a Value> },
    Event { name: &'a str, value: &'a Value },
}

impl<'a> Moment<'a> {
    fn call(&self) -> Option<&CallView<'a>> {
        match self {
            Self::Call { call, .. } | Self::Result { call, .. } => Some(call),
            Self::Event { .. } => None,
        }
    }

    /// The moment with its value gone where nobody knows how the call ended: such a value proves nothing.
    pub(super) fn settled(self) -> Self {
        match self {
            Self::Result { call, effect, status: Status::Unknown, .. } => {
                Self::Result { call, effect, status: Status::Unknown, value: None }
            }
            other => other,
        }
    }

    fn result(&self) -> Option<&'a Value> {
        match self {
            Self::Result { value, .. } => *value,
            Self::Call { .. } | Self::Event { .. } => None,
        }
    }
}

/// The bound variables, innermost first; the slot of a variable is its depth.
struct Bound<'v, 'a> {
    outer: Option<&'v Bound<'v, 'a>>,
    slot: usize,
    value: Est<'a>,
}

/// A comparison of two values.
pub(crate) fn compare(comparison: Comparison, fuel: &Fuel, left: Est<'_>, right: Est<'_>) -> Truth {
    let compare = match comparison {
        Comparison::Equal => rt::eq,
        Comparison::NotEqual => rt::ne,
        Comparison::Less => rt::lt,
        Comparison::LessOrEqual => rt::le,
        Comparison::Greater => rt::gt,
        Comparison::GreaterOrEqual => rt::ge,
    };
    compare(fuel, left, right)
}

/// Whether a value is of a JSON type.
pub(crate) fn is(kind: JsonType, value: Est<'_>) -> Truth {
    let is = match kind {
        JsonType::String => rt::is_string,
        JsonType::Object => rt::is_object,
        JsonType::List => rt::is_list,
        JsonType::Number => rt::is_number,
        JsonType::Bool => rt::is_bool,
    };
    is(value)
}

type Variables<'v, 'a> = Option<&'v Bound<'v, 'a>>;

fn variable<'a>(mut bound: Variables<'_, 'a>, slot: usize) -> Est<'a> {
    while let Some(found) = bound {
        if found.slot == slot {
            return found.value.clone();
        }
        bound = found.outer;
    }
    None
}

impl<'a> Scope<'a> {
    /// The value of an expression.
    pub(super) fn value(&self, expr: &'a Expr) -> Est<'a> {
        self.eval(expr, &Fuel::new(), None)
    }

    /// The truth of a predicate.
    pub(super) fn truth(&self, expr: &'a Expr) -> Truth {
        let truth = self.test(expr, &Fuel::new(), None);
        if let Some(watch) = self.watch {
            watch.predicate(expr, truth);
        }
        truth
    }

    fn test(&self, expr: &'a Expr, fuel: &Fuel, bound: Variables<'_, 'a>) -> Truth {
        let eval = |expr: &'a Expr| self.eval(expr, fuel, bound);
        match expr {
            Expr::Not(inner) => !self.test(inner, fuel, bound),
            Expr::And(list) => {
                list.iter().fold(Truth::True, |left, right| rt::and(left, || self.test(right, fuel, bound)))
            }
            Expr::Or(list) => {
                list.iter().fold(Truth::False, |left, right| rt::or(left, || self.test(right, fuel, bound)))
            }
            Expr::Implies(left, right) => rt::or(!self.test(left, fuel, bound), || self.test(right, fuel, bound)),
            Expr::Compare(comparison, left, right) => compare(*comparison, fuel, eval(left), eval(right)),
            Expr::In(item, list) => rt::is_in(fuel, eval(item), eval(list)),
            Expr::Like(text, glob) => rt::like(fuel, eval(text), glob),
            Expr::Matches(text, pattern) => match self.regexes.get(pattern) {
                Some(regex) => rt::matches(fuel, eval(text), regex),
                None => Truth::Unknown,
            },
            Expr::Has(path) => Truth::of(rt::walk::has(self.path(path, fuel, bound))),
            Expr::Is(kind, inner) => is(*kind, eval(inner)),
            Expr::Quantified { quantifier, slot, list, body } if *quantifier != Quantifier::Count => {
                let each = |value| self.test(body, fuel, Some(&Bound { outer: bound, slot: *slot, value }));
                match quantifier {
                    Quantifier::All => rt::all(fuel, eval(list), each),
                    Quantifier::Any => rt::any(fuel, eval(list), each),
                    Quantifier::None | Quantifier::Count => rt::none(fuel, eval(list), each),
                }
            }
            Expr::Call(function, args) if function.is_predicate() => self.predicate(*function, args, fuel, bound),
            other => rt::truth(eval(other)),
        }
    }

    fn predicate(&self, function: Function, args: &'a [Expr], fuel: &Fuel, bound: Variables<'_, 'a>) -> Truth {
        let [left, right] = args else { return Truth::Unknown };
        let (left, right) = (self.eval(left, fuel, bound), self.eval(right, fuel, bound));
        match function {
            Function::StartsWith => rt::starts_with(fuel, left, right),
            Function::EndsWith => rt::ends_with(fuel, left, right),
            Function::Contains => rt::contains(fuel, left, right),
            Function::Subset => rt::subset(fuel, left, right),
            Function::Intersects => rt::intersects(fuel, left, right),
            Function::PathWithin => rt::path_within(fuel, left, right),
            Function::DomainIn => rt::domain_in(fuel, left, right),
            Function::CidrContains => rt::cidr_contains(fuel, left, right),
            _ => Truth::Unknown,
        }
    }

    fn eval(&self, expr: &'a Expr, fuel: &Fuel, bound: Variables<'_, 'a>) -> Est<'a> {
        match expr {
            Expr::Literal(literal) => Some(constant(literal)),
            Expr::List(items) => Some(Val::List(items.iter().map(|item| self.eval(item, fuel, bound)).collect())),
            Expr::Path(path) => self.path(path, fuel, bound),
            Expr::Select(inner, steps) => self.walk(self.eval(inner, fuel, bound), steps, fuel, bound),
            Expr::Now => Some(Val::Time(self.now)),
            Expr::Arithmetic(operator, left, right) => {
                let apply = match operator {
                    Arithmetic::Add => rt::add,
                    Arithmetic::Subtract => rt::subtract,
                    Arithmetic::Multiply => rt::multiply,
                };
                apply(fuel, self.eval(left, fuel, bound), self.eval(right, fuel, bound))
            }
            Expr::Quantified { quantifier: Quantifier::Count, slot, list, body } => {
                let each = |value| self.test(body, fuel, Some(&Bound { outer: bound, slot: *slot, value }));
                rt::count(fuel, self.eval(list, fuel, bound), each)
            }
            Expr::Call(function, args) if !function.is_predicate() => self.function(*function, args, fuel, bound),
            predicate => rt::from_truth(self.test(predicate, fuel, bound)),
        }
    }

    fn function(&self, function: Function, args: &'a [Expr], fuel: &Fuel, bound: Variables<'_, 'a>) -> Est<'a> {
        let mut values = args.iter().map(|arg| self.eval(arg, fuel, bound));
        let mut next = || values.next().flatten();
        match function {
            Function::Min => rt::min(fuel, values.collect()),
            Function::Max => rt::max(fuel, values.collect()),
            Function::Default => {
                let first = next();
                rt::default_(first, next())
            }
            Function::Size => rt::size(fuel, next()),
            Function::Lower => rt::lower(fuel, next()),
            Function::Upper => rt::upper(fuel, next()),
            Function::Trim => rt::trim(fuel, next()),
            Function::Keys => rt::keys(fuel, next()),
            Function::Values => rt::values(fuel, next()),
            Function::Sum => rt::sum(fuel, next()),
            Function::Distinct => rt::distinct(fuel, next()),
            Function::Json => rt::json(fuel, next()),
            Function::Time => {
                let text = next();
                let zone = if args.len() > 1 { Some(next()) } else { None };
                rt::time(fuel, text, zone)
            }
            Function::PathNorm => rt::path_norm(fuel, next()),
            Function::Host => rt::host(fuel, next()),
            Function::Scheme => rt::scheme(fuel, next()),
            Function::Strings => rt::strings(fuel, next()),
            Function::Digest => rt::digest(fuel, next()),
            _ => None,
        }
    }

    fn path(&self, path: &'a Path, fuel: &Fuel, bound: Variables<'_, 'a>) -> Est<'a> {
        let root = match path.root {
            Root::Args => Some(Val::from_json(self.subject.call()?.args)),
            Root::Result => Some(Val::from_json(self.subject.result()?)),
            Root::Event => match self.subject {
                Moment::Event { value, .. } => Some(Val::from_json(value)),
                Moment::Call { .. } | Moment::Result { .. } => None,
            },
            Root::State(cell) => self.state.read(cell),
            Root::Context(fact) => self.context.read(fact),
            Root::Variable(slot) => variable(bound, slot),
            Root::Call(fact) => call_fact(self.subject.call()?, fact),
        };
        self.walk(root, &path.steps, fuel, bound)
    }

    fn walk(&self, from: Est<'a>, steps: &'a [Step], fuel: &Fuel, bound: Variables<'_, 'a>) -> Est<'a> {
        if steps.iter().any(Step::is_many) {
            let steps: Vec<rt::walk::Step<'_, 'a>> = steps
                .iter()
                .map(|step| match step {
                    Step::Field(name) => rt::walk::Step::Field(name),
                    Step::Index(index) => rt::walk::Step::Index(*index),
                    Step::Dynamic(expr) => rt::walk::Step::Dynamic(self.eval(expr, fuel, bound)),
                    Step::Each => rt::walk::Step::Each,
                    Step::Deep => rt::walk::Step::Deep,
                })
                .collect();
            return rt::walk::path(fuel, from, &steps);
        }
        steps.iter().fold(from, |value, step| match step {
            Step::Field(name) => rt::walk::field(value, name),
            Step::Index(index) => rt::walk::index(value, *index),
            Step::Dynamic(expr) => rt::walk::dynamic(value, self.eval(expr, fuel, bound)),
            Step::Each | Step::Deep => None,
        })
    }

    fn concerns(&self, alternative: &Alternative) -> bool {
        self.is_about(&alternative.subject)
    }

    /// Whether a subject is the event's.
    fn is_about(&self, subject: &Subject) -> bool {
        match (subject, self.subject) {
            (Subject::Tools(names), Moment::Call { call, .. } | Moment::Result { call, .. }) => {
                names.matches(call.tool, call.server)
            }
            (Subject::Effect(wanted), Moment::Call { effect, .. } | Moment::Result { effect, .. }) => *wanted == effect,
            (Subject::Event(glob), Moment::Event { name, .. }) => glob.matches(name),
            _ => false,
        }
    }

    /// Whether a pattern holds. Results are looked at in a reading of how the call ended, everything else without one.
    fn holds(&self, pattern: &'a Pattern, reading: Option<Reading>) -> Truth {
        let speaks_of = |phases: Phases| match (self.subject, reading) {
            (Moment::Call { .. }, _) => phases.call,
            (Moment::Event { .. }, _) => phases.event,
            (Moment::Result { .. }, reading) => reading.is_some_and(|reading| reading.is(phases.outcomes())),
        };
        let concerned = pattern
            .alternatives
            .iter()
            .filter(|alternative| speaks_of(alternative.phases) && self.concerns(alternative));
        concerned.fold(Truth::False, |found, alternative| {
            rt::or(found, || match (&alternative.condition, reading) {
                (None, _) => Truth::True,
                (Some(condition), Some(reading)) if condition.reads_result() => {
                    reading.condition(|| self.truth(condition))
                }
                (Some(condition), _) => self.truth(condition),
            })
        })
    }

    /// The truth of a commit's condition: not established where it reads the result of a call that ended nobody knows how.
    pub(super) fn condition(&self, condition: &'a Expr) -> Truth {
        match self.subject {
            Moment::Result { status, .. } if condition.reads_result() => rt::proven(status, || self.truth(condition)),
            _ => self.truth(condition),
        }
    }

    /// Whether a single pattern holds; not established where the readings differ.
    pub(super) fn occurs(&self, pattern: &'a Pattern) -> Truth {
        match self.subject {
            Moment::Result { status, .. } => rt::occurs(status, |reading| self.holds(pattern, Some(reading))),
            Moment::Call { .. } | Moment::Event { .. } => self.holds(pattern, None),
        }
    }

    /// Whether a pattern holds, in one reading of the event and in the other.
    pub(super) fn readings(&self, pattern: &'a Pattern) -> [Truth; 2] {
        let holds = |reading| self.holds(pattern, reading);
        match self.subject {
            Moment::Result { status, .. } => match Reading::of(status) {
                (first, None) => [holds(Some(first)); 2],
                (first, Some(second)) => [holds(Some(first)), holds(Some(second))],
            },
            Moment::Call { .. } | Moment::Event { .. } => [holds(None); 2],
        }
    }

    /// What the event means for an automaton rule.
    pub(super) fn step(&self, patterns: &'a [Pattern]) -> RuleStep {
        let letters = |reading| {
            let bits = (0u8..).zip(patterns);
            bits.fold(Letters::NONE, |letters, (bit, pattern)| letters.with(bit, self.holds(pattern, reading)))
        };
        match self.subject {
            Moment::Result { status, .. } => rt::step_of(status, |reading| letters(Some(reading))),
            Moment::Call { .. } | Moment::Event { .. } => RuleStep::one(letters(None)),
        }
    }

    /// Whether a pattern speaks of the event, conditions aside.
    pub(super) fn mentions(&self, pattern: &Pattern) -> bool {
        pattern.alternatives.iter().any(|alternative| alternative.phases.call && self.concerns(alternative))
    }

    /// Whether a pattern speaks of the results of the event's call, conditions aside.
    pub(super) fn mentions_result(&self, pattern: &Pattern) -> bool {
        pattern.alternatives.iter().any(|alternative| alternative.phases.result() && self.concerns(alternative))
    }

    /// Whether the pattern of a rule about results holds for a result as it came: its conditions read the value, whatever is
    /// known of the outcome.
    pub(super) fn applies(&self, pattern: &'a Pattern) -> Truth {
        let Moment::Result { status, .. } = self.subject else { return Truth::False };
        rt::occurs(status, |reading| {
            let selected = pattern.alternatives.iter();
            let selected = selected.filter(|one| reading.is(one.phases.outcomes()) && self.concerns(one));
            selected.fold(Truth::False, |found, one| {
                rt::or(found, || one.condition.as_ref().map_or(Truth::True, |condition| self.truth(condition)))
            })
        })
    }

    /// The keys that this event touches.
    pub(super) fn key(&self, keyed: &'a Keyed) -> Touched<'a> {
        let part = |expr: &'a Expr, bound: Variables<'_, 'a>| {
            let value = |expr: &'a Expr| self.eval(expr, &Fuel::new(), bound);
            // Where there is no result nobody knows what is absent from it.
            match keyed.missing {
                Missing::Skip if !expr.reads_result() || self.subject.result().is_some() => {
                    rt::Part::wrapped_or_skip(&value(expr.innermost()), value(expr))
                }
                Missing::Block | Missing::Skip => rt::Part::new(value(expr)),
            }
        };
        let parts = |exprs: &'a [Expr]| exprs.iter().map(|expr| part(expr, None)).collect::<Vec<_>>();
        let route = keyed.routes.iter().find(|route| self.is_at(route.phases) && self.is_about(&route.subject));
        match route.map(|route| &route.key) {
            None if self.is_call() => Touched::One(vec![Some(rt::Part::Later); keyed.width()]),
            None => Touched::One(vec![None; keyed.width()]),
            Some(RouteKey::One(exprs)) => Touched::One(parts(exprs)),
            Some(RouteKey::Each { before, list, component, after }) => {
                let make = |value| part(component, Some(&Bound { outer: None, slot: 0, value }));
                let known = !list.reads_result() || self.subject.result().is_some();
                let skip = keyed.missing == Missing::Skip && known;
                rt::fan_out(parts(before), self.value(list), skip, make, parts(after))
            }
            Some(RouteKey::All) => Touched::All,
        }
    }

    /// What a register reads of this event.
    pub(super) fn operand(&self, operand: &'a Operand) -> Est<'a> {
        match operand {
            Operand::Same(expr) => self.value(expr),
            Operand::ByTool(routes) => {
                let (_, expr) = routes.iter().find(|(subject, _)| self.is_about(subject))?;
                self.value(expr)
            }
        }
    }

    /// The same event's call, for what is said of calls.
    pub(super) fn at_call(&self) -> Self {
        match self.subject {
            Moment::Result { call, effect, .. } => Self { subject: Moment::Call { call, effect }, ..*self },
            Moment::Call { .. } | Moment::Event { .. } => *self,
        }
    }

    fn is_call(&self) -> bool {
        matches!(self.subject, Moment::Call { .. })
    }

    /// The arguments of the call.
    pub(super) fn args(&self) -> Option<&'a Value> {
        self.subject.call().map(|call| call.args)
    }

    /// The tool of the call.
    pub(super) fn tool(&self) -> &'a str {
        self.subject.call().map_or("", |call| call.tool)
    }

    /// Whether this is the moment of one of the phases.
    fn is_at(&self, phases: Phases) -> bool {
        match self.subject {
            Moment::Call { .. } => phases.call,
            Moment::Event { .. } => phases.event,
            Moment::Result { status: Status::Ok, .. } => phases.ok,
            Moment::Result { status: Status::Failed, .. } => phases.failed,
            Moment::Result { status: Status::Unknown, .. } => phases.unknown,
        }
    }
}

fn call_fact<'a>(call: &CallView<'a>, fact: CallFact) -> Est<'a> {
    match fact {
        CallFact::Tool => Some(Val::text(call.tool)),
        CallFact::Server => call.server.map(Val::text),
        CallFact::Agent => call.agent.map(Val::text),
        CallFact::Batch => call.batch.map(|batch| Val::Number(rt::Decimal::from(batch))),
    }
}
