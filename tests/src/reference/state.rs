//! Trusted state and its commits (language.md, "Trusted state").

use std::collections::BTreeMap;

use contract_lang::mir::{Contract, Literal, StateCell, Verb};
use contract_runtime::Type;

use super::event::Moment;
use super::expr::{Scope, literal};
use super::pattern::{condition, status};
use super::text;
use super::value::{Kleene, Map, Set, Value};

/// A part of a cell: nothing for the whole of one that is no collection; a member or key; a key and a member of its set.
type Part = Vec<Value>;

/// Trusted state.
#[derive(Clone, Debug)]
pub struct State {
    /// The cells, by index; `None` where not established.
    pub cells: Vec<Option<Value>>,
    /// By cell: when its parts were written. What a contract starts with is no fact that gets old.
    written: Vec<BTreeMap<Part, i128>>,
}

impl State {
    /// The state before anything happened.
    pub fn initial(contract: &Contract) -> Self {
        let cells = contract.cells.iter().map(|cell| initial_value(cell, cell.initial.as_ref()?)).collect();
        Self { cells, written: vec![BTreeMap::new(); contract.cells.len()] }
    }

    /// What was written longer ago than its cell allows is not established any more.
    pub fn get_old(&mut self, contract: &Contract, now: i128) {
        for ((cell, value), written) in contract.cells.iter().zip(&mut self.cells).zip(&mut self.written) {
            let Some(fresh) = cell.fresh else { continue };
            let mut old: Vec<Part> =
                written.iter().filter(|(_, at)| now - **at > fresh.as_nanos()).map(|(part, _)| part.clone()).collect();
            // The members of a set before the key that has the set.
            old.sort_by_key(|part| std::cmp::Reverse(part.len()));
            for part in old {
                written.remove(&part);
                lose(value, &part);
            }
        }
    }
}

/// Makes a part of a cell not established.
fn lose(value: &mut Option<Value>, part: &[Value]) {
    match (&mut *value, part) {
        (Some(Value::Set(set)), [member]) if set.members.contains(member) => {
            set.members.retain(|one| one != member);
            set.unsure = true;
        }
        (Some(Value::Map(map)), [key]) => match map.entries.get_mut(key) {
            // What is left of the set was written later.
            Some(Value::Set(set)) if !set.members.is_empty() => set.unsure = true,
            Some(_) => forget_key(map, key),
            None => {}
        },
        (Some(Value::Map(map)), [key, member]) => {
            if let Some(Value::Set(set)) = map.entries.get_mut(key).filter(|set| has(set, member)) {
                set.members.retain(|one| one != member);
                set.unsure = true;
            }
        }
        (Some(Value::Set(_) | Value::Map(_)), _) => {}
        (_, []) => *value = None,
        _ => {}
    }
}

fn has(set: &Value, member: &Value) -> bool {
    matches!(set, Value::Set(set) if set.members.contains(member))
}

/// The parts of a value, or of what it has at a key.
fn parts(value: Option<&Value>, at: Option<&Value>) -> Vec<Part> {
    match value {
        Some(Value::Set(set)) => set.members.iter().map(|member| vec![member.clone()]).collect(),
        Some(Value::Map(map)) => {
            let entries = map.entries.iter().filter(|(key, _)| at.is_none_or(|at| at == *key));
            let below = |(key, value): (&Value, &Value)| {
                let members = parts(Some(value).filter(|value| matches!(value, Value::Set(_))), None);
                let members = members.into_iter().map(|member| [vec![key.clone()], member].concat());
                [vec![key.clone()]].into_iter().chain(members).collect::<Vec<Part>>()
            };
            entries.flat_map(below).collect()
        }
        Some(_) => vec![Part::new()],
        None => Vec::new(),
    }
}

fn initial_value(cell: &StateCell, value: &Literal) -> Option<Value> {
    match (&cell.ty, literal(value)) {
        (Type::Map(_), Value::List(items)) if items.is_empty() => Some(Value::Map(Map::default())),
        (ty, value) => fitting(ty, &value, usize::MAX),
    }
}

/// The value as one of this type; `None` if it is not.
pub fn fitting(ty: &Type, value: &Value, max_bytes: usize) -> Option<Value> {
    let small = || bytes(value) <= max_bytes;
    match (ty, value) {
        (Type::Bool, Value::Bool(_)) | (Type::Decimal, Value::Number(_)) | (Type::Time, Value::Time(_)) => {
            Some(value.clone())
        }
        (Type::Int, Value::Number(number)) => number.to_i128().map(|_| value.clone()),
        (Type::String, Value::Text(_)) => small().then(|| value.clone()),
        (Type::Time, Value::Text(text)) => text::time(text, None).map(Value::Time),
        (Type::Json, Value::Time(_) | Value::Duration(_) | Value::Set(_) | Value::Map(_) | Value::Inexact(_)) => None,
        (Type::Json, _) => (value.is_exact() && small()).then(|| value.clone()),
        (Type::Set(ty), Value::List(members)) => {
            let mut members: Vec<Value> =
                members.iter().map(|one| fitting(ty, one, max_bytes)).collect::<Option<_>>()?;
            members.sort();
            members.dedup();
            Some(Value::Set(Set { members, unsure: false }))
        }
        (Type::Set(ty), Value::Set(set)) => {
            set.members.iter().all(|one| fitting(ty, one, max_bytes).is_some()).then(|| value.clone())
        }
        (Type::Map(ty), Value::Object(fields)) => {
            let entry = |(name, value): (&String, &Value)| Some((Value::text(name), fitting(ty, value, max_bytes)?));
            let entries = fields.iter().map(entry).collect::<Option<_>>()?;
            Some(Value::Map(Map { entries, unsure: false }))
        }
        (Type::Map(_), Value::Map(_)) => Some(value.clone()),
        _ => None,
    }
}

fn bytes(value: &Value) -> usize {
    match value {
        Value::Null | Value::Bool(true) => 4,
        Value::Bool(false) => 5,
        Value::Number(number) => number.to_string().len(),
        Value::Text(text) => text.len(),
        Value::List(items) => 2 + items.iter().map(|item| bytes(item) + 1).sum::<usize>(),
        Value::Object(fields) => 2 + fields.iter().map(|(name, value)| name.len() + bytes(value) + 4).sum::<usize>(),
        _ => 16,
    }
}

fn scalar(value: Option<Value>, max_bytes: usize) -> Option<Value> {
    let value = value?;
    let is_scalar = matches!(value, Value::Text(_) | Value::Number(_) | Value::Bool(_) | Value::Time(_));
    (is_scalar && bytes(&value) <= max_bytes).then_some(value)
}

/// The state after an event, and the cells of which a certain change could not be carried out, one for each change.
pub fn commit(contract: &Contract, moment: &Moment<'_>, before: &State, scope: &Scope<'_>) -> (State, Vec<String>) {
    let mut state = before.clone();
    let mut failures = Vec::new();
    for commit in &contract.commits {
        let when = commit.when.as_ref().map_or(Kleene::Yes, |when| condition(when, moment, scope));
        let happens = Kleene::all([status(&commit.after, moment, scope), when]);
        if happens == Kleene::No {
            continue;
        }
        for change in &commit.changes {
            let (Some(cell), Some(value)) = (contract.cells.get(change.cell), state.cells.get_mut(change.cell)) else {
                continue;
            };
            let mut place = Place { cell, value, scope };
            let carried_out = match happens {
                Kleene::Yes => {
                    let written = &mut state.written[change.cell];
                    let writes = place.writes(&change.verb);
                    let carried_out = place.change(&change.verb);
                    writes.into_iter().for_each(|writes| writes.note(place.value.as_ref(), written, scope.now));
                    carried_out
                }
                _ => {
                    place.perhaps_change(&change.verb);
                    true
                }
            };
            if !carried_out {
                failures.push(cell.name.clone());
            }
        }
    }
    (state, failures)
}

/// What a change writes anew.
enum Writes {
    /// The cell.
    All,
    /// A key of a map, with all that is below it.
    Key(Value),
    /// A member.
    Member(Value),
    /// A member of the set at a key.
    MemberAt(Value, Value),
}

impl Writes {
    /// Notes when parts of the cell, which has this value now, were written.
    fn note(self, value: Option<&Value>, written: &mut BTreeMap<Part, i128>, now: i128) {
        let there = parts(value, None);
        let of_key = |part: &Part, key: &Value| part.first() == Some(key);
        let anew = match self {
            Self::All => {
                written.clear();
                there
            }
            Self::Key(key) => {
                written.retain(|part, _| !of_key(part, &key));
                parts(value, Some(&key))
            }
            Self::Member(member) => there.into_iter().filter(|part| *part == [member.clone()]).collect(),
            Self::MemberAt(key, member) => {
                // A new key is as old as its first member; a further member says nothing new of the key.
                let is_new = !written.keys().any(|part| of_key(part, &key));
                let is_it = |part: &Part| (is_new && *part == [key.clone()]) || *part == [key.clone(), member.clone()];
                there.into_iter().filter(is_it).collect()
            }
        };
        written.extend(anew.into_iter().map(|part| (part, now)));
    }
}

/// A cell about to be changed; expressions read the state before the event.
struct Place<'a> {
    cell: &'a StateCell,
    value: &'a mut Option<Value>,
    scope: &'a Scope<'a>,
}

impl Place<'_> {
    /// The value of a right side, if it is of this type.
    fn right_side(&self, expr: &contract_lang::mir::Expr, ty: &Type) -> Option<Value> {
        fitting(ty, &self.scope.value(expr)?, self.cell.max_bytes)
    }

    fn scalar(&self, expr: &contract_lang::mir::Expr) -> Option<Value> {
        scalar(self.scope.value(expr), self.cell.max_bytes)
    }

    /// The type of the members of the set, or of the values of the map.
    fn inner(&self) -> Type {
        match &self.cell.ty {
            Type::Set(ty) | Type::Map(ty) => (**ty).clone(),
            other => other.clone(),
        }
    }

    /// The type of the members of the sets in a map.
    fn inmost(&self) -> Type {
        match self.inner() {
            Type::Set(ty) => *ty,
            other => other,
        }
    }

    /// The set; a cell that was not established may hold any other members.
    fn set(&mut self) -> Option<&mut Set> {
        match self.value.get_or_insert(Value::Set(Set { members: Vec::new(), unsure: true })) {
            Value::Set(set) => Some(set),
            _ => None,
        }
    }

    /// The map; a cell that was not established may hold any other keys.
    fn map(&mut self) -> Option<&mut Map> {
        match self.value.get_or_insert(Value::Map(Map { unsure: true, ..Map::default() })) {
            Value::Map(map) => Some(map),
            _ => None,
        }
    }

    /// What a change that certainly happens writes anew.
    fn writes(&self, verb: &Verb) -> Option<Writes> {
        match verb {
            Verb::Bind(_) if self.value.is_some() => None,
            Verb::Set(_) | Verb::Bind(_) | Verb::Clear => Some(Writes::All),
            Verb::Put { at, value } => {
                self.right_side(value, &self.inner())?;
                self.scalar(at).map(Writes::Key)
            }
            Verb::Insert(expr) => self.right_side(expr, &self.inner()).map(Writes::Member),
            Verb::InsertAt(at, expr) => {
                Some(Writes::MemberAt(self.scalar(at)?, self.right_side(expr, &self.inmost())?))
            }
            Verb::Remove(_) | Verb::RemoveAt(..) => None,
        }
    }

    /// Carries out a change that certainly happens. Says whether it could be.
    fn change(&mut self, verb: &Verb) -> bool {
        let max = self.cell.max;
        match verb {
            Verb::Bind(_) if self.value.is_some() => true,
            Verb::Set(expr) | Verb::Bind(expr) => {
                let value = self.right_side(expr, &self.cell.ty).filter(|value| members(value) <= max);
                *self.value = value;
                self.value.is_some()
            }
            Verb::Insert(expr) => {
                let member = self.right_side(expr, &self.inner());
                self.set().is_some_and(|set| insert(set, member, max))
            }
            Verb::InsertAt(at, expr) => {
                let (at, member) = (self.scalar(at), self.right_side(expr, &self.inmost()));
                let Some(map) = self.map() else { return false };
                let Some(at) = at else {
                    forget_keys(map);
                    return false;
                };
                if !map.entries.contains_key(&at) && map.entries.len() >= max {
                    map.unsure = true;
                    return false;
                }
                let fresh = Value::Set(Set { members: Vec::new(), unsure: map.unsure });
                match map.entries.entry(at).or_insert(fresh) {
                    Value::Set(set) => insert(set, member, max),
                    _ => false,
                }
            }
            Verb::Put { at, value } => {
                let (at, value) = (self.scalar(at), self.right_side(value, &self.inner()));
                let Some(map) = self.map() else { return false };
                let Some(at) = at else {
                    forget_keys(map);
                    return false;
                };
                let Some(value) = value else {
                    forget_key(map, &at);
                    return false;
                };
                if !map.entries.contains_key(&at) && map.entries.len() >= max {
                    map.unsure = true;
                    return false;
                }
                map.entries.insert(at, value);
                true
            }
            Verb::Remove(expr) => {
                let gone = self.scalar(expr);
                match (&mut *self.value, gone) {
                    (Some(Value::Set(set)), Some(gone)) => set.members.retain(|member| *member != gone),
                    (Some(Value::Map(map)), Some(gone)) => {
                        map.entries.remove(&gone);
                    }
                    (None, Some(_)) => {}
                    (_, gone) => {
                        self.forget();
                        return gone.is_some() || self.value.is_none();
                    }
                }
                true
            }
            Verb::RemoveAt(at, expr) => {
                let (at, gone) = (self.scalar(at), self.scalar(expr));
                let Some(Value::Map(map)) = &mut *self.value else { return true };
                let Some(at) = at else {
                    forget_keys(map);
                    return false;
                };
                match (map.entries.get_mut(&at), gone) {
                    (Some(Value::Set(set)), Some(gone)) => set.members.retain(|member| *member != gone),
                    (Some(Value::Set(set)), None) => {
                        *set = Set { members: Vec::new(), unsure: true };
                        return false;
                    }
                    _ => {}
                }
                true
            }
            Verb::Clear => {
                *self.value = match self.cell.ty {
                    Type::Set(_) => Some(Value::Set(Set::default())),
                    Type::Map(_) => Some(Value::Map(Map::default())),
                    _ => None,
                };
                true
            }
        }
    }

    /// Carries out a change of which nobody knows whether it happens: what it would touch is not established.
    fn perhaps_change(&mut self, verb: &Verb) {
        match verb {
            Verb::Bind(_) => {}
            Verb::Set(_) | Verb::Clear => *self.value = None,
            Verb::Insert(_) => {
                if let Some(Value::Set(set)) = &mut *self.value {
                    set.unsure = true;
                }
            }
            Verb::Remove(expr) => match (self.scalar(expr), &mut *self.value) {
                (Some(gone), Some(Value::Set(set))) => {
                    set.members.retain(|member| *member != gone);
                    set.unsure = true;
                }
                (Some(gone), Some(Value::Map(map))) => forget_key(map, &gone),
                (None, _) => self.forget(),
                (Some(_), _) => {}
            },
            Verb::Put { at, .. } => {
                let at = self.scalar(at);
                if let Some(Value::Map(map)) = &mut *self.value {
                    match at {
                        Some(at) => forget_key(map, &at),
                        None => forget_keys(map),
                    }
                }
            }
            Verb::InsertAt(at, _) => {
                let at = self.scalar(at);
                self.doubt_at(at, |_| {});
            }
            Verb::RemoveAt(at, expr) => {
                let (at, gone) = (self.scalar(at), self.scalar(expr));
                self.doubt_at(at, |set| match &gone {
                    Some(gone) => set.members.retain(|member| member != gone),
                    None => set.members.clear(),
                });
            }
        }
    }

    fn doubt_at(&mut self, at: Option<Value>, change: impl Fn(&mut Set)) {
        let Some(Value::Map(map)) = &mut *self.value else { return };
        let Some(at) = at else { return forget_keys(map) };
        match map.entries.get_mut(&at) {
            Some(Value::Set(set)) => {
                change(set);
                set.unsure = true;
            }
            _ => map.unsure = true,
        }
    }

    fn forget(&mut self) {
        match &mut *self.value {
            Some(Value::Set(set)) => *set = Set { members: Vec::new(), unsure: true },
            Some(Value::Map(map)) => forget_keys(map),
            _ => {}
        }
    }
}

fn insert(set: &mut Set, member: Option<Value>, max: usize) -> bool {
    match member {
        Some(member) if set.members.contains(&member) => true,
        Some(member) if set.members.len() < max => {
            set.members.push(member);
            set.members.sort();
            true
        }
        _ => {
            set.unsure = true;
            false
        }
    }
}

fn forget_key(map: &mut Map, key: &Value) {
    map.entries.remove(key);
    map.unsure = true;
}

fn forget_keys(map: &mut Map) {
    *map = Map { unsure: true, ..Map::default() };
}

fn members(value: &Value) -> usize {
    match value {
        Value::Set(set) => set.members.len(),
        Value::Map(map) => map.entries.len(),
        _ => 0,
    }
}
