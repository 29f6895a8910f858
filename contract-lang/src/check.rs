//! From bytes to a checked contract.

use crate::catalog::Known;
use crate::diagnostic::{Diagnostic, Diagnostics, Level, Levels, Setting};
use crate::source::SourceFile;
#[cfg(feature = "schema")]
use crate::syntax;
use crate::syntax::file::Form;
use crate::{ast, lint, mir, resolve, testing};

/// How a contract is checked.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options<'a> {
    /// The files that the contract names under `catalog`, and others that the caller adds.
    pub catalog: &'a [Catalog],
    /// Older catalogs: what tools and arguments were called before.
    pub before: &'a [Catalog],
    /// How much is asked of it.
    pub depth: Depth,
    /// The levels of findings, which win over those of the contract.
    pub levels: Option<&'a Levels>,
}

/// How much is asked of a contract.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Depth {
    /// What a program needs that is built from it, or runs it.
    #[default]
    Build,
    /// Also that the file means the same to a second YAML reader (with the feature `schema`), or it is refused; and static
    /// analysis (with the feature `interpret`).
    Lint,
}

/// A catalog file: a saved reply to the MCP request `tools/list`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Catalog {
    /// Its path as the contract writes it.
    pub name: String,
    /// What it holds, or why it cannot be read.
    pub text: Result<String, String>,
}

/// What a check came to.
#[derive(Clone, Debug)]
pub struct Checked {
    /// The file, for showing diagnostics.
    pub source: SourceFile,
    /// The contract, exactly if there is no error.
    pub contract: Option<mir::Contract>,
    /// The contract if there are errors, and none of them leaves open what it means: it can be tried, and is good for nothing else.
    pub runnable: Option<mir::Contract>,
    /// What was found, by place.
    pub diagnostics: Vec<Diagnostic>,
    /// How many further findings are switched off.
    pub switched_off: usize,
}

impl Checked {
    /// Whether the contract is refused.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(|diagnostic| diagnostic.level == Level::Error)
    }
}

/// Checks a contract: `name` is how the file appears in messages, and says which form it has ([`Form::of`]). Every mistake is
/// reported in one run.
#[must_use]
pub fn check(name: &str, bytes: &[u8], options: &Options<'_>) -> Checked {
    check_as(Form::of(name), name, bytes, options)
}

/// The same for a contract whose form does not follow from its name.
#[must_use]
pub fn check_as(form: Form, name: &str, bytes: &[u8], options: &Options<'_>) -> Checked {
    let mut diagnostics = Diagnostics::new();
    let (source, node) = form.read(name, bytes, &mut diagnostics);
    let written = node.as_ref().and_then(|node| ast::decode(node, &mut diagnostics));
    let contract = written.map(|written| {
        diagnostics.set_levels(levels(&written, options));
        let mut lowered = resolve::lower(&written, options.catalog, &mut diagnostics);
        lowered.before = Known::of(options.before, written.name.span, &mut diagnostics);
        lint::run(&written, &lowered, &mut diagnostics);
        let _ = testing::cases(&written, &mut diagnostics);
        #[cfg(feature = "interpret")]
        if options.depth == Depth::Lint {
            analyse(&written, &lowered, &mut diagnostics);
        }
        lowered.contract
    });
    // Only of a file that is fine to one reader it matters what another reads.
    #[cfg(feature = "schema")]
    if let (Form::Yaml, Depth::Lint, Some(node)) = (form, options.depth, &node)
        && !diagnostics.has_errors()
    {
        syntax::yaml::second::agrees(&source, node, &mut diagnostics);
    }
    let switched_off = diagnostics.switched_off();
    let (keeps_meaning, diagnostics) = (diagnostics.keep_meaning(), diagnostics.into_sorted());
    let checked = Checked { source, contract, runnable: None, diagnostics, switched_off };
    if !checked.has_errors() {
        return checked;
    }
    let runnable = checked.contract.filter(|_| keeps_meaning);
    Checked { contract: None, runnable, ..checked }
}

/// The levels that a contract and those who check it set. That a finding is to be an error is for `lint`: a program that is
/// built of a contract must not stop being built because an analysis has got better.
fn levels(written: &ast::Contract, options: &Options<'_>) -> Levels {
    let mut levels = Levels::default();
    for (code, setting) in &written.lint {
        if options.depth == Depth::Lint || setting.value != Setting::Error {
            levels.set(code.value.0, setting.value);
        }
    }
    if let Some(ours) = options.levels {
        levels.override_with(ours);
    }
    levels
}

/// Analyses a contract, as far as it is known what it means.
#[cfg(feature = "interpret")]
fn analyse(written: &ast::Contract, lowered: &resolve::Lowered<'_>, diagnostics: &mut Diagnostics) {
    if !diagnostics.has_errors() {
        crate::analysis::run(written, lowered, diagnostics);
    } else if diagnostics.keep_meaning() {
        crate::analysis::show(lowered, diagnostics);
    }
}

/// A contract that was read back from what recorded it.
#[derive(Clone, Debug)]
pub struct Recalled {
    /// The contract, without the tools of its catalogs.
    pub contract: mir::Contract,
    /// Whether it names catalogs. What these hold is part of no record, so whether a tool is known to the contract cannot be
    /// said then.
    pub had_catalog: bool,
}

/// Reads back the [canonical text](mir::Contract::source) of a contract. `None` if the text is not that of a contract, or not
/// the canonical one.
#[must_use]
pub fn recall(source: &str) -> Option<Recalled> {
    let mut diagnostics = Diagnostics::new();
    let (_, node) = Form::Yaml.read("contract", source.as_bytes(), &mut diagnostics);
    let mut written = ast::decode(&node?, &mut diagnostics)?;
    let had_catalog = !written.catalog.is_empty();
    written.catalog.clear();
    let contract = resolve::lower(&written, &[], &mut diagnostics).contract;
    let whole = !diagnostics.has_errors() && contract.source == source;
    whole.then_some(Recalled { contract, had_catalog })
}

/// The paths that a contract names under `catalog`, so that the caller can read them. Empty where it cannot be read.
#[must_use]
pub fn catalog_paths(name: &str, bytes: &[u8]) -> Vec<String> {
    catalog_paths_as(Form::of(name), name, bytes)
}

/// The same for a contract whose form does not follow from its name.
#[must_use]
pub fn catalog_paths_as(form: Form, name: &str, bytes: &[u8]) -> Vec<String> {
    let mut diagnostics = Diagnostics::new();
    let (_, node) = form.read(name, bytes, &mut diagnostics);
    let written = node.and_then(|node| ast::decode(&node, &mut diagnostics));
    written.map(|written| written.catalog.into_iter().map(|path| path.value.0).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests;
