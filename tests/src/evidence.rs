//! Journals in a folder of their own, and what sessions write to them.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use contract_lang::mir::Contract;
use contract_runtime::journal::record::Sync;
use contract_runtime::journal::{Hex, Journal, Options, Secret};
use contract_runtime::{Monitor, Time};

use crate::differential::Host;
use crate::generate::Step;

/// A folder that is removed when this goes.
#[derive(Debug)]
pub struct Folder(PathBuf);

impl Folder {
    /// A new one.
    ///
    /// # Panics
    /// If it cannot be made.
    #[must_use]
    #[expect(clippy::new_without_default, reason = "it makes a folder")]
    pub fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let name = format!("interlock-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    /// Its path.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Its journal, which is the same whenever the same is written to it.
    #[must_use]
    pub fn journal(&self) -> Options {
        let options = Journal::at(self.0.join("journal.jsonl")).id(Hex([7; 8])).secret(Secret::from_bytes(&[9; 32]));
        options.clock(|| Time::EPOCH).sync(Sync::Never)
    }

    /// What is in all its files, and their names.
    ///
    /// # Panics
    /// If one cannot be read.
    #[must_use]
    pub fn contents(&self) -> Vec<(String, String)> {
        let files = std::fs::read_dir(&self.0).unwrap();
        let read = |entry: std::io::Result<std::fs::DirEntry>| {
            let path = entry.unwrap().path();
            let bytes = std::fs::read(&path).unwrap();
            (path.display().to_string(), String::from_utf8_lossy(&bytes).into_owned())
        };
        let mut contents: Vec<_> = files.map(read).collect();
        contents.sort();
        contents
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// What a session writes about a trace, with all that is said captured; `None` if it does not start.
///
/// # Panics
/// If it cannot be written or read.
#[must_use]
pub fn journal_of(monitor: impl Monitor, contract: &Contract, trace: &[Step]) -> Option<String> {
    let folder = Folder::new();
    let journal = folder.journal().capture_content().create().unwrap();
    let mut host = Host::recorded(contract, monitor, trace, journal.clone()).ok()?;
    for step in trace {
        let _ = host.take(step);
    }
    assert_eq!(host.session.end().unrecorded, 0);
    drop(host);
    journal.close().unwrap();
    Some(std::fs::read_to_string(journal.path()).unwrap())
}
