"""The property specification patterns and their scopes (Dwyer, Avrunin, Corbett, "Patterns in property specifications
for finite-state verification", ICSE 1999), in the order and the LTL of Spot's collection."""

import spot
import spot.gen

PATTERNS = [
    "absence",
    "existence",
    "bounded existence",
    "universality",
    "precedence",
    "response",
    "precedence chain, two causes",
    "precedence chain, two effects",
    "response chain, two stimuli",
    "response chain, two responses",
    "constrained response chain",
]
SCOPES = ["global", "before", "after", "between", "after until"]

# The sizes of the minimal LTL3 monitors, as they were found once with Spot 2.13.
LTL3_SIZES = [
    *[2, 4, 3, 4, 3],
    *[2, 3, 3, 3, 3],
    *[6, 8, 7, 8, 7],
    *[2, 4, 3, 4, 3],
    *[3, 4, 3, 4, 3],
    *[1, 4, 1, 4, 4],
    *[4, 5, 5, 5, 4],
    *[4, 5, 5, 5, 4],
    *[1, 6, 1, 1, 1],
    *[1, 5, 3, 5, 7],
    *[1, 5, 4, 5, 8],
]


def patterns():
    """Each pattern in each scope: its title, and the formula as Spot has it."""
    titles = [(pattern, scope) for pattern in PATTERNS for scope in SCOPES]
    for index, title in enumerate(titles, start=1):
        yield index, *title, spot.gen.ltl_pattern(spot.gen.LTL_DAC_PATTERNS, index)
