//! King of the hill: a folder with a game, its bots, and any number of rounds.
//!
//! All files are readable and can be copied: `hill.toml` (the settings), `entrants.csv` and `store` (the bots),
//! `seasons.csv` (fields and terms), `results.csv`, `voids.csv`, `logs` and `stderr` (the games).

mod account;
mod account_cache;
mod audited;
mod deal;
mod field;
pub mod gaps;
mod outcomes;
mod races;
mod repair;
mod run;
mod runner;
pub mod seasons;
mod settings;
mod submit;
pub mod terms;
mod verdicts;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use referee_files::beneath::Spot;
use referee_files::reread::Reread;
use referee_files::results::SetAside;
use referee_files::{lock, small};
use referee_games::catalog::Entry;
use referee_record::BotName;
use referee_record::error::Error;
use referee_record::game_result::GameResult;
use referee_record::results::Scheduled;
use referee_record::voids::{VoidReason, VoidRow, sentence};
use referee_rules::{Parameters, Seed};
use referee_statistics::rating::Ratings;

use self::account_cache::Resumed;
use self::races::Races;
use self::runner::{Before, First, Found};
use self::seasons::{Race, Season};
use self::terms::{GameTerms, Terms, without_rounds};
use crate::admission::entrants::{self, Checked, Entrants};
pub use crate::admission::submission::{Admitted, PlaysAlready, Replaces, Submission, check_replaced};
use crate::bot::Bot;
use crate::contest_settings::HostSettings;
use crate::editions::Editions;
use crate::fixture::{self, Entrant};
use crate::folder;
use crate::lock::Lock;
use crate::runner::pool::held;
use referee_sandbox::program::Opened;
use referee_statistics::season::SeasonAccount;
use referee_statistics::stop_rule::StopRule;
use referee_statistics::verdict::VerdictRow;
use referee_table::process::Setup;

pub use self::account::{Goal, HillAccount};
pub use self::audited::Audited;
pub use self::field::{Banned, Dropped};
pub use self::gaps::Gap;
pub use self::run::{Run, RunEnd, RunReport, SeasonReport};
pub use self::runner::HillRunner;
pub use self::settings::{Bots, HillSettings, reference, schema};

/// A hill.
#[derive(Debug)]
pub struct Hill {
    root: PathBuf,
    entry: &'static Entry,
    parameters: Parameters,
    seed: Seed,
    settings: HillSettings,
    /// What was read of its files, kept until they change. [`forget`](Hill::forget) drops it when a lock is taken, so
    /// that what is decided under the lock is read under it.
    entrants: Reread<Entrants>,
    seasons: Reread<Vec<Season>>,
    given_up: Reread<BTreeSet<Scheduled>>,
    races: Box<Reread<BTreeMap<u32, Vec<Race>>>>,
    /// What was read of the results for the races. It stays when the results change, since they only grow.
    seen_races: Box<Mutex<Races>>,
    /// What was read of the list of void games. It stays, too.
    seen_given_up: Mutex<GivenUp>,
    /// The programs that were found to be those that were submitted.
    programs: Mutex<Checked>,
    /// The size of the results, in bytes, from which a cache is written.
    cache_min: u64,
}

/// The games that are given up, as far as the list of void games was read.
#[derive(Debug, Default)]
struct GivenUp {
    /// Where the list was read to.
    place: Option<small::Place>,
    games: BTreeSet<Scheduled>,
}

impl Hill {
    /// Returns its settings.
    pub fn settings(&self) -> &HillSettings {
        &self.settings
    }

    /// Returns how its games are run.
    pub fn host(&self) -> &HostSettings {
        &self.settings.contest.host
    }

    /// Returns the folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the random seed, which bots and authors must not know.
    pub fn seed(&self) -> Seed {
        self.seed
    }

    /// Returns the game.
    pub fn entry(&self) -> &'static Entry {
        self.entry
    }

    /// Returns the parameters of the game.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// Reads the history of the hill's bots.
    pub fn entrants(&self) -> Result<Entrants, Error> {
        let history = entrants::history_of(&self.root);
        let read = || Entrants::read(&self.root);
        // That it may be missing follows from other files, so it is looked up each time.
        if history.exists() { self.entrants.get(&[&history], read) } else { read() }
    }

    /// Makes sure that the history of its bots has each that has played. With a history that was cut, another season
    /// would begin without some bots, or a version would be given a second time.
    pub fn check_entered(&self) -> Result<(), Error> {
        let entrants = self.entrants()?;
        for season in self.fields()? {
            for (bot, author) in season.bots.iter().zip(&season.authors) {
                entrants.check_submitted(bot, author)?;
            }
        }
        Ok(())
    }

    /// Returns the current version of the rules.
    pub(super) fn rules_version(&self) -> u32 {
        self.entry.info(&self.parameters).version
    }

    /// Makes sure that each bot of the field can be started here: its interpreter can be gone, or no longer listed.
    pub fn check_field(&self, setup: &Setup) -> Result<(), Error> {
        let entrants = self.entrants()?;
        let mut programs = held(&self.programs);
        let programs = programs.again();
        for bot in entrants.field() {
            if programs.has(&bot.digest) {
                continue;
            }
            let program = entrants.program_among(bot, programs)?;
            let checked = Opened::open(&program.file).and_then(|opened| setup.check(&opened));
            checked.map_err(|why| {
                let what = format!("{} version {} cannot be started: {why}", bot.name, bot.version);
                Error::file(&self.root, what)
            })?;
        }
        Ok(())
    }

    /// Opens the hill for a run with this setup, and cleans up after interrupted runs. Others can play on it at the
    /// same time.
    ///
    /// # Errors
    ///
    /// If others play another season now, the field is too small, or a file is damaged.
    pub fn begin_run(&self, setup: &Setup) -> Result<Run<'_>, Error> {
        self.begin_run_by(setup, Goal::Rounds(StopRule::default())).map(|(run, _)| run)
    }

    /// As [`begin_run`](Hill::begin_run), with the account of all games so far, from the same reading of the results.
    pub fn begin_run_by(&self, setup: &Setup, goal: Goal) -> Result<(Run<'_>, HillAccount<'_>), Error> {
        let lock = self.lock()?;
        let bots = self.bots_to_play()?;
        let is_missing = !folder::results_of(&self.root).exists();
        if is_missing {
            self.check_all_recorded()?;
        }
        let seasons = self.seasons()?;
        self.check_before_run(&seasons, &bots)?;
        let (mut found, mut account) = self.look_before_run(lock, setup, goal, &seasons)?;
        let terms = GameTerms::new(setup, self.settings.block(), self.rules_version());
        let (terms, other_rule) = self.with_rule(terms, goal)?;
        self.check_editions(&terms)?;
        let mut notices: Vec<String> = found.set_aside.iter().map(SetAside::to_string).collect();
        let is_remade = is_missing && self.has_records();
        if is_remade {
            notices.push("results.csv was missing: it is made again from the records".to_owned());
        }
        notices.extend(found.lost.iter().map(sentence));
        let has_others = found.has_others;
        let season = seasons::of_field(&self.root, &self.seasons()?, &bots, &terms, other_rule, !has_others)?;
        if let Some(changes) = season.why_new {
            notices.push(format!("season {} begins because settings changed: {changes}", season.number));
        }
        for game in found.close_seasons(season.number)? {
            account.add(game)?;
        }
        account.begin_season(season.number)?;
        if has_others {
            notices.push("other runners are playing here, too: they share the games".to_owned());
        }
        let field = self.seasons()?.into_iter().find(|known| known.number == season.number);
        let field =
            field.ok_or_else(|| Error::file(&self.root, format!("season {} is gone", season.number)))?;
        // The terms of a season that goes on can have been changed in the file.
        self.check_editions(&field.terms)?;
        let lost = std::mem::take(&mut found.lost);
        let (runner, played, new_results) = found.begin(self, field)?;
        account.set_seasons(self.seasons()?);
        for game in new_results {
            account.add(game)?;
        }
        // A game can have been given up since this run began. It is not played, so it is left out.
        account.renew()?;
        if is_remade {
            runner.note_repair("results.csv")?;
        }
        runner.let_in();
        Ok((Run { hill: self, runner, bots, season: season.number, played, notices, lost }, account))
    }

    /// Makes sure that neither the seasons nor bots that have played are gone, and that these bots can play in the
    /// format of the hill.
    fn check_before_run(&self, seasons: &[Season], bots: &[Entrant]) -> Result<(), Error> {
        if seasons.is_empty() && self.has_records() {
            return Err(seasons::gone(&self.root, "games were recorded"));
        }
        self.check_entered()?;
        let authors: Vec<String> = bots.iter().map(|bot| bot.author.clone()).collect();
        let checked = self.settings.format().check(&self.contest(1, &authors));
        checked.map_err(|error| Error::file(&self.root.join("hill.toml"), error.to_string()))
    }

    /// Returns the bots of the field, ready to be started, if there are enough of them.
    fn bots_to_play(&self) -> Result<Vec<Entrant>, Error> {
        let entrants = self.entrants()?;
        let field = entrants.field();
        if field.len() < 2 {
            self.check_entered()?;
            let what = "there are fewer than two bots; submit some with `referee hill submit`";
            return Err(Error::file(&self.root, what));
        }
        if self.entry.table(&self.parameters).is_none()
            && let Err(error) = self.entry.seat(&self.parameters, field.len())
        {
            return Err(Error::file(&self.root, error.to_string()));
        }
        let mut programs = held(&self.programs);
        let programs = programs.again();
        let entrant = |bot: &&Bot| {
            let (name, author) = (bot.bot_name(), bot.author.clone());
            Ok(Entrant { name, program: entrants.program_among(bot, programs)?, author })
        };
        field.iter().map(entrant).collect()
    }

    /// Looks at the games so far: clears up after runners that are gone, counts what is listed, and makes sure that the
    /// settings are those of the first game.
    fn look_before_run(
        &self,
        lock: Lock,
        setup: &Setup,
        goal: Goal,
        seasons: &[Season],
    ) -> Result<(Found, HillAccount<'_>), Error> {
        let losses = self.host().lost_max(setup.sandbox);
        let resumed = self.resume(goal)?;
        let cached = resumed.as_ref().map(Resumed::cache_size);
        let (mut account, before) = match resumed {
            Some(Resumed { account, listed, games, settled }) => {
                (account, Some(Before { listed, games, settled }))
            }
            None => (HillAccount::begin(self, goal)?, None),
        };
        let mut first = None;
        let look = |game: GameResult| {
            first.get_or_insert_with(|| game.shared().clone());
            account.add(game)
        };
        let mut found = Found::look(self, lock, losses, before, look)?;
        if let Some(last) = found.last_season()
            && seasons.iter().all(|season| season.number < last)
        {
            return Err(seasons::not_listed(&self.root, last));
        }
        let first = match first {
            Some(first) => Some(First::Played(Box::new(first))),
            None => found.first_recorded()?,
        };
        if let Some(first) = first {
            self.check_unchanged(&first)?;
        }
        self.cache_start_of_run(goal, &account, &found, cached)?;
        Ok((found, account))
    }

    /// Makes sure that an audit accepts a season of these terms.
    fn check_editions(&self, terms: &Terms) -> Result<(), Error> {
        Editions::read(&self.root)?.check_terms(terms).map_err(|what| {
            let what = format!("no audit accepts this season: {what}. Put it back, or begin another hill");
            Error::file(&self.root, what)
        })
    }

    /// Adds the rule of the verdict to the terms of a run: the rule of the season in progress, or the one that this run
    /// asks for. Returns also the difference between them, if there is one: then a new season begins, since the rule of
    /// a season is fixed before its first game.
    fn with_rule(&self, games: GameTerms, goal: Goal) -> Result<(Terms, Option<String>), Error> {
        let (usual, rank_by) = (self.settings.rule(), self.settings.format().rank_by());
        let asked = match goal {
            Goal::Rounds(_) => None,
            // By what the bots are ranked follows from the format of the hill, not from the run.
            Goal::Clear(rule) => Some(StopRule { rank_by, ..rule }),
        };
        let racing = self.settings.racing;
        let Some(season) = self.season_in_progress()? else {
            return Ok((Terms::new(games, asked.unwrap_or(usual), racing), None));
        };
        let Terms { rule, is_racing, .. } = season.terms;
        let asked = asked.unwrap_or(StopRule { rank_by, ..rule });
        if without_rounds(asked) == rule {
            return Ok((Terms::new(games, rule, is_racing), None));
        }
        let describe = |rule: &StopRule| {
            let StopRule { method, alpha, epsilon, .. } = rule;
            format!("method={method} alpha={alpha} epsilon={epsilon}{}", terms::unusual(rule))
        };
        let why = format!("{} before, {} now", describe(&rule), describe(&asked));
        Ok((Terms::new(games, asked, racing), Some(why)))
    }

    /// Returns the last season if its field is the present one.
    pub fn season_in_progress(&self) -> Result<Option<Season>, Error> {
        let entrants = self.entrants()?;
        let field: Vec<BotName> = entrants.field().into_iter().map(Bot::bot_name).collect();
        Ok(self.fields()?.pop().filter(|last| last.bots == field))
    }

    /// Takes what a cache has of the list of void games, unless it was read before: the games that were given up, up to
    /// a place of the list.
    fn take_given_up(&self, place: Option<small::Place>, games: BTreeSet<Scheduled>) {
        let mut given_up = held(&self.seen_given_up);
        if given_up.place.is_none() {
            *given_up = GivenUp { place, games };
        }
    }

    /// Lists the games of all seasons that were given up.
    fn all_given_up(&self) -> Result<BTreeSet<Scheduled>, Error> {
        let voids = folder::voids_of(&self.root);
        self.given_up.get(&[&voids], || {
            let GivenUp { place, games } = &mut *held(&self.seen_given_up);
            small::follow(&voids, place, games, |games: &mut BTreeSet<Scheduled>, row: VoidRow| {
                if row.reason == VoidReason::GivenUp {
                    games.extend(fixture::place_of(&row.game));
                }
            })?;
            Ok(games.clone())
        })
    }

    /// Lists the games of a season that were given up, each with the bots that count in it.
    pub fn given_up(&self, season: &Season) -> Result<Vec<(Scheduled, Vec<BotName>)>, Error> {
        let mut places = self.all_given_up()?;
        places.retain(|place| place.season == season.number);
        let bots = |place: Scheduled| {
            let games = self.games_of(season, place.round);
            let game = games.into_iter().find(|game| game.scheduled == place)?;
            let counting = game.entrants.iter().filter(|(seat, _)| !game.fillers.contains(seat));
            Some((place, counting.map(|(_, bot)| season.bots[*bot].clone()).collect()))
        };
        Ok(places.into_iter().filter_map(bots).collect())
    }

    /// Returns the account of a season, or of the last one with games, and the ratings after it.
    pub fn account(
        &self,
        season: Option<u32>,
        rule: StopRule,
    ) -> Result<Option<(SeasonAccount, Ratings)>, Error> {
        Ok(self.account_up_to(season, rule)?.finish(season))
    }

    /// Reads the account of a season, or of the last one with games, and of the seasons before it.
    pub fn account_up_to(&self, season: Option<u32>, rule: StopRule) -> Result<HillAccount<'_>, Error> {
        let goal = Goal::Rounds(rule);
        // The cache has the games of all seasons.
        let is_last = season.is_none() || season == self.seasons()?.last().map(|last| last.number);
        let account = if is_last && self.is_large()? {
            self.read_large(goal, self.resume(goal)?)?
        } else {
            let mut account = self.begin_account(season, goal)?;
            for game in self.games()? {
                account.add(game?)?;
            }
            account
        };
        account.check_order()?;
        Ok(account)
    }

    /// Adds a verdict, unless it is there already, since several runners may have reached it. Returns when it is on the
    /// disk.
    pub fn add_verdict(&self, verdict: &VerdictRow) -> Result<(), Error> {
        let _lock = self.lock_field()?;
        crate::verdicts::add(&self.root, verdict)
    }

    /// Returns the error of an incomplete round of the season that is played, if a game of a later round is listed.
    pub fn lacks(&self, season: u32, round: u32) -> Error {
        let what = format!(
            "a game of round {round} of season {season} is neither in results.csv nor given up in voids.csv, though \
             later ones are listed: `referee hill repair` makes both files again from the records"
        );
        Error::record(&self.root, what)
    }

    /// Begins an account of the games up to a season, or of all. It takes them in the order of the results.
    pub fn begin_account(&self, season: Option<u32>, goal: Goal) -> Result<HillAccount<'_>, Error> {
        let mut account = HillAccount::begin(self, goal)?;
        account.last_season = season.unwrap_or(u32::MAX);
        account.look_ahead(account.last_season)?;
        Ok(account)
    }

    /// Reads the seasons so far, with their races, for which the results are read.
    pub fn seasons(&self) -> Result<Vec<Season>, Error> {
        let mut seasons = self.fields()?;
        if seasons.iter().any(|season| season.terms.is_racing) {
            let files = [&folder::results_of(&self.root), &folder::voids_of(&self.root)];
            let races = self.races.get(&files, || held(&self.seen_races).read_on(self, &seasons))?;
            for season in &mut seasons {
                season.races = races.get(&season.number).cloned().unwrap_or_default();
            }
        }
        Ok(seasons)
    }

    /// Reads the seasons so far, without their races.
    pub(super) fn fields(&self) -> Result<Vec<Season>, Error> {
        let (file, results) = (seasons::file_of(&self.root), folder::results_of(&self.root));
        // That the file may be missing follows from the results.
        let files = if file.exists() { &[&file][..] } else { &[&file, &results] };
        self.seasons.get(files, || seasons::read(&self.root))
    }

    /// Waits until no other process changes the field.
    fn lock_field(&self) -> Result<File, Error> {
        let locked = lock::exclude(&Spot::below(&self.root, "entrants.lock"), lock::WAIT_SHORT_MAX)?;
        self.forget();
        Ok(locked)
    }

    /// Waits until no other runner reads or changes the hill.
    fn lock(&self) -> Result<Lock, Error> {
        let lock = Lock::take(&self.root)?;
        self.forget();
        Ok(lock)
    }

    /// Throws away what was read, so that the files are read again.
    fn forget(&self) {
        self.entrants.forget();
        self.seasons.forget();
        self.given_up.forget();
        self.races.forget();
    }
}
