use super::parse;
use crate::diagnostic::{Code, Diagnostics, Level, render};
use crate::source::SourceFile;
use crate::syntax::file::{MAX_BYTES, MAX_DEPTH, MAX_NODES};
use crate::syntax::random::Random;
use crate::{Form, Options, ast, check, format};

/// What there is to write, with every kind of statement.
const PAYMENTS: &str = r#"
contract payments {
  version 1
  mode enforce
  default { read allow, write ask, irreversible block }     // comments are `//`
  catalog []
  context { user string }
  pattern payout = send_payment | schedule_payment
  tool authenticate { effect read }
  tool verify_payee { effect read }
  tool send_payment { effect irreversible }
  tool schedule_payment { effect irreversible }
  tool validate_record { effect read }; tool delete_record { effect irreversible }
  tool bash {}
  tool "report_*" { effect write }
  tool issue_write { effect [ { when args.method == "get"; is read }, { is write } ] }
  state verified { type set<string>; max 1000; initial [] }
  state account { type string }
  commit { after ok(authenticate where result.ok); set { account result.account } }
  commit {
    after ok(verify_payee)
    when result.status == "active"
    insert { verified: args.payee }
  }
  instances { max 10000 }
  rule pay-verified-payees {
    call payout
    require [
      args.payee in state.verified, // a list has one item after the other
      args.account == state.account,
    ]
  }
  rule validate-before-delete {
    must_precede { first validate_record; then delete_record }
    per { validate_record: args.record_id; delete_record: args.id }
    instances { max 5000; close_on call(delete_record) }
  }
  rule no-wipe { forbid bash; where any(s in strings(args) => s matches r"\brm\b"); severity high; tags [owasp-asi02] }
  rule small {
    title "Small; and // no comment"
    call payout
    require (args.amount < 10
      and args.currency in ["EUR", "USD"]) // both
  }
}
"#;

fn findings(text: &str) -> Vec<String> {
    let checked = check("x.contract", text.as_bytes(), &Options::default());
    let errors = checked.diagnostics.iter().filter(|found| found.level == Level::Error);
    let errors: Vec<_> = errors.cloned().collect();
    let short = render::short(&checked.source, &errors);
    short.lines().map(|line| line.trim_start_matches("x.contract:").to_owned()).collect()
}

#[test]
fn everything_can_be_written() {
    assert_eq!(findings(PAYMENTS), [""; 0]);
}

/// A contract with a part of it, on lines from the third on.
fn part(text: &str) -> String {
    format!("contract a {{\n  version 1\n{text}\n}}\n")
}

fn found(text: &str) -> Vec<String> {
    findings(&part(text))
}

#[test]
fn a_mistake_in_one_block_hides_none_in_another() {
    let text = "  rule a { forbid x where (args.y > 1 }
  rule b {
    forbid x
    when args.z
  }
  rule c {
    must_precede { frist look; then act }
  commit { after ok(x)
  tool t { effect raed }
  rule d { forbid x where args.a == \"open }
  rule e {
    forbid x where args.a = 1
  }
  rule f }
  state { type string }
  pattern p q
  rule g { forbid y where nope(1) }";
    assert_eq!(
        found(text),
        [
            "3:27: error[IL0109]: this `(` is not closed",
            "6:5: error[IL0201]: `when` is no field of a rule",
            "8:10: error[IL0109]: this `{` is not closed",
            "9:20: error[IL0201]: `frist` is no field of `must_precede`",
            "10:10: error[IL0109]: this `{` is not closed",
            "10:12: error[IL0202]: the commit changes nothing",
            "11:19: error[IL0204]: `raed` is not an effect",
            "12:10: error[IL0109]: this `{` is not closed",
            "12:37: error[IL0109]: the string does not end on its line",
            "14:27: error[IL0301]: `=` is not an operator",
            "16:10: error[IL0109]: expected `{`",
            "16:10: error[IL0109]: the contract ends here, and more follows",
            "17:9: error[IL0109]: expected a name after `state`",
            "18:13: error[IL0109]: expected `=`",
            "19:27: error[IL0303]: unknown function `nope`",
        ]
    );
}

#[test]
fn values_are_read_to_their_end() {
    let text = "  rule a {
    title \"a \\\"b\\\" \\u00e9; // no comment\"; message r\"raw \\d\"
    severity: high // a comment
    forbid x
    where (args.a == 1 // and another
      and args.b == \"}\")
    instances { close_on [1, 2] == args.c }
  }";
    let file = SourceFile::new("x", part(text));
    let mut diagnostics = Diagnostics::new();
    let node = parse(&file, &mut diagnostics).unwrap();
    let contract = ast::decode(&node, &mut diagnostics).unwrap();
    assert!(diagnostics.is_empty());
    let rule = &contract.rules[0];
    assert_eq!(rule.title.as_ref().unwrap().value.0, "a \"b\" é; // no comment");
    assert_eq!(rule.message.as_ref().unwrap().value.0, "raw \\d");
    assert_eq!(rule.severity.unwrap().value, contract_runtime::Severity::High);
    assert_eq!(rule.instances.as_ref().unwrap().close_on.as_ref().unwrap().text, "[1, 2] == args.c");
    let predicate = rule.r#where.as_ref().unwrap();
    assert_eq!(predicate.text.split_whitespace().collect::<Vec<_>>().join(" "), "(args.a == 1 and args.b == \"}\")");
    let at = predicate.text.find("args.b").unwrap();
    assert_eq!(file.slice(predicate.span_in(at..at + 6)), "args.b");
}

#[test]
fn a_string_is_a_literal_in_an_expression_and_its_content_elsewhere() {
    let text = "  commit { after ok(x); set { a \"b\"; c [\"d\"] } }\n  state a { type string; initial \"e\" }";
    let mut diagnostics = Diagnostics::new();
    let node = parse(&SourceFile::new("x", part(text)), &mut diagnostics).unwrap();
    let contract = ast::decode(&node, &mut diagnostics).unwrap();
    let set: Vec<_> = contract.commit[0].set.iter().map(|(_, value)| value.text.as_str()).collect();
    assert_eq!(set, ["\"b\"", "[\"d\"]"]);
    assert_eq!(contract.state.entries[0].1.initial.as_ref().unwrap().json(), Some("e".into()));
}

#[test]
fn what_is_written_twice_is_shown_twice() {
    let text = part("  tool a {}\n  mode enforce; mode shadow\n  tool a { effect read }\n  rule b { id c; forbid a }");
    let checked = check("x.contract", text.as_bytes(), &Options::default());
    let twice = checked.diagnostics.iter().filter(|found| found.code == Code::DuplicateKey);
    let places: Vec<_> = twice
        .map(|found| [found.related[0].span, found.primary.span].map(|span| checked.source.position(span.start)))
        .map(|[first, again]| (first.line, first.column, again.line, again.column))
        .collect();
    assert_eq!(places, [(4, 3, 4, 17), (3, 8, 5, 8), (6, 3, 6, 12)]);
}

#[test]
fn mistakes_of_form_say_what_to_write() {
    for (text, finding) in [
        ("", "1:1: error[IL0109]: the file is empty: it holds no contract"),
        ("version: 1\nname: a\n", "1:1: error[IL0109]: expected `contract NAME {`"),
        ("contract {", "1:10: error[IL0109]: expected a name after `contract`"),
        ("contract a", "1:11: error[IL0109]: expected `{`"),
        ("contract a { version 1", "1:12: error[IL0109]: this `{` is not closed"),
        ("contract a { version 1 } }", "1:24: error[IL0109]: the contract ends here, and more follows"),
        (
            "contract a { version 1; rules [{ id b; forbid c }] }",
            "1:25: error[IL0109]: `rules` is not written as a list",
        ),
        (
            "contract a { version 1; rule b { title https://c.d\n forbid e } }",
            "1:40: error[IL0109]: the value ends with `:`",
        ),
        (
            "contract a { version 1; rule b { forbid c//d\n } }",
            "1:42: error[IL0109]: a comment begins in the middle of a word",
        ),
        ("contract a { version 1; rule b { forbid c) } }", "1:42: error[IL0109]: this `)` closes nothing"),
        ("contract a { version 1; rule b { tags [c d }; forbid e }", "1:39: error[IL0109]: this `[` is not closed"),
        (
            "contract a { version 1; rule b { tags [,]; forbid e } }",
            "1:40: error[IL0109]: there is no item before this `,`",
        ),
        ("contract a { version 1; rule b { forbid c { } } }", "1:43: error[IL0109]: unexpected `{`"),
        ("contract a { version 1; rule b { title \"\\d\"; forbid e } }", "1:41: error[IL0301]: `\\d` is not an escape"),
        (
            "contract a { version 1; rule b { tags [{ x y }] c; forbid e } }",
            "1:49: error[IL0109]: expected the end of the statement",
        ),
        (
            "contract a { version 1; rule b { § c; forbid e } }",
            "1:34: error[IL0109]: expected the name of a field, found `§`",
        ),
    ] {
        let found = findings(text);
        assert!(found.iter().any(|found| found == finding), "{text}: {found:#?}");
    }
}

#[test]
fn an_expression_over_several_lines_needs_parentheses() {
    let before = "the statement before this ended with its line";
    let after = "the statement ends with its line, and not with an operator";
    for (text, at, message) in [
        ("require args.x == 1\n      and args.y == 2\n      or args.z\n    call t", "5:7", before),
        ("call t\n      | u // w\n    require args.x", "5:7", before),
        ("require [\n      args.x\n    ]\n    && args.y\n    call t", "7:5", before),
        ("call t\n    require args.x == 1 and // w\n      args.y == 2", "5:25", after),
        ("require args.x\n    call t |\n      u\n", "5:12", after),
        ("require args.x\n    call t |\n    severity hihg\n", "5:12", after),
    ] {
        let mut expected = vec![format!("{at}: error[IL0109]: {message}")];
        expected.extend(text.contains("hihg").then(|| "6:14: error[IL0204]: `hihg` is not a severity".to_owned()));
        assert_eq!(found(&format!("  rule a {{\n    {text}\n  }}\n  tool t {{}}\n  tool u {{}}")), expected, "{text}");
    }
    // These are names.
    let text = "  tool in {}\n  tool or {}\n  instances { max 5 }\n  rule a {\n    title Sign in\n    at_most_n_times { call in | or; n 1 }\n    per {\n      or: args.x\n      in: args.y\n    }\n  }";
    assert_eq!(found(text), [""; 0]);
}

#[test]
fn comments_of_other_languages_are_pointed_out() {
    let text = "  # { \"\n  tool t {} # é }\n  /* a {\n     b // c\r\n */ tool u { effect raed }\n  /** d */\n  rule a { forbid t where args.x == \"# /* */\" }";
    let comment = |at: &str, mark: &str| format!("{at}: error[IL0109]: a comment begins with `//`, not with `{mark}`");
    let raed = "7:21: error[IL0204]: `raed` is not an effect".to_owned();
    let expected = [comment("3:3", "#"), comment("4:13", "#"), comment("5:3", "/*"), raed, comment("8:3", "/*")];
    assert_eq!(found(text), expected);
    // Without an end it is a glob.
    assert_eq!(found("  tool /*_a {}\n  tool b/* {}\n  rule a { forbid /*_a | b/* }"), [""; 0]);
}

#[test]
fn every_key_is_written_with_quotes_and_without() {
    for all in ["*", "\"*\""] {
        let text =
            "  tool t {}\n  tool u {}\n  instances { max 5 }\n  rule a {\n    must_precede { first t; then u }\n";
        let text = part(&format!("{text}    per {{ t: {all}; u: args.id }}\n  }}"));
        assert_eq!(findings(&text), [""; 0], "{all}");
        for to in [Form::Yaml, Form::Text] {
            let again = format("x", text.as_bytes(), Form::Text, to).unwrap();
            let checked = crate::check_as(to, "x", again.as_bytes(), &Options::default());
            assert!(checked.contract.is_some(), "{again}");
        }
    }
}

#[test]
fn the_text_form_is_known_in_a_file_of_yaml() {
    for text in ["contract a {\n  version 1\n}\n", "// a\n\ncontract \"b\" {", "contract a { b: [\n"] {
        let mut diagnostics = Diagnostics::new();
        assert_eq!(Form::Yaml.parse(&SourceFile::new("x.yaml", text), &mut diagnostics), None);
        let found: Vec<_> = diagnostics.iter().map(|found| found.message.as_str()).collect();
        assert_eq!(found, ["this is the text form, in a file that is read as YAML"], "{text}");
    }
    for text in ["contract: a {", "contract a: {}", "# contract a {", "name: contract", "contract"] {
        assert_eq!(super::header(text), None, "{text}");
    }
}

#[test]
fn limits_are_those_of_yaml() {
    let deep = |levels: usize| part(&format!("  state s {{ initial {}1{} }}", "[".repeat(levels), "]".repeat(levels)));
    let codes = |text: &str| {
        let mut diagnostics = Diagnostics::new();
        parse(&SourceFile::new("x", text), &mut diagnostics);
        diagnostics.iter().map(|found| found.code).collect::<Vec<_>>()
    };
    assert_eq!(codes(&deep(MAX_DEPTH - 1)), []);
    assert_eq!(codes(&deep(MAX_DEPTH)), [Code::TooDeep]);
    assert_eq!(codes(&deep(MAX_BYTES / 4)), [Code::TooDeep]);
    assert_eq!(codes(&" ".repeat(MAX_BYTES + 1)), [Code::TooLarge]);
    let many = part(&format!("  state s {{ initial [{}] }}", "1,".repeat(MAX_NODES)));
    assert_eq!(codes(&many), [Code::TooLarge]);
}

#[test]
fn hostile_files_are_refused_soon() {
    for unit in [
        "a(",
        "[",
        "{",
        "r",
        "r\"",
        "\"",
        "\"\\",
        "//",
        "// \n",
        "a:b ",
        "a[",
        ";",
        ",",
        "rule x {",
        "rule x {\n",
        "}",
        ")",
        "§",
        "a {}",
        "a [",
        "a [{",
        "a [1,",
        "commit{",
        "a;",
        "a [{}];",
        "a x;",
        "a \"x\";",
        "a(b)",
        "a(b):",
        "\n",
        "pattern a = ",
        "a b ",
        "/",
        "'",
        "\\",
        "a \"",
        "a \"\"\"",
        "(\n",
        "tool a ",
        "/* ",
        "/* */",
        "# ",
        "\nand",
        "\n| ",
        "a b and\n",
        " and\n",
    ] {
        for open in ["contract a {\n", "contract a {\n  rule b {\n"] {
            let text = format!("{open}{}", unit.repeat(10_000 / unit.len()));
            let start = std::time::Instant::now();
            parse(&SourceFile::new("x", text), &mut Diagnostics::new());
            assert!(start.elapsed().as_secs() < 20, "{unit:?}");
        }
    }
}

#[test]
fn damaged_files_give_findings_inside_the_file() {
    let mut random = Random::new(11);
    let junk = [
        "{", "}", "[", "]", "(", ")", "\"", "\\", "//", "#", ":", ";", ",", "\n", " ", "é", "\u{0}", "r\"", "rule x {",
        "- ", "*", "|",
    ];
    for (name, yaml) in format::corpus().into_iter().step_by(3) {
        let text = format(&name, yaml.as_bytes(), Form::Yaml, Form::Text).unwrap();
        for (form, whole) in [(Form::Yaml, yaml.as_bytes()), (Form::Text, text.as_bytes())] {
            for _ in 0..4 {
                let mut bytes = whole.to_vec();
                for _ in 0..=random.below(4) {
                    let at = random.below(bytes.len());
                    let end = (at + random.below(20)).min(bytes.len());
                    match random.below(4) {
                        0 => drop(bytes.drain(at..end)),
                        1 => bytes[at] = u8::try_from(random.below(256)).unwrap(),
                        2 => bytes.truncate(at.max(1)),
                        _ => drop(bytes.splice(at..at, random.pick(&junk).bytes())),
                    }
                    bytes.push(b'\n');
                }
                let checked = crate::check_as(form, "x", &bytes, &Options::default());
                for found in &checked.diagnostics {
                    let spans = found.related.iter().map(|label| label.span).chain([found.primary.span]);
                    for span in spans {
                        assert!(span.end as usize <= checked.source.text().len().max(bytes.len()), "{found:?}");
                        assert!(checked.source.text().get(span.range()).is_some() || checked.source.text().is_empty());
                    }
                }
                assert!(checked.contract.is_some() != checked.has_errors());
                assert!(
                    checked.diagnostics.is_empty()
                        == render::human(&checked.source, &checked.diagnostics, false).is_empty()
                );
                _ = format("x", &bytes, form, Form::Text);
            }
        }
    }
}
