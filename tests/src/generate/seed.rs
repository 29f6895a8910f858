//! A pseudo-random sequence: xorshift64*.

/// Where the sequence stands.
#[derive(Clone, Debug)]
pub struct Seed(u64);

impl Seed {
    /// The sequence of a number. Neighbouring numbers give unrelated sequences.
    pub fn new(number: u64) -> Self {
        let mut seed = Self(number.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        for _ in 0..4 {
            seed.number();
        }
        seed
    }

    /// The next number.
    pub fn number(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 16
    }

    /// A number from 0 to `end`, without `end`.
    pub fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.number() % u64::try_from(end.max(1)).unwrap_or(1)).unwrap_or(0)
    }

    /// True so many times in a hundred.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of these.
    pub fn pick<T: Clone>(&mut self, of: &[T]) -> T {
        let index = self.below(of.len());
        of.iter().cycle().nth(index).cloned().unwrap_or_else(|| panic!("nothing to pick from"))
    }
}
