//! Every page shows its code, and shows a way out.

use super::{Code, Diagnostics};
use crate::ast;
use crate::source::SourceFile;
#[cfg(feature = "schema")]
use crate::syntax;
use crate::syntax::file::Form;

/// The contracts of a page: an example, and what to write instead.
fn blocks(page: &str) -> Vec<(Form, String)> {
    let fences = page.split("```").skip(1).step_by(2);
    let blocks = fences.filter_map(|fence| fence.split_once('\n')).filter_map(|(info, text)| match info {
        "text contract" => Some((Form::Text, text.to_owned())),
        "yaml" if text.contains("version: 1") || text.contains("name: [") => Some((Form::Yaml, text.to_owned())),
        "yaml" => Some((Form::Yaml, format!("version: 1\nname: example\n{text}"))),
        _ => None,
    });
    blocks.collect()
}

/// What the front end says of a contract.
fn codes(form: Form, text: &str) -> Vec<Code> {
    let file = SourceFile::new("page", text);
    let mut diagnostics = Diagnostics::new();
    if let Some(node) = form.parse(&file, &mut diagnostics) {
        #[cfg(feature = "schema")]
        if form == Form::Yaml {
            syntax::yaml::second::agrees(&file, &node, &mut diagnostics);
        }
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
        let Some((form, example)) = blocks(code.page()).into_iter().next() else {
            assert!(matches!(code, Code::NotText | Code::TooLarge), "{} has no example", code.as_str());
            continue;
        };
        assert_eq!(codes(form, &example), [*code], "{example}");
    }
}

#[test]
fn the_way_out_of_every_page_is_right() {
    for code in Code::ALL {
        for (form, instead) in blocks(code.page()).into_iter().skip(1) {
            assert_eq!(codes(form, &instead), [], "{}:\n{instead}", code.as_str());
        }
    }
}
