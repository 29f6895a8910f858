//! How a kind of rule stands in its rule: as one field, or as several.

use super::{Decode, Fields};
use crate::diagnostic::Diagnostics;

/// A kind of rule, as the decoder knows it.
#[derive(Clone, Copy, Debug)]
pub struct RuleKind {
    /// The field that names it.
    pub name: &'static str,
    /// The fields that it consists of, its name among them.
    pub beside: &'static [&'static str],
    /// The common fields that it has and others do not.
    pub with: &'static [&'static str],
}

impl RuleKind {
    /// Whether a field that only some kinds have belongs to this one.
    #[must_use]
    pub fn has(&self, field: &str) -> bool {
        self.beside.contains(&field) || self.with.contains(&field)
    }
}

/// A mapping with fixed fields.
pub(crate) trait Record: Decode {
    /// What it is called, and its fields.
    const HOME: (&'static str, &'static [&'static str]);
}

/// A kind of rule, as it is read from the fields of the rule.
pub(crate) trait InRule: Sized {
    /// The fields of the rule that it consists of.
    const BESIDE: &'static [&'static str];

    /// The record that its own field is, where it is one.
    const HOME: (&'static str, &'static [&'static str]);

    /// Reads it.
    fn read(kind: &'static str, fields: &Fields<'_>, diagnostics: &mut Diagnostics) -> Option<Self>;

    /// Adds its fields to the schema of the rule.
    #[cfg(feature = "schema")]
    fn describe(kind: &'static str, generator: &mut schemars::SchemaGenerator, rule: &mut schemars::Schema);
}

/// What the schema asks of a type, where there is one.
#[cfg(feature = "schema")]
pub(crate) trait Described: schemars::JsonSchema {}
#[cfg(feature = "schema")]
impl<T: schemars::JsonSchema> Described for T {}
#[cfg(not(feature = "schema"))]
pub(crate) trait Described {}
#[cfg(not(feature = "schema"))]
impl<T> Described for T {}

/// A record is one field.
impl<T: Record + Described> InRule for T {
    const BESIDE: &'static [&'static str] = &[];
    const HOME: (&'static str, &'static [&'static str]) = T::HOME;

    fn read(kind: &'static str, fields: &Fields<'_>, diagnostics: &mut Diagnostics) -> Option<Self> {
        fields.beside(kind, kind, diagnostics)
    }

    #[cfg(feature = "schema")]
    fn describe(kind: &'static str, generator: &mut schemars::SchemaGenerator, rule: &mut schemars::Schema) {
        let record = generator.subschema_for::<T>();
        crate::schema::property(kind, record, rule);
    }
}
