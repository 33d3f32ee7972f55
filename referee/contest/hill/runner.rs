//! One of the runners of a hill: it shares the games with the others, and records what happens to them in a store
//! below the hill's folder. `results.csv` and `voids.csv` are made of that.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::Ordering;
use std::thread;

use referee_files::beneath::Spot;
use referee_files::log::{self, LogFile, part_of};
use referee_files::results::SetAside;
use referee_files::{digest, lock, small};
use referee_play::table::TableError;
use referee_record::Digest;
use referee_record::error::Error;
use referee_record::file::Form;
use referee_record::game_result::GameResult;
use referee_record::results::{Games as Results, ResultRow, Scheduled};
use referee_record::voids::VoidRow;
use referee_sandbox::Tier;
use referee_store::{Came, Claim, State};
use referee_table::clock;
use referee_table::process::{Setup, make_room};

use super::Hill;
use super::listing::{Listed, Listing};
use super::seasons::Season;
use crate::fixture::{Fixture, folder_of, game_id, place_of};
use crate::folder::{self, game_of_part, parts_below};
use crate::lock::{Lock, PAUSE};
use crate::recorder::Recorder;
use crate::records::{Ended, REPAIRED, Records, defect};
use crate::runner::GameEnd;
use crate::runner::attempts::{self, Ledger};
use crate::runner::fitness::Fitness;
use crate::runner::game_run;
use crate::runner::pool::{self, Dealt, held};
use crate::runner::tries::{LostMax, Tries};

/// A runner of a hill, from the beginning of a run to its end.
#[derive(Debug)]
pub struct HillRunner<'a> {
    hill: &'a Hill,
    /// Its season, as far as its races are known.
    field: Mutex<Season>,
    losses: LostMax,
    fitness: Fitness,
    lock: Lock,
    games: Mutex<Games>,
}

/// What a runner knows of the games.
#[derive(Debug)]
struct Games {
    recorder: Recorder,
    listing: Listing,
    /// Whether others play here, too.
    is_shared: bool,
}

/// What is known of a hill before a run.
#[derive(Debug)]
pub(super) struct Before {
    pub(super) listed: Listed,
    /// The results behind it.
    pub(super) games: Results,
    /// The runners whose records need not be read: no unfinished log is of theirs.
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
    games: Games,
    lock: Lock,
    losses: LostMax,
    /// Unfinished rows of an interrupted run.
    pub(super) set_aside: Option<SetAside>,
    /// The rows of games that were lost with their runners, and of those that are given up for that.
    pub(super) lost: Vec<VoidRow>,
    /// Whether other runners play here now.
    pub(super) has_others: bool,
}

impl Found {
    /// Begins a runner, and clears up after those that are gone: their logs are sealed, and the games that they had
    /// begun are recorded as lost. `look` is called with each game in the results behind what is known before.
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
        // A runner records that a game begins before it begins the log.
        let parts = if settled.is_some() { None } else { Some(parts_below(&hill.root)?) };
        let mut records = Records::begin(&hill.root)?;
        records.pass_over(settled.unwrap_or_default());
        let others = records.seal_gone()?;
        let parts = parts.unwrap_or_else(|| parts_of(&hill.root, records.state().known()));
        let parts: BTreeMap<String, PathBuf> =
            parts.into_iter().map(|part| (game_of_part(&part), part)).collect();
        let state = records.state();
        let ended = state.voided().filter(|game| state.came(game).is_some()).filter_map(place_of);
        listing.make_voids_again(ended, |game| records.voids_of(game))?;
        let (recorder, is_shared) = (Recorder::new(records), !others.is_empty());
        let mut games = Games { recorder, listing, is_shared };
        let mut lost = Vec::new();
        let left: BTreeSet<String> = games.state().lost().map(str::to_owned).collect();
        for game in &left {
            if !games.is_over(game)
                && games.recorder.has_unsettled_loss(game)?
                && games.claim(game)? == Claim::Mine
            {
                let part = |_: &str| parts.get(game).map(|part| Spot::within(&hill.root, part));
                lost.extend(games.recorder.settle_lost(game, game, part, losses)?);
            }
        }
        for (game, part) in parts {
            // A runner that lives sees to its own logs.
            if others.iter().any(|runner| games.state().has_touched(runner, &game)) {
                continue;
            }
            // The claim keeps others from beginning it meanwhile.
            if place_of(&game).is_some() && !games.is_over(&game) && games.claim(&game)? != Claim::Mine {
                continue;
            }
            let is_listed = place_of(&game).is_none_or(|place| games.listing.has(place));
            if !is_listed && games.state().came(&game) == Some(Came::Over) {
                continue; // it gets its name when the game is listed
            }
            let entered = games.entered(&game)?;
            settle_part(&hill.root, &part, entered.as_ref())?;
        }
        Ok(Found { games, lock, losses, set_aside, lost, has_others: !others.is_empty() })
    }

    /// Returns the last season of which a game is known.
    pub(super) fn last_season(&self) -> Option<u32> {
        let known = self.games.state().known().filter_map(place_of).map(|place| place.season).max();
        known.max(self.games.listing.last_season())
    }

    /// Returns the first of the games that were recorded; `None` if none has ended, and no attempt was void.
    pub(super) fn first_recorded(&mut self) -> Result<Option<First>, Error> {
        let records = &mut self.games.recorder.records;
        let state = records.state();
        let played = state.ended().filter(|(_, came)| *came == Came::Over);
        if let Some(place) = played.filter_map(|(game, _)| place_of(game)).min()
            && let Some(Ended { came: GameEnd::Over(rows), .. }) = records.end_of(&game_id(place))?
        {
            return Ok(Some(First::Played(Box::new(rows.shared().clone()))));
        }
        let Some(place) = records.state().voided().filter_map(place_of).min() else { return Ok(None) };
        let rows = records.voids_of(&game_id(place))?;
        Ok(rows.into_iter().next().map(|row| First::Void(Box::new(row))))
    }

    /// Lists the runners that have no game which is not listed.
    pub(super) fn settled(&self) -> Result<Vec<String>, Error> {
        let is_listed = |game: &str| place_of(game).is_some_and(|place| self.games.listing.has(place));
        self.games.recorder.records.settled(is_listed)
    }

    /// Returns what is listed.
    pub(super) fn listing(&self) -> &Listing {
        &self.games.listing
    }

    /// Lists the games of earlier seasons that have ended, now that no more of them are played. Returns those that were
    /// not listed.
    pub(super) fn close_seasons(&mut self, before: u32) -> Result<Vec<GameResult>, Error> {
        let listing = &self.games.listing;
        let places = self.games.state().ended().filter_map(|(game, _)| place_of(game));
        let places: BTreeSet<Scheduled> =
            places.filter(|place| place.season < before && !listing.has(*place)).collect();
        let mut new = Vec::new();
        for place in places {
            if let Some(ended) = self.games.recorder.records.end_of(&game_id(place))? {
                new.extend(self.games.listing.add(place, ended)?);
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
        let Found { mut games, lock, losses, .. } = self;
        let season = field.number;
        // Of a large hill, a list of all games takes many megabytes.
        let whole = whole_rounds(&games.listing.games(), season, hill.lengths(&field));
        games.listing.begin_season(season, whole);
        let known = games.state().known().filter_map(place_of);
        let known = known.filter(|place| place.season == season).map(|place| place.round).max();
        let (field, fitness, games) = (Mutex::new(field), Fitness::default(), Mutex::new(games));
        let runner = HillRunner { hill, field, losses, fitness, lock, games };
        let new = {
            let mut games = held(&runner.games);
            runner.expect(&mut games, known.unwrap_or(0));
            games.list_all()?
        };
        let played = held(&runner.games).listing.games();
        Ok((runner, played, new))
    }
}

/// Returns the number of rounds of a season, from the first on, whose games are all there. No round but those of a race
/// is dealt for that: there can be a hundred thousand.
pub(super) fn whole_rounds(there: &BTreeSet<Scheduled>, season: u32, games: impl Fn(u32) -> usize) -> u32 {
    let first = Scheduled { season, round: 0, table: 0, rotation: 0 };
    let (mut whole, mut found, mut due) = (0, 0, games(1));
    for place in there.range(first..).take_while(|place| place.season == season) {
        if place.round != whole + 1 {
            break;
        }
        found += 1;
        if found == due {
            (whole, found, due) = (whole + 1, 0, games(whole + 2));
        }
    }
    whole
}

impl<'a> HillRunner<'a> {
    /// Returns the folder of the hill.
    pub(super) fn root(&self) -> &Path {
        &self.hill.root
    }

    /// Returns the season, as far as its races are known.
    pub(super) fn field(&self) -> &Mutex<Season> {
        &self.field
    }

    /// Counts the games in the results.
    pub(super) fn count(&self) -> usize {
        held(&self.games).listing.count()
    }

    /// Waits until the results are on the disk. To be called under the lock.
    pub(super) fn sync(&self) -> Result<(), Error> {
        held(&self.games).listing.sync()
    }

    /// Records that these files were made again.
    pub(super) fn note_repair(&self, files: &str) -> Result<(), Error> {
        held(&self.games).recorder.records.note(&[REPAIRED.to_owned(), clock::date(), files.to_owned()])
    }

    /// Lets other runners play here, too.
    pub(super) fn let_in(&self) {
        self.lock.release();
    }

    /// Calls `act` while no runner changes the results. They then contain all games that can be listed, and are on the
    /// disk.
    ///
    /// # Errors
    ///
    /// If the system refuses; or an error of `act`.
    pub fn quiet<T>(&self, act: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
        let mut games = held(&self.games);
        self.lock.hold(|| {
            games.list_all()?;
            games.listing.sync()?;
            act()
        })
    }

    /// Returns the path of a game's log, compressed or not.
    pub fn log_path(&self, folder: &str, id: &str) -> PathBuf {
        let path = game_run::log_path(self.root(), folder, id, Form::default());
        log::found(Spot::within(self.root(), path)).path().to_owned()
    }

    /// Lists the attempts that did not count, from a place of their list on; all of them without one.
    ///
    /// # Errors
    ///
    /// If their list cannot be read.
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
    ///
    /// # Errors
    ///
    /// If their list cannot be read.
    pub fn end_of_voids(&self) -> Result<Option<small::Place>, Error> {
        held(&self.games).listing.end_of_voids()
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
        let play = |fixture: Fixture| {
            let came = attempts::play(self, &fixture, setup, &self.fitness, None)?;
            Ok((fixture, came))
        };
        let mut report = |(fixture, came): (Fixture, GameEnd)| report(&fixture, came);
        let last_round =
            fixtures.iter().filter_map(|fixture| fixture.scheduled).map(|place| place.round).max();
        self.expect(&mut held(&self.games), last_round.unwrap_or(0));
        let mut waiting: VecDeque<Fixture> = fixtures.into();
        while !waiting.is_empty() && !is_stopped() {
            let mut elsewhere = VecDeque::new();
            let deal = || {
                while let Some(fixture) = waiting.pop_front() {
                    match self.claim(&fixture)? {
                        Claimed::Mine => return Ok(Some(Dealt::Game(fixture))),
                        Claimed::Came(came) => return Ok(Some(Dealt::Event((fixture, came)))),
                        Claimed::Others => elsewhere.push_back(fixture),
                    }
                }
                Ok(None)
            };
            pool::play(jobs, &setup.stop, is_stopped, deal, play, &mut report)?;
            // If another runner ends, the games that it has claimed are free again.
            self.wait_for(elsewhere.make_contiguous(), is_stopped)?;
            waiting = elsewhere;
        }
        self.list_all()?;
        if is_stopped() { Err(TableError::Stopped.into()) } else { Ok(()) }
    }

    /// Lists what has ended meanwhile, anywhere.
    fn list_all(&self) -> Result<(), Error> {
        let mut games = held(&self.games);
        self.lock.hold(|| games.list_all().map(drop))
    }

    /// Tells the listing which games are due up to a round.
    fn expect(&self, games: &mut Games, round: u32) {
        let field = held(&self.field);
        for round in games.listing.round() + 1..=round {
            let places = self.hill.games_of(&field, round).into_iter().map(|game| game.scheduled);
            games.listing.expect(round, places);
        }
    }

    /// Claims a game for this runner, if no other has it.
    fn claim(&self, fixture: &Fixture) -> Result<Claimed, Error> {
        let mut games = held(&self.games);
        let claim = games.claim(&fixture.id)?;
        games.is_shared |= claim == Claim::Others;
        Ok(match claim {
            Claim::Others => Claimed::Others,
            Claim::Over => {
                let ended = games.recorder.records.end_of(&fixture.id)?;
                let ended = ended.ok_or_else(|| defect(&self.hill.root, "an end that was seen is gone"))?;
                Claimed::Came(ended.came)
            }
            Claim::Mine => {
                let part =
                    part_of(&game_run::log_path(self.root(), &fixture.folder, &fixture.id, fixture.log));
                let part = |_: &str| Some(Spot::within(self.root(), &part));
                games.recorder.settle_lost(&fixture.id, &fixture.id, part, self.losses)?;
                match games.recorder.records.end_of(&fixture.id)? {
                    Some(ended) => Claimed::Came(ended.came), // it was lost too often
                    None => Claimed::Mine,
                }
            }
        })
    }

    /// Waits until one of these games, which others play, has ended, or a runner has; or until `is_stopped`.
    fn wait_for(&self, waiting: &[Fixture], is_stopped: impl Fn() -> bool) -> Result<(), Error> {
        if waiting.is_empty() {
            return Ok(());
        }
        let before = {
            let mut games = held(&self.games);
            games.recorder.records.rest()?;
            let before = games.recorder.records.others()?;
            // Its runner can have ended while this one played others.
            for game in waiting {
                if games.claim(&game.id)? != Claim::Others {
                    return Ok(());
                }
            }
            before
        };
        let mut looks = 0;
        while !is_stopped() {
            let mut games = held(&self.games);
            looks += 1;
            if looks == LOOKS_UNTOLD {
                let game = &waiting[0].id;
                let holder = games.recorder.records.holder_at(game);
                let what =
                    format!("waiting for {game}, which {holder} plays; if it hangs: {}", holder.remedy());
                lock::tell(&what);
            }
            let others = games.recorder.records.others()?;
            if others != before || waiting.iter().any(|game| games.state().came(&game.id).is_some()) {
                break;
            }
            drop(games);
            thread::sleep(PAUSE);
        }
        Ok(())
    }
}

/// Number of looks at games of others after which a wait for them is told: some ten seconds.
const LOOKS_UNTOLD: u32 = 500;

/// The answer to a claim for a game.
enum Claimed {
    /// This runner plays it.
    Mine,
    /// Another runner is playing it.
    Others,
    /// It has ended.
    Came(GameEnd),
}

impl Games {
    /// Lists what has ended, in the order of the schedule, and returns the new results. To be called under the lock.
    fn list_all(&mut self) -> Result<Vec<GameResult>, Error> {
        self.recorder.records.follow()?;
        self.list_known()
    }

    /// Likewise, as far as this runner knows: that of others is looked at if there are others.
    fn list(&mut self) -> Result<Vec<GameResult>, Error> {
        if self.is_shared { self.list_all() } else { self.list_known() }
    }

    fn list_known(&mut self) -> Result<Vec<GameResult>, Error> {
        self.listing.read_on()?;
        let records = &mut self.recorder.records;
        self.listing.go_on(|game| records.end_of(game))
    }

    fn state(&self) -> &State {
        self.recorder.records.state()
    }

    /// Claims a game: a unit has one.
    fn claim(&mut self, game: &str) -> Result<Claim, Error> {
        self.recorder.records.claim(game, &[game])
    }

    fn is_over(&self, game: &str) -> bool {
        self.state().came(game).is_some() || place_of(game).is_some_and(|place| self.listing.has(place))
    }

    /// Returns the digest of the log of a game that has ended.
    fn entered(&mut self, game: &str) -> Result<Option<Digest>, Error> {
        let found = self.recorder.records.end_of(game)?.and_then(|ended| match ended.came {
            GameEnd::Over(rows) => Some(rows.shared().log_digest.clone()),
            GameEnd::Void(_) => None,
        });
        if found.is_some() || !self.is_over(game) {
            return Ok(found);
        }
        // It was listed by something else than a runner.
        let results = folder::results_of(self.recorder.records.folder().path());
        let rows = referee_files::results::game_named(results, game)?;
        Ok(rows.map(|rows| rows[0].1.log_digest.clone()))
    }
}

impl Ledger for HillRunner<'_> {
    fn folder(&self) -> &Path {
        self.root()
    }

    fn tries(&self, fixture: &Fixture) -> Tries {
        held(&self.games).recorder.tries(&fixture.id)
    }

    fn loss_limits(&self, _: Tier) -> LostMax {
        self.losses
    }

    fn begin(&self, fixture: &Fixture, attempt: u32) -> Result<(), Error> {
        held(&self.games).recorder.begin(&fixture.id, fixture, attempt)
    }

    fn over(&self, fixture: &Fixture, rows: &GameResult, log: LogFile) -> Result<(), Error> {
        let mut games = held(&self.games);
        // It gets its name when the game is listed. If this fails, the record can be there all the same, and another
        // runner may be writing a log of this name by now: the next run gives it its name or removes it.
        log.leave();
        games.recorder.over(fixture, rows)?;
        self.lock.hold(|| games.list().map(drop))
    }

    fn void(&self, fixture: &Fixture, row: VoidRow, tries: &mut Tries) -> Result<(), Error> {
        held(&self.games).recorder.void(&fixture.id, fixture, &row, tries)
    }

    fn give_up(&self, fixture: &Fixture, tries: &Tries, why: &str) -> Result<(), Error> {
        let mut games = held(&self.games);
        games.recorder.give_up(&fixture.id, fixture, tries, why)?;
        self.lock.hold(|| games.list().map(drop))
    }

    fn break_off(&self, fixture: &Fixture, error: Error) -> Error {
        held(&self.games).recorder.break_off(fixture);
        error
    }
}

/// Gives an unfinished log its final name if it has this digest, which is that of the results. Another log is removed,
/// unless it is the only one of a game that counts.
fn settle_part(root: &Path, part: &Path, entered: Option<&Digest>) -> Result<(), Error> {
    let (spot, whole) = (Spot::within(root, part), Spot::within(root, part.with_extension("")));
    let settle = || match entered {
        Some(due) if digest::of_log(&spot)? == *due => spot.rename(&whole),
        Some(_) if !log::found(whole.clone()).exists() => Ok(()),
        _ => spot.remove(),
    };
    match settle() {
        // Its runner lives, and was faster.
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
