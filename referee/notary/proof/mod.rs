//! Tools that make a record hard to rewrite: signed notes, checkpoints and the Merkle tree over a growing
//! list.
//!
//! The formats are those of C2SP: [`signed-note`](https://c2sp.org/signed-note),
//! [`tlog-checkpoint`](https://c2sp.org/tlog-checkpoint), [`tlog-cosignature`](https://c2sp.org/tlog-cosignature) and
//! [`tlog-tiles`](https://c2sp.org/tlog-tiles); the tree is that of RFC 6962. Other programs that know these formats can check the files.
//!
//! This module does not depend on files, games or hills: everything in it is a function of bytes.

pub mod checkpoint;
pub mod cosignature;
pub mod note;
pub mod tile;
pub mod tree;
