//! Has the program built anew when a file changes that it carries along as a folder: pages of the book, starters.

fn main() {
    for folder in ["docs", "bots/starter-game", "bots/starters"] {
        println!("cargo:rerun-if-changed={folder}");
    }
}
