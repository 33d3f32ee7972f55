//! Lists of games: some on the first page, all on pages of their own.

use maud::{Markup, html};

use crate::ReportData;
use crate::line::{GameLine, Names, ON_A_PAGE, page_name};
use crate::page::parts::name;
use crate::page::{INDEX, document};

/// Maximum number of bots that are named for a game.
const BOTS_IN_A_ROW: usize = 8;

/// The games of the first page: those that are notable, and the last.
pub(super) fn section(report: &ReportData) -> Markup {
    let count = report.games.count();
    let some = report.games.notable();
    let last: Vec<(&str, &GameLine)> = report.games.last().map(|game| ("", game)).collect();
    let watched = report.games.watched();
    let pages = 1..=count.div_ceil(ON_A_PAGE);
    html! {
        section aria-labelledby="games" {
            h2 id="games" { "Games" }
            p { (count) " games were played. All games: "
                @for number in pages { a href=(page_name(number)) { "page " (number) } " " } }
            p { (watched) " of them have a page to watch." }
            (table(&report.games.names, "Notable games", &some))
            (table(&report.games.names, "Latest games, newest first", &last))
        }
    }
}

/// A page of games. It stays as it is when later games come, unless it is the last one.
pub(crate) fn page(names: &Names, games: &[GameLine], number: usize, is_last: bool) -> Markup {
    let title = format!("Games, page {number}: {}", names.title);
    let lines: Vec<(&str, &GameLine)> = games.iter().map(|game| ("", game)).collect();
    let body = html! {
        header {
            h1 { (name(&names.title)) ": games" }
            p { "Page " (number) "." }
        }
        nav aria-label="Pages" {
            ul {
                li { a href=(INDEX) { "The report" } }
                @if number > 1 { li { a href=(page_name(number - 1)) rel="prev" { "Earlier games" } } }
                @if !is_last { li { a href=(page_name(number + 1)) rel="next" { "Later games" } } }
            }
        }
        main id="main" { section { (table(names, "Games in the order of the results", &lines)) } }
    };
    document(&title, &body)
}

fn table(names: &Names, caption: &str, games: &[(&str, &GameLine)]) -> Markup {
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
                        @if names.has_cups { th scope="col" { "place in the cup" } }
                        th scope="col" { "bots by place, with scores" }
                        th scope="col" { "end" }
                        th scope="col" .n { "turns" }
                        th scope="col" .n { "faults" }
                        th scope="col" { "record" }
                    }
                }
                tbody { @for (reason, game) in games { (row(names, has_reasons.then_some(*reason), game)) } }
            }
        }
    }
}

fn row(names: &Names, reason: Option<&str>, game: &GameLine) -> Markup {
    let bots = &names.bots[game.chapter];
    html! {
        tr {
            @if let Some(reason) = reason { td { (reason) } }
            th scope="row" { (name(&game.game)) }
            td.n { @if let Some(place) = game.place { (place.round) } }
            @if names.has_cups { td { @if let Some(called) = &game.called { (called) } } }
            td.who {
                @for (index, line) in game.bots.iter().take(BOTS_IN_A_ROW).enumerate() {
                    @if index > 0 { ", " }
                    span { (line.place) ". " (name(&bots[line.bot].0)) " " b { (line.score) } }
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
