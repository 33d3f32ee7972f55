//! `referee docs`: the book, built into the program.

use std::ffi::OsStr;
use std::path::Path;

use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use clap::{Arg, Args, Command};
use include_dir::{Dir, include_dir};

use referee_record::error::Error;

use super::{markdown, out, say};

/// Print a page of the book, or the list of its pages
///
/// A page is laid out for a terminal. In a pipe or a file it is Markdown, as it is in the book.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  referee docs\n  referee docs first-bot\n  referee docs football | less")]
pub(super) struct Docs {
    /// The page's name, as in the list
    #[arg(value_parser = PageName, hide_possible_values = true)]
    page: Option<String>,
}

/// Takes any name; shells complete the names in the list.
#[derive(Clone, Debug)]
struct PageName;

impl TypedValueParser for PageName {
    type Value = String;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<String, clap::Error> {
        StringValueParser::new().parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue>>> {
        Some(Box::new(entries().filter_map(|(name, title)| Some(PossibleValue::new(name?).help(title)))))
    }
}

/// The pages, a folder for each part of the book. Its pictures are in the folder above, and are not built in.
static PARTS: [(&str, Dir<'_>); 6] = [
    ("tutorials", include_dir!("$CARGO_MANIFEST_DIR/docs/tutorials")),
    ("guides", include_dir!("$CARGO_MANIFEST_DIR/docs/guides")),
    ("games", include_dir!("$CARGO_MANIFEST_DIR/docs/games")),
    ("reference", include_dir!("$CARGO_MANIFEST_DIR/docs/reference")),
    ("explanation", include_dir!("$CARGO_MANIFEST_DIR/docs/explanation")),
    ("appendix", include_dir!("$CARGO_MANIFEST_DIR/docs/appendix")),
];

/// The list of the pages.
const SUMMARY: &str = include_str!("../../docs/SUMMARY.md");

/// Pages that lie elsewhere.
const OTHERS: [(&str, &str); 4] = [
    ("records", include_str!("../../docs/records.md")),
    ("protocol", include_str!("../../protocol.md")),
    ("glossary", include_str!("../../GLOSSARY.md")),
    ("security", include_str!("../../SECURITY.md")),
];

impl Docs {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let text = match &self.page {
            None => list(),
            Some(name) => page(name).ok_or_else(|| unknown(name))?.to_owned(),
        };
        if self.page.is_some() && out::is_terminal() {
            let shown = markdown::rendered(&text, out::width(), out::is_coloured());
            out::say_as_it_is(shown.trim_end());
        } else {
            say(text.trim_end());
        }
        Ok(())
    }
}

/// Returns the text of a page by its name: `football`, or `games/football.md`.
pub(super) fn page(name: &str) -> Option<&'static str> {
    let name = stem(name);
    let file = |(_, dir): &'static (&str, Dir<'_>)| dir.get_file(format!("{name}.md"))?.contents_utf8();
    PARTS.iter().find_map(file).or_else(|| Some(OTHERS.iter().find(|other| other.0 == name)?.1))
}

/// Returns the name of a page without its folder and ending.
fn stem(name: &str) -> String {
    let stem = Path::new(name).file_stem().unwrap_or_default();
    stem.to_string_lossy().to_lowercase()
}

/// Returns the names of all pages with their titles; a title of a part stands alone.
fn entries() -> impl Iterator<Item = (Option<String>, &'static str)> {
    let pages = SUMMARY.lines().skip(1).filter_map(|line| match line.strip_prefix("- [") {
        Some(link) => {
            link.split_once("](").map(|(title, path)| (Some(stem(path.trim_end_matches(')'))), title))
        }
        None => line.strip_prefix("# ").map(|part| (None, part)),
    });
    let others = [(None, "Beside the book")].into_iter();
    let others = others.chain(OTHERS.iter().skip(1).map(|(name, text)| {
        let title = text.lines().next().unwrap_or_default();
        (Some((*name).to_owned()), title.trim_start_matches("# "))
    }));
    pages.chain(others)
}

fn list() -> String {
    let width = entries().filter_map(|(name, _)| Some(name?.len())).max().unwrap_or_default();
    let mut text = "referee docs PAGE prints one of these pages.\n".to_owned();
    for (name, title) in entries() {
        text += &match name {
            Some(name) => format!("  {name:width$}  {title}\n"),
            None => format!("\n{title}\n"),
        };
    }
    text
}

/// An error that names the pages whose names are most like this one.
fn unknown(name: &str) -> Error {
    let name = stem(name);
    let mut near: Vec<(usize, String)> =
        entries().filter_map(|(page, _)| page).map(|page| (distance(&name, &page), page)).collect();
    near.sort();
    let is_near =
        |(distance, page): &&(usize, String)| *distance <= 1 + name.len() / 3 || page.contains(&*name);
    let near: Vec<&str> = near.iter().filter(is_near).map(|(_, page)| page.as_str()).take(3).collect();
    let hint = match near.is_empty() {
        true => "`referee docs` lists them".to_owned(),
        false => format!("near: {}; `referee docs` lists all", near.join(", ")),
    };
    Error::input(format!("no such page: {name} ({hint})"))
}

/// Returns the number of letters to insert, remove or replace that turn one word into the other.
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (index, letter) in one.chars().enumerate() {
        let mut before = std::mem::replace(&mut row[0], index + 1);
        for (column, same) in other.iter().map(|other| *other == letter).enumerate() {
            let exchanged = before + usize::from(!same);
            before = row[column + 1];
            row[column + 1] = exchanged.min(before + 1).min(row[column] + 1);
        }
    }
    row[other.len()]
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

    #[test]
    fn a_name_that_is_wrong_by_a_letter_is_near() {
        assert_eq!(
            (distance("footbal", "football"), distance("", "hill"), distance("cup", "cap")),
            (1, 4, 1)
        );
        assert!(unknown("footbal").to_string().contains("near: football"));
        assert!(unknown("compare").to_string().contains("near: compare-versions"));
        assert!(unknown("zzzzzzzz").to_string().contains("(`referee docs` lists them)"));
    }
}
