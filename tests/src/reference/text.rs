//! Texts: globs, times, paths, hosts.

/// Whether an anchored glob (`*`: any characters, `?`: one character) matches.
pub fn glob(pattern: &str, text: &str) -> bool {
    let mut rest = pattern.chars();
    match rest.next() {
        None => text.is_empty(),
        Some('*') => {
            let ends = text.char_indices().map(|(i, _)| i).chain([text.len()]);
            ends.into_iter().any(|i| text.get(i..).is_some_and(|text| glob(rest.as_str(), text)))
        }
        Some(expected) => {
            let mut text = text.chars();
            text.next().is_some_and(|found| expected == '?' || expected == found) && glob(rest.as_str(), text.as_str())
        }
    }
}

/// The number of a day of the Gregorian calendar, 1970-01-01 being 0.
pub fn day_number(year: i128, month: i128, day: i128) -> i128 {
    let years = (1970..year).map(|year| if is_leap(year) { 366 } else { 365 }).sum::<i128>()
        - (year..1970).map(|year| if is_leap(year) { 366 } else { 365 }).sum::<i128>();
    years + (1..month).map(|month| month_length(year, month)).sum::<i128>() + day - 1
}

/// Year, month and day of a day number.
pub fn calendar(mut day: i128) -> (i128, i128, i128) {
    let mut year = 1970;
    while day < 0 {
        year -= 1;
        day += if is_leap(year) { 366 } else { 365 };
    }
    while day >= if is_leap(year) { 366 } else { 365 } {
        day -= if is_leap(year) { 366 } else { 365 };
        year += 1;
    }
    let mut month = 1;
    while day >= month_length(year, month) {
        day -= month_length(year, month);
        month += 1;
    }
    (year, month, day + 1)
}

fn is_leap(year: i128) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

fn month_length(year: i128, month: i128) -> i128 {
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// The time of an RFC 3339 text; `zone` is that of a text that has none.
pub fn time(text: &str, zone: Option<&str>) -> Option<i128> {
    let parts =
        regex::Regex::new(r"^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?([Zz]|[+-]\d\d:\d\d)?$");
    let captures = parts.ok()?.captures(text)?;
    let field = |i: usize| captures.get(i).and_then(|text| text.as_str().parse::<i128>().ok());
    let (year, month, day) = (field(1)?, field(2)?, field(3)?);
    let (hour, minute, second) = (field(4)?, field(5)?, field(6)?);
    if !(1..=12).contains(&month)
        || day < 1
        || day > month_length(year, month)
        || hour > 23
        || minute > 59
        || second > 59
    {
        return None;
    }
    let nanos = captures.get(7).map_or(Some(0), |text| format!("{:0<9}", text.as_str()).parse::<i128>().ok())?;
    let offset = offset(captures.get(8).map(|text| text.as_str()).or(zone)?)?;
    let seconds = ((day_number(year, month, day) * 24 + hour) * 60 + minute) * 60 + second - offset;
    Some(seconds * 1_000_000_000 + nanos)
}

/// The seconds east of a zone.
fn offset(zone: &str) -> Option<i128> {
    if matches!(zone, "Z" | "z" | "UTC") {
        return Some(0);
    }
    let (sign, rest) = match zone.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, zone.strip_prefix('+')?),
    };
    let (hours, minutes) = rest.split_once(':')?;
    let (hours, minutes) = (hours.parse::<i128>().ok()?, minutes.parse::<i128>().ok()?);
    (hours < 24 && minutes < 60).then_some(sign * (hours * 60 + minutes) * 60)
}

/// RFC 3339 with milliseconds.
pub fn print_time(nanos: i128) -> String {
    let millis = nanos.div_euclid(1_000_000);
    let (seconds, millis) = (millis.div_euclid(1000), millis.rem_euclid(1000));
    let (year, month, day) = calendar(seconds.div_euclid(86_400));
    let second = seconds.rem_euclid(86_400);
    format!(
        "{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}.{millis:03}Z",
        second / 3600,
        second / 60 % 60,
        second % 60
    )
}

/// A path, normalised lexically, after percent-decoding once. With a NUL or a backslash it is not established.
pub fn path_norm(path: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = path.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let mut ahead = rest.clone();
            let digits: Option<Vec<u32>> =
                [ahead.next(), ahead.next()].iter().map(|digit| char::from((*digit)?).to_digit(16)).collect();
            if let Some([high, low]) = digits.as_deref() {
                bytes.push(u8::try_from(high * 16 + low).ok()?);
                rest = ahead;
                continue;
            }
        }
        bytes.push(byte);
    }
    let decoded = String::from_utf8(bytes).ok()?;
    if decoded.contains(['\0', '\\']) {
        return None;
    }
    let absolute = decoded.starts_with('/');
    let mut kept: Vec<&str> = Vec::new();
    for part in decoded.split('/') {
        match part {
            "" | "." => {}
            ".." if kept.last().is_some_and(|last| *last != "..") => {
                kept.pop();
            }
            ".." if absolute => {}
            _ => kept.push(part),
        }
    }
    Some(match (absolute, kept.join("/")) {
        (true, joined) => format!("/{joined}"),
        (false, joined) if joined.is_empty() => ".".to_owned(),
        (false, joined) => joined,
    })
}

/// Whether the first path lies within the second, or is it. Between a relative and an absolute path nobody knows, nor where
/// decoding would change the answer.
pub fn path_within(path: &str, directory: &str) -> Option<bool> {
    if path.contains('%') {
        return None;
    }
    let (path, directory) = (path_norm(path)?, path_norm(directory)?);
    if path.starts_with('/') != directory.starts_with('/') {
        return None;
    }
    if directory == "/" {
        return Some(path.starts_with('/'));
    }
    Some(path == directory || path.strip_prefix(&directory).is_some_and(|rest| rest.starts_with('/')))
}

/// The scheme of a URL, in lower case.
pub fn scheme(url: &str) -> Option<String> {
    let (scheme, _) = url.split_once(':')?;
    let valid = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
    valid.then(|| scheme.to_ascii_lowercase())
}

/// The host of a URL, in lower case.
pub fn host(url: &str) -> Option<String> {
    scheme(url)?;
    let (_, rest) = url.split_once("://")?;
    let authority = rest.split(['/', '?', '#']).next()?;
    let host_and_port = authority.rsplit('@').next()?;
    let host = match host_and_port.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => host,
        Some(_) => return None,
        None => host_and_port,
    };
    host_name(host)
}

fn host_name(host: &str) -> Option<String> {
    let valid = !host.is_empty() && host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._".contains(&byte));
    valid.then(|| host.to_ascii_lowercase())
}

/// Whether the domain of a URL, an e-mail address or a host is one of these or below it.
pub fn domain_in<'a>(text: &str, domains: impl Iterator<Item = &'a str>) -> Option<bool> {
    let domain = if text.contains("://") {
        host(text)?
    } else {
        match text.split_once('@') {
            Some((_, domain)) => host_name(domain)?,
            None => host_name(text)?,
        }
    };
    let mut domains = domains.map(str::to_ascii_lowercase);
    Some(domains.any(|listed| domain == listed || domain.ends_with(&format!(".{listed}"))))
}

/// The bits of an IP address; an IPv4-mapped IPv6 address is its IPv4 address.
fn address_bits(text: &str) -> Option<Vec<bool>> {
    let octets = match text.parse::<std::net::IpAddr>().ok()? {
        std::net::IpAddr::V4(address) => address.octets().to_vec(),
        std::net::IpAddr::V6(address) => {
            address.to_ipv4_mapped().map_or(address.octets().to_vec(), |address| address.octets().to_vec())
        }
    };
    Some(octets.iter().flat_map(|octet| (0..8).rev().map(move |bit| octet >> bit & 1 == 1)).collect())
}

/// Whether an address is in a network. Nobody knows of an IPv6 address that may stand for an IPv4 one.
pub fn cidr_contains(network: &str, address: &str) -> Option<bool> {
    let (first, prefix) = network.split_once('/')?;
    let bits = address_bits(first)?;
    let is_number = prefix.bytes().all(|byte| byte.is_ascii_digit()) && (prefix == "0" || !prefix.starts_with('0'));
    let prefix: usize = prefix.parse().ok().filter(|_| is_number)?;
    let prefix = if first.contains(':') && bits.len() == 32 { prefix.checked_sub(96)? } else { prefix };
    if prefix > bits.len() || bits[prefix..].contains(&true) {
        return None;
    }
    let plain = address.strip_prefix('[').map_or(Some(address), |rest| rest.strip_suffix(']'))?;
    if plain != address && !plain.contains(':') {
        return None;
    }
    let other = address_bits(plain)?;
    if other.len() == bits.len() {
        return Some(other[..prefix] == bits[..prefix]);
    }
    let starts = |start: &str| address_bits(start).is_some_and(|start| other.starts_with(&start));
    let begins = |start: &str, bits: usize| address_bits(start).is_some_and(|start| other.starts_with(&start[..bits]));
    let may_carry = other.len() == 128
        && ((begins("::", 96) && !starts("::") && !starts("::1"))
            || begins("::ffff:0:0:0", 96)
            || begins("64:ff9b::", 48)
            || begins("64:ff9b:1::", 48)
            || begins("2002::", 16));
    if may_carry { None } else { Some(false) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs_are_anchored() {
        assert!(glob("a*c?", "abbcc") && glob("*", "") && !glob("a?", "a") && !glob("a", "ab"));
    }

    #[test]
    fn times_are_read_and_printed() {
        assert_eq!(time("1970-01-02T00:00:01.5Z", None), Some(86_401_500_000_000));
        assert_eq!(time("2024-02-30T00:00:00Z", None), None);
        assert_eq!(time("2026-03-01T01:00:00+01:00", None), time("2026-03-01T00:00:00", Some("UTC")));
        let text = "2026-11-30T08:22:43.120Z";
        assert_eq!(print_time(time(text, None).unwrap()), text);
    }

    #[test]
    fn addresses_and_networks() {
        assert_eq!(cidr_contains("10.0.0.0/8", "10.1.2.3"), Some(true));
        assert_eq!(cidr_contains("10.0.0.0/8", "::ffff:10.1.2.3"), Some(true));
        assert_eq!(cidr_contains("2001:db8::/32", "[2001:db9::1]"), Some(false));
        assert_eq!(cidr_contains("10.0.0.0/8", "2002:a01::1"), None);
        assert_eq!(cidr_contains("10.0.0.1/8", "10.1.2.3"), None);
    }

    #[test]
    fn paths_and_hosts() {
        assert_eq!(path_norm("/a/./b/%2e%2e/../c//").as_deref(), Some("/c"));
        assert_eq!(path_norm("/a%00"), None);
        assert_eq!(path_within("/srv/../etc", "/srv"), Some(false));
        assert_eq!(host("https://user@Example.COM:8443/x").as_deref(), Some("example.com"));
        assert_eq!(host("https://a:b"), None);
        assert_eq!(domain_in("joe@mail.example.com", ["example.com"].into_iter()), Some(true));
        assert_eq!(domain_in("badexample.com", ["example.com"].into_iter()), Some(false));
    }
}
