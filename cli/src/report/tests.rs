//! The page from records made by hand, as hostile as an agent can make them.

#![expect(clippy::arithmetic_side_effects, reason = "test code")]

use std::cell::Cell;
use std::collections::BTreeSet;
use std::io::{self, Write};
use std::sync::Arc;

use contract_runtime::journal::SegmentFile;
use contract_runtime::journal::reader::{Entry, decode};
use contract_runtime::journal::record::{
    Agent, Base64, Body, Broken, Capture, Content, Contract, ContractId, Counts, Decided, Finding, Gap, Genesis, Head,
    Hex, NO_HASH, Outcome, Over, Reanchor, Recovery, Seen, SessionEnd, SessionStart, States, Sync, Why, encode,
};
use contract_runtime::value::sha256;
use contract_runtime::{Decision, Effect, Mode, RefusalKind, Status, Time, Verdict};

use super::*;

const HOSTILE: &str =
    "</script></title><img src=x onerror=alert(1)>\" onmouseover='x' \u{202e}\u{200b}\u{1b}]0;x\u{7}\u{2028}&lt;";
const SOURCE: &str =
    r#"{"name":"p","rules":[{"id":"verify-first","must_precede":{"first":"ok(verify)","then":"pay"}}],"version":1}"#;

/// Writes records one after the other.
struct Writer {
    seq: u64,
    prev: contract_runtime::journal::Hash,
    file: Arc<SegmentFile>,
}

impl Writer {
    fn new() -> Self {
        Self { seq: 0, prev: NO_HASH, file: Arc::new(SegmentFile { path: "j".into(), number: None }) }
    }

    fn line(&mut self, session: Option<&str>, body: impl Into<Body<'static>>) -> (Entry, String) {
        let at = Time::parse("2026-01-01T10:00:00Z").unwrap();
        let session = session.map(|name| name.to_owned().into());
        let head = Head { at, journal: Hex([1; 8]), prev: self.prev, seq: self.seq, session };
        let mut line = Vec::new();
        self.prev = encode(&head, &body.into(), &mut line);
        self.seq += 1;
        line.pop();
        let entry = Entry { file: Arc::clone(&self.file), line: self.seq, offset: 0, record: decode(&line) };
        (entry, String::from_utf8(line).unwrap())
    }
}

fn content() -> Content<'static> {
    Content { digest: Hex([7; 32]), form: Over::Jcs, text: Some(HOSTILE.into()) }
}

fn finding(rule: &str) -> Finding<'static> {
    Finding {
        action: Decision::Block,
        clause: Some(0),
        help: Some(HOSTILE.into()),
        key: Some(Hex([9; 32])),
        reason: Why::Rule,
        rule: rule.to_owned().into(),
        source: Some(HOSTILE.into()),
        states: Some(States { after: vec![2], before: vec![0] }),
        verdict: Verdict::Violated,
    }
}

fn call(tool: &str, number: u64, ran: bool, after_divergence: bool) -> Decided<'static> {
    Decided {
        after_divergence,
        agent: Some(HOSTILE.into()),
        approved: false,
        args: content(),
        batch: None,
        call: number,
        decision: Decision::Block,
        effect: Effect::Write,
        evaluated: true,
        findings: vec![finding("verify-first"), finding(HOSTILE), finding("state.x")],
        id: Some(HOSTILE.into()),
        original: None,
        ran,
        refusal: (!ran).then_some(RefusalKind::Blocked),
        server: Some(HOSTILE.into()),
        tool: tool.to_owned().into(),
    }
}

fn start(session_contract: ContractId<'static>) -> SessionStart<'static> {
    SessionStart {
        agent: Some(Agent { name: HOSTILE.into(), version: HOSTILE.into() }),
        context: Some(content()),
        contract: session_contract,
        key: None,
        mode: Mode::Shadow,
        parent: None,
        program: HOSTILE.into(),
        resumed: false,
        surface: Some(HOSTILE.into()),
    }
}

fn genesis() -> Genesis<'static> {
    Genesis {
        content: Capture::Captured,
        file: HOSTILE.into(),
        key: Some(Base64([3; 32])),
        previous: None,
        program: HOSTILE.into(),
        secret: Hex([2; 32]),
        segment: 0,
        sync: Sync::Every,
    }
}

/// A journal in which every text is hostile.
fn hostile() -> Vec<(Entry, String)> {
    let mut to = Writer::new();
    let id = ContractId { name: HOSTILE.into(), sha256: Hex(sha256(SOURCE.as_bytes())) };
    let s = Some(HOSTILE);
    let broken = Broken { bytes: 1, file: HOSTILE.into(), line: 3, problem: HOSTILE.into(), sha256: Hex([1; 32]) };
    let outcome = |decision, call| Outcome {
        call,
        decision: Some(decision),
        evaluated: true,
        findings: vec![finding(HOSTILE)],
        result: Some(content()),
        shown: Seen::Withheld,
        status: Status::Failed,
        tool: HOSTILE.into(),
    };
    let counts = Counts { alert: 0, allow: 0, ask: 0, block: 3 };
    let mut lines = vec![
        to.line(None, genesis()),
        to.line(None, Reanchor { broken, key: None, last: None, reason: HOSTILE.into(), signature: None }),
        to.line(None, Contract { name: HOSTILE.into(), sha256: id.sha256, source: SOURCE.into() }),
        to.line(s, start(id)),
        to.line(s, call("pay", 0, false, false)),
        to.line(s, call(HOSTILE, 1, true, true)),
        to.line(s, outcome(5, 1)),
        to.line(s, call("pay", 2, true, true)),
        to.line(None, Gap { missing: 2, why: HOSTILE.into() }),
        to.line(None, Recovery { bytes: 5, file: HOSTILE.into(), sha256: Hex([4; 32]) }),
        to.line(s, SessionEnd { counts, findings: vec![finding("verify-first")], rules: vec![] }),
    ];
    let raw = format!("{HOSTILE} no record");
    let record = decode(raw.as_bytes());
    lines.push((Entry { file: to.file, line: 12, offset: 0, record }, raw));
    lines
}

fn standing() -> Standing {
    let title = HOSTILE.to_owned();
    Standing { level: Level::Broken, title: title.clone(), text: title.clone(), notices: vec![title] }
}

const BOUNDS: Bounds = Bounds { records: 1000, bytes: 1 << 20 };

fn tally(lines: &[(Entry, String)], bounds: Bounds) -> Tally {
    let mut tally = Tally::new(bounds, Some(("j".to_owned(), 12)));
    lines.iter().for_each(|(entry, raw)| tally.line(entry, raw.len()));
    tally
}

fn page(lines: &[(Entry, String)], bounds: Bounds) -> String {
    let (tally, standing) = (tally(lines, bounds), standing());
    let mut out = Vec::new();
    Page { name: HOSTILE, standing: &standing, tally: &tally }.write(lines.iter().cloned().map(Ok), &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// A tag with its attributes.
type Tag<'a> = (&'a str, Vec<(&'a str, &'a str)>);

/// The tags of a page, each with its attributes, and the text of its scripts and styles.
fn tags(page: &str) -> (Vec<Tag<'_>>, Vec<(&str, &str)>) {
    let (mut tags, mut raw) = (Vec::new(), Vec::new());
    let mut rest = page;
    while let Some((_, from)) = rest.split_once('<') {
        let (inside, after) = from.split_once('>').unwrap();
        let (name, mut attributes) = inside.split_once([' ', '\n']).unwrap_or((inside, ""));
        let mut found = Vec::new();
        while let Some((attribute, from)) = attributes.trim_start().split_once("=\"") {
            let (value, after) = from.split_once('"').unwrap();
            let (bare, attribute) = attribute.rsplit_once(' ').unwrap_or(("", attribute));
            found.extend(bare.split_whitespace().map(|name| (name, "")));
            found.push((attribute, value));
            attributes = after;
        }
        found.extend(attributes.trim_matches('/').split_whitespace().map(|name| (name, "")));
        tags.push((name, found));
        rest = after;
        if name == "script" || name == "style" {
            let (text, after) = rest.split_once(&format!("</{name}>")).unwrap();
            raw.push((inside, text));
            rest = after;
        }
    }
    (tags, raw)
}

#[test]
fn whatever_a_journal_says_stays_text() {
    let page = page(&hostile(), BOUNDS);
    let (tags, raw) = tags(&page);
    let names: BTreeSet<_> = tags.iter().map(|(name, _)| name.trim_matches('/')).collect();
    for loading in
        ["img", "iframe", "object", "embed", "link", "base", "video", "audio", "image", "use", "foreignObject"]
    {
        assert!(!names.contains(loading), "<{loading}>");
    }
    for (name, attributes) in &tags {
        for (attribute, value) in attributes {
            assert!(
                !attribute.starts_with("on") && !matches!(*attribute, "src" | "style" | "srcdoc" | "action"),
                "<{name} {attribute}>"
            );
            assert!(*attribute != "href" || value.starts_with('#'), "<{name} href=\"{value}\">");
        }
    }
    // The only script and the only style that run are ours.
    let running: Vec<_> = raw.iter().filter(|(inside, _)| !inside.contains("application/json")).collect();
    assert_eq!(running.iter().map(|(inside, _)| *inside).collect::<Vec<_>>(), ["style", "script"]);
    for (_, data) in raw.iter().filter(|(inside, _)| inside.contains("application/json")) {
        assert!(!data.contains(['<', '>', '&', '\u{2028}', '\u{2029}']));
        serde_json::from_str::<serde_json::Value>(data).unwrap();
    }
    // Outside of data nothing is hidden.
    let (shown, _) = page.split_once("<script type").unwrap();
    assert!(!shown.contains(['\u{202e}', '\u{200b}', '\u{1b}', '\u{7}', '\u{2028}']));
    assert!(shown.contains("\\u{202e}"));
}

#[test]
fn nothing_is_loaded_and_the_policy_lets_exactly_our_script_and_style_run() {
    let page = page(&hostile(), BOUNDS);
    let (tags, raw) = tags(&page);
    let policy =
        tags.iter().flat_map(|(_, attributes)| attributes).find(|(_, value)| value.contains("default-src")).unwrap().1;
    for (inside, text) in raw.iter().filter(|(inside, _)| !inside.contains("application/json")) {
        let hash = format!("{inside}-src 'sha256-{}'", Base64(sha256(text.as_bytes())));
        assert!(policy.contains(&hash), "{policy}");
        for loading in [
            "http:",
            "https:",
            "url(",
            "@import",
            "fetch(",
            "XMLHttpRequest",
            "import(",
            "WebSocket",
            "innerHTML",
            "eval(",
        ] {
            assert!(!text.contains(loading), "{inside}: {loading}");
        }
    }
    assert!(policy.starts_with("default-src 'none';") && !policy.contains("unsafe"), "{policy}");
    let before = page.split_once("Content-Security-Policy").unwrap().0;
    assert!(!before.contains("<script") && !before.contains("<style"));
}

#[test]
fn the_same_journal_gives_the_same_page() {
    assert_eq!(page(&hostile(), BOUNDS), page(&hostile(), BOUNDS));
}

#[test]
fn records_are_in_the_page_as_they_stand() {
    let lines = hostile();
    let page = page(&lines, BOUNDS);
    let (_, raw) = tags(&page);
    let blocks = raw.iter().filter(|(inside, _)| inside.contains("block"));
    let found: Vec<serde_json::Value> =
        blocks.flat_map(|(_, data)| serde_json::from_str::<Vec<_>>(data).unwrap()).collect();
    assert_eq!(found.len(), lines.len());
    for ((entry, line), found) in lines.iter().zip(&found) {
        match &entry.record {
            Ok(_) => assert_eq!(*found, serde_json::from_str::<serde_json::Value>(line).unwrap()),
            Err(_) => assert_eq!(found["line"], 12),
        }
    }
}

#[test]
fn what_happened_before_and_after_divergence_is_counted_apart() {
    let tally = tally(&hostile(), BOUNDS);
    let (before, after) = (tally.calls.before, tally.calls.after);
    assert_eq!((before.all, before.stopped, before.let_through), (1, 1, 0));
    assert_eq!((after.all, after.stopped, after.let_through, after.failed), (2, 0, 2, 1));
    assert_eq!(tally.diverged, 1);
    let html = page(&hostile(), BOUNDS);
    assert!(html.contains("<th scope=\"row\">before divergence</th><td class=\"num\">1</td>"), "{html}");
    assert!(html.contains("<th scope=\"row\">after divergence</th><td class=\"num\">2</td>"), "{html}");
}

#[test]
fn duties_gaps_crashes_and_breaks_are_named() {
    let tally = tally(&hostile(), BOUNDS);
    let (unfinished, _) = tally.unfinished();
    assert_eq!((unfinished, tally.unmet.total, tally.missing, tally.gaps.total), (1, 1, 2, 1));
    assert_eq!((tally.recoveries.total, tally.reanchors.total, tally.withheld.total), (1, 1, 1));
    assert_eq!((tally.unreadable, tally.broken_at, tally.unended().0.len()), (1, Some(11), 0));
}

#[test]
fn a_violated_rule_is_drawn_from_the_contract_in_the_journal() {
    let html = page(&hostile(), BOUNDS);
    assert!(html.contains("<svg role=\"img\"") && html.contains("<g class=\"taken\">"), "{html}");
    // The text of another contract than the digest names is not used.
    let lines: Vec<_> = {
        let mut to = Writer::new();
        let id = ContractId { name: "p".into(), sha256: Hex([1; 32]) };
        vec![
            to.line(None, genesis()),
            to.line(None, Contract { name: "p".into(), sha256: id.sha256, source: SOURCE.into() }),
            to.line(Some("s"), start(id)),
            to.line(Some("s"), call("pay", 0, false, false)),
        ]
    };
    let html = page(&lines, BOUNDS);
    assert!(!html.contains("<svg role=\"img\"") && html.contains("not what the digest names"), "{html}");
}

#[test]
fn a_page_holds_the_latest_records_and_says_so() {
    let html = page(&hostile(), Bounds { records: 3, ..BOUNDS });
    assert!(html.contains("The latest 3 of 12 records."), "{html}");
    let html = page(&hostile(), Bounds { bytes: 1, ..BOUNDS });
    assert!(html.contains("The latest 1 of 12 records."), "{html}");
}

#[test]
fn names_that_an_agent_makes_up_do_not_fill_the_memory() {
    let mut to = Writer::new();
    let mut tally = Tally::new(BOUNDS, None);
    for number in 0..2000 {
        let (entry, raw) =
            to.line(Some(&format!("s{number}")), call(&format!("tool-{number}"), 0, number % 2 == 0, false));
        tally.line(&entry, raw.len());
    }
    assert_eq!(tally.tools.len(), 500);
    assert_eq!(tally.tools.others().map(|others| others.before.all), Some(1500));
    assert_eq!(tally.calls.before.all, 2000);
}

/// Counts what is written.
struct Counted<'a>(&'a Cell<usize>);

impl Write for Counted<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.set(self.0.get() + bytes.len());
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn records_are_written_as_they_are_read() {
    let written = Cell::new(0);
    let lines = hostile();
    let (tally, standing) = (tally(&lines, BOUNDS), standing());
    let page = Page { name: "j", standing: &standing, tally: &tally };
    let (read, mut begun, mut most) = (Cell::new(0), None, 0);
    let line = lines.get(4).unwrap();
    let many = (0..5000).map(|_| {
        let begun = *begun.get_or_insert(written.get());
        most = most.max(read.get() - (written.get() - begun).min(read.get()));
        read.set(read.get() + line.1.len());
        Ok(line.clone())
    });
    let bounds = Bounds { records: 5000, bytes: usize::MAX };
    let mut large = Tally::new(bounds, None);
    (0..5000).for_each(|_| large.line(&line.0, line.1.len()));
    Page { tally: &large, ..page }.write(many, &mut Counted(&written)).unwrap();
    assert!(written.get() > 5_000_000 && most < 128 << 10, "{most} bytes were held back");
}
