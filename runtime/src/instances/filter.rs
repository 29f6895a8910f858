//! Which keys were let go, in ten bits each: a Bloom filter (Bloom, "Space/time trade-offs in hash coding with allowable
//! errors", CACM 13(7), 1970), with one keyed 128-bit hash in place of seven (Kirsch, Mitzenmacher, "Less hashing, same
//! performance", ESA 2006). It may hold keys that it was not told, one of a hundred when all its places are taken; it never
//! lacks one that it was told.
//!
//! INVARIANT: the places of a key depend on nothing but the key and the seed, so that a snapshot is good for every build. Who
//! does not know the seed cannot choose keys that are taken for others.

use serde_json::Value;
use siphasher::sip128::{Hash128, Hasher128, SipHasher13};

use super::bounds::Seed;
use crate::exact::Saved;
use crate::key::{self, Key, Parts};

const BITS_A_KEY: u64 = 10;
const PLACES: u64 = 7;

/// A filter for so many keys. Past them it holds every key.
#[derive(Clone, Debug)]
pub(super) struct Filter {
    seed: Seed,
    remember: u32,
    /// How many different keys it was told.
    keys: u32,
    is_full: bool,
    /// Empty until the first key, and where it holds every key.
    words: Vec<u64>,
}

impl Filter {
    pub(super) fn new(remember: u32) -> Self {
        Self { seed: Seed::default(), remember, keys: 0, is_full: false, words: Vec::new() }
    }

    /// Takes the secret. What it holds it would not find again, so it has to be empty.
    pub(super) fn seed(&mut self, seed: Seed) {
        if self.keys == 0 && !self.is_full {
            self.seed = seed;
        }
    }

    pub(super) fn is_full(&self) -> bool {
        self.is_full
    }

    /// Forgets all keys.
    pub(super) fn clear(&mut self) {
        *self = Self { seed: self.seed, ..Self::new(self.remember) };
    }

    /// Whether it was told a key, or takes it for one that it was told.
    pub(super) fn may_hold(&self, key: Parts<'_>) -> bool {
        self.holds(|hasher| key::feed(key, hasher))
    }

    /// The same of an owned key.
    pub(super) fn may_hold_owned(&self, key: &Key) -> bool {
        self.holds(|hasher| key::feed_owned(key, hasher))
    }

    fn holds(&self, feed: impl FnOnce(&mut SipHasher13)) -> bool {
        self.is_full || (self.keys > 0 && self.places(self.hash(feed)).all(|place| self.has(place)))
    }

    pub(super) fn insert(&mut self, key: &Key) {
        if self.may_hold_owned(key) {
            return;
        }
        if self.keys == self.remember {
            (self.is_full, self.words) = (true, Vec::new());
            return;
        }
        if self.words.is_empty() {
            self.words = vec![0; length(self.remember)];
        }
        self.keys = self.keys.saturating_add(1);
        for place in self.places(self.hash(|hasher| key::feed_owned(key, hasher))) {
            let (word, bit) = split(place);
            if let Some(word) = self.words.get_mut(word) {
                *word |= bit;
            }
        }
    }

    fn has(&self, place: u64) -> bool {
        let (word, bit) = split(place);
        self.words.get(word).is_some_and(|word| word & bit != 0)
    }

    fn hash(&self, feed: impl FnOnce(&mut SipHasher13)) -> Hash128 {
        let mut hasher = SipHasher13::new_with_key(&self.seed.0);
        feed(&mut hasher);
        hasher.finish128()
    }

    /// The places of a key: an arithmetic progression.
    fn places(&self, hash: Hash128) -> impl Iterator<Item = u64> + use<> {
        let (first, step) = hash.as_u64();
        let size = size(self.remember);
        (0..PLACES).filter_map(move |index| first.wrapping_add(index.wrapping_mul(step | 1)).checked_rem(size))
    }
}

/// How many bits there are.
fn size(remember: u32) -> u64 {
    u64::from(remember).saturating_mul(BITS_A_KEY).next_multiple_of(64)
}

fn length(remember: u32) -> usize {
    usize::try_from(size(remember) >> 6).unwrap_or(usize::MAX)
}

fn split(place: u64) -> (usize, u64) {
    (
        usize::try_from(place >> 6).unwrap_or(usize::MAX),
        1u64.wrapping_shl(u32::try_from(place & 63).unwrap_or_default()),
    )
}

impl Filter {
    /// The seed, how many keys there are, whether it is full, and the words, in hexadecimal digits.
    pub(super) fn save(&self) -> Value {
        let words: String = self.words.iter().map(|word| format!("{word:016x}")).collect();
        let seed = u128::from_be_bytes(self.seed.0);
        Value::Array(vec![format!("{seed:032x}").into(), self.keys.save(), self.is_full.save(), words.into()])
    }

    pub(super) fn load(remember: u32, saved: &Value) -> Option<Self> {
        let [seed, keys, is_full, words] = saved.as_array()?.as_slice() else { return None };
        let seed = Seed(u128::from_str_radix(digits(seed.as_str()?, 32)?, 16).ok()?.to_be_bytes());
        let (keys, is_full) = (u32::load(keys)?, bool::load(is_full)?);
        let words = words.as_str()?;
        let expected = if keys == 0 || is_full { 0 } else { length(remember) };
        if keys > remember || words.len() != expected.checked_mul(16)? {
            return None;
        }
        let word = |at: usize| u64::from_str_radix(digits(words.get(at..at.checked_add(16)?)?, 16)?, 16).ok();
        let words = (0..words.len()).step_by(16).map(word).collect::<Option<_>>()?;
        Some(Self { seed, remember, keys, is_full, words })
    }
}

/// The text, if it is so many hexadecimal digits.
fn digits(text: &str, length: usize) -> Option<&str> {
    (text.len() == length && text.bytes().all(|byte| byte.is_ascii_hexdigit())).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key::Part;
    use crate::value::Val;

    fn filled(remember: u32, keys: u32) -> Filter {
        let mut filter = Filter::new(remember);
        filter.seed(Seed([7; 16]));
        (0..keys).for_each(|number| filter.insert(&Key::new(&numbered(number))));
        filter
    }

    fn numbered(number: u32) -> [Option<Part<'static>>; 1] {
        [Part::new(Some(Val::Number(number.into())))]
    }

    #[test]
    fn it_holds_what_it_was_told_and_little_else() {
        let filter = filled(1_000, 1_000);
        assert!((0..1_000).all(|number| filter.may_hold(&numbered(number))));
        let mistaken = (1_000..101_000).filter(|number| filter.may_hold(&numbered(*number))).count();
        assert!((400..1_300).contains(&mistaken), "{mistaken} of 100,000 are mistaken");
        assert!(!filter.is_full());
    }

    #[test]
    fn past_its_bound_it_holds_every_key() {
        let mut filter = filled(10, 12);
        assert!(filter.is_full() && filter.may_hold(&numbered(1_000)) && filter.words.is_empty());
        filter.clear();
        assert!(!filter.may_hold(&numbered(1)));
        assert_eq!(filter.seed, Seed([7; 16]));
    }

    #[test]
    fn keys_are_told_apart_by_type_and_by_their_parts() {
        let text = |text: &'static str| Part::new(Some(Val::text(text)));
        let mut filter = filled(1_000, 0);
        filter.insert(&Key::new(&[text("a"), text("b")]));
        filter.insert(&Key::new(&[text("1")]));
        assert!(filter.may_hold(&[text("a"), text("b")]) && filter.may_hold(&[text("1")]));
        assert!(!filter.may_hold(&[text("ab"), text("")]) && !filter.may_hold(&[text("ab")]));
        assert!(!filter.may_hold(&numbered(1)));
    }

    /// Where a key is must not change from build to build.
    #[test]
    fn it_is_saved_exactly_for_every_build() {
        let filter = filled(4, 2);
        assert_eq!(filter.save().to_string(), SAVED);
        let loaded = Filter::load(4, &filter.save()).unwrap();
        assert!(loaded.may_hold(&numbered(0)) && loaded.may_hold(&numbered(1)) && loaded.save() == filter.save());
        for wrong in [Value::Null, Value::Array(vec![]), filled(5, 2).save().pointer("/3").cloned().unwrap()] {
            assert!(Filter::load(4, &wrong).is_none(), "{wrong}");
        }
        assert!(Filter::load(40, &filter.save()).is_none() && Filter::load(1, &filter.save()).is_none());
        assert!(Filter::load(4, &filled(4, 6).save()).unwrap().is_full());
    }

    const SAVED: &str = r#"["07070707070707070707070707070707",2,false,"8072004309003c00"]"#;
}
