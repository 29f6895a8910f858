//! `interlock prove`: one record without the others, and that nothing was changed since an earlier checkpoint.

use std::io::{self, Write as _};
use std::path::Path;

use contract_lang::diagnostic::render;
use contract_runtime::journal::{
    ConsistencyProof, InclusionProof, MAX_LINE, ProofError, ProveError, Proven, Refuted, Trust,
};
use serde_json::{Value, json};

use super::{notes, shown, write};
use crate::args::{self, Format};
use crate::output::{Console, Exit};

pub(super) fn run(args: &args::Prove, console: &mut Console<'_>) -> io::Result<Exit> {
    let done = match (&args.check, &args.journal) {
        (Some(proof), _) => check(proof, args, console),
        (None, Some(journal)) => make(journal, args, console),
        // The arguments do not allow it.
        (None, None) => return Ok(Exit::Unusable),
    };
    match done {
        Ok(exit) => Ok(exit),
        Err(Failed::Output(error)) => Err(error),
        Err(Failed::Input(exit, problem)) => {
            writeln!(console.err, "error: {}", render::escape(&problem))?;
            Ok(exit)
        }
    }
}

/// Why nothing was proved or checked.
enum Failed {
    Output(io::Error),
    Input(Exit, String),
}

impl From<io::Error> for Failed {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

impl From<ProveError> for Failed {
    fn from(error: ProveError) -> Self {
        let exit = if error.is_of_the_journal() { Exit::Fails } else { Exit::Unusable };
        Self::Input(exit, error.to_string())
    }
}

fn unusable(problem: String) -> Failed {
    Failed::Input(Exit::Unusable, problem)
}

fn make(journal: &Path, args: &args::Prove, console: &mut Console<'_>) -> Result<Exit, Failed> {
    let under = args.checkpoint.clone().unwrap_or_else(|| notes::beside(journal));
    let (note, _) = notes::checkpoint(&under).map_err(|problem| {
        unusable(format!("{problem} (a proof leads to a signed checkpoint, and `interlock checkpoint` makes one)"))
    })?;
    let (proof, what) = match (&args.from, args.seq) {
        (Some(from), _) => {
            let (_, old) = notes::checkpoint(from).map_err(unusable)?;
            let proof = ConsistencyProof::make(journal, &old, note)?;
            let size = proof.checkpoint().size;
            (proof.to_string(), format!("that the {size} records continue the {} of `{}`", old.size, shown(from)))
        }
        (None, seq) => {
            let proof = InclusionProof::make(journal, seq.unwrap_or_default(), note)?;
            let size = proof.checkpoint().size;
            (proof.to_string(), format!("that record {} is among the {size} of the checkpoint", proof.index()))
        }
    };
    let Some(output) = &args.output else {
        console.out.write_all(proof.as_bytes())?;
        return Ok(Exit::Fine);
    };
    let exit = write(output, &proof, console)?;
    if exit == Exit::Fine {
        match args.format {
            Format::Human => writeln!(console.out, "wrote `{}`, a proof {what}", shown(output))?,
            Format::Json => console.out.json(&json!({ "proof": output.to_string_lossy() }))?,
        }
    }
    Ok(exit)
}

/// A proof that was read.
enum Proof {
    Inclusion(InclusionProof),
    Consistency(ConsistencyProof),
}

fn check(path: &Path, args: &args::Prove, console: &mut Console<'_>) -> Result<Exit, Failed> {
    let most = u64::try_from(MAX_LINE).unwrap_or(u64::MAX).saturating_mul(2);
    let problem =
        |error: &dyn std::fmt::Display| unusable(format!("the proof `{}` cannot be read: {error}", path.display()));
    let text = notes::read(path, most).map_err(|error| problem(&error))?;
    let mut proof = parse(&text).map_err(|error| problem(&error))?;
    if let (Proof::Inclusion(proof), Some(record)) = (&mut proof, &args.record) {
        let text = notes::read(record, most);
        let text =
            text.map_err(|error| unusable(format!("the record `{}` cannot be read: {error}", record.display())))?;
        proof.record = Some(text.strip_suffix('\n').unwrap_or(&text).into());
    }
    let trust = Trust { keys: args.trust.clone(), witnesses: args.witness.clone() };
    let checked = match (&proof, &args.from) {
        (Proof::Inclusion(proof), None) => proof.check(&trust),
        (Proof::Consistency(proof), Some(from)) => proof.check(&notes::checkpoint(from).map_err(unusable)?.1, &trust),
        (Proof::Inclusion(_), Some(_)) => {
            return Err(unusable("the proof is about a record: check it without `--from`".into()));
        }
        (Proof::Consistency(_), None) => {
            let problem = "the proof is about an earlier checkpoint: give the one that you kept with `--from`";
            return Err(unusable(problem.into()));
        }
    };
    let exit = if checked.is_ok() { Exit::Fine } else { Exit::Fails };
    match args.format {
        Format::Human => say(&proof, &checked, console)?,
        Format::Json => console.out.json(&as_json(&proof, &checked))?,
    }
    Ok(exit)
}

fn parse(text: &str) -> Result<Proof, ProofError> {
    match InclusionProof::parse(text) {
        Err(ProofError::Kind) => ConsistencyProof::parse(text).map(Proof::Consistency),
        parsed => parsed.map(Proof::Inclusion),
    }
}

/// The record's line, where the proof has one.
fn record(proof: &Proof) -> Option<std::borrow::Cow<'_, str>> {
    let Proof::Inclusion(proof) = proof else { return None };
    proof.record.as_deref().map(String::from_utf8_lossy)
}

fn say(proof: &Proof, checked: &Result<Proven, Refuted>, console: &mut Console<'_>) -> io::Result<()> {
    let Proven { checkpoint, signer } = match checked {
        Ok(proven) => proven,
        Err(refuted) => {
            let problem = render::escape(&refuted.to_string());
            return writeln!(console.out, "does not hold ({}): {problem}", refuted.code());
        }
    };
    let origin = render::escape(&checkpoint.origin);
    match proof {
        Proof::Inclusion(proof) => {
            writeln!(
                console.out,
                "holds: record {} is in `{origin}`, among {} records",
                proof.index(),
                checkpoint.size
            )?;
        }
        Proof::Consistency(proof) => writeln!(
            console.out,
            "holds: `{origin}` has {} records, and the first {} are those of the earlier checkpoint",
            checkpoint.size,
            proof.old()
        )?,
    }
    writeln!(console.out, "signed by {signer}")?;
    record(proof).map_or(Ok(()), |line| writeln!(console.out, "{}", render::escape(&line)))
}

fn as_json(proof: &Proof, checked: &Result<Proven, Refuted>) -> Value {
    let (kind, number, checkpoint) = match proof {
        Proof::Inclusion(proof) => ("inclusion", proof.index(), proof.checkpoint()),
        Proof::Consistency(proof) => ("consistency", proof.old(), proof.checkpoint()),
    };
    let refuted = checked.as_ref().err();
    json!({
        "proof": kind,
        "verdict": if refuted.is_none() { "holds" } else { "broken" },
        "problem": refuted.map(Refuted::code),
        "message": refuted.map(ToString::to_string),
        "origin": checkpoint.origin,
        "size": checkpoint.size,
        if kind == "inclusion" { "seq" } else { "old" }: number,
        "signer": checked.as_ref().ok().map(|proven| proven.signer.to_string()),
        "record": record(proof),
    })
}
