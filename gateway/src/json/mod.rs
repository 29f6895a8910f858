//! JSON from strangers, read so that nobody can read it in another way.
//!
//! INVARIANT: what [`read`] accepts means the same to every parser: no key twice in an object, no lone surrogates, no number
//! that parsers round differently, and no more nesting than parsers follow. What a guard checked is then what a server reads.

mod mend;
mod strict;

pub(crate) use self::mend::mend;
pub(crate) use self::strict::{check, read, tree};
