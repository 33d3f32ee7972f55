//! Statistics of a season beside its standings: thinking times, and faults over time. Memory does not grow with the
//! number of games.

use hdrhistogram::Histogram;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::tables::sheet::{Sheet, ms};
use referee_files::beneath::Spot;
use referee_files::log;
use referee_record::BotName;
use referee_record::error::Error;
use referee_record::game_result::GameResult;
use referee_record::row_kind::RowKind;
use referee_rules::FaultKind;
use referee_statistics::rounds::Field;

/// Maximum number of groups of rounds in which faults are counted.
const GROUPS_MAX: u32 = 48;

/// Quantiles are right to this number of digits.
const DIGITS: u8 = 2;

/// The longest turn that is counted: an hour. A longer one counts as an hour.
const LONGEST_US: u64 = 3_600_000_000;

/// A histogram: times in microseconds with their counts.
type Counts = Vec<(u64, u64)>;

/// The histogram of each bot's turns.
pub(super) type TurnsOfBots = Vec<(BotName, Counts)>;

/// The statistics of some games.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct SoFar {
    bots: Vec<BotName>,
    /// By bot: the p99 and the longest turn of each game, each turn, the longest turn of all.
    times: Vec<([Counts; 3], u64)>,
    group: u32,
    groups: Vec<Vec<Faults>>,
    games: u64,
    logs_read: u64,
    logs_missing: u64,
}

/// Statistics of a season's games.
#[derive(Debug)]
pub(super) struct Tally {
    /// The bots, in the order in which they are shown.
    pub(super) bots: Field,
    times: Vec<Times>,
    /// Number of rounds in a group; the first begins with round 1.
    group: u32,
    /// The faults by group and bot.
    groups: Vec<Vec<Faults>>,
    /// Number of games.
    pub(super) games: u64,
    /// Number of logs that were read.
    pub(super) logs_read: u64,
    /// Number of logs that should have been read, but are missing.
    pub(super) logs_missing: u64,
}

/// The thinking times of a bot, in microseconds.
#[derive(Clone, Debug)]
struct Times {
    /// The p99 of each game.
    games_p99: Histogram<u64>,
    /// The longest turn of each game.
    games_max: Histogram<u64>,
    /// Each turn of the logs that were read.
    turns: Histogram<u64>,
    max: u64,
}

/// The faults of a bot in some games.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(super) struct Faults {
    /// Number of games.
    pub(super) games: u64,
    counts: [u64; FaultKind::ALL.len()],
}

/// The thinking times of one bot in a plot, in microseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Spread {
    /// Nearly all turns (from 1 % to 99 % of them) are between these; without logs, the p99 of the games.
    pub(super) most: (u64, u64),
    /// Half of all turns are between these; without logs, half of those p99.
    pub(super) half: (u64, u64),
    /// The median of the same.
    pub(super) median: u64,
    /// The longest turn of all.
    pub(super) max: u64,
}

impl Tally {
    /// Begins without a game.
    pub(super) fn new(bots: Field) -> Tally {
        let histogram = || Histogram::new_with_bounds(1, LONGEST_US, DIGITS).expect("bounds in order");
        let times = Times { games_p99: histogram(), games_max: histogram(), turns: histogram(), max: 0 };
        let times = vec![times; bots.len()];
        Tally { bots, times, group: 1, groups: Vec::new(), games: 0, logs_read: 0, logs_missing: 0 }
    }

    /// Adds a game, given as all its rows.
    pub(super) fn add(&mut self, game: &GameResult) {
        self.games += 1;
        let round = game.first().and_then(|row| row.place_in_schedule).map_or(1, |place| place.round.max(1));
        while (round - 1) / self.group >= GROUPS_MAX {
            self.join_groups();
        }
        let group = ((round - 1) / self.group) as usize;
        let none = vec![Faults::default(); self.bots.len()];
        self.groups.resize(self.groups.len().max(group + 1), none);
        for row in game.iter().filter(|row| row.counts) {
            let Some(bot) = self.bots.index(&row.bot) else { continue };
            self.groups[group][bot].add(&Faults { games: 1, counts: row.faults });
            let times = &mut self.times[bot];
            times.games_p99.saturating_record(row.thinking.p99_us);
            times.games_max.saturating_record(row.thinking.max_us);
            times.max = times.max.max(row.thinking.max_us);
        }
    }

    /// Reads the times of all turns of a game from its log, row by row. Returns `false` if the log is missing, and
    /// counts that.
    pub(super) fn add_log(&mut self, game: &GameResult, log: &Spot) -> Result<bool, Error> {
        let mut reader = match log::reader(log) {
            Ok((reader, _)) => reader,
            Err(error) if error.is_not_found() => {
                self.logs_missing += 1;
                return Ok(false);
            }
            Err(error) => return Err(error),
        };
        let of_seat = game.iter().map(|row| row.counts.then(|| self.bots.index(&row.bot)).flatten());
        let of_seat: Vec<Option<usize>> = of_seat.collect();
        while let Some(row) = reader.peek()? {
            if row.kind() == Some(RowKind::Answer) {
                let seat = row.seat()?.ok_or_else(|| row.wrong("an answer of no seat".to_owned()))?;
                let (charged, _) = row.thinking()?;
                if let Some(bot) = of_seat.get(seat.index()).copied().flatten() {
                    self.times[bot].turns.saturating_record(charged.as_micros() as u64);
                }
            }
            reader.take();
        }
        self.logs_read += 1;
        Ok(true)
    }

    /// Returns the histogram of each bot's turns.
    pub(super) fn turns(&self) -> TurnsOfBots {
        self.bots.bots().iter().cloned().zip(self.times.iter().map(|times| counts(&times.turns))).collect()
    }

    /// Adds histograms of other games.
    pub(super) fn add_turns(&mut self, turns: &TurnsOfBots) {
        for (bot, counts) in turns {
            if let Some(index) = self.bots.index(bot) {
                add(&mut self.times[index].turns, counts);
            }
        }
    }

    /// Returns all of it, for a later report that goes on from it.
    pub(super) fn so_far(&self) -> SoFar {
        let of_bot =
            |times: &Times| ([&times.games_p99, &times.games_max, &times.turns].map(counts), times.max);
        let Tally { bots, times, group, groups, games, logs_read, logs_missing } = self;
        SoFar {
            bots: bots.bots().to_vec(),
            times: times.iter().map(of_bot).collect(),
            group: *group,
            groups: groups.clone(),
            games: *games,
            logs_read: *logs_read,
            logs_missing: *logs_missing,
        }
    }

    /// Goes on from the games of an earlier report. To be called before a game is added. Returns the number that each
    /// bot of that report has now; `None` for one that is gone.
    pub(super) fn go_on(&mut self, before: SoFar) -> Vec<Option<usize>> {
        let numbers: Vec<Option<usize>> = before.bots.iter().map(|bot| self.bots.index(bot)).collect();
        let bots = self.bots.len();
        let renumbered = |old: &Vec<Faults>| {
            let mut faults = vec![Faults::default(); bots];
            for (number, old) in numbers.iter().zip(old) {
                if let Some(number) = number {
                    faults[*number] = *old;
                }
            }
            faults
        };
        self.groups = before.groups.iter().map(renumbered).collect();
        self.group = before.group;
        (self.games, self.logs_read, self.logs_missing) =
            (before.games, before.logs_read, before.logs_missing);
        for (number, ([games_p99, games_max, turns], max)) in numbers.iter().zip(&before.times) {
            let Some(times) = number.map(|number| &mut self.times[number]) else { continue };
            add(&mut times.games_p99, games_p99);
            add(&mut times.games_max, games_max);
            add(&mut times.turns, turns);
            times.max = *max;
        }
        numbers
    }

    /// Tells whether thinking times are those of turns; else they are those of games.
    pub(super) fn knows_turns(&self) -> bool {
        self.logs_read > 0
    }

    /// Returns the spread of a bot's thinking times; `None` without a game.
    pub(super) fn spread(&self, bot: usize) -> Option<Spread> {
        let Times { games_p99, turns, max, .. } = &self.times[bot];
        let histogram = if self.knows_turns() { turns } else { games_p99 };
        // A quantile is the edge of a class of times, which can lie above all of them.
        let at = |quantile| histogram.value_at_quantile(quantile).min(*max);
        (!histogram.is_empty()).then(|| Spread {
            most: (at(0.01), at(0.99)),
            half: (at(0.25), at(0.75)),
            median: at(0.5),
            max: *max,
        })
    }

    /// Thinking times as a table, in milliseconds.
    pub(super) fn thinking(&self) -> Sheet {
        let columns = ["bot", "version", "games", "game_p99_median_ms", "game_max_median_ms", "max_ms"];
        let of_turns = ["turns", "p1_ms", "p25_ms", "median_ms", "p75_ms", "p99_ms"];
        let of_turns = if self.knows_turns() { &of_turns[..] } else { &[] };
        let mut sheet = Sheet::new(columns.iter().chain(of_turns).copied());
        for (BotName { name, version, .. }, times) in self.bots.bots().iter().zip(&self.times) {
            let Times { games_p99, games_max, turns, max } = times;
            let mut values = vec![
                Value::from(name.clone()),
                Value::from(*version),
                Value::from(games_p99.len()),
                ms(games_p99.value_at_quantile(0.5)),
                ms(games_max.value_at_quantile(0.5)),
                ms(*max),
            ];
            if self.knows_turns() {
                values.push(Value::from(turns.len()));
                values.extend([0.01, 0.25, 0.5, 0.75, 0.99].map(|part| ms(turns.value_at_quantile(part))));
            }
            sheet.row(values);
        }
        sheet
    }

    /// Lists the groups of rounds: first and last round, and the faults of each bot.
    pub(super) fn faults_by_round(&self) -> impl Iterator<Item = (u32, u32, &[Faults])> {
        // Records of strangers can have any number for a round.
        let first = |index: usize| (index as u32).saturating_mul(self.group).saturating_add(1);
        let groups = self.groups.iter().enumerate();
        groups.map(move |(index, bots)| (first(index), first(index + 1) - 1, &bots[..]))
    }

    /// Faults over time as a table.
    pub(super) fn faults(&self) -> Sheet {
        let kinds = FaultKind::ALL.map(FaultKind::name);
        let columns = ["first_round", "last_round", "bot", "version", "games"];
        let mut sheet = Sheet::new(columns.into_iter().chain(kinds));
        for (first, last, bots) in self.faults_by_round() {
            for (BotName { name, version, .. }, faults) in self.bots.bots().iter().zip(bots) {
                let mut values = vec![Value::from(first), Value::from(last), Value::from(name.clone())];
                values.extend([Value::from(*version), Value::from(faults.games)]);
                values.extend(faults.counts.map(Value::from));
                sheet.row(values);
            }
        }
        sheet.drop_zeros(&kinds);
        sheet
    }

    /// Returns the number of all faults of a bot.
    pub(super) fn faults_of(&self, bot: usize) -> u64 {
        self.groups.iter().map(|bots| bots[bot].all()).sum()
    }

    fn join_groups(&mut self) {
        let join = |pair: &[Vec<Faults>]| {
            let mut bots = pair[0].clone();
            for other in &pair[1..] {
                bots.iter_mut().zip(other).for_each(|(bot, other)| bot.add(other));
            }
            bots
        };
        self.groups = self.groups.chunks(2).map(join).collect();
        self.group *= 2;
    }
}

fn counts(histogram: &Histogram<u64>) -> Counts {
    histogram.iter_recorded().map(|step| (step.value_iterated_to(), step.count_at_value())).collect()
}

fn add(histogram: &mut Histogram<u64>, counts: &Counts) {
    counts.iter().for_each(|(value, count)| histogram.saturating_record_n(*value, *count));
}

impl Faults {
    /// Returns the number of all faults.
    pub(super) fn all(&self) -> u64 {
        self.counts.iter().sum()
    }

    fn add(&mut self, other: &Faults) {
        self.games += other.games;
        self.counts.iter_mut().zip(other.counts).for_each(|(sum, count)| *sum += count);
    }
}
