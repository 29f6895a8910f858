//! Errors of the parser in plain words: what was expected, what stands there, and what its author probably meant.

mod formula;
mod pattern;
#[cfg(test)]
mod tests;

use std::ops::Range;

use pest::error::{Error, ErrorVariant, InputLocation};

use super::flaw::Flaw;
use super::parse::{Rule, brackets, one_char};
use crate::diagnostic::nearest;

/// Operators that are words.
const WORDS: [&str; 7] = ["and", "or", "not", "implies", "in", "like", "matches"];

/// Functions that one might write between their arguments.
const BETWEEN: [&str; 7] = ["contains", "starts_with", "ends_with", "subset", "intersects", "path_within", "domain_in"];

/// Spellings of other languages, and ours.
const FOREIGN: [(&str, &str); 12] = [
    ("=", "=="),
    ("is", "=="),
    ("eq", "=="),
    ("equals", "=="),
    ("ne", "!="),
    ("lt", "<"),
    ("gt", ">"),
    ("xor", "!="),
    ("then", "implies"),
    ("=>", "implies"),
    ("->", "implies"),
    ("=~", "matches"),
];

/// What the parser wanted where it gave up.
enum Wanted {
    Value,
    Operator,
    Name,
    AfterName,
    AfterAlternative,
    Variable,
    In,
    Arrow,
}

/// Where the parser gave up and what stands there.
struct Spot<'a> {
    text: &'a str,
    before: &'a str,
    rest: &'a str,
    at: usize,
}

/// Puts an error of the parser in plain words.
pub(super) fn explain(entry: Rule, text: &str, error: &Error<Rule>) -> Flaw {
    let at = match error.location {
        InputLocation::Pos(at) | InputLocation::Span((at, _)) => at,
    };
    let ErrorVariant::ParsingError { positives, .. } = &error.variant else {
        return Flaw::new(0..0, "the expression is too complicated").help("split it");
    };
    let (before, rest) = text.split_at_checked(at).unwrap_or((text, ""));
    let spot = Spot { text, before, rest, at };
    if entry == Rule::formula {
        return if positives.contains(&Rule::link) { spot.after_formula() } else { spot.formula() };
    }
    match wanted(entry, positives, rest) {
        Wanted::Value => spot.value(),
        Wanted::Operator => spot.operator(),
        Wanted::Name => spot.name(),
        Wanted::AfterName => spot.after_name(),
        Wanted::AfterAlternative => spot.after_alternative(),
        Wanted::Variable => spot.plain("expected a name for the elements").help("write `any(x in list => condition)`"),
        Wanted::In => spot.after_variable(),
        Wanted::Arrow => {
            spot.plain("expected `=>`").help("write `any(x in list => condition)`; the condition stands after `=>`")
        }
    }
}

fn wanted(entry: Rule, positives: &[Rule], rest: &str) -> Wanted {
    let has = |rules: &[Rule]| positives.iter().any(|rule| rules.contains(rule));
    if has(&[Rule::alternative, Rule::phased, Rule::bare, Rule::name, Rule::phase, Rule::pattern]) {
        Wanted::Name
    } else if has(&[Rule::condition, Rule::where_word]) {
        Wanted::AfterName
    } else if has(&[Rule::membership]) {
        Wanted::In
    } else if has(&[Rule::arrow]) && rest.starts_with([',', ':', '|', ';']) && !rest.starts_with("||") {
        Wanted::Arrow
    } else if has(&[Rule::infix]) {
        Wanted::Operator
    } else if has(&[Rule::variable]) {
        Wanted::Variable
    } else if entry == Rule::pattern && has(&[Rule::EOI]) {
        Wanted::AfterAlternative
    } else {
        Wanted::Value
    }
}

impl Spot<'_> {
    /// The word, operator or character that stands here.
    fn found(&self) -> (&str, Range<usize>) {
        let word = |each: char| each.is_alphanumeric() || each == '_';
        let sign = |each: char| matches!(each, '=' | '!' | '<' | '>' | '&' | '|' | '-');
        let length = match self.rest.chars().next() {
            Some(first) if word(first) => self.rest.find(|each| !word(each)).unwrap_or(self.rest.len()),
            Some(first) if sign(first) => self.rest.find(|each| !sign(each)).unwrap_or(self.rest.len()),
            _ => one_char(self.text, self.at).len(),
        };
        let end = self.at.saturating_add(length);
        (self.text.get(self.at..end).unwrap_or_default(), self.at..end)
    }

    /// "expected …, found …".
    fn plain(&self, expected: &str) -> Flaw {
        let (found, range) = self.found();
        let (shown, range) = if found.chars().count() > 40 { ("this", self.at..self.at) } else { (found, range) };
        match self.rest.is_empty() {
            true => Flaw::new(range, format!("{expected}, but the text ends here")),
            false => Flaw::new(range, format!("{expected}, found `{shown}`")),
        }
    }

    /// A mistake that the text shows wherever it stands.
    fn telling(&self) -> Option<Flaw> {
        let (found, range) = self.found();
        let to_end = self.at..self.text.trim_end().len();
        match self.rest.chars().next()? {
            '\'' => {
                let flaw = Flaw::new(range, "strings are written in double quotes");
                let inner = self.rest.get(1..).and_then(|rest| rest.split_once('\'')).map(|(inner, _)| inner);
                Some(match inner {
                    Some(inner) if !inner.contains(['"', '\\']) => {
                        let end = self.at.saturating_add(inner.len()).saturating_add(2);
                        flaw.correct(format!("write `\"{inner}\"`"), self.at..end, format!("\"{inner}\""))
                    }
                    _ => flaw.help("write `\"…\"`"),
                })
            }
            '"' | 'r' if self.rest.trim_start_matches('r').starts_with('"') => {
                // The `r` of a raw string has been taken for a name.
                let raw = usize::from(self.before.ends_with('r'));
                let flaw = Flaw::new(self.at.saturating_sub(raw)..to_end.end, "the closing quote is missing");
                Some(flaw.help("a string ends with `\"` on the line where it starts"))
            }
            '{' | '}' => Some(
                Flaw::new(range, format!("`{found}` has no meaning here"))
                    .help("there are no object values; compare the fields one by one"),
            ),
            '$' | '@' | '#' | '`' => Some(Flaw::new(range, format!("`{found}` has no meaning here"))),
            first if first.is_alphabetic() && !first.is_ascii() => Some(
                Flaw::new(range, format!("`{found}` is not a plain name"))
                    .help(format!("a field with other characters is written `args[\"{found}\"]`")),
            ),
            ')' | ']' => self.unopened(),
            _ => None,
        }
    }

    /// A closing bracket that closes nothing, or the wrong one.
    fn unopened(&self) -> Option<Flaw> {
        let (found, range) = self.found();
        let opened = self.open_bracket();
        match (opened, found) {
            (None, _) => Some(Flaw::new(range, format!("`{found}` closes nothing"))),
            (Some((_, b'(')), "]") => Some(Flaw::new(range, "expected `)`, found `]`")),
            (Some((_, b'[')), ")") => Some(Flaw::new(range, "expected `]`, found `)`")),
            _ => None,
        }
    }

    /// The innermost bracket that is open at the end of the text.
    fn unclosed(&self) -> Option<Flaw> {
        let (at, bracket) = self.open_bracket()?;
        let close = if bracket == b'(' { ")" } else { "]" };
        let open = char::from(bracket);
        Some(Flaw::new(one_char(self.text, at), format!("`{open}` is never closed")).suggest(
            format!("add `{close}`"),
            self.text.len()..self.text.len(),
            close,
        ))
    }

    /// The innermost bracket that is open here.
    fn open_bracket(&self) -> Option<(usize, u8)> {
        let mut open = Vec::new();
        for (at, bracket) in brackets(self.before) {
            if matches!(bracket, b'(' | b'[') {
                open.push((at, bracket));
            } else {
                open.pop();
            }
        }
        open.pop()
    }

    fn value(&self) -> Flaw {
        if self.text.trim().is_empty() {
            return Flaw::new(0..self.text.len(), "expected a value, but the text is empty");
        }
        if let Some(flaw) = self.telling() {
            return flaw;
        }
        let (found, range) = self.found();
        let plain = self.plain("expected a value");
        if let Some(flaw) = self.number() {
            return flaw;
        }
        match found {
            "-" => plain.help("`-` stands before a number or between two values: `0 - args.n`"),
            ">" if self.before.ends_with('-') => {
                Flaw::new(self.at.saturating_sub(1)..range.end, "`->` is not an operator")
                    .help("write `=>` between a list and its condition, `implies` between conditions")
            }
            "=" | ">" => {
                // The operator before is the first half of what was meant: `===`, `!==`, `<>`.
                let start = self
                    .before
                    .trim_end()
                    .rfind(|each| !matches!(each, '=' | '!' | '<'))
                    .map_or(0, |last| last.saturating_add(one_char(self.text, last).len()));
                let half = self.before.get(start..).unwrap_or_default().trim();
                let meant = if half == "<" || half == "!=" { "!=" } else { "==" };
                Flaw::new(start..range.end, format!("`{half}{found}` is not an operator")).correct(
                    format!("write `{meant}`"),
                    start..range.end,
                    meant,
                )
            }
            "." => plain.help("a path starts with a root, such as `args.x` or `result.x`"),
            word if WORDS.contains(&word) || "=!<>&|*+/%,".contains(word.chars().next().unwrap_or(' ')) => {
                plain.help(format!("`{word}` needs a value on its left"))
            }
            _ => plain,
        }
    }

    /// A number that is not written as numbers are.
    fn number(&self) -> Option<Flaw> {
        let unsigned = self.rest.strip_prefix('-').unwrap_or(self.rest);
        let digits = unsigned.strip_prefix('.').unwrap_or(unsigned);
        if !digits.starts_with(|first: char| first.is_ascii_digit()) {
            return None;
        }
        let length = self.rest.find(|each: char| !each.is_ascii_alphanumeric() && !matches!(each, '.' | '_' | '-'));
        let shown = self.rest.get(..length.unwrap_or(self.rest.len())).unwrap_or_default();
        let range = self.at..self.at.saturating_add(shown.len());
        let shown = if shown.len() > 40 { "…" } else { shown };
        let flaw = Flaw::new(range, format!("`{shown}` is not a number"));
        let unit = digits.trim_start_matches(|each: char| each.is_ascii_digit());
        let leading_zero = digits.len() == unsigned.len()
            && digits.strip_prefix('0').is_some_and(|rest| rest.starts_with(|each: char| each.is_ascii_digit()));
        Some(if unit.starts_with('_') {
            flaw.help("write the digits without `_`")
        } else if unit.starts_with(|first: char| first.is_ascii_alphabetic()) {
            flaw.help("numbers are written out in decimal; a duration is `500ms`, `30s`, `10m`, `24h` or `7d`")
        } else if leading_zero {
            flaw.help("write it without leading zeros, or in quotes if it is a string")
        } else {
            flaw.help("write `0.5`, `12` or `-3.25`; a version or an address is a string: `\"1.2.3\"`")
        })
    }

    fn operator(&self) -> Flaw {
        let (found, range) = self.found();
        if self.rest.is_empty() {
            return self.unclosed().unwrap_or_else(|| self.plain("expected an operator"));
        }
        if let Some(flaw) = self.telling() {
            return flaw;
        }
        let plain = self.plain("expected an operator or the end");
        let lower = found.to_lowercase();
        if lower == "is" && self.rest.split_whitespace().nth(1) == Some("not") {
            let end = self.at.saturating_add(self.rest.find("not").unwrap_or(0)).saturating_add(3);
            return Flaw::new(self.at..end, "`is not` is not an operator")
                .correct("write `!=`", self.at..end, "!=")
                .help("whether there is a value at all is asked with `has(path)`");
        }
        if let Some((_, ours)) = FOREIGN.iter().find(|(foreign, _)| *foreign == lower) {
            return Flaw::new(range.clone(), format!("`{found}` is not an operator")).correct(
                format!("write `{ours}`"),
                range,
                *ours,
            );
        }
        match lower.as_str() {
            "not" => plain.help("`not` stands before a whole condition: `not (a in b)`"),
            word if WORDS.contains(&word) => Flaw::new(range.clone(), format!("`{found}` is written in lower case"))
                .correct(format!("write `{word}`"), range, word),
            "&" => plain.correct("write `and`", range, "and"),
            "|" => plain.correct("write `or`", range, "or"),
            "/" | "%" | "^" => plain.help("the arithmetic operators are `+`, `-` and `*`"),
            "?" => plain.help("write `(c implies a) and (not c implies b)`"),
            "(" => self.method(plain),
            "[" => plain.help("a path has no space before `[`"),
            "." if self.before.ends_with(char::is_whitespace) || self.rest.starts_with(". ") => {
                plain.help("a path has no spaces: `args.x`")
            }
            "." => plain.help(
                "a field name after `.` starts with a letter or `_`; others are written `[\"…\"]`, positions `[0]`",
            ),
            "," => plain.help("`,` stands between the arguments of a function and between the values of a list"),
            "where" => plain.help("`where` stands in patterns; conditions are joined with `and`"),
            word => match nearest(word, WORDS) {
                Some(known) => plain.suggest(format!("did you mean `{known}`?"), range, known),
                None if let Some(name) = nearest(word, BETWEEN) => {
                    plain.help(format!("`{name}` is a function: write `{name}(a, b)`"))
                }
                None => plain.help("conditions are joined with `and`, `or` and `implies`"),
            },
        }
    }

    /// `args.x.startsWith("a")`.
    fn method(&self, plain: Flaw) -> Flaw {
        let word = |each: char| each.is_ascii_alphanumeric() || each == '_';
        let name = self.before.rfind(|each| !word(each)).map(|dot| self.before.split_at_checked(dot.saturating_add(1)));
        match name.flatten() {
            Some((path, name)) if path.ends_with('.') && !name.is_empty() => {
                let value = path.trim_end_matches('.').rsplit(|each: char| !word(each) && each != '.').next();
                let value = value.filter(|value| !value.is_empty()).unwrap_or("…");
                let plain_name = |name: &str| name.replace('_', "").to_lowercase();
                let ours = BETWEEN.into_iter().find(|ours| plain_name(ours) == plain_name(name)).unwrap_or(name);
                Flaw::new(path.len()..self.at, "values have no methods")
                    .help(format!("functions stand before their arguments: `{ours}({value}, …)`"))
            }
            _ => plain,
        }
    }

    fn after_variable(&self) -> Flaw {
        let call = self.before.rfind('(').and_then(|open| self.before.get(..open)).unwrap_or_default().trim_end();
        let flaw = self.plain("expected `in`").help("write `any(x in list => condition)`");
        if call.ends_with("count") { flaw.help("the length of a list is `size(list)`") } else { flaw }
    }
}
