//! The example of every kind does what its documentation says.

use contract_runtime::{Call, Duration, Finding, Outcome, RefusalKind, Session, Status, Time};
use serde_json::{Value, json};

use super::fixture::{accepted, contract};
use crate::ast;
use crate::interpret::{Interpreted, Interpreter};

/// A session, and what time it is in it.
struct Run {
    session: Session<Interpreter>,
    now: Time,
}

impl Run {
    fn new(rule: &str) -> Self {
        let monitor = Interpreted::new(accepted(&contract(rule))).monitor();
        let session = Session::builder(monitor).start().expect("a session");
        Self { session, now: Time::EPOCH }
    }

    /// Does what a line says; the strongest thing that came of it.
    fn step(&mut self, line: &str) -> &'static str {
        if line == "end" {
            self.session.end();
            return "";
        }
        if let Some(length) = line.strip_suffix(" later") {
            let length = Duration::parse(length).expect("a duration");
            self.now = self.now.checked_add(length).expect("a time");
            return reported(&self.session.advance(self.now).expect("a session that goes on")).unwrap_or_default();
        }
        if let Some(event) = line.strip_prefix("event(") {
            let found = self.session.event(event.trim_end_matches(')'), &json!({}), Some(self.now));
            return reported(&found.expect("a session that goes on")).unwrap_or("allow");
        }
        let (call, outcome) = line.split_once(" → ").unwrap_or((line, "null"));
        let (tool, args) = call.split_once(' ').unwrap_or((call, "{}"));
        let args: Value = serde_json::from_str(args.trim()).expect("arguments");
        self.call(tool, &args, outcome.trim())
    }

    fn call(&self, tool: &str, args: &Value, outcome: &str) -> &'static str {
        let permit = match self.session.before(&Call::new(tool, args).at(self.now)) {
            Ok(permit) => permit,
            Err(refusal) if refusal.kind() == RefusalKind::NeedsApproval => return "ask",
            Err(_) => return "block",
        };
        let before = reported(permit.findings());
        let outcome = match outcome {
            "failed" => Outcome::new(Status::Failed, None),
            "unknown" => Outcome::unknown(),
            value => Outcome::new(Status::Ok, Some(serde_json::from_str(value).expect("a result"))),
        };
        let settled = self.session.settle(permit, outcome.at(self.now)).expect("an open permit");
        match (settled.withheld(), settled.redacted()) {
            (true, _) => "withhold",
            (_, true) => "redact",
            _ => reported(&settled.findings).or(before).unwrap_or("allow"),
        }
    }

    /// The verdict of the rule; after the end, of the whole session.
    fn verdict(&self, line: &str) -> &'static str {
        let verdict = self.session.verdicts().first().expect("a rule").1;
        (if line == "end" { verdict.at_end() } else { verdict }).as_str()
    }
}

fn reported(findings: &[Finding]) -> Option<&'static str> {
    (!findings.is_empty()).then_some("alert")
}

/// The first block of a language in the documentation of a file.
fn block(source: &str, language: &str) -> Option<String> {
    let documentation =
        source.lines().map_while(|line| line.strip_prefix("//!")).map(|line| line.strip_prefix(' ').unwrap_or(line));
    let mut lines = documentation.skip_while(|line| *line != format!("```{language}")).skip(1).peekable();
    lines.peek()?;
    Some(lines.take_while(|line| *line != "```").fold(String::new(), |block, line| format!("{block}{line}\n")))
}

#[test]
fn the_examples_do_what_the_documentation_says() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/rule");
    for kind in ast::Rule::KINDS {
        let source = std::fs::read_to_string(folder.join(format!("{}.rs", kind.name))).expect("the file of the kind");
        let rule = block(&source, "yaml").expect("a rule");
        assert!(rule.contains(kind.name), "{}", kind.name);
        let mut run = Run::new(&rule);
        let trace = block(&source, "text").expect("a trace");
        let lines: Vec<&str> = trace.lines().collect();
        let found: Vec<String> = lines
            .iter()
            .map(|line| {
                let step = line.split(" | ").next().unwrap_or_default();
                let decision = run.step(step.trim());
                format!("{step} | {decision} | {}", run.verdict(step.trim()))
            })
            .collect();
        let squeezed = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
        let expected: Vec<String> = lines.iter().map(|line| squeezed(line)).collect();
        let found: Vec<String> = found.iter().map(|line| squeezed(line)).collect();
        assert_eq!(found, expected, "{}", kind.name);
        assert_eq!(lines.last().map(|line| line.starts_with("end")), Some(true), "{}", kind.name);
    }
}
