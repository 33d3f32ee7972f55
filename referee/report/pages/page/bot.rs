//! The page of each bot: its place, its course, its opponents, its latest games, its versions. It is made from the same
//! data as the first page, and from the last games of each bot.

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
pub(super) fn each(
    report: &ReportData,
    mut write: impl FnMut(&str, Markup) -> Result<(), Error>,
) -> Result<(), Error> {
    for (bot, file) in &report.games.names.pages {
        write(file, page(report, bot))?;
    }
    Ok(())
}

fn page(report: &ReportData, bot_name: &str) -> Markup {
    let links = NamesFrom(&report.games.names, UP);
    let last_places = report.last_places();
    let view = View { links: &links, ..report.view(&last_places) };
    let (void_games, last_voids) = report.voids.of_bot(bot_name);
    let thinking = report.chapters.iter().flat_map(|chapter| {
        let bots = chapter.bots().iter().enumerate().filter(|(_, bot)| bot.name == *bot_name);
        bots.filter_map(|(number, _)| chapter.thinking_of(number))
    });
    let thinking: Vec<String> = thinking.collect();
    let rows = report
        .games
        .last_of(bot_name, None)
        .take(LAST_OF_A_BOT)
        .map(|game| list::row(UP, "", game))
        .collect::<Vec<_>>();
    let body = html! {
        section {
            (bot::heading(view, bot_name))
            (bot::standing(view, bot_name))
            (bot::places(view, bot_name))
            (bot::opponents(view, bot_name))
            @for thinking in &thinking { p.small { (thinking) } }
        }
        @if let Some(versions) = report.versions.get(bot_name) { (bot::versions(view, versions, None)) }
        section {
            h2 { "Latest games" }
            @if rows.is_empty() { p { "None yet." } }
            @else { (list::list(report, view, "Its latest games, newest first", &rows)) }
        }
        @if void_games > 0 {
            section { h2 { "Void games" }
                p { (count(void_games as u64, "attempt"))
                    " at games do not count, for which it is named, in all its games. The last of them:" }
                (table("Void games", &last_voids, None))
                p.small { a href={ (UP) (voids::FILE) } { "All void games" } }
            }
        }
    };
    let header =
        html! { h1 { (name(bot_name)) } p.small { a href={ (UP) (INDEX) } { (long(&report.title)) } } };
    document(
        &format!("{} - {}", plain(bot_name), report.title),
        UP,
        header,
        list::link_to_report(UP),
        "",
        &body,
    )
}
