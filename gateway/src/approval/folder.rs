//! The folder in which requests wait.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use contract_runtime::journal::{Hex, PublicKey, SigningKey};
use contract_runtime::{Seed, Time};

use super::answer::{self, Answer};
use super::file::{self, Writer};
use super::problem::Problem;
use super::request::{self, Request};

/// Most files in a folder.
const MOST: usize = 4_096;

/// When a file counts as left behind by a guard that is gone.
const OLD: Duration = Duration::from_secs(24 * 60 * 60);

const REQUEST: &str = ".request.json";
const ANSWER: &str = ".answer.json";
const TAKEN: &str = ".taken";

/// A folder with requests and answers.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    approvers: Vec<PublicKey>,
}

/// What waits in a folder.
#[derive(Debug)]
pub struct Waiting {
    /// The requests, the oldest first.
    pub requests: Vec<Request>,
    /// What is no request although it is named like one: its name, and what is wrong with it.
    pub wrong: Vec<(String, Problem)>,
}

impl Folder {
    /// The folder of a guard; made if it is not there. Answers must be signed by one of the approvers. Without any, whoever can
    /// write to the folder can approve: it must then be this user's alone.
    ///
    /// # Errors
    /// If it cannot be made, is no folder, or is open to others although no approver has a key.
    pub fn create(path: impl Into<PathBuf>, approvers: Vec<PublicKey>) -> Result<Self, Problem> {
        let folder = Self { path: path.into(), approvers };
        let mut builder = fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&folder.path).map_err(|error| Problem::io("the folder of approvals cannot be made", &error))?;
        folder.check()?;
        folder.sweep();
        Ok(folder)
    }

    /// The folder of somebody who answers.
    ///
    /// # Errors
    /// If there is none.
    pub fn open(path: impl Into<PathBuf>) -> Result<Self, Problem> {
        let folder = Self { path: path.into(), approvers: Vec::new() };
        folder.metadata()?;
        Ok(folder)
    }

    fn metadata(&self) -> Result<fs::Metadata, Problem> {
        let metadata = fs::symlink_metadata(&self.path)
            .map_err(|error| Problem::io("the folder of approvals cannot be read", &error))?;
        if metadata.is_dir() {
            Ok(metadata)
        } else {
            Err(Problem::new("the folder of approvals is a link, or no folder"))
        }
    }

    fn check(&self) -> Result<(), Problem> {
        let metadata = self.metadata()?;
        #[cfg(unix)]
        if self.approvers.is_empty() {
            use std::os::unix::fs::MetadataExt as _;

            const HELP: &str = "run `chmod 700` on it, or give the approvers keys with `--approver`";
            if metadata.uid() != rustix::process::geteuid().as_raw() {
                return Err(Problem::new("the folder of approvals is another user's").help(HELP));
            }
            if metadata.mode() & 0o077 != 0 {
                let mode = metadata.mode() & 0o7777;
                let what = format!("others can use the folder of approvals (mode {mode:04o}), and could approve");
                return Err(Problem::new(what).help(HELP));
            }
        }
        #[cfg(not(unix))]
        let _ = metadata;
        Ok(())
    }

    /// Whether answers have to be signed.
    pub(super) fn is_keyed(&self) -> bool {
        !self.approvers.is_empty()
    }

    pub(super) fn approvers(&self) -> Vec<String> {
        self.approvers.iter().map(ToString::to_string).collect()
    }

    fn file(&self, name: &str, kind: &str) -> PathBuf {
        self.path.join(format!("{name}{kind}"))
    }

    /// Puts a request there.
    pub(super) fn put(&self, request: &Request, bytes: &[u8]) -> Result<(), Problem> {
        if u64::try_from(bytes.len()).map_or(true, |length| length > request::MOST) {
            return Err(Problem::new(format!(
                "the call has more than the {} bytes that a person is shown",
                request::MOST
            )));
        }
        self.check()?;
        if self.names()?.len() >= MOST {
            return Err(Problem::new("the folder of approvals is full"));
        }
        file::write_new(&self.file(&request.name, REQUEST), bytes, self.is_keyed())
            .map_err(|error| Problem::io("the request for approval cannot be written", &error))
    }

    /// Takes the answer to a request, which nobody else gets then. `None`: there is none so far.
    pub(super) fn take(&self, name: &str, digest: &str) -> Result<Option<Answer>, Problem> {
        let taken = self.path.join(format!(".{}{TAKEN}", Hex(Seed::random().0)));
        match fs::rename(self.file(name, ANSWER), &taken) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(Problem::io("the answer cannot be taken", &error)),
        }
        let writer = if self.is_keyed() { Writer::Anybody } else { Writer::Me };
        let read = file::read(&taken, answer::MOST, writer);
        remove(&taken);
        let refused = |problem: Problem| Problem::new(format!("an answer was refused: {problem}"));
        match read.map_err(refused)? {
            Some(bytes) => Answer::read(&bytes, digest, &self.approvers).map(Some).map_err(refused),
            None => Ok(None),
        }
    }

    /// Removes what is left of a request.
    pub(super) fn clear(&self, name: &str) {
        for kind in [REQUEST, ANSWER] {
            remove(&self.file(name, kind));
        }
    }

    /// Removes what guards left behind that are gone.
    fn sweep(&self) {
        let Ok(names) = self.names() else { return };
        for name in names {
            let path = self.path.join(&name);
            let is_ours = [REQUEST, ANSWER, TAKEN].iter().any(|kind| name.ends_with(kind));
            let since = |metadata: fs::Metadata| SystemTime::now().duration_since(metadata.modified().ok()?).ok();
            if is_ours && fs::symlink_metadata(&path).ok().and_then(since).is_some_and(|age| age > OLD) {
                remove(&path);
            }
        }
    }

    fn names(&self) -> Result<Vec<String>, Problem> {
        let failed = |error: io::Error| Problem::io("the folder of approvals cannot be read", &error);
        let entries = fs::read_dir(&self.path).map_err(failed)?.take(MOST);
        let names = entries.map(|entry| Ok(entry.map_err(failed)?.file_name().to_string_lossy().into_owned()));
        names.collect()
    }

    /// The requests that wait. Those that are too old or have an answer already are left out.
    ///
    /// # Errors
    /// If the folder cannot be read.
    pub fn waiting(&self, now: Time) -> Result<Waiting, Problem> {
        let (mut requests, mut wrong) = (Vec::new(), Vec::new());
        for file in self.names()? {
            let Some(name) = file.strip_suffix(REQUEST) else { continue };
            match self.read(name) {
                Ok(request) if request.expires < now || self.is_answered(name) => {}
                Ok(request) => requests.push(request),
                Err(problem) => wrong.push((file, problem)),
            }
        }
        requests.sort_by(|one: &Request, two| (one.since, &one.name).cmp(&(two.since, &two.name)));
        wrong.sort_by(|(one, _): &(String, _), (two, _)| one.cmp(two));
        Ok(Waiting { requests, wrong })
    }

    /// The request of a name.
    ///
    /// # Errors
    /// If there is none that can be answered.
    pub fn request(&self, name: &str, now: Time) -> Result<Request, Problem> {
        let request = self.read(name)?;
        if request.expires < now {
            return Err(Problem::new("the time to answer it is over"));
        }
        if self.is_answered(name) {
            return Err(Problem::new("it has an answer already"));
        }
        Ok(request)
    }

    fn read(&self, name: &str) -> Result<Request, Problem> {
        if !Request::is_name(name) {
            return Err(Problem::new("it is not named like a request, which has 16 hexadecimal digits"));
        }
        let bytes = file::read(&self.file(name, REQUEST), request::MOST, Writer::Anybody)?;
        let request = Request::read(&bytes.ok_or_else(|| Problem::new("there is no such request"))?)?;
        if request.name != name {
            return Err(Problem::new("it was changed: it does not have the digest that it is named by"));
        }
        Ok(request)
    }

    fn is_answered(&self, name: &str) -> bool {
        fs::symlink_metadata(self.file(name, ANSWER)).is_ok()
    }

    /// Leaves an answer for the guard that asks.
    ///
    /// # Errors
    /// If the request wants a key that this is not, has an answer already, or the answer cannot be written.
    pub fn answer(&self, request: &Request, answer: &Answer, key: Option<&SigningKey>) -> Result<(), Problem> {
        if !request.approvers.is_empty() {
            let key = key.map(|key| key.public().to_string());
            if !key.is_some_and(|key| request.approvers.contains(&key)) {
                let what = "only an approver can answer it, with the private key";
                return Err(Problem::new(what).help("give the key with `--key`"));
            }
        }
        let bytes = answer.to_file(key)?;
        let is_shared = !request.approvers.is_empty();
        match file::write_new(&self.file(&request.name, ANSWER), &bytes, is_shared) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(Problem::new("it has an answer already")),
            written => written.map_err(|error| Problem::io("the answer cannot be written", &error)),
        }
    }
}

fn remove(path: &Path) {
    // What cannot be removed is in nobody's way: it is taken once, and swept later.
    let _ = fs::remove_file(path);
}
