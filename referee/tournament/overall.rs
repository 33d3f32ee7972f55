//! The standings of a tournament: those of each sub-tournament, and over all of them by the mean of a bot's mean shares. A
//! function of what was merged, and of nothing else.

use super::format::Ranking;
use super::standings::{Standing, standings};
use crate::record::results::ResultRow;

/// The standings of a tournament.
#[derive(Clone, Debug, PartialEq)]
pub struct Overall {
    /// Of each sub-tournament, in their order.
    pub sets: Vec<Vec<Standing>>,
    /// Over all, best first.
    pub total: Vec<Total>,
}

/// One bot's line over all sub-tournaments.
#[derive(Clone, Debug, PartialEq)]
pub struct Total {
    /// 1 and the number of bots with a greater mean.
    pub place: usize,
    /// The bot's name.
    pub bot: String,
    /// The mean of its mean shares, each sub-tournament counting alike.
    pub mean_share: f64,
    /// How many of its games count.
    pub games: u64,
}

impl Overall {
    /// Draws up the standings. A sub-tournament's rows are those of its season.
    pub fn new(rows: &[ResultRow], sets: usize) -> Overall {
        let of_set = |set: usize| {
            let is_of = move |row: &&ResultRow| {
                row.place_in_schedule.is_some_and(|place| place.season as usize == set + 1)
            };
            standings(rows.iter().filter(is_of))
        };
        let sets: Vec<Vec<Standing>> = (0..sets).map(of_set).collect();
        let total = total(&sets);
        Overall { sets, total }
    }

    /// Puts the bots in the order that their format has found, a ranking for each sub-tournament. Over several, the order
    /// stays that of the means.
    pub fn rank(&mut self, rankings: &[Ranking], names: &[&str]) {
        let place_of = |ranking: &Ranking, name: &str| {
            let better = ranking.places.iter().take_while(|tied| !tied.iter().any(|bot| names[*bot] == name));
            1 + better.map(Vec::len).sum::<usize>()
        };
        for (lines, ranking) in self.sets.iter_mut().zip(rankings) {
            lines.iter_mut().for_each(|line| line.place = place_of(ranking, &line.bot.name));
            lines.sort_by_key(|line| line.place);
        }
        if let [ranking] = rankings {
            self.total.iter_mut().for_each(|line| line.place = place_of(ranking, &line.bot));
            self.total.sort_by_key(|line| line.place);
        }
    }
}

fn total(sets: &[Vec<Standing>]) -> Vec<Total> {
    let mut names: Vec<&str> = sets.iter().flatten().map(|line| &*line.bot.name).collect();
    names.sort_unstable();
    names.dedup();
    let mut total: Vec<Total> = names
        .into_iter()
        .map(|name| {
            let lines: Vec<&Standing> = sets.iter().flatten().filter(|line| line.bot.name == name).collect();
            Total {
                place: 0,
                bot: name.to_owned(),
                mean_share: lines.iter().map(|line| line.mean_share).sum::<f64>() / lines.len() as f64,
                games: lines.iter().map(|line| line.games).sum(),
            }
        })
        .collect();
    total.sort_by(|one, other| {
        other.mean_share.total_cmp(&one.mean_share).then_with(|| one.bot.cmp(&other.bot))
    });
    for index in 0..total.len() {
        let better = total.iter().filter(|other| other.mean_share > total[index].mean_share).count();
        total[index].place = 1 + better;
    }
    total
}
