//! What operators need of their operands. An operation that can never be established is a mistake of the contract.

use regex::RegexBuilder;

use super::expr::Typed;
use super::types::Static;
use crate::diagnostic::Code;
use crate::mir::{Arithmetic, Comparison, Expr, Literal};
use crate::syntax::expr::Operator;

/// The most memory that a compiled regular expression may take.
const REGEX_BYTES: usize = 1 << 20;

/// The operand that is wrong.
pub(super) enum Side {
    Left,
    Right,
    Both,
}

/// Why an operator does not apply.
pub(super) struct Refused {
    pub(super) side: Side,
    pub(super) code: Code,
    pub(super) message: String,
    pub(super) help: Option<String>,
}

impl Refused {
    fn types(side: Side, message: impl Into<String>) -> Self {
        Self { side, code: Code::TypeMismatch, message: message.into(), help: None }
    }

    fn code(self, code: Code) -> Self {
        Self { code, ..self }
    }

    fn help(self, help: impl Into<String>) -> Self {
        Self { help: Some(help.into()), ..self }
    }
}

/// Applies an operator to checked operands.
pub(super) fn apply(operator: Operator, left: Typed, right: Typed) -> Result<Typed, Refused> {
    match operator {
        Operator::Equal => equality(Comparison::Equal, left, right),
        Operator::NotEqual => equality(Comparison::NotEqual, left, right),
        Operator::Less => order(Comparison::Less, left, right),
        Operator::LessOrEqual => order(Comparison::LessOrEqual, left, right),
        Operator::Greater => order(Comparison::Greater, left, right),
        Operator::GreaterOrEqual => order(Comparison::GreaterOrEqual, left, right),
        Operator::In => membership(left, right),
        Operator::Like => like(left, right),
        Operator::Matches => matches(left, right),
        Operator::Add => arithmetic(Arithmetic::Add, left, right),
        Operator::Subtract => arithmetic(Arithmetic::Subtract, left, right),
        Operator::Multiply => arithmetic(Arithmetic::Multiply, left, right),
    }
}

fn predicate(expr: Expr) -> Typed {
    Typed::new(expr, Static::Bool)
}

fn equality(comparison: Comparison, left: Typed, right: Typed) -> Result<Typed, Refused> {
    if !left.ty.comparable(&right.ty) {
        return Err(never_equal(&left, &right));
    }
    Ok(predicate(Expr::Compare(comparison, Box::new(left.expr), Box::new(right.expr))))
}

fn order(comparison: Comparison, left: Typed, right: Typed) -> Result<Typed, Refused> {
    for (side, operand) in [(Side::Left, &left), (Side::Right, &right)] {
        if !operand.ty.is_ordered() {
            return Err(Refused::types(side, format!("{} has no order", operand.ty.described()))
                .help("numbers, strings, times and durations are ordered"));
        }
    }
    if !left.ty.may_be(&right.ty) {
        return Err(never_equal(&left, &right));
    }
    Ok(predicate(Expr::Compare(comparison, Box::new(left.expr), Box::new(right.expr))))
}

/// A comparison of two kinds, which is never established.
fn never_equal(left: &Typed, right: &Typed) -> Refused {
    let message = format!("{} is never comparable with {}", left.ty.described(), right.ty.described());
    let refused = Refused::types(Side::Both, message);
    match (&left.ty, &right.ty) {
        (Static::Text, Static::Time) | (Static::Time, Static::Text) => {
            refused.help("write the time as `time(\"2026-01-31T12:00:00Z\")`")
        }
        (Static::Number, Static::Duration) | (Static::Duration, Static::Number) => {
            refused.help("write durations with their unit: `10m`, `24h`")
        }
        (Static::Text, Static::Number) => text_or_number(refused, left),
        (Static::Number, Static::Text) => text_or_number(refused, right),
        (Static::List(_), _) | (_, Static::List(_)) => refused.help("membership is written `x in list`"),
        _ => refused.help("compare values of one kind"),
    }
}

fn text_or_number(refused: Refused, text: &Typed) -> Refused {
    match text.literal() {
        Some(Literal::Text(text)) if contract_runtime::Decimal::parse(text).is_some() => {
            refused.help(format!("`\"{text}\"` is a string; the number is written `{text}`"))
        }
        _ => refused.help("compare values of one kind: a number is written without quotes, a string in them"),
    }
}

fn membership(left: Typed, right: Typed) -> Result<Typed, Refused> {
    match &right.ty {
        Static::Any => {}
        Static::List(member) => {
            if !left.ty.comparable(member) {
                let message =
                    format!("{} is never in a list of which each is {}", left.ty.described(), member.described());
                return Err(Refused::types(Side::Both, message).help("write a list of values of the same kind"));
            }
        }
        Static::Map(_) => {
            if !left.ty.may_be_scalar() {
                let message = format!("{} is never a key", left.ty.described());
                return Err(
                    Refused::types(Side::Left, message).help("keys are strings, numbers, times and truth values")
                );
            }
        }
        other => {
            let refused = Refused::types(Side::Right, format!("`in` needs a list, this is {}", other.described()));
            return Err(match other {
                Static::Text => refused.help("a part of a string is found with `contains(text, part)`"),
                _ => refused.help("equality is written `a == b`; a list is written `[a, b]`"),
            });
        }
    }
    Ok(predicate(Expr::In(Box::new(left.expr), Box::new(right.expr))))
}

/// The literal string on the right of `like` and `matches`, where the left is a string.
fn string_pattern(operator: &str, left: &Typed, right: &Typed) -> Result<String, Refused> {
    if !matches!(left.ty, Static::Any | Static::Text) {
        let message = format!("`{operator}` needs a string, this is {}", left.ty.described());
        return Err(Refused::types(Side::Left, message).help("numbers are compared with `==` and `<`"));
    }
    match right.literal() {
        Some(Literal::Text(text)) => Ok(text.clone()),
        _ => Err(Refused::types(Side::Right, format!("the right side of `{operator}` is a string literal"))
            .code(Code::WrongArguments)
            .help("it is checked and compiled with the contract; values are compared with `==`, `starts_with` or `contains`")),
    }
}

fn like(left: Typed, right: Typed) -> Result<Typed, Refused> {
    let glob = string_pattern("like", &left, &right)?;
    Ok(predicate(Expr::Like(Box::new(left.expr), glob)))
}

fn matches(left: Typed, right: Typed) -> Result<Typed, Refused> {
    let pattern = string_pattern("matches", &left, &right)?;
    if let Err(error) = RegexBuilder::new(&pattern).size_limit(REGEX_BYTES).dfa_size_limit(REGEX_BYTES).build() {
        return Err(bad_regex(&error));
    }
    Ok(predicate(Expr::Matches(Box::new(left.expr), pattern)))
}

fn bad_regex(error: &regex::Error) -> Refused {
    let refused = |message| Refused::types(Side::Right, message).code(Code::BadRegex);
    match error {
        regex::Error::CompiledTooBig(limit) => refused(format!("the regular expression takes more than {limit} bytes"))
            .help("make repetitions smaller, or switch Unicode classes off: `(?-u)`"),
        other => {
            // The message of a syntax error draws the pattern over several lines; what is wrong stands in the last.
            let text = other.to_string();
            let reason = text.lines().last().unwrap_or_default().trim().trim_start_matches("error: ").to_owned();
            let look_around = reason.contains("look-around") || reason.contains("backreferences");
            let refused = refused(format!("bad regular expression: {reason}"));
            if look_around {
                refused
                    .help("regular expressions here run in linear time, which excludes look-around and backreferences")
            } else {
                refused.help("write it as `r\"…\"`, and a character that has a meaning after a backslash: `\\.`")
            }
        }
    }
}

fn arithmetic(operator: Arithmetic, left: Typed, right: Typed) -> Result<Typed, Refused> {
    use Arithmetic::{Add, Multiply, Subtract};
    use Static::{Any, Duration, Number, Time};
    let ty = match (operator, &left.ty, &right.ty) {
        (Add | Subtract | Multiply, Number, Number) => Number,
        (Add | Subtract, Number, Any) | (Add | Subtract, Any, Number) => Number,
        (Add, Time, Duration | Any) | (Add, Duration | Any, Time) | (Subtract, Time, Duration) => Time,
        (Add | Subtract, Duration, Duration) | (Subtract, Any | Time, Time) => Duration,
        (Subtract, Duration, Any) | (Multiply, Number, Duration) | (Multiply, Duration, Number) => Duration,
        (Multiply, Any, Duration) | (Multiply, Duration, Any) => Duration,
        (_, Any, Any) | (_, Any, Number | Duration) | (_, Number | Duration, Any) | (Subtract, Time, Any) => Any,
        (_, at_left, at_right) => {
            let verb = match operator {
                Add => "added to",
                Subtract => "taken from",
                Multiply => "multiplied by",
            };
            let (first, second) = if operator == Add || operator == Subtract {
                (at_right.described(), at_left.described())
            } else {
                (at_left.described(), at_right.described())
            };
            let refused = Refused::types(Side::Both, format!("{first} cannot be {verb} {second}"));
            return Err(match (at_left, at_right) {
                (Static::Text, _) | (_, Static::Text) => refused.help("strings cannot be joined or computed with"),
                (Duration, Number) | (Number, Duration) | (Time, Number) => {
                    refused.help("write durations with their unit: `10m`, `24h`")
                }
                _ => refused.help("numbers, durations, and times with durations are computed with"),
            });
        }
    };
    Ok(Typed::new(Expr::Arithmetic(operator, Box::new(left.expr), Box::new(right.expr)), ty))
}

#[cfg(test)]
mod tests {
    use super::super::scope::fixture::{assert_fine, assert_mistakes};
    use crate::diagnostic::Code::{BadRegex, TypeMismatch, WrongArguments};

    #[test]
    fn comparisons_that_can_be_established_are_accepted() {
        assert_fine(&[
            "args.a == args.b",
            "state.n == 3 and state.n != null and null == args.x",
            "state.account < \"b\" and state.n <= args.x",
            "now - state.since < 10m and state.since + 1h > now",
            "2 * 10m == 20m and args.n * 10m > 1h",
            "args.a + args.b == 3 and args.t - args.u < 5m",
            "args.p in state.verified and args.k in state.orders and 1 in [1, \"a\"] and args.x in []",
            "args.x like \"*.txt\" and state.account matches r\"^\\d+$\"",
            "state.open == (args.x > 3)",
        ]);
    }

    #[test]
    fn comparisons_that_never_can_are_mistakes() {
        assert_mistakes(&[
            ("state.n == \"x\"", TypeMismatch, "state.n == \"x\"", "a number is never comparable with a string"),
            ("state.n < \"5\"", TypeMismatch, "state.n < \"5\"", "a number is never comparable with a string"),
            (
                "state.since < \"2026-01-01\"",
                TypeMismatch,
                "state.since < \"2026-01-01\"",
                "a time is never comparable with a string",
            ),
            (
                "now - state.since > 60",
                TypeMismatch,
                "now - state.since > 60",
                "a duration is never comparable with a number",
            ),
            ("state.open < true", TypeMismatch, "state.open", "true or false has no order"),
            ("args.x < null", TypeMismatch, "null", "`null` has no order"),
            (
                "state.verified == \"a\"",
                TypeMismatch,
                "state.verified == \"a\"",
                "a list is never comparable with a string",
            ),
            (
                "1 in state.verified",
                TypeMismatch,
                "1 in state.verified",
                "a number is never in a list of which each is a string",
            ),
            ("\"a\" in state.account", TypeMismatch, "state.account", "`in` needs a list, this is a string"),
            ("[1] in state.orders", TypeMismatch, "[1]", "a list is never a key"),
            ("state.n like \"a\"", TypeMismatch, "state.n", "`like` needs a string, this is a number"),
            ("\"a\" + args.x == \"ab\"", TypeMismatch, "\"a\" + args.x", "any value cannot be added to a string"),
            ("now + 5 > now", TypeMismatch, "now + 5", "a number cannot be added to a time"),
            ("now - \"a\" > now", TypeMismatch, "now - \"a\"", "a string cannot be taken from a time"),
        ]);
    }

    #[test]
    fn regular_expressions_are_literal_and_linear() {
        let too_big = "the regular expression takes more than 1048576 bytes";
        assert_mistakes(&[
            ("args.x matches args.y", WrongArguments, "args.y", "the right side of `matches` is a string literal"),
            ("args.x like args.y", WrongArguments, "args.y", "the right side of `like` is a string literal"),
            ("args.x matches r\"(a\"", BadRegex, "r\"(a\"", "bad regular expression: unclosed group"),
            ("args.x matches r\"a{1000}{1000}\"", BadRegex, "r\"a{1000}{1000}\"", too_big),
            (
                "args.x matches r\"(a)\\1\"",
                BadRegex,
                "r\"(a)\\1\"",
                "bad regular expression: backreferences are not supported",
            ),
        ]);
    }
}
