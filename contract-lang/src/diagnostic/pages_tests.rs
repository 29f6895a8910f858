//! Every page shows its code, and shows a way out.

use super::{Code, Diagnostics};
use crate::source::SourceFile;
use crate::{ast, syntax};

/// The YAML blocks of a page: an example, and what to write instead.
fn blocks(page: &str) -> Vec<String> {
    let blocks = page.split("```yaml\n").skip(1).filter_map(|rest| rest.split("```").next());
    blocks
        .map(|block| match block.contains("version: 1") || block.contains("name: [") {
            true => block.to_owned(),
            false => format!("version: 1\nname: example\n{block}"),
        })
        .collect()
}

/// What the front end says of a contract.
fn codes(text: &str) -> Vec<Code> {
    let file = SourceFile::new("page", text);
    let mut diagnostics = Diagnostics::new();
    if let Some(node) = syntax::yaml::parse(&file, &mut diagnostics) {
        #[cfg(feature = "schema")]
        syntax::yaml::second::agrees(&file, &node, &mut diagnostics);
        ast::decode(&node, &mut diagnostics);
    }
    diagnostics.iter().map(|diagnostic| diagnostic.code).collect()
}

#[test]
fn every_page_has_its_title_and_sections() {
    for code in Code::ALL {
        let page = code.page();
        assert!(page.starts_with(&format!("# {}: ", code.as_str())), "{}", code.as_str());
        for heading in ["## What it means", "## Example", "## What to write instead"] {
            assert!(page.contains(heading), "{}: {heading}", code.as_str());
        }
    }
}

#[test]
fn the_example_of_a_front_end_code_shows_it() {
    let front = |code: &&Code| code.as_str() < "IL0300" && (cfg!(feature = "schema") || **code != Code::AmbiguousYaml);
    for code in Code::ALL.iter().filter(front) {
        let Some(example) = blocks(code.page()).into_iter().next() else {
            assert!(matches!(code, Code::NotText | Code::TooLarge), "{} has no example", code.as_str());
            continue;
        };
        assert_eq!(codes(&example), [*code], "{example}");
    }
}

#[test]
fn the_way_out_of_every_page_is_right() {
    for code in Code::ALL {
        for instead in blocks(code.page()).into_iter().skip(1) {
            assert_eq!(codes(&instead), [], "{}:\n{instead}", code.as_str());
        }
    }
}
