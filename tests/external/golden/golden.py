"""Writes the golden tables, or with `--check` says whether the written ones are still what comes out.

`dwyer.json`: the 55 patterns of `corpus.py`; `random.json`: 300 random formulas. Each has its minimal four-coloured
machine over all letters of its names (bit i of a letter: name i holds), the empty trace included, numbered in the order
of a breadth-first search by ascending letter. A table is written only if independent ways agree on it:

* `tableau.py`, all formulas;
* `oracle.py`, that is Spot, the formulas without past operators (it has none);
* `words.py`, no automaton: the meaning on all words up to a length, which the table says (`words`: over all letters,
  and over those with at most one name).

The LTL3 monitors of the 55, also Spot's, must have the sizes that they are known to have. On infinite words a permanent
verdict can come at another time than on finite ones. Where it never does, the machine with its colours read as `T`, `F`
and `?` must be the LTL3 monitor, state by state; for the others the shortest word that shows the difference is given.
(It never does for any of the 55. So that this is no blindness, formulas where it does are tried as well.)
"""

import json
import pathlib
import sys

import corpus
import oracle
import tableau
import words
from formula import PAST, subformulas, text
from machine import difference, minimal
from sample import Random

FOLDER = pathlib.Path(__file__).parents[2] / "golden"
NAMES = [f"p{index}" for index in range(6)]
VERDICTS = {"satisfied": "T", "violated": "F", "open": "?", "pending": "?"}

RANDOM = 300
SEED = 4
# A formula with more future operators is passed over: the tableau guesses the value of each.
MOST_FUTURE = 7
# A smaller machine says little; a larger one makes the file large.
STATES = range(3, 25)


def agreed(formula, names):
    """The table of a formula, if all ways agree."""
    found = tableau.machine(formula, 1 << len(names))
    if not any(part[0] in PAST for part in subformulas(formula)):
        assert found == oracle.machine(formula, names), f"the tableau and Spot differ on {text(formula, names)}"
    return found


def entry(formula, names, machine):
    return {
        "formula": text(formula, names),
        "names": names,
        "states": len(machine.outputs),
        "initial": 0,
        "colours": machine.outputs,
        "transitions": machine.transitions,
        "words": words.check(formula, machine, len(names)),
    }


def compared(machine, ltl, names):
    """The LTL3 monitor of a formula beside its machine."""
    monitor = oracle.ltl3(ltl, names)
    three_valued = minimal([VERDICTS[colour] for colour in machine.outputs], machine.transitions)
    word = difference(three_valued, monitor)
    assert (word is None) == (three_valued == monitor)
    ltl3 = {"states": len(monitor.outputs), "agrees": word is None}
    if word is not None:
        ltl3 |= {"after": word, "finite": machine.after(word), "infinite": monitor.after(word)}
    return ltl3


def controls():
    """On finite traces these are decided at the first event. On infinite ones they are decided never."""
    for ltl, colour in (("G F p0 & G F !p0", "violated"), ("F G p0 | F G !p0", "satisfied")):
        ltl = oracle.parse(ltl)
        machine = agreed(oracle.read(ltl, NAMES), NAMES[:1])
        assert compared(machine, ltl, NAMES[:1]) == {
            "states": 1,
            "agrees": False,
            "after": (0,),
            "finite": colour,
            "infinite": "?",
        }


def dwyer():
    for (index, pattern, scope, ltl), size in zip(corpus.patterns(), corpus.LTL3_SIZES, strict=True):
        formula = oracle.read(ltl, NAMES)
        names = NAMES[: 1 + max(part[1] for part in subformulas(formula) if part[0] == "name")]
        machine = agreed(formula, names)
        ltl3 = compared(machine, ltl, names)
        assert ltl3["states"] == size, f"pattern {index}: the LTL3 monitor has {ltl3['states']} states"
        title = {"index": index, "pattern": pattern, "scope": scope, "ltl": str(ltl)}
        yield title | entry(formula, names, machine) | {"ltl3": ltl3}


def sample():
    """Half of them over two names and half over three, half with past operators; no two with one machine."""
    random, found = Random(SEED), set()
    while len(found) < RANDOM:
        names = NAMES[: 2 + len(found) % 2]
        past = len(found) // 2 % 2 == 1
        formula = random.formula(len(names), past)
        parts = subformulas(formula)
        if past and not any(part[0] in PAST for part in parts):
            continue
        if sum(part[0] in tableau.FUTURE for part in parts) > MOST_FUTURE:
            continue
        machine = agreed(formula, names)
        if len(machine.outputs) in STATES and str(machine) not in found:
            found.add(str(machine))
            yield entry(formula, names, machine)


def lines(entries):
    """One entry a line."""
    return "[\n" + ",\n".join(json.dumps(entry, separators=(",", ":")) for entry in entries) + "\n]\n"


def main():
    controls()
    stale = []
    for name, entries in (("dwyer.json", dwyer()), ("random.json", sample())):
        path, written = FOLDER / name, lines(entries)
        if "--check" not in sys.argv:
            FOLDER.mkdir(exist_ok=True)
            path.write_text(written)
        elif path.read_text() != written:
            stale.append(name)
        print(f"{name}: {written.count(chr(10)) - 2} tables")
    if stale:
        sys.exit(f"not what comes out today: {', '.join(stale)}")


if __name__ == "__main__":
    main()
