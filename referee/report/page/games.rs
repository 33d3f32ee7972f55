//! Lists of games: some on the first page, all on pages of their own.

use maud::{Markup, html};

use crate::ReportData;
use crate::games::GameLine;
use crate::page::parts::name;
use crate::page::{INDEX, document};

/// Maximum number of bots that are named for a game.
const BOTS_IN_A_ROW: usize = 8;

/// Returns the name of a page of games, from 1.
pub(super) fn page_name(number: usize) -> String {
    format!("games-{number}.html")
}

/// The games of the first page: those that are notable, and the last.
pub(super) fn section(report: &ReportData) -> Markup {
    let count = report.games.count;
    let some = report.games.notable();
    let last: Vec<(&str, &GameLine)> = report.games.last().map(|game| ("", game)).collect();
    let watched = report.games.watched;
    let pages = 1..=count.div_ceil(super::GAMES_ON_A_PAGE);
    html! {
        section aria-labelledby="games" {
            h2 id="games" { "Games" }
            p { (count) " games were played. All games: "
                @for number in pages { a href=(page_name(number)) { "page " (number) } " " } }
            p { (watched) " of them have a page to watch." }
            (table(report, "Notable games", &some))
            (table(report, "Latest games, newest first", &last))
        }
    }
}

/// A page of games.
pub(super) fn page(report: &ReportData, games: &[GameLine], number: usize, pages: usize) -> Markup {
    let title = format!("Games, page {number} of {pages}: {}", report.title);
    let lines: Vec<(&str, &GameLine)> = games.iter().map(|game| ("", game)).collect();
    let body = html! {
        header {
            h1 { (name(&report.title)) ": games" }
            p { "Page " (number) " of " (pages) "." }
        }
        nav aria-label="Pages" {
            ul {
                li { a href=(INDEX) { "The report" } }
                @if number > 1 { li { a href=(page_name(number - 1)) rel="prev" { "Earlier games" } } }
                @if number < pages { li { a href=(page_name(number + 1)) rel="next" { "Later games" } } }
            }
        }
        main id="main" { section { (table(report, "Games in the order of the results", &lines)) } }
    };
    document(&title, &body)
}

fn table(report: &ReportData, caption: &str, games: &[(&str, &GameLine)]) -> Markup {
    let has_names = report.chapters.iter().any(|chapter| chapter.cup.is_some());
    let has_reasons = games.iter().any(|(reason, _)| !reason.is_empty());
    html! {
        div.scroll tabindex="0" role="group" aria-label=(caption) {
            table.games {
                caption { (caption) }
                thead {
                    tr {
                        @if has_reasons { th scope="col" { "why" } }
                        th scope="col" { "game" }
                        th scope="col" .n { "round" }
                        @if has_names { th scope="col" { "place in the cup" } }
                        th scope="col" { "bots by place, with scores" }
                        th scope="col" { "end" }
                        th scope="col" .n { "turns" }
                        th scope="col" .n { "faults" }
                        th scope="col" { "record" }
                    }
                }
                tbody { @for (reason, game) in games { (row(report, has_reasons.then_some(*reason), has_names, game)) } }
            }
        }
    }
}

fn row(report: &ReportData, reason: Option<&str>, has_names: bool, game: &GameLine) -> Markup {
    let bots = report.chapters[game.chapter].bots();
    html! {
        tr {
            @if let Some(reason) = reason { td { (reason) } }
            th scope="row" { (name(&game.game)) }
            td.n { @if let Some(place) = game.place { (place.round) } }
            @if has_names { td { @if let Some(called) = &game.called { (called) } } }
            td.who {
                @for (index, line) in game.bots.iter().take(BOTS_IN_A_ROW).enumerate() {
                    @if index > 0 { ", " }
                    span { (line.place) ". " (name(&bots[line.bot].name)) " " b { (line.score) } }
                }
                @if game.bots.len() > BOTS_IN_A_ROW { " and " (game.bots.len() - BOTS_IN_A_ROW) " more" }
            }
            td { (name(&game.end)) }
            td.n { (game.turns) }
            td.n { (game.faults) }
            td {
                @if let Some(replay) = &game.replay { a href=(replay) aria-label={ "watch " (name(&game.game)) } { "watch" } " " }
                @if let Some(log) = &game.log { a href=(log.link) aria-label={ "log of " (name(&game.game)) } { "log" } }
                @else { "missing" }
            }
        }
    }
}
