//! The audit of a hill: results, logs, programs and verdicts, and that each game follows the schedule.

use std::collections::{BTreeMap, BTreeSet};

use crate::admission::entrants::{self, Entrants};
use crate::admission::shelf::Shelved;
use crate::hill::runner::whole_rounds;
use crate::hill::seasons::{BLOCK, Season};
use crate::hill::{Gap, Hill, gaps, races, verdicts};
use crate::records::{self, Reader};
use crate::{fixture, folder, node};
use referee_files::{audit, voids};
use referee_record::error::Error;
use referee_record::forms::seated;
use referee_record::identity;
use referee_record::results::{NumberedRow, ResultRow, Scheduled};
use referee_record::voids::{VoidReason, VoidRow};
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

/// The fault of a row that was changed together with the rows after it.
const NOT_RECORDED: &str =
    "not what a runner has recorded: `referee hill repair` makes the file again from the records";

impl Hill {
    /// Checks results, logs, programs and verdicts, and that each game follows the schedule.
    ///
    /// # Errors
    ///
    /// Names the first thing that is wrong.
    pub fn audit(&self) -> Result<Audited, Error> {
        let results = folder::results_of(&self.root);
        let path = results.path();
        let entrants = self.entrants()?;
        let seasons = self.seasons()?;
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
        let records = records::read(&self.root)?;
        let mut reader = Reader::new(&self.root);
        let mut played = gaps::Played::default();
        let mut of_round = ((0, 0), 0); // the current season and round, and its number of games
        let (mut recorded, mut listed, mut unrecorded) = (BTreeSet::new(), BTreeSet::new(), 0);
        let counts = audit::audit_results(&results, node::cores(), |game| {
            if let Some(place) = game[0].1.place_in_schedule {
                let key = (place.season, place.round);
                if of_round.0 != key {
                    let field = seasons.iter().find(|season| season.number == place.season);
                    of_round = (key, field.map_or(0, |season| self.games_in(season, place.round)));
                }
                played.add(place, of_round.1);
                listed.insert(place);
            }
            game.iter().try_for_each(|(line, row)| {
                let submission = entrants.submission(&row.bot.name, row.bot.version);
                // A program that is missing says nothing of its kind.
                let is_module =
                    submission.and_then(|event| programs.get(event.bot.digest.as_str()).copied()?);
                let checked = self.check_scheduled(row, &seasons, &entrants);
                checked
                    .and_then(|()| is_module.map_or(Ok(()), |is_module| fixture::seated_as(is_module, row)))
                    .map_err(|what| Error::line(path, *line, what))
            })?;
            if let Some(rows) = reader.rows_of(&records, &game[0].1.game)? {
                let differs = |((_, row), due): &(&NumberedRow, &ResultRow)| !row.is_written_as(due);
                let other = game.iter().zip(&rows).find(differs).map(|((line, _), _)| *line);
                let other = other.or_else(|| (game.len() != rows.len()).then_some(game[0].0));
                other.map_or(Ok(()), |line| Err(Error::line(path, line, NOT_RECORDED)))?;
                recorded.insert(game[0].1.game.clone());
            } else {
                unrecorded += 1;
            }
            Ok(())
        })?;
        races::audit(self)?;
        verdicts::audit(self)?;
        // What comes before a listed game of its season, or of a later one, is listed.
        let last_listed = listed.last().copied();
        let is_due = |game: &str| fixture::place_of(game).is_some_and(|place| last_listed > Some(place));
        let is_listed = |game: &str| fixture::place_of(game).is_some_and(|place| listed.contains(&place));
        let (mut due, mut unlisted) = (BTreeMap::new(), BTreeSet::new());
        for (game, came) in records.ended().filter(|(game, _)| !is_listed(game)) {
            match came {
                Came::Over if is_due(game) => {
                    let what = format!("{game} is not in it, though a runner has recorded its end: {REMEDY}");
                    return Err(Error::file(path, what));
                }
                Came::Over => unlisted.extend(fixture::place_of(game)),
                Came::GivenUp if is_due(game) => {
                    due.insert(game, reader.voids_of(&records, game)?);
                }
                Came::GivenUp => fixture::place_of(game).into_iter().for_each(|place| played.excuse(place)),
            }
        }
        for game in records.voided().filter(|game| recorded.contains(*game)) {
            due.insert(game, reader.voids_of(&records, game)?);
        }
        let mut line = 1;
        voids::each(folder::voids_of(&self.root), |row| {
            line += 1;
            let place = self.check_void(&row, &seasons);
            let place = place.map_err(|what| Error::line(folder::voids_of(&self.root).path(), line, what))?;
            played.begin(place);
            if row.reason == VoidReason::GivenUp {
                played.excuse(place);
            }
            due.get_mut(&*row.game).into_iter().for_each(|due| due.retain(|other| *other != row));
            Ok(())
        })?;
        for (game, missing) in due {
            if !missing.is_empty() {
                let what = format!(
                    "an attempt at {game} is not in it, or not as a runner has recorded it: {REMEDY}"
                );
                return Err(Error::file(folder::voids_of(&self.root).path(), what));
            }
        }
        records.known().filter_map(fixture::place_of).for_each(|place| played.begin(place));
        let mut waiting = BTreeSet::new();
        for season in &seasons {
            waiting.extend(self.waiting(season, &listed, &unlisted, &records)?);
        }
        unlisted.iter().for_each(|place| played.excuse(*place));
        unlisted.retain(|place| !waiting.contains(place));
        if let Some(first) = unlisted.first().filter(|_| unlisted.len() > gaps::IN_FLIGHT_MAX) {
            let (count, first) = (unlisted.len(), fixture::game_id(*first));
            let what = format!(
                "{count} games are not in it, though runners have recorded their ends, among them {first}: {REMEDY}"
            );
            return Err(Error::file(path, what));
        }
        let gaps = played.gaps(self, &seasons);
        if let Some(gap) = gaps.iter().find(|gap| !gap.is_under_way()) {
            let what = match gap.later {
                0 => format!("{gap}. If a run was stopped there, `referee hill run` plays the missing games"),
                _ => format!(
                    "{gap}; all before a listed game are listed, or voids.csv says that they were given up: {REMEDY}"
                ),
            };
            return Err(Error::file(path, what));
        }
        Ok(Audited { counts, under_way: gaps, unlisted: unlisted.len(), unrecorded, missing })
    }

    /// Compares the programs in the store with the history. Returns for each digest whether it is a module of
    /// WebAssembly; `None` if the program is missing, which can be so of those that no longer play.
    fn check_programs<'a>(&self, entrants: &'a Entrants) -> Result<BTreeMap<&'a str, Option<bool>>, Error> {
        let mut programs = BTreeMap::new();
        let field = entrants.field();
        for digest in entrants::digests(entrants).into_keys() {
            let file = entrants::stored(&self.root, digest);
            let found = match Shelved::at(&self.root, &file).and_then(|found| found.digest(&self.root)) {
                Ok(found) => found,
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                    if let Some(bot) = field.iter().find(|bot| bot.digest.as_str() == digest) {
                        let what =
                            format!("missing: the program of {}, which plays on; put it back", bot.name);
                        return Err(Error::file(&file, what));
                    }
                    programs.insert(digest, None);
                    continue;
                }
                Err(error) => return Err(Error::system(&file, "read a stored program")(error)),
            };
            if found.as_str() != digest {
                return Err(Error::file(&file, format!("the program was changed: its SHA-256 is {found}")));
            }
            programs.insert(digest, Some(entrants::is_module(&self.root, digest)));
        }
        Ok(programs)
    }

    /// Finds the season of a game, and makes sure that its deals are those of the settings. Seasons without games count
    /// for nothing.
    fn season_of<'s>(&self, place: Scheduled, seasons: &'s [Season]) -> Result<&'s Season, String> {
        let season = seasons.iter().find(|season| season.number == place.season);
        let season = season.ok_or_else(|| format!("seasons.csv lists no season {}", place.season))?;
        let (block, due) = (self.settings.block(), season.terms.value(BLOCK).unwrap_or_default());
        match due == block {
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
        if !row.sandbox.is_empty() && terms.value("sandbox") != Some(&*row.sandbox) {
            return Err(format!("column sandbox is {}, not that of its season: {terms}", row.sandbox));
        }
        let folder = format!("logs/{}/", fixture::folder_of(place));
        let is_there = row.log.strip_prefix(&*folder).is_some_and(|name| !name.contains('/'));
        if !row.log.is_empty() && !is_there {
            return Err(format!("column log is {}; the log is below {folder}", row.log));
        }
        Ok(place)
    }

    /// Lists the games of a season that have ended and cannot be listed yet, since one before them has not.
    fn waiting(
        &self,
        season: &Season,
        listed: &BTreeSet<Scheduled>,
        unlisted: &BTreeSet<Scheduled>,
        records: &State,
    ) -> Result<Vec<Scheduled>, Error> {
        let first = |season| Scheduled { season, round: 0, table: 0, rotation: 0 };
        let ended = || unlisted.range(first(season.number)..first(season.number + 1)).copied();
        let Some(last) = ended().next_back() else { return Ok(Vec::new()) };
        let given_up = self.given_up(season)?.into_iter().map(|(place, _)| place);
        let there: BTreeSet<Scheduled> = listed.iter().copied().chain(given_up).collect();
        let is_open =
            |place: &Scheduled| !there.contains(place) && records.came(&fixture::game_id(*place)).is_none();
        let rounds = whole_rounds(&there, season.number, self.lengths(season)) + 1..=last.round;
        let games = rounds.flat_map(|round| self.games_of(season, round)).map(|game| game.scheduled);
        let first_open = games.filter(is_open).min();
        Ok(first_open.map_or_else(Vec::new, |first| ended().filter(|place| *place > first).collect()))
    }

    /// Says how a row differs from the schedule, if it does.
    pub(super) fn check_scheduled(
        &self,
        row: &ResultRow,
        seasons: &[Season],
        entrants: &Entrants,
    ) -> Result<(), String> {
        let place = row.place_in_schedule.ok_or("a game of a hill has a season and a round")?;
        if place.round == 0 {
            return Err("rounds are counted from 1".to_owned());
        }
        let season = self.season_of(place, seasons)?;
        let games = self.games_of(season, place.round);
        let due = games.into_iter().find(|game| game.scheduled == place);
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
        let terms = Some(&season.terms).filter(|terms| !terms.agree_with(row));
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
