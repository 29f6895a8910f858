//! Operators by precedence, from loosest: `implies` (to the right), `or`, `and`, the temporal operators between two
//! formulas (to the right), those before one.

use std::iter::Peekable;
use std::vec::IntoIter;

use pest::iterators::Pair;

use super::{Binary, Formula, Kind, Unary};
use crate::syntax::flaw::Flaw;
use crate::syntax::parse::Rule;
use crate::syntax::precedence::range;

/// Builds the tree of a pair of the rule `temporal`.
pub(in crate::syntax) fn read(pair: Pair<'_, Rule>) -> Result<Formula, Flaw> {
    let end = range(&pair).end;
    let mut parts = Parts { list: pair.into_inner().collect::<Vec<_>>().into_iter().peekable(), end };
    let formula = parts.implies()?;
    match parts.list.next() {
        None => Ok(formula),
        Some(part) => Err(Flaw::new(range(&part), "expected an operator")),
    }
}

/// The operators and operands of one level of brackets.
struct Parts<'a> {
    list: Peekable<IntoIter<Pair<'a, Rule>>>,
    end: usize,
}

impl Parts<'_> {
    fn implies(&mut self) -> Result<Formula, Flaw> {
        self.grouped_right(Self::or, |link| Binary::from_spelling(link).filter(|operator| *operator == Binary::Implies))
    }

    fn or(&mut self) -> Result<Formula, Flaw> {
        self.chain(&["or", "||"], Self::and, Kind::Or)
    }

    fn and(&mut self) -> Result<Formula, Flaw> {
        self.chain(&["and", "&&"], Self::between, Kind::And)
    }

    fn between(&mut self) -> Result<Formula, Flaw> {
        self.grouped_right(Self::before, |link| {
            Binary::from_spelling(link).filter(|operator| *operator != Binary::Implies)
        })
    }

    /// Operators that group to the right, several of which may stand on one level.
    fn grouped_right(
        &mut self,
        part: fn(&mut Self) -> Result<Formula, Flaw>,
        operator: fn(&str) -> Option<Binary>,
    ) -> Result<Formula, Flaw> {
        let mut right = part(self)?;
        let mut left = Vec::new();
        while let Some(operator) = self.link(operator) {
            left.push((std::mem::replace(&mut right, part(self)?), operator));
        }
        while let Some((first, operator)) = left.pop() {
            let range = first.range.start..right.range.end;
            right = Formula::new(Kind::Binary(operator, Box::new(first), Box::new(right)), range)?;
        }
        Ok(right)
    }

    fn chain(
        &mut self,
        words: &[&str],
        part: fn(&mut Self) -> Result<Formula, Flaw>,
        kind: fn(Vec<Formula>) -> Kind,
    ) -> Result<Formula, Flaw> {
        let first = part(self)?;
        let mut range = first.range.clone();
        let mut members = vec![first];
        while self.link(|link| words.contains(&link).then_some(())).is_some() {
            let next = part(self)?;
            range.end = next.range.end;
            members.push(next);
        }
        match members.pop() {
            Some(only) if members.is_empty() => Ok(only),
            last => Formula::new(kind(members.into_iter().chain(last).collect()), range),
        }
    }

    fn before(&mut self) -> Result<Formula, Flaw> {
        let mut operators = Vec::new();
        while let Some(pair) = self.list.next_if(|pair| pair.as_rule() == Rule::prefix) {
            operators.push((Unary::from_spelling(pair.as_str()).unwrap_or(Unary::Not), range(&pair).start));
        }
        let mut inner = self.operand()?;
        while let Some((operator, start)) = operators.pop() {
            let range = start..inner.range.end;
            inner = Formula::new(Kind::Unary(operator, Box::new(inner)), range)?;
        }
        Ok(inner)
    }

    fn operand(&mut self) -> Result<Formula, Flaw> {
        let missing = |at| Flaw::new(at, "expected a name or an operator");
        let pair = self.list.next().ok_or_else(|| missing(self.end..self.end))?;
        let at = range(&pair);
        match pair.as_rule() {
            Rule::truth => Formula::new(Kind::Bool(pair.as_str() == "true"), at),
            Rule::letter => Formula::new(Kind::Name(pair.as_str().to_owned()), at),
            Rule::nested => {
                let inner = read(pair.into_inner().next().ok_or_else(|| missing(at.clone()))?)?;
                // The brackets belong to the formula for the eye, but not to the tree.
                Ok(Formula { range: at, ..inner })
            }
            _ => Err(missing(at)),
        }
    }

    fn link<T>(&mut self, select: impl Fn(&str) -> Option<T>) -> Option<T> {
        let found = self.list.peek().filter(|pair| pair.as_rule() == Rule::link).and_then(|pair| select(pair.as_str()));
        if found.is_some() {
            self.list.next();
        }
        found
    }
}
