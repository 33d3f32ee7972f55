//! The results of many games: `results.csv`, one row a seat and game. Rows are only ever appended, all rows of a game
//! at once, and each carries the digest of itself and the row before.

use std::cell::Cell;
use std::io;
use std::path::Path;

pub use super::games::{Games, Numbered, games, last_game};
pub use super::results_file::{ResultsFile, SetAside};
use super::{BotName, Digest, Heading, RecordError, Tally, Thinking};
use crate::rules::{FaultKind, Outcome, Seat, Seed};

/// One seat of one game.
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "COLUMNS describes each")]
pub struct ResultRow {
    pub game: String,
    pub started: String,
    pub rules: String,
    pub rules_version: u32,
    pub parameters: String,
    pub seed: Seed,
    pub place_in_schedule: Option<Scheduled>,
    /// Whether the seat's score counts for its bot; a filler's does not.
    pub counts: bool,
    pub sandbox: String,
    pub clock: String,
    pub seats: usize,
    pub seat: Seat,
    pub bot: BotName,
    pub score: i64,
    pub share: f64,
    pub place: usize,
    pub end: String,
    pub turns: u32,
    /// In the order of [`FaultKind::ALL`].
    pub faults: [u64; FaultKind::ALL.len()],
    pub thinking: Thinking,
    pub log: String,
    pub log_digest: Digest,
}

/// Where in a schedule a game stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Scheduled {
    /// The season, from 1: a fixed field of bots.
    pub season: u32,
    /// The round of the season, from 1: every entrant plays one block.
    pub round: u32,
    /// The table of the round, from 1: bots that play one block together.
    pub table: u32,
    /// The game of the block, from 1: the same seed with the seats rotated.
    pub rotation: u32,
}

/// The columns in order, each with what it means. The faults stand before `thinking_us`.
pub const COLUMNS: [(&str, &str); 41] = [
    ("game", "the game's name: its log and its bots' standard error carry it"),
    ("started", "date and time (UTC)"),
    ("rules", "the name of the rules"),
    ("rules_version", "a record of another version would replay differently"),
    ("parameters", "what was set"),
    ("seed", "what all chance of the game follows from"),
    ("season", "a fixed field of bots; empty outside a hill"),
    ("round", "every entrant plays one block in each"),
    ("table", "the bots that play a block together"),
    ("rotation", "the game of the block: same seed, seats rotated"),
    ("counts", "1, or 0 for a bot that only filled a seat"),
    ("sandbox", "how the bots were confined"),
    ("clock", "what thinking times are: charged (the host's share taken off) or wall"),
    ("seats", "how many rows the game has"),
    ("seat", "from 0"),
    ("bot", "the bot's name"),
    ("bot_version", "which program of this name"),
    ("bot_digest", "SHA-256 of the program"),
    ("score", "by the game's own count"),
    ("share", "of what could be had, 0 to 1: what standings are made of"),
    ("place", "1 is best; equal scores share a place"),
    ("end", "why the game was over"),
    ("turns", "how many turns were played"),
    ("late", "turns without an answer in time"),
    ("exited", "turns after the program had ended by itself"),
    ("crashed", "turns after the program was ended by a signal"),
    ("closed", "turns after it closed its output"),
    ("deaf", "turns whose question it did not take"),
    ("early", "lines before their question"),
    ("extra", "lines that answer nothing"),
    ("too_long", "answers over 64 KiB"),
    ("malformed", "answers without the shape of one"),
    ("illegal", "orders that the position does not allow"),
    ("resource", "turns after a limit on what it may use had ended it"),
    ("start_failed", "turns without a program"),
    ("thinking_us", "thinking time of all turns, microseconds"),
    ("thinking_p99_us", "99 % of the turns were no longer"),
    ("thinking_max_us", "the longest turn"),
    ("wall_us", "time of all turns by the clock on the wall"),
    ("wall_max_us", "the longest turn by that clock"),
    ("log", "the game's log, from the folder of this file"),
];

/// The last two columns: digests.
const DIGESTS: [&str; 2] = ["log_digest", "chain"];

/// Returns the first line of the file, with its newline.
pub fn header() -> String {
    let names: Vec<&str> = COLUMNS.iter().map(|(name, _)| *name).chain(DIGESTS).collect();
    names.join(",") + "\n"
}

/// Makes the rows of a game that has ended.
pub fn rows_of_game(
    heading: &Heading,
    outcome: &Outcome,
    turns: u32,
    tally: &Tally,
    log: (&str, &Digest),
    circumstances: &Circumstances,
) -> Vec<ResultRow> {
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
        sandbox: circumstances.sandbox.clone(),
        clock: circumstances.clock.clone(),
        seats: heading.bots.len(),
        seat,
        bot: bot.clone(),
        score: outcome.scores[seat],
        share: outcome.shares[seat],
        place: outcome.place(seat),
        end: outcome.reason.to_owned(),
        turns,
        faults: FaultKind::ALL.map(|kind| tally.faults(seat, kind)),
        thinking: tally.thinking(seat),
        log: log.0.to_owned(),
        log_digest: log.1.clone(),
    });
    rows.collect()
}

/// What a game's rows say that its log does not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Circumstances {
    /// Date and time.
    pub started: String,
    /// Where in a schedule the game stands, if there is one.
    pub scheduled: Option<Scheduled>,
    /// Seats whose score does not count.
    pub fillers: Vec<Seat>,
    /// How the bots were confined.
    pub sandbox: String,
    /// What their thinking times are.
    pub clock: String,
}

/// Reads a results file, and checks that it is whole: the chain of digests, and all rows of each game together.
/// [`games`] does the same game by game.
///
/// # Errors
///
/// Names the first line that is not as it was written.
pub fn read(path: &Path) -> Result<Vec<Numbered>, RecordError> {
    let games: Result<Vec<Vec<Numbered>>, RecordError> = games(path)?.collect();
    Ok(games?.into_iter().flatten().collect())
}

pub(super) fn not_results(path: &Path) -> RecordError {
    RecordError::line(
        path,
        1,
        "not a results file of this version: its first line should be the names of the columns",
    )
}

/// Closes a row with its chain (the digest of the chain before, then of this row up to and with its last comma), and
/// hands that on.
pub fn chained(row: &str, chain: &mut Digest) -> String {
    let mut line = format!("{row},");
    *chain = Digest::of(format!("{chain}{line}").as_bytes());
    line.push_str(chain.as_str());
    line.push('\n');
    line
}

impl ResultRow {
    /// Writes all columns but the chain.
    pub fn text(&self) -> String {
        let scheduled = |part: fn(&Scheduled) -> u32| {
            self.place_in_schedule.as_ref().map_or(String::new(), |place| part(place).to_string())
        };
        let mut columns = vec![
            self.game.clone(),
            self.started.clone(),
            self.rules.clone(),
            self.rules_version.to_string(),
            self.parameters.clone(),
            self.seed.to_string(),
            scheduled(|place| place.season),
            scheduled(|place| place.round),
            scheduled(|place| place.table),
            scheduled(|place| place.rotation),
            u8::from(self.counts).to_string(),
            self.sandbox.clone(),
            self.clock.clone(),
            self.seats.to_string(),
            self.seat.to_string(),
            self.bot.name.clone(),
            self.bot.version.to_string(),
            self.bot.digest.to_string(),
            self.score.to_string(),
            format!("{:.6}", self.share),
            self.place.to_string(),
            self.end.clone(),
            self.turns.to_string(),
        ];
        columns.extend(self.faults.iter().map(u64::to_string));
        let Thinking { total_us, p99_us, max_us, wall_us, wall_max_us } = self.thinking;
        columns.extend([total_us, p99_us, max_us, wall_us, wall_max_us].iter().map(u64::to_string));
        columns.extend([self.log.clone(), self.log_digest.to_string()]);
        debug_assert_eq!(columns.len(), COLUMNS.len() + 1, "a value for each column");
        debug_assert!(columns.iter().all(|column| !column.contains([',', '"', '\n'])), "nothing to quote");
        columns.join(",")
    }

    /// Reads all columns but the chain.
    ///
    /// # Errors
    ///
    /// Says which column is not what it should be.
    pub fn parse(text: &str) -> Result<ResultRow, String> {
        let values: Vec<&str> = text.split(',').collect();
        if values.len() != COLUMNS.len() + 1 {
            return Err(format!("{} columns instead of {}", values.len() + 1, COLUMNS.len() + DIGESTS.len()));
        }
        let row = Columns(values, Cell::new(0));
        let optional = |name| if row.text(name).is_empty() { Ok(None) } else { row.number(name).map(Some) };
        let place_in_schedule =
            match (optional("season")?, optional("round")?, optional("table")?, optional("rotation")?) {
                (Some(season), Some(round), Some(table), Some(rotation)) => {
                    Some(Scheduled { season, round, table, rotation })
                }
                _ => None,
            };
        let mut faults = [0; FaultKind::ALL.len()];
        for (count, kind) in faults.iter_mut().zip(FaultKind::ALL) {
            *count = row.number(kind.name())?;
        }
        Ok(ResultRow {
            game: row.text("game").to_owned(),
            started: row.text("started").to_owned(),
            rules: row.text("rules").to_owned(),
            rules_version: row.number("rules_version")?,
            parameters: row.text("parameters").to_owned(),
            seed: row.number("seed")?,
            place_in_schedule,
            counts: row.number::<u8>("counts")? == 1,
            sandbox: row.text("sandbox").to_owned(),
            clock: row.text("clock").to_owned(),
            seats: row.number("seats")?,
            seat: Seat::new(row.number::<u8>("seat")?.into()),
            bot: BotName {
                name: row.text("bot").to_owned(),
                version: row.number("bot_version")?,
                digest: row.digest("bot_digest", row.text("bot_digest"))?,
            },
            score: row.number("score")?,
            share: row.number("share")?,
            place: row.number("place")?,
            end: row.text("end").to_owned(),
            turns: row.number("turns")?,
            faults,
            thinking: Thinking {
                total_us: row.number("thinking_us")?,
                p99_us: row.number("thinking_p99_us")?,
                max_us: row.number("thinking_max_us")?,
                wall_us: row.number("wall_us")?,
                wall_max_us: row.number("wall_max_us")?,
            },
            log: row.text("log").to_owned(),
            log_digest: row.digest(DIGESTS[0], row.0[COLUMNS.len()])?,
        })
    }

    /// Says in which column, and how, this row differs from what it should be.
    pub fn difference(&self, due: &ResultRow) -> Option<String> {
        let (found, due) = (self.text(), due.text());
        let names = COLUMNS.iter().map(|(name, _)| *name).chain(DIGESTS);
        let mut columns = names.zip(found.split(',').zip(due.split(',')));
        let (name, (found, due)) = columns.find(|(_, (found, due))| found != due)?;
        Some(format!("column {name} is {found}; the log says {due}"))
    }

    /// Returns the count of one kind of fault.
    pub fn faults(&self, kind: FaultKind) -> u64 {
        self.faults[kind as usize]
    }
}

/// The columns of a row, and which will probably be asked for next.
struct Columns<'a>(Vec<&'a str>, Cell<usize>);

impl<'a> Columns<'a> {
    fn text(&self, name: &str) -> &'a str {
        let next = self.1.get();
        let is_it = |index: &usize| COLUMNS.get(*index).is_some_and(|(column, _)| *column == name);
        let found = Some(next).filter(is_it).or_else(|| (0..COLUMNS.len()).find(is_it));
        let index = found.expect("a column of this file");
        self.1.set(index + 1);
        self.0[index]
    }

    fn number<T: std::str::FromStr>(&self, name: &str) -> Result<T, String> {
        self.text(name).parse().map_err(|_| format!("column {name} is no such value: {:?}", self.text(name)))
    }

    fn digest(&self, name: &str, text: &str) -> Result<Digest, String> {
        Digest::parse(text).ok_or_else(|| format!("column {name} is no SHA-256: {text:?}"))
    }
}

/// Tells whether an error says that there is no such file.
pub fn is_missing(error: &RecordError) -> bool {
    matches!(error, RecordError::System { error, .. } if error.kind() == io::ErrorKind::NotFound)
}
