//! A report of a hill or a tournament: a folder with pages to read, and the same tables as CSV. It is made from records
//! alone, and from the same records it comes out the same, byte for byte.

mod chapter;
mod folder;
mod games;
mod labels;
mod page;
mod plots;
mod seen;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use serde_json::Value;

use self::chapter::Chapter;
use self::folder::Folder;
use self::games::{GameLine, Games, Log};
use self::seen::Seen;
use super::sheet::Sheet;
use super::tables;
use crate::error::Error;
use crate::record::BotName;
use crate::record::game_result::GameResult;
use crate::record::voids::{self, VoidRow};
use crate::rules::{Parameters, Seed, TimeControl};
use crate::statistics::stop_rule::StopRule;
use crate::tournament::batch;
use crate::tournament::folder::voids_of;
use crate::tournament::hill::Hill;
use crate::tournament::overall::Account;
use crate::tournament::plan::{self, Plan};
use crate::tournament::runner::GameEnd;
use crate::tournament::verdicts;

/// What a report is made from, and what goes into it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Whether thinking times are those of turns.
    pub logs: Logs,
    /// Which games have a page of their own.
    pub replays: Replays,
}

/// What thinking times are made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Logs {
    /// Thinking times of all turns come from the logs of the games.
    Read,
    /// There is no need for logs: thinking times are those of whole games.
    LeaveAlone,
}

/// Which games have a page of their own, on which they can be watched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replays {
    /// None of them.
    None,
    /// So many of the last, and those that are notable.
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
    /// How many files there are.
    pub files: usize,
    /// How many games are told of.
    pub games: usize,
}

/// Everything that is told.
#[derive(Debug)]
struct Report {
    title: String,
    /// What was played: a name and what it was.
    facts: Vec<(&'static str, String)>,
    /// What is to be said of the whole.
    notes: Vec<String>,
    /// The standings over all chapters.
    overall: Option<Sheet>,
    chapters: Vec<Chapter>,
    games: Games,
    voids: Sheet,
    logs: Logs,
}

/// Writes the report of a season of a hill, or of the last one, unless `stop` is set before it is done.
///
/// # Errors
///
/// If it was stopped, there was no such season, the records are damaged, or there is something else than a report at `target`.
pub fn of_hill(
    hill: &Hill,
    season: Option<u32>,
    options: Options,
    target: &Path,
    stop: &Arc<AtomicBool>,
) -> Result<Written, Error> {
    let mut folder = Folder::begin(target, stop)?;
    let rule = StopRule::default();
    let account = hill.account(season, rule)?;
    let entrants = hill.entrants()?;
    let field: Vec<BotName> = entrants.field().iter().map(|event| event.bot_name()).collect();
    let names: Vec<String> = field.iter().map(|bot| format!("{} {}", bot.name, bot.version)).collect();
    let entry = hill.entry();
    let mut report = Report {
        title: format!("King of the hill: {}", entry.name),
        facts: vec![("Game", entry.about.to_owned()), ("Played with", hill.parameters().to_string())],
        notes: Vec::new(),
        overall: None,
        chapters: Vec::new(),
        games: Games::begin(options.replays, &folder)?,
        voids: voids_sheet(&voids::read(voids_of(hill.root()))?),
        logs: options.logs,
    };
    if !names.is_empty() {
        report.facts.push(("On the hill now", names.join(", ")));
    }
    let Some((account, ratings)) = account else {
        if let Some(season) = season {
            let what = format!("there was no season {season}");
            return Err(Error::file(hill.root(), what));
        }
        report
            .notes
            .push("No game has been played yet: there is nothing to tell but who is there.".to_owned());
        return page::write(&report, folder);
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
    let mut seen = Seen::new(Chapter::field(&account));
    let root = whole(hill.root())?;
    for game in hill.games()? {
        let game = game?;
        if game.scheduled().is_some_and(|place| place.season == account.number) {
            folder.go_on()?;
            let line = take(&mut seen, 0, &game, &root, folder.target(), options.logs)?;
            report.games.add(line, &mut folder)?;
        }
    }
    report.games.close(&mut folder)?;
    report.chapters.push(Chapter {
        name: format!("Season {}", account.number),
        folder: String::new(),
        notes: verdicts.map(|row| row.to_string()).collect(),
        parameters: hill.parameters().to_string(),
        standings: tables::standings_of(&account, &ratings, retired),
        time: time_of(hill.entry(), hill.parameters()),
        account,
        seen,
    });
    page::write(&report, folder)
}

/// Writes a report of each hill below `target`, and a page that leads to them, unless `stop` is set before it is done.
///
/// # Errors
///
/// As for [`of_hill`]; or if there is another page.
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

/// Writes the report of a tournament, as far as it was played, unless `stop` is set before it is done.
///
/// # Errors
///
/// If it was stopped, the records are damaged, or there is something else than a report at `target`.
pub fn of_tournament(
    plan: &Plan,
    options: Options,
    target: &Path,
    stop: &Arc<AtomicBool>,
) -> Result<Written, Error> {
    let mut folder = Folder::begin(target, stop)?;
    let account = Account::read(plan)?;
    let mut overall = account.standings();
    let notes = account.conclude(plan, &mut overall)?;
    let overall = tables::overall_of(&account, &overall);
    let contents = &plan.contents;
    let mut report = Report {
        title: contents.name.clone(),
        facts: vec![("Game", plan.entry.about.to_owned()), ("Format", contents.format.to_string())],
        notes,
        overall: Some(overall),
        chapters: Vec::new(),
        games: Games::begin(options.replays, &folder)?,
        voids: voids_sheet(&voids_of_rounds(plan)?),
        logs: options.logs,
    };
    let mut seen: Vec<Seen> = account.sets.iter().map(|set| Seen::new(Chapter::field(set))).collect();
    plan.each_game_in_its_folder(|of_round, game, came| {
        let chapter = game.scheduled.season as usize - 1;
        match came {
            GameEnd::Over(rows) => {
                folder.go_on()?;
                let root = whole(of_round)?;
                let seen = &mut seen[chapter];
                let line = take(seen, chapter, &rows, &root, folder.target(), options.logs)?;
                report.games.add(line, &mut folder)?;
            }
            GameEnd::Void(_) => {}
        }
        Ok(())
    })?;
    report.games.close(&mut folder)?;
    let single = account.sets.len() == 1;
    let Account { sets, ratings, .. } = account;
    for ((account, seen), set) in sets.into_iter().zip(seen).zip(0..) {
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
            standings: tables::standings_of(&account, &ratings, |_| false),
            time: time_of(plan.entry, &plan.sets[set]),
            account,
            seen,
        });
    }
    page::write(&report, folder)
}

/// Takes a game: what it shows of its bots, and its line in the list.
fn take(
    seen: &mut Seen,
    chapter: usize,
    game: &GameResult,
    root: &Path,
    target: &Path,
    logs: Logs,
) -> Result<GameLine, Error> {
    seen.add(game);
    let log = games::log_of(root, &game[0]);
    if logs == Logs::Read {
        match &log {
            Some(log) => seen.add_log(game, log)?,
            None => seen.logs_missing += 1,
        }
    }
    let log = log.map(|spot| Log { link: games::link(target, spot.path()), spot: Some(spot) });
    Ok(GameLine::new(game, chapter, &seen.bots, log))
}

fn whole(path: &Path) -> Result<PathBuf, Error> {
    fs::canonicalize(path).map_err(Error::system(path, "find the folder"))
}

fn time_of(entry: &crate::catalog::Entry, parameters: &Parameters) -> TimeControl {
    entry.start(parameters, Seed(0)).info().time
}

/// What does not count in the rounds of a tournament so far.
fn voids_of_rounds(plan: &Plan) -> Result<Vec<VoidRow>, Error> {
    let mut rows = Vec::new();
    for round in 1..=plan.contents.round {
        rows.append(&mut batch::voids::of_plan(&plan::open_round(&plan.root, round)?)?);
    }
    Ok(rows)
}

fn voids_sheet(voids: &[VoidRow]) -> Sheet {
    let mut sheet = Sheet::new(["game", "attempt", "reason", "bot", "seat", "turn", "detail"]);
    for void in voids {
        let VoidRow { game, attempt, turn, reason, bot, seat, detail, .. } = void.clone();
        sheet.row(vec![
            game.into(),
            attempt.into(),
            reason.into(),
            bot.into(),
            seat.map_or(Value::Null, Value::from),
            turn.into(),
            detail.into(),
        ]);
    }
    sheet
}
