//! Commits: which events change trusted state, and how.

use contract_runtime::Type;

use super::resolver::{Resolver, roots, suggest};
use super::role::Role;
use super::scope::Roots;
use crate::ast::{At, Commit, Ident, Member, Source};
use crate::diagnostic::{Code, Diagnostic};
use crate::mir::{self, Change, Verb};
use crate::source::{Span, Spanned};

/// A change as written.
enum Written<'a> {
    Set(&'a Source),
    Bind(&'a Source),
    Insert(&'a Member),
    Remove(&'a Member),
    Put(&'a At),
    Clear,
}

impl Commit {
    /// The cells that it changes, in file order, each with its change.
    fn changes(&self) -> Vec<(&Spanned<Ident>, Written<'_>)> {
        let mut changes: Vec<(&Spanned<Ident>, Written<'_>)> = Vec::new();
        changes.extend(self.set.iter().map(|(cell, value)| (cell, Written::Set(value))));
        changes.extend(self.bind.iter().map(|(cell, value)| (cell, Written::Bind(value))));
        changes.extend(self.insert.iter().map(|(cell, member)| (cell, Written::Insert(member))));
        changes.extend(self.remove.iter().map(|(cell, member)| (cell, Written::Remove(member))));
        changes.extend(self.put.iter().map(|(cell, at)| (cell, Written::Put(at))));
        changes.extend(self.clear.iter().flat_map(|cells| cells.iter()).map(|cell| (cell, Written::Clear)));
        changes.sort_by_key(|(cell, _)| cell.span);
        changes
    }

    /// The names of the cells that it changes.
    pub(crate) fn cells(&self) -> impl Iterator<Item = &Spanned<Ident>> {
        self.changes().into_iter().map(|(cell, _)| cell)
    }
}

impl Resolver<'_> {
    /// The commits in file order, each with what it was made from.
    pub(super) fn commits<'a>(&mut self, written: &'a [Commit]) -> (Vec<mir::Commit>, Vec<&'a Commit>) {
        written.iter().filter_map(|commit| Some((self.commit(commit)?, commit))).unzip()
    }

    fn commit(&mut self, written: &Commit) -> Option<mir::Commit> {
        let after = self.pattern(&written.after, &Role::COMMIT);
        // Without a pattern everything that some moment has counts as readable, so that one mistake is not two.
        let roots = after.as_ref().map_or(Roots::OF_RESULT | Roots::EVENT, roots);
        let when = written.when.as_ref().map(|when| self.predicate(when, roots));
        let mut changes = Vec::new();
        let mut complete = true;
        for (cell, change) in written.changes() {
            match self.change(cell, &change, roots) {
                Some(change) => changes.push(change),
                None => complete = false,
            }
        }
        let when = match when {
            None => None,
            Some(when) => Some(when?),
        };
        complete.then_some(mir::Commit { after: after?, when, changes })
    }

    fn change(&mut self, cell: &Spanned<Ident>, change: &Written<'_>, roots: Roots) -> Option<Change> {
        let name = &cell.value.0;
        let cells = self.scope.cells;
        let Some(index) = cells.iter().position(|known| known.name == *name) else {
            if self.scope.broken.cells.contains(name) {
                return None;
            }
            let diagnostic = Diagnostic::new(Code::UnknownName, cell.span, format!("there is no state cell `{name}`"));
            let known = cells.iter().map(|cell| cell.name.as_str());
            self.report(suggest(diagnostic, name, cell.span, known, "declare it under `state`"));
            return None;
        };
        let ty = &cells.get(index)?.ty;
        let verb = match (change, ty) {
            (Written::Clear, _) => Verb::Clear,
            (Written::Set(value), _) => Verb::Set(self.value_for(ty, value, roots)?),
            (Written::Bind(value), _) => Verb::Bind(self.value_for(ty, value, roots)?),
            (Written::Insert(Member::Of(value)), Type::Set(member)) => {
                Verb::Insert(self.value_for(member, value, roots)?)
            }
            (Written::Remove(Member::Of(value)), Type::Set(member)) => {
                Verb::Remove(self.value_for(member, value, roots)?)
            }
            (Written::Remove(Member::Of(key)), Type::Map(_)) => Verb::Remove(self.key(key, roots)?),
            (Written::Insert(Member::At(place)), Type::Map(inner)) if matches!(**inner, Type::Set(_)) => {
                let (at, value) = self.at(place, inner, roots)?;
                Verb::InsertAt(at, value)
            }
            (Written::Remove(Member::At(place)), Type::Map(inner)) if matches!(**inner, Type::Set(_)) => {
                let (at, value) = self.at(place, inner, roots)?;
                Verb::RemoveAt(at, value)
            }
            (Written::Put(place), Type::Map(value)) if !matches!(**value, Type::Set(_)) => {
                let key = self.key(&place.at, roots);
                let value = self.value_for(value, &place.value, roots);
                Verb::Put { at: key?, value: value? }
            }
            (change, ty) => {
                self.report(misfit(name, change, ty, cell.span));
                return None;
            }
        };
        Some(Change { cell: index, verb })
    }

    /// A key of a map and a member of the set there.
    fn at(&mut self, place: &At, inner: &Type, roots: Roots) -> Option<(mir::Expr, mir::Expr)> {
        let Type::Set(member) = inner else { return None };
        let at = self.key(&place.at, roots);
        let value = self.value_for(member, &place.value, roots);
        at.zip(value)
    }

    fn key(&mut self, source: &Source, roots: Roots) -> Option<mir::Expr> {
        let checked = self.value(source, roots)?;
        if checked.ty.may_be_scalar() {
            return Some(checked.expr);
        }
        let message = format!("a key is a string, number, time or truth value, and this is {}", checked.ty.described());
        let help = "write a path to one value, such as `args.id`";
        self.report(Diagnostic::new(Code::TypeMismatch, source.span, message).help(help));
        None
    }
}

/// A verb that the cell's type does not have.
fn misfit(name: &str, change: &Written<'_>, ty: &Type, span: Span) -> Diagnostic {
    let verb = match change {
        Written::Set(_) => "set",
        Written::Bind(_) => "bind",
        Written::Insert(_) => "insert",
        Written::Remove(_) => "remove",
        Written::Put(_) => "put",
        Written::Clear => "clear",
    };
    let diagnostic = Diagnostic::new(
        Code::TypeMismatch,
        span,
        format!("`{verb}` written so does not fit `{name}`, which is `{ty}`"),
    );
    diagnostic.help(match ty {
        Type::Set(_) => format!("write `{verb}: {{ {name}: member }}` with `insert` or `remove`, or `set` all of it"),
        Type::Map(inner) if matches!(**inner, Type::Set(_)) => {
            format!("write `insert: {{ {name}: {{ at: key, value: member }} }}`")
        }
        Type::Map(_) => {
            format!("write `put: {{ {name}: {{ at: key, value: value }} }}`, or `remove: {{ {name}: key }}`")
        }
        _ => format!("write `set: {{ {name}: value }}`, `bind` or `clear`"),
    })
}
