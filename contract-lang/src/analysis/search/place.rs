//! Places: where in the events of a session a value stands, and which places hold the same value.
//!
//! A place is symbolic: `args.order_id` of a tool, the field `user_id` of its result. What a rule compares is in one class: the
//! classes are kept as a union–find structure (Tarjan, JACM 22(2), 1975), and each class has one pool of values.

use std::collections::BTreeMap;

use serde_json::Value;

/// The part of an event that a place is in. Tools and events are numbered as in the cast.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Site {
    Args(usize),
    Result(usize),
    Event(usize),
    Context(usize),
    Batch(usize),
    Agent(usize),
    Server(usize),
}

/// A step to a place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Part {
    Field(String),
    Index(u32),
    /// An element of a list.
    Each,
    /// What the text is, read as JSON.
    Json,
    /// The field that the first value of this class names.
    Named(Class),
}

/// A class of places that hold the same value, by one of its members.
pub(super) type Class = usize;

/// A place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    pub(super) site: Site,
    pub(super) parts: Vec<Part>,
}

impl Place {
    pub(super) fn new(site: Site) -> Self {
        Self { site, parts: Vec::new() }
    }

    pub(super) fn then(mut self, part: Part) -> Self {
        self.parts.push(part);
        self
    }
}

/// A value that a predicate distinguishes.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Candidate {
    pub(super) value: Value,
    /// Whether it makes true what the predicate says of the place.
    pub(super) holds: bool,
    /// Whether that is what the contract asks for: a precondition that holds, a prohibition that does not.
    pub(super) good: bool,
    /// The predicate, by number.
    pub(super) predicate: usize,
}

/// Every place that a contract reads.
#[derive(Debug, Default)]
pub(super) struct Places {
    numbers: BTreeMap<Place, Class>,
    parents: Vec<Class>,
    /// By representative of a class.
    candidates: Vec<Vec<Candidate>>,
    /// Places whose value goes into a cell that holds only such values.
    kept_as: BTreeMap<Class, Keeps>,
}

/// What a cell of the state can hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Keeps {
    Text,
    Number,
    Bool,
}

impl Keeps {
    /// Whether it can hold the value.
    pub(super) fn takes(self, value: &Value) -> bool {
        match self {
            Self::Text => value.is_string(),
            Self::Number => value.is_number(),
            Self::Bool => value.is_boolean(),
        }
    }
}

/// Most places, and most values of one class: what a hostile contract cannot exceed.
const MOST_PLACES: usize = 4_000;
const MOST_VALUES: usize = 24;

impl Places {
    /// The class of a place. Past the bound it is that of the first place of all.
    pub(super) fn class(&mut self, place: &Place) -> Class {
        if let Some(number) = self.numbers.get(place) {
            return self.root(*number);
        }
        let number = self.parents.len();
        if number >= MOST_PLACES {
            return 0;
        }
        self.numbers.insert(place.clone(), number);
        self.parents.push(number);
        self.candidates.push(Vec::new());
        number
    }

    pub(super) fn root(&self, mut class: Class) -> Class {
        while let Some(parent) = self.parents.get(class).filter(|parent| **parent != class) {
            class = *parent;
        }
        class
    }

    /// From now on both hold the same value.
    pub(super) fn unite(&mut self, a: &Place, b: &Place) {
        let (a, b) = (self.class(a), self.class(b));
        let (kept, gone) = (a.min(b), a.max(b));
        if kept == gone {
            return;
        }
        let moved = self.candidates.get_mut(gone).map(std::mem::take).unwrap_or_default();
        if let Some(parent) = self.parents.get_mut(gone) {
            *parent = kept;
        }
        for candidate in moved {
            self.add(kept, candidate);
        }
    }

    /// Adds a value to the pool of a class.
    pub(super) fn add(&mut self, class: Class, candidate: Candidate) {
        let class = self.root(class);
        if let Some(pool) = self.candidates.get_mut(class)
            && pool.len() < MOST_VALUES
            && !pool.contains(&candidate)
        {
            pool.push(candidate);
        }
    }

    /// What a place holds goes into a cell that takes only such values.
    pub(super) fn keep(&mut self, place: &Place, as_: Keeps) {
        let class = self.class(place);
        self.kept_as.insert(class, as_);
    }

    /// What cells can hold that get the values of a class.
    pub(super) fn kept_as(&self, class: Class) -> Option<Keeps> {
        let root = self.root(class);
        self.kept_as.iter().find(|(class, _)| self.root(**class) == root).map(|(_, keeps)| *keeps)
    }

    /// The pool of a class.
    pub(super) fn pool(&self, class: Class) -> &[Candidate] {
        self.candidates.get(self.root(class)).map_or(&[], Vec::as_slice)
    }

    /// The places of a site, in order.
    pub(super) fn of(&self, site: Site) -> impl Iterator<Item = (&Place, Class)> {
        let from = Place::new(site);
        let all = self.numbers.range(from..).take_while(move |(place, _)| place.site == site);
        all.map(|(place, number)| (place, self.root(*number)))
    }
}
