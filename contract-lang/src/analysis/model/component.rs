//! Which rules have to be looked at together: those that share events and remember something of them.
//!
//! Rules without memory do not tie tools together: they are looked at with each. A rule about very many tools would tie all others
//! to each other, so it is looked at by itself; in the other components it may say anything.

use std::collections::BTreeMap;

use super::memory::Law;
use super::{Focus, Model, Subject};
use crate::mir::Subject as Spoken;

/// A rule about more tools and events than these is looked at by itself.
const WIDE: usize = 24;

/// The components of a contract, and which subject is in which.
#[derive(Debug, Default)]
pub(super) struct Components {
    pub(super) all: Vec<Focus>,
    /// How many of them, the first, are not of a rule that is looked at by itself.
    pub(super) joint: usize,
}

impl Model<'_> {
    /// For each subject, the rules whose patterns may speak of it.
    pub(super) fn concerns(&self) -> Vec<Vec<usize>> {
        let mut by_name: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (index, subject) in self.subjects.iter().enumerate() {
            if let Some(name) = subject.tool() {
                by_name.entry(name).or_default().push(index);
            }
        }
        let mut touching = vec![Vec::new(); self.subjects.len()];
        let all: Vec<usize> = (0..self.subjects.len()).collect();
        for rule in 0..self.rules.len() {
            let Some(checked) = self.rule(rule) else { continue };
            let patterns = checked.all_patterns().flat_map(|pattern| &pattern.alternatives);
            for spoken in patterns.map(|one| &one.subject) {
                let candidates = match spoken {
                    Spoken::Tools(names) if names.tool.is_literal() => {
                        by_name.get(names.tool.as_str()).map(Vec::as_slice).unwrap_or_default()
                    }
                    _ => &all,
                };
                for index in candidates {
                    if let (Some(subject), Some(rules)) = (self.subjects.get(*index), touching.get_mut(*index))
                        && may_be(subject, spoken)
                        && rules.last() != Some(&rule)
                    {
                        rules.push(rule);
                    }
                }
            }
        }
        touching
    }
}

fn may_be(subject: &Subject, spoken: &Spoken) -> bool {
    match (subject, spoken) {
        (_, Spoken::Tools(names)) => subject.is_named(names),
        (Subject::Tool { .. }, Spoken::Effect(_)) => true,
        (Subject::Event(name), Spoken::Event(glob)) => name.matches(glob),
        _ => false,
    }
}

impl Components {
    pub(super) fn of(model: &Model<'_>) -> Self {
        let mut subjects_of: Vec<Vec<usize>> = vec![Vec::new(); model.rules.len()];
        for (subject, rules) in model.touching.iter().enumerate() {
            for rule in rules {
                if let Some(subjects) = subjects_of.get_mut(*rule) {
                    subjects.push(subject);
                }
            }
        }
        let mut group: Vec<usize> = (0..model.subjects.len()).collect();
        let mut wide = Vec::new();
        for (rule, subjects) in subjects_of.iter().enumerate() {
            let remembers = model.rule(rule).is_some_and(|rule| Law::of(rule).has_states());
            if !remembers {
                continue;
            }
            if subjects.len() > WIDE {
                wide.push(rule);
                continue;
            }
            for pair in subjects.windows(2) {
                if let [one, other] = pair {
                    join(&mut group, *one, *other);
                }
            }
        }
        let mut members: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for subject in 0..model.subjects.len() {
            let root = root(&mut group, subject);
            members.entry(root).or_default().push(subject);
        }
        let component = |subjects: Vec<usize>| {
            let rules = subjects.iter().flat_map(|subject| model.touching(*subject));
            let mut rules: Vec<usize> = rules.copied().filter(|rule| wide.binary_search(rule).is_err()).collect();
            rules.sort_unstable();
            rules.dedup();
            Focus { rules, subjects }
        };
        let mut all: Vec<Focus> = members.into_values().map(component).collect();
        let alone = wide
            .iter()
            .map(|rule| Focus { rules: vec![*rule], subjects: subjects_of.get(*rule).cloned().unwrap_or_default() });
        let joint = all.len();
        all.extend(alone);
        Self { all, joint }
    }
}

/// The representative of a group; paths to it are halved.
fn root(group: &mut [usize], mut member: usize) -> usize {
    while let Some(parent) = group.get(member).copied()
        && parent != member
    {
        let above = group.get(parent).copied().unwrap_or(parent);
        if let Some(slot) = group.get_mut(member) {
            *slot = above;
        }
        member = above;
    }
    member
}

fn join(group: &mut [usize], one: usize, other: usize) {
    let (one, other) = (root(group, one), root(group, other));
    if let Some(slot) = group.get_mut(one.max(other)) {
        *slot = one.min(other);
    }
}
