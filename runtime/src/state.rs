//! Trusted state: cells that only commits change.
//!
//! INVARIANT: all right sides of an event's commits are evaluated before the first of them is applied. What cannot be
//! committed exactly makes the cell, key or missing member *not established*; nothing stale stays behind.

use crate::finding::{Finding, Reason, Subject};
use crate::info::CellInfo;
use crate::value::{Datum, Est, Map, Scalar, Set, Type};
use crate::{Decision, Truth, Verdict};

/// The values of a contract's state cells, by index.
#[derive(Clone, Debug)]
pub struct State {
    cells: Vec<Option<Datum>>,
}

/// The changes that the commits of one event make, evaluated and not yet applied.
#[derive(Debug, Default)]
pub struct Writes {
    list: Vec<Write>,
}

#[derive(Debug)]
struct Write {
    cell: usize,
    certain: bool,
    change: Change,
}

#[derive(Debug)]
enum Change {
    /// `None`: the value was not established or does not fit.
    Set(Option<Datum>),
    Bind(Option<Datum>),
    Insert(Option<Scalar>),
    InsertAt(Option<Scalar>, Option<Scalar>),
    Remove(Option<Scalar>),
    RemoveAt(Option<Scalar>, Option<Scalar>),
    Put(Option<Scalar>, Option<Datum>),
    Clear,
}

impl Writes {
    /// None yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    fn push(&mut self, cell: usize, matches: Truth, change: Change) {
        if matches != Truth::False {
            self.list.push(Write { cell, certain: matches == Truth::True, change });
        }
    }

    /// `set`.
    pub fn set(&mut self, cells: &[CellInfo], cell: usize, matches: Truth, value: Est<'_>) {
        let datum = cells.get(cell).and_then(|info| datum(value, &info.ty, info.max_bytes));
        self.push(cell, matches, Change::Set(datum));
    }

    /// `bind`.
    pub fn bind(&mut self, cells: &[CellInfo], cell: usize, matches: Truth, value: Est<'_>) {
        let datum = cells.get(cell).and_then(|info| datum(value, &info.ty, info.max_bytes));
        self.push(cell, matches, Change::Bind(datum));
    }

    /// `insert` into a set.
    pub fn insert(&mut self, cells: &[CellInfo], cell: usize, matches: Truth, value: Est<'_>) {
        self.push(cell, matches, Change::Insert(member(cells, cell, value)));
    }

    /// `insert` into the set at a key of a map.
    pub fn insert_at(&mut self, cells: &[CellInfo], cell: usize, matches: Truth, at: Est<'_>, value: Est<'_>) {
        let change = Change::InsertAt(scalar(at, cells, cell), member(cells, cell, value));
        self.push(cell, matches, change);
    }

    /// `remove` of a set's member, or of a map's key.
    pub fn remove(&mut self, cells: &[CellInfo], cell: usize, matches: Truth, value: Est<'_>) {
        self.push(cell, matches, Change::Remove(scalar(value, cells, cell)));
    }

    /// `remove` from the set at a key of a map.
    pub fn remove_at(&mut self, cells: &[CellInfo], cell: usize, matches: Truth, at: Est<'_>, value: Est<'_>) {
        let change = Change::RemoveAt(scalar(at, cells, cell), scalar(value, cells, cell));
        self.push(cell, matches, change);
    }

    /// `put` at a key of a map.
    pub fn put(&mut self, cells: &[CellInfo], cell: usize, matches: Truth, at: Est<'_>, value: Est<'_>) {
        let datum = cells.get(cell).and_then(|info| match &info.ty {
            Type::Map(ty) => datum(value, ty, info.max_bytes),
            _ => None,
        });
        self.push(cell, matches, Change::Put(scalar(at, cells, cell), datum));
    }

    /// `clear`.
    pub fn clear(&mut self, cell: usize, matches: Truth) {
        self.push(cell, matches, Change::Clear);
    }
}

fn datum(value: Est<'_>, ty: &Type, max_bytes: usize) -> Option<Datum> {
    Datum::from_val(&value?, ty, max_bytes).ok()
}

/// A value as a key of a map or a member to be removed: any scalar that is not too large.
fn scalar(value: Est<'_>, cells: &[CellInfo], cell: usize) -> Option<Scalar> {
    Scalar::key(&value?, cells.get(cell)?.max_bytes).ok()
}

/// A value as a new member of a set (or of the sets in a map): a scalar of the member type.
fn member(cells: &[CellInfo], cell: usize, value: Est<'_>) -> Option<Scalar> {
    let info = cells.get(cell)?;
    let ty = match &info.ty {
        Type::Set(ty) => ty,
        Type::Map(inner) => match &**inner {
            Type::Set(ty) => ty,
            _ => return None,
        },
        _ => return None,
    };
    Scalar::from_val(&value?, ty, info.max_bytes).ok()
}

impl State {
    /// The initial state of a contract's cells: one datum per cell, `None` where it is not established.
    #[must_use]
    pub fn new(cells: Vec<Option<Datum>>) -> Self {
        Self { cells }
    }

    /// The value of a cell.
    #[must_use]
    #[inline]
    pub fn read(&self, cell: usize) -> Est<'_> {
        self.cells.get(cell)?.as_ref().map(Datum::as_val)
    }

    /// Applies the changes of one event, in order. What cannot be carried out becomes a finding.
    pub fn apply(&mut self, infos: &[CellInfo], writes: Writes, findings: &mut Vec<Finding>) {
        for write in writes.list {
            let (Some(cell), Some(info)) = (self.cells.get_mut(write.cell), infos.get(write.cell)) else { continue };
            let outcome = if write.certain { apply(cell, info, write.change) } else { doubt(cell, write.change) };
            if let Err(reason) = outcome {
                findings.push(Finding {
                    subject: Subject::State(u16::try_from(write.cell).unwrap_or(u16::MAX)),
                    verdict: Verdict::Unestablished,
                    action: Decision::Alert,
                    reason,
                    key: Vec::new(),
                });
            }
        }
    }
}

/// Carries out a change that certainly happens.
fn apply(cell: &mut Option<Datum>, info: &CellInfo, change: Change) -> Result<(), Reason> {
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
fn doubt(cell: &mut Option<Datum>, change: Change) -> Result<(), Reason> {
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

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::*;

    fn cell(ty: &str, max: usize) -> Vec<CellInfo> {
        let ty = Type::parse(ty).unwrap();
        vec![CellInfo { name: Cow::Borrowed("cell"), ty, max, max_bytes: 16 }]
    }

    fn commit(state: &mut State, cells: &[CellInfo], make: impl FnOnce(&mut Writes)) -> Vec<Reason> {
        let (mut writes, mut findings) = (Writes::new(), Vec::new());
        make(&mut writes);
        state.apply(cells, writes, &mut findings);
        findings.into_iter().map(|finding| finding.reason).collect()
    }

    fn member(state: &State, text: &str) -> Truth {
        crate::value::is_in(&crate::Fuel::new(), Some(crate::value::Val::text(text)), state.read(0))
    }

    #[test]
    fn a_full_set_leaves_absent_members_not_established() {
        let cells = cell("set<string>", 1);
        let mut state = State::new(vec![Some(Datum::Set(Set::default()))]);
        assert_eq!(member(&state, "a"), Truth::False);
        let text = |text| Some(crate::value::Val::text(text));
        assert!(commit(&mut state, &cells, |writes| writes.insert(&cells, 0, Truth::True, text("a"))).is_empty());
        assert_eq!((member(&state, "a"), member(&state, "b")), (Truth::True, Truth::False));
        let found = commit(&mut state, &cells, |writes| writes.insert(&cells, 0, Truth::True, text("b")));
        assert_eq!(found, [Reason::CellFull]);
        assert_eq!((member(&state, "a"), member(&state, "b")), (Truth::True, Truth::Unknown));
    }

    #[test]
    fn nothing_stale_stays_behind_a_value_that_does_not_fit() {
        let cells = cell("string", 1);
        let mut state = State::new(vec![None]);
        let text = |text| Some(crate::value::Val::text(text));
        commit(&mut state, &cells, |writes| writes.set(&cells, 0, Truth::True, text("a")));
        assert!(state.read(0).is_some());
        let long = "a text of more than sixteen bytes";
        assert_eq!(
            commit(&mut state, &cells, |writes| writes.set(&cells, 0, Truth::True, text(long))),
            [Reason::BadValue]
        );
        assert!(state.read(0).is_none());
        commit(&mut state, &cells, |writes| writes.set(&cells, 0, Truth::True, text("b")));
        commit(&mut state, &cells, |writes| writes.set(&cells, 0, Truth::Unknown, text("c")));
        assert!(state.read(0).is_none(), "it may be `b` or `c`");
    }

    #[test]
    fn bind_keeps_the_first_value() {
        let cells = cell("string", 1);
        let mut state = State::new(vec![None]);
        for value in ["a", "b"] {
            let value = Some(crate::value::Val::text(value));
            commit(&mut state, &cells, |writes| writes.bind(&cells, 0, Truth::True, value));
        }
        assert_eq!(state.read(0), Some(crate::value::Val::text("a")));
    }
}
