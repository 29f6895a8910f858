//! Tests as they are run: lines of the trace format, each with what is expected of it.

use contract_runtime::{Duration, Mode, Status, Time};
use serde_json::{Map, Value};

use super::expected::{Ends, Expected, ends};
use crate::ast::{self, Called, Happening, TestLine};
use crate::diagnostic::{Code, Diagnostic, Diagnostics, nearest};
use crate::source::{Span, Spanned};
use crate::trace::{Body, Line, Recorded, RecordedCall};

/// A test.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// What it shows.
    pub name: String,
    /// Where its name is written.
    pub span: Span,
    /// The time of the first line.
    pub start: Time,
    /// The trusted facts of its sessions.
    pub context: Option<Value>,
    /// Instead of the contract's mode.
    pub mode: Option<Mode>,
    /// What happens.
    pub script: Script,
    /// What is expected of calls by id, where their lines do not say it.
    pub expect: Vec<(String, Expected)>,
    /// The verdicts of sessions at their end, where the line does not say it.
    pub verdicts: Ends,
}

/// What happens in a test.
#[derive(Clone, Debug, PartialEq)]
pub enum Script {
    /// The lines of a file, by its path relative to the contract.
    File(Spanned<String>),
    /// Line by line.
    Lines(Vec<Scripted>),
}

/// A line of a test.
#[derive(Clone, Debug, PartialEq)]
pub struct Scripted {
    /// Where it is written.
    pub span: Span,
    /// What happens.
    pub line: Line,
    /// How long after the line before.
    pub later: Option<Duration>,
    /// What is expected, if the line says it.
    pub expected: Option<Expected>,
}

/// The tests of a contract. A mistake in one is reported, and what cannot be run is left out.
#[must_use]
pub fn cases(written: &ast::Contract, diagnostics: &mut Diagnostics) -> Vec<Case> {
    let rules = written.rules.iter().map(|rule| rule.id.value.0.as_str()).collect();
    let mut reader = Reader { rules, diagnostics };
    written.tests.iter().map(|test| reader.case(test)).collect()
}

struct Reader<'r> {
    rules: Vec<&'r str>,
    diagnostics: &'r mut Diagnostics,
}

/// The fields of a line that are given, of some: names and places.
type Given = Vec<(&'static str, Span)>;

macro_rules! given {
    ($line:expr, { $($value:ident),* }, { $($spanned:ident),* }) => {{
        let mut given = Given::new();
        $(if let Some(value) = &$line.$value { given.push((stringify!($value), value.span())); })*
        $(if let Some(spanned) = &$line.$spanned { given.push((stringify!($spanned), spanned.span)); })*
        given
    }};
}

impl Called {
    fn span(&self) -> Span {
        match self {
            Self::Short(tool) => tool.span,
            Self::Full(call) => call.span,
        }
    }
}

impl Happening {
    fn span(&self) -> Span {
        match self {
            Self::Short(name) => name.span,
            Self::Full(event) => event.span,
        }
    }
}

fn text(written: &Spanned<ast::Text>) -> String {
    written.value.0.clone()
}

impl Reader<'_> {
    fn report(&mut self, code: Code, span: Span, message: impl Into<String>, help: impl Into<String>) {
        self.diagnostics.push(Diagnostic::new(code, span, message).help(help));
    }

    fn case(&mut self, test: &ast::Test) -> Case {
        let script = match &test.trace {
            ast::Trace::File(path) => Script::File(Spanned::new(text(path), path.span)),
            ast::Trace::Lines(lines) => {
                let mut calls = 0;
                Script::Lines(lines.iter().filter_map(|line| self.line(line, &mut calls)).collect())
            }
        };
        let expect = test.expect.iter().filter_map(|expected| {
            self.expected(expected);
            let Some(call) = &expected.call else {
                let help = "write `call:` and the id of the call";
                self.report(Code::MissingField, expected.span, "of which call this is expected is not said", help);
                return None;
            };
            if let Script::Lines(lines) = &script
                && !lines
                    .iter()
                    .any(|scripted| matches!(&scripted.line.body, Body::Call(known, _) if known.id == call.value.0))
            {
                let message = format!("no call of the test has the id `{}`", call.value.0);
                self.report(Code::UnknownName, call.span, message, "write the `id` of a call");
            }
            Some((text(call), Expected::of_record(expected)))
        });
        let expect = expect.collect();
        test.verdicts.iter().for_each(|(rule, _)| self.rule(rule));
        Case {
            name: text(&test.name),
            span: test.name.span,
            start: test.start.as_ref().and_then(|start| self.time(start)).unwrap_or(Time::from_nanos(0)),
            context: test.context.as_ref().and_then(|context| self.object(context)),
            mode: test.mode.map(|mode| mode.value),
            script,
            expect,
            verdicts: ends(&test.verdicts),
        }
    }

    /// Checks what is expected.
    fn expected(&mut self, expected: &ast::Expected) {
        // Not only rules report.
        let is_rule = |id: &&Spanned<ast::RuleId>| {
            !matches!(id.value.0.as_str(), "default" | "undeclared") && !id.value.0.starts_with("state.")
        };
        expected.rules.iter().flatten().filter(is_rule).for_each(|rule| self.rule(rule));
        expected.verdicts.iter().flatten().for_each(|(rule, _)| self.rule(rule));
        expected.args.iter().for_each(|args| drop(self.object(args)));
        expected.sees.iter().for_each(|sees| drop(self.json(sees)));
    }

    fn rule(&mut self, rule: &Spanned<ast::RuleId>) {
        let name = rule.value.0.as_str();
        if self.rules.contains(&name) {
            return;
        }
        let diagnostic = Diagnostic::new(Code::UnknownName, rule.span, format!("there is no rule `{name}`"));
        self.diagnostics.push(match nearest(name, self.rules.iter().copied()) {
            Some(near) => diagnostic.suggest(format!("did you mean `{near}`?"), rule.span, near),
            None => diagnostic.help("write the `id` of a rule"),
        });
    }

    fn time(&mut self, written: &Spanned<ast::Text>) -> Option<Time> {
        let time = Time::parse(&written.value.0);
        if time.is_none() {
            let help = "write RFC 3339, such as `2026-01-01T10:00:00Z`";
            self.report(Code::BadValue, written.span, "this is not a time", help);
        }
        time
    }

    fn json(&mut self, written: &ast::Value) -> Option<Value> {
        let value = written.json();
        if value.is_none() {
            let message = "a number in this is beyond 64 bits, or has more than 15 digits";
            self.report(Code::BadValue, written.span(), message, "write it as a string, as the tool would");
        }
        value
    }

    fn object(&mut self, written: &ast::Value) -> Option<Value> {
        let value = self.json(written)?;
        if !value.is_object() {
            let message = format!("expected a mapping, found {}", written.node.what());
            self.report(Code::WrongType, written.span(), message, "write `{ name: value }`");
            return None;
        }
        Some(value)
    }

    /// A line, with the number of its call.
    fn line(&mut self, line: &TestLine, calls: &mut u64) -> Option<Scripted> {
        let said = given!(line, { call, event, context }, { result_of, end });
        let [(what, _)] = said[..] else {
            let help = "write exactly one of `call`, `result_of`, `event`, `context` and `end`";
            let message =
                if said.is_empty() { "the line does not say what happens" } else { "the line says two things" };
            self.report(Code::BadValue, line.span, message, help);
            return None;
        };
        let results = given!(line, { ok, failed, unknown }, { result });
        if let [_, (name, second), ..] = results[..] {
            let message = format!("a call has one result, and `{name}` is a second one");
            self.report(Code::BadValue, second, message, "leave one of them out");
        }
        let full_call = matches!(line.call, Some(Called::Full(_)));
        if what != "call" || full_call {
            let beside = if full_call { "a `call` with fields of its own" } else { what };
            self.pointless(given!(line, { args, batch }, { id, server, agent, approved }), beside, "call: TOOL");
        }
        if what != "call" && what != "result_of" {
            self.pointless(results, what, "call` or `result_of");
        }
        if !matches!(line.event, Some(Happening::Short(_))) {
            self.pointless(given!(line, { value }, {}), what, "event: NAME");
        }
        if let (Some(at), Some(later)) = (&line.at, &line.later) {
            let message = "the time of the line is said twice";
            self.diagnostics
                .push(Diagnostic::new(Code::BadValue, later.span, message).related(at.span, "the other is here"));
        }
        self.expects(line, what);
        let body = self.body(line, calls)?;
        let session = line.session.as_ref().map_or_else(|| "default".to_owned(), text);
        let at = line.at.as_ref().and_then(|at| self.time(at));
        let expected = line.expect.as_ref().map(Expected::of);
        let later = line.later.map(|later| later.value.duration());
        Some(Scripted { span: line.span, line: Line { session, at, body }, later, expected })
    }

    fn pointless(&mut self, given: Given, what: &str, home: &str) {
        for (name, span) in given {
            self.report(
                Code::BadValue,
                span,
                format!("`{name}` says nothing beside {}", quoted(what)),
                format!("it goes with `{home}`"),
            );
        }
    }

    /// Checks that what a line expects is something that can come of it.
    fn expects(&mut self, line: &TestLine, what: &'static str) {
        match &line.expect {
            None => {}
            Some(ast::Expect::Decision(decision)) if what != "call" => {
                self.pointless(vec![("decision", decision.span)], what, "call");
            }
            Some(ast::Expect::Decision(_)) => {}
            Some(ast::Expect::All(all)) => {
                self.expected(all);
                if what != "call" {
                    self.pointless(given!(all, { args }, { decision, message }), what, "call");
                }
                if what != "call" && what != "result_of" {
                    self.pointless(given!(all, { sees }, { outcome, shown }), what, "call` or `result_of");
                }
                if let Some(call) = &all.call {
                    let help = "leave it out: it is for the list `expect` of a test";
                    self.report(Code::BadValue, call.span, "a line speaks of its own call", help);
                }
                if let (Some(verdicts), false) = (&all.verdicts, what == "end") {
                    let span = verdicts.iter().next().map_or(all.span, |(rule, _)| rule.span);
                    self.pointless(vec![("verdicts", span)], what, "end: true");
                }
            }
        }
    }

    fn body(&mut self, line: &TestLine, calls: &mut u64) -> Option<Body> {
        if let Some(called) = &line.call {
            let number = *calls;
            *calls = calls.saturating_add(1);
            let call = self.call(called, line, number)?;
            return Some(Body::Call(call, self.result(line)));
        }
        if let Some(id) = &line.result_of {
            let Some(result) = self.result(line) else {
                let help = "write `ok:`, `failed:` or `unknown:` and the result";
                self.report(Code::MissingField, line.span, "the line has no result", help);
                return None;
            };
            return Some(Body::Result(text(id), result));
        }
        if let Some(event) = &line.event {
            let (name, value) = match event {
                Happening::Short(name) => (name, &line.value),
                Happening::Full(event) => (&event.name, &event.value),
            };
            let value = value.as_ref().and_then(|value| self.json(value)).unwrap_or(Value::Null);
            return Some(Body::Event { name: text(name), value });
        }
        if let Some(context) = &line.context {
            return self.object(context).map(Body::Context);
        }
        match line.end {
            Some(Spanned { value: false, span }) => {
                self.report(Code::BadValue, span, "the line says that nothing ends", "leave it out");
                None
            }
            _ => Some(Body::End),
        }
    }

    fn call(&mut self, called: &Called, line: &TestLine, number: u64) -> Option<RecordedCall> {
        let (tool, id, args, server, agent, batch, approved) = match called {
            Called::Short(tool) => {
                let id = line.id.as_ref().map_or_else(|| number.to_string(), text);
                let args = line.args.as_ref().map_or_else(|| Some(Value::Object(Map::new())), |args| self.object(args));
                (tool, id, args, &line.server, &line.agent, &line.batch, line.approved)
            }
            Called::Full(call) => {
                let args = self.object(&call.args);
                (&call.tool, text(&call.id), args, &call.server, &call.agent, &call.batch, call.approved)
            }
        };
        let batch = match batch {
            None => None,
            Some(written) => Some(self.batch(written)?),
        };
        Some(RecordedCall {
            id,
            key: None,
            tool: text(tool),
            args: args?,
            server: server.as_ref().map(text),
            agent: agent.as_ref().map(text),
            batch,
            approved: approved.is_some_and(|approved| approved.value),
        })
    }

    fn batch(&mut self, written: &ast::Value) -> Option<u32> {
        let calls = written.json().and_then(|calls| calls.as_u64()).and_then(|calls| u32::try_from(calls).ok());
        let calls = calls.filter(|calls| *calls > 0);
        if calls.is_none() {
            self.report(Code::BadValue, written.span(), "this is not a number of calls", "write a whole number from 1");
        }
        calls
    }

    fn result(&mut self, line: &TestLine) -> Option<Recorded> {
        let short = [(Status::Ok, &line.ok), (Status::Failed, &line.failed), (Status::Unknown, &line.unknown)];
        if let Some((status, value)) = short.into_iter().find_map(|(status, value)| Some((status, value.as_ref()?))) {
            return Some(Recorded { status, value: self.json(value) });
        }
        let result = line.result.as_ref()?;
        let value = result.value.as_ref().and_then(|value| self.json(value));
        Some(Recorded { status: result.status.map_or(Status::Ok, |status| status.value), value })
    }
}

/// A field is quoted, and a sentence is not.
fn quoted(what: &str) -> String {
    if what.contains(' ') { what.to_owned() } else { format!("`{what}`") }
}

#[cfg(test)]
mod tests;
