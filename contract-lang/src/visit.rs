//! Walks over checked expressions.

use std::collections::BTreeSet;

use crate::mir::{Change, Contract, Expr, Kind, Operand, Pattern, Root, RouteKey, Rule, Step, Verb};

impl Expr {
    /// Calls `each` with this expression and all below it, in evaluation order of the source.
    pub fn visit<'e>(&'e self, each: &mut dyn FnMut(&'e Expr)) {
        each(self);
        match self {
            Self::Literal(_) | Self::Now => {}
            Self::Path(path) | Self::Has(path) => visit_steps(&path.steps, each),
            Self::Select(inner, steps) => {
                inner.visit(each);
                visit_steps(steps, each);
            }
            Self::Not(inner) | Self::Like(inner, _) | Self::Matches(inner, _) | Self::Is(_, inner) => inner.visit(each),
            Self::List(list) | Self::And(list) | Self::Or(list) | Self::Call(_, list) => {
                list.iter().for_each(|inner| inner.visit(each));
            }
            Self::Implies(left, right)
            | Self::Compare(_, left, right)
            | Self::In(left, right)
            | Self::Arithmetic(_, left, right)
            | Self::Quantified { list: left, body: right, .. } => {
                left.visit(each);
                right.visit(each);
            }
        }
    }

    /// Whether it reads the result of a call.
    #[must_use]
    pub fn reads_result(&self) -> bool {
        self.reads(|root| root == Root::Result)
    }

    /// Whether it reads a root of some kind.
    #[must_use]
    pub fn reads(&self, wanted: impl Fn(Root) -> bool) -> bool {
        let mut found = false;
        self.visit(&mut |expr| {
            if let Self::Path(path) | Self::Has(path) = expr {
                found |= wanted(path.root);
            }
        });
        found
    }
}

impl Step {
    /// Whether it makes the path yield a list.
    #[must_use]
    pub fn is_many(&self) -> bool {
        matches!(self, Self::Each | Self::Deep)
    }
}

fn visit_steps<'e>(steps: &'e [Step], each: &mut dyn FnMut(&'e Expr)) {
    for step in steps {
        if let Step::Dynamic(expr) = step {
            expr.visit(each);
        }
    }
}

impl Pattern {
    fn conditions(&self) -> impl Iterator<Item = &Expr> {
        self.alternatives.iter().filter_map(|alternative| alternative.condition.as_ref())
    }
}

impl Change {
    /// The expressions of the change.
    #[must_use]
    pub fn expressions(&self) -> Vec<&Expr> {
        match &self.verb {
            Verb::Set(expr) | Verb::Bind(expr) | Verb::Insert(expr) | Verb::Remove(expr) => vec![expr],
            Verb::InsertAt(at, value) | Verb::RemoveAt(at, value) | Verb::Put { at, value } => vec![at, value],
            Verb::Clear => Vec::new(),
        }
    }
}

impl Rule {
    /// The expressions of the rule, those of its patterns first.
    #[must_use]
    pub fn expressions(&self) -> Vec<&Expr> {
        let mut found: Vec<&Expr> = self.all_patterns().flat_map(Pattern::conditions).collect();
        match &self.kind {
            Kind::Register { operand: Some(operand), .. } => found.extend(operand.expressions()),
            Kind::Require { clauses, .. } | Kind::Ensure { clauses, .. } => {
                found.extend(clauses.iter().map(|clause| &clause.predicate));
            }
            Kind::Rewrite { changes, .. } => found.extend(changes.iter().map(|change| &change.value)),
            Kind::Register { operand: None, .. }
            | Kind::Automaton { .. }
            | Kind::Permit { .. }
            | Kind::Redact { .. }
            | Kind::NoFlow { .. } => {}
        }
        found.extend(self.per.iter().flat_map(|keyed| &keyed.routes).flat_map(|route| route.key.expressions()));
        found
    }
}

impl Operand {
    /// Its expressions.
    #[must_use]
    pub fn expressions(&self) -> Vec<&Expr> {
        match self {
            Self::Same(expr) => vec![expr],
            Self::ByTool(routes) => routes.iter().map(|(_, expr)| expr).collect(),
        }
    }
}

impl RouteKey {
    /// Its expressions.
    #[must_use]
    pub fn expressions(&self) -> Vec<&Expr> {
        match self {
            Self::One(parts) => parts.iter().collect(),
            Self::Each { before, list, component, after } => {
                before.iter().chain([list, component]).chain(after).collect()
            }
            Self::All => Vec::new(),
        }
    }
}

impl Contract {
    /// Every expression of the contract.
    #[must_use]
    pub fn expressions(&self) -> Vec<&Expr> {
        let tools = self
            .tools
            .iter()
            .flat_map(|tool| tool.effect.iter().filter_map(|case| case.when.as_ref()).chain(&tool.succeeds_when));
        let commits = self.commits.iter().flat_map(|commit| {
            let changes = commit.changes.iter().flat_map(Change::expressions);
            commit.after.conditions().chain(&commit.when).chain(changes)
        });
        tools.chain(commits).chain(self.rules.iter().flat_map(Rule::expressions)).collect()
    }

    /// The source texts of its regular expressions, each once, ascending.
    #[must_use]
    pub fn regexes(&self) -> BTreeSet<&str> {
        let mut found = BTreeSet::new();
        for expr in self.expressions() {
            expr.visit(&mut |expr| {
                if let Expr::Matches(_, pattern) = expr {
                    found.insert(pattern.as_str());
                }
            });
        }
        found
    }
}
