//! The documentation is true: its contracts have no errors, its fragments parse, its traces are decided as it says, and its
//! tables of fields are those of the schema and of the decoder.
//!
//! A fenced block says what it is in its info string: `yaml contract` is a whole contract; `yaml` is a part of one (top-level
//! fields, or a list of rules); `text contract` is a whole contract in text form; `text mistakes` is a wrong one, and the `text
//! findings` after it is what must be said of it; `json trace` is a trace for the last whole contract before it, and the `text decisions` after
//! it is what must come of it, in the format of `tests/traces/README.md`.
//!
//! A table whose first heading is "field of …" is a table of all fields that this has.

#![expect(clippy::unwrap_used, reason = "test code: a page that cannot be read fails the test")]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use contract_lang::diagnostic::{Code, Level};
use contract_lang::{Checked, Depth, Form, Options, ast, check, testing};
use interlock_tests::corpus;
use serde_json::Value;

/// A fenced block of a page.
struct Block {
    /// Its page and first line.
    place: String,
    info: String,
    text: String,
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// The pages of a folder and of those in it.
fn pages_in(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let found = entries.flat_map(|path| if path.is_dir() { pages_in(&path) } else { vec![path] });
    found.filter(|path| path.extension().is_some_and(|extension| extension == "md")).collect()
}

/// The pages whose blocks are checked.
fn pages() -> Vec<PathBuf> {
    let mut pages = pages_in(&root().join("docs"));
    pages.push(root().join("README.md"));
    pages.sort();
    pages
}

fn blocks() -> Vec<Block> {
    let mut blocks = Vec::new();
    for page in pages() {
        let text = fs::read_to_string(&page).unwrap();
        let name = page.file_name().unwrap().to_str().unwrap();
        let mut open: Option<Block> = None;
        for (number, line) in (1..).zip(text.lines()) {
            match (&mut open, line.strip_prefix("```")) {
                (None, Some(info)) => {
                    open =
                        Some(Block { place: format!("{name}:{number}"), info: info.to_owned(), text: String::new() });
                }
                (Some(_), Some("")) => blocks.extend(open.take()),
                (Some(block), _) => writeln!(block.text, "{line}").unwrap(),
                (None, None) => {}
            }
        }
        assert!(open.is_none(), "{name}: a block is not closed");
    }
    blocks
}

fn checked(text: &str) -> Checked {
    check("docs.yaml", text.as_bytes(), &Options::default())
}

fn errors(checked: &Checked) -> Vec<(Code, &str)> {
    let errors = checked.diagnostics.iter().filter(|found| found.level == Level::Error);
    errors.map(|found| (found.code, found.message.as_str())).collect()
}

#[test]
fn every_whole_contract_has_nothing_for_lint_to_find() {
    let contracts: Vec<_> = blocks().into_iter().filter(|block| block.info == "yaml contract").collect();
    assert!(contracts.len() > 10, "where have the contracts gone?");
    for block in contracts {
        let checked = check("docs.yaml", block.text.as_bytes(), &Options { depth: Depth::Lint, ..Options::default() });
        let found = checked.diagnostics.iter().filter(|found| found.level >= Level::Warning);
        let found: Vec<_> = found.map(|found| (found.code, found.message.as_str())).collect();
        assert_eq!(found, [], "{}", block.place);
        assert!(checked.contract.is_some(), "{}", block.place);
    }
}

#[test]
fn every_whole_contract_in_text_form_has_no_errors() {
    let contracts: Vec<_> = blocks().into_iter().filter(|block| block.info == "text contract").collect();
    assert!(contracts.len() >= 2, "where have the contracts gone?");
    for block in contracts {
        let checked = check("docs.contract", block.text.as_bytes(), &Options::default());
        assert_eq!(errors(&checked), [], "{}", block.place);
        let formatted = contract_lang::format("docs.contract", block.text.as_bytes(), Form::Text, Form::Yaml).unwrap();
        assert!(check("docs.yaml", formatted.as_bytes(), &Options::default()).contract.is_some(), "{}", block.place);
    }
}

#[test]
fn every_mistake_is_found_as_written() {
    let blocks = blocks();
    let mistakes = blocks.iter().zip(blocks.iter().skip(1)).filter(|(block, _)| block.info == "text mistakes");
    let mut seen = 0_u32;
    for (block, findings) in mistakes {
        assert_eq!(findings.info, "text findings", "{}: no findings follow", block.place);
        let checked = check("docs.contract", block.text.as_bytes(), &Options::default());
        let mut said = String::new();
        for found in checked.diagnostics.iter().filter(|found| found.level == Level::Error) {
            let place = checked.source.position(found.primary.span.start);
            writeln!(said, "{}:{}: {}", place.line, place.column, found.message).unwrap();
        }
        assert_eq!(said, findings.text, "{}", block.place);
        seen = seen.saturating_add(1);
    }
    assert!(seen > 0, "where have the mistakes gone?");
}

#[test]
fn every_fragment_is_a_part_of_a_contract() {
    for block in blocks().into_iter().filter(|block| block.info == "yaml") {
        let mut text = String::from("version: 1\nname: fragment\n");
        if block.text.lines().find(|line| !line.starts_with('#')).is_some_and(|line| line.starts_with('-')) {
            text.push_str("rules:\n");
        }
        text.push_str(&block.text);
        let checked = checked(&text);
        let mut found = errors(&checked);
        // What a fragment leaves out: the declarations that it reads, and the bound that the file gives.
        found.retain(|(code, _)| !matches!(code, Code::UnknownName | Code::NoBound));
        assert_eq!(found, [], "{}", block.place);
    }
}

#[test]
fn every_trace_is_decided_as_written() {
    let blocks = blocks();
    let mut contract: Option<&Block> = None;
    let mut wrong = String::new();
    let mut traces = 0_u32;
    for (index, block) in blocks.iter().enumerate() {
        if block.info == "yaml contract" {
            contract = Some(block);
        }
        if block.info == "json trace" {
            let expected = blocks.get(index.wrapping_add(1)).filter(|next| next.info == "text decisions");
            let expected = expected.unwrap_or_else(|| panic!("{}: no decisions follow", block.place));
            let contract = contract.unwrap_or_else(|| panic!("{}: no contract", block.place));
            let contract = corpus::interpreted(&contract.place, &contract.text).unwrap();
            let replay = corpus::replay(&|| contract.monitor(), &corpus::lines(&block.text).unwrap()).unwrap();
            let found = corpus::expectation(&replay);
            if found != expected.text {
                writeln!(wrong, "{}:\n{found}", expected.place).unwrap();
            }
            traces = traces.saturating_add(1);
        }
    }
    assert!(wrong.is_empty(), "decided otherwise:\n{wrong}");
    assert!(traces >= 30, "where have the traces gone?");
}

#[test]
fn every_test_of_a_contract_passes() {
    let mut seen = 0_u32;
    for block in blocks().into_iter().filter(|block| block.info == "yaml contract" && !block.place.starts_with("cli")) {
        let contract = corpus::interpreted(&block.place, &block.text).unwrap();
        for case in testing::read(Form::Yaml, &block.place, block.text.as_bytes()) {
            assert_eq!(testing::run(&contract, &case, &[]).failures, [], "{}: {}", block.place, case.name);
            seen = seen.saturating_add(1);
        }
    }
    assert!(seen >= 5, "where have the tests gone?");
}

#[test]
fn every_operator_of_mutants_is_in_the_table() {
    let page = fs::read_to_string(root().join("docs/cli.md")).unwrap();
    for operator in testing::mutate::Operator::ALL {
        let row = format!("| `{}` | {} |", operator.as_str(), operator.means());
        assert!(page.contains(&row), "{row}");
    }
}

#[test]
fn every_line_of_json_is_json() {
    for block in blocks().into_iter().filter(|block| block.info == "json") {
        for line in block.text.lines() {
            assert!(serde_json::from_str::<Value>(line).is_ok(), "{}: {line}", block.place);
        }
    }
}

#[test]
fn the_contract_of_the_readme_is_the_one_that_its_examples_compile() {
    let readme = blocks().into_iter().find(|block| block.place.starts_with("README") && block.info == "yaml contract");
    let file = root().join("interlock/examples/payments.yaml");
    assert_eq!(readme.unwrap().text, fs::read_to_string(file).unwrap());
}

#[test]
fn every_code_of_a_warning_is_named() {
    let page = fs::read_to_string(root().join("docs/ci.md")).unwrap();
    for code in Code::ALL.iter().filter(|code| code.level() == Level::Warning) {
        assert!(page.contains(&format!("`{}` (", code.as_str())), "{}", code.as_str());
    }
}

/// The text of a page outside of its fenced blocks.
fn prose(page: &Path) -> String {
    let text = fs::read_to_string(page).unwrap();
    text.split("```").step_by(2).collect()
}

/// The anchors of a page's headings, as they are made from their words.
fn anchors(page: &Path) -> Vec<String> {
    let prose = prose(page);
    let headings = prose
        .lines()
        .filter_map(|line| line.trim_start_matches('#').strip_prefix(' ').filter(|_| line.starts_with('#')));
    let anchor = |heading: &str| {
        let kept = heading.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
        kept.map(|c| if c == ' ' { '-' } else { c.to_ascii_lowercase() }).collect()
    };
    headings.map(anchor).collect()
}

#[test]
fn every_link_leads_somewhere() {
    let more = ["ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"].map(|name| root().join(name));
    for page in pages().into_iter().chain(more) {
        let prose = prose(&page);
        let targets = prose.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        for target in targets.filter(|target| !target.starts_with("https://")) {
            let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
            let file = if file.is_empty() { page.clone() } else { page.parent().unwrap().join(file) };
            assert!(file.exists(), "{}: {target}", page.display());
            let found = anchor.is_empty() || anchors(&file).iter().any(|known| known == anchor);
            assert!(found, "{}: there is no heading for {target}", page.display());
        }
    }
}

/// The tables of fields, each with its place: what has the fields, and the fields.
fn field_tables() -> Vec<(String, String, BTreeSet<String>)> {
    let mut tables = Vec::new();
    let language = pages()
        .into_iter()
        .filter(|page| page.starts_with(root().join("docs/language")) || page.ends_with("language.md"));
    for page in language {
        let text = fs::read_to_string(&page).unwrap();
        let mut open = None;
        for line in text.lines() {
            let first = line.strip_prefix("| ").and_then(|row| row.split(" |").next());
            match (first, open.as_mut()) {
                (Some(cell), None) => {
                    let of = cell.strip_prefix("field of ");
                    open = of.map(|of| (page.display().to_string(), of.to_owned(), BTreeSet::new()));
                }
                (Some(cell), Some((_, _, fields))) => {
                    fields.extend(cell.split('`').skip(1).step_by(2).map(str::to_owned));
                }
                (None, Some(_)) if !line.starts_with("|--") => tables.extend(open.take()),
                (None, _) => {}
            }
        }
        tables.extend(open);
    }
    tables
}

/// What has fields in the schema, as the pages call it, and the fields.
fn schema_tables() -> BTreeMap<String, BTreeSet<String>> {
    let schema = fs::read_to_string(root().join("schema/contract.schema.json")).unwrap();
    let schema: Value = serde_json::from_str(&schema).unwrap();
    let fields = |record: &Value| -> BTreeSet<String> {
        record["properties"].as_object().into_iter().flatten().map(|(name, _)| name.clone()).collect()
    };
    let named = |name: &str| fields(&schema["$defs"][name]);
    let mut tables = BTreeMap::from([("a contract".to_owned(), fields(&schema))]);
    for (of, name) in [
        ("a tool", "Tool"),
        ("a case of an effect", "EffectCase"),
        ("a cell", "Cell"),
        ("a commit", "Commit"),
        ("`put`", "At"),
        ("`instances`", "Instances"),
        ("`decide`", "DecideTable"),
        ("what is given by effect", "EffectDecisions"),
        ("a test", "Test"),
        ("a line of a test", "TestLine"),
        ("`expect`", "Expected"),
    ] {
        tables.insert(of.to_owned(), named(name));
    }
    assert_eq!(named("EffectDecisions"), named("FailureDecisions"));

    // A kind is one field with a record, or several fields of the rule; which, say the conditions.
    let rule = &schema["$defs"]["Rule"];
    let names = |list: &Value| -> Vec<String> {
        list.as_array().into_iter().flatten().map(|entry| entry["required"][0].as_str().unwrap().to_owned()).collect()
    };
    let kinds = names(&rule["oneOf"]);
    let mut common = named("Rule");
    for kind in &kinds {
        let reference = rule["properties"][kind]["$ref"].as_str().unwrap_or_default();
        let mut of = named(reference.rsplit('/').next().unwrap());
        common.remove(kind);
        if of.is_empty() {
            of.insert(kind.clone());
            for condition in rule["allOf"].as_array().unwrap() {
                let field = condition["if"]["required"][0].as_str().unwrap();
                let then = &condition["then"];
                let only = then["required"][0].as_str().map(str::to_owned).into_iter().collect();
                let wanted = [names(&then["anyOf"]), only].concat();
                if !kinds.iter().any(|kind| kind == field) && wanted.contains(kind) {
                    of.insert(field.to_owned());
                    common.remove(field);
                }
            }
        }
        tables.insert(format!("`{kind}`"), of);
    }
    tables.insert("a rule".to_owned(), common);
    tables
}

#[test]
fn the_tables_of_fields_are_those_of_the_schema() {
    let mut documented = BTreeMap::new();
    for (page, of, fields) in field_tables() {
        assert!(documented.insert(of.clone(), fields).is_none(), "{page}: a second table of the fields of {of}");
    }
    let schema = schema_tables();
    for (of, fields) in &schema {
        assert_eq!(documented.get(of), Some(fields), "the fields of {of}");
    }
    assert_eq!(documented.keys().collect::<Vec<_>>(), schema.keys().collect::<Vec<_>>());
    for kind in ast::Rule::KINDS {
        assert!(
            anchors(&root().join("docs/language/rules.md")).iter().any(|anchor| anchor == kind.name),
            "{}",
            kind.name
        );
    }
}

/// A contract with one field at its place, in both forms.
fn with_field(of: &str, field: &str) -> [(&'static str, String); 2] {
    let kind = of.trim_matches('`');
    let is_record = schema_tables().get(of).is_some_and(|fields| !fields.contains(kind));
    let (yaml, text) = match of {
        "a contract" => ("@: x".to_owned(), "@ x".to_owned()),
        "a tool" => ("tools: { t: { @: x } }".to_owned(), "tool t { @ x }".to_owned()),
        "a case of an effect" => {
            ("tools: { t: { effect: [{ @: x }] } }".to_owned(), "tool t { effect [{ @ x }] }".to_owned())
        }
        "a cell" => ("state: { s: { @: x } }".to_owned(), "state s { @ x }".to_owned()),
        "a commit" => ("commit: [{ @: x }]".to_owned(), "commit { @ x }".to_owned()),
        "`put`" => ("commit: [{ put: { c: { @: x } } }]".to_owned(), "commit { put { c { @ x } } }".to_owned()),
        "what is given by effect" => ("default: { @: x }".to_owned(), "default { @ x }".to_owned()),
        "a test" => ("tests: [{ @: x }]".to_owned(), "test t { @ x }".to_owned()),
        "a line of a test" => {
            ("tests: [{ name: t, trace: [{ @: x }] }]".to_owned(), "test t { trace [{ @ x }] }".to_owned())
        }
        "`expect`" => {
            let (yaml, text) = (
                "tests: [{ name: t, trace: [{ call: a, expect: { @: x } }] }]",
                "test t { trace [{ call a; expect { @ x } }] }",
            );
            (yaml.to_owned(), text.to_owned())
        }
        "`instances`" | "`decide`" => (format!("{kind}: {{ @: x }}"), format!("{kind} {{ @ x }}")),
        "a rule" => ("rules: [{ id: r, forbid: t, @: x }]".to_owned(), "rule r { forbid t; @ x }".to_owned()),
        _ if is_record => {
            (format!("rules: [{{ id: r, {kind}: {{ @: x }} }}]"), format!("rule r {{ {kind} {{ @ x }} }}"))
        }
        _ => (format!("rules: [{{ id: r, {kind}: x, @: x }}]"), format!("rule r {{ {kind} x; @ x }}")),
    };
    let [yaml, text] = [yaml, text].map(|form| form.replace('@', field));
    [("docs.yaml", yaml), ("docs.contract", format!("contract c {{\n{text}\n}}"))]
}

#[test]
fn both_forms_read_every_field_of_the_tables_and_no_other() {
    for (_, of, fields) in field_tables() {
        let unknown = |field: &str| {
            with_field(&of, field).map(|(name, text)| {
                let found = check(name, text.as_bytes(), &Options::default()).diagnostics;
                let unknown = [
                    format!("`{field}` is no field of"),
                    format!("`{field}` is no kind of"),
                    format!("has no field `{field}`"),
                ];
                // A common field may say nothing in the rule that it is tried in.
                let pointless =
                    of == "a rule" && found.iter().any(|found| found.message.contains("a rule with `forbid`"));
                !pointless && found.iter().any(|found| unknown.iter().any(|unknown| found.message.contains(unknown)))
            })
        };
        for field in &fields {
            assert_eq!(unknown(field), [false, false], "`{field}` of {of}");
        }
        assert_eq!(unknown("frobnicate"), [true, true], "{of}");
    }
}
