//! The pages of a report. Templates escape all text; names are shortened and made visible.

mod board;
mod bot;
mod chapter;
mod figure;
pub(crate) mod list;

use std::io::Write;
use std::path::{Path, PathBuf};

use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::chapter::{Chapter, Rounds};
use crate::folder::Folder;
use crate::line::{FILE as GAMES, Names};
use crate::parts::{self, long};
use crate::{ReportData, Written, voids};
use referee_files::beneath::Spot;
use referee_record::error::Error;
use referee_record::text::count;
use referee_tables::sheet::Sheet;
use serde_json::Value;

pub(crate) const STYLE: &str = include_str!("style.css");

/// The first page.
const INDEX: &str = "index.html";

/// From a page in a folder of the report to the report's own.
const UP: &str = "../";

/// A table with all columns that people may see.
fn table(caption: &str, sheet: &Sheet, names: Option<&Names>) -> Markup {
    let links = names.map(|names| names as &dyn parts::Links);
    parts::table(caption, &sheet.in_full(), links, None)
}

/// Writes all files of a report.
pub(super) fn write(report: ReportData, mut folder: Folder) -> Result<Written, Error> {
    let mut tables: Vec<String> = Vec::new();
    let mut write = |name: String, sheet: &Sheet| {
        folder.write(&name, csv(sheet))?;
        tables.push(name);
        Ok::<(), Error>(())
    };
    if let Some(overall) = &report.overall {
        write("overall.csv".to_owned(), &overall.sheet())?;
    }
    for chapter in &report.chapters {
        for (name, sheet) in chapter.sheets() {
            write(format!("{}{name}", chapter.folder), &sheet)?;
        }
    }
    tables.extend([GAMES, voids::FILE].map(str::to_owned));
    let mut plots = Vec::new();
    let rounds: Vec<Option<Rounds>> = report.chapters.iter().map(Chapter::rounds).collect();
    let index = index(&report, &tables, &rounds, &mut plots).into_string();
    for (name, svg) in plots {
        folder.write(&name, svg)?;
    }
    folder.write(INDEX, index)?;
    bot::each(&report, &rounds, |name, page| folder.write(name, page.into_string()))?;
    let ReportData { chapters, games, kept, .. } = report;
    kept.write(chapters.iter().map(|chapter| &chapter.seen), &mut folder)?;
    let (target, files) = folder.finish()?;
    Ok(Written { page: target.join(INDEX), files, games: games.count() })
}

/// The title of the page about many hills, by which such a page is recognized.
const HILLS: &str = "All hills";

/// The longest page about many hills that is read, in bytes.
const HILLS_MAX: u64 = 16 << 20;

/// Makes sure that the page about many hills replaces no other page.
pub(super) fn check_page_of_hills(target: &Path) -> Result<(), Error> {
    let page = Spot::from(&*target.join(INDEX));
    let is_ours = || page.read_text(HILLS_MAX).is_ok_and(|text| text.contains(&format!("<h1>{HILLS}</h1>")));
    if page.exists() && !is_ours() {
        return Err(Error::file(page.path(), "not a page of this program; choose another folder"));
    }
    Ok(())
}

/// Writes a page about many hills, with links to their reports in `folders`. Returns its path.
pub(super) fn write_page_of_hills(
    target: &Path,
    sheet: &Sheet,
    folders: &[String],
) -> Result<PathBuf, Error> {
    // People see what is for them; the number of the leader's games is beside the season's on no page.
    let people = sheet.for_people();
    let digits = people.digits();
    let is_shown = |column: &usize| *column > 0 && people.columns()[*column].name != "games";
    let shown: Vec<usize> = (0..people.columns().len()).filter(is_shown).collect();
    let title =
        |row: usize| sheet.value(row, "title").and_then(Value::as_str).filter(|title| !title.is_empty());
    let body = html! {
        header { h1 { (HILLS) } }
        main id="main" {
            section aria-label="Hills" {
                div.scroll tabindex="0" role="group" aria-label="Hills" {
                    table {
                        caption { "Each name leads to the report" }
                        thead { tr {
                            th scope="col" { "hill" }
                            @for column in &shown { th scope="col" .n[people.is_numeric(*column)] {
                                (people.columns()[*column].name.replace('_', " ")) } }
                        } }
                        tbody {
                            @for (row, folder) in folders.iter().enumerate() {
                                tr {
                                    th scope="row" {
                                        a href={ (folder) "/" (INDEX) } { (long(title(row).unwrap_or(folder))) }
                                        @if title(row).is_some() { " " small { (long(folder)) } }
                                    }
                                    @for column in &shown {
                                        td .n[people.is_numeric(*column)] { (long(&people.cell(&digits, row, *column))) }
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    };
    let page = Spot::below(target, INDEX);
    let text = document(HILLS, &body).into_string();
    let written = page.create().and_then(|mut file| file.write_all(text.as_bytes()));
    written.map_err(Error::system(page.path(), "write the page"))?;
    Ok(page.path().to_owned())
}

fn csv(sheet: &Sheet) -> Vec<u8> {
    let mut bytes = Vec::new();
    sheet.write_csv(&mut bytes).expect("written into memory");
    bytes
}

/// A whole page.
fn document(title: &str, body: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (long(title)) }
                style { (PreEscaped(STYLE)) (PreEscaped(referee_drawing::STYLE)) }
            }
            body {
                a.skip href="#main" { "Skip to the content" }
                (body)
                footer { p { "Made by referee " (env!("CARGO_PKG_VERSION")) " from records alone. The same records give the same report." } }
            }
        }
    }
}

/// Returns the first page. `plots` receives the plots, which are files, too.
fn index(
    report: &ReportData,
    tables: &[String],
    rounds: &[Option<Rounds>],
    plots: &mut Vec<(String, String)>,
) -> Markup {
    let several = report.chapters.len() > 1;
    let (names, logs) = (&report.games.names, report.logs);
    let sections = report.chapters.iter().zip(rounds).zip(1..);
    let sections: Vec<Markup> = sections
        .map(|((chapter, rounds), number)| {
            let rounds = rounds.as_ref().map(|rounds| &rounds.all);
            chapter::Section { chapter, number, several, logs, names, rounds, plots }.page()
        })
        .collect();
    let (first, rest) = report.facts.split_at(report.facts.len().min(1));
    let body = html! {
        header {
            h1 { (long(&report.title)) }
            @for paragraph in report.text.split("\n\n").filter(|part| !part.trim().is_empty()) {
                p.lead { (long(paragraph)) }
            }
            @for (_, what) in first { p.small { (long(what)) } }
            @for note in &report.notes { p.note { (long(note)) } }
        }
        nav aria-label="Contents" {
            ul {
                @if several { li { a href="#overall" { "All sub-tournaments" } } }
                @for (chapter, number) in report.chapters.iter().zip(1..) {
                    li { a href={ "#" (chapter::anchor(number, "")) } { (long(&chapter.name)) } }
                }
                @if report.games.count() > 0 { li { a href="#games" { "Games" } } }
                @if report.voids.count > 0 { li { a href="#voids" { "Void games" } } }
                li { a href="#settings" { "Settings" } }
                li { a href="#files" { "Files" } }
            }
        }
        main id="main" {
            @if let Some(overall) = report.overall.as_ref().filter(|_| several) {
                section aria-labelledby="overall" {
                    h2 id="overall" { "All sub-tournaments" }
                    p { "Bots are ranked by the average of their mean shares; each sub-tournament counts the same." }
                    ol { @for chapter in &report.chapters { li { (long(&chapter.name)) } } }
                    (table("Standings over all sub-tournaments", &overall.sheet(), Some(names)))
                }
            }
            @for section in &sections { (section) }
            @if report.games.count() > 0 { (list::section(report)) }
            @if report.voids.count > 0 {
                section aria-labelledby="voids" { details.part {
                    summary { h2 id="voids" { "Void games" } " " span { (report.voids.count) ". Attempts at games that do not count." } }
                    p { "A game that was given up is left out; all others were played again." }
                    @if report.voids.count > report.voids.last.rows().len() {
                        p { "These are the last ones of " (report.voids.count) ". " a href=(voids::FILE) { (voids::FILE) } " has all." }
                    }
                    (table("Void games", &report.voids.last, Some(names)))
                } }
            }
            section aria-label="Settings and files" {
                details.part {
                    summary { h2 id="settings" { "Settings" } @if !report.field.is_empty() { " " span { (count(report.field.len() as u64, "bot")) " now." } } }
                    dl {
                        @for (name, what) in rest { div { dt { (name) } dd { (long(what)) } } }
                        @if !report.field.is_empty() { div { dt { "On the hill now" } dd { (long(&report.field.join(", "))) } } }
                    }
                }
                details.part {
                    summary { h2 id="files" { "Files" } " " span { "The same tables as CSV, for other programs." } }
                    ul.files { @for name in tables { li { a href=(name) { (name) } } } }
                }
            }
        }
    };
    document(&report.title, &body)
}
