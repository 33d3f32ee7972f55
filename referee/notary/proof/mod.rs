//! Tools that make a record hard to rewrite: signed notes, checkpoints and the Merkle tree over a growing
//! list.
//!
//! The formats are those of C2SP: [`signed-note`](https://c2sp.org/signed-note) and
//! [`tlog-checkpoint`](https://c2sp.org/tlog-checkpoint); the tree is that of RFC 6962. Other programs that know these
//! formats can check the files.
//!
//! This module does not depend on files, games or hills: everything in it is a function of bytes.

pub mod checkpoint;
pub mod note;
pub mod tree;
