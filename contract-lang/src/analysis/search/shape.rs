//! Makes JSON values for the places of one site: a tree of objects, lists and texts, with a choice at every node.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use super::place::{Candidate, Class, Keeps, Part, Places, Site};

/// What is read of one site.
#[derive(Debug)]
pub(super) struct Shape {
    /// In the order of a walk from the root, which is the first.
    nodes: Vec<Node>,
}

#[derive(Debug, Default)]
struct Node {
    class: Option<Class>,
    fields: BTreeMap<String, usize>,
    elements: BTreeMap<u32, usize>,
    each: Option<usize>,
    json: Option<usize>,
    choices: Vec<Choice>,
}

/// What stands at a node.
#[derive(Clone, Debug, PartialEq)]
enum Choice {
    Object,
    List,
    Empty,
    Two,
    Json,
    Value(Value),
    Missing,
}

/// Which choice is made at each node; the first where nothing is said.
pub(super) type Choices = BTreeMap<usize, usize>;

/// What a set of choices prefers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Preference {
    /// What the predicates of a tool want.
    Good(usize),
    /// What makes a predicate true.
    Holds(usize),
    /// What makes it false.
    Fails(usize),
}

/// Most values of one node that are tried.
const MOST: usize = 8;

impl Shape {
    /// The shape of a site, with the candidates that its classes have.
    pub(super) fn new(places: &Places, site: Site, root: Root) -> Self {
        let mut shape = Self { nodes: vec![Node::default()] };
        for (place, class) in places.of(site) {
            let mut at = 0;
            for part in &place.parts {
                at = shape.child(at, part, places);
            }
            if let Some(node) = shape.nodes.get_mut(at) {
                node.class = Some(class);
            }
        }
        shape.choose(places, root);
        shape
    }

    /// Whether nothing is read.
    pub(super) fn is_empty(&self) -> bool {
        self.nodes.len() == 1 && self.nodes.first().is_none_or(|root| root.class.is_none())
    }

    fn child(&mut self, at: usize, part: &Part, places: &Places) -> usize {
        let next = self.nodes.len();
        let Some(node) = self.nodes.get_mut(at) else { return at };
        let child = match part {
            Part::Field(name) => *node.fields.entry(name.clone()).or_insert(next),
            Part::Named(class) => *node.fields.entry(fresh_name(places, *class)).or_insert(next),
            Part::Index(index) => *node.elements.entry((*index).min(16)).or_insert(next),
            Part::Each => *node.each.get_or_insert(next),
            Part::Json => *node.json.get_or_insert(next),
        };
        if child == next {
            self.nodes.push(Node::default());
        }
        child
    }

    fn choose(&mut self, places: &Places, root: Root) {
        for (index, node) in self.nodes.iter_mut().enumerate() {
            let mut choices = Vec::new();
            if !node.fields.is_empty() {
                choices.push(Choice::Object);
            }
            if node.each.is_some() || !node.elements.is_empty() {
                choices.push(Choice::List);
            }
            if node.json.is_some() {
                choices.push(Choice::Json);
            }
            if index == 0 && root == Root::Object {
                node.choices = vec![Choice::Object];
                continue;
            }
            let pool = node.class.map_or(&[] as &[_], |class| places.pool(class));
            let keeps = node.class.and_then(|class| places.kept_as(class));
            let odd = |value: &Value| keeps.is_some_and(|keeps| !keeps.takes(value));
            let texts = pool.iter().all(|candidate| candidate.value.is_string() || odd(&candidate.value));
            let fresh: Vec<Value> = match keeps {
                Some(Keeps::Number) => vec![json!(1), json!(2)],
                Some(Keeps::Bool) => vec![json!(true), json!(false)],
                None | Some(Keeps::Text) if texts => vec![json!("k1"), json!("k2")],
                None | Some(Keeps::Text) => Vec::new(),
            };
            // What is good comes first, then what nothing is said of, then what is bad, then what a cell cannot hold.
            let ranked = pool.iter().map(|candidate| {
                let rank = if odd(&candidate.value) {
                    3
                } else if candidate.good {
                    0
                } else {
                    2
                };
                (rank, candidate.value.clone())
            });
            let mut ranked: Vec<(u8, Value)> = ranked.chain(fresh.into_iter().map(|value| (1u8, value))).collect();
            ranked.sort_by_key(|(rank, _)| *rank);
            let values = ranked.into_iter().map(|(_, value)| value);
            for value in values.take(MOST) {
                let choice = Choice::of(value, &choices);
                if !choices.contains(&choice) {
                    choices.push(choice);
                }
            }
            if node.each.is_some() {
                choices.extend([Choice::Empty, Choice::Two]);
            }
            if choices.iter().all(|choice| !matches!(choice, Choice::Value(Value::Number(_)))) {
                choices.push(Choice::Value(json!(7)));
            } else {
                choices.push(Choice::Value(json!("text")));
            }
            choices.push(Choice::Missing);
            node.choices = choices;
        }
    }

    /// The choices that a preference makes.
    pub(super) fn preferred(&self, places: &Places, judged: &dyn Fn(usize, usize) -> bool, by: Preference) -> Choices {
        let mut chosen = Choices::new();
        for (index, node) in self.nodes.iter().enumerate() {
            let pool = node.class.map_or(&[] as &[_], |class| places.pool(class));
            let wanted = |candidate: &&Candidate| match by {
                Preference::Good(tool) => candidate.good && judged(candidate.predicate, tool),
                Preference::Holds(predicate) => candidate.predicate == predicate && candidate.holds,
                Preference::Fails(predicate) => candidate.predicate == predicate && !candidate.holds,
            };
            let Some(candidate) = pool.iter().find(wanted) else { continue };
            let choice = Choice::of(candidate.value.clone(), &node.choices);
            let inner = matches!(by, Preference::Good(_))
                && matches!(node.choices.first(), Some(first) if !matches!(first, Choice::Value(_)));
            if let Some(place) = node.choices.iter().position(|known| *known == choice).filter(|_| !inner) {
                chosen.insert(index, place);
            }
        }
        chosen
    }

    /// The choices that differ from some at one node, or at all nodes of one class.
    pub(super) fn near(&self, from: &Choices) -> Vec<Choices> {
        let mut all = Vec::new();
        let with = |changes: &[(usize, usize)]| {
            let mut choices = from.clone();
            choices.extend(changes.iter().copied());
            choices
        };
        for (index, node) in self.nodes.iter().enumerate() {
            let now = from.get(&index).copied().unwrap_or(0);
            all.extend((0..node.choices.len()).filter(|choice| *choice != now).map(|choice| with(&[(index, choice)])));
        }
        let classes: BTreeSet<Class> = self.nodes.iter().filter_map(|node| node.class).collect();
        for class in classes {
            let members = self.nodes.iter().enumerate().filter(|(_, node)| node.class == Some(class));
            let members: Vec<(usize, &Node)> = members.collect();
            let [(_, first), _, ..] = members.as_slice() else { continue };
            for choice in 1..first.choices.len().min(4) {
                let changes: Vec<(usize, usize)> = members.iter().map(|(index, _)| (*index, choice)).collect();
                all.push(with(&changes));
            }
        }
        all
    }

    /// The value; `None` if there is none.
    pub(super) fn make(&self, choices: &Choices) -> Option<Value> {
        self.value(0, choices, &mut 4_000)
    }

    fn value(&self, at: usize, choices: &Choices, fuel: &mut usize) -> Option<Value> {
        *fuel = fuel.checked_sub(1)?;
        let node = self.nodes.get(at)?;
        match node.choices.get(choices.get(&at).copied().unwrap_or(0))? {
            Choice::Missing => None,
            Choice::Value(value) => Some(value.clone()),
            Choice::Object => {
                let mut object = Map::new();
                for (name, child) in &node.fields {
                    if let Some(value) = self.value(*child, choices, fuel) {
                        object.insert(name.clone(), value);
                    }
                }
                Some(Value::Object(object))
            }
            Choice::Empty => Some(json!([])),
            shape @ (Choice::List | Choice::Two) => {
                let last = node.elements.keys().next_back().map_or(0, |last| last.saturating_add(1));
                let mut list = Vec::new();
                for index in 0..last.max(u32::from(node.each.is_some())) {
                    let child = node.elements.get(&index).copied().or(node.each);
                    list.push(child.and_then(|child| self.value(child, choices, fuel)).unwrap_or(Value::Null));
                }
                if let (Choice::Two, Some(each)) = (shape, node.each) {
                    // The second element is another one, where there is a choice.
                    let now = choices.get(&each).copied().unwrap_or(0);
                    let mut others = choices.clone();
                    others.insert(each, now.saturating_add(1));
                    list.extend(self.value(each, &others, fuel));
                }
                Some(Value::Array(list))
            }
            Choice::Json => Some(json!(self.value(node.json?, choices, fuel)?.to_string())),
        }
    }
}

/// What must stand at the root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Root {
    Object,
    Anything,
}

impl Choice {
    /// A value as a choice: an empty object stands for any object that is read, and so on.
    fn of(value: Value, shapes: &[Self]) -> Self {
        let shape = match &value {
            Value::Object(object) if object.is_empty() => Self::Object,
            Value::Array(list) if list.is_empty() => Self::List,
            Value::String(text) if text == "x" => Self::Json,
            _ => return Self::Value(value),
        };
        if shapes.contains(&shape) { shape } else { Self::Value(value) }
    }
}

/// The first text of a class, as the name of a field.
fn fresh_name(places: &Places, class: Class) -> String {
    let pool = places.pool(class);
    let texts = pool.iter().filter(|candidate| candidate.good).filter_map(|candidate| candidate.value.as_str());
    texts.map(str::to_owned).next().unwrap_or_else(|| "k1".to_owned())
}
