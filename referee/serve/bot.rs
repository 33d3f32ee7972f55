//! The page of a bot: its versions, places, faults, times and opponents. Its author sees more, and can withdraw it.

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

use crate::access::Visit;
use crate::api::{known, stderr_of};
use crate::index::Filter;
use crate::layout::{self, Page, Whole};
use crate::lost;
use crate::pages::{self, cached_page, list};
use crate::refusal::Refusal;
use crate::site::Served;
use crate::standings::last_places;
use crate::submit;

/// Maximum number of games in the list, and of games whose faults and times are counted.
const GAMES_LISTED: usize = 10;
const GAMES_COUNTED: usize = 1_000;

/// Number of games whose logs are read for the author.
const GAMES_READ: usize = 3;

/// The facts about a bot from the records, beside its season.
struct BotRecord {
    /// Its programs, with their results in the counted games.
    versions: Vec<Version>,
    /// Number of its games, up to the maximum that is counted.
    games_counted: usize,
    /// The list of its last games.
    last_games: Markup,
    /// The name of its last game; empty if there is none.
    last_game: String,
    /// The seats in its last games in which it wrote to standard error.
    stderr_seats: Vec<StderrSeat>,
    /// The list of the games that its author looks at first; `None` if no game has a fault of it, and none was lost.
    first_to_look_at: Option<Markup>,
    /// The first of those games, for the author to read why it lost.
    games_explained: Vec<GameSummary>,
}

/// A seat in a game with standard error.
struct StderrSeat {
    game: String,
    seat: usize,
}

impl BotRecord {
    fn read(served: &Served, name: &str) -> Result<BotRecord, Error> {
        let mut versions = versions(served, name)?;
        let filter = Filter { bot: Some(name.to_owned()), ..Default::default() };
        let mut games = served.followed.index().find(&filter, GAMES_COUNTED)?;
        for seat in games.iter().flat_map(|(_, game)| seats(game, name)).map(|(_, seat)| seat) {
            let known = versions.iter_mut().find(|version| version.entered.bot.version == seat.version);
            let Some(version) = known else { continue };
            version.seats += 1;
            version.shares += seat.share;
            version.faults += u64::from(seat.faults);
            version.longest_us = seat.max_us.max(version.longest_us);
        }
        let games_counted = games.len();
        let last = &games[..games.len().min(GAMES_LISTED)];
        let mut stderr_seats = Vec::new();
        for (_, game) in last {
            for (seat, _) in seats(game, name) {
                if stderr_of(served, &game.log, seat).is_some() {
                    stderr_seats.push(StderrSeat { game: game.id.clone(), seat });
                }
            }
        }
        let last_games = list(served, last);
        let last_game = last.first().map_or(String::new(), |(_, game)| game.id.clone());
        // Games with most faults come first, then those that it lost, each the latest first.
        let faults = |game: &GameSummary| seats(game, name).map(|(_, seat)| seat.faults).sum::<u32>();
        let is_lost = |game: &GameSummary| {
            let last_place = game.seats.iter().map(|seat| seat.place).max();
            seats(game, name).any(|(_, seat)| seat.place > 1 && Some(seat.place) == last_place)
        };
        games.retain(|(_, game)| faults(game) > 0 || is_lost(game));
        games.sort_by_key(|(_, game)| std::cmp::Reverse(faults(game)));
        games.truncate(GAMES_LISTED);
        let first_to_look_at = if games.is_empty() { None } else { Some(list(served, &games)) };
        let games_explained = games.into_iter().take(GAMES_READ).map(|(_, game)| game).collect();
        Ok(BotRecord {
            versions,
            games_counted,
            last_games,
            last_game,
            stderr_seats,
            first_to_look_at,
            games_explained,
        })
    }
}

/// The seats of a bot in a game, each with its number.
fn seats<'a>(game: &'a GameSummary, name: &'a str) -> impl Iterator<Item = (usize, &'a SeatSummary)> {
    game.seats.iter().enumerate().filter(move |(_, seat)| seat.bot == name)
}

pub(crate) async fn page(
    visit: Visit,
    Path((_, name)): Path<(String, String)>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let name = composed(&name).into_owned();
    let snapshot = known(&visit.served)?;
    // A bot that was refused at its first submission is nobody's yet, and its author looks for it here.
    let is_author = |account: &String| match snapshot.contest.authors.get(&name) {
        Some(author) => author == account,
        None => {
            visit.served.inbox.by_account(account).iter().any(|submission| submission.request.name == name)
        }
    };
    if let Some(account) = visit.account.clone().filter(is_author) {
        // Not cached: it also shows the author's checks, which are in no results, and reads logs.
        let served = Arc::clone(&visit.served);
        return Ok(visit.long_work(move || bot_page(&served, &name, Some(&account))).await?.into_response());
    }
    let page = cached_page(&visit, format!("bots/{name}"), move |served, _| bot_page(served, &name, None));
    Ok(page.await?.answer(&headers))
}

fn bot_page(served: &Served, name: &str, author: Option<&str>) -> Result<Whole, Refusal> {
    let snapshot = known(served)?;
    let record = BotRecord::read(served, name)?;
    let is_new = record.versions.is_empty() && record.games_counted == 0;
    if is_new && author.is_none() {
        return Err(Refusal::missing("no bot of this name has ever played here"));
    }
    // Its entry in the field; `None` if it does not play now.
    let entered = snapshot.contest.field.iter().find(|event| event.bot.name == name);
    let last_places = last_places(served);
    let view = served.view(&snapshot.contest, &last_places);
    let body = html! {
        @if let Some(account) = author { (for_author(served, &record, account, name, entered.is_some())) }
        section {
            @if is_new { h2 { "It has not been admitted yet" } } @else { (bot::heading(view, name)) }
            (bot::standing(view, name))
            (bot::places(view, name))
            (bot::opponents(view, name))
        }
        @if !is_new {
            @let games = format!("its last {}", count(record.games_counted as u64, "game"));
            (bot::versions(view, &record.versions, Some(&games)))
        }
        (latest_games(served, &record, name))
    };
    let about = match entered {
        None => "It no longer plays.".to_owned(),
        Some(event) if event.bot.author.is_empty() => format!("Version {}", event.bot.version),
        Some(event) => {
            format!("Version {} by {}", event.bot.version, snapshot.contest.person(&event.bot.author))
        }
    };
    let page = Page {
        title: &plain(name),
        served: Some(served),
        here: "bots",
        about: &about,
        game: &record.last_game,
        ..Page::default()
    };
    Ok(layout::document(&page, &body))
}

/// The section with the last games of a bot.
fn latest_games(served: &Served, record: &BotRecord, name: &str) -> Markup {
    let name_in_address = percent_encoded(name.as_bytes());
    html! {
        section {
            h2 { "Latest games" }
            @if record.games_counted > 0 { (record.last_games)
                p { a href={ "/" (served.name) "/games?bot=" (name_in_address) } { "All its games" }
                    ", " a href={ "/" (served.name) "/api/v1/games?bot=" (name_in_address) "&format=csv&limit=1000" }
                        download={ (name) "-games.csv" } { "the last 1,000 as CSV" } }
                (pages::faults(served, Some(name), "")) }
            @else { p { "None yet." } }
        }
    }
}

/// Lists the programs that a bot has had, the first one first. In a tournament it has one.
fn versions(served: &Served, name: &str) -> Result<Vec<Version>, Error> {
    Ok(if served.is_hill {
        Version::all_of(&Entrants::read(&served.root)?, name)
    } else {
        Version::in_field(&served.followed.snapshot().contest.field, name)
    })
}

/// The section that only the author sees. `plays` tells whether the bot is in the field.
fn for_author(served: &Served, record: &BotRecord, account: &str, name: &str, plays: bool) -> Markup {
    let mut checks = served.inbox.by_account(account);
    checks.retain(|submission| submission.request.name == name);
    checks.truncate(GAMES_LISTED);
    html! {
        section {
            h2 { "For you, its author" }
            @if !record.games_explained.is_empty() {
                h3 { "Why it lost, and its faults" }
                @for game in &record.games_explained { (lost::reasons(served, game, name)) }
            }
            @if let Some(games) = &record.first_to_look_at {
                h3 { "Games to look at first" }
                p.small { "Those with most faults, then those that it lost, of its last "
                    (count(record.games_counted as u64, "game")) "." }
                (games)
            }
            h3 { "Checks" }
            @if checks.is_empty() { p { "It was not submitted over the web." } }
            @for submission in checks {
                p { (parts::time(&submission.request.date)) ": " strong { (submission.state.name()) } }
                (pages::verdict(&served.inbox.message(&submission)))
                (submit::check_game_link(served, &submission))
            }
            h3 { "Standard error" }
            @if record.stderr_seats.is_empty() { p { "It has written nothing in the games listed below." } }
            ul { @for StderrSeat { game, seat } in &record.stderr_seats { li {
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
    visit: Visit,
    Path((_, name)): Path<(String, String)>,
) -> Result<Redirect, Refusal> {
    let name = composed(&name).into_owned();
    let account = visit.account("only its author withdraws a bot: sign in first")?.to_owned();
    visit.served.inbox.check_mine()?;
    let page = format!("/{}/bots/{}", visit.served.name, percent_encoded(name.as_bytes()));
    let (who, site, served) = (visit.who(), visit.site, visit.served);
    let withdrawing = site.takes.run(&who, move || {
        let root = &served.root;
        if Entrants::read(root)?.last_submission(&name).is_none_or(|event| event.bot.author != account) {
            return Err(Refusal::new(StatusCode::FORBIDDEN, "this bot belongs to another author"));
        }
        let refused = |error: Error| Refusal::from_error(error, |text| served.without_path(text));
        let event = Hill::open(root)?.retire(&name, By::Author).map_err(refused)?;
        let detail = format!("{name} version {}", event.bot.version);
        accounts::note(root, &account, "withdrawn", &detail).map_err(refused)
    });
    withdrawing.await?;
    Ok(Redirect::to(&page))
}
