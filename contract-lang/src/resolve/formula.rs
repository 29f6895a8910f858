//! Resolves formulas: names to patterns, operators to their meaning, and the whole to a machine.

use std::ops::Range;

use super::lowering::Lowering;
use super::resolver::{suggest, written};
use crate::ast::{Names, Source};
use crate::automaton::{TooLarge, construct, satisfiable};
use crate::diagnostic::{Code, Diagnostic};
use crate::formula::Formula;
use crate::mir::{Kind, Pattern};
use crate::syntax::formula::{self as tree, Binary, Unary};
use crate::syntax::parse;

/// Most operators and names of a formula. `p weak_until q` has two `q`.
const MOST: u64 = 1024;

/// Most operators and names of all formulas of a contract, and most formulas that may be found too large: each can take
/// seconds.
const MOST_OF_ALL: u64 = 16_384;
const MOST_TOO_LARGE: usize = 3;

/// Most parts that are tried in search of the one that is too large.
const TRIED: usize = 16;

impl Lowering<'_, '_> {
    /// A rule that is the automaton of a formula that its author wrote.
    pub(crate) fn written_formula(
        &mut self,
        source: &Source,
        names: &Names,
        patterns: Option<Vec<Pattern>>,
    ) -> Option<Kind> {
        let no_words = self.refuse_words(names);
        let tree = match parse::formula(&source.text) {
            Ok(tree) => tree,
            Err(flaw) => {
                // Where a word is taken for a name, that is the mistake.
                if no_words {
                    self.report(written(source, |written| flaw.at(written)));
                }
                return None;
            }
        };
        let names_are_right = self.check_names(source, &tree, names) && no_words;
        if size(&tree) > MOST {
            self.formula_too_large(source, &tree.range, TooLarge::Construction, "make it several rules".to_owned());
            return None;
        }
        let patterns = patterns.filter(|_| names_are_right)?;
        let taken = self.formulas();
        taken.size = taken.size.saturating_add(size(&tree));
        if taken.size > MOST_OF_ALL || taken.too_large >= MOST_TOO_LARGE {
            self.not_compiled(source);
            return None;
        }
        let width = self.width(&patterns)?;
        let machine = |tree: &tree::Formula| construct(&meaning(tree, names), width, &satisfiable(&patterns));
        match machine(&tree) {
            Ok(machine) => {
                let (template, formula) = (self.rule().kind.name(), Some(tree.to_string()));
                Some(Kind::Automaton { template, patterns, machine, formula })
            }
            Err(error) => {
                let taken = self.formulas();
                taken.too_large = taken.too_large.saturating_add(1);
                let is_too_large = |part: &tree::Formula| machine(part).is_err();
                let (part, help) = blame(&tree, is_too_large);
                self.formula_too_large(source, &part.range, error, help);
                None
            }
        }
    }

    fn formula_too_large(&mut self, source: &Source, range: &Range<usize>, error: TooLarge, help: String) {
        let message = error.to_string().replace("the rule", "the formula");
        self.report(Diagnostic::new(Code::MachineTooLarge, source.span_in(range.clone()), message).help(help));
    }

    /// The formulas before this one have taken what a contract may take.
    fn not_compiled(&mut self, source: &Source) {
        let message = "the formulas of this contract are too large together, and this one was not compiled";
        let help = "make those smaller that are too large, or make it several contracts";
        self.report(Diagnostic::new(Code::MachineTooLarge, source.span, message).help(help));
    }

    /// No name is a word of formulas.
    fn refuse_words(&mut self, names: &Names) -> bool {
        let taken = names.patterns.iter().filter(|(name, _)| is_word(&name.value.0));
        for (name, _) in taken.clone() {
            let message = format!("`{}` is a word of formulas, and cannot be a name in one", name.value.0);
            self.report(Diagnostic::new(Code::BadValue, name.span, message).help("give the pattern another name"));
        }
        taken.count() == 0
    }

    /// Each name of the formula has a pattern, and each pattern has its place in the formula.
    fn check_names(&mut self, source: &Source, tree: &tree::Formula, names: &Names) -> bool {
        let used = tree.names();
        let known = || names.patterns.iter().map(|(name, _)| name.value.0.as_str());
        if names.unread {
            return false;
        }
        let broken = &names.patterns.broken;
        let mut right = broken.is_empty();
        if names.patterns.is_empty() {
            let message = "a rule with `formula` needs the field `let`";
            let help = "name the patterns that it is about: `let: { p: call(tool), q: ok(tool) }`";
            self.report(Diagnostic::new(Code::MissingField, self.rule().kind_span, message).help(help));
            return false;
        }
        let mut reported = Vec::new();
        for (name, range) in &used {
            let declared = known().any(|known| known == *name) || broken.iter().any(|broken| broken == name);
            if declared || reported.contains(name) {
                continue;
            }
            reported.push(*name);
            right = false;
            let span = source.span_in(range.clone());
            let diagnostic = Diagnostic::new(Code::UnknownName, span, format!("`{name}` is not a name in `let`"));
            let help = format!("add it: `{name}: call(tool)`");
            self.report(suggest(diagnostic, name, span, known(), &help));
        }
        for (name, _) in &names.patterns {
            let text = name.value.0.as_str();
            let is_used = is_word(text) || used.iter().any(|(used, _)| *used == text);
            if reported.is_empty() && !text.is_empty() && !is_used {
                // Where a name is unknown, this may be what was meant.
                let message = format!("the formula does not use `{text}`");
                let help = "remove it, or say in the formula what holds of it";
                self.report(Diagnostic::new(Code::UnusedName, name.span, message).help(help));
                right = false;
            }
        }
        right
    }
}

/// Whether formulas mean something else by it than a name.
fn is_word(text: &str) -> bool {
    tree::words().any(|word| word == text)
}

/// How large a formula becomes.
fn size(tree: &tree::Formula) -> u64 {
    let sizes = tree.kind.parts().map(size);
    match &tree.kind {
        tree::Kind::Binary(Binary::WeakUntil, ..) => {
            sizes.zip([1, 2]).fold(1, |all, (size, times)| all.saturating_add(size.saturating_mul(times)))
        }
        _ => sizes.fold(1, u64::saturating_add),
    }
}

/// What a formula means, its names being the patterns of the rule in their order.
fn meaning(tree: &tree::Formula, names: &Names) -> Formula {
    let of = |part: &tree::Formula| meaning(part, names);
    match &tree.kind {
        tree::Kind::Bool(true) => Formula::TRUE,
        tree::Kind::Bool(false) => Formula::FALSE,
        tree::Kind::Name(name) => (0..)
            .zip(&names.patterns)
            .find(|(_, (known, _))| known.value.0 == *name)
            .map_or(Formula::FALSE, |(index, _)| Formula::name(index)),
        tree::Kind::Unary(operator, inner) => {
            let inner = of(inner);
            match operator {
                Unary::Not => !inner,
                Unary::Always => Formula::always(inner),
                Unary::Eventually => Formula::eventually(inner),
                Unary::Next => Formula::next(inner),
                Unary::WeakNext => Formula::weak_next(inner),
                Unary::Once => Formula::once(inner),
                Unary::Historically => Formula::historically(inner),
                Unary::Previous => Formula::previous(inner),
                Unary::WeakPrevious => Formula::weak_previous(inner),
            }
        }
        tree::Kind::Binary(operator, left, right) => {
            let (left, right) = (of(left), of(right));
            match operator {
                Binary::Until => left.until(right),
                Binary::WeakUntil => left.weak_until(right),
                Binary::Release => left.release(right),
                Binary::Since => left.since(right),
                Binary::Implies => left.implies(right),
            }
        }
        tree::Kind::And(members) => Formula::all(members.iter().map(of)),
        tree::Kind::Or(members) => Formula::any(members.iter().map(of)),
    }
}

/// The part of a formula to change where the whole is too large, and how: the smallest that was found to be too large by
/// itself.
fn blame(whole: &tree::Formula, is_too_large: impl Fn(&tree::Formula) -> bool) -> (&tree::Formula, String) {
    let mut part = whole;
    // Whether the formula says of it just that it holds, or that it always does.
    let mut is_claimed = true;
    let mut tried = 0..TRIED;
    while let Some(inner) = part.kind.parts().find(|inner| tried.next().is_some() && is_too_large(inner)) {
        is_claimed &= matches!(part.kind, tree::Kind::And(_) | tree::Kind::Unary(Unary::Always, _));
        part = inner;
    }
    let joined = match &part.kind {
        tree::Kind::Unary(Unary::Always, inner) => &inner.kind,
        kind => kind,
    };
    let help = match joined {
        tree::Kind::And(_) if is_claimed => {
            "make each part that is joined with `and` a rule of its own; its positions are then the events of its own names"
        }
        _ => "remember less: fewer `next` and `previous`, fewer names, or patterns joined with `|`",
    };
    (part, help.to_owned())
}
