//! `interlock journal rekey`: let another key sign.

use std::error::Error;
use std::io::{self, Write as _};

use contract_runtime::journal::{Journal, PublicKey, SigningKey};

use super::{shown, unusable};
use crate::args;
use crate::output::{Console, Exit};

pub(super) fn run(args: &args::Rekey, console: &mut Console<'_>) -> io::Result<Exit> {
    match rekey(args) {
        Ok(new) => {
            writeln!(console.out, "from here on `{}` is signed by the key {new}", shown(&args.journal))?;
            Ok(Exit::Fine)
        }
        Err(error) => unusable(&*error, console),
    }
}

/// Returns the public key that signs from now on.
fn rekey(args: &args::Rekey) -> Result<PublicKey, Box<dyn Error>> {
    let new = SigningKey::read(&args.new)?;
    let public = new.public();
    let journal = Journal::at(&args.journal).key(SigningKey::read(&args.key)?).resume()?;
    journal.rotate_key(new)?;
    // The new key's first checkpoint: it vouches for all that the old one did.
    journal.checkpoint()?;
    journal.close()?;
    Ok(public)
}
