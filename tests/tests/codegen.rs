//! The generated Rust: readable, the same each time, the same from the macro's and the build script's way in.

use std::path::{Path, PathBuf};

use contract_lang::{Build, codegen};

fn here() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn generated(contract: &Path) -> String {
    let loaded = contract_lang::load(contract).unwrap_or_else(|error| panic!("{error}"));
    codegen::format(codegen::generate(&loaded.contract, &codegen::Options::default())).unwrap()
}

/// Compares with the committed text; `UPDATE_SNAPSHOTS=1` writes it anew.
fn snapshot(name: &str, text: &str) {
    let path = here().join("snapshots").join(name);
    if std::env::var_os("UPDATE_SNAPSHOTS").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        committed == text,
        "{name} differs from the committed snapshot; look at it with UPDATE_SNAPSHOTS=1 and git diff"
    );
}

#[test]
fn generated_code_is_reviewed_like_code() {
    snapshot("good.rs", &generated(&here().join("fixtures/contracts/good.yaml")));
    snapshot("payments.rs", &generated(&here().join("../interlock/examples/payments.yaml")));
}

#[test]
fn every_contract_of_the_corpus_generates_the_same_rust_twice() {
    let contracts = std::fs::read_dir(here().join("contracts")).unwrap().map(|entry| entry.unwrap().path());
    let mut contracts: Vec<PathBuf> =
        contracts.filter(|path| path.extension().is_some_and(|ext| ext == "yaml")).collect();
    contracts.sort();
    assert!(contracts.len() >= 30);
    for contract in contracts {
        assert_eq!(generated(&contract), generated(&contract), "{}", contract.display());
    }
}

#[test]
fn a_build_script_writes_what_the_macro_expands_to() {
    let contract = here().join("fixtures/contracts/good.yaml");
    let out_dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("build");
    let build = Build::new().contract(&contract).out_dir(&out_dir);
    let built = build.try_compile().unwrap();
    assert_eq!(built.files, std::slice::from_ref(&contract));
    let target = out_dir.join("interlock/good.rs");
    assert_eq!(std::fs::read_to_string(&target).unwrap(), generated(&contract));
    let written = std::fs::metadata(&target).unwrap().modified().unwrap();
    build.try_compile().unwrap();
    assert_eq!(std::fs::metadata(&target).unwrap().modified().unwrap(), written, "an unchanged file keeps its time");
}
