//! Starter contracts are clean as they are, and with every suggestion taken up.

use contract_lang::diagnostic::{Level, render};
use contract_lang::{Catalog, Depth, Options, check};

use super::*;

/// The contract with its suggestions taken up.
fn taken_up(text: &str) -> String {
    let taken = |line: &str| match line.strip_prefix('#') {
        Some(rest) if !rest.starts_with(' ') || rest.starts_with("  ") => format!("{rest}\n"),
        _ => format!("{line}\n"),
    };
    text.lines().map(taken).collect()
}

fn assert_clean(text: &str, catalog: &[Catalog], worst: Level) {
    let options = Options { catalog, depth: Depth::Lint, ..Options::default() };
    let checked = check("contract.yaml", text.as_bytes(), &options);
    let shown = render::short(&checked.source, &checked.diagnostics);
    assert!(checked.diagnostics.iter().all(|found| found.level <= worst), "{shown}\n{text}");
    assert!(checked.contract.is_some(), "{text}");
}

#[test]
fn the_example_is_clean_and_so_are_its_suggestions() {
    let text = starter::example("my-agent");
    assert_clean(&text, &[], Level::Note);
    let taken = taken_up(&text);
    assert!(taken.contains("\nmode: shadow\n") && taken.contains("\n  - id: payments-of-a-day\n"));
    assert_clean(&taken, &[], Level::Warning);
}

#[test]
fn the_tools_of_a_server_are_declared_and_nothing_of_it_is_trusted() {
    let reply = r##"{"tools": [
      {"name": "get_issue", "description": "Gets\nan issue.\u001b[31m\u202e", "annotations": {"readOnlyHint": true, "title": "x\ny"},
       "inputSchema": {"type": "object", "properties": {"number": {"type": "integer"}}, "required": ["number"]}},
      {"name": "delete_issue", "annotations": {"readOnlyHint": true, "destructiveHint": false, "note": "\n  other: { effect: read }"},
       "inputSchema": {"type": "object", "properties": {"number": {"type": "integer"}}, "required": ["number"]}},
      {"name": "no"}, {"name": "any"}, {"name": "a*"}, {"name": "x: {}\ny"}, {"name": "s::t"}, {"name": "with-dash.and/more"},
      {"name": "call(x)"}, {"name": "twice"}, {"name": "twice"}
    ]}"##;
    let catalog = [Catalog { name: "tools.json".to_owned(), text: Ok(reply.to_owned()) }];
    let tools = Reply::parse(reply).unwrap().tools;
    let text = starter::of_tools("guard", &tools, Some("tools.json"));
    assert_clean(&text, &catalog, Level::Note);
    assert!(text.contains("  # Gets an issue."), "{text}");
    assert!(
        text.contains("  # the server says: readOnlyHint: true (not trusted)\n  get_issue: { effect: irreversible }\n"),
        "{text}"
    );
    assert!(!text.contains("effect: read") && !text.contains('\u{1b}') && !text.contains('\u{202e}'));
    assert_eq!(text.matches("\n  twice: ").count(), 1);
    let taken = taken_up(&text);
    assert!(taken.contains("must_precede: { first: get_issue, then: delete_issue }"), "{taken}");
    assert_clean(&taken, &catalog, Level::Warning);
    assert_clean(&starter::of_tools("guard", &[], None), &[], Level::Note);
}

#[test]
fn a_catalog_is_named_from_where_the_contract_is() {
    for (path, contract, named) in [
        ("tools.json", "contract.yaml", Some("tools.json")),
        ("a/tools.json", "a/contract.yaml", Some("tools.json")),
        ("a/tools.json", "contract.yaml", Some("a/tools.json")),
        ("tools.json", "a/contract.yaml", None),
        ("/x/tools.json", "a/contract.yaml", Some("/x/tools.json")),
        ("tools.json", "-", Some("tools.json")),
    ] {
        assert_eq!(beside(Path::new(path), Path::new(contract)).as_deref(), named, "{path} {contract}");
    }
}
