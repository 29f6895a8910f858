//! What an expression can read: the roots of its moment, and the declared state and context.

use std::ops::BitOr;

use contract_runtime::Type;

use crate::mir::{Phases, StateCell};

/// A set of roots.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Roots(u8);

impl Roots {
    /// None.
    pub const NONE: Self = Self(0);
    /// The call's arguments.
    pub const ARGS: Self = Self(1);
    /// Facts about the call.
    pub const CALL: Self = Self(2);
    /// Trusted state.
    pub const STATE: Self = Self(4);
    /// Facts from the host.
    pub const CONTEXT: Self = Self(8);
    /// The time of the event.
    pub const NOW: Self = Self(16);
    /// The result.
    pub const RESULT: Self = Self(32);
    /// The host event's value.
    pub const EVENT: Self = Self(64);
    /// What a call can read before it runs: `args call state context now`.
    pub const OF_CALL: Self = Self(31);
    /// What can be read once it has run: the same and `result`.
    pub const OF_RESULT: Self = Self(63);
    /// What a host event can read: `event state context now`.
    pub const OF_EVENT: Self = Self(92);
    /// What an effect by argument can read: `args call context now`.
    pub const OF_EFFECT: Self = Self(27);

    /// Each root with its name.
    pub const NAMES: [(&'static str, Self); 7] = [
        ("args", Self::ARGS),
        ("call", Self::CALL),
        ("state", Self::STATE),
        ("context", Self::CONTEXT),
        ("now", Self::NOW),
        ("result", Self::RESULT),
        ("event", Self::EVENT),
    ];

    /// The root of a name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::NAMES.into_iter().find(|(known, _)| *known == name).map(|(_, root)| root)
    }

    /// What can be read at all of these moments.
    #[must_use]
    pub fn at(phases: Phases) -> Self {
        if phases.event {
            Self::OF_EVENT
        } else if phases.call {
            Self::OF_CALL
        } else {
            Self::OF_RESULT
        }
    }

    /// Whether all of the others are in it.
    #[must_use]
    pub fn contains(self, others: Self) -> bool {
        self.0 & others.0 == others.0
    }

    /// Those that are in both.
    #[must_use]
    pub fn and(self, others: Self) -> Self {
        Self(self.0 & others.0)
    }

    /// Those that are not in the others.
    #[must_use]
    pub fn without(self, others: Self) -> Self {
        Self(self.0 & !others.0)
    }

    /// The names, in the order of [`Roots::NAMES`].
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        Self::NAMES.into_iter().filter(move |(_, root)| self.contains(*root)).map(|(name, _)| name)
    }

    /// The names as a list for messages: `` `args`, `call` and `now` ``.
    #[must_use]
    pub fn listed(self) -> String {
        let names: Vec<_> = self.names().map(|name| format!("`{name}`")).collect();
        match names.split_last() {
            Some((last, [])) => last.clone(),
            Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
            None => "nothing".to_owned(),
        }
    }
}

impl BitOr for Roots {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// What an expression can read.
#[derive(Clone, Copy, Debug)]
pub struct Scope<'a> {
    /// The readable roots.
    pub roots: Roots,
    /// The state cells; paths refer to them by index.
    pub cells: &'a [StateCell],
    /// The context facts; paths refer to them by index.
    pub context: &'a [(String, Type)],
    /// Names that are no unknown ones.
    pub broken: Broken<'a>,
}

/// What is declared, and wrong. Nothing more is said where it is read.
#[derive(Clone, Copy, Debug, Default)]
pub struct Broken<'a> {
    /// State cells.
    pub cells: &'a [String],
    /// Context facts.
    pub context: &'a [String],
}

impl Scope<'_> {
    /// The same declarations, read at another moment.
    #[must_use]
    pub fn reading(self, roots: Roots) -> Self {
        Self { roots, ..self }
    }
}

#[cfg(test)]
pub(super) mod fixture {
    //! A few declarations, and texts that are checked against them.

    use std::ops::Range;

    use super::*;
    use crate::diagnostic::{Code, Diagnostics};
    use crate::source::Span;
    use crate::syntax::written::Written;

    /// Runs a check over a text that stands at the start of its file.
    pub(in super::super) fn written<T>(text: &str, check: impl FnOnce(Written<'_>) -> T) -> T {
        check(Written::new(text, &|range: Range<usize>| Span::new(range.start, range.end)))
    }

    /// Cells `n: int`, `account: string`, `verified: set<string>`, `orders: map<json>`, `since: time`, `open: bool`, and the
    /// fact `user: string`.
    pub(in super::super) fn with_scope<T>(roots: Roots, run: impl FnOnce(&Scope<'_>) -> T) -> T {
        let cells = [
            ("n", "int"),
            ("account", "string"),
            ("verified", "set<string>"),
            ("orders", "map<json>"),
            ("since", "time"),
            ("open", "bool"),
        ];
        let cells = cells.map(|(name, ty)| StateCell {
            name: name.to_owned(),
            ty: Type::parse(ty).unwrap(),
            initial: None,
            max: 10,
            max_bytes: 256,
            fresh: None,
        });
        run(&Scope { roots, cells: &cells, context: &[("user".to_owned(), Type::String)], broken: Broken::default() })
    }

    /// The code, the place and the message of each diagnostic.
    pub(in super::super) fn found(text: &str, diagnostics: Diagnostics) -> Vec<(Code, String, String)> {
        let each = diagnostics.into_sorted().into_iter();
        each.inspect(|found| assert!(!found.help.is_empty(), "{text}: `{}` does not say what to write", found.message))
            .map(|found| (found.code, text.get(found.primary.span.range()).unwrap().to_owned(), found.message))
            .collect()
    }

    /// The mistakes of a predicate of a call, without their codes.
    pub(in super::super) fn mistakes(text: &str) -> Vec<(Code, String, String)> {
        let mut diagnostics = Diagnostics::new();
        let checked = with_scope(Roots::OF_CALL, |scope| {
            written(text, |written| super::super::expr::predicate(written, scope, &mut diagnostics))
        });
        assert_eq!(checked.is_none(), diagnostics.has_errors(), "{text}");
        found(text, diagnostics)
    }

    /// Asserts that each predicate has exactly one mistake: its code, place and message.
    pub(in super::super) fn assert_mistakes(cases: &[(&str, Code, &str, &str)]) {
        for (text, code, at, message) in cases {
            assert_eq!(mistakes(text), [(*code, (*at).to_owned(), (*message).to_owned())], "{text}");
        }
    }

    /// Asserts that predicates are accepted.
    pub(in super::super) fn assert_fine(texts: &[&str]) {
        for text in texts {
            assert_eq!(mistakes(text), [], "{text}");
        }
    }
}
