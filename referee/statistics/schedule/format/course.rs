//! A way to write formats: as a function that plays one round after another. The first round with a missing
//! game stops it with `?`.

use std::collections::BTreeMap;

use crate::rank_by::micros;
use crate::schedule::deal::{Block, Occupant, Pairing, derive, pairings};
use crate::schedule::format::cup::{Bye, Cup, CupGame, CupMatch};
use crate::schedule::format::{
    Contest, Matches, NotScheduled, PlayedGame, Ranking, all_played, counted, places_by,
};
use referee_record::results::Scheduled;
use referee_rules::Dice;

/// The reason why a format stops.
#[derive(Debug)]
pub(super) enum Stop {
    /// These matches have to be played first.
    Wanted(Matches),
    /// These games of a format that depends on no result have to be played first.
    Missing(Vec<Pairing>),
    /// The bots in a game are not those of the schedule.
    NotScheduled(NotScheduled),
}

/// A contest in progress: its games, and the progress of the format.
#[derive(Debug)]
pub(super) struct Course<'a> {
    contest: &'a Contest,
    seeds: Seeds,
    played: BTreeMap<Scheduled, &'a PlayedGame>,
    rounds: u32,
    /// The record of its matches, if it is requested, and the index of each by its name.
    cup: Option<(Cup, BTreeMap<String, usize>)>,
}

impl<'a> Course<'a> {
    /// Begins a contest before the first round.
    pub(super) fn new(contest: &'a Contest, seeds: Seeds, played: &'a [PlayedGame]) -> Course<'a> {
        Course {
            contest,
            seeds,
            played: played.iter().map(|game| (game.scheduled, game)).collect(),
            rounds: 0,
            cup: None,
        }
    }

    /// Makes the contest record its matches.
    pub(super) fn with_cup(mut self) -> Course<'a> {
        self.cup = Some(Default::default());
        self
    }

    /// Returns the record of its matches.
    pub(super) fn into_cup(self) -> Cup {
        self.cup.map(|(cup, _)| cup).unwrap_or_default()
    }

    /// Records the entrants in a stage of a knockout, from the top of the bracket down.
    pub(super) fn record_stage(&mut self, stage: Vec<Option<usize>>) {
        if let Some((cup, _)) = &mut self.cup {
            cup.bracket.push(stage);
        }
    }

    /// Records the winner of a match.
    pub(super) fn record_winner(&mut self, name: &str, winner: Option<usize>) {
        let Some((cup, names)) = &mut self.cup else { return };
        if let Some(index) = names.get(name) {
            cup.matches[*index].winner = winner;
        }
    }

    /// Records the bot without an opponent in the next round, which has this number of matches.
    pub(super) fn record_bye(&mut self, round: String, entrant: usize, matches: usize) {
        let Some((cup, _)) = &mut self.cup else { return };
        cup.byes.push(Bye { round, entrant, matches: cup.matches.len() + matches });
    }

    /// Returns the contest.
    pub(super) fn contest(&self) -> &'a Contest {
        self.contest
    }

    /// Plays a round of matches of two. The first of a pair has seat 0 in the first game, the second in the
    /// second, and so on. Without matches there is no round. `name` returns a match's name; a match with a
    /// known name continues.
    pub(super) fn play(
        &mut self,
        pairs: &[(usize, usize)],
        games: usize,
        name: impl Fn(usize) -> String,
    ) -> Result<Vec<Match>, Stop> {
        if pairs.is_empty() {
            return Ok(Vec::new());
        }
        let matches = Matches { round: self.rounds + 1, games, pairs: pairs.to_vec() };
        let round = matches.deal(self.contest, self.seeds);
        self.record_games(pairs, &round, name);
        let mut played =
            pairs.iter().map(|pair| Match { pair: *pair, games: Vec::new() }).collect::<Vec<_>>();
        let finished = self.finish_round(round)?.map_err(|_| Stop::Wanted(matches))?;
        for (pairing, game) in finished {
            let result = &mut played[pairing.scheduled.table as usize - 1];
            let shares = [result.pair.0, result.pair.1].map(|entrant| share_of(&pairing, game, entrant));
            result.games.push((shares[0], shares[1]));
        }
        Ok(played)
    }

    /// Records the games of a round under their matches, with the results so far.
    fn record_games(&mut self, pairs: &[(usize, usize)], round: &[Pairing], name: impl Fn(usize) -> String) {
        let Some((cup, names)) = &mut self.cup else { return };
        let tables = round.chunk_by(|one, other| one.scheduled.table == other.scheduled.table);
        for ((index, pair), table) in pairs.iter().enumerate().zip(tables) {
            let name = name(index);
            let at = *names.entry(name.clone()).or_insert_with(|| {
                cup.matches.push(CupMatch { name, pair: *pair, games: Vec::new(), winner: None });
                cup.matches.len() - 1
            });
            let CupMatch { pair: (one, other), games, .. } = &mut cup.matches[at];
            for pairing in table {
                let played = self.played.get(&pairing.scheduled);
                // A game of other bots than those of the schedule is refused when the round is finished.
                let played = played.filter(|game| game.entrants == pairing.entrants);
                let shares =
                    played.map(|game| (share_of(pairing, game, *one), share_of(pairing, game, *other)));
                games.push(CupGame { scheduled: pairing.scheduled, share_micros: shares });
            }
        }
    }

    /// Plays all rounds, none of which depends on another, and ranks all entrants by mean share. If a challenger sits
    /// at every table of two, the others are ranked by whether they did better or worse than it in their games with it.
    /// They have met nobody else, so nothing ranks them among themselves.
    pub(super) fn play_all(
        &mut self,
        rounds: impl Iterator<Item = Vec<Pairing>>,
        challenger: Option<usize>,
    ) -> Result<Ranking, Stop> {
        let mut sums = vec![(0, 0); self.contest.entrants];
        // By entrant: by how much it was ahead in its games.
        let mut ahead = vec![0; self.contest.entrants];
        for round in rounds {
            for (pairing, game) in self.finish_round(round)?.map_err(Stop::Missing)? {
                let all: i64 = game.shares.iter().map(|(_, share)| micros(*share)).sum();
                for (seat, entrant) in counted(&pairing) {
                    let (sum, count): &mut (i64, i64) = &mut sums[entrant];
                    let share = micros(game.shares[seat]);
                    *sum += share;
                    *count += 1;
                    ahead[entrant] += 2 * share - all;
                }
            }
        }
        let places = match challenger {
            Some(challenger) => {
                places_by(
                    0..sums.len(),
                    |entrant| {
                        if entrant == challenger { 0 } else { ahead[entrant].signum() }
                    },
                )
            }
            None => places_by(0..sums.len(), |entrant| Mean::from_sum(sums[entrant])),
        };
        Ok(Ranking { places, points: None, opponents: None, numbers: None, reason: all_played(self.rounds) })
    }

    /// Puts entrants in random order, by the lot of this round.
    pub(super) fn draw(&self, entrants: &mut [usize]) {
        lot(self.contest, self.rounds).shuffle(entrants);
    }

    /// Finishes a round if all its games are played, and returns its results; otherwise its games.
    fn finish_round(&mut self, round: Vec<Pairing>) -> Result<Finished<'a>, Stop> {
        debug_assert!(!round.is_empty(), "a round has games");
        let found: Vec<Option<&PlayedGame>> =
            round.iter().map(|pairing| self.played.get(&pairing.scheduled).copied()).collect();
        for (pairing, game) in round.iter().zip(&found) {
            if game.is_some_and(|game| game.entrants != pairing.entrants) {
                return Err(Stop::NotScheduled(NotScheduled(pairing.scheduled)));
            }
        }
        if found.contains(&None) {
            return Ok(Err(round));
        }
        self.rounds += 1;
        Ok(Ok(round.into_iter().zip(found.into_iter().flatten()).collect()))
    }
}

/// The games of a round with their results, or without, if some are missing.
type Finished<'a> = Result<Vec<(Pairing, &'a PlayedGame)>, Vec<Pairing>>;

impl Matches {
    /// Deals the games.
    pub(super) fn deal(&self, contest: &Contest, seeds: Seeds) -> Vec<Pairing> {
        let table = |(one, other): &(usize, usize)| vec![(*one, false), (*other, false)];
        let tables: Vec<Vec<Occupant>> = self.pairs.iter().map(table).collect();
        matches(contest, seeds, self.round, &tables, self.games)
    }
}

/// The share of an entrant in a game that it plays, in millionths.
fn share_of(pairing: &Pairing, game: &PlayedGame, entrant: usize) -> i64 {
    let (seat, _) = pairing.entrants.iter().find(|(_, other)| **other == entrant).expect("both play");
    micros(game.shares[seat])
}

/// The result of a match of two.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Match {
    /// The two entrants.
    pub(super) pair: (usize, usize),
    /// The shares of each game, in millionths.
    games: Vec<(i64, i64)>,
}

impl Match {
    /// Returns the sum of the shares of each, in millionths.
    pub(super) fn share_sums_micros(&self) -> (i64, i64) {
        self.games.iter().fold((0, 0), |sum, game| (sum.0 + game.0, sum.1 + game.1))
    }

    /// Returns how many games each has won.
    pub(super) fn wins(&self) -> (usize, usize) {
        let won = |by: fn(&(i64, i64)) -> bool| self.games.iter().filter(|game| by(game)).count();
        (won(|(one, other)| one > other), won(|(one, other)| other > one))
    }
}

/// Which games of a match share a seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Seeds {
    /// Those of a block: the bots play it from every seat. Two bots that play alike play the same game twice.
    OfBlocks,
    /// None: each game is new.
    OfGames,
}

/// Makes the games of a round of matches, each of this number of games: one block after another, each with a seed of
/// its own. The last block is cut off at the end of the match.
fn matches(
    contest: &Contest,
    seeds: Seeds,
    round: u32,
    tables: &[Vec<Occupant>],
    games: usize,
) -> Vec<Pairing> {
    let Contest { entry, parameters, seed, season, .. } = contest;
    let block = entry.info(parameters).block;
    let mut all = Vec::new();
    for number in 0..games.div_ceil(block) as u32 {
        let seed = if number == 0 { *seed } else { derive(*seed, "block of a match", [number, 0, 0]) };
        let mut block_games = pairings(seed, (*season, round), entry, parameters, tables, Block::OneSeating);
        for pairing in &mut block_games {
            pairing.scheduled.rotation += number * block as u32;
            if seeds == Seeds::OfGames {
                let game = [pairing.scheduled.rotation, 0, 0];
                pairing.seed = derive(pairing.seed, "game of a match", game);
            }
        }
        all.extend(block_games);
    }
    all.retain(|pairing| pairing.scheduled.rotation as usize <= games);
    all.sort_by_key(|pairing| pairing.scheduled);
    all
}

/// Like `matches`, with this number of blocks at each table.
pub(super) fn blocks(contest: &Contest, round: u32, tables: &[Vec<Occupant>], count: usize) -> Vec<Pairing> {
    matches(contest, Seeds::OfBlocks, round, tables, count * block_of(contest))
}

/// Returns the number of games of a block.
pub(super) fn block_of(contest: &Contest) -> usize {
    contest.entry.info(&contest.parameters).block
}

/// Returns the dice for lots after this number of rounds.
pub(super) fn lot(contest: &Contest, rounds: u32) -> Dice {
    Dice::for_start(derive(contest.seed, "lot", [contest.season, rounds, 0]))
}

/// A mean of shares, compared without rounding. It is 0, the minimum, for a bot without games.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mean {
    sum: i64,
    count: i64,
}

impl Mean {
    /// The mean of this number of shares with this sum.
    pub(super) fn from_sum((sum, count): (i64, i64)) -> Mean {
        Mean { sum, count: count.max(1) }
    }
}

impl Ord for Mean {
    fn cmp(&self, other: &Mean) -> std::cmp::Ordering {
        let crosswise = |one: &Mean, other: &Mean| i128::from(one.sum) * i128::from(other.count);
        crosswise(self, other).cmp(&crosswise(other, self))
    }
}

impl PartialOrd for Mean {
    fn partial_cmp(&self, other: &Mean) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Mean {
    fn eq(&self, other: &Mean) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Mean {}
