//! What snapshots keep, as JSON that is read back exactly: numbers that a reader of JSON may round are texts.

use std::collections::VecDeque;

use serde_json::Value;

use crate::{Decimal, Time};

/// A value that survives a snapshot.
pub(crate) trait Saved: Sized {
    /// The JSON form.
    fn save(&self) -> Value;
    /// The value of the JSON form; `None` where it has none.
    fn load(saved: &Value) -> Option<Self>;
}

/// A time by its nanoseconds since the Unix epoch.
pub(crate) fn read_nanos(text: &str) -> Option<Time> {
    let nanos = text.parse().ok()?;
    Some(Time::from_nanos(nanos)).filter(|time| time.as_nanos() == nanos)
}

impl Saved for bool {
    fn save(&self) -> Value {
        Value::Bool(*self)
    }

    fn load(saved: &Value) -> Option<Self> {
        saved.as_bool()
    }
}

impl Saved for u32 {
    fn save(&self) -> Value {
        Value::from(*self)
    }

    fn load(saved: &Value) -> Option<Self> {
        Self::try_from(saved.as_u64()?).ok()
    }
}

impl Saved for u64 {
    fn save(&self) -> Value {
        Value::from(self.to_string())
    }

    fn load(saved: &Value) -> Option<Self> {
        saved.as_str()?.parse().ok()
    }
}

impl Saved for Time {
    fn save(&self) -> Value {
        Value::from(self.as_nanos().to_string())
    }

    fn load(saved: &Value) -> Option<Self> {
        read_nanos(saved.as_str()?)
    }
}

impl Saved for Decimal {
    fn save(&self) -> Value {
        Value::from(self.to_string())
    }

    fn load(saved: &Value) -> Option<Self> {
        Self::parse(saved.as_str()?)
    }
}

impl<T: Saved> Saved for Option<T> {
    fn save(&self) -> Value {
        self.as_ref().map_or(Value::Null, T::save)
    }

    fn load(saved: &Value) -> Option<Self> {
        if saved.is_null() { Some(None) } else { T::load(saved).map(Some) }
    }
}

impl<T: Saved> Saved for Vec<T> {
    fn save(&self) -> Value {
        self.iter().map(T::save).collect()
    }

    fn load(saved: &Value) -> Option<Self> {
        saved.as_array()?.iter().map(T::load).collect()
    }
}

impl<T: Saved> Saved for VecDeque<T> {
    fn save(&self) -> Value {
        self.iter().map(T::save).collect()
    }

    fn load(saved: &Value) -> Option<Self> {
        saved.as_array()?.iter().map(T::load).collect()
    }
}

/// Tuples are JSON arrays.
macro_rules! tuple {
    ($($name:ident: $member:ident),+) => {
        impl<$($member: Saved),+> Saved for ($($member,)+) {
            fn save(&self) -> Value {
                let ($($name,)+) = self;
                Value::Array(vec![$($name.save()),+])
            }

            fn load(saved: &Value) -> Option<Self> {
                let [$($name),+] = saved.as_array()?.as_slice() else { return None };
                Some(($($member::load($name)?,)+))
            }
        }
    };
}

tuple!(a: A, b: B);
tuple!(a: A, b: B, c: C);
tuple!(a: A, b: B, c: C, d: D);
