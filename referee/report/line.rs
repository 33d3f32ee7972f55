//! What a report knows of a game, and of all games so far.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::parts::Links;
use referee_files::beneath::Spot;
use referee_files::log;
use referee_record::game_result::GameResult;
use referee_record::results::{ResultRow, Scheduled};
use referee_record::text;
use referee_statistics::rounds::Field;

/// The table of all games.
pub(super) const FILE: &str = "games.csv";

/// Number of games on a page of games.
pub(super) const ON_A_PAGE: usize = 1000;

/// Identifies a game: the start of a digest of everything from which its part of a report is made.
pub(super) type Mark = u64;

/// Returns the name of a page of games, from 1.
pub(super) fn page_name(number: usize) -> String {
    format!("games-{number}.html")
}

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
    /// The key of the game in the cache.
    pub(super) mark: Option<Mark>,
}

/// The log of a game.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Log {
    /// The folder of the records, and its name there as the results have it.
    #[serde(skip)]
    pub(super) root: PathBuf,
    pub(super) name: String,
    /// A link from the report.
    pub(super) link: String,
}

impl Log {
    /// Finds the log that a row names in a folder; `None` if it is missing or outside of the folder.
    pub(super) fn of(root: &Path, row: &ResultRow, target: &Path) -> Option<(Log, Spot)> {
        let spot = found(root, &row.log)?;
        let link = link(target, spot.path());
        Some((Log { root: root.to_owned(), name: row.log.clone(), link }, spot))
    }
}

/// Finds a log in a folder; `None` if it is missing or outside of the folder.
pub(super) fn found(root: &Path, name: &str) -> Option<Spot> {
    Some(log::found(Spot::below(root, name))).filter(Spot::is_file)
}

/// A bot in a game.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct BotLine {
    /// The index of the bot in its chapter.
    pub(super) bot: usize,
    pub(super) seat: usize,
    pub(super) place: usize,
    pub(super) score: i64,
    /// If not, the bot only filled a seat.
    pub(super) counts: bool,
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
            Some(BotLine { bot, seat, place, score: row.score, counts: row.counts, share: row.share.value() })
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

    /// Returns the differences of the first and the second bot's shares and scores: of two who play for a win alone, the
    /// shares always differ by 1. `None` with fewer than two bots, and if all bots are level.
    pub(super) fn margin(&self) -> Option<Margin> {
        let [first, second, ..] = &self.bots[..] else { return None };
        let last = self.bots.last()?;
        let is_level = (first.place, first.score) == (last.place, last.score);
        (!is_level)
            .then(|| Margin { share: first.share - second.share, score: first.score.abs_diff(second.score) })
    }

    /// Tells whether this is the same game.
    pub(super) fn is_same(&self, other: &GameLine) -> bool {
        (self.chapter, &self.game) == (other.chapter, &other.game)
    }

    /// Tells whether it is a game of a cup's final.
    pub(super) fn is_of_final(&self) -> bool {
        self.called.as_deref().is_some_and(|called| called == "final" || called.starts_with("final,"))
    }
}

/// By how much the first bot of a game is ahead of the second.
#[derive(Clone, Copy, Debug)]
pub(super) struct Margin {
    share: f64,
    score: u64,
}

impl Margin {
    /// Compares two margins: by shares, and by scores where these are the same.
    pub(super) fn cmp(&self, other: &Margin) -> Ordering {
        self.share.total_cmp(&other.share).then(self.score.cmp(&other.score))
    }
}

/// The texts that a list of games needs beside them.
#[derive(Debug)]
pub(super) struct Names {
    /// The title of the report.
    pub(super) title: String,
    /// The bots by chapter: names and versions.
    pub(super) bots: Vec<Vec<(String, u32)>>,
    /// Whether games have names in a cup.
    pub(super) has_cups: bool,
    /// The page of each bot, by its name.
    pub(super) pages: BTreeMap<String, String>,
}

impl Names {
    /// Makes them for chapters with these bots. `came` has names of bots in the order in which they came.
    pub(super) fn new<'a>(
        title: &str,
        fields: impl Iterator<Item = &'a Field>,
        has_cups: bool,
        came: &[String],
    ) -> Names {
        let names = |field: &Field| field.bots().iter().map(|bot| (bot.name.clone(), bot.version)).collect();
        let bots: Vec<Vec<(String, u32)>> = fields.map(names).collect();
        let playing: BTreeSet<&String> = bots.iter().flatten().map(|(name, _)| name).collect();
        let others = playing.iter().filter(|name| !came.contains(name));
        let numbers = came.iter().chain(others.copied()).zip(1..);
        let pages = numbers.filter(|(name, _)| playing.contains(name));
        let pages = pages.map(|(name, number)| (name.clone(), page_of_bot(number, name))).collect();
        Names { title: title.to_owned(), bots, has_cups, pages }
    }
}

/// The links of a page to the pages of bots. The second part leads from this page to the folder of the report.
#[derive(Clone, Copy)]
pub(super) struct NamesFrom<'a>(pub(super) &'a Names, pub(super) &'a str);

impl Links for NamesFrom<'_> {
    fn bot(&self, name: &str) -> Option<String> {
        let NamesFrom(names, up) = self;
        names.pages.get(name).map(|page| format!("{up}{page}"))
    }
}

impl Links for Names {
    fn bot(&self, name: &str) -> Option<String> {
        NamesFrom(self, "").bot(name)
    }
}

/// Returns the name of a bot's page. Its number keeps it apart from all others. The name of the bot follows if it is of
/// letters that each file system and each address can have.
fn page_of_bot(number: usize, name: &str) -> String {
    match is_plain(name) {
        true => format!("bots/{number}-{name}.html"),
        false => format!("bots/{number}.html"),
    }
}

/// Tells whether a name can be part of the name of a file and of an address as it is.
pub(super) fn is_plain(name: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    (1..=100).contains(&name.len()) && name.bytes().all(plain)
}

/// The games that were added so far.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct SoFar {
    /// Number of games.
    pub(super) count: usize,
    /// Number of pages of games that were written.
    pub(super) full: usize,
    /// The length of the table without the games that wait, in bytes.
    pub(super) bytes: u64,
    /// The games that are on none of these pages. Each has the numbers of all games before it.
    pub(super) waiting: VecDeque<GameLine>,
    /// Notable games, each with its number. Of equal ones the last is kept.
    pub(super) closest: Option<Notable>,
    pub(super) clearest: Option<Notable>,
    pub(super) faulty: Option<Notable>,
    /// The last game of each cup's final, by chapter.
    pub(super) finals: BTreeMap<usize, Notable>,
    /// The last games of each bot, by number.
    pub(super) recent: BTreeMap<usize, GameLine>,
}

/// A notable game.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Notable {
    pub(super) index: usize,
    pub(super) game: GameLine,
}

impl SoFar {
    /// Lists all games in it.
    fn games(&mut self) -> impl Iterator<Item = &mut GameLine> {
        let notable = [&mut self.closest, &mut self.clearest, &mut self.faulty].into_iter().flatten();
        let notable = notable.chain(self.finals.values_mut());
        let others = notable.map(|notable| &mut notable.game).chain(self.recent.values_mut());
        self.waiting.iter_mut().chain(others)
    }

    /// Numbers the bots of the first chapter anew, and says in which folder the logs are. Returns `None` if a bot has
    /// no number now.
    pub(super) fn renumbered(mut self, numbers: &[Option<usize>], root: &Path) -> Option<SoFar> {
        for game in self.games() {
            for bot in &mut game.bots {
                bot.bot = (*numbers.get(bot.bot)?)?;
            }
            if let Some(log) = &mut game.log {
                root.clone_into(&mut log.root);
            }
        }
        Some(self)
    }
}

/// Returns the relative link from a folder to a file. Both paths are absolute.
fn link(from: &Path, to: &Path) -> String {
    let same = from.components().zip(to.components()).take_while(|(one, other)| one == other).count();
    let up = from.components().skip(same).map(|_| "..".to_owned());
    let down = to.components().skip(same).map(|part| text::percent_encoded(part.as_os_str().as_bytes()));
    up.chain(down).collect::<Vec<String>>().join("/")
}
