#![expect(clippy::arithmetic_side_effects, reason = "test code")]

use super::*;
use crate::ast;
use crate::diagnostic::{Code, render};
use crate::syntax::file::{Form, MAX_BYTES};

fn check(text: &str) -> (SourceFile, Diagnostics) {
    let mut diagnostics = Diagnostics::new();
    let (file, node) = Form::Yaml.read("contract.yaml", text.as_bytes(), &mut diagnostics);
    if let Some(node) = node {
        ast::decode(&node, &mut diagnostics);
    }
    (file, diagnostics)
}

/// The file with the first suggestion applied.
fn corrected(file: &SourceFile, diagnostics: &Diagnostics) -> String {
    let mut text = file.text().to_owned();
    let help = diagnostics.iter().flat_map(|diagnostic| &diagnostic.help).find_map(|help| help.replacement.clone());
    let (span, replacement) = help.expect("a suggestion");
    text.replace_range(span.range(), &replacement);
    text
}

/// A rule in a contract.
fn rule(lines: &str) -> String {
    format!("version: 1\nname: a\nrules:\n  - id: x\n    {lines}\n")
}

/// A trap is reported once, as one, and its suggestion makes the contract right.
#[track_caller]
fn trap(lines: &str, line: &str) {
    let (file, diagnostics) = check(&rule(lines));
    let codes: Vec<_> = diagnostics.iter().map(|diagnostic| diagnostic.code).collect();
    assert_eq!(codes, [Code::YamlTrap], "{}", render::human(&file, &diagnostics.into_sorted(), false));
    let (_, diagnostics) = check(&rule(lines));
    let text = corrected(&file, &diagnostics);
    assert!(text.contains(line), "{text}");
    let (file, diagnostics) = check(&text);
    assert!(diagnostics.is_empty(), "{text}{}", render::human(&file, &diagnostics.into_sorted(), false));
}

#[test]
fn unquoted_expressions_in_flow_style_are_traps() {
    trap("must_precede: { first: f(a, b), then: g }", "{ first: 'f(a, b)', then: g }");
    trap("must_precede: { first: g, then: f where args.x in [1, 2] }", "then: 'f where args.x in [1, 2]' }");
    trap("never_after: { call: f where a == \"x, y\", after: g }", "call: 'f where a == \"x, y\"',");
    trap("never_after: { call: f where a == \"x, y: z\", after: g }", "call: 'f where a == \"x, y: z\"',");
    trap("never_after: { call: f where a[0] == 1, after: g }", "call: 'f where a[0] == 1',");
    trap("call: f\n    require: [min(a, b) > 1, c]", "['min(a, b) > 1', c]");
    trap("call: f\n    require: [starts_with(args.a, \"x\"), b]", "['starts_with(args.a, \"x\")', b]");
    trap("call: f\n    require: [\"x\" in args.a, b]", "['\"x\" in args.a', b]");
}

#[test]
fn a_flow_mapping_over_several_lines_is_looked_into() {
    trap("never_after: {\n      call: f where a[0] == 1,\n      after: g }", "call: 'f where a[0] == 1',");
}

#[test]
fn a_split_call_is_a_trap() {
    trap("per: { f: join(a, b) }\n    forbid: f", "{ f: 'join(a, b)' }");
    trap("per: { f: join(a, b, c), g: d }\n    forbid: f", "{ f: 'join(a, b, c)', g: d }");
}

#[test]
fn first_characters_with_a_meaning_are_traps() {
    for first in ["*", "*_delete", "!args.x", "&x", "%x", "@x", "`x`", "{a,b}", "{a|b}*", "\"x\" in y", "[1, 2] == x"] {
        let quoted = format!("forbid: '{first}'");
        trap(&format!("forbid: {first}"), &quoted);
    }
    trap("never_after: { call: *, after: g }", "call: '*',");
    trap("never_after: { call: *_delete, after: g }", "call: '*_delete',");
    trap("never_after: { call: !x, after: g }", "call: '!x',");
    trap("mutually_exclusive:\n      - a\n      - * where x", "- '* where x'");
}

#[test]
fn a_value_cut_by_a_comment_is_a_trap() {
    trap("forbid: f where x == \"a #1\"", "forbid: 'f where x == \"a #1\"'");
    trap("forbid: f where x == \"a # 1\" # why", "forbid: 'f where x == \"a # 1\"' # why");
    trap("title: issue #1\n    forbid: f", "title: 'issue #1'");
    let (_, diagnostics) = check(&rule("forbid: f where x == \"a\" # why"));
    assert!(diagnostics.is_empty());
}

#[test]
fn a_colon_in_a_string_is_a_trap() {
    trap("forbid: f where x == \"a: b\"", "forbid: 'f where x == \"a: b\"'");
}

fn codes(text: &str) -> Vec<Code> {
    check(text).1.iter().map(|diagnostic| diagnostic.code).collect()
}

#[test]
fn features_that_contracts_do_without_are_refused() {
    for lines in
        ["forbid: !!str a", "forbid: &a a\n    title: *a", "<<: {}\n    forbid: a", "? [a]\n    : b\n    forbid: a"]
    {
        assert!(codes(&rule(lines)).contains(&Code::YamlFeature), "{lines}: {:?}", codes(&rule(lines)));
    }
    assert_eq!(codes("%YAML 1.1\n---\nversion: 1\n"), [Code::YamlFeature]);
    assert_eq!(codes("version: 1\nname: a\n---\nversion: 1\n"), [Code::YamlFeature]);
    assert_eq!(codes(&rule("1: a\n    forbid: a")), [Code::YamlFeature]);
    assert_eq!(codes(&rule("forbid: >-\n      a\n      b")), [Code::YamlFeature]);
    assert_eq!(codes(&rule("forbid: a\n      where b")), [Code::YamlFeature]);
    assert_eq!(codes(&rule("forbid: \"a\n      where b\"")), [Code::YamlFeature]);
}

#[test]
fn a_duplicate_key_shows_both_places() {
    let text = rule("forbid: a\n    forbid: b");
    let (file, diagnostics) = check(&text);
    let [only] = diagnostics.into_sorted().try_into().expect("one");
    assert_eq!(only.code, Code::DuplicateKey);
    assert_eq!(file.position(only.primary.span.start).line, 6);
    assert_eq!(file.position(only.related[0].span.start).line, 5);
}

#[test]
fn empty_and_binary_and_large_files_are_refused() {
    for text in ["", "\n\n", "# nothing\n", "---\n"] {
        assert!(!codes(text).is_empty(), "{text:?}");
    }
    for bytes in [&b"version: 1\0"[..], b"\xff\xfe", b"a: \xc3", b"\x7fELF\0\0\xff"] {
        let mut diagnostics = Diagnostics::new();
        let (file, node) = Form::Yaml.read("x", bytes, &mut diagnostics);
        assert!(node.is_none());
        assert_eq!(diagnostics.iter().map(|diagnostic| diagnostic.code).collect::<Vec<_>>(), [Code::NotText]);
        assert!(!render::human(&file, &diagnostics.into_sorted(), false).is_empty());
    }
    let large = " ".repeat(MAX_BYTES + 1);
    assert_eq!(codes(&large), [Code::TooLarge]);
}

#[test]
fn hostile_files_are_refused() {
    for piece in ["[", "{", "{a: ", "- ", "? ", "[(a, ", "(a, ", "\"", "a: b: ", "&a ", "!a ", "*", "'", "[[],"] {
        let mut text = piece.repeat(100_000 / piece.len());
        assert!(!codes(&text).is_empty(), "{piece}");
        text = format!("a: [{text}");
        assert!(!codes(&text).is_empty(), "{piece}");
    }
    let keys = (0..90_000).fold(String::new(), |text, i| text + &format!("k{i}: 1\n"));
    assert_eq!(codes(&keys).len(), crate::diagnostic::MOST);
    assert!(codes(&"- [(a, b]\n".repeat(50_000)).len() > 1);
    let nested: String = (0..100_000).map(|_| "[").collect();
    assert_eq!(codes(&nested), [Code::TooDeep]);
    let (file, diagnostics) = check(&format!("rules: [{}]", "{},".repeat(50_000)));
    assert!(!render::human(&file, &diagnostics.into_sorted(), false).is_empty());
}

/// The place of a piece of an expression, in the file.
#[track_caller]
fn points(lines: &str, piece: &str, line: u32, column: u32) {
    let text = rule(lines);
    let (file, diagnostics) = check(&text);
    assert!(diagnostics.is_empty(), "{}", render::human(&file, &diagnostics.into_sorted(), false));
    let mut diagnostics = Diagnostics::new();
    let node = parse(&file, &mut diagnostics).expect("YAML");
    let contract = ast::decode(&node, &mut diagnostics).expect("a contract");
    let ast::Kind::Forbid(ast::Forbid { forbid: source }) = &contract.rules[0].kind else { panic!("a forbid rule") };
    let at = source.text.find(piece).expect("the piece");
    let span = source.span_in(at..at + piece.len());
    let position = file.position(span.start);
    assert_eq!((position.line, position.column), (line, column), "{}", file.slice(span));
    let end = source.span_in(source.text.len()..source.text.len());
    assert!(end.start >= span.end);
}

#[test]
fn places_in_expressions_are_exact() {
    points("forbid: f where HERE", "HERE", 5, 21);
    points("forbid: 'f where a == ''b'' HERE'", "HERE", 5, 33);
    points("forbid: \"f where \\\"\\u00e9\\\\\\\" HERE\"", "HERE", 5, 35);
    points("forbid: \"é é \\x41 HERE\"", "HERE", 5, 23);
    points("forbid: |\n      f where\n        é or HERE", "HERE", 7, 14);
    points("forbid: |-\n\n      f where\n\n      HERE and x\n", "HERE", 9, 7);
    points("forbid: |2\n        f where HERE", "HERE", 6, 17);
    points("title: é\n    forbid: é x", "x", 6, 15);
}

#[test]
fn an_escape_is_shown_whole() {
    let file = SourceFile::new("x", rule("forbid: \"a \\u0041 b\""));
    let node = parse(&file, &mut Diagnostics::new()).expect("YAML");
    let contract = ast::decode(&node, &mut Diagnostics::new()).expect("a contract");
    let ast::Kind::Forbid(ast::Forbid { forbid: source }) = &contract.rules[0].kind else { panic!("a forbid rule") };
    assert_eq!(source.text, "a A b");
    assert_eq!(file.slice(source.span_in(2..3)), "\\u0041");
    assert_eq!(file.slice(source.span_in(2..5)), "\\u0041 b");
}

#[test]
fn line_ends_of_windows_keep_places() {
    let text = rule("forbid: |\n      f\n      where HERE").replace('\n', "\r\n");
    let file = SourceFile::new("x", text);
    let node = parse(&file, &mut Diagnostics::new()).expect("YAML");
    let contract = ast::decode(&node, &mut Diagnostics::new()).expect("a contract");
    let ast::Kind::Forbid(ast::Forbid { forbid: source }) = &contract.rules[0].kind else { panic!("a forbid rule") };
    let at = source.text.find("HERE").expect("it");
    assert_eq!(file.slice(source.span_in(at..at + 4)), "HERE");
}

#[test]
fn all_errors_of_a_file_come_in_one_run() {
    let text = "version: 2\nname: 1\ntols: {}\nrules:\n  - id: '?'\n    forbid: [a]\n    forbid: b\n  - at_most_n_times: { n: -1 }\n";
    assert_eq!(
        codes(text),
        [
            Code::DuplicateKey,
            Code::UnknownField,
            Code::BadValue,
            Code::WrongType,
            Code::BadValue,
            Code::YamlTrap,
            Code::MissingField,
            Code::MissingField,
            Code::BadValue,
        ],
    );
}

#[cfg(feature = "schema")]
#[test]
fn a_file_that_two_readers_read_differently_is_ambiguous() {
    let ambiguous = |text: &str| {
        let file = SourceFile::new("x", text);
        let mut diagnostics = Diagnostics::new();
        let node = parse(&file, &mut diagnostics).expect("YAML");
        assert!(diagnostics.is_empty());
        !second::agrees(&file, &node, &mut diagnostics) && diagnostics.has_errors()
    };
    assert!(!ambiguous(&rule("at_most_total: { call: a, sum: 1, limit: 0.25 }\n    title: yes")));
    assert!(!ambiguous("a: |\n  x\n  y\nb: >-\n  c\n  d\ne: ''\nf: ~\ng: [1, -2, true, 1.5, \"x\\ty\"]\n"));
    assert!(ambiguous("a: 0755\n"));
    assert!(ambiguous("a: 0x10\n"));
    assert!(ambiguous("a: 123456789012345678901234567890\n"));
}

/// Pieces of contracts and of YAML, to be put together at random.
const PIECES: &[&str] = &[
    "version: 1\n",
    "name: a\n",
    "rules:\n",
    "  - id: x\n",
    "    forbid: ",
    "    call: f\n",
    "require: ",
    "{",
    "}",
    "[",
    "]",
    ", ",
    ": ",
    "- ",
    "? ",
    "#",
    " #",
    "\"",
    "'",
    "|\n",
    ">-\n",
    "|2\n",
    "&a ",
    "*a",
    "!t ",
    "!!str ",
    "%",
    "@",
    "`",
    "---\n",
    "...\n",
    "<<",
    "f(a, b)",
    "args.x == \"é\"",
    "\\u00e9",
    "\\",
    "\n",
    "\r\n",
    "\t",
    "  ",
    "    ",
    "é",
    "\u{1F600}",
    "\u{feff}",
    "\u{85}",
    "\u{2028}",
    "\0",
    "0755",
    ".nan",
    "-1",
    "~",
    "null",
    "true",
    "per: ",
    "tools: ",
    "state: ",
];

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig {
        cases: 1000, failure_persistence: None, ..proptest::prelude::ProptestConfig::default()
    })]

    #[test]
    fn any_text_is_read_or_refused_at_a_place(
        pieces in proptest::collection::vec(0..PIECES.len(), 0..40),
    ) {
        let text: String = pieces.into_iter().map(|piece| PIECES[piece]).collect();
        let (file, diagnostics) = check(&text);
        let sorted = diagnostics.into_sorted();
        for diagnostic in &sorted {
            let places = std::iter::once(&diagnostic.primary).chain(&diagnostic.related).map(|label| label.span);
            for span in places.chain(diagnostic.help.iter().filter_map(|help| Some(help.replacement.as_ref()?.0))) {
                assert!(file.text().get(span.range()).is_some(), "{text:?}\n{diagnostic:?}");
            }
        }
        assert_eq!(sorted.is_empty(), render::human(&file, &sorted, false).is_empty());
        assert_eq!(sorted.len(), render::short(&file, &sorted).lines().count());
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..200)) {
        let mut diagnostics = Diagnostics::new();
        let (file, node) = Form::Yaml.read("x", &bytes, &mut diagnostics);
        assert!(node.is_some() || diagnostics.has_errors());
        let sorted = diagnostics.into_sorted();
        assert_eq!(sorted.is_empty(), render::human(&file, &sorted, false).is_empty());
    }
}

#[test]
fn a_comment_behind_a_quoted_scalar_is_no_part_of_it() {
    for line in ["'args.x = 1' # it''s \"late\"", "\"args.x = 1\"  # \"", "'args.x = 1'"] {
        let (file, diagnostics) = check(&format!("version: 1\nname: a\npatterns:\n  p: {line}\n"));
        let mut diagnostics = diagnostics;
        let node = Form::Yaml.parse(&file, &mut diagnostics).unwrap();
        let contract = ast::decode(&node, &mut diagnostics).unwrap();
        let (_, source) = &contract.patterns.entries[0];
        assert_eq!(file.slice(source.span_in(7..8)), "=", "{line}");
    }
}
