//! A fixture: one game to be played, with its bots by seat and its name.

use std::fmt;

use referee_games::catalog::Entry;
use referee_record::file::Form;
use referee_record::results::{ResultRow, Scheduled};
use referee_record::voids::VoidRow;
use referee_record::{BotName, identity};
use referee_rules::{BySeat, Parameters, Seat, Seed};
use referee_statistics::schedule::deal::Pairing;
use referee_table::process::{Program, Timekeeping};

/// A bot that can be started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entrant {
    /// Its name in the record.
    pub name: BotName,
    /// The program.
    pub program: Program,
    /// Its author; empty if unknown.
    pub author: String,
}

/// One game that is to be played.
#[derive(Clone, Debug)]
pub struct Fixture {
    /// Its name: letters, digits, `_` and `-`.
    pub id: String,
    /// The folder of its files below `logs` and `stderr`; empty if they are in these folders themselves.
    pub folder: String,
    /// Whether its log is compressed.
    pub log: Form,
    /// Whether spectators can follow it: its log is handed on while it is played.
    pub live: bool,
    /// The game.
    pub entry: &'static Entry,
    /// The parameters.
    pub parameters: Parameters,
    /// The random seed.
    pub seed: Seed,
    /// The bot of each seat.
    pub entrants: BySeat<Entrant>,
    /// Its place in a schedule.
    pub scheduled: Option<Scheduled>,
    /// Seats whose score does not count.
    pub fillers: Vec<Seat>,
}

impl Fixture {
    /// Makes a fixture of a game of a schedule. Its bots are given by their places in `entrants`.
    pub(crate) fn new(
        pairing: &Pairing,
        entry: &'static Entry,
        entrants: &[Entrant],
        folder: String,
        log: Form,
    ) -> Fixture {
        Fixture {
            id: game_id(pairing.scheduled),
            folder,
            log,
            live: false,
            entry,
            parameters: pairing.parameters.clone(),
            seed: pairing.seed,
            entrants: pairing.entrants.iter().map(|(_, bot)| entrants[*bot].clone()).collect(),
            scheduled: Some(pairing.scheduled),
            fillers: pairing.fillers.clone(),
        }
    }
}

/// Returns the name of a game of a schedule.
pub fn game_id(place: Scheduled) -> String {
    let Scheduled { season, round, table, rotation } = place;
    format!("s{season:03}-r{round:05}-t{table:03}-g{rotation}")
}

/// Returns the folder below `logs` for a game of a hill. So no folder gets many entries.
pub(super) fn folder_of(place: Scheduled) -> String {
    format!("s{:03}/{:04}/r{:05}", place.season, place.round / 1000, place.round)
}

/// Returns the place of a game by its name; `None` if no game of a schedule has such a name.
pub fn place_of(id: &str) -> Option<Scheduled> {
    let mut parts = id.split('-');
    let mut number = |letter| parts.next()?.strip_prefix(letter)?.parse().ok();
    let (season, round, table, rotation) = (number('s')?, number('r')?, number('t')?, number('g')?);
    let place = Scheduled { season, round, table, rotation };
    if game_id(place) == id { Some(place) } else { None }
}

/// What a row of results must say of a bot in a game of the schedule.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ExpectedRow<'a> {
    pub(crate) game: &'a Pairing,
    pub(crate) entry: &'static Entry,
    pub(crate) bot: &'a BotName,
    /// The bot's arguments, as results show them.
    pub(crate) arguments: &'a str,
    pub(crate) rules_version: u32,
    /// The time that bots are charged; `None` if the caller compares it.
    pub(crate) clock: Option<Timekeeping>,
}

impl ExpectedRow<'_> {
    /// Makes sure that a row is that of the game and of the bot.
    ///
    /// # Errors
    ///
    /// Names the first column that differs, with both values.
    pub(crate) fn check(&self, row: &ResultRow) -> Result<(), String> {
        let ExpectedRow { game, entry, bot, arguments, rules_version, clock } = self;
        let Pairing { scheduled, seed, entrants, .. } = game;
        let (id, parameters) = (game_id(*scheduled), game.parameters.to_string());
        let counts = !game.fillers.contains(&row.seat);
        let clock = match clock {
            // A guest is charged by units, whatever the clock.
            Some(clock) if !row.is_guest() => clock.name(),
            _ => &*row.clock,
        };
        let [row_counts, game_counts] = [row.counts, counts].map(u8::from);
        // There can be millions of rows: most values become text only if they differ.
        let columns: [(&str, bool, &dyn fmt::Display, &dyn fmt::Display); 11] = [
            ("game", row.game == id, &row.game, &id),
            ("rules", row.rules == entry.name, &row.rules, &entry.name),
            ("rules_version", row.rules_version == *rules_version, &row.rules_version, rules_version),
            ("clock", row.clock == clock, &row.clock, &clock),
            ("parameters", row.parameters == parameters, &row.parameters, &parameters),
            ("seed", row.seed == *seed, &row.seed, seed),
            ("bot", row.bot.name == bot.name, &row.bot.name, &bot.name),
            ("bot_version", row.bot.version == bot.version, &row.bot.version, &bot.version),
            ("bot_digest", row.bot.digest == bot.digest, &row.bot.digest, &bot.digest),
            ("arguments", identity::is_shown(&row.arguments, arguments), &row.arguments, arguments),
            ("counts", row.counts == counts, &row_counts, &game_counts),
        ];
        if let Some((column, _, found, expected)) = columns.into_iter().find(|(_, agrees, ..)| !agrees) {
            return Err(format!("column {column} is {found}; the schedule says {expected}"));
        }
        let (seat, seats) = (row.seat, entrants.len());
        if (row.seats, row.place_in_schedule) == (seats, Some(*scheduled)) {
            Ok(())
        } else {
            Err(format!("seat {seat} of {seats} of {id} is expected here"))
        }
    }
}

/// Returns the place in the list of entrants of the bot that sits in the seat of a row.
pub(crate) fn entrant_of(game: &Pairing, row: &ResultRow) -> Result<usize, String> {
    let (seat, seats) = (row.seat, game.entrants.len());
    if seat.index() < seats {
        Ok(game.entrants[seat])
    } else {
        Err(format!("column seat is {seat}; {} has {seats}", game_id(game.scheduled)))
    }
}

/// Makes sure that the row of a void game has these bots, by seat, and that its log, if it has one, is in this folder
/// below `logs`. The error names the column.
pub(crate) fn check_void<'a>(
    row: &VoidRow,
    bots: impl Iterator<Item = &'a BotName>,
    folder: &str,
) -> Result<(), String> {
    let bots = bots_as_text(bots);
    if row.bots != bots {
        return Err(format!("column bots is {}; the schedule says {bots}", row.bots));
    }
    let file = row.log.strip_prefix("logs/").and_then(|log| log.strip_prefix(folder)?.strip_prefix('/'));
    if row.log.is_empty() || file.is_some_and(|file| !file.contains('/')) {
        Ok(())
    } else {
        Err(format!("column log is {}; the log is in logs/{folder}", row.log))
    }
}

/// Returns the bots of a game by seat, as rows of void games name them: `fox:1 owl:3`.
pub(crate) fn bots_as_text<'a>(bots: impl Iterator<Item = &'a BotName>) -> String {
    bots.map(|bot| format!("{}:{}", bot.name, bot.version)).collect::<Vec<String>>().join(" ")
}

/// Makes sure that a row outside of a hill or a tournament names its game and its log as `referee play` does. If the
/// row has a place in a schedule, its game must be named after that. The error names the column.
pub fn check_unscheduled_names(row: &ResultRow) -> Result<(), String> {
    let ResultRow { game, rules, seed, log, .. } = row;
    if let Some(place) = row.place_in_schedule {
        let id = game_id(place);
        if *game == id {
            return Ok(());
        }
        return Err(format!("column game is {game}; its place in the schedule says {id}"));
    }
    let id = format!("{rules}-{seed}");
    if !is_named(game, &id) {
        return Err(format!("column game is {game}; by its rules and seed it is {id}"));
    }
    if !row.counts {
        return Err(format!("column counts is 0; each bot counts in {game}, which no schedule has"));
    }
    check_log_path("", game, log)
}

/// Tells whether a game has this name, or this name with a number from 2 behind it, as later games of one name in a
/// folder have: `ID-2`.
fn is_named(game: &str, id: &str) -> bool {
    let Some(rest) = game.strip_prefix(id) else { return false };
    let number = rest.strip_prefix('-').and_then(|number| number.parse::<u32>().ok());
    rest.is_empty() || number.is_some_and(|number| number > 1 && format!("-{number}") == rest)
}

/// Makes sure that `log`, in a row of this game, is the log of the game in this folder below `logs`.
pub(crate) fn check_log_path(folder: &str, game: &str, log: &str) -> Result<(), String> {
    let expected = if folder.is_empty() { format!("logs/{game}") } else { format!("logs/{folder}/{game}") };
    let is_log_of = |form: &Form| log.strip_prefix(&*expected).is_some_and(|ending| ending == form.ending());
    if [Form::Plain, Form::Gzip].iter().any(is_log_of) {
        Ok(())
    } else {
        Err(format!("column log is {log}; the log of {game} is {expected}.csv or {expected}.csv.gz"))
    }
}

/// Makes sure that the sandbox in a row fits the kind of its bot: a module of WebAssembly is a guest, a program is not.
pub(crate) fn check_sandbox(is_module: bool, row: &ResultRow) -> Result<(), String> {
    let kind = match (is_module, row.is_guest()) {
        (true, false) => "a WebAssembly module",
        (false, true) => "no WebAssembly module",
        _ => return Ok(()),
    };
    Err(format!("column sandbox is {}; {} is {kind}", row.sandbox, row.bot.name))
}
