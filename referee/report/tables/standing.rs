//! The rows of standings. They are made from an account; tables for terminals and programs, and pages, are made from
//! them.

use referee_contest::overall::{Overall, Total, TournamentAccount};
use referee_record::BotName;
use referee_rules::FaultKind;
use referee_statistics::pairs::Pair;
use referee_statistics::rating::Ratings;
use referee_statistics::season::{SeasonAccount, Surety};
use referee_statistics::standings::Standing;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::tables::measure::{Means, Measure, Scale};
use crate::tables::sheet::{Audience, Cells, Sheet, ms, range, rounded, score, share};

/// A bot in the standings. What is not known, or is not said of a whole of several sub-tournaments, is `None`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StandingRow {
    /// Place, from 1; equal ones share it
    pub place: usize,
    /// Name of the bot
    pub bot: String,
    /// Number of its games that count
    pub games: u64,
    /// Games won; a win is shared by all who have the first place
    pub wins: Option<f64>,
    /// Points of the format of a tournament
    pub points: Option<u32>,
    /// Points of its opponents, by which a Swiss system separates equal points
    pub opponents_points: Option<u32>,
    /// Mean share of its games, which decides the place
    pub mean_share: f64,
    /// First likely place
    pub likely_best: Option<usize>,
    /// Last likely place
    pub likely_worst: Option<usize>,
    /// Mean score of its games
    pub mean_score: Option<f64>,
    /// Rating
    pub rating: Option<f64>,
    /// Uncertainty of the rating
    pub rating_sd: Option<f64>,
    /// Longest answer in microseconds
    #[schemars(skip)]
    pub max_us: Option<u64>,
    /// 99 of 100 answers took no more microseconds
    #[schemars(skip)]
    pub p99_us: Option<u64>,
    /// Number of its program, from 1
    pub version: Option<u32>,
    /// Lower bound of the mean share
    pub mean_low: Option<f64>,
    /// Upper bound of the mean share
    pub mean_high: Option<f64>,
    /// Standard error of the mean share
    pub mean_error: Option<f64>,
    /// Part of its games that it won
    pub win_share: Option<f64>,
    /// Of a hill: whether it has left
    pub retired: Option<bool>,
    /// Number of its games that were given up: they count as unknown
    pub lost_games: u64,
    /// Number of faults of each kind
    #[schemars(skip)]
    pub faults: [u64; FaultKind::ALL.len()],
    /// Of a whole: its mean share in each sub-tournament
    #[schemars(skip)]
    pub shares: Vec<Option<f64>>,
}

/// The standings of a season, a sub-tournament or a tournament: a row for each bot, best first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Standings {
    /// The rows.
    pub rows: Vec<StandingRow>,
    /// The columns of their table.
    columns: Vec<String>,
    /// Facts about all of them.
    facts: Vec<(String, Value)>,
}

impl StandingRow {
    fn new(season: &SeasonAccount, line: &Standing, ratings: &Ratings) -> StandingRow {
        // A format of matches can place a bot where its mean share does not.
        let likely =
            season.likely(&line.bot).map(|(best, worst)| (best.min(line.place), worst.max(line.place)));
        let rating = ratings.get(&line.bot.digest);
        // An interval from 0 to 1 says nothing: there are too few rounds.
        let interval = season.mean(&line.bot).filter(|mean| mean.lower > 0.0 || mean.upper < 1.0);
        let win_share = if season.is_alone() { None } else { Some(line.win_share) };
        StandingRow {
            place: line.place,
            bot: line.bot.name.clone(),
            games: line.games,
            wins: win_share.map(|win_share| win_share * line.games as f64),
            points: line.points,
            opponents_points: line.opponents_points,
            mean_share: line.mean_share,
            likely_best: likely.map(|(best, _)| best),
            likely_worst: likely.map(|(_, worst)| worst),
            mean_score: Some(line.mean_score),
            rating: rating.as_ref().map(|rating| rating.rating),
            rating_sd: rating.map(|rating| rating.uncertainty),
            max_us: Some(line.max_us),
            p99_us: Some(line.p99_us),
            version: Some(line.bot.version),
            // The mean also counts games of a round that is not over, the interval does not.
            mean_low: interval.map(|mean| mean.lower.min(line.mean_share)),
            mean_high: interval.map(|mean| mean.upper.max(line.mean_share)),
            mean_error: season.standard_error(&line.bot),
            win_share,
            retired: None,
            lost_games: season.lost(&line.bot),
            faults: line.faults,
            shares: Vec::new(),
        }
    }

    fn of_whole(account: &TournamentAccount, overall: &Overall, total: &Total) -> StandingRow {
        // The bot in each sub-tournament.
        let lines: Vec<Option<&Standing>> =
            overall.sets.iter().map(|lines| lines.iter().find(|line| line.bot.name == total.bot)).collect();
        let rating = lines.iter().flatten().next().and_then(|line| account.ratings.get(&line.bot.digest));
        let mut faults = [0; FaultKind::ALL.len()];
        for line in lines.iter().flatten() {
            for (sum, count) in faults.iter_mut().zip(line.faults) {
                *sum += count;
            }
        }
        StandingRow {
            place: total.place,
            bot: total.bot.clone(),
            games: total.games,
            points: total.points,
            opponents_points: total.opponents_points,
            mean_share: total.mean_share,
            rating: rating.as_ref().map(|rating| rating.rating),
            rating_sd: rating.map(|rating| rating.uncertainty),
            lost_games: account.sets.iter().map(|set| set.lost_of(&total.bot)).sum(),
            faults,
            shares: lines.iter().map(|line| line.map(|line| line.mean_share)).collect(),
            ..StandingRow::default()
        }
    }

    /// The bounds of the mean share; `None` if there are too few rounds.
    pub fn bounds(&self) -> Option<(f64, f64)> {
        self.mean_low.zip(self.mean_high)
    }

    /// The first and the last likely place.
    pub fn likely(&self) -> Option<(usize, usize)> {
        self.likely_best.zip(self.likely_worst)
    }

    /// Returns the cell of a column.
    fn cell(&self, column: &str, scale: Scale) -> Value {
        let some = |value: Option<f64>, write: fn(f64) -> Value| value.map_or(Value::Null, write);
        let places = |places: Option<(usize, usize)>| places.map_or(Value::Null, range);
        match column {
            "place" => self.place.into(),
            "bot" => self.bot.as_str().into(),
            "games" => self.games.into(),
            "wins" => some(self.wins, |wins| rounded(wins, 1)),
            "points" => self.points.into(),
            "opponents_points" => self.opponents_points.into(),
            "mean_share" => share(self.mean_share),
            "interval" => self.bounds().map_or(Value::Null, |bounds| interval(bounds, scale)),
            column if scale.0.column() == Some(column) => {
                rounded(scale.0.value(self.mean_share), scale.1.max(1) as i32)
            }
            "likely" => places(self.likely()),
            "likely_best" => self.likely_best.into(),
            "likely_worst" => self.likely_worst.into(),
            "mean_score" => some(self.mean_score, score),
            "faults" => self.faults.iter().sum::<u64>().into(),
            "rating" => some(self.rating, |rating| rounded(rating, 2)),
            "rating_sd" => some(self.rating_sd, |rating| rounded(rating, 2)),
            "max_ms" => self.max_us.map_or(Value::Null, ms),
            "p99_ms" => self.p99_us.map_or(Value::Null, ms),
            "version" => self.version.into(),
            "mean_low" => some(self.mean_low, share),
            "mean_high" => some(self.mean_high, share),
            "mean_error" => some(self.mean_error, share),
            "win_share" => some(self.win_share, share),
            "retired" => self.retired.into(),
            "lost_games" => self.lost_games.into(),
            other => match (FaultKind::from_name(other), other.strip_prefix("share_")) {
                (Some(kind), _) => self.faults[kind as usize].into(),
                (None, Some(set)) => {
                    let set = set.parse::<usize>().ok().and_then(|set| self.shares.get(set - 1).copied());
                    some(set.flatten(), share)
                }
                (None, None) => unreachable!("no column {other}"),
            },
        }
    }
}

/// Writes an interval of shares as people read it, rounded outwards.
fn interval((low, high): (f64, f64), Scale(measure, digits): Scale) -> Value {
    let (max, digits) = match measure {
        Measure::Shares => (1.0, 3),
        Measure::Points(_) | Measure::Wins => (measure.max(), digits),
    };
    let parts = 10f64.powi(digits as i32);
    // The small error keeps a bound in its place that has no more digits than are shown, but is a little off in binary.
    let bound = |share: f64, error: f64, round: fn(f64) -> f64| round(share * max * parts + error) / parts;
    let (low, high) = (bound(low, 1e-6, f64::floor), bound(high, -1e-6, f64::ceil));
    Value::from(format!("{low:.digits$}-{high:.digits$}"))
}

impl Standings {
    /// Returns the standings of a season or a sub-tournament. `lines` are best first. `is_retired` tells whether a bot
    /// has left its hill; in a tournament there is no such function.
    pub fn of_season(
        season: &SeasonAccount,
        lines: &[Standing],
        ratings: &Ratings,
        is_retired: Option<&dyn Fn(&BotName) -> bool>,
    ) -> Standings {
        let row = |line: &Standing| StandingRow {
            retired: is_retired.map(|is_retired| is_retired(&line.bot)),
            ..StandingRow::new(season, line, ratings)
        };
        let rows: Vec<StandingRow> = lines.iter().map(row).collect();
        let columns = columns_of_season(season, &rows, is_retired.is_some());
        let facts = [
            ("season", u64::from(season.number)),
            ("round", season.race.rounds().into()),
            ("games_before", season.carried()),
        ];
        let facts = facts.map(|(fact, value)| (fact.to_owned(), Value::from(value))).into();
        Standings { rows, columns: columns.into_iter().map(str::to_owned).collect(), facts }
    }

    /// The standings of a tournament: of a single sub-tournament its own, of several the means over them.
    pub fn of_tournament(account: &TournamentAccount, overall: &Overall) -> Standings {
        if let ([set], [lines]) = (&account.sets[..], &overall.sets[..]) {
            return Standings::of_season(set, lines, &account.ratings, None);
        }
        let row = |total: &Total| StandingRow::of_whole(account, overall, total);
        let rows: Vec<StandingRow> = overall.total.iter().map(row).collect();
        let mut columns: Vec<String> = ["place", "bot", "games"].map(str::to_owned).into();
        if has_points(&rows) {
            columns.push("points".to_owned());
        }
        if has_tie_break(&rows) {
            columns.push("opponents_points".to_owned());
        }
        columns.push("mean_share".to_owned());
        columns.extend((1..=account.sets.len()).map(|set| format!("share_{set}")));
        columns.extend(["faults", "rating", "rating_sd"].map(str::to_owned));
        columns.extend(FaultKind::ALL.map(FaultKind::name).map(str::to_owned));
        columns.push("lost_games".to_owned());
        Standings { rows, columns, facts: Vec::new() }
    }

    /// Returns the scale in which people read the shares.
    pub fn scale(&self) -> Scale {
        let means = |row: &StandingRow| Means {
            share: row.mean_share,
            error: row.mean_error,
            score: row.mean_score,
            won: row.win_share,
        };
        Scale::fitting(&self.rows.iter().map(means).collect::<Vec<_>>())
    }

    /// Returns the standings as a table.
    pub fn sheet(&self) -> Sheet {
        let kinds = FaultKind::ALL.map(FaultKind::name);
        let scale = self.scale();
        let mut columns: Vec<&str> = self.columns.iter().map(|column| &**column).collect();
        // The column in which people read the shares, if it is another than that of programs.
        let measure_column = scale.0.column();
        if let Some(column) = measure_column {
            let share = columns.iter().position(|column| *column == "mean_share").expect("a column");
            columns.insert(share, column);
        }
        let mut sheet = Sheet::new(columns.iter().copied())
            .audience(Audience::People, &["interval", "likely"])
            .audience(Audience::People, measure_column.as_slice())
            .audience(Audience::Programs, &["likely_best", "likely_worst"])
            .audience(
                Audience::Wide,
                &["version", "mean_low", "mean_high", "mean_error", "win_share", "rating_sd"],
            )
            .audience(Audience::Wide, &kinds)
            .audience(Audience::Wide, &["p99_ms"])
            .audience(
                if measure_column.is_some() { Audience::Wide } else { Audience::Always },
                &["mean_share"],
            )
            // Mean points are the mean scores.
            .audience(
                if measure_column == Some("mean_points") { Audience::Wide } else { Audience::Always },
                &["mean_score"],
            )
            .cells(Cells::Wrongs, &kinds)
            .cells(Cells::Wrongs, &["faults", "lost_games"])
            .audience(Audience::Wide, &["lost_games"])
            .remark("retired", "bot");
        for column in ["faults", FaultKind::Late.name(), "lost_games"] {
            // People see no column of zeros.
            if self.rows.iter().all(|row| row.cell(column, scale) == 0) {
                sheet = sheet.audience(Audience::Programs, &[column]);
            }
        }
        for (fact, value) in &self.facts {
            sheet = sheet.about(fact, value.clone());
        }
        for row in &self.rows {
            sheet.row(columns.iter().map(|column| row.cell(column, scale)).collect());
        }
        // Programs always get the columns of late answers, faults and lost games.
        let kinds: Vec<&str> = kinds.into_iter().filter(|kind| *kind != FaultKind::Late.name()).collect();
        sheet.drop_zeros(&kinds);
        sheet
    }
}

/// Lists the columns of a season's standings. Their order is that of their importance: the last are left out first
/// where there is no room.
fn columns_of_season(season: &SeasonAccount, rows: &[StandingRow], is_of_hill: bool) -> Vec<&'static str> {
    let mut columns = vec!["place", "bot", "games"];
    if !season.is_alone() {
        columns.push("wins");
    }
    if has_points(rows) {
        columns.push("points");
    }
    if has_tie_break(rows) {
        columns.push("opponents_points");
    }
    columns.push("mean_share");
    if season.surety() != Surety::None {
        columns.extend(["interval", "likely"]);
    }
    // Programs get the columns of likely places even if nothing is known of them.
    columns.extend(["likely_best", "likely_worst", "mean_score", "faults", "rating", "max_ms", "version"]);
    columns.extend(["mean_low", "mean_high", "mean_error"]);
    if !season.is_alone() {
        columns.push("win_share");
    }
    columns.push("rating_sd");
    columns.extend(FaultKind::ALL.map(FaultKind::name));
    columns.extend(["lost_games", "p99_ms"]);
    if is_of_hill {
        columns.push("retired");
    }
    columns
}

fn has_tie_break(rows: &[StandingRow]) -> bool {
    rows.iter().any(|row| row.opponents_points.is_some())
}

fn has_points(rows: &[StandingRow]) -> bool {
    rows.iter().any(|row| row.points.is_some())
}

/// The results of a bot in its games with another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PairRow {
    /// The bot.
    pub bot: BotName,
    /// Its opponent.
    pub company: BotName,
    /// Number of games with both.
    pub games: u64,
    /// Mean share of the bot in them.
    pub mean_share: f64,
    /// The bounds of the difference of their mean shares over the season, if known.
    pub difference: Option<(f64, f64)>,
    /// The part of the games in which the bot finished before the other, ties half.
    pub before: f64,
}

impl PairRow {
    /// Lists each bot of a season with each other that it has met.
    pub fn of_season(season: &SeasonAccount) -> Vec<PairRow> {
        let row = |pair: Pair| {
            // The difference of the mean shares of the whole season, not of these games alone.
            let difference = season.difference(&pair.bot, &pair.company);
            PairRow {
                difference: difference.map(|difference| (difference.lower, difference.upper)),
                games: pair.games,
                mean_share: pair.mean_share,
                before: pair.before,
                bot: pair.bot,
                company: pair.company,
            }
        };
        season.pairs.pairs().map(row).collect()
    }
}
