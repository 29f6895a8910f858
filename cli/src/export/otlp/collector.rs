//! Requests to a collector over OTLP/HTTP, in JSON.
//!
//! INVARIANT: the wait for a collector is bounded; a redirection is not followed, because spans go where they were sent and
//! nowhere else; neither headers nor credentials of an address are repeated in a message.

use std::io;
use std::time::Duration;

use serde_json::Value;
use ureq::Agent;
use ureq::config::Config;
use ureq::http::Uri;
use ureq::tls::{PemItem, RootCerts, TlsConfig, parse_pem};

use super::Destination;
use crate::export::text::shown;

/// How often a request is sent, before it is given up.
const ATTEMPTS: u32 = 5;
/// The longest wait that a collector can ask for.
const LONGEST_WAIT: Duration = Duration::from_secs(30);
/// How long one attempt may take, and the connection for it.
const TIMEOUT: Duration = Duration::from_secs(30);
const CONNECT: Duration = Duration::from_secs(10);
/// How much of an answer is read.
const ANSWER: u64 = 64 << 10;

/// A collector.
pub(crate) struct Collector {
    agent: Agent,
    endpoint: Uri,
    headers: Vec<(String, String)>,
    pause: fn(Duration),
    /// The spans that it did not want.
    pub(crate) rejected: u64,
}

impl std::fmt::Debug for Collector {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Collector").field("endpoint", &self.shown()).finish_non_exhaustive()
    }
}

impl Collector {
    /// The collector at an address, with headers as `OTEL_EXPORTER_OTLP_HEADERS` has them (`name=value,…`), and the
    /// certificates of `OTEL_EXPORTER_OTLP_CERTIFICATE` in PEM, if it is not one that everybody trusts.
    ///
    /// # Errors
    /// If one of these cannot be read, in words that repeat no secret.
    pub(crate) fn new(endpoint: &str, headers: Option<&str>, certificates: Option<&[u8]>) -> Result<Self, String> {
        let endpoint = address(endpoint)?;
        let mut tls = TlsConfig::builder();
        if let Some(pem) = certificates {
            let mut roots = Vec::new();
            for item in parse_pem(pem) {
                if let PemItem::Certificate(root) = item.map_err(|_| "the certificates are no PEM".to_owned())? {
                    roots.push(root);
                }
            }
            tls = tls.root_certs(RootCerts::new_with_certs(&roots));
        }
        let config: Config = Agent::config_builder()
            .tls_config(tls.build())
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .timeout_connect(Some(CONNECT))
            .timeout_per_call(Some(TIMEOUT))
            .user_agent(concat!("interlock/", env!("CARGO_PKG_VERSION")))
            .build();
        let headers = self::headers(headers.unwrap_or_default())?;
        Ok(Self { agent: config.new_agent(), endpoint, headers, pause: std::thread::sleep, rejected: 0 })
    }

    /// The address, without credentials and query.
    fn shown(&self) -> String {
        let host = self.endpoint.host().unwrap_or_default();
        let port = self.endpoint.port_u16().map_or_else(String::new, |port| format!(":{port}"));
        let scheme = self.endpoint.scheme_str().unwrap_or_default();
        shown(&format!("{scheme}://{host}{port}{}", self.endpoint.path()))
    }

    /// Sends a request once.
    fn attempt(&self, request: &str) -> Attempt {
        let mut call = self.agent.post(self.endpoint.clone()).header("content-type", "application/json");
        for (name, value) in &self.headers {
            call = call.header(name, value);
        }
        let mut answer = match call.send(request) {
            Ok(answer) => answer,
            Err(ureq::Error::Io(error)) => return Attempt::Later(None, shown(&error.to_string())),
            Err(error @ (ureq::Error::Timeout(_) | ureq::Error::ConnectionFailed)) => {
                return Attempt::Later(None, shown(&error.to_string()));
            }
            Err(error) => return Attempt::Never(shown(&error.to_string())),
        };
        let status = answer.status().as_u16();
        match status {
            200..=299 => {
                let body = answer.body_mut().with_config().limit(ANSWER).read_to_string().unwrap_or_default();
                Attempt::Done(rejected(&body))
            }
            // OTLP specification, "Retryable Response Codes".
            429 | 502 | 503 | 504 => {
                let wait = answer.headers().get("retry-after").and_then(|value| value.to_str().ok());
                let wait = wait.and_then(|value| value.trim().parse().ok()).map(Duration::from_secs);
                Attempt::Later(wait, format!("it answered {status}"))
            }
            _ => Attempt::Never(format!("it answered {status}")),
        }
    }
}

/// What came of sending a request once.
enum Attempt {
    /// It arrived; so many spans were rejected.
    Done(u64),
    /// It may arrive later: after the wait that the collector asked for.
    Later(Option<Duration>, String),
    /// It will not arrive.
    Never(String),
}

impl Destination for Collector {
    fn request(&mut self, request: &str) -> io::Result<()> {
        let mut wait = Duration::from_secs(1);
        for attempt in 1..=ATTEMPTS {
            let why = match self.attempt(request) {
                Attempt::Done(rejected) => {
                    self.rejected = self.rejected.saturating_add(rejected);
                    return Ok(());
                }
                Attempt::Later(asked, _) if attempt < ATTEMPTS => {
                    (self.pause)(asked.unwrap_or(wait).min(LONGEST_WAIT));
                    wait = wait.saturating_mul(2);
                    continue;
                }
                Attempt::Later(_, why) | Attempt::Never(why) => why,
            };
            return Err(io::Error::other(format!("the collector at `{}` did not take the spans: {why}", self.shown())));
        }
        Ok(())
    }
}

/// An address of the web; without a path it is that of a collector as a whole.
fn address(text: &str) -> Result<Uri, String> {
    let wrong = || "write the endpoint as `http://127.0.0.1:4318/v1/traces`".to_owned();
    let uri: Uri = text.parse().map_err(|_| wrong())?;
    let authority = uri.authority().ok_or_else(wrong)?;
    let scheme = uri.scheme_str().filter(|scheme| matches!(*scheme, "http" | "https")).ok_or_else(wrong)?;
    if matches!(uri.path(), "" | "/") && uri.query().is_none() {
        return format!("{scheme}://{authority}/v1/traces").parse().map_err(|_| wrong());
    }
    Ok(uri)
}

/// Headers: `name=value` with commas between, values percent-encoded (W3C Baggage).
fn headers(text: &str) -> Result<Vec<(String, String)>, String> {
    let wrong = || "`OTEL_EXPORTER_OTLP_HEADERS` is not of the form `name=value,name=value`".to_owned();
    let pairs = text.split(',').map(str::trim).filter(|pair| !pair.is_empty());
    let pair = |pair: &str| {
        let (name, value) = pair.split_once('=').ok_or_else(wrong)?;
        let value = decoded(value.trim()).ok_or_else(wrong)?;
        let (name, value) = (name.trim().to_owned(), value);
        let fits = ureq::http::HeaderName::try_from(&name).is_ok() && ureq::http::HeaderValue::try_from(&value).is_ok();
        if fits { Ok((name, value)) } else { Err(wrong()) }
    };
    pairs.map(pair).collect()
}

/// A percent-encoded text.
fn decoded(text: &str) -> Option<String> {
    let mut out = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((first, others)) = rest.split_first() {
        rest = others;
        if *first != b'%' {
            out.push(*first);
            continue;
        }
        let digits = rest.get(..2).filter(|digits| digits.iter().all(u8::is_ascii_hexdigit))?;
        out.push(u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?);
        rest = rest.get(2..)?;
    }
    String::from_utf8(out).ok()
}

/// How many spans a collector says that it rejected (`partialSuccess.rejectedSpans`, a number or a string).
fn rejected(answer: &str) -> u64 {
    let answer: Value = serde_json::from_str(answer).unwrap_or_default();
    let count = answer.pointer("/partialSuccess/rejectedSpans");
    let of = |count: &Value| count.as_u64().or_else(|| count.as_str()?.parse().ok());
    count.and_then(of).unwrap_or_default()
}

#[cfg(test)]
mod tests;
