//! What the table keeps of an instance: its cell, or a short form of it that says all in nearly every case. What does not fit
//! is kept aside, by birth.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;

use foldhash::fast::RandomState;

use super::Cell;

/// The cells that do not fit their short form.
pub(crate) type Aside<C> = HashMap<u64, C, RandomState>;

/// What the table keeps of an instance that was born at some time.
pub trait Kept<C: Cell>: Clone + fmt::Debug {
    /// Keeps a cell.
    fn new(cell: C, born: u64, aside: &mut Aside<C>) -> Self;
    /// The cell.
    fn read<'k>(&'k self, born: u64, aside: &'k Aside<C>) -> Cow<'k, C>;
    /// Changes the cell.
    fn change<R>(&mut self, born: u64, aside: &mut Aside<C>, change: impl FnOnce(&mut C) -> R) -> R;
}

/// The cell itself.
#[derive(Clone, Debug)]
pub struct Whole<C>(C);

impl<C: Cell> Kept<C> for Whole<C> {
    #[inline]
    fn new(cell: C, _: u64, _: &mut Aside<C>) -> Self {
        Self(cell)
    }

    #[inline]
    fn read<'k>(&'k self, _: u64, _: &'k Aside<C>) -> Cow<'k, C> {
        Cow::Borrowed(&self.0)
    }

    #[inline]
    fn change<R>(&mut self, _: u64, _: &mut Aside<C>, change: impl FnOnce(&mut C) -> R) -> R {
        change(&mut self.0)
    }
}
