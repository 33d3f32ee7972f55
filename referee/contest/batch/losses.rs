//! Losses: attempts at games that were lost with their runner or are void, by bot, seat and node. They show bots that
//! bring the machine down when they lose, or make their games void. People decide what that means.

use std::collections::{BTreeMap, BTreeSet};

use crate::batch::list::is_listed;
use crate::batch::recorded::Recorded;
use crate::folder::voids_of;
use crate::hill::Hill;
use crate::plan::Plan;
use crate::records::{PLAN, folder_of, is_about, void_of};
use referee_files::voids;
use referee_record::error::Error;
use referee_record::results::ResultRow;
use referee_record::voids::{VoidReason, VoidRow};
use referee_store::{Kind, Record};

/// Losses among the games of a bot, or on a node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Losses {
    /// Number of attempts at games.
    pub begun: u64,
    /// Number of attempts that were lost with their runner.
    pub lost: u64,
    /// Number of lost attempts whose log tells the standing.
    pub known: u64,
    /// Number of lost attempts in which this bot alone was last in score; for all bots and for a node: one bot alone.
    pub behind: u64,
    /// Games that are void for good.
    pub void: u64,
    /// Games with a fault: of the bot; of any bot, on the node.
    pub faulty: u64,
    /// Number of void attempts.
    pub void_attempts: u64,
    /// Number of void attempts in the turn of this bot, or by its sandbox.
    pub by_it: u64,
}

/// The losses of a plan, or of a hill.
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

/// An attempt at a game that was lost with its runner.
struct LostAttempt {
    game: String,
    attempt: u32,
    /// Its bots, by seat.
    bots: Vec<String>,
    node: Option<String>,
}

/// The rows that later runners have recorded of lost attempts: by game, and number of the attempt.
type LostRows = BTreeMap<(String, u32), VoidRow>;

impl LossTally {
    /// Tells whether a tournament can have losses, without reading what was recorded: whether a list of void games is
    /// there, or its last round is not whole yet.
    pub fn may_have_some(plan: &Plan) -> bool {
        !is_listed(plan) || voids_of(&plan.root).exists()
    }

    /// Adds the losses in the records of a plan.
    ///
    /// # Errors
    ///
    /// If one of them is damaged or another plan's.
    pub fn add(&mut self, plan: &Plan) -> Result<(), Error> {
        let (mut lost, mut lost_rows) = (Vec::new(), LostRows::new());
        let mut recorded = Recorded::new(plan);
        for runner in recorded.runners()? {
            lost.extend(self.add_runner(plan, &mut recorded, &runner, &mut lost_rows)?);
        }
        for LostAttempt { game, attempt, bots, node } in lost {
            let bots = bots.iter().map(String::as_str).collect();
            self.add_lost(bots, node.as_deref(), lost_rows.get(&(game, attempt)));
        }
        Ok(())
    }

    /// Adds what a runner has recorded, and collects its rows of lost attempts. Returns the attempts that were lost
    /// with this runner.
    fn add_runner(
        &mut self,
        plan: &Plan,
        recorded: &mut Recorded,
        runner: &str,
        lost_rows: &mut LostRows,
    ) -> Result<Vec<LostAttempt>, Error> {
        let folder = folder_of(plan);
        let (mut open, mut node) = (BTreeMap::new(), None);
        let is_alive = recorded.each_record(runner, |Record { kind, game, cells }, reader| {
            match kind {
                Kind::Note if is_about(&cells, PLAN) => node = cells.into_iter().nth(2),
                Kind::Begun => {
                    let by_seat = bots_of_cell(&cells);
                    self.begin(&by_seat.iter().map(String::as_str).collect::<Vec<&str>>(), node.as_deref());
                    let attempt = cells.first().and_then(|attempt| attempt.parse().ok()).unwrap_or(0);
                    open.insert(game, (attempt, by_seat));
                }
                Kind::Over => {
                    open.remove(&game);
                    self.add_over(&reader.rows_of_cells(runner, &cells)?, node.as_deref());
                }
                Kind::Void => {
                    let row = void_of(&folder, &cells)?;
                    if row.reason == VoidReason::LostInFlight {
                        lost_rows.insert((game, row.attempt), row);
                    } else {
                        open.remove(&game);
                        self.add_void(&bots_of_row(&row), node.as_deref(), &row);
                    }
                }
                Kind::GivenUp => {
                    let row = void_of(&folder, &cells)?;
                    self.count(bots_of_row(&row), None, |losses| losses.void += 1);
                }
                Kind::Left => drop(open.remove(&game)),
                _ => {}
            }
            Ok(())
        })?;
        if is_alive {
            return Ok(Vec::new());
        }
        let lost = |(game, (attempt, bots))| LostAttempt { game, attempt, bots, node: node.clone() };
        Ok(open.into_iter().map(lost).collect())
    }

    /// Returns the losses in the results and the list of void games of a hill, over all seasons.
    pub fn of_hill(hill: &Hill) -> Result<LossTally, Error> {
        let mut tally = LossTally::default();
        for game in hill.games()? {
            let game = game?;
            tally.begin(&game.iter().map(|row| &*row.bot.name).collect::<Vec<&str>>(), None);
            tally.add_over(&game, None);
        }
        voids::each(voids_of(hill.root()), |row| {
            let by_seat: Vec<&str> = by_seat(&row.bots).collect();
            let bots: BTreeSet<&str> = by_seat.iter().copied().collect();
            if row.reason != VoidReason::GivenUp {
                tally.begin(&by_seat, None);
            }
            match row.reason {
                VoidReason::GivenUp => tally.count(bots, None, |losses| losses.void += 1),
                VoidReason::LostInFlight => tally.add_lost(bots, None, Some(&row)),
                _ => tally.add_void(&bots, None, &row),
            }
            Ok(())
        })?;
        Ok(tally)
    }

    /// Adds an attempt at a game of these bots.
    fn begin(&mut self, by_seat: &[&str], node: Option<&str>) {
        self.count(by_seat.iter().copied().collect(), node, |losses| losses.begun += 1);
        for (bot, seat) in by_seat.iter().zip(0..) {
            self.seats.entry(((*bot).to_owned(), seat)).or_default().begun += 1;
        }
    }

    /// Adds the faults of a game that has ended.
    fn add_over(&mut self, game: &[ResultRow], node: Option<&str>) {
        let faulty = game.iter().filter(|row| row.faults.iter().any(|count| *count > 0));
        let bots: BTreeSet<&str> = faulty.map(|row| &*row.bot.name).collect();
        if !bots.is_empty() {
            self.count(bots, node, |losses| losses.faulty += 1);
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

    /// Adds an attempt that was lost with its runner. `row` is what a later runner has recorded of it, if one has.
    fn add_lost(&mut self, bots: BTreeSet<&str>, node: Option<&str>, row: Option<&VoidRow>) {
        let is_known = row.is_some_and(|row| row.turn > 0);
        self.count(bots, node, |losses| {
            losses.lost += 1;
            losses.known += u64::from(is_known);
        });
        // The row of a lost attempt names the bot that alone was last in score.
        if let Some(row) = row
            && !row.bot.is_empty()
        {
            self.count(BTreeSet::from([&*row.bot]), node, |losses| losses.behind += 1);
        }
    }

    /// Applies `count` to the losses of all games, of each of these bots, and of the node.
    fn count(&mut self, bots: BTreeSet<&str>, node: Option<&str>, count: impl Fn(&mut Losses)) {
        count(&mut self.all);
        for bot in bots {
            count(self.bots.entry(bot.to_owned()).or_default());
        }
        if let Some(node) = node {
            count(self.nodes.entry(node.to_owned()).or_default());
        }
    }
}

/// Returns the bots by seat, of a cell that names them: `fox:1 owl:3`.
fn by_seat(bots: &str) -> impl Iterator<Item = &str> {
    bots.split(' ').filter_map(|bot| Some(bot.rsplit_once(':')?.0))
}

fn bots_of_row(row: &VoidRow) -> BTreeSet<&str> {
    by_seat(&row.bots).collect()
}

/// Returns the bots by seat, of the cells of an attempt that begins.
fn bots_of_cell(cells: &[String]) -> Vec<String> {
    cells.get(2).into_iter().flat_map(|bots| by_seat(bots)).map(str::to_owned).collect()
}
