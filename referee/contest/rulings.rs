//! Rulings on void games of a tournament: `rulings.csv`, a row for each ruling. Rows are only appended.
//!
//! The referee cannot know who brought a game down, so a void game does not count until a person has ruled. Means,
//! standings and the next pairings follow the ruling. Intervals, likely places and verdicts of the stop rule never do:
//! for them the result of a void game is unknown, with any ruling.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use crate::fixture::game_id;
use crate::plan::{self, Plan};
use crate::runner::GameEnd;
use crate::{played, publish};
use referee_files::beneath::Spot;
use referee_files::small;
use referee_record::Digest;
use referee_record::error::{Error, ErrorKind};
use referee_record::schema::{Column, Columns, Id, MaybeName, Text, column};
use referee_rules::BySeat;
use referee_statistics::schedule::deal::Pairing;

/// The ruling on a void game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ruling {
    /// All have the same share.
    Level,
    /// This bot has share 0, the others share equally.
    LostBy(String),
}

impl Ruling {
    /// Returns the shares of a void game with these bots, by seat. `players` is the number of bots at the table: of
    /// seats, or of teams, whose seats have the same share.
    pub fn shares(&self, bots: &[&str], players: usize) -> BySeat<f64> {
        let seats_each = bots.len() as f64 / players as f64;
        match self {
            Ruling::Level => BySeat::from_fn(bots.len(), |_| 1.0 / players as f64),
            Ruling::LostBy(lost) => {
                let others = bots.iter().filter(|bot| *bot != lost).count() as f64 / seats_each;
                bots.iter().map(|bot| if bot == lost { 0.0 } else { 1.0 / others }).collect()
            }
        }
    }

    /// Returns the bot that has lost; empty if none has.
    fn lost_by(&self) -> &str {
        match self {
            Ruling::Level => "",
            Ruling::LostBy(bot) => bot,
        }
    }
}

/// A row: the ruling on a game. The last one of a game counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "its columns say it")]
pub struct RulingRow {
    pub game: String,
    pub lost_by: String,
    pub why: String,
}

impl Columns for RulingRow {
    const WHAT: &'static str = "a ruling";
    const FORMAT: u32 = 2;
    const OLDEST: u32 = 2;
    const COLUMNS: &'static [Column<RulingRow>] = &[
        column!("game", game, Id, "the game's name"),
        column!("lost_by", lost_by, MaybeName, "the bot that lost it; empty: the game is level"),
        column!("why", why, Text, "reason for the ruling"),
    ];

    fn blank() -> RulingRow {
        RulingRow::default()
    }
}

/// The rulings so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rulings {
    of_game: BTreeMap<String, Ruling>,
}

impl Rulings {
    /// Reads the rulings of a tournament; none if there is no such file.
    pub fn read(root: &Path) -> Result<Rulings, Error> {
        let ruling = |RulingRow { game, lost_by, .. }| {
            let ruling = if lost_by.is_empty() { Ruling::Level } else { Ruling::LostBy(lost_by) };
            (game, ruling)
        };
        Ok(Rulings { of_game: rows(root)?.into_iter().map(ruling).collect() })
    }

    /// Returns the shares of a void game, by seat; `None` without a ruling.
    pub fn shares(&self, plan: &Plan, game: &Pairing) -> Option<BySeat<f64>> {
        let ruling = self.of_game.get(&game_id(game.scheduled))?;
        let names: Vec<&str> =
            game.entrants.iter().map(|(_, index)| plan.entrants[*index].name.name.as_str()).collect();
        let players = plan.entry.table(&game.parameters).unwrap_or(names.len());
        Some(ruling.shares(&names, players))
    }

    /// Returns a digest of the rulings on the void games of a plan's rounds so far; `None` if there are none.
    pub fn digest(&self, plan: &Plan) -> Result<Option<Digest>, Error> {
        let void = void_games(plan)?;
        let ruled = void.keys().filter_map(|game| Some((game, self.of_game.get(game)?)));
        let lines: String = ruled.map(|(game, ruling)| format!("{game},{}\n", ruling.lost_by())).collect();
        Ok(if lines.is_empty() { None } else { Some(Digest::of(lines.as_bytes())) })
    }
}

/// Rules on void games, and returns when the rulings are on the disk.
///
/// # Errors
///
/// If a game is not void, or the bot is not in it; or if the next round was planned with the earlier rulings.
pub fn rule(plan: &Plan, games: &[String], ruling: &Ruling, why: &str) -> Result<(), Error> {
    let _lock = plan::lock(&plan.root)?;
    let void = void_games(plan)?;
    for id in games {
        let wrong = |what: String| Error::input(format!("{id}: {what}"));
        let Some(VoidGame { game, is_of_this_round }) = void.get(id) else {
            let names = void.keys().map(String::as_str).collect::<Vec<&str>>().join(" ");
            let known =
                if names.is_empty() { "there is none".to_owned() } else { format!("there are: {names}") };
            return Err(wrong(format!("not a void game of this tournament ({known})")));
        };
        if plan.contents.format.is_adaptive() && !is_of_this_round {
            return Err(wrong(
                "the next round was planned with the earlier rulings, so they can no longer change"
                    .to_owned(),
            ));
        }
        if *ruling == Ruling::Level && game.entrants.len() == 1 {
            return Err(wrong(
                "its bot played alone, so it is level with nobody: --lost-by, or no ruling".to_owned(),
            ));
        }
        if let Ruling::LostBy(bot) = ruling {
            let bots = plan.who_counts(game);
            if !bots.iter().any(|of_game| of_game.name == *bot) {
                let bots = bots.iter().map(|bot| &*bot.name).collect::<Vec<&str>>().join(", ");
                return Err(wrong(format!("{bot} did not play in it; its bots are {bots}")));
            }
        }
    }
    let lost_by = ruling.lost_by();
    let row =
        |game: &String| RulingRow { game: game.clone(), lost_by: lost_by.to_owned(), why: why.to_owned() };
    let spot = Spot::within(&plan.root, file_of(&plan.root));
    let text = small::changed(&spot, |rows| rows.extend(games.iter().map(row)))?;
    publish::replace(spot, &text)
}

/// Checks that each ruling is on a void game of the rounds up to this one, and blames only a bot of that game.
///
/// # Errors
///
/// Names the first row that is not.
pub fn audit(plan: &Plan) -> Result<(), Error> {
    let path = file_of(&plan.root);
    let rows = rows(&plan.root)?;
    if rows.is_empty() {
        return Ok(());
    }
    let void = void_games(plan)?;
    for (RulingRow { game, lost_by, .. }, line) in rows.iter().zip(2..) {
        let wrong = |what: String| Error::line(&path, line, what);
        let Some(void_game) = void.get(game) else {
            return Err(wrong(format!("{game} is not a void game of this tournament")));
        };
        let has_played = || plan.who_counts(&void_game.game).iter().any(|bot| bot.name == *lost_by);
        if !lost_by.is_empty() && !has_played() {
            return Err(wrong(format!("{lost_by} did not play in {game}")));
        }
    }
    Ok(())
}

/// Void games without a ruling.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unruled {
    count: u64,
    /// The names of the first ones.
    first: Vec<String>,
}

/// Maximum number of games that a message names.
const NAMED_MAX: usize = 5;

impl Unruled {
    /// Adds one.
    pub fn add(&mut self, game: &Pairing) {
        self.count += 1;
        if self.first.len() < NAMED_MAX {
            self.first.push(game_id(game.scheduled));
        }
    }

    /// Tells whether there are none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }
}

impl std::error::Error for Unruled {}

/// The next pairings depend on void games without a ruling.
impl From<Unruled> for Error {
    fn from(unruled: Unruled) -> Error {
        Error::because(ErrorKind::Incomplete, unruled).context("the next pairings depend on void games")
    }
}

/// `no ruling yet on 7 void games: s001-r00001-t001-g1, ... (see tournament status --losses, then tournament rule)`
impl fmt::Display for Unruled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (count, first) = (self.count, self.first.join(", "));
        let games = if count == 1 { "1 void game".to_owned() } else { format!("{count} void games") };
        let more = if count > NAMED_MAX as u64 { ", ..." } else { "" };
        write!(
            f,
            "no ruling yet on {games}: {first}{more} (see tournament status --losses, then tournament rule)"
        )
    }
}

/// A void game of a tournament.
struct VoidGame {
    game: Pairing,
    is_of_this_round: bool,
}

/// Returns the void games of a tournament so far, by name.
fn void_games(plan: &Plan) -> Result<BTreeMap<String, VoidGame>, Error> {
    let mut void = BTreeMap::new();
    played::each_game(plan, |round, game, end| {
        if let GameEnd::Void(_) = end {
            let is_of_this_round = round.contents.round == plan.contents.round;
            void.insert(game_id(game.scheduled), VoidGame { game, is_of_this_round });
        }
        Ok(())
    })?;
    Ok(void)
}

fn rows(root: &Path) -> Result<Vec<RulingRow>, Error> {
    small::read(Spot::within(root, file_of(root)))
}

/// Returns the file of a tournament's rulings.
pub fn file_of(root: &Path) -> PathBuf {
    root.join("rulings.csv")
}
