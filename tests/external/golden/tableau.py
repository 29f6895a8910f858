"""A first way from formulas to machines, for future and past: guess what holds at each position, and check it.

A valuation says which subformulas hold at a position. Given a letter, the values of the future operators are guessed;
past operators follow from the valuation before; then the rest follows. A valuation *demands* values of the one after
it, and may or may not be the last. A word satisfies the formula if some sequence of valuations does (Vardi and Wolper,
"An automata-theoretic approach to automatic program verification", LICS 1986). The subset construction makes that
deterministic. Nothing is rewritten. Of the empty word its definition speaks.
"""

from functools import cache
from itertools import product

from formula import PAST, TRUE_ON_NOTHING, connective, on_nothing, subformulas
from machine import machine_of

FUTURE = {"next", "weak_next", "until", "weak_until", "release", "eventually", "always"}

# The demands of a valuation that only the last position can have: no valuation follows.
NOTHING = (0, 1, True)


def machine(formula, letters):
    parts = subformulas(formula)
    place = {part: index for index, part in enumerate(parts)}
    guessed = [part for part in parts if part[0] in FUTURE]
    remembered = 0
    for operator, *operands in parts:
        if operator in PAST:
            remembered |= 1 << place[(operator, *operands)] | 1 << place[operands[0]]

    def demands(values):
        """What the next valuation must be like, as the bits that matter and their values, and whether there may be none.
        `None`: these values contradict each other."""
        wanted = {}
        last, followed = True, True
        for part in guessed:
            operator, *operands = part
            value = values[part]
            if operator in {"next", "weak_next"}:
                later = operands[0]
            else:
                decision = decided(operator, [values[operand] for operand in operands])
                if decision is None:
                    later = part
                elif decision == value:
                    continue
                else:
                    return None
            # On the last position `next f` is false and `weak_next f` is true, whatever `f` is: no contradiction there.
            followed = followed and wanted.setdefault(later, value) == value
            last = last and value == (operator in TRUE_ON_NOTHING)
        if not followed:
            return NOTHING if last else None
        mask = sum(1 << place[part] for part in wanted)
        return mask, sum(value << place[part] for part, value in wanted.items()), last

    @cache
    def valuations(before, letter):
        """The valuations of a position, each as its values, its demands, and what the past operators need of it."""
        found = []
        for guess in product([False, True], repeat=len(guessed)):
            values = dict(zip(guessed, guess))
            for part in parts:
                operator, *operands = part
                if operator == "name":
                    values[part] = bool(letter >> operands[0] & 1)
                elif operator in PAST:
                    earlier = None if before is None else (lambda part: bool(before >> place[part] & 1))
                    values[part] = past(part, [values[operand] for operand in operands], earlier)
                elif operator not in FUTURE:
                    values[part] = bool(connective(operator, [values[operand] for operand in operands], True))
            if (demanded := demands(values)) is not None:
                bits = sum(value << place[part] for part, value in values.items())
                found.append((bits, (*demanded, bits & remembered)))
        return found

    def step(states, letter):
        return frozenset(
            following
            for mask, wanted, _, before in states
            for bits, following in valuations(before, letter)
            if bits & mask == wanted
        )

    root = 1 << place[formula]
    initial = frozenset([(root, root, on_nothing(formula), None)])
    return machine_of(initial, step, lambda states: any(last for _, _, last, _ in states), letters)


def decided(operator, operands):
    """The value of a future operator where this position decides it, else None."""
    match operator, operands:
        case "eventually", [inner]:
            return True if inner else None
        case "always", [inner]:
            return None if inner else False
        case "until" | "weak_until", [hold, goal]:
            return True if goal else None if hold else False
        case "release", [free, bound]:
            return False if not bound else True if free else None
    raise ValueError(operator)


def past(part, inner, earlier):
    """The value of a past operator. `earlier` says what held at the position before, if there is one."""
    operator, *operands = part
    match operator:
        case "previous":
            return earlier is not None and earlier(operands[0])
        case "weak_previous":
            return earlier is None or earlier(operands[0])
        case "once":
            return inner[0] or (earlier is not None and earlier(part))
        case "historically":
            return inner[0] and (earlier is None or earlier(part))
        case "since":
            return inner[1] or (inner[0] and earlier is not None and earlier(part))
    raise ValueError(operator)
