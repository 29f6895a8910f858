//! Exact decimal numbers: amounts, limits and ids are compared and added as they were written, never as binary floats.
//!
//! Rejected: `f64`, which makes 0.1 + 0.2 exceed a limit of 0.3 and two 18-digit ids equal; arbitrary precision, whose cost
//! an agent could choose.

use std::cmp::Ordering;
use std::fmt;

/// An exact decimal number, `mantissa × 10^-scale`.
///
/// INVARIANT: normalised. The scale is at most [`Decimal::MAX_SCALE`], and the mantissa does not end in a zero unless the
/// scale is 0; so equal numbers have equal fields and equal hashes.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Decimal {
    mantissa: i128,
    scale: u8,
}

/// The most significant digits a binary float is trusted with: any decimal of 15 digits survives the way through an `f64`
/// (`DBL_DIG` of IEEE 754 binary64).
const FLOAT_DIGITS: usize = 15;

/// All powers of ten that fit.
const POWERS: [i128; 39] = powers();

#[expect(clippy::arithmetic_side_effects, clippy::indexing_slicing, reason = "evaluated at compile time")]
const fn powers() -> [i128; 39] {
    let mut powers = [1; 39];
    let mut i = 1;
    while i < powers.len() {
        powers[i] = powers[i - 1] * 10;
        i += 1;
    }
    powers
}

fn power(exponent: usize) -> Option<i128> {
    POWERS.get(exponent).copied()
}

impl Decimal {
    /// The most decimal places.
    pub const MAX_SCALE: u8 = 30;

    /// Zero.
    pub const ZERO: Self = Self { mantissa: 0, scale: 0 };

    /// `mantissa × 10^-scale`, normalised. Places past the thirtieth are cut off.
    #[must_use]
    #[expect(clippy::arithmetic_side_effects, reason = "the scale is positive where it is decremented")]
    pub const fn from_parts(mut mantissa: i128, mut scale: u8) -> Self {
        while scale > Self::MAX_SCALE {
            mantissa /= 10;
            scale -= 1;
        }
        // Division of 128 bits is a library call; nearly all mantissas fit in 64.
        let mut short = mantissa as i64;
        if short as i128 == mantissa {
            while scale > 0 && short % 10 == 0 {
                short /= 10;
                scale -= 1;
            }
            return Self { mantissa: short as i128, scale };
        }
        while scale > 0 && mantissa % 10 == 0 {
            mantissa /= 10;
            scale -= 1;
        }
        Self { mantissa, scale }
    }

    /// The number without its decimal point.
    #[must_use]
    pub const fn mantissa(self) -> i128 {
        self.mantissa
    }

    /// How many digits follow the decimal point.
    #[must_use]
    pub const fn scale(self) -> u8 {
        self.scale
    }

    /// Reads a number of the JSON grammar (RFC 8259 §6), with or without an exponent, exactly. `None` if it is malformed or
    /// does not fit.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (negative, text) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
        let (digits, exponent) = match text.split_once(['e', 'E']) {
            Some((digits, exponent)) => (digits, read_exponent(exponent)?),
            None => (text, 0),
        };
        let (whole, fraction) = match digits.split_once('.') {
            Some((_, "")) => return None,
            Some(parts) => parts,
            None => (digits, ""),
        };
        if whole.is_empty() || (whole.len() > 1 && whole.starts_with('0')) {
            return None;
        }
        // Zeros are held back until a digit follows them, so that the mantissa ends without one.
        let mut mantissa = 0_i128;
        let mut zeros = 0_usize;
        for byte in whole.bytes().chain(fraction.bytes()) {
            match byte {
                b'0' if mantissa == 0 => {}
                b'0' => zeros = zeros.checked_add(1)?,
                b'1'..=b'9' => {
                    let digit = i128::from(byte.wrapping_sub(b'0'));
                    let digit = if negative { digit.checked_neg()? } else { digit };
                    mantissa = mantissa.checked_mul(power(zeros.checked_add(1)?)?)?.checked_add(digit)?;
                    zeros = 0;
                }
                _ => return None,
            }
        }
        if mantissa == 0 {
            return Some(Self::ZERO);
        }
        let shift =
            exponent.checked_add(i64::try_from(zeros).ok()?)?.checked_sub(i64::try_from(fraction.len()).ok()?)?;
        match usize::try_from(shift) {
            Ok(shift) => Some(Self { mantissa: mantissa.checked_mul(power(shift)?)?, scale: 0 }),
            Err(_) => {
                let scale = u8::try_from(shift.checked_neg()?).ok()?;
                (scale <= Self::MAX_SCALE).then_some(Self { mantissa, scale })
            }
        }
    }

    /// The shortest decimal that reads back as this float. `None` if it has more than 15 significant digits, if it is an
    /// integer that fits neither `i64` nor `u64`, if it needs more than 30 places, or if it is not finite.
    #[must_use]
    pub fn from_f64(float: f64) -> Option<Self> {
        const BELOW_U64: f64 = 18_446_744_073_709_551_616.0;
        const MIN_I64: f64 = -9_223_372_036_854_775_808.0;
        if !float.is_finite() || (float.fract() == 0.0 && !(MIN_I64..BELOW_U64).contains(&float)) {
            return None;
        }
        // A quotient of IEEE 754 is correctly rounded, so where this holds, `hundredths / 100` is a decimal of at most 15
        // digits that reads back as the float; there is only one such, and so it is the shortest.
        let hundredths = (float * 100.0).round();
        if hundredths.abs() < 1e15 && hundredths / 100.0 == float {
            return Some(Self::from_parts(i128::from(hundredths as i64), 2));
        }
        let mut text = ShortText::default();
        fmt::write(&mut text, format_args!("{float:e}")).ok()?;
        let text = text.as_str()?;
        let digits = text.bytes().take_while(|byte| *byte != b'e').filter(u8::is_ascii_digit).count();
        if digits > FLOAT_DIGITS { None } else { Self::parse(text) }
    }

    /// The number that a JSON number denotes. `None` if it is not exact (see [`Decimal::from_f64`]).
    #[must_use]
    #[inline]
    pub fn from_json(number: &serde_json::Number) -> Option<Self> {
        if let Some(integer) = number.as_i64() {
            Some(integer.into())
        } else if let Some(integer) = number.as_u64() {
            Some(integer.into())
        } else {
            Self::from_f64(number.as_f64()?)
        }
    }

    /// The JSON number that reads back as this one, if there is one.
    #[must_use]
    pub fn to_json(self) -> Option<serde_json::Number> {
        if self.scale == 0 {
            let signed = i64::try_from(self.mantissa).map(Into::into);
            return signed.or_else(|_| u64::try_from(self.mantissa).map(Into::into)).ok();
        }
        let number = serde_json::Number::from_f64(self.to_string().parse().ok()?)?;
        (Self::from_json(&number) == Some(self)).then_some(number)
    }

    /// The exact sum, if it fits.
    #[must_use]
    #[inline]
    pub fn checked_add(self, other: Self) -> Option<Self> {
        if self.scale == 0 && other.scale == 0 {
            return Some(Self { mantissa: self.mantissa.checked_add(other.mantissa)?, scale: 0 });
        }
        self.add_fractions(other)
    }

    fn add_fractions(self, other: Self) -> Option<Self> {
        let scale = self.scale.max(other.scale);
        Some(Self::from_parts(self.at_scale(scale)?.checked_add(other.at_scale(scale)?)?, scale))
    }

    /// The exact difference, if it fits.
    #[must_use]
    pub fn checked_sub(self, other: Self) -> Option<Self> {
        let scale = self.scale.max(other.scale);
        Some(Self::from_parts(self.at_scale(scale)?.checked_sub(other.at_scale(scale)?)?, scale))
    }

    /// The exact product, if it fits.
    #[must_use]
    pub fn checked_mul(self, other: Self) -> Option<Self> {
        let mut mantissa = self.mantissa.checked_mul(other.mantissa)?;
        let mut scale = self.scale.checked_add(other.scale)?;
        while scale > Self::MAX_SCALE {
            if mantissa % 10 != 0 {
                return None;
            }
            mantissa /= 10;
            scale = scale.checked_sub(1)?;
        }
        Some(Self::from_parts(mantissa, scale))
    }

    /// Whether it is below zero.
    #[must_use]
    #[inline]
    pub const fn is_negative(self) -> bool {
        self.mantissa < 0
    }

    /// Whether it has no decimal places.
    #[must_use]
    pub const fn is_integer(self) -> bool {
        self.scale == 0
    }

    /// The number as an index: a non-negative integer.
    #[must_use]
    pub fn as_index(self) -> Option<usize> {
        if self.scale == 0 { usize::try_from(self.mantissa).ok() } else { None }
    }

    /// The mantissa at a scale that is not below its own.
    fn at_scale(self, scale: u8) -> Option<i128> {
        match scale.checked_sub(self.scale)? {
            0 => Some(self.mantissa),
            places => self.mantissa.checked_mul(power(usize::from(places))?),
        }
    }
}

fn read_exponent(text: &str) -> Option<i64> {
    let (negative, digits) = match text.as_bytes() {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        rest => (false, rest),
    };
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    // Past a million the number does not fit whatever its digits; clamping keeps the later additions small.
    let value = digits.iter().fold(0_i64, |value, digit| {
        value.saturating_mul(10).saturating_add(i64::from(digit.wrapping_sub(b'0'))).min(1_000_000_000_000)
    });
    if negative { value.checked_neg() } else { Some(value) }
}

impl From<i64> for Decimal {
    #[inline]
    fn from(integer: i64) -> Self {
        Self { mantissa: i128::from(integer), scale: 0 }
    }
}

impl From<u64> for Decimal {
    #[inline]
    fn from(integer: u64) -> Self {
        Self { mantissa: i128::from(integer), scale: 0 }
    }
}

impl From<u32> for Decimal {
    fn from(integer: u32) -> Self {
        Self { mantissa: i128::from(integer), scale: 0 }
    }
}

impl From<usize> for Decimal {
    fn from(integer: usize) -> Self {
        // No supported target has pointers wider than 64 bits.
        u64::try_from(integer).unwrap_or(u64::MAX).into()
    }
}

impl Ord for Decimal {
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        if self.scale == other.scale { self.mantissa.cmp(&other.mantissa) } else { self.compare_scaled(*other) }
    }
}

impl Decimal {
    fn compare_scaled(self, other: Self) -> Ordering {
        let scale = self.scale.max(other.scale);
        match (self.at_scale(scale), other.at_scale(scale)) {
            (Some(left), Some(right)) => left.cmp(&right),
            // What does not fit at the other's scale is farther from zero than the other, which does fit.
            (None, _) => self.mantissa.cmp(&0),
            (_, None) => 0.cmp(&other.mantissa),
        }
    }
}

impl PartialOrd for Decimal {
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Decimal {
    /// The canonical spelling: no exponent, no superfluous zero.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.scale == 0 {
            return write!(f, "{}", self.mantissa);
        }
        let sign = if self.mantissa < 0 { "-" } else { "" };
        let unit = power(usize::from(self.scale)).unwrap_or(1).unsigned_abs();
        let digits = self.mantissa.unsigned_abs();
        let (whole, fraction) = (digits.checked_div(unit).unwrap_or(0), digits.checked_rem(unit).unwrap_or(0));
        write!(f, "{sign}{whole}.{fraction:0width$}", width = usize::from(self.scale))
    }
}

impl fmt::Debug for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Enough room for any `f64` in scientific notation, so that reading an argument does not allocate.
#[derive(Default)]
struct ShortText {
    bytes: [u8; 32],
    len: usize,
}

impl ShortText {
    fn as_str(&self) -> Option<&str> {
        std::str::from_utf8(self.bytes.get(..self.len)?).ok()
    }
}

impl fmt::Write for ShortText {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let end = self.len.saturating_add(text.len());
        self.bytes.get_mut(self.len..end).ok_or(fmt::Error)?.copy_from_slice(text.as_bytes());
        self.len = end;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::lcg::Lcg;

    fn number(text: &str) -> Decimal {
        Decimal::parse(text).unwrap()
    }

    fn json(text: &str) -> Option<Decimal> {
        Decimal::from_json(&serde_json::from_str(text).unwrap())
    }

    #[test]
    fn spellings_of_one_number_are_equal_and_print_canonically() {
        for (text, canonical) in [
            ("0", "0"),
            ("-0", "0"),
            ("-0.00e7", "0"),
            ("1.0", "1"),
            ("1e0", "1"),
            ("100e-2", "1"),
            ("1.50", "1.5"),
            ("-0.05", "-0.05"),
            ("12.5E+3", "12500"),
            ("1e00000000000000000003", "1000"),
            ("1e-30", "0.000000000000000000000000000001"),
            ("10000000000000000000000000000000000000000000e-40", "1000"),
            ("0.000000000000000000000000000000000000001e39", "1"),
            ("170141183460469231731687303715884105727", "170141183460469231731687303715884105727"),
            ("-170141183460469231731687303715884105728", "-170141183460469231731687303715884105728"),
        ] {
            assert_eq!(number(text).to_string(), canonical, "{text}");
            assert_eq!(number(text), number(canonical));
        }
    }

    #[test]
    fn malformed_and_too_large_texts_are_not_numbers() {
        for text in [
            "",
            "-",
            "+1",
            "01",
            "-01",
            ".5",
            "5.",
            "1e",
            "1e+",
            "1_000",
            "0x10",
            "1,5",
            " 1",
            "1 ",
            "NaN",
            "inf",
            "1e-31",
            "1e39",
            "1.2.3",
            "1e5e5",
            "--1",
            "1e999999999999999999999",
            "170141183460469231731687303715884105728",
            "１",
        ] {
            assert_eq!(Decimal::parse(text), None, "{text}");
        }
    }

    #[test]
    fn json_integers_are_exact_up_to_both_ends_of_their_ranges() {
        for text in ["9007199254740993", "123456789012345678", "18446744073709551615", "-9223372036854775808"] {
            assert_eq!(json(text), Some(number(text)));
        }
        assert_eq!(json("18446744073709551616"), None);
        assert_eq!(json("12345678901234567890123"), None);
        assert_eq!(json("1e30"), None);
        assert_eq!(json("-9223372036854775809"), None);
    }

    #[test]
    fn floats_are_read_as_their_shortest_decimal_of_at_most_15_digits() {
        for (text, expected) in [
            ("0.1", "0.1"),
            ("4.50", "4.5"),
            ("2e-3", "0.002"),
            ("1.0", "1"),
            ("-0.0", "0"),
            ("1e15", "1000000000000000"),
            ("1.5e18", "1500000000000000000"),
            ("123456789012.345", "123456789012.345"),
            ("0.000000000000000000000000001", "0.000000000000000000000000001"),
        ] {
            assert_eq!(json(text), Some(number(expected)), "{text}");
        }
        assert_eq!(json("333333333.33333329"), None);
        assert_eq!(json("9007199254740992.0"), None, "16 digits");
        assert_eq!(json("900719925474099.15"), None, "17 digits");
        assert_eq!(json("1e-31"), None);
        assert_eq!(json("5e-324"), None);
        assert_eq!(Decimal::from_f64(f64::NAN), None);
        assert_eq!(Decimal::from_f64(f64::NEG_INFINITY), None);
    }

    #[test]
    fn the_fast_reading_of_floats_agrees_with_the_shortest_spelling() {
        let mut random = Lcg::new(1);
        for _ in 0..20_000 {
            let float = match random.below(3) {
                0 => random.below(1 << 52) as f64 / 100.0,
                1 => (random.below(2_000_000) as f64 - 1e6) / 1000.0,
                _ => f64::from_bits(random.next()),
            };
            if !float.is_finite() {
                continue;
            }
            let spelled = format!("{float:e}");
            let digits = spelled.split('e').next().unwrap().bytes().filter(u8::is_ascii_digit).count();
            let outside = float.fract() == 0.0 && !(-(2f64.powi(63))..2f64.powi(64)).contains(&float);
            let expected = if digits > 15 || outside { None } else { Decimal::parse(&spelled) };
            assert_eq!(Decimal::from_f64(float), expected, "{float:e}");
        }
    }

    #[test]
    fn arithmetic_is_exact_and_overflow_is_none() {
        assert_eq!(number("0.1").checked_add(number("0.2")), Some(number("0.3")));
        assert_eq!(number("1").checked_sub(number("0.9")), Some(number("0.1")));
        assert_eq!(number("1.5").checked_mul(number("0.2")), Some(number("0.3")));
        assert_eq!(number("1e38").checked_add(number("1e38")), None);
        assert_eq!(number("1e38").checked_add(number("0.1")), None);
        assert_eq!(number("1e20").checked_mul(number("1e20")), None);
        assert_eq!(number("1e-20").checked_mul(number("1e-20")), None);
        assert_eq!(number("2e-20").checked_mul(number("5e-11")), Some(number("1e-30")));
    }

    #[test]
    fn order_is_numeric_across_scales_and_without_overflow() {
        let sorted = ["-1e38", "-2", "-1.5", "-1e-30", "0", "1e-30", "0.5", "1", "1.5", "1e37", "1e38"].map(number);
        for (i, left) in sorted.iter().enumerate() {
            for (j, right) in sorted.iter().enumerate() {
                assert_eq!(left.cmp(right), i.cmp(&j), "{left} {right}");
            }
        }
    }

    #[test]
    fn sums_and_differences_undo_each_other() {
        let mut random = Lcg::new(2);
        for _ in 0..5_000 {
            let [left, right] = [(); 2].map(|()| {
                Decimal::from_parts(i128::from(random.next() as i64), u8::try_from(random.below(19)).unwrap())
            });
            let sum = left.checked_add(right).unwrap();
            assert_eq!(sum.checked_sub(right), Some(left));
            assert_eq!(number(&sum.to_string()), sum);
            assert_eq!(left.cmp(&right), left.checked_sub(right).unwrap().cmp(&Decimal::ZERO));
        }
    }

    #[test]
    fn what_goes_out_as_json_comes_back_the_same() {
        for text in ["0", "-5", "18446744073709551615", "0.1", "-12.75", "99999999999999.9"] {
            assert_eq!(json(&number(text).to_json().unwrap().to_string()), Some(number(text)));
        }
        assert_eq!(number("18446744073709551616").to_json(), None);
        assert_eq!(number("0.12345678901234567").to_json(), None);
    }

    #[test]
    fn only_non_negative_integers_are_indexes() {
        assert_eq!(number("7").as_index(), Some(7));
        assert_eq!(number("-1").as_index(), None);
        assert_eq!(number("0.5").as_index(), None);
    }
}
