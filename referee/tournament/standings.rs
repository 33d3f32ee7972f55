//! Who leads: a function of the rows of the results, and of nothing else.

use std::collections::BTreeMap;

use crate::record::BotName;
use crate::record::results::ResultRow;
use crate::rules::FaultKind;

/// One bot's line of the standings.
#[derive(Clone, Debug, PartialEq)]
pub struct Standing {
    /// Its place: 1 and the number of bots with a greater mean share.
    pub place: usize,
    /// Which bot.
    pub bot: BotName,
    /// How many of its games count.
    pub games: u64,
    /// The mean share of those games: what the order follows.
    pub mean_share: f64,
    /// The mean score.
    pub mean_score: f64,
    /// In all its games, in the order of [`FaultKind::ALL`].
    pub faults: [u64; FaultKind::ALL.len()],
    /// The greatest p99 thinking time of a game.
    pub p99_us: u64,
    /// The longest turn.
    pub max_us: u64,
}

/// Draws up the standings of some games, best first. Rows that do not count for their bot are left out.
pub fn standings<'a>(rows: impl IntoIterator<Item = &'a ResultRow>) -> Vec<Standing> {
    let mut by_bot: BTreeMap<(&str, u32, &str), Vec<&ResultRow>> = BTreeMap::new();
    for row in rows.into_iter().filter(|row| row.counts) {
        by_bot.entry((&row.bot.name, row.bot.version, row.bot.digest.as_str())).or_default().push(row);
    }
    let mut standings: Vec<Standing> = by_bot.values().map(|rows| standing(rows)).collect();
    standings.sort_by(|one, other| {
        other.mean_share.total_cmp(&one.mean_share).then_with(|| one.bot.name.cmp(&other.bot.name))
    });
    for index in 0..standings.len() {
        let better = |other: &&Standing| other.mean_share > standings[index].mean_share;
        standings[index].place = 1 + standings.iter().filter(better).count();
    }
    standings
}

fn standing(rows: &[&ResultRow]) -> Standing {
    let mut games: Vec<&ResultRow> = rows.to_vec();
    // A sum of floating-point numbers depends on its order: let it not depend on who finished first.
    games.sort_by(|one, other| one.game.cmp(&other.game).then(one.seat.cmp(&other.seat)));
    let count = games.len() as f64;
    let mut faults = [0; FaultKind::ALL.len()];
    for row in &games {
        faults.iter_mut().zip(row.faults).for_each(|(sum, faults)| *sum += faults);
    }
    Standing {
        place: 0,
        bot: games[0].bot.clone(),
        games: games.len() as u64,
        mean_share: games.iter().map(|row| row.share).sum::<f64>() / count,
        mean_score: games.iter().map(|row| row.score as f64).sum::<f64>() / count,
        faults,
        p99_us: games.iter().map(|row| row.thinking.p99_us).max().unwrap_or(0),
        max_us: games.iter().map(|row| row.thinking.max_us).max().unwrap_or(0),
    }
}
