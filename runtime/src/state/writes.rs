//! The changes that the commits of one event make: evaluated, and applied only when all of them are.

use crate::Truth;
use crate::info::CellInfo;
use crate::value::{Datum, Est, Scalar, Type};

/// The changes that the commits of one event make, evaluated and not yet applied.
#[derive(Debug, Default)]
pub struct Writes {
    pub(super) list: Vec<Write>,
}

#[derive(Debug)]
pub(super) struct Write {
    pub(super) cell: usize,
    pub(super) certain: bool,
    pub(super) change: Change,
}

#[derive(Debug)]
pub(super) enum Change {
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
