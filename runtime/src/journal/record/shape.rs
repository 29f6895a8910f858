//! What a field of a record may be: for the scanner that verifies, and for the tables of the documentation.

/// The shape of a value.
#[derive(Clone, Copy, Debug)]
pub enum Shape {
    /// `true` or `false`.
    Bool,
    /// An integer from 0 to 2^53−1.
    Integer,
    /// Any string.
    Text,
    /// A time in UTC as [`crate::Time`] displays it.
    Time,
    /// So many bytes in lower-case hexadecimal.
    Hex(usize),
    /// So many bytes in base64 (RFC 4648 §4, padded).
    Base64(usize),
    /// One of these words.
    Word(&'static [&'static str]),
    /// `null`, or this.
    Nullable(&'static Shape),
    /// A list of this.
    List(&'static Shape),
    /// An object with exactly these members.
    Object(&'static [Member]),
}

/// A member of an object, or a field of a record.
#[derive(Clone, Copy, Debug)]
pub struct Member {
    /// Its name.
    pub name: &'static str,
    /// What it may be.
    pub shape: Shape,
    /// What it says, in Markdown.
    pub about: &'static str,
}

/// A kind of record, with the fields that only it has.
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    /// Its name: the field `kind`.
    pub name: &'static str,
    /// Its own fields, in canonical order.
    pub fields: &'static [Member],
    /// What it says, in Markdown.
    pub about: &'static str,
}
