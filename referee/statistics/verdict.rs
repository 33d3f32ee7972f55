//! Rows of verdicts: the result of a season under its stop rule, and that rule.

use serde::{Deserialize, Serialize};
use std::fmt;

use crate::rank_by::RankBy;
use crate::rounds::{Field, Showing};
use crate::stop_rule::{EDITION, Method, Race, StopRule, Until, Verdict, VerdictKind, fault_of_edition};
use referee_record::schema::{CellForm, CellKind, Column, Columns, Number, column};

/// The result of a season, and the rule.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "its columns say it")]
pub struct VerdictRow {
    pub season: u32,
    pub method: Method,
    pub edition: u32,
    pub alpha: f64,
    pub epsilon: f64,
    pub min_rounds: u32,
    pub max_rounds: u32,
    pub round: u32,
    pub verdict: VerdictKind,
    pub kings: NamedBots,
    pub until: Until,
    pub ranking: Places,
    pub rank_by: RankBy,
    pub companions: NamedBots,
}

/// Bots by name and version, such as the kings of a season.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedBots(pub Vec<(String, u32)>);

impl NamedBots {
    /// Lists their names.
    pub fn names(&self) -> Vec<&str> {
        self.0.iter().map(|(name, _)| &**name).collect()
    }
}

/// `fox 1 owl 3`
impl fmt::Display for NamedBots {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (name, version)) in self.0.iter().enumerate() {
            let separator = if index > 0 { " " } else { "" };
            write!(f, "{separator}{name} {version}")?;
        }
        Ok(())
    }
}

/// The places of a ranked field, best first: the place, name and version of each bot. Empty under other verdicts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Places(pub Vec<(usize, String, u32)>);

/// `1 fox 1; 1 owl 3; 3 cat 2`
impl fmt::Display for Places {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (place, name, version)) in self.0.iter().enumerate() {
            let separator = if index > 0 { "; " } else { "" };
            write!(f, "{separator}{place} {name} {version}")?;
        }
        Ok(())
    }
}

#[derive(Clone, Copy, Debug)]
struct EditionCell;

impl CellKind for EditionCell {
    const KIND: &'static str = "number";
}

impl CellForm<u32> for EditionCell {
    fn write(value: &u32, text: &mut String) {
        text.push_str(&value.to_string());
    }

    fn read(cell: &str) -> Result<u32, String> {
        let edition = <Number as CellForm<u32>>::read(cell)?;
        match fault_of_edition(edition) {
            Some(fault) => Err(fault),
            None => Ok(edition),
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct VerdictCell;

#[derive(Clone, Copy, Debug)]
struct UntilCell;

#[derive(Clone, Copy, Debug)]
struct RankByCell;

#[derive(Clone, Copy, Debug)]
struct PlacesCell;

#[derive(Clone, Copy, Debug)]
struct MethodCell;

#[derive(Clone, Copy, Debug)]
struct NamedBotsCell;

impl CellKind for MethodCell {
    const KIND: &'static str = "`betting`";
}

impl CellForm<Method> for MethodCell {
    fn write(value: &Method, text: &mut String) {
        text.push_str(value.name());
    }

    fn read(cell: &str) -> Result<Method, String> {
        cell.parse()
    }
}

impl CellKind for VerdictCell {
    const KIND: &'static str = "`clear_king`, `joint_kings`, `ranked`, `not_separated` or `drift`";
}

impl CellForm<VerdictKind> for VerdictCell {
    fn write(value: &VerdictKind, text: &mut String) {
        text.push_str(value.name());
    }

    fn read(cell: &str) -> Result<VerdictKind, String> {
        let found = VerdictKind::ALL.into_iter().find(|kind| kind.name() == cell);
        found.ok_or_else(|| format!("not a verdict: {cell:?}"))
    }
}

impl CellKind for UntilCell {
    const KIND: &'static str = "`winner` or `ranked`";
}

impl CellForm<Until> for UntilCell {
    fn write(value: &Until, text: &mut String) {
        text.push_str(value.name());
    }

    fn read(cell: &str) -> Result<Until, String> {
        cell.parse()
    }
}

impl CellKind for RankByCell {
    const KIND: &'static str = "`score`, `place` or `win`";
}

impl CellForm<RankBy> for RankByCell {
    fn write(value: &RankBy, text: &mut String) {
        text.push_str(value.name());
    }

    fn read(cell: &str) -> Result<RankBy, String> {
        cell.parse()
    }
}

impl CellKind for PlacesCell {
    const KIND: &'static str = "places, names and numbers";
}

impl CellForm<Places> for PlacesCell {
    fn write(value: &Places, text: &mut String) {
        text.push_str(&value.to_string());
    }

    fn read(cell: &str) -> Result<Places, String> {
        let place = |words: &str| match words.split(' ').collect::<Vec<&str>>()[..] {
            [place, name, version] => Some((place.parse().ok()?, name.to_owned(), version.parse().ok()?)),
            _ => None,
        };
        let places: Option<Vec<_>> = cell.split("; ").filter(|words| !words.is_empty()).map(place).collect();
        places.map(Places).ok_or_else(|| format!("not a list of places, names and versions: {cell:?}"))
    }
}

impl CellKind for NamedBotsCell {
    const KIND: &'static str = "names and numbers";
}

impl CellForm<NamedBots> for NamedBotsCell {
    fn write(value: &NamedBots, text: &mut String) {
        text.push_str(&value.to_string());
    }

    fn read(cell: &str) -> Result<NamedBots, String> {
        let words: Vec<&str> = cell.split_ascii_whitespace().collect();
        let bot = |words: &[&str]| match words {
            [name, version] => Some(((*name).to_owned(), version.parse().ok()?)),
            _ => None,
        };
        let bots: Option<Vec<(String, u32)>> = words.chunks(2).map(bot).collect();
        bots.map(NamedBots).ok_or_else(|| format!("not a list of names and versions: {cell:?}"))
    }
}

impl Columns for VerdictRow {
    const WHAT: &'static str = "a verdict";
    const FORMAT: u32 = 7;
    const OLDEST: u32 = 6;
    const COLUMNS: &'static [Column<VerdictRow>] = &[
        column!("season", season, Number, "number of the season"),
        column!("alpha", alpha, Number, "maximum probability of a wrong verdict"),
        column!("epsilon", epsilon, Number, "smallest difference of mean shares that matters"),
        column!("min_rounds", min_rounds, Number, "minimum number of rounds before a verdict"),
        column!("max_rounds", max_rounds, Number, "maximum number of rounds"),
        column!("round", round, Number, "round after which the season ended"),
        column!("verdict", verdict, VerdictCell, "kind of the verdict"),
        column!(
            "kings",
            kings,
            NamedBotsCell,
            "the kings; the first of a ranked field; bots that are not separated, or that show the drift: `fox 1 owl 3`"
        ),
        column!("method", method, MethodCell, "how the verdict was reached"),
        column!("edition", edition, EditionCell, "edition of the stop rule"),
        column!("until", until, UntilCell, "what the season was played for"),
        column!(
            "ranking",
            ranking,
            PlacesCell,
            "places of a ranked field, 1 and the number of bots that are better: `1 fox 1; 1 owl 3; 3 cat 2`"
        ),
        column!("rank_by", rank_by, RankByCell, "what counted"),
        column!(
            "companions",
            companions,
            NamedBotsCell,
            "of a bot that is ahead of all others but no king: those without which the case for it fails"
        ),
    ];

    fn blank() -> VerdictRow {
        VerdictRow {
            season: 0,
            method: Method::Betting,
            edition: EDITION,
            alpha: 0.0,
            epsilon: 0.0,
            min_rounds: 0,
            max_rounds: 0,
            round: 0,
            verdict: VerdictKind::NotSeparated,
            kings: NamedBots::default(),
            until: Until::Winner,
            ranking: Places::default(),
            rank_by: RankBy::Score,
            companions: NamedBots::default(),
        }
    }
}

/// `season 2 ended after 30 rounds: clear king: fox 1`
impl fmt::Display for VerdictRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let VerdictRow { season, round, .. } = self;
        let rounds = if *round == 1 { "round" } else { "rounds" };
        write!(f, "season {season} ended after {round} {rounds}: {}", self.finding())
    }
}

impl VerdictRow {
    /// Makes the row of a verdict.
    pub fn new(season: u32, race: &Race, round: u32, verdict: &Verdict, field: &Field) -> VerdictRow {
        let named = |bots: &[usize]| {
            let name = |bot: &usize| (field.bots()[*bot].name.clone(), field.bots()[*bot].version);
            NamedBots(bots.iter().map(name).collect())
        };
        let StopRule { until, rank_by, method, alpha, epsilon, min_rounds, max_rounds } = race.rule();
        let companions = match verdict {
            Verdict::NotSeparated(_) => race.unconfirmed().map_or(&[][..], |(_, companions)| companions),
            _ => &[],
        };
        let mut ranking: Vec<(usize, String, u32)> = match verdict {
            Verdict::Ranked { places, .. } => {
                let bots = places.iter().zip(field.bots());
                bots.map(|(place, bot)| (*place, bot.name.clone(), bot.version)).collect()
            }
            _ => Vec::new(),
        };
        ranking.sort();
        VerdictRow {
            season,
            method,
            edition: EDITION,
            alpha,
            epsilon,
            min_rounds,
            max_rounds,
            round,
            verdict: verdict.kind(),
            kings: named(verdict.kings()),
            until,
            ranking: Places(ranking),
            rank_by,
            companions: named(companions),
        }
    }

    /// Returns the bots that it names, as text: the places of a ranked field, else the kings.
    pub fn named(&self) -> String {
        if self.verdict == VerdictKind::Ranked { self.ranking.to_string() } else { self.kings.to_string() }
    }

    /// Returns the rule.
    pub fn rule(&self) -> StopRule {
        let VerdictRow { until, rank_by, method, alpha, epsilon, min_rounds, max_rounds, .. } = *self;
        StopRule { until, rank_by, method, alpha, epsilon, min_rounds, max_rounds }
    }

    /// Returns the verdict with its bots and its remark, in words: `clear king: fox 1`.
    pub fn finding(&self) -> String {
        let VerdictRow { verdict, kings, ranking, .. } = self;
        let found = match (verdict, self.until) {
            (VerdictKind::Ranked, _) => format!("the field is ranked: {ranking}"),
            (VerdictKind::NotSeparated, _) if !self.companions.0.is_empty() => format!(
                "no clear winner (not separated): {kings} is ahead of all others, but not without the rounds in which it \
                 sat with {}",
                self.companions
            ),
            (VerdictKind::NotSeparated, Until::Ranked) => format!("not ranked: undecided between {kings}"),
            (VerdictKind::NotSeparated, Until::Winner) => format!("no clear winner (not separated): {kings}"),
            (verdict, _) => format!("{verdict}: {kings}"),
        };
        found + self.caveat()
    }

    /// Returns the remark in parentheses after the verdict: the meaning of a drift.
    pub fn caveat(&self) -> &'static str {
        match (self.verdict, self.until) {
            (VerdictKind::Drift, Until::Ranked) => {
                " (results change with time or depend on each other, so nobody can be ranked)"
            }
            (VerdictKind::Drift, Until::Winner) => {
                " (results change with time or depend on each other, so no king can be named)"
            }
            _ => "",
        }
    }
}

/// The verdict of a season, computed after each of its rounds.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct VerdictWatch {
    season: u32,
    field: Field,
    race: Race,
    verdict: Option<VerdictRow>,
}

impl VerdictWatch {
    /// Makes the watch for a new season.
    pub(super) fn new(season: u32, field: Field, rule: StopRule) -> VerdictWatch {
        let race = Race::for_verdict(rule, field.len());
        VerdictWatch { season, race, field, verdict: None }
    }

    /// Adds the results of the next round. After a verdict, further rounds do not count.
    pub(super) fn look(&mut self, round: u32, showings: &[Option<Showing>]) {
        if self.verdict.is_some() {
            return;
        }
        self.race.add_showings(showings);
        let row = |verdict: Verdict| VerdictRow::new(self.season, &self.race, round, &verdict, &self.field);
        self.verdict = self.race.verdict().map(row);
    }

    /// Returns the rounds so far, up to the verdict.
    pub fn race(&self) -> &Race {
        &self.race
    }

    /// Returns the verdict of the season, if it has ended.
    pub fn verdict(&self) -> Option<&VerdictRow> {
        self.verdict.as_ref()
    }
}
