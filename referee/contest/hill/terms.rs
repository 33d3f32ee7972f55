//! The terms of a season: how the bots of its games are confined and charged, where its seed comes from, and the rule
//! of its verdict. They are fixed before its first game. `seasons.csv` has them as words `key=value`, in one cell.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use referee_record::older::of_earlier_version;
use referee_record::results::ResultRow;
use referee_sandbox::Tier;
use referee_statistics::rank_by::RankBy;
use referee_statistics::stop_rule::{EDITION, StopRule, Until, fault_of_edition};
use referee_table::process::{Setup, Timekeeping};

/// The terms of a season.
#[derive(Clone, Debug, PartialEq)]
pub struct Terms {
    /// The terms of its games.
    pub games: GameTerms,
    /// Whether its seed follows from its entrants. A season of an earlier version has the hill's seed.
    pub has_own_seed: bool,
    /// The rule of its verdict, with an alpha for all seasons, and with the usual numbers of rounds.
    pub rule: StopRule,
    /// Whether bots leave the race once all their pairs are decided.
    pub is_racing: bool,
}

/// The terms of the games of a season.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameTerms {
    /// How bots are confined.
    pub sandbox: Tier,
    /// What bots are charged.
    pub clock: Timekeeping,
    /// The limits of each bot, by their names. A later version may name more.
    pub limits: BTreeMap<String, u64>,
    /// The games that a table plays in a round. It is the same in all seasons of a hill.
    pub block: String,
    /// The version of the rules.
    pub rules: u32,
}

impl GameTerms {
    /// Returns the terms of games under this setup, in such blocks.
    pub fn new(setup: &Setup, block: String, rules: u32) -> GameTerms {
        let limits = serde_json::to_value(&setup.limits).and_then(serde_json::from_value);
        let limits = limits.expect("numbers by their names");
        GameTerms { sandbox: setup.sandbox, clock: setup.timekeeping, limits, block, rules }
    }

    /// Tells whether a game had this sandbox, clock and version of the rules.
    pub fn agree_with(&self, row: &ResultRow) -> bool {
        row.rules_version == self.rules
            && (row.is_guest() || row.sandbox == self.sandbox.name() && row.clock == self.clock.name())
    }
}

impl Terms {
    /// Returns the terms of a new season.
    pub fn new(games: GameTerms, rule: StopRule, is_racing: bool) -> Terms {
        let is_racing = is_racing && rule.until == Until::Ranked;
        Terms { games, has_own_seed: true, rule: without_rounds(rule), is_racing }
    }

    /// Tells whether a season of these terms goes on under others: those of a later version, which name more limits.
    pub fn go_on_as(&self, later: &Terms) -> bool {
        let limits = &later.games.limits;
        let games = GameTerms { limits: limits.clone(), ..self.games.clone() };
        self.games.limits.iter().all(|(name, limit)| limits.get(name) == Some(limit))
            && Terms { games, ..self.clone() } == *later
    }

    /// Lists the differences from other terms: `tasks=64 before, tasks=32 now`.
    pub(super) fn changes(&self, now: &Terms) -> String {
        let [before, now] = [self, now].map(Terms::to_string);
        let beyond = |words: &str, others: &str| {
            let words: Vec<&str> =
                words.split(' ').filter(|word| !others.split(' ').any(|one| one == *word)).collect();
            if words.is_empty() { "nothing".to_owned() } else { words.join(" ") }
        };
        format!("{} before, {} now", beyond(&before, &now), beyond(&now, &before))
    }
}

/// Returns a rule with the usual numbers of rounds. They are not part of the terms: a verdict is valid in any round.
pub(super) fn without_rounds(rule: StopRule) -> StopRule {
    let StopRule { min_rounds, max_rounds, .. } = StopRule::default();
    StopRule { min_rounds, max_rounds, ..rule }
}

/// Returns the words for what a season is played for and what counts, each with a blank before it; none for a winner
/// and the score.
pub(super) fn unusual(rule: &StopRule) -> String {
    let StopRule { until, rank_by, .. } = *rule;
    let until = (until != Until::Winner).then(|| format!(" until={}", until.name()));
    let counts = (rank_by != RankBy::Score).then(|| format!(" {}={}", RankBy::KEY, rank_by.name()));
    until.into_iter().chain(counts).collect()
}

/// The seed follows from the hill's seed and the entrants.
const OF_ENTRANTS: &str = "entrants";

impl fmt::Display for Terms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Terms {
            games: GameTerms { sandbox, clock, limits, block, rules },
            has_own_seed,
            rule,
            is_racing,
        } = self;
        write!(f, "sandbox={sandbox} clock={}", clock.name())?;
        for (name, limit) in limits {
            write!(f, " {name}={limit}")?;
        }
        write!(f, " block={block} rules={rules}")?;
        if *has_own_seed {
            write!(f, " seed={OF_ENTRANTS}")?;
        }
        let StopRule { method, alpha, epsilon, .. } = rule;
        write!(f, " method={method} edition={EDITION} alpha={alpha} epsilon={epsilon}{}", unusual(rule))?;
        if *is_racing { f.write_str(" racing=true") } else { Ok(()) }
    }
}

/// Reads terms in the one form in which they are written.
impl FromStr for Terms {
    type Err = String;

    fn from_str(text: &str) -> Result<Terms, String> {
        const FORM: &str = "terms: not in the form and order in which they are written";
        let words: Option<BTreeMap<&str, &str>> = text.split(' ').map(|word| word.split_once('=')).collect();
        let mut words = words.ok_or("terms: not words `key=value`")?;
        let mut of_games = |key: &str| {
            words.remove(key).ok_or_else(|| of_earlier_version(&format!("its terms name no {key}")))
        };
        let [sandbox, clock] = [of_games("sandbox")?, of_games("clock")?];
        let (block, rules) = (of_games("block")?.to_owned(), of_games("rules")?);
        let seed = words.remove("seed");
        if let Some(other) = seed.filter(|seed| *seed != OF_ENTRANTS) {
            return Err(format!("its terms name a seed of {other}, which this program does not know"));
        }
        let edition = take(&mut words, "edition")?;
        let edition = edition.ok_or_else(|| of_earlier_version("its terms name no rule of a verdict"))?;
        if let Some(fault) = fault_of_edition(edition) {
            return Err(format!("terms: {fault}"));
        }
        let lacks = |key: &str| format!("its terms name no {key}");
        let rule = StopRule {
            // These two are not named if they are a winner and the score.
            until: take(&mut words, "until")?.unwrap_or_default(),
            rank_by: take(&mut words, RankBy::KEY)?.unwrap_or_default(),
            method: take(&mut words, "method")?.ok_or_else(|| lacks("method"))?,
            alpha: take(&mut words, "alpha")?.ok_or_else(|| lacks("alpha"))?,
            epsilon: take(&mut words, "epsilon")?.ok_or_else(|| lacks("epsilon"))?,
            ..StopRule::default()
        };
        let is_racing = take(&mut words, "racing")?.unwrap_or_default();
        let sandbox = Tier::ALL.into_iter().find(|tier| tier.name() == sandbox).ok_or(FORM)?;
        let clock = Timekeeping::ALL.into_iter().find(|one| one.name() == clock).ok_or(FORM)?;
        let rules = rules.parse().map_err(|_| FORM)?;
        let mut limits = BTreeMap::new();
        for (name, limit) in words {
            limits.insert(name.to_owned(), limit.parse().map_err(|_| FORM)?);
        }
        let games = GameTerms { sandbox, clock, limits, block, rules };
        let terms = Terms { has_own_seed: seed.is_some(), ..Terms::new(games, rule, is_racing) };
        if terms.to_string() == text { Ok(terms) } else { Err(FORM.to_owned()) }
    }
}

/// Takes the value of a key out of the words; `None` if they do not name it.
fn take<T: FromStr<Err: fmt::Display>>(
    words: &mut BTreeMap<&str, &str>,
    key: &str,
) -> Result<Option<T>, String> {
    let value = words.remove(key).map(str::parse);
    value.transpose().map_err(|error| format!("terms: {key}: {error}"))
}
