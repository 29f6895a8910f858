"""Random formulas, the same in every run."""

UNARY = ["not", "next", "weak_next", "eventually", "always"]
BINARY = ["and", "or", "implies", "until", "weak_until", "release"]
PAST_UNARY = ["previous", "weak_previous", "once", "historically"]
PAST_BINARY = ["since"]

# Operators above one another.
DEPTH = 4


class Random:
    """SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014)."""

    def __init__(self, seed):
        self.state = seed

    def below(self, bound):
        mask = (1 << 64) - 1
        self.state = (self.state + 0x9E3779B97F4A7C15) & mask
        mixed = ((self.state ^ self.state >> 30) * 0xBF58476D1CE4E5B9) & mask
        mixed = ((mixed ^ mixed >> 27) * 0x94D049BB133111EB) & mask
        return (mixed ^ mixed >> 31) % bound

    def formula(self, names, past, depth=DEPTH):
        """A formula over so many names, with or without operators that look back."""
        if depth == 0 or self.below(8) == 0:
            leaf = self.below(20)
            return ("true",) if leaf == 0 else ("false",) if leaf == 1 else ("name", self.below(names))
        unary = UNARY + PAST_UNARY * past
        operators = unary + BINARY + PAST_BINARY * past
        operator = operators[self.below(len(operators))]
        operands = 1 if operator in unary else 2
        return (operator, *(self.formula(names, past, depth - 1) for _ in range(operands)))
