//! Lists of games: some on the first page, all on pages of their own.

use maud::{Markup, html};

use crate::ReportData;
use crate::line::{GameLine, Names, NamesFrom, ON_A_PAGE, page_name};
use crate::page::{INDEX, UP, document};
use crate::parts::{bot, name};

/// Maximum number of bots that are named for a game.
const BOTS_IN_A_ROW: usize = 8;

/// Number of the latest games that are listed at once. The others of the first page are a click away.
const AT_ONCE: usize = 3;

/// The games of the first page: those that are notable, and the last.
pub(super) fn section(report: &ReportData) -> Markup {
    let count = report.games.count();
    let last: Vec<&GameLine> = report.games.last().collect();
    let (latest, others) = last.split_at(last.len().min(AT_ONCE));
    let mut some = report.games.notable();
    for game in latest {
        match some.iter_mut().find(|(_, other)| other.is_same(game)) {
            Some((reasons, _)) => reasons.push("latest"),
            None => some.push((vec!["latest"], game)),
        }
    }
    let some: Vec<(String, &GameLine)> =
        some.into_iter().map(|(reasons, game)| (reasons.join(", "), game)).collect();
    let others: Vec<(String, &GameLine)> = others.iter().map(|game| (String::new(), *game)).collect();
    let watched = report.games.watched();
    let pages = 1..=count.div_ceil(ON_A_PAGE);
    html! {
        section aria-labelledby="games" {
            h2 id="games" { "Games" }
            p { (count) " games were played; " (watched) " of them have a page to watch. All games: "
                @for number in pages { a href=(page_name(number)) { "page " (number) } " " } }
            @let names = &report.games.names;
            (table(names, "Notable games, and the latest ones", &some))
            @if !others.is_empty() {
                details { summary { "The " (others.len()) " games before" } (table(names, "Games before", &others)) }
            }
        }
    }
}

/// A page of games. It stays as it is when later games come, unless it is the last one.
pub(crate) fn page(names: &Names, games: &[GameLine], number: usize, is_last: bool) -> Markup {
    let title = format!("Games, page {number}: {}", names.title);
    let lines: Vec<(String, &GameLine)> = games.iter().map(|game| (String::new(), game)).collect();
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

/// The latest games of a bot, on its page: its place, and all results.
pub(super) fn of_a_bot<'a>(names: &Names, bot: usize, games: impl Iterator<Item = &'a GameLine>) -> Markup {
    const CAPTION: &str = "Its latest games, newest first";
    html! {
        div.scroll tabindex="0" role="group" aria-label=(CAPTION) {
            table.games {
                caption { (CAPTION) }
                thead { tr {
                    th scope="col" .n { "round" } th scope="col" .n { "its place" }
                    th scope="col" { "bots by place, with scores" } th scope="col" { "record" }
                } }
                tbody { @for game in games { tr {
                    th scope="row" .n { @match game.place { Some(place) => (place.round), None => (name(&game.game)) } }
                    @let line = game.bots.iter().find(|line| line.bot == bot);
                    td.n { @if let Some(line) = line {
                        (line.place) " of " (game.bots.len()) @if !line.counts { ", only filled a seat" }
                    } }
                    td.who { (results(names, UP, game)) }
                    td { (record(UP, game)) }
                } } }
            }
        }
    }
}

fn table(names: &Names, caption: &str, games: &[(String, &GameLine)]) -> Markup {
    let has_reasons = games.iter().any(|(reason, _)| !reason.is_empty());
    html! {
        div.scroll tabindex="0" role="group" aria-label=(caption) {
            table.games {
                caption { (caption) }
                thead {
                    tr {
                        @if has_reasons { th scope="col" { "why" } }
                        th scope="col" .n { "round" }
                        @if names.has_cups { th scope="col" { "place in the cup" } }
                        th scope="col" { "bots by place, with scores" }
                        th scope="col" { "end" }
                        th scope="col" .n { "turns" }
                        th scope="col" .n { "faults" }
                        th scope="col" { "record" }
                        th scope="col" { "game" }
                    }
                }
                tbody { @for (reason, game) in games { (row(names, has_reasons.then_some(&**reason), game)) } }
            }
        }
    }
}

fn row(names: &Names, reason: Option<&str>, game: &GameLine) -> Markup {
    html! {
        tr {
            @if let Some(reason) = reason { td { (reason) } }
            td.n { @if let Some(place) = game.place { (place.round) } }
            @if names.has_cups { td { @if let Some(called) = &game.called { (called) } } }
            td.who { (results(names, "", game)) }
            td { (name(&game.end)) }
            td.n { (game.turns) }
            td.n { (game.faults) }
            td { (record("", game)) }
            th scope="row" { (name(&game.game)) }
        }
    }
}

/// The bots of a game by place, with their scores. `up` leads from the page to the folder of the report.
fn results(names: &Names, up: &str, game: &GameLine) -> Markup {
    let bots = &names.bots[game.chapter];
    html! {
        @for (index, line) in game.bots.iter().take(BOTS_IN_A_ROW).enumerate() {
            @if index > 0 { ", " }
            span { (line.place) ". " (bot(&NamesFrom(names, up), &bots[line.bot].0)) " " b { (line.score) } }
        }
        @if game.bots.len() > BOTS_IN_A_ROW { " and " (game.bots.len() - BOTS_IN_A_ROW) " more" }
    }
}

/// The links to the page of a game and to its log.
fn record(up: &str, game: &GameLine) -> Markup {
    html! {
        @if let Some(replay) = &game.replay { a href={ (up) (replay) } aria-label={ "watch " (name(&game.game)) } { "watch" } " " }
        @if let Some(log) = &game.log { a href={ (up) (log.link) } aria-label={ "log of " (name(&game.game)) } { "log" } }
        @else { "missing" }
    }
}
