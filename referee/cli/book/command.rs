//! `referee docs`: the book, built into the program.

use std::ffi::OsStr;

use crate::book::pages::{entries, page, stem};
use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use clap::{Arg, Args, Command};
use referee_record::error::Error;

use crate::book::markdown;
use crate::out::{self, say};

/// Print a page of the book, or the list of its pages
///
/// On a terminal, a page is laid out for its width. In a pipe or a file it is Markdown, as in the book.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  referee docs\n  referee docs first-bot\n  referee docs football | less")]
pub(crate) struct Docs {
    /// The page's name, from the list
    #[arg(value_parser = PageName, hide_possible_values = true)]
    page: Option<String>,
}

/// Accepts any name; shells complete the names in the list.
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

impl Docs {
    pub(crate) fn run(self) -> anyhow::Result<()> {
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

/// Returns an error that suggests the pages with the most similar names.
fn unknown(name: &str) -> Error {
    let name = stem(name);
    let mut pages: Vec<(usize, String)> =
        entries().filter_map(|(page, _)| page).map(|page| (distance(&name, &page), page)).collect();
    pages.sort();
    let is_similar =
        |(distance, page): &&(usize, String)| *distance <= 1 + name.len() / 3 || page.contains(&*name);
    let similar: Vec<&str> = pages.iter().filter(is_similar).map(|(_, page)| page.as_str()).take(3).collect();
    let hint = if similar.is_empty() {
        "`referee docs` lists them".to_owned()
    } else {
        format!("similar: {}; `referee docs` lists all", similar.join(", "))
    };
    Error::input(format!("no such page: {name} ({hint})"))
}

/// Returns the number of letters to insert, remove or replace to turn one word into the other.
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    // The distances from a beginning of `one` to each beginning of `other`.
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (index, letter) in one.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], index + 1);
        for (column, is_same) in other.iter().map(|other| *other == letter).enumerate() {
            let with_exchange = diagonal + usize::from(!is_same);
            diagonal = row[column + 1];
            row[column + 1] = with_exchange.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row[other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_is_wrong_by_a_letter_is_near() {
        assert_eq!(
            (distance("footbal", "football"), distance("", "hill"), distance("cup", "cap")),
            (1, 4, 1)
        );
        assert!(unknown("footbal").to_string().contains("similar: football"));
        assert!(unknown("compare").to_string().contains("similar: compare-versions"));
        assert!(unknown("zzzzzzzz").to_string().contains("(`referee docs` lists them)"));
    }
}
