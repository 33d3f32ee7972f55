//! Fairness: how often bots had each seat and met each other, and whether a seat is better than another. Each
//! test has a p-value: the probability of at least this much unevenness in a fair contest.

use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

use statrs::distribution::{ChiSquared, ContinuousCDF, FisherSnedecor};

use crate::affinity::{Affinities, Affinity};
use crate::rounds::{Dealt, Field, Round, mean_of_micros};
use crate::standings::Sums;
use referee_record::game_result::GameResult;
use referee_record::results::ResultRow;
use referee_record::{BotName, Digest};
use referee_rules::FaultKind;

/// A finding with a smaller p-value is a sign of unfairness: one fair season in a thousand has one by chance.
pub const SUSPICIOUS: f64 = 0.001;

/// The probability that a pair of honest bots whose shares depend on each other no more than on others is listed.
const UNEXPLAINED: f64 = 0.01;

/// Shares are rounded to six decimals, so a smaller variance is an error of rounding: the share never changes.
const VARIANCE_MIN: f64 = 1e-13;

/// The counts of a season, updated with each game.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Fairness {
    dealt: Dealt,
    field: Field,
    /// By bot and seat.
    games: Vec<Vec<u64>>,
    /// Blocks by bot.
    blocks: Vec<u64>,
    /// By pair: the number of tables at which both sat.
    meetings: BTreeMap<(usize, usize), u64>,
    tables: u64,
    rounds: u64,
    seats: Vec<SeatSum>,
    /// The mean share of each seat, in complete blocks.
    blocks_by_seat: Vectors,
    affinities: Affinities,
    all: Sums,
    without_silence: Sums,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct SeatSum {
    games: u64,
    micros: i64,
    faults: u64,
    games_with_faults: u64,
}

/// One bot's games.
#[derive(Clone, Debug, PartialEq)]
pub struct BotGames {
    /// The bot.
    pub bot: BotName,
    /// The number of its games that count.
    pub games: u64,
    /// The number of blocks that it has begun.
    pub blocks: u64,
    /// The numbers of its games in its rarest and in its most frequent seat.
    pub games_by_seat: (u64, u64),
    /// The numbers of tables at which it met the bot that it met least often, and the one that it met most
    /// often.
    pub meetings: (u64, u64),
}

/// Results of one seat.
#[derive(Clone, Debug, PartialEq)]
pub struct SeatGames {
    /// From 0.
    pub seat: usize,
    /// The number of games that count in this seat.
    pub games: u64,
    /// The mean share in these games.
    pub mean_share: f64,
    /// The number of faults in them.
    pub faults: u64,
    /// The number of games with a fault.
    pub games_with_faults: u64,
}

/// A question and its answer: for people in words, for programs as numbers and names.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FairnessFinding {
    /// The question, as a word.
    pub code: &'static str,
    /// The question.
    pub question: &'static str,
    /// The result.
    pub found: String,
    /// The result, as a word.
    pub state: FairnessState,
    /// The least and the greatest number that was found.
    pub range: Option<(f64, f64)>,
    /// The pairs of bots that were found.
    pub pairs: Vec<Affinity>,
    /// The names of bots that were found, in groups.
    pub bots: Vec<Vec<String>>,
    /// The p-value; `None` without a test, or with too few games for it.
    pub p_value: Option<f64>,
    /// Whether this is a sign of unfairness.
    pub suspicious: bool,
}

/// The kind of a result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FairnessState {
    /// Numbers.
    #[default]
    Measured,
    /// There are too few games for it.
    TooFew,
    /// There is none.
    None,
    /// There are some.
    Some,
    /// Both are the same.
    Same,
    /// They differ.
    Different,
}

impl FairnessState {
    /// Returns its name in tables for programs.
    pub fn name(self) -> &'static str {
        match self {
            FairnessState::Measured => "measured",
            FairnessState::TooFew => "too_few",
            FairnessState::None => "none",
            FairnessState::Some => "some",
            FairnessState::Same => "same",
            FairnessState::Different => "different",
        }
    }
}

impl Fairness {
    /// Begins a season without games.
    pub fn new(dealt: Dealt) -> Fairness {
        Fairness {
            dealt,
            field: Field::default(),
            games: Vec::new(),
            blocks: Vec::new(),
            meetings: BTreeMap::new(),
            tables: 0,
            rounds: 0,
            seats: Vec::new(),
            blocks_by_seat: Vectors::default(),
            affinities: Affinities::default(),
            all: Sums::default(),
            without_silence: Sums::default(),
        }
    }

    /// Adds a game: all its rows.
    pub fn add(&mut self, game: &[&ResultRow]) {
        let counted = || game.iter().filter(|row| row.counts);
        let mut bots = BTreeSet::new();
        self.seats.resize_with(self.seats.len().max(game.len()), SeatSum::default);
        for row in counted() {
            let bot = self.field.enter(&row.bot);
            bots.insert(bot);
            self.games.resize_with(self.field.len(), Vec::new);
            self.blocks.resize(self.field.len(), 0);
            let by_seat = &mut self.games[bot];
            by_seat.resize(by_seat.len().max(game.len()), 0);
            by_seat[row.seat.index()] += 1;
            let faults: u64 = row.faults.iter().sum();
            let seat = &mut self.seats[row.seat.index()];
            seat.games += 1;
            seat.micros += row.share.micros();
            seat.faults += faults;
            seat.games_with_faults += u64::from(faults > 0);
        }
        if game.first().and_then(|row| row.place_in_schedule).is_some_and(|place| place.rotation == 1) {
            self.tables += 1;
            for bot in &bots {
                self.blocks[*bot] += 1;
                for other in bots.range(bot + 1..) {
                    *self.meetings.entry((*bot, *other)).or_default() += 1;
                }
            }
        }
        self.all.add(game);
        let is_silent = |row: &ResultRow| {
            FaultKind::ALL.into_iter().any(|kind| kind.is_silence() && row.faults(kind) > 0)
        };
        let spoken = |row: &&&ResultRow| !is_silent(row);
        let without: Vec<&ResultRow> = game.iter().filter(spoken).copied().collect();
        self.without_silence.add(&without);
    }

    /// Adds the games of a block. [`add`](Fairness::add) has to be called with these games, too.
    pub fn add_block(&mut self, block: &[GameResult]) {
        self.affinities.add(block);
    }

    /// Adds a complete round. [`add`](Fairness::add) has to be called with its games, too.
    pub fn add_round(&mut self, round: &Round) {
        self.rounds += 1;
        for block in round.blocks() {
            // A block with fillers has seats that do not count.
            if block.iter().flatten().any(|row| !row.counts) {
                continue;
            }
            let seats = block[0].len();
            let mean = |seat: usize| {
                block.iter().map(|game| game[seat].share.value()).sum::<f64>() / block.len() as f64
            };
            self.blocks_by_seat.add(&(0..seats).map(mean).collect::<Vec<f64>>());
        }
    }

    /// Lists the bots.
    pub fn bots(&self) -> Vec<BotGames> {
        let bots = self.field.bots().iter().enumerate();
        let line = |(index, bot): (usize, &BotName)| BotGames {
            bot: bot.clone(),
            games: self.games[index].iter().sum(),
            blocks: self.blocks[index],
            games_by_seat: extremes(self.games[index].iter().copied()),
            meetings: extremes(
                (0..self.field.len()).filter(|other| *other != index).map(|other| self.met(index, other)),
            ),
        };
        bots.map(line).collect()
    }

    /// Lists the seats.
    pub fn seats(&self) -> Vec<SeatGames> {
        let seats = self.seats.iter().enumerate();
        let line = |(seat, sum): (usize, &SeatSum)| SeatGames {
            seat,
            games: sum.games,
            mean_share: mean_of_micros(sum.micros, sum.games),
            faults: sum.faults,
            games_with_faults: sum.games_with_faults,
        };
        seats.map(line).collect()
    }

    /// Returns the findings for the report.
    pub fn findings(&self) -> Vec<FairnessFinding> {
        vec![
            self.seats_of_bots(),
            self.blocks_of_bots(),
            self.meetings(),
            self.seat_shares(),
            self.seat_faults(),
            self.clearest_pair(),
            self.unexplained_pairs(),
            self.same_programs(),
            self.silence(),
        ]
    }

    fn met(&self, one: usize, other: usize) -> u64 {
        self.meetings.get(&(one.min(other), one.max(other))).copied().unwrap_or(0)
    }

    /// Tells whether a block gives a bot every seat once. With blocks of one game, seats are drawn.
    fn rotates(&self) -> bool {
        self.blocks.iter().zip(&self.games).all(|(blocks, games)| games.iter().sum::<u64>() > *blocks)
    }

    /// Returns the difference between a bot's numbers of games in its most frequent and its rarest seat: the
    /// maximum over all bots.
    fn seats_apart(&self) -> u64 {
        let apart = self.bots().into_iter().map(|bot| bot.games_by_seat.1 - bot.games_by_seat.0);
        apart.max().unwrap_or(0)
    }

    fn seats_of_bots(&self) -> FairnessFinding {
        let (min, max) = extremes(self.games.iter().flatten().copied());
        FairnessFinding {
            code: "games_in_a_seat",
            question: "games of a bot in a seat",
            found: format!("{min} to {max}"),
            range: Some((min as f64, max as f64)),
            p_value: None,
            // An unfinished block may leave a bot one game short in some seats.
            suspicious: self.rotates() && self.seats_apart() > 1,
            ..FairnessFinding::default()
        }
    }

    fn blocks_of_bots(&self) -> FairnessFinding {
        let (min, max) = extremes(self.blocks.iter().copied());
        let is_uneven = max - min > 1;
        // The challenger of a gauntlet sits at every table, and a bot that loses in a cup or leaves a race
        // does not play any more.
        let is_of_format = is_uneven
            && matches!(self.dealt, Dealt::WithoutRounds | Dealt::Racing(_) | Dealt::RacingApart(_));
        let why = if is_of_format { " (because of the format)" } else { "" };
        FairnessFinding {
            code: "blocks",
            question: "blocks of a bot",
            found: format!("{min} to {max}{why}"),
            range: Some((min as f64, max as f64)),
            p_value: None,
            suspicious: is_uneven && !is_of_format,
            ..FairnessFinding::default()
        }
    }

    fn meetings(&self) -> FairnessFinding {
        let bots = self.field.len();
        let pairs = (0..bots).flat_map(|one| (one + 1..bots).map(move |other| (one, other)));
        let counts: Vec<u64> = pairs.map(|(one, other)| self.met(one, other)).collect();
        let (min, max) = extremes(counts.iter().copied());
        let p_value = self.meetings_p_value(&counts);
        FairnessFinding {
            code: "meetings",
            question: "tables at which two bots met",
            found: format!("{min} to {max}"),
            range: Some((min as f64, max as f64)),
            p_value,
            suspicious: p_value.is_some_and(|p| p < SUSPICIOUS),
            ..FairnessFinding::default()
        }
    }

    /// Tests how often pairs met. In a round each bot meets `seats - 1` others. Therefore the differences between the
    /// counts and their expectation have the same variance in each of the `bots (bots - 3) / 2` directions that are
    /// left.
    fn meetings_p_value(&self, counts: &[u64]) -> Option<f64> {
        let (bots, seats) = (self.field.len(), self.seats.len());
        if self.rounds < 10
            || matches!(self.dealt, Dealt::Apart(_) | Dealt::Racing(_) | Dealt::RacingApart(_))
            || seats < 2
            || bots < 5
            || bots <= seats
            || bots % seats != 0
        {
            return None;
        }
        let rounds = self.tables as f64 * seats as f64 / bots as f64;
        let chance = (seats - 1) as f64 / (bots - 1) as f64;
        let variance = rounds * chance * (1.0 - chance) * (bots - 1) as f64 / (bots - 3) as f64;
        let distances = counts.iter().map(|count| (*count as f64 - rounds * chance).powi(2));
        Some(ChiSquared::new((bots * (bots - 3) / 2) as f64).ok()?.sf(distances.sum::<f64>() / variance))
    }

    fn seat_shares(&self) -> FairnessFinding {
        let (mut min, mut max) = (f64::MAX, f64::MIN);
        for SeatGames { mean_share, .. } in self.seats() {
            (min, max) = (min.min(mean_share), max.max(mean_share));
        }
        let p_value = self.blocks_by_seat.p_value_of_equal_means();
        let differs = p_value.is_some_and(|p| p < SUSPICIOUS);
        let cancels = differs && self.rotates() && self.seats_apart() <= 1;
        let why = if cancels { "; each bot had each seat equally often, so it cancels out" } else { "" };
        FairnessFinding {
            code: "share_of_a_seat",
            question: "mean share of a seat",
            found: format!("{min:.4} to {max:.4}{why}"),
            range: (min <= max).then_some((min, max)),
            p_value,
            suspicious: differs && !cancels,
            ..FairnessFinding::default()
        }
    }

    fn clearest_pair(&self) -> FairnessFinding {
        let clearest = self.affinities.clearest();
        let found = clearest.as_ref().map_or("too few meetings for a test".to_owned(), |pair| {
            let (bot, company) = (&pair.bot.name, &pair.company.name);
            format!(
                "{bot} beside {company}: {:.4}, expected {:.4} (t {:.1})",
                pair.found, pair.expected, pair.t
            )
        });
        let p_value = clearest.as_ref().map(|pair| pair.p_value);
        let state = if clearest.is_some() { FairnessState::Measured } else { FairnessState::TooFew };
        FairnessFinding {
            code: "pair",
            question: "the pair with the most unusual shares",
            found,
            state,
            pairs: clearest.into_iter().collect(),
            p_value,
            suspicious: p_value.is_some_and(|p| p < SUSPICIOUS),
            ..FairnessFinding::default()
        }
    }

    /// Small differences count, too: honest bots suit each other more or less well, and a helper may give only a part
    /// of its share.
    fn unexplained_pairs(&self) -> FairnessFinding {
        let pairs = self.affinities.unexplained(UNEXPLAINED);
        let in_words = |pair: &Affinity| {
            let (bot, company) = (&pair.bot.name, &pair.company.name);
            format!("{bot} beside {company} {:.4} for {:.4} (t {:.1})", pair.found, pair.expected, pair.t)
        };
        let (state, found) = match &pairs {
            None => (FairnessState::TooFew, "too few meetings for a test".to_owned()),
            Some(pairs) if pairs.is_empty() => (FairnessState::None, "none".to_owned()),
            Some(pairs) => {
                (FairnessState::Some, pairs.iter().map(in_words).collect::<Vec<String>>().join(", "))
            }
        };
        FairnessFinding {
            code: "pairs",
            question: "pairs whose shares chance does not explain",
            found,
            state,
            pairs: pairs.unwrap_or_default(),
            p_value: None,
            suspicious: false,
            ..FairnessFinding::default()
        }
    }

    fn same_programs(&self) -> FairnessFinding {
        let mut names_of_program: BTreeMap<&Digest, Vec<&str>> = BTreeMap::new();
        for BotName { name, digest, .. } in self.field.bots() {
            names_of_program.entry(digest).or_default().push(name);
        }
        let groups: Vec<Vec<&str>> = names_of_program.into_values().filter(|names| names.len() > 1).collect();
        let same: Vec<String> = groups.iter().map(|names| names.join(" = ")).collect();
        FairnessFinding {
            code: "same_program",
            question: "the same program under two names",
            found: if same.is_empty() { "none".to_owned() } else { same.join(", ") },
            state: if same.is_empty() { FairnessState::None } else { FairnessState::Some },
            bots: groups.into_iter().map(|names| names.into_iter().map(str::to_owned).collect()).collect(),
            p_value: None,
            // There can be good reasons for it.
            suspicious: false,
            ..FairnessFinding::default()
        }
    }

    fn seat_faults(&self) -> FairnessFinding {
        let (min, max) = extremes(self.seats.iter().map(|seat| seat.games_with_faults));
        let p_value = self.seat_faults_p_value();
        FairnessFinding {
            code: "faults_in_a_seat",
            question: "games with a fault in a seat",
            found: format!("{min} to {max}"),
            range: Some((min as f64, max as f64)),
            p_value,
            suspicious: p_value.is_some_and(|p| p < SUSPICIOUS),
            ..FairnessFinding::default()
        }
    }

    fn seat_faults_p_value(&self) -> Option<f64> {
        let games: u64 = self.seats.iter().map(|seat| seat.games).sum();
        let faulty: u64 = self.seats.iter().map(|seat| seat.games_with_faults).sum();
        let expected = |seat: &SeatSum| faulty as f64 * seat.games as f64 / games as f64;
        // The usual rule of thumb for the test of Pearson.
        if games == 0 || self.seats.len() < 2 || self.seats.iter().any(|seat| expected(seat) < 5.0) {
            return None;
        }
        let distance =
            |seat: &SeatSum| (seat.games_with_faults as f64 - expected(seat)).powi(2) / expected(seat);
        let distances: f64 = self.seats.iter().map(distance).sum();
        Some(ChiSquared::new((self.seats.len() - 1) as f64).ok()?.sf(distances))
    }

    fn silence(&self) -> FairnessFinding {
        let podium = |sums: &Sums| -> Vec<(usize, String)> {
            let first = sums.standings().into_iter().filter(|standing| standing.place <= 3);
            first.map(|standing| (standing.place, standing.bot.name)).collect()
        };
        let in_words = |podium: &[(usize, String)]| -> String {
            let lines = podium.iter().map(|(place, name)| format!("{place} {name}"));
            lines.collect::<Vec<String>>().join(", ")
        };
        let (of_all, without_silence) = (podium(&self.all), podium(&self.without_silence));
        let is_same = of_all == without_silence;
        let found = if is_same {
            "the same".to_owned()
        } else {
            format!("{} (not {})", in_words(&without_silence), in_words(&of_all))
        };
        let names = |podium: Vec<(usize, String)>| podium.into_iter().map(|(_, name)| name).collect();
        FairnessFinding {
            code: "podium_without_silence",
            question: "the podium if games with a silent bot are left out",
            found,
            state: if is_same { FairnessState::Same } else { FairnessState::Different },
            bots: [without_silence, of_all].map(names).to_vec(),
            p_value: None,
            suspicious: !is_same,
            ..FairnessFinding::default()
        }
    }
}

/// Returns the smallest and the greatest of some numbers; two zeros if there are none.
fn extremes(counts: impl Iterator<Item = u64>) -> (u64, u64) {
    let (mut min, mut max) = (u64::MAX, 0);
    for count in counts {
        (min, max) = (min.min(count), max.max(count));
    }
    (min.min(max), max)
}

/// Sums over vectors of one length, from which their mean and covariance are computed.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Vectors {
    count: u64,
    sums: Vec<f64>,
    products: Vec<Vec<f64>>,
}

impl Vectors {
    /// Adds a vector. Its mean is subtracted, and its last component left out, since it follows from the
    /// others.
    fn add(&mut self, values: &[f64]) {
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        let length = values.len() - 1;
        if self.count == 0 {
            self.sums = vec![0.0; length];
            self.products = vec![vec![0.0; length]; length];
        }
        if length != self.sums.len() {
            return; // a table of another size is another game
        }
        self.count += 1;
        for row in 0..length {
            self.sums[row] += values[row] - mean;
            for column in 0..length {
                self.products[row][column] += (values[row] - mean) * (values[column] - mean);
            }
        }
    }

    /// Tests whether all components have the same mean, whatever their variances and correlations: the
    /// T-squared test of Hotelling. `None` if there are too few vectors.
    fn p_value_of_equal_means(&self) -> Option<f64> {
        let (count, length) = (self.count as f64, self.sums.len());
        if length == 0 || self.count < 2 * length as u64 + 10 {
            return None;
        }
        let means: Vec<f64> = self.sums.iter().map(|sum| sum / count).collect();
        let covariance = (0..length).map(|row| {
            let cell = |column: usize| self.products[row][column] / count - means[row] * means[column];
            (0..length).map(|column| cell(column) * count / (count - 1.0)).collect()
        });
        let covariance: Vec<Vec<f64>> = covariance.collect();
        if (0..length).any(|index| covariance[index][index] < VARIANCE_MIN) {
            return None;
        }
        let solved = solve(covariance, means.clone())?;
        let t_squared = count * means.iter().zip(&solved).map(|(mean, solved)| mean * solved).sum::<f64>();
        let length = length as f64;
        let f = t_squared * (count - length) / (length * (count - 1.0));
        Some(FisherSnedecor::new(length, count - length).ok()?.sf(f.max(0.0)))
    }
}

/// Solves a system of linear equations by elimination; `None` if it has no single solution.
fn solve(mut matrix: Vec<Vec<f64>>, mut right: Vec<f64>) -> Option<Vec<f64>> {
    let size = right.len();
    let scale = (0..size).map(|index| matrix[index][index].abs()).fold(0.0, f64::max);
    for column in 0..size {
        let by_size =
            |one: &usize, other: &usize| matrix[*one][column].abs().total_cmp(&matrix[*other][column].abs());
        let pivot = (column..size).max_by(by_size)?;
        if matrix[pivot][column].abs() <= scale * 1e-12 {
            return None;
        }
        matrix.swap(column, pivot);
        right.swap(column, pivot);
        for row in column + 1..size {
            let factor = matrix[row][column] / matrix[column][column];
            let (above, below) = matrix.split_at_mut(row);
            for (cell, known) in below[0].iter_mut().zip(&above[column]).skip(column) {
                *cell -= factor * known;
            }
            right[row] -= factor * right[column];
        }
    }
    for row in (0..size).rev() {
        let known: f64 = (row + 1..size).map(|column| matrix[row][column] * right[column]).sum();
        right[row] = (right[row] - known) / matrix[row][row];
    }
    Some(right)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seats_whose_shares_never_change_are_not_tested() {
        for shares in [[0.5, 0.25, 0.25], [0.5, 0.3, 0.2], [0.333_333; 3], [0.1, 0.7, 0.2]] {
            let mut vectors = Vectors::default();
            (0..30).for_each(|_| vectors.add(&shares));
            assert_eq!(vectors.p_value_of_equal_means(), None, "{shares:?}");
        }
    }

    #[test]
    fn equations_are_solved_in_whatever_order_they_come_or_have_no_single_solution() {
        let lines = [[0.0, 2.0, 1.0], [1.0, -2.0, -3.0], [-1.0, 1.0, 2.0]];
        let right = [-8.0, 0.0, 3.0];
        for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
            let matrix = order.map(|line: usize| lines[line].to_vec()).to_vec();
            let solved = solve(matrix, order.map(|line| right[line]).to_vec()).expect("a solution");
            let expected = [-4.0, -5.0, 2.0];
            assert!(
                solved.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 1e-12),
                "{solved:?}"
            );
        }
        assert_eq!(solve(vec![vec![1.0, 2.0], vec![2.0, 4.0]], vec![1.0, 2.0]), None);
    }
}
