//! The `contracts!` macro in crates of its own: what compiles, and what the compiler says if the contract is wrong.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn here() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Lays out a package of its own that knows the crate `interlock` of this workspace under some name.
fn package(name: &str, edition: &str, dependency: &str, bins: &[&str]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let root = here().parent().unwrap();
    for sub in ["src/bin", "contracts"] {
        std::fs::create_dir_all(folder.join(sub)).unwrap();
    }
    for file in ["good.yaml", "bad.yaml", "good.contract"] {
        std::fs::copy(here().join("fixtures/contracts").join(file), folder.join("contracts").join(file)).unwrap();
    }
    for bin in bins {
        let file = format!("{bin}.rs");
        std::fs::copy(here().join("fixtures/bin").join(&file), folder.join("src/bin").join(&file)).unwrap();
    }
    // The same versions of everything: what the workspace was built with is at hand.
    std::fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock")).unwrap();
    let path = root.join("interlock").display().to_string();
    let manifest = format!(
        "[package]\nname = \"{name}\"\nversion = \"0.0.0\"\nedition = \"{edition}\"\n\n[workspace]\n\n[dependencies]\n\
         {dependency} = {{ package = \"interlock\", path = {path:?} }}\n"
    );
    std::fs::write(folder.join("Cargo.toml"), manifest).unwrap();
    folder
}

fn cargo(folder: &Path, args: &[&str]) -> Output {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("packages");
    Command::new(env!("CARGO"))
        .args(args)
        .arg("--offline")
        .current_dir(folder)
        .env("CARGO_TARGET_DIR", target)
        .env_remove("RUSTFLAGS")
        .output()
        .unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn generated_code_is_a_good_guest() {
    for (name, edition, dependency, bin) in [
        ("strict-2021", "2021", "interlock", "strict"),
        ("strict-2024", "2024", "interlock", "strict"),
        ("renamed-2021", "2021", "guard", "renamed"),
        ("renamed-2024", "2024", "guard", "renamed"),
        ("inline-2021", "2021", "interlock", "inline"),
        ("inline-2024", "2024", "interlock", "inline"),
    ] {
        let folder = package(name, edition, dependency, &[bin]);
        let output = cargo(&folder, &["check", "--bins"]);
        assert!(output.status.success(), "{name}: {}", stderr(&output));
    }
}

#[test]
fn errors_show_the_contract() {
    let folder = package("wrong", "2024", "interlock", &["bad", "missing"]);
    let output = cargo(&folder, &["check", "--bin", "bad"]);
    let said = stderr(&output);
    assert!(!output.status.success());
    for expected in [
        "`frist` is no field of `must_precede`",
        "did you mean `first`?",
        "contracts/bad.yaml:8:",
        "must_precede: { frist: look, then: act }",
        "contracts/bad.yaml:11:",
        "require: args.amount <= 10 and and args.id",
    ] {
        assert!(said.contains(expected), "missing `{expected}` in:\n{said}");
    }
    let output = cargo(&folder, &["check", "--bin", "missing"]);
    let said = stderr(&output);
    assert!(!output.status.success());
    assert!(said.contains("cannot read the contract") && said.contains("contracts/nowhere.yaml"), "{said}");
}

#[test]
fn errors_of_an_inline_contract_stand_at_their_own_lines() {
    let folder = package("inline-wrong", "2024", "interlock", &["inline_bad"]);
    let output = cargo(&folder, &["check", "--bin", "inline_bad"]);
    let said = stderr(&output);
    assert!(!output.status.success());
    for expected in [
        "`frist` is no field of `must_precede`",
        "did you mean `first`?",
        "src/bin/inline_bad.rs:10:28",
        "expected a value, found `and`",
        "src/bin/inline_bad.rs:16:43",
    ] {
        assert!(said.contains(expected), "missing `{expected}` in:\n{said}");
    }
}
