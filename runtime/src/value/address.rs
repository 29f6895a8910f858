//! IP addresses and networks.
//!
//! One address has several texts, and those that name the same host must not be told apart: an IPv4-mapped IPv6 address is
//! its IPv4 address. Other ways to carry an IPv4 address in an IPv6 one depend on the network that the packet takes, so
//! whether such an address is in an IPv4 network is not established.

use std::net::{IpAddr, Ipv6Addr};

use super::{Est, Fuel};
use crate::Truth;

/// `cidr_contains("10.0.0.0/8", x)`: the address is in the network. Not established for what is no address, or no network.
#[must_use]
pub fn cidr_contains(fuel: &Fuel, network: Est<'_>, address: Est<'_>) -> Truth {
    let network = take(fuel, &network).and_then(Network::parse);
    let address = take(fuel, &address).and_then(parse_address);
    match (network, address) {
        (Some(network), Some(address)) => network.contains(address),
        _ => Truth::Unknown,
    }
}

/// The string, paid for.
fn take<'v>(fuel: &Fuel, value: &'v Est<'_>) -> Option<&'v str> {
    value.as_ref()?.as_text().filter(|text| fuel.spend_on(text.len()))
}

/// An address, perhaps in the brackets that it has as the host of a URL.
fn parse_address(text: &str) -> Option<IpAddr> {
    match text.strip_prefix('[') {
        Some(rest) => rest.strip_suffix(']')?.parse::<Ipv6Addr>().ok().map(IpAddr::V6),
        None => text.parse::<IpAddr>().ok(),
    }
    .map(|address| address.to_canonical())
}

/// A network: the bits that all its addresses begin with.
#[derive(Clone, Copy, Debug)]
struct Network {
    first: IpAddr,
    prefix: u32,
}

impl Network {
    /// Reads `address/prefix`. The bits after the prefix are zero, so that a network has one text.
    fn parse(text: &str) -> Option<Self> {
        let (address, digits) = text.split_once('/')?;
        let plain = digits.bytes().all(|byte| byte.is_ascii_digit()) && (digits == "0" || !digits.starts_with('0'));
        let prefix: u32 = digits.parse().ok().filter(|_| plain)?;
        let written = address.parse::<IpAddr>().ok()?;
        let first = written.to_canonical();
        let prefix = match (written, first) {
            (IpAddr::V6(_), IpAddr::V4(_)) => prefix.checked_sub(96)?,
            _ => prefix,
        };
        let network = Self { first, prefix };
        let (bits, length) = bits(first);
        (prefix <= length && (bits & !network.mask(length)) == 0).then_some(network)
    }

    /// The bits of the prefix, at the end of a number of 128 bits.
    fn mask(self, length: u32) -> u128 {
        let host = length.saturating_sub(self.prefix);
        u128::MAX.checked_shl(host).unwrap_or(0)
    }

    fn contains(self, address: IpAddr) -> Truth {
        let ((network, length), (bits, other)) = (bits(self.first), bits(address));
        if length == other {
            return Truth::of((bits & self.mask(length)) == network);
        }
        match address {
            IpAddr::V6(address) if may_carry_v4(address) => Truth::Unknown,
            _ => Truth::False,
        }
    }
}

/// The bits of an address, and how many there are.
fn bits(address: IpAddr) -> (u128, u32) {
    match address {
        IpAddr::V4(address) => (u128::from(address.to_bits()), 32),
        IpAddr::V6(address) => (address.to_bits(), 128),
    }
}

/// Whether a gateway or an old stack may take the address for an IPv4 one: IPv4-compatible (RFC 4291 §2.5.5.1), translated
/// (RFC 2765, RFC 6052, RFC 8215), 6to4 (RFC 3056).
fn may_carry_v4(address: Ipv6Addr) -> bool {
    match address.segments() {
        [0, 0, 0, 0, 0, 0, ..] => !address.is_loopback() && !address.is_unspecified(),
        [0, 0, 0, 0, 0xffff, 0, ..] | [0x64, 0xff9b, 0 | 1, ..] | [0x2002, ..] => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Val;

    fn contains(network: &str, address: &str) -> Truth {
        cidr_contains(&Fuel::new(), Some(Val::text(network)), Some(Val::text(address)))
    }

    #[test]
    fn addresses_are_in_networks_or_not() {
        for (network, address) in [
            ("10.0.0.0/8", "10.255.0.1"),
            ("0.0.0.0/0", "203.0.113.9"),
            ("192.0.2.7/32", "192.0.2.7"),
            ("10.0.0.0/8", "::ffff:10.1.2.3"),
            ("10.0.0.0/8", "[::ffff:a01:203]"),
            ("::ffff:10.0.0.0/104", "10.1.2.3"),
            ("2001:db8::/32", "2001:DB8:1::1"),
            ("2001:db8::/32", "[2001:db8::1]"),
            ("::/0", "::1"),
            ("::1/128", "0:0:0:0:0:0:0:1"),
            ("2002::/16", "2002:7f00:1::"),
        ] {
            assert_eq!(contains(network, address), Truth::True, "{network} {address}");
        }
        for (network, address) in [
            ("10.0.0.0/8", "11.0.0.0"),
            ("10.0.0.0/31", "10.0.0.2"),
            ("10.0.0.0/8", "2001:db8::1"),
            ("10.0.0.0/8", "::1"),
            ("::/0", "10.0.0.1"),
            ("2001:db8::/32", "2001:db9::1"),
        ] {
            assert_eq!(contains(network, address), Truth::False, "{network} {address}");
        }
    }

    #[test]
    fn what_is_no_address_is_not_established() {
        for address in [
            "",
            "example.com",
            "10.1",
            "010.0.0.1",
            "0x0a000001",
            "167772161",
            "10.0.0.1 ",
            "10.0.0.1:80",
            "10.0.0.1/32",
            "[10.0.0.1]",
            "[::1",
            "::1]",
            "fe80::1%eth0",
        ] {
            assert_eq!(contains("10.0.0.0/8", address), Truth::Unknown, "{address}");
        }
        let text = || Some(Val::text("10.0.0.1"));
        assert_eq!(cidr_contains(&Fuel::new(), text(), None), Truth::Unknown);
        assert_eq!(cidr_contains(&Fuel::new(), Some(Val::Null), text()), Truth::Unknown);
    }

    #[test]
    fn what_is_no_network_is_not_established() {
        for network in [
            "",
            "10.0.0.0",
            "10.0.0.1/8",
            "10.0.0.0/33",
            "10.0.0.0/08",
            "10.0.0.0/+8",
            "10.0.0.0/",
            "::/129",
            "::ffff:0:0/95",
        ] {
            assert_eq!(contains(network, "10.0.0.1"), Truth::Unknown, "{network}");
        }
    }

    #[test]
    fn an_address_that_may_lead_to_an_ipv4_host_is_not_outside() {
        for address in ["::7f00:1", "64:ff9b::7f00:1", "64:ff9b:1::7f00:1", "::ffff:0:7f00:1", "2002:7f00:1::"] {
            assert_eq!(contains("127.0.0.0/8", address), Truth::Unknown, "{address}");
        }
    }
}
