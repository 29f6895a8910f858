//! Exact decimal numbers of any size, digit by digit.
//!
//! INVARIANT: normalised (no superfluous zeros, no negative zero), so that derived equality is equality of numbers.

use std::cmp::Ordering;
use std::fmt;

/// A decimal number: digits from the lowest up, and how many of them are behind the point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Number {
    negative: bool,
    digits: Vec<u8>,
    scale: usize,
}

impl Number {
    fn normal(negative: bool, mut digits: Vec<u8>, mut scale: usize) -> Self {
        while digits.len() <= scale {
            digits.push(0);
        }
        while digits.len() > scale + 1 && digits.last() == Some(&0) {
            digits.pop();
        }
        let superfluous = digits.iter().take(scale).take_while(|digit| **digit == 0).count();
        digits.drain(..superfluous);
        scale -= superfluous;
        let zero = digits.iter().all(|digit| *digit == 0);
        Self { negative: negative && !zero, digits, scale }
    }

    /// Reads `-12.50` or `1.5e-7`.
    pub fn parse(text: &str) -> Option<Self> {
        let (text, exponent) = match text.split_once(['e', 'E']) {
            Some((text, exponent)) => (text, exponent.parse::<i64>().ok()?),
            None => (text, 0),
        };
        let (negative, text) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        if whole.is_empty() || !whole.bytes().chain(fraction.bytes()).all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let mut digits: Vec<u8> = whole.bytes().chain(fraction.bytes()).rev().map(|byte| byte - b'0').collect();
        let scale = i64::try_from(fraction.len()).ok()? - exponent;
        if scale < 0 {
            let zeros = usize::try_from(-scale).ok()?;
            digits.splice(0..0, std::iter::repeat_n(0, zeros));
        }
        Some(Self::normal(negative, digits, usize::try_from(scale.max(0)).ok()?))
    }

    /// A JSON number: integers exactly; others as their shortest decimal, `None` where that is not established.
    pub fn from_json(number: &serde_json::Number) -> Option<Self> {
        if number.is_i64() || number.is_u64() {
            return Self::parse(&number.to_string());
        }
        let float = number.as_f64()?;
        let scientific = format!("{float:e}");
        let (mantissa, exponent) = scientific.split_once('e')?;
        let significant = mantissa.bytes().filter(u8::is_ascii_digit).count();
        let scale = i64::try_from(significant).ok()? - 1 - exponent.parse::<i64>().ok()?;
        let held = -9_223_372_036_854_775_808.0..18_446_744_073_709_551_616.0;
        let integral_beyond = float.fract() == 0.0 && !held.contains(&float);
        if significant > 15 || scale > 30 || integral_beyond {
            return None;
        }
        Self::parse(&scientific)
    }

    /// A whole number.
    pub fn whole(value: u64) -> Self {
        Self::normal(false, value.to_string().bytes().rev().map(|byte| byte - b'0').collect(), 0)
    }

    /// Nothing.
    pub fn zero() -> Self {
        Self::whole(0)
    }

    /// Whether it is below zero.
    pub fn is_negative(&self) -> bool {
        self.negative
    }

    /// Its value, if it is a whole number that fits.
    pub fn to_i128(&self) -> Option<i128> {
        if self.scale == 0 { self.to_string().parse().ok() } else { None }
    }

    /// The number, if the engines can hold it: 128 bits of mantissa.
    fn held(self) -> Option<Self> {
        let mantissa: String = self.digits.iter().rev().map(|digit| char::from(b'0' + digit)).collect();
        mantissa.parse::<i128>().ok().map(|_| self)
    }

    fn aligned(&self, scale: usize) -> Vec<u8> {
        let mut digits = vec![0; scale - self.scale];
        digits.extend(&self.digits);
        digits
    }

    /// The sum, unless it overflows.
    pub fn plus(&self, other: &Self) -> Option<Self> {
        let scale = self.scale.max(other.scale);
        let (left, right) = (self.aligned(scale), other.aligned(scale));
        let (negative, digits) = if self.negative == other.negative {
            (self.negative, add(&left, &right))
        } else if compare(&left, &right) == Ordering::Less {
            (other.negative, subtract(&right, &left))
        } else {
            (self.negative, subtract(&left, &right))
        };
        Self::normal(negative, digits, scale).held()
    }

    /// The difference, unless it overflows.
    pub fn minus(&self, other: &Self) -> Option<Self> {
        self.plus(&Self::normal(!other.negative, other.digits.clone(), other.scale))
    }

    /// The product, unless it overflows.
    pub fn times(&self, other: &Self) -> Option<Self> {
        let mut digits = vec![0; self.digits.len() + other.digits.len()];
        for (i, left) in self.digits.iter().enumerate() {
            let mut row = vec![0; i];
            let mut carry = 0;
            for right in &other.digits {
                let product = left * right + carry;
                row.push(product % 10);
                carry = product / 10;
            }
            row.push(carry);
            digits = add(&digits, &row);
        }
        Self::normal(self.negative != other.negative, digits, self.scale + other.scale).held()
    }
}

fn digit(digits: &[u8], index: usize) -> u8 {
    digits.get(index).copied().unwrap_or(0)
}

fn compare(left: &[u8], right: &[u8]) -> Ordering {
    let longest = left.len().max(right.len());
    (0..longest)
        .rev()
        .map(|i| digit(left, i).cmp(&digit(right, i)))
        .find(|order| order.is_ne())
        .unwrap_or(Ordering::Equal)
}

fn add(left: &[u8], right: &[u8]) -> Vec<u8> {
    let mut sum = Vec::new();
    let mut carry = 0;
    for i in 0..=left.len().max(right.len()) {
        let total = digit(left, i) + digit(right, i) + carry;
        sum.push(total % 10);
        carry = total / 10;
    }
    sum
}

/// `left` is not less than `right`.
fn subtract(left: &[u8], right: &[u8]) -> Vec<u8> {
    let mut difference = Vec::new();
    let mut borrow = 0;
    for i in 0..left.len() {
        let taken = digit(right, i) + borrow;
        borrow = u8::from(digit(left, i) < taken);
        difference.push(digit(left, i) + 10 * borrow - taken);
    }
    difference
}

impl Ord for Number {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self.negative, other.negative) {
            (false, true) => Ordering::Greater,
            (true, false) => Ordering::Less,
            (negative, _) => {
                let scale = self.scale.max(other.scale);
                let order = compare(&self.aligned(scale), &other.aligned(scale));
                if negative { order.reverse() } else { order }
            }
        }
    }
}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.negative {
            f.write_str("-")?;
        }
        for (i, digit) in self.digits.iter().enumerate().rev() {
            write!(f, "{digit}")?;
            if i == self.scale && i > 0 {
                f.write_str(".")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::Number;

    fn number(text: &str) -> Number {
        Number::parse(text).unwrap()
    }

    fn json(text: &str) -> Option<String> {
        let value: serde_json::Value = serde_json::from_str(text).unwrap();
        Number::from_json(value.as_number().unwrap()).map(|number| number.to_string())
    }

    #[test]
    fn arithmetic_is_exact() {
        assert_eq!(number("0.1").plus(&number("0.2")), Some(number("0.30")));
        assert_eq!(number("1").minus(&number("10.05")).unwrap().to_string(), "-9.05");
        assert_eq!(number("-99.9").times(&number("-99")).unwrap().to_string(), "9890.1");
        assert!(number("-2") < number("-1.99") && number("10") > number("9.999"));
        assert_eq!(number("-0.00"), Number::zero());
        assert_eq!(number("170141183460469231731687303715884105727").plus(&number("1")), None);
    }

    #[test]
    fn floats_are_their_shortest_decimal_up_to_fifteen_digits() {
        assert_eq!(json("1.0").as_deref(), Some("1"));
        assert_eq!(json("0.1").as_deref(), Some("0.1"));
        assert_eq!(json("1e3").as_deref(), Some("1000"));
        assert_eq!(json("1e19").as_deref(), Some("10000000000000000000"));
        assert_eq!(json("1e20"), None);
        assert_eq!(json("0.1234567890123456"), None);
        assert_eq!(json("1e-31"), None);
        assert_eq!(json("18446744073709551615").as_deref(), Some("18446744073709551615"));
    }
}
