//! Whether an event is about the key that is looked at, or about another.
//!
//! One key stands for all: a space follows the instances of one key, whatever it is. Two rules whose events have the same key
//! expressions are about that key together; where the expressions differ, each may be about it or not.

use super::scene::{Moment, Occasion, Sight, Steps};
use super::{Ending, Focus, Model};
use crate::mir::{KeyRoute, Keyed, Missing, Phases, RouteKey};

/// How an event touches the instances of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Touch {
    /// The rule has no key.
    Whole,
    /// The key that is looked at.
    This,
    /// Another.
    Other,
    /// Several, this one among them.
    With,
    /// Several others.
    Without,
    /// Every key.
    All,
    /// It cannot be told which.
    Unread,
    /// None: the event is left out.
    Skipped,
}

impl Touch {
    /// Whether the event is known to be about no other key alone.
    pub(super) fn is_about(self) -> bool {
        !matches!(self, Self::Other | Self::Without)
    }
}

fn is_at(moment: Moment, phases: Phases) -> bool {
    match moment {
        Moment::Call => phases.call,
        Moment::Event => phases.event,
        Moment::Result(Ending::Ok) => phases.ok,
        Moment::Result(Ending::Failed) => phases.failed,
        Moment::Result(Ending::Unknown) => phases.unknown,
    }
}

impl Model<'_> {
    /// The sights of a class, with every way in which their keys can be this one or another. `None`: too many.
    pub(super) fn with_keys(
        &self,
        focus: &Focus,
        occasion: Occasion<'_>,
        sights: Vec<Sight>,
    ) -> Option<Vec<Vec<Sight>>> {
        let mut found = vec![sights];
        let mut done: Vec<(&RouteKey, Missing)> = Vec::new();
        for (at, index) in focus.rules.iter().enumerate() {
            let Some(keyed) = self.rule(*index).and_then(|rule| rule.per.as_ref()) else { continue };
            let Some(Some(Sight::Steps(_))) = found.first().map(|sights| sights.get(at)) else { continue };
            let route = self.route(*index, keyed, occasion);
            let Some(route) = route else {
                set(&mut found, &[at], &[Touch::Unread]);
                continue;
            };
            let key = (&route.key, keyed.missing);
            if done.contains(&key) {
                continue;
            }
            done.push(key);
            // All rules for which the event has this key.
            let alike = focus.rules.iter().enumerate().filter(|(other, index)| {
                let steps = matches!(found.first().and_then(|sights| sights.get(*other)), Some(Sight::Steps(_)));
                steps
                    && self.rule(**index).and_then(|rule| rule.per.as_ref()).is_some_and(|other| {
                        let route = self.route(**index, other, occasion);
                        route.is_some_and(|route| (&route.key, other.missing) == key)
                    })
            });
            let alike: Vec<usize> = alike.map(|(other, _)| other).collect();
            let skipped = (keyed.missing == Missing::Skip).then_some(Touch::Skipped);
            let touches: Vec<Touch> = match &route.key {
                RouteKey::One(_) => [Touch::This, Touch::Other, Touch::Unread].into_iter().chain(skipped).collect(),
                RouteKey::Each { .. } => {
                    [Touch::With, Touch::Without, Touch::Unread].into_iter().chain(skipped).collect()
                }
                RouteKey::All => vec![Touch::All],
            };
            found = touches
                .into_iter()
                .flat_map(|touch| {
                    let mut some = found.clone();
                    set(&mut some, &alike, &[touch]);
                    some
                })
                .collect();
            if found.len() > MOST {
                return None;
            }
        }
        Some(found)
    }

    /// The route of an event in a rule's key.
    fn route<'k>(&self, index: usize, keyed: &'k Keyed, occasion: Occasion<'_>) -> Option<&'k KeyRoute> {
        let side = self.side(index);
        keyed
            .routes
            .iter()
            .find(|route| is_at(occasion.moment, route.phases) && occasion.is_about(side, &route.subject))
    }
}

/// Most ways in which the keys of one event can be this one or another.
const MOST: usize = 256;

fn set(found: &mut [Vec<Sight>], at: &[usize], touches: &[Touch]) {
    for sights in found {
        for at in at {
            if let (Some(Sight::Steps(steps)), Some(touch)) = (sights.get_mut(*at), touches.first()) {
                *steps = Steps { touch: *touch, ..*steps };
            }
        }
    }
}
