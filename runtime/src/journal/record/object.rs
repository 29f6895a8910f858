//! Declares the objects of records: once, for the struct, its canonical form, its reader and its table.

use super::Head;
use super::field::Field;
use crate::journal::canonical;

/// The members of an object or record that is being written.
///
/// INVARIANT: names come in ascending order, those that all records have merged in between.
#[derive(Debug)]
pub(super) struct Members<'w> {
    pub(super) out: &'w mut Vec<u8>,
    /// What all records have, as far as it is still to be written.
    common: Option<(&'w Head<'w>, &'static str, &'static [&'static str])>,
    /// Where the hash of a record belongs.
    pub(super) hash_at: usize,
    first: bool,
    #[cfg(debug_assertions)]
    last: &'static str,
}

/// The fields that every record has, in canonical order.
pub(super) const COMMON: [&str; 8] = ["at", "hash", "journal", "kind", "prev", "seq", "session", "v"];

impl<'w> Members<'w> {
    /// Of an object.
    pub(super) fn of_object(out: &'w mut Vec<u8>) -> Self {
        Self::begin(out, None)
    }

    /// Of a record of this kind.
    pub(super) fn of_record(out: &'w mut Vec<u8>, head: &'w Head<'w>, kind: &'static str) -> Self {
        Self::begin(out, Some((head, kind, &COMMON)))
    }

    fn begin(out: &'w mut Vec<u8>, common: Option<(&'w Head<'w>, &'static str, &'static [&'static str])>) -> Self {
        out.push(b'{');
        Self {
            out,
            common,
            hash_at: 0,
            first: true,
            #[cfg(debug_assertions)]
            last: "",
        }
    }

    /// Writes a member.
    pub(super) fn member(&mut self, name: &'static str, value: &impl Field) {
        while let Some((head, kind, [next, rest @ ..])) = self.common
            && *next < name
        {
            self.common = Some((head, kind, rest));
            self.common_field(next, head, kind);
        }
        self.put(name, value);
    }

    fn put(&mut self, name: &'static str, value: &impl Field) {
        #[cfg(debug_assertions)]
        {
            debug_assert!(self.last < name, "`{name}` after `{}`", self.last);
            self.last = name;
        }
        if !self.first {
            self.out.push(b',');
        }
        self.first = false;
        canonical::write_string(self.out, name);
        self.out.push(b':');
        value.write(self.out);
    }

    fn common_field(&mut self, name: &'static str, head: &Head<'_>, kind: &'static str) {
        match name {
            "at" => self.put(name, &head.at),
            // Its value is made of the others. `at` is before it, so a comma is.
            "hash" => self.hash_at = self.out.len(),
            "journal" => self.put(name, &head.journal),
            "kind" => self.put(name, &super::Text::Borrowed(kind)),
            "prev" => self.put(name, &head.prev),
            "seq" => self.put(name, &head.seq),
            "session" => self.put(name, &head.session),
            _ => self.put(name, &super::VERSION),
        }
    }

    /// Ends the object; where the hash belongs, for a record.
    pub(super) fn end(mut self) -> usize {
        while let Some((head, kind, [next, rest @ ..])) = self.common {
            self.common = Some((head, kind, rest));
            self.common_field(next, head, kind);
        }
        self.out.push(b'}');
        self.hash_at
    }
}

/// Declares an object: its members in canonical order.
macro_rules! object {
    ($(#[doc = $about:literal])* pub struct $name:ident $(<$life:lifetime>)? {
        $($(#[doc = $doc:literal])* $field:ident: $type:ty,)*
    }) => {
        $(#[doc = $about])*
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct $name $(<$life>)? { $($(#[doc = $doc])* pub $field: $type,)* }

        impl $(<$life>)? $name $(<$life>)? {
            /// The members, in canonical order.
            pub const MEMBERS: &'static [$crate::journal::record::shape::Member] = &[$(
                $crate::journal::record::shape::Member {
                    name: stringify!($field),
                    shape: <$type as $crate::journal::record::field::Field>::SHAPE,
                    about: concat!($($doc),*),
                },
            )*];

            pub(in crate::journal::record) fn members(&self, to: &mut $crate::journal::record::object::Members<'_>) {
                $(to.member(stringify!($field), &self.$field);)*
            }

            pub(in crate::journal::record) fn read_members(
                object: &serde_json::Map<String, serde_json::Value>,
            ) -> Result<Self, $crate::journal::record::field::Wrong> {
                Ok(Self { $($field: $crate::journal::record::field::member(object, stringify!($field))?,)* })
            }
        }

        impl $(<$life>)? $crate::journal::record::field::Field for $name $(<$life>)? {
            const SHAPE: $crate::journal::record::shape::Shape =
                $crate::journal::record::shape::Shape::Object(Self::MEMBERS);

            fn write(&self, out: &mut Vec<u8>) {
                let mut members = $crate::journal::record::object::Members::of_object(out);
                self.members(&mut members);
                members.end();
            }

            fn read(value: &serde_json::Value) -> Result<Self, $crate::journal::record::field::Wrong> {
                let object = value.as_object();
                let object = object.filter(|object| object.len() == Self::MEMBERS.len());
                let object =
                    object.ok_or($crate::journal::record::field::Wrong::new("an object with exactly its members"))?;
                Self::read_members(object)
            }
        }
    };
}

/// Declares the kinds of records.
macro_rules! kinds {
    ($($(#[doc = $about:literal])* $name:ident $(<$life:lifetime>)? = $kind:literal {
        $($(#[doc = $doc:literal])* $field:ident: $type:ty,)*
    })+) => {
        $(
            $crate::journal::record::object::object! {
                $(#[doc = $about])*
                pub struct $name $(<$life>)? { $($(#[doc = $doc])* $field: $type,)* }
            }
        )+

        /// What a record says, by its kind.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub enum Body<'a> { $($(#[doc = $about])* $name($name $(<$life>)?),)+ }

        /// The kinds of records.
        pub const KINDS: &[$crate::journal::record::shape::Kind] = &[$(
            $crate::journal::record::shape::Kind {
                name: $kind,
                fields: $name::MEMBERS,
                about: concat!($($about),*),
            },
        )+];

        impl<'a> Body<'a> {
            /// The field `kind`.
            #[must_use]
            pub const fn kind(&self) -> &'static str {
                match self { $(Self::$name(_) => $kind,)+ }
            }

            pub(super) fn members(&self, to: &mut $crate::journal::record::object::Members<'_>) {
                match self { $(Self::$name(body) => body.members(to),)+ }
            }

            pub(super) fn read(
                kind: &str,
                object: &serde_json::Map<String, serde_json::Value>,
            ) -> Result<Self, $crate::journal::record::field::Wrong> {
                match kind {
                    $($kind => $name::read_members(object).map(Self::$name),)+
                    _ => Err($crate::journal::record::field::Wrong::new("a kind of record").within("kind")),
                }
            }
        }

        $(impl<'a> From<$name $(<$life>)?> for Body<'a> {
            fn from(body: $name $(<$life>)?) -> Self {
                Self::$name(body)
            }
        })+
    };
}

pub(super) use {kinds, object};
