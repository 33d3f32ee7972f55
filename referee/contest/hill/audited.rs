//! The audit of a hill: results, logs, programs and verdicts, and that each game follows the schedule.

use std::collections::{BTreeMap, BTreeSet};

use crate::admission::entrants::{self, Entrants};
use crate::admission::shelf;
use crate::hill::runner::whole_rounds;
use crate::hill::seasons::Season;
use crate::hill::{Gap, Hill, gaps, verdicts};
use crate::records::{self, Reader};
use crate::{fixture, folder, node};
use referee_files::beneath::Spot;
use referee_files::{audit, voids};
use referee_record::error::Error;
use referee_record::forms::seated;
use referee_record::identity;
use referee_record::results::{NumberedRow, ResultRow, Scheduled};
use referee_record::voids::{VoidReason, VoidRow};
use referee_statistics::schedule::deal::Pairing;
use referee_store::{Came, State};

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
    /// Number of programs that played, do not play any more, and are missing from the store.
    pub missing: usize,
}

/// What makes results of the records again.
const REMEDY: &str = "`referee hill repair` makes it again from the records";

impl Hill {
    /// Checks results, logs, programs and verdicts, and that each game follows the schedule.
    ///
    /// # Errors
    ///
    /// Names the first thing that is wrong.
    pub fn audit(&self) -> Result<Audited, Error> {
        let results = folder::results_of(&self.root);
        let (entrants, seasons) = (self.entrants()?, self.seasons()?);
        entrants.check_identities(self.entry.name, self.rules_version())?;
        let programs = self.check_programs(&entrants)?;
        let missing = programs.values().filter(|is_module| is_module.is_none()).count();
        self.check_entered()?;
        entrants.check_history()?;
        entrants.check_fields(seasons.iter().map(|season| (season.number, &season.bots[..])))?;
        if !results.exists() {
            audit::audit_no_results(&results)?;
            return Ok(Audited { missing, ..Audited::default() });
        }
        let mut list = Listed {
            hill: self,
            results: results.clone(),
            entrants: &entrants,
            seasons: &seasons,
            programs,
            records: records::read(&self.root)?,
            reader: Reader::new(&self.root),
            played: gaps::Played::default(),
            of_round: ((0, 0), Vec::new()),
            listed: BTreeSet::new(),
            recorded: BTreeSet::new(),
            unrecorded: 0,
        };
        let counts = audit::audit_results(&results, node::cores(), |game| list.take(game))?;
        verdicts::audit(self)?;
        let unlisted = list.compare_ends()?;
        list.compare_voids()?;
        let unlisted = list.in_flight(unlisted)?;
        let under_way = list.gaps()?;
        Ok(Audited { counts, under_way, unlisted, unrecorded: list.unrecorded, missing })
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
struct Listed<'a> {
    hill: &'a Hill,
    results: Spot,
    entrants: &'a Entrants,
    seasons: &'a [Season],
    /// By digest, whether a program is a module of WebAssembly; `None` if it is missing.
    programs: BTreeMap<&'a str, Option<bool>>,
    records: State,
    reader: Reader,
    played: gaps::Played,
    /// The season and round of the last game, and the games of that round.
    of_round: ((u32, u32), Vec<Pairing>),
    /// The games in the results; those of them that were compared with the records; and the number of the others.
    listed: BTreeSet<Scheduled>,
    recorded: BTreeSet<String>,
    unrecorded: usize,
}

impl Listed<'_> {
    /// Compares the next game of the results.
    fn take(&mut self, game: &[NumberedRow]) -> Result<(), Error> {
        if let Some(place) = game[0].1.place_in_schedule {
            let key = (place.season, place.round);
            if self.of_round.0 != key {
                let season = self.seasons.iter().find(|season| season.number == place.season);
                let season = season.filter(|_| place.round > 0);
                self.of_round =
                    (key, season.map_or_else(Vec::new, |season| self.hill.games_of(season, place.round)));
            }
            self.played.add(place, self.of_round.1.len());
            self.listed.insert(place);
        }
        for (line, row) in game {
            self.check_row(row).map_err(|what| Error::line(self.results.path(), *line, what))?;
        }
        let name = &game[0].1.game;
        let Some(due) = self.reader.rows_of(&self.records, name)? else {
            self.unrecorded += 1;
            return Ok(());
        };
        if let Some(line) = records::first_changed(game, &due) {
            let what = format!("not what a runner has recorded: {REMEDY}");
            return Err(Error::line(self.results.path(), line, what));
        }
        self.recorded.insert(name.clone());
        Ok(())
    }

    fn check_row(&self, row: &ResultRow) -> Result<(), String> {
        self.hill.check_row(row, self.seasons, &self.of_round.1, self.entrants)?;
        let submission = self.entrants.submission(&row.bot.name, row.bot.version);
        let program = submission.and_then(|event| self.programs.get(event.bot.digest.as_str()));
        match program {
            Some(Some(is_module)) => fixture::seated_as(*is_module, row),
            // A program that is missing says nothing of its kind.
            Some(None) | None => Ok(()),
        }
    }

    /// Makes sure that the results have each recorded game before the last listed one. Returns the games behind it that
    /// have ended.
    fn compare_ends(&mut self) -> Result<BTreeSet<Scheduled>, Error> {
        let mut unlisted = BTreeSet::new();
        // What comes before a listed game of its season, or of a later one, is listed.
        let last = self.listed.last().copied();
        for (game, came) in self.records.ended() {
            let Some(place) = fixture::place_of(game) else { continue };
            match came {
                _ if self.listed.contains(&place) => {}
                Came::Over if last > Some(place) => {
                    let what = format!("{game} is not in it, though a runner has recorded its end: {REMEDY}");
                    return Err(Error::file(self.results.path(), what));
                }
                Came::Over => {
                    unlisted.insert(place);
                }
                Came::GivenUp if last > Some(place) => {}
                Came::GivenUp => self.played.excuse(place),
            }
        }
        Ok(unlisted)
    }

    /// Compares the list of void games with schedule and records: it has each recorded attempt at a game that is listed,
    /// or was given up before one.
    fn compare_voids(&mut self) -> Result<(), Error> {
        let spot = folder::voids_of(&self.hill.root);
        let last = self.listed.last().copied();
        let is_given_up = |(game, came): &(&str, Came)| {
            let place = fixture::place_of(game);
            let is_behind = place.is_some_and(|place| last > Some(place) && !self.listed.contains(&place));
            *came == Came::GivenUp && is_behind
        };
        let mut due = BTreeMap::new();
        for (game, _) in self.records.ended().filter(is_given_up) {
            due.insert(game, self.reader.voids_of(&self.records, game)?);
        }
        for game in self.records.voided().filter(|game| self.recorded.contains(*game)) {
            due.insert(game, self.reader.voids_of(&self.records, game)?);
        }
        let mut line = 1;
        voids::each(spot.clone(), |row| {
            line += 1;
            let place = self.hill.check_void(&row, self.seasons);
            let place = place.map_err(|what| Error::line(spot.path(), line, what))?;
            self.played.begin(place);
            if row.reason == VoidReason::GivenUp {
                self.played.excuse(place);
            }
            if let Some(due) = due.get_mut(&*row.game) {
                due.retain(|other| *other != row);
            }
            Ok(())
        })?;
        match due.into_iter().find(|(_, missing)| !missing.is_empty()) {
            Some((game, _)) => {
                let what = format!(
                    "an attempt at {game} is not in it, or not as a runner has recorded it: {REMEDY}"
                );
                Err(Error::file(spot.path(), what))
            }
            None => Ok(()),
        }
    }

    /// Makes sure that of the games that have ended and are not listed, those that the next run lists are few. Returns
    /// their number.
    fn in_flight(&mut self, mut unlisted: BTreeSet<Scheduled>) -> Result<usize, Error> {
        for place in self.records.known().filter_map(fixture::place_of) {
            self.played.begin(place);
        }
        let mut waiting = BTreeSet::new();
        for season in self.seasons {
            waiting.extend(self.waiting(season, &unlisted)?);
        }
        for place in &unlisted {
            self.played.excuse(*place);
        }
        unlisted.retain(|place| !waiting.contains(place));
        if let Some(first) = unlisted.first().filter(|_| unlisted.len() > gaps::IN_FLIGHT_MAX) {
            let (count, first) = (unlisted.len(), fixture::game_id(*first));
            let what = format!(
                "{count} games are not in it, though runners have recorded their ends, among them {first}: {REMEDY}"
            );
            return Err(Error::file(self.results.path(), what));
        }
        Ok(unlisted.len())
    }

    /// Lists the games of a season that have ended and cannot be listed yet, since one before them has not.
    fn waiting(&self, season: &Season, unlisted: &BTreeSet<Scheduled>) -> Result<Vec<Scheduled>, Error> {
        let first = |season| Scheduled { season, round: 0, table: 0, rotation: 0 };
        let ended = || unlisted.range(first(season.number)..first(season.number + 1)).copied();
        let Some(last) = ended().next_back() else { return Ok(Vec::new()) };
        let given_up = self.hill.given_up(season)?.into_iter().map(|(place, _)| place);
        let there: BTreeSet<Scheduled> = self.listed.iter().copied().chain(given_up).collect();
        let is_open = |place: &Scheduled| {
            !there.contains(place) && self.records.came(&fixture::game_id(*place)).is_none()
        };
        let rounds = whole_rounds(&there, season.number, self.hill.lengths(season)) + 1..=last.round;
        let games = rounds.flat_map(|round| self.hill.games_of(season, round)).map(|game| game.scheduled);
        let first_open = games.filter(is_open).min();
        Ok(first_open.map_or_else(Vec::new, |first| ended().filter(|place| *place > first).collect()))
    }

    /// Lists the rounds with missing games, and makes sure that a stopped run can have left them.
    fn gaps(&self) -> Result<Vec<Gap>, Error> {
        let gaps = self.played.gaps(self.hill, self.seasons);
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

impl Hill {
    /// Finds the season of a game, and makes sure that its deals are those of the settings. Seasons without games count
    /// for nothing.
    fn season_of<'s>(&self, place: Scheduled, seasons: &'s [Season]) -> Result<&'s Season, String> {
        let season = seasons.iter().find(|season| season.number == place.season);
        let season = season.ok_or_else(|| format!("seasons.csv lists no season {}", place.season))?;
        let (block, due) = (self.settings.block(), &season.terms.games.block);
        match *due == block {
            true => Ok(season),
            false => {
                Err(format!("the terms of season {} say block={due}; hill.toml says {block}", place.season))
            }
        }
    }

    /// Returns the place of a void game, after comparing its bots with the schedule.
    pub(super) fn check_void(&self, row: &VoidRow, seasons: &[Season]) -> Result<Scheduled, String> {
        let place = fixture::place_of(&row.game).filter(|place| place.round > 0);
        let place = place.ok_or_else(|| format!("{} is no game of a schedule", row.game))?;
        let season = self.season_of(place, seasons)?;
        let game = self.games_of(season, place.round).into_iter().find(|game| game.scheduled == place);
        let game = game.ok_or_else(|| format!("round {} has no such table or rotation", place.round))?;
        let bots = game.entrants.iter().map(|(_, bot)| (&*season.bots[*bot].name, season.bots[*bot].version));
        if !seated(&row.bots).is_some_and(|found| bots.eq(found)) {
            return Err(format!("column bots is {}; the schedule says others", row.bots));
        }
        let terms = &season.terms;
        if !row.sandbox.is_empty() && terms.games.sandbox.name() != row.sandbox {
            return Err(format!("column sandbox is {}, not that of its season: {terms}", row.sandbox));
        }
        let folder = format!("logs/{}/", fixture::folder_of(place));
        let is_there = row.log.strip_prefix(&*folder).is_some_and(|name| !name.contains('/'));
        if !row.log.is_empty() && !is_there {
            return Err(format!("column log is {}; the log is below {folder}", row.log));
        }
        Ok(place)
    }

    /// Says how a row differs from the schedule, if it does.
    pub(super) fn check_scheduled(
        &self,
        row: &ResultRow,
        seasons: &[Season],
        entrants: &Entrants,
    ) -> Result<(), String> {
        let place = row.place_in_schedule.filter(|place| place.round > 0);
        let season = place.and_then(|place| seasons.iter().find(|season| season.number == place.season));
        let games = season.zip(place).map(|(season, place)| self.games_of(season, place.round));
        self.check_row(row, seasons, &games.unwrap_or_default(), entrants)
    }

    /// Says how a row differs from the schedule, if it does. `games` are those of its round.
    fn check_row(
        &self,
        row: &ResultRow,
        seasons: &[Season],
        games: &[Pairing],
        entrants: &Entrants,
    ) -> Result<(), String> {
        let place = row.place_in_schedule.ok_or("a game of a hill has a season and a round")?;
        if place.round == 0 {
            return Err("rounds are counted from 1".to_owned());
        }
        let season = self.season_of(place, seasons)?;
        let due = games.iter().find(|game| game.scheduled == place);
        let due = due.ok_or_else(|| format!("round {} has no such table or rotation", place.round))?;
        let bot = &season.bots[due.entrants[row.seat]];
        let submitted = entrants.submission(&bot.name, bot.version);
        let words = submitted.map(|event| event.bot.arguments.clone()).unwrap_or_default();
        // A hill outlives versions of the rules: a game's log names the version by which it was played.
        let known = self.entry.start_by_version(&due.parameters, due.seed, row.rules_version);
        let rules_version = known.map_or(0, |game| game.info().version);
        let due = fixture::Due {
            scheduled: place,
            entry: self.entry,
            parameters: &due.parameters,
            seed: due.seed,
            bot,
            arguments: &identity::shown(&words),
            counts: !due.fillers.contains(&row.seat),
            rules_version,
            clock: None, // see its season
        };
        let terms = Some(&season.terms).filter(|terms| !terms.games.agree_with(row));
        let other = terms.map(|terms| {
            format!("sandbox, clock or version of the rules is not that of its season: {terms}")
        });
        due.difference(row).or(other).map_or(Ok(()), Err)?;
        // All rows of a game name one log.
        if row.seat.index() > 0 {
            Ok(())
        } else {
            fixture::logged_in(&fixture::folder_of(place), &row.game, &row.log)
        }
    }
}
