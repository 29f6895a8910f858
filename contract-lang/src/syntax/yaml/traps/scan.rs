//! Reading a text as an expression, to see where it ends.

/// The end of a YAML string in quotes, on its line.
pub(super) fn quoted_end(text: &str, start: usize) -> Option<usize> {
    let rest = text.get(start..)?;
    let quote = rest.chars().next()?;
    let mut chars = rest.char_indices().skip(1).peekable();
    while let Some((at, c)) = chars.next() {
        let next = chars.peek().map(|(_, next)| *next);
        let escape = if quote == '"' { c == '\\' } else { c == quote && next == Some(quote) };
        match c {
            '\n' => return None,
            _ if escape => _ = chars.next(),
            c if c == quote => return Some(start.saturating_add(at).saturating_add(1)),
            _ => {}
        }
    }
    None
}

/// Whether something stands between the end of a value and the end of its line or entry.
pub(super) fn has_tail(text: &str, end: usize, flow: bool) -> bool {
    let rest = text.get(end..).unwrap_or_default();
    match rest.trim_start_matches([' ', '\t', '\r']).chars().next() {
        None | Some('\n' | '#' | ':') => false,
        Some(',' | '}' | ']') if flow => false,
        Some(_) => true,
    }
}

/// Longest value that is read again. Without it, a line of a million open brackets would be read a million times.
const LONGEST: usize = 4096;

/// Where a value ends when it is read as an expression: at the end of the line, before a comment, or in flow style at the
/// `,` or bracket that is not its own.
pub(super) fn extent(text: &str, start: usize, flow: bool) -> usize {
    let rest = text.get(start..).unwrap_or_default();
    if flow
        && rest.starts_with('\'')
        && let Some(end) = quoted_end(text, start).filter(|end| !has_tail(text, *end, true))
    {
        return end;
    }
    let mut scan = Scan::default();
    let mut end = rest.len();
    for (at, c) in rest.char_indices() {
        if at > LONGEST {
            end = at;
            break;
        }
        let comment = c == '#' && matches!(scan.previous, ' ' | '\t') && scan.string.is_none();
        let closes = flow && scan.depth == 0 && scan.string.is_none() && matches!(c, ',' | '}' | ']');
        if c == '\n' || comment || closes {
            end = at;
            break;
        }
        scan.step(c);
    }
    start.saturating_add(rest.get(..end).unwrap_or_default().trim_end().len())
}

/// Reads an expression character by character: in which string, how deep in brackets.
#[derive(Default)]
pub(super) struct Scan {
    depth: usize,
    /// Inside a string; `true` if a raw one.
    string: Option<bool>,
    escaped: bool,
    previous: char,
    before: char,
}

impl Scan {
    fn step(&mut self, c: char) {
        match self.string {
            Some(_) if self.escaped => self.escaped = false,
            Some(false) if c == '\\' => self.escaped = true,
            Some(_) if c == '"' => self.string = None,
            Some(_) => {}
            None => match c {
                '"' => {
                    let raw = self.previous == 'r' && !(self.before.is_alphanumeric() || self.before == '_');
                    self.string = Some(raw);
                }
                '(' | '[' | '{' => self.depth = self.depth.saturating_add(1),
                ')' | ']' | '}' => self.depth = self.depth.saturating_sub(1),
                _ => {}
            },
        }
        self.before = self.previous;
        self.previous = c;
    }

    /// Whether a text has a string or a bracket that it does not close.
    pub(super) fn is_unfinished(text: &str) -> bool {
        let mut scan = Self::default();
        text.chars().for_each(|c| scan.step(c));
        scan.string.is_some() || scan.depth > 0
    }
}
