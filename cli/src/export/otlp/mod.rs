//! OpenTelemetry: spans in OTLP/JSON, to a file or to a collector.
//!
//! Sources: `opentelemetry/proto/trace/v1/trace.proto` and the OTLP specification 1.x (JSON encoding); a file is as
//! OpenTelemetry's file exporter writes it, one request (`ExportTraceServiceRequest`) a line.

#[cfg(feature = "http")]
mod collector;
mod span;
mod value;

use std::io::{self, Write};

use serde_json::{Value, json};

#[cfg(feature = "http")]
pub(crate) use self::collector::Collector;
use self::value::Attributes;
use super::{Item, Target};
use crate::output::inert;

/// How many spans a request has at most, and about how many bytes.
const SPANS: usize = 512;
const BYTES: usize = 1 << 20;

/// Where requests go.
pub(crate) trait Destination {
    /// Hands over a request, as JSON without a line end.
    ///
    /// # Errors
    /// If it did not arrive.
    fn request(&mut self, request: &str) -> io::Result<()>;
}

/// A file of requests, one a line.
#[derive(Debug)]
pub(crate) struct Lines<W>(pub(crate) W);

impl<W: Write> Destination for Lines<W> {
    fn request(&mut self, request: &str) -> io::Result<()> {
        self.0.write_all(request.as_bytes())?;
        self.0.write_all(b"\n")
    }
}

impl<D: Destination + ?Sized> Destination for &mut D {
    fn request(&mut self, request: &str) -> io::Result<()> {
        (**self).request(request)
    }
}

/// Makes spans, and requests of them.
#[derive(Debug)]
pub(crate) struct Otlp<D> {
    to: D,
    content: bool,
    /// The spans of the next request, each as JSON.
    spans: Vec<String>,
    bytes: usize,
}

impl<D: Destination> Otlp<D> {
    /// With captured content, or without.
    pub(crate) fn new(to: D, content: bool) -> Self {
        Self { to, content, spans: Vec::new(), bytes: 0 }
    }

    fn span(&mut self, span: &Value) -> io::Result<()> {
        // What cannot be seen is escaped, and escapes are JSON.
        let span = inert(&span.to_string());
        if self.bytes.saturating_add(span.len()) > BYTES {
            self.send()?;
        }
        self.bytes = self.bytes.saturating_add(span.len());
        self.spans.push(span);
        if self.spans.len() >= SPANS { self.send() } else { Ok(()) }
    }

    fn send(&mut self) -> io::Result<()> {
        if self.spans.is_empty() {
            return Ok(());
        }
        let version = env!("CARGO_PKG_VERSION");
        let mut resource = Attributes::default();
        resource.exact("service.name", "interlock").exact("service.version", version);
        let resource = json!({ "attributes": resource.into_json() });
        let scope = json!({ "name": "interlock", "version": version });
        let spans = self.spans.join(",");
        let request = format!(
            r#"{{"resourceSpans":[{{"resource":{resource},"scopeSpans":[{{"scope":{scope},"spans":[{spans}]}}]}}]}}"#
        );
        self.spans.clear();
        self.bytes = 0;
        self.to.request(&request)
    }
}

impl<D: Destination> Target for Otlp<D> {
    fn take(&mut self, item: &Item<'_>) -> io::Result<()> {
        match item {
            Item::Call(session, call) => self.span(&span::of_call(session, call, self.content)),
            Item::Ended(session) => self.span(&span::of_session(session)),
            // What else was found is told with the session.
            _ => Ok(()),
        }
    }

    fn finish(&mut self) -> io::Result<()> {
        self.send()
    }
}

#[cfg(test)]
mod tests;
