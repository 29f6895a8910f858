//! Texts of others, for people: hidden characters can be seen, and long texts are cut.

use contract_lang::diagnostic::render;

/// Most characters that are shown of a name: of a tool, a session, an agent, a rule, an id.
const NAME: usize = 80;

/// Most characters that are shown of a text: a message, arguments, a reason.
const TEXT: usize = 400;

/// A name.
pub(crate) fn name(text: &str) -> String {
    clip(text, NAME)
}

/// A text.
pub(crate) fn text(text: &str) -> String {
    clip(text, TEXT)
}

/// The same up to a length in characters.
pub(crate) fn clip(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => render::escape(text),
        Some((end, _)) => format!("{}…", render::escape(text.get(..end).unwrap_or_default())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_a_terminal_obeys_is_left_and_nothing_is_long() {
        let hostile = "\x1b[31m\u{202e}\u{200b}\r\n\u{9b}\0";
        let shown = name(hostile);
        assert!(shown.chars().all(|c| !render::is_hidden(c)), "{shown}");
        assert_eq!(name(&"é".repeat(80)), "é".repeat(80));
        assert_eq!(name(&"é".repeat(81)), format!("{}…", "é".repeat(80)));
        assert!(text(&"\u{202e}".repeat(1 << 20)).len() < 8 * TEXT + 8);
    }
}
