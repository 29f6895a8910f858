//! Where a contract reads arguments and results, and of which tools.

use std::collections::BTreeMap;

use crate::ast::{self, Effects, Member, Per, PerTool, Source};
use crate::mir::Names;
use crate::resolve::Lowered;
use crate::resolve::pattern::{MAX_ALTERNATIVES, tool_names};
use crate::syntax::expr::Expr;
use crate::syntax::parse;
use crate::syntax::pattern::{Pattern, Phase};

/// What becomes of the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Use {
    /// It says whether an event is meant.
    Condition,
    /// It must hold of a call, or of its result.
    Clause,
    /// It is a part of a key, or tells one call from another. Where it is missing, calls may be left out.
    Key {
        /// Whether they are.
        skip: bool,
    },
    /// It is added up.
    Amount,
    /// It takes the place of an argument.
    Argument,
    /// Its place in the arguments is written.
    Target,
    /// It is not for a rule, or only looks for what may not be there.
    Other,
}

/// An expression about the calls of some tools.
pub(super) struct Site<'a> {
    pub(super) source: &'a Source,
    pub(super) tree: Expr,
    pub(super) names: Vec<Names>,
    /// Tools that have an expression of their own.
    pub(super) but: Vec<Names>,
    /// The rule, by index into those that were resolved.
    pub(super) rule: Option<usize>,
    pub(super) of: Use,
    /// The place that the value takes, if it takes one.
    pub(super) target: Option<Expr>,
}

/// Every place, in the order of the file's sections.
pub(super) fn sites<'a>(written: &'a ast::Contract, lowered: &Lowered<'a>) -> Vec<Site<'a>> {
    let mut sites = Sites { groups: BTreeMap::new(), found: Vec::new(), rule: None };
    for (name, pattern) in written.patterns.iter() {
        let names = sites.pattern(pattern);
        sites.groups.insert(&name.value.0, names);
    }
    for (name, tool) in written.tools.iter() {
        let names: Vec<Names> = tool_names(&name.text).into_iter().collect();
        if let Some(Effects::Cases(cases)) = &tool.effect {
            for when in cases.iter().filter_map(|case| case.when.as_ref()) {
                sites.add(when, &names, Use::Other);
            }
        }
        if let Some(succeeds) = &tool.succeeds_when {
            sites.add(succeeds, &names, Use::Other);
        }
    }
    for commit in &written.commit {
        sites.commit(commit);
    }
    if let Some(close) = written.instances.as_ref().and_then(|instances| instances.close_on.as_ref()) {
        sites.pattern(close);
    }
    for (index, rule) in lowered.rules.iter().enumerate() {
        sites.rule = Some(index);
        sites.rule(rule);
    }
    sites.found
}

struct Sites<'a> {
    groups: BTreeMap<&'a str, Vec<Names>>,
    found: Vec<Site<'a>>,
    rule: Option<usize>,
}

impl<'a> Sites<'a> {
    /// Adds an expression. One that cannot be read has been reported.
    fn add(&mut self, source: &'a Source, names: &[Names], of: Use) {
        if let Ok(tree) = parse::expression(&source.text) {
            self.push(source, tree, names.to_vec(), of);
        }
    }

    fn push(&mut self, source: &'a Source, tree: Expr, names: Vec<Names>, of: Use) {
        self.found.push(Site { source, tree, names, but: Vec::new(), rule: self.rule, of, target: None });
    }

    /// Adds the conditions of a pattern, and gives the tools that it names.
    fn pattern(&mut self, source: &'a Source) -> Vec<Names> {
        let Ok(Pattern { alternatives }) = parse::pattern(&source.text) else { return Vec::new() };
        let mut all = Vec::new();
        for alternative in alternatives {
            let names = match alternative.phase {
                Some(Phase::Event | Phase::Effect) => continue,
                _ => self.named(&alternative.name.text),
            };
            if let Some(condition) = alternative.condition {
                self.push(source, condition, names.clone(), Use::Condition);
            }
            all.extend(names);
        }
        all.truncate(MAX_ALTERNATIVES);
        all
    }

    /// The tools of a name, which may be that of a group.
    fn named(&self, name: &str) -> Vec<Names> {
        self.groups.get(name).cloned().unwrap_or_else(|| tool_names(name).into_iter().collect())
    }

    fn commit(&mut self, commit: &'a ast::Commit) {
        let names = self.pattern(&commit.after);
        let set = commit.set.iter().chain(commit.bind.iter()).map(|(_, value)| value);
        let mut values: Vec<&Source> = commit.when.iter().chain(set).collect();
        for (_, member) in commit.insert.iter().chain(commit.remove.iter()) {
            match member {
                Member::Of(value) => values.push(value),
                Member::At(at) => values.extend([&at.at, &at.value]),
            }
        }
        values.extend(commit.put.iter().flat_map(|(_, at)| [&at.at, &at.value]));
        for value in values {
            self.add(value, &names, Use::Other);
        }
    }

    fn rule(&mut self, rule: &'a ast::Rule) {
        let mut names = Vec::new();
        for (source, _) in rule.kind.template().patterns() {
            names.extend(self.pattern(source));
        }
        for condition in rule.r#where.iter().chain(&rule.unless) {
            self.add(condition, &names, Use::Condition);
        }
        match &rule.kind {
            ast::Kind::Require(require) => self.all(require.require.iter(), &names, Use::Clause),
            ast::Kind::Ensure(ensure) => self.all(ensure.ensure.iter(), &names, Use::Clause),
            ast::Kind::AtMostTotal(total) => self.add(&total.sum, &names, Use::Amount),
            ast::Kind::AtMostDistinct(distinct) => self.per_tool(&distinct.of, &names),
            ast::Kind::AtMostOpen(open) => {
                if let Some(of) = &open.of {
                    self.per_tool(of, &names);
                }
            }
            ast::Kind::Rewrite(rewrite) => {
                for (target, value) in rewrite.rewrite.iter() {
                    self.add(target, &names, Use::Target);
                    self.add(value, &names, Use::Argument);
                    if let Some(site) = self.found.last_mut().filter(|site| site.of == Use::Argument) {
                        site.target = parse::expression(&target.text).ok();
                    }
                }
            }
            ast::Kind::Redact(redact) => self.all(redact.redact.iter(), &names, Use::Other),
            ast::Kind::NoFlow(flow) => {
                self.all(flow.values.iter().flat_map(|values| values.iter()), &names, Use::Other)
            }
            _ => {}
        }
        for pattern in rule.guards.iter().chain(&rule.reset_on) {
            let more = self.pattern(pattern);
            names.extend(more);
        }
        if let Some(close) = rule.instances.as_ref().and_then(|instances| instances.close_on.as_ref()) {
            self.pattern(close);
        }
        if let Some(per) = &rule.per {
            let skip = rule.missing.is_some_and(|missing| missing.value == ast::Missing::Skip);
            self.key(per, &names, Use::Key { skip });
        }
    }

    fn all(&mut self, sources: impl Iterator<Item = &'a Source>, names: &[Names], of: Use) {
        for source in sources {
            self.add(source, names, of);
        }
    }

    fn per_tool(&mut self, paths: &'a PerTool<Source>, names: &[Names]) {
        let of = Use::Key { skip: false };
        match paths {
            PerTool::Same(path) => self.add(path, names, of),
            PerTool::ByTool(tools) => {
                self.by_tool(tools.iter().map(|(tool, path)| (tool, std::slice::from_ref(path))), of)
            }
        }
    }

    fn key(&mut self, per: &'a Per, names: &[Names], of: Use) {
        match per {
            PerTool::Same(paths) => self.all(paths.iter(), names, of),
            PerTool::ByTool(tools) => {
                self.by_tool(tools.iter().map(|(tool, paths)| (tool, paths.items.as_slice())), of)
            }
        }
    }

    /// Paths by tool: the one for an exact name beats that for a glob.
    fn by_tool(&mut self, entries: impl Iterator<Item = (&'a Source, &'a [Source])> + Clone, of: Use) {
        let named = |sites: &mut Self, tool: &'a Source| sites.pattern(tool);
        let mut exact = Vec::new();
        for (tool, _) in entries.clone() {
            exact.extend(named(self, tool).into_iter().filter(|names| names.tool.is_literal()));
        }
        for (tool, paths) in entries {
            let names = named(self, tool);
            let from = self.found.len();
            self.all(paths.iter(), &names, of);
            if names.iter().any(|names| !names.tool.is_literal()) {
                self.found.iter_mut().skip(from).for_each(|site| site.but.clone_from(&exact));
            }
        }
    }
}
