//! Expressions: values or "not established" (`None`), predicates in three values.

use contract_lang::mir::{
    Arithmetic, CallFact, Comparison, Expr, Function, JsonType, Literal, Path, Quantifier, Root, Step,
};

use super::event::Call;
use super::function;
use super::number::Number;
use super::text::glob;
use super::value::{Kleene, Value};

/// What an expression can read.
#[derive(Clone, Debug, Default)]
pub struct Scope<'a> {
    /// The call's arguments.
    pub args: Option<&'a Value>,
    /// The result's value.
    pub result: Option<&'a Value>,
    /// The host event's value.
    pub event: Option<&'a Value>,
    /// The call.
    pub call: Option<&'a Call>,
    /// The context, by index.
    pub context: &'a [Option<Value>],
    /// The state before the event, by index.
    pub state: &'a [Option<Value>],
    /// Nanoseconds since 1970.
    pub now: i128,
    /// The bound variables, by slot.
    pub variables: Vec<Value>,
}

impl Scope<'_> {
    /// The value of an expression.
    pub fn value(&self, expr: &Expr) -> Option<Value> {
        Some(match expr {
            Expr::Literal(value) => literal(value),
            Expr::List(items) => Value::List(items.iter().map(|item| self.value(item)).collect::<Option<_>>()?),
            Expr::Path(path) => self.find(path)?,
            Expr::Select(of, steps) => self.walk(&self.value(of)?, steps)?,
            Expr::Now => Value::Time(self.now),
            Expr::Arithmetic(operator, left, right) => arithmetic(*operator, &self.value(left)?, &self.value(right)?)?,
            Expr::Call(Function::Default, operands) => match operands.first().and_then(|first| self.value(first)) {
                Some(value) => value,
                None => self.value(operands.get(1)?)?,
            },
            Expr::Call(called, operands) if !called.is_predicate() => {
                let operands: Option<Vec<Value>> = operands.iter().map(|operand| self.value(operand)).collect();
                function::value(*called, &operands?)?
            }
            Expr::Quantified { quantifier: Quantifier::Count, list, body, slot } => {
                let (truths, unsure) = self.each(list, body, *slot)?;
                if unsure || truths.contains(&Kleene::Perhaps) {
                    return None;
                }
                let count = truths.iter().filter(|truth| **truth == Kleene::Yes).count();
                Value::Number(Number::whole(u64::try_from(count).ok()?))
            }
            predicate => match self.truth(predicate) {
                Kleene::No => Value::Bool(false),
                Kleene::Perhaps => return None,
                Kleene::Yes => Value::Bool(true),
            },
        })
    }

    /// The truth of a predicate. A value is as true as it is `true`; one that is no truth value is not established.
    pub fn truth(&self, expr: &Expr) -> Kleene {
        match expr {
            Expr::Not(of) => self.truth(of).negated(),
            Expr::And(parts) => Kleene::all(parts.iter().map(|part| self.truth(part))),
            Expr::Or(parts) => Kleene::any(parts.iter().map(|part| self.truth(part))),
            Expr::Implies(left, right) => Kleene::any([self.truth(left).negated(), self.truth(right)]),
            Expr::Compare(comparison, left, right) => {
                self.both(left, right, |left, right| compare(*comparison, left, right))
            }
            // A listed member that is not established leaves the others what they are.
            Expr::In(member, collection) if let Expr::List(items) = &**collection => {
                Kleene::any(items.iter().map(|item| self.both(member, item, Value::equals)))
            }
            Expr::In(member, collection) => {
                let member = self.value(member);
                self.value(collection).map_or(Kleene::Perhaps, |of| of.has_member(member.as_ref()))
            }
            Expr::Call(Function::Contains, operands) if let [list, member] = operands.as_slice() => {
                match (self.value(list), self.value(member)) {
                    (Some(text @ Value::Text(_)), Some(part)) => function::truth(Function::Contains, &text, &part),
                    (Some(list @ (Value::List(_) | Value::Set(_))), member) => list.has_member(member.as_ref()),
                    _ => Kleene::Perhaps,
                }
            }
            Expr::Call(called @ (Function::Subset | Function::Intersects), operands) => {
                let operand = |index: usize| operands.get(index).and_then(|operand| self.value(operand));
                function::overlap(*called, operand(0).as_ref(), operand(1).as_ref())
            }
            Expr::Like(of, pattern) => self.text_test(of, |text| glob(pattern, text)),
            Expr::Matches(of, pattern) => match regex::Regex::new(pattern) {
                Ok(regex) => self.text_test(of, |text| regex.is_match(text)),
                Err(_) => Kleene::Perhaps,
            },
            Expr::Has(path) => Kleene::of(self.find(path).is_some()),
            Expr::Is(ty, of) => Kleene::of(self.value(of).is_some_and(|value| is(*ty, &value))),
            Expr::Call(called, operands) if called.is_predicate() => match operands.as_slice() {
                [left, right] => self.both(left, right, |left, right| function::truth(*called, left, right)),
                _ => Kleene::Perhaps,
            },
            Expr::Quantified { quantifier, list, body, slot } if *quantifier != Quantifier::Count => {
                let Some((mut truths, unsure)) = self.each(list, body, *slot) else { return Kleene::Perhaps };
                truths.extend(unsure.then_some(Kleene::Perhaps));
                match quantifier {
                    Quantifier::All => Kleene::all(truths),
                    Quantifier::Any => Kleene::any(truths),
                    Quantifier::None | Quantifier::Count => Kleene::any(truths).negated(),
                }
            }
            value => match self.value(value) {
                Some(Value::Bool(value)) => Kleene::of(value),
                _ => Kleene::Perhaps,
            },
        }
    }

    fn both(&self, left: &Expr, right: &Expr, test: impl Fn(&Value, &Value) -> Kleene) -> Kleene {
        match (self.value(left), self.value(right)) {
            (Some(left), Some(right)) => test(&left, &right),
            _ => Kleene::Perhaps,
        }
    }

    fn text_test(&self, of: &Expr, test: impl Fn(&str) -> bool) -> Kleene {
        match self.value(of) {
            Some(Value::Text(text)) => Kleene::of(test(&text)),
            _ => Kleene::Perhaps,
        }
    }

    /// The truth of a body for each member of a list or set, and whether there may be more members.
    fn each(&self, list: &Expr, body: &Expr, slot: usize) -> Option<(Vec<Kleene>, bool)> {
        let list = self.value(list)?;
        let (members, unsure) = list.members()?;
        let truths = members.iter().map(|member| {
            let mut inner = self.clone();
            inner.variables.truncate(slot);
            inner.variables.push(member.clone());
            inner.truth(body)
        });
        Some((truths.collect(), unsure))
    }

    /// What is at a path, be it established or not.
    fn find(&self, path: &Path) -> Option<Value> {
        let fact;
        let start = match path.root {
            Root::Args => self.args?,
            Root::Result => self.result?,
            Root::Event => self.event?,
            Root::State(cell) => self.state.get(cell)?.as_ref()?,
            Root::Context(index) => self.context.get(index)?.as_ref()?,
            Root::Variable(slot) => self.variables.get(slot)?,
            Root::Call(wanted) => {
                let call = self.call?;
                fact = match wanted {
                    CallFact::Tool => Value::text(&call.tool),
                    CallFact::Server => Value::text(call.server.as_ref()?),
                    CallFact::Agent => Value::text(call.agent.as_ref()?),
                    CallFact::Batch => Value::Number(Number::whole(call.batch?)),
                };
                &fact
            }
        };
        self.walk(start, &path.steps)
    }

    fn walk(&self, from: &Value, steps: &[Step]) -> Option<Value> {
        let Some((step, rest)) = steps.split_first() else { return Some(from.clone()) };
        match step {
            Step::Field(name) => self.walk(&field(from, name)?, rest),
            Step::Index(index) => self.walk(&item(from, usize::try_from(*index).ok()?)?, rest),
            Step::Dynamic(expr) => match self.value(expr)? {
                Value::Text(name) => self.walk(&field(from, &name)?, rest),
                key if matches!(from, Value::Map(_)) => self.walk(&entry(from, &key)?, rest),
                Value::Number(index) => self.walk(&item(from, usize::try_from(index.to_i128()?).ok()?)?, rest),
                _ => None,
            },
            Step::Each => {
                let walked: Option<Vec<Value>> =
                    elements(from)?.iter().map(|element| self.walk(element, rest)).collect();
                walked.map(Value::List)
            }
            Step::Deep => {
                let mut below = Vec::new();
                gather(from, &mut below);
                Some(Value::List(below.iter().filter_map(|value| self.walk(value, rest)).collect()))
            }
        }
    }
}

fn field(of: &Value, name: &str) -> Option<Value> {
    match of {
        Value::Object(fields) => fields.get(name).cloned(),
        Value::Map(_) => entry(of, &Value::text(name)),
        _ => None,
    }
}

fn entry(of: &Value, key: &Value) -> Option<Value> {
    match of {
        Value::Map(map) => map.entries.get(key).cloned(),
        _ => None,
    }
}

fn item(of: &Value, index: usize) -> Option<Value> {
    match of {
        Value::List(items) => items.get(index).cloned(),
        _ => None,
    }
}

fn elements(of: &Value) -> Option<Vec<Value>> {
    match of {
        Value::List(items) => Some(items.clone()),
        Value::Object(fields) => Some(fields.values().cloned().collect()),
        Value::Set(set) if !set.unsure => Some(set.members.clone()),
        Value::Map(map) => Some(map.known()?.values().cloned().collect()),
        _ => None,
    }
}

fn gather(value: &Value, below: &mut Vec<Value>) {
    below.push(value.clone());
    for element in elements(value).unwrap_or_default() {
        gather(&element, below);
    }
}

fn compare(comparison: Comparison, left: &Value, right: &Value) -> Kleene {
    let ordered = |test: fn(std::cmp::Ordering) -> bool| {
        left.order(right).map_or(Kleene::Perhaps, |order| Kleene::of(test(order)))
    };
    match comparison {
        Comparison::Equal => left.equals(right),
        Comparison::NotEqual => left.equals(right).negated(),
        Comparison::Less => ordered(std::cmp::Ordering::is_lt),
        Comparison::LessOrEqual => ordered(std::cmp::Ordering::is_le),
        Comparison::Greater => ordered(std::cmp::Ordering::is_gt),
        Comparison::GreaterOrEqual => ordered(std::cmp::Ordering::is_ge),
    }
}

fn arithmetic(operator: Arithmetic, left: &Value, right: &Value) -> Option<Value> {
    use Value::{Duration, Number as Exact, Time};
    Some(match (operator, left, right) {
        (Arithmetic::Add, Exact(a), Exact(b)) => Exact(a.plus(b)?),
        (Arithmetic::Subtract, Exact(a), Exact(b)) => Exact(a.minus(b)?),
        (Arithmetic::Multiply, Exact(a), Exact(b)) => Exact(a.times(b)?),
        (Arithmetic::Add, Time(a), Duration(b)) | (Arithmetic::Add, Duration(b), Time(a)) => Time(a.checked_add(*b)?),
        (Arithmetic::Subtract, Time(a), Duration(b)) => Time(a.checked_sub(*b)?),
        (Arithmetic::Subtract, Time(a), Time(b)) => Duration(a.checked_sub(*b)?),
        (Arithmetic::Add, Duration(a), Duration(b)) => Duration(a.checked_add(*b)?),
        (Arithmetic::Subtract, Duration(a), Duration(b)) => Duration(a.checked_sub(*b)?),
        (Arithmetic::Multiply, Exact(a), Duration(b)) | (Arithmetic::Multiply, Duration(b), Exact(a)) => {
            Duration(Number::parse(&b.to_string())?.times(a)?.to_i128()?)
        }
        _ => return None,
    })
}

fn is(ty: JsonType, value: &Value) -> bool {
    match ty {
        JsonType::String => matches!(value, Value::Text(_)),
        JsonType::Object => matches!(value, Value::Object(_) | Value::Map(_)),
        JsonType::List => matches!(value, Value::List(_) | Value::Set(_)),
        JsonType::Number => matches!(value, Value::Number(_) | Value::Inexact(_)),
        JsonType::Bool => matches!(value, Value::Bool(_)),
    }
}

/// The value of a literal.
pub fn literal(literal: &Literal) -> Value {
    match literal {
        Literal::Null => Value::Null,
        Literal::Bool(value) => Value::Bool(*value),
        Literal::Number(number) => {
            Number::parse(&number.to_string()).map_or_else(|| Value::Inexact(number.to_string()), Value::Number)
        }
        Literal::Text(text) => Value::text(text),
        Literal::Duration(duration) => Value::Duration(duration.as_nanos()),
        Literal::List(items) => Value::List(items.iter().map(self::literal).collect()),
        Literal::Json(json) => Value::from_json(json),
    }
}

/// Whether an expression reads the result: where nobody knows how a call ended, it is not established.
pub fn reads_result(expr: &Expr) -> bool {
    let path = |path: &Path| path.root == Root::Result || steps_read_result(&path.steps);
    match expr {
        Expr::Path(of) | Expr::Has(of) => path(of),
        Expr::Select(of, steps) => reads_result(of) || steps_read_result(steps),
        Expr::Literal(_) | Expr::Now => false,
        Expr::List(parts) | Expr::And(parts) | Expr::Or(parts) | Expr::Call(_, parts) => parts.iter().any(reads_result),
        Expr::Not(of) | Expr::Like(of, _) | Expr::Matches(of, _) | Expr::Is(_, of) => reads_result(of),
        Expr::Implies(left, right)
        | Expr::Compare(_, left, right)
        | Expr::In(left, right)
        | Expr::Arithmetic(_, left, right) => reads_result(left) || reads_result(right),
        Expr::Quantified { list, body, .. } => reads_result(list) || reads_result(body),
    }
}

fn steps_read_result(steps: &[Step]) -> bool {
    steps.iter().any(|step| matches!(step, Step::Dynamic(expr) if reads_result(expr)))
}
