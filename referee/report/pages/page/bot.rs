//! The page of each bot: its place, its course, its opponents, its latest games, its versions. It is made from what the
//! first page is made from, and from the last games that are kept of each bot.

use maud::{Markup, html};

use crate::pages::games::LAST_OF_A_BOT;
use crate::pages::line::NamesFrom;
use crate::pages::page::{INDEX, UP, document, list, table};
use crate::pages::parts::{long, name, plain};
use crate::pages::show::{View, bot};
use crate::pages::{ReportData, voids};
use referee_record::error::Error;
use referee_record::text::count;

/// Makes the page of each bot, and hands it to `write` with its name.
///
/// # Errors
///
/// The first error of `write`.
pub(super) fn each(
    report: &ReportData,
    mut write: impl FnMut(&str, Markup) -> Result<(), Error>,
) -> Result<(), Error> {
    for (bot, file) in &report.games.names.pages {
        write(file, page(report, bot))?;
    }
    Ok(())
}

fn page(report: &ReportData, of: &str) -> Markup {
    let links = NamesFrom(&report.games.names, UP);
    let last_places = report.last_places();
    let view = View { links: &links, ..report.view(&last_places) };
    let (void_games, last_voids) = report.voids.of(of);
    let thinking = report.chapters.iter().flat_map(|chapter| {
        let bots = chapter.bots().iter().enumerate().filter(|(_, bot)| bot.name == *of);
        bots.filter_map(|(number, _)| chapter.thinking_of(number))
    });
    let thinking: Vec<String> = thinking.collect();
    let rows = report
        .games
        .last_of(of, None)
        .take(LAST_OF_A_BOT)
        .map(|game| list::row(UP, "", game))
        .collect::<Vec<_>>();
    let body = html! {
        section {
            (bot::heading(view, of))
            (bot::standing(view, of))
            (bot::places(view, of))
            (bot::opponents(view, of))
            @for thinking in &thinking { p.small { (thinking) } }
        }
        @if let Some(versions) = report.versions.get(of) { (bot::versions(view, versions, None)) }
        section {
            h2 { "Latest games" }
            @if rows.is_empty() { p { "None yet." } }
            @else { (list::listed(report, view, "Its latest games, newest first", &rows)) }
        }
        @if void_games > 0 {
            section { h2 { "Void games" }
                p { (count(void_games as u64, "attempt")) " at games do not count, for which it is named, in all its games. The last of them:" }
                (table("Void games", &last_voids, None))
                p.small { a href={ (UP) (voids::FILE) } { "All void games" } }
            }
        }
    };
    let header = html! { h1 { (name(of)) } p.small { a href={ (UP) (INDEX) } { (long(&report.title)) } } };
    document(&format!("{} - {}", plain(of), report.title), UP, header, list::led(UP), "", &body)
}
