//! Answers for programs: tables as JSON or CSV, files with ranges, and events as they come.

use std::convert::Infallible;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::Path as FilePath;
use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::body::{Body, Bytes};
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream::unfold;
use referee::record::beneath::Spot;
use referee::record::{file, results, standard_error};
use referee::rules::Seat;
use referee::tournament::admission::entrants::Entrants;
use referee::tournament::folder;
use referee::view::sheet::Sheet;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::access::Asked;
use crate::index::{Index, Line, Snapshot};
use crate::query::{GamesQuery, TableQuery};
use crate::refusal::Refusal;
use crate::site::{Served, Site};

/// The description of the addresses for programs.
const DESCRIPTION: &str = include_str!("openapi.json");

/// Bytes in a piece of an answer, and the number of pieces that wait for a slow reader.
const PIECE: usize = 64 << 10;
const PIECES_WAITING: usize = 4;

/// The time between signs of life in a stream of events.
pub(crate) const ALIVE: Duration = Duration::from_secs(15);

pub(crate) async fn description() -> Response {
    ([(header::CONTENT_TYPE, "application/json")], DESCRIPTION).into_response()
}

/// Returns a table in the form that is asked for.
pub(crate) fn table(sheet: &Sheet, format: &str) -> Result<Response, Refusal> {
    match format {
        "" | "json" => Ok(Json(sheet.to_json()).into_response()),
        "csv" => Ok(([(header::CONTENT_TYPE, CSV)], csv(sheet)).into_response()),
        _ => Err(wrong_format()),
    }
}

const CSV: &str = "text/csv; charset=utf-8";

fn csv(sheet: &Sheet) -> Vec<u8> {
    let mut csv = Vec::new();
    sheet.write_csv(&mut csv).expect("in memory");
    csv
}

fn wrong_format() -> Refusal {
    Refusal::bad("format is json or csv")
}

pub(crate) async fn standings(
    State(site): State<Arc<Site>>,
    asked: Asked,
    Query(query): Query<TableQuery>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let snapshot = known(&asked.served)?;
    let kind = match &*query.format {
        "" | "json" => "application/json",
        "csv" => CSV,
        _ => return Err(wrong_format()),
    };
    let (address, stamp) = (format!("/{}/standings/{kind}", asked.served.name), snapshot.number.to_string());
    if let Some(kept) = site.shelf.find(&address, &stamp) {
        return Ok(kept.answer(&headers));
    }
    let about =
        |sheet: Sheet| sheet.about("hill", asked.served.name.clone()).about("game", asked.served.game);
    let sheet = match &snapshot.season {
        Some(season) => about(season.standings.clone()).about("told", season.told.clone()),
        None => about(Sheet::new(["place", "bot"])),
    };
    let text = if kind == CSV { csv(&sheet) } else { sheet.to_json().to_string().into_bytes() };
    Ok(site.shelf.put(address, stamp, kind, text).answer(&headers))
}

/// Returns the latest snapshot of a hill.
pub(crate) fn known(served: &Served) -> Result<Arc<Snapshot>, Refusal> {
    let snapshot = served.followed.snapshot();
    match &snapshot.trouble {
        None if snapshot.number == 0 => {
            let what = "the server has just started and still reads the records: try again in some seconds";
            Err(Refusal::new(StatusCode::SERVICE_UNAVAILABLE, what))
        }
        None => Ok(snapshot),
        Some(trouble) => Err(Refusal::new(StatusCode::SERVICE_UNAVAILABLE, trouble.clone())),
    }
}

/// Returns the games of a query as a table, a row a seat. Its `next` continues the list.
pub(crate) async fn games(
    State(site): State<Arc<Site>>,
    asked: Asked,
    Query(query): Query<GamesQuery>,
) -> Result<Response, Refusal> {
    let (filter, most) = query.filter()?;
    known(&asked.served)?;
    let served = Arc::clone(&asked.served);
    let sheet = site.work(move || {
        let index = served.followed.index();
        let found = index.find(&filter, most)?;
        let next = found.last().filter(|_| found.len() == most).map(|(number, _)| *number);
        let mut sheet = seats().about("hill", served.name.clone()).about("next", next);
        found.iter().for_each(|(_, game)| add_seats(&mut sheet, &index, game));
        Ok(sheet)
    });
    let sheet = sheet.await.ok_or_else(Refusal::busy)?;
    table(&sheet.map_err(|error| Refusal::internal(&error))?, &query.format)
}

/// A row a seat of some games.
fn seats() -> Sheet {
    Sheet::new([
        "game", "started", "season", "round", "end", "turns", "seat", "bot", "version", "place", "score",
        "share", "faults", "max_us",
    ])
}

fn add_seats(sheet: &mut Sheet, index: &Index, game: &Line) {
    for (number, seat) in game.seats.iter().enumerate() {
        sheet.row(vec![
            (&*game.id).into(),
            (&*game.started).into(),
            game.place.season.into(),
            game.place.round.into(),
            index.end(game).into(),
            game.turns.into(),
            number.into(),
            index.bot(seat).into(),
            seat.version.into(),
            seat.place.into(),
            seat.score.into(),
            seat.share.into(),
            seat.faults.into(),
            seat.max_us.into(),
        ]);
    }
}

pub(crate) async fn game(
    asked: Asked,
    Path((_, game)): Path<(String, String)>,
    Query(query): Query<TableQuery>,
) -> Result<Response, Refusal> {
    known(&asked.served)?;
    let sheet = {
        let index = asked.served.followed.index();
        let game = game_of(&index, &game)?;
        let mut sheet = seats().about("hill", asked.served.name.clone());
        add_seats(&mut sheet, &index, &game);
        sheet
    };
    table(&sheet, &query.format)
}

/// Returns a game by its name.
pub(crate) fn game_of(index: &Index, game: &str) -> Result<Line, Refusal> {
    let found = index.game(game).map_err(|error| Refusal::internal(&error))?;
    found.ok_or_else(|| Refusal::missing("no game of this name was played here"))
}

/// Returns the file of a game's log.
pub(crate) fn log_of(served: &Served, game: &str) -> Result<Spot, Refusal> {
    known(served)?;
    let log = game_of(&served.followed.index(), game)?.log;
    Ok(file::found(Spot::below(&served.root, log)))
}

pub(crate) async fn log(
    State(site): State<Arc<Site>>,
    asked: Asked,
    Path((_, game)): Path<(String, String)>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    sent(&site, log_of(&asked.served, &game)?, &headers).await
}

/// Sends the standard error of a bot in a game, to its author alone.
pub(crate) async fn standard_error(
    State(site): State<Arc<Site>>,
    asked: Asked,
    Path((_, game, seat)): Path<(String, String, usize)>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let what = "the standard error of a bot is for its author: sign in first, or send your token";
    let account = asked.account(what)?;
    let served = &asked.served;
    known(served)?;
    let (name, version, log) = {
        let index = served.followed.index();
        let game = game_of(&index, &game)?;
        let seated = game.seats.get(seat).ok_or_else(|| Refusal::missing("the game has no such seat"))?;
        (index.bot(seated).to_owned(), seated.version, game.log)
    };
    let root = served.root.clone();
    let entrants = site.work(move || Entrants::read(&root)).await.ok_or_else(Refusal::busy)?;
    let entrants = entrants.map_err(|error| Refusal::internal(&error))?;
    if entrants.submission(&name, version).is_none_or(|bot| bot.author != account) {
        return Err(Refusal::new(StatusCode::FORBIDDEN, "the bot of this seat is somebody else's"));
    }
    let spot = errors_of(served, &log, seat);
    let missing = || Refusal::missing("the bot has written nothing to standard error in this game");
    let spot = spot.ok_or_else(missing)?;
    sent(&site, spot, &headers).await
}

/// Returns the standard error of the bot in a seat in the game of a log, if it wrote something.
pub(crate) fn errors_of(served: &Served, log: &str, seat: usize) -> Option<Spot> {
    let log = file::found(Spot::below(&served.root, log));
    standard_error::beside(&log, Seat::new(seat)).filter(Spot::exists)
}

pub(crate) async fn bots(asked: Asked, Query(query): Query<TableQuery>) -> Result<Response, Refusal> {
    let mut sheet =
        Sheet::new(["bot", "version", "author", "since", "digest"]).about("hill", asked.served.name.clone());
    for event in &known(&asked.served)?.field {
        let digest = event.digest.as_str();
        let text = |text: &String| Value::from(text.as_str());
        sheet.row(vec![
            text(&event.name),
            event.version.into(),
            text(&event.author),
            text(&event.date),
            digest.into(),
        ]);
    }
    table(&sheet, &query.format)
}

pub(crate) async fn results(
    State(site): State<Arc<Site>>,
    asked: Asked,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let spot = folder::results_of(&asked.served.root);
    match spot.exists() {
        true => sent(&site, spot, &headers).await,
        false => Err(Refusal::missing("no game has been played yet")),
    }
}

/// Sends a file of a record, or the part of it that is asked for.
async fn sent(site: &Site, spot: Spot, headers: &HeaderMap) -> Result<Response, Refusal> {
    let opened = site.work(move || {
        let file = spot.open()?;
        let length = file.metadata()?.len();
        let is_packed = spot.path().extension().is_some_and(|ending| ending == "gz");
        let name = spot.path().file_name().unwrap_or_default().to_string_lossy().into_owned();
        Ok::<_, io::Error>((file, length, is_packed, name))
    });
    let opened = opened.await.ok_or_else(Refusal::busy)?;
    let (mut file, length, is_packed, name) =
        opened.map_err(|_| Refusal::missing("the file is not there any more"))?;
    let asked = headers.get(header::RANGE).and_then(|range| range.to_str().ok());
    let (start, end) = match asked.and_then(|range| part(range, length)) {
        None => (0, length),
        Some(Ok(part)) => part,
        Some(Err(())) => {
            return Err(Refusal::new(
                StatusCode::RANGE_NOT_SATISFIABLE,
                format!("the file has {length} bytes"),
            ));
        }
    };
    let body = piped(move |to| {
        file.seek(SeekFrom::Start(start))?;
        io::copy(&mut file.take(end - start), to).map(drop)
    });
    let kind = if is_packed { "application/gzip" } else { "text/plain; charset=utf-8" };
    let mut response = body.into_response();
    let status = if end - start < length { StatusCode::PARTIAL_CONTENT } else { StatusCode::OK };
    *response.status_mut() = status;
    let mut set = |name, value: String| {
        value.parse().map(|value| response.headers_mut().insert(name, value)).ok();
    };
    set(header::CONTENT_TYPE, kind.to_owned());
    set(header::ACCEPT_RANGES, "bytes".to_owned());
    set(header::CONTENT_LENGTH, (end - start).to_string());
    set(header::CONTENT_DISPOSITION, format!("inline; filename=\"{name}\""));
    if status == StatusCode::PARTIAL_CONTENT {
        set(header::CONTENT_RANGE, format!("bytes {start}-{}/{length}", end - 1));
    }
    Ok(response)
}

/// Returns the part of a file that a range names, from its first byte to behind its last. `None`: the range is not
/// understood, and the whole file is sent.
fn part(range: &str, length: u64) -> Option<Result<(u64, u64), ()>> {
    let (first, last) = range.strip_prefix("bytes=")?.split_once('-')?;
    let number =
        |text: &str| text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse::<u64>().ok())?;
    let (start, end) = match (first, last) {
        ("", last) => (length.saturating_sub(number(last)?), length),
        (first, "") => (number(first)?, length),
        (first, last) => (number(first)?, number(last)?.saturating_add(1).min(length)),
    };
    Some(if start < end { Ok((start, end)) } else { Err(()) })
}

/// Writes to the body of an answer, as fast as it is read.
struct Pipe(mpsc::Sender<Bytes>);

impl Write for Pipe {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let piece = Bytes::copy_from_slice(&bytes[..bytes.len().min(PIECE)]);
        let length = piece.len();
        self.0.blocking_send(piece).map(|()| length).map_err(|_| io::ErrorKind::BrokenPipe.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Returns a body that a thread writes. A reader who goes away, or stalls for long, ends it.
fn piped(write: impl FnOnce(&mut BufWriter<Pipe>) -> io::Result<()> + Send + 'static) -> Body {
    let (to, from) = mpsc::channel(PIECES_WAITING);
    tokio::task::spawn_blocking(move || {
        let mut to = BufWriter::with_capacity(PIECE, Pipe(to));
        write(&mut to).and_then(|()| to.flush())
    });
    Body::from_stream(unfold(from, async |mut from| {
        let piece = from.recv().await?;
        Some((Ok::<Bytes, Infallible>(piece), from))
    }))
}

/// Sends all records of a hill as one archive: results, void games, and every log. It has neither the seed of the hill
/// nor its programs, which are the host's and the authors'.
pub(crate) async fn records(State(site): State<Arc<Site>>, asked: Asked) -> Result<Response, Refusal> {
    let permit = Arc::clone(&site.uploads).try_acquire_owned().map_err(|_| Refusal::busy())?;
    let served = Arc::clone(&asked.served);
    if !folder::results_of(&served.root).exists() {
        return Err(Refusal::missing("no game has been played yet"));
    }
    let name = format!("attachment; filename=\"{}-records.tar\"", served.name);
    let body = piped(move |to| {
        let _permit = permit;
        archive(&served, to).map_err(io::Error::other)
    });
    Ok(([(header::CONTENT_TYPE, "application/x-tar".to_owned()), (header::CONTENT_DISPOSITION, name)], body)
        .into_response())
}

fn archive(served: &Served, to: impl Write) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let mut tar = tar::Builder::new(to);
    let mut add = |spot: &Spot| -> io::Result<()> {
        let file = match spot.open() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            opened => opened?,
        };
        // The lock waits for the end of a write. Rows that are appended from now on are left out.
        file.lock_shared()?;
        let length = file.metadata()?.len();
        file.unlock()?;
        let mut header = tar::Header::new_gnu();
        header.set_size(length);
        header.set_mode(0o644);
        let below = spot.path().strip_prefix(&served.root).unwrap_or(spot.path());
        let name = FilePath::new(&format!("{}-records", served.name)).join(below);
        tar.append_data(&mut header, name, file.take(length))
    };
    let results = folder::results_of(&served.root);
    add(&results)?;
    add(&folder::voids_of(&served.root))?;
    // A game that was added since has its log here, but no row. That does no harm.
    for game in results::games(&results)? {
        let game = game?;
        add(&file::found(Spot::below(&served.root, FilePath::new(&game[0].1.log))))?;
    }
    Ok(tar.finish()?)
}

/// Sends an event for new results, until the server stops or the connection has lasted long enough.
pub(crate) async fn events(State(site): State<Arc<Site>>, asked: Asked) -> Result<Response, Refusal> {
    let permit = Arc::clone(&site.streams).try_acquire_owned().map_err(|_| Refusal::busy())?;
    let (now, stop) = (asked.served.followed.now.subscribe(), site.stop.subscribe());
    let stream = unfold((now, stop, true, permit), async |(mut now, mut stop, is_first, permit)| {
        if !is_first {
            tokio::select! {
                changed = now.changed() => changed.ok()?,
                _ = stop.wait_for(|stop| *stop) => return None,
            }
        }
        let event = event(&now.borrow_and_update());
        Some((Ok::<Event, Infallible>(event), (now, stop, false, permit)))
    });
    Ok(Sse::new(stream).keep_alive(KeepAlive::new().interval(ALIVE)).into_response())
}

fn event(snapshot: &Snapshot) -> Event {
    let season = snapshot.season.as_ref();
    let (number, rounds) = (season.map(|season| season.number), season.map(|season| season.rounds));
    let data =
        json!({ "number": snapshot.number, "games": snapshot.games, "season": number, "rounds": rounds });
    Event::default().event("results").data(data.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_is_a_part_of_the_file_or_is_refused_or_is_none() {
        for (range, due) in [
            ("bytes=0-9", Some(Ok((0, 10)))),
            ("bytes=90-", Some(Ok((90, 100)))),
            ("bytes=90-500", Some(Ok((90, 100)))),
            ("bytes=-10", Some(Ok((90, 100)))),
            ("bytes=-500", Some(Ok((0, 100)))),
            ("bytes=100-", Some(Err(()))),
            ("bytes=9-3", Some(Err(()))),
            ("bytes=18446744073709551615-18446744073709551615", Some(Err(()))),
            ("bytes=99999999999999999999-", None),
            ("bytes=+1-2", None),
            ("bytes=0-1,3-4", None),
            ("lines=0-1", None),
            ("bytes=-", None),
        ] {
            assert_eq!(part(range, 100), due, "{range}");
        }
    }
}
