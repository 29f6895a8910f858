//! Where a person is asked who is not at the client.

use contract_runtime::ApprovalRequest;

/// A place where requests for approval wait for a person, and answers for the call to be made again. What implements it says who
/// may answer; an answer is for exactly one call.
pub trait Desk: Send + Sync {
    /// Asks for approval of a call, or takes up the answer that somebody has given since it was asked before. An answer that is
    /// taken up is used up.
    fn ask(&self, sought: &Sought<'_>) -> Standing;

    /// Whether nobody else may be asked, not even the client's own person.
    fn is_sole(&self) -> bool {
        false
    }
}

/// What somebody has to approve.
#[derive(Clone, Copy, Debug)]
pub struct Sought<'a> {
    /// The session, by the name that it has in records; empty if it has none.
    pub session: &'a str,
    /// The name of the contract.
    pub name: &'a str,
    /// SHA-256 of the contract, in hexadecimal digits.
    pub contract: &'a str,
    /// The call, with the arguments that it would run with.
    pub request: &'a ApprovalRequest,
    /// Why it needs approval, for people.
    pub why: &'a str,
}

/// What became of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// A person has approved it: who.
    Granted(Option<String>),
    /// A person said no: who, and why.
    Denied(Option<String>, Option<String>),
    /// Nobody answered in time.
    Expired,
    /// It waits for an answer: what it is called, for the person who answers.
    Waiting(String),
    /// It cannot be asked: why.
    Failed(String),
}
