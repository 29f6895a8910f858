use std::path::Path;
use std::sync::LazyLock;

use regex::Regex;

use super::*;
use crate::diagnostic::render;
use crate::syntax::random::Random;

/// The contracts of the corpus: name and text.
pub(crate) fn corpus() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("tests/contracts");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut found: Vec<_> =
        files.map(|path| (path.display().to_string(), std::fs::read_to_string(path).unwrap())).collect();
    found.sort();
    assert!(found.len() > 20);
    found
}

#[track_caller]
fn formatted(text: &str, from: Form, to: Form) -> String {
    match format("contract", text.as_bytes(), from, to) {
        Ok(text) => text,
        Err(refused) => panic!("{text}\n{}", render::human(&refused.source, &refused.diagnostics, false)),
    }
}

/// What a file says: the decoded contract without places, its expressions in one spelling.
#[track_caller]
fn meaning(text: &str, form: Form) -> String {
    let mut diagnostics = Diagnostics::new();
    let (source, node) = form.read("contract", text.as_bytes(), &mut diagnostics);
    let contract = node.and_then(|node| ast::decode(&node, &mut diagnostics));
    assert!(!diagnostics.has_errors(), "{text}\n{}", render::human(&source, &diagnostics.into_sorted(), false));
    let said = PLACES.replace_all(&format!("{contract:?}"), "").into_owned();
    // An expression that is a list is in parentheses where a list of expressions could stand.
    said.replace("([", "[").replace("])", "]")
}

/// What the debug form of a contract says of its file.
static PLACES: LazyLock<Regex> = LazyLock::new(|| {
    let places =
        r#"(kind_)?span: Span \{ start: [0-9]+, end: [0-9]+ \}(, )?|(, )?origin: Origin \{ runs: \[[^\]]*\] \}|"#;
    let shape = r#"style: [A-Za-z]+, |, joined: [a-z]+|, expression: (None|Some\("([^"\\]|\\.)*"\))|, flow: [a-z]+"#;
    Regex::new(&format!("{places}{shape}")).unwrap()
});

#[track_caller]
fn round_trip(name: &str, yaml: &str) {
    let once = formatted(yaml, Form::Yaml, Form::Yaml);
    assert_eq!(formatted(&once, Form::Yaml, Form::Yaml), once, "{name}: YAML formatted twice");
    let text = formatted(yaml, Form::Yaml, Form::Text);
    assert_eq!(formatted(&text, Form::Text, Form::Text), text, "{name}: text formatted twice");
    let back = formatted(&text, Form::Text, Form::Yaml);
    assert_eq!(back, once, "{name}: YAML through text");
    assert_eq!(meaning(&once, Form::Yaml), meaning(&text, Form::Text), "{name}: {text}");
    assert_eq!(meaning(&once, Form::Yaml), meaning(&back, Form::Yaml), "{name}: {back}");
    let again = formatted(&back, Form::Yaml, Form::Text);
    assert_eq!(meaning(&again, Form::Text), meaning(&text, Form::Text), "{name}: {again}");
}

#[test]
fn the_corpus_survives_both_forms() {
    for (name, text) in corpus() {
        round_trip(&name, &text);
    }
}

/// Texts that one form or the other could take for something else.
const TEXTS: [&str; 44] = [
    "",
    "plain words",
    "a: b",
    "a #b",
    "true",
    "Null",
    "null",
    "123",
    "0755",
    "1e5",
    "0x1f",
    "0b1",
    "~",
    "- a",
    "-",
    "a\nb\n",
    "a\n\n  b",
    "line\n",
    "\n",
    " lead",
    "trail ",
    "\"q\"",
    "\"",
    "'s'",
    "{x}",
    "[a]",
    "# c",
    "// c",
    "see https://a.b",
    "é😀",
    "\u{1}\u{7f}",
    "\t",
    "a\\b",
    "a\\",
    "r\"x\"",
    "5 calls",
    "24h",
    "set<string>",
    "a;b",
    "\u{2028}\u{feff}",
    "---",
    "...",
    "a\n b\nc \n",
    ".5",
];

/// A random contract, as JSON, which is YAML.
fn contract(random: &mut Random) -> String {
    let mut text = || serde_json::Value::from(random.pick(&TEXTS));
    let tags: Vec<_> = (0..3).map(|_| text()).collect();
    let initial =
        serde_json::json!({ "a": text(), "b": [1, 2.5, true, null, [text()], {}, []], "odd key": { "x": text() } });
    let (title, message) = (text(), text());
    let keys: Vec<_> = TEXTS.iter().filter(|text| !text.trim().is_empty()).copied().collect();
    let mut expressions: Vec<_> = (0..8).map(|_| random.tree(4).to_string()).collect();
    expressions.extend(
        ["\"text\"", "[1, 2]", "[\"a\"]", "*", "a-b", "ok(x where y) | z", "args.a&&!args.b"].map(str::to_owned),
    );
    let expression =
        |random: &mut Random| serde_json::Value::from(expressions[random.below(expressions.len())].clone());
    let key = random.pick(&keys);
    let mut rules = vec![serde_json::json!({
        "id": "a", "title": title, "message": message, "tags": tags, "call": expression(random),
        "require": [expression(random), expression(random)], "where": expression(random),
        "per": { (key): expression(random), "ok(x)": [expression(random)] },
        "instances": { "max": 5, "close_on": expression(random) },
    })];
    rules.push(
        serde_json::json!({ "id": "b", "must_precede": { "first": expression(random), "then": expression(random) },
        "per": [expression(random)], "decide": { "violated": { "read": "ask" }, "open": "alert" } }),
    );
    let contract = serde_json::json!({
        "version": 1, "name": "random-one", "default": { "read": "ask" }, "catalog": tags,
        "patterns": { "p": expression(random) },
        "tools": { (key): { "effect": [{ "when": expression(random), "is": "read" }, { "is": "write" }] }, "t": {} },
        "state": { "s": { "type": "json", "initial": initial }, "n": { "type": "int", "max": 7 } },
        "commit": [{ "after": expression(random), "set": { "s": expression(random) }, "put": { "m": {
            "at": expression(random), "value": expression(random) } }, "clear": ["n"] }],
        "rules": rules,
    });
    serde_json::to_string(&contract).unwrap()
}

#[test]
fn random_contracts_survive_both_forms() {
    let mut random = Random::new(7);
    for number in 0..40 {
        round_trip(&number.to_string(), &contract(&mut random));
    }
}

#[test]
fn comments_and_empty_lines_stay_with_what_they_are_about() {
    let yaml = "# about the file\n\nversion: 1  # the only one\nname: a\ntools:\n  # about t\n  t: { effect: read }  # read it\n\n  u:\n    # inside u\n    effect: write\n    # end of u\n  # end of tools\nrules:\n  # about b\n  - id: b  # its id\n    forbid: t\n    tags: [x,  # about x\n      y]\n\n  # about c\n  - id: c\n    per:\n      - args.x  # about the path\n    forbid: u where args.a&&!args.b # last\n# end of the file\n";
    let text = "// about the file\ncontract a {\n  version 1 // the only one\n  // about t\n  tool t { effect read } // read it\n\n  tool u {\n    // inside u\n    effect write\n    // end of u\n  }\n  // end of tools\n  // about b\n  rule b { // its id\n    forbid t\n    tags [\n      x, // about x\n      y,\n    ]\n  }\n\n  // about c\n  rule c {\n    per [\n      args.x, // about the path\n    ]\n    forbid u where args.a and not args.b // last\n  }\n  // end of the file\n}\n";
    assert_eq!(formatted(yaml, Form::Yaml, Form::Text), text);
    let back = formatted(text, Form::Text, Form::Yaml);
    for comment in yaml.split("# ").skip(1).map(|rest| rest.lines().next().unwrap()) {
        assert!(back.contains(&format!("# {comment}\n")), "{comment}: {back}");
        assert!(formatted(yaml, Form::Yaml, Form::Yaml).contains(&format!("# {comment}\n")), "{comment}");
    }
}

#[test]
fn an_empty_line_tells_a_comment_on_all_sections_from_one_on_the_first() {
    let yaml = "version: 1\nname: a\n\n# on tools\n# still\ntools:\n  # on t\n  t: {}\nstate:\n  # on s\n  s: { type: int }\n\n# on rules\nrules:\n  - id: b\n    forbid: t\n";
    let text = "contract a {\n  version 1\n\n  // on tools\n  // still\n\n  // on t\n  tool t {}\n  // on s\n  state s { type int }\n\n  // on rules\n\n  rule b {\n    forbid t\n  }\n}\n";
    assert_eq!(formatted(yaml, Form::Yaml, Form::Text), text);
    assert_eq!(formatted(text, Form::Text, Form::Text), text);
    assert_eq!(formatted(text, Form::Text, Form::Yaml), yaml);
}

#[test]
fn a_text_has_one_spelling() {
    let quotes = |mark: &str| {
        format!(
            "version: 1\nname: a\nrules:\n  - forbid: t\n    id: b\n    title: {mark}50 for b; c{mark}\n    tags: [{mark}d{mark}, \"1\"]\n"
        )
    };
    for to in [Form::Yaml, Form::Text] {
        assert_eq!(formatted(&quotes(""), Form::Yaml, to), formatted(&quotes("\""), Form::Yaml, to));
    }
}

#[test]
fn no_comment_is_lost_wherever_it_stands() {
    let mut random = Random::new(5);
    for (name, yaml) in corpus().into_iter().step_by(3) {
        let text = formatted(&yaml, Form::Yaml, Form::Text);
        // Without texts over several lines, in which a mark would be no comment.
        let yaml = formatted(&yaml, Form::Yaml, Form::Yaml);
        for (form, whole, marker) in [(Form::Yaml, &yaml, "#"), (Form::Text, &text, "//")] {
            let lines = whole.lines().enumerate().map(|(number, line)| match random.below(4) {
                0 => format!("{}{marker} remark-{number}\n{line}", " ".repeat(random.below(8))),
                1 if !line.trim().is_empty() && !line.contains(marker) => format!("{line} {marker} remark-{number}"),
                _ => line.to_owned(),
            });
            let commented = lines.collect::<Vec<_>>().join("\n") + "\n";
            let marks = commented.matches(" remark-").count();
            for to in [Form::Yaml, Form::Text] {
                let once = formatted(&commented, form, to);
                assert_eq!(once.matches(" remark-").count(), marks, "{name}: {commented}\n{once}");
                assert_eq!(formatted(&once, to, to), once, "{name}: {commented}\nformatted twice");
            }
        }
    }
}

#[test]
fn files_with_errors_are_not_formatted() {
    for text in [
        "version: 1\nname: a\nrules:\n  - id: b\n    forbid: x where args.\n",
        "version: 1\nname: a\nruls: []\n",
        "[",
        "",
    ] {
        let refused = format("contract.yaml", text.as_bytes(), Form::Yaml, Form::Text).unwrap_err();
        assert!(!refused.diagnostics.is_empty(), "{text}");
    }
}
