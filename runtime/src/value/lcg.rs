//! Pseudo-random numbers for property tests: reproducible, without a dependency.

/// A linear congruential generator with the constants of Knuth's MMIX.
pub(crate) struct Lcg(u64);

impl Lcg {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// 64 bits; the two halves of two steps, because low bits of one are weak.
    pub(crate) fn next(&mut self) -> u64 {
        let mut step = || {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            self.0 >> 32
        };
        (step() << 32) | step()
    }

    /// A number below `bound`, which is not 0.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.next().checked_rem(bound).unwrap_or(0)
    }

    /// One of `choices`.
    pub(crate) fn pick<'a, T>(&mut self, choices: &'a [T]) -> &'a T {
        &choices[usize::try_from(self.below(choices.len() as u64)).unwrap()]
    }
}
