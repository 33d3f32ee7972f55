//! Losses: games that were lost in flight or are void, by bot, seat and node. They show bots that bring the machine
//! down when they lose, or make their games void. People decide what that means.

use std::collections::{BTreeMap, BTreeSet};

use crate::batch::journal::{attempts, standing_of};
use crate::batch::results;
use crate::folder::voids_of;
use crate::hill::Hill;
use crate::plan::Plan;
use crate::runner::GameEnd;
use referee_files::voids;
use referee_record::error::Error;
use referee_record::voids::{GIVEN_UP, LOST, VoidRow};

/// Losses among the games of a bot, or on a node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Losses {
    /// Number of attempts at games.
    pub begun: u64,
    /// Number of attempts that were lost with their runner.
    pub lost: u64,
    /// Number of these whose log tells the standing.
    pub known: u64,
    /// Number of these in which this bot alone was last in score; for all bots and for a node, any bot.
    pub behind: u64,
    /// Games that are void for good.
    pub void: u64,
    /// Games with a fault: of the bot; of any bot, on the node.
    pub faulty: u64,
    /// Number of void attempts.
    pub void_attempts: u64,
    /// Number of those in the turn of this bot, or by its sandbox.
    pub by_it: u64,
}

/// The account of a plan, or of a hill.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LossTally {
    /// All games.
    pub all: Losses,
    /// By the bot's name. A game belongs to each of its bots.
    pub bots: BTreeMap<String, Losses>,
    /// By the bot's name and its seat.
    pub seats: BTreeMap<(String, u8), Losses>,
    /// By the machine's name.
    pub nodes: BTreeMap<String, Losses>,
}

impl LossTally {
    /// Adds the losses in the journals and results of a plan.
    ///
    /// # Errors
    ///
    /// If one of them is damaged or another plan's.
    pub fn add(&mut self, plan: &Plan) -> Result<(), Error> {
        for batch in 0..plan.index.batches.len() {
            let attempts = attempts(&plan.folder, &plan.id, batch)?;
            if attempts.is_empty() {
                continue;
            }
            let games = plan.batch(batch)?;
            let by_seat = |number: u32| -> Vec<&str> {
                let game = games.iter().find(|game| game.number == number);
                let bots = game.into_iter().flat_map(|game| game.entrants.iter());
                bots.map(|(_, bot)| &*plan.entrants[*bot].name.name).collect()
            };
            let bots_of = |number: u32| -> BTreeSet<&str> { by_seat(number).into_iter().collect() };
            let standings: Vec<_> = attempts.iter().flat_map(|attempt| attempt.standings.clone()).collect();
            for (attempt, number) in attempts.into_iter().zip(0..) {
                for game in &attempt.begun {
                    self.begin(&by_seat(*game), Some(&attempt.node));
                }
                for (game, row) in &attempt.voids {
                    self.add_void(&bots_of(*game), Some(&attempt.node), row);
                }
                if !attempt.is_live {
                    for game in &attempt.open {
                        let standing = standing_of(&standings, number, *game).unwrap_or_default();
                        let behind =
                            standing.behind.and_then(|seat| by_seat(*game).get(seat.index()).copied());
                        self.add_lost(bots_of(*game), Some(&attempt.node), standing.is_known(), behind);
                    }
                }
                for (_, rows) in &attempt.ended {
                    let faulty = rows.iter().filter(|row| row.faults.iter().any(|count| *count > 0));
                    let bots: BTreeSet<&str> = faulty.map(|row| &*row.bot.name).collect();
                    if !bots.is_empty() {
                        self.count(bots, Some(&attempt.node), |losses| losses.faulty += 1);
                    }
                }
            }
            for (game, came) in results::read(plan, batch)?.into_iter().flatten() {
                if matches!(came, GameEnd::Void(_)) {
                    self.count(bots_of(game.number), None, |losses| losses.void += 1);
                }
            }
        }
        Ok(())
    }

    /// Returns the losses in the results and the list of void games of a hill, over all seasons.
    ///
    /// # Errors
    ///
    /// If one of them is damaged.
    pub fn of_hill(hill: &Hill) -> Result<LossTally, Error> {
        let mut account = LossTally::default();
        for game in hill.games()? {
            let game = game?;
            account.begin(&game.iter().map(|row| &*row.bot.name).collect::<Vec<&str>>(), None);
            let faulty = game.iter().filter(|row| row.faults.iter().any(|count| *count > 0));
            let faulty: BTreeSet<&str> = faulty.map(|row| &*row.bot.name).collect();
            if !faulty.is_empty() {
                account.count(faulty, None, |losses| losses.faulty += 1);
            }
        }
        voids::each(voids_of(hill.root()), |row| {
            let by_seat = row.bots.split(' ').filter_map(|bot| Some(bot.rsplit_once(':')?.0));
            let by_seat: Vec<&str> = by_seat.collect();
            let bots: BTreeSet<&str> = by_seat.iter().copied().collect();
            if row.reason != GIVEN_UP {
                account.begin(&by_seat, None);
            }
            match &*row.reason {
                GIVEN_UP => account.count(bots, None, |losses| losses.void += 1),
                LOST => {
                    let behind = Some(&*row.bot).filter(|bot| !bot.is_empty());
                    account.add_lost(bots, None, row.turn > 0, behind);
                }
                _ => account.add_void(&bots, None, &row),
            }
            Ok(())
        })?;
        Ok(account)
    }

    /// Adds an attempt at a game of these bots.
    fn begin(&mut self, by_seat: &[&str], node: Option<&str>) {
        self.count(by_seat.iter().copied().collect(), node, |losses| losses.begun += 1);
        for (bot, seat) in by_seat.iter().zip(0..) {
            self.seats.entry(((*bot).to_owned(), seat)).or_default().begun += 1;
        }
    }

    /// Adds a void attempt at a game of these bots.
    fn add_void(&mut self, bots: &BTreeSet<&str>, node: Option<&str>, row: &VoidRow) {
        self.count(bots.clone(), node, |losses| losses.void_attempts += 1);
        let Some(seat) = row.seat else { return };
        self.all.by_it += 1;
        self.bots.entry(row.bot.clone()).or_default().by_it += 1;
        let of_seat = self.seats.entry((row.bot.clone(), seat)).or_default();
        of_seat.void_attempts += 1;
        of_seat.by_it += 1;
    }

    /// Adds an attempt that was lost with its runner. `behind` is the bot that alone was last in score, if that is
    /// known.
    fn add_lost(&mut self, bots: BTreeSet<&str>, node: Option<&str>, is_known: bool, behind: Option<&str>) {
        self.count(bots, node, |losses| {
            losses.lost += 1;
            losses.known += u64::from(is_known);
        });
        if let Some(bot) = behind {
            self.count(BTreeSet::from([bot]), node, |losses| losses.behind += 1);
        }
    }

    fn count(&mut self, bots: BTreeSet<&str>, node: Option<&str>, count: impl Fn(&mut Losses)) {
        count(&mut self.all);
        bots.into_iter().for_each(|bot| count(self.bots.entry(bot.to_owned()).or_default()));
        node.into_iter().for_each(|node| count(self.nodes.entry(node.to_owned()).or_default()));
    }
}
