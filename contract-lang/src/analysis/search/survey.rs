//! Reads a contract for the places that its predicates compare, and the values that they distinguish.

use std::collections::{BTreeMap, BTreeSet};

use contract_runtime::Type;
use serde_json::{Value, json};

use super::cast::{Actor, Cast, is_subject};
use super::place::{Candidate, Class, Keeps, Part, Place, Places, Site};
use super::sample;
use crate::mir::{
    Alternative, CallFact, Comparison, Contract, Expr, Function, JsonType, Kind, Literal, Operand as Amount, Path,
    Pattern, Register, Root, RouteKey, Rule, Step, Subject, Verb,
};

/// A place, and the functions around it, the outermost last.
#[derive(Clone, Debug)]
struct Operand {
    place: Place,
    through: Vec<Function>,
}

/// What a cell gets from a commit.
#[derive(Clone, Debug, Default)]
struct Written {
    at: Vec<Operand>,
    value: Vec<Operand>,
    keyed: bool,
}

/// The event that is read: of which tool, or which host event.
#[derive(Clone, Copy, Debug, Default)]
struct Frame {
    tool: Option<usize>,
    event: Option<usize>,
}

/// What is known of a predicate.
#[derive(Clone, Debug, Default)]
pub(super) struct Predicate {
    /// The rule that it is of, by id.
    pub(super) rule: Option<String>,
    /// The tools, by number, of whose events it is asked.
    pub(super) tools: BTreeSet<usize>,
}

/// What a contract reads.
#[derive(Debug)]
pub(super) struct Survey<'c> {
    contract: &'c Contract,
    tools: &'c [Actor],
    events: &'c [String],
    pub(super) places: Places,
    pub(super) predicates: Vec<Predicate>,
    cells: BTreeMap<usize, Vec<Written>>,
    frame: Frame,
    variables: BTreeMap<usize, Vec<Operand>>,
    /// Whether a predicate is made for the rule with this id.
    rule: Option<String>,
    /// Whether some predicate reads the time.
    pub(super) reads_time: bool,
}

impl<'c> Survey<'c> {
    /// Reads the contract of a cast.
    pub(super) fn new(cast: &'c Cast) -> Self {
        let mut survey = Self {
            contract: &cast.contract,
            tools: &cast.tools,
            events: &cast.events,
            places: Places::default(),
            predicates: Vec::new(),
            cells: BTreeMap::new(),
            frame: Frame::default(),
            variables: BTreeMap::new(),
            rule: None,
            reads_time: false,
        };
        survey.run();
        survey
    }

    fn run(&mut self) {
        let contract = self.contract;
        for rule in &contract.rules {
            self.rule = Some(rule.id.clone());
            self.read_rule(rule);
        }
        self.rule = None;
        for commit in &contract.commits {
            self.pattern(&commit.after, true);
            if let Some(when) = &commit.when {
                self.begin();
                self.each_frame(&commit.after, |survey| survey.visit(when, true));
            }
            for expr in commit.changes.iter().flat_map(|change| change.expressions()) {
                self.each_frame(&commit.after, |survey| {
                    survey.locate(expr).into_iter().for_each(|operand| survey.touch(&operand));
                });
            }
        }
        for tool in &contract.tools {
            let cases = tool.effect.iter().filter_map(|case| case.when.as_ref());
            for predicate in cases.chain(&tool.succeeds_when) {
                self.begin();
                for (index, actor) in self.tools.iter().enumerate() {
                    if tool.names.matches(&actor.tool, actor.server.as_deref()) {
                        self.frame = Frame { tool: Some(index), event: None };
                        self.visit(predicate, true);
                    }
                }
            }
        }
    }

    fn read_rule(&mut self, rule: &'c Rule) {
        let forbids = matches!(&rule.kind, Kind::Automaton { template: "forbid" | "redact", .. });
        rule.all_patterns().for_each(|pattern| self.pattern(pattern, !forbids));
        match &rule.kind {
            Kind::Require { pattern, clauses } | Kind::Ensure { pattern, clauses } => {
                for clause in clauses {
                    self.begin();
                    self.each_frame(pattern, |survey| survey.visit(&clause.predicate, true));
                }
            }
            Kind::Rewrite { pattern, changes } => {
                for change in changes {
                    self.begin();
                    self.each_frame(pattern, |survey| {
                        if let Some(tool) = survey.frame.tool {
                            let args = Operand { place: Place::new(Site::Args(tool)), through: Vec::new() };
                            survey.walk(vec![args], &change.path).iter().for_each(|operand| survey.touch(operand));
                        }
                        survey.locate(&change.value).iter().for_each(|operand| survey.touch(operand));
                    });
                }
            }
            Kind::Redact { pattern, paths } => {
                for steps in paths {
                    self.each_frame(pattern, |survey| survey.in_result(steps).iter().for_each(|o| survey.touch(o)));
                }
            }
            Kind::NoFlow { patterns: [from, to], values, min_length } => self.flow(from, to, values, *min_length),
            Kind::Register { patterns, register, operand, .. } => {
                if let Some(operand) = operand {
                    self.amount(patterns, register, operand);
                }
            }
            Kind::Automaton { .. } | Kind::Permit { .. } => {}
        }
        self.key(rule);
    }

    /// A new predicate begins.
    fn begin(&mut self) {
        self.predicates.push(Predicate { rule: self.rule.clone(), tools: BTreeSet::new() });
    }

    /// Runs for each tool and event that a pattern may match.
    fn each_frame(&mut self, pattern: &Pattern, mut run: impl FnMut(&mut Self)) {
        for alternative in &pattern.alternatives {
            self.frames(alternative, &mut run);
        }
    }

    fn frames(&mut self, alternative: &Alternative, run: &mut impl FnMut(&mut Self)) {
        for (index, actor) in self.tools.iter().enumerate() {
            if actor.may_match(alternative) {
                self.frame = Frame { tool: Some(index), event: None };
                run(self);
            }
        }
        if let Subject::Event(glob) = &alternative.subject {
            for (index, event) in self.events.iter().enumerate() {
                if glob.matches(event) {
                    self.frame = Frame { tool: None, event: Some(index) };
                    run(self);
                }
            }
        }
    }

    fn pattern(&mut self, pattern: &Pattern, wanted: bool) {
        for alternative in &pattern.alternatives {
            if let Some(condition) = &alternative.condition {
                self.begin();
                self.frames(alternative, &mut |survey: &mut Self| survey.visit(condition, wanted));
            }
        }
    }

    fn in_result(&mut self, steps: &[Step]) -> Vec<Operand> {
        let Some(tool) = self.frame.tool else { return Vec::new() };
        let result = Operand { place: Place::new(Site::Result(tool)), through: Vec::new() };
        self.walk(vec![result], steps)
    }

    /// What a result says, and an argument that says it again.
    fn flow(&mut self, from: &Pattern, to: &Pattern, values: &[Vec<Step>], min_length: u32) {
        self.begin();
        let mut sources: Vec<Operand> = Vec::new();
        for steps in values {
            self.each_frame(from, |survey| {
                let found = survey.in_result(steps);
                sources.extend(found);
            });
        }
        let length = usize::try_from(min_length).unwrap_or(usize::MAX).clamp(8, 512);
        let text: String = "secret-value-".chars().cycle().take(length).collect();
        for source in &sources {
            self.suggest(source, &json!(text), true, false);
        }
        self.each_frame(to, |survey| {
            if let Some(tool) = survey.frame.tool {
                let place = Place::new(Site::Args(tool)).then(Part::Field("text".to_owned()));
                let told = Operand { place, through: Vec::new() };
                survey.suggest(&told, &json!("hello"), false, false);
                survey.suggest(&told, &json!(text), true, false);
            }
        });
    }

    /// What a register reads.
    fn amount(&mut self, patterns: &[Pattern], register: &Register, operand: &Amount) {
        let values: Vec<Value> = match register {
            Register::Total { limit } | Register::WindowTotal { limit, .. } => {
                let around = sample::numbers(*limit).into_iter().map(|(_, value)| value);
                std::iter::once(json!(1)).chain(around).collect()
            }
            _ => (1..=4u8).map(|n| json!(format!("k{n}"))).collect(),
        };
        // Each value is tried early: few large amounts reach a limit sooner than many small ones.
        for value in values {
            self.begin();
            for pattern in patterns {
                self.each_frame(pattern, |survey| {
                    let found = survey.operand(operand).map(|expr| survey.locate(expr)).unwrap_or_default();
                    found.iter().for_each(|operand| survey.suggest(operand, &value, true, true));
                });
            }
        }
    }

    /// What a register reads of the event.
    fn operand<'o>(&self, operand: &'o Amount) -> Option<&'o Expr> {
        match operand {
            Amount::Same(expr) => Some(expr),
            Amount::ByTool(routes) => {
                let actor = self.frame.tool.and_then(|tool| self.tools.get(tool))?;
                routes.iter().find(|(subject, _)| is_subject(actor, subject)).map(|(_, expr)| expr)
            }
        }
    }

    /// The components of a key are the same values for all events.
    fn key(&mut self, rule: &Rule) {
        let Some(keyed) = &rule.per else { return };
        let mut first: BTreeMap<usize, Operand> = BTreeMap::new();
        for route in &keyed.routes {
            let frames = match &route.subject {
                Subject::Event(glob) => {
                    let heard = self.events.iter().enumerate().filter(|(_, event)| glob.matches(event));
                    heard.map(|(index, _)| Frame { tool: None, event: Some(index) }).collect::<Vec<_>>()
                }
                subject => {
                    let meant = self.tools.iter().enumerate().filter(|(_, actor)| is_subject(actor, subject));
                    meant.map(|(index, _)| Frame { tool: Some(index), event: None }).collect()
                }
            };
            for frame in frames {
                self.frame = frame;
                let mut components: Vec<&Expr> = Vec::new();
                match &route.key {
                    RouteKey::One(parts) => components.extend(parts),
                    RouteKey::Each { before, list, component, after } => {
                        let elements = self.elements(list);
                        self.variables.insert(0, elements);
                        components.extend(before.iter().chain([component]).chain(after));
                    }
                    RouteKey::All => {}
                }
                for (index, expr) in components.into_iter().enumerate() {
                    for operand in self.locate(expr) {
                        self.touch(&operand);
                        match first.get(&index) {
                            Some(first) => self.places.unite(&first.place, &operand.place),
                            None => {
                                first.insert(index, operand);
                            }
                        }
                    }
                }
                self.variables.clear();
            }
        }
    }

    /// Makes the place known.
    fn touch(&mut self, operand: &Operand) {
        self.places.class(&operand.place);
    }

    fn suggest(&mut self, operand: &Operand, value: &Value, holds: bool, wanted: bool) {
        let class = self.places.class(&operand.place);
        let predicate = self.predicates.len().saturating_sub(1);
        if let (Some(known), Some(tool)) = (self.predicates.last_mut(), self.frame.tool) {
            known.tools.insert(tool);
        }
        let values = operand.through.iter().rev().fold(vec![value.clone()], |values, function| {
            values.iter().flat_map(|value| sample::undo(*function, value)).collect()
        });
        for value in values {
            self.places.add(class, Candidate { value, holds, good: holds == wanted, predicate });
        }
    }

    /// Reads a predicate that the contract wants to be so.
    fn visit(&mut self, expr: &Expr, wanted: bool) {
        match expr {
            Expr::Not(inner) => self.visit(inner, !wanted),
            Expr::And(list) | Expr::Or(list) => list.iter().for_each(|inner| self.visit(inner, wanted)),
            Expr::Implies(left, right) => {
                self.visit(left, wanted);
                self.visit(right, wanted);
            }
            Expr::Compare(comparison, left, right) => self.relate(*comparison, left, right, wanted),
            Expr::In(item, list) => self.member(item, list, wanted),
            Expr::Like(text, glob) => self.texts(text, &[sample::of_glob(glob)], wanted),
            Expr::Matches(text, pattern) => self.texts(text, &sample::of_regex(pattern), wanted),
            Expr::Has(path) => {
                let expr = Expr::Path(path.clone());
                self.locate(&expr).iter().for_each(|operand| self.touch(operand));
            }
            Expr::Is(kind, inner) => {
                let values = [
                    (JsonType::String, json!("x")),
                    (JsonType::Object, json!({})),
                    (JsonType::List, json!([])),
                    (JsonType::Number, json!(1)),
                    (JsonType::Bool, json!(true)),
                ];
                for operand in self.locate(inner) {
                    for (of, value) in &values {
                        if of == kind || *of == JsonType::Number {
                            self.suggest(&operand, value, of == kind, wanted);
                        }
                    }
                }
            }
            Expr::Quantified { quantifier, slot, list, body } => {
                let elements = self.elements(list);
                let outer = self.variables.insert(*slot, elements);
                self.visit(body, wanted == (*quantifier != crate::mir::Quantifier::None));
                match outer {
                    Some(outer) => self.variables.insert(*slot, outer),
                    None => self.variables.remove(slot),
                };
            }
            Expr::Call(function, args) if function.is_predicate() => self.function(*function, args, wanted),
            Expr::Path(_) | Expr::Select(..) | Expr::Call(..) => {
                for operand in self.locate(expr) {
                    self.suggest(&operand, &json!(true), true, wanted);
                    self.suggest(&operand, &json!(false), false, wanted);
                }
            }
            Expr::Literal(_) | Expr::List(_) | Expr::Now | Expr::Arithmetic(..) => {}
        }
    }

    fn texts(&mut self, text: &Expr, samples: &[String], wanted: bool) {
        for operand in self.locate(text) {
            samples.iter().for_each(|sample| self.suggest(&operand, &json!(sample), true, wanted));
            self.suggest(&operand, &json!("other"), false, wanted);
        }
    }

    fn relate(&mut self, comparison: Comparison, left: &Expr, right: &Expr, wanted: bool) {
        let (lefts, rights) = (self.locate(left), self.locate(right));
        self.bodies(left);
        self.bodies(right);
        for (operands, constants, comparison) in
            [(&lefts, self.constants(right), comparison), (&rights, self.constants(left), comparison.mirrored())]
        {
            for (operand, constant) in operands.iter().flat_map(|o| constants.iter().map(move |c| (o, c))) {
                for (holds, value) in sample::compared(comparison, constant) {
                    self.suggest(operand, &value, holds, wanted);
                }
            }
        }
        let times = self.is_timed(left) || self.is_timed(right);
        for operand in lefts.iter().chain(&rights) {
            self.touch(operand);
            if times {
                self.reads_time = true;
                for (index, time) in sample::TIMES.iter().enumerate() {
                    self.suggest(operand, &json!(time), index == 0, wanted);
                }
            }
        }
        for (a, b) in lefts.iter().flat_map(|a| rights.iter().map(move |b| (a, b))) {
            if a.through.is_empty() && b.through.is_empty() {
                self.places.unite(&a.place, &b.place);
                if !matches!(comparison, Comparison::Equal | Comparison::NotEqual) && !times {
                    for (index, value) in [10, 9, 11].into_iter().enumerate() {
                        self.suggest(a, &json!(value), index == 0, wanted);
                    }
                }
            }
        }
    }

    /// The bodies of counts inside a comparison.
    fn bodies(&mut self, expr: &Expr) {
        if let Expr::Quantified { .. } = expr {
            self.visit(expr, true);
        } else if let Expr::Call(_, args) = expr {
            args.iter().for_each(|arg| self.bodies(arg));
        }
    }

    fn is_timed(&self, expr: &Expr) -> bool {
        let mut found = false;
        expr.visit(&mut |expr| {
            found |= match expr {
                Expr::Now | Expr::Call(Function::Time, _) | Expr::Literal(Literal::Duration(_)) => true,
                Expr::Path(Path { root: Root::State(cell), .. }) => {
                    self.contract.cells.get(*cell).is_some_and(|cell| is_time(&cell.ty))
                }
                Expr::Path(Path { root: Root::Context(fact), .. }) => {
                    self.contract.context.get(*fact).is_some_and(|(_, ty)| is_time(ty))
                }
                _ => false,
            };
        });
        found
    }

    fn member(&mut self, item: &Expr, list: &Expr, wanted: bool) {
        let items = self.locate(item);
        let constants: Vec<Value> = self.constants(list).into_iter().flat_map(sample::members).collect();
        for operand in &items {
            self.touch(operand);
            constants.iter().for_each(|value| self.suggest(operand, value, true, wanted));
            if !constants.is_empty() {
                self.suggest(operand, &json!("other"), false, wanted);
            }
        }
        let elements = self.elements(list);
        for element in &elements {
            self.touch(element);
            for constant in self.constants(item) {
                self.suggest(element, &constant, true, wanted);
                self.suggest(element, &json!("other"), false, wanted);
            }
            for operand in items.iter().filter(|operand| operand.through.is_empty() && element.through.is_empty()) {
                self.places.unite(&operand.place, &element.place);
            }
        }
    }

    fn function(&mut self, function: Function, args: &[Expr], wanted: bool) {
        let [left, right] = args else { return };
        let (lefts, constants) = (self.locate(left), self.constants(right));
        match function {
            Function::Subset | Function::Intersects => {
                let (lefts, rights) = (self.elements(left), self.elements(right));
                for element in &lefts {
                    self.touch(element);
                    for constant in constants.iter().cloned().flat_map(sample::members) {
                        self.suggest(element, &constant, true, wanted);
                    }
                    self.suggest(element, &json!("other"), false, wanted);
                }
                for (a, b) in lefts.iter().flat_map(|a| rights.iter().map(move |b| (a, b))) {
                    self.places.unite(&a.place, &b.place);
                }
            }
            Function::Contains => {
                for operand in &lefts {
                    for constant in &constants {
                        self.suggest(operand, constant, true, wanted);
                        self.suggest(operand, &json!([constant]), true, wanted);
                    }
                    self.suggest(operand, &json!("other"), false, wanted);
                }
                let item = right;
                self.member(item, left, wanted);
            }
            Function::CidrContains => {
                let nets: Vec<Value> = self.constants(left);
                for operand in self.locate(right) {
                    for net in nets.iter().cloned().flat_map(sample::members) {
                        sample::in_network(&net).iter().for_each(|ip| self.suggest(&operand, ip, true, wanted));
                    }
                    self.suggest(&operand, &json!("203.0.113.9"), false, wanted);
                }
            }
            _ => {
                for operand in &lefts {
                    for constant in constants.iter().cloned().flat_map(sample::members) {
                        for value in sample::within(function, &constant) {
                            self.suggest(operand, &value, true, wanted);
                        }
                    }
                    let other = sample::outside(function);
                    self.suggest(operand, &json!(other), false, wanted);
                }
                // A text that starts with what a place holds is that text itself.
                let rights = self.locate(right);
                for (a, b) in lefts.iter().flat_map(|a| rights.iter().map(move |b| (a, b))) {
                    self.places.unite(&a.place, &b.place);
                }
            }
        }
    }

    /// The constants that an expression is made of.
    fn constants(&self, expr: &Expr) -> Vec<Value> {
        match expr {
            Expr::Literal(literal) => sample::literal(literal).into_iter().collect(),
            Expr::List(items) => items.iter().flat_map(|item| self.constants(item)).collect(),
            Expr::Arithmetic(_, left, right) => {
                let mut all = self.constants(left);
                all.extend(self.constants(right));
                all
            }
            Expr::Call(_, args) => args.iter().flat_map(|arg| self.constants(arg)).collect(),
            Expr::Path(Path { root: Root::State(cell), .. }) => {
                let initial = self.contract.cells.get(*cell).and_then(|cell| cell.initial.as_ref());
                initial.and_then(sample::literal).into_iter().collect()
            }
            _ => Vec::new(),
        }
    }

    /// The places whose value an expression passes on.
    fn locate(&mut self, expr: &Expr) -> Vec<Operand> {
        match expr {
            Expr::Path(path) => self.path(path),
            Expr::Select(inner, steps) => {
                let from = self.locate(inner);
                self.walk(from, steps)
            }
            Expr::Arithmetic(_, left, right) => {
                let mut all = self.locate(left);
                all.extend(self.locate(right));
                all
            }
            Expr::List(items) => items.iter().flat_map(|item| self.locate(item)).collect(),
            Expr::Call(Function::Json, args) => {
                let from: Vec<Operand> = args.iter().flat_map(|arg| self.locate(arg)).collect();
                from.into_iter().map(|operand| operand.then(Part::Json)).collect()
            }
            Expr::Call(Function::Values | Function::Sum | Function::Min | Function::Max, args) => {
                match args.as_slice() {
                    [list] => self.elements(list),
                    _ => args.iter().flat_map(|arg| self.locate(arg)).collect(),
                }
            }
            Expr::Call(Function::Default, args) => args.first().map(|arg| self.locate(arg)).unwrap_or_default(),
            Expr::Call(function, args) if !function.is_predicate() => {
                let mut all: Vec<Operand> = args.iter().take(1).flat_map(|arg| self.locate(arg)).collect();
                all.iter_mut().for_each(|operand| operand.through.push(*function));
                all
            }
            _ => Vec::new(),
        }
    }

    /// The places of the elements of a list.
    fn elements(&mut self, list: &Expr) -> Vec<Operand> {
        let is_state = matches!(list, Expr::Path(Path { root: Root::State(_), .. }));
        let operands = self.locate(list);
        let element = |operand: Operand| {
            let inner = operand.place.parts.contains(&Part::Each) || is_state;
            if inner { operand } else { operand.then(Part::Each) }
        };
        operands.into_iter().map(element).collect()
    }

    fn path(&mut self, path: &Path) -> Vec<Operand> {
        let site = match (path.root, self.frame) {
            (Root::Args, Frame { tool: Some(tool), .. }) => Site::Args(tool),
            (Root::Result, Frame { tool: Some(tool), .. }) => Site::Result(tool),
            (Root::Event, Frame { event: Some(event), .. }) => Site::Event(event),
            (Root::Context(fact), _) => Site::Context(fact),
            (Root::Call(CallFact::Batch), Frame { tool: Some(tool), .. }) => Site::Batch(tool),
            (Root::Call(CallFact::Agent), Frame { tool: Some(tool), .. }) => Site::Agent(tool),
            (Root::Call(CallFact::Server), Frame { tool: Some(tool), .. }) => Site::Server(tool),
            (Root::State(cell), _) => return self.state(cell, &path.steps),
            (Root::Variable(slot), _) => {
                let from = self.variables.get(&slot).cloned().unwrap_or_default();
                return self.walk(from, &path.steps);
            }
            _ => return Vec::new(),
        };
        self.walk(vec![Operand { place: Place::new(site), through: Vec::new() }], &path.steps)
    }

    /// Most places that one path is followed to, through all commits.
    fn walk(&mut self, from: Vec<Operand>, steps: &[Step]) -> Vec<Operand> {
        let mut parts = Vec::new();
        for step in steps {
            match step {
                Step::Field(name) => parts.push(Part::Field(name.clone())),
                Step::Index(index) => parts.push(Part::Index(*index)),
                Step::Each => parts.push(Part::Each),
                Step::Deep => {}
                Step::Dynamic(expr) => parts.push(self.named(expr)),
            }
        }
        let longer = |operand: Operand| parts.iter().cloned().fold(operand, Operand::then);
        from.into_iter().take(64).map(longer).collect()
    }

    fn named(&mut self, expr: &Expr) -> Part {
        if let Some(operand) = self.locate(expr).first() {
            let class: Class = self.places.class(&operand.place);
            return Part::Named(class);
        }
        match self.constants(expr).first() {
            Some(Value::String(name)) => Part::Field(name.clone()),
            Some(Value::Number(number)) => {
                Part::Index(number.as_u64().and_then(|number| u32::try_from(number).ok()).unwrap_or(0))
            }
            _ => Part::Field("k1".to_owned()),
        }
    }

    /// Where the value of a cell comes from.
    fn state(&mut self, cell: usize, steps: &[Step]) -> Vec<Operand> {
        let written = self.written(cell);
        let is_set = matches!(self.contract.cells.get(cell).map(|cell| &cell.ty), Some(Type::Set(_)));
        let mut found = Vec::new();
        for Written { at, value, keyed } in written {
            let mut steps = steps;
            if keyed {
                match steps {
                    [] => {
                        found.extend(at);
                        continue;
                    }
                    [Step::Dynamic(expr), rest @ ..] => {
                        let asked = self.locate(expr);
                        for (a, b) in asked.iter().flat_map(|a| at.iter().map(move |b| (a, b))) {
                            self.places.unite(&a.place, &b.place);
                        }
                        steps = rest;
                    }
                    [Step::Field(name), rest @ ..] => {
                        at.iter().for_each(|operand| self.suggest(operand, &json!(name), true, true));
                        steps = rest;
                    }
                    [_, rest @ ..] => steps = rest,
                }
            } else if let ([Step::Each, rest @ ..], true) = (steps, is_set) {
                steps = rest;
            }
            let value = self.walk(value, steps);
            found.extend(value);
            if found.len() > 64 {
                break;
            }
        }
        found
    }

    fn written(&mut self, cell: usize) -> Vec<Written> {
        if let Some(known) = self.cells.get(&cell) {
            return known.clone();
        }
        // A cell that is made of itself adds nothing.
        self.cells.insert(cell, Vec::new());
        let (frame, variables) = (self.frame, std::mem::take(&mut self.variables));
        let mut all = Vec::new();
        let contract = self.contract;
        let keeps = contract.cells.get(cell).and_then(|cell| keeps(&cell.ty));
        for commit in &contract.commits {
            for change in commit.changes.iter().filter(|change| change.cell == cell) {
                self.each_frame(&commit.after, |survey| {
                    let (at, value) = match &change.verb {
                        Verb::Set(value) | Verb::Bind(value) | Verb::Insert(value) => (None, value),
                        Verb::InsertAt(at, value) | Verb::Put { at, value } => (Some(at), value),
                        Verb::Remove(_) | Verb::RemoveAt(..) | Verb::Clear => return,
                    };
                    let keyed = at.is_some();
                    let at = at.map(|at| survey.locate(at)).unwrap_or_default();
                    let value = survey.locate(value);
                    if let Some(keeps) = keeps {
                        let plain = value.iter().filter(|operand| operand.through.is_empty());
                        plain.for_each(|operand| survey.places.keep(&operand.place, keeps));
                    }
                    all.push(Written { at, value, keyed });
                });
            }
        }
        (self.frame, self.variables) = (frame, variables);
        self.cells.insert(cell, all.clone());
        all
    }
}

impl Operand {
    fn then(mut self, part: Part) -> Self {
        self.place = self.place.then(part);
        self
    }
}

/// What a cell of a type holds, or its members.
fn keeps(ty: &Type) -> Option<Keeps> {
    match ty {
        Type::Bool => Some(Keeps::Bool),
        Type::Int | Type::Decimal => Some(Keeps::Number),
        Type::String | Type::Time => Some(Keeps::Text),
        Type::Json => None,
        Type::Set(inner) | Type::Map(inner) => keeps(inner),
    }
}

fn is_time(ty: &Type) -> bool {
    match ty {
        Type::Time => true,
        Type::Set(inner) | Type::Map(inner) => is_time(inner),
        _ => false,
    }
}
