use super::*;
use crate::{Form, Options, check_as};

const TEXT: &str = r#"contract payments {
  version 1
  default { read allow, write ask }
  tool send_payment { effect irreversible } // which cannot be undone
  tool "report_*" { effect [{ when args.x == "get"; is read }, { is write }] }
  state verified { type set<string>; max 1000; initial [] }
  commit { after ok(verify where result.ok); insert { verified result.payee } }
  rule pay-verified-payees {
    title "Payees are verified"
    call send_payment
    require args.payee in state.verified and not args.a[0].b > -1
    where args.amount < 10 * 2
    /// a comment that Rust makes an attribute of
    per { send_payment: args.payee; server::x: args.y }
    instances { max 5000; close_on call(send_payment) }
    severity high
    tags [a, b-c]
  }
  rule second { forbid * where any(c in list(args.x) => c like "rm*"); message r"no\d" }
  pattern p = a | b-c
  rule third { rate_limit { call report_x; n 3; window 24h } }
}"#;

fn meaning(text: &str) -> String {
    crate::format("x", text.as_bytes(), Form::Text, Form::Yaml).unwrap_or_else(|refused| {
        panic!("{text}\n{}", crate::diagnostic::render::human(&refused.source, &refused.diagnostics, false))
    })
}

/// Without comments and empty lines, which tokens do not have.
fn bare(text: &str) -> String {
    let lines = text.lines().map(|line| line.split("//").next().unwrap().trim_end());
    lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}

#[test]
fn tokens_with_places_give_the_text_back() {
    let source = Source::new(TEXT.parse().unwrap());
    assert_eq!(bare(&source.text), bare(TEXT));
    let checked = check_as(Form::Text, "x", source.text.as_bytes(), &Options::default());
    let place = source.text.find("rate_limit").unwrap();
    assert_eq!(source.span(place).start().line, TEXT.split("rate_limit").next().unwrap().lines().count());
    assert!(!checked.diagnostics.is_empty());
}

#[test]
fn tokens_without_places_give_the_same_contract() {
    let mut pieces = Vec::new();
    flatten(TEXT.parse().unwrap(), &mut pieces);
    let source = Source::joined(&pieces);
    // The condition of a rule is one of its fields either way.
    let text = bare(TEXT).replace(" where any(", "; where any(");
    assert_eq!(meaning(&source.text), meaning(&text));
}

#[test]
fn errors_are_compile_errors() {
    let tokens = "contract a { version 1; rule b { frobid x } }".parse().unwrap();
    let code = compile(tokens, Path::new(""), codegen::Options::default()).to_string();
    assert!(code.contains("compile_error") && code.contains("did you mean `forbid`?"), "{code}");
}
