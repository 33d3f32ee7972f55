//! The Merkle tree over a list: its root represents all entries. Proofs show that an entry is in the list, or
//! that a longer list begins with a shorter one.
//!
//! Source: RFC 6962, section 2.1, with SHA-256.

use serde::{Deserialize, Serialize};

use sha2::{Digest as _, Sha256};

/// A hash of the tree.
pub type Hash = [u8; 32];

/// Returns the hash of an entry.
pub fn leaf(entry: &[u8]) -> Hash {
    hash(&[&[0], entry])
}

/// Returns the hash above two others.
pub fn node(left: &Hash, right: &Hash) -> Hash {
    hash(&[&[1], left, right])
}

fn hash(parts: &[&[u8]]) -> Hash {
    let mut hash = Sha256::new();
    parts.iter().for_each(|part| hash.update(part));
    hash.finalize().into()
}

/// Returns the greatest power of two below a size of at least 2: the size of the left subtree.
fn split(size: usize) -> usize {
    1 << (size - 1).ilog2()
}

/// Returns the root over these entries' hashes.
pub fn root(leaves: &[Hash]) -> Hash {
    match leaves {
        [] => hash(&[]),
        [leaf] => *leaf,
        _ => {
            let (left, right) = leaves.split_at(split(leaves.len()));
            node(&root(left), &root(right))
        }
    }
}

/// A growing tree: its root is known at each size, and it stores at most one hash for each power of two.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Growing {
    size: u64,
    /// The roots of its complete subtrees, the largest first.
    whole: Vec<Hash>,
}

impl Growing {
    /// Adds an entry's hash.
    pub fn push(&mut self, leaf: Hash) {
        let mut hash = leaf;
        for _ in 0..self.size.trailing_ones() {
            let left = self.whole.pop().expect("a tree for each one");
            hash = node(&left, &hash);
        }
        self.whole.push(hash);
        self.size += 1;
    }

    /// Returns the number of its entries.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Returns its root.
    pub fn root(&self) -> Hash {
        let (last, others) = match self.whole.split_last() {
            Some((last, others)) => (*last, others),
            None => return hash(&[]),
        };
        others.iter().rev().fold(last, |right, left| node(left, &right))
    }
}

/// Returns the proof that the entry of an index is in the tree: the hashes next to its path to the root, from
/// below. `None` if there is no such entry.
pub fn inclusion(leaves: &[Hash], index: usize) -> Option<Vec<Hash>> {
    if index >= leaves.len() {
        return None;
    }
    if leaves.len() == 1 {
        return Some(Vec::new());
    }
    let (left, right) = leaves.split_at(split(leaves.len()));
    let (mut proof, beside) = if index < left.len() {
        (inclusion(left, index)?, root(right))
    } else {
        (inclusion(right, index - left.len())?, root(left))
    };
    proof.push(beside);
    Some(proof)
}

/// Returns the root in a tree of this size, computed from a proof and the hash of the entry of this index.
/// `None` if the proof does not fit.
pub fn root_by_inclusion(entry: &Hash, index: usize, size: usize, proof: &[Hash]) -> Option<Hash> {
    if index >= size {
        return None;
    }
    if size == 1 {
        return proof.is_empty().then_some(*entry);
    }
    let (beside, below) = proof.split_last()?;
    let left = split(size);
    Some(if index < left {
        node(&root_by_inclusion(entry, index, left, below)?, beside)
    } else {
        node(beside, &root_by_inclusion(entry, index - left, size - left, below)?)
    })
}

/// Returns the proof that the list begins with its first `size` entries. `None` if `size` is 0, or more than there are.
pub fn consistency(leaves: &[Hash], size: usize) -> Option<Vec<Hash>> {
    (1..=leaves.len()).contains(&size).then(|| hashes_beside(leaves, size, true))
}

/// As in the RFC: `is_whole` says that the reader knows the root of the shorter tree.
fn hashes_beside(leaves: &[Hash], size: usize, is_whole: bool) -> Vec<Hash> {
    if size == leaves.len() {
        return if is_whole { Vec::new() } else { vec![root(leaves)] };
    }
    let (left, right) = leaves.split_at(split(leaves.len()));
    let (mut hashes, beside) = if size <= left.len() {
        (hashes_beside(left, size, is_whole), right)
    } else {
        (hashes_beside(right, size - left.len(), false), left)
    };
    hashes.push(root(beside));
    hashes
}

/// Tells whether a proof shows that the tree of `size` entries begins with the tree of `before` entries, given both
/// roots. Every tree begins with the empty one.
pub fn is_consistent((before, old): (usize, &Hash), (size, new): (usize, &Hash), proof: &[Hash]) -> bool {
    match before {
        0 => proof.is_empty() && *old == root(&[]),
        _ if before > size => false,
        _ => roots_by_consistency(before, size, proof, Some(old)) == Some((*old, *new)),
    }
}

/// Returns the roots of the shorter and of the longer tree, computed from a proof. `known` is the root of the
/// shorter one, if the proof leaves it out.
fn roots_by_consistency(
    before: usize,
    size: usize,
    proof: &[Hash],
    known: Option<&Hash>,
) -> Option<(Hash, Hash)> {
    if before == size {
        return match (known, proof) {
            (Some(root), []) | (None, [root]) => Some((*root, *root)),
            _ => None,
        };
    }
    let (beside, below) = proof.split_last()?;
    let left = split(size);
    if before <= left {
        let (old, new) = roots_by_consistency(before, left, below, known)?;
        Some((old, node(&new, beside)))
    } else {
        let (old, new) = roots_by_consistency(before - left, size - left, below, None)?;
        Some((node(beside, &old), node(beside, &new)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leaves(count: usize) -> Vec<Hash> {
        (0..count).map(|number| leaf(format!("entry {number}").as_bytes())).collect()
    }

    fn hex(hash: Hash) -> String {
        hash.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// The entries with which implementations of the RFC are tested.
    const ENTRIES: [&[u8]; 8] = [
        b"",
        b"\x00",
        b"\x10",
        b"\x20\x21",
        b"\x30\x31",
        b"\x40\x41\x42\x43",
        b"\x50\x51\x52\x53\x54\x55\x56\x57",
        b"\x60\x61\x62\x63\x64\x65\x66\x67\x68\x69\x6a\x6b\x6c\x6d\x6e\x6f",
    ];

    #[test]
    fn roots_are_those_of_the_known_vectors() {
        let leaves = ENTRIES.map(leaf);
        let known = [
            (0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            (1, "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d"),
            (2, "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125"),
            (3, "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77"),
            (4, "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7"),
            (5, "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4"),
            (6, "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef"),
            (7, "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c"),
            (8, "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328"),
        ];
        for (size, expected) in known {
            assert_eq!(hex(root(&leaves[..size])), expected, "{size} entries");
        }
    }

    /// Proofs about the tree of the same eight entries, also from there.
    #[test]
    fn proofs_are_those_of_the_known_vectors() {
        let leaves = ENTRIES.map(leaf);
        let hex = |proof: Option<Vec<Hash>>| proof.expect("a proof").into_iter().map(hex).collect::<Vec<_>>();
        let known = [
            (hex(inclusion(&leaves, 0)), &["96a2", "5f08", "6b47"][..]),
            (hex(inclusion(&leaves, 5)), &["bc1a", "ca85", "d37e"]),
            (hex(inclusion(&leaves[..3], 2)), &["fac5"]),
            (hex(inclusion(&leaves[..5], 1)), &["6e34", "5f08", "bc1a"]),
            (hex(consistency(&leaves, 1)), &["96a2", "5f08", "6b47"]),
            (hex(consistency(&leaves, 6)), &["0ebc", "ca85", "d37e"]),
            (hex(consistency(&leaves[..5], 2)), &["5f08", "bc1a"]),
        ];
        let hashes = [
            "0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a",
            "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
            "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
            "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
            "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
            "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
            "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
            "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
            "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
        ];
        for (found, expected) in known {
            let expected: Vec<&str> = expected
                .iter()
                .map(|start| *hashes.iter().find(|hash| hash.starts_with(start)).expect("a hash"))
                .collect();
            assert_eq!(found, expected);
        }
    }

    #[test]
    fn a_growing_tree_has_the_root_of_each_size() {
        let all = leaves(70);
        let mut growing = Growing::default();
        for size in 0..=70 {
            assert_eq!((growing.size(), growing.root()), (size as u64, root(&all[..size])));
            all.get(size).iter().for_each(|leaf| growing.push(**leaf));
        }
    }

    #[test]
    fn each_entry_is_proved_to_be_in_each_tree_and_no_other_is() {
        for size in 1..=20 {
            let all = leaves(size);
            for index in 0..size {
                let proof = inclusion(&all, index).expect("a proof");
                assert_eq!(root_by_inclusion(&all[index], index, size, &proof), Some(root(&all)));
                let other = leaf(b"another");
                assert_ne!(root_by_inclusion(&other, index, size, &proof), Some(root(&all)));
                for at in 0..proof.len() {
                    let mut changed = proof.clone();
                    changed[at][0] ^= 1;
                    assert_ne!(root_by_inclusion(&all[index], index, size, &changed), Some(root(&all)));
                }
                let longer = [&proof[..], &[[0; 32]]].concat();
                assert_ne!(root_by_inclusion(&all[index], index, size, &longer), Some(root(&all)));
            }
            assert_eq!(inclusion(&all, size), None);
        }
    }

    #[test]
    fn each_tree_is_proved_to_begin_each_longer_one_and_no_other_is() {
        for size in 1..=20 {
            let all = leaves(size);
            for before in 1..=size {
                let proof = consistency(&all, before).expect("a proof");
                let (old, new) = (root(&all[..before]), root(&all));
                assert!(is_consistent((before, &old), (size, &new), &proof), "{before} of {size}");
                let forked = [&leaves(before - 1)[..], &[leaf(b"another")]].concat();
                assert!(!is_consistent((before, &root(&forked)), (size, &new), &proof), "{before} of {size}");
                for at in 0..proof.len() {
                    let mut changed = proof.clone();
                    changed[at][0] ^= 1;
                    assert!(!is_consistent((before, &old), (size, &new), &changed), "{before} of {size}");
                }
            }
        }
        assert!(is_consistent((0, &root(&[])), (3, &root(&leaves(3))), &[]));
        assert!(!is_consistent((4, &root(&leaves(4))), (3, &root(&leaves(3))), &[]));
    }
}
