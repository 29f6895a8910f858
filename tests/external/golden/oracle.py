"""A second way from formulas to machines, for future operators: Spot (Duret-Lutz et al., CAV 2022)."""

import spot  # First: it makes `buddy`, its library of decision diagrams, importable.
import buddy

from formula import on_nothing
from machine import explored, machine_of, minimal

OPERATORS = {
    spot.op_tt: "true",
    spot.op_ff: "false",
    spot.op_Not: "not",
    spot.op_And: "and",
    spot.op_Or: "or",
    spot.op_Implies: "implies",
    spot.op_X: "next",
    spot.op_F: "eventually",
    spot.op_G: "always",
    spot.op_U: "until",
    spot.op_W: "weak_until",
    spot.op_R: "release",
}
# In Spot's LTLf, `X` is the weak operator.
WRITTEN = {
    "true": "1",
    "false": "0",
    "not": "!",
    "and": "&",
    "or": "|",
    "implies": "->",
    "next": "X[!]",
    "weak_next": "X",
    "eventually": "F",
    "always": "G",
    "until": "U",
    "weak_until": "W",
    "release": "R",
}


def parse(ltl):
    return spot.formula(ltl)


def read(formula, names):
    """A formula of Spot's as a tuple. LTL has one `X`; on finite traces it is read as `next`."""
    if formula._is(spot.op_ap):
        return ("name", names.index(formula.ap_name()))
    return (OPERATORS[formula.kind()], *(read(operand, names) for operand in formula))


def write(formula, names):
    operator, *operands = formula
    if operator == "name":
        return names[operands[0]]
    written = [f"({write(operand, names)})" for operand in operands]
    if len(written) < 2:
        return WRITTEN[operator] + "".join(written)
    return f" {WRITTEN[operator]} ".join(written)


class Edges:
    """The edges of an automaton of Spot's, by letter."""

    def __init__(self, automaton, names):
        propositions = [buddy.bdd_ithvar(automaton.register_ap(name)) for name in names]
        conditions = [buddy.bddtrue]
        for proposition in reversed(propositions):
            without = buddy.bdd_not(proposition)
            conditions = [buddy.bdd_and(condition, way) for condition in conditions for way in (without, proposition)]
        self.conditions = conditions
        self.automaton = automaton
        self.known = {}

    def successors(self, state, letter):
        if (state, letter) not in self.known:
            condition = self.conditions[letter]
            self.known[state, letter] = frozenset(
                edge.dst
                for edge in self.automaton.out(state)
                if buddy.bdd_and(edge.cond, condition) != buddy.bddfalse
            )
        return self.known[state, letter]


def machine(formula, names):
    """The four-coloured machine. Spot's language has no empty word: the state before the first letter is added."""
    infinite = spot.from_ltlf(write(formula, names)).translate("small", "buchi", "sbacc")
    finite = spot.to_finite(infinite)
    edges = Edges(finite, names)
    start = "start"

    def step(states, letter):
        if states == start:
            states = {finite.get_init_state_number()}
        return frozenset(next for state in states for next in edges.successors(state, letter))

    def accepts(states):
        if states == start:
            return on_nothing(formula)
        return any(finite.state_is_accepting(state) for state in states)

    return machine_of(start, step, accepts, 1 << len(names))


def ltl3(formula, names):
    """The minimal LTL3 monitor (Bauer, Leucker, Schallhart, TOSEM 20(4), 2011): `T` if all infinite continuations
    satisfy the formula, `F` if none does, else `?`."""
    sides = [safety_closure(formula, names), safety_closure(spot.formula_Not(formula), names)]

    def step(states, letter):
        return tuple(
            next(iter(edges.successors(state, letter)), None) if state is not None else None
            for (edges, _), state in zip(sides, states)
        )

    initial = tuple(state for _, state in sides)
    states, transitions = explored(initial, step, 1 << len(names))
    outputs = ["F" if for_it is None else "T" if against is None else "?" for for_it, against in states]
    return minimal(outputs, transitions)


def safety_closure(formula, names):
    """The prefixes that some infinite word of the formula continues: edges, and the initial state unless there is no
    such word."""
    automaton = spot.translate(formula, "monitor", "det")
    empty = spot.translate(formula).is_empty()
    return Edges(automaton, names), None if empty else automaton.get_init_state_number()
