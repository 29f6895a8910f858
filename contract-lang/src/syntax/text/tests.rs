#![expect(clippy::arithmetic_side_effects, reason = "test code")]

use crate::diagnostic::{Level, render};
use crate::{Options, check};

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
