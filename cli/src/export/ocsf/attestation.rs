//! The profile `record_integrity`: each event carries the SHA-256 of its own canonical JSON, and that of the event before.
//!
//! INVARIANT: the fingerprint is over the whole event but itself (`attestation`, OCSF 1.9), in the form of RFC 8785. The chain is
//! that of this export: the journal's own chain and signatures are over its records, and stay with it.

use contract_runtime::journal::canonical;
use contract_runtime::value::sha256;
use serde_json::{Value, json};

use crate::export::text::hex;

/// The events of an export so far.
#[derive(Debug, Default)]
pub(super) struct Chain {
    /// What an event says of the one before.
    previous: Option<Value>,
}

impl Chain {
    /// Adds an event's attestation.
    pub(super) fn attest(&mut self, event: &mut Value) {
        let log = event.pointer("/metadata/log_name").cloned().unwrap_or_default();
        let mut attestation = json!({ "chain_uid": log, "authority_uid": log });
        if let Some(previous) = self.previous.take() {
            set(&mut attestation, "prev_event", previous);
        }
        set(event, "attestation_list", json!([attestation]));
        let mut bytes = Vec::new();
        // Events hold integers below 2^53.
        canonical::write(&mut bytes, event);
        let fingerprint = fingerprint(&hex(&sha256(&bytes)));
        self.previous = Some(json!({
            "uid": event.pointer("/metadata/uid"),
            "type_uid": event.get("type_uid"),
            "fingerprint": fingerprint,
        }));
        if let Some(attestation) = event.pointer_mut("/attestation_list/0") {
            set(attestation, "fingerprint", fingerprint);
        }
    }
}

/// A SHA-256 of canonical JSON.
pub(super) fn fingerprint(hash: &str) -> Value {
    json!({
        "algorithm": "SHA-256",
        "algorithm_id": 3,
        "encoding": "Hex",
        "encoding_id": 1,
        "serialization": "JCS",
        "serialization_id": 2,
        "value": hash,
    })
}

/// Sets a member of an object.
pub(super) fn set(object: &mut Value, name: &str, value: Value) {
    if let Some(object) = object.as_object_mut() {
        object.insert(name.to_owned(), value);
    }
}
