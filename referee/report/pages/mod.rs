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
mod seen;
pub mod show;
mod voids;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use self::cache::{ReportCache, Resumed, SoFar, mark};
use self::chapter::Chapter;
use self::folder::Folder;
use self::games::Games;
use self::line::{GameLine, Names, log_of};
use self::seen::Seen;
use self::show::bot::Version;
use self::show::games::GameSeen;
use self::show::{ContestSeen, LastPlaces, SeasonSeen, View, season, tournament};
use self::voids::Voids;
use crate::tables::contests as tables;
use referee_contest::batch::list;
use referee_contest::folder::{results_of, voids_of};
use referee_contest::hill::Hill;
use referee_contest::overall::TournamentAccount;
use referee_contest::plan::Plan;
use referee_contest::played;
use referee_contest::runner::GameEnd;
use referee_files::{results, small, work};
use referee_record::Digest;
use referee_record::error::Error;
use referee_record::game_result::GameResult;
use referee_rules::{Parameters, TimeControl};
use referee_statistics::rounds::Field;
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
    /// The parameters of its games.
    parameters: String,
    is_hill: bool,
    is_latest: bool,
    /// What pages show of it.
    seen: ContestSeen,
    /// Its last season, or its sub-tournaments.
    chapters: Vec<Chapter>,
    games: Games,
    voids: Voids,
    logs: Logs,
    kept: ReportCache,
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
    once_or_anew(options.logs, target, stop, |folder, kept| hill_with(hill, season, options, folder, kept))
}

/// Makes a report with the cache of an earlier one, or without it if the cache is out of date.
fn once_or_anew(
    logs: Logs,
    target: &Path,
    stop: &Arc<AtomicBool>,
    make: impl Fn(Folder, ReportCache) -> Result<Option<Written>, Error>,
) -> Result<Written, Error> {
    let folder = Folder::begin(target, stop)?;
    let kept = ReportCache::of(folder.target(), logs);
    if let Some(written) = make(folder, kept)? {
        return Ok(written);
    }
    let folder = Folder::begin(target, stop)?;
    let nothing = ReportCache::nothing(folder.target());
    Ok(make(folder, nothing)?.expect("nothing that is missing was kept"))
}

/// Makes the report of a hill; `None` if the cache is out of date.
fn hill_with(
    hill: &Hill,
    season: Option<u32>,
    options: Options,
    mut folder: Folder,
    mut kept: ReportCache,
) -> Result<Option<Written>, Error> {
    let rule = StopRule::default();
    let account = hill.account_up_to(season, rule)?;
    let past = account.past().to_vec();
    let account = account.finish(season);
    let entrants = hill.entrants()?;
    let mut known = BTreeSet::new();
    let came = entrants.submissions().map(|event| event.bot.name.clone());
    let came: Vec<String> = came.filter(|name| known.insert(name.clone())).collect();
    let entry = hill.entry();
    let title = match &*hill.settings().title {
        "" => format!("King of the hill: {}", entry.name),
        title => title.to_owned(),
    };
    let root = whole(hill.root())?;
    let lines = account.as_ref().map(|(account, _)| account.standings()).unwrap_or_default();
    let bots = account.as_ref().map_or(Field::new([]), |(account, _)| Chapter::field(account, &lines));
    let mut seen = Seen::new(bots);
    // A report without games is made anew, and one in which each game has a page goes through all of them.
    let number = account.as_ref().map(|(account, _)| account.number);
    let goes_on = number.filter(|_| options.replays != Replays::All);
    let names = |seen: &Seen| Names::new(&title, [&seen.bots].into_iter(), true, &came);
    let pages = names(&seen).pages;
    let settings = (root.as_os_str(), folder.target().as_os_str(), number, &title, options, pages);
    let settings = Digest::of(format!("{settings:?}").as_bytes()).to_string();
    let before = match goes_on {
        Some(_) => match kept.go_on(hill, &settings, &mut folder)? {
            Some(before) => before,
            None => return Ok(None),
        },
        None => None,
    };
    let begin = |seen: &Seen, before, folder: &mut Folder| {
        let of = (&*root, ContestSeen::entrants_of(hill, &entrants)?);
        Games::begin(names(seen), of, options.replays, before, folder)
    };
    let (games, voids, void_rows, behind) = match before {
        Some(Resumed {
            so_far: SoFar { seen: before, games, voids, void_rows, .. },
            games: behind,
            table,
            voids: list,
        }) => {
            seen.go_on(before);
            let games = begin(&seen, Some((table, games)), &mut folder)?;
            (games, voids, Some((list, void_rows)), Some(behind))
        }
        None => (begin(&seen, None, &mut folder)?, None, None, None),
    };
    let (voids, voids_end) = Voids::write(&mut folder, void_rows, |take| {
        small::each_behind(&voids_of(&root), voids.as_ref(), take)
    })?;
    let mut report = ReportData {
        title,
        text: hill.settings().text.clone(),
        about: entry.about.to_owned(),
        parameters: hill.parameters().to_string(),
        is_hill: true,
        is_latest: number == hill.seasons()?.last().map(|season| season.number),
        seen: ContestSeen::entrants_of(hill, &entrants)?,
        chapters: Vec::new(),
        games,
        voids,
        logs: options.logs,
        kept,
        versions: came.iter().map(|name| (name.clone(), Version::all_of(&entrants, name))).collect(),
    };
    let Some((account, ratings)) = account else {
        if let Some(season) = season {
            return Err(Error::input(format!("{}: there is no season {season}", hill.root().display())));
        }
        report.games.close(&mut folder, &mut report.kept)?;
        return page::write(report, folder).map(Some);
    };
    let mut games = behind.map_or_else(|| results::games(results_of(&root)), Ok)?;
    for game in games.by_ref() {
        let game = GameResult::of(game?);
        if game.scheduled().is_some_and(|place| place.season == account.number) {
            folder.go_on()?;
            report.take(&mut seen, (0, None), &game, &root, &mut folder)?;
            work::game_done();
        }
    }
    if !report.kept.give([&mut seen].into_iter()) {
        return Ok(None);
    }
    let so_far = report.games.so_far()?;
    report.games.close(&mut folder, &mut report.kept)?;
    let place = match goes_on {
        Some(_) => results::Place::of(results_of(&root), &games)?,
        None => None,
    };
    if let Some(place) = place {
        let void_rows = report.voids.rows();
        let seen = seen.so_far();
        let so_far = SoFar {
            results: place,
            voids: voids_end,
            void_rows,
            seen,
            games: so_far,
            files: BTreeMap::new(),
        };
        report.kept.came(settings, so_far, &folder)?;
    }
    report.seen = season::of_hill(&root, report.seen, (&account, &ratings), past)?;
    report.chapters.push(Chapter {
        name: format!("Season {}", account.number),
        folder: String::new(),
        parameters: hill.parameters().to_string(),
        matches: None,
        time: time_of(hill.entry(), hill.parameters()),
        account,
        seen,
    });
    page::write(report, folder).map(Some)
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
        let root = whole(hill.root())?;
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
    once_or_anew(options.logs, target, stop, |folder, kept| tournament_with(plan, options, folder, kept))
}

/// Makes the report of a tournament; `None` if the cache is out of date.
fn tournament_with(
    plan: &Plan,
    options: Options,
    mut folder: Folder,
    kept: ReportCache,
) -> Result<Option<Written>, Error> {
    let account = TournamentAccount::read(plan)?;
    let overall = account.standings();
    let cups = plan.cups()?;
    let contents = &plan.contents;
    let mut seen: Vec<Seen> = account
        .sets
        .iter()
        .zip(&overall.sets)
        .map(|(set, lines)| Seen::new(Chapter::field(set, lines)))
        .collect();
    let came: Vec<String> = contents.entrant.iter().map(|bot| bot.name.clone()).collect();
    let has_sets = account.sets.len() > 1;
    let names = Names::new(&contents.name, seen.iter().map(|seen| &seen.bots), has_sets, &came);
    let root = whole(&plan.root)?;
    let (of, entrants) = ((&*root, ContestSeen::entrants_in(plan)), ContestSeen::entrants_in(plan));
    let games = Games::begin(names, of, options.replays, None, &mut folder)?;
    let (voids, ()) = Voids::write(&mut folder, None, |take| small::each(voids_of(&plan.root), take))?;
    let mut report = ReportData {
        title: contents.name.clone(),
        text: String::new(),
        about: format!("{} Format: {}", plan.entry.about, contents.format),
        parameters: tournament::told(&plan.sets),
        is_hill: false,
        is_latest: true,
        versions: came.iter().map(|name| (name.clone(), Version::in_field(&entrants.field, name))).collect(),
        seen: entrants,
        chapters: Vec::new(),
        games,
        voids,
        logs: options.logs,
        kept,
    };
    played::each_game(plan, |_, game, came| {
        let chapter = game.scheduled.season as usize - 1;
        match came {
            GameEnd::Over(rows) => {
                folder.go_on()?;
                let called = cups.get(chapter).and_then(|cup| cup.name_of(game.scheduled));
                report.take(&mut seen[chapter], (chapter, called), &rows, &root, &mut folder)?;
            }
            GameEnd::Void(_) => {}
        }
        Ok(())
    })?;
    if !report.kept.give(seen.iter_mut()) {
        return Ok(None);
    }
    report.games.close(&mut folder, &mut report.kept)?;
    let (games, void) = (report.games.count(), list::void_games(plan)?.len());
    if games + void > 0 {
        let (links, seen) = (&report.games.names, std::mem::take(&mut report.seen));
        report.seen = tournament::of_account(plan, &account, links, seen, (games, void))?;
    }
    let mut cups = cups.into_iter();
    for ((account, seen), set) in account.sets.into_iter().zip(seen).zip(0..) {
        let name =
            format!("Sub-tournament {}: {}", set + 1, tables::name_of_set(contents, &contents.set[set]));
        report.chapters.push(Chapter {
            name,
            folder: if has_sets { format!("set-{}/", set + 1) } else { String::new() },
            parameters: plan.sets[set].to_string(),
            matches: cups.next().map(|cup| {
                let names: Vec<&str> = contents.entrant.iter().map(|bot| &*bot.name).collect();
                tables::matches_of(&cup, &names)
            }),
            time: time_of(plan.entry, &plan.sets[set]),
            account,
            seen,
        });
    }
    page::write(report, folder).map(Some)
}

impl ReportData {
    /// Lists the chapters, each with what pages show of it.
    fn chapters(&self) -> impl Iterator<Item = (&Chapter, &SeasonSeen)> {
        let sets = self.seen.sets.iter().map(|(_, set)| set);
        let single = self.seen.season.iter().filter(|_| self.seen.sets.is_empty());
        self.chapters.iter().zip(sets.chain(single))
    }

    /// Returns a function for the places of bots in their last games.
    fn last_places(&self) -> impl Fn(&str, Option<u32>, usize) -> Vec<(u32, usize)> {
        |name, season, most| {
            // The one season of a hill's report is its first chapter.
            let chapter =
                season.map(|season| if self.is_hill { 0 } else { season.saturating_sub(1) as usize });
            let places =
                self.games.last_of(name, chapter).take(most).filter_map(|line| line.game.places_of(name));
            let mut places: Vec<_> = places.collect();
            places.reverse();
            places
        }
    }

    /// What pages show, for pages in the folder of the report.
    fn view<'a>(&'a self, last_places: &'a LastPlaces<'a>) -> View<'a> {
        let ReportData { seen, is_hill, is_latest, games, .. } = self;
        View { seen, links: &games.names, is_hill: *is_hill, is_latest: *is_latest, last_places }
    }

    /// Adds a game of a chapter to the statistics and to the list of games. `called` is its name in a cup.
    fn take(
        &mut self,
        seen: &mut Seen,
        (chapter, called): (usize, Option<String>),
        game: &GameResult,
        root: &Path,
        folder: &mut Folder,
    ) -> Result<(), Error> {
        seen.add(game);
        let (log, spot) = log_of(root, &game[0], folder.target()).unzip();
        let mark = spot.as_ref().and_then(|spot| mark(chapter, game, spot));
        self.kept.note(root, game, spot.as_ref(), folder)?;
        match (&spot, mark) {
            _ if self.logs == Logs::LeaveAlone => {}
            (_, Some(mark)) if self.kept.knows(mark) => seen.logs_read += 1,
            (Some(log), mark) => {
                if seen.add_log(game, log)?
                    && let Some(mark) = mark
                {
                    self.kept.add(mark);
                }
            }
            (None, _) => seen.logs_missing += 1,
        }
        let Some(game) = GameSeen::of(game) else { return Ok(()) };
        let line = GameLine { game, chapter, called, log, replay: None, mark };
        self.games.add(line, folder, &mut self.kept)
    }
}

fn whole(path: &Path) -> Result<PathBuf, Error> {
    fs::canonicalize(path).map_err(Error::system(path, "find the folder"))
}

fn time_of(entry: &referee_games::catalog::Entry, parameters: &Parameters) -> TimeControl {
    entry.info(parameters).time
}
