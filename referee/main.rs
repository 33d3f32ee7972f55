//! The program: see `referee --help`.

fn main() {}
