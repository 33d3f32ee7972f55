//! Parts of pages: tables, figures, names.

use maud::{Markup, html};
use serde_json::Value;

use crate::chapter::Figure;
use crate::line::Names;
use crate::plots::Plot;
use referee_record::text::{NAME, apart, harmless, has_right_to_left};
use referee_tables::sentence::{Part, Sentence};
use referee_tables::sheet::{Cells, Sheet, text};

/// The longest text that is kept, in columns.
const TEXT_MAX: usize = 1000;

/// Columns whose cells can be the heads of rows. The first of these that a table has is used.
const HEADS: [&str; 5] = ["bot", "seat", "question", "game", "match"];

/// A shortened name. Pointing at it shows the whole.
pub(super) fn name(full: &str) -> Markup {
    let (seen, full) = (harmless(full, NAME), harmless(full, TEXT_MAX));
    if seen == full {
        return named(&seen);
    }
    html! { span title=(full) { (named(&seen)) } }
}

/// A name as it is shown. One from right to left is set apart, so that words and numbers around it keep their places.
pub fn named(seen: &str) -> Markup {
    html! { @if has_right_to_left(seen) { bdi { (seen) } } @else { (seen) } }
}

/// The name of a bot, which leads to its page. `up` leads from this page to the folder of the report.
pub(super) fn bot(names: &Names, up: &str, full: &str) -> Markup {
    match names.pages.get(full) {
        Some(page) => html! { a href={ (up) (page) } { (name(full)) } },
        None => name(full),
    }
}

/// A sentence; each bot that it names leads to its page. `up` leads from this page to the folder of the report.
pub(super) fn said(names: &Names, up: &str, sentence: &Sentence) -> Markup {
    html! { @for part in &sentence.parts { @match part {
        Part::Words(words) => (words),
        Part::Bot(full) => (bot(names, up, full)),
    } } }
}

/// A text of any length, cut to the maximum.
pub(super) fn long(full: &str) -> String {
    apart(&harmless(full, TEXT_MAX)).into_owned()
}

/// A table, with the same names of columns as in the files. A column without any value is left out. Where `names` are
/// given, the bots at the heads of its rows and in columns of bots lead to their pages.
pub(super) fn table(caption: &str, sheet: &Sheet, names: Option<&Names>) -> Markup {
    let sheet = &sheet.in_full();
    let digits = sheet.digits();
    let head = HEADS.iter().find_map(|head| sheet.columns().iter().position(|column| column.name == *head));
    let of_bots = names.filter(|_| head.is_some_and(|head| sheet.columns()[head].name == HEADS[0]));
    let head_of = |text: &str| of_bots.map_or_else(|| name(text), |names| bot(names, "", text));
    let cell_of = |index: usize, value: &Value| match (names, value, sheet.columns()[index].cells) {
        (Some(names), Value::String(full), Cells::Bots) => bot(names, "", full),
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
    } else {
        name(&text)
    }
}

/// A figure with links to its files. A plot that would make the page long is in its file alone.
pub(super) fn figure(figure: &Figure, is_shown: bool, caption: &Markup, svg: &str, csv: &str) -> Markup {
    html! {
        figure {
            @if is_shown { div.plot tabindex="0" role="group" aria-label="Plot" { (drawn(figure, true)) } }
            @else { p { a href=(svg) { "The plot, as a file" } } }
            figcaption { (caption) " " a href=(svg) { "SVG" } ", " a href=(csv) { "CSV" } }
        }
    }
}

/// A plot in a page. Wide ones stay large enough to be read.
pub(super) fn drawn(figure: &Figure, is_wide: bool) -> Markup {
    let Plot { width, inner, .. } = &figure.plot;
    let fit = if is_wide {
        format!("max-width:{}px;min-width:{}px", width * 5 / 4, (*width).min(520))
    } else {
        String::new()
    };
    html! {
        svg viewBox=(figure.plot.view_box()) role="img" aria-label=(long(&figure.words)) style=[is_wide.then_some(fit)] { (inner) }
    }
}
