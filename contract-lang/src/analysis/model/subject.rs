//! Representatives of the tools and host events that a contract can tell apart.
//!
//! A name that some pattern spells out stands for itself. Other names are told apart by the globs that match them: for every set of
//! globs that some name can match together there is one representative without a name.

use std::collections::BTreeSet;

use super::Model;
use crate::automaton::matched_together;
use crate::mir::{Contract, Glob, Names, Rule, Subject as Spoken};

/// A name, or all those that the same globs match.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Name {
    /// The name, if the contract spells it out.
    pub literal: Option<String>,
    /// The globs that match it, if not.
    pub globs: BTreeSet<Glob>,
}

impl Name {
    fn literal(name: &str) -> Self {
        Self { literal: Some(name.to_owned()), globs: BTreeSet::new() }
    }

    /// Whether a glob of the contract matches it.
    #[must_use]
    pub fn matches(&self, glob: &Glob) -> bool {
        self.literal.as_ref().map_or_else(|| self.globs.contains(glob), |name| glob.matches(name))
    }
}

/// What events are of: a tool, on a server or not, or a host event.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Subject {
    /// A tool.
    Tool {
        /// Its name.
        name: Name,
        /// The server, as far as the contract tells servers apart: `None` is one that it does not, or no server.
        server: Option<Name>,
    },
    /// A host event.
    Event(Name),
}

impl Subject {
    /// Whether it is a tool that these names select.
    #[must_use]
    pub fn is_named(&self, names: &Names) -> bool {
        match self {
            Self::Tool { name, server } => {
                name.matches(&names.tool)
                    && names
                        .server
                        .as_ref()
                        .is_none_or(|glob| server.as_ref().is_some_and(|server| server.matches(glob)))
            }
            Self::Event(_) => false,
        }
    }

    /// The name of the tool, if the contract spells it out.
    #[must_use]
    pub fn tool(&self) -> Option<&str> {
        match self {
            Self::Tool { name, .. } => name.literal.as_deref(),
            Self::Event(_) => None,
        }
    }
}

/// Everything that a rule says about which events: patterns, keys, operands.
pub(super) fn spoken(rule: &Rule) -> impl Iterator<Item = &Spoken> {
    rule.all_patterns().flat_map(|pattern| &pattern.alternatives).map(|one| &one.subject).chain(rule.routes())
}

/// The representatives of some contracts together. `None` if their globs are too many to tell.
pub(super) fn subjects(contracts: &[&Contract]) -> Option<Vec<Subject>> {
    let mut names: BTreeSet<&Names> = BTreeSet::new();
    let mut events: BTreeSet<&Glob> = BTreeSet::new();
    let mut literal: BTreeSet<&str> = BTreeSet::new();
    for contract in contracts {
        let commits = contract.commits.iter().flat_map(|commit| &commit.after.alternatives).map(|one| &one.subject);
        for subject in contract.rules.iter().flat_map(spoken).chain(commits) {
            match subject {
                Spoken::Tools(spoken) => {
                    names.insert(spoken);
                }
                Spoken::Event(glob) => {
                    events.insert(glob);
                }
                Spoken::Effect(_) => {}
            }
        }
        names.extend(contract.tools.iter().map(|tool| &tool.names));
        literal.extend(contract.catalog.iter().map(String::as_str));
    }
    let mut found = Vec::new();
    let catalog: Vec<Glob> = literal.iter().map(|name| Glob::new(name)).collect();
    for name in representatives(names.iter().map(|names| &names.tool).chain(&catalog))? {
        let servers = names.iter().filter(|names| name.matches(&names.tool)).filter_map(|names| names.server.as_ref());
        // A server that nothing tells from others is like none.
        let servers = representatives(servers)?.into_iter();
        let servers = servers.filter(|server| server.literal.is_some() || !server.globs.is_empty()).map(Some);
        found.extend(servers.chain([None]).map(|server| Subject::Tool { name: name.clone(), server }));
    }
    if !events.is_empty() {
        found.extend(representatives(events.into_iter())?.into_iter().map(Subject::Event));
    }
    found.sort_unstable();
    found.dedup();
    Some(found)
}

/// Each literal name, and one name for each set of globs that match together.
fn representatives<'g>(globs: impl Iterator<Item = &'g Glob>) -> Option<Vec<Name>> {
    let (literals, globs): (BTreeSet<&Glob>, BTreeSet<&Glob>) = globs.partition(|glob| glob.is_literal());
    let globs: Vec<&Glob> = globs.into_iter().collect();
    let sets = matched_together(&globs)?;
    let unnamed = sets.into_iter().map(|set| Name {
        literal: None,
        globs: set.into_iter().filter_map(|at| globs.get(at).map(|glob| (*glob).clone())).collect(),
    });
    Some(literals.into_iter().map(|name| Name::literal(name.as_str())).chain(unnamed).collect())
}

impl Model<'_> {
    /// The representatives of tools and host events, ascending.
    #[must_use]
    pub fn subjects(&self) -> &[Subject] {
        &self.subjects
    }
}
