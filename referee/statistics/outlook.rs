//! Outlook: how far the proof of a season has come, as one number, and about how many games are left.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::contenders::Forecast;
use crate::season::SeasonAccount;
use crate::stop_rule::Evidence;
use referee_record::BotName;
use referee_record::text::count;

/// How far the proof of a season has come: the one number that every table, page and progress line shows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Proof {
    /// The leader of the season; in a season until ranked, the bot that is ahead in the slowest pair.
    pub leader: String,
    /// The rival against which the proof is weakest.
    pub rival: String,
    /// The odds of that proof: this number to one. It is 1 at the beginning.
    pub odds: f64,
    /// The odds that are needed: this number to one.
    pub needed: f64,
    /// The rivals that can still be the best; in a season until ranked, nothing.
    pub open: Vec<String>,
    /// The rivals that cannot be the best any more.
    pub done: Vec<String>,
    /// In a season until ranked: the number of open pairs, and of all.
    pub pairs: Option<(usize, usize)>,
    /// The number of games left at the current rate, rounded up to two digits; `None` if it is too early to say.
    pub games: Option<u64>,
    /// The range of that number in eight of ten cases: of the two others, one proof is sooner, one later.
    pub games_range: (Option<u64>, Option<u64>),
    /// Why there is no number of games, as a sentence.
    pub no_forecast: Option<String>,
    /// How far it is to joint kings, if they are nearer than a clear king.
    pub joint: Option<JointProof>,
}

/// How far the proof of joint kings has come: each two of the bots that can still be the best must be known to differ
/// by no more than epsilon.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct JointProof {
    /// The number of pairs that are not known to be that close.
    pub open: usize,
    /// The number of all pairs.
    pub pairs: usize,
    /// The greatest difference of joint kings: epsilon.
    pub within: f64,
    /// About how many games are left if the bots are equal, rounded up to two digits.
    pub games: u64,
}

impl SeasonAccount {
    /// Returns how far the proof has come; `None` without rounds that prove anything, at the end of the proof, or if it
    /// is taken back since results change with time.
    pub fn proof(&self) -> Option<Proof> {
        if !self.has_intervals() || self.race.drift().is_some() {
            return None;
        }
        match self.race.open_questions() {
            Some(pairs) => self.proof_of_ranking(pairs),
            None => self.proof_of_king(),
        }
    }

    fn name(&self, bot: usize) -> String {
        self.field.bots()[bot].name.clone()
    }

    /// Returns about how many games these rounds have.
    fn games_of_rounds(&self, rounds: u32) -> u64 {
        two_digits(u64::from(rounds) * self.dealt.round_games() as u64)
    }

    /// Returns how far the proof of a whole ranking has come, by its slowest pair.
    fn proof_of_ranking(&self, pairs: (usize, usize)) -> Option<Proof> {
        let (slowest, rounds) = self.race.slowest_pair()?;
        let no_forecast = self.too_early();
        let rounds = if no_forecast.is_none() { rounds } else { None };
        Some(Proof {
            leader: self.name(slowest.better),
            rival: self.name(slowest.worse),
            odds: slowest.capital,
            needed: slowest.goal,
            open: Vec::new(),
            done: Vec::new(),
            pairs: Some(pairs),
            games: rounds.map(|rounds| self.games_of_rounds(rounds)),
            games_range: (None, None),
            no_forecast,
            joint: None,
        })
    }

    /// Returns how far the proof has come that one bot is the best.
    fn proof_of_king(&self) -> Option<Proof> {
        let (name, games) = (|bot| self.name(bot), |rounds| self.games_of_rounds(rounds));
        let Evidence { leader, rival, capital, goal, open, done } = self.race.evidence()?;
        let names = |bots: Vec<usize>| bots.into_iter().map(name).collect();
        let no_forecast = self.too_early().or_else(|| self.too_close());
        let forecast = if no_forecast.is_none() { self.race.forecast() } else { None };
        let range = forecast.map_or((None, None), |forecast| forecast.range);
        let left = forecast.and_then(|forecast| forecast.rounds).map(games);
        let joint = self.joint().filter(|joint| left.is_none_or(|left| joint.games < left));
        Some(Proof {
            leader: name(leader),
            rival: name(rival),
            odds: capital,
            needed: goal,
            open: names(open),
            done: names(done),
            pairs: None,
            games: left,
            games_range: (range.0.map(games), range.1.map(games)),
            no_forecast,
            joint,
        })
    }

    /// Returns how far it is to joint kings; `None` where there will be none, or it is too early to say.
    fn joint(&self) -> Option<JointProof> {
        let (race, rule) = (&self.race, self.race.rule());
        let unbeaten = race.unbeaten();
        if race.rounds() < FORECAST_ROUNDS_MIN || unbeaten.len() < 2 {
            return None;
        }
        let errors = unbeaten.iter().map(|bot| self.standard_error(&self.field.bots()[*bot]));
        let variances: Vec<f64> =
            errors.map(|error| error.map(|error| error * error)).collect::<Option<_>>()?;
        let variance_of_round =
            f64::from(race.rounds()) * variances.iter().sum::<f64>() / variances.len() as f64;
        // The variance of a difference of two bots is the sum of theirs.
        let rounds = rule.joint_rounds(unbeaten.len(), (2.0 * variance_of_round).sqrt())?;
        let games = (rounds - f64::from(race.rounds())).max(1.0) * self.dealt.round_games() as f64;
        let (open, pairs) = race.apart(&unbeaten);
        let has_forecast = open > 0 && games < FORECAST_GAMES_MAX;
        has_forecast.then(|| JointProof {
            open,
            pairs,
            within: rule.epsilon,
            games: two_digits(games as u64),
        })
    }

    /// Says that there are too few rounds for a forecast; `None` if there are enough.
    fn too_early(&self) -> Option<String> {
        let rounds = self.race.rounds();
        if rounds >= FORECAST_ROUNDS_MIN {
            return None;
        }
        let so_far = count(rounds.into(), "round");
        Some(format!("A forecast needs {FORECAST_ROUNDS_MIN} rounds; {so_far} so far."))
    }

    /// Says that the lead is too small for a forecast; `None` if it is not.
    fn too_close(&self) -> Option<String> {
        let Forecast { lead, leader, rival, .. } = self.race.forecast()?;
        if lead >= LEAD_MIN {
            return None;
        }
        Some(if lead <= ROUNDED {
            format!("{} and {} are level so far.", self.name(leader), self.name(rival))
        } else {
            "Too close for a forecast.".to_owned()
        })
    }

    /// Says how far the proof has come, and about how many games are left; `None` if nothing can be proven, or nothing
    /// is left to prove.
    pub fn outlook(&self) -> Option<String> {
        if !self.has_intervals() {
            return None;
        }
        let listed = |bots: &[usize]| {
            bots.iter().map(|bot| &*self.field.bots()[*bot].name).collect::<Vec<&str>>().join(", ")
        };
        if let Some(bots) = self.race.drift() {
            return Some(format!(
                "Drift: results change with time or depend on each other ({}), so nothing is proven.",
                listed(&bots)
            ));
        }
        if let Some((open, _)) = self.race.open_questions() {
            return match open {
                0 => Some("No pair of bots is open: the field is ranked.".to_owned()),
                _ => Some(self.proof()?.of_pairs()),
            };
        }
        if let Some((king, companions)) = self.race.unconfirmed() {
            return Some(format!(
                "{} is ahead of all others, but does unexplained well beside {}: it is king once it is ahead without \
                 these rounds, too.",
                listed(&[king]),
                listed(companions)
            ));
        }
        let standings = self.sums.standings();
        let first = &standings.first()?.bot.name;
        let season_alone = if self.carried() > 0 { Some(self.number) } else { None };
        let proof = self.proof()?;
        // If bots share the first place, the text says why there is no forecast, and not which of them the proof is
        // about.
        let is_shared = standings.get(1).is_some_and(|second| second.place == 1);
        let mut text = match &proof.no_forecast {
            Some(why) if is_shared => why.clone(),
            _ => proof.sentence(first, season_alone),
        };
        if let Some(joint) = proof.joint {
            text += &format!(" {joint}");
        }
        Some(text)
    }

    /// Returns the number of further games after which the proof is complete, at the current rate; `None` if it is too
    /// early to say.
    pub fn games_until_certain(&self) -> Option<u64> {
        self.proof()?.games
    }

    /// Lists the bots beside which a bot does better than the results of both elsewhere explain: see
    /// [`Race::helpers`](crate::stop_rule::Race::helpers).
    pub fn helpers(&self, bot: &BotName) -> Vec<String> {
        let bot = self.field.index(bot).filter(|_| self.has_intervals());
        let helpers = bot.map(|bot| self.race.helpers(bot)).unwrap_or_default();
        helpers.into_iter().map(|other| self.field.bots()[other].name.clone()).collect()
    }
}

impl Proof {
    /// Returns the odds in words: `2.6 : 1 of the 60 : 1 that are needed`.
    pub fn odds(&self) -> String {
        format!(
            "{} : 1 of the {} : 1 that are needed",
            odds(self.odds, f64::floor),
            odds(self.needed, f64::ceil)
        )
    }

    /// Says how far the proof has come in few words, for a line of progress: `fox 2.6 : 1 of 60 : 1 against owl, about
    /// 120 more games`.
    pub fn in_short(&self) -> String {
        let Proof { leader, rival, .. } = self;
        let (now, needed) = (odds(self.odds, f64::floor), odds(self.needed, f64::ceil));
        let left = self.games.map(|games| format!(", about {games} more games")).unwrap_or_default();
        let pairs = self.pairs.map(|(open, all)| format!("{open} of {all} pairs open: ")).unwrap_or_default();
        format!("{pairs}{leader} {now} : 1 of {needed} : 1 against {rival}{left}")
    }

    /// Says in a sentence how far the proof has come. `first` leads the table. `season_alone` is the number of this
    /// season, if the table also counts games of earlier seasons: the proof does not count them.
    fn sentence(&self, first: &str, season_alone: Option<u32>) -> String {
        let Proof { leader, rival, open, done, games, games_range, .. } = self;
        let subject = if first == leader { String::new() } else { format!(" that {leader} is the best") };
        let alone = season_alone.map(|season| format!(" in season {season} alone")).unwrap_or_default();
        let nearest = match open.len() {
            0 | 1 => String::new(),
            open => format!(", the nearest of {open} open rivals"),
        };
        let done = match done.len() {
            0 => String::new(),
            1..=3 => format!(" ({}: done)", done.join(", ")),
            count => format!(" ({count} others: done)"),
        };
        let range = match *games_range {
            (Some(min), Some(max)) if min < max => format!(" ({min} to {max})"),
            (Some(min), None) => format!(" (more than {min} in nine of ten cases)"),
            _ => String::new(),
        };
        let left = match (&self.no_forecast, games) {
            (Some(why), _) => format!(" {why}"),
            (None, Some(games)) => format!(" About {games} more games{range}."),
            (None, None) => " Too early to say how many more games.".to_owned(),
        };
        format!("Proof{subject}{alone}: {} against {rival}{nearest}{done}.{left}", self.odds())
    }

    /// Says how far a season until ranked has come: `7 of 28 pairs are open, about 340 games. Slowest: ...`
    fn of_pairs(&self) -> String {
        let (open, all) = self.pairs.unwrap_or_default();
        let (pairs, are) = (if all == 1 { "pair" } else { "pairs" }, if open == 1 { "is" } else { "are" });
        let left = match (self.games, &self.no_forecast) {
            (Some(games), _) => format!(", about {games} games."),
            (None, Some(why)) => format!(". {why}"),
            (None, None) => ". Too early to say how many more games.".to_owned(),
        };
        let Proof { leader, rival, .. } = self;
        format!(
            "{open} of {all} {pairs} {are} open{left} Slowest: {leader} against {rival}, {}.",
            self.odds()
        )
    }
}

/// In a sentence: `Joint kings: 117 of 120 pairs are not known to be within 0.02; about 22000 more games if they are
/// level.`
impl fmt::Display for JointProof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let JointProof { open, pairs, within, games } = self;
        let (word, are) = (if *pairs == 1 { "pair" } else { "pairs" }, if *open == 1 { "is" } else { "are" });
        write!(
            f,
            "Joint kings: {open} of {pairs} {word} {are} not known to be within {within}; about {games} more games if \
             they are level."
        )
    }
}

/// Writes odds with at least two digits, rounded by this function.
fn odds(odds: f64, round: fn(f64) -> f64) -> String {
    // 60.00000006 is 60 with an error of rounding, which must not be rounded up to 61.
    let odds = (odds * 1e6).round() / 1e6;
    if odds < 10.0 { format!("{:.1}", round(odds * 10.0) / 10.0) } else { format!("{:.0}", round(odds)) }
}

/// A forecast of more games than this says nothing.
const FORECAST_GAMES_MAX: f64 = 1e12;

/// Minimum number of rounds for a forecast.
pub const FORECAST_ROUNDS_MIN: u32 = 10;

/// A lead below this can come from the rounding of sums.
const ROUNDED: f64 = 1e-9;

/// The smallest lead that has a forecast.
const LEAD_MIN: f64 = 0.0005;

/// Rounds a number up to two digits.
pub fn two_digits(number: u64) -> u64 {
    let unit = 10u64.pow(number.max(1).ilog10().saturating_sub(1));
    number.div_ceil(unit) * unit
}
