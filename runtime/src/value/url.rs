//! Hosts of URLs, read by one strict parser.
//!
//! A subset of RFC 3986. Whatever a browser would first repair or take in another way (WHATWG URL: backslashes, white space,
//! missing slashes, numeric forms of IPv4 addresses, non-ASCII hosts) has no host here, because a check and a fetch that read
//! one text differently are how server-side request forgery gets past allow lists.

use std::borrow::Cow;
use std::net::{Ipv4Addr, Ipv6Addr};

use super::{Est, Fuel, Val};
use crate::Truth;

/// `host(url)`: the host in lower case, without port and trailing dot; an IPv6 address in brackets.
#[must_use]
pub fn host<'a>(fuel: &Fuel, url: Est<'a>) -> Est<'a> {
    let url = take(fuel, &url)?;
    Some(Val::Text(Cow::Owned(host_of(url)?)))
}

/// `scheme(url)`: the scheme in lower case.
#[must_use]
pub fn scheme<'a>(fuel: &Fuel, url: Est<'a>) -> Est<'a> {
    let (scheme, _) = split_scheme(take(fuel, &url)?)?;
    Some(Val::Text(Cow::Owned(scheme.to_ascii_lowercase())))
}

/// `domain_in(x, domains)`: the host of `x`, which is a URL, an e-mail address or a host, is one of the domains or below one.
#[must_use]
pub fn domain_in(fuel: &Fuel, value: Est<'_>, domains: Est<'_>) -> Truth {
    let host = take(fuel, &value).and_then(|text| {
        if text.contains("://") {
            host_of(text)
        } else if let Some((local, domain)) = text.split_once('@') {
            if is_local_part(local) { parse_host(domain) } else { None }
        } else {
            parse_host(text)
        }
    });
    super::any(fuel, domains, |domain| match (&host, take(fuel, &domain).and_then(parse_host)) {
        (Some(host), Some(domain)) => Truth::of(is_at_or_below(host, &domain)),
        _ => Truth::Unknown,
    })
}

/// Whether a host is a domain or one of its subdomains: they differ by whole labels.
fn is_at_or_below(host: &str, domain: &str) -> bool {
    host.strip_suffix(domain).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

/// The string, paid for.
fn take<'v>(fuel: &Fuel, value: &'v Est<'_>) -> Option<&'v str> {
    value.as_ref()?.as_text().filter(|text| fuel.spend_on(text.len()))
}

fn host_of(url: &str) -> Option<String> {
    let (_, rest) = split_scheme(url)?;
    let authority = rest.strip_prefix("//")?.split(['/', '?', '#']).next()?;
    let host_and_port = match authority.split_once('@') {
        Some((user, rest)) if user.bytes().all(is_user_byte) => rest,
        Some(_) => return None,
        None => authority,
    };
    // Only the brackets of an IPv6 address may hold colons; any other `@` is caught as a character that no host has.
    let end = if host_and_port.starts_with('[') { host_and_port.find(']')?.checked_add(1)? } else { 0 };
    let (address, rest) = host_and_port.split_at_checked(end)?;
    let (name, port) = match rest.split_once(':') {
        Some((name, port)) => (name, Some(port)),
        None => (rest, None),
    };
    if port.is_some_and(|port| !is_port(port)) || (end > 0 && !name.is_empty()) {
        return None;
    }
    parse_host(if end > 0 { address } else { name })
}

/// The scheme of a URL and what follows its colon.
fn split_scheme(url: &str) -> Option<(&str, &str)> {
    if url.bytes().any(|byte| byte <= b' ' || byte == 0x7f || byte == b'\\') {
        return None;
    }
    let (scheme, rest) = url.split_once(':')?;
    let is_scheme = scheme.starts_with(|first: char| first.is_ascii_alphabetic())
        && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'));
    is_scheme.then_some((scheme, rest))
}

/// A host in its one form, or `None` if it is not strictly one.
fn parse_host(text: &str) -> Option<String> {
    if let Some(address) = text.strip_prefix('[') {
        let address: Ipv6Addr = address.strip_suffix(']')?.parse().ok()?;
        // A mapped or translated address is another name of an IPv4 host.
        let [a, b, c, d, e, f, ..] = address.segments();
        let names_v4 = matches!(
            [a, b, c, d, e, f],
            [0, 0, 0, 0, 0, 0xffff] | [0, 0, 0, 0, 0xffff, 0] | [0x64, 0xff9b, 0, 0, 0, 0]
        ) || ([a, b, c, d, e, f] == [0; 6] && !address.is_loopback() && !address.is_unspecified());
        return if names_v4 { None } else { Some(format!("[{address}]")) };
    }
    let name = text.strip_suffix('.').unwrap_or(text);
    if name.len() > 253 || !name.split('.').all(is_label) {
        return None;
    }
    // A host whose last label is a number is an IPv4 address in some spelling (WHATWG URL, "ends in a number"); there is one
    // spelling that all agree on.
    let last = name.rsplit('.').next()?;
    let hexadecimal = last.strip_prefix("0x").or_else(|| last.strip_prefix("0X"));
    let is_number = last.bytes().all(|byte| byte.is_ascii_digit())
        || hexadecimal.is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
    if is_number && (name != text || name.parse::<Ipv4Addr>().is_err()) {
        return None;
    }
    Some(name.to_ascii_lowercase())
}

fn is_label(label: &str) -> bool {
    (1..=63).contains(&label.len())
        && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
}

fn is_port(port: &str) -> bool {
    port.bytes().all(|byte| byte.is_ascii_digit()) && (port.is_empty() || port.parse::<u16>().is_ok())
}

/// What RFC 3986 §3.2.1 allows before the `@`.
fn is_user_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~%!$&'()*+,;=:".contains(&byte)
}

/// What RFC 5322 §3.2.3 allows before the `@` without quotes.
fn is_local_part(local: &str) -> bool {
    local.split('.').all(|atom| {
        !atom.is_empty()
            && atom.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-/=?^_`{|}~".contains(&byte))
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::value::lcg::Lcg;

    fn host_text(url: &str) -> Option<String> {
        host(&Fuel::new(), Some(url.into()))?.as_text().map(str::to_owned)
    }

    #[test]
    fn hosts_of_plain_urls() {
        for (url, expected) in [
            ("https://Example.COM/x?y#z", "example.com"),
            ("http://example.com.:8080", "example.com"),
            ("http://example.com:", "example.com"),
            ("ftp://user:pass@example.com/", "example.com"),
            ("http://good.com@evil.com/", "evil.com"),
            ("http://good.com:80@evil.com/", "evil.com"),
            ("http://evil.com#@good.com/", "evil.com"),
            ("http://evil.com?@good.com/", "evil.com"),
            ("http://evil.com/@good.com", "evil.com"),
            ("http://127.0.0.1:80/", "127.0.0.1"),
            ("http://[::1]:80/", "[::1]"),
            ("http://[2001:DB8:0::1]", "[2001:db8::1]"),
            ("http://xn--bcher-kva.example/é", "xn--bcher-kva.example"),
        ] {
            assert_eq!(host_text(url).as_deref(), Some(expected), "{url}");
        }
    }

    #[test]
    fn what_a_browser_would_reinterpret_has_no_host() {
        for url in [
            "http:\\\\evil.com",
            "http://good.com\\@evil.com",
            "http:/evil.com",
            "http:evil.com",
            "http:///evil.com",
            "//evil.com",
            "evil.com",
            " http://evil.com",
            "http://evil.com ",
            "http://ev\til.com",
            "http://evil\n.com",
            "http://a@b@c.com/",
            "http://evil%2ecom/",
            "http://ｅvil.com/",
            "http://evil。com/",
            "http://127.1/",
            "http://2130706433/",
            "http://0x7f.1/",
            "http://0x7f000001/",
            "http://0177.0.0.1/",
            "http://127.0.0.1./",
            "http://1.2.3.4.5/",
            "http://a.0x/",
            "http://[::1",
            "http://::1/",
            "http://[::1]x/",
            "http://[::1%25eth0]/",
            "http://[::ffff:127.0.0.1]/",
            "http://[::127.0.0.1]/",
            "http://[64:ff9b::7f00:1]/",
            "http://[v1.a]/",
            "http://evil.com:80:80/",
            "http://evil.com:x/",
            "http://evil.com:65536/",
            "http://a..b/",
            "http://.a/",
            "http://",
            "http://?x",
            "1http://evil.com",
            "http://a b/",
            "http://user<@evil.com/",
            "http://evil.com..",
            "file:///etc/passwd",
            "http://a,b/",
            "http://\u{7f}.com",
        ] {
            assert_eq!(host_text(url), None, "{url}");
        }
        assert_eq!(host_text(&format!("http://{}.com", "a".repeat(64))), None);
        assert_eq!(host(&Fuel::new(), Some(Val::Null)), None);
    }

    #[test]
    fn schemes_are_lower_case() {
        let scheme = |url: &'static str| scheme(&Fuel::new(), Some(url.into()));
        assert_eq!(scheme("HTTPS://x"), Some("https".into()));
        assert_eq!(scheme("javascript:alert(1)"), Some("javascript".into()));
        assert_eq!(scheme("java\tscript:alert(1)"), None);
        assert_eq!(scheme(" https://x"), None);
        assert_eq!(scheme("://x"), None);
        assert_eq!(scheme("/path:x"), None);
    }

    fn domain(value: &str) -> Truth {
        let domains = json!(["example.com", "10.0.0.1"]);
        domain_in(&Fuel::new(), Some(value.into()), Some(Val::from_json(&domains)))
    }

    #[test]
    fn domains_match_on_label_boundaries() {
        for value in [
            "example.com",
            "EXAMPLE.com.",
            "a.b.example.com",
            "https://api.example.com/x",
            "Bob.Smith+x@mail.example.com",
            "10.0.0.1",
        ] {
            assert_eq!(domain(value), Truth::True, "{value}");
        }
        for value in [
            "badexample.com",
            "example.com.evil.org",
            "https://example.com@evil.org/",
            "bob@example.org",
            "110.0.0.1",
            "com",
        ] {
            assert_eq!(domain(value), Truth::False, "{value}");
        }
        for value in [
            "",
            "bob@example.com,eve@evil.org",
            "\"eve@evil.org\"@example.com",
            "eve@evil.org@example.com",
            "Bob <bob@example.com>",
            "example.com/x",
            "mailto:bob@example.com",
            "a.10.0.0.1",
            "exämple.com",
            "example.com:80",
            "http:\\\\example.com",
            "bob@",
            "@example.com",
        ] {
            assert_eq!(domain(value), Truth::Unknown, "{value}");
        }
    }

    #[test]
    fn a_bad_list_decides_nothing() {
        let fuel = Fuel::new();
        let value = || Some("a.example.com".into());
        let list = json!(["*.example.com", "example.com"]);
        assert_eq!(domain_in(&fuel, value(), Some(Val::from_json(&list))), Truth::True);
        let list = json!(["*.example.com", "example.org"]);
        assert_eq!(domain_in(&fuel, value(), Some(Val::from_json(&list))), Truth::Unknown);
        assert_eq!(domain_in(&fuel, value(), Some("example.com".into())), Truth::Unknown);
        assert_eq!(domain_in(&fuel, value(), Some(Val::from_json(&json!([])))), Truth::False);
    }

    #[test]
    fn hosts_are_fixed_points_and_hostile_texts_do_no_harm() {
        let mut random = Lcg::new(6);
        let pieces = [
            "http:",
            "//",
            "a",
            ".",
            "@",
            ":",
            "80",
            "[",
            "]",
            "::1",
            "\\",
            "%",
            "é",
            "0x7",
            "/",
            "?",
            "#",
            " ",
            "127.0.0.1",
            "com",
        ];
        for _ in 0..20_000 {
            let text: String = (0..random.below(10)).map(|_| *random.pick(&pieces)).collect();
            if let Some(host) = host_text(&text) {
                assert_eq!(host_text(&format!("http://{host}/")).as_deref(), Some(host.as_str()), "{text}");
            }
        }
    }
}
