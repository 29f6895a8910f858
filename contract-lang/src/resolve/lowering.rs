//! What a kind of rule needs to become part of the checked contract: its expressions, its paths, its machine or register.

use contract_runtime::{Duration, Type};

use super::keyed::{covers, described, rank};
use super::pattern;
use super::resolver::{Formulas, Resolver, pointless, roots, text, written};
use super::scope::Roots;
use super::types::Static;
use crate::ast::{Count, DecideTable, Extent, PerTool, Rule, Source};
use crate::automaton::{MAX_PATTERNS, Steps, TooLarge, construct, construct_steps, overlap, satisfiable};
use crate::decode::{Map, OneOrMany};
use crate::diagnostic::{Code, Diagnostic};
use crate::formula::Formula;
use crate::mir::{
    Alternative, Clause, Clock, Counting, Expr, Kind, Machine, Operand, Path, Pattern, Register, Root, Step, Subject,
};
use crate::source::Span;

/// A rule that is being lowered.
#[derive(Debug)]
pub(crate) struct Lowering<'l, 'a> {
    resolver: &'l mut Resolver<'a>,
    rule: &'l Rule,
}

/// What can be read at every moment of the first pattern.
pub(crate) fn readable(patterns: Option<&[Pattern]>) -> Roots {
    patterns.and_then(<[Pattern]>::first).map_or(Roots::OF_CALL, roots)
}

/// The pattern of a kind that has one.
pub(crate) fn only(patterns: Option<Vec<Pattern>>) -> Option<Pattern> {
    patterns?.into_iter().next()
}

/// So many admitted calls, as the clock of a register counts them: each takes a nanosecond.
pub(crate) fn calls(n: u32) -> Duration {
    Duration::from_nanos(i128::from(n))
}

/// The closed window of this length. `N calls` are the one that an occurrence is part of and those before it.
pub(crate) fn window(extent: Extent) -> (Duration, Clock) {
    match extent {
        Extent::Time(window) => (window.duration(), Clock::Time),
        Extent::Calls(n) => (calls(n.saturating_sub(1)), Clock::Calls),
    }
}

impl<'l, 'a> Lowering<'l, 'a> {
    pub(super) fn new(resolver: &'l mut Resolver<'a>, rule: &'l Rule) -> Self {
        Self { resolver, rule }
    }

    /// The rule as it is written.
    pub(crate) fn rule(&self) -> &'l Rule {
        self.rule
    }

    /// What the formulas of the contract have taken so far.
    pub(super) fn formulas(&mut self) -> &mut Formulas {
        &mut self.resolver.formulas
    }

    /// Reports a mistake.
    pub(crate) fn report(&mut self, diagnostic: Diagnostic) {
        self.resolver.report(diagnostic);
    }

    /// A rule that is the automaton of a formula.
    pub(crate) fn automaton(&mut self, formula: &Formula, patterns: Vec<Pattern>) -> Option<Kind> {
        let width = self.width(&patterns)?;
        self.machine(construct(formula, width, &satisfiable(&patterns)), patterns)
    }

    /// A rule that is an automaton given by its steps.
    pub(crate) fn stepping(&mut self, steps: impl Steps, patterns: Vec<Pattern>) -> Option<Kind> {
        let width = self.width(&patterns)?;
        self.machine(construct_steps(steps, width, &satisfiable(&patterns)), patterns)
    }

    /// How many patterns make a letter.
    pub(crate) fn width(&mut self, patterns: &[Pattern]) -> Option<u8> {
        let width = u8::try_from(patterns.len()).ok().filter(|_| patterns.len() <= MAX_PATTERNS);
        if width.is_none() {
            self.too_large(TooLarge::Letters);
        }
        width
    }

    fn machine(&mut self, built: Result<Machine, TooLarge>, patterns: Vec<Pattern>) -> Option<Kind> {
        let machine = built.map_err(|error| self.too_large(error)).ok()?;
        Some(Kind::Automaton { template: self.rule.kind.name(), patterns, machine, formula: None })
    }

    fn too_large(&mut self, error: TooLarge) {
        let help = "make it two rules, or join patterns that mean the same with `|`";
        self.report(Diagnostic::new(Code::MachineTooLarge, self.rule.kind_span, error.to_string()).help(help));
    }

    /// A rule that keeps a register.
    pub(crate) fn register(
        &self,
        patterns: Vec<Pattern>,
        register: Register,
        clock: Clock,
        operand: Option<Operand>,
    ) -> Kind {
        let counting = match (&register, self.rule.count.map(|count| count.value)) {
            // A call that failed has opened nothing.
            (Register::OpenIds { .. }, _) | (_, Some(Count::Succeeded)) => Counting::Succeeded,
            (_, Some(Count::All) | None) => Counting::All,
        };
        Kind::Register { template: self.rule.kind.name(), patterns, register, clock, operand, counting }
    }

    /// Predicates with their texts.
    pub(crate) fn clauses(&mut self, predicates: &OneOrMany<Source>, roots: Roots) -> Option<Vec<Clause>> {
        let clause = |source: &Source| {
            let predicate = self.resolver.predicate(source, roots)?;
            Some(Clause { predicate, text: text(source) })
        };
        let clauses: Vec<Option<Clause>> = predicates.iter().map(clause).collect();
        clauses.into_iter().collect()
    }

    /// An amount.
    pub(crate) fn number(&mut self, source: &Source, roots: Roots) -> Option<Expr> {
        self.typed(source, roots, |ty| ty.may_be(&Static::Number), "the sum is over numbers")
    }

    /// A value to be put into arguments.
    pub(crate) fn json(&mut self, source: &Source, roots: Roots) -> Option<Expr> {
        self.typed(source, roots, |ty| ty.fits(&Type::Json), "arguments are JSON")
    }

    fn typed(&mut self, source: &Source, roots: Roots, fits: impl Fn(&Static) -> bool, expected: &str) -> Option<Expr> {
        let checked = self.resolver.value(source, roots)?;
        if fits(&checked.ty) {
            return Some(checked.expr);
        }
        let message = format!("{expected}, and this is {}", checked.ty.described());
        self.report(Diagnostic::new(Code::TypeMismatch, source.span, message));
        None
    }

    /// What tells one thing from another: an expression, or one for each tool.
    pub(crate) fn id(&mut self, of: &PerTool<Source>, patterns: Option<&[Pattern]>) -> Option<Operand> {
        let patterns = patterns.unwrap_or_default();
        match of {
            PerTool::Same(source) => {
                let roots = patterns.iter().map(roots).reduce(Roots::and).unwrap_or(Roots::OF_CALL);
                self.scalar(source, roots).map(Operand::Same)
            }
            PerTool::ByTool(tools) => self.by_tool(tools, patterns),
        }
    }

    fn scalar(&mut self, source: &Source, roots: Roots) -> Option<Expr> {
        self.typed(source, roots, Static::may_be_scalar, "the value is a text, number, truth value or time")
    }

    fn by_tool(&mut self, tools: &Map<Source, Source>, patterns: &[Pattern]) -> Option<Operand> {
        let mut routes: Vec<(Subject, Expr, Span)> = Vec::new();
        let mut complete = tools.broken.is_empty();
        for (name, source) in tools {
            let (scope, groups) = (self.resolver.scope, self.resolver.groups);
            let subjects = written(name, |name| pattern::subjects(name, &scope, groups, self.resolver.diagnostics));
            let Some(subjects) = subjects else {
                complete = false;
                continue;
            };
            let roots = subjects.iter().map(|subject| read_of(subject, patterns)).reduce(Roots::and);
            let value = self.scalar(source, roots.unwrap_or(Roots::OF_CALL));
            for subject in subjects {
                if let Some((.., first)) = routes.iter().find(|(known, ..)| *known == subject) {
                    let message = format!("`{}` has two values", described(&subject));
                    let diagnostic = Diagnostic::new(Code::DuplicateKey, name.span, message);
                    self.report(diagnostic.related(*first, "one is here"));
                    complete = false;
                }
                match &value {
                    Some(value) => routes.push((subject, value.clone(), name.span)),
                    None => complete = false,
                }
            }
        }
        if complete {
            complete = self.all_covered(&routes, patterns);
        }
        routes.sort_by_key(|(subject, ..)| rank(subject));
        complete.then(|| Operand::ByTool(routes.into_iter().map(|(subject, expr, _)| (subject, expr)).collect()))
    }

    fn all_covered(&mut self, routes: &[(Subject, Expr, Span)], patterns: &[Pattern]) -> bool {
        let mut missing: Vec<&Subject> = Vec::new();
        for Alternative { subject, .. } in patterns.iter().flat_map(|pattern| &pattern.alternatives) {
            let covered = routes.iter().any(|(route, ..)| covers(route, subject));
            if !covered && !missing.contains(&subject) {
                missing.push(subject);
            }
        }
        let place = routes.iter().map(|(.., span)| *span).reduce(Span::to).unwrap_or(self.rule.kind_span);
        for subject in &missing {
            let name = described(subject);
            let root = if matches!(subject, Subject::Event(_)) { "event" } else { "args" };
            let diagnostic = Diagnostic::new(Code::KeyMissing, place, format!("`of` gives no path for `{name}`"));
            self.report(diagnostic.help(format!("add `{name}: {root}.…` to `of`")));
        }
        missing.is_empty()
    }

    /// Paths into the result.
    pub(crate) fn result_paths(&mut self, paths: &OneOrMany<Source>) -> Option<Vec<Vec<Step>>> {
        let read: Vec<_> = paths
            .iter()
            .map(|source| {
                let is_fixed = |step: &Step| !matches!(step, Step::Dynamic(_));
                self.path(source, Root::Result, is_fixed, "a path into the result, such as `result.rows[].name`")
            })
            .collect();
        read.into_iter().collect()
    }

    /// A place in the arguments.
    pub(crate) fn argument_path(&mut self, source: &Source) -> Option<Vec<Step>> {
        let is_one = |step: &Step| matches!(step, Step::Field(_) | Step::Index(_));
        let expected = "a path to one place in the arguments, such as `args.limit`";
        let path = self.path(source, Root::Args, is_one, expected)?;
        if path.is_empty() {
            self.no_path(source, expected);
            return None;
        }
        Some(path)
    }

    fn path(
        &mut self,
        source: &Source,
        root: Root,
        is_fine: impl Fn(&Step) -> bool,
        expected: &str,
    ) -> Option<Vec<Step>> {
        let readable = if root == Root::Result { Roots::RESULT } else { Roots::ARGS };
        match self.resolver.value(source, readable)?.expr {
            Expr::Path(Path { root: found, steps }) if found == root && steps.iter().all(is_fine) => Some(steps),
            _ => {
                self.no_path(source, expected);
                None
            }
        }
    }

    fn no_path(&mut self, source: &Source, expected: &str) {
        let message = format!("`{}` is not {}", text(source), expected.split(", such").next().unwrap_or(expected));
        self.report(Diagnostic::new(Code::BadValue, source.span, message).help(format!("write {expected}")));
    }

    /// Reports rows of `decide` that say nothing in a rule of this kind.
    pub(crate) fn refuse_rows(&mut self, rows: &[&str], help: &str) {
        let Some(DecideTable { span, satisfied, open, pending, violated, .. }) = &self.rule.decide else { return };
        let written = [("satisfied", satisfied), ("open", open), ("pending", pending), ("violated", violated)];
        for (row, _) in written.iter().filter(|(row, decide)| decide.is_some() && rows.contains(row)) {
            let message = format!("`decide` of a rule with `{}` has no `{row}`", self.rule.kind.name());
            self.resolver.report(pointless(*span, message, help));
        }
    }
}

/// What can be read of the events of a subject, at every moment at which the patterns ask.
fn read_of(subject: &Subject, patterns: &[Pattern]) -> Roots {
    let concerned = |alternative: &&Alternative| match (subject, &alternative.subject) {
        (Subject::Tools(a), Subject::Tools(b)) => overlap(a, b),
        (a, b) => matches!(a, Subject::Event(_)) == matches!(b, Subject::Event(_)),
    };
    let alternatives = patterns.iter().flat_map(|pattern| &pattern.alternatives).filter(concerned);
    let standard = if matches!(subject, Subject::Event(_)) { Roots::OF_EVENT } else { Roots::OF_CALL };
    alternatives.map(|alternative| Roots::at(alternative.phases)).reduce(Roots::and).unwrap_or(standard)
}
