//! Names of tools that look like others, or hold what nobody sees.
//!
//! Contracts compare names by their code points, so none of this fools a rule. It fools people: who reads a list, a question or a
//! record. What looks like what is a choice from Unicode's confusables (UTS #39): letters of other scripts that stand for ASCII.

use std::collections::HashMap;

/// Cyrillic, Greek, Armenian and Cherokee letters and signs, and the ASCII that they look like.
const LOOKALIKES: &[(&str, &str)] = &[
    ("аӓӑαɑ", "a"),
    ("ЬвВΒ", "b"),
    ("сСϲⅽС", "c"),
    ("ԁⅾ", "d"),
    ("еЕёЁєΕҽ", "e"),
    ("ɡց", "g"),
    ("һНΗհ", "h"),
    ("іІїΙιıⅰ", "i"),
    ("јЈ", "j"),
    ("кКΚκ", "k"),
    ("ӏⅼ|", "l"),
    ("мМΜⅿ", "m"),
    ("пΝո", "n"),
    ("оОοΟσօ೦", "o"),
    ("рРρΡ", "p"),
    ("ԛզ", "q"),
    ("гᴦ", "r"),
    ("ѕЅ", "s"),
    ("тТΤτ", "t"),
    ("υսц", "u"),
    ("ѵνⅴ", "v"),
    ("ԝшѡ", "w"),
    ("хХχΧⅹ", "x"),
    ("уУΥүγ", "y"),
    ("ΖᴢᏃ", "z"),
    ("‐‑‒–—−", "-"),
    ("․。", "."),
    ("∕⁄", "/"),
];

/// Characters that nobody sees, or that change the order in which others are shown.
fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

/// Characters that normalization (NFKC) makes others of.
fn is_compatibility(c: char) -> bool {
    matches!(c,
        '\u{aa}' | '\u{b2}' | '\u{b3}' | '\u{b9}' | '\u{ba}' | '\u{2070}'..='\u{209c}' | '\u{2100}'..='\u{214e}'
        | '\u{2160}'..='\u{217f}' | '\u{2460}'..='\u{24ff}' | '\u{fb00}'..='\u{fb4f}' | '\u{ff01}'..='\u{ffef}'
        | '\u{1d400}'..='\u{1d7ff}')
}

/// What a character looks like.
fn plain(c: char) -> char {
    if c.is_ascii() {
        return match c {
            'I' | 'i' | '1' | '|' => 'l',
            '0' => 'o',
            c => c.to_ascii_lowercase(),
        };
    }
    let code = u32::from(c);
    let letter = |from: u32, first: char| char::from_u32(u32::from(first).saturating_add(code.saturating_sub(from)));
    let found = match code {
        // Full width.
        0xff01..=0xff5e => letter(0xff01, '!'),
        // Bold, italic, script, … letters: thirteen alphabets, capitals first.
        0x1d400..=0x1d6a3 => {
            let index = code.saturating_sub(0x1d400) % 26;
            char::from_u32(u32::from('a').saturating_add(index))
        }
        0x1d7ce..=0x1d7ff => char::from_u32(u32::from('0').saturating_add(code.saturating_sub(0x1d7ce) % 10)),
        _ => LOOKALIKES.iter().find(|(all, _)| all.contains(c)).and_then(|(_, looks)| looks.chars().next()),
    };
    match found {
        Some(found) if found.is_ascii() => plain(found),
        Some(found) => found,
        None => c,
    }
}

/// What a name looks like.
pub(super) fn skeleton(name: &str) -> String {
    name.chars().filter(|c| !is_hidden(*c)).map(plain).collect::<String>().replace("rn", "m")
}

/// What is wrong with a name by itself.
pub(super) fn flaw(name: &str) -> Option<&'static str> {
    if name.chars().any(is_hidden) {
        Some("has characters that nobody sees")
    } else if name.chars().any(char::is_whitespace) {
        Some("has white space")
    } else if name.chars().any(is_compatibility) {
        Some("is not in the form that normalization gives it")
    } else if name.chars().any(|c| !c.is_ascii() && plain(c).is_ascii()) {
        Some("has letters of another script that look like plain ones")
    } else {
        None
    }
}

/// The names so far, by what they look like.
#[derive(Debug, Default)]
pub(super) struct Names {
    known: HashMap<String, String>,
}

impl Names {
    /// Takes a name. Returns an earlier one that looks like it.
    pub(super) fn take(&mut self, name: &str) -> Option<&str> {
        let known = self.known.entry(skeleton(name)).or_insert_with(|| name.to_owned());
        (known != name).then_some(known.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_look_like_others_are_found() {
        for name in [
            "delete_f\u{456}le",
            "read\u{200b}_file",
            "\u{ff52}ead_file",
            "read_file ",
            "\u{202e}elif",
            "\u{1d5cb}ead_file",
            "re\u{430}d",
            "a\u{e0041}",
        ] {
            assert!(flaw(name).is_some(), "{name:?}");
        }
        for name in ["read_file", "créer", "読む", "files/read.v1-x"] {
            assert_eq!(flaw(name), None, "{name}");
        }
        let mut names = Names::default();
        assert_eq!(names.take("read_file"), None);
        assert_eq!(names.take("write_file"), None);
        for name in ["READ_FILE", "\u{ff52}ead_f\u{456}le", "read\u{200b}_file", "read_fi1e", "r\u{435}ad_f1le"] {
            let found = names.take(name).map(str::to_owned);
            assert_eq!(found.as_deref(), Some("read_file"), "{name:?}");
        }
    }
}
