//! The parts of pages, of a report and of a server: tables, sentences, names, times.

use maud::{Markup, html};
use serde_json::Value;

use crate::tables::sentence::{Part, Sentence};
use crate::tables::sheet::{Cells, Sheet, text};
use referee_record::text::{NAME, apart, harmless, has_right_to_left};

/// Maximum length of a text on a page, in columns.
const TEXT_MAX: usize = 1000;

/// Columns whose cells can be the heads of rows. The first of these that a table has is used.
const HEADS: [&str; 5] = ["bot", "seat", "question", "game", "match"];

/// Where the pages of a site are.
pub trait Links {
    /// Returns the address of a bot's page; `None` if it has none.
    fn bot(&self, name: &str) -> Option<String>;
}

/// A shortened name. The whole name is shown when somebody points at it.
pub fn name(full: &str) -> Markup {
    let (short, full) = (harmless(full, NAME), harmless(full, TEXT_MAX));
    if short == full {
        return named(&short);
    }
    html! { span title=(full) { (named(&short)) } }
}

/// A name from strangers, shortened. A name in a script from right to left is isolated, so that words and numbers
/// around it keep their places.
pub fn named(full: &str) -> Markup {
    let short = harmless(full, NAME);
    html! { @if has_right_to_left(&short) { bdi { (short) } } @else { (short) } }
}

/// Returns a name from strangers, shortened, for a line that is not HTML.
pub fn plain(full: &str) -> String {
    apart(&harmless(full, NAME)).into_owned()
}

/// The name of a bot, with a link to its page.
pub fn bot(links: &dyn Links, full: &str) -> Markup {
    match links.bot(full) {
        Some(page) => html! { a href=(page) { (name(full)) } },
        None => name(full),
    }
}

/// A sentence with links from the names of bots to their pages.
pub fn linked_sentence(links: &dyn Links, sentence: &Sentence) -> Markup {
    html! { @for part in &sentence.parts { @match part {
        Part::Words(words) => (words),
        Part::Bot(full) => (bot(links, full)),
    } } }
}

/// A date and time of records, as in `2026-11-27T01:02:03Z`. A script of some pages shows it in the visitor's time
/// zone.
pub fn time(date: &str) -> Markup {
    let shown = date.trim_end_matches('Z').replace('T', " ");
    html! { time datetime=(date) { (shown) " UTC" } }
}

/// The text of a cell; a date and time of records is shown as such.
pub fn cell(text: &str) -> Markup {
    html! { @if is_date(text) { (time(text)) } @else { (text) } }
}

fn is_date(cell: &str) -> bool {
    let form = b"0000-00-00T00:00:00Z";
    let fits = |(expected, found): (&u8, u8)| {
        if *expected == b'0' { found.is_ascii_digit() } else { found == *expected }
    };
    cell.len() == form.len() && form.iter().zip(cell.bytes()).all(fits)
}

/// A text of any length, cut to the maximum.
pub fn long(full: &str) -> String {
    apart(&harmless(full, TEXT_MAX)).into_owned()
}

/// A table, with the same names of columns as in the files. A column without any value is left out. With `links`, bots
/// at the heads of rows and in columns of bots are links to their pages. With `digits_max`, means have at most this
/// number of digits behind the point, and milliseconds one.
pub fn table(caption: &str, sheet: &Sheet, links: Option<&dyn Links>, digits_max: Option<usize>) -> Markup {
    let limited = |(column, digits): (usize, usize)| match (&*sheet.columns()[column].name, digits_max) {
        (name, Some(max)) if name.contains("mean") => digits.min(max),
        (name, Some(_)) if name.ends_with("_ms") => digits.min(1),
        _ => digits,
    };
    let digits: Vec<usize> = sheet.digits().into_iter().enumerate().map(limited).collect();
    let head = HEADS.iter().find_map(|head| sheet.columns().iter().position(|column| column.name == *head));
    let is_by_bot = head.is_some_and(|head| sheet.columns()[head].name == "bot");
    let head_of = |text: &str| match links {
        Some(links) if is_by_bot => bot(links, text),
        _ => name(text),
    };
    let cell_of = |index: usize, value: &Value| match (links, value, sheet.columns()[index].cells) {
        (Some(links), Value::String(full), Cells::Bots) => bot(links, full),
        _ => name_or_text(value),
    };
    let is_number = |value: &Value| value.is_number() || value.is_null();
    let is_empty = |index: usize| sheet.rows().iter().all(|row| row[index].is_null() || row[index] == "");
    let is_shown: Vec<bool> =
        (0..sheet.columns().len()).map(|index| sheet.rows().is_empty() || !is_empty(index)).collect();
    html! {
        div.scroll tabindex="0" role="group" aria-label=(caption) {
            table {
                caption { (caption) }
                thead {
                    tr {
                        @for (index, column) in sheet.columns().iter().enumerate().filter(|(index, _)| is_shown[*index]) {
                            th scope="col" .n[sheet.rows().iter().all(|row| is_number(&row[index]))] {
                                (column.name.replace('_', " "))
                            }
                        }
                    }
                }
                tbody {
                    @for (at, row) in sheet.rows().iter().enumerate() {
                        tr {
                            @for (index, value) in row.iter().enumerate().filter(|(index, _)| is_shown[*index]) {
                                @if Some(index) == head {
                                    th scope="row" { (head_of(&text(value))) (sheet.remarks(at, index)) }
                                } @else if is_number(value) {
                                    td.n { (sheet.cell(&digits, at, index)) }
                                } @else {
                                    td { (cell_of(index, value)) (sheet.remarks(at, index)) }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn name_or_text(value: &Value) -> Markup {
    let text = text(value);
    if text.contains(' ') {
        html! { (long(&text)) }
    } else if is_date(&text) {
        time(&text)
    } else {
        name(&text)
    }
}
