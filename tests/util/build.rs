//! Does nothing. Its dependencies give macros the features that they have in the whole workspace; see `Cargo.toml`.

fn main() {}
