//! The answers for programs: tables as JSON or CSV, files with ranges, and a stream of events.

use std::convert::Infallible;
use std::fs::Metadata;
use std::io::{Seek, SeekFrom};
use std::os::unix::fs::MetadataExt;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::Path;
use axum::http::{HeaderMap, HeaderName, StatusCode, header};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::StreamExt;
use futures_util::stream::unfold;
use referee_contest::admission::entrants::Entrants;
use referee_contest::folder;
use referee_files::beneath::Spot;
use referee_files::{log, standard_error};
use referee_record::Digest;
use referee_report::tables::sheet::Sheet;
use referee_rules::Seat;
use serde_json::{Value, json};
use tokio::io::AsyncReadExt;
use tokio_util::io::ReaderStream;

use crate::accept::for_a_while;
use crate::access::Visit;
use crate::answer_cache::{CachedAnswer, is_known, takes_gzip};
use crate::query::{GAMES_MAX, GamesQuery, StrictQuery, TableQuery};
use crate::refusal::Refusal;
use crate::rows::{BotRow, SeatRow};
use crate::site::Served;
use crate::snapshot::Snapshot;
use referee_report::pages::show::games::GameSummary;

/// Bytes in a piece of an answer, and the maximum number of bytes that wait for a slow reader.
pub(crate) const PIECE: usize = 64 << 10;
pub(crate) const WAITING: usize = 4 * PIECE;

/// The time between signs of life in a stream of events.
pub(crate) const ALIVE: Duration = Duration::from_secs(15);

/// Returns a table in the format that is asked for.
pub(crate) fn table(sheet: &Sheet, format: &str) -> Result<Response, Refusal> {
    let kind = content_type(format)?;
    Ok(([(header::CONTENT_TYPE, kind)], render(sheet, kind)).into_response())
}

const CSV: &str = "text/csv; charset=utf-8";

/// Returns the content type of a format.
fn content_type(format: &str) -> Result<&'static str, Refusal> {
    match format {
        "" | "json" => Ok("application/json"),
        "csv" => Ok(CSV),
        _ => Err(Refusal::bad("format must be json or csv")),
    }
}

/// Returns a table as a text of this content type.
fn render(sheet: &Sheet, kind: &str) -> Vec<u8> {
    let mut text = Vec::new();
    let written = match kind {
        CSV => sheet.write_csv(&mut text),
        _ => serde_json::to_writer(&mut text, &sheet.json()).map_err(Into::into),
    };
    written.expect("memory takes all");
    text
}

pub(crate) async fn standings(
    visit: Visit,
    StrictQuery(query): StrictQuery<TableQuery>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let Visit { site, served, .. } = &visit;
    let (snapshot, kind) = (known(served)?, content_type(&query.format)?);
    let make = || {
        let sheet = match &snapshot.contest.season {
            Some(season) => {
                let verdict = season.verdicts.last().map_or(Value::Null, |summary| summary.verdict.clone());
                season.standings.sheet().about("told", season.sentences.clone()).about("verdict", verdict)
            }
            None => Sheet::new(["place", "bot"]),
        };
        let sheet = sheet.about("hill", served.name.clone()).about("game", served.game);
        Ok::<_, Infallible>(render(&sheet, kind))
    };
    let address = format!("/{}/standings/{kind}", served.name);
    let Ok(cached) = site.shelf.get(&address, &snapshot.number.to_string(), kind, make);
    Ok(cached.answer(&headers))
}

/// Returns the latest snapshot of a contest.
///
/// # Errors
///
/// If the records have not been read yet, or cannot be read.
pub(crate) fn known(served: &Served) -> Result<Arc<Snapshot>, Refusal> {
    let snapshot = served.followed.snapshot();
    if snapshot.trouble.is_some() {
        // The trouble itself names files of this machine: it is for the host alone.
        let place = if served.is_hill { "on the host's page" } else { "in the server's output" };
        let what = format!("the records cannot be read at the moment: the host sees why {place}");
        return Err(Refusal::new(StatusCode::SERVICE_UNAVAILABLE, what));
    }
    if snapshot.number == 0 {
        let (read, expected) = {
            let index = served.followed.index();
            (index.len(), index.expected())
        };
        let expected_number = expected.map_or(String::new(), |all| format!(" of about {all}"));
        let what = format!(
            "the server has just started, and has read {read}{expected_number} games: try again in some seconds"
        );
        return Err(Refusal::new(StatusCode::SERVICE_UNAVAILABLE, what));
    }
    Ok(snapshot)
}

/// Returns an answer about a contest that changes only with its results. For each snapshot it is made once, in a job of
/// the visitor who asks first. `make` gets the number of the snapshot.
pub(crate) async fn cached(
    visit: &Visit,
    name: String,
    kind: &'static str,
    make: impl FnOnce(&Served, u64) -> Result<Vec<u8>, Refusal> + Send + 'static,
) -> Result<Arc<CachedAnswer>, Refusal> {
    let number = known(&visit.served)?.number;
    let (address, stamp) = (format!("/{}/{name}", visit.served.name), number.to_string());
    if let Some(cached) = visit.site.shelf.find(&address, &stamp) {
        return Ok(cached);
    }
    let (site, served) = (Arc::clone(&visit.site), Arc::clone(&visit.served));
    // While this job waits, another one can make the answer.
    visit.work(move || site.shelf.get(&address, &stamp, kind, || make(&served, number))).await
}

/// Returns the games of a query as a table with a row for each seat. Its `next` continues the list.
pub(crate) async fn games(
    visit: Visit,
    StrictQuery(query): StrictQuery<GamesQuery>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let query = query.for_contest(&visit.served);
    let ((filter, limit), kind) = (query.filter(GAMES_MAX)?, content_type(&query.format)?);
    let make = move |served: &Served, _| {
        let found = served.followed.index().find(&filter, limit)?;
        let next = if found.len() == limit { found.last().map(|(number, _)| *number) } else { None };
        Ok(render(&seats(served, found.iter().map(|(_, game)| game)).about("next", next), kind))
    };
    Ok(cached(&visit, format!("table of games {query:?}"), kind, make).await?.answer(&headers))
}

/// Returns some games as a table with a row for each seat.
fn seats<'a>(served: &Served, games: impl IntoIterator<Item = &'a GameSummary>) -> Sheet {
    let mut sheet = Sheet::new(SeatRow::COLUMNS.iter().copied());
    for game in games {
        for (number, seat) in game.seats.iter().enumerate() {
            let row = SeatRow {
                game: game.id.clone(),
                started: game.started.clone(),
                season: game.place.season,
                round: game.place.round,
                end: game.end.clone(),
                turns: game.turns,
                seat: number,
                bot: seat.bot.clone(),
                version: seat.version,
                place: seat.place,
                score: seat.score,
                share: seat.share,
                faults: seat.faults,
                max_us: seat.max_us,
            };
            sheet.row(row.cells());
        }
    }
    sheet.about("hill", served.name.clone())
}

pub(crate) async fn game(
    visit: Visit,
    Path((_, game)): Path<(String, String)>,
    StrictQuery(query): StrictQuery<TableQuery>,
) -> Result<Response, Refusal> {
    table(&seats(&visit.served, [&game_of(&visit.served, &game)?]), &query.format)
}

/// Returns a game by its name.
pub(crate) fn game_of(served: &Served, game: &str) -> Result<GameSummary, Refusal> {
    known(served)?;
    let found = served.followed.index().game(game)?;
    found.ok_or_else(|| Refusal::missing("no game of this name was played here"))
}

/// Returns the file of a game's log.
pub(crate) fn log_of(served: &Served, game: &str) -> Result<Spot, Refusal> {
    Ok(log::resolve_form(Spot::below(&served.root, game_of(served, game)?.log)))
}

pub(crate) async fn log(
    visit: Visit,
    Path((_, game)): Path<(String, String)>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    send_file(&visit, log_of(&visit.served, &game)?, &headers).await
}

/// Sends the standard error of a bot in a game, to its author alone.
pub(crate) async fn standard_error(
    visit: Visit,
    Path((_, game, seat)): Path<(String, String, usize)>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let what = "the standard error of a bot is for its author: sign in first, or send your token";
    let account = visit.account(what)?;
    let (served, root) = (&visit.served, visit.served.root.clone());
    let game = game_of(served, &game)?;
    let summary = game.seats.get(seat).ok_or_else(|| Refusal::missing("the game has no such seat"))?;
    let entrants = visit.work(move || Entrants::read(&root)).await?;
    if entrants.submission(&summary.bot, summary.version).is_none_or(|event| event.bot.author != account) {
        return Err(Refusal::new(StatusCode::FORBIDDEN, "the bot of this seat belongs to another author"));
    }
    let missing = || Refusal::missing("the bot has written nothing to standard error in this game");
    send_file(&visit, stderr_of(served, &game.log, seat).ok_or_else(missing)?, &headers).await
}

/// Returns the file with the standard error of the bot in a seat of a logged game; `None` if it wrote nothing.
pub(crate) fn stderr_of(served: &Served, log: &str, seat: usize) -> Option<Spot> {
    let log = log::resolve_form(Spot::below(&served.root, log));
    standard_error::path_for(&log, Seat::new(seat)).filter(Spot::exists)
}

pub(crate) async fn bots(
    visit: Visit,
    StrictQuery(query): StrictQuery<TableQuery>,
) -> Result<Response, Refusal> {
    let mut sheet = Sheet::new(BotRow::COLUMNS.iter().copied()).about("hill", visit.served.name.clone());
    for event in &known(&visit.served)?.contest.field {
        let row = BotRow {
            bot: event.bot.name.clone(),
            version: event.bot.version,
            author: event.bot.author.clone(),
            since: event.date.clone().unwrap_or_default(),
            digest: event.bot.digest.as_str().to_owned(),
        };
        sheet.row(row.cells());
    }
    table(&sheet, &query.format)
}

pub(crate) async fn results(visit: Visit, headers: HeaderMap) -> Result<Response, Refusal> {
    send_file(&visit, results_of(&visit.served)?, &headers).await
}

/// Returns the file of results of a contest, or a refusal if no game has been played.
pub(crate) fn results_of(served: &Served) -> Result<Spot, Refusal> {
    let results = folder::results_of(&served.root);
    if results.exists() { Ok(results) } else { Err(Refusal::missing("no game has been played yet")) }
}

/// Sends a file of a record, or the part of it that is asked for.
async fn send_file(visit: &Visit, spot: Spot, headers: &HeaderMap) -> Result<Response, Refusal> {
    let is_packed = spot.path().extension().is_some_and(|ending| ending == "gz");
    let name = spot.path().file_name().unwrap_or_default().to_string_lossy().into_owned();
    let text = |name: HeaderName| Some(headers.get(name)?.to_str().unwrap_or_default().to_owned());
    let (range, condition) = (text(header::RANGE), text(header::IF_RANGE));
    // The answer can be compressed on the way, and has other bytes then: its tag is weak, and it has no parts.
    let strength = if takes_gzip(headers) && !is_packed { "W/" } else { "" };
    let place = visit.site.files.place(&visit.who()).await?;
    let opening = visit.work(move || {
        let missing = |_| Refusal::missing("the file is not there any more");
        let mut file = spot.open().map_err(missing)?;
        let metadata = file.metadata().map_err(missing)?;
        let (length, tag) = (metadata.len(), format!("{strength}{}", tag_of(&metadata)));
        // With a condition, only who has the rest of this very file gets a part of it (RFC 9110, 13.1.5).
        let takes_part = condition.is_none_or(|condition| condition == tag && strength.is_empty());
        let part = match range {
            Some(range) if takes_part => part(&range, length).unwrap_or(Ok((0, length))),
            _ => Ok((0, length)),
        };
        file.seek(SeekFrom::Start(part.as_ref().map_or(0, |(start, _)| *start))).map_err(missing)?;
        Ok::<_, Refusal>((file, length, tag, part))
    });
    let (file, length, tag, part) = opening.await?;
    if is_known(headers, &tag) {
        return Ok((StatusCode::NOT_MODIFIED, [(header::ETAG, tag)]).into_response());
    }
    let Ok((start, end)) = part else {
        let what = format!("the file has {length} bytes");
        let refused = Refusal::new(StatusCode::RANGE_NOT_SATISFIABLE, what);
        return Ok(([(header::CONTENT_RANGE, format!("bytes */{length}"))], refused).into_response());
    };
    let file = tokio::fs::File::from_std(file).take(end - start);
    let pieces = ReaderStream::with_capacity(file, PIECE);
    let body = Body::from_stream(pieces.map(move |piece| {
        // The place is held until the last piece is sent, or nobody reads any more.
        let _place = &place;
        piece
    }));
    let kind = if is_packed { "application/gzip" } else { "text/plain; charset=utf-8" };
    let head = [
        (header::CONTENT_TYPE, kind.to_owned()),
        (header::ACCEPT_RANGES, "bytes".to_owned()),
        (header::ETAG, tag),
        (header::CONTENT_LENGTH, (end - start).to_string()),
        (header::CONTENT_DISPOSITION, format!("inline; filename=\"{name}\"")),
    ];
    if end - start == length {
        return Ok((head, body).into_response());
    }
    let range = [(header::CONTENT_RANGE, format!("bytes {start}-{}/{length}", end - 1))];
    Ok((StatusCode::PARTIAL_CONTENT, head, range, body).into_response())
}

/// Returns a tag of the content of a file, in quotes. It changes with the file's identity, length and last change.
fn tag_of(file: &Metadata) -> String {
    let state = (file.dev(), file.ino(), file.len(), file.mtime(), file.mtime_nsec());
    format!("\"{}\"", Digest::of(format!("{state:?}").as_bytes()).short())
}

/// A range with no byte of the file.
#[derive(Debug, PartialEq)]
pub(crate) struct NoPart;

/// Returns the part of a file that a range names: its first byte and the one after its last. `None` if the
/// range is not understood; the whole file is sent then.
pub(crate) fn part(range: &str, length: u64) -> Option<Result<(u64, u64), NoPart>> {
    let (first, last) = range.strip_prefix("bytes=")?.split_once('-')?;
    // `parse` alone would take a sign, too.
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let number = |text: &str| if is_number(text) { text.parse::<u64>().ok() } else { None };
    let (start, end) = match (first, last) {
        ("", last) => (length.saturating_sub(number(last)?), length),
        (first, "") => (number(first)?, length),
        (first, last) => (number(first)?, number(last)?.saturating_add(1).min(length)),
    };
    Some(if start < end { Ok((start, end)) } else { Err(NoPart) })
}

/// Sends an archive under a name.
pub(crate) fn archived(name: &str, kind: &'static str, archive: impl IntoResponse) -> Response {
    let name = format!("attachment; filename=\"{name}\"");
    let kind = (header::CONTENT_TYPE, kind.to_owned());
    ([kind, (header::CONTENT_DISPOSITION, name)], archive).into_response()
}

/// Sends an event for new results, until the server stops or the stream has lasted long enough.
pub(crate) async fn events(visit: Visit) -> Result<Response, Refusal> {
    let place = visit.site.streams.place_now(&visit.who())?;
    let (latest, stop) = (visit.served.followed.latest.subscribe(), visit.site.stop.subscribe());
    let stream = unfold((latest, stop, true), move |(mut latest, mut stop, is_first)| {
        let _place = &place;
        async move {
            // The first event is sent at once.
            if !is_first {
                tokio::select! {
                    changed = latest.changed() => changed.ok()?,
                    _ = stop.wait_for(|stop| *stop) => return None,
                }
            }
            let event = event(&latest.borrow_and_update());
            Some((Ok::<Event, Infallible>(event), (latest, stop, false)))
        }
    });
    Ok(Sse::new(for_a_while(stream)).keep_alive(KeepAlive::new().interval(ALIVE)).into_response())
}

fn event(snapshot: &Snapshot) -> Event {
    let season = snapshot.contest.season.as_ref();
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
        for (range, expected) in [
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
            assert_eq!(part(range, 100), expected.map(|expected| expected.map_err(|()| NoPart)), "{range}");
        }
    }
}
