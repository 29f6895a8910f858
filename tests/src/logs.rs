//! Two logs with which runtime monitors are compared, made anew: "access" and "file" of Havelund, Peled, Ulus, *First-order
//! temporal logic monitoring with BDDs* (FMCAD 2017), which are public with DejaVu. The sequence of events is theirs; each
//! event is a call here. All is well up to the last event, which violates.

use serde_json::{Value, json};

/// A log: tools and arguments, in order. The last event is the first that violates.
pub type Log = Vec<(&'static str, Value)>;

/// Users log in and files are opened, `size` of each; one in 25 of the users accesses a file and is logged out. At last a user
/// who is logged out accesses a file that is open.
///
/// *An access needs the user logged in and the file open.* The public logs have the sizes 5,000 and 50,000.
#[must_use]
pub fn access(size: usize) -> Log {
    let some = || (size - size / 25)..=size;
    let mut log = Log::new();
    log.extend((1..=size).map(|user| ("login", user_of(user))));
    log.extend((1..=size).map(|file| ("open", file_of(file))));
    log.extend(some().rev().map(|user| ("access", access_of(user, 1))));
    log.extend(some().rev().map(|file| ("close", file_of(file))));
    log.extend(some().map(|file| ("open", file_of(file))));
    log.extend(some().rev().map(|user| ("logout", user_of(user))));
    log.extend(some().rev().map(|file| ("close", file_of(file))));
    log.push(("access", access_of(size, 1)));
    log
}

/// Files are opened, `size` of them; one in 8 is closed, opened to write and closed. At last a file is closed once more.
///
/// *A file is closed only if it was opened before, and not closed since.* The public logs have the sizes 8,000 and 80,000.
#[must_use]
pub fn file(size: usize) -> Log {
    let some = || (size - size / 8)..=size;
    let open = |file: usize, mode: &str| ("open", json!({"file": file.to_string(), "mode": mode}));
    let mut log = Log::new();
    log.extend((1..=size).map(|file| open(file, "read")));
    log.extend(some().rev().map(|file| ("close", file_of(file))));
    log.extend(some().map(|file| open(file, "write")));
    log.extend(some().rev().map(|file| ("close", file_of(file))));
    log.push(("close", file_of(size)));
    log
}

fn user_of(user: usize) -> Value {
    json!({"user": user.to_string()})
}

fn file_of(file: usize) -> Value {
    json!({"file": file.to_string()})
}

fn access_of(user: usize, file: usize) -> Value {
    json!({"user": user.to_string(), "file": file.to_string()})
}
