//! What several kinds of records hold.

use super::field::{Hex, Text, spelled, words};
use super::object::object;
use crate::{Answer, Cause, Decision, NoticeKind, Verdict};

spelled!(Answer: Approved Denied Expired NotOpen);
spelled!(Cause: Idle Evicted Closed);
spelled!(NoticeKind: Refused CallWithoutId Noise Unasked Unreadable NobodyAsked ToolChanged ToolNew ToolConfusable ToolsTooMany);

/// A SHA-256 hash, or an HMAC-SHA-256 under the journal's secret.
pub type Hash = Hex<32>;

words! {
    /// Over which bytes a digest is.
    pub enum Over {
        /// The bytes as they were received.
        Bytes = "bytes",
        /// The canonical JSON of a value (RFC 8785).
        Jcs = "jcs",
        /// The same, but with integers beyond ±(2^53−1) written exactly.
        JcsExact = "jcs-exact",
    }
}

object! {
    /// A value of the agent's, by its digest.
    pub struct Content<'a> {
        /// HMAC-SHA-256 under the journal's secret.
        digest: Hash,
        /// Over which bytes: `bytes` as received, `jcs` canonical JSON, `jcs-exact` with great integers written exactly.
        form: Over,
        /// The JSON text, in a journal that captures content; redacted parts are `{"redacted": …}`.
        text: Option<Text<'a>>,
    }
}

object! {
    /// The states that a rule's automaton may have been in.
    pub struct States {
        /// After the event, if it happens.
        after: Vec<u64>,
        /// Before the event.
        before: Vec<u64>,
    }
}

object! {
    /// What one rule found.
    pub struct Finding<'a> {
        /// What it asks the host to do.
        action: Decision,
        /// Which precondition or postcondition, from 0.
        clause: Option<u64>,
        /// What would make the call allowed, where the state of the rule says it.
        help: Option<Text<'a>>,
        /// The digest of the key concerned: of the canonical JSON of the list of its components.
        key: Option<Hash>,
        /// Why the verdict is what it is.
        reason: Why,
        /// The rule's id, `default`, `undeclared`, or `state.` and a cell.
        rule: Text<'a>,
        /// The tool whose result brought a value that must not go where it goes.
        source: Option<Text<'a>>,
        /// The states of the rule's automaton.
        states: Option<States>,
        /// What the rule says.
        verdict: Verdict,
    }
}

words! {
    /// Why a verdict is what it is: [`crate::Reason`] by name.
    pub enum Why {
        /// The rule itself says so.
        Rule = "rule",
        /// The key cannot be read.
        UnreadableKey = "unreadable_key",
        /// The table of instances is full.
        InstancesFull = "instances_full",
        /// The instance was let go.
        Forgotten = "forgotten",
        /// More instances were let go than the rule can tell apart.
        FilterFull = "filter_full",
        /// A precondition or postcondition.
        Clause = "clause",
        /// No permit matches.
        NoPermit = "no_permit",
        /// No such tool is known.
        UnknownTool = "unknown_tool",
        /// The session or the instance ended with an obligation open.
        Ended = "ended",
        /// The time for an obligation is over.
        Expired = "expired",
        /// The rule guards the call while an obligation is open.
        Guarded = "guarded",
        /// The arguments could not be changed.
        Rewrite = "rewrite",
        /// In shadow mode: the arguments would have been changed.
        Rewritten = "rewritten",
        /// In shadow mode: the result would have been masked.
        Redacted = "redacted",
        /// The arguments hold what a result brought.
        Flow = "flow",
        /// The rule remembers as much as it can.
        Full = "full",
        /// A set or map is full.
        CellFull = "cell_full",
        /// A committed value cannot be taken.
        BadValue = "bad_value",
        /// The state is of another contract.
        Changed = "changed",
    }
}

words! {
    /// How much of a result the agent was shown.
    pub enum Seen {
        /// All of it.
        All = "all",
        /// With parts masked.
        Redacted = "redacted",
        /// Nothing.
        Withheld = "withheld",
    }
}

words! {
    /// Whether a journal holds content or only digests.
    pub enum Capture {
        /// Only digests.
        Digest = "digest",
        /// The content, with the fields redacted that the host named.
        Captured = "captured",
    }
}

words! {
    /// When what was written is forced to the disk.
    pub enum Sync {
        /// Each record, before the call runs.
        Every = "every",
        /// At checkpoints.
        Checkpoint = "checkpoint",
        /// When the operating system likes.
        Never = "never",
    }
}

object! {
    /// The agent, as its host named it.
    pub struct Agent<'a> {
        /// Its name.
        name: Text<'a>,
        /// Its version.
        version: Text<'a>,
    }
}

object! {
    /// A version of a contract.
    pub struct ContractId<'a> {
        /// Its name.
        name: Text<'a>,
        /// SHA-256 of its canonical text.
        sha256: Hash,
    }
}

object! {
    /// The segment before.
    pub struct Previous<'a> {
        /// The name of its file.
        file: Text<'a>,
        /// The hash of its last record.
        hash: Hash,
        /// How many records there are until then, in all segments.
        size: u64,
    }
}

object! {
    /// How many calls were decided how.
    pub struct Counts {
        /// Allowed with an alert.
        alert: u64,
        /// Allowed.
        allow: u64,
        /// Sent to a person.
        ask: u64,
        /// Blocked.
        block: u64,
    }
}

object! {
    /// What a rule came to.
    pub struct RuleEnd<'a> {
        /// How many calls it stopped.
        blocked: u64,
        /// Its id.
        rule: Text<'a>,
        /// Its verdict over the calls that ran.
        verdict: Verdict,
    }
}

object! {
    /// A journal that does not verify, and stays as it is.
    pub struct Broken<'a> {
        /// The length of all its files, in bytes.
        bytes: u64,
        /// The name that the file with the problem has now.
        file: Text<'a>,
        /// The first bad line, from 1.
        line: u64,
        /// What is wrong with it: a verdict of `verify`.
        problem: Text<'a>,
        /// SHA-256 of all its files, one after the other, oldest first.
        sha256: Hash,
    }
}

object! {
    /// A record.
    pub struct Place {
        /// Its hash.
        hash: Hash,
        /// Its number.
        seq: u64,
    }
}
