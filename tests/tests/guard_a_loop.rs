//! The page "guard any loop in 40 lines": its code is the example, it has 40 lines, and it does what the page says.

use std::fs;
use std::path::PathBuf;

#[path = "../../examples/loop/src/main.rs"]
mod example;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap()
}

#[test]
fn the_page_shows_the_example() {
    let page = read("docs/guard-a-loop.md");
    let code = read("examples/loop/src/main.rs");
    assert!(code.lines().count() <= 40, "{} lines", code.lines().count());
    assert!(page.contains(&format!("```rust\n{code}```\n")));
    assert!(page.contains(&format!("```yaml contract\n{}```\n", read("examples/loop/contract.yaml"))));
}

#[test]
fn the_loop_is_guarded() {
    let contract = root().join("examples/loop/contract.yaml");
    let answers = example::agent(contract.to_str().unwrap()).unwrap();
    let expected = [
        "look-before-you-delete",
        "\"ssn\":\"[redacted]\"",
        "{\"deleted\":\"r1\"}",
        "look-before-you-delete",
        "`drop_table` did not run",
    ];
    assert_eq!(answers.len(), expected.len());
    for (answer, expected) in answers.iter().zip(expected) {
        assert!(answer.to_string().contains(expected), "{answer} does not say {expected}");
    }
    // Where a program is run, it finds its contract by the path that it is given.
    let _ = example::main;
}
