//! The Merkle tree over a list: its root represents all entries. Proofs show that an entry is in the list, or
//! that a longer list begins with a shorter one.
//!
//! Source: RFC 6962, section 2.1, with SHA-256.

use serde::{Deserialize, Serialize};
use std::ops::Range;

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
    Some(consistency_parts(size, leaves.len())?.into_iter().map(|part| root(&leaves[part])).collect())
}

/// Returns the parts of a list of `size` entries whose roots prove that it begins with its first `before` entries.
/// `None` if `before` is 0, or more than `size`.
pub fn consistency_parts(before: usize, size: usize) -> Option<Vec<Range<usize>>> {
    (1..=size).contains(&before).then(|| parts_beside(before, 0..size, true))
}

/// As in the RFC: `is_whole` says that the reader knows the root of the shorter tree.
fn parts_beside(before: usize, list: Range<usize>, is_whole: bool) -> Vec<Range<usize>> {
    let Range { start, end } = list;
    if before == end {
        return if is_whole { Vec::new() } else { vec![list] };
    }
    let middle = start + split(end - start);
    let (mut parts, beside) = if before <= middle {
        (parts_beside(before, start..middle, is_whole), middle..end)
    } else {
        (parts_beside(before, middle..end, false), start..middle)
    };
    parts.push(beside);
    parts
}

/// Returns the root over a part of a list from [`consistency_parts`], or over the whole list. `whole` returns
/// the root of the complete subtree over the `1 << height` entries that begin at `number << height`.
///
/// # Errors
///
/// Those of `whole`.
pub fn root_of_part<E>(
    part: Range<usize>,
    whole: &mut impl FnMut(u32, usize) -> Result<Hash, E>,
) -> Result<Hash, E> {
    let length = part.len();
    if length == 0 {
        return Ok(root(&[]));
    }
    if length.is_power_of_two() && part.start.is_multiple_of(length) {
        return whole(length.ilog2(), part.start / length);
    }
    let middle = part.start + split(length);
    Ok(node(&root_of_part(part.start..middle, whole)?, &root_of_part(middle..part.end, whole)?))
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

    /// The entries and roots with which implementations of the RFC are tested.
    #[test]
    fn roots_are_those_of_the_known_vectors() {
        let entries: [&[u8]; 8] = [
            b"",
            b"\x00",
            b"\x10",
            b"\x20\x21",
            b"\x30\x31",
            b"\x40\x41\x42\x43",
            b"\x50\x51\x52\x53\x54\x55\x56\x57",
            b"\x60\x61\x62\x63\x64\x65\x66\x67\x68\x69\x6a\x6b\x6c\x6d\x6e\x6f",
        ];
        let leaves: Vec<Hash> = entries.iter().map(|entry| leaf(entry)).collect();
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
        for (size, due) in known {
            assert_eq!(hex(root(&leaves[..size])), due, "{size} entries");
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
