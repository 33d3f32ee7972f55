//! The parts of a bot's page: its place, its course, its opponents, its versions.

use std::collections::BTreeMap;

use crate::tables::sheet::Sheet;
use crate::tables::standing::{PairRow, StandingRow};
use maud::{Markup, html};
use referee_contest::admission::entrants::{Entrants, EventKind};
use referee_contest::bot::Bot;
use referee_record::text::count;
use referee_rules::FaultKind;
use serde_json::Value;

use super::course::course;
use super::{Entered, SeasonSummary, View};
use crate::pages::parts::{bot, named, table, time};
use crate::tables::measure::Scale;

/// Maximum number of rows in the table of places.
const PLACES_LISTED: usize = 20;

/// Maximum number of rows in the table of earlier seasons.
const SEASONS_LISTED: usize = 50;

/// Maximum number of opponents that are listed.
const OPPONENTS_MAX: usize = 100;

/// A program under a bot's name, and its results in some games.
#[derive(Clone, Debug)]
pub struct Version {
    /// The program.
    pub entered: Entered,
    /// What ended its time on the hill, and when (UTC).
    pub end: Option<(&'static str, String)>,
    /// Number of its seats in the games.
    pub seats: u64,
    /// The sum of its shares in the games.
    pub shares: f64,
    /// Number of its faults in the games.
    pub faults: u64,
    /// Its longest answer in the games, in microseconds.
    pub longest_us: u64,
}

impl Version {
    fn new(entered: Entered) -> Version {
        Version { entered, end: None, seats: 0, shares: 0.0, faults: 0, longest_us: 0 }
    }

    /// Lists the programs that a bot of a hill has had, the first one first, without results.
    pub fn all_of(entrants: &Entrants, name: &str) -> Vec<Version> {
        let version = |number| {
            let event = entrants.submission(name, number)?;
            let end = entrants.end_of(event).map(|end| {
                let what = match end.event {
                    EventKind::Submitted | EventKind::Admitted => "replaced",
                    EventKind::Retired => "retired",
                    EventKind::Banned | EventKind::AuthorBanned => "banned",
                };
                (what, end.date.clone())
            });
            Some(Version { end, ..Version::new(Entered::submitted(event)) })
        };
        (1..entrants.next_version(name)).filter_map(version).collect()
    }

    /// Lists the one program of a bot of a tournament, without results.
    pub fn in_field(field: &[Entered], name: &str) -> Vec<Version> {
        field.iter().filter(|entered| entered.bot.name == name).cloned().map(Version::new).collect()
    }
}

/// Says which program of a bot plays, if any does.
pub fn heading(view: View<'_>, name: &str) -> Markup {
    let mark = view.contest.mark(name);
    match view.contest.field.iter().find(|entered| entered.bot.name == name) {
        Some(entered) => html! {
            h2 { (mark.icon()) " Version " (entered.bot.version)
                @if !entered.bot.author.is_empty() { " by " (named(view.contest.person(&entered.bot.author))) } }
            @if let Some(date) = &entered.date { p { "On the hill since " (time(date)) "." } }
        },
        None => html! { h2 { (mark.icon()) " It no longer plays" } },
    }
}

/// Says which place a bot has, and which faults it made: of a tournament in each of its sub-tournaments, too.
pub fn standing(view: View<'_>, name: &str) -> Markup {
    let standing_in = |season: &SeasonSummary| {
        let scale = season.standings.scale();
        let rows = &season.standings.rows;
        html! {
            @for row in rows.iter().filter(|row| row.bot == name) {
                p.lead { (place(scale, row, rows.len())) } p.small { (faults(row)) }
            }
        }
    };
    html! {
        @if let Some(season) = &view.contest.season { (standing_in(season)) }
        @for (set, season) in &view.contest.sets { (heading_of(set, season)) (standing_in(season)) }
    }
}

/// The results of a bot against each opponent, and at the end of earlier seasons.
pub fn opponents(view: View<'_>, name: &str) -> Markup {
    html! {
        @if let Some(season) = &view.contest.season { (opponents_of(view, season, name)) }
        @for (set, season) in &view.contest.sets { (heading_of(set, season)) (opponents_of(view, season, name)) }
        (earlier_seasons(view, name))
    }
}

fn heading_of(set: &str, season: &SeasonSummary) -> Markup {
    html! { h3 { "Sub-tournament " (season.number) @if !set.is_empty() { ": " (set) } } }
}

/// Says which place a bot has, by what, and in how many games.
fn place(scale: Scale, row: &StandingRow, bots: usize) -> String {
    let mut text = format!("Place {} of {bots}: ", row.place);
    if let Some(points) = row.points {
        text += &format!("{}, ", count(points.into(), "point"));
    }
    text += &scale.phrase(row.mean_share);
    if let Some((low, high)) = row.bounds() {
        text += &format!(", between {} and {}", scale.text(low), scale.text(high));
    }
    text += &format!(", in {}.", count(row.games, "game"));
    if let Some((first, last)) = row.likely()
        && first < last
    {
        text += &format!(" Likely places: {first} to {last}.");
    }
    text
}

/// Says which faults a bot made.
fn faults(row: &StandingRow) -> String {
    let kinds = FaultKind::ALL.iter().zip(row.faults).filter(|(_, faults)| *faults > 0);
    let kinds: Vec<String> = kinds.map(|(kind, faults)| format!("{faults} {}", kind.name())).collect();
    let games = count(row.games, "game");
    if kinds.is_empty() {
        format!("No faults in {games}.")
    } else {
        format!("Faults in {games}: {}.", kinds.join(", "))
    }
}

/// The results of a bot against each opponent, in the order of the standings.
fn opponents_of(view: View<'_>, season: &SeasonSummary, name: &str) -> Markup {
    let scale = season.standings.scale();
    let rows: BTreeMap<&str, usize> =
        season.standings.rows.iter().enumerate().map(|(index, row)| (&*row.bot, index)).collect();
    let row_of = |name: &str| rows.get(name).copied().unwrap_or(rows.len());
    let own_row = row_of(name);
    let mut pairs: Vec<&PairRow> = season.pairs.iter().filter(|pair| pair.bot.name == name).collect();
    let all = pairs.len();
    if all > OPPONENTS_MAX {
        pairs.sort_by_key(|pair| row_of(&pair.company.name).abs_diff(own_row));
        pairs.truncate(OPPONENTS_MAX);
    }
    pairs.sort_by_key(|pair| row_of(&pair.company.name));
    let caption = "Against each opponent, in the order of the standings";
    html! { @if !pairs.is_empty() {
        h3 { "Against each opponent" }
        div.scroll tabindex="0" role="group" aria-label=(caption) { table {
            caption.unseen { (caption) }
            thead { tr {
                th scope="col" { "opponent" } th scope="col" .n { "games" }
                th scope="col" .n { "finished before it" } th scope="col" .n { (scale.0.head()) }
            } }
            tbody { @for pair in pairs { tr {
                @let opponent = &pair.company;
                th scope="row" { span.name { (view.contest.mark(&opponent.name).icon()) " "
                    span { (bot(view.links, &opponent.name)) @if opponent.version > 1 { " version " (opponent.version) } } } }
                td.n { (pair.games) }
                td.n { (format!("{:.0} %", pair.before * 100.0)) }
                td.n { (scale.text(pair.mean_share)) }
            } } }
        } }
        p.small { "Finished before it: the part of their games, ties half."
            @if all > OPPONENTS_MAX { " These are the " (OPPONENTS_MAX) " opponents nearest in the standings." } }
    } }
}

/// The bot at the end of each earlier season, the latest first.
fn earlier_seasons(view: View<'_>, name: &str) -> Markup {
    let Some(scale) = view.contest.season.as_ref().map(|season| season.standings.scale()) else {
        return html! {};
    };
    let mut sheet = Sheet::new([
        view.contest.word_of_season(),
        "rounds",
        "version",
        "games",
        "place",
        "bots",
        "places",
        "mean",
    ]);
    let bots_of_seasons =
        view.contest.past.iter().rev().flat_map(|season| season.bots.iter().map(move |bot| (season, bot)));
    for (season, bot) in bots_of_seasons.filter(|(_, bot)| bot.name == name).take(SEASONS_LISTED) {
        sheet.row(vec![
            season.number.into(),
            season.rounds.into(),
            bot.version.into(),
            bot.games.into(),
            bot.place.into(),
            season.bots.len().into(),
            bot.likely.map_or(Value::Null, |(first, last)| format!("{first}-{last}").into()),
            scale.text(bot.mean_share).into(),
        ]);
    }
    let caption = format!(
        "At the end of each {}, latest first: place by its games, places that the bot might have had, {}",
        view.contest.word_of_season(),
        scale.0.head()
    );
    html! { @if !sheet.rows().is_empty() {
        h3 { "Before the field changed" }
        (table(&caption, &sheet, Some(view.links), None))
    } }
}

/// Draws the places of a bot over the seasons, with a table of those in this one.
pub fn places(view: View<'_>, name: &str) -> Markup {
    let Some(chart) = course(view.contest, &[name], None) else { return html! {} };
    let history = view.contest.season.as_ref().map(|season| history(season, name)).unwrap_or_default();
    let scale = view.contest.season.as_ref().map(|season| season.standings.scale());
    let head = scale.map_or(String::new(), |scale| scale.0.head());
    let mut sheet = Sheet::new(["round", "place", &head]);
    let step = history.len().div_ceil(PLACES_LISTED).max(1);
    for PlaceAfterRound { round, place, mean_share } in history.iter().rev().step_by(step) {
        let mean = scale.map_or(String::new(), |scale| scale.text(*mean_share));
        sheet.row(vec![(*round).into(), (*place).into(), mean.into()]);
    }
    let caption =
        format!("Its place{}, latest first", if view.is_hill { " since the field changed" } else { "" });
    html! {
        h3 { "Places over time" }
        (chart)
        details { summary { "As a table" } (table(&caption, &sheet, Some(view.links), None)) }
    }
}

/// A bot after a round of a season.
struct PlaceAfterRound {
    round: u32,
    /// The bot's place by mean share.
    place: usize,
    mean_share: f64,
}

/// Lists the places of a bot after each look at a season.
fn history(season: &SeasonSummary, name: &str) -> Vec<PlaceAfterRound> {
    let Some(bot) = season.bots.iter().rposition(|bot| bot == name) else { return Vec::new() };
    let places = season.looks.iter().filter_map(|(round, means)| {
        let mean_share = (*means.get(bot)?)?;
        let better = means.iter().flatten().filter(|other| **other > mean_share).count();
        Some(PlaceAfterRound { round: *round, place: better + 1, mean_share })
    });
    places.collect()
}

/// The table of a bot's programs, the present one first. `games` is a name for the games in which they have the
/// results; `None` if they have no results.
pub fn versions(view: View<'_>, versions: &[Version], games: Option<&str>) -> Markup {
    let scale = view.contest.season.as_ref().map(|season| season.standings.scale());
    let mean = scale.map_or_else(|| "mean share".to_owned(), |scale| scale.0.head());
    let columns = ["version", "since", "until", "why", "author", "seats", &mean, "faults", "longest_ms"];
    let mut sheet = Sheet::new(columns.into_iter().chain(["kind", "SHA-256", "toolchain"]));
    for Version { entered, end, seats, shares, faults, longest_us } in versions.iter().rev() {
        let if_played = |value: Value| if *seats > 0 { value } else { Value::Null };
        let (why, until) = match end {
            Some((why, until)) => (Value::from(*why), Value::from(until.clone())),
            None => (Value::Null, Value::Null),
        };
        let bot = &entered.bot;
        let mean = scale.map_or(Value::Null, |scale| scale.text(shares / *seats as f64).into());
        let toolchain = bot.toolchain.as_ref();
        sheet.row(vec![
            bot.version.into(),
            entered.date.as_deref().map_or(Value::Null, Value::from),
            until,
            why,
            view.contest.person(&bot.author).into(),
            if_played((*seats).into()),
            if_played(mean),
            if_played((*faults).into()),
            if_played((*longest_us as f64 / 1000.0).into()),
            kind(bot).into(),
            bot.digest.short().to_string().into(),
            toolchain.map_or(Value::Null, |toolchain| toolchain.short().to_string().into()),
        ]);
    }
    html! {
        section {
            h2 { "Versions" }
            (table("Each program under this name, the present one first", &sheet, Some(view.links), Some(1)))
            p.small {
                @if let Some(games) = games {
                    "Seats, mean, faults and the longest answer are those of " (games) ". A bot can take several seats in a game. "
                }
                "A version with a toolchain was built here from its source."
            }
        }
    }
}

/// Returns the kind of what was submitted: the ending of its file, or `program`. The rest of the file's name is not
/// shown, since its author has chosen it.
fn kind(bot: &Bot) -> &str {
    match bot.source.rsplit_once('.') {
        Some((_, ending)) if ending.len() <= 8 && ending.bytes().all(|byte| byte.is_ascii_alphanumeric()) => {
            ending
        }
        _ => "program",
    }
}
