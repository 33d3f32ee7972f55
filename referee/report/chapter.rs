//! A chapter of a report: one season of a hill, or one sub-tournament, with its tables and plots.

use maud::Markup;
use serde_json::Value;

use crate::labels::labels;
use crate::plots::grid::{self, Cell, LESS_TO_MORE, NONE_TO_MANY};
use crate::plots::trends::{self, Point, Way};
use crate::plots::{Plot, rows};
use crate::seen::Seen;
use referee_drawing::mark::Mark;
use referee_record::BotName;
use referee_rules::TimeControl;
use referee_statistics::company;
use referee_statistics::confidence::Interval;
use referee_statistics::pairs::Pair;
use referee_statistics::rounds::Field;
use referee_statistics::season::SeasonAccount;
use referee_statistics::standings::Standing;
use referee_statistics::trends::Look;
use referee_tables::contests as tables;
use referee_tables::lead::Lead;
use referee_tables::sentence::Sentence;
use referee_tables::sheet::{Sheet, share};
use referee_tables::standing::Standings;

/// A season or a sub-tournament.
#[derive(Debug)]
pub(super) struct Chapter {
    /// Its name.
    pub(super) name: String,
    /// The start of its files' names: nothing, or a folder.
    pub(super) folder: String,
    /// Notes that come first, such as the verdicts of the stop rule.
    pub(super) notes: Vec<String>,
    /// The parameters of the game.
    pub(super) parameters: String,
    pub(super) account: SeasonAccount,
    pub(super) seen: Seen,
    /// The rows of its standings.
    pub(super) lines: Vec<Standing>,
    /// Of a cup: its bracket, if it is a knockout, and its matches.
    pub(super) cup: Option<(Option<Markup>, Sheet)>,
    /// Of a tournament: whether it is over. Then the places are final.
    pub(super) is_final: Option<bool>,
    /// Its standings as a table.
    pub(super) standings: Standings,
    pub(super) time: TimeControl,
    /// The names of bots in the order in which they came to the contest. Their marks follow from it.
    pub(super) came: Vec<String>,
}

/// A plot, and the same in words.
#[derive(Debug)]
pub(super) struct Figure {
    pub(super) plot: Plot,
    /// For readers who cannot see the plot.
    pub(super) words: String,
}

/// The mean shares over the rounds: of all bots in one plot, and of each with its interval.
#[derive(Debug)]
pub(super) struct Rounds {
    pub(super) all: Figure,
    pub(super) each: Vec<Figure>,
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
        self.seen.bots.bots()
    }

    /// Returns the names of the bots for plots.
    pub(super) fn labels(&self) -> Vec<String> {
        labels(self.bots())
    }

    /// Returns the mark of a bot.
    pub(super) fn mark(&self, name: &str) -> Mark {
        Mark::of(self.came.iter().position(|other| other == name).unwrap_or(self.came.len()))
    }

    /// Returns a sentence with the final places of a tournament, or those so far; `None` for a hill.
    pub(super) fn places(&self) -> Option<Sentence> {
        const TOLD: usize = 8;
        let is_final = self.is_final.filter(|_| !self.lines.is_empty())?;
        let said = Sentence::default().words(if is_final { "Final places:" } else { "Places so far:" });
        let said = self.lines.iter().take(TOLD).fold(said, |said, line| {
            let between = if said.parts.len() == 1 { " " } else { ", " };
            said.words(format!("{between}{} ", line.place)).bot(&*line.bot.name)
        });
        let more = self.lines.len().saturating_sub(TOLD);
        Some(said.words(if more > 0 { format!(", and {more} others.") } else { ".".to_owned() }))
    }

    /// Returns a sentence about the leader, and how sure the lead is.
    pub(super) fn lead(&self) -> Sentence {
        Lead::of(&self.account, &self.lines)
            .map_or_else(|| Sentence::default().words("No game counts yet."), |lead| lead.sentence())
    }

    /// Mean shares with their confidence intervals.
    pub(super) fn means(&self) -> Option<Figure> {
        let standings = &self.lines;
        if standings.is_empty() {
            return None;
        }
        let bots: Vec<BotName> = standings.iter().map(|standing| standing.bot.clone()).collect();
        let labels = labels(&bots).into_iter();
        let row = |(standing, label): (&Standing, String)| {
            (label, standing.mean_share, self.account.mean(&standing.bot))
        };
        let rows: Vec<_> = standings.iter().zip(labels).map(row).collect();
        let words = rows.iter().map(|(label, mean, interval)| match interval {
            Some(interval) => {
                format!("{label} {mean:.3}, from {:.3} to {:.3}", interval.lower, interval.upper)
            }
            None => format!("{label} {mean:.3}"),
        });
        let words = words.collect::<Vec<String>>().join("; ");
        Some(Figure { plot: rows::means(&rows, "mean share"), words })
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

    /// Draws the mean shares over the rounds; `None` before the second look.
    pub(super) fn rounds(&self) -> Option<Rounds> {
        let ways: Vec<Way> =
            self.bots().iter().zip(self.labels()).map(|(bot, label)| self.way(bot, label)).collect();
        if ways.iter().all(|way| way.points.len() < 2) {
            return None;
        }
        let range = trends::range(&ways);
        let words = |way: &Way| match way.points.last() {
            None => format!("{}: no game", way.label),
            Some(Point { round, mean, interval }) => {
                let between = |band: &Interval| format!(", between {:.3} and {:.3}", band.lower, band.upper);
                let band = interval.as_ref().map(between);
                format!("{}: {mean:.3} after round {round}{}", way.label, band.unwrap_or_default())
            }
        };
        let all = ways.iter().map(words).collect::<Vec<String>>().join("; ");
        let all = Figure { plot: trends::all(&ways), words: all };
        let one = |way: &Way| Figure { plot: trends::one(way, &ways, &range), words: words(way) };
        Some(Rounds { all, each: ways.iter().map(one).collect() })
    }

    fn way(&self, bot: &BotName, label: String) -> Way {
        let index = self.account.field.index(bot);
        let point = |look: &Look| {
            let interval = look.intervals.as_ref().zip(index).map(|(all, index)| all[index]);
            Some(Point { round: look.round, mean: look.means[index?]?, interval })
        };
        Way {
            label,
            colour: self.mark(&bot.name).colour(),
            points: self.account.trends.looks().filter_map(point).collect(),
        }
    }

    /// Lists all pairs of a bot and an opponent, each with the difference of the bot's mean share in their games from
    /// its own; 0 where chance explains it.
    pub(super) fn pairs(&self) -> Vec<(Pair, Option<f64>)> {
        let field = &self.seen.bots;
        let own: Vec<Option<f64>> = {
            let of = |bot: &BotName| self.lines.iter().find(|standing| standing.bot == *bot);
            field.bots().iter().map(|bot| of(bot).map(|standing| standing.mean_share)).collect()
        };
        let pairs: Vec<Pair> = self.account.pairs.pairs().collect();
        let differences = company::differences(&pairs, |bot| own[field.index(bot)?]);
        pairs.into_iter().zip(differences).collect()
    }

    /// Mean share of each bot against each opponent. A cell's colour is the difference from the bot's own mean, where
    /// chance does not explain it.
    pub(super) fn company(&self) -> Option<Figure> {
        let field = &self.seen.bots;
        let mut found = vec![vec![None; field.len()]; field.len()];
        for (pair, difference) in self.pairs() {
            if let Some((bot, company)) = field.index(&pair.bot).zip(field.index(&pair.company)) {
                found[bot][company] = difference.map(|difference| (pair.mean_share, difference));
            }
        }
        let differences = || found.iter().flatten().flatten().map(|(_, difference): &(f64, f64)| *difference);
        let most = differences().map(f64::abs).fold(0.0, f64::max);
        differences().next()?;
        let cell = |bot: usize, company: usize| {
            let (mean, difference) = found[bot][company]?;
            let part = if most < 0.0005 { 0.0 } else { difference / most };
            let step = (part * 3.0).round() as i32 + 3;
            Some(Cell { colour: LESS_TO_MORE[step.clamp(0, 6) as usize], text: format!("{mean:.3}") })
        };
        let labels = self.labels();
        let mut all: Vec<(f64, usize, usize)> = Vec::new();
        for (bot, row) in found.iter().enumerate() {
            all.extend(row.iter().enumerate().filter_map(|(company, cell)| Some(((*cell)?.1, bot, company))));
        }
        all.sort_by(|one, other| other.0.total_cmp(&one.0));
        Some(Figure { plot: grid::company(&labels, cell), words: told_of_company(&labels, &all) })
    }

    /// Returns the thinking times of a bot in words, by its number; `None` without a game.
    pub(super) fn thinking_of(&self, bot: usize) -> Option<String> {
        let ms = |us: u64| us as f64 / 1000.0;
        let spread = self.seen.spread(bot)?;
        let of = if self.seen.knows_turns() { "all turns" } else { "the 99 % quantiles of games" };
        Some(format!(
            "Thinking time of a turn: median {} ms, 99 % within {} ms ({of}); the longest {} ms. The limit is {} ms.",
            ms(spread.median),
            ms(spread.most.1),
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
            .map(|(bot, label)| (label, self.seen.spread(bot)))
            .collect();
        rows.iter().any(|(_, spread)| spread.is_some()).then_some(())?;
        let ms = |us: u64| us as f64 / 1000.0;
        let words = rows.iter().filter_map(|(label, spread)| {
            let spread = (*spread)?;
            Some(format!(
                "{label}: median {} ms, 99 % within {} ms, longest {} ms",
                ms(spread.median),
                ms(spread.most.1),
                ms(spread.max)
            ))
        });
        let words = words.collect::<Vec<String>>().join("; ");
        let limits = [self.time.turn_limit.as_micros() as u64];
        Some(Figure { plot: rows::times(&rows, &limits), words })
    }

    /// Faults by bot and rounds; nothing if there was none.
    pub(super) fn faults(&self) -> Option<Figure> {
        let groups: Vec<_> = self.seen.faults_by_round().collect();
        let (first, last) = (groups.first()?.0, groups.last()?.1);
        let last_round = self.account.trends.looks().last().map_or(last, |look| look.round);
        let labels = self.labels();
        let words =
            labels.iter().enumerate().map(|(bot, label)| format!("{label}: {}", self.seen.faults_of(bot)));
        let words = format!("Faults in all rounds: {}.", words.collect::<Vec<String>>().join("; "));
        labels.iter().enumerate().any(|(bot, _)| self.seen.faults_of(bot) > 0).then_some(())?;
        let cell = |bot: usize, group: usize| {
            let faults = groups[group].2[bot];
            let rate = faults.all() as f64 / faults.games.max(1) as f64;
            let step = match rate {
                0.0 => 0,
                rate if rate <= 0.1 => 1,
                rate if rate <= 1.0 => 2,
                rate if rate <= 10.0 => 3,
                _ => 4,
            };
            (faults.games > 0).then(|| Cell { colour: NONE_TO_MANY[step], text: String::new() })
        };
        let span = (first, last.min(last_round.max(first)), groups.len());
        Some(Figure { plot: grid::over_rounds(&labels, span, cell), words })
    }

    /// The mean share of each seat.
    pub(super) fn seats(&self) -> Option<Figure> {
        let seats = self.account.fairness.seats();
        let seats: Vec<_> = seats.into_iter().filter(|seat| seat.games > 0).collect();
        if seats.is_empty() {
            return None;
        }
        let rows: Vec<_> =
            seats.iter().map(|seat| (format!("seat {}", seat.seat), seat.mean_share, None)).collect();
        let words: Vec<String> = rows.iter().map(|(label, mean, _)| format!("{label} {mean:.3}")).collect();
        Some(Figure { plot: rows::means(&rows, "mean share of a seat"), words: words.join("; ") })
    }

    /// Lists its tables, each with the end of its file's name.
    pub(super) fn sheets(&self) -> Vec<(&'static str, Sheet)> {
        let mut sheets = vec![
            ("standings.csv", self.standings.sheet()),
            ("rounds.csv", self.trends()),
            ("pairs.csv", tables::pairs_of(&self.account)),
            ("thinking.csv", self.seen.thinking()),
            ("faults.csv", self.seen.faults()),
            ("seats.csv", tables::seats_of(&self.account)),
            ("bots.csv", tables::bots_of(&self.account)),
            ("fairness.csv", tables::findings_of(&self.account.fairness.findings())),
        ];
        sheets.extend(self.cup.clone().map(|(_, matches)| ("matches.csv", matches)));
        sheets
    }
}

/// Names the pairs in which a bot's mean share differs most from its own mean. `all` has differences, the largest
/// first, with the bot and the opponent. A difference that is noise is 0.
fn told_of_company(labels: &[String], all: &[(f64, usize, usize)]) -> String {
    let tell = |(difference, bot, company): &(f64, usize, usize)| {
        format!("{} with {} {difference:+.3}", labels[*bot], labels[*company])
    };
    let list = |what: &str, some: Vec<String>| match some.is_empty() {
        true => String::new(),
        false => format!(" The largest {what}: {}.", some.join(", ")),
    };
    let gains = all.iter().filter(|(difference, ..)| *difference > 0.0).take(3);
    let losses = all.iter().rev().filter(|(difference, ..)| *difference < 0.0).take(3);
    let told = list("gains", gains.map(tell).collect()) + &list("losses", losses.map(tell).collect());
    match told.is_empty() {
        true => "No bot's mean share against an opponent differs from its own by more than chance explains."
            .to_owned(),
        false => format!("Compared with each bot's own mean share, more than chance explains:{told}"),
    }
}
