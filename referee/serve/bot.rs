//! The page of a bot: versions, ranks, faults, times, opponents. Its author sees more, and can withdraw it.

use std::sync::Arc;

use axum::extract::Path;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Redirect, Response};
use maud::{Markup, html};
use referee_contest::accounts;
use referee_contest::admission::by::By;
use referee_contest::admission::entrants::Entrants;
use referee_contest::hill::Hill;
use referee_record::error::Error;
use referee_record::names::composed;
use referee_record::text::{count, percent_encoded};
use referee_report::pages::parts::{self, plain};
use referee_report::pages::show::bot::{self, Version};
use referee_report::pages::show::games::{GameSummary, SeatSummary};

use crate::access::Asked;
use crate::api::{errors_of, known};
use crate::index::Filter;
use crate::layout::{self, Page, Whole};
use crate::lost;
use crate::pages::{self, kept_page, list};
use crate::refusal::Refusal;
use crate::site::Served;
use crate::standings::last_places;
use crate::submit;

/// Maximum number of games in the list, and of games whose faults and times are counted.
const GAMES_LISTED: usize = 10;
const GAMES_TOLD: usize = 1_000;

/// Number of games whose logs are read for their author.
const GAMES_READ: usize = 3;

/// The facts about a bot from the records, beside its season.
struct BotRecord {
    /// Its programs, with their results in these games.
    versions: Vec<Version>,
    games: Markup,
    /// The last of them; empty if there is none.
    last: String,
    found: usize,
    /// Its last games with standard error, as pairs of a game and a seat.
    written: Vec<(String, usize)>,
    /// The first of those games.
    why: Vec<GameSummary>,
    /// Those of its games that its author looks at first; `None` if none has a fault of it, and none was lost.
    first: Option<Markup>,
}

impl BotRecord {
    fn read(served: &Served, name: &str) -> Result<BotRecord, Error> {
        let mut versions = versions(served, name)?;
        let filter = Filter { bot: Some(name.to_owned()), ..Default::default() };
        let mut found = served.followed.index().find(&filter, GAMES_TOLD)?;
        for seat in found.iter().flat_map(|(_, game)| seats(game, name)).map(|(_, seat)| seat) {
            let known = versions.iter_mut().find(|version| version.entered.bot.version == seat.version);
            let Some(version) = known else { continue };
            version.seats += 1;
            version.shares += seat.share;
            version.faults += u64::from(seat.faults);
            version.longest_us = seat.max_us.max(version.longest_us);
        }
        let last = &found[..found.len().min(GAMES_LISTED)];
        let all = last.iter().flat_map(|(_, game)| seats(game, name).map(move |(number, _)| (game, number)));
        let written = all.filter(|(game, seat)| errors_of(served, &game.log, *seat).is_some());
        let written = written.map(|(game, seat)| (game.id.clone(), seat)).collect();
        let games = list(served, last);
        let last = last.first().map_or(String::new(), |(_, game)| game.id.clone());
        let count = found.len();
        // With most faults first, then those that it lost, each the latest first.
        let faults = |game: &GameSummary| seats(game, name).map(|(_, seat)| seat.faults).sum::<u32>();
        let is_lost = |game: &GameSummary| {
            let last = game.seats.iter().map(|seat| seat.place).max();
            seats(game, name).any(|(_, seat)| seat.place > 1 && Some(seat.place) == last)
        };
        found.retain(|(_, game)| faults(game) > 0 || is_lost(game));
        found.sort_by_key(|(_, game)| std::cmp::Reverse(faults(game)));
        found.truncate(GAMES_LISTED);
        let first = (!found.is_empty()).then(|| list(served, &found));
        let why = found.into_iter().take(GAMES_READ).map(|(_, game)| game).collect();
        Ok(BotRecord { versions, why, games, last, found: count, written, first })
    }
}

/// The seats of a bot in a game, each with its number.
fn seats<'a>(game: &'a GameSummary, name: &'a str) -> impl Iterator<Item = (usize, &'a SeatSummary)> {
    game.seats.iter().enumerate().filter(move |(_, seat)| seat.bot == name)
}

pub(crate) async fn page(
    asked: Asked,
    Path((_, name)): Path<(String, String)>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let name = composed(&name).into_owned();
    let snapshot = known(&asked.served)?;
    // A bot that was refused at its first submission is nobody's yet, and its author looks for it here.
    let is_of = |account: &String| match snapshot.contest.authors.get(&name) {
        Some(author) => author == account,
        None => asked.served.inbox.by_account(account).iter().any(|submission| submission.asked.name == name),
    };
    if let Some(account) = asked.account.clone().filter(is_of) {
        // It also shows the author's checks, which are in no results, and reads logs.
        let served = Arc::clone(&asked.served);
        return Ok(asked.long_work(move || bot_page(&served, &name, Some(&account))).await?.into_response());
    }
    let page = kept_page(&asked, format!("bots/{name}"), move |served, _| bot_page(served, &name, None));
    Ok(page.await?.answer(&headers))
}

fn bot_page(served: &Served, name: &str, author: Option<&str>) -> Result<Whole, Refusal> {
    let snapshot = known(served)?;
    let record = BotRecord::read(served, name)?;
    let is_new = record.versions.is_empty() && record.found == 0;
    if is_new && author.is_none() {
        return Err(Refusal::missing("no bot of this name has ever played here"));
    }
    let present = snapshot.contest.field.iter().find(|event| event.bot.name == name);
    let last_places = last_places(served);
    let view = served.view(&snapshot.contest, &last_places);
    let body = html! {
        // What its author came for.
        @if let Some(account) = author { (own(served, &record, (account, name), present.is_some())) }
        section {
            @if is_new { h2 { "It has not been admitted yet" } } @else { (bot::heading(view, name)) }
            (bot::standing(view, name))
            (bot::places(view, name))
            (bot::opponents(view, name))
        }
        @if !is_new {
            @let games = format!("its last {}", count(record.found as u64, "game"));
            (bot::versions(view, &record.versions, Some(&games)))
        }
        section {
            h2 { "Latest games" }
            @if record.found > 0 { (record.games)
                p { a href={ "/" (served.name) "/games?bot=" (percent_encoded(name.as_bytes())) } { "All its games" }
                    ", " a href={ "/" (served.name) "/api/v1/games?bot=" (percent_encoded(name.as_bytes())) "&format=csv&limit=1000" }
                        download={ (name) "-games.csv" } { "the last 1,000 as CSV" } }
                (pages::faults(served, Some(name), "")) }
            @else { p { "None yet." } }
        }
    };
    let about = present.map_or_else(
        || "It no longer plays.".to_owned(),
        |event| match &*event.bot.author {
            "" => format!("Version {}", event.bot.version),
            author => format!("Version {} by {}", event.bot.version, snapshot.contest.person(author)),
        },
    );
    let title = &plain(name);
    let page = Page {
        title,
        served: Some(served),
        here: "bots",
        about: &about,
        game: &record.last,
        ..Page::default()
    };
    Ok(layout::document(&page, &body))
}

/// Lists the programs that a bot has had, the first one first. In a tournament it has one.
fn versions(served: &Served, name: &str) -> Result<Vec<Version>, Error> {
    Ok(if served.is_hill {
        Version::all_of(&Entrants::read(&served.root)?, name)
    } else {
        Version::in_field(&served.followed.snapshot().contest.field, name)
    })
}

/// The section that only the author sees.
fn own(served: &Served, record: &BotRecord, (account, name): (&str, &str), plays: bool) -> Markup {
    html! {
        section {
            h2 { "For you, its author" }
            @if !record.why.is_empty() {
                h3 { "Why it lost, and its faults" }
                @for game in &record.why { (lost::reasons(served, game, name)) }
            }
            @if let Some(first) = &record.first {
                h3 { "Games to look at first" }
                p.small { "Those with most faults, then those that it lost, of its last " (count(record.found as u64, "game")) "." }
                (first)
            }
            h3 { "Checks" }
            @let checks = served.inbox.by_account(account).into_iter().filter(|submission| submission.asked.name == name);
            @let checks: Vec<_> = checks.take(GAMES_LISTED).collect();
            @if checks.is_empty() { p { "It was not submitted over the web." } }
            @for submission in checks {
                p { (parts::time(&submission.asked.date)) ": " strong { (submission.state.name()) } }
                (pages::verdict(&served.inbox.message(&submission)))
                (submit::watch(served, &submission))
            }
            h3 { "Standard error" }
            @if record.written.is_empty() { p { "It has written nothing in the games listed below." } }
            ul { @for (game, seat) in &record.written { li {
                a href={ "/" (served.name) "/api/v1/games/" (game) "/stderr/" (seat) } { (game) ", seat " (seat) }
            } } }
            @if plays && served.inbox.is_mine() {
                form method="post" action={ "/" (served.name) "/bots/" (percent_encoded(name.as_bytes())) "/withdraw" } {
                    p { label { input type="checkbox" name="sure" required; " Yes, it should not play any more" } }
                    p { button type="submit" { "Withdraw it from the hill" } }
                }
                p.small { "Its history stays. You can submit it again." }
            }
        }
    }
}

/// Withdraws a bot from the hill, if its author asks for it.
pub(crate) async fn withdraw(
    asked: Asked,
    Path((_, name)): Path<(String, String)>,
) -> Result<Redirect, Refusal> {
    let name = composed(&name).into_owned();
    let account = asked.account("only its author withdraws a bot: sign in first")?.to_owned();
    asked.served.inbox.check_mine()?;
    let page = format!("/{}/bots/{}", asked.served.name, percent_encoded(name.as_bytes()));
    let (who, site, served) = (asked.who(), asked.site, asked.served);
    let withdrawn = site.takes.run(&who, move || {
        let root = &served.root;
        if Entrants::read(root)?.last_submission(&name).is_none_or(|event| event.bot.author != account) {
            return Err(Refusal::new(StatusCode::FORBIDDEN, "this bot belongs to another author"));
        }
        let retired = Hill::open(root)?.retire(&name, By::Author).and_then(|event| {
            accounts::note(root, &account, "withdrawn", &format!("{name} version {}", event.bot.version))
        });
        retired.map_err(|error| Refusal::from_error(error, |text| served.without_path(text)))
    });
    withdrawn.await.map(|()| Redirect::to(&page))
}
