"""Deterministic automata with the four colours, minimal and numbered in the order of a breadth-first search."""

from collections import deque
from typing import NamedTuple


class Machine(NamedTuple):
    """`transitions[state][letter]`; state 0 is initial. Outputs are colours or, of an LTL3 monitor, verdicts."""

    outputs: list
    transitions: list

    def after(self, word):
        state = 0
        for letter in word:
            state = self.transitions[state][letter]
        return self.outputs[state]


def explored(initial, step, letters):
    """All states that can be reached, and the successors of each by number."""
    numbers, transitions, queue = {initial: 0}, [], deque([initial])
    while queue:
        state = queue.popleft()
        row = []
        for letter in range(letters):
            following = step(state, letter)
            if following not in numbers:
                numbers[following] = len(numbers)
                queue.append(following)
            row.append(numbers[following])
        transitions.append(row)
    return list(numbers), transitions


def coloured(accepting, transitions):
    """The colours, by whether a state that accepts, and one that does not, can be reached."""

    def reaching(wanted):
        found = {state for state, accepts in enumerate(accepting) if accepts == wanted}
        while True:
            more = {state for state, row in enumerate(transitions) if not found.isdisjoint(row)} - found
            if not more:
                return found
            found |= more

    can_hold, can_fail = reaching(True), reaching(False)

    def colour(state):
        if state not in can_fail:
            return "satisfied"
        if state not in can_hold:
            return "violated"
        return "open" if accepting[state] else "pending"

    return [colour(state) for state in range(len(transitions))]


def minimal(outputs, transitions):
    """The minimal machine, by partition refinement."""
    classes, count = list(outputs), len(set(outputs))
    while True:
        signatures = [(classes[state], *(classes[next] for next in row)) for state, row in enumerate(transitions)]
        numbers = {signature: number for number, signature in enumerate(dict.fromkeys(signatures))}
        classes = [numbers[signature] for signature in signatures]
        if len(numbers) == count:
            break
        count = len(numbers)
    member = {}
    for state, own in enumerate(classes):
        member.setdefault(own, state)
    order, rows = explored(classes[0], lambda own, letter: classes[transitions[member[own]][letter]], len(transitions[0]))
    return Machine([outputs[member[own]] for own in order], rows)


def machine_of(initial, step, accepts, letters):
    """The minimal four-coloured machine of a deterministic automaton."""
    states, transitions = explored(initial, step, letters)
    return minimal(coloured([accepts(state) for state in states], transitions), transitions)


def difference(left, right):
    """The shortest word, first by its letters, after which two machines with one alphabet differ. None: there is none."""
    seen, queue = {(0, 0)}, deque([(0, 0, ())])
    while queue:
        a, b, word = queue.popleft()
        if left.outputs[a] != right.outputs[b]:
            return word
        for letter, pair in enumerate(zip(left.transitions[a], right.transitions[b])):
            if pair not in seen:
                seen.add(pair)
                queue.append((*pair, (*word, letter)))
    return None
