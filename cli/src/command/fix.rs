//! `lint --fix`: certain corrections, written into the contracts or printed as a patch.

use std::fmt;
use std::io::{self, Write as _};
use std::path::Path;

use contract_lang::diagnostic::render;
use contract_lang::fix::{Fixed, fix};
use contract_lang::{Checked, FileOptions, check_edited};

use super::shown;
use crate::output::{Console, some};
use crate::{patch, replace};

/// The corrections of a run.
pub(super) struct Corrections {
    only_shown: bool,
    count: usize,
    /// Whether a file could not be written.
    pub(super) failed: bool,
}

impl Corrections {
    /// None yet. Those that are only shown are written nowhere.
    pub(super) fn new(only_shown: bool) -> Self {
        Self { only_shown, count: 0, failed: false }
    }

    /// Corrects a file. Gives what is found in it then.
    pub(super) fn apply(
        &mut self,
        path: &Path,
        checked: Checked,
        options: &FileOptions<'_>,
        console: &mut Console<'_>,
    ) -> io::Result<Checked> {
        let name = checked.source.name().to_owned();
        let again = |text: &str| check_edited(path, &name, text.as_bytes(), options).0;
        let Fixed { checked: then, corrected, undone } = fix(checked.clone(), again);
        for finding in undone {
            let place = then.source.position(finding.primary.span.start);
            let code = finding.code.as_str();
            writeln!(
                console.err,
                "note: {code} of `{}` was not corrected, because the contract would have other errors then (about line {})",
                shown(path),
                place.line
            )?;
        }
        if corrected == 0 {
            return Ok(checked);
        }
        if self.only_shown {
            self.count = self.count.saturating_add(corrected);
            let text = patch::unified(&shown(path), checked.source.text(), then.source.text());
            console.out.write_all(text.as_bytes())?;
            return Ok(checked);
        }
        match replace::file(path, checked.source.text(), then.source.text()) {
            Ok(()) => {
                self.count = self.count.saturating_add(corrected);
                Ok(then)
            }
            Err(error) => {
                let error = render::escape(&error.to_string());
                writeln!(console.err, "error: cannot correct `{}`: {error}", shown(path))?;
                self.failed = true;
                Ok(checked)
            }
        }
    }
}

impl fmt::Display for Corrections {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let corrections = some(self.count as u64, "correction");
        write!(f, "; {corrections} {}", if self.only_shown { "shown" } else { "made" })
    }
}
