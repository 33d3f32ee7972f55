//! Rebuilds the crate when a starter changes.

fn main() {
    for folder in ["starter-game", "starters"] {
        println!("cargo:rerun-if-changed={folder}");
    }
}
