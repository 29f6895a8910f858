//! What an older catalog had under another name: tools, and their arguments.

use std::collections::BTreeSet;

use super::Shared;
use super::truth::Wrong;
use crate::catalog::{Hop, Known, Place, Property, Schema, Tool};
use crate::diagnostic::{Certainty, Code, Diagnostic};
use crate::resolve::Lowered;
use crate::source::Span;
use crate::syntax::print::is_identifier;

/// Most names that are compared with one, and the longest.
const MOST: usize = 500;
const LONGEST: usize = 64;

/// A tool that is gone, where a new one is very like it.
pub(super) fn tool(name: &str, span: Span, can_replace: bool, lowered: &Lowered<'_>) -> Option<Diagnostic> {
    let (before, now) = (&lowered.before, &lowered.catalog);
    let old = before.get(name).filter(|_| now.is_whole() && now.get(name).is_none())?;
    let new = alike(old, now.iter().filter(|tool| before.get(&tool.name).is_none()))?;
    let message = format!("the server has no tool `{name}` any more; `{}` is new, and very like it", new.name);
    let diagnostic = Diagnostic::new(Code::ToolRenamed, span, message).certainty(Certainty::Proved);
    Some(match can_replace {
        true => diagnostic.suggest(format!("write `{}`", new.name), span, &new.name),
        false => diagnostic.help(format!("write `{}`", new.name)),
    })
}

/// The tool that is most like another, and clearly so.
fn alike<'k>(old: &Tool, tools: impl Iterator<Item = &'k Tool>) -> Option<&'k Tool> {
    let described = |new: &Tool| {
        old.description.as_ref().is_some_and(|text| !text.is_empty() && new.description.as_ref() == Some(text))
    };
    let scored = tools.take(MOST).filter_map(|new| {
        let (names, arguments) = (likeness(&old.name, &new.name), shared_names(&old.input, &new.input));
        let is_like = names >= 70 || (names >= 30 && arguments >= 60) || described(new);
        let score = names.saturating_add(arguments).saturating_add(if described(new) { 100 } else { 0 });
        is_like.then_some((score, new))
    });
    scored.max_by(|(one, first), (other, second)| one.cmp(other).then(second.name.cmp(&first.name))).map(|(_, new)| new)
}

/// How like two names are, in hundredths.
fn likeness(one: &str, other: &str) -> usize {
    let (one, other) = (one.to_ascii_lowercase(), other.to_ascii_lowercase());
    if one.len() > LONGEST || other.len() > LONGEST {
        return 0;
    }
    let longer = one.chars().count().max(other.chars().count()).max(1);
    let same = longer.saturating_sub(strsim::damerau_levenshtein(&one, &other));
    let letters = same.saturating_mul(100).checked_div(longer).unwrap_or(0);
    let words = |name: &str| -> BTreeSet<String> { name.split(['_', '-', '.', '/']).map(str::to_owned).collect() };
    letters.max(common(&words(&one), &words(&other)))
}

/// How many of the arguments of both have one name, in hundredths.
fn shared_names(one: &Schema, other: &Schema) -> usize {
    let names = |schema: &Schema| -> BTreeSet<String> { schema.properties.keys().take(MOST).cloned().collect() };
    common(&names(one), &names(other))
}

fn common(one: &BTreeSet<String>, other: &BTreeSet<String>) -> usize {
    one.intersection(other).count().saturating_mul(100).checked_div(one.union(other).count()).unwrap_or(0)
}

/// An argument that is gone, where a new one of the same tools is very like it.
pub(super) fn argument(shared: &Shared<'_, '_>, path: &str, name: &str, lowered: &Lowered<'_>) -> Option<Diagnostic> {
    let Some(Wrong::Missing(trail)) = &shared.fault.wrong else { return None };
    let near: Option<BTreeSet<&str>> = shared.tools.iter().map(|tool| new_name(trail, tool, &lowered.before)).collect();
    let near = near?;
    let (Some(new), 1) = (near.first(), near.len()) else { return None };
    let message = format!("{} had `{path}` before; `{new}` is new, and very like it", shared.named());
    let diagnostic = Diagnostic::new(Code::ToolRenamed, shared.span(), message).certainty(Certainty::Proved);
    let diagnostic = diagnostic.label(format!("there is no `{name}` any more"));
    Some(match is_identifier(new) {
        true => diagnostic.suggest(format!("write `{new}`"), shared.span(), format!(".{new}")),
        false => diagnostic.help(format!("write `[\"{new}\"]`")),
    })
}

/// The new name of what an older catalog has at a place.
fn new_name<'k>(trail: &[String], tool: &'k Tool, before: &Known) -> Option<&'k str> {
    let hops: Vec<Hop<'_>> = trail.iter().skip(1).map(|step| hop(step)).collect();
    let (_, parents) = hops.split_last()?;
    fn root<'t>(tool: &'t Tool, trail: &[String]) -> Option<&'t Schema> {
        if trail.first().is_some_and(|root| root == "args") { Some(&tool.input) } else { tool.output.as_ref() }
    }
    fn listed<'s>(schema: &'s Schema, hops: &[Hop<'_>]) -> Option<&'s std::collections::BTreeMap<String, Property>> {
        match schema.at(hops.iter().copied()) {
            Place::Known { schema, .. } => Some(&schema.properties),
            _ => None,
        }
    }
    let name = trail.last()?;
    let old = listed(root(before.get(&tool.name)?, trail)?, parents)?;
    let gone = &old.get(name)?.schema;
    let new: Vec<_> =
        listed(root(tool, trail)?, parents)?.iter().filter(|(name, _)| !old.contains_key(*name)).take(MOST).collect();
    let is_only = new.len() == 1;
    let is_like = |new: &str, schema: &Schema| likeness(name, new) >= 50 || (is_only && schema.kinds == gone.kinds);
    let like = new.into_iter().filter(|(name, property)| is_like(name, &property.schema));
    like.max_by_key(|(new, _)| likeness(name, new)).map(|(name, _)| name.as_str())
}

fn hop(step: &str) -> Hop<'_> {
    match step {
        "[]" => Hop::Each,
        "**" => Hop::Anywhere,
        name => Hop::Field(name),
    }
}
