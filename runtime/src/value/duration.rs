//! Lengths of time.

use std::fmt;

use super::Decimal;

/// A length of time in nanoseconds. May be negative: the difference of two times.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Duration(i128);

/// The units of durations, longest first, in nanoseconds.
const UNITS: [(&str, i128); 5] = [
    ("d", 86_400_000_000_000),
    ("h", 3_600_000_000_000),
    ("m", 60_000_000_000),
    ("s", 1_000_000_000),
    ("ms", 1_000_000),
];

impl Duration {
    /// A length in nanoseconds.
    #[must_use]
    pub const fn from_nanos(nanos: i128) -> Self {
        Self(nanos)
    }

    /// The length in nanoseconds.
    #[must_use]
    pub const fn as_nanos(self) -> i128 {
        self.0
    }

    /// Reads `500ms`, `30s`, `10m`, `24h`, `7d`: a whole number and one unit.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (count, unit) = text.split_at_checked(text.bytes().take_while(u8::is_ascii_digit).count())?;
        let (_, nanos) = UNITS.iter().find(|(name, _)| *name == unit)?;
        count.parse::<i128>().ok()?.checked_mul(*nanos).map(Self)
    }

    /// The sum, if it fits.
    #[must_use]
    pub fn checked_add(self, other: Self) -> Option<Self> {
        self.0.checked_add(other.0).map(Self)
    }

    /// The difference, if it fits.
    #[must_use]
    pub fn checked_sub(self, other: Self) -> Option<Self> {
        self.0.checked_sub(other.0).map(Self)
    }

    /// The product, if it fits and is a whole number of nanoseconds.
    #[must_use]
    pub fn checked_mul(self, factor: Decimal) -> Option<Self> {
        let product = self.0.checked_mul(factor.mantissa())?;
        let unit = 10_i128.checked_pow(u32::from(factor.scale()))?;
        if product.checked_rem(unit)? == 0 { product.checked_div(unit).map(Self) } else { None }
    }
}

impl fmt::Display for Duration {
    /// A whole number of the longest unit that divides it; nanoseconds (`ns`) where not even milliseconds do.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 == 0 {
            return f.write_str("0s");
        }
        for (unit, nanos) in UNITS {
            if self.0.checked_rem(nanos) == Some(0) {
                return write!(f, "{}{unit}", self.0.checked_div(nanos).unwrap_or(0));
            }
        }
        write!(f, "{}ns", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_read_and_print() {
        for (text, nanos) in [
            ("500ms", 500_000_000),
            ("30s", 30_000_000_000),
            ("10m", 600_000_000_000),
            ("23h", 82_800_000_000_000),
            ("7d", 604_800_000_000_000),
        ] {
            assert_eq!(Duration::parse(text), Some(Duration(nanos)));
            assert_eq!(Duration(nanos).to_string(), text);
        }
        assert_eq!(Duration::parse("24h").map(|day| day.to_string()).as_deref(), Some("1d"));
        assert_eq!(Duration(1).to_string(), "1ns");
        assert_eq!(Duration(-5_000_000_000).to_string(), "-5s");
    }

    #[test]
    fn anything_else_is_not_a_duration() {
        for text in
            ["", "5", "s", "-5s", "1.5h", "5 s", "5S", "1h30m", "5us", "999999999999999999999999999999999999999d", "٣s"]
        {
            assert_eq!(Duration::parse(text), None, "{text}");
        }
    }
}
