//! What is said of mistakes in patterns.

use super::{Flaw, Spot};

impl Spot<'_> {
    pub(super) fn name(&self) -> Flaw {
        if self.text.trim().is_empty() {
            return Flaw::new(0..self.text.len(), "expected a tool name, but the text is empty");
        }
        let (found, _) = self.found();
        let plain = self.plain("expected a tool name");
        match found {
            "\"" | "'" => plain.help("tool names are written without quotes"),
            "where" => plain.help("a tool name stands before `where`; `any` stands for every tool"),
            "(" => plain.help("a group of alternatives gets a name in `patterns`"),
            "||" => plain.help("alternatives are separated by `|`"),
            _ => plain,
        }
    }

    pub(super) fn after_name(&self) -> Flaw {
        let (found, range) = self.found();
        let inside = self.open_bracket().is_some();
        if self.rest.is_empty() && inside {
            return Flaw::new(range, "the closing `)` is missing").suggest(
                "add `)`",
                self.text.len()..self.text.len(),
                ")",
            );
        }
        let expected =
            if inside { "expected `where` or `)`" } else { "expected `where`, `|` or the end of the pattern" };
        let plain = self.plain(expected);
        match found.to_lowercase().as_str() {
            "when" | "if" | "with" | "where" => plain.correct("write `where`", range, "where"),
            "|" if inside => {
                plain.help("a phase takes one name: write `ok(a) | ok(b)`, or name the group in `patterns`")
            }
            "||" | "or" | "," if !inside => plain.correct("alternatives are separated by `|`", range, "|"),
            "(" if inside => plain.help("phases do not nest"),
            "and" => plain.help("a pattern matches single events; conditions stand after `where`"),
            word if !inside && word.starts_with(|first: char| first.is_alphabetic() || first == '_') => plain.help(
                "another pattern stands after `,` in a list, and after `|` where either will do; in the text form another field stands \
                 after `;` or on a line of its own",
            ),
            _ => plain,
        }
    }

    pub(super) fn after_alternative(&self) -> Flaw {
        let (found, range) = self.found();
        let plain = self.plain("expected `|` or the end of the pattern");
        match found.to_lowercase().as_str() {
            "where" | "when" | "if" => {
                plain.help("the condition stands inside the brackets: `ok(tool where condition)`")
            }
            "||" | "or" | "," => plain.correct("alternatives are separated by `|`", range, "|"),
            "and" => plain.help("a pattern matches single events; conditions stand after `where`"),
            _ => plain,
        }
    }
}
