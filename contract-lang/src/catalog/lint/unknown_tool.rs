//! A tool that neither `tools` nor a catalog knows, and a declared one that a catalog has under another name.

use std::collections::BTreeSet;

use super::renamed;
use crate::ast;
use crate::automaton::overlap;
use crate::diagnostic::{Code, Diagnostic, Diagnostics, Level, nearest};
use crate::mir::{Glob, Names};
use crate::resolve::Lowered;
use crate::resolve::pattern::tool_names;
use crate::source::Spanned;

pub(crate) fn check(written: &ast::Contract, lowered: &Lowered<'_>, diagnostics: &mut Diagnostics) {
    declared(written, lowered, diagnostics);
    named(written, lowered, diagnostics);
}

/// Names under `tools` that the catalogs have almost.
fn declared(written: &ast::Contract, lowered: &Lowered<'_>, diagnostics: &mut Diagnostics) {
    let catalog = &lowered.catalog;
    let declared: BTreeSet<&str> = written.tools.iter().map(|(name, _)| name.text.as_str()).collect();
    for (source, _) in written.tools.iter() {
        let name = source.text.as_str();
        let is_literal = Glob::new(name).is_literal() && !name.contains("::");
        if !is_literal || !catalog.is_whole() || catalog.get(name).is_some() {
            continue;
        }
        if let Some(renamed) = renamed::tool(name, source.span, source.span.range().len() == name.len(), lowered) {
            diagnostics.push(renamed);
            continue;
        }
        let near = nearest(name, catalog.names().filter(|known| !declared.contains(known)));
        let Some(near) = near.filter(|near| strsim::damerau_levenshtein(name, near) <= 2) else { continue };
        let message = format!("the catalog does not know the tool `{name}`, and knows `{near}`");
        let found = Diagnostic { level: Level::Warning, ..Diagnostic::new(Code::UnknownTool, source.span, message) };
        diagnostics.push(found.suggest(format!("did you mean `{near}`?"), source.span, near));
    }
}

/// Each name that is written in a pattern and that neither `tools` nor a catalog knows, once; what was renamed, everywhere.
fn named(written: &ast::Contract, lowered: &Lowered<'_>, diagnostics: &mut Diagnostics) {
    let tools = &lowered.contract.tools;
    let broken: Vec<Names> = written.tools.broken.iter().filter_map(|name| tool_names(name)).collect();
    let mut reported = BTreeSet::new();
    for Spanned { value: names, span } in &lowered.named {
        let tool = names.tool.as_str();
        if let Some(renamed) = renamed::tool(tool, *span, names.server.is_none(), lowered) {
            diagnostics.push(renamed);
            continue;
        }
        let mut declared = tools.iter().map(|tool| &tool.names).chain(&broken);
        let known = declared.any(|declared| overlap(declared, names)) || lowered.catalog.get(tool).is_some();
        if !known && reported.insert(names) {
            diagnostics.push(unknown(names, *span, lowered));
        }
    }
}

fn unknown(names: &Names, span: crate::source::Span, lowered: &Lowered<'_>) -> Diagnostic {
    let tool = names.tool.as_str();
    let (code, message) = match lowered.catalog.is_whole() {
        true => (Code::UnknownTool, format!("neither `tools` nor the catalog knows the tool `{tool}`")),
        false => (Code::UndeclaredTool, format!("the tool `{tool}` is not declared under `tools`")),
    };
    let diagnostic = Diagnostic::new(code, span, message);
    let declared = lowered.contract.tools.iter().map(|declared| declared.names.tool.as_str());
    let known = declared.filter(|name| !name.contains(['*', '?'])).chain(lowered.catalog.names());
    let near = nearest(tool, known);
    // The place is that of the whole name, server included, so only a bare name can be put in its place.
    match near.filter(|_| names.server.is_none()) {
        Some(near) => {
            let from = lowered.catalog.file_of(near).map(|file| format!(" (`{file}` has it)"));
            diagnostic.suggest(format!("did you mean `{near}`?{}", from.unwrap_or_default()), span, near)
        }
        None => diagnostic.help("declare it; until then its calls count as irreversible"),
    }
}
