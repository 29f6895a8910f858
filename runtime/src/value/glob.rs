//! Globs: what `like` and tool patterns match with.

/// Whether a glob matches a whole text: `*` stands for any characters, `?` for one, everything else for itself.
///
/// Two pointers and one point of return, the last `*`: an earlier `*` need not be tried again, because whatever it could
/// give up, the last one can take. So the cost is at most the product of the two lengths and there is no recursion.
#[must_use]
pub fn glob_matches(glob: &str, text: &str) -> bool {
    let (mut glob, mut text) = (glob.chars(), text.chars());
    let mut last_star = None;
    loop {
        let text_here = text.clone();
        match (glob.next(), text.next()) {
            (None, None) => return true,
            (Some('*'), _) => {
                last_star = Some((glob.clone(), text_here.clone()));
                text = text_here;
            }
            (Some('?'), Some(_)) => {}
            (Some(expected), Some(found)) if expected == found => {}
            (_, None) => return false,
            (_, Some(_)) => {
                // The last star takes one character more.
                let Some((after_star, taken)) = &mut last_star else { return false };
                taken.next();
                glob = after_star.clone();
                text = taken.clone();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::lcg::Lcg;

    #[test]
    fn globs_are_anchored_and_count_characters() {
        for (glob, text) in [
            ("", ""),
            ("*", ""),
            ("*", "abc"),
            ("a*", "a"),
            ("a*c", "abbc"),
            ("*b*", "abc"),
            ("?", "é"),
            ("a?c", "a☃c"),
            ("**a", "a"),
            ("report_*", "report_x"),
            ("*.txt", "a.txt.txt"),
            ("a*b*c", "aXbXbc"),
            ("[a]", "[a]"),
        ] {
            assert!(glob_matches(glob, text), "{glob} {text}");
        }
        for (glob, text) in [
            ("", "a"),
            ("a", ""),
            ("a", "ab"),
            ("a", "ba"),
            ("?", ""),
            ("?", "ab"),
            ("a*c", "ab"),
            ("report_*", "report"),
            ("*.txt", "a.txt "),
            ("A", "a"),
            ("a*b", "acbc"),
            ("[a]", "a"),
        ] {
            assert!(!glob_matches(glob, text), "{glob} {text}");
        }
    }

    /// The definition, exponential.
    fn defined(glob: &[char], text: &[char]) -> bool {
        match (glob, text) {
            ([], []) => true,
            (['*', rest @ ..], _) => defined(rest, text) || matches!(text, [_, tail @ ..] if defined(glob, tail)),
            (['?', rest @ ..], [_, tail @ ..]) => defined(rest, tail),
            ([one, rest @ ..], [other, tail @ ..]) => one == other && defined(rest, tail),
            _ => false,
        }
    }

    #[test]
    fn the_algorithm_agrees_with_the_definition() {
        let mut random = Lcg::new(4);
        let mut word = |letters: &[char]| (0..random.below(8)).map(|_| *random.pick(letters)).collect::<String>();
        for _ in 0..20_000 {
            let (glob, text) = (word(&['a', 'b', '*', '?', 'é']), word(&['a', 'b', 'é']));
            let expected = defined(&glob.chars().collect::<Vec<_>>(), &text.chars().collect::<Vec<_>>());
            assert_eq!(glob_matches(&glob, &text), expected, "{glob} {text}");
        }
    }

    #[test]
    fn many_stars_do_not_make_it_exponential() {
        assert!(!glob_matches(&format!("{}b", "a*".repeat(50)), &"a".repeat(20_000)));
    }
}
