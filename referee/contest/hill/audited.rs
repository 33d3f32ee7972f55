//! The audit of a hill: of its results, logs, programs and verdicts. Each game must follow the schedule.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::admission::entrants::{self, Entrants};
use crate::admission::shelf;
use crate::audit::walk::Walk;
use crate::editions::Editions;
use crate::fixture::{self, game_id, place_of};
use crate::hill::runner::{First, whole_rounds};
use crate::hill::seasons::Season;
use crate::hill::{Gap, Hill, gaps, verdicts};
use crate::records::{self, Ended, Reader};
use crate::{folder, node};
use referee_files::beneath::Spot;
use referee_files::{audit, voids};
use referee_record::error::Error;
use referee_record::identity;
use referee_record::results::{NumberedRow, ResultRow, Scheduled};
use referee_record::voids::{VoidReason, VoidRow};
use referee_statistics::schedule::deal::Pairing;
use referee_store::{ContestState, GameEnding};

/// The result of an audit of a hill.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Audited {
    /// The numbers of games and rows that were checked.
    pub counts: audit::Counts,
    /// Rounds with missing games that a stopped run can have left.
    pub under_way: Vec<Gap>,
    /// Number of games that have ended, by the records of the runners, and can be listed by the next run.
    pub unlisted: usize,
    /// Number of games in the results that no runner has recorded.
    pub unrecorded: usize,
    /// Number of programs of bots that play no more which are missing from the store.
    pub missing: usize,
    /// Number of seasons without a seed of their own: their draws follow from the hill's seed, which the host knew
    /// before the last submission.
    pub by_hills_seed: usize,
}

/// The end of errors: the command that makes results of the records again.
const REMEDY: &str = "`referee hill repair` makes it again from the records";

impl Hill {
    /// Checks results, logs, programs and verdicts, and that each game follows the schedule. The error names the first
    /// thing that is wrong.
    pub fn audit(&self) -> Result<Audited, Error> {
        let results = folder::results_of(&self.root);
        let (entrants, seasons) = (self.entrants()?, self.seasons()?);
        entrants.check_identities(self.entry.name, self.rules_version())?;
        let programs = self.check_programs(&entrants)?;
        let missing = programs.values().filter(|is_module| is_module.is_none()).count();
        self.check_entered()?;
        entrants.check_history()?;
        let editions = Editions::read(&self.root)?;
        for season in &*seasons {
            editions.check_season(&self.root, season)?;
        }
        let by_hills_seed = seasons.iter().filter(|season| !season.terms.has_own_seed).count();
        entrants.check_fields(seasons.iter().map(|season| (season.number, &season.bots[..])))?;
        if !results.exists() {
            audit::audit_no_results(&results)?;
            return Ok(Audited { missing, by_hills_seed, ..Audited::default() });
        }
        let mut list = HillList {
            schedule: Schedule::new(self, &seasons, &entrants),
            results: results.clone(),
            editions,
            programs,
            records: records::read(&self.root)?,
            reader: Reader::new(&self.root),
            played: gaps::GamesPlayed::default(),
            listed: BTreeSet::new(),
            voids_due: BTreeMap::new(),
            unrecorded: 0,
        };
        let counts = audit::audit_results(&results, node::cores(), |game| list.take(game))?;
        verdicts::audit(self)?;
        let ended = list.compare_ends()?;
        list.compare_voids()?;
        let unlisted = list.count_unlisted(ended)?;
        let under_way = list.gaps()?;
        Ok(Audited { counts, under_way, unlisted, unrecorded: list.unrecorded, missing, by_hills_seed })
    }

    /// Makes sure that the settings are those of the first game: game, parameters, seed and deals. Otherwise the
    /// schedule of the games so far would be unknown.
    pub(super) fn check_unchanged(&self, first: &First) -> Result<(), Error> {
        let (seasons, entrants) = (self.seasons()?, self.entrants()?);
        let mut schedule = Schedule::new(self, &seasons, &entrants);
        let checked = match first {
            First::Played(row) => schedule.game_of(row).and_then(|game| schedule.check_row(&game, row)),
            First::Void(row) => schedule.check_void(row).map(drop),
        };
        checked.map_err(|what| {
            let what = format!(
                "its settings differ from those of the first game here: {what}; restore them, or make \
                 another hill"
            );
            Error::file(&self.root.join("hill.toml"), what)
        })
    }

    /// Compares the programs in the store with the history. Returns for each digest whether it is a module of
    /// WebAssembly; `None` if the program is missing, which can be so of those that no longer play.
    fn check_programs<'a>(&self, entrants: &'a Entrants) -> Result<BTreeMap<&'a str, Option<bool>>, Error> {
        let mut programs = BTreeMap::new();
        let field = entrants.field();
        for digest in entrants::digests(entrants).into_keys() {
            let is_there = shelf::is_stored(&self.root, digest)?;
            let plays = || field.iter().find(|bot| bot.digest.as_str() == digest);
            if !is_there && let Some(bot) = plays() {
                let what = format!("missing: the program of {}, which plays on; put it back", bot.name);
                return Err(Error::file(&entrants::stored(&self.root, digest), what));
            }
            programs.insert(digest, is_there.then(|| entrants::is_module(&self.root, digest)));
        }
        Ok(programs)
    }
}

/// The list of a hill, as far as it was compared with schedule and records.
struct HillList<'a> {
    schedule: Schedule<'a>,
    results: Spot,
    editions: Editions,
    /// By digest, whether a program is a module of WebAssembly; `None` if it is missing.
    programs: BTreeMap<&'a str, Option<bool>>,
    records: ContestState,
    reader: Reader,
    played: gaps::GamesPlayed,
    /// The games in the results.
    listed: BTreeSet<Scheduled>,
    /// The number of them that no runner has recorded.
    unrecorded: usize,
    /// The recorded attempts that `voids.csv` must have, by game.
    voids_due: BTreeMap<String, Vec<VoidRow>>,
}

impl<'a> Walk for HillList<'a> {
    type Game = SeasonGame<'a>;

    const REMEDY: &'static str = REMEDY;

    fn results(&self) -> &Path {
        self.results.path()
    }

    fn find(&mut self, (line, row): &NumberedRow) -> Result<SeasonGame<'a>, Error> {
        let game = self.schedule.game_of(row);
        let game = game.map_err(|what| Error::line(self.results.path(), *line, what))?;
        let place = game.pairing.scheduled;
        self.played.add(place, self.schedule.games.len());
        self.listed.insert(place);
        Ok(game)
    }

    fn check_row(&self, game: &SeasonGame<'a>, row: &ResultRow) -> Result<(), String> {
        self.schedule.check_row(game, row)?;
        self.editions.check_row(row)?;
        let submission = self.schedule.entrants.submission(&row.bot.name, row.bot.version);
        let program = submission.and_then(|event| self.programs.get(event.bot.digest.as_str()));
        match program {
            Some(Some(is_module)) => fixture::check_sandbox(*is_module, row),
            // A program that is missing says nothing of its kind.
            _ => Ok(()),
        }
    }

    fn end_of(&mut self, game: &SeasonGame<'a>) -> Result<Option<Ended>, Error> {
        let ended = self.reader.end_of(&self.records, &game_id(game.pairing.scheduled))?;
        self.unrecorded += usize::from(ended.is_none());
        Ok(ended)
    }

    fn take_voids(&mut self, game: &SeasonGame<'a>, voids: Vec<VoidRow>) -> Result<(), Error> {
        if !voids.is_empty() {
            self.voids_due.insert(game_id(game.pairing.scheduled), voids);
        }
        Ok(())
    }
}

impl HillList<'_> {
    /// Makes sure that the results have each recorded game before the last listed one. Returns the games behind that
    /// one that have been played to their end.
    fn compare_ends(&mut self) -> Result<BTreeSet<Scheduled>, Error> {
        let mut unlisted = BTreeSet::new();
        // What comes before a listed game of its season, or of a later one, is listed.
        let last = self.listed.last().copied();
        for (game, end) in self.records.ended() {
            let Some(place) = place_of(game) else { continue };
            if self.listed.contains(&place) {
                continue;
            }
            let is_before_last = last > Some(place);
            match (end, is_before_last) {
                (GameEnding::Over, true) => {
                    let what = format!("{game} is not in it, though a runner has recorded its end: {REMEDY}");
                    return Err(Error::file(self.results.path(), what));
                }
                (GameEnding::Over, false) => drop(unlisted.insert(place)),
                (GameEnding::GivenUp, true) => {
                    let voids = self.reader.voids_of(&self.records, game)?;
                    self.voids_due.insert(game.to_owned(), voids);
                }
                (GameEnding::GivenUp, false) => self.played.excuse(place),
            }
        }
        Ok(unlisted)
    }

    /// Compares the list of void games with schedule and records. It must have each recorded attempt at a game that is
    /// listed, or was given up before a listed one.
    fn compare_voids(&mut self) -> Result<(), Error> {
        let (spot, mut line) = (folder::voids_of(&self.schedule.hill.root), 1);
        voids::each(spot.clone(), |row| {
            line += 1;
            let place = self.schedule.check_void(&row);
            let place = place.map_err(|what| Error::line(spot.path(), line, what))?;
            self.played.begin(place);
            if row.reason == VoidReason::GivenUp {
                self.played.excuse(place);
            }
            if let Some(missing) = self.voids_due.get_mut(&*row.game) {
                missing.retain(|other| *other != row);
            }
            Ok(())
        })?;
        match self.voids_due.iter().find(|(_, missing)| !missing.is_empty()) {
            Some((game, _)) => {
                let what = format!(
                    "an attempt at {game} is not in it, or not as a runner has recorded it: {REMEDY}"
                );
                Err(Error::file(spot.path(), what))
            }
            None => Ok(()),
        }
    }

    /// Counts the games that have ended and could be listed, but are not. A run that was stopped leaves few such games:
    /// to find more is an error.
    fn count_unlisted(&mut self, mut unlisted: BTreeSet<Scheduled>) -> Result<usize, Error> {
        for place in self.records.known().filter_map(place_of) {
            self.played.begin(place);
        }
        for place in &unlisted {
            self.played.excuse(*place);
        }
        for season in self.schedule.seasons {
            // Games are listed in the order of the schedule: those after an open game have to wait.
            let open = self.first_open(season, &unlisted)?;
            unlisted.retain(|place| place.season != season.number || open.is_none_or(|open| *place < open));
        }
        if let Some(first) = unlisted.first()
            && unlisted.len() > gaps::IN_FLIGHT_MAX
        {
            let (count, first) = (unlisted.len(), game_id(*first));
            let what = format!(
                "{count} games are not in it, though runners have recorded their ends, among them {first}: {REMEDY}"
            );
            return Err(Error::file(self.results.path(), what));
        }
        let folder = self.results.at(&self.schedule.hill.root);
        for place in &unlisted {
            let rows = self.reader.rows_of(&self.records, &game_id(*place))?;
            audit::check_recorded(&folder, &rows.unwrap_or_default())?;
        }
        Ok(unlisted.len())
    }

    /// Returns the first game of a season that has not ended; `None` if no game behind it is unlisted.
    fn first_open(
        &self,
        season: &Season,
        unlisted: &BTreeSet<Scheduled>,
    ) -> Result<Option<Scheduled>, Error> {
        let Some(last) = unlisted.iter().rfind(|place| place.season == season.number) else {
            return Ok(None);
        };
        let hill = self.schedule.hill;
        let listed_or_given_up = &self.listed | &hill.all_given_up()?;
        let is_open = |place: &Scheduled| {
            !listed_or_given_up.contains(place) && self.records.ending(&game_id(*place)).is_none()
        };
        let rounds = whole_rounds(&listed_or_given_up, season.number, hill.lengths(season)) + 1..=last.round;
        let games = rounds.flat_map(|round| hill.games_of(season, round)).map(|game| game.scheduled);
        Ok(games.filter(is_open).min())
    }

    /// Lists the rounds with missing games, and makes sure that a stopped run can have left them.
    fn gaps(&self) -> Result<Vec<Gap>, Error> {
        let gaps = self.played.gaps(self.schedule.hill, self.schedule.seasons);
        let Some(gap) = gaps.iter().find(|gap| !gap.is_under_way()) else { return Ok(gaps) };
        let what = match gap.later {
            0 => format!("{gap}. If a run was stopped there, `referee hill run` plays the missing games"),
            _ => format!(
                "{gap}; all before a listed game are listed, or voids.csv says that they were given up: {REMEDY}"
            ),
        };
        Err(Error::file(self.results.path(), what))
    }
}

/// A game of the schedule, with its season.
struct SeasonGame<'a> {
    season: &'a Season,
    pairing: Pairing,
}

/// The schedule of a hill, as an audit looks it up.
struct Schedule<'a> {
    hill: &'a Hill,
    seasons: &'a [Season],
    entrants: &'a Entrants,
    /// The season and round of the last game, and the games of that round.
    round: (u32, u32),
    games: Vec<Pairing>,
}

impl<'a> Schedule<'a> {
    fn new(hill: &'a Hill, seasons: &'a [Season], entrants: &'a Entrants) -> Schedule<'a> {
        Schedule { hill, seasons, entrants, round: (0, 0), games: Vec::new() }
    }

    /// Finds the game of a row.
    fn game_of(&mut self, row: &ResultRow) -> Result<SeasonGame<'a>, String> {
        self.game_at(row.place_in_schedule.ok_or("a game of a hill has a season and a round")?)
    }

    /// Finds a game, and makes sure that the deals of its season are those of the settings.
    fn game_at(&mut self, place: Scheduled) -> Result<SeasonGame<'a>, String> {
        if place.round == 0 {
            return Err("rounds are counted from 1".to_owned());
        }
        let number = place.season;
        let season = self.seasons.iter().find(|season| season.number == number);
        let season = season.ok_or_else(|| format!("seasons.csv lists no season {number}"))?;
        let (block, block_of_terms) = (self.hill.settings.block(), &season.terms.games.block);
        if *block_of_terms != block {
            return Err(format!(
                "the terms of season {number} say block={block_of_terms}; hill.toml says {block}"
            ));
        }
        if self.round != (number, place.round) {
            (self.round, self.games) = ((number, place.round), self.hill.games_of(season, place.round));
        }
        match self.games.iter().find(|game| game.scheduled == place) {
            Some(pairing) => Ok(SeasonGame { season, pairing: pairing.clone() }),
            None => Err(format!("round {} has no such table or rotation", place.round)),
        }
    }

    /// Makes sure that a row is that of a game, played by the terms of its season.
    fn check_row(&self, game: &SeasonGame<'_>, row: &ResultRow) -> Result<(), String> {
        let SeasonGame { season, pairing: game } = game;
        let (entry, bot) = (self.hill.entry, &season.bots[fixture::entrant_of(game, row)?]);
        let submitted = self.entrants.submission(&bot.name, bot.version);
        let arguments = &submitted.map_or(String::new(), |event| identity::shown(&event.bot.arguments));
        // A hill outlives versions of the rules: a game's log names the version by which it was played.
        let known = entry.start_by_version(&game.parameters, game.seed, row.rules_version);
        let rules_version = known.map_or(0, |game| game.info().version);
        // Without a clock: `agree_with` compares it with the terms of the season.
        fixture::ExpectedRow { game, entry, bot, arguments, rules_version, clock: None }.check(row)?;
        let terms = &season.terms;
        if !terms.games.agree_with(row) {
            return Err(format!("sandbox, clock or version of the rules is not that of its season: {terms}"));
        }
        // The other rows of a game name the same log.
        match row.seat.index() {
            0 => fixture::check_log_path(&fixture::folder_of(game.scheduled), &row.game, &row.log),
            _ => Ok(()),
        }
    }

    /// Returns the place of a void game, after comparing its row with the schedule.
    fn check_void(&mut self, row: &VoidRow) -> Result<Scheduled, String> {
        let place = place_of(&row.game).ok_or_else(|| format!("{} is no game of a schedule", row.game))?;
        let SeasonGame { season: Season { bots, terms, .. }, pairing } = self.game_at(place)?;
        let bots_by_seat = pairing.entrants.iter().map(|(_, bot)| &bots[*bot]);
        fixture::check_void(row, bots_by_seat, &fixture::folder_of(place))?;
        if row.sandbox.is_empty() || terms.games.sandbox.name() == row.sandbox {
            Ok(place)
        } else {
            Err(format!("column sandbox is {}, not that of its season: {terms}", row.sandbox))
        }
    }
}
