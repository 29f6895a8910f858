//! Random formulas.

use super::Seed;

/// The names that formulas speak of. None of them is part of another, or of an operator.
pub const NAMES: &[&str] = &["n1", "n2", "n3"];

/// A formula.
#[derive(Clone, Debug)]
pub struct Formula {
    /// Its text.
    pub text: String,
    /// Whether it holds where nothing has happened.
    pub on_nothing: bool,
}

/// A formula over so many names, at most so many operators deep, which speaks of one of them at least.
pub fn formula(seed: &mut Seed, names: usize, depth: usize) -> Formula {
    loop {
        let made = part(seed, names, depth);
        if NAMES.iter().any(|name| made.text.contains(name)) {
            return made;
        }
    }
}

fn part(seed: &mut Seed, names: usize, depth: usize) -> Formula {
    if depth == 0 || seed.chance(15) {
        let (text, on_nothing) = match seed.below(12) {
            0 => ("true", true),
            1 => ("false", false),
            _ => (seed.pick(&NAMES[..names]), false),
        };
        return Formula { text: text.to_owned(), on_nothing };
    }
    let first = part(seed, names, depth - 1);
    if seed.chance(55) {
        let operator = seed.pick(&[
            "not",
            "always",
            "always",
            "eventually",
            "next",
            "weak_next",
            "once",
            "historically",
            "previous",
            "weak_previous",
        ]);
        let on_nothing = match operator {
            "not" => !first.on_nothing,
            "always" | "weak_next" | "historically" | "weak_previous" => true,
            _ => false,
        };
        return Formula { text: format!("{operator}({})", first.text), on_nothing };
    }
    let second = part(seed, names, depth - 1);
    let operator = seed.pick(&["and", "and", "or", "implies", "implies", "until", "weak_until", "release", "since"]);
    let on_nothing = match operator {
        "and" => first.on_nothing && second.on_nothing,
        "or" => first.on_nothing || second.on_nothing,
        "implies" => !first.on_nothing || second.on_nothing,
        "weak_until" | "release" => true,
        _ => false,
    };
    Formula { text: format!("({}) {operator} ({})", first.text, second.text), on_nothing }
}
