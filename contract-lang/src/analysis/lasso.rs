//! Endless sequences that repeat themselves, and what formulas say of them by the standard meaning on infinite words.

use crate::syntax::formula::{Binary, Formula, Kind, Unary};

/// Most sequences that are looked at, shortest first.
const MOST: usize = 4_096;

/// The most events that are repeated.
const LONGEST: u32 = 3;

/// A few events, and then others over and over. Bit i of a letter says that name i holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Lasso {
    /// What comes first.
    pub(super) stem: Vec<u8>,
    /// What is repeated: at least one event.
    pub(super) cycle: Vec<u8>,
}

impl Lasso {
    /// Those over some letters with at most one event before the cycle, short ones first.
    pub(super) fn all(letters: &[u8]) -> impl Iterator<Item = Self> {
        let stems = || std::iter::once(Vec::new()).chain(letters.iter().map(|&letter| vec![letter]));
        let cycles = (1..=LONGEST).flat_map(|length| words(letters, length));
        cycles.flat_map(move |cycle| stems().map(move |stem| Self { stem, cycle: cycle.clone() })).take(MOST)
    }

    /// Its events, without an end.
    pub(super) fn events(&self) -> impl Iterator<Item = u8> {
        self.stem.iter().chain(self.cycle.iter().cycle()).copied()
    }

    /// Whether a formula about the future holds of it; `None` of one that speaks of the past.
    pub(super) fn satisfies(&self, formula: &Formula, names: &[&str]) -> Option<bool> {
        self.truths(formula, names)?.first().copied()
    }

    /// The truth of a formula at each position until they repeat.
    fn truths(&self, formula: &Formula, names: &[&str]) -> Option<Vec<bool>> {
        let of = |formula: &Formula| self.truths(formula, names);
        let all = |members: &[Formula]| members.iter().map(&of).collect::<Option<Vec<_>>>();
        Some(match &formula.kind {
            Kind::Bool(value) => self.letters().map(|_| *value).collect(),
            Kind::Name(name) => {
                let index = names.iter().position(|known| known == name)?;
                let bit = 1u8.checked_shl(u32::try_from(index).ok()?)?;
                self.letters().map(|letter| letter & bit != 0).collect()
            }
            Kind::And(members) => join(self.letters().map(|_| true).collect(), &all(members)?, |a, b| a && b),
            Kind::Or(members) => join(self.letters().map(|_| false).collect(), &all(members)?, |a, b| a || b),
            Kind::Unary(Unary::Not, inner) => negated(of(inner)?),
            Kind::Unary(Unary::Next | Unary::WeakNext, inner) => self.next(&of(inner)?),
            Kind::Unary(Unary::Eventually, inner) => self.until(&self.constant(true), &of(inner)?),
            Kind::Unary(Unary::Always, inner) => negated(self.until(&self.constant(true), &negated(of(inner)?))),
            Kind::Unary(Unary::Once | Unary::Historically | Unary::Previous | Unary::WeakPrevious, _)
            | Kind::Binary(Binary::Since, ..) => return None,
            Kind::Binary(Binary::Implies, left, right) => join(negated(of(left)?), &[of(right)?], |a, b| a || b),
            Kind::Binary(Binary::Until, left, right) => self.until(&of(left)?, &of(right)?),
            Kind::Binary(Binary::WeakUntil, left, right) => {
                let (left, right) = (of(left)?, of(right)?);
                let forever = negated(self.until(&self.constant(true), &negated(left.clone())));
                join(self.until(&left, &right), &[forever], |a, b| a || b)
            }
            Kind::Binary(Binary::Release, left, right) => {
                negated(self.until(&negated(of(left)?), &negated(of(right)?)))
            }
        })
    }

    fn letters(&self) -> impl Iterator<Item = u8> {
        self.stem.iter().chain(&self.cycle).copied()
    }

    fn constant(&self, value: bool) -> Vec<bool> {
        self.letters().map(|_| value).collect()
    }

    /// The truths one position on: after the last comes the first of the cycle.
    fn next(&self, truths: &[bool]) -> Vec<bool> {
        truths.iter().skip(1).chain(truths.get(self.stem.len())).copied().collect()
    }

    /// The least solution of `u = goal or (hold and next u)`: as many steps as there are positions reach it.
    fn until(&self, hold: &[bool], goal: &[bool]) -> Vec<bool> {
        let mut until = goal.to_vec();
        for _ in goal {
            let going_on = join(self.next(&until), &[hold.to_vec()], |a, b| a && b);
            until = join(going_on, &[goal.to_vec()], |a, b| a || b);
        }
        until
    }
}

fn negated(mut truths: Vec<bool>) -> Vec<bool> {
    for truth in &mut truths {
        *truth = !*truth;
    }
    truths
}

fn join(mut truths: Vec<bool>, others: &[Vec<bool>], with: impl Fn(bool, bool) -> bool) -> Vec<bool> {
    for other in others {
        for (truth, other) in truths.iter_mut().zip(other) {
            *truth = with(*truth, *other);
        }
    }
    truths
}

/// All words of a length.
fn words(letters: &[u8], length: u32) -> impl Iterator<Item = Vec<u8>> {
    let base = letters.len();
    let count = base.checked_pow(length).unwrap_or(MOST).min(MOST);
    (0..count).map(move |mut number| {
        let digits = (0..length).filter_map(|_| {
            let digit = number.checked_rem(base)?;
            number = number.checked_div(base)?;
            letters.get(digit).copied()
        });
        digits.collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::parse;

    fn holds(formula: &str, stem: &[u8], cycle: &[u8]) -> Option<bool> {
        let lasso = Lasso { stem: stem.to_vec(), cycle: cycle.to_vec() };
        lasso.satisfies(&parse::formula(formula).unwrap(), &["p", "q"])
    }

    #[test]
    fn formulas_have_their_meaning_on_infinite_words() {
        for (formula, stem, cycle, expected) in [
            ("always eventually p", &[][..], &[1, 2][..], true),
            ("always eventually p", &[1], &[2], false),
            ("eventually always p", &[2], &[1], true),
            ("eventually always p", &[], &[1, 2], false),
            ("next p", &[2], &[1], true),
            ("always next true", &[], &[1], true),
            ("p until q", &[1], &[1, 2], true),
            ("p until q", &[], &[1], false),
            ("p weak_until q", &[], &[1], true),
            ("p weak_until q", &[], &[0], false),
            ("q release p", &[1], &[3, 0], true),
            ("q release p", &[1], &[2], false),
            ("not p implies q and true or false", &[], &[2, 1], true),
        ] {
            assert_eq!(holds(formula, stem, cycle), Some(expected), "{formula} {stem:?} {cycle:?}");
        }
        assert_eq!(holds("once p", &[], &[1]), None);
    }

    #[test]
    fn sequences_are_bounded_and_short_ones_come_first() {
        let all: Vec<Lasso> = Lasso::all(&[1, 2]).collect();
        assert_eq!(all.len(), (2 + 4 + 8) * 3);
        assert!(all.is_sorted_by_key(|lasso| lasso.cycle.len()));
        let many: Vec<u8> = (1..=255).collect();
        assert_eq!(Lasso::all(&many).count(), MOST);
        assert_eq!(Lasso::all(&[]).count(), 0);
    }
}
