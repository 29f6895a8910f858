//! Named groups of patterns. A group may name groups that stand above it, so that there are no cycles.

use std::ops::Range;

use super::pattern::{Member, Reader};
use super::scope::Scope;
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::mir::Names;
use crate::source::{Span, Spanned};
use crate::syntax::written::Written;

/// One entry of `patterns`.
#[derive(Clone, Copy, Debug)]
pub struct Definition<'a> {
    /// The name of the group.
    pub name: &'a str,
    /// Where the name stands.
    pub span: Span,
    /// The pattern.
    pub written: Written<'a>,
}

/// The checked groups of a contract.
#[derive(Clone, Debug, Default)]
pub struct Groups {
    list: Vec<Group>,
    tools: Vec<Spanned<Names>>,
}

/// A group.
#[derive(Clone, Debug)]
pub(super) struct Group {
    name: String,
    span: Span,
    state: State,
}

#[derive(Clone, Debug)]
enum State {
    /// It stands further down.
    Later,
    /// It is being read.
    Current,
    /// It has mistakes, which have been reported.
    Bad,
    /// Its alternatives, groups expanded.
    Known(Vec<Member>),
}

impl Groups {
    /// Checks all groups, in file order.
    #[must_use]
    pub fn check(definitions: &[Definition<'_>], scope: &Scope<'_>, diagnostics: &mut Diagnostics) -> Self {
        let later = |definition: &Definition<'_>| Group {
            name: definition.name.to_owned(),
            span: definition.span,
            state: State::Later,
        };
        let mut groups = Self { list: definitions.iter().map(later).collect(), tools: Vec::new() };
        for (index, definition) in definitions.iter().enumerate() {
            groups.set(index, State::Current);
            let written = definition.written;
            let mut reader = Reader::new(written, scope, &groups, None, diagnostics);
            let members = reader.members();
            let tools = reader.tools;
            groups.tools.extend(tools);
            groups.set(index, members.map_or(State::Bad, State::Known));
        }
        groups
    }

    /// Every tool that a group names without a wildcard, with its place.
    #[must_use]
    pub fn tools(&self) -> &[Spanned<Names>] {
        &self.tools
    }

    /// Whether a group has this name.
    #[must_use]
    pub fn contains(&self, name: &str) -> bool {
        self.find(name).is_some()
    }

    /// The names of all groups.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.list.iter().map(|group| group.name.as_str())
    }

    pub(super) fn find(&self, name: &str) -> Option<&Group> {
        self.list.iter().find(|group| group.name == name)
    }

    fn set(&mut self, index: usize, state: State) {
        if let Some(group) = self.list.get_mut(index) {
            group.state = state;
        }
    }
}

impl Group {
    /// Its alternatives, for a pattern that names it at a range.
    pub(super) fn members(
        &self,
        written: Written<'_>,
        range: &Range<usize>,
        diagnostics: &mut Diagnostics,
    ) -> Option<&[Member]> {
        let name = &self.name;
        let (message, help) = match &self.state {
            State::Known(members) => return Some(members),
            State::Bad => return None,
            State::Current => (format!("the group `{name}` names itself"), "a group lists tools and groups above it"),
            State::Later => {
                (format!("the group `{name}` stands further down"), "move it above the group that names it")
            }
        };
        let diagnostic = Diagnostic::new(Code::UnknownName, written.span(range), message).help(help);
        diagnostics.push(diagnostic.related(self.span, "defined here"));
        None
    }
}
