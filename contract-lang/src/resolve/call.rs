//! Calls of functions: arity, kinds of arguments, and constant arguments that can be judged at once.

use contract_runtime::Truth;
use contract_runtime::value::{self, Fuel, Time, Val, Zone};

use super::expr::{Checker, Typed};
use super::functions::{self, Accepts, Meaning, Signature};
use super::types::Static;
use crate::diagnostic::{Code, Diagnostic};
use crate::mir::{self, Function, Literal};
use crate::syntax::expr::{Expr, Kind, Word};

impl Checker<'_> {
    /// Checks a call.
    pub(super) fn call(&mut self, name: &Word, arguments: &[Expr]) -> Option<Typed> {
        let Some(signature) = Signature::find(&name.text) else {
            let _ = self.all(arguments);
            return self.unknown_function(name);
        };
        if signature.meaning == Meaning::Has {
            return self.has(name, arguments);
        }
        let checked = self.all(arguments);
        self.arity(signature, name, arguments.len())?;
        let checked = checked?;
        self.kinds(signature, arguments, &checked)?;
        match signature.meaning {
            Meaning::Is(ty) => {
                let operand = checked.into_iter().next()?;
                Some(Typed::new(mir::Expr::Is(ty, Box::new(operand.expr)), Static::Bool))
            }
            Meaning::Function(function) => {
                self.constants(function, arguments, &checked)?;
                let types: Vec<_> = checked.iter().map(|argument| argument.ty.clone()).collect();
                let arguments = checked.into_iter().map(|argument| argument.expr).collect();
                Some(Typed::new(mir::Expr::Call(function, arguments), functions::returns(function, &types)))
            }
            Meaning::Has => None,
        }
    }

    fn unknown_function<T>(&mut self, name: &Word) -> Option<T> {
        let error = self.error(Code::UnknownFunction, &name.range, format!("unknown function `{}`", name.text));
        let span = self.written.span(&name.range);
        let error = match (name.text.as_str(), functions::meant(&name.text)) {
            ("now", _) => error.help("write `now` without brackets"),
            ("not_in", _) => error.help("write `not (x in list)`"),
            ("regex" | "match" | "test", _) => error.help("write `text matches r\"…\"`"),
            (_, Some(near @ ("any" | "all"))) => error.help(format!("write `{near}(x in list => condition)`")),
            (_, Some(near)) => error.suggest(format!("did you mean `{near}`?"), span, near),
            _ => error,
        };
        self.report(error)
    }

    fn arity(&mut self, signature: &Signature, name: &Word, given: usize) -> Option<()> {
        if (signature.least..=signature.most).contains(&given) {
            return Some(());
        }
        let wanted = match (signature.least, signature.most) {
            (1, 1) => "one argument".to_owned(),
            (least, most) if least == most => format!("{least} arguments"),
            (least, usize::MAX) => format!("at least {least}"),
            (least, most) => format!("{least} or {most} arguments"),
        };
        let message = format!("`{}` takes {wanted}, not {given}", signature.name);
        self.report(self.error(Code::WrongArguments, &name.range, message).help(format!("write `{}`", signature.usage)))
    }

    fn kinds(&mut self, signature: &Signature, arguments: &[Expr], checked: &[Typed]) -> Option<()> {
        let mut fine = Some(());
        for (position, (argument, typed)) in arguments.iter().zip(checked).enumerate() {
            let parameter = signature.parameter(position);
            if parameter.admits(&typed.ty) {
                continue;
            }
            let message = match &typed.ty {
                Static::List(member) if parameter == Accepts::Numbers => {
                    format!("`{}` adds up numbers, each of these is {}", signature.name, member.described())
                }
                other => format!("`{}` needs {}, this is {}", signature.name, parameter.described(), other.described()),
            };
            let error = self.error(Code::TypeMismatch, &argument.range, message);
            fine = self.report(error.help(format!("write `{}`", signature.usage)));
        }
        fine
    }

    fn has(&mut self, name: &Word, arguments: &[Expr]) -> Option<Typed> {
        let [argument] = arguments else {
            let message = format!("`has` takes one argument, not {}", arguments.len());
            return self.report(self.error(Code::WrongArguments, &name.range, message).help("write `has(args.x)`"));
        };
        match &argument.kind {
            Kind::Path(path) if path.root.text != "now" => {
                let (path, _) = self.walk(path)?;
                Some(Typed::new(mir::Expr::Has(path), Static::Bool))
            }
            _ => {
                let _ = self.expr(argument);
                let error = self.error(Code::WrongArguments, &argument.range, "`has` takes a path");
                self.report(
                    error.help("write `has(args.x)`; a computed value can be tested with `is_string(…)` and its kin"),
                )
            }
        }
    }

    /// Judges arguments that are constant, and those that must be.
    fn constants(&mut self, function: Function, arguments: &[Expr], checked: &[Typed]) -> Option<()> {
        let literals: Vec<_> = checked.iter().map(Typed::literal).collect();
        let at = |position: usize| arguments.get(position).map_or(0..0, |argument| argument.range.clone());
        let wrong: Option<Diagnostic> = match (function, checked, literals.as_slice()) {
            (Function::Min | Function::Max, checked, _) => self.extremes(arguments, checked),
            (Function::Default, _, [_, None]) => Some(
                self.error(Code::WrongArguments, &at(1), "the second argument of `default` is a literal")
                    .help("write a number, a string, `true`, `false`, `null`, a duration or a list of them"),
            ),
            (Function::Contains, [container, part], _) => self.contained(&container.ty, &part.ty, &at(1)),
            (Function::Time, _, [text, zone @ ..]) => self.time(arguments, *text, zone.first().copied().flatten()),
            (Function::PathWithin, _, [_, Some(Literal::Text(directory))]) => (!is_directory(directory)).then(|| {
                self.error(Code::WrongArguments, &at(1), format!("`{directory}` is not a directory"))
                    .help("write a directory such as `\"/srv/data\"`, without `*`, `%` and backslashes")
            }),
            (Function::DomainIn, _, [_, Some(Literal::List(domains))]) => self.domains(arguments, domains),
            _ => None,
        };
        match wrong {
            Some(diagnostic) => self.report(diagnostic),
            None => Some(()),
        }
    }

    fn extremes(&self, arguments: &[Expr], checked: &[Typed]) -> Option<Diagnostic> {
        if let ([argument], [only]) = (arguments, checked) {
            let ordered = match &only.ty {
                Static::Any => true,
                Static::List(member) => member.is_ordered(),
                _ => false,
            };
            let message =
                format!("one argument must be a list of values with an order, this is {}", only.ty.described());
            return (!ordered).then(|| self.error(Code::TypeMismatch, &argument.range, message));
        }
        let known = checked.iter().find(|typed| typed.ty != Static::Any).map(|typed| &typed.ty)?;
        let (argument, typed) =
            arguments.iter().zip(checked).find(|(_, typed)| !typed.ty.is_ordered() || !typed.ty.may_be(known))?;
        let message = match typed.ty.is_ordered() {
            true => format!("{} is never comparable with {}", typed.ty.described(), known.described()),
            false => format!("{} has no order", typed.ty.described()),
        };
        Some(self.error(Code::TypeMismatch, &argument.range, message))
    }

    fn contained(&self, container: &Static, part: &Static, at: &std::ops::Range<usize>) -> Option<Diagnostic> {
        let fits = match container {
            Static::Text => matches!(part, Static::Text | Static::Any),
            Static::List(member) => part.comparable(member),
            _ => true,
        };
        let message = format!("{} does not contain {}", container.described(), part.described());
        (!fits).then(|| self.error(Code::TypeMismatch, at, message))
    }

    fn time(&self, arguments: &[Expr], text: Option<&Literal>, zone: Option<&Literal>) -> Option<Diagnostic> {
        let at = |position: usize| arguments.get(position).map_or(0..0, |argument| argument.range.clone());
        let zone = match zone {
            Some(Literal::Text(name)) => match Zone::parse(name) {
                Some(zone) => Some(zone),
                None => {
                    let error = self.error(Code::WrongArguments, &at(1), format!("`{name}` is not a time zone"));
                    return Some(error.help("write `\"UTC\"`, an offset such as `\"+02:00\"`, or `\"EST\"`; names of places change their offset"));
                }
            },
            _ => None,
        };
        let zone_is_dynamic = arguments.len() > 1 && zone.is_none();
        match text {
            Some(Literal::Text(text)) if !zone_is_dynamic && Time::parse_in(text, zone).is_none() => {
                let error = self.error(Code::WrongArguments, &at(0), format!("`{text}` is not a time"));
                Some(error.help(
                    "write `\"2026-01-31T12:00:00Z\"`, or give the zone: `time(\"2026-01-31 12:00:00\", \"UTC\")`",
                ))
            }
            _ => None,
        }
    }

    fn domains(&self, arguments: &[Expr], domains: &[Literal]) -> Option<Diagnostic> {
        let at = |position: usize| {
            let items = arguments.get(1).map(|list| &list.kind);
            let item = match items {
                Some(Kind::List(items)) => items.get(position),
                _ => None,
            };
            item.or(arguments.get(1)).map_or(0..0, |item| item.range.clone())
        };
        let help = "write domains such as `\"example.com\"`; what lies below them is included";
        if domains.is_empty() {
            return Some(self.error(Code::WrongArguments, &at(0), "the list of domains is empty").help(help));
        }
        let (position, domain) = domains.iter().enumerate().find(|(_, domain)| match domain {
            Literal::Text(domain) => !is_domain(domain),
            _ => true,
        })?;
        let message = match domain {
            Literal::Text(domain) => format!("`{domain}` is not a domain"),
            _ => "a domain is a string".to_owned(),
        };
        Some(self.error(Code::WrongArguments, &at(position), message).help(help))
    }
}

/// Whether the runtime takes the text as a directory: whatever lies in no directory is not within itself.
fn is_directory(text: &str) -> bool {
    let path = || Some(Val::text(text));
    !text.contains('*') && value::path_within(&Fuel::new(), path(), path()) == Truth::True
}

/// Whether the runtime takes the text as a domain: whatever is none is not in itself.
fn is_domain(text: &str) -> bool {
    let domains = Val::List(vec![Some(Val::text(text))]);
    value::domain_in(&Fuel::new(), Some(Val::text(text)), Some(domains)) == Truth::True
}

#[cfg(test)]
mod tests {
    use super::super::scope::fixture::{assert_fine, assert_mistakes};
    use crate::diagnostic::Code::{TypeMismatch, UnknownFunction, WrongArguments};

    #[test]
    fn every_function_has_its_use() {
        assert_fine(&[
            "min(1, args.x) == max(args.list) and min([1, 2]) < 3 and max(now, args.t) == now",
            "default(args.x, 0) + default(args.y, [1, \"a\"]) == 1 and default(args.d, 10m) < 1h",
            "size(args.x) + size(state.verified) + size(\"a\") + size(state.orders) == sum(args.items[].price)",
            "lower(args.a) == upper(trim(args.b)) and starts_with(args.x, \"a\") and ends_with(args.x, state.account)",
            "contains(args.x, 1) and contains(state.account, \"a\") and contains(state.verified, args.x)",
            "keys(args.o) == distinct(values(state.orders)) and subset(args.l, state.verified) and intersects(args.l, [1])",
            "json(args.text).a == 1 and time(args.t) < now and time(args.t, \"EST\") < now and time(args.t, args.zone) < now",
            "time(\"2026-01-31T12:00:00+02:00\") < now and time(\"2026-01-31 12:00:00\", \"UTC\") < now",
            "path_within(path_norm(args.p), \"/srv/data\") and path_within(args.p, context.user) and path_within(args.p, \"src\")",
            "host(args.u) == scheme(args.u) and domain_in(args.u, [\"example.com\", \"localhost\"]) and domain_in(args.u, args.l)",
            "any(s in strings(args) => s matches r\"x\") and digest(args) == \"a\"",
            "has(args.x) and has(state.n) and is_string(args.x) and is_object(args) and is_list(args.l) and is_number(1) and is_bool(args.b)",
        ]);
    }

    #[test]
    fn wrong_calls_are_mistakes() {
        assert_mistakes(&[
            ("len(args.x) == 1", UnknownFunction, "len", "unknown function `len`"),
            ("commands(args.x)", UnknownFunction, "commands", "unknown function `commands`"),
            ("lower() == \"a\"", WrongArguments, "lower", "`lower` takes one argument, not 0"),
            ("default(args.x) == 1", WrongArguments, "default", "`default` takes 2 arguments, not 1"),
            ("time(args.x, \"UTC\", 1) < now", WrongArguments, "time", "`time` takes 1 or 2 arguments, not 3"),
            ("lower(3) == \"a\"", TypeMismatch, "3", "`lower` needs a string, this is a number"),
            ("sum([\"a\"]) == 1", TypeMismatch, "[\"a\"]", "`sum` adds up numbers, each of these is a string"),
            ("min(1, \"a\") == 1", TypeMismatch, "\"a\"", "a string is never comparable with a number"),
            (
                "min(state.n) == 1",
                TypeMismatch,
                "state.n",
                "one argument must be a list of values with an order, this is a number",
            ),
            ("contains(state.account, 1)", TypeMismatch, "1", "a string does not contain a number"),
            ("default(args.x, args.y) == 1", WrongArguments, "args.y", "the second argument of `default` is a literal"),
            ("has(lower(args.x))", WrongArguments, "lower(args.x)", "`has` takes a path"),
            ("has(now)", WrongArguments, "now", "`has` takes a path"),
            ("time(\"2026-01-31\") < now", WrongArguments, "\"2026-01-31\"", "`2026-01-31` is not a time"),
            (
                "time(args.t, \"Europe/Paris\") < now",
                WrongArguments,
                "\"Europe/Paris\"",
                "`Europe/Paris` is not a time zone",
            ),
            ("path_within(args.p, \"C:\\\\x\")", WrongArguments, "\"C:\\\\x\"", "`C:\\x` is not a directory"),
            ("path_within(args.p, \"/srv/*\")", WrongArguments, "\"/srv/*\"", "`/srv/*` is not a directory"),
            ("domain_in(args.u, [\"a.org\", \"*.b.org\"])", WrongArguments, "\"*.b.org\"", "`*.b.org` is not a domain"),
            (
                "domain_in(args.u, [\"https://a.org\"])",
                WrongArguments,
                "\"https://a.org\"",
                "`https://a.org` is not a domain",
            ),
            ("domain_in(args.u, [1])", WrongArguments, "1", "a domain is a string"),
            ("domain_in(args.u, [])", WrongArguments, "[]", "the list of domains is empty"),
        ]);
    }
}
