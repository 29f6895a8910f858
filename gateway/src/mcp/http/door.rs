//! Who may come in: requests that a page in a browser could have been tricked into, or that two readers could read differently,
//! are turned away before anything else is done.

use hyper::header::{
    ACCEPT_ENCODING, AUTHORIZATION, CONNECTION, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, EXPECT, HOST,
    HeaderName, HeaderValue, ORIGIN, PROXY_AUTHENTICATE, PROXY_AUTHORIZATION, TE, TRAILER, TRANSFER_ENCODING, UPGRADE,
};
use hyper::{HeaderMap, Method, StatusCode, Uri};

/// The path at which a guard listens.
pub const PATH: &str = "/mcp";

pub(super) const SESSION_ID: HeaderName = HeaderName::from_static("mcp-session-id");
pub(super) const VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
pub(super) const METHOD: HeaderName = HeaderName::from_static("mcp-method");
pub(super) const NAME: HeaderName = HeaderName::from_static("mcp-name");

/// What the headers begin with that mirror arguments.
pub(super) const PARAMETER: &str = "mcp-param-";

/// Headers that are about one connection.
const HOPS: [HeaderName; 10] = [
    CONNECTION,
    HeaderName::from_static("keep-alive"),
    HeaderName::from_static("proxy-connection"),
    PROXY_AUTHENTICATE,
    PROXY_AUTHORIZATION,
    TE,
    TRAILER,
    TRANSFER_ENCODING,
    UPGRADE,
    EXPECT,
];

/// Headers by which something is decided, here or behind: there may be one of each.
const SINGLE: [HeaderName; 10] =
    [HOST, ORIGIN, AUTHORIZATION, CONTENT_TYPE, CONTENT_LENGTH, TRANSFER_ENCODING, SESSION_ID, VERSION, METHOD, NAME];

/// A refusal at the door: its status, and why.
pub(super) type Refused = (StatusCode, String);

/// Who may come in.
#[derive(Clone, Debug, Default)]
pub(super) struct Door {
    /// Names of this host, in lower case, without a port.
    pub(super) hosts: Vec<String>,
    /// Origins of pages.
    pub(super) origins: Vec<String>,
}

impl Door {
    /// Looks at a request before anything of it is used. `key` is the header that tells sessions apart.
    pub(super) fn check(
        &self,
        method: &Method,
        uri: &Uri,
        headers: &HeaderMap,
        key: Option<&HeaderName>,
    ) -> Result<(), Refused> {
        let bad = |why: &str| Err((StatusCode::BAD_REQUEST, why.to_owned()));
        for name in SINGLE.iter().chain(key) {
            if headers.get_all(name).iter().nth(1).is_some() {
                return bad(&format!("the header `{name}` is there more than once"));
            }
        }
        let Some(host) = headers.get(HOST).and_then(|host| host.to_str().ok()) else {
            return bad("a request needs the header `Host`");
        };
        let named = uri.authority().map(hyper::http::uri::Authority::as_str);
        for host in named.into_iter().chain([host]) {
            if !self.is_ours(host) {
                let why = format!("`{}` is not a name of this host", host.escape_debug());
                return Err((StatusCode::FORBIDDEN, why));
            }
        }
        if let Some(origin) = headers.get(ORIGIN)
            && !self.admits(origin)
        {
            return Err((StatusCode::FORBIDDEN, "pages of this origin may not use this server".to_owned()));
        }
        if uri.path() != PATH || uri.query().is_some() {
            return Err((StatusCode::NOT_FOUND, format!("there is only `{PATH}` here")));
        }
        if headers.contains_key(CONTENT_LENGTH) && headers.contains_key(TRANSFER_ENCODING) {
            return bad("the length of the message is given twice");
        }
        for named in listed(headers) {
            if !matches!(named.as_str(), "close" | "keep-alive" | "te" | "upgrade" | "http2-settings") {
                return bad("`Connection` names a header that is not about the connection");
            }
        }
        if method == Method::POST {
            if !headers.get(CONTENT_TYPE).is_some_and(|value| is_type(value, "application/json")) {
                let why = "a message is `application/json`".to_owned();
                return Err((StatusCode::UNSUPPORTED_MEDIA_TYPE, why));
            }
            if headers.get(CONTENT_ENCODING).is_some_and(|value| value != "identity") {
                return Err((StatusCode::UNSUPPORTED_MEDIA_TYPE, "a message is not compressed".to_owned()));
            }
        }
        Ok(())
    }

    fn is_ours(&self, host: &str) -> bool {
        let name = without_port(host).to_ascii_lowercase();
        self.hosts.contains(&name)
    }

    /// Whether pages of an origin may use the guard.
    pub(super) fn admits(&self, origin: &HeaderValue) -> bool {
        self.origins.iter().any(|known| known.as_bytes().eq_ignore_ascii_case(origin.as_bytes()))
    }
}

/// A host without its port.
pub(super) fn without_port(host: &str) -> &str {
    match (host.rfind(':'), host.rfind(']')) {
        (Some(colon), bracket) if bracket.is_none_or(|bracket| bracket < colon) => {
            let port = host.get(colon.saturating_add(1)..).unwrap_or_default();
            if port.bytes().all(|byte| byte.is_ascii_digit()) { host.get(..colon).unwrap_or(host) } else { host }
        }
        _ => host,
    }
}

/// What `Connection` names.
fn listed(headers: &HeaderMap) -> Vec<String> {
    let values = headers.get_all(CONNECTION).iter();
    let names = values.flat_map(|value| value.to_str().unwrap_or("?").split(','));
    names.map(|name| name.trim().to_ascii_lowercase()).filter(|name| !name.is_empty()).collect()
}

/// Whether a content type is the one wanted, whatever its parameters.
pub(super) fn is_type(value: &HeaderValue, wanted: &str) -> bool {
    let essence = value.to_str().unwrap_or_default().split(';').next().unwrap_or_default();
    essence.trim().eq_ignore_ascii_case(wanted)
}

/// The headers of a request, as the server gets them.
pub(super) fn onward(mut headers: HeaderMap) -> HeaderMap {
    strip(&mut headers);
    // What is compressed could not be read on its way back.
    headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
    headers
}

/// The headers of a response, as the client gets them.
pub(super) fn back(mut headers: HeaderMap) -> HeaderMap {
    let named = listed(&headers);
    for name in named {
        headers.remove(name.as_str());
    }
    strip(&mut headers);
    headers
}

fn strip(headers: &mut HeaderMap) {
    for name in &HOPS {
        headers.remove(name);
    }
    // What is sent has a length of its own.
    headers.remove(CONTENT_LENGTH);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(lines: &[(&str, &str)]) -> Result<(), StatusCode> {
        let door =
            Door { hosts: vec!["localhost".into(), "[::1]".into()], origins: vec!["https://app.example".into()] };
        let mut headers = HeaderMap::new();
        headers.insert(HOST, HeaderValue::from_static("localhost:80"));
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        for (name, value) in lines {
            let name: HeaderName = name.parse().unwrap();
            if name == HOST || name == CONTENT_TYPE {
                headers.insert(name, value.parse().unwrap());
            } else {
                headers.append(name, value.parse().unwrap());
            }
        }
        let key = HeaderName::from_static("x-run");
        door.check(&Method::POST, &Uri::from_static(PATH), &headers, Some(&key)).map_err(|(status, _)| status)
    }

    #[test]
    fn only_names_of_this_host_are_answered() {
        for host in ["localhost", "LOCALHOST:1", "[::1]:8080", "[::1]"] {
            assert_eq!(check(&[("host", host)]), Ok(()), "{host}");
        }
        for host in ["evil.example", "localhost.evil.example", "localhost@evil", "", "localhost:80:80", "localhost:x"] {
            assert_eq!(check(&[("host", host)]), Err(StatusCode::FORBIDDEN), "{host}");
        }
    }

    #[test]
    fn pages_need_permission() {
        assert_eq!(check(&[("origin", "https://app.example")]), Ok(()));
        for origin in ["null", "https://evil.example", "http://app.example", "https://app.example.evil"] {
            assert_eq!(check(&[("origin", origin)]), Err(StatusCode::FORBIDDEN), "{origin}");
        }
    }

    #[test]
    fn what_two_readers_could_read_differently_is_refused() {
        for name in ["mcp-session-id", "mcp-method", "mcp-name", "mcp-protocol-version", "authorization", "x-run"] {
            assert_eq!(check(&[(name, "a"), (name, "a")]), Err(StatusCode::BAD_REQUEST), "{name}");
        }
        assert_eq!(check(&[("connection", "close, Mcp-Session-Id")]), Err(StatusCode::BAD_REQUEST));
        assert_eq!(check(&[("connection", "keep-alive")]), Ok(()));
        let twice = [("transfer-encoding", "chunked"), ("content-length", "1")];
        assert_eq!(check(&twice), Err(StatusCode::BAD_REQUEST));
        assert_eq!(check(&[("content-type", "text/plain")]), Err(StatusCode::UNSUPPORTED_MEDIA_TYPE));
        assert_eq!(check(&[("content-encoding", "gzip")]), Err(StatusCode::UNSUPPORTED_MEDIA_TYPE));
    }
}
