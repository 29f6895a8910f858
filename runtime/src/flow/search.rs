//! The search for remembered values in the arguments of one call.

use super::hash::{BEGINNING, WHOLE, append, digit, hash, multiply, power, subtract};
use super::{Flow, Print, WORK, pay};

/// A search for remembered values in the texts of one call.
pub(super) struct Search<'f> {
    flow: &'f Flow,
    /// The best hit so far.
    pub(super) hit: Option<Print>,
    left: usize,
    /// The hash of the text up to each byte.
    sums: Vec<u64>,
}

impl<'f> Search<'f> {
    pub(super) fn new(flow: &'f Flow) -> Self {
        Self { flow, hit: None, left: WORK, sums: Vec::new() }
    }

    /// Searches one text; false if that would be too much work.
    pub(super) fn read(&mut self, text: &[u8]) -> bool {
        let min_length = self.flow.min_length;
        if !pay(&mut self.left, text.len().saturating_add(1)) {
            return false;
        }
        if text.len() < min_length {
            return true;
        }
        self.sums.clear();
        self.sums.push(0);
        self.sums.extend(text.iter().scan(0, |sum, byte| {
            *sum = append(*sum, *byte, WHOLE);
            Some(*sum)
        }));
        let first = text.get(..min_length).unwrap_or_default();
        let weight = power(BEGINNING, min_length);
        let mut beginning = hash(first, BEGINNING);
        let mut next = text.iter().zip(text.iter().skip(min_length));
        let mut at = 0_usize;
        loop {
            if let Some(group) = self.flow.prints.get(&beginning)
                && !self.compare(group, at)
            {
                return false;
            }
            let Some((leaves, enters)) = next.next() else { return true };
            beginning = subtract(append(beginning, *enters, BEGINNING), multiply(digit(*leaves), weight));
            at = at.saturating_add(1);
        }
    }

    /// Compares what stands at a place with values that begin so.
    fn compare(&mut self, group: &[Print], at: usize) -> bool {
        if !pay(&mut self.left, group.len()) {
            return false;
        }
        let before = self.sums.get(at).copied().unwrap_or_default();
        for print in group {
            let Some(sum) = at.checked_add(print.length).and_then(|end| self.sums.get(end)) else { continue };
            let found = subtract(*sum, multiply(before, print.weight)) == print.hash;
            if found && self.hit.is_none_or(|hit| print.rank() < hit.rank()) {
                self.hit = Some(*print);
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::Truth;

    #[test]
    fn values_of_one_beginning_cost_what_they_cost() {
        // Each has another length, and the text has their beginning everywhere, but none of them.
        let many: Vec<Value> = (8..108).map(|length| json!("a".repeat(length) + "b")).collect();
        let mut flow = Flow::new(8);
        flow.take(&many, Truth::True, 1, "list");
        let text = "a".repeat(1_000);
        let mut search = Search::new(&flow);
        assert!(search.read(text.as_bytes()) && search.hit.is_none());
        assert!(WORK.saturating_sub(search.left) > 90_000, "{}", search.left);
        search.left = 50_000;
        assert!(!search.read(text.as_bytes()));
    }
}
