//! Rebuilds the program when a file changes in a folder that is embedded in it: pages of the book, starters.

fn main() {
    for folder in ["docs", "bots/starter-game", "bots/starters"] {
        println!("cargo:rerun-if-changed={folder}");
    }
}
