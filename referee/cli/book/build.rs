//! Rebuilds the crate when a page of the book changes, if the book is a part of it.

fn main() {
    println!("cargo:rerun-if-changed=book/build.rs");
    if std::env::var_os("CARGO_FEATURE_BOOK").is_some() {
        for page in ["docs", "protocol.md", "GLOSSARY.md", "SECURITY.md"] {
            println!("cargo:rerun-if-changed=book/{page}");
        }
    }
}
