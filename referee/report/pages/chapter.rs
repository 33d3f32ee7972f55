//! A chapter of a report: one season of a hill, or one sub-tournament, with its tables and plots.

use serde_json::Value;

use crate::pages::labels::labels;
use crate::pages::plots::grid::{self, NONE_TO_MANY};
use crate::pages::plots::{Plot, rows};
use crate::pages::show::SeasonSummary;
use crate::pages::tally::Tally;
use crate::tables::contests as tables;
use crate::tables::sheet::{Sheet, share};
use referee_record::BotName;
use referee_rules::TimeControl;
use referee_statistics::rounds::Field;
use referee_statistics::season::SeasonAccount;
use referee_statistics::standings::Standing;
use referee_statistics::trends::Look;

/// A season or a sub-tournament.
#[derive(Debug)]
pub(super) struct Chapter {
    /// Its name.
    pub(super) name: String,
    /// The start of its files' names: nothing, or a folder.
    pub(super) folder: String,
    /// The parameters of the game.
    pub(super) parameters: String,
    pub(super) account: SeasonAccount,
    pub(super) tally: Tally,
    /// The matches of a cup; `None` for other formats.
    pub(super) matches: Option<Sheet>,
    pub(super) time: TimeControl,
}

/// A plot, and its content in words.
#[derive(Debug)]
pub(super) struct Figure {
    pub(super) plot: Plot,
    /// The content, for readers who cannot see the plot.
    pub(super) words: String,
}

impl Chapter {
    /// Lists the bots in the order of the standings, then those that have not played.
    pub(super) fn field(account: &SeasonAccount, lines: &[Standing]) -> Field {
        let mut field = Field::new(lines.iter().map(|line| line.bot.clone()));
        for bot in account.field.bots() {
            field.enter(bot);
        }
        field
    }

    /// Returns the bots in the order of the files and plots.
    pub(super) fn bots(&self) -> &[BotName] {
        self.tally.bots.bots()
    }

    /// Returns the names of the bots for plots.
    pub(super) fn labels(&self) -> Vec<String> {
        labels(self.bots())
    }

    /// The means and intervals after some rounds, as a table.
    pub(super) fn trends(&self) -> Sheet {
        let mut sheet = Sheet::new(["round", "bot", "version", "mean_share", "mean_low", "mean_high"]);
        for Look { round, means, intervals } in self.account.trends.looks() {
            for (index, (bot, mean)) in self.account.field.bots().iter().zip(means).enumerate() {
                let interval = intervals.as_ref().map(|intervals| intervals[index]);
                sheet.row(vec![
                    Value::from(*round),
                    Value::from(bot.name.clone()),
                    Value::from(bot.version),
                    mean.map_or(Value::Null, share),
                    interval.map_or(Value::Null, |interval| share(interval.lower)),
                    interval.map_or(Value::Null, |interval| share(interval.upper)),
                ]);
            }
        }
        sheet
    }

    /// Returns the thinking times of a bot in words, by its number; `None` without a game.
    pub(super) fn thinking_of(&self, bot: usize) -> Option<String> {
        let ms = |us: u64| us as f64 / 1000.0;
        let spread = self.tally.spread(bot)?;
        let basis = if self.tally.knows_turns() { "all turns" } else { "the 99 % quantiles of games" };
        Some(format!(
            "Thinking time of a turn: median {} ms, 99 % within {} ms ({basis}); the longest {} ms. The limit is {} ms.",
            ms(spread.median),
            ms(spread.nearly_all.1),
            ms(spread.max),
            self.time.turn_limit.as_secs_f64() * 1000.0,
        ))
    }

    /// Thinking times against the limits.
    pub(super) fn thinking(&self) -> Option<Figure> {
        let rows: Vec<_> = self
            .labels()
            .into_iter()
            .enumerate()
            .map(|(bot, label)| (label, self.tally.spread(bot)))
            .collect();
        if rows.iter().all(|(_, spread)| spread.is_none()) {
            return None;
        }
        let ms = |us: u64| us as f64 / 1000.0;
        let words = rows.iter().filter_map(|(label, spread)| {
            let spread = (*spread)?;
            Some(format!(
                "{label}: median {} ms, 99 % within {} ms, longest {} ms",
                ms(spread.median),
                ms(spread.nearly_all.1),
                ms(spread.max)
            ))
        });
        let words = words.collect::<Vec<String>>().join("; ");
        let limits = [self.time.turn_limit.as_micros() as u64];
        Some(Figure { plot: rows::times(&rows, &limits), words })
    }

    /// Faults by bot and rounds; `None` if there was no fault.
    pub(super) fn faults(&self) -> Option<Figure> {
        let groups: Vec<_> = self.tally.faults_by_round().collect();
        let (first, end_of_last_group) = (groups.first()?.0, groups.last()?.1);
        let last = self.account.trends.looks().last().map_or(end_of_last_group, |look| look.round);
        let labels = self.labels();
        if (0..labels.len()).all(|bot| self.tally.faults_of(bot) == 0) {
            return None;
        }
        let faults_of_bots =
            labels.iter().enumerate().map(|(bot, label)| format!("{label}: {}", self.tally.faults_of(bot)));
        let words = format!("Faults in all rounds: {}.", faults_of_bots.collect::<Vec<String>>().join("; "));
        let colour = |bot: usize, group: usize| {
            let (_, _, faults_by_bot) = groups[group];
            let faults = faults_by_bot[bot];
            if faults.games == 0 {
                return None;
            }
            let rate = faults.all() as f64 / faults.games as f64;
            let step = match rate {
                0.0 => 0,
                rate if rate <= 0.1 => 1,
                rate if rate <= 1.0 => 2,
                rate if rate <= 10.0 => 3,
                _ => 4,
            };
            Some(NONE_TO_MANY[step].0)
        };
        // The last group may have room for further rounds.
        let rounds = first..=end_of_last_group.min(last.max(first));
        Some(Figure { plot: grid::over_rounds(&labels, rounds, groups.len(), colour), words })
    }

    /// The mean share of each seat.
    pub(super) fn seats(&self) -> Option<Figure> {
        let seats = self.account.fairness.seats();
        let seats: Vec<_> = seats.into_iter().filter(|seat| seat.games > 0).collect();
        if seats.is_empty() {
            return None;
        }
        let rows: Vec<_> =
            seats.iter().map(|seat| (format!("seat {}", seat.seat), seat.mean_share)).collect();
        let words: Vec<String> = rows.iter().map(|(label, mean)| format!("{label} {mean:.3}")).collect();
        Some(Figure { plot: rows::means(&rows, "mean share of a seat"), words: words.join("; ") })
    }

    /// Lists its tables, each with the end of its file's name. `season` is the summary of the chapter.
    pub(super) fn sheets(&self, season: &SeasonSummary) -> Vec<(&'static str, Sheet)> {
        let mut sheets = vec![
            ("standings.csv", season.standings.sheet()),
            ("rounds.csv", self.trends()),
            ("pairs.csv", tables::pairs_of(&self.account)),
            ("thinking.csv", self.tally.thinking()),
            ("faults.csv", self.tally.faults()),
            ("seats.csv", tables::seats_of(&self.account)),
            ("bots.csv", tables::bots_of(&self.account)),
            ("fairness.csv", tables::findings_of(&self.account.fairness.findings())),
        ];
        sheets.extend(self.matches.clone().map(|matches| ("matches.csv", matches)));
        sheets
    }
}
