//! What a tool says of its arguments or of its result, as far as it can be relied on.
//!
//! A [`Schema`] allows at least the values that the JSON Schema allows from which it was made ([`super::draft`]). So what it
//! excludes is excluded; that it allows a value promises nothing.

use std::collections::BTreeMap;

use serde_json::Value;

use super::Kinds;
use crate::mir;
use crate::syntax::expr as syntax;

/// Which values are allowed.
#[derive(Clone, Debug, PartialEq)]
pub struct Schema {
    /// Of which kinds.
    pub kinds: Kinds,
    /// Which, where they are listed.
    pub values: Option<Vec<Value>>,
    /// Of an object, the properties that are spoken of.
    pub properties: BTreeMap<String, Property>,
    /// Of an object, the properties that are not.
    pub others: Others,
    /// Of a list, the elements; `None`: any.
    pub items: Option<Box<Schema>>,
}

/// A property of an object.
#[derive(Clone, Debug, PartialEq)]
pub struct Property {
    /// Whether every object has it.
    pub required: bool,
    /// Which values it may have.
    pub schema: Schema,
}

/// The properties of an object that its schema does not speak of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Others {
    /// There are none.
    Forbidden,
    /// There may be, but those that are meant are listed.
    Unlisted,
    /// There may be any: nothing is listed, or others are welcome.
    Welcome,
}

/// What a path leads to.
#[derive(Clone, Copy, Debug)]
pub enum Place<'s> {
    /// A value that is spoken of.
    Known {
        /// Which values it may have.
        schema: &'s Schema,
        /// The first step to a property that not every object has.
        optional: Option<usize>,
    },
    /// The step with this number asks for a property that the objects there do not list.
    Unlisted {
        /// The number of the step.
        step: usize,
        /// Whether the objects there have no such property for certain.
        forbidden: bool,
        /// What is listed there.
        of: &'s Schema,
    },
    /// The step with this number asks for a part of what has none.
    NoParts {
        /// The number of the step.
        step: usize,
        /// What is there.
        of: &'s Schema,
    },
    /// Nothing is known of it.
    Unknown,
}

/// A step of a path, checked or as written.
#[derive(Clone, Copy, Debug)]
pub enum Hop<'a> {
    /// To a property.
    Field(&'a str),
    /// To an element of a list.
    Index,
    /// To each element of a list, or value of an object.
    Each,
    /// Elsewhere.
    Anywhere,
}

impl<'a> From<&'a mir::Step> for Hop<'a> {
    fn from(step: &'a mir::Step) -> Self {
        match step {
            mir::Step::Field(name) => Self::Field(name),
            mir::Step::Index(_) => Self::Index,
            mir::Step::Each => Self::Each,
            mir::Step::Dynamic(_) | mir::Step::Deep => Self::Anywhere,
        }
    }
}

impl<'a> From<&'a syntax::Step> for Hop<'a> {
    fn from(step: &'a syntax::Step) -> Self {
        match &step.kind {
            syntax::StepKind::Field(name) => Self::Field(name),
            syntax::StepKind::Index(_) => Self::Index,
            syntax::StepKind::Each => Self::Each,
            syntax::StepKind::Dynamic(_) | syntax::StepKind::Deep => Self::Anywhere,
        }
    }
}

impl Schema {
    /// Any value.
    #[must_use]
    pub fn any() -> Self {
        Self::of(Kinds::ANY)
    }

    /// Any value of these kinds.
    #[must_use]
    pub fn of(kinds: Kinds) -> Self {
        Self { kinds, values: None, properties: BTreeMap::new(), others: Others::Welcome, items: None }
    }

    /// What steps lead to, from a value that fits.
    pub fn at<'s, 'h>(&'s self, steps: impl IntoIterator<Item = impl Into<Hop<'h>>>) -> Place<'s> {
        let mut here = self;
        let mut optional = None;
        for (step, hop) in steps.into_iter().enumerate() {
            match hop.into() {
                Hop::Field(name) => {
                    if !here.kinds.meets(Kinds::OBJECT) {
                        return Place::NoParts { step, of: here };
                    }
                    match (here.properties.get(name), here.others) {
                        (Some(property), _) => {
                            let is_certain = property.required && here.kinds == Kinds::OBJECT;
                            optional = optional.or((!is_certain).then_some(step));
                            here = &property.schema;
                        }
                        (None, Others::Welcome) => return Place::Unknown,
                        (None, others) => {
                            return Place::Unlisted { step, forbidden: others == Others::Forbidden, of: here };
                        }
                    }
                }
                Hop::Index | Hop::Each => {
                    if !here.kinds.meets(Kinds::LIST.or(Kinds::OBJECT)) {
                        return Place::NoParts { step, of: here };
                    }
                    match &here.items {
                        Some(items) if !here.kinds.meets(Kinds::OBJECT) => here = items,
                        _ => return Place::Unknown,
                    }
                }
                Hop::Anywhere => return Place::Unknown,
            }
        }
        Place::Known { schema: here, optional }
    }

    /// What fits either.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        let values = match (self.values, other.values) {
            (Some(mut values), Some(others)) => {
                values.extend(others);
                Some(values)
            }
            _ => None,
        };
        let objects = |kinds: Kinds| kinds.meets(Kinds::OBJECT);
        // A schema without objects says nothing of their properties, and one without lists nothing of elements.
        let (properties, others) = match (objects(self.kinds), objects(other.kinds)) {
            (true, true) => either((self.properties, self.others), (other.properties, other.others)),
            (false, true) => (other.properties, other.others),
            _ => (self.properties, self.others),
        };
        let lists = |kinds: Kinds| kinds.meets(Kinds::LIST);
        let items = match (lists(self.kinds), lists(other.kinds)) {
            (true, true) => self.items.zip(other.items).map(|(items, others)| Box::new(items.or(*others))),
            (false, true) => other.items,
            _ => self.items,
        };
        Self { kinds: self.kinds.or(other.kinds), values, properties, others, items }
    }

    /// What fits both.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        let values = match (self.values, other.values) {
            (Some(values), Some(others)) => Some(values.into_iter().filter(|value| others.contains(value)).collect()),
            (values, others) => values.or(others),
        };
        let (properties, others) = both((self.properties, self.others), (other.properties, other.others));
        let items = match (self.items, other.items) {
            (Some(items), Some(others)) => Some(Box::new(items.and(*others))),
            (items, others) => items.or(others),
        };
        Self { kinds: self.kinds.and(other.kinds), values, properties, others, items }
    }
}

type Properties = (BTreeMap<String, Property>, Others);

/// The properties of objects that fit one of two schemas.
fn either((properties, others): Properties, (mut more, more_others): Properties) -> Properties {
    let mut found = BTreeMap::new();
    let alone = |schema: Schema, elsewhere: Others| Property {
        required: false,
        schema: if elsewhere == Others::Forbidden { schema } else { Schema::any() },
    };
    for (name, property) in properties {
        let property = match more.remove(&name) {
            Some(other) => {
                Property { required: property.required && other.required, schema: property.schema.or(other.schema) }
            }
            None => alone(property.schema, more_others),
        };
        found.insert(name, property);
    }
    found.extend(more.into_iter().map(|(name, property)| (name, alone(property.schema, others))));
    (found, others.max(more_others))
}

/// The properties of objects that fit two schemas.
fn both((properties, others): Properties, (mut more, more_others): Properties) -> Properties {
    let mut found = BTreeMap::new();
    for (name, property) in properties {
        match more.remove(&name) {
            Some(other) => {
                let required = property.required || other.required;
                found.insert(name, Property { required, schema: property.schema.and(other.schema) });
            }
            None if more_others == Others::Forbidden => {}
            None => {
                found.insert(name, property);
            }
        }
    }
    if others != Others::Forbidden {
        found.extend(more);
    }
    (found, others.min(more_others))
}
