//! Calls of functions: arity, kinds of arguments, and constant arguments that can be judged at once.

use std::ops::Range;

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
            _ => {
                let names: Vec<_> = functions::ALL.iter().map(|signature| signature.name).collect();
                error.help(format!("write one of {}", names.join(", ")))
            }
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
            (Function::CidrContains, _, [Some(Literal::Text(network)), _]) => self.network(network, &at(0)),
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
            let help = "write two values or more, or a list of numbers, strings, times or durations";
            return (!ordered).then(|| self.error(Code::TypeMismatch, &argument.range, message).help(help));
        }
        let known = checked.iter().find(|typed| typed.ty != Static::Any).map(|typed| &typed.ty)?;
        let (argument, typed) =
            arguments.iter().zip(checked).find(|(_, typed)| !typed.ty.is_ordered() || !typed.ty.may_be(known))?;
        let message = match typed.ty.is_ordered() {
            true => format!("{} is never comparable with {}", typed.ty.described(), known.described()),
            false => format!("{} has no order", typed.ty.described()),
        };
        let help = format!("write values of one kind, such as {}", known.described());
        let help =
            if known.is_ordered() { help } else { "numbers, strings, times and durations are ordered".to_owned() };
        Some(self.error(Code::TypeMismatch, &argument.range, message).help(help))
    }

    fn contained(&self, container: &Static, part: &Static, at: &Range<usize>) -> Option<Diagnostic> {
        let fits = match container {
            Static::Text => matches!(part, Static::Text | Static::Any),
            Static::List(member) => part.comparable(member),
            _ => true,
        };
        let message = format!("{} does not contain {}", container.described(), part.described());
        let help = match container {
            Static::List(member) => format!("write {}", member.described()),
            _ => "write a string".to_owned(),
        };
        (!fits).then(|| self.error(Code::TypeMismatch, at, message).help(help))
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

    fn network(&self, network: &str, at: &Range<usize>) -> Option<Diagnostic> {
        if is_network(network) {
            return None;
        }
        let error = self.error(Code::WrongArguments, at, format!("`{network}` is not a network"));
        let whole = [format!("{network}/32"), format!("{network}/128")].into_iter().find(|whole| is_network(whole));
        Some(error.help(match whole {
            Some(whole) => format!("write `\"{whole}\"` for this one address"),
            None => "write `\"10.0.0.0/8\"` or `\"2001:db8::/32\"`: the bits after the prefix are zero".to_owned(),
        }))
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

/// The network that an address is the first of: whatever is no network contains nothing.
fn is_network(text: &str) -> bool {
    let first = text.split('/').next().unwrap_or_default();
    value::cidr_contains(&Fuel::new(), Some(Val::text(text)), Some(Val::text(first))) == Truth::True
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
mod tests;
