//! The page on the format of journals says what is so: its tables are those of the code, its journal verifies to the byte.
//!
//! `UPDATE_DOCS=1` writes these parts anew.

use std::fs;
use std::path::{Path, PathBuf};

use contract_runtime::journal::record::{
    Agent, Broken, COMMON_FIELDS, Content, ContractId, Counts, Finding, KINDS, Member, Place, Previous, RuleEnd, Shape,
    States,
};
use contract_runtime::journal::verify::{Code, Options, Remark, verify};
use interlock_tests::journals::{ARGS, Maker, RESULT, bytes, key, secret};

const NAMED: &[(&str, &str, &[Member])] = &[
    ("content", "a value of the agent's, by its digest", Content::MEMBERS),
    ("finding", "what one rule found", Finding::MEMBERS),
    ("states", "states of a rule's automaton", States::MEMBERS),
    ("agent", "an agent, as its host named it", Agent::MEMBERS),
    ("contract id", "a version of a contract", ContractId::MEMBERS),
    ("previous", "the segment before", Previous::MEMBERS),
    ("counts", "how many calls were decided how", Counts::MEMBERS),
    ("rule end", "what a rule came to", RuleEnd::MEMBERS),
    ("broken", "a journal that does not hold", Broken::MEMBERS),
    ("place", "a record", Place::MEMBERS),
];

fn page() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("docs/evidence.md")
}

fn shape(shape: &Shape) -> String {
    match shape {
        Shape::Bool => "`true` or `false`".into(),
        Shape::Integer => "integer".into(),
        Shape::Text => "string".into(),
        Shape::Time => "time".into(),
        Shape::Hex(size) => format!("{size} bytes"),
        Shape::Base64(size) => format!("{size} bytes in base64"),
        Shape::Word(words) => words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", "),
        Shape::Nullable(inner) => format!("{}, or `null`", self::shape(inner)),
        Shape::List(inner) => format!("list of: {}", self::shape(inner)),
        Shape::Object(members) => {
            let names = |members: &[Member]| members.iter().map(|member| member.name).collect::<Vec<_>>();
            let named = NAMED.iter().find(|(_, _, named)| names(named) == names(members));
            format!("*{}*", named.unwrap_or_else(|| panic!("{:?} has no name", names(members))).0)
        }
    }
}

fn table(members: &[Member]) -> String {
    let row = |member: &Member| format!("| `{}` | {} | {} |\n", member.name, shape(&member.shape), member.about.trim());
    let head = "| field | | |\n|---|---|---|\n";
    head.to_owned() + &members.iter().map(row).collect::<String>()
}

fn fields() -> String {
    let mut out = format!("All records have:\n\n{}", table(COMMON_FIELDS));
    for kind in KINDS {
        out += &format!("\n### `{}`\n\n{}\n\n{}", kind.name, kind.about.trim(), table(kind.fields));
    }
    out += "\n### Parts\n";
    for (name, about, members) in NAMED {
        out += &format!("\n*{name}*: {about}.\n\n{}", table(members));
    }
    out
}

fn list<C: std::fmt::Display>(all: &[(C, &'static str)]) -> String {
    let row = |(code, about): &(C, &str)| format!("| `{code}` | {} |\n", about.trim());
    "| code | |\n|---|---|\n".to_owned() + &all.iter().map(row).collect::<String>()
}

fn journal() -> Vec<u8> {
    let mut maker = Maker::new(1, Some(key(1)));
    maker.start("s1").call("s1", "pay").end("s1").checkpoint();
    bytes(maker.lines())
}

/// Where the part between the two marks begins and ends.
fn part(page: &str, name: &str) -> std::ops::Range<usize> {
    let (begin, end) = (format!("<!-- {name} -->\n"), format!("<!-- /{name} -->"));
    let from = page.find(&begin).unwrap() + begin.len();
    from..page.find(&end).unwrap()
}

#[test]
fn the_page_says_what_the_code_says() {
    let mut page_text = fs::read_to_string(page()).unwrap();
    let journal = format!("```jsonl\n{}```\n", String::from_utf8(journal()).unwrap());
    let parts =
        [("journal", journal), ("fields", fields()), ("codes", list(Code::ALL)), ("remarks", list(Remark::ALL))];
    for (name, expected) in parts {
        let range = part(&page_text, name);
        if std::env::var_os("UPDATE_DOCS").is_some() {
            page_text.replace_range(range, &expected);
        } else {
            assert_eq!(page_text[range], expected, "`UPDATE_DOCS=1 cargo test --test evidence` writes `{name}` anew");
        }
    }
    if std::env::var_os("UPDATE_DOCS").is_some() {
        fs::write(page(), page_text).unwrap();
    }
}

#[test]
fn the_journal_of_the_page_holds() {
    let text = fs::read_to_string(page()).unwrap();
    let block = text[part(&text, "journal")].trim_start_matches("```jsonl\n").trim_end_matches("```\n");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("evidence");
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join("audit.jsonl");
    fs::write(&path, block).unwrap();
    let report = verify(&path, &Options { trust: vec![key(1).public()], ..Options::default() }).unwrap();
    assert!(report.holds() && report.trusted, "{report:?}");
    assert_eq!((report.records, report.attested), (7, 6));
    for digested in [ARGS, RESULT] {
        let digest = secret().digests().digest(digested.as_bytes()).to_string();
        assert!(text.contains(&format!("`{digested}`")) && block.contains(&digest));
    }
}
