use super::*;

const CONTRACT: &str = "version: 1
name: payments
default: { irreversible: block }
tools:
  pay: { effect: irreversible }
  check: { effect: read, succeeds_when: result.ok }
state:
  payee: { type: string }
commit:
  - { after: ok(check), bind: { payee: args.payee } }
rules:
  - id: once
    at_most_n_times: { call: pay, n: 2 }
    per: [lower(args.invoice), args.currency]
    instances: { max: 100 }
  - id: first
    must_precede: { first: ok(check), then: call(pay), consume: true }
  - id: payee
    call: pay
    require: args.payee == state.payee
    unless: args.test
  - id: order
    formula: always(p implies once c)
    let: { p: call(pay), c: ok(check) }
";

/// The changes by some operator: `old => new`.
fn changes(operator: Operator) -> Vec<String> {
    let all = mutants(Form::Yaml, "a", CONTRACT.as_bytes(), &[], &[operator]).mutants;
    let trimmed = |lines: &[String]| lines.iter().map(|line| line.trim().to_owned()).collect::<Vec<_>>().join(" / ");
    all.iter().map(|mutant| format!("{} => {}", trimmed(&mutant.change.old), trimmed(&mutant.change.new))).collect()
}

#[test]
fn every_operator_changes_what_it_says() {
    let once = "at_most_n_times: { call: pay, n: 2 }";
    for (operator, expected) in [
        (Operator::Bound, vec![format!("{once} => at_most_n_times: {{ call: pay, n: 3 }}"), format!("{once} => at_most_n_times: {{ call: pay, n: 1 }}")]),
        (Operator::Bind, vec!["bind: { payee: args.payee } => set: { payee: args.payee }".to_owned()]),
        (Operator::Comparison, vec!["require: args.payee == state.payee => require: args.payee != state.payee".to_owned()]),
        (Operator::Normaliser, vec!["per: [lower(args.invoice), args.currency] => per: [args.invoice, args.currency]".to_owned()]),
        (Operator::Field, vec!["must_precede: { first: ok(check), then: call(pay), consume: true } => must_precede: { first: ok(check), then: call(pay) }".to_owned()]),
    ] {
        assert_eq!(changes(operator), expected, "{}", operator.as_str());
    }
    for operator in Operator::ALL {
        let found = changes(*operator);
        let none = matches!(operator, Operator::Alternative | Operator::Constant);
        assert_eq!(found.is_empty(), none, "{}: {found:?}", operator.as_str());
    }
}

#[test]
fn a_change_keeps_the_rest() {
    let all = mutants(Form::Yaml, "a", CONTRACT.as_bytes(), &[], Operator::ALL);
    assert!(!all.cut && all.mutants.len() >= 40, "{}", all.mutants.len());
    for mutant in all.mutants {
        assert!(mutant.change.old.len() <= 6 && mutant.change.new.len() <= 6, "{:?}", mutant.change);
    }
}
