//! The first page of a contest: who leads, whether that is settled, and what has changed.

use std::convert::Infallible;

use axum::http::HeaderMap;
use axum::response::Response;
use maud::{Markup, html};
use referee_record::text::count;
use referee_report::pages::parts::time;
use referee_report::pages::show::board::Board;
use referee_report::pages::show::contest;

use crate::access::Visit;
use crate::api::known;
use crate::index::Filter;
use crate::layout::{self, Whole};
use crate::pages::{HTML, list};
use crate::refusal::Refusal;
use crate::site::Served;
use crate::snapshot::Snapshot;

/// Number of the latest games on the page.
const LATEST: usize = 3;

pub(crate) async fn page(visit: Visit, headers: HeaderMap) -> Result<Response, Refusal> {
    let served = &visit.served;
    let (snapshot, rounds) = (known(served)?, served.rounds.borrow().sentence.clone());
    let until = if served.is_hill { served.host_control.end_shown() } else { None };
    let message = served.host_control.decisions.borrow().message.clone();
    let stamp = format!("{} {rounds} {until:?} {message}", snapshot.number);
    let address = format!("/{}", served.name);
    let make = || {
        let page = standings_page(served, &snapshot, &rounds, until.as_deref(), &message);
        Ok::<_, Infallible>(page.0.into())
    };
    let Ok(cached) = visit.site.shelf.get(&address, &stamp, HTML, make);
    Ok(cached.answer(&headers))
}

/// Returns the page. `rounds` is a sentence about the rounds that this server plays, or empty; `until` is the end of
/// submissions, and `message` the message of the host, or empty.
fn standings_page(
    served: &Served,
    snapshot: &Snapshot,
    rounds: &str,
    until: Option<&str>,
    message: &str,
) -> Whole {
    let last_places = last_places(served);
    let view = served.view(&snapshot.contest, &last_places);
    let board = snapshot.contest.season.as_ref().map(|season| Board::new(view, season));
    let latest = served.followed.index().find(&Filter::default(), LATEST).unwrap_or_default();
    let deadline = html! { @if let Some(until) = until { (deadline(until)) } };
    let body = html! {
        @if !message.is_empty() { p.message role="note" { (message) } }
        @match &board {
            Some(board) => (contest::results(board, &deadline)),
            None => section {
                h2 { "No game has been played yet" }
                p.lead { (count(snapshot.contest.field.len() as u64, "bot")) " so far. "
                    @if served.is_hill { a href={ "/" (served.name) "/submit" } { "Submit one" } "." } }
                p { "The host starts the games. On the host's machine: " code { "referee " (served.kind()) " run " (served.name) } }
                (deadline)
            },
        }
        @if !latest.is_empty() { section.wide { h2 { "Latest games" } (list(served, &latest)) } }
        section { (contest::field(view, &served.parameters, board.is_none())) }
        @if !rounds.is_empty() { p.small { (rounds) } }
        @if board.is_some() { (downloads(served)) }
    };
    // The host's own text says what the contest is.
    let about = board.as_ref().filter(|_| served.text.trim().is_empty());
    let about = about.map_or(String::new(), Board::in_short);
    // The index can be ahead of the snapshot: then the picture is that of a later game.
    let game = latest.first().map_or("", |(_, game)| &*game.id);
    layout::first_page(served, snapshot.number, &about, game, &body)
}

/// Says when submissions end. A script counts down.
fn deadline(until: &str) -> Markup {
    html! { p { "Submissions end " span.until { (time(until)) } "." } }
}

/// Returns a function for the places of bots in their last games.
pub(crate) fn last_places(served: &Served) -> impl Fn(&str, Option<u32>, usize) -> Vec<(u32, usize)> {
    |name, season, limit| {
        let filter = Filter { bot: Some(name.to_owned()), season, ..Filter::default() };
        let mut games = served.followed.index().find(&filter, limit).unwrap_or_default();
        games.reverse();
        games.iter().filter_map(|(_, game)| game.places_of(name)).collect()
    }
}

fn downloads(served: &Served) -> Markup {
    let api = format!("/{}/api/v1", served.name);
    html! {
        section {
            h2 { "For auditors" }
            p { a href={ (api) "/records.tar" } { "All records" } " (results and every log), "
                a href={ (api) "/results.csv" } download="results.csv" { "results.csv" } ", "
                a href={ (api) "/standings?format=csv" } download="standings.csv" { "standings as CSV" } ". "
                "One command replays every game by the rules:" }
            pre tabindex="0" { "tar xf " (served.name) "-records.tar && referee audit " (served.name) "-records" }
        }
    }
}

#[cfg(test)]
mod tests {
    use referee_report::pages::show::board::{ROUNDS_LEAST, SHOWN};
    use referee_report::pages::show::course::SEASONS;
    use referee_report::tables::lead::digits;

    #[test]
    fn the_guide_tells_the_numbers_of_the_page() {
        let guide = include_str!("../../docs/guides/web.md").replace('\n', " ");
        for sentence in [
            format!("In the first {ROUNDS_LEAST} rounds of a season it"),
            format!("In the first {ROUNDS_LEAST} rounds of a season the page"),
            format!("covers the last {SEASONS} seasons"),
            format!("the first {SHOWN} bots"),
            "Holm's correction".to_owned(),
            format!("from {} to {}", digits(1.0), digits(1e-9)),
        ] {
            assert!(guide.replace("  ", " ").contains(&sentence), "{sentence}");
        }
    }

    #[test]
    fn a_mean_has_as_many_digits_as_its_error_allows() {
        for (error, expected) in [(0.2, 2), (0.03, 2), (0.0099, 3), (0.0013, 3), (0.0009, 4), (0.000_01, 4)] {
            assert_eq!(digits(error), expected, "{error}");
        }
    }
}
