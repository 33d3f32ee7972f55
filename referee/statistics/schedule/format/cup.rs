//! A cup for viewers: its matches by name, with the result of each game, and the bracket of a knockout.

use referee_record::results::Scheduled;
use referee_record::text::{padded, width};

/// The games that a format of matches has played so far, and those that are next.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cup {
    /// The matches, in the order of the schedule.
    pub matches: Vec<CupMatch>,
    /// For a knockout: the entrants of each stage from the top down, `None` for a bye; the last stage is the
    /// winner. Stages without entrants are missing.
    pub bracket: Vec<Vec<Option<usize>>>,
    /// The byes of a Swiss system, in the order of the rounds.
    pub byes: Vec<Bye>,
}

/// A round in which a bot has no opponent, which counts as a win.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bye {
    /// The name of the round: `round 1`.
    pub round: String,
    /// The bot, by index.
    pub entrant: usize,
    /// Number of matches up to the end of that round.
    pub matches: usize,
}

/// A match of two.
#[derive(Clone, Debug, PartialEq)]
pub struct CupMatch {
    /// Its name, which no other match of the cup has: `semifinal 2`.
    pub name: String,
    /// The two entrants, by index; the first has seat 0 in the first game.
    pub pair: (usize, usize),
    /// All games so far, and the next ones.
    pub games: Vec<CupGame>,
    /// The winner, by the rule of the format. `None` while the match is open, and if it stays level.
    pub winner: Option<usize>,
}

/// What decided a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decided {
    /// One has won more games, and has the greater sum of shares.
    Games,
    /// One has the greater sum of shares, though it has not won more games.
    Points,
    /// All is level, and the better seed went on.
    Seed,
    /// All is level, and the lot decided.
    Lot,
    /// All is level, and stays so.
    Level,
    /// There is no opponent.
    Bye,
}

impl Decided {
    /// Returns its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Decided::Games => "games",
            Decided::Points => "points",
            Decided::Seed => "seed",
            Decided::Lot => "lot",
            Decided::Level => "level",
            Decided::Bye => "bye",
        }
    }
}

/// A game of a match.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CupGame {
    /// Its place in the schedule.
    pub scheduled: Scheduled,
    /// The shares of the two in millionths, in the order of the pair; `None` before the game is played.
    pub share_micros: Option<(i64, i64)>,
}

impl CupMatch {
    /// Returns the numbers of games that each has won, and the number of level games.
    pub fn wins(&self) -> (usize, usize, usize) {
        let count = |is: fn(i64, i64) -> bool| {
            let played = self.games.iter().filter_map(|game| game.share_micros);
            played.filter(|(one, other)| is(*one, *other)).count()
        };
        (count(|one, other| one > other), count(|one, other| other > one), count(|one, other| one == other))
    }

    /// Returns the sum of the shares of each: a whole share is 1.
    pub fn share_sums(&self) -> (f64, f64) {
        let played = self.games.iter().filter_map(|game| game.share_micros);
        let (one, other) = played.fold((0, 0), |sum, game| (sum.0 + game.0, sum.1 + game.1));
        (one as f64 / 1e6, other as f64 / 1e6)
    }
}

impl Cup {
    /// Says what decided a match; `None` while it is open.
    pub fn decided_by(&self, cup_match: &CupMatch) -> Option<Decided> {
        let is_knockout = !self.bracket.is_empty();
        let Some(winner) = cup_match.winner else {
            let is_open =
                cup_match.games.is_empty() || cup_match.games.iter().any(|game| game.share_micros.is_none());
            // A match of a knockout that has ended has a winner.
            return if is_open || is_knockout { None } else { Some(Decided::Level) };
        };
        let (first_won, second_won, _) = cup_match.wins();
        let winner_won_more =
            if winner == cup_match.pair.0 { first_won > second_won } else { second_won > first_won };
        let (first_sum, second_sum) = cup_match.share_sums();
        // The sums are of whole millionths.
        let sums_differ = (first_sum - second_sum).abs() > 5e-7;
        Some(if winner_won_more {
            Decided::Games
        } else if sums_differ {
            Decided::Points
        } else if is_knockout {
            Decided::Seed
        } else {
            Decided::Lot
        })
    }

    /// Names a game by its place: `semifinal 2, game 1`.
    pub fn name_of(&self, game: Scheduled) -> Option<String> {
        self.matches.iter().find_map(|cup_match| {
            let index = cup_match.games.iter().position(|other| other.scheduled == game)?;
            Some(format!("{}, game {}", cup_match.name, index + 1))
        })
    }

    /// Draws the bracket in characters, one line each: a column for each stage. Empty for other formats.
    pub fn drawing(&self, names: &[&str]) -> Vec<String> {
        let Some(first) = self.bracket.first().filter(|first| first.len() > 1) else { return Vec::new() };
        let stages = first.len().ilog2() as usize + 1;
        let mut lines = vec![String::new(); 2 * first.len() - 1];
        for stage in 0..stages {
            let entries: Vec<String> =
                (0..first.len() >> stage).map(|slot| self.entry(names, stage, slot)).collect();
            let columns = entries.iter().map(|entry| width(entry)).max().unwrap_or(0);
            let (offset, step) = ((1 << stage) - 1, 2 << stage);
            let last = stage + 1 == stages;
            for (row, line) in lines.iter_mut().enumerate() {
                let at = row.checked_sub(offset).filter(|row| row % step == 0).map(|row| row / step);
                let entry = at.map_or("", |slot| &entries[slot]);
                // Which of the two of a match has this row, or how far the row is between them.
                let between = row.checked_sub(offset).map(|row| row % (2 * step));
                let way = match between {
                    _ if last => "",
                    Some(0) => " ┐ ",
                    Some(at) if at == step => " ┘ ",
                    Some(at) if at == step / 2 => " ├ ",
                    Some(at) if at < step => " │ ",
                    Some(_) | None => "   ",
                };
                *line += &format!("{}{way}", padded(entry, columns));
            }
        }
        lines.iter().map(|line| line.trim_end().to_owned()).collect()
    }

    /// Returns the text of a slot of a stage: a name, with the sum of its shares in the match that it plays there.
    fn entry(&self, names: &[&str], stage: usize, slot: usize) -> String {
        let Some(entrants) = self.bracket.get(stage) else { return "?".to_owned() };
        let Some(entrant) = entrants[slot] else { return "-".to_owned() };
        let name = names.get(entrant).copied().unwrap_or("?");
        let share_sum = self.share_sum_at(stage, slot);
        share_sum.map_or_else(|| name.to_owned(), |share_sum| format!("{name} {share_sum}"))
    }

    /// Returns the sum of the shares of the entrant of a slot in the match that it plays there. `None` before the first
    /// game, and where it plays none.
    pub fn share_sum_at(&self, stage: usize, slot: usize) -> Option<f64> {
        let entrant = (*self.bracket.get(stage)?.get(slot)?)?;
        let cup_match = self.match_at(stage, slot)?;
        if cup_match.games.iter().all(|game| game.share_micros.is_none()) {
            return None;
        }
        let (first, second) = cup_match.share_sums();
        Some(if cup_match.pair.0 == entrant { first } else { second })
    }

    /// Returns the match that the entrant of a slot plays there; `None` where it plays none.
    pub fn match_at(&self, stage: usize, slot: usize) -> Option<&CupMatch> {
        let entrants = self.bracket.get(stage)?;
        let (entrant, opponent) = ((*entrants.get(slot)?)?, (*entrants.get(slot ^ 1)?)?);
        let pairs = [(entrant, opponent), (opponent, entrant)];
        self.matches.iter().find(|cup_match| pairs.contains(&cup_match.pair))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_match_of_a_knockout_with_a_winner_was_decided_by_the_seed() {
        let scheduled = Scheduled { season: 1, round: 1, table: 1, rotation: 1 };
        let cup_match = |shares: &[(i64, i64)], winner| CupMatch {
            name: "final".to_owned(),
            pair: (0, 1),
            games: shares.iter().map(|shares| CupGame { scheduled, share_micros: Some(*shares) }).collect(),
            winner,
        };
        let level: &[(i64, i64)] = &[(1_000_000, 0), (0, 1_000_000)];
        let knockout = Cup { bracket: vec![vec![Some(0), Some(1)]], ..Cup::default() };
        assert_eq!(knockout.decided_by(&cup_match(level, Some(0))), Some(Decided::Seed));
        assert_eq!(knockout.decided_by(&cup_match(level, None)), None, "it is open");
        assert_eq!(knockout.decided_by(&cup_match(&level[..1], Some(0))), Some(Decided::Games));
        // One game each, the second by more.
        let by_points = &[(600_000, 400_000), (0, 1_000_000)];
        assert_eq!(knockout.decided_by(&cup_match(by_points, Some(1))), Some(Decided::Points));
        assert_eq!(Cup::default().decided_by(&cup_match(level, None)), Some(Decided::Level), "no knockout");
    }
}
