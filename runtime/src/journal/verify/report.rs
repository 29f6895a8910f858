//! What a verification comes to.

use serde_json::{Map, Value, json};

use crate::journal::checkpoint::Checkpoint;
use crate::journal::record::{Id, Place};

/// Declares an enum with a word for each variant.
macro_rules! codes {
    ($(#[$meta:meta])* pub enum $name:ident { $($(#[doc = $about:literal])* $variant:ident = $word:literal,)+ }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name { $($(#[doc = $about])* $variant,)+ }

        impl $name {
            /// All of them, each with what it means.
            pub const ALL: &'static [(Self, &'static str)] = &[$((Self::$variant, concat!($($about),*)),)+];

            /// Its word.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word,)+ }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }
    };
}

codes! {
    /// Why a journal does not hold.
    pub enum Code {
        /// A record is not what its hash, or the `prev` of the next record, was made of.
        Edited = "edited",
        /// Records are missing between two others.
        Removed = "removed",
        /// A record stands before one that it came after.
        Reordered = "reordered",
        /// A record continues nothing that is there, and the chain goes on without it.
        Inserted = "inserted",
        /// A record is there twice.
        Duplicated = "duplicated",
        /// Two records continue the same one: two writers at once, or a record that was put in.
        Forked = "forked",
        /// Two records are on one line.
        Glued = "glued",
        /// The journal is shorter than a checkpoint, a later segment or `--expect-at-least` says.
        Truncated = "truncated",
        /// A key signs that is not the one that has to, or no trusted key does.
        WrongKey = "wrong-key",
        /// A checkpoint is signed by a key that the journal never introduced.
        UnknownSigner = "unknown-signer",
        /// A signature is not of the key that it names.
        BadSignature = "bad-signature",
        /// A session used another contract than the one given, or a contract's text is not that of its hash.
        WrongContract = "wrong-contract",
        /// A line is not the canonical JSON of a record.
        NotCanonical = "not-canonical",
        /// A record, or the checkpoint, is of another journal, or a file says that it continues another than the one before.
        Foreign = "foreign",
        /// The file has another name than the one that it was made with.
        Renamed = "renamed",
        /// A rotated file is missing.
        MissingSegment = "missing-segment",
        /// A checkpoint's size or root is not that of the records, or a witness did not sign any.
        BadCheckpoint = "bad-checkpoint",
    }
}

codes! {
    /// What does not speak against a journal, but has to be known.
    pub enum Remark {
        /// The last line has no newline: its write was cut off. It is not counted.
        TornTail = "torn-tail",
        /// The file that is written is not there, only rotated ones.
        NoActiveFile = "no-active-file",
        /// Nothing is signed: whoever can write the file can make it anew.
        Unsigned = "unsigned",
        /// No key was given: the journal's own keys vouch for it.
        NoTrustedKey = "no-trusted-key",
        /// No checkpoint kept elsewhere was given: records removed at the end cannot be seen.
        NoCheckpoint = "no-checkpoint",
        /// Records after the last checkpoint are not attested.
        TailNotAttested = "tail-not-attested",
        /// Checkpoints are signed by a key that is not among those given.
        UntrustedSigner = "untrusted-signer",
        /// The file `<journal>.checkpoint` cannot be used.
        UnusableCheckpoint = "unusable-checkpoint",
        /// Records are missing because they could not be written; the journal says so itself.
        Gap = "gap",
        /// A line that a crash cut off was moved away.
        Recovered = "recovered",
        /// The journal continues after one that did not verify.
        Reanchored = "reanchored",
        /// Calls were let run, and no outcome is recorded.
        Unfinished = "unfinished",
        /// The records of a session do not fit together.
        BrokenSession = "broken-session",
        /// More sessions or calls are open at once than are followed.
        TooManyOpen = "too-many-open",
    }
}

/// What is wrong with a journal, first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// What it is.
    pub code: Code,
    /// The name of the file.
    pub file: String,
    /// The first bad line, from 1.
    pub line: Option<u64>,
    /// The number of the record, as it says itself, or of the first one that is missing.
    pub seq: Option<u64>,
    /// In words. It may quote the journal: escape it before it is shown.
    pub message: String,
}

/// What has to be known besides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// What it is.
    pub code: Remark,
    /// The name of the file, where it is about one place.
    pub file: Option<String>,
    /// The line there.
    pub line: Option<u64>,
    /// The record there.
    pub seq: Option<u64>,
    /// How many things it is about: records, calls, checkpoints.
    pub count: u64,
    /// In words. It may quote the journal: escape it before it is shown.
    pub message: String,
}

/// What a verification came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// The journal's id.
    pub journal: Option<Id>,
    /// The name of its file.
    pub file: String,
    /// The first thing that is wrong; `None` if the journal holds.
    pub problem: Option<Problem>,
    /// How many records hold: all, or those before the problem.
    pub records: u64,
    /// The root of their tree, unsigned: what a checkpoint of them says.
    pub head: Option<Checkpoint>,
    /// The last of these.
    pub last: Option<Place>,
    /// In how many files.
    pub segments: u64,
    /// How many sessions began in them.
    pub sessions: u64,
    /// Whether there is a checkpoint with a valid signature.
    pub signed: bool,
    /// Whether one is by a key that was given, or that such a key named.
    pub trusted: bool,
    /// How many records, from the first, are under the last such checkpoint; where no key was given, the last signed one.
    pub attested: u64,
    /// What has to be known besides.
    pub notices: Vec<Notice>,
}

impl Report {
    /// Whether nothing is wrong.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.problem.is_none()
    }

    /// The notice with this code.
    #[must_use]
    pub fn notice(&self, code: Remark) -> Option<&Notice> {
        self.notices.iter().find(|notice| notice.code == code)
    }

    /// The report as `verify --format json` prints it.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let problem = self.problem.as_ref();
        let notice = |notice: &Notice| {
            let mut out = Map::new();
            out.insert("code".into(), notice.code.as_str().into());
            out.insert("count".into(), notice.count.into());
            out.insert("message".into(), notice.message.as_str().into());
            for (name, value) in [("line", notice.line), ("seq", notice.seq)] {
                out.extend(value.map(|value| (name.to_owned(), value.into())));
            }
            out.extend(notice.file.as_deref().map(|file| ("file".to_owned(), file.into())));
            Value::Object(out)
        };
        json!({
            "journal": self.journal.map(|id| id.to_string()),
            "file": problem.map_or(self.file.as_str(), |problem| &problem.file),
            "verdict": if self.holds() { "holds" } else { "broken" },
            "problem": problem.map(|problem| problem.code.as_str()),
            "line": problem.and_then(|problem| problem.line),
            "seq": problem.and_then(|problem| problem.seq),
            "message": problem.map(|problem| problem.message.as_str()),
            "records": self.records,
            "last": self.last.as_ref().map(|last| json!({"hash": last.hash.to_string(), "seq": last.seq})),
            "segments": self.segments,
            "sessions": self.sessions,
            "signed": self.signed,
            "trusted": self.trusted,
            "attested": self.attested,
            "notices": self.notices.iter().map(notice).collect::<Vec<_>>(),
        })
    }
}
