//! What the state cells and context facts of a second contract are called in the first, so that predicates of both are about the
//! same variables exactly where these always have the same value.

use crate::mir::{Change, Commit, Contract, Expr, Root, Step, Verb};

/// The numbers in a common numbering: first what the first contract declares, then what only the second does.
#[derive(Clone, Debug, Default)]
pub(super) struct Naming {
    /// How many cells the first contract has.
    first: usize,
    /// For each cell of the second.
    cells: Vec<usize>,
    facts: Vec<usize>,
}

impl Naming {
    /// Of two contracts. A cell is the same if it is declared alike and changed alike, by what is the same itself.
    pub(super) fn new(old: &Contract, new: &Contract) -> Self {
        let first = old.cells.len();
        let fact = |(index, fact): (usize, &(String, _))| {
            old.context.iter().position(|known| known == fact).unwrap_or(old.context.len().saturating_add(index))
        };
        let facts = new.context.iter().enumerate().map(fact).collect();
        let alike = new.cells.iter().enumerate().map(|(index, cell)| {
            old.cells.iter().position(|known| known == cell).unwrap_or(first.saturating_add(index))
        });
        let mut naming = Self { first, cells: alike.collect(), facts };
        // What is changed differently is another cell, and so is what is changed by that.
        while let Some(index) = (0..naming.cells.len()).find(|index| !naming.holds(*index, old, new)) {
            if let Some(number) = naming.cells.get_mut(index) {
                *number = first.saturating_add(index);
            }
        }
        naming
    }

    /// Whether a cell that is said to be the same is changed alike.
    fn holds(&self, cell: usize, old: &Contract, new: &Contract) -> bool {
        let same = self.cells.get(cell).copied().filter(|number| *number < self.first);
        let Some(number) = same else { return true };
        let commits = |contract: &Contract, cell: usize| -> Vec<(Commit, Vec<Verb>)> {
            let changes = |commit: &Commit| {
                let own = commit.changes.iter().filter(|change: &&Change| change.cell == cell);
                own.map(|change| change.verb.clone()).collect::<Vec<_>>()
            };
            let concerned = contract.commits.iter().map(|commit| (commit.clone(), changes(commit)));
            concerned.filter(|(_, verbs)| !verbs.is_empty()).collect()
        };
        let (before, after) = (commits(old, number), commits(new, cell));
        before.len() == after.len()
            && before.iter().zip(&after).all(|((one, verbs), (other, others))| self.alike(one, verbs, other, others))
    }

    fn alike(&self, one: &Commit, verbs: &[Verb], other: &Commit, others: &[Verb]) -> bool {
        let condition = |expr: &Option<Expr>| expr.as_ref().map(|expr| self.renamed(expr));
        let alternatives = one.after.alternatives.len() == other.after.alternatives.len()
            && one.after.alternatives.iter().zip(&other.after.alternatives).all(|(one, other)| {
                (one.phases, &one.subject, &one.condition)
                    == (other.phases, &other.subject, &condition(&other.condition))
            });
        let verbs = verbs.len() == others.len()
            && verbs.iter().zip(others).all(|(one, other)| *one == self.renamed_verb(other));
        alternatives && verbs && one.when == condition(&other.when)
    }

    fn renamed_verb(&self, verb: &Verb) -> Verb {
        let expr = |expr: &Expr| self.renamed(expr);
        match verb {
            Verb::Set(value) => Verb::Set(expr(value)),
            Verb::Bind(value) => Verb::Bind(expr(value)),
            Verb::Insert(value) => Verb::Insert(expr(value)),
            Verb::InsertAt(at, value) => Verb::InsertAt(expr(at), expr(value)),
            Verb::Remove(value) => Verb::Remove(expr(value)),
            Verb::RemoveAt(at, value) => Verb::RemoveAt(expr(at), expr(value)),
            Verb::Put { at, value } => Verb::Put { at: expr(at), value: expr(value) },
            Verb::Clear => Verb::Clear,
        }
    }

    /// An expression of the second contract, in the common numbering.
    pub(super) fn renamed(&self, expr: &Expr) -> Expr {
        let mut expr = expr.clone();
        self.rename(&mut expr);
        expr
    }

    fn rename(&self, expr: &mut Expr) {
        match expr {
            Expr::Literal(_) | Expr::Now => {}
            Expr::Path(path) | Expr::Has(path) => {
                path.root = match path.root {
                    Root::State(cell) => Root::State(self.cells.get(cell).copied().unwrap_or(cell)),
                    Root::Context(fact) => Root::Context(self.facts.get(fact).copied().unwrap_or(fact)),
                    other => other,
                };
                self.rename_steps(&mut path.steps);
            }
            Expr::Select(inner, steps) => {
                self.rename(inner);
                self.rename_steps(steps);
            }
            Expr::Not(inner) | Expr::Like(inner, _) | Expr::Matches(inner, _) | Expr::Is(_, inner) => {
                self.rename(inner)
            }
            Expr::List(list) | Expr::And(list) | Expr::Or(list) | Expr::Call(_, list) => {
                list.iter_mut().for_each(|inner| self.rename(inner));
            }
            Expr::Implies(left, right)
            | Expr::Compare(_, left, right)
            | Expr::In(left, right)
            | Expr::Arithmetic(_, left, right)
            | Expr::Quantified { list: left, body: right, .. } => {
                self.rename(left);
                self.rename(right);
            }
        }
    }

    fn rename_steps(&self, steps: &mut [Step]) {
        for step in steps {
            if let Step::Dynamic(expr) = step {
                self.rename(expr);
            }
        }
    }

    /// Which contract declares the cell of this number, and as which of its own.
    pub(super) fn cell(&self, number: usize) -> (usize, usize) {
        match number.checked_sub(self.first) {
            Some(cell) if self.first > 0 || !self.cells.is_empty() => (1, cell),
            _ => (0, number),
        }
    }
}
