//! Messages of rules: texts with holes, `{args.x}`, `{key}`, `{tool}`.

use std::ops::Range;

use super::resolver::Resolver;
use crate::ast::Text;
use crate::diagnostic::{Code, Diagnostic, Diagnostics, Level, nearest};
use crate::mir::{Message, Path, Pattern, Root, Segment, Step};
use crate::source::{Span, Spanned};
use crate::syntax::expr::{Kind, StepKind, Word};
use crate::syntax::parse;
use crate::syntax::written::Written;

/// What a hole can begin with.
const ROOTS: [&str; 5] = ["args", "result", "event", "key", "tool"];

const HELP: &str =
    "write `{args.x}`, `{result.x}`, `{event.x}`, `{key}` or `{tool}`; a brace of the text is written `{{` or `}}`";

impl Resolver<'_> {
    /// The message of a rule with these patterns. What the patterns never have, a hole cannot show; what those among them
    /// that violate the rule never have, it shows where the rule is in doubt at most.
    pub(super) fn message(
        &mut self,
        text: &Spanned<Text>,
        keyed: bool,
        patterns: Option<&[Pattern]>,
        violating: Range<usize>,
    ) -> Option<Message> {
        let before = self.diagnostics.len();
        let mut segments = Vec::new();
        let written = segments_of(text, self.diagnostics);
        let mut fine = self.diagnostics.len() == before;
        for (segment, range) in written {
            let span = place(text, range);
            let missing = match &segment {
                Segment::Key if !keyed => Some(("`{key}` in a rule without a key", "give the rule a key with `per`")),
                Segment::Path(path) => patterns.and_then(|patterns| unseen(path.root, patterns)),
                _ => None,
            };
            if let Some((message, help)) = missing {
                let diagnostic = Diagnostic::new(Code::NotReadable, span, message);
                self.report(diagnostic.help(format!("{help}, or leave the hole out")));
                fine = false;
            } else if let Segment::Path(path) = &segment
                && let Some(violating) = patterns.and_then(|patterns| patterns.get(violating.clone()))
                && let Some((_, help)) = unseen(path.root, violating).filter(|_| !violating.is_empty())
            {
                let message = "what violates the rule has nothing to show here";
                let mut diagnostic = Diagnostic::new(Code::NotReadable, span, message);
                diagnostic.level = Level::Warning;
                self.report(diagnostic.help(format!("{help}, or leave the hole out: it shows `?`")));
            }
            segments.push(segment);
        }
        fine.then_some(Message { segments })
    }
}

impl Spanned<Text> {
    /// The holes of a message that show a part of a result, each with its place. Mistakes are not reported.
    pub(crate) fn result_holes(&self) -> Vec<(Vec<Step>, Span)> {
        let segments = segments_of(self, &mut Diagnostics::new());
        let paths = segments.into_iter().filter_map(|(segment, range)| match segment {
            Segment::Path(Path { root: Root::Result, steps }) => Some((steps, place(self, range))),
            _ => None,
        });
        paths.collect()
    }
}

/// Why no event of the patterns has the root.
fn unseen(root: Root, patterns: &[Pattern]) -> Option<(&'static str, &'static str)> {
    let mut phases = patterns.iter().flat_map(|pattern| &pattern.alternatives).map(|alternative| alternative.phases);
    let (seen, message, help) = match root {
        Root::Args => (phases.any(|phases| !phases.event), "host events have no arguments", "write `{event.x}`"),
        Root::Event => (phases.any(|phases| phases.event), "the rule speaks of no host event", "write `{args.x}`"),
        _ => (phases.any(|phases| phases.result()), "the rule speaks of no result", "write `{args.x}`"),
    };
    (!seen).then_some((message, help))
}

/// Where a part of the text stands. Only a text that stands in the file as it is, perhaps in quotes, tells more than where
/// the whole stands.
fn place(text: &Spanned<Text>, range: Range<usize>) -> Span {
    let whole = text.span.range();
    let start = match whole.len().checked_sub(text.value.0.len()) {
        Some(0) => whole.start,
        Some(2) => whole.start.saturating_add(1),
        _ => return text.span,
    };
    Span::new(start.saturating_add(range.start), start.saturating_add(range.end))
}

/// The pieces of a message, each with its range; what is wrong is reported and left out.
fn segments_of(text: &Spanned<Text>, diagnostics: &mut Diagnostics) -> Vec<(Segment, Range<usize>)> {
    let whole = text.value.0.as_str();
    let mut segments = Vec::new();
    let mut plain = String::new();
    let mut at = 0_usize;
    while let Some(rest) = whole.get(at..).filter(|rest| !rest.is_empty()) {
        let brace = rest.find(['{', '}']).unwrap_or(rest.len());
        let (before, from) = rest.split_at_checked(brace).unwrap_or((rest, ""));
        plain.push_str(before);
        let open = at.saturating_add(brace);
        at = open.saturating_add(2);
        if from.starts_with("{{") {
            plain.push('{');
        } else if from.starts_with("}}") {
            plain.push('}');
        } else if from.starts_with('{')
            && let Some(length) = from.find('}')
        {
            if !plain.is_empty() {
                segments.push((Segment::Text(std::mem::take(&mut plain)), 0..0));
            }
            at = open.saturating_add(length).saturating_add(1);
            let inside = open.saturating_add(1)..at.saturating_sub(1);
            match hole(text, &inside) {
                Ok(segment) => segments.push((segment, inside)),
                Err(diagnostic) => diagnostics.push(*diagnostic),
            }
        } else if let Some(brace) = from.chars().next() {
            let span = place(text, open..open.saturating_add(1));
            let other = if brace == '{' { "no `}` follows" } else { "no `{` goes before" };
            let message = format!("the `{brace}` is not part of a hole: {other}");
            let help = format!("a brace of the text is written twice: `{brace}{brace}`");
            diagnostics.push(Diagnostic::new(Code::BadValue, span, message).help(help));
            // Where no `}` follows, no later hole is closed either.
            at = if brace == '{' { whole.len() } else { open.saturating_add(1) };
        }
    }
    if !plain.is_empty() {
        segments.push((Segment::Text(plain), 0..0));
    }
    segments
}

/// What stands between two braces.
fn hole(text: &Spanned<Text>, range: &Range<usize>) -> Result<Segment, Box<Diagnostic>> {
    let inside = text.value.0.get(range.clone()).unwrap_or_default();
    let shift = |at: usize| range.start.saturating_add(at);
    let shifted = |part: Range<usize>| place(text, shift(part.start)..shift(part.end));
    let written = Written::new(inside, &shifted);
    let wrong = |part: &Range<usize>, message: &str| {
        Err(Box::new(Diagnostic::new(Code::BadValue, written.span(part), message).help(HELP)))
    };
    if inside.trim().is_empty() {
        return wrong(&(0..inside.len()), "the hole is empty");
    }
    let tree = parse::expression(inside).map_err(|flaw| Box::new(flaw.at(written).help(HELP)))?;
    let Kind::Path(path) = &tree.kind else {
        return wrong(&tree.range, "a hole holds a path, and nothing is computed in it");
    };
    let root = match (path.root.text.as_str(), path.steps.first()) {
        ("key", None) => return Ok(Segment::Key),
        ("tool", None) => return Ok(Segment::Tool),
        ("key" | "tool", Some(step)) => return wrong(&step.range, "the name of the tool, and the key, have no parts"),
        ("args", None) => return wrong(&tree.range, "`args` is not one value"),
        ("args", _) => Root::Args,
        ("result", _) => Root::Result,
        ("event", _) => Root::Event,
        _ => return Err(Box::new(unknown(&path.root, written))),
    };
    let mut steps = Vec::new();
    for step in &path.steps {
        steps.push(match &step.kind {
            StepKind::Field(name) => Step::Field(name.clone()),
            StepKind::Index(index) => Step::Index(*index),
            StepKind::Each | StepKind::Deep | StepKind::Dynamic(_) => {
                return wrong(&step.range, "the path of a hole has fixed steps");
            }
        });
    }
    Ok(Segment::Path(Path { root, steps }))
}

fn unknown(root: &Word, written: Written<'_>) -> Diagnostic {
    let span = written.span(&root.range);
    let message = format!("`{}` cannot be shown in a message", root.text);
    let diagnostic = Diagnostic::new(Code::UnknownName, span, message);
    match nearest(&root.text, ROOTS) {
        Some(near) => diagnostic.suggest(format!("did you mean `{near}`?"), span, near),
        None => diagnostic.help(HELP),
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::arithmetic_side_effects, reason = "test code")]

    use super::*;

    /// The segments, or the mistakes with their places, of a message that stands at byte 10 of its file.
    fn read(message: &str, quotes: usize) -> Result<Vec<Segment>, Vec<(String, String)>> {
        let text = Spanned::new(Text(message.to_owned()), Span::new(10, 10 + quotes + message.len()));
        let mut diagnostics = Diagnostics::new();
        let segments = segments_of(&text, &mut diagnostics);
        assert!(diagnostics.iter().all(|found| !found.help.is_empty()));
        if !diagnostics.has_errors() {
            return Ok(segments.into_iter().map(|(segment, _)| segment).collect());
        }
        let at = |span: Span| {
            let offset = |at: u32| (at as usize).checked_sub(10 + quotes / 2);
            let part = offset(span.start).zip(offset(span.end)).and_then(|(start, end)| message.get(start..end));
            part.unwrap_or("(all)").to_owned()
        };
        Err(diagnostics.into_sorted().into_iter().map(|found| (at(found.primary.span), found.message)).collect())
    }

    fn path(root: Root, steps: Vec<Step>) -> Segment {
        Segment::Path(Path { root, steps })
    }

    #[test]
    fn a_message_is_text_and_holes() {
        let plain = |text: &str| Segment::Text(text.to_owned());
        let field = |name: &str| Step::Field(name.to_owned());
        assert_eq!(read("pay it once", 0), Ok(vec![plain("pay it once")]));
        assert_eq!(read("{{x}} is {{", 0), Ok(vec![plain("{x} is {")]));
        assert_eq!(read("", 0), Ok(Vec::new()));
        let expected = vec![
            Segment::Tool,
            plain(" of "),
            Segment::Key,
            path(Root::Args, vec![field("a"), Step::Index(0), field("x y")]),
            plain("!"),
            path(Root::Result, Vec::new()),
            path(Root::Event, vec![field("id")]),
        ];
        assert_eq!(read(r#"{tool} of {key}{ args.a[0]["x y"] }!{result}{event.id}"#, 2), Ok(expected));
    }

    #[test]
    fn mistakes_are_shown_where_they_stand() {
        for (message, at, wrong) in [
            ("invoice {args.id", "{", "the `{` is not part of a hole: no `}` follows"),
            ("invoice args.id}", "}", "the `}` is not part of a hole: no `{` goes before"),
            ("a { } b", " ", "the hole is empty"),
            ("é {arg.id}", "arg", "`arg` cannot be shown in a message"),
            ("x {state.n}", "state", "`state` cannot be shown in a message"),
            ("x {args}", "args", "`args` is not one value"),
            ("x {args.ids[]}", "[]", "the path of a hole has fixed steps"),
            ("x {args.m[args.k]}", "[args.k]", "the path of a hole has fixed steps"),
            ("x {key.a}", ".a", "the name of the tool, and the key, have no parts"),
            ("x {lower(args.a)}", "lower(args.a)", "a hole holds a path, and nothing is computed in it"),
        ] {
            for quotes in [0, 2] {
                assert_eq!(read(message, quotes), Err(vec![(at.to_owned(), wrong.to_owned())]), "{message}");
            }
            // An escape, or a block: nothing tells where in the file a part of the text stands.
            assert_eq!(read(message, 3).unwrap_err().len(), 1, "{message}");
        }
        assert_eq!(read("{a.b} {", 0).unwrap_err().len(), 2);
    }
}
