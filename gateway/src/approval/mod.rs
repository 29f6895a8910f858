//! Approvals by a person who is not at the client: requests and answers as files in a folder.
//!
//! A guard writes a [`Request`] for each call that a person has to approve; the person looks at it and writes an [`Answer`]; the
//! guard takes that up when the agent makes the call again. `docs/approvals.md` says who may answer, and what keeps others from
//! it.
//!
//! INVARIANT: an answer is for one request of one session, which the guard knows without looking at the folder: whoever changes
//! a request only makes it unanswerable. An answer is taken once, by the guard that asked, and in time; where approvers have keys,
//! one that none of them signed counts for nothing. What lies in the folder is read as what strangers wrote.

mod answer;
mod desk;
mod file;
mod folder;
mod problem;
mod request;
#[cfg(test)]
mod tests;

pub use self::answer::Answer;
pub use self::desk::FolderDesk;
pub use self::folder::{Folder, Waiting};
pub use self::problem::Problem;
pub use self::request::Request;
