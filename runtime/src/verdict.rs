//! What a monitor says of a trace: colours of automaton states, verdicts of rules.

/// The colour of a state of a finite-trace monitor, over all continuations, the empty one included.
///
/// The four colours are those of coloured automata for LTL on finite traces (Maggi, Montali, Westergaard, van der Aalst,
/// "Monitoring business constraints with linear temporal logic", BPM 2011).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Colour {
    /// No continuation violates.
    Satisfied,
    /// Fine if the session ended now; some continuation violates.
    Open,
    /// Violated if the session ended now; some continuation repairs it.
    Pending,
    /// Nothing repairs it.
    Violated,
}

/// What a rule says of a trace, or of the call that is being decided. Ordered from best to worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// No continuation violates the rule.
    Satisfied,
    /// Fine if the session ended now.
    Open,
    /// Violated if the session ended now.
    Pending,
    /// The rule cannot be evaluated: a fact was never committed, an argument or key is missing or of the wrong type, or
    /// the state of the instance is not known exactly.
    Unestablished,
    /// Nothing repairs it.
    Violated,
}

/// The three-valued view of a verdict (LTL3: Bauer, Leucker, Schallhart, TOSEM 20(4), 2011).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ltl3 {
    /// Holds whatever comes.
    True,
    /// Fails whatever comes.
    False,
    /// Neither yet.
    Unknown,
}

impl Verdict {
    /// The three-valued view: `Satisfied` is true, `Violated` is false, everything else is unknown.
    #[must_use]
    pub fn ltl3(self) -> Ltl3 {
        match self {
            Self::Satisfied => Ltl3::True,
            Self::Violated => Ltl3::False,
            Self::Open | Self::Pending | Self::Unestablished => Ltl3::Unknown,
        }
    }

    /// The verdict once the session has ended here: pending obligations are violated, open rules are satisfied.
    #[must_use]
    pub fn at_end(self) -> Self {
        match self {
            Self::Satisfied | Self::Open => Self::Satisfied,
            Self::Unestablished => Self::Unestablished,
            Self::Pending | Self::Violated => Self::Violated,
        }
    }

    /// The spelling used in formats: `satisfied`, `open`, `pending`, `unestablished`, `violated`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Satisfied => "satisfied",
            Self::Open => "open",
            Self::Pending => "pending",
            Self::Unestablished => "unestablished",
            Self::Violated => "violated",
        }
    }
}

impl From<Colour> for Verdict {
    fn from(colour: Colour) -> Self {
        match colour {
            Colour::Satisfied => Self::Satisfied,
            Colour::Open => Self::Open,
            Colour::Pending => Self::Pending,
            Colour::Violated => Self::Violated,
        }
    }
}

/// A Kleene truth value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Truth {
    /// Established and true.
    True,
    /// Established and false.
    False,
    /// Not established.
    Unknown,
}

impl Truth {
    /// A definite truth value.
    #[must_use]
    pub fn of(value: bool) -> Self {
        if value { Self::True } else { Self::False }
    }

    /// Kleene conjunction.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::False, _) | (_, Self::False) => Self::False,
            (Self::True, Self::True) => Self::True,
            _ => Self::Unknown,
        }
    }

    /// Kleene disjunction.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        match (self, other) {
            (Self::True, _) | (_, Self::True) => Self::True,
            (Self::False, Self::False) => Self::False,
            _ => Self::Unknown,
        }
    }
}

impl std::ops::Not for Truth {
    type Output = Self;

    /// Kleene negation.
    fn not(self) -> Self {
        match self {
            Self::True => Self::False,
            Self::False => Self::True,
            Self::Unknown => Self::Unknown,
        }
    }
}
