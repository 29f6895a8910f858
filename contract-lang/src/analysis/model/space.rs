//! The product of some rules: every combination of what they remember that sessions may lead to.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::ops::Range;
use std::rc::Rc;

use contract_runtime::{Decision, Effect, Truth};

use super::moves::{Memory, Move, crowded, decided};
use super::scene::{Class, Moment, Sight};
use super::sets::{Decisions, Verdicts};
use super::{Bounded, Focus, Model, Subject};

/// Most states of a space.
const MOST_STATES: usize = 20_000;
/// Most ways in which the rules of a space may take one event together.
const MOST_WAYS: usize = 256;

/// Where rules may go that were asked before, by what they see, which is numbered, and what they remember.
type Known = HashMap<(usize, Memory), Box<[Memory]>>;

/// Classes of which the rules see the same.
struct Group<'k> {
    /// One of them.
    class: &'k Class,
    classes: Vec<usize>,
    /// The number of what each rule sees.
    numbers: Vec<usize>,
}

/// A way from one state to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The class of the event.
    pub class: usize,
    /// Where it leads.
    pub to: usize,
}

/// What was found of a focus.
#[derive(Debug)]
struct Found {
    focus: Focus,
    classes: Vec<Class>,
    states: Vec<Vec<Memory>>,
    edges: Vec<Vec<Edge>>,
    /// From which state, by which class, each state was found first.
    parents: Vec<Option<(usize, usize)>>,
}

/// What was found of all components.
#[derive(Debug)]
pub(super) struct Explored {
    spaces: Vec<(Focus, Option<Rc<Found>>)>,
    live: BTreeSet<usize>,
}

/// The product of the rules of a focus.
#[derive(Clone, Debug)]
pub struct Space<'m, 'c> {
    model: &'m Model<'c>,
    found: Rc<Found>,
}

impl<'c> Model<'c> {
    /// The space of a focus.
    #[must_use]
    pub fn space(&self, focus: &Focus) -> Bounded<Space<'_, 'c>> {
        let explored = self.explored();
        let known = explored.spaces.iter().find(|(known, _)| known == focus);
        let found = match known {
            Some((_, found)) => found.clone(),
            None => self.explore(focus, &mut explored.live.clone(), false).map(Rc::new),
        };
        found.map_or(Bounded::Capped, |found| Bounded::Exhausted(Space { model: self, found }))
    }

    /// The space of a focus as if there were no other rules: the tools whose results can come are those of which it admits calls.
    #[must_use]
    pub fn isolated(&self, focus: &Focus) -> Bounded<Space<'_, 'c>> {
        let found = self.explore(focus, &mut BTreeSet::new(), true).map(Rc::new);
        found.map_or(Bounded::Capped, |found| Bounded::Exhausted(Space { model: self, found }))
    }

    /// The tools of which a call may be admitted in some session.
    #[must_use]
    pub fn live(&self) -> &BTreeSet<usize> {
        &self.explored().live
    }

    fn explored(&self) -> &Explored {
        self.explored.get_or_init(|| {
            let mut live = BTreeSet::new();
            let mut spaces = Vec::new();
            for (number, focus) in self.components().iter().enumerate() {
                // Rules that are looked at by themselves come last, when it is known which tools are live.
                let is_joint = number < self.components.joint;
                let found = self.explore(focus, &mut live, is_joint);
                if found.is_none() && is_joint {
                    live.extend(focus.subjects.iter().copied());
                }
                spaces.push((focus.clone(), found.map(Rc::new)));
            }
            Explored { spaces, live }
        })
    }

    /// Explores a focus: `live` are the tools whose results can come. With `grows`, calls that are admitted make their tools live,
    /// until nothing changes.
    fn explore(&self, focus: &Focus, live: &mut BTreeSet<usize>, grows: bool) -> Option<Found> {
        if self.lost {
            return None;
        }
        let mut classes = Vec::new();
        for subject in &focus.subjects {
            classes.extend(self.classes(focus, *subject)?);
        }
        loop {
            let found = self.product(focus, &classes, live)?;
            let more: BTreeSet<usize> = self.admitted(&found).difference(live).copied().collect();
            if !grows || more.is_empty() {
                return Some(found);
            }
            live.extend(more);
        }
    }

    /// The tools of which a call is admitted.
    ///
    /// A call has one key for each rule, and the one that is looked at may be any. So it is enough that there is one rule for
    /// which no call about the key that is looked at is admitted.
    fn admitted(&self, found: &Found) -> BTreeSet<usize> {
        let admitted: BTreeSet<usize> = found.edges.iter().flatten().map(|edge| edge.class).collect();
        let calls = admitted.iter().filter_map(|at| found.classes.get(*at));
        let calls: Vec<&Class> = calls.filter(|class| class.moment == Moment::Call).collect();
        let about = |place: usize| -> BTreeSet<usize> {
            let is_about = |class: &&&Class| match class.sights.get(place) {
                Some(Sight::Steps(steps)) => steps.touch.is_about(),
                _ => true,
            };
            calls.iter().filter(is_about).map(|class| class.subject).collect()
        };
        let all: BTreeSet<usize> = calls.iter().map(|class| class.subject).collect();
        (0..found.focus.rules.len()).map(about).fold(all, |all, some| all.intersection(&some).copied().collect())
    }

    fn product(&self, focus: &Focus, classes: &[Class], live: &BTreeSet<usize>) -> Option<Found> {
        let start: Vec<Memory> = focus.rules.iter().map(|rule| self.fresh(*rule)).collect();
        let mut numbers: HashMap<Vec<Memory>, usize> = HashMap::from([(start.clone(), 0)]);
        let mut found = Found {
            focus: focus.clone(),
            classes: classes.to_vec(),
            states: vec![start],
            edges: Vec::new(),
            parents: vec![None],
        };
        let groups = self.groups(focus, classes, live);
        let mut known = Known::new();
        let mut queue = VecDeque::from([0_usize]);
        while let Some(number) = queue.pop_front() {
            let state = found.states.get(number)?.clone();
            let mut edges = Vec::new();
            for group in &groups {
                let nexts = self.successors(focus, group, &state, &mut known)?;
                let work = nexts.len().saturating_mul(group.classes.len()).div_ceil(16).saturating_add(1);
                if !self.spend(u64::try_from(work).unwrap_or(u64::MAX)) {
                    return None;
                }
                for next in nexts {
                    let to = match numbers.get(&next) {
                        Some(to) => *to,
                        None => {
                            let to = found.states.len();
                            found.states.push(next.clone());
                            found.parents.push(group.classes.first().map(|class| (number, *class)));
                            queue.push_back(to);
                            numbers.insert(next, to);
                            to
                        }
                    };
                    edges.extend(group.classes.iter().map(|class| Edge { class: *class, to }));
                }
            }
            found.edges.push(edges);
            if found.states.len() > MOST_STATES {
                return None;
            }
        }
        Some(found)
    }

    /// The classes of events that may come, those together of which the rules see the same.
    fn groups<'k>(&self, focus: &Focus, classes: &'k [Class], live: &BTreeSet<usize>) -> Vec<Group<'k>> {
        let mut groups: Vec<Group<'k>> = Vec::new();
        let mut places = HashMap::new();
        let mut numbers = HashMap::new();
        for (at, class) in classes.iter().enumerate() {
            let comes = match class.moment {
                Moment::Result(_) => live.contains(&class.subject),
                Moment::Call => self.may_run(class),
                Moment::Event => true,
            };
            if !comes {
                continue;
            }
            let place = *places.entry((class.sights.as_slice(), class.moment, class.effects)).or_insert(groups.len());
            if let Some(group) = groups.get_mut(place) {
                group.classes.push(at);
                continue;
            }
            let number = |(rule, sight): (&usize, &Sight)| {
                let effects = (class.moment == Moment::Call).then_some(class.effects);
                let next = numbers.len();
                *numbers.entry((*rule, *sight, effects, class.moment)).or_insert(next)
            };
            let numbers = focus.rules.iter().zip(&class.sights).map(number).collect();
            groups.push(Group { class, classes: vec![at], numbers });
        }
        groups
    }

    /// Whether the defaults let a call run, if a person approves it where they ask.
    fn may_run(&self, class: &Class) -> bool {
        class.base.iter().all(|decision| *decision < Decision::Block)
    }

    /// Where an event may lead. `None`: too many places.
    fn successors(
        &self,
        focus: &Focus,
        group: &Group<'_>,
        state: &[Memory],
        known: &mut Known,
    ) -> Option<Vec<Vec<Memory>>> {
        let mut all = vec![Vec::with_capacity(state.len())];
        let sights = group.class.sights.iter().zip(&group.numbers);
        for ((rule, memory), (sight, number)) in focus.rules.iter().zip(state).zip(sights) {
            let targets =
                known.entry((*number, *memory)).or_insert_with(|| self.targets(*rule, *memory, *sight, group.class));
            if let [target] = **targets {
                all.iter_mut().for_each(|one| one.push(target));
                continue;
            }
            let extended = |before: &Vec<Memory>| {
                let before = before.clone();
                targets.iter().map(move |target| before.iter().copied().chain([*target]).collect::<Vec<Memory>>())
            };
            all = all.iter().flat_map(extended).collect();
            if all.len() > MOST_WAYS {
                return None;
            }
        }
        Some(all)
    }

    /// What a rule may remember after an event that happens.
    fn targets(&self, rule: usize, memory: Memory, sight: Sight, class: &Class) -> Box<[Memory]> {
        let moves = self.moves(rule, memory, sight, class.moment, self.effect_for(rule, class));
        let stops = class.moment == Moment::Call && self.enforces(rule);
        let open = moves.iter().filter(|one| !stops || one.decisions.may_run());
        open.map(|one| one.to).collect::<BTreeSet<Memory>>().into_iter().collect()
    }

    /// The effect of a call, for a rule.
    fn effect_for(&self, rule: usize, class: &Class) -> Effect {
        let [old, new] = class.effects;
        if self.side(rule) == 0 { old } else { new }
    }
}

impl Space<'_, '_> {
    /// What it follows.
    #[must_use]
    pub fn focus(&self) -> &Focus {
        &self.found.focus
    }

    /// The states, in breadth-first order: 0 is the start of a session.
    #[must_use]
    pub fn states(&self) -> Range<usize> {
        0..self.found.states.len()
    }

    /// The classes of events.
    #[must_use]
    pub fn classes(&self) -> &[Class] {
        &self.found.classes
    }

    /// The ways out of a state: calls that may be admitted, results that may come, host events.
    #[must_use]
    pub fn edges(&self, state: usize) -> &[Edge] {
        self.found.edges.get(state).map(Vec::as_slice).unwrap_or_default()
    }

    /// The classes of a shortest way to a state.
    #[must_use]
    pub fn path(&self, state: usize) -> Vec<usize> {
        let mut path = Vec::new();
        let mut at = state;
        while let Some(Some((from, class))) = self.found.parents.get(at) {
            path.push(*class);
            at = *from;
        }
        path.reverse();
        path
    }

    fn moves(&self, state: usize, class: usize, rule: usize) -> Vec<Move> {
        let at = self.found.focus.rules.binary_search(&rule).ok();
        let memory = at.and_then(|at| self.found.states.get(state)?.get(at));
        let Some(class) = self.found.classes.get(class) else { return Vec::new() };
        let sight = at.and_then(|at| class.sights.get(at));
        match (memory, sight) {
            (Some(memory), Some(sight)) => {
                self.model.moves(rule, *memory, *sight, class.moment, self.model.effect_for(rule, class))
            }
            _ => Vec::new(),
        }
    }

    /// What a rule of the focus may say of an event: silence, if the event does not concern it.
    #[must_use]
    pub fn verdicts(&self, state: usize, class: usize, rule: usize) -> Verdicts {
        let moves = self.moves(state, class, rule);
        moves.into_iter().map(|one| one.verdicts).reduce(Verdicts::or).unwrap_or(Verdicts::SILENT)
    }

    /// What a rule of the focus may decide about a call, whether or not that is carried out.
    #[must_use]
    pub fn decided(&self, state: usize, class: usize, rule: usize) -> Decisions {
        let moves = self.moves(state, class, rule);
        let none = Decisions::one(Decision::Allow);
        moves.into_iter().map(|one| one.decisions).reduce(Decisions::or).unwrap_or(none)
    }

    /// The decisions that a call may get in each contract.
    #[must_use]
    pub fn decisions(&self, state: usize, class: usize) -> [Decisions; 2] {
        [0, 1].map(|side| self.decided_by(state, class, |rule| self.model.is_of(rule, side), side))
    }

    /// The same without some rules.
    #[must_use]
    pub fn decisions_without(&self, state: usize, class: usize, without: &[usize]) -> Decisions {
        self.decided_by(state, class, |rule| self.model.is_of(rule, 0) && !without.contains(&rule), 0)
    }

    fn decided_by(&self, state: usize, class: usize, counts: impl Fn(usize) -> bool, side: usize) -> Decisions {
        let base = self.found.classes.get(class).and_then(|class| class.base.get(side)).copied();
        let base = Decisions::one(base.unwrap_or(Decision::Allow));
        self.opinions(state, class, counts).into_iter().fold(base, Decisions::strongest)
    }

    /// What each enforced rule may decide: those of the focus, and the others, which may say anything.
    fn opinions(&self, state: usize, class: usize, counts: impl Fn(usize) -> bool) -> Vec<Decisions> {
        let Some(event) = self.found.classes.get(class) else { return Vec::new() };
        if event.moment != Moment::Call {
            return Vec::new();
        }
        let enforced = |rule: &&usize| counts(**rule) && self.model.enforces(**rule);
        let own = self.found.focus.rules.iter().filter(enforced).map(|rule| self.decided(state, class, *rule));
        let others = event.others.iter().filter(enforced).filter_map(|rule| {
            let (rule, effect) = (self.model.rule(*rule)?, self.model.effect_for(*rule, event));
            let any = decided(rule, Verdicts::ANY, effect);
            Some(if rule.per.is_some() { any.or(crowded(rule, effect)) } else { any })
        });
        own.chain(others).collect()
    }

    /// The decisions that a call may get in both contracts together: of the old one, and of the new one.
    #[must_use]
    pub fn pairs(&self, state: usize, class: usize) -> BTreeSet<(Decision, Decision)> {
        let of = |rule: usize| [self.model.is_of(rule, 0), self.model.is_of(rule, 1)];
        let base = self.found.classes.get(class).map_or([Decision::Allow; 2], |class| class.base);
        let [old, new] = base.map(Decisions::one);
        let strongest = |first: Decisions, sides: [bool; 2]| {
            self.opinions(state, class, |rule| of(rule) == sides).into_iter().fold(first, Decisions::strongest)
        };
        let both = strongest(Decisions::one(Decision::Allow), [true, true]);
        let (old, new) = (strongest(old, [true, false]), strongest(new, [false, true]));
        let mut pairs = BTreeSet::new();
        for both in both.iter() {
            for old in old.iter() {
                pairs.extend(new.iter().map(|new| (both.max(old), both.max(new))));
            }
        }
        pairs
    }

    /// Whether a rule of the focus owes something in a state, for the key that is looked at.
    #[must_use]
    pub fn owes(&self, state: usize, rule: usize) -> Truth {
        self.memory(state, rule).map_or(Truth::False, |memory| self.model.owed(rule, memory))
    }

    /// The verdict of a rule of the focus at rest.
    #[must_use]
    pub fn rest(&self, state: usize, rule: usize) -> Verdicts {
        self.memory(state, rule).map_or(Verdicts::ANY, |memory| self.model.rests(rule, memory))
    }

    pub(super) fn model(&self) -> &Model<'_> {
        self.model
    }

    fn memory(&self, state: usize, rule: usize) -> Option<Memory> {
        let at = self.found.focus.rules.binary_search(&rule).ok()?;
        self.found.states.get(state)?.get(at).copied()
    }

    /// Whether a state that is wanted can be reached from one in which no call is in flight: results come only of calls that are
    /// made on the way.
    #[must_use]
    pub fn reaches(&self, start: usize, wanted: impl Fn(usize) -> bool) -> bool {
        let mut live = BTreeSet::new();
        loop {
            let mut seen = BTreeSet::from([start]);
            let mut queue = vec![start];
            let mut admitted = live.clone();
            while let Some(state) = queue.pop() {
                if wanted(state) {
                    return true;
                }
                for edge in self.edges(state) {
                    let Some(class) = self.found.classes.get(edge.class) else { continue };
                    match class.moment {
                        Moment::Call => {
                            admitted.insert(class.subject);
                        }
                        Moment::Result(_) if !live.contains(&class.subject) => continue,
                        Moment::Result(_) | Moment::Event => {}
                    }
                    if seen.insert(edge.to) {
                        queue.push(edge.to);
                    }
                }
            }
            if admitted == live {
                return false;
            }
            live = admitted;
        }
    }

    /// From which states one that is wanted can be reached, by whatever calls are in flight.
    #[must_use]
    pub fn can_reach(&self, wanted: impl Fn(usize) -> bool) -> Vec<bool> {
        let mut before: Vec<Vec<usize>> = vec![Vec::new(); self.found.states.len()];
        for (from, edges) in self.found.edges.iter().enumerate() {
            for edge in edges {
                if let Some(list) = before.get_mut(edge.to)
                    && list.last() != Some(&from)
                {
                    list.push(from);
                }
            }
        }
        let mut reaches: Vec<bool> = self.states().map(wanted).collect();
        let mut queue: Vec<usize> = self.states().filter(|state| reaches.get(*state) == Some(&true)).collect();
        while let Some(state) = queue.pop() {
            for from in before.get(state).into_iter().flatten() {
                if let Some(reaches) = reaches.get_mut(*from).filter(|reaches| !**reaches) {
                    *reaches = true;
                    queue.push(*from);
                }
            }
        }
        reaches
    }

    /// Whether an event of the class may come at all: a call always, a result only of a tool that is live.
    #[must_use]
    pub fn may_come(&self, class: usize) -> bool {
        self.found.classes.get(class).is_some_and(|class| match class.moment {
            Moment::Result(_) => self.model.live().contains(&class.subject),
            Moment::Call | Moment::Event => true,
        })
    }

    /// Whether the key of an event is the one that is looked at wherever a rule has a key, or cannot be told.
    #[must_use]
    pub fn is_about_the_key(&self, class: usize) -> bool {
        self.found.classes.get(class).is_some_and(|class| {
            class.sights.iter().all(|sight| match sight {
                Sight::Steps(steps) => steps.touch.is_about(),
                _ => true,
            })
        })
    }

    /// The tool or host event of a class.
    #[must_use]
    pub fn subject(&self, class: usize) -> Option<&Subject> {
        self.model.subjects().get(self.found.classes.get(class)?.subject)
    }
}
