//! The games of a report: one line each, with where its log lies.

use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use serde_json::Value;

use crate::record::beneath::Spot;
use crate::record::file;
use crate::record::results::{ResultRow, Scheduled};
use crate::statistics::rounds::Field;
use crate::view::sheet::{Sheet, rounded};

/// A game.
#[derive(Clone, Debug)]
pub(super) struct GameLine {
    pub(super) game: String,
    /// Of which chapter.
    pub(super) chapter: usize,
    pub(super) place: Option<Scheduled>,
    /// By place.
    pub(super) bots: Vec<BotLine>,
    pub(super) end: String,
    pub(super) turns: u32,
    pub(super) faults: u64,
    /// Where its log lies; `None` if it is not there.
    pub(super) log: Option<Log>,
    /// The page of the game in the report, if there is one.
    pub(super) replay: Option<String>,
}

/// The log of a game.
#[derive(Clone, Debug)]
pub(super) struct Log {
    pub(super) spot: Spot,
    /// From the report.
    pub(super) link: String,
}

/// A bot in a game.
#[derive(Clone, Copy, Debug)]
pub(super) struct BotLine {
    /// Which of the chapter's bots.
    pub(super) bot: usize,
    pub(super) seat: usize,
    pub(super) place: usize,
    pub(super) score: i64,
    pub(super) share: f64,
}

impl GameLine {
    /// Makes the line of a game from its rows.
    pub(super) fn new(game: &[ResultRow], chapter: usize, field: &Field, log: Option<Log>) -> GameLine {
        let bot = |row: &ResultRow| {
            let bot = field.index(&row.bot)?;
            let (seat, place) = (row.seat.index(), row.place);
            Some(BotLine { bot, seat, place, score: row.score, share: row.share })
        };
        let mut bots: Vec<BotLine> = game.iter().filter_map(bot).collect();
        bots.sort_by_key(|bot| (bot.place, bot.seat));
        let first = &game[0];
        GameLine {
            game: first.game.clone(),
            chapter,
            place: first.place_in_schedule,
            bots,
            end: first.end.clone(),
            turns: first.turns,
            faults: game.iter().flat_map(|row| row.faults).sum(),
            log,
            replay: None,
        }
    }

    /// How far the first is ahead of the second.
    fn margin(&self) -> Option<f64> {
        let [first, second, ..] = &self.bots[..] else { return None };
        Some(first.share - second.share)
    }
}

/// Some games that are worth a look, each with the reason: the closest, the clearest, the one with most faults. Of games
/// that are alike the last.
pub(super) fn notable(games: &[GameLine]) -> Vec<(&'static str, usize)> {
    let margins = || games.iter().enumerate().filter_map(|(index, game)| Some((game.margin()?, index)));
    let most = |one: &(f64, usize), other: &(f64, usize)| one.0.total_cmp(&other.0);
    let closest = margins().map(|(margin, index)| (-margin, index)).max_by(most);
    let clearest = margins().max_by(most);
    let faulty = games.iter().enumerate().filter(|(_, game)| game.faults > 0);
    let faulty = faulty.max_by_key(|(_, game)| game.faults).map(|(index, _)| (0.0, index));
    let reasons = [("the closest", closest), ("the clearest", clearest), ("most faults", faulty)];
    reasons.into_iter().filter_map(|(reason, found)| Some((reason, found?.1))).collect()
}

/// All games as a table: a row for each seat whose bot is known.
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
                rounded(bot.share, 6),
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

/// Finds the log that a row names from a folder; `None` if it is not there, or would lie elsewhere.
pub(super) fn log_of(folder: &Path, row: &ResultRow) -> Option<Spot> {
    Some(file::found(Spot::below(folder, &row.log))).filter(Spot::is_file)
}

/// Writes the way from one folder to a file as a link. Both paths are whole.
pub(super) fn link(from: &Path, to: &Path) -> String {
    let same = from.components().zip(to.components()).take_while(|(one, other)| one == other).count();
    let up = from.components().skip(same).map(|_| "..".to_owned());
    let down = to.components().skip(same).map(|part| percent_encoded(part.as_os_str().as_bytes()));
    up.chain(down).collect::<Vec<String>>().join("/")
}

/// Returns a part of a link: what is not unreserved (RFC 3986, section 2.3) is written as `%` and two hexadecimal digits.
fn percent_encoded(part: &[u8]) -> String {
    let encoded = |byte: &u8| match byte {
        b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' | b'-' | b'.' | b'_' | b'~' => char::from(*byte).to_string(),
        _ => format!("%{byte:02X}"),
    };
    part.iter().map(encoded).collect()
}
