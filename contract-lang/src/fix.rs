//! Mistakes whose correction is certain, corrected in the text of a contract: its comments and layout stay.
//!
//! INVARIANT: the text that comes of it was checked. It has none of the findings that were corrected, and no error that the text
//! before did not have, unless one that was hidden behind them and whose correction is certain, too.

use std::collections::BTreeMap;

use crate::check::Checked;
use crate::diagnostic::{Applicability, Code, Diagnostic, Level};
use crate::source::Span;

/// Most checks of one file: each round of corrections takes one, and each correction that does not hold another.
const MOST_CHECKS: usize = 64;

/// A contract with what could be corrected in it.
#[derive(Clone, Debug)]
pub struct Fixed {
    /// The contract as it is then. Its text is that of its source.
    pub checked: Checked,
    /// How many findings were corrected.
    pub corrected: usize,
    /// Those whose correction did not hold and was undone.
    pub undone: Vec<Diagnostic>,
}

/// Applies the certain corrections of a contract. `check` checks a text as the contract was checked.
pub fn fix(checked: Checked, mut check: impl FnMut(&str) -> Checked) -> Fixed {
    let mut fixed = Fixed { checked, corrected: 0, undone: Vec::new() };
    // All that there are, and if these do not hold together, one at a time.
    let mut most = usize::MAX;
    for _ in 0..MOST_CHECKS {
        let edits: Vec<_> = edits(&fixed).into_iter().take(most).collect();
        let Some(first) = edits.first() else { break };
        let next = check(&applied(fixed.checked.source.text(), &edits));
        if holds(&fixed.checked, &edits, &next) {
            fixed.corrected = fixed.corrected.saturating_add(edits.len());
            fixed.checked = next;
        } else if edits.len() == 1 {
            let undone = first.finding.clone();
            fixed.undone.push(undone);
        } else {
            most = 1;
        }
    }
    fixed
}

/// A correction of a finding.
struct Edit<'a> {
    finding: &'a Diagnostic,
    span: Span,
    text: &'a str,
}

/// The certain correction of a finding.
fn certain(found: &Diagnostic) -> Option<&(Span, String)> {
    let help = found.help.iter().find(|help| help.applicability == Applicability::Certain)?;
    help.replacement.as_ref()
}

/// The certain corrections that were not undone, by place; of those that overlap, the first.
fn edits(fixed: &Fixed) -> Vec<Edit<'_>> {
    let was_undone = |found: &Diagnostic| fixed.undone.iter().any(|undone| key(undone) == key(found));
    let found = fixed.checked.diagnostics.iter().filter(|found| !was_undone(found));
    let certain = found.filter_map(|finding| certain(finding).map(|(span, text)| Edit { finding, span: *span, text }));
    let mut edits: Vec<_> = certain.collect();
    edits.sort_by_key(|edit| edit.span);
    edits.dedup_by(|next, last| next.span.start < last.span.end || next.span == last.span);
    edits
}

/// A text with its corrections, which are in order.
fn applied(text: &str, edits: &[Edit<'_>]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for edit in edits {
        out.push_str(text.get(done..edit.span.start as usize).unwrap_or_default());
        out.push_str(edit.text);
        done = edit.span.end as usize;
    }
    out.push_str(text.get(done..).unwrap_or_default());
    out
}

/// What a finding says, wherever it is: corrections move what follows them.
fn key(found: &Diagnostic) -> (Code, &str) {
    (found.code, &found.message)
}

/// How often each thing is found.
fn count(checked: &Checked) -> BTreeMap<(Code, &str), usize> {
    let mut counts = BTreeMap::new();
    for found in &checked.diagnostics {
        let count: &mut usize = counts.entry(key(found)).or_default();
        *count = count.saturating_add(1);
    }
    counts
}

/// Whether the findings that were corrected are gone, and no error has come that cannot be corrected as they were.
fn holds(before: &Checked, edits: &[Edit<'_>], after: &Checked) -> bool {
    let mut most = count(before);
    for edit in edits {
        most.entry(key(edit.finding)).and_modify(|count| *count = count.saturating_sub(1));
    }
    let now = count(after);
    let matters = |found: &Diagnostic| {
        let is_left = found.level == Level::Error && certain(found).is_none();
        is_left || edits.iter().any(|edit| key(edit.finding) == key(found))
    };
    let of = |counts: &BTreeMap<_, usize>, found| counts.get(&key(found)).copied().unwrap_or(0);
    after.diagnostics.iter().filter(|found| matters(found)).all(|found| of(&now, found) <= of(&most, found))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Options, check};

    fn fixed(name: &str, text: &str) -> Fixed {
        let run = |text: &str| check(name, text.as_bytes(), &Options::default());
        fix(run(text), run)
    }

    #[test]
    fn what_is_certain_is_corrected_and_the_rest_of_the_text_stays() {
        let text = "version: 1 # the first\r\nname: x\r\nzzz: no\r\n\r\ntools: { pay: { efect: wirte } }\r\nrules:\r\n\
                    - id: r\r\n  call: pay   # each\r\n  require: args.a AND args.b\r\n";
        let found = fixed("x.yaml", text);
        let expected = text.replace("efect: wirte", "effect: write").replace("AND", "and");
        assert_eq!((found.checked.source.text(), found.corrected), (expected.as_str(), 3));
        assert!(found.undone.is_empty());
        // `zzz` is no field of a contract, and near to none.
        assert_eq!(found.checked.diagnostics.len(), 1);
    }

    #[test]
    fn the_text_form_is_corrected_too() {
        let text = "contract x {\n  version 1 # the first\n  tool pay { effect raed } // reads\n  rule r { call pay; require args.a OR true }\n}\n";
        let found = fixed("x.contract", text);
        let expected = text.replace('#', "//").replace("raed", "read").replace("OR", "or");
        assert_eq!(found.checked.source.text(), expected, "{:?}", found.checked.diagnostics);
    }

    #[test]
    fn a_correction_that_does_not_hold_is_undone_and_the_others_stay() {
        let text = "version: 1\nname: x\ndefualt: block\ntools: { a: { effect: raed } }\nmode: shadwo\n";
        let checked = check("x.yaml", text.as_bytes(), &Options::default());
        // A check that finds something new once `mode` is right.
        let found = fix(checked, |text| {
            let mut checked = check("x.yaml", text.as_bytes(), &Options::default());
            if text.contains("shadow") {
                checked.diagnostics.push(Diagnostic::new(Code::NoBound, Span::default(), "another"));
            }
            checked
        });
        let expected = text.replace("defualt", "default").replace("raed", "read");
        assert_eq!((found.checked.source.text(), found.corrected, found.undone.len()), (expected.as_str(), 2, 1));
    }

    #[test]
    fn guesses_are_left_to_people() {
        let text = "version: 1\nname: x\nstate: { user: { type: string, initial: a } }\nrules:\n- id: r\n  call: any\n  \
                    require: state.usr == 'a'\n";
        let found = fixed("x.yaml", &text.replace("'a'", "args.a"));
        assert_eq!((found.corrected, found.checked.diagnostics.is_empty()), (0, false));
    }
}
