//! Hashes of texts that can be computed for every part of a text at little cost: polynomials over a prime field.

/// The modulus, a Mersenne prime: every hash is below it.
pub(super) const MODULUS: u64 = (1 << 61) - 1;

/// Where the polynomial of the beginnings of values is evaluated.
pub(super) const BEGINNING: u64 = 0x1f3d_5b79_0a2c_4e68;

/// Where the polynomial of whole values is evaluated.
pub(super) const WHOLE: u64 = 0x0b57_ac63_91d4_f20e;

/// A byte as a coefficient: never zero, so that leading bytes count.
pub(super) fn digit(byte: u8) -> u64 {
    u64::from(byte).saturating_add(1)
}

/// The hash of a text and one more byte.
pub(super) fn append(sum: u64, byte: u8, base: u64) -> u64 {
    add(multiply(sum, base), digit(byte))
}

/// The hash of a text.
pub(super) fn hash(text: &[u8], base: u64) -> u64 {
    text.iter().fold(0, |sum, byte| append(sum, *byte, base))
}

/// What a byte weighs that stands so many bytes before the end of a text.
pub(super) fn power(base: u64, mut exponent: usize) -> u64 {
    let (mut result, mut square) = (1, base);
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = multiply(result, square);
        }
        square = multiply(square, square);
        exponent >>= 1;
    }
    result
}

/// Both operands are below the modulus, so that nothing below wraps.
fn add(left: u64, right: u64) -> u64 {
    let sum = left.wrapping_add(right);
    if sum >= MODULUS { sum.wrapping_sub(MODULUS) } else { sum }
}

pub(super) fn subtract(left: u64, right: u64) -> u64 {
    add(left, MODULUS.wrapping_sub(right))
}

/// `2^61 = 1` modulo the prime, so that the high bits of the product are added to the low ones.
pub(super) fn multiply(left: u64, right: u64) -> u64 {
    let product = u128::from(left).wrapping_mul(u128::from(right));
    let low = u64::try_from(product & u128::from(MODULUS)).unwrap_or_default();
    let high = u64::try_from(product >> 61).unwrap_or_default();
    add(low, high)
}
