//! What is different in two texts, line by line.

/// Lines that one text has in place of those of another.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Change {
    /// The lines that are gone.
    pub old: Vec<String>,
    /// The lines that are new.
    pub new: Vec<String>,
}

/// The difference: all but the lines that are equal at both ends.
pub(super) fn change(old: &str, new: &str) -> Change {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let same = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
    let (old, new) = (old.get(same..).unwrap_or_default(), new.get(same..).unwrap_or_default());
    let tail = old.iter().rev().zip(new.iter().rev()).take_while(|(old, new)| old == new).count();
    let old = old.get(..old.len().saturating_sub(tail)).unwrap_or_default();
    let new = new.get(..new.len().saturating_sub(tail)).unwrap_or_default();
    let owned = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect();
    Change { old: owned(old), new: owned(new) }
}
