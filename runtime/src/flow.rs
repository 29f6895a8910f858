//! What a `no_flow` rule remembers: fingerprints of the values that results brought, to be found again in arguments.
//!
//! A value is found by its beginning: a rolling hash over the shortest length that counts goes through each text of the
//! arguments, and only where it meets the beginning of a value is the rest compared, by a second hash.
//!
//! INVARIANT: no text of a value is kept, only its length and two hashes. There are at most [`MOST`] of them, and the work on
//! one result or call is bounded by [`WORK`]; where either does not suffice, the rule is not established. An equal text has
//! equal hashes, so nothing that was remembered is missed; a chance hit only stops a call too many.

mod hash;
mod search;

use std::borrow::Cow;
use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use foldhash::fast::RandomState;
use serde_json::{Value, json};

use self::hash::{BEGINNING, MODULUS, WHOLE, hash, power};
use self::search::Search;
use crate::single::{Admission, Stateless};
use crate::{Decimal, Reason, Truth, Verdict};

/// Most values that are remembered.
const MOST: usize = 16_384;

/// Most steps of work on one result or one call: about one for each byte.
const WORK: usize = 1 << 25;

/// What a `no_flow` rule remembers.
#[derive(Clone, Debug)]
pub struct Flow {
    min_length: usize,
    /// The values, by the hash of their first `min_length` bytes.
    prints: HashMap<u64, Vec<Print>, RandomState>,
    kept: usize,
    /// The calls whose results the values came from: position and tool.
    sources: BTreeMap<u64, Box<str>>,
    /// Whether there were values that could not be kept.
    full: bool,
    past: Stateless,
}

/// A value.
#[derive(Clone, Copy, Debug)]
struct Print {
    length: usize,
    hash: u64,
    /// What a byte weighs that stands `length` bytes before the end of a text.
    weight: u64,
    /// The position of the call that brought it.
    source: u64,
    /// Whether the source certainly is one that the rule speaks of.
    certain: bool,
}

impl Print {
    /// Of several results that brought a value, and of several values that are found, the smallest is named.
    fn rank(&self) -> (bool, u64) {
        (!self.certain, self.source)
    }
}

impl Flow {
    /// Nothing seen yet. Texts shorter than `min_length` bytes are not looked at.
    #[must_use]
    pub fn new(min_length: u32) -> Self {
        Self {
            min_length: usize::try_from(min_length).unwrap_or(usize::MAX).max(1),
            prints: HashMap::default(),
            kept: 0,
            sources: BTreeMap::new(),
            full: false,
            past: Stateless::new(),
        }
    }

    /// What the rule says of a call with these arguments, `to` telling whether the rule speaks of the call: the verdict, why,
    /// and the tool that a value came from. Of several sources it names a certain one before a possible one, and then the
    /// first call of the session.
    #[must_use]
    pub fn look(&self, args: &Value, to: Truth) -> (Verdict, Reason, Option<String>) {
        let fine = (Verdict::Open, Reason::Rule, None);
        if to == Truth::False || (self.kept == 0 && !self.full) {
            return fine;
        }
        let mut search = Search::new(self);
        let complete = texts(args).all(|text| search.read(text.as_bytes())) && !self.full;
        match search.hit {
            Some(print) => {
                let certain = print.certain && to == Truth::True;
                let verdict = if certain { Verdict::Violated } else { Verdict::Unestablished };
                let tool = self.sources.get(&print.source).map(|tool| tool.to_string());
                (verdict, Reason::Flow { position: print.source }, tool)
            }
            None if complete => fine,
            None => (Verdict::Unestablished, Reason::Full, None),
        }
    }

    /// Takes an admitted call about which `verdict` was given.
    pub fn admit(&mut self, verdict: Verdict, admission: Admission) {
        self.past.admit(verdict, admission);
    }

    /// Remembers what a result brought: every string and number at or below `values`, whole and in its parts. `holds` tells
    /// whether the rule speaks of the result.
    pub fn take<'v>(&mut self, values: impl IntoIterator<Item = &'v Value>, holds: Truth, position: u64, tool: &str) {
        if holds == Truth::False {
            return;
        }
        let mut left = WORK;
        let mut visit = |value: &Value| {
            if !pay(&mut left, 1) {
                self.full = true;
            }
            let text = text(value).unwrap_or_default();
            let parts = text.split(is_separator).filter(|part| part.len() < text.len());
            for part in std::iter::once(text.as_ref()).chain(parts) {
                if part.len() < self.min_length {
                    continue;
                }
                if self.full || !pay(&mut left, part.len()) || !self.remember(part.as_bytes(), holds, position, tool) {
                    self.full = true;
                    return false;
                }
            }
            !self.full
        };
        values.into_iter().all(|value| nodes(value).all(&mut visit));
        if self.sources.len() > self.kept {
            let named: BTreeSet<u64> = self.prints.values().flatten().map(|print| print.source).collect();
            self.sources.retain(|position, _| named.contains(position));
        }
    }

    /// Keeps the fingerprint of a value; false if there is no room.
    fn remember(&mut self, value: &[u8], holds: Truth, position: u64, tool: &str) -> bool {
        let Some(beginning) = value.get(..self.min_length) else { return true };
        let print = Print {
            length: value.len(),
            hash: hash(value, WHOLE),
            weight: power(WHOLE, value.len()),
            source: position,
            certain: holds == Truth::True,
        };
        let kept = self.keep(hash(beginning, BEGINNING), print);
        if kept == Some(true) {
            self.sources.entry(position).or_insert_with(|| tool.into());
        }
        kept.is_some()
    }

    /// Whether the print is kept, or one that is known already says as much; `None` if there is no room.
    fn keep(&mut self, beginning: u64, print: Print) -> Option<bool> {
        let group = match self.prints.entry(beginning) {
            Entry::Occupied(group) => group.into_mut(),
            Entry::Vacant(group) if self.kept < MOST => group.insert(Vec::new()),
            Entry::Vacant(_) => return None,
        };
        match group.iter_mut().find(|known| (known.length, known.hash) == (print.length, print.hash)) {
            Some(known) if print.rank() < known.rank() => *known = print,
            Some(_) => return Some(false),
            None if self.kept < MOST => {
                self.kept = self.kept.saturating_add(1);
                group.push(print);
            }
            None => return None,
        }
        Some(true)
    }

    /// The rule's verdict.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        self.past.verdict()
    }

    /// What another session needs to go on from here.
    #[must_use]
    pub fn save(&self) -> Value {
        let mut prints: Vec<(u64, &Print)> = Vec::with_capacity(self.kept);
        let mut beginnings: Vec<u64> = self.prints.keys().copied().collect();
        beginnings.sort_unstable();
        for beginning in beginnings {
            prints.extend(self.prints.get(&beginning).into_iter().flatten().map(|print| (beginning, print)));
        }
        let prints = prints.into_iter().map(|(beginning, print)| {
            json!([
                format!("{beginning:016x}"),
                format!("{:016x}", print.hash),
                print.length,
                print.source,
                print.certain
            ])
        });
        let sources = self.sources.iter().map(|(position, tool)| json!([position, tool]));
        json!({
            "past": self.past.save(),
            "full": self.full,
            "sources": sources.collect::<Vec<_>>(),
            "values": prints.collect::<Vec<_>>(),
        })
    }

    /// What was saved by a rule with the same `min_length`; `None` if no such rule could have saved it.
    #[must_use]
    pub fn load(min_length: u32, saved: &Value) -> Option<Self> {
        let mut flow = Self::new(min_length);
        flow.past = Stateless::load(saved.get("past")?)?;
        flow.full = saved.get("full")?.as_bool()?;
        for source in saved.get("sources")?.as_array()? {
            let [position, tool] = source.as_array()?.as_slice() else { return None };
            flow.sources.insert(position.as_u64()?, tool.as_str()?.into());
        }
        for print in saved.get("values")?.as_array()? {
            let [beginning, hash, length, source, certain] = print.as_array()?.as_slice() else { return None };
            let length = usize::try_from(length.as_u64()?).ok().filter(|length| *length >= flow.min_length)?;
            let source = source.as_u64().filter(|source| flow.sources.contains_key(source))?;
            let (hash, certain) = (residue(hash)?, certain.as_bool()?);
            let print = Print { length, hash, weight: power(WHOLE, length), source, certain };
            flow.keep(residue(beginning)?, print)?;
        }
        (flow.sources.len() <= MOST).then_some(flow)
    }

    /// Nothing is known of what was seen before: a call that the rule speaks of may carry it.
    pub fn doubt(&mut self) {
        self.full = true;
    }
}

/// Takes steps from a budget; false if it does not suffice.
fn pay(left: &mut usize, steps: usize) -> bool {
    let rest = left.checked_sub(steps);
    *left = rest.unwrap_or(0);
    rest.is_some()
}

/// What separates the parts of a text.
fn is_separator(character: char) -> bool {
    character.is_whitespace() || "\"'`,;:=()[]{}<>|&".contains(character)
}

/// A value and everything below it. Not recursive: results and arguments may nest as deep as their senders like.
fn nodes(value: &Value) -> impl Iterator<Item = &Value> {
    let mut rest = vec![value];
    std::iter::from_fn(move || {
        let next = rest.pop()?;
        match next {
            Value::Array(items) => rest.extend(items),
            Value::Object(fields) => rest.extend(fields.values()),
            _ => {}
        }
        Some(next)
    })
}

/// Every string in a value, the keys of objects included, and every number as it is written out.
fn texts(value: &Value) -> impl Iterator<Item = Cow<'_, str>> {
    nodes(value).flat_map(|node| {
        let keys = node.as_object().into_iter().flat_map(|fields| fields.keys());
        text(node).into_iter().chain(keys.map(|key| Cow::Borrowed(key.as_str())))
    })
}

/// The text of a string or number.
fn text(value: &Value) -> Option<Cow<'_, str>> {
    match value {
        Value::String(text) => Some(Cow::Borrowed(text)),
        Value::Number(number) => {
            let exact = Decimal::from_json(number).map(|exact| exact.to_string());
            Some(Cow::Owned(exact.unwrap_or_else(|| number.to_string())))
        }
        _ => None,
    }
}

fn residue(saved: &Value) -> Option<u64> {
    u64::from_str_radix(saved.as_str()?, 16).ok().filter(|residue| *residue < MODULUS)
}

#[cfg(test)]
mod tests;
