//! What a list of units, each a few predicates and what somebody makes of their truth values, can come to together.
//!
//! Units that read no common variable are combined freely, so that the work is in the sum of what the groups of others need and
//! not in the product. Of combinations with the same outcomes one is kept.

use std::collections::{BTreeMap, BTreeSet};

use contract_runtime::Truth;
use serde_json::Value;

use super::cell::Cell;
use super::compile::Theory;
use super::formula::Formula;
use crate::mir::{Expr, Path, Step};

/// Most combinations of cells that one group of units is asked about.
const MOST_COMBINATIONS: usize = 1 << 14;
/// Most rows of a table.
const MOST_ROWS: usize = 4_096;

/// Values of variables: `None` is that there is none.
pub type Sample = Vec<(Expr, Option<Value>)>;

/// What somebody makes of some truth values.
type Judge<'u, T> = Box<dyn Fn(&[Truth]) -> Option<T> + 'u>;

/// Some predicates, and what is made of their truth values: `None` if they cannot have these.
pub(in crate::analysis::model) struct Unit<'u, T> {
    formulas: Vec<Formula>,
    judge: Judge<'u, T>,
}

impl<'u, T> Unit<'u, T> {
    pub(in crate::analysis::model) fn new(formulas: Vec<Formula>, judge: impl Fn(&[Truth]) -> Option<T> + 'u) -> Self {
        Self { formulas, judge: Box::new(judge) }
    }
}

/// One combination.
#[derive(Clone, Debug)]
pub(in crate::analysis::model) struct Row<T> {
    /// What each unit came to.
    pub(in crate::analysis::model) outcomes: Vec<T>,
    /// Values that give it.
    pub(in crate::analysis::model) sample: Sample,
}

/// All combinations.
#[derive(Clone, Debug)]
pub(in crate::analysis::model) struct Table<T> {
    pub(in crate::analysis::model) rows: Vec<Row<T>>,
    /// Whether each is that of some event.
    pub(in crate::analysis::model) exact: bool,
}

/// Something that varies within a group: a variable by its cells, or an opaque atom.
enum Part<'t> {
    Variable(&'t super::compile::Variable, Vec<Cell>),
    Opaque(usize),
}

impl Part<'_> {
    fn size(&self) -> usize {
        match self {
            Self::Variable(_, cells) => cells.len(),
            Self::Opaque(_) => 3,
        }
    }
}

impl Theory<'_> {
    /// What the units can come to together. `None` if that is too much to tell.
    ///
    /// Where there are too many combinations, the outcomes of units that `blend` can make one of are no longer told apart.
    /// `spend` says whether so much work may be done.
    pub(in crate::analysis::model) fn table<T: Ord + Clone>(
        &self,
        units: &[Unit<'_, T>],
        blend: impl Fn(&T, &T) -> Option<T>,
        spend: impl Fn(u64) -> bool,
    ) -> Option<Table<T>> {
        let mut exact = self.is_exact();
        let mut groups = Vec::new();
        for group in self.groups(units) {
            let found = match self.enumerate(&group, units, &spend) {
                Some(found) => found,
                None => {
                    exact = false;
                    freely(&group, units)?
                }
            };
            groups.push((group, found));
        }
        // The largest are blended first.
        groups.sort_by_key(|(_, found)| std::cmp::Reverse(found.len()));
        for at in 0..groups.len() {
            let many = groups.iter().try_fold(1_usize, |many, (_, found)| many.checked_mul(found.len()));
            if many.is_some_and(|many| many <= MOST_ROWS) {
                break;
            }
            if let Some((_, found)) = groups.get_mut(at)
                && let Some(blended) = blended(found, &blend)
            {
                exact = false;
                *found = blended;
            }
        }
        let mut rows: Vec<(BTreeMap<usize, T>, Sample)> = vec![(BTreeMap::new(), Vec::new())];
        for (group, found) in &groups {
            if rows.len().checked_mul(found.len()).is_none_or(|many| many > MOST_ROWS) {
                return None;
            }
            let joined = |(outcomes, sample): &(BTreeMap<usize, T>, Sample)| {
                let (outcomes, sample) = (outcomes.clone(), sample.clone());
                found.iter().map(move |(more, values)| {
                    let mut outcomes = outcomes.clone();
                    outcomes.extend(group.iter().copied().zip(more.iter().cloned()));
                    (outcomes, sample.iter().chain(values).cloned().collect::<Sample>())
                })
            };
            rows = rows.iter().flat_map(joined).collect();
        }
        let rows =
            rows.into_iter().map(|(outcomes, sample)| Row { outcomes: outcomes.into_values().collect(), sample });
        Some(Table { rows: rows.collect(), exact })
    }

    /// The units that read common variables, or variables that lie within each other.
    fn groups<T>(&self, units: &[Unit<'_, T>]) -> Vec<Vec<usize>> {
        let mut group_of: Vec<usize> = (0..units.len()).collect();
        let mut owner: BTreeMap<usize, usize> = BTreeMap::new();
        let linked = self.links();
        for (index, unit) in units.iter().enumerate() {
            let mut atoms = BTreeSet::new();
            unit.formulas.iter().for_each(|formula| formula.atoms(&mut atoms));
            for atom in atoms {
                let part = linked.get(&atom).copied().unwrap_or(atom);
                let mine = group_of.get(index).copied().unwrap_or(index);
                let first = *owner.entry(part).or_insert(mine);
                let first = group_of.get(first).copied().unwrap_or(first);
                if first != mine {
                    group_of.iter_mut().filter(|group| **group == mine).for_each(|group| *group = first);
                }
            }
        }
        let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (index, group) in group_of.into_iter().enumerate() {
            groups.entry(group).or_default().push(index);
        }
        groups.into_values().collect()
    }

    /// The first atom that each atom hangs together with.
    fn links(&self) -> BTreeMap<usize, usize> {
        let mut links = BTreeMap::new();
        for (index, variable) in self.variables.iter().enumerate() {
            let relative = self
                .variables
                .iter()
                .take(index)
                .find(|other| parent(&other.expr, &variable.expr) || parent(&variable.expr, &other.expr));
            let first = relative.and_then(|other| other.atoms.first()).and_then(|atom| links.get(atom)).copied();
            let first = first.or(variable.atoms.first().copied()).unwrap_or(0);
            for atom in &variable.atoms {
                links.insert(*atom, first);
            }
        }
        links
    }

    fn enumerate<T: Ord + Clone>(
        &self,
        group: &[usize],
        units: &[Unit<'_, T>],
        spend: impl Fn(u64) -> bool,
    ) -> Option<BTreeMap<Vec<T>, Sample>> {
        let mut atoms = BTreeSet::new();
        let members: Vec<&Unit<'_, T>> = group.iter().filter_map(|index| units.get(*index)).collect();
        members.iter().flat_map(|unit| &unit.formulas).for_each(|formula| formula.atoms(&mut atoms));
        let mut parts: Vec<Part<'_>> = Vec::new();
        for variable in self.variables.iter().filter(|one| one.atoms.iter().any(|atom| atoms.contains(atom))) {
            parts.push(Part::Variable(variable, self.cells(variable)?));
        }
        let opaque = self.opaque.iter().filter(|one| atoms.contains(&one.atom));
        parts.extend(opaque.map(|one| Part::Opaque(one.atom)));
        let many = parts.iter().try_fold(1_usize, |many, part| many.checked_mul(part.size()));
        let many = many.filter(|many| *many <= MOST_COMBINATIONS)?;
        if !spend(u64::try_from(many).unwrap_or(u64::MAX)) {
            return None;
        }
        let relations = relations(&parts);
        let mut found = BTreeMap::new();
        let mut digits = vec![0_usize; parts.len()];
        let mut truths = vec![Truth::Unknown; self.atoms];
        loop {
            if relations.iter().all(|relation| possible(&parts, &digits, *relation)) {
                assign(&parts, &digits, &mut truths);
                let outcomes = members.iter().map(|unit| {
                    let each: Vec<Truth> = unit.formulas.iter().map(|formula| formula.truth(&truths)).collect();
                    (unit.judge)(&each)
                });
                if let Some(outcomes) = outcomes.collect::<Option<Vec<T>>>() {
                    found.entry(outcomes).or_insert_with(|| sample(&parts, &digits));
                }
            }
            if !advance(&parts, &mut digits) {
                return Some(found);
            }
        }
    }
}

/// All outcomes of a group as one. `None` if they have to be told apart.
fn blended<T: Ord + Clone>(
    found: &BTreeMap<Vec<T>, Sample>,
    blend: impl Fn(&T, &T) -> Option<T>,
) -> Option<BTreeMap<Vec<T>, Sample>> {
    let (first, sample) = found.first_key_value()?;
    let mut all = first.clone();
    for outcomes in found.keys() {
        all = all.iter().zip(outcomes).map(|(one, other)| blend(one, other)).collect::<Option<_>>()?;
    }
    Some(BTreeMap::from([(all, sample.clone())]))
}

/// Every predicate of the group for itself: whatever it says.
fn freely<T: Ord + Clone>(group: &[usize], units: &[Unit<'_, T>]) -> Option<BTreeMap<Vec<T>, Sample>> {
    let mut found = BTreeMap::from([(Vec::new(), Vec::new())]);
    for unit in group.iter().filter_map(|index| units.get(*index)) {
        let formulas = u32::try_from(unit.formulas.len()).ok()?;
        let many = 3_usize.checked_pow(formulas).filter(|many| *many <= MOST_COMBINATIONS)?;
        let outcomes: BTreeSet<T> = (0..many)
            .filter_map(|number| {
                let digit = |at: u32| number.checked_div(3_usize.checked_pow(at)?)?.checked_rem(3);
                let truth = |at: u32| super::truth(digit(at).and_then(|digit| u8::try_from(digit).ok()).unwrap_or(0));
                let truths: Vec<Truth> = (0..formulas).map(truth).collect();
                (unit.judge)(&truths)
            })
            .collect();
        found = found
            .into_iter()
            .flat_map(|(before, sample)| {
                outcomes.iter().map(move |outcome| {
                    let mut all: Vec<T> = before.clone();
                    all.push(outcome.clone());
                    (all, sample.clone())
                })
            })
            .collect();
        if found.len() > MOST_ROWS {
            return None;
        }
    }
    Some(found)
}

/// Which parts are a path and the path to what holds it.
fn relations(parts: &[Part<'_>]) -> Vec<(usize, usize)> {
    let expr = |part: &Part<'_>| match part {
        Part::Variable(variable, _) => Some(variable.expr.clone()),
        Part::Opaque(_) => None,
    };
    let exprs: Vec<Option<Expr>> = parts.iter().map(expr).collect();
    let mut found = Vec::new();
    for (outer, whole) in exprs.iter().enumerate() {
        for (inner, member) in exprs.iter().enumerate() {
            if let (Some(whole), Some(member)) = (whole, member)
                && parent(whole, member)
            {
                found.push((outer, inner));
            }
        }
    }
    found
}

/// Whether a path leads to something that the value at another is within. Elements of lists do not count.
fn parent(whole: &Expr, member: &Expr) -> bool {
    let (Expr::Path(Path { root, steps }), Expr::Path(path)) = (whole, member) else { return false };
    *root == path.root
        && path.steps.len() > steps.len()
        && path.steps.starts_with(steps)
        && path.steps.iter().all(|step| matches!(step, Step::Field(_)))
}

/// Whether what holds a value can hold it: only objects have members.
fn possible(parts: &[Part<'_>], digits: &[usize], (outer, inner): (usize, usize)) -> bool {
    let cell = |at: usize| match (parts.get(at), digits.get(at)) {
        (Some(Part::Variable(_, cells)), Some(digit)) => cells.get(*digit),
        _ => None,
    };
    match (cell(outer), cell(inner)) {
        (Some(whole), Some(member)) => whole.object || member.absent,
        _ => true,
    }
}

fn assign(parts: &[Part<'_>], digits: &[usize], truths: &mut [Truth]) {
    let mut set = |atom: usize, truth: Truth| {
        if let Some(slot) = truths.get_mut(atom) {
            *slot = truth;
        }
    };
    for (part, digit) in parts.iter().zip(digits) {
        match part {
            Part::Variable(variable, cells) => {
                let answers = cells.get(*digit).map(|cell| cell.answers.as_slice()).unwrap_or_default();
                variable.atoms.iter().zip(answers).for_each(|(atom, answer)| set(*atom, *answer));
            }
            Part::Opaque(atom) => set(*atom, super::truth(u8::try_from(*digit).unwrap_or(u8::MAX))),
        }
    }
}

fn sample(parts: &[Part<'_>], digits: &[usize]) -> Sample {
    let value = |(part, digit): (&Part<'_>, &usize)| match part {
        Part::Variable(variable, cells) => {
            let sample = cells.get(*digit)?.sample.clone()?;
            Some((variable.expr.clone(), sample))
        }
        Part::Opaque(_) => None,
    };
    parts.iter().zip(digits).filter_map(value).collect()
}

/// The next combination; `false` after the last.
fn advance(parts: &[Part<'_>], digits: &mut [usize]) -> bool {
    for (part, digit) in parts.iter().zip(digits) {
        *digit = digit.saturating_add(1);
        if *digit < part.size() {
            return true;
        }
        *digit = 0;
    }
    false
}
