//! Levels of findings that are set by hand.

use std::collections::BTreeMap;

use super::{Certainty, Code, Diagnostic, Level, nearest};

/// What becomes of findings of one code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Setting {
    /// They are only counted.
    Off,
    /// They are worth knowing.
    Note,
    /// They are probably mistakes.
    Warning,
    /// The contract is refused.
    Error,
}

impl Setting {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Off, Self::Note, Self::Warning, Self::Error];

    /// The level of the findings; `None` if they are off.
    #[must_use]
    pub fn level(self) -> Option<Level> {
        match self {
            Self::Off => None,
            Self::Note => Some(Level::Note),
            Self::Warning => Some(Level::Warning),
            Self::Error => Some(Level::Error),
        }
    }

    /// Its spelling.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.level().map_or("off", Level::as_str)
    }
}

/// The settings of a run: those of the contract's `lint`, and those of the command line, which win.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Levels(BTreeMap<Code, Setting>);

impl Levels {
    /// Sets one. Without effect for a code that [cannot be set](Code::is_settable).
    pub fn set(&mut self, code: Code, setting: Setting) {
        if code.is_settable() {
            self.0.insert(code, setting);
        }
    }

    /// Takes over what another says.
    pub fn override_with(&mut self, other: &Self) {
        self.0.extend(&other.0);
    }

    /// The level of a finding; `None` if it is switched off. Only what is proved becomes an error.
    #[must_use]
    pub(super) fn of(&self, finding: &Diagnostic) -> Option<Level> {
        let Some(setting) = self.0.get(&finding.code) else { return Some(finding.level) };
        let is_sure = finding.certainty.is_none_or(|certainty| certainty == Certainty::Proved);
        setting.level().map(|level| level.min(if is_sure { Level::Error } else { Level::Warning }))
    }
}

impl Code {
    /// Whether its level can be set. An error about the file, its structure, its names or what it means leaves no contract that
    /// could be used, so it stays one.
    #[must_use]
    pub fn is_settable(self) -> bool {
        self.level() != Level::Error || self.as_str() > Self::BEFORE_ANALYSIS
    }

    /// The code of a spelling, whose level is to be set.
    ///
    /// # Errors
    /// There is none, or its level cannot be set. The error says why, and what was probably meant.
    pub fn settable(text: &str) -> Result<Self, Unsettable> {
        match Self::from_spelling(text) {
            Some(code) if code.is_settable() => Ok(code),
            Some(code) => Err(Unsettable {
                message: format!("the level of `{}` cannot be set", code.as_str()),
                help: "with this error there is no contract that could be used: correct it".to_owned(),
                meant: None,
            }),
            None => {
                let codes = Self::ALL.iter().filter(|code| code.is_settable()).map(|code| code.as_str());
                let meant = nearest(text, codes);
                Err(Unsettable {
                    message: format!("`{}` is not the code of a finding", crate::decode::shorten(text)),
                    help: match meant {
                        Some(code) => format!("did you mean `{code}`?"),
                        None => "write a code such as `IL0411`, as `interlock lint` shows it".to_owned(),
                    },
                    meant,
                })
            }
        }
    }
}

/// Why the level of a code cannot be set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsettable {
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub help: String,
    /// The code that was probably meant.
    pub meant: Option<&'static str>,
}

impl std::fmt::Display for Unsettable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}; {}", self.message, self.help)
    }
}

impl std::error::Error for Unsettable {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Span;

    #[test]
    fn a_setting_counts_for_what_leaves_a_contract_to_use() {
        let mut levels = Levels::default();
        for code in [Code::DetectsOnly, Code::UnknownField, Code::NoBound] {
            levels.set(code, Setting::Off);
        }
        let level = |code| levels.of(&Diagnostic::new(code, Span::default(), "m"));
        assert_eq!(level(Code::DetectsOnly), None);
        assert_eq!(level(Code::UnknownField), Some(Level::Error));
        assert_eq!(level(Code::NoBound), Some(Level::Error));
        assert_eq!(level(Code::UndeclaredTool), Some(Level::Warning));
    }

    #[test]
    fn only_what_is_proved_becomes_an_error() {
        let mut levels = Levels::default();
        levels.set(Code::NeverViolated, Setting::Error);
        let found = || Diagnostic::new(Code::NeverViolated, Span::default(), "m");
        assert_eq!(levels.of(&found()), Some(Level::Error));
        assert_eq!(levels.of(&found().certainty(Certainty::Proved)), Some(Level::Error));
        assert_eq!(levels.of(&found().certainty(Certainty::Possible)), Some(Level::Warning));
    }

    #[test]
    fn what_cannot_be_set_says_why() {
        assert_eq!(Code::settable("il0411"), Ok(Code::DetectsOnly));
        let said = |text| Code::settable(text).unwrap_err().to_string();
        assert_eq!(said("IL041"), "`IL041` is not the code of a finding; did you mean `IL0410`?");
        assert!(said("detects").contains("write a code such as"), "{}", said("detects"));
        assert!(said("IL0404").contains("correct it"), "{}", said("IL0404"));
    }
}
