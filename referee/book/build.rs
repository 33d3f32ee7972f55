//! Rebuilds the crate when a page changes.

fn main() {
    for page in ["docs", "protocol.md", "GLOSSARY.md", "SECURITY.md"] {
        println!("cargo:rerun-if-changed={page}");
    }
}
