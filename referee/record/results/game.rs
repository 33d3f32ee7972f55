//! The result of a game.

use std::ops::{Deref, DerefMut};

use serde::{Deserialize, Serialize};

use super::games::NumberedRow;
use super::row::{Header, ResultRow, Scheduled};
use crate::forms::{WASM, units_of};
use crate::{Digest, Heading, Share, Tally};
use referee_rules::{FaultKind, Outcome, Seat};

/// The result of a game: a row a seat, in the order of the seats. There is at least one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Vec<String>", into = "Vec<String>")]
pub struct GameResult(Vec<ResultRow>);

impl GameResult {
    /// Takes the rows of a game.
    ///
    /// # Panics
    ///
    /// If there is none.
    pub fn new(rows: Vec<ResultRow>) -> GameResult {
        assert!(!rows.is_empty(), "a game has seats");
        GameResult(rows)
    }

    /// Takes the rows of a game as they were read of results: at least one.
    pub fn of(rows: Vec<NumberedRow>) -> GameResult {
        GameResult::new(rows.into_iter().map(|(_, row)| row).collect())
    }

    /// Returns the row of seat 0, for columns that are the same in all rows.
    pub fn shared(&self) -> &ResultRow {
        &self.0[0]
    }

    /// Returns the game's name.
    pub fn game(&self) -> &str {
        &self.shared().game
    }

    /// Returns the place of the game in a schedule, if there is one.
    pub fn scheduled(&self) -> Option<Scheduled> {
        self.shared().place_in_schedule
    }

    /// Returns the file of its log, from the folder of the results.
    pub fn log(&self) -> &str {
        &self.shared().log
    }
}

/// Rows as they are written.
impl From<GameResult> for Vec<String> {
    fn from(GameResult(rows): GameResult) -> Vec<String> {
        rows.iter().map(ResultRow::text).collect()
    }
}

impl TryFrom<Vec<String>> for GameResult {
    type Error = String;

    fn try_from(rows: Vec<String>) -> Result<GameResult, String> {
        let header = Header::current();
        let row = |text: &String| header.parse(text).map_err(|_| format!("not a row of results: {text}"));
        let rows: Vec<ResultRow> = rows.iter().map(row).collect::<Result<_, _>>()?;
        if rows.is_empty() { Err("a game without rows".to_owned()) } else { Ok(GameResult(rows)) }
    }
}

impl Deref for GameResult {
    type Target = [ResultRow];

    fn deref(&self) -> &[ResultRow] {
        &self.0
    }
}

impl DerefMut for GameResult {
    fn deref_mut(&mut self) -> &mut [ResultRow] {
        &mut self.0
    }
}

impl IntoIterator for GameResult {
    type Item = ResultRow;
    type IntoIter = std::vec::IntoIter<ResultRow>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'a> IntoIterator for &'a GameResult {
    type Item = &'a ResultRow;
    type IntoIter = std::slice::Iter<'a, ResultRow>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

/// Makes the rows of a game that has ended.
pub fn rows_of_game(
    heading: &Heading,
    outcome: &Outcome,
    turns: u32,
    tally: &Tally,
    log: (&str, &Digest),
    circumstances: &Circumstances,
) -> GameResult {
    let parameters: Vec<String> =
        heading.parameters.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let rows = heading.bots.iter().map(|(seat, bot)| ResultRow {
        game: heading.game.clone(),
        started: circumstances.started.clone(),
        rules: heading.rules.clone(),
        rules_version: heading.version,
        parameters: parameters.join(" "),
        seed: heading.seed,
        place_in_schedule: circumstances.scheduled,
        counts: !circumstances.fillers.contains(&seat),
        sandbox: circumstances.sandbox(seat).to_owned(),
        clock: circumstances.clock(seat).to_owned(),
        seats: heading.bots.len(),
        seat,
        bot: bot.clone(),
        arguments: heading.arguments[seat].clone(),
        score: outcome.scores[seat],
        share: Share::of(outcome.shares[seat]),
        place: outcome.place(seat),
        end: outcome.reason.to_owned(),
        turns,
        faults: FaultKind::ALL.map(|kind| tally.faults(seat, kind)),
        thinking: tally.thinking(seat),
        log: log.0.to_owned(),
        log_digest: log.1.clone(),
        rules_digest: circumstances.rules_digest.clone(),
    });
    GameResult::new(rows.collect())
}

/// The parts of a game's rows that its log does not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Circumstances {
    /// Date and time.
    pub started: String,
    /// The place of the game in a schedule, if there is one.
    pub scheduled: Option<Scheduled>,
    /// Seats whose score does not count.
    pub fillers: Vec<Seat>,
    /// How the bots were confined.
    pub sandbox: String,
    /// The meaning of their thinking times: `charged`, `serial` or `wall`.
    pub clock: String,
    /// The digest of the program with the rules, unless it is the referee.
    pub rules_digest: Option<Digest>,
    /// Seats whose bots are guests, modules of WebAssembly.
    pub guests: Vec<Seat>,
    /// The meaning of the thinking times of guests: `units-2`.
    pub guest_clock: String,
}

impl Circumstances {
    fn sandbox(&self, seat: Seat) -> &str {
        if self.guests.contains(&seat) { WASM } else { &self.sandbox }
    }

    fn clock(&self, seat: Seat) -> &str {
        if self.guests.contains(&seat) { &self.guest_clock } else { &self.clock }
    }
}

impl ResultRow {
    /// Tells whether the bot is a guest, a module of WebAssembly, whose thinking time is counted in units.
    pub fn is_guest(&self) -> bool {
        self.sandbox == WASM
    }

    /// Returns the number of the table of instruction costs by which the bot was charged; `None` unless it is a guest.
    pub fn units(&self) -> Option<u32> {
        if self.is_guest() { units_of(&self.clock) } else { None }
    }
}
