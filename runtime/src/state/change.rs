//! Carries out the changes of a cell: those that certainly happen, and those that may.
//!
//! INVARIANT: what cannot be committed exactly makes the cell, key or missing member *not established*; nothing stale stays
//! behind.

use super::writes::Change;
use crate::finding::Reason;
use crate::info::CellInfo;
use crate::value::{Datum, Map, Scalar, Set, Type};

/// Carries out a change that certainly happens.
pub(super) fn apply(cell: &mut Option<Datum>, info: &CellInfo, change: Change) -> Result<(), Reason> {
    match change {
        Change::Bind(_) if cell.is_some() => Ok(()),
        Change::Set(value) | Change::Bind(value) => {
            *cell = value.filter(|value| members(value) <= info.max);
            if cell.is_some() { Ok(()) } else { Err(Reason::BadValue) }
        }
        Change::Insert(value) => match cell.get_or_insert_with(unsure_set) {
            Datum::Set(set) => insert(set, info.max, value),
            _ => Err(Reason::BadValue),
        },
        Change::InsertAt(at, value) => {
            let Datum::Map(map) = cell.get_or_insert_with(unsure_map) else {
                return Err(Reason::BadValue);
            };
            let Some(at) = at else {
                doubt_all(map);
                return Err(Reason::BadValue);
            };
            if !map.entries.contains_key(&at) && map.entries.len() >= info.max {
                map.unsure = true;
                return Err(Reason::CellFull);
            }
            let unsure = map.unsure;
            let inner = map.entries.entry(at).or_insert_with(|| Datum::Set(Set { unsure, ..Set::default() }));
            match inner {
                Datum::Set(set) => insert(set, info.max, value),
                _ => Err(Reason::BadValue),
            }
        }
        Change::Remove(value) => remove(cell, value),
        Change::RemoveAt(at, value) => {
            let Some(Datum::Map(map)) = cell else { return Ok(()) };
            let Some(at) = at else {
                doubt_all(map);
                return Err(Reason::BadValue);
            };
            match (map.entries.get_mut(&at), value) {
                (Some(Datum::Set(set)), Some(value)) => {
                    set.members.remove(&value);
                    Ok(())
                }
                (Some(Datum::Set(set)), None) => {
                    doubt_members(set);
                    Err(Reason::BadValue)
                }
                _ => Ok(()),
            }
        }
        Change::Put(at, value) => match cell.get_or_insert_with(unsure_map) {
            Datum::Map(map) => put(map, info.max, at, value),
            _ => Err(Reason::BadValue),
        },
        Change::Clear => {
            *cell = match info.ty {
                Type::Set(_) => Some(Datum::Set(Set::default())),
                Type::Map(_) => Some(Datum::Map(Map::default())),
                _ => None,
            };
            Ok(())
        }
    }
}

/// Carries out a change that may or may not happen: what it would touch is no longer established.
pub(super) fn doubt(cell: &mut Option<Datum>, change: Change) -> Result<(), Reason> {
    match change {
        Change::Set(_) | Change::Clear => *cell = None,
        // What is bound stays bound; what is not stays not established.
        Change::Bind(_) => {}
        Change::Insert(_) => {
            if let Some(Datum::Set(set)) = cell {
                set.unsure = true;
            }
        }
        Change::Remove(Some(value)) => match cell {
            Some(Datum::Set(set)) => {
                set.members.remove(&value);
                set.unsure = true;
            }
            Some(Datum::Map(map)) => {
                map.entries.remove(&value);
                map.unsure = true;
            }
            _ => {}
        },
        Change::Remove(None) => match cell {
            Some(Datum::Set(set)) => doubt_members(set),
            Some(Datum::Map(map)) => doubt_all(map),
            _ => {}
        },
        Change::InsertAt(at, _) => doubt_set_at(cell, at, |_| {}),
        Change::RemoveAt(at, Some(value)) => doubt_set_at(cell, at, |set| {
            set.members.remove(&value);
        }),
        Change::RemoveAt(at, None) => doubt_set_at(cell, at, doubt_members),
        Change::Put(at, _) => {
            if let Some(Datum::Map(map)) = cell {
                match at {
                    Some(at) => {
                        map.entries.remove(&at);
                        map.unsure = true;
                    }
                    None => doubt_all(map),
                }
            }
        }
    }
    Ok(())
}

/// What an event may have done to the set at a key of a map: `lose` takes away what may be gone.
fn doubt_set_at(cell: &mut Option<Datum>, at: Option<Scalar>, lose: impl FnOnce(&mut Set)) {
    let Some(Datum::Map(map)) = cell else { return };
    let Some(at) = at else { return doubt_all(map) };
    match map.entries.get_mut(&at) {
        Some(Datum::Set(set)) => {
            lose(set);
            set.unsure = true;
        }
        _ => map.unsure = true,
    }
}

/// A set of which nothing was established so far: what is absent from it stays not established.
fn unsure_set() -> Datum {
    Datum::Set(Set { unsure: true, ..Set::default() })
}

/// A map, likewise.
fn unsure_map() -> Datum {
    Datum::Map(Map { unsure: true, ..Map::default() })
}

fn insert(set: &mut Set, max: usize, value: Option<Scalar>) -> Result<(), Reason> {
    let Some(value) = value else {
        set.unsure = true;
        return Err(Reason::BadValue);
    };
    if !set.members.contains(&value) && set.members.len() >= max {
        set.unsure = true;
        return Err(Reason::CellFull);
    }
    set.members.insert(value);
    Ok(())
}

fn put(map: &mut Map, max: usize, at: Option<Scalar>, value: Option<Datum>) -> Result<(), Reason> {
    let Some(at) = at else {
        doubt_all(map);
        return Err(Reason::BadValue);
    };
    let Some(value) = value else {
        map.entries.remove(&at);
        map.unsure = true;
        return Err(Reason::BadValue);
    };
    if !map.entries.contains_key(&at) && map.entries.len() >= max {
        map.unsure = true;
        return Err(Reason::CellFull);
    }
    map.entries.insert(at, value);
    Ok(())
}

fn remove(cell: &mut Option<Datum>, value: Option<Scalar>) -> Result<(), Reason> {
    match (cell, value) {
        (Some(Datum::Set(set)), Some(value)) => {
            set.members.remove(&value);
            Ok(())
        }
        (Some(Datum::Map(map)), Some(value)) => {
            map.entries.remove(&value);
            Ok(())
        }
        (Some(Datum::Set(set)), None) => {
            doubt_members(set);
            Err(Reason::BadValue)
        }
        (Some(Datum::Map(map)), None) => {
            doubt_all(map);
            Err(Reason::BadValue)
        }
        _ => Ok(()),
    }
}

/// Any member may be gone.
fn doubt_members(set: &mut Set) {
    set.members.clear();
    set.unsure = true;
}

/// Any key may have another value.
fn doubt_all(map: &mut Map) {
    map.entries.clear();
    map.unsure = true;
}

fn members(value: &Datum) -> usize {
    match value {
        Datum::Set(set) => set.members.len(),
        Datum::Map(map) => map.entries.len(),
        _ => 0,
    }
}
