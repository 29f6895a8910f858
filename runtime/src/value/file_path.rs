//! File paths, compared by their components and never by their prefix as text.
//!
//! Lexical: nothing here looks at a file system, so symbolic links and case folding are not seen; the guide says so.

use super::{Est, Fuel, Val};
use crate::Truth;

/// `path_norm(p)`: the path without `.`, `name/..` and repeated `/`, percent-decoded once. Not established if two readers may
/// take it differently: with a backslash, a NUL, a drive letter, a second layer of percent-encoding, or if it is empty.
#[must_use]
pub fn path_norm<'a>(fuel: &Fuel, path: Est<'a>) -> Est<'a> {
    let path = take(fuel, path.as_ref())?;
    Some(Val::Text(Normal::of(&decode(path)?)?.to_string().into()))
}

/// `path_within(p, dir)`: the first path is the second or lies below it. Not established between a relative and an absolute
/// path, where the answer depends on a directory that is not named, and where percent-decoding would change it.
#[must_use]
pub fn path_within(fuel: &Fuel, path: Est<'_>, directory: Est<'_>) -> Truth {
    let (Some(path), Some(directory)) = (take(fuel, path.as_ref()), take(fuel, directory.as_ref())) else {
        return Truth::Unknown;
    };
    // A tool may decode the path or not; the answer must not depend on it.
    let decoded = decode(path);
    let readings = [Some(path), decoded.as_deref()].map(|reading| {
        let (path, directory) = (Normal::of(reading?)?, Normal::of(directory)?);
        path.is_within(&directory)
    });
    match readings {
        [Some(raw), Some(decoded)] if raw == decoded => Truth::of(raw),
        _ => Truth::Unknown,
    }
}

/// A path by its parts. A relative path may begin with so many `..`.
struct Normal<'p> {
    absolute: bool,
    up: usize,
    names: Vec<&'p str>,
}

impl<'p> Normal<'p> {
    fn of(path: &'p str) -> Option<Self> {
        if path.is_empty() || path.contains(['\0', '\\']) {
            return None;
        }
        let absolute = path.starts_with('/');
        let mut normal = Self { absolute, up: 0, names: Vec::new() };
        for part in path.split('/') {
            match part {
                "" | "." => {}
                ".." => {
                    if normal.names.pop().is_none() && !absolute {
                        normal.up = normal.up.saturating_add(1);
                    }
                }
                name => normal.names.push(name),
            }
        }
        if matches!(path.as_bytes(), [letter, b':', ..] if letter.is_ascii_alphabetic()) { None } else { Some(normal) }
    }

    /// Whether it is the directory or lies below it. `None` if that depends on the working directory or a home directory.
    fn is_within(&self, directory: &Self) -> Option<bool> {
        if self.absolute != directory.absolute {
            return None;
        }
        let home = |path: &Self| {
            !path.absolute && path.up == 0 && path.names.first().is_some_and(|name| name.starts_with('~'))
        };
        if home(self) != home(directory) {
            return None;
        }
        match self.up.cmp(&directory.up) {
            std::cmp::Ordering::Equal => Some(self.names.starts_with(&directory.names)),
            std::cmp::Ordering::Less if directory.names.is_empty() => Some(true),
            _ => None,
        }
    }
}

impl std::fmt::Display for Normal<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let parts = std::iter::repeat_n("..", self.up).chain(self.names.iter().copied()).collect::<Vec<_>>().join("/");
        match (self.absolute, parts.as_str()) {
            (true, parts) => write!(f, "/{parts}"),
            (false, "") => f.write_str("."),
            (false, parts) => f.write_str(parts),
        }
    }
}

/// The string, paid for.
fn take<'v>(fuel: &Fuel, path: Option<&'v Val<'_>>) -> Option<&'v str> {
    path?.as_text().filter(|text| fuel.spend_on(text.len()))
}

/// Percent-decodes once (RFC 3986 §2.1). A `%` that encodes nothing is itself. `None` if something encoded is left, or if the
/// result is not UTF-8.
fn decode(path: &str) -> Option<String> {
    let decoded = String::from_utf8(decode_bytes(path.as_bytes())).ok()?;
    if decoded == path || decode_bytes(decoded.as_bytes()) == decoded.as_bytes() { Some(decoded) } else { None }
}

fn decode_bytes(mut bytes: &[u8]) -> Vec<u8> {
    let mut decoded = Vec::with_capacity(bytes.len());
    while let Some((first, rest)) = bytes.split_first() {
        let encoded = match (first, rest) {
            (b'%', [high, low, rest @ ..]) => hex(*high).zip(hex(*low)).map(|(high, low)| ((high << 4) | low, rest)),
            _ => None,
        };
        let (byte, rest) = encoded.unwrap_or((*first, rest));
        decoded.push(byte);
        bytes = rest;
    }
    decoded
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn norm(path: &str) -> Option<String> {
        path_norm(&Fuel::new(), Some(path.into()))?.as_text().map(str::to_owned)
    }

    fn within(path: &str, directory: &str) -> Truth {
        path_within(&Fuel::new(), Some(path.into()), Some(directory.into()))
    }

    #[test]
    fn paths_have_one_normal_form() {
        for (path, normal) in [
            ("/a/b", "/a/b"),
            ("/a//b/./", "/a/b"),
            ("/a/../../b", "/b"),
            ("//a", "/a"),
            ("/", "/"),
            ("/..", "/"),
            ("a/..", "."),
            ("./a", "a"),
            ("../a/../../b", "../../b"),
            ("/a/%2e%2e/b", "/b"),
            ("/a%2Fb", "/a/b"),
            ("/100%/x", "/100%/x"),
            ("/a/...", "/a/..."),
        ] {
            assert_eq!(norm(path).as_deref(), Some(normal), "{path}");
        }
    }

    #[test]
    fn what_readers_may_take_differently_has_no_normal_form() {
        for path in ["", "a\\b", "/a\0b", "/a%00b", "/a%5cb", "/%252e%252e/a", "/%ff", "C:/x", "c:x"] {
            assert_eq!(norm(path), None, "{path}");
        }
        assert_eq!(path_norm(&Fuel::new(), Some(Val::Null)), None);
    }

    #[test]
    fn within_compares_components() {
        use Truth::{False, True, Unknown};
        for (path, directory, expected) in [
            ("/srv/a", "/srv", True),
            ("/srv", "/srv/", True),
            ("/srvshop/a", "/srv", False),
            ("/srv/../etc/passwd", "/srv", False),
            ("/etc/../srv/a", "/srv", True),
            ("/anything", "/", True),
            ("a", ".", True),
            ("data/x", "data", True),
            ("database", "data", False),
            ("a", "/srv", Unknown),
            ("/srv/a", "work", Unknown),
            ("../srv/a", "work", Unknown),
            ("../x", ".", Unknown),
            ("../x", "..", True),
            ("x", "..", True),
            ("x", "../work", Unknown),
            ("../x/y", "../x", True),
            ("~/x", ".", Unknown),
            ("~/x", "~", True),
            ("~root/x", "~", False),
        ] {
            assert_eq!(within(path, directory), expected, "{path} in {directory}");
        }
    }

    #[test]
    fn encodings_that_change_the_answer_make_it_unestablished() {
        assert_eq!(within("/srv/%2e%2e/etc", "/srv"), Truth::Unknown);
        assert_eq!(within("/etc/%2e%2e/srv/a", "/srv"), Truth::Unknown);
        assert_eq!(within("/srv/%20a", "/srv"), Truth::True);
        assert_eq!(within("/srv/%252e%252e/etc", "/srv"), Truth::Unknown);
        assert_eq!(within("/srv/..\\..\\etc", "/srv"), Truth::Unknown);
        assert_eq!(within("/srv/%00", "/srv"), Truth::Unknown);
    }
}
