//! Losses: games that were lost in flight or are void, by bot, seat and node. They show bots that bring the machine
//! down when they lose, or make their games void. People decide what that means.

use std::collections::{BTreeMap, BTreeSet};

use crate::batch::recorded::Recorded;
use crate::batch::results;
use crate::fixture::game_id;
use crate::folder::voids_of;
use crate::hill::Hill;
use crate::plan::Plan;
use crate::runner::GameEnd;
use referee_files::voids;
use referee_record::error::Error;
use referee_record::voids::{GIVEN_UP, LOST, VoidRow};
use referee_store::End;

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
    /// Adds the losses in the records and results of a plan.
    ///
    /// # Errors
    ///
    /// If one of them is damaged or another plan's.
    pub fn add(&mut self, plan: &Plan) -> Result<(), Error> {
        let mut recorded = Recorded::at_rest(plan)?;
        let nodes = recorded.nodes(plan)?;
        let node = |runner: &str| nodes.get(runner).map(String::as_str);
        let mut lost = recorded.lost(plan)?;
        let mut told = BTreeMap::new();
        if recorded.of(plan)?.0.known().next().is_none() {
            return Ok(());
        }
        for batch in 0..plan.index.batches.len() {
            let (state, reader) = recorded.of(plan)?;
            let done = results::read(plan, batch)?;
            let games = match done {
                Some(batch) => batch.games.into_iter().map(|(game, came)| (game, Some(came))).collect(),
                None => plan.batch(batch)?.into_iter().map(|game| (game, None)).collect::<Vec<_>>(),
            };
            for (game, came) in games {
                let name = game_id(game.scheduled);
                let of_seat = |(_, bot): (_, &usize)| &*plan.entrants[*bot].name.name;
                let by_seat: Vec<&str> = game.entrants.iter().map(of_seat).collect();
                let bots: BTreeSet<&str> = by_seat.iter().copied().collect();
                let mut voids = reader.voids_of(state, &name)?.into_iter();
                for (runner, end) in state.ends_of(&name) {
                    match end {
                        End::Over => {
                            self.begin(&by_seat, node(runner));
                            let rows = match &came {
                                Some(GameEnd::Over(rows)) => rows.to_vec(),
                                _ => reader.rows_of(state, &name)?.unwrap_or_default(),
                            };
                            let faulty = rows.iter().filter(|row| row.faults.iter().any(|count| *count > 0));
                            let bots: BTreeSet<&str> = faulty.map(|row| &*row.bot.name).collect();
                            if !bots.is_empty() {
                                self.count(bots, node(runner), |losses| losses.faulty += 1);
                            }
                        }
                        End::Void => match voids.next() {
                            // The runner that was lost is told below, with its node.
                            Some(row) if row.reason == LOST => {
                                drop(told.insert((name.clone(), row.attempt), row))
                            }
                            Some(row) => {
                                self.begin(&by_seat, node(runner));
                                self.add_void(&bots, node(runner), &row);
                            }
                            None => {}
                        },
                        End::GivenUp => self.count(bots.clone(), None, |losses| losses.void += 1),
                    }
                }
                for (runner, attempt) in lost.remove(&name).unwrap_or_default() {
                    let row = told.get(&(name.clone(), attempt));
                    let behind = row.map(|row| &*row.bot).filter(|bot| !bot.is_empty());
                    self.begin(&by_seat, node(&runner));
                    self.add_lost(bots.clone(), node(&runner), row.is_some_and(|row| row.turn > 0), behind);
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
