//! The tools of all catalogs of a contract.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Reply, Tool};
use crate::Catalog;
use crate::ast::Contract;
use crate::diagnostic::{Certainty, Code, Diagnostic, Diagnostics, Level};
use crate::mir::Names;
use crate::source::Span;

/// The tools that catalogs know.
#[derive(Clone, Debug, Default)]
pub struct Known {
    tools: BTreeMap<String, Tool>,
    /// The file that each tool is from.
    files: BTreeMap<String, Arc<str>>,
    is_whole: bool,
}

impl Known {
    /// The tools of all catalogs: of the files that the contract names, and of those that the caller adds.
    pub(crate) fn read(contract: &Contract, catalogs: &[Catalog], diagnostics: &mut Diagnostics) -> Self {
        let mut known = Self { is_whole: !(contract.catalog.is_empty() && catalogs.is_empty()), ..Self::default() };
        for path in &contract.catalog {
            let given = catalogs.iter().find(|catalog| catalog.name == path.value.0);
            let text =
                given.map_or(Err("there is no such file"), |catalog| catalog.text.as_deref().map_err(String::as_str));
            known.take(&path.value.0, text, path.span, diagnostics);
        }
        let named = |catalog: &&Catalog| contract.catalog.iter().any(|path| path.value.0 == catalog.name);
        for catalog in catalogs.iter().filter(|catalog| !named(catalog)) {
            let text = catalog.text.as_deref().map_err(String::as_str);
            known.take(&catalog.name, text, contract.name.span, diagnostics);
        }
        known
    }

    /// The tools of files that no contract names: those of an older catalog.
    pub(crate) fn of(catalogs: &[Catalog], span: Span, diagnostics: &mut Diagnostics) -> Self {
        let mut known = Self { is_whole: !catalogs.is_empty(), ..Self::default() };
        for catalog in catalogs {
            known.take(&catalog.name, catalog.text.as_deref().map_err(String::as_str), span, diagnostics);
        }
        known
    }

    /// Adds what a file says.
    fn take(&mut self, name: &str, text: Result<&str, &str>, span: Span, diagnostics: &mut Diagnostics) {
        let reply = match text.map_err(str::to_owned).and_then(Reply::parse) {
            Ok(reply) => reply,
            Err(why) => {
                self.is_whole = false;
                let message = format!("the catalog `{name}` cannot be read: {why}");
                let help = "save the server's reply to `tools/list` there, as JSON; paths are relative to the contract";
                diagnostics.push(Diagnostic::new(Code::Catalog, span, message).help(help));
                return;
            }
        };
        if reply.is_part {
            self.is_whole = false;
            let message = format!("the catalog `{name}` is a part: the reply has a `nextCursor`");
            let help = "save the tools of the other pages, too; `interlock init --from-server` asks for all of them";
            diagnostics
                .push(Diagnostic { level: Level::Warning, ..Diagnostic::new(Code::Catalog, span, message) }.help(help));
        }
        if reply.is_cut {
            let message = format!("the catalog `{name}` has more schemas than are looked at");
            let note = Diagnostic { level: Level::Note, ..Diagnostic::new(Code::Catalog, span, message) };
            diagnostics.push(
                note.certainty(Certainty::Inconclusive).help("nothing is said of the arguments of its last tools"),
            );
        }
        let file: Arc<str> = name.into();
        for tool in reply.tools {
            self.files.insert(tool.name.clone(), Arc::clone(&file));
            self.add(tool);
        }
    }

    /// Adds a tool. Of two with one name it is not known which a call means: what either allows may be.
    fn add(&mut self, tool: Tool) {
        let Some(before) = self.tools.remove(&tool.name) else {
            self.tools.insert(tool.name.clone(), tool);
            return;
        };
        let output = before.output.zip(tool.output).map(|(one, other)| one.or(other));
        let both = Tool { input: before.input.or(tool.input), output, ..tool };
        self.tools.insert(both.name.clone(), both);
    }

    /// Whether every tool is in it that there is.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.is_whole
    }

    /// Whether it has no tool.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.tools.is_empty()
    }

    /// How many tools it has.
    #[must_use]
    pub fn len(&self) -> usize {
        self.tools.len()
    }

    /// The file that a tool is from.
    #[must_use]
    pub fn file_of(&self, name: &str) -> Option<&str> {
        self.files.get(name).map(|file| &**file)
    }

    /// The tool of a name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Tool> {
        self.tools.get(name)
    }

    /// Every tool, by name.
    pub fn iter(&self) -> impl Iterator<Item = &Tool> {
        self.tools.values()
    }

    /// The names, ascending.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.tools.keys().map(String::as_str)
    }

    /// The tools that a name or glob may mean. What a contract calls a server, a catalog does not know.
    #[must_use]
    pub fn matching(&self, names: &Names) -> Vec<&Tool> {
        match names.tool.is_literal() {
            true => self.get(names.tool.as_str()).into_iter().collect(),
            false => self.iter().filter(|tool| names.tool.matches(&tool.name)).collect(),
        }
    }
}
