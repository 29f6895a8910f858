//! Operators by precedence, from loosest: `implies` (to the right), `or`, `and`, `not`, comparisons (one at a time),
//! `+ -`, `*`.

use std::iter::Peekable;
use std::ops::Range;
use std::vec::IntoIter;

use pest::iterators::Pair;

use super::escape;
use super::expr::{Expr, Kind, MAX_DEPTH, Operator, Path, Quantifier, Step, StepKind, Word};
use super::flaw::Flaw;
use super::parse::Rule;

/// Builds the tree of a pair of the rule `expression`.
pub(super) fn build(pair: Pair<'_, Rule>) -> Result<Expr, Flaw> {
    let whole = range(&pair);
    let tokens: Result<Vec<_>, _> = pair.into_inner().map(token).collect();
    let mut tokens = Tokens { list: tokens?.into_iter().peekable(), end: whole.end };
    let expr = tokens.implies()?;
    match tokens.list.next() {
        None => Ok(expr),
        Some(token) => Err(Flaw::new(token.range(), "expected an operator")),
    }
}

/// The byte range of a pair.
pub(super) fn range(pair: &Pair<'_, Rule>) -> Range<usize> {
    let span = pair.as_span();
    span.start()..span.end()
}

/// A pair as a word.
pub(super) fn word(pair: &Pair<'_, Rule>) -> Word {
    Word { text: pair.as_str().to_owned(), range: range(pair) }
}

enum Token {
    Not(Range<usize>),
    Infix(Infix, Range<usize>),
    Operand(Expr),
}

impl Token {
    fn range(&self) -> Range<usize> {
        match self {
            Self::Not(range) | Self::Infix(_, range) => range.clone(),
            Self::Operand(expr) => expr.range.clone(),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Infix {
    And,
    Or,
    Implies,
    Binary(Operator),
}

impl Infix {
    fn comparison(self) -> Option<Operator> {
        match self {
            Self::Binary(Operator::Add | Operator::Subtract | Operator::Multiply) => None,
            Self::Binary(operator) => Some(operator),
            Self::And | Self::Or | Self::Implies => None,
        }
    }

    fn sum(self) -> Option<Operator> {
        match self {
            Self::Binary(operator @ (Operator::Add | Operator::Subtract)) => Some(operator),
            _ => None,
        }
    }

    fn product(self) -> Option<Operator> {
        match self {
            Self::Binary(operator @ Operator::Multiply) => Some(operator),
            _ => None,
        }
    }

    fn is(self, other: Self) -> Option<()> {
        (self == other).then_some(())
    }
}

fn token(pair: Pair<'_, Rule>) -> Result<Token, Flaw> {
    let at = range(&pair);
    match pair.as_rule() {
        Rule::negation => Ok(Token::Not(at)),
        Rule::infix => match pair.as_str() {
            "and" | "&&" => Ok(Token::Infix(Infix::And, at)),
            "or" | "||" => Ok(Token::Infix(Infix::Or, at)),
            "implies" => Ok(Token::Infix(Infix::Implies, at)),
            other => match Operator::from_spelling(other) {
                Some(operator) => Ok(Token::Infix(Infix::Binary(operator), at)),
                None => Err(Flaw::new(at, format!("`{other}` is not an operator"))),
            },
        },
        _ => operand(pair).map(Token::Operand),
    }
}

struct Tokens {
    list: Peekable<IntoIter<Token>>,
    end: usize,
}

impl Tokens {
    fn implies(&mut self) -> Result<Expr, Flaw> {
        let mut links = vec![self.or()?];
        while self.infix(|infix| infix.is(Infix::Implies)).is_some() {
            links.push(self.or()?);
        }
        let mut right = links.pop().ok_or_else(|| self.missing())?;
        while let Some(left) = links.pop() {
            let range = left.range.start..right.range.end;
            right = node(Kind::Implies(Box::new(left), Box::new(right)), range)?;
        }
        Ok(right)
    }

    fn or(&mut self) -> Result<Expr, Flaw> {
        self.chain(Infix::Or, Self::and, Kind::Or)
    }

    fn and(&mut self) -> Result<Expr, Flaw> {
        self.chain(Infix::And, Self::not, Kind::And)
    }

    fn chain(
        &mut self,
        link: Infix,
        part: fn(&mut Self) -> Result<Expr, Flaw>,
        kind: fn(Vec<Expr>) -> Kind,
    ) -> Result<Expr, Flaw> {
        let first = part(self)?;
        let start = first.range.start;
        let mut end = first.range.end;
        let mut rest = Vec::new();
        while self.infix(|infix| infix.is(link)).is_some() {
            let next = part(self)?;
            end = next.range.end;
            rest.push(next);
        }
        if rest.is_empty() {
            return Ok(first);
        }
        node(kind(std::iter::once(first).chain(rest).collect()), start..end)
    }

    fn not(&mut self) -> Result<Expr, Flaw> {
        let mut starts = Vec::new();
        while let Some(Token::Not(range)) = self.list.next_if(|token| matches!(token, Token::Not(_))) {
            starts.push(range.start);
        }
        let mut inner = self.comparison()?;
        while let Some(start) = starts.pop() {
            let range = start..inner.range.end;
            inner = node(Kind::Not(Box::new(inner)), range)?;
        }
        Ok(inner)
    }

    fn comparison(&mut self) -> Result<Expr, Flaw> {
        let left = self.sum()?;
        let Some((operator, _)) = self.infix(Infix::comparison) else {
            return Ok(left);
        };
        let right = self.sum()?;
        if let Some((second, at)) = self.infix(Infix::comparison) {
            return Err(chained(operator, &right, second, at));
        }
        binary(operator, left, right)
    }

    fn sum(&mut self) -> Result<Expr, Flaw> {
        let mut left = self.product()?;
        while let Some((operator, _)) = self.infix(Infix::sum) {
            left = binary(operator, left, self.product()?)?;
        }
        Ok(left)
    }

    fn product(&mut self) -> Result<Expr, Flaw> {
        let mut left = self.operand()?;
        while let Some((operator, _)) = self.infix(Infix::product) {
            left = binary(operator, left, self.operand()?)?;
        }
        Ok(left)
    }

    fn operand(&mut self) -> Result<Expr, Flaw> {
        match self.list.next() {
            Some(Token::Operand(expr)) => Ok(expr),
            Some(Token::Not(range)) => Err(Flaw::new(range, "`not` stands in the middle of a comparison")
                .help("put it in brackets: `a == (not b)`, or write `a != b`")),
            Some(token @ Token::Infix(..)) => Err(Flaw::new(token.range(), "expected a value")),
            None => Err(self.missing()),
        }
    }

    fn missing(&self) -> Flaw {
        Flaw::new(self.end..self.end, "expected a value")
    }

    fn infix<T>(&mut self, select: impl Fn(Infix) -> Option<T>) -> Option<(T, Range<usize>)> {
        let found = match self.list.peek() {
            Some(Token::Infix(infix, range)) => (select(*infix)?, range.clone()),
            _ => return None,
        };
        self.list.next();
        Some(found)
    }
}

fn chained(first: Operator, middle: &Expr, second: Operator, at: Range<usize>) -> Flaw {
    let (first, second) = (first.as_str(), second.as_str());
    Flaw::new(at, "comparisons cannot be chained")
        .help(format!("write both: `… {first} {middle} and {middle} {second} …`, or use brackets"))
}

fn binary(operator: Operator, left: Expr, right: Expr) -> Result<Expr, Flaw> {
    let range = left.range.start..right.range.end;
    node(Kind::Binary(operator, Box::new(left), Box::new(right)), range)
}

/// The only place where trees grow.
fn node(kind: Kind, range: Range<usize>) -> Result<Expr, Flaw> {
    let expr = Expr::new(kind, range);
    if expr.depth() > MAX_DEPTH {
        return Err(Flaw::new(expr.range, format!("the expression has more than {MAX_DEPTH} levels"))
            .help("split it, or sum up a list with `sum([a, b, …])`"));
    }
    Ok(expr)
}

fn operand(pair: Pair<'_, Rule>) -> Result<Expr, Flaw> {
    let at = range(&pair);
    let text = pair.as_str();
    let kind = match pair.as_rule() {
        Rule::text => Kind::Text(escape::decode(text, at.start)?),
        Rule::raw => {
            let body = text.strip_prefix("r\"").and_then(|rest| rest.strip_suffix('"'));
            Kind::Text(body.unwrap_or_default().to_owned())
        }
        Rule::duration => Kind::Duration(text.to_owned()),
        Rule::number => Kind::Number(text.to_owned()),
        Rule::constant => match text {
            "true" => Kind::Bool(true),
            "false" => Kind::Bool(false),
            _ => Kind::Null,
        },
        Rule::group => {
            let inner = inner(pair, &at)?;
            // The brackets belong to the value for the eye, but not to the tree.
            return build(inner).map(|expr| expr.within(at));
        }
        Rule::list => Kind::List(pair.into_inner().map(build).collect::<Result<_, _>>()?),
        Rule::quantified => quantified(pair, &at)?,
        Rule::call => return call(pair, at),
        Rule::path => {
            let mut parts = pair.into_inner();
            let root = parts.next().ok_or_else(|| Flaw::new(at.clone(), "expected a value"))?;
            Kind::Path(Path { root: word(&root), steps: parts.map(step).collect::<Result<_, _>>()? })
        }
        _ => return Err(Flaw::new(at, "expected a value")),
    };
    node(kind, at)
}

fn inner<'a>(pair: Pair<'a, Rule>, at: &Range<usize>) -> Result<Pair<'a, Rule>, Flaw> {
    pair.into_inner().next().ok_or_else(|| Flaw::new(at.clone(), "expected a value"))
}

fn quantified(pair: Pair<'_, Rule>, at: &Range<usize>) -> Result<Kind, Flaw> {
    let missing = || Flaw::new(at.clone(), "expected `x in list => condition`");
    let mut parts = pair.into_inner().filter(|part| !matches!(part.as_rule(), Rule::membership | Rule::arrow));
    let quantifier = parts.next().and_then(|part| Quantifier::from_spelling(part.as_str())).ok_or_else(missing)?;
    let variable = word(&parts.next().ok_or_else(missing)?);
    let list = Box::new(build(parts.next().ok_or_else(missing)?)?);
    let body = Box::new(build(parts.next().ok_or_else(missing)?)?);
    Ok(Kind::Quantified { quantifier, variable, list, body })
}

fn call(pair: Pair<'_, Rule>, at: Range<usize>) -> Result<Expr, Flaw> {
    let missing = || Flaw::new(at.clone(), "expected a function");
    let mut parts = pair.into_inner();
    let function = word(&parts.next().ok_or_else(missing)?);
    let arguments = parts.next().ok_or_else(missing)?;
    let end = range(&arguments).end;
    let arguments = arguments.into_inner().map(build).collect::<Result<_, _>>()?;
    let value = node(Kind::Call(function, arguments), at.start..end)?;
    let steps = parts.map(step).collect::<Result<Vec<_>, _>>()?;
    if steps.is_empty() { Ok(value) } else { node(Kind::Select(Box::new(value), steps), at) }
}

fn step(pair: Pair<'_, Rule>) -> Result<Step, Flaw> {
    let at = range(&pair);
    let kind = match pair.as_rule() {
        Rule::field => StepKind::Field(pair.as_str().trim_start_matches('.').to_owned()),
        Rule::each => StepKind::Each,
        Rule::deep => StepKind::Deep,
        _ => {
            let inner = build(inner(pair, &at)?)?;
            match inner.kind {
                Kind::Text(name) => StepKind::Field(name),
                Kind::Number(text) => StepKind::Index(text.parse().map_err(|_| {
                    Flaw::new(inner.range, format!("`{text}` is not a position in a list"))
                        .help("positions count from 0; the whole list is `[]`")
                })?),
                _ => StepKind::Dynamic(Box::new(inner)),
            }
        }
    };
    Ok(Step { kind, range: at })
}
