//! The structure that ARCHITECTURE.md promises: arrows between crates, shims that stay shims, files that say why they exist.

#![expect(clippy::unwrap_used, clippy::panic, reason = "test code: a file that cannot be read fails the test")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use contract_lang::diagnostic::Code;
use serde_json::Value;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

fn read(path: impl AsRef<Path>) -> String {
    let path = path.as_ref();
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn cargo(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO")).args(arguments).arg("--offline").current_dir(root()).output().unwrap();
    assert!(output.status.success(), "cargo {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// The workspace's packages: folder, and the workspace's own packages that they depend on (not for tests).
fn packages() -> BTreeMap<String, (PathBuf, BTreeSet<String>)> {
    let metadata: Value = serde_json::from_str(&cargo(&["metadata", "--no-deps", "--format-version", "1"])).unwrap();
    let packages = metadata.get("packages").and_then(Value::as_array).unwrap().iter();
    let each = packages.map(|package| {
        let name = package["name"].as_str().unwrap().to_owned();
        let folder = Path::new(package["manifest_path"].as_str().unwrap()).parent().unwrap().to_owned();
        let dependencies = package["dependencies"].as_array().unwrap().iter();
        let ours = dependencies
            .filter(|dependency| dependency["path"].is_string() && dependency["kind"] != "dev")
            .map(|dependency| dependency["name"].as_str().unwrap().to_owned());
        (name, (folder, ours.collect()))
    });
    each.collect()
}

/// Every Rust file of the workspace, without build output.
fn sources() -> Vec<PathBuf> {
    fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap();
            if path.is_dir() && name != "target" && !name.starts_with('.') {
                walk(&path, found);
            } else if name.ends_with(".rs") {
                found.push(path);
            }
        }
    }
    let mut found = Vec::new();
    walk(&root(), &mut found);
    found.sort();
    found
}

#[test]
fn crates_depend_only_along_the_arrows() {
    let arrows: BTreeMap<&str, &[&str]> = BTreeMap::from([
        ("contract-runtime", &[][..]),
        ("contract-lang", &["contract-runtime"][..]),
        ("contract-macros", &["contract-lang"][..]),
        ("interlock", &["contract-runtime", "contract-macros"][..]),
        ("interlock-gateway", &["contract-lang", "contract-runtime"]),
    ]);
    // These may use everything, and nothing may use them.
    let outermost = ["interlock-cli", "interlock-tests", "loop", "mcp_guard", "quickstart", "build_script"];
    let packages = packages();
    for (name, (_, dependencies)) in &packages {
        for dependency in dependencies {
            assert!(!outermost.contains(&dependency.as_str()), "{name} → {dependency}");
            let allowed = outermost.contains(&name.as_str())
                || arrows.get(name.as_str()).is_some_and(|allowed| allowed.contains(&dependency.as_str()));
            assert!(allowed, "{name} → {dependency}");
        }
    }
    for expected in arrows.keys().chain(&outermost) {
        assert!(packages.contains_key(*expected), "there is no package {expected}");
    }
    assert_eq!(packages.len(), arrows.len().saturating_add(outermost.len()), "a package has no place in the picture");
}

#[test]
fn shims_stay_shims() {
    for (file, most) in [("cli/src/main.rs", 60), ("contract-macros/src/lib.rs", 99)] {
        let lines = read(root().join(file)).lines().count();
        assert!(lines <= most, "{file} has {lines} lines, more than {most}");
    }
}

#[test]
fn the_runtime_stays_light() {
    for (features, most) in [("", 15), ("journal", 45)] {
        let arguments = ["tree", "--package", "contract-runtime", "--edges", "normal", "--no-default-features"];
        let format = ["--features", features, "--prefix", "none", "--format", "{p}", "--no-dedupe"];
        let tree = cargo(&[&arguments[..], &format[..]].concat());
        let packages: BTreeSet<&str> = tree.lines().filter(|line| !line.is_empty()).collect();
        assert!(
            packages.len() <= most,
            "with `{features}` {} packages, more than {most}: {packages:#?}",
            packages.len()
        );
    }
}

#[test]
fn what_is_shipped_forbids_unsafe_code() {
    assert!(read(root().join("Cargo.toml")).contains("unsafe_code = \"forbid\""));
    for (name, (folder, _)) in packages() {
        let manifest = read(folder.join("Cargo.toml"));
        let inherits = manifest.contains("[lints]\nworkspace = true");
        let own = manifest.contains("unsafe_code = \"forbid\"");
        // Tests count allocations, and an allocator is unsafe by its signature.
        assert!(inherits || own || name == "interlock-tests", "{name} does not forbid unsafe code");
    }
}

#[test]
fn no_file_is_unsafe_and_no_test_is_switched_off() {
    let ours = root().join("tests");
    for path in sources() {
        let text = read(&path);
        // In two parts, so that this file does not find itself.
        let off = text.contains(concat!("#[ig", "nore"));
        let counts_allocations = path.starts_with(&ours) && text.contains("GlobalAlloc");
        let is_unsafe =
            [" {", " fn", " impl", " trait"].iter().any(|what| text.contains(&format!("{}{what}", "unsafe")));
        assert!(!off, "{} switches a test off", path.display());
        assert!(!is_unsafe || counts_allocations, "{} is unsafe", path.display());
    }
}

#[test]
fn every_file_says_why_it_exists() {
    let root = root();
    let is_library = |path: &PathBuf| {
        let path = path.strip_prefix(&root).unwrap();
        let outermost = path.starts_with("tests") || path.starts_with("examples");
        // A module of tests is explained by the module that it tests.
        let tests = path.ends_with("tests.rs") || path.iter().any(|part| part == "tests");
        path.iter().any(|part| part == "src") && !outermost && !tests
    };
    let silent = sources().into_iter().filter(is_library).filter(|path| !read(path).starts_with("//! "));
    assert_eq!(silent.collect::<Vec<_>>(), Vec::<PathBuf>::new(), "these files do not begin with module docs");
}

#[test]
fn every_diagnostic_has_a_page_and_every_page_a_diagnostic() {
    let folder = root().join("contract-lang/src/diagnostic/pages");
    for code in Code::ALL {
        let page = read(folder.join(format!("{}.md", code.as_str())));
        assert!(page.starts_with(&format!("# {}: ", code.as_str())), "{}", code.as_str());
        let sections: Vec<_> = page.lines().filter(|line| line.starts_with("## ")).collect();
        assert_eq!(sections, ["## What it means", "## Example", "## What to write instead"], "{}", code.as_str());
    }
    let pages = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
    let stray = pages.filter(|page| Code::from_spelling(page.file_stem().unwrap().to_str().unwrap()).is_none());
    assert_eq!(stray.collect::<Vec<_>>(), Vec::<PathBuf>::new(), "these pages have no diagnostic");
}

#[test]
fn generated_code_names_the_crate_only_through_its_hidden_module() {
    // What the generator writes after `#krate::` is either the hidden module or nothing at all.
    let root = root();
    for path in sources().iter().filter(|path| path.starts_with(root.join("contract-lang/src/codegen"))) {
        let text = read(path);
        for rest in text.split("#krate").skip(1) {
            let name = rest.trim_start().trim_start_matches("::").trim_start();
            assert!(name.starts_with("__private"), "{}: `#krate{}…`", path.display(), rest.lines().next().unwrap());
        }
    }
}
