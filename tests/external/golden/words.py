"""A third way: no machine at all. All words of a length are tried at once, one bit each, against the definitions.

With k names and n positions a word is a number of k n bits, and the words in which a given bit is set form a pattern
that is easy to write down; the meaning of a formula is then a few operations on very long integers. The machine is run
on the same words in the same way.
"""

from formula import holds, on_nothing

# Words of up to so many bits are tried: about two million at once.
BITS = 21


def check(formula, machine, names):
    """Holds the machine against the meaning on all short words. Returns how long these are: over all letters, and over
    the letters with at most one name, which reach further where there are many names.

    Two different machines with n states each differ on a word of at most 2 n - 2 letters (Moore, "Gedanken-experiments
    on sequential machines", 1956), so longer words are not tried."""
    accepting = [colour in ("open", "satisfied") for colour in machine.outputs]
    assert accepting[0] == on_nothing(formula), "on the empty word"
    enough = max(len(accepting) + 1, 2 * len(accepting) - 2)
    every = range(1 << names)
    single = [0, *(1 << name for name in range(names))]
    reached = []
    for letters in (every, single):
        wide = (len(letters) - 1).bit_length()
        for length in range(1, min(enough, BITS // wide) + 1):
            expected, found = both(formula, machine.transitions, accepting, letters, wide, length, names)
            assert expected == found, f"{formula} on words of length {length}"
        reached.append(length)
    return reached


def both(formula, transitions, accepting, letters, wide, length, names):
    """The words that satisfy the formula, and those after which the machine accepts."""
    bits = wide * length
    everything = (1 << (1 << bits)) - 1
    # Which words have the letter with a number at a position; numbers beyond the letters stand for the first.
    chosen = []
    for at in range(length):
        here = [everything]
        for bit in range(wide):
            yes = variable(at * wide + bit, bits)
            here = [words & way for way in (everything ^ yes, yes) for words in here]
        for spare in here[len(letters):]:
            here[0] |= spare
        chosen.append(list(zip(letters, here)))
    positions = [[union(words for letter, words in here if letter >> name & 1) for name in range(names)] for here in chosen]
    expected = holds(formula, positions, everything)

    states = [everything, *(0 for _ in accepting[1:])]
    for here in chosen:
        following = [0] * len(states)
        for state, words in enumerate(states):
            for letter, having in here:
                following[transitions[state][letter]] |= words & having
        states = following
    return expected, union(words for words, accepts in zip(states, accepting) if accepts)


def variable(bit, bits):
    """The numbers of so many bits in which a bit is set, as a set of bits."""
    run = 1 << bit
    pattern = ((1 << run) - 1) << run
    period = 2 * run
    while period < 1 << bits:
        pattern |= pattern << period
        period *= 2
    return pattern


def union(sets):
    result = 0
    for each in sets:
        result |= each
    return result
