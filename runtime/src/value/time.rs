//! Points in time, and their reading from text: strict, because a date that two readers take differently lets a deadline
//! slip.

use std::fmt;

use super::{Duration, Est, Fuel, Val};

/// A point in time: nanoseconds since the Unix epoch, without leap seconds.
///
/// INVARIANT: within the years 0000 to 9999, so that it can always be written as RFC 3339.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(i128);

const SECOND: i128 = 1_000_000_000;
const DAY: i128 = 86_400 * SECOND;

impl Time {
    /// The Unix epoch.
    pub const EPOCH: Self = Self(0);
    /// 0000-01-01T00:00:00Z.
    pub const MIN: Self = Self(-62_167_219_200 * SECOND);
    /// The last nanosecond of the year 9999.
    pub const MAX: Self = Self(253_402_300_800 * SECOND - 1);

    /// A time by its distance from the Unix epoch; one outside the years 0000 to 9999 becomes the nearest within.
    #[must_use]
    pub const fn from_nanos(nanos: i128) -> Self {
        if nanos < Self::MIN.0 {
            Self::MIN
        } else if nanos > Self::MAX.0 {
            Self::MAX
        } else {
            Self(nanos)
        }
    }

    /// Nanoseconds since the Unix epoch.
    #[must_use]
    pub const fn as_nanos(self) -> i128 {
        self.0
    }

    /// Reads a text that says its offset: RFC 3339, with `T` or a space between date and time.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::parse_in(text, None)
    }

    /// Reads `2026-08-21T10:30:00+02:00`, the same with a space, without an offset, or the date alone (midnight), with a
    /// fraction of at most nine digits. A text without an offset needs the zone.
    #[must_use]
    pub fn parse_in(text: &str, zone: Option<Zone>) -> Option<Self> {
        let mut reader = Reader(text.as_bytes());
        let local = reader.date()?;
        let (local, offset) = if reader.0.is_empty() {
            (local, None)
        } else {
            reader.one_of(b"Tt ")?;
            let local = local.checked_add(reader.clock()?)?;
            (local, if reader.0.is_empty() { None } else { Some(reader.offset()?) })
        };
        let Zone(east) = offset.or(zone)?;
        Self::within(local.checked_sub(i128::from(east).checked_mul(SECOND)?)?)
    }

    /// The time this much later, if it is within the years 0000 to 9999.
    #[must_use]
    pub fn checked_add(self, duration: Duration) -> Option<Self> {
        self.0.checked_add(duration.as_nanos()).and_then(Self::within)
    }

    /// The time this much earlier, if it is within the years 0000 to 9999.
    #[must_use]
    pub fn checked_sub(self, duration: Duration) -> Option<Self> {
        self.0.checked_sub(duration.as_nanos()).and_then(Self::within)
    }

    /// How much later this is than the other. Negative if it is earlier.
    #[must_use]
    pub fn since(self, earlier: Self) -> Duration {
        // Both are within 10^21 nanoseconds of the epoch.
        Duration::from_nanos(self.0.saturating_sub(earlier.0))
    }

    fn within(nanos: i128) -> Option<Self> {
        (Self::MIN.0..=Self::MAX.0).contains(&nanos).then_some(Self(nanos))
    }
}

impl fmt::Display for Time {
    /// RFC 3339 in UTC, to the millisecond, or to the nanosecond where it is finer.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Within the years 0000 to 9999 both fit; dividing 128 bits is slow, and each record has a time.
        let narrow = |wide: i128| i64::try_from(wide).unwrap_or_default();
        let (year, month, day) = civil_from_days(narrow(self.0.div_euclid(DAY)));
        let nanos = narrow(self.0.rem_euclid(DAY));
        let (seconds, fraction) = (nanos / 1_000_000_000, nanos % 1_000_000_000);
        let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
        write!(f, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.")?;
        if fraction % 1_000_000 == 0 { write!(f, "{:03}Z", fraction / 1_000_000) } else { write!(f, "{fraction:09}Z") }
    }
}

/// An offset from UTC, in seconds east.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Zone(i32);

impl Zone {
    /// Coordinated Universal Time.
    pub const UTC: Self = Self(0);

    /// Reads `UTC`, `Z`, `+05:30`, `-05:00`, or a zone name of RFC 822 §5.1 (`EST`, `PDT`, …), which are fixed offsets.
    /// Names of places are not zones here: their rules change, and the answer must not.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let hours: i32 = match text {
            "UTC" | "GMT" | "UT" => 0,
            "EDT" => -4,
            "EST" | "CDT" => -5,
            "CST" | "MDT" => -6,
            "MST" | "PDT" => -7,
            "PST" => -8,
            _ => return Reader(text.as_bytes()).offset(),
        };
        hours.checked_mul(3600).map(Self)
    }
}

/// `time(text, zone)`: the time that a text denotes. The zone serves a text that has no offset of its own. A time is itself.
pub fn time<'a>(fuel: &Fuel, text: Est<'a>, zone: Option<Est<'a>>) -> Est<'a> {
    if !fuel.spend(1) {
        return None;
    }
    match text? {
        Val::Time(time) => Some(Val::Time(time)),
        Val::Text(text) => {
            let zone = match zone {
                Some(Some(Val::Text(zone))) => Some(Zone::parse(&zone)?),
                _ => None,
            };
            Time::parse_in(&text, zone).map(Val::Time)
        }
        _ => None,
    }
}

/// The unread rest of a text.
struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    /// `2026-08-21`, as nanoseconds from the epoch to its midnight.
    fn date(&mut self) -> Option<i128> {
        let year = self.digits(4)?;
        self.one_of(b"-")?;
        let month = self.digits(2)?;
        self.one_of(b"-")?;
        let day = self.digits(2)?;
        if !(1..=12).contains(&month) || !(1..=days_in(year, month)).contains(&day) {
            return None;
        }
        days_from_civil(year.into(), month.into(), day.into()).checked_mul(DAY)
    }

    /// `10:30:00.25`, as nanoseconds from midnight. A leap second has no place on the Unix scale.
    fn clock(&mut self) -> Option<i128> {
        let hour = self.digits(2).filter(|hour| *hour < 24)?;
        self.one_of(b":")?;
        let minute = self.digits(2).filter(|minute| *minute < 60)?;
        self.one_of(b":")?;
        let second = self.digits(2).filter(|second| *second < 60)?;
        let seconds = hour.checked_mul(3600)?.checked_add(minute.checked_mul(60)?)?.checked_add(second)?;
        i128::from(seconds).checked_mul(SECOND)?.checked_add(self.fraction()?)
    }

    /// `.25`, or nothing, in nanoseconds.
    fn fraction(&mut self) -> Option<i128> {
        if self.one_of(b".").is_none() {
            return Some(0);
        }
        let places = self.0.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if !(1..=9).contains(&places) {
            return None;
        }
        let digits = i128::from(self.digits(places)?);
        digits.checked_mul(10_i128.checked_pow(9_u32.checked_sub(u32::try_from(places).ok()?)?)?)
    }

    /// `Z` or `+05:30`, to the end of the text.
    fn offset(&mut self) -> Option<Zone> {
        let zone = match self.one_of(b"Zz+-")? {
            sign @ (b'+' | b'-') => {
                let hours = self.digits(2).filter(|hours| *hours < 24)?;
                self.one_of(b":")?;
                let minutes = self.digits(2).filter(|minutes| *minutes < 60)?;
                let east = i32::try_from(hours.checked_mul(3600)?.checked_add(minutes.checked_mul(60)?)?).ok()?;
                Zone(if sign == b'-' { east.checked_neg()? } else { east })
            }
            _ => Zone::UTC,
        };
        self.0.is_empty().then_some(zone)
    }

    /// Exactly so many digits (at most nine), as a number.
    fn digits(&mut self, count: usize) -> Option<u32> {
        let (digits, rest) = self.0.split_at_checked(count)?;
        let mut number = 0_u32;
        for byte in digits {
            let digit = byte.checked_sub(b'0').filter(|digit| *digit <= 9)?;
            number = number.checked_mul(10)?.checked_add(u32::from(digit))?;
        }
        self.0 = rest;
        Some(number)
    }

    fn one_of(&mut self, accepted: &[u8]) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        accepted.contains(first).then(|| {
            self.0 = rest;
            *first
        })
    }
}

fn days_in(year: u32, month: u32) -> u32 {
    match month {
        2 if year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400)) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days from 1970-01-01 in the proleptic Gregorian calendar (Hinnant, "chrono-compatible low-level date algorithms").
#[expect(clippy::arithmetic_side_effects, reason = "the year has four digits")]
fn days_from_civil(year: i128, month: i128, day: i128) -> i128 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * (month + if month > 2 { -3 } else { 9 }) + 2) / 5 + day - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

/// The inverse of [`days_from_civil`].
#[expect(clippy::arithmetic_side_effects, reason = "days of a `Time` are within four million of the epoch")]
fn civil_from_days(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::lcg::Lcg;

    fn at(text: &str) -> Time {
        Time::parse(text).unwrap()
    }

    #[test]
    fn examples_of_rfc_3339_are_read() {
        assert_eq!(at("1985-04-12T23:20:50.52Z").to_string(), "1985-04-12T23:20:50.520Z");
        assert_eq!(at("1996-12-19T16:39:57-08:00"), at("1996-12-20T00:39:57Z"));
        assert_eq!(at("1937-01-01T12:00:27.87+00:20").to_string(), "1937-01-01T11:40:27.870Z");
        assert_eq!(at("1970-01-01t00:00:00z"), Time::EPOCH);
        assert_eq!(at("2000-02-29 00:00:00.000000001Z").to_string(), "2000-02-29T00:00:00.000000001Z");
        assert_eq!(at("0000-01-01T00:00:00Z"), Time::MIN);
        assert_eq!(at("9999-12-31T23:59:59.999999999Z"), Time::MAX);
    }

    #[test]
    fn a_text_without_offset_needs_the_zone_and_its_own_offset_wins() {
        assert_eq!(Time::parse("2024-05-15 15:00:00"), None);
        assert_eq!(Time::parse("2024-05-15"), None);
        for (zone, expected) in [
            ("EST", "2024-05-15T20:00:00Z"),
            ("-05:00", "2024-05-15T20:00:00Z"),
            ("EDT", "2024-05-15T19:00:00Z"),
            ("PST", "2024-05-15T23:00:00Z"),
            ("UTC", "2024-05-15T15:00:00Z"),
            ("Z", "2024-05-15T15:00:00Z"),
            ("+05:30", "2024-05-15T09:30:00Z"),
        ] {
            assert_eq!(Time::parse_in("2024-05-15 15:00:00", Zone::parse(zone)), Some(at(expected)), "{zone}");
        }
        assert_eq!(Time::parse_in("2024-05-15T15:00:00Z", Zone::parse("EST")), Some(at("2024-05-15T15:00:00Z")));
        assert_eq!(Time::parse_in("2024-05-15", Zone::parse("EST")), Some(at("2024-05-15T05:00:00Z")));
    }

    #[test]
    fn what_is_not_strictly_a_time_is_refused() {
        for text in [
            "2023-02-29T00:00:00Z",
            "1900-02-29T00:00:00Z",
            "2024-04-31T00:00:00Z",
            "2024-13-01T00:00:00Z",
            "2024-00-01T00:00:00Z",
            "2024-01-00T00:00:00Z",
            "2024-01-01T24:00:00Z",
            "2024-01-01T00:60:00Z",
            "2016-12-31T23:59:60Z",
            "2024-01-01T00:00Z",
            "2024-01-01T00:00:00.Z",
            "2024-01-01T00:00:00.1234567890Z",
            "2024-01-01T00:00:00+24:00",
            "2024-01-01T00:00:00+0530",
            "2024-01-01T00:00:00 Z",
            "2024-01-01T00:00:00ZZ",
            "2024-01-01Z",
            "2024-1-1T00:00:00Z",
            " 2024-01-01T00:00:00Z",
            "20240101T000000Z",
            "02024-01-01T00:00:00Z",
            "-024-01-01T00:00:00Z",
            "2024-01-01T00:00:00EST",
            "0000-01-01T00:00:00+01:00",
            "9999-12-31T23:59:59-00:01",
            "２024-01-01T00:00:00Z",
            "",
        ] {
            assert_eq!(Time::parse(text), None, "{text}");
        }
        for zone in ["", "est", "Europe/Paris", "+5", "+05:30 ", "05:30", "+05:60", "A"] {
            assert_eq!(Zone::parse(zone), None, "{zone}");
        }
    }

    #[test]
    fn times_print_and_read_back_the_same() {
        let mut random = Lcg::new(3);
        let span = u64::try_from((Time::MAX.0 - Time::MIN.0) / SECOND).unwrap();
        for _ in 0..5_000 {
            let nanos = Time::MIN.0 + i128::from(random.below(span)) * SECOND + i128::from(random.below(1_000_000_000));
            let time = Time::from_nanos(nanos);
            assert_eq!(Time::parse(&time.to_string()), Some(time));
        }
    }

    #[test]
    fn arithmetic_stays_within_the_calendar() {
        let day = Duration::parse("1d").unwrap();
        assert_eq!(at("2024-02-28T12:00:00Z").checked_add(day), Some(at("2024-02-29T12:00:00Z")));
        assert_eq!(Time::MAX.checked_add(Duration::from_nanos(1)), None);
        assert_eq!(Time::MIN.checked_sub(Duration::from_nanos(1)), None);
        assert_eq!(Time::MAX.checked_add(Duration::from_nanos(i128::MAX)), None);
        assert_eq!(at("2024-03-01T00:00:00Z").since(at("2024-02-28T00:00:00Z")), Duration::parse("2d").unwrap());
        assert_eq!(Time::from_nanos(i128::MAX), Time::MAX);
    }
}
