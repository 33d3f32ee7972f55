//! Lists of games, in which each game is a sentence.

use std::cmp::Ordering;

use maud::{Markup, html};
use referee_record::Digest;
use referee_record::results::{ResultRow, Scheduled};
use referee_record::text::{NAME, harmless};
use serde::{Deserialize, Serialize};

use super::View;
use crate::pages::parts::{bot, named, time};

/// Maximum number of bots that the sentence of a game names.
const BOTS_MAX: usize = 8;

/// A game as lists have it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct GameSummary {
    /// Its name.
    pub id: String,
    /// Its place in the schedule.
    pub place: Scheduled,
    /// When it began (UTC).
    pub started: String,
    /// Its log, as the records name it, and the digest of the log's content.
    pub log: String,
    /// See [`log`](GameSummary::log).
    pub digest: Digest,
    /// Why it ended.
    pub end: String,
    /// Number of its turns.
    pub turns: u32,
    /// Its seats, in their order.
    pub seats: Vec<SeatSummary>,
}

/// A seat in a game.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SeatSummary {
    /// The bot in it.
    pub bot: String,
    /// The number of its program, from 1.
    pub version: u32,
    /// Its place in the game, from 1; equal ones share it.
    pub place: u32,
    /// Its points.
    pub score: i64,
    /// Its share of the game. Written as its bits: records of strangers can have numbers that JSON cannot express.
    #[serde(with = "bits")]
    pub share: f64,
    /// Number of its faults.
    pub faults: u32,
    /// Its longest answer, in microseconds.
    pub max_us: u64,
    /// Whether the result counts; else the bot only filled a seat.
    pub counts: bool,
}

/// Numbers as their bits.
mod bits {
    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(number: &f64, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_u64(number.to_bits())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
        u64::deserialize(from).map(f64::from_bits)
    }
}

/// A row of a list of games.
#[derive(Clone, Debug)]
pub struct GameRow<'a> {
    /// The game.
    pub game: &'a GameSummary,
    /// The reason why it is listed; empty if it is only one of the latest.
    pub why: String,
    /// Its name in a cup: `semifinal 2, game 1`.
    pub called: Option<&'a str>,
    /// The addresses of its page, and of the page on which it can be watched.
    pub page: Option<String>,
    /// See [`page`](GameRow::page).
    pub replay: Option<String>,
    /// The address of its log: `Some(None)` if the log is missing, `None` if the list has no logs.
    pub log: Option<Option<String>>,
    /// The addresses of the list of its round's games, and of the games that ended for the same reason.
    pub of_round: Option<String>,
    /// See [`of_round`](GameRow::of_round).
    pub of_end: Option<String>,
}

impl GameSummary {
    /// A game of results, by its rows. `None` if there is no row.
    pub fn from_rows(rows: &[ResultRow]) -> Option<GameSummary> {
        let seat = |row: &ResultRow| SeatSummary {
            bot: row.bot.name.clone(),
            version: row.bot.version,
            place: row.place as u32,
            score: row.score,
            share: row.share.value(),
            faults: row.faults.iter().sum::<u64>().try_into().unwrap_or(u32::MAX),
            max_us: row.thinking.max_us,
            counts: row.counts,
        };
        let first = rows.first()?;
        Some(GameSummary {
            id: first.game.clone(),
            place: first.place_in_schedule.unwrap_or_default(),
            started: first.started.clone(),
            log: first.log.clone(),
            digest: first.log_digest.clone(),
            end: first.end.clone(),
            turns: first.turns,
            seats: rows.iter().map(seat).collect(),
        })
    }

    /// Returns the best place of a bot, and the last place; `None` if it was not in the game.
    pub fn places_of(&self, name: &str) -> Option<(u32, usize)> {
        let best = self.seats.iter().filter(|seat| seat.bot == name).map(|seat| seat.place).min()?;
        let last = self.seats.iter().map(|seat| seat.place).max()?;
        Some((best, last as usize))
    }

    /// Returns by how much the first seat is ahead of the second. `None` with fewer than two seats, and if all are
    /// level.
    pub fn margin(&self) -> Option<Margin> {
        let seats: Vec<&SeatSummary> = self.by_bot().into_iter().map(|seat| &self.seats[seat]).collect();
        let ([first, second, ..], Some(last)) = (&seats[..], seats.last()) else { return None };
        if (first.place, first.score) == (last.place, last.score) {
            return None;
        }
        Some(Margin { share: first.share - second.share, score: first.score.abs_diff(second.score) })
    }

    /// Lists the numbers of the seats by place. Of several seats of a bot with the same place, it has only the first.
    fn by_bot(&self) -> Vec<usize> {
        let mut listed = Vec::new();
        let mut numbers = self.by_place();
        numbers.retain(|number| {
            let seat = &self.seats[*number];
            let identity = (&seat.bot, seat.version, seat.place, seat.counts);
            let is_new = !listed.contains(&identity);
            listed.push(identity);
            is_new
        });
        numbers
    }

    /// Lists the numbers of the seats by place.
    pub fn by_place(&self) -> Vec<usize> {
        let mut seats: Vec<usize> = (0..self.seats.len()).collect();
        seats.sort_by_key(|seat| self.seats[*seat].place);
        seats
    }
}

/// By how much the first seat of a game is ahead of the second.
#[derive(Clone, Copy, Debug)]
pub struct Margin {
    share: f64,
    score: u64,
}

impl Margin {
    /// Compares two margins: by shares, and by scores where these are the same. Of two who play for a win alone, the
    /// shares always differ by 1.
    pub fn compare(&self, other: &Margin) -> Ordering {
        self.share.total_cmp(&other.share).then(self.score.cmp(&other.score))
    }
}

/// Which columns of a list of games have values.
struct ColumnsShown {
    reasons: bool,
    names_in_cup: bool,
    faults: bool,
    logs: bool,
    /// Whether the round is shown with its season.
    seasons: bool,
}

/// Lists games, each as a sentence. `has_seasons` tells whether the games can be of several seasons.
pub fn list(view: View<'_>, caption: &str, rows: &[GameRow<'_>], has_seasons: bool) -> Markup {
    let has = |value: fn(&GameRow<'_>) -> bool| rows.iter().any(value);
    let shown = ColumnsShown {
        reasons: has(|row| !row.why.is_empty()),
        names_in_cup: has(|row| row.called.is_some()),
        faults: has(|row| row.game.seats.iter().any(|seat| seat.faults > 0)),
        logs: has(|row| row.log.is_some()),
        seasons: has_seasons,
    };
    html! {
        div.scroll tabindex="0" role="group" aria-label=(caption) {
            table.games {
                caption.unseen { (caption) }
                thead { tr {
                    th scope="col" { "played" } @if shown.reasons { th scope="col" { "why" } }
                    @if shown.names_in_cup { th.more scope="col" { "place in the cup" } }
                    th scope="col" { "result" } th.more scope="col" { "round" }
                    th.more scope="col" { "end" } th.more scope="col" .n { "turns" }
                    @if shown.faults { th scope="col" { "faults" } }
                    th scope="col" { "replay" } @if shown.logs { th.more scope="col" { "log" } }
                } }
                tbody { @for row in rows { (row_of_list(view, row, &shown)) } }
            }
        }
    }
}

fn row_of_list(view: View<'_>, row: &GameRow<'_>, shown: &ColumnsShown) -> Markup {
    let game = row.game;
    let name = harmless(&game.id, NAME);
    let Scheduled { season, round, .. } = game.place;
    let linked = |address: &Option<String>, words: Markup| match address {
        Some(address) => html! { a href=(address) { (words) } },
        None => words,
    };
    let seats = game.by_place().into_iter().map(|seat| &game.seats[seat]);
    let seats_with_faults = seats.filter(|seat| seat.faults > 0);
    html! { tr {
        th scope="row" { @match &row.page {
            Some(page) => a href=(page) title=(name) { (time(&game.started)) },
            None => span title=(name) { (time(&game.started)) },
        } }
        @if shown.reasons { td { (row.why) } }
        @if shown.names_in_cup { td.more { (row.called.unwrap_or_default()) } }
        td.who { (sentence(view, game)) }
        td.more { (linked(&row.of_round, html! { @if shown.seasons { (season) "." } (round) })) }
        td.more { (linked(&row.of_end, html! { (harmless(&game.end.replace('_', " "), NAME)) })) }
        td.more.n { (game.turns) }
        @if shown.faults { td.bad {
            @for (number, seat) in seats_with_faults.enumerate() {
                @if number > 0 { ", " } span { (named(&harmless(&seat.bot, NAME))) " " b { (seat.faults) } }
            }
        } }
        td { @match &row.replay {
            Some(replay) => a href=(replay) aria-label={ "watch " (name) } { "watch" },
            None => "-",
        } }
        @if shown.logs { td.more { @match &row.log {
            Some(Some(log)) => a href=(log) aria-label={ "log of " (name) } { "log" },
            _ => "missing",
        } } }
    } }
}

/// Tells a game in a sentence: `fox 20 beat owl 15 and wolf 3`.
pub fn sentence(view: View<'_>, game: &GameSummary) -> Markup {
    let seat_shown = |seat: usize| {
        let seat = &game.seats[seat];
        let fills = if seat.counts { "" } else { " (only filled a seat)" };
        html! { span { (view.contest.mark(&seat.bot).icon()) " " (bot(view.links, &seat.bot)) " " (seat.score) (fills) } }
    };
    let all = game.by_bot();
    if game.seats.len() == 1 {
        return seat_shown(0);
    }
    let Some(best) = all.first().map(|seat| game.seats[*seat].place) else { return html! {} };
    let is_level = all.iter().all(|seat| game.seats[*seat].place == best);
    let seats = &all[..all.len().min(BOTS_MAX)];
    let more = all.len() - seats.len();
    let first_count = seats.iter().filter(|seat| game.seats[**seat].place == best).count();
    let (first, others) = seats.split_at(first_count);
    html! {
        @for (number, seat) in first.iter().enumerate() {
            @if number > 0 { @if number + 1 == first.len() { " and " } @else { ", " } }
            b { (seat_shown(*seat)) }
        }
        @if is_level { @if more > 0 { " and " (more) " more" } " were level" }
        @else if others.is_empty() { " came first, before others" }
        @else if first.len() > 1 { " came first, before " }
        @else { " beat " }
        @for (number, seat) in others.iter().enumerate() {
            @if number > 0 { @if number + 1 == others.len() && more == 0 { " and " } @else { ", " } }
            (seat_shown(*seat))
        }
        @if more > 0 && !others.is_empty() { " and " (more) " more" }
    }
}
