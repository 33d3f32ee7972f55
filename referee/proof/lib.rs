//! What makes a record hard to rewrite: signed notes, checkpoints and the Merkle tree over a list that only grows.
//!
//! The formats are those of C2SP: [`signed-note`](https://c2sp.org/signed-note),
//! [`tlog-checkpoint`](https://c2sp.org/tlog-checkpoint) and [`tlog-tiles`](https://c2sp.org/tlog-tiles); the tree is
//! that of RFC 6962. Programs of others that know these formats can check what is written here.
//!
//! This crate knows no files, games or hills: all of it is functions of bytes.

pub mod checkpoint;
pub mod note;
pub mod tile;
pub mod tree;
