//! Lists of games: some on the first page, all on pages of their own.

use maud::{Markup, html};

use crate::pages::ReportData;
use crate::pages::line::{GameLine, Names, ON_A_PAGE, page_name};
use crate::pages::page::{INDEX, document};
use crate::pages::parts::name;
use crate::pages::show::View;
use crate::pages::show::games::{self, GameRow};
use referee_record::text;

/// Number of the latest games that are listed at once. The others of the first page are a click away.
const AT_ONCE: usize = 3;

/// The games of the first page: those that are notable, and the last.
pub(super) fn section(report: &ReportData, view: View<'_>) -> Markup {
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
    let some: Vec<GameRow<'_>> =
        some.into_iter().map(|(reasons, game)| row("", &reasons.join(", "), game)).collect();
    let others: Vec<GameRow<'_>> = others.iter().map(|game| row("", "", game)).collect();
    let watched = report.games.page_count();
    let pages = 1..=count.div_ceil(ON_A_PAGE);
    html! {
        section.wide aria-labelledby="games" {
            h2 id="games" { "Games" }
            p { (text::count(count as u64, "game")) ", " (watched) " with a page to watch. All games: "
                @for number in pages { a href=(page_name(number)) { "page " (number) } " " } }
            (listed(report, view, "Notable games, and the latest ones", &some))
            @if !others.is_empty() {
                details { summary { (text::count(others.len() as u64, "game")) " before" } (listed(report, view, "Games before", &others)) }
            }
        }
    }
}

/// A list of games.
pub(super) fn listed(report: &ReportData, view: View<'_>, caption: &str, rows: &[GameRow<'_>]) -> Markup {
    games::list(view, caption, rows, report.games.names.has_sets)
}

/// The link to the first page, for a navigation. `up` leads from the page to the folder of the report.
pub(super) fn led(up: &str) -> Markup {
    html! { li { a href={ (up) (INDEX) } { "The report" } } }
}

/// A page of games. It stays as it is when later games come, unless it is the last one.
pub(crate) fn page(
    view: View<'_>,
    names: &Names,
    games: &[GameLine],
    number: usize,
    is_last: bool,
) -> Markup {
    let rows: Vec<GameRow<'_>> = games.iter().map(|game| row("", "", game)).collect();
    let nav = html! {
        (led(""))
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
    let from = |to: &Option<String>| to.as_ref().map(|to| format!("{up}{to}"));
    GameRow {
        game: &line.game,
        why: why.to_owned(),
        called: line.name_in_cup.as_deref(),
        page: None,
        replay: from(&line.replay),
        log: Some(from(&line.log)),
        of_round: None,
        of_end: None,
    }
}
