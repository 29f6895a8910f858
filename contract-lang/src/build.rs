//! Contracts from files: what build scripts, the `contracts!` macro and programs that load a contract at run time share. The
//! only module of the crate that reads or writes files.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::diagnostic::{Level, Levels, render};
use crate::{Catalog, Checked, Depth, Form, Options, codegen, mir};

/// A contract that was read from a file and has no errors.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The checked contract.
    pub contract: mir::Contract,
    /// Warnings, rendered; empty if there are none.
    pub warnings: String,
    /// Every file that was read, the contract first.
    pub files: Vec<PathBuf>,
}

/// Why a contract was not loaded.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum LoadError {
    /// The file cannot be read.
    Unreadable {
        /// Which.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// The contract has errors; rendered, with its own lines.
    Invalid(String),
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable { path, reason } => write!(f, "cannot read the contract `{}`: {reason}", path.display()),
            Self::Invalid(rendered) => f.write_str(rendered),
        }
    }
}

impl std::error::Error for LoadError {}

/// Reads a contract file, `*.contract` as text and any other as YAML, and the catalogs that it names, and checks it, keeping
/// everything that was found. `shown` is the file's name in messages.
///
/// # Errors
/// If the contract file itself cannot be read. A catalog that cannot be read is a diagnostic.
pub fn check_file(path: &Path, shown: &str, options: &FileOptions<'_>) -> Result<(Checked, Vec<PathBuf>), LoadError> {
    let bytes = read_file(path)?;
    let (checked, catalogs) = check_edited(path, shown, &bytes, options);
    Ok((checked, std::iter::once(path.to_owned()).chain(catalogs).collect()))
}

/// The same for what a file is to hold, whatever it holds now. Gives the files of the catalogs.
#[must_use]
pub fn check_edited(path: &Path, shown: &str, bytes: &[u8], options: &FileOptions<'_>) -> (Checked, Vec<PathBuf>) {
    let folder = path.parent().unwrap_or_else(|| Path::new(""));
    check_in(folder, Form::of(&path.to_string_lossy()), shown, bytes, options)
}

/// How a contract file is checked.
#[derive(Clone, Copy, Debug, Default)]
pub struct FileOptions<'a> {
    /// How much is asked of it.
    pub depth: Depth,
    /// Catalogs besides those that the contract names.
    pub catalog: &'a [PathBuf],
    /// Older catalogs: what tools and arguments were called before.
    pub before: &'a [PathBuf],
    /// The levels of findings, which win over those of the contract.
    pub levels: Option<&'a Levels>,
}

/// Checks a contract with the catalogs that it names, whose paths are relative to a folder. Gives the catalogs' files, too.
fn check_in(
    folder: &Path,
    form: Form,
    shown: &str,
    bytes: &[u8],
    options: &FileOptions<'_>,
) -> (Checked, Vec<PathBuf>) {
    let named = crate::catalog_paths_as(form, shown, bytes).into_iter().map(|name| (folder.join(&name), name));
    let given = |path: &PathBuf| (path.clone(), path.display().to_string());
    let now: Vec<_> = named.chain(options.catalog.iter().map(given)).collect();
    let older: Vec<_> = options.before.iter().map(given).collect();
    let read = |(path, name): &(PathBuf, String)| Catalog { name: name.clone(), text: read_text(path) };
    let catalog: Vec<_> = now.iter().map(read).collect();
    let before: Vec<_> = older.iter().map(read).collect();
    let FileOptions { depth, levels, .. } = *options;
    let checked = crate::check_as(form, shown, bytes, &Options { catalog: &catalog, before: &before, depth, levels });
    (checked, now.into_iter().chain(older).map(|(path, _)| path).collect())
}

/// Checks a contract in text form that has no file of its own. `folder` is what its catalogs are relative to.
pub(crate) fn check_text(folder: &Path, shown: &str, text: &str) -> (Checked, Vec<PathBuf>) {
    check_in(folder, Form::Text, shown, text.as_bytes(), &FileOptions::default())
}

/// Reads and checks a contract file: `*.contract` is text, any other YAML.
///
/// # Errors
/// If the file cannot be read, or the contract has errors.
pub fn load(path: impl AsRef<Path>) -> Result<Loaded, LoadError> {
    let path = path.as_ref();
    load_as(path, &path.display().to_string())
}

/// The same, with the file's name in messages.
///
/// # Errors
/// If the file cannot be read, or the contract has errors.
pub fn load_as(path: &Path, shown: &str) -> Result<Loaded, LoadError> {
    let (checked, files) = check_file(path, shown, &FileOptions::default())?;
    let Checked { source, contract, diagnostics, .. } = checked;
    let rendered = |level: fn(Level) -> bool| {
        let wanted: Vec<_> = diagnostics.iter().filter(|found| level(found.level)).cloned().collect();
        if wanted.is_empty() { String::new() } else { render::human(&source, &wanted, false) }
    };
    match contract {
        Some(contract) => Ok(Loaded { contract, warnings: rendered(|level| level != Level::Error), files }),
        None => Err(LoadError::Invalid(rendered(|level| level == Level::Error))),
    }
}

/// The largest catalog that is read, in bytes.
const LARGEST_CATALOG: u64 = 16 * 1024 * 1024;

/// The text of a catalog, or why it cannot be read.
fn read_text(path: &Path) -> Result<String, String> {
    use std::io::Read as _;
    let file = std::fs::File::open(path).map_err(|error| error.to_string())?;
    if !file.metadata().is_ok_and(|found| found.is_file()) {
        return Err("not a file".to_owned());
    }
    let mut text = String::new();
    let read = file.take(LARGEST_CATALOG.saturating_add(1)).read_to_string(&mut text);
    read.map_err(|error| error.to_string())?;
    if text.len() as u64 > LARGEST_CATALOG { Err("larger than 16 MiB".to_owned()) } else { Ok(text) }
}

/// The largest contract file that is read at all: one byte more than may be, so that the check can say so.
const LARGEST: u64 = 1024 * 1024 + 1;

/// Reads the bytes of a contract file, no more than the check needs to refuse it.
///
/// # Errors
/// If the file cannot be read.
pub fn read_file(path: &Path) -> Result<Vec<u8>, LoadError> {
    use std::io::Read as _;
    let unreadable = |error: std::io::Error| LoadError::Unreadable { path: path.to_owned(), reason: error.to_string() };
    let mut bytes = Vec::new();
    std::fs::File::open(path).map_err(unreadable)?.take(LARGEST).read_to_end(&mut bytes).map_err(unreadable)?;
    Ok(bytes)
}

/// Compiles contracts in a build script.
///
/// ```no_run
/// // In the `main` of build.rs:
/// contract_lang::Build::new().contract("contracts/payments.yaml").compile();
/// ```
///
/// For each contract, one file `interlock/<file stem>.rs` is written to `OUT_DIR`; `interlock::include_contract!(payments)`
/// includes it.
#[derive(Clone, Debug, Default)]
#[must_use = "nothing is compiled before `compile`"]
pub struct Build {
    contracts: Vec<PathBuf>,
    krate: Option<String>,
    out_dir: Option<PathBuf>,
}

impl Build {
    /// Nothing to compile yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a contract file, `*.contract` (text) or `*.yaml`; the path is relative to the package.
    pub fn contract(mut self, path: impl Into<PathBuf>) -> Self {
        self.contracts.push(path.into());
        self
    }

    /// The path under which the crate `interlock` is known, if not `::interlock`.
    pub fn krate(mut self, path: impl Into<String>) -> Self {
        self.krate = Some(path.into());
        self
    }

    /// Where to write, if not `OUT_DIR`.
    pub fn out_dir(mut self, path: impl Into<PathBuf>) -> Self {
        self.out_dir = Some(path.into());
        self
    }

    /// Compiles, tells cargo which files were read, and ends the build script with the errors if there are any.
    #[expect(clippy::print_stdout, clippy::print_stderr, reason = "this is how a build script talks to cargo")]
    pub fn compile(self) {
        for contract in &self.contracts {
            println!("cargo::rerun-if-changed={}", contract.display());
        }
        match self.try_compile() {
            Ok(built) => {
                for file in built.files {
                    println!("cargo::rerun-if-changed={}", file.display());
                }
                for line in built.warnings.lines() {
                    println!("cargo::warning={line}");
                }
            }
            Err(error) => {
                eprintln!("\n{error}");
                std::process::exit(1);
            }
        }
    }

    /// Compiles. Returns what was read and what there is to warn of.
    ///
    /// # Errors
    /// If a contract cannot be read or has errors, or the output cannot be written.
    pub fn try_compile(&self) -> Result<Built, BuildError> {
        let out_dir = match &self.out_dir {
            Some(path) => path.clone(),
            None => std::env::var_os("OUT_DIR").map(PathBuf::from).ok_or(BuildError::NoOutDir)?,
        };
        let krate = self.krate.as_deref().unwrap_or("::interlock");
        let krate = krate.parse().map_err(|_| BuildError::Crate(krate.to_owned()))?;
        let options = codegen::Options { krate, tracked: Vec::new() };
        let mut built = Built::default();
        for path in &self.contracts {
            let loaded = load(path).map_err(BuildError::Load)?;
            let code = codegen::generate(&loaded.contract, &options);
            let code = codegen::format(code).map_err(|error| BuildError::Generator(error.to_string()))?;
            let stem = path.file_stem().unwrap_or_default();
            let target = out_dir.join("interlock").join(stem).with_extension("rs");
            write_if_changed(&target, &code).map_err(|error| BuildError::Write(target, error.to_string()))?;
            built.files.extend(loaded.files);
            built.warnings.push_str(&loaded.warnings);
        }
        Ok(built)
    }
}

/// What a build read and has to warn of.
#[derive(Clone, Debug, Default)]
pub struct Built {
    /// Every file that was read.
    pub files: Vec<PathBuf>,
    /// Warnings, rendered.
    pub warnings: String,
}

/// Why a build failed.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum BuildError {
    /// A contract was not loaded.
    Load(LoadError),
    /// `OUT_DIR` is not set: this is no build script, and no other folder was given.
    NoOutDir,
    /// This is no path of a crate.
    Crate(String),
    /// This file cannot be written, and why.
    Write(PathBuf, String),
    /// The generated code is not Rust: a bug of Interlock.
    Generator(String),
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Load(error) => error.fmt(f),
            Self::NoOutDir => f.write_str("OUT_DIR is not set; call this from a build script or set `out_dir`"),
            Self::Crate(path) => write!(f, "`{path}` is not the path of a crate; write `::interlock`"),
            Self::Write(path, reason) => write!(f, "cannot write `{}`: {reason}", path.display()),
            Self::Generator(reason) => write!(f, "the generated code is not Rust (please report this): {reason}"),
        }
    }
}

impl std::error::Error for BuildError {}

/// Writes a file unless it has this text already: an unchanged file keeps its time, so nothing is rebuilt for it.
fn write_if_changed(path: &Path, text: &str) -> std::io::Result<()> {
    if std::fs::read_to_string(path).is_ok_and(|old| old == text) {
        return Ok(());
    }
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    std::fs::write(path, text)
}
