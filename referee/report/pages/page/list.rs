//! The lists of games: some games on the first page, all on pages of their own.

use maud::{Markup, html};

use crate::pages::ReportData;
use crate::pages::line::{GameLine, Names, ON_A_PAGE, page_name};
use crate::pages::page::{INDEX, document};
use crate::pages::parts::name;
use crate::pages::show::View;
use crate::pages::show::games::{self, GameRow};
use referee_record::text;

/// Number of the latest games that are listed at once. The others of the first page are behind a click.
const AT_ONCE: usize = 3;

/// The games of the first page: notable ones, and the last.
pub(super) fn section(report: &ReportData, view: View<'_>) -> Markup {
    let count = report.games.count();
    let last: Vec<&GameLine> = report.games.last().collect();
    let (latest, others) = last.split_at(last.len().min(AT_ONCE));
    let mut listed = report.games.notable();
    for game in latest {
        match listed.iter_mut().find(|(_, other)| other.is_same(game)) {
            Some((reasons, _)) => reasons.push("latest"),
            None => listed.push((vec!["latest"], game)),
        }
    }
    let listed: Vec<GameRow<'_>> =
        listed.into_iter().map(|(reasons, game)| row("", &reasons.join(", "), game)).collect();
    let others: Vec<GameRow<'_>> = others.iter().map(|game| row("", "", game)).collect();
    let with_page = report.games.page_count();
    let pages = 1..=count.div_ceil(ON_A_PAGE);
    html! {
        section.wide aria-labelledby="games" {
            h2 id="games" { "Games" }
            p { (text::count(count as u64, "game")) ", " (with_page) " with a page to watch. All games: "
                @for number in pages { a href=(page_name(number)) { "page " (number) } " " } }
            (list(report, view, "Notable games, and the latest ones", &listed))
            @if !others.is_empty() {
                details {
                    summary { (text::count(others.len() as u64, "game")) " before" }
                    (list(report, view, "Games before", &others))
                }
            }
        }
    }
}

/// A list of games.
pub(super) fn list(report: &ReportData, view: View<'_>, caption: &str, rows: &[GameRow<'_>]) -> Markup {
    games::list(view, caption, rows, report.games.names.has_sets)
}

/// The link to the first page, for a navigation. `up` leads from the page to the folder of the report.
pub(super) fn link_to_report(up: &str) -> Markup {
    html! { li { a href={ (up) (INDEX) } { "The report" } } }
}

/// A page of games. It does not change when later games are added, unless it is the last one.
pub(crate) fn page(
    view: View<'_>,
    names: &Names,
    games: &[GameLine],
    number: usize,
    is_last: bool,
) -> Markup {
    let rows: Vec<GameRow<'_>> = games.iter().map(|game| row("", "", game)).collect();
    let nav = html! {
        (link_to_report(""))
        @if number > 1 { li { a href=(page_name(number - 1)) rel="prev" { "Earlier games" } } }
        @if !is_last { li { a href=(page_name(number + 1)) rel="next" { "Later games" } } }
    };
    let body =
        html! { section { (games::list(view, "Games in the order of the results", &rows, names.has_sets)) } };
    let header = html! { h1 { (name(&names.title)) ": games" } p { "Page " (number) "." } };
    document(&format!("Games, page {number} - {}", names.title), "", header, nav, "", &body)
}

/// A row of a list. `up` leads from the page to the folder of the report.
pub(super) fn row<'a>(up: &str, why: &str, line: &'a GameLine) -> GameRow<'a> {
    let address = |file: &Option<String>| file.as_ref().map(|file| format!("{up}{file}"));
    GameRow {
        game: &line.game,
        why: why.to_owned(),
        called: line.name_in_cup.as_deref(),
        page: None,
        replay: address(&line.replay),
        log: Some(address(&line.log)),
        of_round: None,
        of_end: None,
    }
}
