//! A report of a hill or a tournament: a folder with pages, and the same tables as CSV. It is made from records
//! alone; the same records give the same report, byte for byte.
//!
//! Start reading with [`of_hill`].
//!
//! The report of the last season of a hill on which four bots have played twelve games:
//!
//! ```
//! # use referee_testutil::season_results::Simulated;
//! # let simulated = Simulated::new(4);
//! # let share = |bot: usize, _seat: usize| bot as f64 / 10.0;
//! # let games = simulated.pairings(3).iter().map(|pairing| simulated.game(pairing, share)).collect::<Vec<_>>();
//! # simulated.enter(&games);
//! # let root = simulated.hill.root();
//! use referee_contest::hill::Hill;
//! use referee_report::pages::{Logs, Options, Replays, of_hill};
//!
//! let hill = Hill::open(root)?;
//! // The results are enough for standings and plots; pages of games need their logs, too.
//! let options = Options { logs: Logs::LeaveAlone, replays: Replays::None };
//! // Another thread can set this flag, which ends the work.
//! let stop = Default::default();
//! let report = of_hill(&hill, None, options, &root.join("report"), &stop)?;
//! assert_eq!(report.games, 12);
//! assert!(std::fs::read_to_string(&report.page)?.contains("bot3"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod bracket;
mod cache;
mod chapter;
mod folder;
mod games;
mod labels;
mod line;
mod page;
pub mod parts;
mod plots;
pub mod show;
mod tally;
mod voids;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::iter;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use self::cache::{HillState, ReportCache, Resumed, Resumption, mark_of};
use self::chapter::Chapter;
use self::folder::Folder;
use self::games::{Games, Source};
use self::line::{GameLine, Mark, Names, log_of};
use self::show::bot::Version;
use self::show::games::GameSummary;
use self::show::{ContestSummary, LastPlaces, SeasonSummary, View, season, tournament};
use self::tally::Tally;
use self::voids::Voids;
use crate::tables::contests as tables;
use referee_contest::admission::entrants::Entrants;
use referee_contest::batch::list;
use referee_contest::folder::{results_of, voids_of};
use referee_contest::hill::Hill;
use referee_contest::overall::TournamentAccount;
use referee_contest::plan::Plan;
use referee_contest::played;
use referee_contest::runner::GameEnd;
use referee_files::beneath::Spot;
use referee_files::{results, small, work};
use referee_record::Digest;
use referee_record::error::Error;
use referee_record::game_result::GameResult;
use referee_record::results::Games as Results;
use referee_rules::{Parameters, TimeControl};
use referee_statistics::rounds::Field;
use referee_statistics::schedule::format::Cup;
use referee_statistics::season::SeasonAccount;
use referee_statistics::stop_rule::StopRule;

/// The sources and the contents of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// The source of thinking times.
    pub logs: Logs,
    /// Which games have a page of their own.
    pub replays: Replays,
}

/// The source of thinking times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Logs {
    /// Thinking times of all turns come from the logs of the games.
    Read,
    /// Logs are not read: thinking times are those of whole games.
    LeaveAlone,
}

/// Which games have a page of their own, on which they can be watched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replays {
    /// None.
    None,
    /// This number of the latest games, and the notable ones.
    Last(usize),
    /// All.
    All,
}

impl Default for Options {
    fn default() -> Options {
        Options { logs: Logs::Read, replays: Replays::Last(20) }
    }
}

/// A report that was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// The page to begin with.
    pub page: PathBuf,
    /// Number of files.
    pub files: usize,
    /// Number of games in it.
    pub games: usize,
}

/// The contents of a report.
#[derive(Debug)]
struct ReportData {
    title: String,
    /// What the host says about the contest, in paragraphs.
    text: String,
    /// What the game is.
    about: String,
    /// The parameters of the games.
    parameters: String,
    is_hill: bool,
    /// Whether the season is the latest one of its hill.
    is_latest: bool,
    contest: ContestSummary,
    /// The season of a hill, or the sub-tournaments of a tournament.
    chapters: Vec<Chapter>,
    games: Games,
    voids: Voids,
    logs: Logs,
    cache: ReportCache,
    /// The programs of each bot of a hill, by its name.
    versions: BTreeMap<String, Vec<Version>>,
}

/// Writes the report of a season of a hill, or of the last one, unless `stop` is set before it is done.
///
/// # Errors
///
/// If it was stopped, there was no such season, the records are damaged, or anything but a report is at `target`.
pub fn of_hill(
    hill: &Hill,
    season: Option<u32>,
    options: Options,
    target: &Path,
    stop: &Arc<AtomicBool>,
) -> Result<Written, Error> {
    make_with_cache(options.logs, target, stop, |folder, cache| {
        make_hill_report(hill, season, options, folder, cache)
    })
}

/// Makes a report with the cache of an earlier one, and once more without it if the cache is out of date.
fn make_with_cache(
    logs: Logs,
    target: &Path,
    stop: &Arc<AtomicBool>,
    make: impl Fn(Folder, ReportCache) -> Result<Option<Written>, Error>,
) -> Result<Written, Error> {
    let folder = Folder::begin(target, stop)?;
    let cache = ReportCache::read(folder.target(), logs);
    if let Some(written) = make(folder, cache)? {
        return Ok(written);
    }
    let folder = Folder::begin(target, stop)?;
    let cache = ReportCache::empty(folder.target());
    Ok(make(folder, cache)?.expect("an empty cache is never out of date"))
}

/// Makes the report of a hill; `None` if the cache is out of date.
fn make_hill_report(
    hill: &Hill,
    season: Option<u32>,
    options: Options,
    folder: Folder,
    cache: ReportCache,
) -> Result<Option<Written>, Error> {
    let hill_account = hill.account_up_to(season, StopRule::default())?;
    let past = hill_account.past().to_vec();
    let account_and_ratings = hill_account.finish(season);
    let account = account_and_ratings.as_ref().map(|(account, _)| account);
    let Some(mut report) = HillReport::begin(hill, account, options, folder, cache)? else {
        return Ok(None);
    };
    let Some((account, ratings)) = account_and_ratings else {
        if let Some(season) = season {
            return Err(Error::input(format!("{}: there is no season {season}", hill.root().display())));
        }
        let HillReport { mut folder, mut data, .. } = report;
        data.games.close(&mut folder, &mut data.cache)?;
        return page::write(data, folder).map(Some);
    };
    if !report.read_games(account.number)? {
        return Ok(None);
    }
    let HillReport { root, folder, mut data, tally, .. } = report;
    data.contest = season::of_hill(&root, data.contest, (&account, &ratings), past)?;
    data.chapters.push(Chapter {
        name: format!("Season {}", account.number),
        folder: String::new(),
        parameters: hill.parameters().to_string(),
        matches: None,
        time: time_of(hill.entry(), hill.parameters()),
        account,
        tally,
    });
    page::write(data, folder).map(Some)
}

/// The report of a season of a hill while it is made.
struct HillReport {
    root: PathBuf,
    folder: Folder,
    data: ReportData,
    tally: Tally,
    /// Digest of all that a later report must have in common with this one to go on from it; `None` if none can.
    settings: Option<String>,
    /// The results after those of the earlier report; `None` without one.
    unread: Option<Results>,
    /// The end of the list of void games.
    voids_end: Option<small::Place>,
}

impl HillReport {
    /// Begins with what an earlier report has, if there is one. `None` if its cache is out of date.
    fn begin(
        hill: &Hill,
        account: Option<&SeasonAccount>,
        options: Options,
        mut folder: Folder,
        mut cache: ReportCache,
    ) -> Result<Option<HillReport>, Error> {
        let entrants = hill.entrants()?;
        let bots = names_of(&entrants);
        let title = title_of(hill);
        let root = canonical(hill.root())?;
        let field = account.map_or(Field::new([]), |account| Chapter::field(account, &account.standings()));
        let mut tally = Tally::new(field);
        let names = Names::new(&title, iter::once(&tally.bots), true, &bots);
        let number = account.map(|account| account.number);
        let mut settings = None;
        let mut resumed = None;
        // A report without games is made anew, and one in which each game has a page goes through all of them.
        if number.is_some() && options.replays != Replays::All {
            let (root, target) = (root.as_os_str(), folder.target().as_os_str());
            let facts = format!("{:?}", (root, target, number, &title, options, &names.pages));
            let digest = settings.insert(Digest::of(facts.as_bytes()).to_string());
            match cache.go_on(hill, digest, &mut folder)? {
                Resumption::GoOn(earlier) => resumed = Some(*earlier),
                Resumption::Begin => {}
                Resumption::Retry => return Ok(None),
            }
        }
        let (earlier_games, earlier_voids, voids_place, unread) = match resumed {
            Some(Resumed { state, unread, table, voids }) => {
                tally.go_on(&state.tally);
                let earlier_games = Some((table, state.games));
                (earlier_games, Some((voids, state.void_rows)), state.voids, Some(unread))
            }
            None => (None, None, None, None),
        };
        let source = Source { root: &root, entrants: ContestSummary::entrants_of(hill, &entrants)? };
        let games = Games::begin(names, source, options.replays, earlier_games, &mut folder)?;
        let (voids, voids_end) = Voids::write(&mut folder, earlier_voids, |take| {
            small::each_behind(&voids_of(&root), voids_place.as_ref(), take)
        })?;
        let data = ReportData {
            title,
            text: hill.settings().text.clone(),
            about: hill.entry().about.to_owned(),
            parameters: hill.parameters().to_string(),
            is_hill: true,
            is_latest: number == hill.seasons()?.last().map(|season| season.number),
            contest: ContestSummary::entrants_of(hill, &entrants)?,
            chapters: Vec::new(),
            games,
            voids,
            logs: options.logs,
            cache,
            versions: bots.iter().map(|name| (name.clone(), Version::all_of(&entrants, name))).collect(),
        };
        Ok(Some(HillReport { root, folder, data, tally, settings, unread, voids_end }))
    }

    /// Takes the games of a season, and stores the state from which a later report goes on. Returns `false` if the
    /// cache is out of date.
    fn read_games(&mut self, season: u32) -> Result<bool, Error> {
        let HillReport { root, folder, data, tally, .. } = self;
        let mut games = match self.unread.take() {
            Some(unread) => unread,
            None => results::games(results_of(root))?,
        };
        for game in games.by_ref() {
            let game = GameResult::of(game?);
            if game.scheduled().is_some_and(|place| place.season == season) {
                folder.check_not_stopped()?;
                data.take(tally, GamePlace { chapter: 0, name_in_cup: None }, &game, root, folder)?;
                work::game_done();
            }
        }
        if !data.cache.add_turns_to(iter::once(&mut *tally)) {
            return Ok(false);
        }
        let games_state = data.games.state()?;
        data.games.close(folder, &mut data.cache)?;
        if let Some(settings) = self.settings.take()
            && let Some(results) = results::Place::of(results_of(root), &games)?
        {
            let state = HillState {
                results,
                voids: self.voids_end.take(),
                void_rows: data.voids.rows(),
                tally: tally.state(),
                games: games_state,
                files: BTreeMap::new(),
            };
            data.cache.set_state(settings, state, folder)?;
        }
        Ok(true)
    }
}

fn title_of(hill: &Hill) -> String {
    match &*hill.settings().title {
        "" => format!("King of the hill: {}", hill.entry().name),
        title => title.to_owned(),
    }
}

/// Lists the names of all bots that were ever submitted, in the order of their first submissions.
fn names_of(entrants: &Entrants) -> Vec<String> {
    let mut known = BTreeSet::new();
    let names = entrants.submissions().map(|event| event.bot.name.clone());
    names.filter(|name| known.insert(name.clone())).collect()
}

/// Writes a report of each hill below `target`, and a page that leads to them, unless `stop` is set before it is done.
///
/// # Errors
///
/// As for [`of_hill`]; or if another `index.html` is in `target`.
pub fn of_hills(
    hills: &[Hill],
    options: Options,
    target: &Path,
    stop: &Arc<AtomicBool>,
) -> Result<Written, Error> {
    page::check_page_of_hills(target)?;
    let (mut files, mut games, mut folders) = (1, 0, Vec::new());
    for hill in hills {
        let root = canonical(hill.root())?;
        let name = root.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let written = of_hill(hill, None, options, &target.join(&name), stop)?;
        files += written.files;
        games += written.games;
        folders.push(name);
    }
    let page = page::write_page_of_hills(target, &tables::hills_of(hills)?, &folders)?;
    Ok(Written { page, files, games })
}

/// Writes the report of the games of a tournament so far, unless `stop` is set before it is done.
///
/// # Errors
///
/// If it was stopped, the records are damaged, or anything but a report is at `target`.
pub fn of_tournament(
    plan: &Plan,
    options: Options,
    target: &Path,
    stop: &Arc<AtomicBool>,
) -> Result<Written, Error> {
    make_with_cache(options.logs, target, stop, |folder, cache| {
        make_tournament_report(plan, options, folder, cache)
    })
}

/// Makes the report of a tournament; `None` if the cache is out of date.
fn make_tournament_report(
    plan: &Plan,
    options: Options,
    mut folder: Folder,
    cache: ReportCache,
) -> Result<Option<Written>, Error> {
    let account = TournamentAccount::read(plan)?;
    let overall = account.standings();
    let cups = plan.cups()?;
    let fields = account.sets.iter().zip(&overall.sets).map(|(set, lines)| Chapter::field(set, lines));
    let mut tallies: Vec<Tally> = fields.map(Tally::new).collect();
    let root = canonical(&plan.root)?;
    let mut report = begin_tournament_report(plan, options, &tallies, &root, &mut folder, cache)?;
    played::each_game(plan, |_, game, end| {
        let GameEnd::Over(rows) = end else { return Ok(()) };
        folder.check_not_stopped()?;
        let chapter = game.scheduled.season as usize - 1;
        let name_in_cup = cups.get(chapter).and_then(|cup| cup.name_of(game.scheduled));
        let place = GamePlace { chapter, name_in_cup };
        report.take(&mut tallies[chapter], place, &rows, &root, &mut folder)
    })?;
    if !report.cache.add_turns_to(tallies.iter_mut()) {
        return Ok(None);
    }
    report.games.close(&mut folder, &mut report.cache)?;
    let (games, void) = (report.games.count(), list::void_games(plan)?.len());
    if games + void > 0 {
        let (links, contest) = (&report.games.names, std::mem::take(&mut report.contest));
        report.contest = tournament::of_account(plan, &account, links, contest, (games, void))?;
    }
    report.chapters = chapters_of(plan, account, tallies, &cups);
    page::write(report, folder).map(Some)
}

/// Begins the report of a tournament without a game. `tallies` are those of the sub-tournaments.
fn begin_tournament_report(
    plan: &Plan,
    options: Options,
    tallies: &[Tally],
    root: &Path,
    folder: &mut Folder,
    cache: ReportCache,
) -> Result<ReportData, Error> {
    let contents = &plan.contents;
    let bots: Vec<String> = contents.entrant.iter().map(|bot| bot.name.clone()).collect();
    let fields = tallies.iter().map(|tally| &tally.bots);
    let names = Names::new(&contents.name, fields, tallies.len() > 1, &bots);
    let source = Source { root, entrants: ContestSummary::entrants_in(plan) };
    let games = Games::begin(names, source, options.replays, None, folder)?;
    let (voids, ()) = Voids::write(folder, None, |take| small::each(voids_of(&plan.root), take))?;
    let contest = ContestSummary::entrants_in(plan);
    Ok(ReportData {
        title: contents.name.clone(),
        text: String::new(),
        about: format!("{} Format: {}", plan.entry.about, contents.format),
        parameters: tournament::parameters_of(&plan.sets),
        is_hill: false,
        is_latest: true,
        versions: bots.iter().map(|name| (name.clone(), Version::in_field(&contest.field, name))).collect(),
        contest,
        chapters: Vec::new(),
        games,
        voids,
        logs: options.logs,
        cache,
    })
}

/// Returns a chapter for each sub-tournament.
fn chapters_of(plan: &Plan, account: TournamentAccount, tallies: Vec<Tally>, cups: &[Cup]) -> Vec<Chapter> {
    let contents = &plan.contents;
    let has_sets = account.sets.len() > 1;
    let names: Vec<&str> = contents.entrant.iter().map(|bot| &*bot.name).collect();
    let mut chapters = Vec::new();
    for (set, (account, tally)) in account.sets.into_iter().zip(tallies).enumerate() {
        chapters.push(Chapter {
            name: format!(
                "Sub-tournament {}: {}",
                set + 1,
                tables::name_of_set(contents, &contents.set[set])
            ),
            folder: if has_sets { format!("set-{}/", set + 1) } else { String::new() },
            parameters: plan.sets[set].to_string(),
            matches: cups.get(set).map(|cup| tables::matches_of(cup, &names)),
            time: time_of(plan.entry, &plan.sets[set]),
            account,
            tally,
        });
    }
    chapters
}

/// The place of a game in a report.
struct GamePlace {
    /// The index of its chapter.
    chapter: usize,
    /// Its name in a cup; `None` if there is no cup.
    name_in_cup: Option<String>,
}

impl ReportData {
    /// Lists the chapters, each with what pages show of it.
    fn chapters(&self) -> impl Iterator<Item = (&Chapter, &SeasonSummary)> {
        let sets = self.contest.sets.iter().map(|(_, set)| set);
        // The season comes after the sub-tournaments, and so is used only if there are none.
        self.chapters.iter().zip(sets.chain(&self.contest.season))
    }

    /// Returns a function for the places of bots in their last games.
    fn last_places(&self) -> impl Fn(&str, Option<u32>, usize) -> Vec<(u32, usize)> {
        |name, season, limit| {
            // The one season of a hill's report is its first chapter.
            let chapter =
                season.map(|season| if self.is_hill { 0 } else { season.saturating_sub(1) as usize });
            let places =
                self.games.last_of(name, chapter).take(limit).filter_map(|line| line.game.places_of(name));
            let mut places: Vec<_> = places.collect();
            places.reverse();
            places
        }
    }

    /// What pages show, for pages in the folder of the report.
    fn view<'a>(&'a self, last_places: &'a LastPlaces<'a>) -> View<'a> {
        let ReportData { contest, is_hill, is_latest, games, .. } = self;
        View { contest, links: &games.names, is_hill: *is_hill, is_latest: *is_latest, last_places }
    }

    /// Adds a game to the statistics of its chapter and to the list of games.
    fn take(
        &mut self,
        tally: &mut Tally,
        place: GamePlace,
        game: &GameResult,
        root: &Path,
        folder: &mut Folder,
    ) -> Result<(), Error> {
        let GamePlace { chapter, name_in_cup } = place;
        tally.add(game);
        let (log_link, log) = log_of(root, &game[0], folder.target()).unzip();
        let mark = log.as_ref().and_then(|log| mark_of(chapter, game, log));
        self.cache.note_log(root, game, log.as_ref(), folder)?;
        if self.logs == Logs::Read {
            self.read_log(tally, game, log.as_ref(), mark)?;
        }
        let Some(game) = GameSummary::from_rows(game) else { return Ok(()) };
        let line = GameLine { game, chapter, name_in_cup, log: log_link, replay: None, mark };
        self.games.add(line, folder, &mut self.cache)
    }

    /// Adds the thinking times in the log of a game, unless the cache has them.
    fn read_log(
        &mut self,
        tally: &mut Tally,
        game: &GameResult,
        log: Option<&Spot>,
        mark: Option<Mark>,
    ) -> Result<(), Error> {
        let Some(log) = log else {
            tally.logs_missing += 1;
            return Ok(());
        };
        if let Some(mark) = mark
            && self.cache.take_over_game(mark)
        {
            tally.logs_read += 1;
            return Ok(());
        }
        if tally.add_log(game, log)?
            && let Some(mark) = mark
        {
            self.cache.add_game(mark);
        }
        Ok(())
    }
}

fn canonical(path: &Path) -> Result<PathBuf, Error> {
    fs::canonicalize(path).map_err(Error::system(path, "find the folder"))
}

fn time_of(entry: &referee_games::catalog::Entry, parameters: &Parameters) -> TimeControl {
    entry.info(parameters).time
}
