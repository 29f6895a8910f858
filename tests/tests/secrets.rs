//! Secrets are planted wherever an agent, its tools and its host say something, and looked for wherever something is written.

use std::fmt::Debug;

use contract_runtime::journal::{Journal, Options, SigningKey};
use contract_runtime::{Approval, Call, Denial, Outcome, Refusal, RunError, Session, Time};
use interlock_tests::corpus;
use interlock_tests::evidence::Folder;
use serde_json::{Value, json};

const CONTRACT: &str = r#"
version: 1
name: secrets
context: { tenant: string }
tools:
  pay: { effect: irreversible }
  lookup: { effect: read }
  fetch: { effect: read }
  review: { effect: write }
  read: { effect: read }
  transfer: { effect: write }
state:
  owner: { type: string }
commit:
  - after: ok(lookup)
    set: { owner: result.owner }
rules:
  - id: once
    at_most_n_times: { call: pay, n: 1 }
    per: args.card
    instances: { max: 1, when_full: evict }
    message: "{tool} with {args.card} of {args.holder}"
  - id: looked-up
    must_precede: { first: ok(lookup), then: pay }
  - id: own
    call: review
    require: args.owner == state.owner
  - id: tenant
    call: read
    require: args.tenant == context.tenant
  - id: small
    call: transfer
    require: args.amount <= 100
    action: ask
  - id: smaller
    call: transfer
    rewrite: { args.amount: "500" }
  - id: mask
    after: any
    redact: result.**.ssn
  - id: public
    after: fetch
    ensure: result.public == true
    message: "not public: {args.query}"
"#;

/// All that is planted, by where.
const PLANTED: [&str; 17] = [
    "planted-card-1",
    "planted-card-2",
    "planted-holder",
    "planted-note",
    "planted-receipt",
    "planted-owner",
    "planted-ssn",
    "planted-body",
    "planted-error",
    "planted-context",
    "planted-tenant",
    "planted-event",
    "planted-password",
    "planted-bytes",
    "planted-result-bytes",
    "planted-reason",
    "planted-dropped",
];

/// What is never stored where content is captured.
const FIELDS: [&str; 11] = [
    "card",
    "holder",
    "details.note",
    "receipt",
    "owner",
    "error",
    "tenant",
    "value[].code",
    "password",
    "bytes",
    "dropped",
];

struct Searched {
    /// Texts by what they are of.
    texts: Vec<(String, String)>,
}

impl Searched {
    fn debug(&mut self, what: &str, value: &impl Debug) {
        self.texts.push((format!("Debug of {what}"), format!("{value:?} {value:#?}")));
    }

    /// A refusal, which may say of its own call what the author's message says.
    fn refusal(&mut self, refusal: &Refusal, own: &[&str]) {
        let hide = |text: &str| own.iter().fold(text.to_owned(), |text, own| text.replace(own, "…"));
        self.texts.push(("refusal".to_owned(), hide(refusal.text())));
        self.texts.push(("Debug of a refusal".to_owned(), hide(&format!("{refusal:?}"))));
    }
}

/// A session in which each secret is said once.
fn session(journal: &Journal, searched: &mut Searched) {
    let contract = corpus::interpreted("secrets", CONTRACT).unwrap_or_else(|error| panic!("{error}"));
    let builder = Session::builder(contract.monitor()).context(json!({"tenant": "planted-context"}));
    let builder = builder.clock(|| Time::EPOCH).agent("bot", "1").journal(journal.clone());
    searched.debug("a builder", &builder);
    let session = builder.start().unwrap();
    searched.debug("a session", &session);

    let run = |tool: &str, args: &Value, result: &Value| {
        let permit = session.before(&Call::new(tool, args).id("c1")).unwrap();
        let debug = format!("{permit:?}");
        session.settle(permit, Outcome::ok(result)).unwrap();
        debug
    };
    let pay = |card: &str| json!({"card": card, "holder": "planted-holder", "details": {"note": "planted-note"}});
    searched.refusal(
        &session.before(&Call::new("pay", &pay("planted-card-1"))).unwrap_err(),
        &["planted-card-1", "planted-holder"],
    );
    run("lookup", &json!({}), &json!({"owner": "planted-owner", "people": [{"ssn": "planted-ssn"}]}));
    let debug = run("pay", &pay("planted-card-1"), &json!({"receipt": "planted-receipt"}));
    searched.texts.push(("Debug of a permit".to_owned(), debug));
    searched.refusal(
        &session.before(&Call::new("pay", &pay("planted-card-1"))).unwrap_err(),
        &["planted-card-1", "planted-holder"],
    );
    // The first card makes room.
    run("pay", &pay("planted-card-2"), &json!({}));
    searched.refusal(&session.before(&Call::new("review", &json!({"owner": "x"}))).unwrap_err(), &[]);
    searched.refusal(&session.before(&Call::new("read", &json!({"tenant": "planted-tenant"}))).unwrap_err(), &[]);
    let fetched =
        session.before(&Call::new("fetch", &json!({"query": "{\"password\": \"planted-password\"}"}))).unwrap();
    let body = json!({"public": false, "body": "planted-body"});
    let withheld = session.after(fetched, Outcome::ok(&body)).unwrap();
    // The author's message may show what the call itself said.
    searched.texts.push(("withheld".to_owned(), withheld.to_string().replace("planted-password", "…")));
    let failed = session.run_blocking("lookup", json!({}), |_| Err::<Value, _>("planted-error"));
    assert!(matches!(failed, Err(RunError::Failed("planted-error"))));
    session.event("turn", &json!({"value": [{"code": "planted-event"}]}), None).unwrap();
    let asked =
        session.before(&Call::new("transfer", &json!({"amount": 1, "dropped": "planted-dropped"}))).unwrap_err();
    searched.refusal(&asked, &["planted-dropped"]);
    session.deny(asked.request().unwrap(), Denial::new().by("ann").reason("planted-reason"));
    session.approve(asked.request().unwrap(), Approval::new()).unwrap_err();
    let args = json!({"bytes": "planted-bytes"});
    let received = b"{\"bytes\": \"planted-bytes\"}";
    let permit = session.before(&Call::new("lookup", &args).bytes(received.as_slice())).unwrap();
    let result = json!({"bytes": "planted-result-bytes"});
    session.after(permit, Outcome::ok(&result).bytes(b"{\"bytes\": \"planted-result-bytes\"}")).unwrap();
    drop(session.before(&Call::new("lookup", &json!({}))).unwrap());
    assert_eq!(session.end().unrecorded, 0);
}

fn search(options: Options, folder: &Folder, allowed: &[&str]) -> String {
    let mut searched = Searched { texts: Vec::new() };
    searched.debug("options", &options);
    let journal = options.create().unwrap();
    searched.debug("a journal", &journal);
    session(&journal, &mut searched);
    journal.close().unwrap();
    searched.texts.extend(folder.contents());
    // The journal's own secret is in no file either: it was given.
    for secret in PLANTED.iter().chain(["0909090909090909", "9, 9, 9, 9, 9, 9"].iter()) {
        for (what, text) in searched.texts.iter().filter(|_| !allowed.contains(secret)) {
            assert!(!text.contains(secret), "{secret} in {what}:\n{text}");
        }
    }
    std::fs::read_to_string(journal.path()).unwrap()
}

#[test]
fn a_journal_of_digests_says_nothing_of_what_was_said() {
    let folder = Folder::new();
    let text = search(folder.journal().key(SigningKey::from_bytes(&[3; 32])), &folder, &[]);
    for kind in ["session_start", "decision", "outcome", "event", "retirement", "approval", "session_end", "checkpoint"]
    {
        assert!(text.contains(&format!("\"kind\":\"{kind}\"")), "{kind}");
    }
}

#[test]
fn a_journal_of_content_has_neither_the_fields_nor_what_the_agent_did_not_see() {
    let folder = Folder::new();
    // Words of a person, which no field names.
    let text = search(folder.journal().capture_content().redact_fields(FIELDS), &folder, &["planted-reason"]);
    assert!(text.contains("planted-reason") && text.contains("{\\\"redacted\\\":\\\""));
}
