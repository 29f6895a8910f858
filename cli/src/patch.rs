//! What differs between two texts, as a patch in the unified format.

use std::fmt::Write as _;

use contract_lang::diagnostic::render::escape;

/// Lines that are shown around a change.
const CONTEXT: usize = 3;

/// Most pairs of lines that are compared; beyond, all lines between the first and the last change count as changed.
const MOST: usize = 4_000_000;

/// A line of a patch.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Line<'a> {
    Same(&'a str),
    Old(&'a str),
    New(&'a str),
}

/// The patch that makes the new text of the old one. Hidden characters are shown escaped, so that a terminal may have it.
pub(crate) fn unified(name: &str, old: &str, new: &str) -> String {
    let lines = compare(&old.split_inclusive('\n').collect::<Vec<_>>(), &new.split_inclusive('\n').collect::<Vec<_>>());
    let mut out = format!("--- {name}\n+++ {name}\n");
    for (start, end) in hunks(&lines) {
        let before = lines.get(..start).unwrap_or_default();
        let hunk = lines.get(start..end).unwrap_or_default();
        let range = |skipped: fn(&Line<'_>) -> bool| {
            let count = |lines: &[Line<'_>]| lines.iter().filter(|line| !skipped(line)).count();
            // An empty range is named by the line before it.
            let first = count(before).saturating_add(usize::from(count(hunk) > 0));
            format!("{first},{}", count(hunk))
        };
        let (from, to) = (range(|line| matches!(line, Line::New(_))), range(|line| matches!(line, Line::Old(_))));
        // Writing to a string does not fail.
        let _ = writeln!(out, "@@ -{from} +{to} @@");
        for line in hunk {
            let (mark, text) = match line {
                Line::Same(text) => (' ', text),
                Line::Old(text) => ('-', text),
                Line::New(text) => ('+', text),
            };
            let whole = text.strip_suffix('\n');
            let _ = writeln!(out, "{mark}{}", escape(whole.unwrap_or(text)));
            if whole.is_none() {
                out.push_str("\\ No newline at end of file\n");
            }
        }
    }
    out
}

/// The stretches of lines that are shown: changes with what is around them.
fn hunks(lines: &[Line<'_>]) -> Vec<(usize, usize)> {
    let mut hunks: Vec<(usize, usize)> = Vec::new();
    let changed = lines.iter().enumerate().filter(|(_, line)| !matches!(line, Line::Same(_)));
    for (at, _) in changed {
        let start = at.saturating_sub(CONTEXT);
        let end = at.saturating_add(CONTEXT).saturating_add(1).min(lines.len());
        match hunks.last_mut() {
            Some(last) if start <= last.1 => last.1 = end,
            _ => hunks.push((start, end)),
        }
    }
    hunks
}

/// Both texts, line by line: what is common to them in their order, and what is not.
fn compare<'a>(old: &[&'a str], new: &[&'a str]) -> Vec<Line<'a>> {
    let same =
        |pairs: &mut dyn Iterator<Item = (&&'a str, &&'a str)>| pairs.take_while(|(old, new)| old == new).count();
    let head = same(&mut old.iter().zip(new));
    let (old_rest, new_rest) = (old.get(head..).unwrap_or_default(), new.get(head..).unwrap_or_default());
    let tail = same(&mut old_rest.iter().rev().zip(new_rest.iter().rev()));
    let middle = |rest: &'_ [&'a str]| rest.get(..rest.len().saturating_sub(tail)).unwrap_or_default().to_vec();
    let (old_middle, new_middle) = (middle(old_rest), middle(new_rest));
    let mut lines: Vec<_> = old.iter().take(head).map(|line| Line::Same(line)).collect();
    lines.extend(between(&old_middle, &new_middle));
    lines.extend(old_rest.iter().skip(old_middle.len()).map(|line| Line::Same(line)));
    lines
}

/// The same where neither the first lines nor the last ones are equal: by the longest common subsequence.
fn between<'a>(old: &[&'a str], new: &[&'a str]) -> Vec<Line<'a>> {
    if old.len().saturating_mul(new.len()) > MOST {
        return old.iter().map(|line| Line::Old(line)).chain(new.iter().map(|line| Line::New(line))).collect();
    }
    // For each pair of rests, how long what they have in common is.
    let mut common = vec![vec![0_u32; new.len().saturating_add(1)]; old.len().saturating_add(1)];
    let at = |common: &[Vec<u32>], i: usize, j: usize| common.get(i).and_then(|row| row.get(j)).copied().unwrap_or(0);
    for (i, line) in old.iter().enumerate().rev() {
        for (j, other) in new.iter().enumerate().rev() {
            let (down, right) = (i.saturating_add(1), j.saturating_add(1));
            let longest = match line == other {
                true => at(&common, down, right).saturating_add(1),
                false => at(&common, down, j).max(at(&common, i, right)),
            };
            if let Some(cell) = common.get_mut(i).and_then(|row| row.get_mut(j)) {
                *cell = longest;
            }
        }
    }
    let (mut i, mut j) = (0_usize, 0_usize);
    let mut lines = Vec::new();
    loop {
        let (down, right) = (i.saturating_add(1), j.saturating_add(1));
        match (old.get(i), new.get(j)) {
            (Some(line), Some(other)) if line == other => {
                lines.push(Line::Same(line));
                (i, j) = (down, right);
            }
            (Some(line), other) if other.is_none() || at(&common, down, j) >= at(&common, i, right) => {
                lines.push(Line::Old(line));
                i = down;
            }
            (_, Some(other)) => {
                lines.push(Line::New(other));
                j = right;
            }
            _ => return lines,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::unified;

    #[test]
    fn changes_are_shown_with_what_is_around_them() {
        let old: String = (1..=20).map(|n| format!("line {n}\n")).collect();
        let new =
            old.replace("line 4\n", "line four\nand more\n").replace("line 19\n", "").replace("line 20\n", "\u{202e}");
        let expected = "\
--- a
+++ a
@@ -1,7 +1,8 @@
 line 1
 line 2
 line 3
-line 4
+line four
+and more
 line 5
 line 6
 line 7
@@ -16,5 +17,4 @@
 line 16
 line 17
 line 18
-line 19
-line 20
+\\u{202e}
\\ No newline at end of file
";
        assert_eq!(unified("a", &old, &new), expected);
        assert_eq!(unified("a", "", "x\n"), "--- a\n+++ a\n@@ -0,0 +1,1 @@\n+x\n");
    }

    #[test]
    fn long_texts_take_bounded_work() {
        let text = |of: &str| (0..10_000).map(|n| format!("{of} {n}\n")).collect::<String>();
        assert_eq!(unified("a", &text("a"), &text("b")).lines().count(), 20_003);
    }
}
