//! What is to be said when all was read, or reading broke off.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use sha2::{Digest as _, Sha256};

use super::Options;
use super::chain::Chain;
use super::kept::{self, From};
use super::remarks::Before;
use super::report::{Code, Notice, Problem, Remark, Report};
use super::trust::Wrong;
use crate::journal::checkpoint::Checkpoint;
use crate::journal::files::{SegmentFile, name, segment_files};
use crate::journal::record::{Hash, Hex};

/// The report.
pub(super) fn report(
    mut chain: Chain<'_>,
    options: &Options,
    journal: &Path,
    files: &[SegmentFile],
    problem: Option<Problem>,
) -> Report {
    chain.sessions.finish();
    let mut notices = Vec::new();
    let first = files.first().map(SegmentFile::name).unwrap_or_default();
    // What is at the end is only looked at if reading came there.
    let problem = problem.or_else(|| end(&mut chain, options, journal, &first));
    if problem.is_none() && files.last().is_some_and(|last| last.number.is_some()) {
        let message = "the file that is written is not there: it was removed, or a crash came between two segments";
        notices.push(notice(Remark::NoActiveFile, None, 1, message.into()));
    }
    for (code, message) in std::mem::take(&mut chain.unused) {
        notices.push(notice(code, None, 1, message));
    }
    let signed = chain.trust.signed;
    let attested = if options.trust.is_empty() { signed } else { chain.trust.attested };
    // Where reading broke off, the signatures may still have been to come.
    if problem.is_none() {
        unchecked(&chain, options, attested, &mut notices);
    }
    remarks(&chain, &mut notices);
    Report {
        journal: chain.journal,
        file: name(journal),
        problem,
        records: chain.tree.size(),
        head: chain.journal.map(|journal| Checkpoint::new(journal, &chain.tree)),
        last: chain.last(),
        segments: chain.segments,
        sessions: chain.sessions.begun,
        signed: signed.is_some(),
        trusted: chain.trust.attested.is_some(),
        attested: attested.unwrap_or(0),
        notices,
    }
}

fn notice(code: Remark, seq: Option<u64>, count: u64, message: String) -> Notice {
    Notice { code, file: None, line: None, seq, count, message }
}

/// What is wrong at the end: too few records, no signature where there should be one.
fn end(chain: &mut Chain<'_>, options: &Options, journal: &Path, first: &str) -> Option<Problem> {
    let records = chain.tree.size();
    let problem = |file: &str, line, seq, (code, message): Wrong| {
        Some(Problem { code, file: file.to_owned(), line, seq, message })
    };
    let file = name(journal);
    let short = chain.hold_against(|kept| {
        let size = kept.checkpoint.size;
        let message = || format!("{} is over {size} records, and the journal ends after {records}", kept.name());
        (size > records).then(|| (Code::Truncated, message()))
    });
    if let Err(wrong) = short {
        return problem(&file, None, Some(records), wrong);
    }
    for kept in std::mem::take(&mut chain.kept) {
        match (chain.trust.kept(&kept), kept.from) {
            (Ok(true), _) => {}
            (Ok(false), From::Given) => {
                let message = format!("{} is signed by no known key: give its key with `--trust`", kept.name());
                if !options.trust.is_empty() {
                    return problem(&file, None, None, (Code::UnknownSigner, message));
                }
                // Whoever gave it knows where it is from: its size and root were compared.
                chain.unused.push((Remark::UntrustedSigner, message));
            }
            (Err(wrong), From::Given) => return problem(&file, None, None, wrong),
            (Ok(false), From::Beside) => chain.unused.push(kept::by_nobody()),
            (Err((_, why)), From::Beside) => chain.unused.push(kept::unusable(&why)),
        }
    }
    if let Some(least) = options.expect_at_least.filter(|least| *least > records) {
        let message = format!("at least {least} records are expected, and the journal ends after {records}");
        return problem(&file, None, Some(records), (Code::Truncated, message));
    }
    if let Err(wrong) = chain.trust.finish() {
        return problem(first, Some(1), Some(0), wrong);
    }
    chain.remarks.before.iter().find_map(|before| match as_it_was(journal, before) {
        Some(false) => {
            let message = "the files of this journal are not those that the journal says it continues".into();
            problem(&before.file, None, None, (Code::Edited, message))
        }
        _ => None,
    })
}

/// Whether the files that a journal continues are as they were; `None` if none of them is there.
fn as_it_was(journal: &Path, before: &Before) -> Option<bool> {
    // The name is the journal's: it must not lead elsewhere.
    if Path::new(&before.file).file_name().is_none_or(|name| name != before.file.as_str()) {
        return None;
    }
    let files = segment_files(&journal.with_file_name(whole(&before.file))).ok()?;
    let found: Vec<_> = files.iter().filter_map(|file| std::fs::metadata(&file.path).ok()).collect();
    if found.is_empty() {
        return None;
    }
    let bytes = found.iter().map(std::fs::Metadata::len).fold(0, u64::saturating_add);
    let same = found.iter().all(std::fs::Metadata::is_file) && bytes == before.bytes;
    Some(same && sha256(&files).ok()? == before.sha256)
}

/// The name of the journal that has this file: without the number of a segment.
fn whole(file: &str) -> &str {
    match file.rsplit_once('.') {
        Some((journal, number)) if number.parse::<u64>().is_ok_and(|value| value.to_string() == number) => journal,
        _ => file,
    }
}

/// The SHA-256 of files, one after the other.
pub(in crate::journal) fn sha256(files: &[SegmentFile]) -> io::Result<Hash> {
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 1 << 16];
    for file in files {
        let mut file = File::open(&file.path)?;
        loop {
            match file.read(&mut buffer) {
                Ok(0) => break,
                Ok(read) => hasher.update(buffer.get(..read).unwrap_or_default()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
    Ok(Hex(hasher.finalize().into()))
}

/// What could not be checked.
fn unchecked(chain: &Chain<'_>, options: &Options, attested: Option<u64>, notices: &mut Vec<Notice>) {
    let records = chain.tree.size();
    let mut say = |code, seq, count, message: String| notices.push(notice(code, seq, count, message));
    match chain.trust.signed {
        None => {
            let message = "nothing is signed: whoever can write the file could have made it anew";
            say(Remark::Unsigned, None, records, message.into());
        }
        Some(_) if options.trust.is_empty() => {
            let message = "no key was given with `--trust`: the journal's own keys vouch for it";
            say(Remark::NoTrustedKey, None, 1, message.into());
        }
        Some(_) => {}
    }
    if options.checkpoint.is_none() && options.expect_at_least.is_none() {
        let message = "no checkpoint kept elsewhere was given: records removed at the end cannot be seen";
        say(Remark::NoCheckpoint, None, 1, message.into());
    }
    // A checkpoint stands after the records that it is over; it speaks for itself.
    let tail = records.saturating_sub(attested.unwrap_or(0));
    if let Some(attested) = attested.filter(|_| tail > u64::from(chain.ends_in_checkpoint)) {
        let message = format!("{tail} records after the last checkpoint, from record {attested} on, are not attested");
        say(Remark::TailNotAttested, Some(attested), tail, message);
    }
}

/// What the journal says of its own history.
fn remarks(chain: &Chain<'_>, notices: &mut Vec<Notice>) {
    let mut say = |code, seq, count, message: String| notices.push(notice(code, seq, count, message));
    if let Some(stranger) = chain.trust.stranger {
        let count = chain.trust.untrusted;
        let message = format!("{count} checkpoints are signed by keys that were not given, such as `{stranger}`");
        say(Remark::UntrustedSigner, None, count, message);
    }
    let seen = &chain.remarks;
    if seen.gaps.count > 0 {
        let count = seen.gaps.count;
        say(Remark::Gap, seen.gaps.first, count, format!("{count} records could not be written"));
    }
    if seen.recovered.count > 0 {
        let count = seen.recovered.count;
        let message = format!("{count} times a line that a crash cut off was moved away");
        say(Remark::Recovered, seen.recovered.first, count, message);
    }
    for before in &seen.before {
        say(Remark::Reanchored, Some(before.seq), 1, before.message.clone());
    }
    let sessions = &chain.sessions;
    if sessions.unfinished.count > 0 {
        let count = sessions.unfinished.count;
        let message = format!("{count} calls were let run, and no outcome is recorded");
        say(Remark::Unfinished, sessions.unfinished.first, count, message);
    }
    if sessions.broken.count > 0 {
        let count = sessions.broken.count;
        let message = format!("{count} records do not fit into their sessions");
        say(Remark::BrokenSession, sessions.broken.first, count, message);
    }
    if sessions.too_many {
        let message = "more sessions or calls are open at once than are followed: outcomes may be missing unseen";
        say(Remark::TooManyOpen, None, 1, message.into());
    }
    if let Some((file, line)) = &seen.torn {
        let message = "the last line has no newline: its write was cut off, and it is not counted".into();
        notices.push(Notice {
            code: Remark::TornTail,
            file: Some(file.clone()),
            line: Some(*line),
            seq: None,
            count: 1,
            message,
        });
    }
}
