use super::*;
use crate::diagnostic::{Code, json};

fn sample() -> (SourceFile, Vec<Diagnostic>) {
    let file = SourceFile::new("dir/contract.yaml", "version: 1\nname: a\ntitel: \u{1b}[31mé\n");
    let first = Diagnostic::new(Code::UnknownField, Span::new(19, 24), "`titel` is no field")
        .label("here")
        .related(Span::new(0, 7), "and there")
        .help("read the page")
        .suggest("did you mean `title`?", Span::new(19, 24), "title");
    let second = Diagnostic {
        rule: Some("r".to_owned()),
        ..Diagnostic::new(Code::UndeclaredTool, Span::new(26, 30), "a\u{1b}b")
    };
    (file, vec![first, second])
}

#[test]
fn people_see_the_line_and_what_to_write() {
    let (file, diagnostics) = sample();
    let shown = human(&file, &diagnostics, false);
    let expected = "\
error[IL0201]: `titel` is no field
 --> dir/contract.yaml:3:1
  |
1 | version: 1
  | ------- and there
2 | name: a
3 | titel: ?[31mé
  | ^^^^^ here
  |
  = help: read the page
help: did you mean `title`?
  |
3 - titel: ?[31mé
3 + title: ?[31mé
  |

warning[IL0402]: a\\u{1b}b
 --> dir/contract.yaml:3:8
  |
3 | titel: ?[31mé
  |        ^^^^

";
    assert_eq!(shown, expected);
    assert!(human(&file, &diagnostics, true).contains("\u{1b}["));
}

#[test]
fn programs_get_one_line_each() {
    let (file, diagnostics) = sample();
    assert_eq!(
        short(&file, &diagnostics),
        "dir/contract.yaml:3:1: error[IL0201]: `titel` is no field\ndir/contract.yaml:3:8: warning[IL0402]: a\\u{1b}b\n"
    );
    assert_eq!(
        json::line(&file, &diagnostics[0]),
        serde_json::json!({
            "file": "dir/contract.yaml", "line": 3, "column": 1, "end_line": 3, "end_column": 6, "code": "IL0201",
            "level": "error", "message": "`titel` is no field", "help": "read the page; did you mean `title`?",
        })
    );
    assert_eq!(json::line(&file, &diagnostics[1])["rule"], "r");
}

#[test]
fn control_characters_are_shown() {
    assert_eq!(escape("a\u{202e}b\u{7f}\n"), "a\\u{202e}b\\u{7f}\\n");
    let file = SourceFile::new("a\u{1b}b", "x\r\ny\u{85}\u{202e}z\n");
    let diagnostic = Diagnostic::new(Code::BadValue, Span::new(3, 9), "m");
    let shown = human(&file, &[diagnostic], false);
    assert!(shown.chars().all(|c| c == '\n' || !is_hidden(c)), "{shown:?}");
}

#[test]
fn places_outside_the_file_are_harmless() {
    let file = SourceFile::new("x", "é");
    for span in [Span::new(0, 0), Span::new(1, 1), Span::new(5, 9), Span::new(0, 1)] {
        assert!(!human(&file, &[Diagnostic::new(Code::BadValue, span, "m")], false).is_empty());
    }
}

#[test]
fn places_far_apart_and_long_lines_are_named_and_not_shown() {
    let file = SourceFile::new("x", format!("a: 1\n{}a: 2\n", "# filler\n".repeat(2_000)));
    let again = u32::try_from(file.text().len() - 5).expect("small");
    let diagnostic = Diagnostic::new(Code::DuplicateKey, Span { start: again, end: again + 1 }, "twice")
        .related(Span::new(0, 1), "first here");
    let shown = human(&file, &[diagnostic], false);
    assert!(shown.contains("note: first here (line 1, column 1)"), "{shown}");
    assert!(shown.contains("--> x:2002:1"), "{shown}");
    let file = SourceFile::new("x", "a".repeat(10_000));
    let shown = human(&file, &[Diagnostic::new(Code::BadValue, Span::new(9_000, 9_001), "m")], false);
    assert!(shown.contains("--> x:1:9001") && shown.len() < 200, "{shown}");
}
