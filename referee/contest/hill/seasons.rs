//! The seasons of a hill, in `seasons.csv`: the field of each season, and its terms. Both are fixed for a season, so a
//! change begins the next one.

use std::path::Path;

use crate::fixture::Entrant;
use crate::folder;
use crate::hill::terms::Terms;
use crate::publish;
use referee_files::beneath::Spot;
use referee_files::{results, small};
use referee_record::error::{Error, ErrorKind};
use referee_record::forms::Moment;
use referee_record::schema::{Column, Columns, MaybeName, Name, Number, Sha256, Text, column};
use referee_record::{BotName, Digest};
use referee_rules::Seed;
use referee_table::clock;

/// A fixed field of bots.
#[derive(Clone, Debug, PartialEq)]
pub struct Season {
    /// From 1.
    pub number: u32,
    /// When it began.
    pub date: String,
    /// The bots, in the order of the schedule.
    pub bots: Vec<BotName>,
    /// The author of each bot; empty if unknown.
    pub authors: Vec<String>,
    /// Its terms.
    pub terms: Terms,
    /// Who is in the race, if bots whose places are decided leave it: as far as the results say it.
    pub races: Vec<Race>,
    /// The number of its bots, as each of its rows says it.
    size: usize,
}

/// The bots that are in the race from a round on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Race {
    /// The first round.
    pub round: u32,
    /// Their places in the list of the season's bots, from 0, in order.
    pub bots: Vec<usize>,
}

impl Season {
    /// Returns the seed of its deals and games: it follows from the hill's seed and from the entrants, so that nobody
    /// knows it before the last submission. Seasons of an earlier version have the hill's seed.
    pub fn seed(&self, of_hill: Seed) -> Seed {
        if !self.terms.has_own_seed {
            return of_hill;
        }
        let bots = self.bots.iter().map(|bot| format!("{} {} {}\n", bot.name, bot.version, bot.digest));
        let text = format!("referee seed of a season 1\n{of_hill}\n{}", bots.collect::<String>());
        let digest = Digest::of(text.as_bytes());
        Seed(u64::from_str_radix(&digest.as_str()[..16], 16).expect("digits of a digest"))
    }

    /// Lists the bots that are in the race in a round, by their places in the list of bots; `None` if all are.
    pub fn race_of(&self, round: u32) -> Option<&[usize]> {
        self.races.iter().rfind(|race| race.round <= round).map(|race| &*race.bots)
    }
}

/// A row: a bot of a season.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "its columns say it")]
pub struct SeasonRow {
    pub season: u32,
    pub date: String,
    pub size: usize,
    pub bot: BotName,
    pub terms: String,
    pub author: String,
}

impl Columns for SeasonRow {
    const WHAT: &'static str = "a row of a season";
    const FORMAT: u32 = 3;
    const OLDEST: u32 = 3;
    const COLUMNS: &'static [Column<SeasonRow>] = &[
        column!("season", season, Number, "number of the season, from 1"),
        column!("date", date, Moment, "date and time (UTC) of its start"),
        column!("size", size, Number, "number of rows of the season, one for each bot"),
        column!("name", bot.name, Name, "the bot's name"),
        column!("version", bot.version, Number, "number of the program under this name"),
        column!("digest", bot.digest, Sha256, "identity of the bot, as in results"),
        column!(
            "terms",
            terms,
            Text,
            "sandbox, clock, limits, block and version of the rules of all its games, the origin of its seed, and the \
             rule of its verdict"
        ),
        column!("author", author, MaybeName, "author of the bot, as in entrants.csv; empty: unknown"),
    ];

    fn blank() -> SeasonRow {
        let bot = BotName { name: String::new(), version: 0, digest: Digest::blank() };
        SeasonRow {
            season: 0,
            date: String::new(),
            size: 0,
            bot,
            terms: String::new(),
            author: String::new(),
        }
    }
}

/// Reads the seasons so far. It is an error if a row is missing, or if there is no season though games were played.
pub fn read(root: &Path) -> Result<Vec<Season>, Error> {
    let spot = file_of(root);
    let mut seasons: Vec<Season> = Vec::new();
    for (row, line) in small::read_whole(&spot)?.into_iter().zip(2..) {
        let SeasonRow { season, date, size, bot, terms, author } = row;
        let wrong = |what: String| Error::line(spot.path(), line, format!("not a row of a season: {what}"));
        let terms: Terms = terms.parse().map_err(wrong)?;
        match seasons.last_mut().filter(|last| last.number == season) {
            Some(last) if last.size == size && last.date == date && last.terms == terms => {
                last.bots.push(bot);
                last.authors.push(author);
            }
            None => {
                let (bots, authors) = (vec![bot], vec![author]);
                let races = Vec::new();
                seasons.push(Season { number: season, date, size, bots, authors, terms, races });
            }
            Some(_) => {
                let what = "its date, size or terms differ from those of the previous row";
                return Err(wrong(what.to_owned()));
            }
        }
    }
    let is_played = || results::games(folder::results_of(root)).is_ok_and(|mut games| games.next().is_some());
    if seasons.is_empty() && is_played() {
        return Err(gone(root, "games were played"));
    }
    // The file is replaced in one step, so no row of a season is written without the others.
    if let Some(season) = seasons.iter().find(|season| season.bots.len() != season.size) {
        let (number, bots, size) = (season.number, season.bots.len(), season.size);
        let what = format!("season {number} has {bots} of its {size} rows: the file was cut; {PUT_BACK}");
        return Err(Error::file(spot.path(), what));
    }
    if let Some((season, number)) = seasons.iter().zip(1..).find(|(season, number)| season.number != *number)
    {
        let what = format!("season {} is listed where season {number} should be", season.number);
        return Err(Error::file(spot.path(), what));
    }
    Ok(seasons)
}

/// The remedy for a list of seasons that lacks some.
const PUT_BACK: &str = "put it back, or make another hill";

/// Returns the error that no season is listed, although there is proof of one.
pub(super) fn gone(root: &Path, proof: &str) -> Error {
    let spot = file_of(root);
    let found = if spot.exists() { "no season is listed" } else { "missing" };
    Error::file(spot.path(), format!("{found}, but {proof}: {PUT_BACK}"))
}

/// Returns the error that a season with games is not listed.
pub(super) fn not_listed(root: &Path, season: u32) -> Error {
    let what =
        format!("season {season} is not listed, but games of it were played: the file was cut; {PUT_BACK}");
    Error::file(file_of(root).path(), what)
}

/// The season that a run plays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Current {
    /// Its number.
    pub number: u32,
    /// The reason why it is a new season, unless the reason is another field.
    pub why_new: Option<String>,
}

/// Returns the season of this field under these terms: the last of these seasons if it has the same, else a new one,
/// which is written. `other_rule` is the reason why a new one must begin in any case. If the last season has the terms
/// of an earlier version, which name fewer limits, it goes on, and the terms are written anew.
///
/// # Errors
///
/// If the system refuses, or the seasons are damaged; or if a new season would begin, and none `may_begin`.
pub fn of_field(
    root: &Path,
    seasons: &[Season],
    bots: &[Entrant],
    terms: &Terms,
    other_rule: Option<String>,
    may_begin: bool,
) -> Result<Current, Error> {
    let mut why_new = None;
    let number = seasons.last().map_or(1, |last| last.number + 1);
    let new_terms = terms;
    if let Some(last) = seasons.last().filter(|last| last.bots.iter().eq(bots.iter().map(|bot| &bot.name))) {
        // A season goes on with its seed.
        let terms = &Terms { has_own_seed: last.terms.has_own_seed, ..terms.clone() };
        match &last.terms {
            _ if other_rule.is_some() => why_new = other_rule,
            before if before == terms => return Ok(Current { number: last.number, why_new }),
            before if !before.go_on_as(terms) => why_new = Some(before.changes(terms)),
            _ => {
                let number = last.number;
                change(root, |rows| {
                    for row in rows.iter_mut().filter(|row| row.season == number) {
                        row.terms = terms.to_string();
                    }
                })?;
                return Ok(Current { number, why_new });
            }
        }
    }
    if !may_begin {
        let now = why_new.map_or("the field has changed".to_owned(), |why| format!("terms: {why}"));
        let what = format!(
            "other runners are playing season {}, and this run would begin a new one ({now}): wait until they have \
             ended",
            number - 1
        );
        return Err(Error::new(ErrorKind::Busy, what).at(root));
    }
    let (date, size) = (clock::date(), bots.len());
    let rows_of_season = bots.iter().map(|bot| {
        let (author, date, terms) = (bot.author.clone(), date.clone(), new_terms.to_string());
        SeasonRow { season: number, date, size, bot: bot.name.clone(), terms, author }
    });
    change(root, |rows| rows.extend(rows_of_season))?;
    Ok(Current { number, why_new })
}

/// Changes the rows of all seasons. The file is short, so it is replaced in one step.
fn change(root: &Path, change: impl FnOnce(&mut Vec<SeasonRow>)) -> Result<(), Error> {
    let text = small::changed(file_of(root), change)?;
    publish::replace(file_of(root), &text)
}

pub(super) fn file_of(root: &Path) -> Spot {
    Spot::below(root, "seasons.csv")
}
