#![expect(clippy::arithmetic_side_effects, reason = "test code")]

use serde_json::{Value, json};

use super::*;
use crate::info::ContractInfo;
use crate::sink::{Decided, Start};
use crate::{ByEffect, Effect, Mode, Reason, Time};

fn contract() -> ContractInfo {
    ContractInfo {
        name: "pay\"ments".into(),
        mode: Mode::Enforce,
        rules: Vec::new().into(),
        context: Vec::new(),
        cells: Vec::new(),
        on_error: ByEffect::all(Decision::Block),
        source: "{}".into(),
    }
}

fn entry<'a>(contract: &'a ContractInfo, what: Happening<'a>) -> Entry<'a> {
    Entry { session: Some("s"), contract, at: Time::EPOCH, what }
}

fn decided<'a>(tool: &'a str, refusal: Option<RefusalKind>, findings: &'a [Finding]) -> Happening<'a> {
    Happening::Decided(Decided {
        call: 0,
        tool,
        server: None,
        id: None,
        agent: None,
        batch: None,
        args: &Value::Null,
        original: None,
        bytes: None,
        effect: Effect::Read,
        approved: false,
        decision: if refusal.is_some() { Decision::Block } else { Decision::Allow },
        refusal,
        findings,
        evaluated: true,
        after_divergence: false,
    })
}

fn line<'a>(text: &'a str, start: &str) -> &'a str {
    text.lines().find(|line| line.starts_with(start)).unwrap_or_else(|| panic!("no `{start}` in {text}"))
}

#[test]
fn names_that_agents_invent_make_no_series() {
    let (metrics, contract) = (Metrics::with_labels(3), contract());
    let unknown = [Finding::new(Subject::Undeclared, Verdict::Violated, Decision::Block, Reason::UnknownTool)];
    for index in 0..100 {
        let tool = format!("invented{index}");
        metrics.record(&entry(&contract, decided(&tool, Some(RefusalKind::Blocked), &unknown))).unwrap();
    }
    for _ in 0..2 {
        for tool in ["a", "b", "c", "d"] {
            metrics.record(&entry(&contract, decided(tool, None, &[]))).unwrap();
        }
    }
    let text = metrics.render();
    let calls = text.lines().filter(|line| line.starts_with("interlock_calls_total{")).count();
    assert_eq!(calls, 3 + 2);
    let other = r#"interlock_calls_total{contract="pay\"ments",tool="other",decision="block""#;
    assert!(line(&text, other).ends_with(" 100"), "{text}");
    assert_eq!(line(&text, r#"interlock_labels_folded_total{label="tool"}"#).rsplit(' ').next(), Some("102"));
    assert_eq!(line(&text, "interlock_refusals_total{").rsplit(' ').next(), Some("100"));
}

#[test]
fn every_line_is_a_comment_or_a_sample() {
    let (metrics, contract) = (Metrics::new(), contract());
    metrics.record(&entry(&contract, decided("x\"} 1\n# y\\\r\u{202e}", None, &[]))).unwrap();
    let start = Start { agent: None, surface: None, parent: None, context: None, mode: Mode::Enforce, resumed: false };
    metrics.record(&entry(&contract, Happening::Start(start))).unwrap();
    metrics.journal(7, Some(900));
    let mut seen = std::collections::BTreeSet::new();
    for line in metrics.render().lines() {
        if let Some(comment) = line.strip_prefix("# ") {
            assert!(comment.starts_with("HELP interlock_") || comment.starts_with("TYPE interlock_"), "{line}");
            continue;
        }
        let (name, value) = line.rsplit_once(' ').unwrap();
        assert!(name.starts_with("interlock_") && value.parse::<u64>().is_ok(), "{line}");
        assert!(seen.insert(name.to_owned()), "{name} twice");
        assert!(line.chars().all(|c| c.is_ascii_graphic() || c == ' '), "{line}");
    }
}

/// Takes every second entry, and commits none.
#[derive(Debug, Default)]
struct Poor(Mutex<u64>);

impl Sink for Poor {
    fn record(&self, _: &Entry<'_>) -> Result<Ticket, SinkError> {
        let mut count = self.0.lock().unwrap();
        *count += 1;
        if count.is_multiple_of(2) { Err(SinkError::new("no")) } else { Ok(Ticket { seq: *count, waits: true }) }
    }

    fn commit(&self, _: Ticket) -> Result<(), SinkError> {
        Err(SinkError::new("no"))
    }
}

#[test]
fn what_a_journal_does_not_take_is_missing() {
    let (metrics, contract) = (Metrics::new(), contract());
    let sink = metrics.over(Poor::default());
    let value = json!({});
    let start = Start { agent: None, surface: None, parent: None, context: None, mode: Mode::Enforce, resumed: false };
    for _ in 0..2 {
        let _ = sink.record(&entry(&contract, Happening::Start(start)));
    }
    for _ in 0..3 {
        let event = Happening::Event { name: "e", value: &value, findings: &[] };
        if let Ok(ticket) = sink.record(&entry(&contract, event)) {
            sink.commit(ticket).unwrap_err();
        }
    }
    let text = metrics.render();
    for sample in [
        "interlock_events_total{contract=\"pay\\\"ments\"} 3",
        "interlock_sessions_total{contract=\"pay\\\"ments\"} 1",
        "interlock_records_missing_total 2",
        "interlock_records_unsafe_total 2",
        "interlock_journal_records 6",
    ] {
        assert!(text.lines().any(|line| line == sample), "{sample}\n{text}");
    }
}
