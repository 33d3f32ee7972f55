//! Pages and streams of games while they are played. The log of a game that has viewers is read again as it grows, once
//! for all of them. The runner does not know about viewers.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::Path;
use axum::http::HeaderMap;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{Html, IntoResponse, Redirect, Response};
use futures_util::stream::unfold;
use maud::{Markup, html};
use referee_contest::opened::Opened;
use referee_contest::running::{Running, RunningGame};
use referee_files::beneath::Spot;
use referee_files::log;
use referee_files::threads::together;
use referee_record::error::Error;
use referee_record::text::count;
use referee_report::pages::parts;
use referee_report::tables::sheet::Sheet;
use referee_show::page::html as page;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use tokio::sync::watch;

use crate::accept::for_a_while;
use crate::access::Visit;
use crate::api;
use crate::frame::{HEADS_OF_REPLAYS, HEADS_OF_WAITING};
use crate::layout::{self, Page, Whole};
use crate::pages::linked;
use crate::pool::Place;
use crate::query::{StrictQuery, TableQuery};
use crate::refusal::Refusal;
use crate::rows::RunningRow;
use crate::site::{SERVER, Served, Site};
use crate::watched::{Followed, GameSoFar, Sender};

/// Minimum time between two looks at a log.
const LOOK: Duration = Duration::from_millis(250);

/// The rest after reading a log, as a multiple of the time that it took.
const REST: u32 = 9;

/// Number of looks without a viewer after which a game is no longer followed.
const LOOKS_WITHOUT_VIEWERS_MAX: u32 = 40;

/// The script that follows a game in a browser.
const SCRIPT: &str = include_str!("spectate.js");

/// Returns the runners and the games at this moment.
pub(crate) async fn running(site: &Site, served: &Served, who: &str) -> Result<Running, Refusal> {
    let root = served.root.clone();
    let list = move || match Opened::open(&root)? {
        Opened::Hill(hill) => Running::on_hill(&hill),
        Opened::Tournament(plan) => Running::in_round(&plan),
    };
    site.reads.run(who, list).await
}

/// Reads a game as far as its log goes.
fn read_game(log: &Spot, game: &str) -> Result<page::Live, Error> {
    let noscript = format!(
        "Without JavaScript nothing moves here: a script draws the game while it is played. When the game has ended, \
         <a href=\"../{game}\">its page</a> has the result and the record, and <a href=\"../../games\">the list of \
         games</a> has all that have ended."
    );
    page::live(log::open(log)?, SCRIPT, &noscript, &together)
}

/// The state of a game that a visitor asks for.
enum StateOfGame {
    /// The game is being played.
    Playing(Followed),
    /// The game has begun, but its log cannot be read yet.
    Begins,
    /// The game is not being played.
    NotPlaying,
}

/// Follows a game that is being played.
async fn follow(visit: &Visit, game: &str) -> Result<StateOfGame, Refusal> {
    let Visit { site, served, .. } = visit;
    let key = (served.name.clone(), game.to_owned());
    if let Some(followed) = site.watched.find(&key) {
        return Ok(StateOfGame::Playing(followed));
    }
    let games = running(site, served, &visit.address()).await?.games;
    let Some(RunningGame { log, .. }) = games.into_iter().find(|running| running.game == game) else {
        return Ok(StateOfGame::NotPlaying);
    };
    let spot = log.clone();
    let name = game.to_owned();
    let reading = visit.long_work(move || Ok::<_, Refusal>(read_game(&spot, &name).ok()));
    let Some(live) = reading.await? else { return Ok(StateOfGame::Begins) };
    let game_so_far = GameSoFar { game: live, is_over: false };
    let (followed, sender) = site.watched.add(&key, game_so_far, &visit.who()).ok_or_else(Refusal::busy)?;
    // No sender: another request was faster and follows the game.
    if let Some(sender) = sender {
        tokio::spawn(keep_up(Arc::clone(site), log, sender, key));
    }
    Ok(StateOfGame::Playing(followed))
}

/// Reads the log of a game as it grows, until the game is over or has no viewers for some time.
async fn keep_up(site: Arc<Site>, log: Spot, sender: Arc<Sender>, key: (String, String)) {
    let (mut length, mut looks_without_viewers) = (0, 0);
    loop {
        let (start, spot, name) = (site.clock.now(), log.clone(), key.1.clone());
        let reading = site.replays.run(SERVER, move || {
            let Ok(metadata) = spot.open().and_then(|file| file.metadata()) else { return Ok(None) };
            // If the last row is not complete yet, the log is read the next time.
            let game = if metadata.len() == length { None } else { read_game(&spot, &name).ok() };
            Ok::<_, Refusal>(Some((metadata.len(), game)))
        });
        match reading.await {
            Ok(Some((length_read, Some(game)))) => {
                length = length_read;
                sender.send_if_modified(|game_so_far| {
                    let is_new = game_so_far.game.lines != game.lines;
                    *game_so_far = Arc::new(GameSoFar { game, is_over: false });
                    is_new
                });
            }
            // The log has its final name now, or the game was given up.
            Ok(None) => break,
            _ => {}
        }
        looks_without_viewers = if sender.receiver_count() == 0 { looks_without_viewers + 1 } else { 0 };
        if looks_without_viewers > LOOKS_WITHOUT_VIEWERS_MAX || *site.stop.borrow() {
            break;
        }
        tokio::time::sleep(((site.clock.now() - start) * REST).max(LOOK)).await;
    }
    site.watched.remove(&key);
    // The last turns are in the log under its final name.
    let complete_log = log.at(log.path().with_extension(""));
    let complete_game = site.replays.run(SERVER, move || read_game(&complete_log, &key.1)).await;
    let game = complete_game.unwrap_or_else(|_| sender.borrow().game.clone());
    sender.send_replace(Arc::new(GameSoFar { game, is_over: true }));
}

/// Shows the games that are played now.
pub(crate) async fn list(visit: Visit) -> Result<Whole, Refusal> {
    let served = &visit.served;
    let snapshot_number = served.followed.snapshot().number;
    let played_now = running(&visit.site, served, &visit.address()).await?;
    let body = html! {
        section {
            h2 { "Played now" }
            @if played_now.games.is_empty() {
                p { @if played_now.runners == 0 { "No runner is playing now." } @else { "No game has begun." } }
            } @else { ul { @for game in &played_now.games { li {
                (seated(served, &game.bots)) ", since " (parts::time(&game.started))
                @if served.is_live { ": " a href={ "/" (served.name) "/games/" (game.game) "/live" } title=(game.game) { "watch" } }
            } } } }
            @if let Some(game) = played_now.games.first().filter(|_| served.is_live) {
                iframe.live src={ "/" (served.name) "/games/" (game.game) "/live#wall" } title="The first of these games" {}
            }
            @if served.is_live { p.small { "A game is shown a turn late. This list is renewed when a game ends." } }
            @else if !served.is_hill { p.small { "A game of a tournament is shown when it has ended. The games on other \
                machines are not listed." } }
            @else { p.small { "On this hill a game is shown when it has ended. With " code { "live = true" }
                " in hill.toml it is shown while it is played." } }
        }
    };
    let page = Page {
        title: "Live",
        served: Some(served),
        here: "live",
        snapshot_number: Some(snapshot_number),
        follows_games: served.is_live,
        ..Page::default()
    };
    Ok(layout::document(&page, &body))
}

/// Lists bots by seat, from a cell such as `fox:1 owl:3`. Each is a link to its page.
fn seated(served: &Served, bots: &str) -> Markup {
    html! {
        @for (number, bot) in bots.split(' ').enumerate() {
            @if number > 0 { ", " }
            @let (name, version) = bot.rsplit_once(':').unwrap_or((bot, "1"));
            (linked(served, name)) @if version != "1" { " version " (version) }
        }
    }
}

/// Lists the games that are played now, for programs.
pub(crate) async fn running_games(
    visit: Visit,
    StrictQuery(query): StrictQuery<TableQuery>,
) -> Result<Response, Refusal> {
    let played_now = running(&visit.site, &visit.served, &visit.address()).await?;
    let mut sheet = Sheet::new(RunningRow::COLUMNS.iter().copied()).about("hill", visit.served.name.clone());
    for RunningGame { game, started, bots, .. } in played_now.games {
        sheet.row(RunningRow { game, started, bots }.cells());
    }
    let sheet = sheet.about("runners", played_now.runners);
    api::table(&sheet, &query.format)
}

/// Shows a game while it is played: its replay up to now, which then follows the game.
pub(crate) async fn game(visit: Visit, Path((_, game)): Path<(String, String)>) -> Result<Response, Refusal> {
    let served = &visit.served;
    match follow(&visit, &game).await? {
        StateOfGame::Playing(followed) => {
            let page = Html(followed.borrow().game.html.clone());
            Ok((HEADS_OF_REPLAYS, page).into_response())
        }
        StateOfGame::Begins => {
            let body = html! { p.wall { "The game begins." } };
            Ok((HEADS_OF_WAITING, layout::bare("Live", &body)).into_response())
        }
        StateOfGame::NotPlaying => {
            api::log_of(served, &game)?;
            Ok(Redirect::to(&format!("/{}/games/{game}/replay", served.name)).into_response())
        }
    }
}

/// The query for turns: the first turn to send.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct TurnsQuery {
    /// Number of turns that the client already knows
    from: usize,
}

/// A visitor's stream of the turns of a game.
struct TurnStream {
    followed: Followed,
    /// Becomes true when the server stops.
    stop: watch::Receiver<bool>,
    /// Number of turns that were sent.
    sent: usize,
    /// Whether the next event is sent at once, without waiting for a turn.
    sends_at_once: bool,
    /// The visitor's place among the streams, held until the end.
    _place: Place,
}

impl TurnStream {
    /// Waits for new turns. Returns the event with them, and the stream that goes on; `None` after the last event.
    async fn next(mut self) -> Option<(Event, Option<TurnStream>)> {
        if !self.sends_at_once {
            tokio::select! {
                changed = self.followed.changed() => changed.ok()?,
                _ = self.stop.wait_for(|stop| *stop) => return None,
            }
        }
        let game = Arc::clone(&self.followed.borrow_and_update());
        let (turns, lines_after) = game.turns();
        let event = Event::default().id(turns.len().to_string());
        if game.is_over && self.sent >= turns.len() {
            return Some((event.event("over").data("{}"), None));
        }
        let Some(new) = turns.get(self.sent..) else {
            // The game was void and begins again: it has fewer turns now.
            return Some((event.event("anew").data("{}"), None));
        };
        let data = json!({ "from": self.sent, "lines": new, "behind": lines_after });
        // The end of a game that is over follows at once.
        (self.sent, self.sends_at_once) = (turns.len(), game.is_over);
        Some((event.event("turns").data(data.to_string()), Some(self)))
    }
}

/// Sends the turns of a game as they are played. Each event contains the new lines, and the two lines after
/// all turns.
pub(crate) async fn turns(
    visit: Visit,
    Path((_, game)): Path<(String, String)>,
    StrictQuery(TurnsQuery { from }): StrictQuery<TurnsQuery>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let place = visit.site.streams.place_now(&visit.who())?;
    let followed = match follow(&visit, &game).await? {
        StateOfGame::Playing(followed) => followed,
        StateOfGame::Begins => return Err(Refusal::busy()),
        StateOfGame::NotPlaying => {
            api::log_of(&visit.served, &game)?;
            let over = Ok::<Event, Infallible>(Event::default().event("over").data("{}"));
            return Ok(Sse::new(futures_util::stream::iter([over])).into_response());
        }
    };
    // A browser that connects again names the last event that it has got: its number of turns.
    let last_event = headers.get("last-event-id").and_then(|id| id.to_str().ok()?.parse().ok());
    let turns = TurnStream {
        followed,
        stop: visit.site.stop.subscribe(),
        sent: last_event.unwrap_or(from),
        sends_at_once: true,
        _place: place,
    };
    let events = unfold(Some(turns), async |turns| {
        let (event, turns) = turns?.next().await?;
        Some((Ok::<Event, Infallible>(event), turns))
    });
    Ok(Sse::new(for_a_while(events)).keep_alive(KeepAlive::new().interval(api::ALIVE)).into_response())
}

/// Returns a sentence about the runners and the games now.
pub(crate) fn summary(running: &Running) -> String {
    let games = count(running.games.len() as u64, "game");
    format!("{} at work, {games} played now", count(running.runners as u64, "runner"))
}
