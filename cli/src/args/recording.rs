//! Where and how a journal is written: the same for every command that decides calls.

use std::error::Error;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use contract_runtime::journal::record::Sync;
use contract_runtime::journal::{Journal, KeyError, Options, SigningKey};

/// When what was written is forced to the disk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Durability {
    /// Each record, before the call runs.
    #[default]
    Every,
    /// At checkpoints.
    Checkpoint,
    /// When the operating system likes.
    Never,
}

/// The evidence that a command leaves.
#[derive(Clone, Debug, Args)]
pub struct Recording {
    /// Write a journal of all decisions and results. An existing one is continued.
    #[arg(long, value_name = "JOURNAL", help_heading = "Journal")]
    pub journal: Option<PathBuf>,
    /// Sign checkpoints with this private key (see `interlock keygen`).
    #[arg(long, value_name = "KEY", requires = "journal", help_heading = "Journal")]
    pub key: Option<PathBuf>,
    /// Store arguments and results, not only their digests.
    #[arg(long, requires = "journal", help_heading = "Journal")]
    pub capture_content: bool,
    /// Never store this field: a name at any depth, or a path such as `card.number`, `items[].ssn`. May be given several times.
    #[arg(long = "redact-field", value_name = "FIELD", requires = "journal", help_heading = "Journal")]
    pub redact_fields: Vec<String>,
    /// When what was written is forced to the disk.
    #[arg(long, value_enum, default_value_t, requires = "journal", help_heading = "Journal")]
    pub sync: Durability,
    /// Write a checkpoint at least every so many records.
    #[arg(long, value_name = "RECORDS", default_value_t = 1000, requires = "journal", help_heading = "Journal")]
    pub checkpoint_every: u64,
    /// Go on in a new file when the file has this many bytes.
    #[arg(long, value_name = "BYTES", requires = "journal", help_heading = "Journal")]
    pub rotate_bytes: Option<u64>,
}

impl Recording {
    /// The journal of a command that may not be its only writer; `None`: it writes none.
    ///
    /// # Errors
    /// If the key cannot be read, or the journal cannot be written.
    pub fn shared(&self) -> Result<Option<Journal>, Box<dyn Error>> {
        Ok(self.options()?.map(|options| options.shared(PATIENCE)).transpose()?)
    }

    /// The journal of a command that is its only writer; `None`: it writes none.
    ///
    /// # Errors
    /// If the key cannot be read, or the journal cannot be written.
    pub fn exclusive(&self) -> Result<Option<Journal>, Box<dyn Error>> {
        Ok(self.options()?.map(Options::open).transpose()?)
    }

    fn options(&self) -> Result<Option<Options>, KeyError> {
        let Some(path) = &self.journal else { return Ok(None) };
        let sync = match self.sync {
            Durability::Every => Sync::Every,
            Durability::Checkpoint => Sync::Checkpoint,
            Durability::Never => Sync::Never,
        };
        let mut options = Journal::at(path).sync(sync).checkpoint_every(self.checkpoint_every);
        options = options.redact_fields(&self.redact_fields);
        if self.capture_content {
            options = options.capture_content();
        }
        if let Some(bytes) = self.rotate_bytes {
            options = options.rotate_bytes(bytes);
        }
        if let Some(key) = &self.key {
            options = options.key(SigningKey::read(key)?);
        }
        Ok(Some(options))
    }
}

/// How long a record waits for the other writers of its journal.
const PATIENCE: Duration = Duration::from_secs(30);
