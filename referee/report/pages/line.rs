//! A game as a report knows it, and the state of all games so far.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::pages::parts::Links;
use crate::pages::show::games::GameSummary;
use referee_files::beneath::Spot;
use referee_files::log;
use referee_record::results::ResultRow;
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
    pub(super) game: GameSummary,
    /// The index of its chapter.
    pub(super) chapter: usize,
    /// Its name in a cup: `semifinal 2, game 1`.
    pub(super) name_in_cup: Option<String>,
    /// A link from the report to its log; `None` if it is missing.
    pub(super) log: Option<String>,
    /// The page of the game in the report, if there is one.
    pub(super) replay: Option<String>,
    /// The key of the game in the cache.
    pub(super) mark: Option<Mark>,
}

/// Finds the log that a row names in a folder, with a link to it from the report; `None` if it is missing or outside of
/// the folder.
pub(super) fn log_of(root: &Path, row: &ResultRow, target: &Path) -> Option<(String, Spot)> {
    let spot = find_log(root, &row.log)?;
    Some((link(target, spot.path()), spot))
}

/// Finds a log in a folder; `None` if it is missing or outside of the folder.
pub(super) fn find_log(root: &Path, name: &str) -> Option<Spot> {
    Some(log::resolve_form(Spot::below(root, name))).filter(Spot::is_file)
}

impl GameLine {
    /// Returns the number of its faults.
    pub(super) fn faults(&self) -> u64 {
        self.game.seats.iter().map(|seat| u64::from(seat.faults)).sum()
    }

    /// Tells whether this is the same game.
    pub(super) fn is_same(&self, other: &GameLine) -> bool {
        (self.chapter, &self.game.id) == (other.chapter, &other.game.id)
    }

    /// Tells whether it is a game of a cup's final.
    pub(super) fn is_of_final(&self) -> bool {
        self.name_in_cup.as_deref().is_some_and(|name| name == "final" || name.starts_with("final,"))
    }
}

/// The pages of bots.
#[derive(Debug)]
pub(super) struct Names {
    /// The title of the report.
    pub(super) title: String,
    /// Whether rounds alone do not say when a game was played.
    pub(super) has_sets: bool,
    /// The page of each bot, by its name.
    pub(super) pages: BTreeMap<String, String>,
}

impl Names {
    /// Makes the pages of chapters with these fields. `entrants` has names of bots, in the order in which they were
    /// first submitted, by which the pages are numbered.
    pub(super) fn new<'a>(
        title: &str,
        fields: impl Iterator<Item = &'a Field>,
        has_sets: bool,
        entrants: &[String],
    ) -> Names {
        let playing: BTreeSet<&String> =
            fields.flat_map(|field| field.bots().iter().map(|bot| &bot.name)).collect();
        let others = playing.iter().filter(|name| !entrants.contains(name));
        let numbers = entrants.iter().chain(others.copied()).zip(1..);
        let pages = numbers.filter(|(name, _)| playing.contains(name));
        let pages = pages.map(|(name, number)| (name.clone(), page_of_bot(number, name))).collect();
        Names { title: title.to_owned(), has_sets, pages }
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

/// Returns the name of a bot's page. The number distinguishes it from all others. The name of the bot follows if all
/// its characters can be in names of files and in addresses.
fn page_of_bot(number: usize, name: &str) -> String {
    if is_plain(name) { format!("bots/{number}-{name}.html") } else { format!("bots/{number}.html") }
}

/// Tells whether a name can be part of the name of a file and of an address as it is.
pub(super) fn is_plain(name: &str) -> bool {
    let is_plain_byte = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    (1..=100).contains(&name.len()) && name.bytes().all(is_plain_byte)
}

/// The state of the games that were added so far. A later report can go on from it.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct GamesState {
    /// Number of games.
    pub(super) count: usize,
    /// Number of pages of games that were written.
    pub(super) full_pages: usize,
    /// The length of the table without the games that wait, in bytes.
    pub(super) table_length: u64,
    /// The latest games, which are on no page yet.
    pub(super) waiting: VecDeque<GameLine>,
    /// Notable games, each with its number. Of equal ones, it is the last.
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

/// Returns the relative link from a folder to a file. Both paths are absolute.
fn link(from: &Path, to: &Path) -> String {
    let same = from.components().zip(to.components()).take_while(|(one, other)| one == other).count();
    let up = from.components().skip(same).map(|_| "..".to_owned());
    let down = to.components().skip(same).map(|part| text::percent_encoded(part.as_os_str().as_bytes()));
    up.chain(down).collect::<Vec<String>>().join("/")
}
