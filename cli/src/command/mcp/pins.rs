//! What is known of a server's tools before it lists them: the contract's catalogs, or a file of pins.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use interlock_gateway::mcp::{Keeper, Pins};

use super::{shown, tell};
use crate::replace;

/// The largest file that is read.
const LARGEST: u64 = 16 << 20;

/// What is known of the tools of a server, in all sessions.
#[derive(Default)]
pub(super) struct Known {
    pins: Arc<Mutex<Option<Pins>>>,
    /// Where the pins of the first list go.
    file: Option<PathBuf>,
    server: Option<String>,
}

impl Known {
    /// What the catalogs of the contract say, or a file of pins.
    pub(super) fn new(catalogs: &[PathBuf], file: Option<&Path>, server: Option<&str>) -> Result<Self, String> {
        let lists = catalogs.iter().filter_map(|path| Pins::of_list(&read(path).ok()?, server));
        let mut pins = lists.reduce(Pins::and);
        if let Some(path) = file {
            if pins.is_some() {
                return Err("the catalogs of the contract are the pins; leave `--pins` out".to_owned());
            }
            let name = shown(path);
            match read(path) {
                Ok(text) => {
                    let read = Pins::read(&text, server);
                    pins = Some(read.map_err(|why| format!("the pins `{name}` cannot be used: {why}"))?);
                }
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(format!("the pins `{name}` cannot be read: {error}")),
            }
        }
        let pins = Arc::new(Mutex::new(pins));
        Ok(Self { pins, file: file.map(Path::to_owned), server: server.map(str::to_owned) })
    }

    /// The pins, where there are some by now.
    pub(super) fn pins(&self) -> Option<Pins> {
        self.pins.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Who keeps the first list, where one is to be kept.
    pub(super) fn keep(&self) -> Option<Keeper> {
        let path = self.file.clone()?;
        let (kept, server) = (Arc::clone(&self.pins), self.server.clone());
        Some(Box::new(move |pins| {
            let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
            if kept.is_some() {
                return;
            }
            *kept = Some(pins.clone());
            let name = shown(&path);
            match replace::create(&path, &pins.write(server.as_deref())) {
                Ok(()) => tell(&format!("the tools are pinned in `{name}`, as the server lists them now")),
                Err(error) => tell(&format!("the tools are not pinned: `{name}` cannot be written: {error}")),
            }
        }))
    }
}

fn read(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    File::open(path)?.take(LARGEST.saturating_add(1)).read_to_string(&mut text)?;
    if text.len() as u64 > LARGEST { Err(io::Error::other("it is larger than 16 MiB")) } else { Ok(text) }
}

/// What the catalogs of a contract are, of the files that it was read from.
pub(super) fn catalogs(files: &[PathBuf]) -> &[PathBuf] {
    files.get(1..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn the_first_list_is_kept_and_then_is_what_is_known() {
        let folder = std::env::temp_dir().join(format!("interlock-pins-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let (path, list) = (folder.join("pins.json"), folder.join("tools.json"));
        let text = r#"{"tools":[{"name":"t","description":"d","inputSchema":{}}]}"#;
        fs::write(&list, text).unwrap();
        let first = Known::new(&[], Some(&path), Some("s")).unwrap();
        let pins = Pins::of_list(text, Some("s")).unwrap();
        assert!(first.pins().is_none());
        first.keep().unwrap()(&pins);
        assert_eq!(first.pins(), Some(pins.clone()));
        let second = Known::new(&[], Some(&path), Some("s")).unwrap();
        assert_eq!(second.pins().map(|known| known.write(Some("s"))), Some(pins.write(Some("s"))));
        assert!(Known::new(&[], Some(&path), Some("other")).is_err());
        assert_eq!(Known::new(std::slice::from_ref(&list), None, None).unwrap().pins(), Some(pins));
        assert!(Known::new(&[list], Some(&path), Some("s")).is_err());
        // What somebody else wrote in the meantime stays.
        assert!(replace::create(&path, "x").is_err());
        fs::remove_dir_all(&folder).unwrap();
    }
}
