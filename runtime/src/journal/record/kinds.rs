//! The kinds of records.

use super::field::{Base64, Text};
use super::object::kinds;
use super::parts::{
    Agent, Broken, Capture, Content, ContractId, Counts, Finding, Hash, Place, Previous, RuleEnd, Seen, Sync,
};
use crate::call::Status;
use crate::{Answer, Cause, Decision, Effect, Mode, NoticeKind, RefusalKind};

/// An Ed25519 public key (RFC 8032 §5.1.5).
pub type Key = Base64<32>;

/// An Ed25519 signature (RFC 8032 §5.1.6).
pub type Signature = Base64<64>;

kinds! {
    /// The first record of a file.
    Genesis<'a> = "genesis" {
        /// Whether arguments and results are captured, or only their digests.
        content: Capture,
        /// The name of the file.
        file: Text<'a>,
        /// The public key that signs checkpoints; `null`: nothing is signed.
        key: Option<Key>,
        /// The segment before; `null` in the first.
        previous: Option<Previous<'a>>,
        /// The program that writes.
        program: Text<'a>,
        /// What the journal's secret makes of the text `interlock journal secret`: names the secret, without telling it.
        secret: Hash,
        /// How many segments there were before.
        segment: u64,
        /// When what was written is forced to the disk.
        sync: Sync,
    }

    /// A contract that sessions from here on use. It is written once in each file.
    Contract<'a> = "contract" {
        /// Its name.
        name: Text<'a>,
        /// SHA-256 of `source`.
        sha256: Hash,
        /// Its canonical text, which can be read as a contract.
        source: Text<'a>,
    }

    /// A session begins, or is taken up again.
    SessionStart<'a> = "session_start" {
        /// The agent.
        agent: Option<Agent<'a>>,
        /// The trusted facts.
        context: Option<Content<'a>>,
        /// The contract.
        contract: ContractId<'a>,
        /// The public key that signs checkpoints at that time.
        key: Option<Key>,
        /// Whether decisions are carried out.
        mode: Mode,
        /// The session that started this one.
        parent: Option<Text<'a>>,
        /// The program that decides.
        program: Text<'a>,
        /// Whether it is a session that was saved and is taken up again.
        resumed: bool,
        /// Where it runs.
        surface: Option<Text<'a>>,
    }

    /// A call was decided. It is written before the call runs.
    Decided<'a> = "decision" {
        /// Whether this call or an earlier one runs in shadow mode although it would have been stopped.
        after_divergence: bool,
        /// The sub-agent that calls.
        agent: Option<Text<'a>>,
        /// Whether a person approved the call.
        approved: bool,
        /// The arguments that it runs with, or would run with.
        args: Content<'a>,
        /// How many calls the same model turn made.
        batch: Option<u64>,
        /// The number of the call in its session, from 0.
        call: u64,
        /// The decision.
        decision: Decision,
        /// The tool's effect.
        effect: Effect,
        /// Whether the contract was evaluated.
        evaluated: bool,
        /// What rules found.
        findings: Vec<Finding<'a>>,
        /// The host's id of the call.
        id: Option<Text<'a>>,
        /// The arguments as the agent gave them, where the contract changed them.
        original: Option<Content<'a>>,
        /// Whether the call may run.
        ran: bool,
        /// Why it may not.
        refusal: Option<RefusalKind>,
        /// The server that has the tool.
        server: Option<Text<'a>>,
        /// The tool.
        tool: Text<'a>,
    }

    /// A call ended.
    Outcome<'a> = "outcome" {
        /// The number of the call in its session.
        call: u64,
        /// The `seq` of its decision record; `null` where the decision could not be recorded, or is in another journal.
        decision: Option<u64>,
        /// Whether rules looked at the result.
        evaluated: bool,
        /// What rules found.
        findings: Vec<Finding<'a>>,
        /// The result.
        result: Option<Content<'a>>,
        /// How much of it the agent was shown.
        shown: Seen,
        /// How the call ended.
        status: Status,
        /// The tool.
        tool: Text<'a>,
    }

    /// The host reported a fact.
    Event<'a> = "event" {
        /// What rules found.
        findings: Vec<Finding<'a>>,
        /// The event's name.
        name: Text<'a>,
        /// Its value.
        value: Content<'a>,
    }

    /// Time alone brought something to light.
    Passed<'a> = "time" {
        /// What.
        findings: Vec<Finding<'a>>,
    }

    /// A rule let instances go.
    Retirement<'a> = "retirement" {
        /// Why.
        by: Cause,
        /// How many.
        count: u64,
        /// The digests of their keys, at most 64.
        keys: Vec<Hash>,
        /// The rule's id.
        rule: Text<'a>,
    }

    /// A request for approval was answered.
    Approval<'a> = "approval" {
        /// The answer.
        answer: Answer,
        /// Who answered.
        by: Option<Text<'a>>,
        /// In which words.
        reason: Option<Content<'a>>,
        /// The `seq` of the decision that asked.
        request: Option<u64>,
    }

    /// A guard saw something that is no call. A flood of one kind is not recorded one by one.
    Notice<'a> = "notice" {
        /// The length of the bytes that it is about.
        bytes: Option<u64>,
        /// For how many it stands, itself included.
        count: u64,
        /// HMAC-SHA-256 of the bytes that it is about, under the journal's secret.
        digest: Option<Hash>,
        /// In words.
        text: Text<'a>,
        /// What kind of thing.
        what: NoticeKind,
    }

    /// A session ended.
    SessionEnd<'a> = "session_end" {
        /// How many calls were decided how.
        counts: Counts,
        /// What the end itself found.
        findings: Vec<Finding<'a>>,
        /// What each rule came to.
        rules: Vec<RuleEnd<'a>>,
    }

    /// A signed checkpoint of all records before this one.
    Checkpoint<'a> = "checkpoint" {
        /// The signed note.
        note: Text<'a>,
    }

    /// Another key signs from here on.
    KeyChange = "key" {
        /// The key until now.
        by: Key,
        /// The key from here on.
        key: Key,
        /// By the key until now.
        signature: Signature,
    }

    /// Another secret makes the digests from here on.
    SecretChange = "secret" {
        /// What the new secret makes of the text `interlock journal secret`.
        secret: Hash,
    }

    /// A line that a crash cut off was moved away.
    Recovery<'a> = "recovery" {
        /// Its length in bytes.
        bytes: u64,
        /// The file that has it now.
        file: Text<'a>,
        /// SHA-256 of it.
        sha256: Hash,
    }

    /// Records are missing, because they could not be written.
    Gap<'a> = "gap" {
        /// How many.
        missing: u64,
        /// Why.
        why: Text<'a>,
    }

    /// This journal continues after one that does not verify.
    Reanchor<'a> = "reanchor" {
        /// The journal before.
        broken: Broken<'a>,
        /// The key that signs this.
        key: Option<Key>,
        /// The last record before the break.
        last: Option<Place>,
        /// Why it is all right to continue, in a person's words.
        reason: Text<'a>,
        /// Of the statement that names all this.
        signature: Option<Signature>,
    }
}
