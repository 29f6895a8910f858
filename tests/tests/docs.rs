//! The documentation is true: its contracts have no errors, its fragments parse, its traces are decided as it says.
//!
//! A fenced block says what it is in its info string: `yaml contract` is a whole contract; `yaml` is a part of one (top-level
//! fields, or a list of rules); `text contract` is a whole contract in text form; `text mistakes` is a wrong one, and the `text
//! findings` after it is what must be said of it; `json trace` is a trace for the last whole contract before it, and the `text decisions` after
//! it is what must come of it, in the format of `tests/traces/README.md`.

#![expect(clippy::unwrap_used, reason = "test code: a page that cannot be read fails the test")]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use contract_lang::diagnostic::{Code, Level};
use contract_lang::interpret::{Interpreted, Interpreter};
use contract_lang::{Checked, Form, Options, check};
use contract_runtime::{
    Call, Decision, Finding, Outcome, Permit, RefusalKind, Session, Status, Subject, Time, Verdict,
};
use serde_json::Value;

/// A fenced block of a page.
struct Block {
    /// Its page and first line.
    place: String,
    info: String,
    text: String,
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// The pages whose blocks are checked.
fn pages() -> Vec<PathBuf> {
    let root = root();
    let docs = fs::read_dir(root.join("docs")).unwrap().map(|entry| entry.unwrap().path());
    let mut pages: Vec<_> = docs.filter(|path| path.extension().is_some_and(|extension| extension == "md")).collect();
    pages.push(root.join("README.md"));
    pages.sort();
    pages
}

fn blocks() -> Vec<Block> {
    let mut blocks = Vec::new();
    for page in pages() {
        let text = fs::read_to_string(&page).unwrap();
        let name = page.file_name().unwrap().to_str().unwrap();
        let mut open: Option<Block> = None;
        for (number, line) in (1..).zip(text.lines()) {
            match (&mut open, line.strip_prefix("```")) {
                (None, Some(info)) => {
                    open =
                        Some(Block { place: format!("{name}:{number}"), info: info.to_owned(), text: String::new() });
                }
                (Some(_), Some("")) => blocks.extend(open.take()),
                (Some(block), _) => writeln!(block.text, "{line}").unwrap(),
                (None, None) => {}
            }
        }
        assert!(open.is_none(), "{name}: a block is not closed");
    }
    blocks
}

fn checked(text: &str) -> Checked {
    check("docs.yaml", text.as_bytes(), &Options::default())
}

fn errors(checked: &Checked) -> Vec<(Code, &str)> {
    let errors = checked.diagnostics.iter().filter(|found| found.level == Level::Error);
    errors.map(|found| (found.code, found.message.as_str())).collect()
}

#[test]
fn every_whole_contract_has_no_errors() {
    let contracts: Vec<_> = blocks().into_iter().filter(|block| block.info == "yaml contract").collect();
    assert!(contracts.len() > 10, "where have the contracts gone?");
    for block in contracts {
        let checked = checked(&block.text);
        assert_eq!(errors(&checked), [], "{}", block.place);
        assert!(checked.contract.is_some(), "{}", block.place);
    }
}

#[test]
fn every_whole_contract_in_text_form_has_no_errors() {
    let contracts: Vec<_> = blocks().into_iter().filter(|block| block.info == "text contract").collect();
    assert!(contracts.len() >= 2, "where have the contracts gone?");
    for block in contracts {
        let checked = check("docs.contract", block.text.as_bytes(), &Options::default());
        assert_eq!(errors(&checked), [], "{}", block.place);
        let formatted = contract_lang::format("docs.contract", block.text.as_bytes(), Form::Text, Form::Yaml).unwrap();
        assert!(check("docs.yaml", formatted.as_bytes(), &Options::default()).contract.is_some(), "{}", block.place);
    }
}

#[test]
fn every_mistake_is_found_as_written() {
    let blocks = blocks();
    let mistakes = blocks.iter().zip(blocks.iter().skip(1)).filter(|(block, _)| block.info == "text mistakes");
    let mut seen = 0_u32;
    for (block, findings) in mistakes {
        assert_eq!(findings.info, "text findings", "{}: no findings follow", block.place);
        let checked = check("docs.contract", block.text.as_bytes(), &Options::default());
        let mut said = String::new();
        for found in checked.diagnostics.iter().filter(|found| found.level == Level::Error) {
            let place = checked.source.position(found.primary.span.start);
            writeln!(said, "{}:{}: {}", place.line, place.column, found.message).unwrap();
        }
        assert_eq!(said, findings.text, "{}", block.place);
        seen = seen.saturating_add(1);
    }
    assert!(seen > 0, "where have the mistakes gone?");
}

#[test]
fn every_fragment_is_a_part_of_a_contract() {
    for block in blocks().into_iter().filter(|block| block.info == "yaml") {
        let mut text = String::from("version: 1\nname: fragment\n");
        if block.text.lines().find(|line| !line.starts_with('#')).is_some_and(|line| line.starts_with('-')) {
            text.push_str("rules:\n");
        }
        text.push_str(&block.text);
        let checked = checked(&text);
        let mut found = errors(&checked);
        // What a fragment leaves out: the declarations that it reads, and the bound that the file gives.
        found.retain(|(code, _)| !matches!(code, Code::UnknownName | Code::NoBound));
        assert_eq!(found, [], "{}", block.place);
    }
}

#[test]
fn every_trace_is_decided_as_written() {
    let blocks = blocks();
    let mut contract: Option<&Block> = None;
    let mut traces = 0_u32;
    for (index, block) in blocks.iter().enumerate() {
        if block.info == "yaml contract" {
            contract = Some(block);
        }
        if block.info == "json trace" {
            let expected = blocks.get(index.wrapping_add(1)).filter(|next| next.info == "text decisions");
            let expected = expected.unwrap_or_else(|| panic!("{}: no decisions follow", block.place));
            let checked = checked(&contract.unwrap_or_else(|| panic!("{}: no contract", block.place)).text);
            let monitor = Interpreted::new(checked.contract.unwrap()).monitor();
            assert_eq!(Replay::run(monitor, &block.text), expected.text, "{}", block.place);
            traces = traces.saturating_add(1);
        }
    }
    assert!(traces >= 5, "where have the traces gone?");
}

#[test]
fn every_line_of_json_is_json() {
    for block in blocks().into_iter().filter(|block| block.info == "json") {
        for line in block.text.lines() {
            assert!(serde_json::from_str::<Value>(line).is_ok(), "{}: {line}", block.place);
        }
    }
}

#[test]
fn the_contract_of_the_readme_is_the_one_that_its_examples_compile() {
    let readme = blocks().into_iter().find(|block| block.place.starts_with("README") && block.info == "yaml contract");
    let file = root().join("interlock/examples/payments.yaml");
    assert_eq!(readme.unwrap().text, fs::read_to_string(file).unwrap());
}

/// The text of a page outside of its fenced blocks.
fn prose(page: &Path) -> String {
    let text = fs::read_to_string(page).unwrap();
    text.split("```").step_by(2).collect()
}

/// The anchors of a page's headings, as they are made from their words.
fn anchors(page: &Path) -> Vec<String> {
    let prose = prose(page);
    let headings = prose
        .lines()
        .filter_map(|line| line.trim_start_matches('#').strip_prefix(' ').filter(|_| line.starts_with('#')));
    let anchor = |heading: &str| {
        let kept = heading.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
        kept.map(|c| if c == ' ' { '-' } else { c.to_ascii_lowercase() }).collect()
    };
    headings.map(anchor).collect()
}

#[test]
fn every_link_leads_somewhere() {
    let more = ["ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"].map(|name| root().join(name));
    for page in pages().into_iter().chain(more) {
        let prose = prose(&page);
        let targets = prose.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        for target in targets.filter(|target| !target.starts_with("https://")) {
            let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
            let file = if file.is_empty() { page.clone() } else { page.parent().unwrap().join(file) };
            assert!(file.exists(), "{}: {target}", page.display());
            let found = anchor.is_empty() || anchors(&file).iter().any(|known| known == anchor);
            assert!(found, "{}: there is no heading for {target}", page.display());
        }
    }
}

/// One session, fed from a trace.
struct Replay {
    session: Session<Interpreter>,
    flights: BTreeMap<String, Permit<Interpreter>>,
    at: Time,
    calls: u32,
    output: String,
}

impl Replay {
    fn run(monitor: Interpreter, trace: &str) -> String {
        let lines: Vec<Value> = trace.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let mut builder = Session::builder(monitor);
        if let Some(context) = lines.iter().find_map(|line| line.get("context")) {
            builder = builder.context(context.clone());
        }
        let session = builder.start().unwrap();
        let mut replay = Self { session, flights: BTreeMap::new(), at: Time::EPOCH, calls: 0, output: String::new() };
        for line in &lines {
            replay.line(line);
        }
        replay.end();
        replay.output
    }

    fn line(&mut self, line: &Value) {
        if let Some(at) = line["at"].as_str() {
            self.at = Time::parse(at).unwrap();
        }
        if let Some(call) = line.get("call") {
            self.call(call, line.get("result"));
        } else if let Some(id) = line["result_of"].as_str() {
            if let Some(permit) = self.flights.remove(id) {
                self.complete(permit, &line["result"]);
            }
        } else if let Some(event) = line.get("event") {
            let name = event["name"].as_str().unwrap();
            self.session.event(name, &event["value"], Some(self.at)).unwrap();
        }
        self.at = self.at.checked_add(contract_runtime::Duration::from_nanos(1_000_000_000)).unwrap();
    }

    fn call(&mut self, call: &Value, result: Option<&Value>) {
        let mut made = Call::new(call["tool"].as_str().unwrap(), &call["args"]).at(self.at);
        if let Some(server) = call["server"].as_str() {
            made = made.server(server);
        }
        if call["approved"] == true {
            made = made.approved();
        }
        match self.session.before(&made) {
            Ok(permit) => {
                self.decided(permit.decision(), permit.findings());
                match result {
                    Some(result) => self.complete(permit, result),
                    None => {
                        self.flights.insert(call["id"].as_str().unwrap().to_owned(), permit);
                    }
                }
            }
            Err(refusal) => {
                let asks = refusal.kind() == RefusalKind::NeedsApproval;
                self.decided(if asks { Decision::Ask } else { Decision::Block }, refusal.findings());
            }
        }
    }

    fn decided(&mut self, decision: Decision, findings: &[Finding]) {
        let mut found: Vec<_> = findings.iter().filter(|finding| finding.action > Decision::Allow).collect();
        found.sort_by_key(|finding| match finding.subject {
            Subject::Rule(index) => index,
            _ => u16::MAX,
        });
        let ids: Vec<_> = found.iter().map(|finding| finding.id(self.session.info())).collect();
        let line = format!("{} {} {}", self.calls, decision.as_str(), ids.join(","));
        writeln!(self.output, "{}", line.trim_end()).unwrap();
        self.calls = self.calls.saturating_add(1);
    }

    fn complete(&self, permit: Permit<Interpreter>, result: &Value) {
        let status = match result["status"].as_str() {
            Some("failed") => Status::Failed,
            Some("unknown") => Status::Unknown,
            _ => Status::Ok,
        };
        let value = result.get("value").cloned();
        self.session.settle(permit, Outcome::new(status, value).at(self.at)).unwrap();
    }

    fn end(&mut self) {
        let summary = self.session.end();
        let violated = summary.verdicts.iter().filter(|(_, verdict)| *verdict == Verdict::Violated);
        let ids: Vec<_> = violated.map(|(id, _)| id.as_str()).collect();
        writeln!(self.output, "{}", format!("end {}", ids.join(",")).trim_end()).unwrap();
    }
}
