//! Which session a request belongs to.
//!
//! INVARIANT: a token is never kept, and never part of a name: only a keyed digest of it is, with a key that nobody has.

use std::fmt;

use hmac::{Hmac, KeyInit as _, Mac as _};
use hyper::HeaderMap;
use hyper::header::{AUTHORIZATION, HeaderName};
use serde_json::value::RawValue;
use sha2::Sha256;

use crate::mcp::message::member;

/// By what a guard tells sessions apart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum SessionKey {
    /// The protocol's own sessions, `Mcp-Session-Id`.
    #[default]
    Mcp,
    /// A header.
    Header(HeaderName),
    /// A string in `_meta`.
    Meta(String),
    /// The bearer token: a session for each.
    Bearer,
}

impl SessionKey {
    /// Reads `mcp`, `header:NAME`, `meta:KEY` or `bearer`.
    ///
    /// # Errors
    /// In words, what is wrong.
    pub fn parse(text: &str) -> Result<Self, String> {
        match text.split_once(':') {
            None if text == "mcp" => Ok(Self::Mcp),
            None if text == "bearer" => Ok(Self::Bearer),
            Some(("meta", key)) if !key.is_empty() => Ok(Self::Meta(key.to_owned())),
            Some(("header", name)) => {
                let header: HeaderName = name.parse().map_err(|_| format!("`{name}` is no name of a header"))?;
                match header.as_str() {
                    "authorization" => Err("write `bearer` for sessions by token".to_owned()),
                    "mcp-session-id" => Err("write `mcp` for the sessions of the protocol".to_owned()),
                    _ => Ok(Self::Header(header)),
                }
            }
            _ => Err(format!("`{text}` is none of `mcp`, `header:NAME`, `meta:KEY` and `bearer`")),
        }
    }
}

impl fmt::Display for SessionKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Mcp => f.write_str("the header `Mcp-Session-Id`, which the server gives"),
            Self::Header(name) => write!(f, "the header `{name}`"),
            Self::Meta(key) => write!(f, "`_meta[\"{}\"]`, a string", key.escape_debug()),
            Self::Bearer => f.write_str("the header `Authorization: Bearer TOKEN`"),
        }
    }
}

/// What a session is called, where the client says so.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SessionName(Option<String>);

impl SessionName {
    /// Of a session of the protocol: its id is for nobody to see.
    pub(super) const fn unnamed() -> Self {
        Self(None)
    }

    /// The name: what the client calls it, or a digest of its token.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        self.0.as_deref()
    }
}

/// Most bytes of a name.
const LONGEST: usize = 256;

/// Finds names.
#[derive(Debug)]
pub(super) struct Names {
    key: SessionKey,
    secret: [u8; 32],
}

impl Names {
    pub(super) fn new(key: SessionKey) -> Result<Self, String> {
        let mut secret = [0; 32];
        getrandom::fill(&mut secret).map_err(|error| error.to_string())?;
        Ok(Self { key, secret })
    }

    pub(super) const fn key(&self) -> &SessionKey {
        &self.key
    }

    /// The name that a request gives. `Ok(None)`: none.
    pub(super) fn of(&self, headers: &HeaderMap, params: Option<&RawValue>) -> Result<Option<SessionName>, String> {
        let name = match &self.key {
            SessionKey::Mcp => None,
            SessionKey::Header(name) => match headers.get(name) {
                None => None,
                Some(value) => Some(value.to_str().map_err(|_| format!("`{name}` is not ASCII"))?.to_owned()),
            },
            SessionKey::Meta(key) => {
                match params.and_then(|params| member(params, "_meta")).and_then(|meta| member(meta, key)) {
                    None => None,
                    Some(value) => Some(
                        serde_json::from_str::<String>(value.get())
                            .map_err(|_| format!("`_meta[\"{}\"]` is no string", key.escape_debug()))?,
                    ),
                }
            }
            SessionKey::Bearer => match headers.get(AUTHORIZATION) {
                None => None,
                Some(value) => {
                    let (scheme, token) = value
                        .to_str()
                        .ok()
                        .and_then(|value| value.split_once(' '))
                        .ok_or("`Authorization` holds no bearer token")?;
                    if !scheme.eq_ignore_ascii_case("bearer") || token.trim().is_empty() {
                        return Err("`Authorization` holds no bearer token".to_owned());
                    }
                    return Ok(Some(SessionName(Some(self.digest(token.trim())?))));
                }
            },
        };
        match name {
            Some(name) if name.is_empty() => Err("the name of the session is empty".to_owned()),
            Some(name) if name.len() > LONGEST => {
                Err(format!("the name of the session is longer than {LONGEST} bytes"))
            }
            name => Ok(name.map(|name| SessionName(Some(name)))),
        }
    }

    fn digest(&self, token: &str) -> Result<String, String> {
        let mut digest = Hmac::<Sha256>::new_from_slice(&self.secret).map_err(|error| error.to_string())?;
        digest.update(token.as_bytes());
        let digits = digest.finalize().into_bytes();
        Ok(digits.iter().take(16).map(|byte| format!("{byte:02x}")).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_not_in_its_name() {
        let names = Names::new(SessionKey::Bearer).unwrap();
        let mut headers = HeaderMap::new();
        assert_eq!(names.of(&headers, None), Ok(None));
        headers.insert(AUTHORIZATION, "bearer s3cr3t".parse().unwrap());
        let name = names.of(&headers, None).unwrap().unwrap();
        assert!(!format!("{name:?}").contains("s3cr3t"));
        headers.insert(AUTHORIZATION, "Bearer s3cr3t".parse().unwrap());
        assert_eq!(names.of(&headers, None).unwrap(), Some(name.clone()));
        assert_ne!(Names::new(SessionKey::Bearer).unwrap().of(&headers, None).unwrap(), Some(name));
        for odd in ["Basic abc", "Bearer", "Bearer ", ""] {
            headers.insert(AUTHORIZATION, odd.parse().unwrap());
            assert!(names.of(&headers, None).is_err(), "{odd}");
        }
    }

    #[test]
    fn keys_are_read() {
        assert_eq!(SessionKey::parse("mcp"), Ok(SessionKey::Mcp));
        assert_eq!(SessionKey::parse("header:X-Run"), Ok(SessionKey::Header(HeaderName::from_static("x-run"))));
        assert_eq!(SessionKey::parse("meta:io.example/run:1"), Ok(SessionKey::Meta("io.example/run:1".to_owned())));
        for odd in ["", "header", "header:", "header:a b", "header:Authorization", "meta:", "cookie:x", "Bearer"] {
            assert!(SessionKey::parse(odd).is_err(), "{odd}");
        }
    }

    #[test]
    fn names_are_short_strings() {
        let names = Names::new(SessionKey::Meta("run".to_owned())).unwrap();
        let of = |text: &str| names.of(&HeaderMap::new(), Some(serde_json::from_str(text).unwrap()));
        assert_eq!(of(r#"{"_meta":{"run":"a"}}"#).unwrap().unwrap().as_str(), Some("a"));
        assert_eq!(of(r#"{"_meta":{}}"#), Ok(None));
        assert!(of(r#"{"_meta":{"run":1}}"#).is_err());
        assert!(of(r#"{"_meta":{"run":""}}"#).is_err());
        assert!(of(&format!(r#"{{"_meta":{{"run":"{}"}}}}"#, "x".repeat(257))).is_err());
    }
}
