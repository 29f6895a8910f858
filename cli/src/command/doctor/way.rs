//! How a client reaches a server: what it starts, and where that stands.

use std::ffi::{OsStr, OsString};
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::Parser as _;
use serde_json::{Map, Value};

use crate::args::{self, Cli};
use crate::command::shown;

/// Most bytes of a configuration.
const LARGEST: u64 = 16 * 1024 * 1024;

/// Where clients keep their servers in a configuration.
const PLACES: [&str; 3] = ["/mcpServers", "/servers", "/mcp/servers"];

/// A server as a client starts it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Way {
    words: Vec<OsString>,
    env: Vec<(String, String)>,
    folder: Option<PathBuf>,
}

/// A server of a configuration, or why it cannot be started from here.
pub(super) type Named = (String, Result<Way, String>);

impl Way {
    /// A command line.
    pub(super) fn new(words: &[OsString]) -> Self {
        Self { words: words.to_vec(), ..Self::default() }
    }

    /// The command.
    pub(super) fn command(&self) -> Command {
        let mut words = self.words.iter();
        let mut command = Command::new(words.next().map(OsString::as_os_str).unwrap_or_default());
        command.args(words).envs(self.env.iter().map(|(name, value)| (name, value)));
        if let Some(folder) = &self.folder {
            command.current_dir(folder);
        }
        command
    }

    /// The arguments of the guard, if the command line has one: it may stand behind `npx`, `env` or the like.
    pub(super) fn guard(&self) -> Option<args::Mcp> {
        let pairs = self.words.iter().zip(self.words.iter().skip(1));
        let is_guard = |word: &OsStr| Path::new(word).file_stem() == Some(OsStr::new("interlock"));
        let at = pairs.enumerate().find(|(_, (word, next))| is_guard(word) && *next == "mcp")?.0;
        match Cli::try_parse_from(self.words.get(at..)?).ok()?.command {
            args::Command::Mcp(args) => Some(*args),
            _ => None,
        }
    }

    /// A path of the command line, as it is from here.
    pub(super) fn path(&self, path: &Path) -> PathBuf {
        self.folder.as_ref().map_or_else(|| path.to_owned(), |folder| folder.join(path))
    }

    fn read(server: &Map<String, Value>) -> Result<Self, String> {
        let text = |key: &str| server.get(key).and_then(Value::as_str);
        let Some(command) = text("command") else {
            return Err(match text("url").or_else(|| text("serverUrl")) {
                Some(_) => "it is reached over HTTP, and only servers that are started can be checked".to_owned(),
                None => "it has no `command`".to_owned(),
            });
        };
        let mut words = vec![OsString::from(command)];
        for word in server.get("args").and_then(Value::as_array).into_iter().flatten() {
            words.push(word.as_str().ok_or("its `args` are not all strings")?.into());
        }
        let mut env = Vec::new();
        for (name, value) in server.get("env").and_then(Value::as_object).into_iter().flatten() {
            let value = value.as_str().ok_or("its `env` are not all strings")?;
            env.push((name.clone(), value.to_owned()));
        }
        let texts = words.iter().filter_map(|word| word.to_str()).chain(env.iter().map(|(_, value)| value.as_str()));
        if texts.chain(text("cwd")).any(|text| text.contains("${")) {
            return Err("it has `${…}`, which the client fills in; give the command itself after `--`".to_owned());
        }
        Ok(Self { words, env, folder: text("cwd").map(PathBuf::from) })
    }
}

/// The servers of a configuration: those that are wanted, or all.
pub(super) fn configured(path: &Path, wanted: &[String]) -> Result<Vec<Named>, String> {
    let unreadable = |error| format!("cannot read `{}`: {error}", shown(path));
    let mut text = String::new();
    let file = std::fs::File::open(path).map_err(unreadable)?;
    file.take(LARGEST).read_to_string(&mut text).map_err(unreadable)?;
    let config: Value = serde_json::from_str(&text).map_err(|error| {
        format!("`{}` is no JSON: {error}\nhelp: give the command of the server after `--`", shown(path))
    })?;
    let servers: Vec<(&String, &Value)> =
        PLACES.iter().filter_map(|place| config.pointer(place)?.as_object()).flatten().collect();
    if servers.is_empty() {
        return Err(format!("`{}` has no servers under `mcpServers` or `servers`", shown(path)));
    }
    if let Some(none) = wanted.iter().find(|name| !servers.iter().any(|(known, _)| known == name)) {
        let known: Vec<_> = servers.iter().map(|(name, _)| format!("`{name}`")).collect();
        return Err(format!("`{}` has no server `{none}`, but {}", shown(path), known.join(", ")));
    }
    let chosen = servers.into_iter().filter(|(name, _)| wanted.is_empty() || wanted.contains(name));
    let read = |server: &Value| Way::read(server.as_object().ok_or("it is no object")?);
    Ok(chosen.map(|(name, server)| (name.clone(), read(server))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn way(words: &[&str]) -> Way {
        Way::new(&words.iter().map(OsString::from).collect::<Vec<_>>())
    }

    #[test]
    fn the_guard_is_found_wherever_it_stands() {
        let guard = |words: &[&str]| way(words).guard().map(|args| args.contract);
        assert_eq!(guard(&["interlock", "mcp", "--contract", "a.yaml", "--", "cat"]), Some("a.yaml".into()));
        assert_eq!(guard(&["env", "A=1", "/opt/interlock", "mcp", "--", "cat"]), Some("contract.yaml".into()));
        assert_eq!(guard(&["cat", "interlock"]), None);
        assert_eq!(guard(&["interlock", "mcp", "--frobnicate", "--", "cat"]), None);
        assert_eq!(guard(&[]), None);
    }
}
