//! From the contract as written to the checked contract: names are resolved, types checked, defaults filled in, rules
//! compiled.
//!
//! INVARIANT: a mistake in one place does not hide mistakes elsewhere. What cannot be resolved is left out, so the
//! contract that comes out is complete only if nothing was reported.

mod call;
mod commit;
mod decide;
pub mod expr;
pub(crate) mod formula;
pub mod functions;
pub mod group;
pub mod key;
mod keyed;
pub(crate) mod lowering;
pub(crate) mod message;
mod operators;
mod path;
pub mod pattern;
mod resolver;
pub mod role;
mod rule;
pub mod scope;
mod state;
mod tools;
pub mod types;

use contract_runtime::{Mode, Type};

use self::group::{Definition, Groups};
pub(crate) use self::keyed::covers;
pub(crate) use self::resolver::text;
use self::resolver::{Formulas, Resolver};
use self::scope::{Broken, Roots, Scope};
use crate::Catalog;
use crate::ast;
use crate::catalog::Known;
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::mir;
use crate::source::Spanned;
use crate::syntax::written::Written;

/// Most rules, commits and cells: findings refer to them by 16 bits.
const MOST: usize = 65_535;

/// A resolved contract, and where its parts were written.
#[derive(Debug)]
pub struct Lowered<'a> {
    /// The contract.
    pub contract: mir::Contract,
    /// What each of its rules was made from.
    pub rules: Vec<&'a ast::Rule>,
    /// What each of its commits was made from.
    pub commits: Vec<&'a ast::Commit>,
    /// What each of its tools was made from: the name, and what is said of it.
    pub tools: Vec<&'a (ast::Source, ast::Tool)>,
    /// Every tool that a pattern spells out, by place.
    pub named: Vec<Spanned<mir::Names>>,
    /// What catalogs say of tools.
    pub catalog: Known,
    /// What older catalogs say of them.
    pub before: Known,
}

/// Resolves a contract. `catalogs` are the files that it names and those that the caller adds.
#[must_use]
pub fn lower<'a>(written: &'a ast::Contract, catalogs: &[Catalog], diagnostics: &mut Diagnostics) -> Lowered<'a> {
    let cells = state::cells(&written.state, diagnostics);
    let context: Vec<(String, Type)> = written.context.iter().filter_map(fact).collect();
    let broken = Broken { cells: &written.state.broken, context: &written.context.broken };
    let scope = Scope { roots: Roots::NONE, cells: &cells, context: &context, broken };
    let groups = groups(written, &scope, diagnostics);
    let (tools, formulas) = (groups.tools().to_vec(), Formulas::default());
    let mut resolver = Resolver { scope, groups: &groups, tools, diagnostics, formulas };
    let (tools, tool_places) = resolver.tools(&written.tools);
    let (commits, commit_places) = resolver.commits(&written.commit);
    let mode = written.mode.map_or(Mode::Enforce, |mode| mode.value);
    let (rules, rule_places) = resolver.rules(written, mode);
    let mut named = resolver.tools;
    named.sort_by_key(|name| name.span);
    let catalog = Known::read(written, catalogs, diagnostics);
    limit("rules", written.rules.len(), written, diagnostics);
    limit("state cells", written.state.entries.len(), written, diagnostics);
    let contract = mir::Contract {
        name: written.name.value.0.clone(),
        type_name: type_name(&written.name.value.0),
        mode,
        default: decide::default_policy(written.default.as_ref()),
        undeclared: written.undeclared.map(|decision| decision.value),
        on_error: decide::on_error(written.on_error.as_ref()),
        catalog: catalog.names().map(str::to_owned).collect(),
        context,
        cells,
        tools,
        commits,
        rules,
        source: written.source.0.clone(),
    };
    let (tools, before) = (tool_places, Known::default());
    Lowered { contract, rules: rule_places, commits: commit_places, tools, named, catalog, before }
}

/// The patterns of a rule with their roles, in the order of those of the checked rule.
pub(crate) fn patterns(kind: &ast::Kind) -> Vec<(&ast::Source, role::Role)> {
    kind.template().patterns()
}

fn fact((name, ty): &(Spanned<ast::Ident>, Spanned<ast::CellType>)) -> Option<(String, Type)> {
    Some((name.value.0.clone(), Type::parse(&ty.value.0)?))
}

fn groups(written: &ast::Contract, scope: &Scope<'_>, diagnostics: &mut Diagnostics) -> Groups {
    let entries = || written.patterns.iter();
    let places: Vec<_> = entries().map(|(_, source)| move |range| source.span_in(range)).collect();
    let definitions: Vec<_> = entries()
        .zip(&places)
        .map(|((name, source), place)| Definition {
            name: &name.value.0,
            span: name.span,
            written: Written::new(&source.text, place),
        })
        .collect();
    Groups::check(&definitions, scope, diagnostics)
}

fn limit(what: &str, count: usize, written: &ast::Contract, diagnostics: &mut Diagnostics) {
    if count > MOST {
        let message = format!("the contract has {count} {what}, and {MOST} is the most");
        diagnostics.push(Diagnostic::new(Code::BadValue, written.name.span, message).help("split the contract"));
    }
}

/// The name of the generated type: each part of the name with a capital.
fn type_name(name: &str) -> String {
    let capital = |part: &str| {
        let mut letters = part.chars();
        letters.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(letters).collect::<String>()
    };
    name.split(['-', '_']).map(capital).collect()
}

#[cfg(test)]
mod tests {
    use super::type_name;

    #[test]
    fn a_type_is_named_after_the_contract() {
        for (name, expected) in [("payments", "Payments"), ("at_most-3", "AtMost3"), ("mcpGuard", "McpGuard")] {
            assert_eq!(type_name(name), expected);
        }
    }
}
