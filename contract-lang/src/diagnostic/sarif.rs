//! Diagnostics in the Static Analysis Results Interchange Format, SARIF 2.1.0 (OASIS Standard), which code hosts and editors read.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::render::escape;
use super::{Code, Diagnostic, Witness};
use crate::source::{SourceFile, Span};

/// Collects the results of a run over any number of files.
#[derive(Debug, Default)]
pub struct Log {
    results: Vec<(Code, Value)>,
}

impl Log {
    /// Nothing was found yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the diagnostics of a file.
    pub fn add(&mut self, file: &SourceFile, diagnostics: &[Diagnostic]) {
        self.results.extend(diagnostics.iter().map(|diagnostic| (diagnostic.code, result(file, diagnostic))));
    }

    /// The log. `version` is that of the program.
    #[must_use]
    pub fn finish(self, version: &str) -> Value {
        let codes: BTreeSet<Code> = self.results.iter().map(|(code, _)| *code).collect();
        let indexed = self.results.into_iter().map(|(code, mut result)| {
            let index = codes.iter().position(|known| *known == code);
            if let (Value::Object(members), Some(index)) = (&mut result, index) {
                members.insert("ruleIndex".to_owned(), index.into());
            }
            result
        });
        let results: Vec<_> = indexed.collect();
        let rules: Vec<_> = codes.into_iter().map(rule).collect();
        json!({
            "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
            "version": "2.1.0",
            "runs": [{
                "tool": { "driver": { "name": "interlock", "semanticVersion": version, "rules": rules } },
                "columnKind": "unicodeCodePoints",
                "results": results,
            }],
        })
    }
}

/// A code, with its page.
fn rule(code: Code) -> Value {
    let page = code.page();
    let title = page.lines().next().and_then(|line| line.split_once(": ")).map_or(code.as_str(), |(_, title)| title);
    json!({
        "id": code.as_str(),
        "shortDescription": { "text": title },
        "help": { "text": page, "markdown": page },
        "defaultConfiguration": { "level": code.level().as_str() },
    })
}

fn result(file: &SourceFile, diagnostic: &Diagnostic) -> Value {
    let mut message = diagnostic.headline();
    for help in &diagnostic.help {
        message.push_str("\nhelp: ");
        message.push_str(&escape(&help.with_replacement()));
    }
    let mut result = json!({
        "ruleId": diagnostic.code.as_str(),
        "level": diagnostic.level.as_str(),
        "message": { "text": message },
        "locations": [{ "physicalLocation": place(file, diagnostic.primary.span) }],
    });
    let Value::Object(members) = &mut result else { return result };
    if !diagnostic.related.is_empty() {
        let related = diagnostic.related.iter().enumerate().map(|(id, label)| {
            json!({ "id": id, "physicalLocation": place(file, label.span), "message": { "text": escape(&label.text) } })
        });
        members.insert("relatedLocations".to_owned(), related.collect());
    }
    let fixes: Vec<_> = diagnostic.help.iter().filter_map(|help| fix(file, help)).collect();
    if !fixes.is_empty() {
        members.insert("fixes".to_owned(), fixes.into());
    }
    if let Some(witness) = &diagnostic.witness {
        members.insert("codeFlows".to_owned(), json!([flow(file, diagnostic.primary.span, witness)]));
    }
    let properties = properties(diagnostic);
    if !properties.is_empty() {
        members.insert("properties".to_owned(), properties.into());
    }
    result
}

/// What the format has no member for: the contract's rule, how sure the finding is, and what its session comes to.
fn properties(diagnostic: &Diagnostic) -> Map<String, Value> {
    let rule = diagnostic.rule.as_ref().map(|rule| ("rule", rule.as_str().into()));
    let certainty = diagnostic.certainty.map(|certainty| ("certainty", certainty.as_str().into()));
    let shows = diagnostic.witness.as_ref().map(|witness| ("shows", witness.shows.encode()));
    [rule, certainty, shows].into_iter().flatten().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// A session that shows a finding, as the way that viewers step through. Its lines are at no place of the file, and a step has to
/// have one, so all are where the finding is.
fn flow(file: &SourceFile, span: Span, witness: &Witness) -> Value {
    let steps = witness.trace.iter().map(|line| {
        let text = escape(&line.encode().to_string());
        json!({ "location": { "physicalLocation": place(file, span), "message": { "text": text } } })
    });
    json!({ "message": { "text": "a session that shows it" }, "threadFlows": [{ "locations": steps.collect::<Vec<_>>() }] })
}

fn fix(file: &SourceFile, help: &super::Help) -> Option<Value> {
    let (span, text) = help.replacement.as_ref()?;
    Some(json!({
        "description": { "text": escape(&help.text) },
        "artifactChanges": [{
            "artifactLocation": { "uri": uri(file.name()) },
            "replacements": [{ "deletedRegion": region(file, *span), "insertedContent": { "text": text } }],
        }],
    }))
}

fn place(file: &SourceFile, span: Span) -> Value {
    json!({ "artifactLocation": { "uri": uri(file.name()) }, "region": region(file, span) })
}

fn region(file: &SourceFile, span: Span) -> Value {
    let (start, end) = (file.position(span.start), file.position(span.end));
    json!({ "startLine": start.line, "startColumn": start.column, "endLine": end.line, "endColumn": end.column })
}

/// A path as a reference of RFC 3986: what is not unreserved, or a slash, is escaped.
fn uri(path: &str) -> String {
    let mut out = String::new();
    for byte in path.replace('\\', "/").bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    if path.starts_with('/') { format!("file://{out}") } else { out }
}

#[cfg(test)]
mod tests {
    use contract_runtime::Verdict;

    use super::*;
    use crate::diagnostic::{Certainty, Shows};
    use crate::trace::Line;

    fn session() -> Witness {
        let line = r#"{"call":{"id":"c1","tool":"pay","args":{"to":"a\u202eb"}}}"#;
        let shows = Shows::Verdict { rule: "r".to_owned(), verdict: Verdict::Open };
        Witness { trace: vec![Line::decode(serde_json::from_str(line).unwrap()).unwrap()], shows }
    }

    #[test]
    fn a_session_is_a_flow_of_steps() {
        let file = SourceFile::new("a.yaml", "rules:\n");
        let found = Diagnostic::new(Code::NeverViolated, Span::new(0, 5), "m").certainty(Certainty::Proved);
        let result = result(&file, &found.witness(session()));
        let expected = json!({ "certainty": "proved", "shows": { "rule": "r", "verdict": "open" } });
        assert_eq!((&result["properties"], &result["message"]["text"]), (&expected, &json!("m (proved)")));
        let step = &result["codeFlows"][0]["threadFlows"][0]["locations"][0]["location"];
        let text = step["message"]["text"].as_str().unwrap();
        assert!(text.contains(r#""tool":"pay""#) && text.contains("\\u{202e}"), "{text}");
        assert_eq!(step["physicalLocation"]["region"]["endColumn"], 6);
    }

    #[test]
    fn each_finding_has_its_rule_its_places_and_its_fix() {
        let file = SourceFile::new("dir/a b.yaml", "rules:\n  - é: x\n");
        let one = Diagnostic::new(Code::UnknownField, Span::new(11, 13), "`é`\u{202e} is no field")
            .related(Span::new(0, 5), "here")
            .suggest("did you mean `id`?", Span::new(11, 13), "id");
        let two = Diagnostic::new(Code::NotText, Span::new(0, 0), "not text");
        let mut log = Log::new();
        log.add(&file, &[one, two]);
        let log = log.finish("1.2.3");
        let run = &log["runs"][0];
        let ids: Vec<_> = run["tool"]["driver"]["rules"].as_array().unwrap().iter().map(|rule| &rule["id"]).collect();
        assert_eq!(ids, ["IL0101", "IL0201"]);
        let result = &run["results"][0];
        assert_eq!(
            (&result["ruleId"], &result["ruleIndex"], &result["level"]),
            (&json!("IL0201"), &json!(1), &json!("error"))
        );
        let region = json!({"startLine": 2, "startColumn": 5, "endLine": 2, "endColumn": 6});
        let place = &result["locations"][0]["physicalLocation"];
        assert_eq!((&place["artifactLocation"]["uri"], &place["region"]), (&json!("dir/a%20b.yaml"), &region));
        let replaced = &result["fixes"][0]["artifactChanges"][0]["replacements"][0];
        assert_eq!(replaced, &json!({"deletedRegion": region, "insertedContent": {"text": "id"}}));
        assert_eq!(result["message"]["text"], "`é`\\u{202e} is no field\nhelp: did you mean `id`?");
        assert_eq!(result["relatedLocations"][0]["message"]["text"], "here");
    }

    #[test]
    fn every_code_fits_the_schema_of_oasis() {
        let schema = include_str!("../../../tests/fixtures/sarif/sarif-schema-2.1.0.json");
        let schema: Value = serde_json::from_str(schema).unwrap();
        let validator = jsonschema::validator_for(&schema).unwrap();
        let file = SourceFile::new("odd \u{202e}:name.yaml", "rules:\n");
        let found: Vec<_> = Code::ALL
            .iter()
            .map(|code| {
                let mut found = Diagnostic::new(*code, Span::new(0, 5), "m").related(Span::new(1, 2), "");
                found.rule = Some("r".to_owned());
                let found = found.certainty(Certainty::Proved).witness(session());
                found.help("write another").suggest("write", Span::new(0, 0), "x\n")
            })
            .collect();
        let mut log = Log::new();
        log.add(&file, &found);
        for log in [log, Log::new()].map(|log| log.finish("0.1.0")) {
            let errors: Vec<_> = validator.iter_errors(&log).map(|error| error.to_string()).collect();
            assert_eq!(errors, Vec::<String>::new());
        }
        assert!(!validator.is_valid(&json!({"version": "2.1.0", "runs": [{}]})));
    }

    #[test]
    fn nothing_found_is_a_log_too() {
        let log = Log::new().finish("1.2.3");
        assert_eq!(log["runs"][0]["results"], json!([]));
        assert_eq!(uri("/a/b.yaml"), "file:///a/b.yaml");
        assert_eq!(uri("C:\\a.yaml"), "C%3A/a.yaml");
    }
}
