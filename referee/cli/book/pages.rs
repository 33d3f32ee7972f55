//! The pages, as text.

use std::path::Path;

use include_dir::{Dir, include_dir};

/// The pages, a folder for each part of the book. Its pictures are in the parent folder, and are not built
/// in.
static PARTS: [(&str, Dir<'_>); 6] = [
    ("tutorials", include_dir!("$CARGO_MANIFEST_DIR/book/docs/tutorials")),
    ("guides", include_dir!("$CARGO_MANIFEST_DIR/book/docs/guides")),
    ("games", include_dir!("$CARGO_MANIFEST_DIR/book/docs/games")),
    ("reference", include_dir!("$CARGO_MANIFEST_DIR/book/docs/reference")),
    ("explanation", include_dir!("$CARGO_MANIFEST_DIR/book/docs/explanation")),
    ("appendix", include_dir!("$CARGO_MANIFEST_DIR/book/docs/appendix")),
];

/// The list of the pages.
const SUMMARY: &str = include_str!("docs/SUMMARY.md");

/// Pages that are in no folder of a part. The first is in the list of the pages, the others are outside the book.
const OTHERS: [(&str, &str); 4] = [
    ("records", include_str!("docs/records.md")),
    ("protocol", include_str!("protocol.md")),
    ("glossary", include_str!("GLOSSARY.md")),
    ("security", include_str!("SECURITY.md")),
];

/// Returns the text of a page by its name. Only the name of the file counts, without folder and ending: `football` and
/// `games/football.md` are the same page.
pub fn page(name: &str) -> Option<&'static str> {
    let name = stem(name);
    let file = |(_, dir): &'static (&str, Dir<'_>)| dir.get_file(format!("{name}.md"))?.contents_utf8();
    PARTS.iter().find_map(file).or_else(|| Some(OTHERS.iter().find(|other| other.0 == name)?.1))
}

/// Returns the name of a page without its folder and ending.
pub(crate) fn stem(name: &str) -> String {
    let stem = Path::new(name).file_stem().unwrap_or_default();
    stem.to_string_lossy().to_lowercase()
}

/// Returns the names of all pages with their titles. The title of a part has no name.
pub(crate) fn entries() -> impl Iterator<Item = (Option<String>, &'static str)> {
    let pages = SUMMARY.lines().skip(1).filter_map(|line| match line.strip_prefix("- [") {
        Some(link) => {
            link.split_once("](").map(|(title, path)| (Some(stem(path.trim_end_matches(')'))), title))
        }
        None => line.strip_prefix("# ").map(|part| (None, part)),
    });
    let heading = [(None, "Outside the book")].into_iter();
    // The first page of `OTHERS` is in the list.
    let others = heading.chain(OTHERS.iter().skip(1).map(|(name, text)| {
        let title = text.lines().next().unwrap_or_default();
        (Some((*name).to_owned()), title.trim_start_matches("# "))
    }));
    pages.chain(others)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_page_of_the_list_is_there() {
        let names: Vec<String> = entries().filter_map(|(name, _)| name).collect();
        assert!(names.len() > 25, "{names:?}");
        names.iter().for_each(|name| assert!(page(name).is_some(), "{name}"));
        let mut once = names.clone();
        once.sort();
        once.dedup();
        assert_eq!(once.len(), names.len(), "two pages of one name");
    }
}
