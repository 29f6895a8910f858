//! Which globs can match one name together.
//!
//! The globs are read as one nondeterministic automaton, whose reachable sets of positions are explored character by
//! character. Only the characters that some position waits for matter, and one more that stands for all others. Exact;
//! the names that it finds need not be written anywhere in the contract.

use std::collections::{BTreeMap, BTreeSet};

use crate::mir::Glob;

/// Most sets of positions. Globs of real contracts stay far below; literal names are not explored.
const MAX_CONFIGURATIONS: usize = 1 << 10;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Token {
    Char(char),
    AnyChar,
    AnyText,
}

/// A position in a glob: which glob, and how many of its tokens are behind.
type Position = (usize, usize);

/// Every set of globs (as indices) such that some name is matched by these and by none of the others. The empty set is
/// among them if some name is matched by none. `None` if there are too many sets of positions to tell.
pub(crate) fn matched_together(globs: &[&Glob]) -> Option<BTreeSet<BTreeSet<usize>>> {
    if globs.iter().all(|glob| glob.is_literal()) {
        return Some(literals_together(globs));
    }
    let globs: Vec<Vec<Token>> = globs.iter().map(|glob| tokens(glob)).collect();
    let start = close(&globs, (0..globs.len()).map(|glob| (glob, 0)));
    let mut seen = BTreeSet::from([start.clone()]);
    let mut queue = vec![start];
    let mut found = BTreeSet::new();
    while let Some(configuration) = queue.pop() {
        let at_end = |(glob, at): &&Position| globs.get(*glob).is_some_and(|tokens| tokens.len() == *at);
        found.insert(configuration.iter().filter(at_end).map(|(glob, _)| *glob).collect());
        for next in successors(&globs, &configuration) {
            if seen.insert(next.clone()) {
                queue.push(next);
            }
        }
        if seen.len() > MAX_CONFIGURATIONS {
            return None;
        }
    }
    Some(found)
}

/// The same for names without wildcards: each matches itself alone.
fn literals_together(names: &[&Glob]) -> BTreeSet<BTreeSet<usize>> {
    let mut by_name: BTreeMap<&Glob, BTreeSet<usize>> = BTreeMap::new();
    for (index, name) in names.iter().enumerate() {
        by_name.entry(name).or_default().insert(index);
    }
    by_name.into_values().chain([BTreeSet::new()]).collect()
}

fn tokens(glob: &Glob) -> Vec<Token> {
    let token = |character| match character {
        '*' => Token::AnyText,
        '?' => Token::AnyChar,
        other => Token::Char(other),
    };
    glob.as_str().chars().map(token).collect()
}

fn token(globs: &[Vec<Token>], (glob, at): Position) -> Option<Token> {
    globs.get(glob)?.get(at).copied()
}

/// The sets of positions after one more character, for each character that makes a difference.
fn successors(globs: &[Vec<Token>], configuration: &BTreeSet<Position>) -> BTreeSet<BTreeSet<Position>> {
    let waited_for = configuration.iter().filter_map(|&position| match token(globs, position) {
        Some(Token::Char(character)) => Some(Some(character)),
        _ => None,
    });
    let characters: BTreeSet<Option<char>> = waited_for.chain([None]).collect();
    let after = |character: &Option<char>| {
        close(
            globs,
            configuration.iter().filter_map(|&(glob, at)| match token(globs, (glob, at))? {
                Token::AnyText => Some((glob, at)),
                Token::AnyChar => Some((glob, at.saturating_add(1))),
                Token::Char(expected) => (Some(expected) == *character).then_some((glob, at.saturating_add(1))),
            }),
        )
    };
    characters.iter().map(after).collect()
}

/// Adds the positions behind each `*`, and drops those before the last `*` that a glob has reached: whatever they
/// match, it matches too.
fn close(globs: &[Vec<Token>], positions: impl Iterator<Item = Position>) -> BTreeSet<Position> {
    let mut closed = BTreeSet::new();
    for (glob, mut at) in positions {
        closed.insert((glob, at));
        while token(globs, (glob, at)) == Some(Token::AnyText) {
            at = at.saturating_add(1);
            closed.insert((glob, at));
        }
    }
    let stars: Vec<Position> =
        closed.iter().copied().filter(|&position| token(globs, position) == Some(Token::AnyText)).collect();
    closed.retain(|(glob, at)| !stars.iter().any(|(starred, star)| starred == glob && at < star));
    closed
}

#[cfg(test)]
mod tests {
    use super::*;

    fn together(globs: &[&str]) -> Vec<Vec<usize>> {
        let globs: Vec<Glob> = globs.iter().map(|glob| Glob::new(glob)).collect();
        let found = matched_together(&globs.iter().collect::<Vec<_>>()).unwrap();
        found.into_iter().map(|set| set.into_iter().collect()).collect()
    }

    #[test]
    fn different_names_exclude_each_other() {
        assert_eq!(together(&["pay", "paid"]), [vec![], vec![0], vec![1]]);
    }

    #[test]
    fn a_name_within_a_glob_implies_it() {
        assert_eq!(together(&["send_*", "send_mail"]), [vec![], vec![0], vec![0, 1]]);
    }

    #[test]
    fn globs_with_a_common_name_overlap() {
        assert_eq!(together(&["a*", "*b"]), [vec![], vec![0], vec![0, 1], vec![1]]);
        assert_eq!(together(&["a*", "b*"]), [vec![], vec![0], vec![1]]);
        assert_eq!(together(&["?", "??"]), [vec![], vec![0], vec![1]]);
    }

    #[test]
    fn every_name_matches_a_star() {
        assert_eq!(together(&["*"]), [vec![0]]);
        assert_eq!(together(&["**", "*"]), [vec![0, 1]]);
    }

    #[test]
    fn intersections_that_other_globs_cover_are_not_invented() {
        assert_eq!(together(&["a?", "?b", "ab"]), [vec![], vec![0], vec![0, 1, 2], vec![1]]);
        assert_eq!(together(&["x*y", "x", "xy*"]), [vec![], vec![0], vec![0, 2], vec![1], vec![2]]);
    }

    #[test]
    fn many_literal_names_are_within_the_bound() {
        let names: Vec<String> = (0..300).map(|n| format!("tool_with_a_long_name_{n}")).collect();
        let found = together(&names.iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!(found.len(), 301);
    }

    #[test]
    fn found_sets_are_those_of_all_short_names() {
        let globs = ["a*b", "*a?", "?b*", "ab", "b*a*b", "*"].map(Glob::new);
        let mut names = vec![String::new()];
        for from in 0..1365 {
            names.extend(["a", "b", "c", "d"].map(|next| format!("{}{next}", names[from])));
        }
        let by_name: BTreeSet<BTreeSet<usize>> =
            names.iter().map(|name| (0..globs.len()).filter(|&glob| globs[glob].matches(name)).collect()).collect();
        assert_eq!(matched_together(&globs.iter().collect::<Vec<_>>()), Some(by_name));
    }
}
