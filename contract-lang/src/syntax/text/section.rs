//! The words that begin a block of their own: each adds to one list or mapping of the contract.

/// A word, and what it adds to.
#[derive(Debug)]
pub(crate) struct Section {
    /// The word.
    pub(crate) word: &'static str,
    /// The field of the contract.
    pub(crate) field: &'static str,
    /// What it adds.
    pub(crate) adds: Adds,
}

/// What a section adds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Adds {
    /// An item of a list, with a name that is one of its fields: `rule ID { … }`.
    Named(&'static str),
    /// An item of a list: `commit { … }`.
    Item,
    /// An entry of a mapping: `tool NAME { … }`.
    Entry,
    /// An entry of a mapping whose value is an expression: `pattern NAME = …`.
    Definition,
}

/// All of them.
pub(crate) const SECTIONS: &[Section] = &[
    Section { word: "pattern", field: "patterns", adds: Adds::Definition },
    Section { word: "tool", field: "tools", adds: Adds::Entry },
    Section { word: "state", field: "state", adds: Adds::Entry },
    Section { word: "commit", field: "commit", adds: Adds::Item },
    Section { word: "rule", field: "rules", adds: Adds::Named("id") },
    Section { word: "test", field: "tests", adds: Adds::Named("name") },
];

impl Section {
    /// The section that a word begins.
    pub(crate) fn of_word(word: &str) -> Option<&'static Self> {
        SECTIONS.iter().find(|section| section.word == word)
    }

    /// The section of a field.
    pub(crate) fn of_field(field: &str) -> Option<&'static Self> {
        SECTIONS.iter().find(|section| section.field == field)
    }

    /// How it is written, for messages.
    pub(crate) fn shape(&self) -> String {
        let word = self.word;
        match self.adds {
            Adds::Named("id") => format!("{word} ID {{ … }}"),
            Adds::Named(_) | Adds::Entry => format!("{word} NAME {{ … }}"),
            Adds::Item => format!("{word} {{ … }}"),
            Adds::Definition => format!("{word} NAME = …"),
        }
    }
}
