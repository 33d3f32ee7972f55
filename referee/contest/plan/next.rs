//! The next step of a tournament, after a round or after a stage of one that is played until clear.

use std::collections::BTreeMap;

use crate::batch::list;
use crate::exam;
use crate::folder::results_of;
use crate::plan::schedule::{self, Following};
use crate::plan::{
    Contents, Plan, complete, complete_first, folder_of, lock, open_folder, read_plan, spot_of, write,
};
use crate::played;
use crate::publish::{self, Published};
use crate::rulings::{Rulings, Unruled};
use crate::runner::GameEnd;
use crate::stages::Stop;
use crate::verdicts;
use referee_files::beneath::Spot;
use referee_record::BotName;
use referee_record::error::Error;
use referee_record::game_result::GameResult;
use referee_statistics::schedule::deal::Pairing;
use referee_statistics::schedule::format::{Contest, Cup, NotScheduled, PlayedGame, Ranking};
use referee_statistics::verdict::VerdictRow;

/// The step after a round.
#[derive(Debug)]
pub enum Next {
    /// The plan of the next round, which can have been there before.
    Round(Box<Plan>),
    /// The tournament is over. The rankings of the sub-tournaments, if their format has its own.
    Over(Vec<Ranking>),
}

/// Plans the next round after one whose games are all listed: a pure function of the first plan, the results and the
/// rulings on void games. If a tournament that is played until clear is over, `verdicts.csv` is written.
///
/// # Errors
///
/// If results so far are missing, or do not follow the schedule; if another verdict was recorded; or if the next
/// pairings depend on void games without a ruling.
pub fn following(plan: &Plan) -> Result<Next, Error> {
    list::bring_up(plan)?;
    match step_after(plan)? {
        NextStep::Over(rankings, rows) => {
            if !rows.is_empty() {
                record_verdicts(plan, &rows)?;
            }
            Ok(Next::Over(rankings))
        }
        NextStep::Round(contents) => {
            let folder = folder_of(&plan.root, contents.round);
            let file = spot_of(&plan.root, &folder);
            file.make_folders().map_err(Error::system(&folder, "create the folder"))?;
            let _lock = lock(&plan.root)?;
            let earlier = read_plan(&plan.root, &folder)?;
            write(&plan.root, &folder, earlier, &contents)?;
            Ok(Next::Round(Box::new(open_folder(&plan.root, &folder)?)))
        }
    }
}

/// The next step, computed from the rounds so far.
#[derive(Debug)]
pub enum NextStep {
    /// A round: the contents of its plan.
    Round(Box<Contents>),
    /// The tournament is over. The rankings of the sub-tournaments, if their format has its own, and the verdicts of a
    /// stop rule.
    Over(Vec<Ranking>, Vec<VerdictRow>),
}

/// Computes the next step after a round whose games are all listed. Writes nothing.
pub fn step_after(plan: &Plan) -> Result<NextStep, Error> {
    let round = plan.contents.round + 1;
    let Some(earlier) = list::named_after(plan)? else {
        let what = format!(
            "round {} is not in it yet: play it first, with `referee tournament run`",
            plan.contents.round
        );
        return Err(Error::file(results_of(&plan.root).path(), what));
    };
    let decided = match what_follows(plan)? {
        Following::Round(decided) => decided,
        Following::Over(rankings, rows) => return Ok(NextStep::Over(rankings, rows)),
    };
    let rulings = if plan.contents.format.is_adaptive() {
        Rulings::read(&plan.root)?.digest(plan)?.map(|digest| digest.to_string())
    } else {
        None
    };
    let earlier = Some(earlier.to_string());
    let contents = Contents { round, earlier, rulings, decided, ..plan.contents.clone() };
    let contents =
        complete(contents, plan.basis(), u32::MAX).map_err(|(_, what)| Error::file(&plan.folder, what))?;
    Ok(NextStep::Round(Box::new(contents)))
}

/// Computes the plan that a first round must have, from the format, seed, parameters and entrants of this plan.
///
/// # Errors
///
/// If this field cannot play in this format.
pub fn first_contents(plan: &Plan) -> Result<Contents, Error> {
    // A forged plan can have any number of games. One more than it says is enough to see that it is wrong.
    let contents = complete_first(plan.contents.clone(), plan.basis(), plan.contents.games);
    contents.map_err(|(_, what)| Error::file(&plan.folder.join("plan.toml"), what))
}

/// Computes what is played after the games so far.
fn what_follows(plan: &Plan) -> Result<Following, Error> {
    let Contents { format, stop, .. } = &plan.contents;
    let contests = plan.contests();
    let bots: Vec<&str> = plan.contents.entrant.iter().map(|bot| &*bot.name).collect();
    if let Some(stop) = stop {
        return if format.is_exam() {
            exam::following(plan, stop)
        } else {
            after_stage(plan, stop, &contests, &bots)
        };
    }
    if !format.is_adaptive() {
        return Ok(Following::Over(Vec::new(), Vec::new())); // the first plan has all games
    }
    let (played, unruled) = plan.played()?;
    if !unruled.is_empty() {
        return Err(unruled.into());
    }
    let following = schedule::after_results(format, &contests, &bots, &played);
    following.map_err(|error| Error::file(results_of(&plan.root).path(), error.to_string()))
}

fn after_stage(plan: &Plan, stop: &Stop, contests: &[Contest], names: &[&str]) -> Result<Following, Error> {
    let bots: Vec<BotName> = plan.entrants.iter().map(|bot| bot.name.clone()).collect();
    let mut accounts = schedule::accounts(&plan.contents.format, stop, contests, &bots);
    for ((season, round), games) in plan.games_by_round()? {
        accounts[season as usize - 1].shorten(round, games);
    }
    played::each_game(plan, |_, game, end| {
        let account = &mut accounts[game.scheduled.season as usize - 1];
        match end {
            GameEnd::Over(rows) => account.add(rows),
            GameEnd::Void(_) => account.leave_out(game.scheduled, plan.who_counts(&game)),
        }
        Ok(())
    })?;
    Ok(schedule::after_stage(&plan.contents.format, stop, names, &accounts))
}

fn record_verdicts(plan: &Plan, rows: &[VerdictRow]) -> Result<(), Error> {
    let path = verdicts::file_of(&plan.root);
    match publish::once(Spot::within(&plan.root, &path), &verdicts::text(rows))? {
        Published::Mine => Ok(()),
        Published::Others => {
            let verdicts = rows
                .iter()
                .map(|row| format!("{} in round {}: {}", row.verdict.name(), row.round, row.named()));
            let verdicts = verdicts.collect::<Vec<String>>().join("; ");
            Err(Error::line(&path, 2, format!("the results give {verdicts}")))
        }
    }
}

impl Plan {
    /// Returns the matches of each sub-tournament, if the format has matches: those that were played, and those that
    /// come next.
    ///
    /// # Errors
    ///
    /// Names the first wrong line.
    pub fn cups(&self) -> Result<Vec<Cup>, Error> {
        self.cups_with(Vec::new())
    }

    /// As [`cups`](Plan::cups), with games that have ended and are not listed.
    pub fn cups_with(&self, live: Vec<(Pairing, GameResult)>) -> Result<Vec<Cup>, Error> {
        if !self.contents.format.is_adaptive() {
            return Ok(Vec::new());
        }
        let (mut played, _) = self.played()?;
        played.extend(live.into_iter().map(|(Pairing { scheduled, entrants, .. }, rows)| {
            let shares = rows.iter().map(|row| row.share.value()).collect();
            PlayedGame { scheduled, entrants, shares }
        }));
        let cups = self.contests().into_iter().map(|contest| self.contents.format.cup(&contest, &played));
        let cups: Result<Vec<Cup>, NotScheduled> = cups.collect();
        cups.map_err(|error| Error::file(&self.folder, error.to_string()))
    }

    /// Counts the games of each round, by sub-tournament and round, up to this plan. Empty if no bots leave the race:
    /// then each round has its full number of games.
    pub fn games_by_round(&self) -> Result<BTreeMap<(u32, u32), usize>, Error> {
        let mut games = BTreeMap::new();
        if !self.contents.stop.is_some_and(|stop| stop.racing) {
            return Ok(games);
        }
        for plan in self.rounds()? {
            for game in plan.schedule.games() {
                *games.entry((game.scheduled.season, game.scheduled.round)).or_default() += 1;
            }
        }
        Ok(games)
    }

    /// Lists the games so far, those with a ruling too, and the void games without a ruling.
    fn played(&self) -> Result<(Vec<PlayedGame>, Unruled), Error> {
        let rulings = Rulings::read(&self.root)?;
        let (mut played, mut unruled) = (Vec::new(), Unruled::default());
        played::each_game(self, |_, game, end| {
            let shares = match end {
                GameEnd::Over(rows) => Some(rows.iter().map(|row| row.share.value()).collect()),
                GameEnd::Void(_) => rulings.shares(self, &game),
            };
            match shares {
                Some(shares) => {
                    played.push(PlayedGame { scheduled: game.scheduled, entrants: game.entrants, shares })
                }
                None => unruled.add(&game),
            }
            Ok(())
        })?;
        Ok((played, unruled))
    }
}
