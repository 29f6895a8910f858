//! The text format in which Prometheus reads metrics, version 0.0.4.
//!
//! INVARIANT: a label's value cannot end its line or its quotes, whatever it is.

use std::fmt::{Display, Write as _};

/// Metrics that are being written.
#[derive(Debug, Default)]
pub(super) struct Exposition {
    pub(super) text: String,
}

/// What a metric is.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    /// Only grows.
    Counter,
    /// Goes up and down.
    Gauge,
}

impl Exposition {
    /// Begins a metric: its samples follow.
    pub(super) fn metric(&mut self, name: &str, kind: Kind, help: &str) {
        let kind = match kind {
            Kind::Counter => "counter",
            Kind::Gauge => "gauge",
        };
        // Writing to a string does not fail. The texts of help are ours: one line, no backslash.
        let _ = writeln!(self.text, "# HELP {name} {help}\n# TYPE {name} {kind}");
    }

    /// Writes a sample.
    pub(super) fn sample(&mut self, name: &str, labels: &[(&str, &str)], value: impl Display) {
        self.text.push_str(name);
        let mut before = '{';
        for (label, value) in labels {
            let _ = write!(self.text, "{before}{label}=\"");
            self.escaped(value);
            self.text.push('"');
            before = ',';
        }
        if before == ',' {
            self.text.push('}');
        }
        let _ = writeln!(self.text, " {value}");
    }

    fn escaped(&mut self, value: &str) {
        for c in value.chars() {
            match c {
                '\\' => self.text.push_str("\\\\"),
                '"' => self.text.push_str("\\\""),
                '\n' => self.text.push_str("\\n"),
                _ => self.text.push(c),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_stays_in_its_quotes() {
        let mut out = Exposition::default();
        out.metric("m", Kind::Gauge, "Says what.");
        out.sample("m", &[], 1);
        out.sample("m", &[("a", "x\"} 1\nm{b=\"\\"), ("b", "")], 2);
        assert_eq!(out.text, "# HELP m Says what.\n# TYPE m gauge\nm 1\nm{a=\"x\\\"} 1\\nm{b=\\\"\\\\\",b=\"\"} 2\n");
    }
}
