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
//! use referee_report::{Logs, Options, Replays, of_hill};
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

#![forbid(unsafe_code)]

mod bracket;
mod chapter;
mod folder;
mod games;
mod kept;
mod labels;
mod line;
mod page;
pub mod parts;
mod plots;
mod seen;
mod voids;

pub use bracket::drawn as bracket;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use self::chapter::Chapter;
use self::folder::Folder;
use self::games::Games;
use self::kept::{Kept, Resumed, SoFar, mark};
use self::line::{GameLine, Log, Names};
use self::seen::Seen;
use self::voids::Voids;
use referee_contest::admission::entrants::{Entrants, EventKind};
use referee_contest::bot::Bot;
use referee_contest::folder::{results_of, voids_of};
use referee_contest::hill::Hill;
use referee_contest::overall::TournamentAccount;
use referee_contest::plan::Plan;
use referee_contest::played;
use referee_contest::runner::GameEnd;
use referee_contest::verdicts;
use referee_files::{results, small, work};
use referee_record::error::Error;
use referee_record::game_result::GameResult;
use referee_record::{BotName, Digest};
use referee_rules::{Parameters, TimeControl};
use referee_statistics::rounds::Field;
use referee_statistics::stop_rule::StopRule;
use referee_tables::contests as tables;
use referee_tables::standing::Standings;

/// The style of the pages, light and dark, for screens from the width of a phone.
pub const STYLE: &str = page::STYLE;

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
    /// The bots that play now, on a hill.
    field: Vec<String>,
    /// Facts about the contest: names and values.
    facts: Vec<(&'static str, String)>,
    /// Notes about the whole.
    notes: Vec<String>,
    /// The standings over all chapters.
    overall: Option<Standings>,
    chapters: Vec<Chapter>,
    games: Games,
    voids: Voids,
    logs: Logs,
    kept: Kept,
    /// The versions of each bot of a hill, by its name.
    versions: BTreeMap<String, Vec<Version>>,
}

/// A program that played under a bot's name on a hill.
#[derive(Clone, Debug)]
struct Version {
    number: u32,
    /// When it was submitted.
    since: String,
    /// What ended its time on the hill, and when.
    end: Option<(&'static str, String)>,
    author: String,
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
    make: impl Fn(Folder, Kept) -> Result<Option<Written>, Error>,
) -> Result<Written, Error> {
    let folder = Folder::begin(target, stop)?;
    let kept = Kept::of(folder.target(), logs);
    if let Some(written) = make(folder, kept)? {
        return Ok(written);
    }
    let folder = Folder::begin(target, stop)?;
    let nothing = Kept::nothing(folder.target());
    Ok(make(folder, nothing)?.expect("nothing that is missing was kept"))
}

/// Makes the report of a hill; `None` if the cache is out of date.
fn hill_with(
    hill: &Hill,
    season: Option<u32>,
    options: Options,
    mut folder: Folder,
    mut kept: Kept,
) -> Result<Option<Written>, Error> {
    let rule = StopRule::default();
    let account = hill.account(season, rule)?;
    let entrants = hill.entrants()?;
    let field: Vec<BotName> = entrants.field().into_iter().map(Bot::bot_name).collect();
    let name = |bot: &BotName| match bot.version {
        1 => bot.name.clone(),
        version => format!("{} (version {version})", bot.name),
    };
    let field_names: Vec<String> = field.iter().map(name).collect();
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
    let names = |seen: &Seen| Names::new(&title, [&seen.bots].into_iter(), false, &came);
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
    let (games, voids, void_rows, behind) = match before {
        Some(Resumed {
            so_far: SoFar { seen: before, games, voids, void_rows, .. },
            games: behind,
            table,
            voids: list,
        }) => {
            let numbers = seen.go_on(before);
            let Some(games) = games.renumbered(&numbers, &root) else { return Ok(None) };
            let games = Games::begin(names(&seen), options.replays, Some((table, games)), &mut folder)?;
            (games, voids, Some((list, void_rows)), Some(behind))
        }
        None => (Games::begin(names(&seen), options.replays, None, &mut folder)?, None, None, None),
    };
    let (voids, voids_end) = Voids::write(&mut folder, void_rows, |take| {
        small::each_behind(&voids_of(&root), voids.as_ref(), take)
    })?;
    let mut report = ReportData {
        title,
        text: hill.settings().text.clone(),
        field: field_names,
        facts: vec![("Game", entry.about.to_owned()), ("Played with", hill.parameters().to_string())],
        notes: Vec::new(),
        overall: None,
        chapters: Vec::new(),
        games,
        voids,
        logs: options.logs,
        kept,
        versions: versions_of(&entrants),
    };
    let Some((account, ratings)) = account else {
        if let Some(season) = season {
            return Err(Error::input(format!("{}: there is no season {season}", hill.root().display())));
        }
        report.notes.push("No game has been played yet, so this report lists only the bots.".to_owned());
        report.games.close(&mut folder, &mut report.kept)?;
        return page::write(report, folder).map(Some);
    };
    let seasons = hill.seasons()?;
    if let Some(season) = seasons.iter().find(|season| season.number == account.number) {
        report
            .facts
            .push(("Season", format!("{} of {}, since {}", season.number, seasons.len(), season.date)));
    }
    let verdicts = verdicts::read(hill.root())?;
    let verdicts = verdicts.iter().filter(|row| row.season == account.number);
    let retired = |bot: &BotName| !field.contains(bot);
    let mut games = behind.map_or_else(|| results::games(results_of(&root)), Ok)?;
    for game in games.by_ref() {
        let game = GameResult::new(game?.into_iter().map(|(_, row)| row).collect());
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
    report.chapters.push(Chapter {
        name: format!("Season {}", account.number),
        folder: String::new(),
        notes: verdicts.map(|row| row.to_string()).collect(),
        parameters: hill.parameters().to_string(),
        standings: Standings::of_season(&account, &lines, &ratings, Some(&retired)),
        lines,
        cup: None,
        is_final: None,
        time: time_of(hill.entry(), hill.parameters()),
        came,
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
    kept: Kept,
) -> Result<Option<Written>, Error> {
    let account = TournamentAccount::read(plan)?;
    let mut overall = account.standings();
    let notes = account.conclude(plan, &mut overall)?;
    let (lines, is_final) = (overall.sets.clone(), overall.is_final);
    let overall = Standings::of_tournament(&account, &overall);
    let cups = plan.cups()?;
    let contents = &plan.contents;
    let mut seen: Vec<Seen> =
        account.sets.iter().zip(&lines).map(|(set, lines)| Seen::new(Chapter::field(set, lines))).collect();
    let came: Vec<String> = contents.entrant.iter().map(|bot| bot.name.clone()).collect();
    let names = Names::new(&contents.name, seen.iter().map(|seen| &seen.bots), !cups.is_empty(), &came);
    let games = Games::begin(names, options.replays, None, &mut folder)?;
    let (voids, ()) = Voids::write(&mut folder, None, |take| small::each(voids_of(&plan.root), take))?;
    let mut report = ReportData {
        title: contents.name.clone(),
        text: String::new(),
        field: Vec::new(),
        facts: vec![("Game", plan.entry.about.to_owned()), ("Format", contents.format.to_string())],
        notes,
        overall: Some(overall),
        chapters: Vec::new(),
        games,
        voids,
        logs: options.logs,
        kept,
        versions: BTreeMap::new(),
    };
    let root = whole(&plan.root)?;
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
    let single = account.sets.len() == 1;
    let TournamentAccount { sets, ratings, .. } = account;
    let mut cups = cups.into_iter();
    for (((account, seen), lines), set) in sets.into_iter().zip(seen).zip(lines).zip(0..) {
        let name = match single {
            true => "The tournament".to_owned(),
            false => {
                format!("Sub-tournament {}: {}", set + 1, tables::name_of_set(contents, &contents.set[set]))
            }
        };
        report.chapters.push(Chapter {
            name,
            folder: if single { String::new() } else { format!("set-{}/", set + 1) },
            notes: Vec::new(),
            parameters: plan.sets[set].to_string(),
            standings: Standings::of_season(&account, &lines, &ratings, None),
            lines,
            cup: cups.next().map(|cup| {
                let names: Vec<&str> = contents.entrant.iter().map(|bot| &*bot.name).collect();
                (bracket(&cup, &names, &report.games.names.pages), tables::matches_of(&cup, &names))
            }),
            time: time_of(plan.entry, &plan.sets[set]),
            came: came.clone(),
            is_final: Some(is_final),
            account,
            seen,
        });
    }
    page::write(report, folder).map(Some)
}

impl ReportData {
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
        let (log, spot) = Log::of(root, &game[0], folder.target()).unzip();
        let mark = spot.as_ref().and_then(|spot| mark(chapter, game, spot));
        self.kept.note(root, game, spot.as_ref(), folder)?;
        match (&spot, mark) {
            _ if self.logs == Logs::LeaveAlone => {}
            (_, Some(mark)) if self.kept.knows(mark) => seen.logs_read += 1,
            (Some(log), mark) => {
                if seen.add_log(game, log)? {
                    mark.into_iter().for_each(|mark| self.kept.add(mark));
                }
            }
            (None, _) => seen.logs_missing += 1,
        }
        let line = GameLine { called, mark, ..GameLine::new(game, chapter, &seen.bots, log) };
        self.games.add(line, folder, &mut self.kept)
    }
}

/// Lists the versions of each bot that was ever submitted, the first one first.
fn versions_of(entrants: &Entrants) -> BTreeMap<String, Vec<Version>> {
    let mut versions: BTreeMap<String, Vec<Version>> = BTreeMap::new();
    for event in entrants.submissions() {
        let end = entrants.end_of(event).map(|end| {
            let what = match end.event {
                EventKind::Submitted | EventKind::Admitted => "replaced",
                EventKind::Retired => "retired",
                EventKind::Banned | EventKind::AuthorBanned => "banned",
            };
            (what, end.date.clone())
        });
        let (since, bot) = (event.date.clone(), &event.bot);
        let version = Version { number: bot.version, since, end, author: bot.author.clone() };
        versions.entry(bot.name.clone()).or_default().push(version);
    }
    versions
}

fn whole(path: &Path) -> Result<PathBuf, Error> {
    fs::canonicalize(path).map_err(Error::system(path, "find the folder"))
}

fn time_of(entry: &referee_games::catalog::Entry, parameters: &Parameters) -> TimeControl {
    entry.info(parameters).time
}
