#![expect(clippy::arithmetic_side_effects, reason = "test code")]

use std::cell::RefCell;
use std::collections::HashMap;

use super::*;

/// The leaves of the vectors that implementations of RFC 6962 share, and the root of the tree of so many of them.
const SHARED: [(&[u8], &str); 8] = [
    (b"", "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d"),
    (b"\x00", "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125"),
    (b"\x10", "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77"),
    (b"\x20\x21", "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7"),
    (b"\x30\x31", "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4"),
    (b"\x40\x41\x42\x43", "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef"),
    (b"\x50\x51\x52\x53\x54\x55\x56\x57", "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c"),
    (
        b"\x60\x61\x62\x63\x64\x65\x66\x67\x68\x69\x6a\x6b\x6c\x6d\x6e\x6f",
        "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
    ),
];

fn hash(hex: &str) -> Hash {
    Hex::parse(hex).unwrap()
}

/// MTH of RFC 6962 §2.1, word for word; what was computed once is kept.
fn mth(leaves: &[Hash]) -> Hash {
    thread_local!(static KNOWN: RefCell<HashMap<Vec<Hash>, Hash>> = RefCell::default());
    if let Some(known) = KNOWN.with_borrow(|known| known.get(leaves).copied()) {
        return known;
    }
    let root = match leaves {
        [] => empty(),
        [leaf] => *leaf,
        _ => {
            let (left, right) = leaves.split_at(leaves.len().next_power_of_two() / 2);
            node(&mth(left), &mth(right))
        }
    };
    KNOWN.with_borrow_mut(|known| known.insert(leaves.to_vec(), root));
    root
}

/// PATH of RFC 6962 §2.1.1, word for word.
fn path(index: usize, leaves: &[Hash]) -> Vec<Hash> {
    if leaves.len() == 1 {
        return Vec::new();
    }
    let k = leaves.len().next_power_of_two() / 2;
    let (left, right) = leaves.split_at(k);
    let (mut proof, sibling) =
        if index < k { (path(index, left), mth(right)) } else { (path(index - k, right), mth(left)) };
    proof.push(sibling);
    proof
}

/// SUBPROOF of RFC 6962 §2.1.2, word for word.
fn subproof(old: usize, leaves: &[Hash], known: bool) -> Vec<Hash> {
    if old == leaves.len() {
        return if known { Vec::new() } else { vec![mth(leaves)] };
    }
    let k = leaves.len().next_power_of_two() / 2;
    let (left, right) = leaves.split_at(k);
    let (mut proof, sibling) =
        if old <= k { (subproof(old, left, known), mth(right)) } else { (subproof(old - k, right, false), mth(left)) };
    proof.push(sibling);
    proof
}

fn leaves(count: u64) -> Vec<Hash> {
    (0..count).map(|number| leaf(&number.to_be_bytes())).collect()
}

fn prove(mut prover: Prover, leaves: &[Hash]) -> Vec<Hash> {
    leaves.iter().for_each(|leaf| prover.append(*leaf));
    prover.finish().unwrap()
}

/// Proofs that differ from a right one in one hash, in their length or in their order.
fn spoilt(path: &[Hash]) -> Vec<Vec<Hash>> {
    let mut all = vec![[path, &[Hex([7; 32])]].concat(), [&[Hex([7; 32])], path].concat()];
    for at in 0..path.len() {
        let mut changed = path.to_vec();
        changed[at].0[at % 32] ^= 1;
        all.push(changed);
        let mut shorter = path.to_vec();
        shorter.remove(at);
        all.push(shorter);
        let mut swapped = path.to_vec();
        swapped.swap(at, 0);
        all.extend((at > 0).then_some(swapped));
    }
    all
}

#[test]
fn the_shared_vectors_hold() {
    let mut frontier = Frontier::default();
    assert_eq!(frontier.root(), hash("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"));
    for (data, root) in SHARED {
        frontier.append(leaf(data));
        assert_eq!(frontier.root(), hash(root));
    }
    let leaves = SHARED.map(|(data, _)| leaf(data));
    assert_eq!(
        prove(Prover::consistency(6, 8).unwrap(), &leaves),
        [
            hash("0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a"),
            hash("ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0"),
            hash("d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7"),
        ]
    );
    assert_eq!(
        prove(Prover::consistency(2, 5).unwrap(), &leaves),
        [
            hash("5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e"),
            hash("bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b"),
        ]
    );
}

#[test]
fn frontiers_and_proofs_of_records_are_those_of_the_recursive_definition() {
    let all = leaves(130);
    let mut frontier = Frontier::default();
    for size in 0..=130u64 {
        let leaves = &all[..usize::try_from(size).unwrap()];
        let root = mth(leaves);
        assert_eq!((frontier.size(), frontier.root()), (size, root));
        assert_eq!(Frontier::from_roots(size, frontier.roots().to_vec()).as_ref(), Some(&frontier));
        for (index, leaf) in (0..).zip(leaves) {
            let proof = prove(Prover::inclusion(index, size).unwrap(), leaves);
            assert_eq!(proof, path(usize::try_from(index).unwrap(), leaves));
            assert!(is_included(*leaf, index, size, &proof, root), "{index} of {size}");
        }
        if let Some(next) = all.get(leaves.len()) {
            frontier.append(*next);
        }
    }
}

#[test]
fn consistency_proofs_are_those_of_the_recursive_definition() {
    let all = leaves(130);
    let roots: Vec<_> = (0..=all.len()).map(|size| mth(&all[..size])).collect();
    for new in 0..=all.len() {
        for old in 0..=new {
            let sizes = (u64::try_from(old).unwrap(), u64::try_from(new).unwrap());
            let proof = prove(Prover::consistency(sizes.0, sizes.1).unwrap(), &all[..new]);
            if old > 0 {
                assert_eq!(proof, subproof(old, &all[..new], true));
            }
            assert!(is_consistent(sizes.0, roots[old], sizes.1, roots[new], &proof), "{old} to {new}");
        }
    }
}

#[test]
fn no_other_proof_is_accepted() {
    let all = leaves(20);
    let roots: Vec<_> = (0..=all.len()).map(|size| mth(&all[..size])).collect();
    for size in 1..=20u64 {
        let count = usize::try_from(size).unwrap();
        let leaves = &all[..count];
        for index in 0..size {
            let leaf = all[usize::try_from(index).unwrap()];
            let proof = prove(Prover::inclusion(index, size).unwrap(), leaves);
            for other in 0..=size {
                let right = other == index;
                assert_eq!(
                    is_included(leaf, other, size, &proof, roots[count]),
                    right,
                    "{other} for {index} of {size}"
                );
            }
            assert!(!is_included(Hex([9; 32]), index, size, &proof, roots[count]));
            assert!(!is_included(leaf, index, size, &proof, roots[count - 1]));
            for wrong in spoilt(&proof) {
                assert!(!is_included(leaf, index, size, &wrong, roots[count]));
            }
        }
        for old in 0..=size {
            let old_root = roots[usize::try_from(old).unwrap()];
            let proof = prove(Prover::consistency(old, size).unwrap(), leaves);
            assert!(!is_consistent(old, Hex([9; 32]), size, roots[count], &proof));
            // Whatever follows, it begins with nothing.
            assert_eq!(is_consistent(old, old_root, size, Hex([9; 32]), &proof), old == 0);
            for wrong in spoilt(&proof) {
                assert!(!is_consistent(old, old_root, size, roots[count], &wrong), "{old} to {size}");
            }
        }
    }
}

#[test]
fn sizes_that_nothing_can_have_are_refused() {
    let proof = vec![Hex([1; 32]); LONGEST_PROOF];
    for size in [u64::MAX, u64::MAX - 1, 1 << 63] {
        for index in [0, 1, size - 1] {
            assert!(!is_included(Hex([0; 32]), index, size, &proof, Hex([0; 32])));
            assert!(!is_consistent(index, Hex([0; 32]), size, Hex([0; 32]), &proof));
            // Proofs are planned without leaves, so a size that was only claimed costs nothing.
            assert!(Prover::inclusion(index, size).unwrap().finish().is_none());
            assert!(Prover::consistency(index, size).unwrap().finish().is_none());
        }
    }
    assert!(!is_included(Hex([0; 32]), 0, u64::MAX, &vec![Hex([1; 32]); 100_000], Hex([0; 32])));
    assert!(Prover::inclusion(0, 0).is_none());
    assert!(Prover::consistency(2, 1).is_none());
    assert!(Prover::consistency(0, 0).unwrap().finish().unwrap().is_empty());
    let one = leaf(b"one");
    assert!(Frontier::from_roots(1, vec![one]).is_some());
    assert!(Frontier::from_roots(3, vec![one]).is_none());
    assert!(Frontier::from_roots(0, vec![one]).is_none());
    assert!(Frontier::from_roots(u64::MAX, Vec::new()).is_none());
}
