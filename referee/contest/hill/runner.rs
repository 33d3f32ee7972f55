//! A runner of a hill: it shares the games with other runners, and records what happens to them in a store below the
//! hill's folder. `results.csv` and `voids.csv` are made of these records.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::Ordering;

use referee_files::beneath::Spot;
use referee_files::log::{self, part_of};
use referee_files::results::SetAside;
use referee_files::{digest, small};
use referee_record::Digest;
use referee_record::error::Error;
use referee_record::file::Form;
use referee_record::game_result::GameResult;
use referee_record::play::table::TableError;
use referee_record::results::{Games as Results, ResultRow, Scheduled};
use referee_record::voids::VoidRow;
use referee_store::{Claim, ContestState, GameEnding};
use referee_table::clock;
use referee_table::process::{Setup, make_room};

use super::Hill;
use super::races::STAGE;
use super::seasons::Season;
use crate::fixture::{Fixture, folder_of, game_id, place_of};
use crate::folder::{self, game_of_part, parts_below};
use crate::listing::{List, Listed, Listing};
use crate::lock::Lock;
use crate::recorder::Recorder;
use crate::records::{Ended, REPAIRED, Records, defect};
use crate::runner::GameEnd;
use crate::runner::game_run;
use crate::runner::pool::held;
use crate::runner::tries::LostMax;
use crate::runner::units::{Contest, Runner, Unit, UnitEvent};

/// A runner of a hill, from the beginning of a run to its end.
#[derive(Debug)]
pub struct HillRunner<'a> {
    /// Its season, as far as its races are known.
    field: Mutex<Season>,
    runner: Runner<Games<'a>>,
}

/// The games of a hill, each of which is a unit, and their lists.
#[derive(Debug)]
struct Games<'a> {
    hill: &'a Hill,
    list: List,
}

/// What is known of a hill before a run.
#[derive(Debug)]
pub(super) struct Before {
    pub(super) listed: Listed,
    /// The results that are not in `listed` yet, to be read next.
    pub(super) games: Results,
    /// The runners whose records need not be read: all their games are listed, and none has left an unfinished log.
    pub(super) settled: Vec<String>,
}

/// The first game of a hill.
#[derive(Debug)]
pub(super) enum First {
    /// A row of a game that has ended.
    Played(Box<ResultRow>),
    /// An attempt that does not count, of a hill where no game has ended.
    Void(Box<VoidRow>),
}

/// What a runner finds when it begins, under the lock of the hill.
#[derive(Debug)]
pub(super) struct Found {
    recorder: Recorder,
    listing: Listing,
    lock: Lock,
    losses: LostMax,
    /// Unfinished rows of an interrupted run.
    pub(super) set_aside: Option<SetAside>,
    /// The rows of attempts that were lost with their runners, and of games that are given up for that.
    pub(super) lost: Vec<VoidRow>,
    /// Whether other runners play here now.
    pub(super) has_others: bool,
}

impl Found {
    /// Begins a runner, and clears up after runners that are gone: seals their logs, and records the games that they
    /// had begun as lost. `look` is called with each game in the results that is not in `before`.
    pub(super) fn look(
        hill: &Hill,
        lock: Lock,
        losses: LostMax,
        before: Option<Before>,
        look: impl FnMut(GameResult) -> Result<(), Error>,
    ) -> Result<Found, Error> {
        let (before, settled) =
            before.map(|Before { listed, games, settled }| ((listed, games), settled)).unzip();
        let (mut listing, set_aside) = Listing::open(&hill.root, before, look)?;
        // Listed before the records are read: a runner records that a game begins, and then begins its log. So the
        // records know each of these logs.
        let parts = if settled.is_some() { None } else { Some(parts_below(&hill.root)?) };
        let mut records = Records::begin(&hill.root)?;
        records.pass_over(settled.unwrap_or_default());
        let others = records.seal_gone()?;
        let parts = parts.unwrap_or_else(|| parts_of(&hill.root, records.state().known()));
        let parts: BTreeMap<String, PathBuf> =
            parts.into_iter().map(|part| (game_of_part(&part), part)).collect();
        let state = records.state();
        let ended = state.voided().filter(|game| state.ending(game).is_some()).filter_map(place_of);
        let listed_voids: BTreeSet<Scheduled> = ended.filter(|place| listing.has_passed(*place)).collect();
        listing.make_voids_again(listed_voids, |game| records.voids_of(game))?;
        let mut recorder = Recorder::new(records);
        recorder.is_shared = !others.is_empty();
        let has_others = recorder.is_shared;
        let mut found = Found { recorder, listing, lock, losses, set_aside, lost: Vec::new(), has_others };
        found.record_lost(hill, &parts)?;
        found.clear_parts(hill, parts, &others)?;
        Ok(found)
    }

    /// Records that games were lost with their runners. `parts` are the unfinished logs, by game.
    fn record_lost(&mut self, hill: &Hill, parts: &BTreeMap<String, PathBuf>) -> Result<(), Error> {
        let games: BTreeSet<String> = self.state().lost().map(str::to_owned).collect();
        for game in &games {
            if !self.is_over(game)
                && self.recorder.has_unsettled_loss(game)?
                && self.recorder.claim(game, &[game])? == Claim::Mine
            {
                let part_of_game = |_: &str| parts.get(game).map(|part| Spot::within(&hill.root, part));
                self.lost.extend(self.recorder.settle_lost(game, game, part_of_game, self.losses)?);
            }
        }
        Ok(())
    }

    /// Removes unfinished logs, except those of `others`, which live. The log of a game that is listed gets its final
    /// name.
    fn clear_parts(
        &mut self,
        hill: &Hill,
        parts: BTreeMap<String, PathBuf>,
        others: &[String],
    ) -> Result<(), Error> {
        for (game, part) in parts {
            // The runner that writes it lives.
            if others.iter().any(|runner| self.state().has_touched(runner, &game)) {
                continue;
            }
            // The claim keeps other runners from beginning the game, and its log, meanwhile.
            if place_of(&game).is_some()
                && !self.is_over(&game)
                && self.recorder.claim(&game, &[&game])? != Claim::Mine
            {
                continue;
            }
            let is_listed = place_of(&game).is_none_or(|place| self.listing.has(place));
            if !is_listed && self.state().ending(&game) == Some(GameEnding::Over) {
                continue; // it gets its name when the game is listed
            }
            let digest = self.log_digest(&game)?;
            settle_part(&hill.root, &part, digest.as_ref())?;
        }
        Ok(())
    }

    fn state(&self) -> &ContestState {
        self.recorder.records.state()
    }

    fn is_over(&self, game: &str) -> bool {
        self.state().ending(game).is_some() || place_of(game).is_some_and(|place| self.listing.has(place))
    }

    /// Returns the digest of the log of a game, as its rows say it; `None` if it has no rows.
    fn log_digest(&mut self, game: &str) -> Result<Option<Digest>, Error> {
        let found = self.recorder.records.end_of(game)?.and_then(|ended| match ended.end {
            GameEnd::Over(rows) => Some(rows.shared().log_digest.clone()),
            GameEnd::Void(_) => None,
        });
        if found.is_some() || !self.is_over(game) {
            return Ok(found);
        }
        // No runner has recorded it, but it is listed.
        let results = folder::results_of(self.recorder.records.folder().path());
        let rows = referee_files::results::game_named(results, game)?;
        Ok(rows.map(|rows| rows[0].1.log_digest.clone()))
    }

    /// Returns the last season of which a game is known.
    pub(super) fn last_season(&self) -> Option<u32> {
        let recorded = self.state().known().filter_map(place_of).map(|place| place.season).max();
        recorded.max(self.listing.last_season())
    }

    /// Returns the first of the games that were recorded; `None` if none has ended, and no attempt was void.
    pub(super) fn first_recorded(&mut self) -> Result<Option<First>, Error> {
        let records = &mut self.recorder.records;
        let state = records.state();
        let played = state.ended().filter(|(_, end)| *end == GameEnding::Over);
        if let Some(place) = played.filter_map(|(game, _)| place_of(game)).min()
            && let Some(Ended { end: GameEnd::Over(rows), .. }) = records.end_of(&game_id(place))?
        {
            return Ok(Some(First::Played(Box::new(rows.shared().clone()))));
        }
        let Some(place) = records.state().voided().filter_map(place_of).min() else { return Ok(None) };
        let rows = records.voids_of(&game_id(place))?;
        Ok(rows.into_iter().next().map(|row| First::Void(Box::new(row))))
    }

    /// Lists the runners that have no game which is not listed.
    pub(super) fn settled(&self) -> Result<Vec<String>, Error> {
        let is_listed = |game: &str| place_of(game).is_some_and(|place| self.listing.has(place));
        self.recorder.records.settled(is_listed)
    }

    /// Returns what is listed.
    pub(super) fn listing(&self) -> &Listing {
        &self.listing
    }

    /// Lists the games of earlier seasons that have ended, now that no more of them are played. Returns those that were
    /// not listed.
    pub(super) fn close_seasons(&mut self, before: u32) -> Result<Vec<GameResult>, Error> {
        let listing = &self.listing;
        let places = self.state().ended().filter_map(|(game, _)| place_of(game));
        let places: BTreeSet<Scheduled> =
            places.filter(|place| place.season < before && !listing.has(*place)).collect();
        let mut new = Vec::new();
        for place in places {
            if let Some(ended) = self.recorder.records.end_of(&game_id(place))? {
                new.extend(self.listing.add(place, ended)?);
            }
        }
        Ok(new)
    }

    /// Begins to play a season. Returns the runner, the games that are listed or given up, and the results that are
    /// listed now.
    pub(super) fn begin(
        self,
        hill: &Hill,
        field: Season,
    ) -> Result<(HillRunner<'_>, BTreeSet<Scheduled>, Vec<GameResult>), Error> {
        let Found { recorder, mut listing, lock, losses, .. } = self;
        let season = field.number;
        let complete_rounds = whole_rounds(&listing.games(), season, hill.lengths(&field));
        listing.begin_season(complete_rounds);
        let places = recorder.records.state().known().filter_map(place_of);
        let last_round = places.filter(|place| place.season == season).map(|place| place.round).max();
        let games = Games { hill, list: List::new(lock, listing) };
        let runner = HillRunner { field: Mutex::new(field), runner: Runner::new(games, recorder, losses) };
        let new = runner.list_known(last_round.unwrap_or(0))?;
        let played = held(&runner.games().list.listing).games();
        Ok((runner, played, new))
    }
}

/// Returns the number of rounds of a season, from the first on, whose games are all in `there`. `games` returns the
/// length of a round. It is found out without dealing, except in a race, since there can be a hundred thousand rounds.
pub(super) fn whole_rounds(there: &BTreeSet<Scheduled>, season: u32, games: impl Fn(u32) -> usize) -> u32 {
    let first = Scheduled { season, round: 0, table: 0, rotation: 0 };
    let (mut whole, mut found, mut expected) = (0, 0, games(1));
    for place in there.range(first..).take_while(|place| place.season == season) {
        if place.round != whole + 1 {
            break;
        }
        found += 1;
        if found == expected {
            (whole, found, expected) = (whole + 1, 0, games(whole + 2));
        }
    }
    whole
}

impl<'a> HillRunner<'a> {
    /// Lists what was recorded up to a round. In a race, in steps: the games after a look at the race are known once
    /// all games before it are listed.
    fn list_known(&self, last: u32) -> Result<Vec<GameResult>, Error> {
        let (hill, list) = (self.games().hill, &self.games().list);
        let is_racing = held(&self.field).terms.is_racing;
        let mut new = Vec::new();
        loop {
            let next_look = (held(&list.listing).round() + 1).next_multiple_of(STAGE);
            let end = if is_racing { last.min(next_look) } else { last };
            self.expect(end);
            new.extend(list.list_all(&mut self.runner.recorder())?);
            if end == last || held(&list.listing).is_waiting() {
                return Ok(new);
            }
            self.look_at_race(hill)?;
        }
    }

    /// Takes the races of its season as the results say them now. Returns all seasons.
    pub(super) fn look_at_race(&self, hill: &Hill) -> Result<Vec<Season>, Error> {
        hill.forget();
        let (seasons, mut field) = (hill.seasons()?, held(&self.field));
        let season = seasons.iter().find(|season| season.number == field.number);
        field.races = season.map_or_else(Vec::new, |season| season.races.clone());
        Ok(seasons)
    }

    /// Returns the folder of the hill.
    pub(super) fn root(&self) -> &Path {
        &self.games().hill.root
    }

    fn games(&self) -> &Games<'a> {
        &self.runner.contest
    }

    /// Returns the season, as far as its races are known.
    pub(super) fn field(&self) -> &Mutex<Season> {
        &self.field
    }

    /// Counts the games in the results.
    pub(super) fn count(&self) -> usize {
        held(&self.games().list.listing).count()
    }

    /// Waits until the results are on the disk. To be called under the lock.
    pub(super) fn sync(&self) -> Result<(), Error> {
        held(&self.games().list.listing).sync()
    }

    /// Records that these files were made again.
    pub(super) fn note_repair(&self, files: &str) -> Result<(), Error> {
        self.runner.recorder().records.note(&[REPAIRED.to_owned(), clock::date(), files.to_owned()])
    }

    /// Releases the lock, so that other runners can play here, too.
    pub(super) fn let_in(&self) {
        self.games().list.lock.release();
    }

    /// Calls `act` while no runner changes the results. They then contain all games that can be listed, and are on the
    /// disk.
    pub fn quiet<T>(&self, act: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
        let (list, mut recorder) = (&self.games().list, self.runner.recorder());
        list.lock.hold(|| {
            list.list(&mut recorder)?;
            held(&list.listing).sync()?;
            act()
        })
    }

    /// Returns the path of a game's log, compressed or not.
    pub fn log_path(&self, folder: &str, id: &str) -> PathBuf {
        let path = game_run::log_path(self.root(), folder, id, Form::default());
        log::resolve_form(Spot::within(self.root(), path)).path().to_owned()
    }

    /// Lists the attempts that did not count, from a place of their list on; all of them without one.
    pub fn voids_behind(&self, place: Option<&small::Place>) -> Result<Vec<VoidRow>, Error> {
        let mut rows = Vec::new();
        small::each_behind(&folder::voids_of(self.root()), place, |row| {
            rows.push(row);
            Ok(())
        })?;
        Ok(rows)
    }

    /// Returns the end of the list of attempts that did not count; `None` if it is empty. Of a long list only what is
    /// new is read.
    pub fn end_of_voids(&self) -> Result<Option<small::Place>, Error> {
        held(&self.games().list.listing).end_of_voids()
    }

    /// Plays games, `jobs` at a time, and shares them with other runners. `report` is called for each game that has
    /// ended or was given up, in the order of `fixtures`; for games of other runners, later.
    pub(super) fn play_all(
        &self,
        fixtures: Vec<Fixture>,
        setup: &Setup,
        jobs: usize,
        mut report: impl FnMut(&Fixture, GameEnd),
    ) -> Result<(), Error> {
        let jobs = jobs.clamp(1, fixtures.len().max(1));
        make_room(jobs, fixtures.iter().map(|fixture| fixture.entrants.len()).max().unwrap_or(0))?;
        let is_stopped = || setup.stop.load(Ordering::Relaxed);
        let last_round =
            fixtures.iter().filter_map(|fixture| fixture.scheduled).map(|place| place.round).max();
        self.expect(last_round.unwrap_or(0));
        let mut outcome = Ok(());
        let tell = |event: UnitEvent<OneGame>| match event {
            UnitEvent::Ended(_, fixture, end) => report(&fixture, end),
            UnitEvent::Before(game, _) => match self.end_of(&game.0) {
                Ok(end) => report(&game.0, end),
                Err(_) if outcome.is_err() => {}
                Err(error) => {
                    setup.stop.store(true, Ordering::Relaxed);
                    outcome = Err(error);
                }
            },
            UnitEvent::Elsewhere(..) => {} // the runner tells the user if the wait is long
        };
        let units = fixtures.into_iter().map(OneGame);
        self.runner.play(units, (setup, jobs), &setup.stop, is_stopped, tell)?;
        outcome?;
        let (list, mut recorder) = (&self.games().list, self.runner.recorder());
        list.lock.hold(|| list.list_all(&mut recorder).map(drop))?;
        if is_stopped() { Err(TableError::Stopped.into()) } else { Ok(()) }
    }

    /// Returns the end of a game that others have played, or that was lost too often.
    fn end_of(&self, fixture: &Fixture) -> Result<GameEnd, Error> {
        let ended = self.runner.recorder().records.end_of(&fixture.id)?;
        match ended {
            Some(ended) => Ok(ended.end),
            None => Err(defect(self.root(), "an end that was seen is gone")),
        }
    }

    /// Tells the listing which games are due up to a round.
    fn expect(&self, round: u32) {
        let (field, mut listing) = (held(&self.field), held(&self.games().list.listing));
        for round in listing.round() + 1..=round {
            let places = self.games().hill.games_of(&field, round).into_iter().map(|game| game.scheduled);
            listing.expect(round, places);
        }
    }
}

/// A game of a hill, which is claimed alone.
struct OneGame(Fixture);

impl Unit for OneGame {
    fn name(&self) -> String {
        self.0.id.clone()
    }

    fn games(&self) -> Result<Vec<String>, Error> {
        Ok(vec![self.name()])
    }

    fn fixture(&self, _: usize, _: u32) -> Fixture {
        self.0.clone()
    }
}

impl Contest for Games<'_> {
    type Unit = OneGame;

    const HAS_FOLDERS_OF_TRIES: bool = false;

    fn root(&self) -> &Path {
        &self.hill.root
    }

    fn unfinished(&self, game: &str, _: &str) -> Option<Spot> {
        let (root, folder) = (&self.hill.root, folder_of(place_of(game)?));
        let log = game_run::log_path(root, &folder, game, self.hill.host().log);
        Some(Spot::within(root, part_of(&log)))
    }

    fn game_ended(&self, recorder: &mut Recorder, _: Option<&GameResult>) -> Result<(), Error> {
        self.list.game_ended(recorder)
    }
}

/// Gives an unfinished log its final name if it has this digest, which the rows of its game say. Another log is
/// removed, unless it is the only log of a game that has rows.
fn settle_part(root: &Path, part: &Path, expected: Option<&Digest>) -> Result<(), Error> {
    let (spot, whole) = (Spot::within(root, part), Spot::within(root, part.with_extension("")));
    let settle = || match expected {
        Some(expected) if digest::of_log(&spot)? == *expected => spot.rename(&whole),
        Some(_) if !log::resolve_form(whole.clone()).exists() => Ok(()),
        _ => spot.remove(),
    };
    match settle() {
        // The runner that was writing it lives, and was faster.
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        settled => settled.map_err(Error::system(part, "clean up after an interrupted run")),
    }
}

/// Returns the unfinished logs of these games.
fn parts_of<'a>(root: &Path, games: impl Iterator<Item = &'a str>) -> BTreeSet<PathBuf> {
    let parts = games.filter_map(place_of).flat_map(|place| {
        let (folder, id) = (folder_of(place), game_id(place));
        [Form::Plain, Form::Gzip].map(|form| part_of(&game_run::log_path(root, &folder, &id, form)))
    });
    parts.filter(|part| Spot::within(root, part).exists()).collect()
}
