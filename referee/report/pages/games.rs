//! The games of a report: one line for each, with the place of its log. A page of games is written when it is full and
//! none of its games can still get a page of its own as one of the last. Only games that wait for that, and notable
//! ones, are in memory.

use std::cmp::Ordering;
use std::collections::{BTreeMap, VecDeque};
use std::fs::File;
use std::io::{self, BufWriter, Seek, Write};
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::pages::Replays;
use crate::pages::cache::ReportCache;
use crate::pages::folder::Folder;
use crate::pages::line::{
    FILE, GameLine, GamesState, Names, Notable, ON_A_PAGE, find_log, is_plain, page_name,
};
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
        if self.log.is_none() {
            return Ok(());
        }
        let Some(spot) = find_log(root, &self.game.log) else { return Ok(()) };
        let name = format!("games/{}.html", name_of(&self.game.id, index));
        if !cache.take_over_page(self.mark, &name, folder) {
            let report = page::Link { text: "The report".to_owned(), address: "../index.html".to_owned() };
            // A report is for everybody, so its pages have no standard error of bots, which is for the authors.
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
    /// The bots that were ever submitted, for their marks.
    entrants: ContestSummary,
    replays: Replays,
    /// The rows of all games, except those that wait.
    table: BufWriter<File>,
    /// The folder of the records.
    root: PathBuf,
    /// The folder of the report, for errors.
    target: PathBuf,
    state: GamesState,
    /// The numbers of the last games of each bot, by its name and the chapter. They follow from `state.recent`.
    last_of: BTreeMap<(String, usize), VecDeque<usize>>,
    /// The pages of games, by the games' numbers.
    pages: BTreeMap<usize, String>,
}

/// The records that games come from.
pub(super) struct Source<'a> {
    /// The folder of the records.
    pub(super) root: &'a Path,
    /// The bots that were ever submitted.
    pub(super) entrants: ContestSummary,
}

impl Games {
    /// Begins without a game, or with the table and the games of an earlier report.
    pub(super) fn begin(
        names: Names,
        source: Source<'_>,
        replays: Replays,
        earlier: Option<(BufWriter<File>, GamesState)>,
        folder: &mut Folder,
    ) -> Result<Games, Error> {
        let target = folder.target().to_owned();
        let (table, mut state) = match earlier {
            Some(earlier) => earlier,
            None => {
                let mut table = folder.begin_file(FILE)?;
                sheet(&[]).write_csv(&mut table).map_err(refused(&target))?;
                (table, GamesState::default())
            }
        };
        let recent = std::mem::take(&mut state.recent);
        let mut games = Games {
            names,
            entrants: source.entrants,
            replays,
            table,
            root: source.root.to_owned(),
            target,
            state,
            last_of: BTreeMap::new(),
            pages: BTreeMap::new(),
        };
        for (index, game) in recent {
            games.keep_recent(index, game);
        }
        Ok(games)
    }

    /// Keeps a game as the last one of its bots, and drops those that are among the last of no bot any more.
    fn keep_recent(&mut self, index: usize, game: GameLine) {
        let mut candidates = Vec::new();
        for seat in &game.game.seats {
            let last_games = self.last_of.entry((seat.bot.clone(), game.chapter)).or_default();
            // A bot can have several seats in a game.
            if last_games.back() != Some(&index) {
                last_games.push_back(index);
            }
            if last_games.len() > LAST_OF_A_BOT {
                candidates.extend(last_games.pop_front());
            }
        }
        self.state.recent.insert(index, game);
        for index in candidates {
            let Some(line) = self.state.recent.get(&index) else { continue };
            let is_needed = line.game.seats.iter().any(|seat| {
                let last_games = self.last_of.get(&(seat.bot.clone(), line.chapter));
                last_games.is_some_and(|last_games| last_games.contains(&index))
            });
            if !is_needed {
                self.state.recent.remove(&index);
            }
        }
    }

    /// Lists the last games of a bot in a chapter, or in all, the last one first.
    pub(super) fn last_of(&self, bot: &str, chapter: Option<usize>) -> impl Iterator<Item = &GameLine> {
        let keys = (bot.to_owned(), chapter.unwrap_or(0))..=(bot.to_owned(), chapter.unwrap_or(usize::MAX));
        let mut numbers: Vec<usize> =
            self.last_of.range(keys).flat_map(|(_, games)| games).copied().collect();
        numbers.sort_unstable();
        numbers.into_iter().rev().filter_map(|index| self.state.recent.get(&index))
    }

    /// Adds a game. If all games get pages, its page is written now.
    pub(super) fn add(
        &mut self,
        mut game: GameLine,
        folder: &mut Folder,
        cache: &mut ReportCache,
    ) -> Result<(), Error> {
        let index = self.state.count;
        self.state.count += 1;
        if self.replays == Replays::All {
            game.write_page(index, &self.root, folder, cache)?;
            self.pages.extend(game.replay.clone().map(|page| (index, page)));
        }
        self.note_if_notable(index, &game);
        self.keep_recent(index, game.clone());
        self.state.waiting.push_back(game);
        if self.state.waiting.len() >= ON_A_PAGE + self.last_games() {
            let page: Vec<GameLine> = self.state.waiting.drain(..ON_A_PAGE).collect();
            self.state.full_pages += 1;
            self.write(&page, self.state.full_pages, folder, false)?;
        }
        Ok(())
    }

    /// Keeps a game that is the closest, the clearest, the one with most faults, or one of a final.
    fn note_if_notable(&mut self, index: usize, game: &GameLine) {
        let notable = || Notable { index, game: game.clone() };
        if game.game.margin().is_some() {
            let compare_to = |best: &Option<Notable>| match best {
                Some(best) => compare_margins(game, &best.game),
                None => Ordering::Equal,
            };
            if compare_to(&self.state.closest).is_le() {
                self.state.closest = Some(notable());
            }
            if compare_to(&self.state.clearest).is_ge() {
                self.state.clearest = Some(notable());
            }
        }
        let faults_max = self.state.faulty.as_ref().map_or(1, |faulty| faulty.game.faults());
        if game.faults() >= faults_max {
            self.state.faulty = Some(notable());
        }
        if game.is_of_final() {
            self.state.finals.insert(game.chapter, notable());
        }
    }

    /// Returns the number of the latest games that must stay in memory.
    fn last_games(&self) -> usize {
        match self.replays {
            Replays::Last(count) => count.max(LAST_GAMES),
            Replays::All | Replays::None => LAST_GAMES,
        }
    }

    /// Returns the state from which a later report can go on. To be called before the games are closed.
    pub(super) fn state(&mut self) -> Result<GamesState, Error> {
        self.state.table_length = self.table.stream_position().map_err(refused(&self.target))?;
        Ok(self.state.clone())
    }

    /// Writes the pages of the last games and the notable ones, if only these have pages, and the games that waited for
    /// that. Called once, after the last game.
    pub(super) fn close(&mut self, folder: &mut Folder, cache: &mut ReportCache) -> Result<(), Error> {
        let GamesState { count, waiting, closest, clearest, faulty, finals, recent, .. } = &mut self.state;
        let first_waiting = *count - waiting.len();
        if let Replays::Last(with_page) = self.replays {
            let first = count.saturating_sub(with_page);
            let last = (first_waiting..).zip(waiting.iter_mut()).filter(|(index, _)| *index >= first);
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
        // Each of these lines gets the page of its game, also if the game has a page only since it is notable.
        let recent = recent.iter_mut().map(|(index, game)| (*index, game));
        for (index, game) in (first_waiting..).zip(waiting).chain(recent) {
            game.replay = self.pages.get(&index).cloned();
        }
        let waiting: Vec<GameLine> = self.state.waiting.iter().cloned().collect();
        let pages = waiting.len().div_ceil(ON_A_PAGE);
        for (games, number) in waiting.chunks(ON_A_PAGE).zip(1..) {
            self.write(games, self.state.full_pages + number, folder, number == pages)?;
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
        self.state.count
    }

    /// Returns the number of games with a page.
    pub(super) fn page_count(&self) -> usize {
        self.pages.len()
    }

    /// Lists notable games, each once with its reasons: the last of each final, the closest, the clearest if it was
    /// clearer than the closest, and the one with most faults.
    pub(super) fn notable(&self) -> Vec<(Vec<&'static str>, &GameLine)> {
        let GamesState { closest, clearest, faulty, finals, .. } = &self.state;
        let is_clearer = |clearest: &&Notable| {
            closest.as_ref().is_some_and(|closest| compare_margins(&clearest.game, &closest.game).is_gt())
        };
        let finals = finals.values().map(|game| ("the final", game));
        let others = [
            ("the closest", closest.as_ref()),
            ("the clearest", clearest.as_ref().filter(is_clearer)),
            ("most faults", faulty.as_ref()),
        ];
        let others = others.into_iter().filter_map(|(reason, notable)| Some((reason, notable?)));
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
        self.state.waiting.iter().rev().take(LAST_GAMES)
    }
}

/// Compares by how much the first bots of two games are ahead.
fn compare_margins(one: &GameLine, other: &GameLine) -> Ordering {
    match (one.game.margin(), other.game.margin()) {
        (Some(one), Some(other)) => one.compare(&other),
        _ => Ordering::Equal,
    }
}

fn refused(target: &Path) -> impl FnOnce(io::Error) -> Error {
    Error::system(target, "write the report")
}

/// Returns the name of a game's page: the game's name if it can be that of a file, else its number.
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
