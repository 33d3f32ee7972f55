//! The pages of a report. Templates escape all text; names are shortened and made visible.

mod bot;
mod chapter;
mod figure;
pub(crate) mod list;

use std::io::Write;
use std::path::{Path, PathBuf};

use maud::{Markup, html};

use crate::pages::folder::Folder;
use crate::pages::line::{FILE as GAMES, Names};
use crate::pages::parts::{self, long};
use crate::pages::show::board::Board;
use crate::pages::show::contest;
use crate::pages::show::head::{self, Frame};
use crate::pages::voids::{self, Voids};
use crate::pages::{ReportData, Written};
use crate::tables::sheet::Sheet;
use referee_files::beneath::Spot;
use referee_record::error::Error;
use referee_record::text::count;
use serde_json::Value;

/// The style of all pages.
const STYLE: &str = "style.css";

/// The first page.
const INDEX: &str = "index.html";

/// Leads from a page in a folder of the report to the report's own folder.
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
    if let Some(season) = &report.contest.season
        && !report.is_hill
    {
        write("overall.csv".to_owned(), &season.standings.sheet())?;
    }
    for (chapter, season) in report.chapters() {
        for (name, sheet) in chapter.sheets(season) {
            write(format!("{}{name}", chapter.folder), &sheet)?;
        }
    }
    tables.extend([GAMES, voids::FILE].map(str::to_owned));
    let mut plots = Vec::new();
    let index = index(&report, &tables, &mut plots).into_string();
    for (name, svg) in plots {
        folder.write(&name, svg)?;
    }
    folder.write(STYLE, head::STYLE.as_str())?;
    folder.write(INDEX, index)?;
    bot::each(&report, |name, page| folder.write(name, page.into_string()))?;
    let ReportData { chapters, games, cache, .. } = report;
    cache.write(chapters.iter().map(|chapter| &chapter.tally), &mut folder)?;
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
    let body = hills_table(sheet, folders);
    let header = html! { h1 { (HILLS) } };
    // The page has no style of its own: it uses that of the first report.
    let first = format!("{}/", folders.first().map_or("", String::as_str));
    let text = document(HILLS, &first, header, html! {}, "", &body).into_string();
    let page = Spot::below(target, INDEX);
    let written = page.create().and_then(|mut file| file.write_all(text.as_bytes()));
    written.map_err(Error::system(page.path(), "write the page"))?;
    Ok(page.path().to_owned())
}

/// The table of many hills, each with a link to its report in the folder of the same number.
fn hills_table(sheet: &Sheet, folders: &[String]) -> Markup {
    let people = sheet.for_people();
    let digits = people.digits();
    // The first column is the path of the hill, which the link replaces. The number of the leader's games would be
    // mistaken for that of the season.
    let is_shown = |column: &usize| *column > 0 && people.columns()[*column].name != "games";
    let shown: Vec<usize> = (0..people.columns().len()).filter(is_shown).collect();
    let title =
        |row: usize| sheet.value(row, "title").and_then(Value::as_str).filter(|title| !title.is_empty());
    html! {
        section aria-label="Hills" {
            div.scroll tabindex="0" role="group" aria-label="Hills" {
                table {
                    caption { "Each name leads to the report" }
                    thead { tr {
                        th scope="col" { "hill" }
                        @for column in &shown { th scope="col" .n[people.is_numeric(*column)] {
                            (people.columns()[*column].name.replace('_', " ")) } }
                    } }
                    tbody { @for (row, folder) in folders.iter().enumerate() { tr {
                        th scope="row" {
                            a href={ (folder) "/" (INDEX) } { (long(title(row).unwrap_or(folder))) }
                            @if title(row).is_some() { " " small { (long(folder)) } }
                        }
                        @for column in &shown {
                            td .n[people.is_numeric(*column)] { (long(&people.cell(&digits, row, *column))) }
                        }
                    } } }
                }
            }
        }
    }
}

fn csv(sheet: &Sheet) -> Vec<u8> {
    let mut bytes = Vec::new();
    sheet.write_csv(&mut bytes).expect("written into memory");
    bytes
}

/// A whole page. `up` leads from it to the folder of the report.
fn document(title: &str, up: &str, header: Markup, nav: Markup, class: &str, body: &Markup) -> Markup {
    let style = format!("{up}{STYLE}");
    let nav = if nav.0.is_empty() { None } else { Some(("Pages", nav)) };
    let title = &long(title);
    let footer = html! { "Made from records alone: the same records give the same report." };
    head::document(&Frame { title, style: &style, more: html! {}, header, nav, class, footer }, body)
}

/// Returns the first page. `plots` receives the plots, which are files, too.
fn index(report: &ReportData, tables: &[String], plots: &mut Vec<(String, String)>) -> Markup {
    let last_places = report.last_places();
    let view = report.view(&last_places);
    let board = report.contest.season.as_ref().map(|season| Board::new(view, season));
    let has_several = report.chapters.len() > 1;
    let (links, logs) = (&report.games.names, report.logs);
    let mut sections = Vec::new();
    for (chapter, number) in report.chapters.iter().zip(1..) {
        let section = chapter::Section { chapter, number, has_several, logs, links, plots: &mut *plots };
        sections.push(section.render());
    }
    let has_games = report.games.count() > 0;
    let nav = html! {
        li { a href="#main" { "Standings" } }
        @for (chapter, number) in report.chapters.iter().zip(1..) {
            li { a href={ "#" (chapter::anchor(number, "")) } {
                @if has_several { (long(&chapter.name)) } @else { "Times, faults, seats" }
            } }
        }
        @if has_games { li { a href="#games" { "Games" } } }
        @if report.voids.count > 0 { li { a href="#voids" { "Void games" } } }
        li { a href="#files" { "Files" } }
    };
    let body = html! {
        @match &board {
            Some(board) => (contest::results(board, &html! {})),
            None => section {
                h2 { "No game has been played yet" }
                p.lead { (count(report.contest.field.len() as u64, "bot")) " so far." }
            },
        }
        @for section in &sections { (section) }
        @if has_games { (list::section(report, view)) }
        @if report.voids.count > 0 { (void_games(&report.voids, links)) }
        section { (contest::field(view, &report.parameters, board.is_none())) }
        section aria-label="Files" {
            details.part {
                summary { h2 id="files" { "Files" } " " span { "The same tables as CSV, for other programs." } }
                ul.files { @for name in tables { li { a href=(name) { (name) } } } }
            }
        }
    };
    let header = head::heading(&report.title, &report.text, &report.about);
    document(&report.title, "", header, nav, "first", &body)
}

/// The section about void games.
fn void_games(voids: &Voids, links: &Names) -> Markup {
    html! {
        section.wide aria-labelledby="voids" { details.part {
            summary { h2 id="voids" { "Void games" } " " span { (voids.count) ". Attempts at games that do not count." } }
            p { "A game that was given up is left out; all others were played again." }
            @if voids.count > voids.last.rows().len() {
                p { "These are the last ones of " (voids.count) ". " a href=(voids::FILE) { (voids::FILE) } " has all." }
            }
            (table("Void games", &voids.last, Some(links)))
        } }
    }
}
