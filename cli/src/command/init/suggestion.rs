//! Rules that may be meant for some tools, by their names and arguments. Guesses, so they are comments.

use std::collections::BTreeSet;

use contract_lang::catalog::{Kinds, Tool};

use super::tools::{is_name, quoted};

/// Words of tools that do something, and of tools that look at something.
const DOES: [&str; 18] = [
    "add", "cancel", "create", "delete", "drop", "edit", "merge", "move", "pay", "post", "publish", "push", "refund",
    "remove", "send", "submit", "update", "write",
];
const LOOKS: [&str; 10] = ["check", "describe", "find", "get", "info", "list", "read", "show", "validate", "view"];

/// Most rules of a kind.
const MOST: usize = 3;

/// The section `rules`, as suggestions.
pub(super) fn rules(tools: &[Tool]) -> String {
    let named: Vec<&Tool> = tools.iter().filter(|tool| is_name(&tool.name)).collect();
    let does: Vec<&Tool> = named.iter().copied().filter(|tool| has_word(tool, &DOES)).collect();
    let mut found = Vec::new();
    for then in &does {
        let looks = named.iter().filter(|tool| has_word(tool, &LOOKS) && !has_word(tool, &DOES));
        let shared =
            looks.filter_map(|first| Some((first, keys(then).find(|key| keys(first).any(|other| other == *key))?)));
        if let Some((first, key)) = shared.max_by_key(|(first, _)| alike(first, then))
            && found.len() < MOST
        {
            found.push(format!(
                "#  - id: {}-first-{}\n#    must_precede: {{ first: {}, then: {} }}\n#    per: args.{key}\n#    instances: {{ max: 10000 }}\n",
                id(&first.name),
                id(&then.name),
                quoted(&first.name),
                quoted(&then.name)
            ));
        }
    }
    let once = does.iter().filter_map(|tool| Some((tool, keys(tool).next()?))).take(MOST).map(|(tool, key)| {
        let (id, call) = (id(&tool.name), quoted(&tool.name));
        format!("#  - id: once-{id}\n#    at_most_n_times: {{ call: {call}, n: 1 }}\n#    per: args.{key}\n#    instances: {{ max: 10000 }}\n")
    });
    found.extend(once);
    if let Some(tool) = does.first().or(named.first()) {
        let (id, call) = (id(&tool.name), quoted(&tool.name));
        found.push(format!("#  - id: not-too-often-{id}\n#    rate_limit: {{ call: {call}, n: 30, window: 1m }}\n"));
        found.push(format!("#  - id: ask-before-{id}\n#    forbid: {call}\n#    action: ask\n"));
    }
    if found.is_empty() {
        return String::new();
    }
    let head = "\n# Rules that may be meant here, by the names of the tools. The first are about order, the next about how often.\n#rules:\n";
    format!("{head}{}", found.concat())
}

/// The arguments that tell one thing from another, the likeliest first: strings and numbers that every call has.
fn keys(tool: &Tool) -> impl Iterator<Item = &str> {
    let scalar = Kinds::STRING.or(Kinds::NUMBER);
    let is_key = move |kinds: Kinds| kinds != Kinds::NONE && kinds.without(scalar) == Kinds::NONE;
    let listed = tool.input.properties.iter().filter(move |(name, property)| {
        property.required && is_key(property.schema.kinds) && property.schema.values.is_none() && is_identifier(name)
    });
    let mut names: Vec<&str> = listed.map(|(name, _)| name.as_str()).collect();
    names.sort_by_key(|name| !is_id(name));
    names.into_iter()
}

fn is_id(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["id", "number", "key", "path", "invoice"].iter().any(|end| name.ends_with(end))
}

fn is_identifier(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_alphabetic())
        && name.len() <= 64
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

fn words(tool: &Tool) -> BTreeSet<String> {
    tool.name.split(|c: char| !c.is_ascii_alphanumeric()).map(str::to_ascii_lowercase).collect()
}

fn has_word(tool: &Tool, wanted: &[&str]) -> bool {
    words(tool).iter().any(|word| wanted.contains(&word.as_str()))
}

/// How many words two tools share.
fn alike(one: &Tool, other: &Tool) -> usize {
    words(one).intersection(&words(other)).count()
}

/// A name as a part of an id.
fn id(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    name.chars().map(plain).collect::<String>().trim_matches('-').to_owned()
}
