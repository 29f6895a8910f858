//! Takes predicates apart into atoms.

use contract_runtime::Truth;
use contract_runtime::private::{Est, Val};

use super::atom::Question;
use super::cell::{self, Cell};
use super::formula::Formula;
use crate::analysis::model::naming::Naming;
use crate::info::constant;
use crate::mir::{CallFact, Comparison, Contract, Expr, Function, Literal, Path, Quantifier, Root, Step};

/// What is known of the event beforehand.
#[derive(Clone, Copy, Debug)]
pub struct Known<'a> {
    /// The name of the tool.
    pub tool: Option<&'a str>,
    /// What can be read besides state and context.
    pub moment: Readable,
}

/// What an event lets predicates read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Readable {
    /// A call: its arguments.
    Call,
    /// A result: also its value.
    Result,
    /// The result of a call of which nobody knows how it ended: its value is gone.
    Gone,
    /// A host event: its value.
    Event,
}

impl<'a> Known<'a> {
    /// A call of a tool, or of any.
    #[must_use]
    pub const fn call(tool: Option<&'a str>) -> Self {
        Self { tool, moment: Readable::Call }
    }

    /// A result of a tool, or of any.
    #[must_use]
    pub const fn result(tool: Option<&'a str>) -> Self {
        Self { tool, moment: Readable::Result }
    }

    /// A host event.
    #[must_use]
    pub const fn event() -> Self {
        Self { tool: None, moment: Readable::Event }
    }
}

/// A subject of questions.
#[derive(Clone, Debug)]
pub(super) struct Variable {
    pub(super) expr: Expr,
    pub(super) questions: Vec<Question>,
    /// The atom of each question.
    pub(super) atoms: Vec<usize>,
}

/// An atom that belongs to no variable.
#[derive(Clone, Debug)]
pub(super) struct Opaque {
    pub(super) expr: Expr,
    pub(super) atom: usize,
}

/// The atoms of some predicates about one kind of event.
#[derive(Debug)]
pub(in crate::analysis::model) struct Theory<'c> {
    contracts: Vec<&'c Contract>,
    naming: &'c Naming,
    known: Known<'c>,
    pub(super) variables: Vec<Variable>,
    pub(super) opaque: Vec<Opaque>,
    pub(super) atoms: usize,
}

impl<'c> Theory<'c> {
    pub(in crate::analysis::model) fn new(contracts: &[&'c Contract], naming: &'c Naming, known: Known<'c>) -> Self {
        Self { contracts: contracts.to_vec(), naming, known, variables: Vec::new(), opaque: Vec::new(), atoms: 0 }
    }

    /// The formula of a predicate of one of the contracts.
    pub(in crate::analysis::model) fn compile(&mut self, side: usize, predicate: &Expr) -> Formula {
        if side == 0 { self.test(predicate) } else { self.test(&self.naming.renamed(predicate)) }
    }

    fn test(&mut self, expr: &Expr) -> Formula {
        match expr {
            Expr::Literal(Literal::Bool(value)) => Formula::of(Truth::of(*value)),
            Expr::Literal(_) | Expr::List(_) | Expr::Now => Formula::Unknown,
            Expr::Not(inner) => self.test(inner).not(),
            Expr::And(parts) => Formula::all(parts.iter().map(|part| self.test(part)).collect()),
            Expr::Or(parts) => Formula::any(parts.iter().map(|part| self.test(part)).collect()),
            Expr::Implies(left, right) => Formula::any(vec![self.test(left).not(), self.test(right)]),
            Expr::Compare(comparison, left, right) => self.compare(*comparison, left, right),
            Expr::In(item, list) => match &**list {
                Expr::Literal(Literal::List(items)) => {
                    let each = items.iter().map(|one| self.equal(item, &Expr::Literal(one.clone())));
                    Formula::any(each.collect())
                }
                Expr::List(items) => Formula::any(items.iter().map(|one| self.equal(item, one)).collect()),
                _ => self.opaque(expr.clone()),
            },
            Expr::Like(text, glob) => self.question(text, Question::Like(glob.clone())),
            Expr::Matches(text, pattern) => self.question(text, Question::Matches(pattern.clone())),
            Expr::Has(path) => self.question(&Expr::Path(path.clone()), Question::Has),
            Expr::Is(kind, inner) => self.question(inner, Question::Is(*kind)),
            Expr::Quantified { quantifier: Quantifier::None, slot, list, body } => {
                let (slot, list, body) = (*slot, list.clone(), body.clone());
                let any = Expr::Quantified { quantifier: Quantifier::Any, slot, list, body };
                self.opaque(any).not()
            }
            Expr::Call(function @ (Function::StartsWith | Function::EndsWith | Function::Contains), args) => {
                match args.as_slice() {
                    [text, Expr::Literal(Literal::Text(part))] => {
                        self.question(text, Question::Text(*function, part.clone()))
                    }
                    _ => self.opaque(expr.clone()),
                }
            }
            Expr::Quantified { quantifier, .. } if *quantifier != Quantifier::Count => self.opaque(expr.clone()),
            Expr::Call(function, _) if function.is_predicate() => self.opaque(expr.clone()),
            other => self.question(other, Question::Holds),
        }
    }

    fn equal(&mut self, left: &Expr, right: &Expr) -> Formula {
        self.compare(Comparison::Equal, left, right)
    }

    /// Only `==` and `<` between variables, each in one order of operands: a type without an order makes all others unknown too.
    fn compare(&mut self, comparison: Comparison, left: &Expr, right: &Expr) -> Formula {
        if let Comparison::NotEqual = comparison {
            return self.equal(left, right).not();
        }
        match (left, right) {
            (Expr::Literal(left), Expr::Literal(right)) => {
                Formula::of(Question::Compare(comparison, right.clone()).ask(Some(constant(left))))
            }
            (variable, Expr::Literal(literal)) if is_scalar(literal) => {
                self.question(variable, Question::Compare(comparison, literal.clone()))
            }
            (Expr::Literal(literal), variable) if is_scalar(literal) => {
                self.question(variable, Question::Compare(comparison.mirrored(), literal.clone()))
            }
            _ => match comparison {
                Comparison::Equal => {
                    let both = self.ordered(left, right);
                    self.opaque(both)
                }
                Comparison::Less => self.less(left, right),
                Comparison::Greater => self.less(right, left),
                Comparison::LessOrEqual => self.less(right, left).not(),
                Comparison::GreaterOrEqual => self.less(left, right).not(),
                Comparison::NotEqual => Formula::Unknown,
            },
        }
    }

    fn less(&mut self, left: &Expr, right: &Expr) -> Formula {
        let (left, right) = (Box::new(left.clone()), Box::new(right.clone()));
        self.opaque(Expr::Compare(Comparison::Less, left, right))
    }

    /// An equation, in the order in which it was met first.
    fn ordered(&self, left: &Expr, right: &Expr) -> Expr {
        let equation = |left: &Expr, right: &Expr| {
            Expr::Compare(Comparison::Equal, Box::new(left.clone()), Box::new(right.clone()))
        };
        let turned = equation(right, left);
        if self.opaque.iter().any(|known| known.expr == turned) { turned } else { equation(left, right) }
    }

    fn question(&mut self, of: &Expr, question: Question) -> Formula {
        if let Expr::Literal(literal) = of {
            return Formula::of(question.ask(Some(constant(literal))));
        }
        let at = self.variables.iter().position(|variable| variable.expr == *of).unwrap_or_else(|| {
            self.variables.push(Variable { expr: of.clone(), questions: Vec::new(), atoms: Vec::new() });
            self.variables.len().saturating_sub(1)
        });
        let next = self.atoms;
        let Some(variable) = self.variables.get_mut(at) else { return Formula::Unknown };
        if let Some(known) = variable.questions.iter().position(|known| *known == question) {
            return variable.atoms.get(known).map_or(Formula::Unknown, |atom| Formula::Atom(*atom));
        }
        variable.questions.push(question);
        variable.atoms.push(next);
        self.atoms = next.saturating_add(1);
        Formula::Atom(next)
    }

    fn opaque(&mut self, expr: Expr) -> Formula {
        if let Some(known) = self.opaque.iter().find(|known| known.expr == expr) {
            return Formula::Atom(known.atom);
        }
        let atom = self.atoms;
        self.atoms = atom.saturating_add(1);
        self.opaque.push(Opaque { expr, atom });
        Formula::Atom(atom)
    }

    /// The cells of a variable.
    pub(super) fn cells(&self, variable: &Variable) -> Option<Vec<Cell>> {
        match self.fixed(&variable.expr) {
            Some(value) => Some(vec![cell::known(&variable.questions, &value)]),
            None => cell::cells(&variable.questions).map(|cells| self.narrowed(variable, cells)),
        }
    }

    /// What a value is, where only one can be.
    fn fixed(&self, expr: &Expr) -> Option<Est<'c>> {
        let Expr::Path(Path { root, steps }) = expr else { return None };
        match (root, self.known.moment) {
            (Root::Args | Root::Call(_), Readable::Event)
            | (Root::Result, Readable::Call | Readable::Gone | Readable::Event)
            | (Root::Event, Readable::Call | Readable::Result | Readable::Gone) => Some(None),
            (Root::Call(CallFact::Tool), _) if steps.is_empty() => self.known.tool.map(|tool| Some(Val::text(tool))),
            (Root::State(cell), _) => self.untouched(*cell, steps),
            _ => None,
        }
    }

    /// The value of a cell that nothing changes.
    fn untouched(&self, cell: usize, steps: &[Step]) -> Option<Est<'c>> {
        let (side, cell) = self.naming.cell(cell);
        let contract = *self.contracts.get(side)?;
        let written = contract.commits.iter().flat_map(|commit| &commit.changes).any(|change| change.cell == cell);
        let declared = contract.cells.get(cell).filter(|declared| !written && declared.fresh.is_none())?;
        match &declared.initial {
            None => Some(None),
            Some(literal @ (Literal::Bool(_) | Literal::Number(_) | Literal::Text(_))) if steps.is_empty() => {
                Some(Some(constant(literal)))
            }
            Some(_) => None,
        }
    }

    /// The whole of arguments, a result or an event is always there; and arguments are an object.
    fn narrowed(&self, variable: &Variable, cells: Vec<Cell>) -> Vec<Cell> {
        let Expr::Path(Path { root: Root::Event, steps }) = &variable.expr else { return cells };
        if !steps.is_empty() || self.known.moment != Readable::Event {
            return cells;
        }
        let has = variable.questions.iter().position(|question| *question == Question::Has);
        let present = |cell: &Cell| has.is_none_or(|at| cell.answers.get(at) != Some(&Truth::False));
        cells.into_iter().filter(present).collect()
    }

    /// Whether two variables are about different things, so that the value of one says nothing of the other's.
    pub(super) fn is_exact(&self) -> bool {
        let plain = |variable: &Variable| {
            self.fixed(&variable.expr).is_some()
                || (matches!(&variable.expr, Expr::Path(path) if is_plain(path)) && cell::is_plain(&variable.questions))
        };
        let within = |one: &Variable, other: &Variable| match (&one.expr, &other.expr) {
            (Expr::Path(one), Expr::Path(other)) => one.root == other.root && other.steps.starts_with(&one.steps),
            _ => false,
        };
        let apart = self.variables.iter().enumerate().all(|(index, one)| {
            self.variables.iter().enumerate().all(|(other, two)| index == other || !within(one, two))
        });
        self.opaque.is_empty() && apart && self.variables.iter().all(plain)
    }
}

/// Whether a path is one of fields into what an event brings along.
fn is_plain(path: &Path) -> bool {
    matches!(path.root, Root::Args | Root::Result | Root::Event)
        && path.steps.iter().all(|step| matches!(step, Step::Field(_)))
}

fn is_scalar(literal: &Literal) -> bool {
    !matches!(literal, Literal::List(_) | Literal::Json(_))
}
