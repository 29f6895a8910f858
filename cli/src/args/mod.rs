//! The arguments, with the help that `interlock --help` prints.

mod approve;
mod checkpoint;
mod completions;
mod demo;
mod diff;
mod doctor;
mod export;
mod init;
mod journal;
mod keygen;
mod keys;
mod lint;
mod mcp;
mod prove;
mod recording;
mod report;
mod show;
mod test;
mod verify;
mod why;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use contract_runtime::{Mode, OnError, Seed, Time};

pub use self::approve::Approve;
pub use self::checkpoint::Checkpoint;
pub use self::completions::{Completions, Man};
pub use self::demo::{Demo, Speed};
pub use self::diff::{Diff, Refused};
pub use self::doctor::Doctor;
pub use self::export::{Export, Target};
pub use self::init::Init;
pub use self::journal::{Journal, Reanchor, Rekey, Rotate};
pub use self::keygen::Keygen;
pub use self::lint::{Deny, Lint, LintFormat};
pub use self::mcp::{Become, Mcp};
pub use self::prove::Prove;
pub use self::recording::{Durability, Recording};
pub use self::report::Report;
pub use self::show::Show;
pub use self::test::Test;
pub use self::verify::Verify;
pub use self::why::Why;

/// Contracts for the tool calls of AI agents: check them, explain them, compile them, try them on recorded calls.
///
/// A contract is a file of rules about tool calls: what must come first, how often, how much, what never. A guard built
/// from it decides each call before it runs. A file `*.contract` is text, any other YAML.
#[derive(Debug, Parser)]
#[command(name = "interlock", version, propagate_version = true, after_help = EXIT_CODES)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

const EXIT_CODES: &str =
    "Exit codes: 0 fine; 1 the thing checked does not hold; 2 usage, or input that cannot be read.";

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Write a contract to start from
    ///
    /// With comments that say what each part is for, and suggestions. With `--from` or `--from-server` it declares the tools of an
    /// MCP server; their effects are never taken from what the server says of itself.
    #[command(after_help = INIT)]
    Init(Init),
    /// Check contracts: structure, names, types, and what rules mean together
    ///
    /// All findings of a file are reported in one run, each with its place, a code (see `interlock explain --code`) and
    /// what to write instead.
    #[command(
        after_help = "Exit codes: 0 no errors (warnings count with --deny warnings); 1 errors; 2 a file cannot be read."
    )]
    Lint(Lint),
    /// Print contracts in their canonical form, as YAML or as text
    ///
    /// What a contract says stays the same; comments are kept.
    #[command(
        after_help = "Exit codes: 0 fine; 1 with --check, a file is not in its canonical form, or a file has errors; \
                            2 usage, or a file that cannot be read or written."
    )]
    Fmt(Fmt),
    /// Print the JSON schema of contract files, for editors
    #[command(after_help = "Example: interlock schema --draft 7 > contract.schema.json")]
    Schema(Schema),
    /// Say what a contract's rules mean: which calls each guards, its states, key and memory bound
    Explain(Explain),
    /// Print the Rust code of a contract
    ///
    /// The same code that `contracts!("contract.yaml")` and a build script make.
    Compile(Compile),
    /// Compare two versions of a contract: what became allowed, what became blocked, each with a session that shows it
    ///
    /// Versions that decide everything alike are proved equal, however differently they are written.
    #[command(
        after_help = "Exit codes: 0 fine; 1 the versions differ in what --deny refuses; 2 usage, or a contract that cannot be used."
    )]
    Diff(Diff),
    /// Guard an MCP server: the contract decides each call before the server sees it
    ///
    /// Put it before the command of the server in the client's configuration. What the contract does not change passes byte for
    /// byte. The server's standard error passes; what the guard has to say is there too.
    #[command(after_help = MCP)]
    Mcp(Box<Mcp>),
    /// Prove that a forbidden call is blocked on the way to an MCP server, as a client is configured
    ///
    /// It starts what the client would start, makes a call that the contract forbids, of a tool that no server has, and looks who
    /// answers. Nothing is called that could do anything.
    #[command(after_help = DOCTOR)]
    Doctor(Doctor),
    /// Show which calls wait for a person, and approve or deny one
    ///
    /// For guards with `--approvals`. An approval is for exactly the call that is shown, for one run, and for ten minutes.
    #[command(after_help = APPROVE)]
    Approve(Approve),
    /// Become a server that ends with its guard.
    #[command(hide = true)]
    Become(Become),
    /// Decide recorded calls: what would the contract have allowed, what blocked, and why
    #[command(after_help = EXIT_CODES, after_long_help = TRACES)]
    Replay(Replay),
    /// Run the contract's own tests
    ///
    /// A test is a session and what must come of it, under `tests` in the contract. What it does not expect otherwise must be
    /// allowed, and nothing may be violated at the end.
    #[command(after_help = "Exit codes: 0 all pass; 1 a test fails; 2 usage, or a file that cannot be used.")]
    Test(Test),
    /// Show a journal as a timeline: what was decided, and why
    #[command(after_help = "Exit codes: 0 fine; 1 the journal does not hold; 2 it cannot be read.")]
    Show(Show),
    /// Print what a shell needs to complete this command line
    #[command(
        after_help = "Example: interlock completions bash > ~/.local/share/bash-completion/completions/interlock"
    )]
    Completions(Completions),
    /// Write man pages
    Man(Man),
    /// See it work: a scripted agent, what is blocked, a journal, and what becomes of it when somebody changes a byte
    Demo(Demo),
    /// Explain one decision of a journal: rules, states, and what would have made the call allowed
    Why(Why),
    /// Make a key that signs a journal's checkpoints
    ///
    /// An Ed25519 key. The private file is PKCS#8 in PEM, which OpenSSL, node and Python read, and only its owner may read it. Keep
    /// it away from the journal: who can change both can sign what was changed.
    #[command(after_help = "Exit codes: 0 fine; 2 a file exists already or cannot be written.")]
    Keygen(Keygen),
    /// Sign a journal's present state: on another host, so that the one that is recorded needs no key
    ///
    /// The journal is verified first, and so is that it continues the checkpoint that is there already.
    #[command(after_help = "Exit codes: 0 signed; 1 the journal does not hold, and nothing was signed; \
                            2 usage, or a file that cannot be read or written.")]
    Checkpoint(Checkpoint),
    /// Prove that a record is in a journal, or that a journal continues an earlier checkpoint, without showing the rest
    #[command(
        after_help = "Exit codes: 0 proved, or the proof holds; 1 the journal is not that of the checkpoint, or the proof does \
                            not hold; 2 usage, or a file that cannot be read or written."
    )]
    Prove(Prove),
    /// Tell other tools what a journal says: OpenTelemetry, security events (OCSF), Prometheus
    ///
    /// The journal is verified first; standard error says what came of it.
    #[command(after_help = EXPORT)]
    Export(Export),
    /// Write a journal as one HTML page: whether it verifies, what was blocked and why, and every record
    ///
    /// The page needs nothing else: no network, no server. It can be read without scripts but for its timeline.
    #[command(
        after_help = "Exit codes: 0 the journal holds; 1 it does not, and the page says where; 2 usage, or a file that \
                            cannot be read or written."
    )]
    Report(Report),
    /// Say whether a journal holds, and if not, where it breaks first and how
    ///
    /// Every line is checked, from the first to the last: its one spelling, its hash, that it continues the one before, the
    /// signed checkpoints, the changes of keys, the rotated files. What could not be checked is said as well.
    #[command(
        after_help = "Exit codes: 0 the journal holds (notices do not count); 1 it does not; 2 it cannot be read."
    )]
    Verify(Verify),
    /// Work on a journal itself
    #[command(subcommand)]
    Journal(Journal),
}

const INIT: &str = "Examples: interlock init
          interlock init --from tools.json
          interlock init --from-server --save tools.json -- npx -y @modelcontextprotocol/server-filesystem /srv/data

Exit codes: 0 fine; 2 usage, a file that exists already, cannot be read or written, or a server that does not answer.";

const MCP: &str = "Example: interlock mcp --contract files.yaml --journal files.jsonl -- npx -y @modelcontextprotocol/server-filesystem /srv/data

Exit codes: 0 the client went first; the server's own if it went first, and 128 and the number of the signal that ended it; \
the same for a signal that ended the guard; 2 usage, or a contract or a journal that cannot be used; 127 a server that cannot be run.";

const DOCTOR: &str = "Examples: interlock doctor -- interlock mcp --contract files.yaml -- npx -y @modelcontextprotocol/server-filesystem /srv/data
          interlock doctor --config .mcp.json --server files

Exit codes: 0 a forbidden call is blocked, and nothing else was found; 1 something failed, or could not be proved; \
2 usage, or a configuration that cannot be used.";

const APPROVE: &str = "Examples: interlock approve --dir /srv/approvals
          interlock approve 3f9a1c0b7d2e4865 --dir /srv/approvals --key ann.key
          interlock approve 3f9a1c0b7d2e4865 --dir /srv/approvals --deny --reason \"ask me on Monday\"

Exit codes: 0 fine; 1 the request cannot be answered: there is none, its time is over, it has an answer, or wants a key; \
2 usage, or a folder that cannot be read.";

const EXPORT: &str = "Exit codes: 0 fine; 1 the journal does not verify, and is not exported; 2 usage, a file that cannot be read \
                      or written, or a collector that does not take the spans.

OTEL_EXPORTER_OTLP_HEADERS (name=value,…) adds headers to requests, OTEL_EXPORTER_OTLP_CERTIFICATE names a file of certificates to trust.";

const TRACES: &str = r#"Traces are JSON lines. Each line is one of:
  {"call":{"id":"c1","tool":"pay","args":{"amount":40}},"result":{"status":"ok","value":{}}}
      a call with its result; "result" may be left out and come later:
  {"result_of":"c1","result":{"status":"failed","value":{"error":"…"}}}
      the result of an earlier call; status is ok, failed or unknown. Without a status the
      contract's `succeeds_when` decides
  {"event":{"name":"user_message","value":{}}}
      a trusted fact from the host
  {"context":{"user":"u1"}}
      the session's trusted facts, before its first call
  {"end":true}
      the end of the session; a session without it ends with the file, unless --open
Any line may have "session" (default "default") and "at" (RFC 3339; default: one second after
the line before). A call may also have "server", "batch", "agent" and "approved".
Each file is a trace of its own. Lines of several sessions may be mixed.

Output of --format json, one object a line:
  a decision   {"session","index","id","tool","decision","after_divergence","evaluated","findings"},
               and "rewritten": the arguments that the call runs with, where the contract changes them
  a finding about a result, or a result that the agent does not see as it came
               {"session","index","id","status","findings"}, then also "result_of" (the id) and
               "withheld": true or "redacted": true
  a finding about a host event
               {"session","event","findings"}
  an end       {"session","end","findings","verdicts","blocked"}; with --open, "end" is false
               for a session that has not ended
  a summary    {"summary","sessions","calls","allow","alert","ask","block","end_violations"}
               "end_violations": how often a rule is violated at the end of a session
With several files each line but the summary also has "trace", the file's name.

Exit codes: 0 fine; 1 a call was blocked, or asked without approval, or a rule is violated at
the end of a session; 2 usage, or a line that cannot be read (the others are decided all the same)."#;

/// For people or for programs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people.
    #[default]
    Human,
    /// JSON, one object a line.
    Json,
}

/// A form of contracts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Form {
    /// As YAML.
    Yaml,
    /// As text, `contract payments { … }`.
    Text,
}

/// Arguments of `fmt`.
#[derive(Debug, Args)]
pub struct Fmt {
    /// The contracts.
    #[arg(default_value = "contract.yaml")]
    pub files: Vec<PathBuf>,
    /// The form to print; that of each file if left out.
    #[arg(long, value_enum)]
    pub to: Option<Form>,
    /// Write nothing, but say which files are not in their canonical form.
    #[arg(long, conflicts_with_all = ["to", "write", "output"])]
    pub check: bool,
    /// Write each file in place.
    #[arg(short, long, conflicts_with_all = ["to", "output"])]
    pub write: bool,
    /// Where to write the one file; standard output if left out. Without `--to`, its name says the form.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// A version of JSON Schema.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Draft {
    /// Draft 2020-12.
    #[default]
    #[value(name = "2020-12")]
    Draft2020,
    /// Draft 07, which all editors know.
    #[value(name = "7")]
    Draft7,
}

/// Arguments of `schema`.
#[derive(Debug, Args)]
pub struct Schema {
    /// The version of JSON Schema.
    #[arg(long, value_enum, default_value_t)]
    pub draft: Draft,
}

/// Arguments of `explain`.
#[derive(Debug, Args)]
pub struct Explain {
    /// The contract.
    #[arg(default_value = "contract.yaml", conflicts_with = "code")]
    pub file: PathBuf,
    /// One rule, by its id; all of them if left out.
    #[arg(conflicts_with = "code")]
    pub rule: Option<String>,
    /// Explain a diagnostic instead, such as `IL0101`.
    #[arg(long)]
    pub code: Option<String>,
    /// For people or for programs.
    #[arg(long, value_enum, default_value_t, conflicts_with = "code")]
    pub format: Format,
    /// Draw the automata, for Graphviz.
    #[arg(long, conflicts_with_all = ["code", "format"])]
    pub dot: bool,
}

/// Arguments of `compile`.
#[derive(Debug, Args)]
pub struct Compile {
    /// The contract.
    #[arg(default_value = "contract.yaml")]
    pub file: PathBuf,
    /// Where to write the code; standard output if left out.
    #[arg(short, long, value_name = "OUT.RS")]
    pub output: Option<PathBuf>,
    /// The path under which the code finds the crate `interlock`.
    #[arg(long = "crate", value_name = "PATH", default_value = "::interlock")]
    pub krate: String,
}

/// Arguments of `replay`.
#[derive(Debug, Args)]
pub struct Replay {
    /// The contract.
    pub file: PathBuf,
    /// The traces; `-` is standard input.
    #[arg(required = true, value_name = "TRACE")]
    pub traces: Vec<PathBuf>,
    /// For people or for programs.
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
    /// Carry decisions out or only report them, whatever the contract says.
    #[arg(long, value_name = "enforce|shadow", value_parser = mode)]
    pub mode: Option<Mode>,
    /// Let calls run that the contract cannot decide because of an error, whatever its `on_error` says.
    #[arg(long, conflicts_with = "fail_closed")]
    pub fail_open: bool,
    /// Stop calls that the contract cannot decide because of an error, also those that read.
    #[arg(long)]
    pub fail_closed: bool,
    /// The time of the first line of a trace, if it has none, such as `2026-01-01T10:00:00Z`.
    #[arg(long, value_name = "TIME", value_parser = time, default_value = "1970-01-01T00:00:00Z")]
    pub start: Time,
    /// The secret of the sessions, in 32 hexadecimal digits, where rules retire instances: the same gives the same decisions.
    #[arg(long, value_name = "HEX", value_parser = seed, default_value = "00000000000000000000000000000000", hide_default_value = true)]
    pub seed: Seed,
    /// Do not end the sessions that have no `end` line.
    #[arg(long)]
    pub open: bool,
    /// The evidence that is left.
    #[command(flatten)]
    pub recording: Recording,
}

impl Replay {
    /// What becomes of calls that cannot be decided, where the command line says so.
    #[must_use]
    pub fn on_error(&self) -> Option<OnError> {
        match (self.fail_open, self.fail_closed) {
            (true, _) => Some(OnError::Open),
            (false, true) => Some(OnError::Closed),
            (false, false) => None,
        }
    }
}

pub(crate) fn mode(text: &str) -> Result<Mode, String> {
    match text {
        "enforce" => Ok(Mode::Enforce),
        "shadow" => Ok(Mode::Shadow),
        _ => Err("write `enforce` or `shadow`".to_owned()),
    }
}

fn seed(text: &str) -> Result<Seed, String> {
    let wrong = || "write 32 hexadecimal digits".to_owned();
    let number = u128::from_str_radix(text, 16).map_err(|_| wrong())?;
    if text.len() == 32 { Ok(Seed(number.to_be_bytes())) } else { Err(wrong()) }
}

fn time(text: &str) -> Result<Time, String> {
    Time::parse(text).ok_or_else(|| "write a time such as `2026-01-01T10:00:00Z`".to_owned())
}
