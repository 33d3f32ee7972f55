//! Stages of a tournament that is played until clear: some rounds are planned, played and merged, then the stop rule
//! looks at all games so far. The end of a stage depends on no result, so a lucky streak does not end one.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

use crate::schema;
use referee_record::BotName;
use referee_record::game_result::GameResult;
use referee_record::results::Scheduled;
use referee_statistics::rating::Ratings;
use referee_statistics::schedule::format::{Format, Ranking};
use referee_statistics::season::{Dealt, SeasonAccount};
use referee_statistics::stop_rule::{
    EDITION, Method, StopRule, Until, Verdict, VerdictKind, fault_of_edition,
};
use referee_statistics::verdict::VerdictRow;

/// `[stop]` of a tournament's file. The format's rounds are the maximum.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Stop {
    /// What ends the tournament: `winner`, the best bot is clear; or `ranked`, all bots are ranked. By default
    /// `winner`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "until", example = &"winner")]
    pub until: Option<Until>,
    /// The method of the verdict, `betting`, which a plan names.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "method")]
    pub method: Option<Method>,
    /// The edition of the stop rule, which a plan names.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "edition")]
    pub edition: Option<u32>,
    /// The maximum probability of a wrong verdict in the whole tournament: sub-tournaments share it. For proofs
    /// and differences in tables there is a second maximum of the same size.
    #[schemars(extend("exclusiveMinimum" = 0, "exclusiveMaximum" = 1))]
    pub alpha: f64,
    /// The smallest difference of mean shares that matters.
    #[schemars(extend("minimum" = 0, "exclusiveMaximum" = 1))]
    pub epsilon: f64,
    /// Minimum number of rounds before a verdict.
    #[schemars(range(min = 1))]
    pub min_rounds: u32,
    /// Minimum number of rounds between two looks, or a tenth of those played, if that is more.
    #[schemars(range(min = 1))]
    pub look_every: u32,
    /// Whether bots on which the verdict does not depend any more leave the race: then they only fill the tables of
    /// others.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schemars(extend("default" = false))]
    pub racing: bool,
}

fn until(_: &mut SchemaGenerator) -> Schema {
    schema::words(&Until::ALL.map(Until::name))
}

fn method(_: &mut SchemaGenerator) -> Schema {
    schema::words(&Method::ALL.map(Method::name))
}

/// The rounds before a stage, divided by its rounds, at most. A tournament therefore has few stages, each of which
/// begins by reading all games before it, and plays at most a tenth too long (or `look_every` rounds, if that is more).
const GROWTH: u32 = 10;

impl Default for Stop {
    fn default() -> Stop {
        let StopRule { alpha, epsilon, min_rounds, .. } = StopRule::default();
        let (until, method, edition) = (None, None, None);
        Stop { until, method, edition, alpha, epsilon, min_rounds, look_every: 10, racing: false }
    }
}

impl Stop {
    /// Returns the rule for one of this number of sub-tournaments. They share alpha, so all their verdicts together are
    /// right with a probability of 1 - alpha. The format says what counts, and the number of rounds.
    pub fn rule(&self, sets: usize, format: &Format) -> StopRule {
        let Stop { until, method, alpha, epsilon, min_rounds, .. } = *self;
        let until = until.unwrap_or_default();
        let (method, alpha) = (method.unwrap_or_default(), alpha / sets.max(1) as f64);
        let (rank_by, max_rounds) = (format.rank_by(), format.rounds_max().unwrap_or(u32::MAX));
        StopRule { until, rank_by, method, alpha, epsilon, min_rounds, max_rounds }
    }

    /// Returns the rule of a new plan, which names its method and the edition.
    pub fn of_today(self) -> Stop {
        Stop { method: Some(self.method.unwrap_or_default()), edition: Some(EDITION), ..self }
    }

    /// Returns the last round of the stage that follows this number of rounds.
    pub fn end_of_stage(&self, rounds: u32, max_rounds: u32) -> u32 {
        let least = self.look_every.max(rounds / GROWTH);
        rounds.saturating_add(least).max(self.min_rounds).min(max_rounds)
    }
}

fn edition<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u32>, D::Error> {
    let edition = u32::deserialize(deserializer)?;
    fault_of_edition(edition).map_or(Ok(Some(edition)), |fault| Err(D::Error::custom(fault)))
}

/// Why a game of one seat has no race.
pub const RACING_ALONE: &str =
    "bots that play alone are compared with the whole field, so that none can sit out; leave racing out";

/// The games so far of a sub-tournament that is played until clear.
#[derive(Debug)]
pub struct StagesPlayed {
    rule: StopRule,
    account: SeasonAccount,
}

impl StagesPlayed {
    /// Begins without a game.
    pub fn new(
        season: u32,
        bots: &[BotName],
        dealt: Dealt,
        rule: StopRule,
        teams: Vec<usize>,
    ) -> StagesPlayed {
        StagesPlayed {
            rule,
            account: SeasonAccount::for_verdict(season, bots, dealt, rule).with_teams(teams),
        }
    }

    /// Sets a smaller number of games for a round; see [`Stop::racing`].
    pub fn shorten(&mut self, round: u32, games: usize) {
        self.account.shorten(round, games);
    }

    /// Lists the bots on which the verdict still depends, by index.
    pub fn contending(&self) -> Vec<usize> {
        self.account.race.open()
    }

    /// Takes a game.
    pub fn add(&mut self, game: GameResult) {
        self.account.add(game, &mut Ratings::default());
    }

    /// Takes a game of these bots that does not count: its result is treated as unknown.
    pub fn leave_out(&mut self, place: Scheduled, bots: Vec<BotName>) {
        self.account.leave_out(place, bots, &mut Ratings::default());
    }

    /// Returns the last round that was played.
    pub fn last_round(&self) -> u32 {
        self.account.race.rounds()
    }

    /// Returns the verdict, if there is one. To be called after a whole stage.
    pub fn verdict(&self) -> Option<Verdict> {
        let race = &self.account.race;
        let used_up = || (race.rounds() >= self.rule.max_rounds).then(|| Verdict::NotSeparated(race.open()));
        race.verdict().or_else(used_up)
    }

    /// Makes the row of a verdict.
    pub fn row(&self, verdict: &Verdict) -> VerdictRow {
        VerdictRow::new(
            self.account.number,
            &self.account.race,
            self.last_round(),
            verdict,
            &self.account.field,
        )
    }

    /// Ranks the field: by the places of a ranked one; else by mean share, with kings first. Joint kings share the
    /// first place.
    pub fn ranking(&self, verdict: &Verdict) -> Ranking {
        let VerdictRow { round, verdict: kind, kings: named, .. } = self.row(verdict);
        let named = match kind {
            VerdictKind::Ranked => String::new(),
            _ => format!(": {}", named.names().join(", ")),
        };
        let reason = format!("{kind} after round {round}{named} ({})", self.rule);
        // A ranked season returns here: by proven places. All others go on with their kings.
        let kings: &[usize] = match verdict {
            Verdict::Ranked { places, .. } => {
                let mut order: Vec<usize> = (0..places.len()).collect();
                order.sort_by_key(|bot| places[*bot]);
                let tied = order.chunk_by(|one, other| places[*one] == places[*other]);
                let (groups, numbers) = (tied.map(<[usize]>::to_vec).collect(), Some(places.clone()));
                return Ranking { places: groups, points: None, opponents: None, numbers, reason };
            }
            Verdict::ClearKing(_) | Verdict::JointKings(_) => verdict.kings(),
            Verdict::NotSeparated(_) | Verdict::Drift(_) => &[],
        };
        let places = self.below_kings(kings);
        Ranking { places, points: None, opponents: None, numbers: None, reason }
    }

    /// Groups the field by mean share, behind these kings.
    fn below_kings(&self, kings: &[usize]) -> Vec<Vec<usize>> {
        let mut places: Vec<Vec<usize>> = vec![kings.to_vec()];
        let standings = self.account.sums.standings();
        for tied in standings.chunk_by(|one, other| one.place == other.place) {
            let bots = tied.iter().filter_map(|line| self.account.field.index(&line.bot));
            let mut bots: Vec<usize> = bots.filter(|bot| !kings.contains(bot)).collect();
            bots.sort_unstable();
            places.push(bots);
        }
        places.retain(|bots| !bots.is_empty());
        places
    }
}
