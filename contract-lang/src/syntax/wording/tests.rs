use super::super::flaw::{Advice, Flaw};
use super::super::parse::{expression, formula, pattern};

/// What the mistake covers, what is said, and the text with the suggestion applied (or the first advice).
fn shown(text: &str, flaw: Flaw) -> (String, String, String) {
    let advice = match flaw.help.into_iter().next() {
        Some(Advice { replacement: Some((range, replacement)), .. }) => {
            let mut text = text.to_owned();
            text.replace_range(range, &replacement);
            text
        }
        Some(advice) => advice.text,
        None => String::new(),
    };
    (text.get(flaw.range).unwrap().to_owned(), flaw.message, advice)
}

#[test]
fn mistakes_in_expressions_are_named_where_they_are() {
    for (text, at, message, advice) in [
        ("", "", "expected a value, but the text is empty", ""),
        ("args.x == ", "", "expected a value, but the text ends here", ""),
        ("args.x = 3", "=", "`=` is not an operator", "args.x == 3"),
        ("args.x === 3", "===", "`===` is not an operator", "args.x == 3"),
        ("args.x !== 3", "!==", "`!==` is not an operator", "args.x != 3"),
        ("args.x <> 3", "<>", "`<>` is not an operator", "args.x != 3"),
        ("args.x is 3", "is", "`is` is not an operator", "args.x == 3"),
        ("args.x is not null", "is not", "`is not` is not an operator", "args.x != null"),
        ("args.x == 'a'", "'", "strings are written in double quotes", "args.x == \"a\""),
        ("args.x == \"a", "\"a", "the closing quote is missing", "a string ends with `\"` on the line where it starts"),
        ("lower(r\"a)", "r\"a)", "the closing quote is missing", "a string ends with `\"` on the line where it starts"),
        ("args.x AND args.y", "AND", "`AND` is written in lower case", "args.x and args.y"),
        ("args.x adn args.y", "adn", "expected an operator or the end, found `adn`", "args.x and args.y"),
        ("args.x and or args.y", "or", "expected a value, found `or`", "`or` needs a value on its left"),
        ("!= null", "!=", "expected a value, found `!=`", "`!=` needs a value on its left"),
        (
            "args.x not in [1]",
            "not",
            "expected an operator or the end, found `not`",
            "`not` stands before a whole condition: `not (a in b)`",
        ),
        (
            "args.x contains \"a\"",
            "contains",
            "expected an operator or the end, found `contains`",
            "`contains` is a function: write `contains(a, b)`",
        ),
        (
            "args.x.startsWith(\"a\")",
            "startsWith",
            "values have no methods",
            "functions stand before their arguments: `starts_with(args.x, …)`",
        ),
        ("(args.x == 3", "(", "`(` is never closed", "(args.x == 3)"),
        ("args.x in [1, 2", "[", "`[` is never closed", "args.x in [1, 2]"),
        ("args.x == 3)", ")", "`)` closes nothing", ""),
        ("(args.x == 3]", "]", "expected `)`, found `]`", ""),
        (
            "any(x in args.l, x)",
            ",",
            "expected `=>`, found `,`",
            "write `any(x in list => condition)`; the condition stands after `=>`",
        ),
        ("any(x args.l => x)", "args", "expected `in`, found `args`", "write `any(x in list => condition)`"),
        (
            "any(3 in args.l => x)",
            "3",
            "expected a name for the elements, found `3`",
            "write `any(x in list => condition)`",
        ),
        ("args.x => args.y", "=>", "`=>` is not an operator", "args.x implies args.y"),
        (
            "1 < args.x < 3",
            "<",
            "comparisons cannot be chained",
            "write both: `… < args.x and args.x < …`, or use brackets",
        ),
        (
            "args.x == not args.y",
            "not",
            "`not` stands in the middle of a comparison",
            "put it in brackets: `a == (not b)`, or write `a != b`",
        ),
        (
            "-args.x < 0",
            "-",
            "expected a value, found `-`",
            "`-` stands before a number or between two values: `0 - args.n`",
        ),
        (
            "args.x < 007",
            "007",
            "`007` is not a number",
            "write it without leading zeros, or in quotes if it is a string",
        ),
        ("args.x < 1_000", "1_000", "`1_000` is not a number", "write the digits without `_`"),
        (
            "args.x < 1e3",
            "1e3",
            "`1e3` is not a number",
            "numbers are written out in decimal; a duration is `500ms`, `30s`, `10m`, `24h` or `7d`",
        ),
        ("args.x[-1] == 1", "-1", "`-1` is not a position in a list", "positions count from 0; the whole list is `[]`"),
        (
            "args.0 == 1",
            ".",
            "expected an operator or the end, found `.`",
            "a field name after `.` starts with a letter or `_`; others are written `[\"…\"]`, positions `[0]`",
        ),
        ("args.x == {}", "{", "`{` has no meaning here", "there are no object values; compare the fields one by one"),
        (
            "args.x / 2 == 1",
            "/",
            "expected an operator or the end, found `/`",
            "the arithmetic operators are `+`, `-` and `*`",
        ),
        (
            "args.x == \"\\d\"",
            "\\d",
            "`\\d` is not an escape",
            "write `\\\\` for a backslash, or the whole string as `r\"…\"`, where a backslash is a character like any other",
        ),
    ] {
        let found = shown(text, expression(text).expect_err(text));
        assert_eq!((found.0.as_str(), found.1.as_str(), found.2.as_str()), (at, message, advice), "{text}");
    }
}

#[test]
fn mistakes_in_patterns_are_named_where_they_are() {
    for (text, at, message, advice) in [
        ("", "", "expected a tool name, but the text is empty", ""),
        ("a |", "", "expected a tool name, but the text ends here", ""),
        ("ok()", ")", "expected a tool name, found `)`", ""),
        ("okk(a)", "okk", "`okk` is not a phase", "ok(a)"),
        ("Call(a)", "Call", "`Call` is not a phase", "call(a)"),
        ("\"a\"", "\"", "expected a tool name, found `\"`", "tool names are written without quotes"),
        ("a, b", ",", "expected `where`, `|` or the end of the pattern, found `,`", "a| b"),
        ("a || b", "||", "expected `where`, `|` or the end of the pattern, found `||`", "a | b"),
        ("a or b", "or", "expected `where`, `|` or the end of the pattern, found `or`", "a | b"),
        ("a when x", "when", "expected `where`, `|` or the end of the pattern, found `when`", "a where x"),
        (
            "ok(a) where x",
            "where",
            "expected `|` or the end of the pattern, found `where`",
            "the condition stands inside the brackets: `ok(tool where condition)`",
        ),
        (
            "ok(a | b)",
            "|",
            "expected `where` or `)`, found `|`",
            "a phase takes one name: write `ok(a) | ok(b)`, or name the group in `patterns`",
        ),
        (
            "a close b",
            "close",
            "expected `where`, `|` or the end of the pattern, found `close`",
            "another pattern stands after `,` in a list, and after `|` where either will do; in the text form another field \
             stands after `;` or on a line of its own",
        ),
        ("ok(call(a))", "(", "expected `where` or `)`, found `(`", "phases do not nest"),
        ("(a | b)", "(", "expected a tool name, found `(`", "a group of alternatives gets a name in `patterns`"),
        ("ok(a", "", "the closing `)` is missing", "ok(a)"),
        (
            "where x",
            "where",
            "expected a tool name, found `where`",
            "a tool name stands before `where`; `any` stands for every tool",
        ),
        ("a where x = 1", "=", "`=` is not an operator", "a where x == 1"),
    ] {
        let found = shown(text, pattern(text).expect_err(text));
        assert_eq!((found.0.as_str(), found.1.as_str(), found.2.as_str()), (at, message, advice), "{text}");
    }
}

#[test]
fn mistakes_in_formulas_are_named_where_they_are() {
    for (text, at, message, advice) in [
        ("", "", "expected a formula, but the text is empty", ""),
        ("always(p", "(", "`(` is never closed", "always(p)"),
        ("always p)", ")", "`)` closes nothing", ""),
        ("p until", "", "expected a name or an operator, but the text ends here", ""),
        ("p -> q", "->", "`->` is not an operator", "p implies q"),
        ("p => q", "=>", "`=>` is not an operator", "p implies q"),
        ("p U q", "U", "`U` is not an operator", "p until q"),
        ("p | q", "|", "`|` is not an operator", "p or q"),
        ("G(p)", "G", "`G` is not an operator", "always(p)"),
        ("p and X q", "X", "`X` is not an operator", "p and next q"),
        ("alwys (p)", "alwys", "`alwys` is not an operator", "always (p)"),
        ("[] p", "[]", "`[]` is not an operator", "always p"),
        ("<> p", "<>", "`<>` is not an operator", "eventually p"),
        ("p untill q", "untill", "expected an operator or the end, found `untill`", "p until q"),
        ("p xor q", "xor", "`xor` is not an operator", "write `(p and not q) or (q and not p)`"),
        ("p XOR q", "XOR", "`XOR` is not an operator", "write `(p and not q) or (q and not p)`"),
        ("p <-> q", "<->", "`<->` is not an operator", "write `(p implies q) and (q implies p)`"),
        ("p nor q", "nor", "`nor` is not an operator", "write `not (p or q)`"),
        ("[p, q]", "[", "expected a name or an operator, found `[`", "several formulas are one, joined with `and`"),
        ("p AND q", "AND", "expected an operator or the end, found `AND`", "p and q"),
        (
            "always(ok(deploy))",
            "(",
            "expected an operator or the end, found `(`",
            "a formula is about names: write `ok: …(…)` in `let`, and `ok` here",
        ),
        (
            "p where args.x",
            "where",
            "expected an operator or the end, found `where`",
            "conditions stand in the patterns of `let`",
        ),
        (
            "p and args.x == 1",
            ".",
            "expected an operator or the end, found `.`",
            "a formula is about events: compare values after `where` in the patterns of `let`",
        ),
        ("until p", "until", "expected a name or an operator, found `until`", "`until` needs a formula on its left"),
        (
            "\"p\"",
            "\"",
            "expected a name or an operator, found `\"`",
            "a formula is about the names in `let`, which are written without quotes",
        ),
        (
            "p q",
            "q",
            "expected an operator or the end, found `q`",
            "formulas are joined with `and`, `or`, `implies`, `until`, `since`, …",
        ),
    ] {
        let found = shown(text, formula(text).unwrap_err());
        assert_eq!(found, (at.to_owned(), message.to_owned(), advice.to_owned()), "{text}");
    }
}
