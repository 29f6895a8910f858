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

/// The moves of rules that were asked before, for calls by their effects.
type Known = HashMap<(usize, Memory, Sight, Option<[Effect; 2]>, bool), Rc<[Move]>>;

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
            for focus in self.components() {
                // Rules that are looked at by themselves come last, when it is known which tools are live.
                let found = self.explore(focus, &mut live, true);
                if found.is_none() {
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
        let happens: Vec<usize> = (0..classes.len())
            .filter(|at| {
                classes.get(*at).is_some_and(|class| match class.moment {
                    Moment::Result(_) => live.contains(&class.subject),
                    Moment::Call => self.may_run(class),
                    Moment::Event => true,
                })
            })
            .collect();
        let mut known = Known::new();
        let mut queue = VecDeque::from([0_usize]);
        while let Some(number) = queue.pop_front() {
            let state = found.states.get(number)?.clone();
            let mut edges = Vec::new();
            if !self.spend(u64::try_from(happens.len().saturating_add(1)).unwrap_or(u64::MAX)) {
                return None;
            }
            for at in &happens {
                let class = classes.get(*at)?;
                for next in self.successors(focus, class, &state, &mut known)? {
                    let to = *numbers.entry(next.clone()).or_insert_with(|| {
                        found.states.push(next);
                        found.parents.push(Some((number, *at)));
                        queue.push_back(found.states.len().saturating_sub(1));
                        found.states.len().saturating_sub(1)
                    });
                    edges.push(Edge { class: *at, to });
                }
            }
            found.edges.push(edges);
            if found.states.len() > MOST_STATES {
                return None;
            }
        }
        Some(found)
    }

    /// Whether the defaults let a call run, if a person approves it where they ask.
    fn may_run(&self, class: &Class) -> bool {
        class.base.iter().all(|decision| *decision < Decision::Block)
    }

    /// Where an event may lead. `None`: too many places.
    fn successors(
        &self,
        focus: &Focus,
        class: &Class,
        state: &[Memory],
        known: &mut Known,
    ) -> Option<BTreeSet<Vec<Memory>>> {
        let mut all: BTreeSet<Vec<Memory>> = BTreeSet::from([Vec::new()]);
        // A sight means the same for all calls with the same effect, and for all results.
        let kind = (class.moment == Moment::Call).then_some(class.effects);
        for ((index, memory), sight) in focus.rules.iter().zip(state).zip(&class.sights) {
            let moves = known
                .entry((*index, *memory, *sight, kind, class.moment == Moment::Event))
                .or_insert_with(|| {
                    self.moves(*index, *memory, *sight, class.moment, self.effect_for(*index, class)).into()
                })
                .clone();
            let is_call = class.moment == Moment::Call;
            let enforced = self.enforces(*index);
            let open = moves.iter().filter(|one| !is_call || !enforced || one.decisions.may_run());
            let targets: BTreeSet<Memory> = open.map(|one| one.to).collect();
            all = all
                .iter()
                .flat_map(|before| {
                    targets.iter().map(|target| before.iter().copied().chain([*target]).collect::<Vec<Memory>>())
                })
                .collect();
            if all.len() > MOST_WAYS {
                return None;
            }
        }
        Some(all)
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
