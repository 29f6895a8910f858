//! `interlock compile`: the Rust code of a contract.

use std::io::{self, Write as _};

use contract_lang::codegen;

use super::{contract, shown};
use crate::args;
use crate::output::{Console, Exit};

pub(super) fn run(args: &args::Compile, console: &mut Console<'_>) -> io::Result<Exit> {
    let Some(options) = options(&args.krate) else {
        writeln!(
            console.err,
            "error: `{}` is not the path of a crate; write `::interlock`",
            args.krate.escape_debug()
        )?;
        return Ok(Exit::Unusable);
    };
    let Some(contract) = contract(&args.file, console)? else { return Ok(Exit::Unusable) };
    let code = match codegen::format(codegen::generate(&contract, &options)) {
        Ok(code) => code,
        Err(error) => {
            writeln!(console.err, "error: the generated code is not Rust (please report this): {error}")?;
            return Ok(Exit::Unusable);
        }
    };
    let Some(path) = &args.output else {
        console.out.write_all(code.as_bytes())?;
        return Ok(Exit::Fine);
    };
    if let Err(error) = std::fs::write(path, code) {
        writeln!(console.err, "error: cannot write `{}`: {error}", shown(path))?;
        return Ok(Exit::Unusable);
    }
    Ok(Exit::Fine)
}

fn options(krate: &str) -> Option<codegen::Options> {
    let path = krate.strip_prefix("::").unwrap_or(krate);
    let is_name = |name: &str| {
        let starts = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        starts && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    let is_path = path.split("::").all(is_name);
    Some(codegen::Options { krate: krate.parse().ok().filter(|_| is_path)?, tracked: Vec::new() })
}
