use contract_runtime::value::sha256;
use serde_json::Value;

use super::*;
use crate::export::fixture::{self, HOSTILE};
use crate::export::text::hex;

fn exported(content: bool) -> String {
    let mut out = Vec::new();
    fixture::journal().export(content, &mut Ocsf::new(&mut out, content));
    String::from_utf8(out).unwrap()
}

fn events(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn the_journal_is_exported_as_before() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/export/ocsf/expected.jsonl");
    let now = exported(false);
    if std::env::var_os("UPDATE_SNAPSHOTS").is_some() {
        std::fs::write(path, &now).unwrap();
    }
    assert_eq!(now, include_str!("expected.jsonl"), "set UPDATE_SNAPSHOTS=1 and look at what changes");
}

/// What OCSF 1.9 requires of a class, besides what it requires of all.
fn required(class: u64) -> &'static [&'static str] {
    match class {
        6003 => &["/actor/session/uid", "/api/operation", "/api/request/uid", "/src_endpoint/svc_name"],
        2004 => &["/finding_info/uid"],
        other => panic!("class {other}"),
    }
}

#[test]
fn events_have_what_the_schema_requires() {
    for event in events(&exported(false)) {
        let number =
            |path: &str| event.pointer(path).and_then(Value::as_u64).unwrap_or_else(|| panic!("{path}: {event}"));
        let class = number("/class_uid");
        assert_eq!(number("/type_uid"), class * 100 + number("/activity_id"));
        assert_eq!(number("/category_uid"), class / 1000);
        assert!((1..=5).contains(&number("/severity_id")));
        assert_eq!(number("/time"), 1_767_225_600_000 + number("/metadata/sequence") * 1_500);
        for path in required(class).iter().chain(&["/metadata/version", "/metadata/product/name", "/metadata/uid"]) {
            assert!(event.pointer(path).is_some(), "{path}: {event}");
        }
    }
}

#[test]
fn names_are_unique_and_lead_to_calls() {
    let events = events(&exported(false));
    let uid = |event: &Value| event["metadata"]["uid"].as_str().unwrap().to_owned();
    let uids: std::collections::BTreeSet<String> = events.iter().map(uid).collect();
    assert_eq!(uids.len(), events.len());
    for event in events.iter().filter(|event| event["class_uid"] == 2004) {
        if let Some(call) = event.pointer("/finding_info/related_events/0/uid") {
            assert!(uids.contains(call.as_str().unwrap()), "{event}");
        }
    }
}

#[test]
fn each_event_attests_itself_and_the_one_before() {
    let mut before: Option<Value> = None;
    for mut event in events(&exported(false)) {
        let attestation = event.pointer_mut("/attestation_list/0").unwrap().as_object_mut().unwrap();
        let fingerprint = attestation.remove("fingerprint").unwrap();
        assert_eq!(attestation.get("prev_event").map(|event| &event["fingerprint"]), before.as_ref());
        // RFC 8785 of what is left: the names are ASCII and sorted, the numbers integers.
        assert_eq!(fingerprint["value"], hex(&sha256(event.to_string().as_bytes())));
        before = Some(fingerprint);
    }
    assert!(before.is_some());
}

#[test]
fn nothing_hostile_and_no_content_gets_through() {
    let text = exported(false);
    assert!(!text.contains(HOSTILE));
    assert!(text.chars().all(|c| c == '\n' || !contract_lang::diagnostic::render::is_hidden(c)));
    for secret in ["c4rd", "r3ceipt", "u1"] {
        assert!(!text.contains(secret), "{secret}");
    }
    let text = exported(true);
    assert!(text.contains("c4rd") && text.contains("r3ceipt"));
}
