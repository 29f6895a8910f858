//! `interlock keygen`: a key that signs checkpoints.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use contract_lang::diagnostic::render;
use contract_runtime::journal::{Algorithm, PublicKey, Records, SigningKey, VerifierKey, origin};
use serde_json::json;

use super::shown;
use crate::args::{self, Format};
use crate::output::{Console, Exit};

pub(super) fn run(args: &args::Keygen, console: &mut Console<'_>) -> io::Result<Exit> {
    let made = match make(args) {
        Ok(made) => made,
        Err(error) => {
            writeln!(console.err, "error: {}", render::escape(&error))?;
            return Ok(Exit::Unusable);
        }
    };
    let Made { path, public_path, public, verifier } = made;
    if args.journal.as_ref().is_some_and(|journal| folder(journal) == folder(&path)) {
        let warning =
            "the key lies beside the journal: who can change the one can sign with the other, so move it elsewhere";
        writeln!(console.err, "warning: {warning}")?;
    }
    let verifier = verifier.as_ref().map(ToString::to_string);
    match args.format {
        Format::Json => console.out.json(&json!({
            "private": path.to_string_lossy(),
            "public": public_path.to_string_lossy(),
            "public_key": public.to_string(),
            "verifier_key": verifier,
        }))?,
        Format::Human => {
            writeln!(console.out, "private key   {}", shown(&path))?;
            writeln!(console.out, "public key    {}", shown(&public_path))?;
            writeln!(console.out, "              {public}")?;
            if let Some(verifier) = verifier {
                writeln!(console.out, "verifier key  {verifier}")?;
            }
        }
    }
    Ok(Exit::Fine)
}

struct Made {
    path: PathBuf,
    public_path: PathBuf,
    public: PublicKey,
    verifier: Option<VerifierKey>,
}

fn make(args: &args::Keygen) -> Result<Made, String> {
    // What can fail without leaving files behind comes first.
    let name = args.journal.as_deref().map(name_of).transpose()?;
    let key = SigningKey::generate().map_err(|error| error.to_string())?;
    let public = key.public();
    let verifier = name.map(|name| VerifierKey::new(&name, public, Algorithm::Ed25519)).transpose();
    let verifier = verifier.map_err(|error| error.to_string())?;
    let path = args.output.clone();
    let mut public_path = path.clone().into_os_string();
    public_path.push(".pub");
    let public_path = PathBuf::from(public_path);
    if fs::symlink_metadata(&public_path).is_ok() {
        return Err(format!("`{}` exists already, and keys are never overwritten", public_path.display()));
    }
    key.write_new(&path).map_err(|error| error.to_string())?;
    write_public(&public_path, &public).inspect_err(|_| {
        // Nobody has used the key yet.
        let _ = fs::remove_file(&path);
    })?;
    Ok(Made { path, public_path, public, verifier })
}

fn write_public(path: &Path, key: &PublicKey) -> Result<(), String> {
    let pem = key.to_pem().map_err(|error| error.to_string())?;
    let written =
        OpenOptions::new().write(true).create_new(true).open(path).and_then(|mut file| file.write_all(pem.as_bytes()));
    written.map_err(|error| format!("cannot write `{}`: {error}", path.display()))
}

/// The name under which the checkpoints of a journal are signed.
fn name_of(journal: &Path) -> Result<String, String> {
    let problem = |why: &dyn std::fmt::Display| format!("the journal `{}` cannot be read: {why}", journal.display());
    let mut records = Records::open(journal).map_err(|error| problem(&error))?;
    let first = records.next().ok_or_else(|| problem(&"it has no records"))?.map_err(|error| problem(&error))?;
    let record = first.record.map_err(|flaw| problem(&format!("line 1: {flaw}")))?;
    Ok(origin(record.head.journal))
}

/// The folder of a file; where it cannot be found, nothing is compared.
fn folder(path: &Path) -> Option<PathBuf> {
    let folder = path.parent()?;
    fs::canonicalize(if folder.as_os_str().is_empty() { Path::new(".") } else { folder }).ok()
}
