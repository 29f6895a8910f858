//! `interlock explain`: what a diagnostic, or a rule, means.

mod dot;
mod human;
pub(crate) mod machine;
mod path;
mod way_out;

use std::io::{self, Write as _};

use contract_lang::diagnostic::{Code, nearest, render};
use contract_lang::mir::{Kind, Rule};

use super::contract;
use crate::args::{self, Format};
use crate::output::{Console, Exit};

pub(super) fn run(args: &args::Explain, console: &mut Console<'_>) -> io::Result<Exit> {
    if let Some(code) = &args.code {
        return page(code, console);
    }
    let Some(contract) = contract(&args.file, console)? else { return Ok(Exit::Unusable) };
    let rules = match &args.rule {
        None => contract.rules.iter().collect(),
        Some(id) => match contract.rules.iter().find(|rule| rule.id == *id) {
            Some(rule) => vec![rule],
            None => return unknown("rule", id, contract.rules.iter().map(|rule| rule.id.as_str()), console),
        },
    };
    if args.dot {
        return draw(&rules, args.rule.is_some(), console);
    }
    match args.format {
        Format::Json => rules.iter().try_for_each(|rule| console.out.json(&machine::describe(rule)))?,
        Format::Human => {
            human::contract(&contract, &mut console.out)?;
            rules.iter().try_for_each(|rule| human::rule(&contract, rule, args.rule.is_some(), &mut console.out))?;
        }
    }
    Ok(Exit::Fine)
}

fn draw(rules: &[&Rule], one: bool, console: &mut Console<'_>) -> io::Result<Exit> {
    if let ([rule], true) = (rules, one)
        && !matches!(rule.kind, Kind::Automaton { .. })
    {
        let (id, kind) = (render::escape(&rule.id), rule.kind());
        writeln!(console.err, "error: the rule `{id}` has no automaton to draw: `{kind}` is none")?;
        return Ok(Exit::Unusable);
    }
    dot::draw(rules, &mut console.out)?;
    Ok(Exit::Fine)
}

fn page(code: &str, console: &mut Console<'_>) -> io::Result<Exit> {
    match Code::from_spelling(code) {
        Some(code) => {
            console.out.write_all(code.page().trim_end().as_bytes())?;
            console.out.write_all(b"\n")?;
            Ok(Exit::Fine)
        }
        None => unknown("code", code, Code::ALL.iter().map(|code| code.as_str()), console),
    }
}

fn unknown<'a>(
    what: &str,
    name: &str,
    known: impl Iterator<Item = &'a str> + Clone,
    console: &mut Console<'_>,
) -> io::Result<Exit> {
    let hint = match nearest(&name.to_uppercase(), known.clone()).or_else(|| nearest(name, known.clone())) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("known are {}", known.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")),
    };
    writeln!(console.err, "error: there is no {what} `{}`; {hint}", render::escape(name))?;
    Ok(Exit::Unusable)
}
