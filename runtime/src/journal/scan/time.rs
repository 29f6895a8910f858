//! Times as records have them: as [`Time`](crate::Time) displays them. Every record has one, so no text is made to compare.

/// Whether this is how [`Time`](crate::Time) displays some time: in UTC, to the millisecond, or to the nanosecond where it is
/// finer.
pub(super) fn is_canonical(text: &[u8]) -> bool {
    let &[
        y0,
        y1,
        y2,
        y3,
        b'-',
        mo0,
        mo1,
        b'-',
        d0,
        d1,
        b'T',
        h0,
        h1,
        b':',
        mi0,
        mi1,
        b':',
        s0,
        s1,
        b'.',
        ref rest @ ..,
    ] = text
    else {
        return false;
    };
    let fraction = match rest {
        [fraction @ .., b'Z'] => fraction,
        _ => return false,
    };
    let finer = match fraction {
        [_, _, _] => true,
        [_, _, _, finer @ ..] => finer.len() == 6 && finer != b"000000",
        _ => false,
    };
    let parts = || -> Option<[u32; 7]> {
        let century = pair(y0, y1)?;
        let year = pair(y2, y3)?;
        Some([century, year, pair(mo0, mo1)?, pair(d0, d1)?, pair(h0, h1)?, pair(mi0, mi1)?, pair(s0, s1)?])
    };
    let Some([century, year, month, day, hour, minute, second]) = parts() else { return false };
    // The Gregorian calendar: a century is a leap year if it is a multiple of four.
    let leap = if year == 0 { century % 4 == 0 } else { year % 4 == 0 };
    let days = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if leap => 29,
        2 => 28,
        _ => 0,
    };
    let clock = hour < 24 && minute < 60 && second < 60;
    finer && fraction.iter().all(u8::is_ascii_digit) && (1..=days).contains(&day) && clock
}

fn pair(tens: u8, ones: u8) -> Option<u32> {
    let digit = |byte: u8| byte.is_ascii_digit().then(|| u32::from(byte.wrapping_sub(b'0')));
    digit(tens)?.checked_mul(10)?.checked_add(digit(ones)?)
}
