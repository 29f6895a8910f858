use super::*;
use crate::export::fixture;

#[test]
fn a_journal_is_counted() {
    let mut out = Vec::new();
    let mut target = Prometheus::new(&mut out);
    target.journal(18, Some(9_000));
    fixture::journal().export(false, &mut target);
    let text = String::from_utf8(out).unwrap();
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/export/prometheus/expected.txt");
    if std::env::var_os("UPDATE_SNAPSHOTS").is_some() {
        std::fs::write(path, &text).unwrap();
    }
    assert_eq!(text, include_str!("expected.txt"), "set UPDATE_SNAPSHOTS=1 and look at what changes");
}
