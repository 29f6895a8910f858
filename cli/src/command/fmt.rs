//! `interlock fmt`: contracts in their canonical form.

use std::io::{self, Write as _};
use std::path::Path;

use contract_lang::diagnostic::render;
use contract_lang::{Form, format, read_file};

use super::{shown, write};
use crate::args;
use crate::output::{Console, Exit};

pub(super) fn run(args: &args::Fmt, console: &mut Console<'_>) -> io::Result<Exit> {
    if args.output.is_some() && args.files.len() > 1 {
        writeln!(console.err, "error: `--output` takes one contract; write several in place with `--write`")?;
        return Ok(Exit::Unusable);
    }
    let mut exit = Exit::Fine;
    for path in &args.files {
        exit.worsen(file(path, args, console)?);
    }
    Ok(exit)
}

fn file(path: &Path, args: &args::Fmt, console: &mut Console<'_>) -> io::Result<Exit> {
    let bytes = match read_file(path) {
        Ok(bytes) => bytes,
        Err(error) => {
            writeln!(console.err, "error: {}", render::escape(&error.to_string()))?;
            return Ok(Exit::Unusable);
        }
    };
    let from = form_of(path);
    let to = match args.to {
        Some(args::Form::Yaml) => Form::Yaml,
        Some(args::Form::Text) => Form::Text,
        None => args.output.as_deref().map_or(from, form_of),
    };
    let text = match format(&path.to_string_lossy(), &bytes, from, to) {
        Ok(text) => text,
        Err(refused) => {
            let styled = console.err.styled();
            let found = render::human(&refused.source, &refused.diagnostics, styled);
            console.err.write_all(found.as_bytes())?;
            writeln!(console.err, "error: the contract `{}` has errors and is not formatted", shown(path))?;
            return Ok(Exit::Fails);
        }
    };
    let same = text.as_bytes() == bytes;
    if args.check {
        if !same {
            writeln!(console.err, "`{}` is not in its canonical form", shown(path))?;
        }
        return Ok(if same { Exit::Fine } else { Exit::Fails });
    }
    match (&args.output, args.write) {
        (Some(output), _) => write(output, &text, console),
        // An unchanged file keeps its time.
        (None, true) if same => Ok(Exit::Fine),
        (None, true) => write(path, &text, console),
        (None, false) => console.out.write_all(text.as_bytes()).map(|()| Exit::Fine),
    }
}

fn form_of(path: &Path) -> Form {
    Form::of(&path.to_string_lossy())
}
