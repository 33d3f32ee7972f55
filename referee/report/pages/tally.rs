//! The tally of a season: thinking times, and faults over time. Its memory does not grow with the number of games.

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

/// Number of digits to which quantiles are right.
const DIGITS: u8 = 2;

/// An hour. A longer turn counts as an hour.
const LONGEST_US: u64 = 3_600_000_000;

/// A histogram as it is stored: times in microseconds, each with its count.
type Bars = Vec<(u64, u64)>;

/// The histogram of each bot's turns.
pub(super) type TurnsOfBots = Vec<(BotName, Bars)>;

/// The state of a tally, from which that of a later report goes on.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct TallyState {
    bots: Vec<BotName>,
    /// By bot.
    times: Vec<StoredTimes>,
    rounds_per_group: u32,
    groups: Vec<Vec<Faults>>,
    games: u64,
    logs_read: u64,
    logs_missing: u64,
}

/// The thinking times of a bot as they are stored. See [`Times`].
#[derive(Debug, Serialize, Deserialize)]
struct StoredTimes {
    games_p99: Bars,
    games_max: Bars,
    turns: Bars,
    max: u64,
}

/// The thinking times and the faults of a season's games.
#[derive(Debug)]
pub(super) struct Tally {
    /// The bots, in the order in which they are shown.
    pub(super) bots: Field,
    times: Vec<Times>,
    /// Number of rounds in a group. The first group begins with round 1.
    rounds_per_group: u32,
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
    /// The longest turn of all games.
    max: u64,
}

/// The faults of a bot in some games.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(super) struct Faults {
    /// Number of games.
    pub(super) games: u64,
    /// Number of faults of each kind.
    by_kind: [u64; FaultKind::ALL.len()],
}

/// The thinking times of one bot in a plot, in microseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Spread {
    /// The quantiles of 1 % and 99 % of all turns; without logs, of the p99 of the games. So are the next two.
    pub(super) nearly_all: (u64, u64),
    /// The quantiles of 25 % and 75 %.
    pub(super) half: (u64, u64),
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
        Tally {
            bots,
            times,
            rounds_per_group: 1,
            groups: Vec::new(),
            games: 0,
            logs_read: 0,
            logs_missing: 0,
        }
    }

    /// Adds a game, given as all its rows.
    pub(super) fn add(&mut self, game: &GameResult) {
        self.games += 1;
        // Games without a schedule are one round, and so are those of a round 0, which only strangers write.
        let round = game.first().and_then(|row| row.place_in_schedule).map_or(1, |place| place.round.max(1));
        while (round - 1) / self.rounds_per_group >= GROUPS_MAX {
            self.join_groups();
        }
        let group = ((round - 1) / self.rounds_per_group) as usize;
        let none = vec![Faults::default(); self.bots.len()];
        self.groups.resize(self.groups.len().max(group + 1), none);
        for row in game.iter().filter(|row| row.counts) {
            let Some(bot) = self.bots.index(&row.bot) else { continue };
            self.groups[group][bot].add(&Faults { games: 1, by_kind: row.faults });
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
        // The bot in each seat; `None` if its results do not count.
        let bots: Vec<Option<usize>> =
            game.iter().map(|row| if row.counts { self.bots.index(&row.bot) } else { None }).collect();
        while let Some(row) = reader.peek()? {
            if row.kind() == Some(RowKind::Answer) {
                let seat = row.seat()?.ok_or_else(|| row.wrong("an answer of no seat".to_owned()))?;
                let (charged, _) = row.thinking()?;
                if let Some(Some(bot)) = bots.get(seat.index()) {
                    self.times[*bot].turns.saturating_record(charged.as_micros() as u64);
                }
            }
            reader.take();
        }
        self.logs_read += 1;
        Ok(true)
    }

    /// Returns the histogram of each bot's turns.
    pub(super) fn turns(&self) -> TurnsOfBots {
        self.bots.bots().iter().cloned().zip(self.times.iter().map(|times| bars(&times.turns))).collect()
    }

    /// Adds histograms of other games. Their logs have been counted as read, one by one.
    pub(super) fn add_turns(&mut self, turns: &TurnsOfBots) {
        for (bot, bars) in turns {
            if let Some(index) = self.bots.index(bot) {
                add_bars(&mut self.times[index].turns, bars);
            }
        }
    }

    /// Returns the state, from which a later report goes on.
    pub(super) fn state(&self) -> TallyState {
        let stored = |times: &Times| StoredTimes {
            games_p99: bars(&times.games_p99),
            games_max: bars(&times.games_max),
            turns: bars(&times.turns),
            max: times.max,
        };
        TallyState {
            bots: self.bots.bots().to_vec(),
            times: self.times.iter().map(stored).collect(),
            rounds_per_group: self.rounds_per_group,
            groups: self.groups.clone(),
            games: self.games,
            logs_read: self.logs_read,
            logs_missing: self.logs_missing,
        }
    }

    /// Goes on from the games of an earlier report. To be called before a game is added.
    pub(super) fn go_on(&mut self, earlier: &TallyState) {
        // The index that each bot of that report has now; `None` for one that is gone.
        let indices: Vec<Option<usize>> = earlier.bots.iter().map(|bot| self.bots.index(bot)).collect();
        for faults in &earlier.groups {
            let mut group = vec![Faults::default(); self.bots.len()];
            for (index, faults) in indices.iter().zip(faults) {
                if let Some(index) = index {
                    group[*index] = *faults;
                }
            }
            self.groups.push(group);
        }
        self.rounds_per_group = earlier.rounds_per_group;
        self.games = earlier.games;
        self.logs_read = earlier.logs_read;
        self.logs_missing = earlier.logs_missing;
        for (index, stored) in indices.iter().zip(&earlier.times) {
            let Some(index) = index else { continue };
            let times = &mut self.times[*index];
            add_bars(&mut times.games_p99, &stored.games_p99);
            add_bars(&mut times.games_max, &stored.games_max);
            add_bars(&mut times.turns, &stored.turns);
            times.max = stored.max;
        }
    }

    /// Tells whether thinking times are those of turns; else they are those of games.
    pub(super) fn knows_turns(&self) -> bool {
        self.logs_read > 0
    }

    /// Returns the spread of a bot's thinking times; `None` without a game, or without a turn in the logs if some were
    /// read.
    pub(super) fn spread(&self, bot: usize) -> Option<Spread> {
        let Times { games_p99, turns, max, .. } = &self.times[bot];
        let histogram = if self.knows_turns() { turns } else { games_p99 };
        if histogram.is_empty() {
            return None;
        }
        let quantile = |part| quantile_within(histogram, part, *max);
        Some(Spread {
            nearly_all: (quantile(0.01), quantile(0.99)),
            half: (quantile(0.25), quantile(0.75)),
            median: quantile(0.5),
            max: *max,
        })
    }

    /// Thinking times as a table, in milliseconds.
    pub(super) fn thinking(&self) -> Sheet {
        let mut columns =
            vec!["bot", "version", "games", "game_p99_median_ms", "game_max_median_ms", "max_ms"];
        if self.knows_turns() {
            columns.extend(["turns", "p1_ms", "p25_ms", "median_ms", "p75_ms", "p99_ms"]);
        }
        let mut sheet = Sheet::new(columns);
        for (BotName { name, version, .. }, times) in self.bots.bots().iter().zip(&self.times) {
            let Times { games_p99, games_max, turns, max } = times;
            let quantile = |times: &Histogram<u64>, part| ms(quantile_within(times, part, *max));
            let mut values = vec![
                Value::from(name.clone()),
                Value::from(*version),
                Value::from(games_p99.len()),
                quantile(games_p99, 0.5),
                quantile(games_max, 0.5),
                ms(*max),
            ];
            if self.knows_turns() {
                values.push(Value::from(turns.len()));
                values.extend([0.01, 0.25, 0.5, 0.75, 0.99].map(|part| quantile(turns, part)));
            }
            sheet.row(values);
        }
        sheet
    }

    /// Lists the groups of rounds: first and last round, and the faults of each bot.
    pub(super) fn faults_by_round(&self) -> impl Iterator<Item = (u32, u32, &[Faults])> {
        // Records of strangers can have any number for a round.
        let first = |index: usize| (index as u32).saturating_mul(self.rounds_per_group).saturating_add(1);
        let groups = self.groups.iter().enumerate();
        groups.map(move |(index, faults_of_bots)| (first(index), first(index + 1) - 1, &faults_of_bots[..]))
    }

    /// Faults over time as a table.
    pub(super) fn faults(&self) -> Sheet {
        let kinds = FaultKind::ALL.map(FaultKind::name);
        let columns = ["first_round", "last_round", "bot", "version", "games"];
        let mut sheet = Sheet::new(columns.into_iter().chain(kinds));
        for (first, last, faults_of_bots) in self.faults_by_round() {
            for (BotName { name, version, .. }, faults) in self.bots.bots().iter().zip(faults_of_bots) {
                let mut values = vec![Value::from(first), Value::from(last), Value::from(name.clone())];
                values.extend([Value::from(*version), Value::from(faults.games)]);
                values.extend(faults.by_kind.map(Value::from));
                sheet.row(values);
            }
        }
        sheet.drop_zeros(&kinds);
        sheet
    }

    /// Returns the number of all faults of a bot.
    pub(super) fn faults_of(&self, bot: usize) -> u64 {
        self.groups.iter().map(|faults_of_bots| faults_of_bots[bot].all()).sum()
    }

    /// Joins each two groups of rounds to one.
    fn join_groups(&mut self) {
        let mut joined: Vec<Vec<Faults>> = Vec::new();
        for (index, group) in std::mem::take(&mut self.groups).into_iter().enumerate() {
            if index % 2 == 0 {
                joined.push(group);
                continue;
            }
            for (faults, other) in joined[index / 2].iter_mut().zip(&group) {
                faults.add(other);
            }
        }
        self.groups = joined;
        self.rounds_per_group *= 2;
    }
}

/// Returns a quantile of times of which none is above `max`: the histogram returns the upper edge of a bar.
fn quantile_within(times: &Histogram<u64>, part: f64, max: u64) -> u64 {
    times.value_at_quantile(part).min(max)
}

fn bars(histogram: &Histogram<u64>) -> Bars {
    histogram.iter_recorded().map(|step| (step.value_iterated_to(), step.count_at_value())).collect()
}

fn add_bars(histogram: &mut Histogram<u64>, bars: &Bars) {
    for (value, count) in bars {
        histogram.saturating_record_n(*value, *count);
    }
}

impl Faults {
    /// Returns the number of all faults.
    pub(super) fn all(&self) -> u64 {
        self.by_kind.iter().sum()
    }

    fn add(&mut self, other: &Faults) {
        self.games += other.games;
        for (sum, count) in self.by_kind.iter_mut().zip(other.by_kind) {
            *sum += count;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use referee_record::Digest;

    #[test]
    fn no_quantile_is_above_the_longest_turn() {
        let fox = BotName { name: "fox".to_owned(), version: 1, digest: Digest::of(b"") };
        let mut tally = Tally::new(Field::new([fox]));
        let times = &mut tally.times[0];
        for histogram in [&mut times.games_p99, &mut times.games_max, &mut times.turns] {
            histogram.saturating_record(1001);
        }
        (times.max, tally.logs_read) = (1001, 1);
        let table = serde_json::to_string(&tally.thinking().json()).expect("plain values");
        assert_eq!(table.matches("1.001").count(), 8, "{table}");
    }
}
