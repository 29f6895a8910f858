//! `<journal>.head`: the [`Tip`] as a small text, so that opening a journal costs the same at any size.
//!
//! A cache. INVARIANT: it is believed only where the journal's last line agrees with it; else it is made anew from the
//! journal. It carries a digest under the journal's secret, because a frontier cannot be checked against a line, and a
//! checkpoint of a damaged one would call an honest journal forged.
//!
//! It has two tips. After a loss of power, lines may be missing in the middle of what was not synced, and the last line be
//! there; so the later tip is believed only as long as the computer runs on, and the one that was synced afterwards.

use std::fmt::Write as _;
use std::str::Lines;

use super::record::{Base64, Capture, Hash, Hex, Id, Sync};
use super::secret::Digests;
use super::tip::{Mark, Tip};
use super::tree::Frontier;
use crate::Time;

/// Ample for 64 roots and 64 contracts.
pub(super) const MOST_BYTES: usize = 32 * 1024;

const TITLE: &str = "interlock journal head v1";

/// What a head knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Known {
    /// The end, as long as the computer runs on.
    pub(super) tip: Tip,
    /// The end of what was synced.
    pub(super) synced: Tip,
    /// Names the time since the computer was started, if the system can.
    pub(super) boot: Option<String>,
}

/// What is known, as a text.
pub(super) fn write(tip: &Tip, synced: &Tip, boot: Option<&str>, digests: &Digests) -> Vec<u8> {
    let mut text = String::with_capacity(4096);
    // Writing to a string does not fail.
    let _ = writeln!(text, "{TITLE}\nboot {}", boot.unwrap_or("unknown"));
    write_tip(&mut text, tip);
    write_tip(&mut text, synced);
    let digest = digests.digest(text.as_bytes());
    let _ = writeln!(text, "digest {digest}");
    text.into_bytes()
}

fn write_tip(text: &mut String, tip: &Tip) {
    let key = tip.key.map_or_else(|| "none".to_owned(), |key| Hex(key.0).to_string());
    let content = if tip.content == Capture::Captured { "captured" } else { "digest" };
    let sync = match tip.sync {
        Sync::Every => "every",
        Sync::Checkpoint => "checkpoint",
        Sync::Never => "never",
    };
    let list = |hashes: &[Hash]| hashes.iter().map(|hash| format!(" {hash}")).collect::<String>();
    let _ = write!(
        text,
        "journal {}\nsegment {}\nbegun {}\ncontent {content}\nsync {sync}\nkey {key}\nsecret {}\nsize {}\nfrontier{}\n\
         last {}\nline {}\nend {}\nmark {} {}\ncontracts{}\n",
        tip.journal,
        tip.segment,
        tip.begun.as_nanos(),
        tip.secret,
        tip.next(),
        list(tip.frontier.roots()),
        tip.last,
        tip.line,
        tip.end,
        tip.mark.size,
        tip.mark.at.as_nanos(),
        list(&tip.contracts),
    );
}

/// What a text says, if somebody with the secret wrote it.
pub(super) fn read(bytes: &[u8], digests: &Digests) -> Option<Known> {
    let text = std::str::from_utf8(bytes).ok().filter(|text| text.len() <= MOST_BYTES)?;
    let (signed, digest) = text.split_at_checked(text.len().checked_sub("digest \n".len().saturating_add(64))?)?;
    let digest = Hash::parse(digest.strip_prefix("digest ")?.strip_suffix('\n')?)?;
    if digests.digest(signed.as_bytes()) != digest {
        return None;
    }
    let mut lines = signed.lines();
    if lines.next()? != TITLE {
        return None;
    }
    let boot = lines.next()?.strip_prefix("boot ").filter(|boot| *boot != "unknown").map(str::to_owned);
    Some(Known { tip: read_tip(&mut lines)?, synced: read_tip(&mut lines)?, boot })
}

fn read_tip(lines: &mut Lines<'_>) -> Option<Tip> {
    let mut field = |name: &str| lines.next()?.strip_prefix(name)?.strip_prefix(' ');
    let journal = Id::parse(field("journal")?)?;
    let segment = field("segment")?.parse().ok()?;
    let begun = time(field("begun")?)?;
    let content = match field("content")? {
        "captured" => Capture::Captured,
        "digest" => Capture::Digest,
        _ => return None,
    };
    let sync = match field("sync")? {
        "every" => Sync::Every,
        "checkpoint" => Sync::Checkpoint,
        "never" => Sync::Never,
        _ => return None,
    };
    let key = match field("key")? {
        "none" => None,
        key => Some(Base64(Hash::parse(key)?.0)),
    };
    let secret = Hash::parse(field("secret")?)?;
    let size = field("size")?.parse().ok()?;
    let frontier = Frontier::from_roots(size, list(lines.next()?, "frontier")?)?;
    let mut field = |name: &str| lines.next()?.strip_prefix(name)?.strip_prefix(' ');
    let last = Hash::parse(field("last")?)?;
    let line = field("line")?.parse().ok()?;
    let end = field("end")?.parse().ok()?;
    let (mark_size, mark_at) = field("mark")?.split_once(' ')?;
    let mark = Mark { size: mark_size.parse().ok()?, at: time(mark_at)? };
    let contracts = list(lines.next()?, "contracts")?;
    Some(Tip { journal, segment, begun, content, sync, key, secret, frontier, last, line, end, mark, contracts })
}

/// The hashes after a name.
fn list(line: &str, name: &str) -> Option<Vec<Hash>> {
    line.strip_prefix(name)?.split(' ').skip(1).map(Hash::parse).collect()
}

fn time(nanos: &str) -> Option<Time> {
    nanos.parse().ok().map(Time::from_nanos)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::secret::Secret;
    use crate::journal::tree;

    #[test]
    fn what_was_written_is_read_and_nothing_else() {
        let digests = Secret::from_bytes(&[1; 32]).digests();
        let hash = Hex([7; 32]);
        let mut frontier = Frontier::default();
        for _ in 0..11 {
            frontier.append(tree::leaf(&hash.0));
        }
        let at = Time::EPOCH;
        let synced = Tip {
            journal: Hex([2; 8]),
            segment: 3,
            begun: at,
            content: Capture::Captured,
            sync: Sync::Checkpoint,
            key: Some(Base64([9; 32])),
            secret: hash,
            frontier,
            last: hash,
            line: 100,
            end: 200,
            mark: Mark { size: 5, at },
            contracts: vec![hash, hash],
        };
        let tip =
            Tip { key: None, contracts: Vec::new(), content: Capture::Digest, sync: Sync::Never, ..synced.clone() };
        let text = write(&tip, &synced, Some("b"), &digests);
        assert_eq!(read(&text, &digests), Some(Known { tip, synced, boot: Some("b".to_owned()) }));
        for at in 0..text.len() {
            let mut other = text.clone();
            other[at] ^= 1;
            assert_eq!(read(&other, &digests), None, "byte {at}");
            assert_eq!(read(&text[..at], &digests), None);
        }
        assert_eq!(read(&text, &Secret::from_bytes(&[2; 32]).digests()), None);
    }
}
