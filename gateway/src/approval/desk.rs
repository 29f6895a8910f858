//! Asks in a folder.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use contract_runtime::journal::canonical;
use contract_runtime::value::sha256;
use contract_runtime::{Clock, Time};
use serde_json::json;

use super::folder::Folder;
use super::request::Request;
use crate::mcp::{Desk, Sought, Standing};

/// Most calls of a session that wait for a person.
const MOST: usize = 64;

/// A desk of one session that asks in a folder. What it asked is known here, whatever becomes of the files.
pub struct FolderDesk {
    folder: Arc<Folder>,
    clock: Box<dyn Clock>,
    open: Mutex<BTreeMap<[u8; 32], Open>>,
}

/// A call that somebody was asked about.
struct Open {
    name: String,
    digest: String,
    expires: Time,
    /// A no holds as long as the question would have waited: asking again does not wear anybody down.
    no: Option<(Option<String>, Option<String>)>,
}

impl fmt::Debug for FolderDesk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FolderDesk").field("folder", &self.folder).finish_non_exhaustive()
    }
}

impl FolderDesk {
    /// A desk of one session. Sessions may share a folder, but not a desk.
    #[must_use]
    pub fn new(folder: Arc<Folder>, clock: impl Clock + 'static) -> Self {
        Self { folder, clock: Box::new(clock), open: Mutex::new(BTreeMap::new()) }
    }
}

impl Desk for FolderDesk {
    fn ask(&self, sought: &Sought<'_>) -> Standing {
        let now = self.clock.now();
        let call = binding(sought);
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(asked) = open.get_mut(&call) {
            if let Some((by, reason)) = asked.no.clone().filter(|_| now <= asked.expires) {
                return Standing::Denied(by, reason);
            }
            if asked.no.is_none() {
                let answer = match self.folder.take(&asked.name, &asked.digest) {
                    Err(problem) if now <= asked.expires => return Standing::Failed(problem.to_string()),
                    answer => answer.ok().flatten(),
                };
                if now > asked.expires {
                    self.folder.clear(&asked.name);
                    open.remove(&call);
                    return Standing::Expired;
                }
                match answer {
                    None => return Standing::Waiting(asked.name.clone()),
                    Some(answer) if answer.is_approved => {
                        self.folder.clear(&asked.name);
                        open.remove(&call);
                        return Standing::Granted(answer.by);
                    }
                    Some(answer) => {
                        self.folder.clear(&asked.name);
                        asked.no = Some((answer.by.clone(), answer.reason.clone()));
                        return Standing::Denied(answer.by, answer.reason);
                    }
                }
            }
        }
        open.retain(|_, asked| {
            let is_over = asked.expires < now;
            if is_over {
                self.folder.clear(&asked.name);
            }
            !is_over
        });
        if open.len() >= MOST {
            return Standing::Failed("too many calls of this session wait for a person".to_owned());
        }
        let (request, bytes) = Request::new(sought, now, &self.folder.approvers());
        if let Err(problem) = self.folder.put(&request, &bytes) {
            return Standing::Failed(problem.to_string());
        }
        let Request { name, digest, expires, .. } = request;
        open.insert(call, Open { name: name.clone(), digest, expires, no: None });
        Standing::Waiting(name)
    }

    fn is_sole(&self) -> bool {
        self.folder.is_keyed()
    }
}

impl Drop for FolderDesk {
    fn drop(&mut self) {
        // Nobody takes the answers any more.
        let open = self.open.get_mut().unwrap_or_else(PoisonError::into_inner);
        open.values().for_each(|asked| self.folder.clear(&asked.name));
    }
}

/// What makes two calls the same: the session, the contract, and all that would run.
fn binding(sought: &Sought<'_>) -> [u8; 32] {
    let call = sought.request;
    let all = json!([sought.session, sought.contract, call.server(), call.agent(), call.tool(), call.args()]);
    let mut bytes = Vec::new();
    canonical::write(&mut bytes, &all);
    sha256(&bytes)
}
