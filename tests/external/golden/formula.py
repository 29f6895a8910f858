"""Formulas on finite traces, and their meaning, straight from the definitions.

A formula is a tuple: an operator, in the words of the contract language, and its operands. `("name", 2)` is the third
name. A word is a sequence of letters; bit i of a letter says whether name i holds there.
"""

PAST = {"previous", "weak_previous", "once", "historically", "since"}
# The temporal operators that are true where there is no position, as on the empty trace; the others are false there.
TRUE_ON_NOTHING = {"weak_next", "always", "weak_until", "release", "weak_previous", "historically"}


def text(formula, names):
    """The formula as a contract writes it."""
    operator, *operands = formula
    if operator == "name":
        return names[operands[0]]
    written = [text(operand, names) for operand in operands]
    match written:
        case []:
            return operator
        case [operand]:
            return f"{operator} {operand}"
        case _:
            return f"({f' {operator} '.join(written)})"


def subformulas(formula):
    """The formula and its parts, operands first, each once."""
    found = {}

    def visit(part):
        if part not in found:
            for operand in part[1:]:
                if isinstance(operand, tuple):
                    visit(operand)
            found[part] = None

    visit(formula)
    return list(found)


def on_nothing(formula):
    """Whether the empty trace satisfies it."""
    operator, *operands = formula
    if operator in PAST or operator not in {"true", "not", "and", "or", "implies"}:
        return operator in TRUE_ON_NOTHING
    return connective(operator, [on_nothing(operand) for operand in operands], True)


def connective(operator, values, everything):
    """The value of an operator that is not temporal. Values are sets as bits, of which `everything` is the largest:
    `True` for a single word."""
    match operator, values:
        case "true", []:
            return everything
        case "false", []:
            return everything ^ everything
        case "not", [inner]:
            return everything ^ inner
        case "implies", [left, right]:
            return (everything ^ left) | right
        case "and", _:
            return conjunction(values, everything)
        case "or", _:
            return disjunction(values, everything)
    raise ValueError(operator)


def conjunction(values, everything):
    for value in values:
        everything &= value
    return everything


def disjunction(values, everything):
    result = everything ^ everything
    for value in values:
        result |= value
    return result


def holds(formula, positions, everything):
    """The words that satisfy a formula, out of many of one length (at least 1), as a set of bits.

    `positions[i][n]` are the words where name n holds at position i. Nothing here is clever: `until` is written with
    the quantifiers of its definition.
    """
    length = len(positions)
    known = {}
    for part in subformulas(formula):
        operator, *operands = part
        if operator == "name":
            known[part] = [position[operands[0]] for position in positions]
        else:
            values = [known[operand] for operand in operands]
            known[part] = [at_position(operator, values, at, length, everything) for at in range(length)]
    return known[formula][0]


def at_position(operator, values, at, length, everything):
    def every(indices, of):
        return conjunction((of(index) for index in indices), everything)

    def some(indices, of):
        return disjunction((of(index) for index in indices), everything)

    first = values[0].__getitem__ if values else None
    second = values[1].__getitem__ if len(values) > 1 else None
    later, earlier = range(at, length), range(at + 1)
    match operator:
        case "next":
            return first(at + 1) if at + 1 < length else 0
        case "weak_next":
            return first(at + 1) if at + 1 < length else everything
        case "eventually":
            return some(later, first)
        case "always":
            return every(later, first)
        case "until":
            return some(later, lambda end: second(end) & every(range(at, end), first))
        case "weak_until":
            return every(later, first) | at_position("until", values, at, length, everything)
        case "release":
            return every(later, lambda end: second(end) | some(range(at, end), first))
        case "previous":
            return first(at - 1) if at > 0 else 0
        case "weak_previous":
            return first(at - 1) if at > 0 else everything
        case "once":
            return some(earlier, first)
        case "historically":
            return every(earlier, first)
        case "since":
            return some(earlier, lambda start: second(start) & every(range(start + 1, at + 1), first))
    return connective(operator, [value[at] for value in values], everything)
