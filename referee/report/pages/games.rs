//! The games of a report: one line for each, with the place of its log. A page of them is written when it is full and
//! none of its games is one of the last; only those that wait for that, and the notable ones, are held in memory.

use std::cmp::Ordering;
use std::collections::{BTreeMap, VecDeque};
use std::fs::File;
use std::io::{self, BufWriter, Seek, Write};
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::pages::Replays;
use crate::pages::cache::ReportCache;
use crate::pages::folder::Folder;
use crate::pages::line::{FILE, GameLine, Names, Notable, ON_A_PAGE, SoFar, found, is_plain, page_name};
use crate::pages::page::list;
use crate::pages::show::{ContestSummary, View};
use crate::tables::sheet::{Sheet, share};
use referee_files::log;
use referee_files::threads::together;
use referee_record::error::Error;
use referee_show::page::html as page;

impl GameLine {
    /// Writes the page on which the game can be watched, if its log is there, and notes its name. `index` is the game's
    /// number, from 0.
    pub(super) fn write_page(
        &mut self,
        index: usize,
        root: &Path,
        folder: &mut Folder,
        cache: &mut ReportCache,
    ) -> Result<(), Error> {
        let Some(spot) = self.log.as_ref().and_then(|_| found(root, &self.game.log)) else { return Ok(()) };
        let name = format!("games/{}.html", name_of(&self.game.id, index));
        if !cache.page(self.mark, &name, folder) {
            let report = page::Link { text: "The report".to_owned(), address: "../index.html".to_owned() };
            // A report is for everybody. The standard error of a bot is for its author.
            let context = page::Context { links: vec![report], ..page::Context::default() };
            folder.write(&name, page::public_page(log::open(&spot)?, &context, &together)?)?;
            cache.add_page(self.mark, &name, folder);
        }
        self.replay = Some(name);
        Ok(())
    }
}

/// Number of the latest games on the first page.
const LAST_GAMES: usize = 20;

/// Number of the latest games on the page of a bot.
pub(super) const LAST_OF_A_BOT: usize = 10;

/// The games of a report, in the order of the results.
#[derive(Debug)]
pub(super) struct Games {
    pub(super) names: Names,
    /// The bots that ever came, for their marks.
    entrants: ContestSummary,
    replays: Replays,
    /// The rows of all games, except those that wait.
    table: BufWriter<File>,
    /// The folder of the records.
    root: PathBuf,
    /// The folder of the report, for errors.
    target: PathBuf,
    so_far: SoFar,
    /// The numbers of the last games of each bot, by its name and the chapter. They follow from `so_far.recent`.
    last_of: BTreeMap<(String, usize), VecDeque<usize>>,
    /// The pages of games that were written after their lines, by number.
    pages: BTreeMap<usize, String>,
}

impl Games {
    /// Begins without a game, or with those of an earlier report and their table.
    pub(super) fn begin(
        names: Names,
        (root, entrants): (&Path, ContestSummary),
        replays: Replays,
        before: Option<(BufWriter<File>, SoFar)>,
        folder: &mut Folder,
    ) -> Result<Games, Error> {
        let target = folder.target().to_owned();
        let begun = before.is_none();
        let (mut table, so_far) = match before {
            Some(before) => before,
            None => (folder.begin_file(FILE)?, SoFar::default()),
        };
        if begun {
            sheet(&[]).write_csv(&mut table).map_err(refused(&target))?;
        }
        let (root, last_of) = (root.to_owned(), BTreeMap::new());
        let mut games =
            Games { names, entrants, replays, table, root, target, so_far, last_of, pages: BTreeMap::new() };
        let recent = std::mem::take(&mut games.so_far.recent);
        recent.into_iter().for_each(|(index, game)| games.keep_recent(index, game));
        Ok(games)
    }

    /// Keeps a game as the last one of its bots, and drops those that are among the last of no bot any more.
    fn keep_recent(&mut self, index: usize, game: GameLine) {
        let mut dropped = Vec::new();
        for seat in &game.game.seats {
            let last = self.last_of.entry((seat.bot.clone(), game.chapter)).or_default();
            // A bot can have several seats in a game.
            if last.back() != Some(&index) {
                last.push_back(index);
            }
            if last.len() > LAST_OF_A_BOT {
                dropped.extend(last.pop_front());
            }
        }
        self.so_far.recent.insert(index, game);
        for index in dropped {
            let Some(line) = self.so_far.recent.get(&index) else { continue };
            let mut last =
                line.game.seats.iter().filter_map(|seat| self.last_of.get(&(seat.bot.clone(), line.chapter)));
            if !last.any(|last| last.contains(&index)) {
                self.so_far.recent.remove(&index);
            }
        }
    }

    /// Lists the last games of a bot in a chapter, or in all, the last one first.
    pub(super) fn last_of(&self, bot: &str, chapter: Option<usize>) -> impl Iterator<Item = &GameLine> {
        let from = (bot.to_owned(), chapter.unwrap_or(0))..=(bot.to_owned(), chapter.unwrap_or(usize::MAX));
        let mut last: Vec<usize> = self.last_of.range(from).flat_map(|(_, last)| last).copied().collect();
        last.sort_unstable();
        last.into_iter().rev().filter_map(|index| self.so_far.recent.get(&index))
    }

    /// Adds a game. If all games get pages, its page is written now.
    pub(super) fn add(
        &mut self,
        mut game: GameLine,
        folder: &mut Folder,
        cache: &mut ReportCache,
    ) -> Result<(), Error> {
        let index = self.so_far.count;
        self.so_far.count += 1;
        if self.replays == Replays::All {
            game.write_page(index, &self.root, folder, cache)?;
            self.pages.extend(game.replay.clone().map(|page| (index, page)));
        }
        let notable = || Notable { index, game: game.clone() };
        if game.game.margin().is_some() {
            let than = |best: &Option<Notable>| {
                best.as_ref().map_or(Ordering::Equal, |best| ahead(&game, &best.game))
            };
            if than(&self.so_far.closest).is_le() {
                self.so_far.closest = Some(notable());
            }
            if than(&self.so_far.clearest).is_ge() {
                self.so_far.clearest = Some(notable());
            }
        }
        let most = self.so_far.faulty.as_ref().map_or(1, |best| best.game.faults());
        if game.faults() >= most {
            self.so_far.faulty = Some(notable());
        }
        if game.is_of_final() {
            self.so_far.finals.insert(game.chapter, notable());
        }
        self.keep_recent(index, game.clone());
        self.so_far.waiting.push_back(game);
        if self.so_far.waiting.len() >= ON_A_PAGE + self.last_kept() {
            let page: Vec<GameLine> = self.so_far.waiting.drain(..ON_A_PAGE).collect();
            self.so_far.full += 1;
            self.write(&page, self.so_far.full, folder, false)?;
        }
        Ok(())
    }

    fn last_kept(&self) -> usize {
        match self.replays {
            Replays::Last(count) => count.max(LAST_GAMES),
            Replays::All | Replays::None => LAST_GAMES,
        }
    }

    /// Returns what a later report can go on from. To be called before the games are closed.
    pub(super) fn so_far(&mut self) -> Result<SoFar, Error> {
        self.so_far.bytes = self.table.stream_position().map_err(refused(&self.target))?;
        Ok(self.so_far.clone())
    }

    /// Writes the pages of the last games and the notable ones, if only these have pages, and the games that waited for
    /// that. Called once, after the last game.
    pub(super) fn close(&mut self, folder: &mut Folder, cache: &mut ReportCache) -> Result<(), Error> {
        let SoFar { count, waiting, closest, clearest, faulty, finals, recent, .. } = &mut self.so_far;
        let before = *count - waiting.len();
        if let Replays::Last(some) = self.replays {
            let first = count.saturating_sub(some);
            let last = (before..).zip(waiting.iter_mut()).filter(|(index, _)| *index >= first);
            let notable = [closest, clearest, faulty].into_iter().flatten().chain(finals.values_mut());
            let notable = notable.map(|Notable { index, game, .. }| (*index, game));
            let mut chosen: Vec<(usize, &mut GameLine)> = last.chain(notable).collect();
            chosen.sort_by_key(|(index, _)| *index);
            for (index, game) in chosen {
                match self.pages.get(&index) {
                    Some(page) => game.replay = Some(page.clone()),
                    None => {
                        game.write_page(index, &self.root, folder, cache)?;
                        self.pages.extend(game.replay.clone().map(|page| (index, page)));
                    }
                }
            }
        }
        // One of them can have a page only because it is notable.
        let recent = recent.iter_mut().map(|(index, game)| (*index, game));
        for (index, game) in (before..).zip(waiting).chain(recent) {
            game.replay = self.pages.get(&index).cloned();
        }
        let waiting: Vec<GameLine> = self.so_far.waiting.iter().cloned().collect();
        let pages = waiting.len().div_ceil(ON_A_PAGE);
        for (games, number) in waiting.chunks(ON_A_PAGE).zip(1..) {
            self.write(games, self.so_far.full + number, folder, number == pages)?;
        }
        self.table.flush().map_err(refused(&self.target))
    }

    /// Writes a page of games, and their rows of the table.
    fn write(
        &mut self,
        games: &[GameLine],
        number: usize,
        folder: &mut Folder,
        is_last: bool,
    ) -> Result<(), Error> {
        sheet(games).write_csv_rows(&mut self.table).map_err(refused(&self.target))?;
        let view = View {
            contest: &self.entrants,
            links: &self.names,
            is_hill: true,
            is_latest: true,
            last_places: &|_, _, _| Vec::new(),
        };
        let page = list::page(view, &self.names, games, number, is_last);
        folder.write(&page_name(number), page.into_string())
    }

    /// Returns the number of games.
    pub(super) fn count(&self) -> usize {
        self.so_far.count
    }

    /// Returns the number of games with a page.
    pub(super) fn watched(&self) -> usize {
        self.pages.len()
    }

    /// Lists some notable games, each once with its reasons: the last of each final, the closest, the clearest if it
    /// was clearer than that, the one with the most faults.
    pub(super) fn notable(&self) -> Vec<(Vec<&'static str>, &GameLine)> {
        let SoFar { closest, clearest, faulty, finals, .. } = &self.so_far;
        let is_clearer = |clearest: &&Notable| {
            closest.as_ref().is_some_and(|closest| ahead(&clearest.game, &closest.game).is_gt())
        };
        let finals = finals.values().map(|game| ("the final", game));
        let others = [
            ("the closest", closest.as_ref()),
            ("the clearest", clearest.as_ref().filter(is_clearer)),
            ("most faults", faulty.as_ref()),
        ];
        let others = others.into_iter().filter_map(|(reason, found)| Some((reason, found?)));
        let mut all: Vec<(Vec<&str>, &GameLine)> = Vec::new();
        for (reason, Notable { game, .. }) in finals.chain(others) {
            match all.iter_mut().find(|(_, other)| other.is_same(game)) {
                Some((reasons, _)) => reasons.push(reason),
                None => all.push((vec![reason], game)),
            }
        }
        all
    }

    /// Lists the last games, the last one first.
    pub(super) fn last(&self) -> impl Iterator<Item = &GameLine> {
        self.so_far.waiting.iter().rev().take(LAST_GAMES)
    }
}

/// Compares by how much the first bots of two games are ahead.
fn ahead(one: &GameLine, other: &GameLine) -> Ordering {
    match (one.game.margin(), other.game.margin()) {
        (Some(one), Some(other)) => one.compare(&other),
        _ => Ordering::Equal,
    }
}

fn refused(target: &Path) -> impl FnOnce(io::Error) -> Error {
    Error::system(target, "write the report")
}

/// The name of a game's page: the game's name if it can be a file's, else its number.
fn name_of(game: &str, index: usize) -> String {
    if is_plain(game) { game.to_owned() } else { format!("{}", index + 1) }
}

/// Games as a table: a row for each seat, by place.
fn sheet(games: &[GameLine]) -> Sheet {
    let columns =
        ["game", "season", "round", "table", "rotation", "seat", "bot", "version", "score", "share"];
    let mut sheet = Sheet::new(columns.into_iter().chain([
        "place",
        "counts",
        "end",
        "turns",
        "faults_of_game",
        "log",
        "replay",
    ]));
    for line in games {
        let game = &line.game;
        for number in game.by_place() {
            let seat = &game.seats[number];
            sheet.row(vec![
                Value::from(game.id.clone()),
                Value::from(game.place.season),
                Value::from(game.place.round),
                Value::from(game.place.table),
                Value::from(game.place.rotation),
                Value::from(number),
                Value::from(seat.bot.clone()),
                Value::from(seat.version),
                Value::from(seat.score),
                share(seat.share),
                Value::from(seat.place),
                Value::from(seat.counts),
                Value::from(game.end.clone()),
                Value::from(game.turns),
                Value::from(line.faults()),
                line.log.clone().map_or(Value::Null, Value::from),
                line.replay.clone().map_or(Value::Null, Value::from),
            ]);
        }
    }
    sheet
}
