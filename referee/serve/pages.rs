//! Pages for people. Templates escape all text. All pages work without JavaScript; with it, standings and
//! games follow the results.

use std::convert::Infallible;
use std::path::Path as FilePath;
use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use maud::{Markup, PreEscaped, html};
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use referee_files::log;
use referee_files::threads::together;
use referee_page::html::public_page;
use referee_record::results::Scheduled;
use referee_record::text::{NAME, count, harmless, percent_encoded};
use referee_rules::FaultKind;
use referee_tables::sheet::{Sheet, text};
use serde_json::Value;

use crate::access::Asked;
use crate::api::{game_of, kept, known, log_of};
use crate::frame::POLICY_OF_REPLAYS;
use crate::index::{Filter, Line};
use crate::kept::Kept;
use crate::layout::{self, Page, document};
use crate::query::{Asks, GAMES_ON_A_PAGE, GamesQuery};
use crate::refusal::Refusal;
use crate::site::{SERVER, Served, Site};
use crate::snapshot::{SeasonSeen, Snapshot};
use crate::starters::{LANGUAGES, referee};
use crate::store::stamp;

/// Maximum number of bots for which a sentence lists the bots that they are surely ahead of.
const IN_WORDS_MAX: usize = 12;

/// Lists the hills, unless they are private.
pub(crate) async fn index(State(site): State<Arc<Site>>) -> Result<Markup, Refusal> {
    if site.options.private {
        return Err(Refusal::missing("the hills here are private: ask the host for the address of yours"));
    }
    let body = html! {
        section {
            h2 { "Hills" }
            ul { @for served in site.hills.values() {
                li { a href={ "/" (served.name) } { (served.name) } ": " (served.about) ", "
                    (count(served.followed.snapshot().games as u64, "game")) }
            } }
        }
    };
    Ok(document(&Page { title: "King of the hill", ..Page::default() }, &body))
}

/// A table. Names of bots are links to their pages.
pub(crate) fn table(served: &Served, caption: &str, sheet: &Sheet) -> Markup {
    let is_bot = |column: usize| sheet.columns()[column].name == "bot";
    html! {
        div.scroll tabindex="0" role="group" aria-label=(caption) {
            table {
                caption { (caption) }
                thead { tr { @for (column, head) in sheet.columns().iter().enumerate() {
                    th scope="col" .n[sheet.is_numeric(column)] { (head.name.replace('_', " ")) }
                } } }
                tbody { @for (at, row) in sheet.rows().iter().enumerate() { tr {
                    @for (column, value) in row.iter().enumerate() {
                        @if is_bot(column) { th scope="row" { (linked(served, &text(value))) (sheet.remarks(at, column)) } }
                        @else { td .n[value.is_number() || value.is_null()] { (sheet.cell(at, column)) } }
                    }
                } } }
            }
        }
    }
}

/// A bot's name as a link to its page.
pub(crate) fn linked(served: &Served, name: &str) -> Markup {
    html! { a href={ "/" (served.name) "/bots/" (percent_encoded(name.as_bytes())) } { (harmless(name, NAME)) } }
}

/// The content type of pages.
pub(crate) const HTML: &str = "text/html; charset=utf-8";

pub(crate) async fn standings(asked: Asked, headers: HeaderMap) -> Result<Response, Refusal> {
    let served = &asked.served;
    let (snapshot, rounds) = (known(served)?, served.rounds.borrow().clone());
    let (address, stamp) = (format!("/{}", served.name), format!("{} {rounds}", snapshot.number));
    let make = || Ok::<_, Infallible>(standings_page(served, &snapshot, &rounds).into_string().into());
    let Ok(kept) = asked.site.shelf.get(&address, &stamp, HTML, make);
    Ok(kept.answer(&headers))
}

/// Returns the page of the standings. `rounds` is the state of the rounds that this server plays, or empty.
fn standings_page(served: &Served, snapshot: &Snapshot, rounds: &str) -> Markup {
    let body = html! {
        @match &snapshot.season {
            Some(season) => {
                section {
                    h2 { "Season " (season.number) ", " (count(season.rounds.into(), "round")) ", "
                        (count(snapshot.games as u64, "game")) }
                    @for sentence in &season.told { p.lead { (sentence) } }
                    (table(served, "Standings, best first", &season.standings.for_people()))
                    p.small { (season.legend) }
                }
                (ahead(served, season))
            }
            None => section { h2 { "No game has been played yet" }
                p { (count(snapshot.field.len() as u64, "bot")) " so far. " a href={ "/" (served.name) "/submit" }
                    { "Submit one" } "." } },
        }
        section {
            h2 { "On the hill now" }
            ul { @for event in &snapshot.field {
                li { (linked(served, &event.name)) " version " (event.version)
                    @if !event.author.is_empty() { " by " (event.author) } ", since " (event.date) }
            } }
        }
        @if !rounds.is_empty() { p.small { (rounds) } }
        (downloads(served))
    };
    layout::live_page(served, snapshot.number, "Standings", "", &body)
}

/// Returns sentences about bots that are surely ahead of others.
fn ahead(served: &Served, season: &SeasonSeen) -> Markup {
    let of = |row: &[Value], column: usize| text(&row[column]);
    let is_ahead = |row: &&Vec<Value>| row[6].as_f64().is_some_and(|lower| lower > 0.0);
    let names = (0..season.standings.rows().len())
        .filter_map(|row| Some(season.standings.value(row, "bot")?.as_str()?.to_owned()));
    let sentences: Vec<(String, Vec<String>)> = names
        .take(IN_WORDS_MAX)
        .map(|bot| {
            let behind = season.pairs.rows().iter().filter(is_ahead).filter(|row| of(row, 0) == bot);
            let behind = behind.map(|row| of(row, 2)).collect();
            (bot, behind)
        })
        .filter(|(_, behind): &(String, Vec<String>)| !behind.is_empty())
        .collect();
    html! {
        section {
            h2 { "Who is surely ahead of whom" }
            @if sentences.is_empty() { p { "No bot yet: the differences so far could be luck." } }
            ul { @for (bot, behind) in &sentences { li {
                (linked(served, bot)) " is ahead of "
                @for (number, other) in behind.iter().enumerate() {
                    @if number > 0 { ", " } (linked(served, other))
                }
            } } }
        }
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

/// Lists the games of a query, newest first.
pub(crate) async fn games(
    asked: Asked,
    Asks(query): Asks<GamesQuery>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let (filter, most) = query.filter()?;
    let most = most.min(2 * GAMES_ON_A_PAGE);
    let address = format!("games {query:?}");
    let make = move |served: &Served, number| games_page(served, number, &query, &filter, most);
    Ok(kept_page(&asked, address, make).await?.answer(&headers))
}

/// Returns a page of a hill that changes with its results alone. `make` gets their number.
pub(crate) async fn kept_page(
    asked: &Asked,
    page: String,
    make: impl FnOnce(&Served, u64) -> Result<Markup, Refusal> + Send + 'static,
) -> Result<Arc<Kept>, Refusal> {
    kept(asked, page, HTML, |served, number| make(served, number).map(|page| page.into_string().into())).await
}

fn games_page(
    served: &Served,
    number: u64,
    query: &GamesQuery,
    filter: &Filter,
    most: usize,
) -> Result<Markup, Refusal> {
    let (found, reasons) = {
        let index = served.followed.index();
        (index.find(filter, most)?, index.reasons())
    };
    let last = found.last().filter(|(number, _)| found.len() == most && *number > 0);
    let older = last.map(|(number, _)| query.clone().older(*number));
    let kinds = FaultKind::ALL.map(FaultKind::name).map(str::to_owned).to_vec();
    let body = html! {
        section {
            h2 { "Games, newest first" }
            form.filter method="get" {
                @for (name, label, value) in [("bot", "Bot", &query.bot), ("opponent", "Opponent", &query.opponent)] {
                    p {
                        label for=(name) { (label) }
                        input id=(name) name=(name) value=(value) maxlength="32" autocomplete="off";
                    }
                }
                @for (name, label, words, value) in [
                    ("fault", "With the fault", &kinds, &query.fault), ("end", "Ended by", &reasons, &query.end)
                ] { p { label for=(name) { (label) } select id=(name) name=(name) {
                    option value="" { "any" }
                    @for word in words { option value=(word) selected[value == word] { (harmless(word, NAME)) } }
                } } }
                @for (name, label, value) in [("season", "Season", &query.season), ("round", "Its round", &query.round)] {
                    p {
                        label for=(name) { (label) }
                        input id=(name) name=(name) value=(value) maxlength="10" inputmode="numeric" autocomplete="off";
                    }
                }
                @for (name, value) in [
                    ("version", &query.version), ("since", &query.since), ("until", &query.until)
                ] {
                    @if !value.is_empty() { input type="hidden" name=(name) value=(value); }
                }
                p { button type="submit" { "Show" } }
            }
            @if found.is_empty() { p { "No such game." } } @else { (list(served, &found)) }
            @if let Some(older) = older {
                p { a href={ "/" (served.name) "/games?" (older) } rel="next" { "Older games" } }
            }
        }
    };
    // A list of old games is not renewed while somebody reads it.
    Ok(match query.is_older() {
        true => layout::page(served, "Games", "games", &body),
        false => layout::live_page(served, number, "Games", "games", &body),
    })
}

pub(crate) fn list(served: &Served, games: &[(usize, Line)]) -> Markup {
    html! {
        div.scroll tabindex="0" role="group" aria-label="Games" {
            table.games {
                thead { tr {
                    th scope="col" { "game" } th scope="col" { "bots by place, with scores" } th scope="col" { "end" }
                    th scope="col" .n { "turns" } th scope="col" .n { "faults" } th scope="col" { "replay" }
                } }
                tbody { @for (_, game) in games { tr {
                    @let address = format!("/{}/games/{}", served.name, game.id);
                    th scope="row" { a href=(address) { (game.id) } }
                    td.who { @for (number, seat) in by_place(game).into_iter().enumerate() {
                        @let seat = &game.seats[seat];
                        @if number > 0 { ", " }
                        span { (seat.place) ". " (harmless(&seat.bot, NAME)) " " b { (seat.score) } }
                    } }
                    td { (harmless(&game.end, NAME)) }
                    td.n { (game.turns) }
                    td.n { (game.seats.iter().map(|seat| u64::from(seat.faults)).sum::<u64>()) }
                    td { a href={ (address) "/replay" } aria-label={ "watch " (game.id) } { "watch" } }
                } } }
            }
        }
    }
}

fn by_place(game: &Line) -> Vec<usize> {
    let mut seats: Vec<usize> = (0..game.seats.len()).collect();
    seats.sort_by_key(|seat| game.seats[*seat].place);
    seats
}

pub(crate) async fn game(asked: Asked, Path((_, game)): Path<(String, String)>) -> Result<Markup, Refusal> {
    let served = &asked.served;
    let game = &game_of(served, &game)?;
    let api = format!("/{}/api/v1/games/{}", served.name, game.id);
    let body = html! {
        section {
            h2 { (game.id) }
            dl {
                @let Scheduled { season, round, .. } = game.place;
                div { dt { "Played" } dd { (game.started) ", season " (season) ", round " (round) } }
                @let turns = count(game.turns.into(), "turn");
                div { dt { "End" } dd { (harmless(&game.end, NAME)) " after " (turns) } }
            }
            p { a href={ "/" (served.name) "/games/" (game.id) "/replay" } { "Watch it" } ", "
                a href={ (api) "/log" } { "its log" } }
            div.scroll tabindex="0" role="group" aria-label="Seats" { table {
                thead { tr {
                    th scope="col" .n { "place" } th scope="col" { "bot" }
                    @for head in ["score", "share", "faults", "longest ms", "seat", "version"] {
                        th scope="col" .n { (head) }
                    }
                    th scope="col" { "for its author" }
                } }
                tbody { @for number in by_place(game) { tr {
                    @let seat = &game.seats[number];
                    td.n { (seat.place) } th scope="row" { (linked(served, &seat.bot)) }
                    td.n { (seat.score) } td.n { (format!("{:.4}", seat.share)) } td.n { (seat.faults) }
                    td.n { (format!("{:.3}", seat.max_us as f64 / 1000.0)) } td.n { (number) }
                    td.n { (seat.version) } td { a href={ (api) "/stderr/" (number) } { "standard error" } }
                } } }
            } }
            @let log = FilePath::new(&*game.log).file_name().unwrap_or_default().to_string_lossy();
            pre tabindex="0" { "referee audit " (log) }
        }
    };
    Ok(layout::page(served, "Game", "games", &body))
}

/// Shows a game turn by turn: the page of `referee replay --html`, without the standard error of the bots.
pub(crate) async fn replay(
    asked: Asked,
    Path((_, game)): Path<(String, String)>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let (log, site) = (log_of(&asked.served, &game)?, Arc::clone(&asked.site));
    let made = asked.work(move || {
        let (address, stamp) = (log.path().to_string_lossy().into_owned(), format!("{:?}", stamp(&log)));
        let page = || public_page(log::open(&log)?, &together).map(String::into_bytes);
        site.shelf.get(&address, &stamp, HTML, page)
    });
    let answer = made.await?.answer(&headers);
    // A game that has ended does not change.
    let cache = (header::CACHE_CONTROL, "private, max-age=3600");
    Ok(([(header::CONTENT_SECURITY_POLICY, POLICY_OF_REPLAYS), cache], answer).into_response())
}

/// Shows the rules of the game and the protocol, from the book, with starters.
pub(crate) async fn rules(asked: Asked) -> Result<Markup, Refusal> {
    let Asked { site, served, .. } = &asked;
    // The page does not change while the server runs.
    let page = served.rules.get_or_try_init(|| async {
        let (program, served) = (site.referee.clone(), Arc::clone(served));
        site.reads.run(SERVER, move || rules_page(&program, &served)).await
    });
    page.await.cloned()
}

fn rules_page(program: &FilePath, served: &Served) -> Result<Markup, Refusal> {
    let mut book = Vec::new();
    for name in [served.game, "protocol"] {
        let output = referee(program, &["docs", name], FilePath::new("/"))?;
        book.extend(output.map(|output| marked(&String::from_utf8_lossy(&output.stdout))));
    }
    let body = html! {
        section {
            h2 { "Starters" }
            p { "A small bot that plays, with its build script: "
                @for (number, language) in LANGUAGES.iter().enumerate() {
                    @if number > 0 { ", " } a href={ "/" (served.name) "/starters/" (language) } { (language) }
                } "." }
        }
        @for page in &book { section.book { (page) } }
    };
    Ok(layout::page(served, "Rules", "rules", &body))
}

/// Returns a page of the book without its links and pictures: they lead to files that are not here.
fn marked(text: &str) -> Markup {
    let mut in_picture = false;
    let events = Parser::new_ext(text, Options::ENABLE_TABLES).filter_map(|event| match event {
        Event::Start(Tag::Image { .. }) | Event::End(TagEnd::Image) => {
            in_picture = matches!(event, Event::Start(_));
            None
        }
        Event::Start(Tag::Link { .. }) | Event::End(TagEnd::Link) => None,
        Event::Html(html) | Event::InlineHtml(html) => Some(Event::Text(html)),
        event => (!in_picture).then_some(event),
    });
    let mut page = String::new();
    pulldown_cmark::html::push_html(&mut page, events);
    // Wide blocks can be scrolled by keyboard, too.
    PreEscaped(page.replace("<pre>", "<pre tabindex=\"0\">"))
}
