//! Random trees and texts for tests, the same in every run.

#![expect(clippy::arithmetic_side_effects, reason = "small numbers in tests")]

use super::expr::{Expr, Kind, Operator, Path, Quantifier, Step, StepKind, Word};

/// A generator of random trees and texts.
pub(crate) struct Random(u64);

/// What expressions and patterns are made of, and some things that they are not.
const TOKENS: [&str; 72] = [
    "args",
    ".x",
    "result",
    "state",
    ".*",
    ".**",
    "[",
    "]",
    "[]",
    "[0]",
    "(",
    ")",
    "(",
    ")",
    "and",
    "or",
    "not",
    "implies",
    "in",
    "like",
    "matches",
    "&&",
    "||",
    "!",
    "==",
    "!=",
    "<",
    "<=",
    "=",
    "=>",
    "+",
    "-",
    "*",
    "1",
    "-2",
    "0.5",
    "007",
    "1e5",
    "10m",
    "7x",
    "\"a\"",
    "\"\\u12\"",
    "\"",
    "r\"",
    "r\"\\d\"",
    "'a'",
    ",",
    "|",
    "where",
    "call",
    "ok(",
    "event(",
    "effect(",
    "done",
    "any(",
    "all(",
    "count(",
    "x in",
    "lower(",
    "json(",
    "has(",
    "now",
    "true",
    "null",
    "::",
    "?",
    "é",
    "\u{0}",
    "\n",
    "😀",
    "#",
    "$",
];

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A number below the bound (MMIX's constants, Knuth, TAOCP vol. 2, §3.3.4).
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % bound
    }

    pub(crate) fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    /// Up to so many tokens, with or without spaces.
    pub(crate) fn text(&mut self, most: usize) -> String {
        let length = self.below(most);
        (0..length).map(|_| format!("{}{}", self.pick(&TOKENS), self.pick(&["", " ", " "]))).collect()
    }

    /// A tree of at most so many levels.
    pub(crate) fn tree(&mut self, levels: usize) -> Expr {
        let kind = if levels <= 1 { self.leaf() } else { self.node(levels - 1) };
        Expr::new(kind, 0..0)
    }

    fn leaf(&mut self) -> Kind {
        match self.below(7) {
            0 => Kind::Null,
            1 => Kind::Bool(self.below(2) == 0),
            2 => Kind::Number(self.pick(&["0", "-1", "12.50", "-0.5"]).to_owned()),
            3 => Kind::Duration(self.pick(&["500ms", "30s", "10m", "24h", "7d"]).to_owned()),
            4 => Kind::Text(self.pick(&["", "a", "a\"b\\", "\n\t\u{1}", "é😀", "and", "it's"]).to_owned()),
            _ => Kind::Path(self.path(1)),
        }
    }

    fn node(&mut self, levels: usize) -> Kind {
        match self.below(12) {
            0 => Kind::Not(Box::new(self.tree(levels))),
            1 => Kind::And(self.trees(2, levels)),
            2 => Kind::Or(self.trees(2, levels)),
            3 => Kind::Implies(Box::new(self.tree(levels)), Box::new(self.tree(levels))),
            4..=6 => {
                let (_, operator) = self.pick(&Operator::ALL);
                Kind::Binary(operator, Box::new(self.tree(levels)), Box::new(self.tree(levels)))
            }
            7 => Kind::List(self.trees(0, levels)),
            8 => self.call(levels),
            9 => {
                let call = self.call(levels);
                let first = self.step(levels);
                Kind::Select(Box::new(Expr::new(call, 0..0)), vec![first])
            }
            10 => Kind::Quantified {
                quantifier: self.pick(&[Quantifier::All, Quantifier::Any, Quantifier::None, Quantifier::Count]),
                variable: self.word(),
                list: Box::new(self.tree(levels)),
                body: Box::new(self.tree(levels)),
            },
            _ => Kind::Path(self.path(levels)),
        }
    }

    fn call(&mut self, levels: usize) -> Kind {
        let name = self.pick(&["lower", "json", "has", "order", "notify"]).to_owned();
        Kind::Call(Word { text: name, range: 0..0 }, self.trees(0, levels))
    }

    fn trees(&mut self, least: usize, levels: usize) -> Vec<Expr> {
        let count = least + self.below(3);
        (0..count).map(|_| self.tree(levels)).collect()
    }

    fn word(&mut self) -> Word {
        Word { text: self.pick(&["x", "_row", "inner", "r", "m10", "order"]).to_owned(), range: 0..0 }
    }

    fn path(&mut self, levels: usize) -> Path {
        let root = self.word();
        let count = self.below(4);
        Path { root, steps: (0..count).map(|_| self.step(levels)).collect() }
    }

    fn step(&mut self, levels: usize) -> Step {
        let kind = match self.below(6) {
            0 => StepKind::Index(u32::try_from(self.below(9)).unwrap()),
            1 => StepKind::Each,
            2 => StepKind::Deep,
            3 => StepKind::Dynamic(Box::new(Expr::new(Kind::Path(self.path(levels.saturating_sub(1).min(1))), 0..0))),
            _ => StepKind::Field(self.pick(&["a", "and", "odd key", "", "a-b", "é", "0"]).to_owned()),
        };
        Step { kind, range: 0..0 }
    }
}
