//! A short text that a regular expression matches.

use regex_syntax::hir::{Class, Hir, HirKind};

/// Longer texts are not made.
const LONGEST: usize = 256;

/// A text that the expression matches, unless it looks at boundaries inside the text.
pub(super) fn sample(pattern: &str) -> Option<String> {
    let mut text = String::new();
    write(&regex_syntax::parse(pattern).ok()?, &mut text)?;
    Some(text)
}

fn write(hir: &Hir, text: &mut String) -> Option<()> {
    if text.len() > LONGEST {
        return None;
    }
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => {}
        HirKind::Literal(literal) => text.push_str(std::str::from_utf8(&literal.0).ok()?),
        HirKind::Class(Class::Unicode(class)) => {
            let first = class.ranges().first()?;
            let within =
                |letter: char| class.ranges().iter().any(|range| (range.start()..=range.end()).contains(&letter));
            text.push(['a', '1', 'A'].into_iter().find(|letter| within(*letter)).unwrap_or(first.start()));
        }
        HirKind::Class(Class::Bytes(class)) => text.push(char::from(class.ranges().first()?.start())),
        HirKind::Repetition(repetition) => {
            for _ in 0..repetition.min.max(u32::from(repetition.max != Some(0))) {
                write(&repetition.sub, text)?;
            }
        }
        HirKind::Capture(capture) => write(&capture.sub, text)?,
        HirKind::Concat(parts) => parts.iter().try_for_each(|part| write(part, text))?,
        HirKind::Alternation(parts) => write(parts.first()?, text)?,
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::sample;

    #[test]
    fn what_is_made_matches() {
        for pattern in ["^inv-[0-9]{4}$", "a+|b", r"(?i)drop\s+table", "^[^/]+/x$", r"\d{3}-\w+", "", "^$"] {
            let text = sample(pattern).unwrap();
            assert!(regex::Regex::new(pattern).unwrap().is_match(&text), "{pattern}: {text:?}");
        }
        assert_eq!(sample("a{100000}"), None);
    }
}
