//! Record after record: each continues the one before.

use std::ops::ControlFlow;

use super::Options;
use super::classify::{Break, Place};
use super::facts::{Brief, Detail, Fact, Link};
use super::kept::{self, From, Kept};
use super::remarks::Remarks;
use super::report::{Code, Problem, Remark};
use super::sessions::Sessions;
use super::stream::{Batch, Then};
use super::trust::{Trust, Wrong};
use crate::journal::checkpoint::origin;
use crate::journal::files::SegmentFile;
use crate::journal::record::{self, Body, Genesis, Hash, Id, NO_HASH, Record};
use crate::journal::scan::Flaw;
use crate::journal::tip::continues;
use crate::journal::tree::{self, Frontier};

/// Why reading breaks off.
#[derive(Debug)]
pub(super) enum Stop {
    /// A problem.
    Problem(Problem),
    /// A record that does not continue the one before. What that is depends on others.
    Break(Box<Break>),
}

/// What is known after some records.
#[derive(Debug)]
pub(super) struct Chain<'o> {
    options: &'o Options,
    files: &'o [SegmentFile],
    /// The name that the journal should have.
    base: String,
    pub(super) journal: Option<Id>,
    /// The last record.
    last: Option<(Link, Place)>,
    /// Whether it is a checkpoint.
    pub(super) ends_in_checkpoint: bool,
    /// The file that is read, and how many of its lines were.
    at: Place,
    /// How many files were begun.
    pub(super) segments: u64,
    pub(super) tree: Frontier,
    pub(super) trust: Trust<'o>,
    pub(super) kept: Vec<Kept>,
    /// Checkpoints beside the journal that do not count, and why.
    pub(super) unused: Vec<(Remark, String)>,
    pub(super) sessions: Sessions,
    pub(super) remarks: Remarks,
}

impl<'o> Chain<'o> {
    pub(super) fn new(options: &'o Options, files: &'o [SegmentFile], name: &str, kept: Vec<Kept>) -> Self {
        Self {
            options,
            files,
            base: options.as_name.clone().unwrap_or_else(|| name.to_owned()),
            journal: None,
            last: None,
            ends_in_checkpoint: false,
            at: Place { file: 0, line: 0 },
            segments: 0,
            tree: Frontier::default(),
            trust: Trust::new(options),
            kept,
            unused: Vec::new(),
            sessions: Sessions::default(),
            remarks: Remarks::default(),
        }
    }

    /// Takes the next lines.
    pub(super) fn batch(&mut self, batch: &Batch) -> ControlFlow<Stop> {
        if batch.file != self.at.file {
            self.at = Place { file: batch.file, line: 0 };
        }
        for fact in &batch.facts {
            self.at.line = self.at.line.saturating_add(1);
            if let Err(stop) = self.fact(fact, &batch.block) {
                return ControlFlow::Break(stop);
            }
        }
        match self.end(batch.then) {
            Ok(()) => ControlFlow::Continue(()),
            Err(stop) => ControlFlow::Break(stop),
        }
    }

    /// What comes after whole lines.
    fn end(&mut self, then: Then) -> Result<(), Stop> {
        let after = self.at.line.saturating_add(1);
        let problem = |code, message: &str| self.problem(code, Some(after), None, message.to_owned());
        match then {
            Then::More => {}
            Then::TooLong => return Err(problem(Code::NotCanonical, &Flaw::TooLong.to_string())),
            Then::End | Then::Torn if self.at.line == 0 => {
                return Err(problem(Code::Truncated, "the file holds no record"));
            }
            Then::Torn if self.at.file.saturating_add(1) < self.files.len() => {
                return Err(problem(Code::Truncated, "the last line is cut off, and another file follows"));
            }
            Then::Torn => self.remarks.torn = Some((self.file().name(), after)),
            Then::End => {}
        }
        Ok(())
    }

    fn file(&self) -> &'o SegmentFile {
        // A batch is of one of the files.
        static NONE: SegmentFile = SegmentFile { path: std::path::PathBuf::new(), number: None };
        self.files.get(self.at.file).unwrap_or(&NONE)
    }

    fn problem(&self, code: Code, line: Option<u64>, seq: Option<u64>, message: String) -> Stop {
        Stop::Problem(Problem { code, file: self.file().name(), line, seq, message })
    }

    fn fact(&mut self, fact: &Fact, block: &[u8]) -> Result<(), Stop> {
        let brief = fact.brief.as_ref().map_err(|flaw| {
            let code = if matches!(flaw, Flaw::Glued { .. }) { Code::Glued } else { Code::NotCanonical };
            self.problem(code, Some(self.at.line), None, flaw.to_string())
        })?;
        let Brief { link, session, detail } = brief;
        let line = Some(self.at.line);
        let here = |chain: &Self, (code, message): Wrong| chain.problem(code, line, Some(link.seq), message);
        if !fact.intact {
            return Err(here(self, (Code::Edited, Flaw::Edited.to_string())));
        }
        let linked =
            (link.seq, link.prev) == self.expected() && self.journal.is_none_or(|journal| journal == link.journal);
        if let (1, Detail::Whole(record)) = (self.at.line, detail)
            && let Body::Genesis(genesis) = &record.body
            && self.journal.is_none_or(|journal| journal == link.journal)
        {
            self.genesis(genesis, link, linked)?;
        }
        if !linked {
            return Err(Stop::Break(Box::new(Break { found: *link, at: self.at, before: self.last })));
        }
        self.whole_or_session(link, detail).map_err(|wrong| here(self, wrong))?;
        self.tree.append(tree::leaf(&link.hash.0));
        self.last = Some((*link, self.at));
        self.compare_kept().map_err(|wrong| here(self, wrong))?;
        if let Some(name) =
            session.clone().and_then(|span| block.get(span)).and_then(|name| std::str::from_utf8(name).ok())
        {
            self.sessions.record(name, link.seq, detail);
        }
        Ok(())
    }

    /// The last record that holds.
    pub(super) fn last(&self) -> Option<record::Place> {
        self.last.map(|(link, _)| record::Place { hash: link.hash, seq: link.seq })
    }

    /// The `seq` and `prev` that the next record should have.
    fn expected(&self) -> (u64, Hash) {
        self.last.map_or((0, NO_HASH), |(link, _)| (link.seq.saturating_add(1), link.hash))
    }

    /// The first record of a file: has the file its name, and is it the one that comes next?
    fn genesis(&mut self, genesis: &Genesis<'_>, link: &Link, linked: bool) -> Result<(), Stop> {
        let rotated = format!("{}.{}", genesis.file, genesis.segment.saturating_add(1));
        let number = self.file().number;
        let actual = number.map_or_else(|| self.base.clone(), |number| format!("{}.{number}", self.base));
        if !(actual == rotated || number.is_none() && actual == genesis.file) {
            let message = format!("the file was made as `{}`, segment {}", genesis.file, genesis.segment);
            return Err(self.problem(Code::Renamed, Some(1), Some(link.seq), message));
        }
        if !linked && genesis.segment > self.segments {
            let (first, _) = self.expected();
            let last = link.seq.saturating_sub(1);
            let message = format!("the segments before this one are missing, with records {first} to {last}");
            let missing = format!("{}.{}", self.base, self.segments.saturating_add(1));
            return Err(Stop::Problem(Problem {
                code: Code::MissingSegment,
                file: missing,
                line: None,
                seq: Some(first),
                message,
            }));
        }
        Ok(())
    }

    fn whole_or_session(&mut self, link: &Link, detail: &Detail) -> Result<(), Wrong> {
        let first = self.at.line == 1;
        let is_genesis = matches!(detail, Detail::Whole(record) if matches!(record.body, Body::Genesis(_)));
        if first != is_genesis {
            return Err(if first {
                (Code::Removed, "the file does not begin with a `genesis` record".into())
            } else {
                (Code::Inserted, "a `genesis` record is not the first of its file".into())
            });
        }
        self.ends_in_checkpoint = false;
        match detail {
            Detail::Start { contract, .. } if self.options.contract.is_some_and(|given| Some(given) != *contract) => {
                Err((Code::WrongContract, "the session uses another contract than the one that was given".into()))
            }
            Detail::Whole(record) => self.whole(link, record),
            _ => Ok(()),
        }
    }

    /// A record about the journal itself.
    fn whole(&mut self, link: &Link, record: &Record) -> Result<(), Wrong> {
        let Link { journal, seq, prev, .. } = *link;
        match &record.body {
            Body::Genesis(genesis) => {
                let (records, last) = self.expected();
                if !continues(genesis, self.segments, records, last) {
                    let message = "the file says that it continues another than the one before";
                    return Err((Code::Foreign, message.into()));
                }
                self.segments = self.segments.saturating_add(1);
                if self.journal.is_some() {
                    return self.trust.go_on(genesis.key);
                }
                self.journal = Some(journal);
                self.trust.begin(genesis.key)?;
                self.hold_against(|kept| {
                    let other = &kept.checkpoint.origin;
                    let message = || format!("{} is of `{other}`, another journal", kept.name());
                    (*other != origin(journal)).then(|| (Code::Foreign, message()))
                })
            }
            Body::Contract(contract) if crate::value::sha256(contract.source.as_bytes()) != contract.sha256.0 => {
                Err((Code::WrongContract, "the text of the contract is not that of its hash".into()))
            }
            Body::Checkpoint(checkpoint) => {
                self.ends_in_checkpoint = true;
                self.trust.checkpoint(journal, &checkpoint.note, &self.tree)
            }
            Body::KeyChange(change) => self.trust.change(journal, seq, prev, change),
            Body::Reanchor(reanchor) => {
                let signed = self.trust.reanchor(journal, seq, prev, reanchor)?;
                self.remarks.reanchored(seq, reanchor, signed);
                Ok(())
            }
            Body::Gap(gap) => {
                self.remarks.gaps.add(seq, gap.missing);
                Ok(())
            }
            Body::Recovery(_) => {
                self.remarks.recovered.add(seq, 1);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn compare_kept(&mut self) -> Result<(), Wrong> {
        let size = self.tree.size();
        if self.kept.iter().all(|kept| kept.checkpoint.size != size) {
            return Ok(());
        }
        let root = self.tree.root();
        self.hold_against(|kept| {
            let message = || format!("the first {size} records are not those of {}", kept.name());
            let differs = kept.checkpoint.size == size && kept.checkpoint.root != root;
            differs.then(|| (Code::BadCheckpoint, message()))
        })
    }

    /// Holds the journal against the checkpoints kept elsewhere. One beside it that no key known by now signed does not count.
    pub(super) fn hold_against(&mut self, wrong: impl Fn(&Kept) -> Option<Wrong>) -> Result<(), Wrong> {
        for kept in std::mem::take(&mut self.kept) {
            match (wrong(&kept), kept.from) {
                (None, _) => self.kept.push(kept),
                (Some(wrong), From::Given) => return Err(wrong),
                (Some(wrong), From::Beside) => match self.trust.known(&kept) {
                    Ok(Some(_)) => return Err(wrong),
                    Ok(None) => self.unused.push(kept::by_nobody()),
                    Err((_, why)) => self.unused.push(kept::unusable(&why)),
                },
            }
        }
        Ok(())
    }
}
