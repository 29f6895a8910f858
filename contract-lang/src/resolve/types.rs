//! What is known of a value's type before anything runs. What an agent, a tool or a host sends is of any type.

use contract_runtime::Type;

/// The static type of an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Static {
    /// Not known.
    Any,
    /// `null`.
    Null,
    /// A truth value.
    Bool,
    /// An exact number.
    Number,
    /// A string.
    Text,
    /// A point in time.
    Time,
    /// A length of time.
    Duration,
    /// A list, or the members of a set.
    List(Box<Static>),
    /// An object, or a map of the state, by the type of its values.
    Map(Box<Static>),
}

impl Static {
    /// The type of a declared cell or fact.
    #[must_use]
    pub fn of(declared: &Type) -> Self {
        match declared {
            Type::Bool => Self::Bool,
            Type::Int | Type::Decimal => Self::Number,
            Type::String => Self::Text,
            Type::Time => Self::Time,
            Type::Json => Self::Any,
            Type::Set(member) => Self::list(Self::of(member)),
            Type::Map(value) => Self::Map(Box::new(Self::of(value))),
        }
    }

    /// A list of these.
    #[must_use]
    pub fn list(member: Self) -> Self {
        Self::List(Box::new(member))
    }

    /// With an article, for messages.
    #[must_use]
    pub fn described(&self) -> &'static str {
        match self {
            Self::Any => "any value",
            Self::Null => "`null`",
            Self::Bool => "true or false",
            Self::Number => "a number",
            Self::Text => "a string",
            Self::Time => "a time",
            Self::Duration => "a duration",
            Self::List(_) => "a list",
            Self::Map(_) => "a map",
        }
    }

    /// Whether both are of one kind as far as is known; members of lists and maps are not looked at.
    #[must_use]
    pub fn may_be(&self, other: &Self) -> bool {
        *self == Self::Any || *other == Self::Any || std::mem::discriminant(self) == std::mem::discriminant(other)
    }

    /// Whether `==` can be established: values of one kind, or anything with `null`.
    #[must_use]
    pub fn comparable(&self, other: &Self) -> bool {
        *self == Self::Null || *other == Self::Null || self.may_be(other)
    }

    /// Whether values of the type have an order.
    #[must_use]
    pub fn is_ordered(&self) -> bool {
        matches!(self, Self::Any | Self::Number | Self::Text | Self::Time | Self::Duration)
    }

    /// Whether it can be a key or a member of a set.
    #[must_use]
    pub fn may_be_scalar(&self) -> bool {
        matches!(self, Self::Any | Self::Bool | Self::Number | Self::Text | Self::Time)
    }

    /// The type of something that is of one or the other.
    #[must_use]
    pub fn join(self, other: Self) -> Self {
        if self == other { self } else { Self::Any }
    }

    /// Whether a value of this type may be stored in a cell of that type.
    #[must_use]
    pub fn fits(&self, cell: &Type) -> bool {
        match (self, cell) {
            (Self::Any, _) => true,
            (Self::Time | Self::Duration, Type::Json) => false,
            (_, Type::Json) => true,
            // A text that says its offset is taken as a time.
            (Self::Text, Type::Time) => true,
            (Self::List(member), Type::Set(of)) => member.fits(of),
            (Self::Map(value), Type::Map(of)) => value.fits(of),
            (_, declared) => *self == Self::of(declared),
        }
    }
}
