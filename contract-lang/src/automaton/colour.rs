//! The colours of the states of an automaton, by reachability.

use contract_runtime::Colour;

use super::construct::Graph;

/// What each state says of the traces that end in it, over all continuations, the empty one included.
pub(super) fn colours(graph: &Graph) -> Vec<Colour> {
    let mut sources: Vec<Vec<usize>> = vec![vec![]; graph.successors.len()];
    for (state, successors) in graph.successors.iter().enumerate() {
        for &successor in successors {
            if let Some(sources) = sources.get_mut(successor) {
                sources.push(state);
            }
        }
    }
    let can_hold = reaching(&sources, &graph.accepting, true);
    let can_fail = reaching(&sources, &graph.accepting, false);
    can_hold
        .iter()
        .zip(&can_fail)
        .zip(&graph.accepting)
        .map(|((can_hold, can_fail), accepting)| match (can_hold, can_fail, accepting) {
            (_, false, _) => Colour::Satisfied,
            (false, _, _) => Colour::Violated,
            (_, _, true) => Colour::Open,
            (_, _, false) => Colour::Pending,
        })
        .collect()
}

/// The states from which a state is reachable that accepts, or one that does not.
fn reaching(sources: &[Vec<usize>], accepting: &[bool], wanted: bool) -> Vec<bool> {
    let mut reached: Vec<bool> = accepting.iter().map(|accepts| *accepts == wanted).collect();
    let mut queue: Vec<usize> =
        reached.iter().enumerate().filter(|(_, reached)| **reached).map(|(state, _)| state).collect();
    while let Some(state) = queue.pop() {
        for &source in sources.get(state).into_iter().flatten() {
            match reached.get_mut(source) {
                Some(reached) if !*reached => {
                    *reached = true;
                    queue.push(source);
                }
                _ => {}
            }
        }
    }
    reached
}
