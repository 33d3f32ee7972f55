//! The games of a report: one line for each, with the place of its log. Lines wait in a file until it is known which
//! games have a page; only the last and the notable ones are held in memory.

use std::collections::{BTreeMap, VecDeque};
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Seek, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Replays;
use crate::folder::Folder;
use crate::kept::{Kept, Mark};
use referee_files::beneath::Spot;
use referee_files::log;
use referee_files::threads::together;
use referee_page::html as page;
use referee_record::error::Error;
use referee_record::game_result::GameResult;
use referee_record::results::{ResultRow, Scheduled};
use referee_record::text;
use referee_statistics::rounds::Field;
use referee_tables::sheet::{Sheet, share};

/// A game.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct GameLine {
    pub(super) game: String,
    /// The index of its chapter.
    pub(super) chapter: usize,
    pub(super) place: Option<Scheduled>,
    /// Its name in a cup: `semifinal 2, game 1`.
    pub(super) called: Option<String>,
    /// Its bots by place.
    pub(super) bots: Vec<BotLine>,
    pub(super) end: String,
    pub(super) turns: u32,
    pub(super) faults: u64,
    /// Its log; `None` if it is missing.
    pub(super) log: Option<Log>,
    /// The page of the game in the report, if there is one.
    pub(super) replay: Option<String>,
    /// The key of the game in the cache; `None` in a line that was read back.
    #[serde(skip)]
    pub(super) mark: Option<Mark>,
}

/// The log of a game.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Log {
    /// `None` in a line that was read back: the log is not needed any more.
    #[serde(skip)]
    pub(super) spot: Option<Spot>,
    /// A link from the report.
    pub(super) link: String,
}

/// A bot in a game.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct BotLine {
    /// The index of the bot in its chapter.
    pub(super) bot: usize,
    pub(super) seat: usize,
    pub(super) place: usize,
    pub(super) score: i64,
    /// Written as its bits: records of strangers can have numbers that JSON cannot express.
    #[serde(with = "bits")]
    pub(super) share: f64,
}

/// Numbers as their bits.
mod bits {
    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(number: &f64, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_u64(number.to_bits())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
        u64::deserialize(from).map(f64::from_bits)
    }
}

impl GameLine {
    /// Makes the line of a game from its rows.
    pub(super) fn new(game: &GameResult, chapter: usize, field: &Field, log: Option<Log>) -> GameLine {
        let bot = |row: &ResultRow| {
            let bot = field.index(&row.bot)?;
            let (seat, place) = (row.seat.index(), row.place);
            Some(BotLine { bot, seat, place, score: row.score, share: row.share })
        };
        let mut bots: Vec<BotLine> = game.iter().filter_map(bot).collect();
        bots.sort_by_key(|bot| (bot.place, bot.seat));
        let first = game.shared();
        GameLine {
            game: first.game.clone(),
            chapter,
            place: first.place_in_schedule,
            called: None,
            bots,
            end: first.end.clone(),
            turns: first.turns,
            faults: game.iter().flat_map(|row| row.faults).sum(),
            log,
            replay: None,
            mark: None,
        }
    }

    /// Writes the page on which the game can be watched, if its log is there, and notes its name. `index` is the game's
    /// number, from 0.
    pub(super) fn write_page(
        &mut self,
        index: usize,
        folder: &mut Folder,
        kept: &mut Kept,
    ) -> Result<(), Error> {
        let Some(spot) = self.log.as_ref().and_then(|log| log.spot.as_ref()) else { return Ok(()) };
        let name = format!("games/{}.html", name_of(&self.game, index));
        if !kept.page(self.mark, &name, folder) {
            let report = page::Link { text: "The report".to_owned(), address: "../index.html".to_owned() };
            // A report is for everybody. The standard error of a bot is for its author.
            folder.write(&name, page::public_page(log::open(spot)?, &[report], &together)?)?;
            kept.add_page(self.mark, &name, folder);
        }
        self.replay = Some(name);
        Ok(())
    }

    /// Returns the difference of the first and the second bot's shares; `None` with fewer than two bots.
    fn margin(&self) -> Option<f64> {
        let [first, second, ..] = &self.bots[..] else { return None };
        Some(first.share - second.share)
    }
}

/// Number of the latest games on the first page.
const LAST_GAMES: usize = 20;

/// The games of a report, in the order of the results.
#[derive(Debug)]
pub(super) struct Games {
    /// Number of games.
    pub(super) count: usize,
    /// Number of games with a page.
    pub(super) watched: usize,
    replays: Replays,
    /// All lines, each as JSON.
    lines: BufWriter<File>,
    /// The folder of the report, for errors.
    target: PathBuf,
    /// The last games, with their numbers from 0: as many as are asked for.
    last: VecDeque<(usize, GameLine)>,
    /// Notable games, each with its measure. Of equal ones the last is kept.
    closest: Option<(f64, (usize, GameLine))>,
    clearest: Option<(f64, (usize, GameLine))>,
    faulty: Option<(f64, (usize, GameLine))>,
    /// The pages of games that were written after their lines, by number.
    pages: BTreeMap<usize, String>,
}

impl Games {
    /// Begins without a game.
    pub(super) fn begin(replays: Replays, folder: &Folder) -> Result<Games, Error> {
        Ok(Games {
            count: 0,
            watched: 0,
            replays,
            lines: BufWriter::new(folder.scratch()?),
            target: folder.target().to_owned(),
            last: VecDeque::new(),
            closest: None,
            clearest: None,
            faulty: None,
            pages: BTreeMap::new(),
        })
    }

    /// Adds a game. If all games get pages, its page is written now.
    pub(super) fn add(
        &mut self,
        mut game: GameLine,
        folder: &mut Folder,
        kept: &mut Kept,
    ) -> Result<(), Error> {
        let index = self.count;
        self.count += 1;
        if self.replays == Replays::All {
            game.write_page(index, folder, kept)?;
            self.watched += usize::from(game.replay.is_some());
        }
        let line = serde_json::to_string(&game).expect("plain values");
        writeln!(self.lines, "{line}").map_err(refused(&self.target))?;
        let margin = game.margin();
        let faults = (game.faults > 0).then_some(game.faults as f64);
        let candidates = [
            (&mut self.closest, margin.map(|margin| -margin)),
            (&mut self.clearest, margin),
            (&mut self.faulty, faults),
        ];
        for (best, how) in candidates {
            let Some(how) = how else { continue };
            if best.as_ref().is_none_or(|(most, _)| how.total_cmp(most).is_ge()) {
                *best = Some((how, (index, game.clone())));
            }
        }
        self.last.push_back((index, game));
        if self.last.len() > self.last_kept() {
            self.last.pop_front();
        }
        Ok(())
    }

    fn last_kept(&self) -> usize {
        match self.replays {
            Replays::Last(count) => count.max(LAST_GAMES),
            Replays::All | Replays::None => LAST_GAMES,
        }
    }

    /// Writes the pages of the last games and the notable ones, if only these have pages. Called once, after the last
    /// game.
    pub(super) fn close(&mut self, folder: &mut Folder, kept: &mut Kept) -> Result<(), Error> {
        self.lines.flush().map_err(refused(&self.target))?;
        let Replays::Last(count) = self.replays else { return Ok(()) };
        let notable = [&mut self.closest, &mut self.clearest, &mut self.faulty];
        let notable = notable.into_iter().flatten().map(|(_, game)| game);
        let first = self.count.saturating_sub(count);
        let last = self.last.iter_mut().filter(|(index, _)| *index >= first);
        let mut chosen: Vec<&mut (usize, GameLine)> = last.chain(notable).collect();
        chosen.sort_by_key(|(index, _)| *index);
        for (index, game) in &mut chosen {
            match self.pages.get(index) {
                Some(page) => game.replay = Some(page.clone()),
                None => {
                    game.write_page(*index, folder, kept)?;
                    self.pages.extend(game.replay.clone().map(|page| (*index, page)));
                }
            }
        }
        // One of the last games can have a page only because it is notable.
        for (index, game) in &mut self.last {
            game.replay = self.pages.get(index).cloned();
        }
        self.watched = self.pages.len();
        Ok(())
    }

    /// Lists some notable games, each with the reason: the closest, the clearest, the one with the most faults.
    pub(super) fn notable(&self) -> Vec<(&'static str, &GameLine)> {
        let reasons =
            [("the closest", &self.closest), ("the clearest", &self.clearest), ("most faults", &self.faulty)];
        reasons.into_iter().filter_map(|(reason, found)| Some((reason, &found.as_ref()?.1.1))).collect()
    }

    /// Lists the last games, the last one first.
    pub(super) fn last(&self) -> impl Iterator<Item = &GameLine> {
        self.last.iter().rev().take(LAST_GAMES).map(|(_, game)| game)
    }

    /// Reads all games, this number at a time.
    pub(super) fn each_chunk(
        &self,
        size: usize,
        mut take: impl FnMut(&[GameLine]) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut file = self.lines.get_ref();
        file.rewind().map_err(refused(&self.target))?;
        let mut lines = BufReader::new(file).lines().enumerate();
        loop {
            let mut chunk = Vec::new();
            for (index, line) in lines.by_ref().take(size) {
                let line = line.map_err(refused(&self.target))?;
                let mut game: GameLine = serde_json::from_str(&line).expect("a line that was just written");
                if let Some(page) = self.pages.get(&index) {
                    game.replay = Some(page.clone());
                }
                chunk.push(game);
            }
            if chunk.is_empty() {
                return Ok(());
            }
            take(&chunk)?;
        }
    }
}

fn refused(target: &Path) -> impl FnOnce(io::Error) -> Error {
    Error::system(target, "keep the lines of games")
}

/// The name of a game's page: the game's name if it can be a file's, else its number.
fn name_of(game: &str, index: usize) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    let fits = (1..=100).contains(&game.len()) && game.bytes().all(plain);
    if fits { game.to_owned() } else { format!("{}", index + 1) }
}

/// Games as a table: a row for each seat whose bot is known.
pub(super) fn sheet(games: &[GameLine], names: impl Fn(usize, usize) -> (String, u32)) -> Sheet {
    let columns =
        ["game", "season", "round", "table", "rotation", "seat", "bot", "version", "score", "share"];
    let mut sheet =
        Sheet::new(columns.into_iter().chain(["place", "end", "turns", "faults_of_game", "log", "replay"]));
    for game in games {
        let part =
            |part: fn(Scheduled) -> u32| game.place.map_or(Value::Null, |place| Value::from(part(place)));
        for bot in &game.bots {
            let (name, version) = names(game.chapter, bot.bot);
            sheet.row(vec![
                Value::from(game.game.clone()),
                part(|place| place.season),
                part(|place| place.round),
                part(|place| place.table),
                part(|place| place.rotation),
                Value::from(bot.seat),
                Value::from(name),
                Value::from(version),
                Value::from(bot.score),
                share(bot.share),
                Value::from(bot.place),
                Value::from(game.end.clone()),
                Value::from(game.turns),
                Value::from(game.faults),
                game.log.as_ref().map_or(Value::Null, |log| Value::from(log.link.clone())),
                game.replay.clone().map_or(Value::Null, Value::from),
            ]);
        }
    }
    sheet
}

/// Finds the log that a row names in a folder; `None` if it is missing or outside of the folder.
pub(super) fn log_of(folder: &Path, row: &ResultRow) -> Option<Spot> {
    Some(log::found(Spot::below(folder, &row.log))).filter(Spot::is_file)
}

/// Returns the relative link from a folder to a file. Both paths are absolute.
pub(super) fn link(from: &Path, to: &Path) -> String {
    let same = from.components().zip(to.components()).take_while(|(one, other)| one == other).count();
    let up = from.components().skip(same).map(|_| "..".to_owned());
    let down = to.components().skip(same).map(|part| text::percent_encoded(part.as_os_str().as_bytes()));
    up.chain(down).collect::<Vec<String>>().join("/")
}
