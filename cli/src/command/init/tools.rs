//! The tools of a server, as declarations. What the server says of them stands in comments: it is untrusted.

use std::collections::BTreeSet;

use contract_lang::catalog::Tool;
use contract_lang::diagnostic::render;
use contract_lang::syntax::parse;

/// The longest text of a server that is shown, in characters.
const LONGEST: usize = 100;

const INTRODUCTION: &str = "
# The tools of the server. Each counts as `irreversible`, which `default` blocks, until you have looked at what it does: write
# `read` for what changes nothing, and `write` for what can be undone. What the server says of itself is only a hint.
";

/// The section `tools`.
pub(super) fn declared(tools: &[Tool]) -> String {
    let mut out = INTRODUCTION.to_owned();
    let mut seen = BTreeSet::new();
    let (named, unnamed): (Vec<&Tool>, Vec<&Tool>) =
        tools.iter().filter(|tool| seen.insert(tool.name.as_str())).partition(|tool| is_name(&tool.name));
    out.push_str(if named.is_empty() { "tools: {}\n" } else { "tools:\n" });
    for tool in named {
        for line in said(tool) {
            out.push_str(&format!("  # {line}\n"));
        }
        out.push_str(&format!("  {}: {{ effect: irreversible }}\n", quoted(&tool.name)));
    }
    if !unnamed.is_empty() {
        out.push_str("# No rule can name these; `undeclared` decides them:\n");
        out.push_str(&unnamed.iter().map(|tool| format!("# - {}\n", shown(&tool.name))).collect::<String>());
    }
    out.push_str("\n# What becomes of calls to tools that are not listed here.\nundeclared: block\n");
    out
}

/// Whether patterns can name a tool.
pub(super) fn is_name(name: &str) -> bool {
    let is_plain = !name.contains(['*', '?']) && !name.contains("::") && name != "any" && name.len() <= 128;
    is_plain
        && parse::pattern(name).is_ok_and(|pattern| match pattern.alternatives.as_slice() {
            [one] => one.phase.is_none() && one.condition.is_none() && one.name.text == name,
            _ => false,
        })
}

/// What the server says of a tool, each on a line.
fn said(tool: &Tool) -> Vec<String> {
    let about = [tool.description.as_ref(), tool.title.as_ref()];
    let about = about.into_iter().flatten().map(|text| shown(text)).find(|text| !text.is_empty());
    let hints = tool.annotations.iter().filter(|(_, value)| value.is_boolean());
    let hints: Vec<String> = hints.take(8).map(|(name, value)| format!("{}: {value}", shown(name))).collect();
    let hints = (!hints.is_empty()).then(|| format!("the server says: {} (not trusted)", hints.join(", ")));
    about.into_iter().chain(hints).collect()
}

/// A text of the server on one line: short, and with nothing hidden.
fn shown(text: &str) -> String {
    let line = text.split_whitespace().take(LONGEST).collect::<Vec<_>>().join(" ");
    let cut: String = line.chars().take(LONGEST).collect();
    let more = if cut.len() < line.len() { "…" } else { "" };
    format!("{}{more}", render::escape(&cut))
}

/// A name as a YAML scalar.
pub(super) fn quoted(text: &str) -> String {
    let is_word = text.starts_with(|first: char| first.is_ascii_alphabetic())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && !["true", "false", "null", "yes", "no", "on", "off", "y", "n"].contains(&text.to_ascii_lowercase().as_str());
    if is_word { text.to_owned() } else { serde_json::Value::from(text).to_string() }
}
