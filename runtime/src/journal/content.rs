//! What agents and tools said, as records have it: always by a digest, and in clear only where the host asked for that.
//!
//! INVARIANT: nothing that the host names, and nothing of a result that the contract keeps from the agent, is stored in clear.
//! What is stored never changes what is decided, nor the digest.

mod fields;
mod shorten;

use std::borrow::Cow;

use serde_json::Value;

pub(super) use self::fields::Fields;
pub(super) use self::shorten::shorten;

use super::canonical::{self, Form};
use super::record::{self, Capture, Hash, Over};
use super::secret::Digests;
use crate::value::is_shallow;

/// The longest text of a value that is stored, in bytes.
const LONGEST: usize = 1 << 20;

/// Makes the content of records.
#[derive(Clone, Copy, Debug)]
pub(super) struct Contents<'j> {
    pub(super) digests: &'j Digests,
    pub(super) capture: Capture,
    /// What is never stored.
    pub(super) fields: &'j Fields,
}

impl Contents<'_> {
    /// A value; `bytes` is what the host received for it.
    pub(super) fn of(&self, value: &Value, bytes: Option<&[u8]>) -> record::Content<'static> {
        self.shown(value, bytes, Some(value))
    }

    /// A value of which only this may be stored.
    pub(super) fn shown(&self, value: &Value, bytes: Option<&[u8]>, shown: Option<&Value>) -> record::Content<'static> {
        let (digest, form) = match bytes {
            Some(bytes) => (self.digests.digest(bytes), Over::Bytes),
            None => digest(self.digests, value),
        };
        let shown = shown.filter(|_| self.capture == Capture::Captured);
        let text = shown.and_then(|value| self.text(value)).map(Cow::Owned);
        record::Content { digest, form, text }
    }

    /// The key of an instance.
    pub(super) fn key(&self, components: &[Value]) -> Hash {
        digest(self.digests, &Value::from(components)).0
    }

    /// A value as it is stored; `None` if it is too large, or nested too deeply.
    fn text(&self, value: &Value) -> Option<String> {
        let mut out = Vec::new();
        is_shallow(value).then(|| canonical::write(&mut out, &self.fields.redact(value, self.digests)))?;
        String::from_utf8(out).ok().filter(|text| text.len() <= LONGEST)
    }
}

/// The digest of a value, by its canonical text.
fn digest(digests: &Digests, value: &Value) -> (Hash, Over) {
    let mut out = Vec::new();
    let form = match canonical::write(&mut out, value) {
        Form::Exact => Over::JcsExact,
        Form::Jcs => Over::Jcs,
    };
    (digests.digest(&out), form)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::Secret;
    use super::*;

    #[test]
    fn digests_are_of_the_bytes_or_of_the_canonical_text() {
        let digests = Secret::from_bytes(&[1; 32]).digests();
        let fields = Fields::default();
        let contents = Contents { digests: &digests, capture: Capture::Captured, fields: &fields };
        let value = json!({"b": 1, "a": 9_007_199_254_740_993_u64});
        let content = contents.of(&value, None);
        let text = "{\"a\":9007199254740993,\"b\":1}";
        assert_eq!((content.digest, content.form), (digests.digest(text.as_bytes()), Over::JcsExact));
        assert_eq!(content.text.as_deref(), Some(text));
        let received = b"{ \"b\": 1 }";
        let content = contents.shown(&value, Some(received), None);
        assert_eq!((content.digest, content.form, content.text), (digests.digest(received), Over::Bytes, None));
        let content = Contents { capture: Capture::Digest, ..contents }.of(&value, None);
        assert_eq!((content.form, content.text), (Over::JcsExact, None));
        let long = json!("x".repeat(LONGEST));
        assert_eq!(contents.of(&long, None).text, None);
    }

    #[test]
    fn digests_are_of_all_of_a_value_at_any_depth() {
        let digests = Secret::from_bytes(&[1; 32]).digests();
        let fields = Fields::new(&["ssn".to_owned()]);
        let contents = Contents { digests: &digests, capture: Capture::Captured, fields: &fields };
        let value = |depth: usize, end: i32| {
            let deep = (0..depth).fold(json!(end), |inner, _| Value::Array(vec![inner]));
            json!({"a": deep, "z": end})
        };
        for depth in [199, 200, 300, 1_000] {
            let content = contents.of(&value(depth, 1), None);
            let text = format!("{{\"a\":{}1{},\"z\":1}}", "[".repeat(depth), "]".repeat(depth));
            assert_eq!((content.digest, content.form), (digests.digest(text.as_bytes()), Over::Jcs));
            assert_ne!(content.digest, contents.of(&value(depth, 2), None).digest);
            assert_eq!(content.text.as_deref(), (depth < 200).then_some(text.as_str()));
        }
    }
}
