//! A disk in memory that loses power, dies, fills up and counts.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex};

use crate::journal::JournalError;
use crate::journal::medium::{Durability, Medium, Storage};
use crate::value::lcg::Lcg;

#[derive(Clone, Debug, Default)]
pub(super) struct Disk(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    files: Vec<File>,
    names: BTreeMap<String, usize>,
    /// What was done to names since they were synced.
    renamings: Vec<Renaming>,
    durable_names: BTreeMap<String, usize>,
    /// How many bytes can still be written.
    room: Option<usize>,
    /// How many operations are left until the process dies.
    life: Option<u64>,
    /// How much of a write the dying process did.
    last_write: u64,
    unsyncable: bool,
    uncuttable: bool,
    operations: u64,
    boots: u64,
    pub(super) read: u64,
    pub(super) written: u64,
}

#[derive(Clone, Debug, Default)]
struct File {
    bytes: Vec<u8>,
    durable: Vec<u8>,
    unsynced: Vec<Change>,
}

#[derive(Clone, Debug)]
enum Change {
    Write(usize, Vec<u8>),
    Cut(usize),
}

#[derive(Clone, Debug)]
enum Renaming {
    Set(String, usize),
    Move(String, String),
}

impl State {
    fn alive(&mut self) -> io::Result<()> {
        self.operations += 1;
        match &mut self.life {
            Some(0) => Err(io::Error::other("dead")),
            Some(left) => {
                *left -= 1;
                Ok(())
            }
            None => Ok(()),
        }
    }

    fn set(&mut self, name: &str, file: usize) {
        self.names.insert(name.to_owned(), file);
        self.renamings.push(Renaming::Set(name.to_owned(), file));
    }

    fn add(&mut self) -> usize {
        self.files.push(File::default());
        self.files.len() - 1
    }

    /// Writes as much as there is room for, and as a dying process gets done.
    fn write(&mut self, file: usize, bytes: &[u8]) -> io::Result<usize> {
        let dying = self.life == Some(0);
        if let Err(error) = self.alive() {
            if dying && self.last_write > 0 {
                let part = usize::try_from(self.last_write).unwrap() % bytes.len();
                self.last_write = 0;
                self.put(file, &bytes[..part]);
            }
            return Err(error);
        }
        let count = self.room.map_or(bytes.len(), |room| room.min(bytes.len()));
        if count == 0 && !bytes.is_empty() {
            return Err(io::ErrorKind::StorageFull.into());
        }
        if let Some(room) = &mut self.room {
            *room -= count;
        }
        self.put(file, &bytes[..count]);
        Ok(count)
    }

    fn put(&mut self, file: usize, bytes: &[u8]) {
        self.written += bytes.len() as u64;
        let file = &mut self.files[file];
        file.unsynced.push(Change::Write(file.bytes.len(), bytes.to_vec()));
        file.bytes.extend_from_slice(bytes);
    }
}

impl Disk {
    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.0.lock().unwrap()
    }

    /// Dies after so many operations, in the middle of a write if that is what comes next.
    pub(super) fn die_after(&self, operations: u64, seed: u64) {
        let mut state = self.state();
        (state.life, state.last_write) = (Some(operations), seed);
    }

    /// Another process takes over: everything that was written is there.
    pub(super) fn revive(&self) {
        let mut state = self.state();
        (state.life, state.room) = (None, None);
        (state.unsyncable, state.uncuttable) = (false, false);
    }

    /// The power is lost: of what was not synced, any part is gone.
    pub(super) fn lose_power(&self, random: &mut Lcg) {
        self.revive();
        let mut state = self.state();
        state.boots += 1;
        let kept = below(random, state.renamings.len() + 1);
        let renamings: Vec<_> = state.renamings.drain(..).take(kept).collect();
        let mut names = state.durable_names.clone();
        for renaming in renamings {
            match renaming {
                Renaming::Set(name, file) => {
                    names.insert(name, file);
                }
                Renaming::Move(from, to) => {
                    let file = names.remove(&from).unwrap();
                    names.insert(to, file);
                }
            }
        }
        for file in &mut state.files {
            // Nothing after some point is kept; before it, any writes are missing, but no cut is.
            let reached = below(random, file.unsynced.len() + 1);
            let mut bytes = file.durable.clone();
            for change in file.unsynced.drain(..).take(reached) {
                match change {
                    Change::Cut(length) => bytes.resize(length.min(bytes.len()), 0),
                    Change::Write(at, data) => {
                        let kept = match random.below(4) {
                            0 => 0,
                            1 => below(random, data.len() + 1),
                            _ => data.len(),
                        };
                        if kept > 0 {
                            bytes.resize(bytes.len().max(at + kept), 0);
                            bytes[at..at + kept].copy_from_slice(&data[..kept]);
                        }
                    }
                }
            }
            file.durable.clone_from(&bytes);
            file.bytes = bytes;
        }
        state.durable_names.clone_from(&names);
        state.names = names;
    }

    /// Lets only so many bytes more be written.
    pub(super) fn leave_room(&self, bytes: Option<usize>) {
        self.state().room = bytes;
    }

    pub(super) fn fail_syncs(&self) {
        self.state().unsyncable = true;
    }

    pub(super) fn fail_cuts(&self) {
        self.state().uncuttable = true;
    }

    pub(super) fn operations(&self) -> u64 {
        self.state().operations
    }

    /// How many bytes were read and written since this was last asked.
    pub(super) fn traffic(&self) -> (u64, u64) {
        let mut state = self.state();
        (std::mem::take(&mut state.read), std::mem::take(&mut state.written))
    }

    pub(super) fn content(&self, name: &str) -> Option<Vec<u8>> {
        let state = self.state();
        state.names.get(name).map(|file| state.files[*file].bytes.clone())
    }

    /// Puts a file there, as somebody else would.
    pub(super) fn plant(&self, name: &str, bytes: &[u8]) {
        let mut state = self.state();
        let file = state.add();
        state.files[file] = File { bytes: bytes.to_vec(), durable: bytes.to_vec(), unsynced: Vec::new() };
        state.set(name, file);
        state.durable_names.insert(name.to_owned(), file);
    }

    /// Changes a file that others have open.
    pub(super) fn overwrite(&self, name: &str, bytes: &[u8]) {
        let mut state = self.state();
        let file = state.names[name];
        state.files[file].bytes = bytes.to_vec();
    }

    pub(super) fn remove(&self, name: &str) {
        let mut state = self.state();
        state.names.remove(name);
        state.durable_names.remove(name);
    }

    pub(super) fn names(&self) -> Vec<String> {
        self.state().names.keys().cloned().collect()
    }
}

fn below(random: &mut Lcg, bound: usize) -> usize {
    usize::try_from(random.below(bound as u64)).unwrap()
}

fn failed(name: &str, error: io::Error) -> JournalError {
    JournalError::io("use", Path::new(name), error)
}

impl Medium for Disk {
    fn open(&self, name: &str) -> Result<Option<Arc<dyn Storage>>, JournalError> {
        let mut state = self.state();
        state.alive().map_err(|error| failed(name, error))?;
        let file = state.names.get(name).copied();
        Ok(file.map(|file| Arc::new(Open { disk: self.clone(), file, name: name.to_owned() }) as Arc<dyn Storage>))
    }

    fn create(&self, name: &str) -> Result<Arc<dyn Storage>, JournalError> {
        let mut state = self.state();
        state.alive().map_err(|error| failed(name, error))?;
        if state.names.contains_key(name) {
            return Err(failed(name, io::ErrorKind::AlreadyExists.into()));
        }
        let file = state.add();
        state.set(name, file);
        Ok(Arc::new(Open { disk: self.clone(), file, name: name.to_owned() }))
    }

    fn rename(&self, from: &str, to: &str) -> Result<(), JournalError> {
        let mut state = self.state();
        state.alive().map_err(|error| failed(from, error))?;
        if state.names.contains_key(to) {
            return Err(failed(to, io::ErrorKind::AlreadyExists.into()));
        }
        let file = state.names.remove(from).ok_or_else(|| failed(from, io::ErrorKind::NotFound.into()))?;
        state.names.insert(to.to_owned(), file);
        state.renamings.push(Renaming::Move(from.to_owned(), to.to_owned()));
        Ok(())
    }

    fn replace(&self, name: &str, bytes: &[u8], durability: Durability) -> Result<(), JournalError> {
        let mut state = self.state();
        let file = state.add();
        let mut rest = bytes;
        while !rest.is_empty() {
            let count = state.write(file, rest).map_err(|error| failed(name, error))?;
            rest = &rest[count..];
        }
        if durability == Durability::Synced {
            state.alive().map_err(|error| failed(name, error))?;
            state.files[file].durable = bytes.to_vec();
            state.files[file].unsynced.clear();
        }
        state.alive().map_err(|error| failed(name, error))?;
        state.set(name, file);
        drop(state);
        if durability == Durability::Synced { self.sync() } else { Ok(()) }
    }

    fn boot(&self) -> Option<String> {
        Some(self.state().boots.to_string())
    }

    fn sync(&self) -> Result<(), JournalError> {
        let mut state = self.state();
        state.alive().map_err(|error| failed("folder", error))?;
        state.renamings.clear();
        state.durable_names = state.names.clone();
        Ok(())
    }
}

#[derive(Debug)]
struct Open {
    disk: Disk,
    file: usize,
    name: String,
}

impl Storage for Open {
    fn append(&self, bytes: &[u8]) -> io::Result<usize> {
        self.disk.state().write(self.file, bytes)
    }

    fn read_at(&self, offset: u64, into: &mut [u8]) -> io::Result<usize> {
        let mut state = self.disk.state();
        state.alive()?;
        let bytes = &state.files[self.file].bytes;
        let rest = bytes.get(usize::try_from(offset).unwrap()..).unwrap_or_default();
        let count = rest.len().min(into.len());
        into[..count].copy_from_slice(&rest[..count]);
        state.read += count as u64;
        Ok(count)
    }

    fn length(&self) -> io::Result<u64> {
        let mut state = self.disk.state();
        state.alive()?;
        Ok(state.files[self.file].bytes.len() as u64)
    }

    fn truncate(&self, length: u64) -> io::Result<()> {
        let mut state = self.disk.state();
        state.alive()?;
        if state.uncuttable {
            return Err(io::Error::other("cannot be cut"));
        }
        let length = usize::try_from(length).unwrap();
        let file = &mut state.files[self.file];
        file.bytes.truncate(length);
        file.unsynced.push(Change::Cut(length));
        Ok(())
    }

    fn sync(&self) -> io::Result<()> {
        let mut state = self.disk.state();
        state.alive()?;
        if state.unsyncable {
            return Err(io::Error::other("cannot be synced"));
        }
        let file = &mut state.files[self.file];
        file.durable.clone_from(&file.bytes);
        file.unsynced.clear();
        Ok(())
    }

    fn is_in_place(&self) -> bool {
        self.disk.state().names.get(&self.name) == Some(&self.file)
    }
}
