//! The codes of diagnostics, each with a level and a page.

use super::Level;

macro_rules! codes {
    ($($name:ident = $code:literal, $level:ident;)*) => {
        /// The kind of a diagnostic. Its page, printed by `interlock explain --code`, says what it means and what to do.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Code {
            $(#[doc = include_str!(concat!("pages/", $code, ".md"))] $name,)*
        }

        impl Code {
            /// Every code, ascending.
            pub const ALL: &[Self] = &[$(Self::$name),*];

            /// Its spelling, `IL0101`.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$name => $code),* }
            }

            /// Its page, in Markdown.
            #[must_use]
            pub fn page(self) -> &'static str {
                match self { $(Self::$name => include_str!(concat!("pages/", $code, ".md"))),* }
            }

            /// How bad it is.
            #[must_use]
            pub fn level(self) -> Level {
                match self { $(Self::$name => Level::$level),* }
            }
        }
    };
}

codes! {
    // IL01xx: the file and its form, YAML or text.
    NotText = "IL0101", Error;
    TooLarge = "IL0102", Error;
    YamlSyntax = "IL0103", Error;
    YamlFeature = "IL0104", Error;
    DuplicateKey = "IL0105", Error;
    TooDeep = "IL0106", Error;
    YamlTrap = "IL0107", Error;
    AmbiguousYaml = "IL0108", Error;
    TextSyntax = "IL0109", Error;
    // IL02xx: the structure.
    UnknownField = "IL0201", Error;
    MissingField = "IL0202", Error;
    WrongType = "IL0203", Error;
    BadValue = "IL0204", Error;
    RuleKind = "IL0205", Error;
    // IL03xx: patterns, predicates, key paths.
    ExpressionSyntax = "IL0301", Error;
    UnknownName = "IL0302", Error;
    UnknownFunction = "IL0303", Error;
    WrongArguments = "IL0304", Error;
    TypeMismatch = "IL0305", Error;
    BadRegex = "IL0306", Error;
    MissingPhase = "IL0307", Error;
    WrongPhase = "IL0308", Error;
    NotReadable = "IL0309", Error;
    UnusedName = "IL0310", Error;
    // IL04xx: what rules, tools and state mean together.
    DuplicateId = "IL0401", Error;
    UndeclaredTool = "IL0402", Warning;
    UnknownTool = "IL0403", Error;
    NoBound = "IL0404", Error;
    KeyMissing = "IL0405", Error;
    EqualPatterns = "IL0406", Error;
    KeyedObligation = "IL0407", Error;
    MachineTooLarge = "IL0408", Error;
    ClaimedState = "IL0409", Error;
    CloseOnOk = "IL0410", Warning;
    DetectsOnly = "IL0411", Warning;
    NeverCommitted = "IL0412", Warning;
    Catalog = "IL0413", Error;
    OverlappingRewrites = "IL0414", Error;
    DefaultDefeated = "IL0415", Warning;
    AlertWhenFull = "IL0416", Note;
    RedactedHole = "IL0417", Error;
    GuardedAnswer = "IL0418", Warning;
    NeverSatisfied = "IL0419", Warning;
    NeverViolated = "IL0420", Warning;
    // IL05xx: what is proved of a contract as a whole,
    Contradiction = "IL0501", Error;
    Trap = "IL0502", Error;
    DeadTool = "IL0503", Warning;
    RedundantRule = "IL0504", Warning;
    ConstantPredicate = "IL0505", Warning;
    UnmetObligation = "IL0506", Warning;
    Unmonitorable = "IL0507", Note;
    OverlappingPatterns = "IL0508", Note;
    Inconclusive = "IL0509", Note;
    // and where a contract says less than it seems to.
    KeysDiffer = "IL0521", Note;
    NeverRetires = "IL0522", Note;
    UnguardedIrreversible = "IL0523", Warning;
    LatePrecondition = "IL0524", Warning;
    UnclassifiedTool = "IL0525", Note;
    MaskedRule = "IL0526", Warning;
    TwoCommits = "IL0527", Warning;
    // IL054x: what the catalogs of tools say.
    UnknownArgument = "IL0541", Error;
    ArgumentType = "IL0542", Error;
    OptionalArgument = "IL0543", Warning;
    ToolRenamed = "IL0544", Error;
}

impl Code {
    /// What is greater, is about contracts that can be used.
    pub(super) const BEFORE_ANALYSIS: &str = "IL0500";

    /// Whether a contract with the mistake still has one meaning, so that a session can show what is wrong with it.
    #[must_use]
    pub fn keeps_meaning(self) -> bool {
        matches!(self, Self::NoBound | Self::ClaimedState | Self::EqualPatterns) || self.as_str().starts_with("IL05")
    }

    /// The code of a spelling.
    #[must_use]
    pub fn from_spelling(text: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|code| code.as_str().eq_ignore_ascii_case(text))
    }
}
