//! Tables of the results of a tournament.

use clap::Args;
use referee_contest::overall::{Overall, TournamentAccount};
use referee_contest::plan::{self, Plan};
use referee_record::error::Error;
use referee_report::tables::contests as tables;
use referee_report::tables::standing::Standings;
use referee_statistics::season::SeasonAccount;

use crate::folder::Folder;
use crate::sheet::{Format, Print, Printed};
use crate::standings::pairs;
use crate::{note, say};

#[derive(Debug, Args)]
pub(crate) struct Matches {
    #[command(flatten)]
    folder: Folder,
    #[command(flatten)]
    printed: Printed,
    /// Matches of another sub-tournament than the first
    #[arg(long, value_name = "N", default_value_t = 1)]
    set: usize,
}

/// Prints the standings of a sub-tournament, or each bot against each opponent.
pub(crate) fn print_set(
    plan: &Plan,
    set: Option<usize>,
    is_of_pairs: bool,
    printed: Printed,
) -> anyhow::Result<()> {
    let account = TournamentAccount::read(plan)?;
    let set = set_of(&account, set)?;
    let sheet = if is_of_pairs {
        pairs(set, printed)
    } else {
        let mut overall = account.standings();
        conclude(plan, &account, &mut overall)?;
        let lines = &overall.sets[set.number as usize - 1];
        Standings::of_season(set, lines, &account.ratings, None).sheet()
    };
    sheet.print(printed)
}

impl Matches {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let plan = plan::open(self.folder.path())?;
        let cups = plan.cups()?;
        let count = cups.len();
        if count == 0 {
            let what = format!(
                "kind = {:?} has no matches; see `tournament standings`",
                plan.contents.format.name()
            );
            return Err(Error::input(what).into());
        }
        let cup = self.set.checked_sub(1).and_then(|index| cups.get(index));
        let cup =
            cup.ok_or_else(|| Error::input(format!("--set: there are sub-tournaments 1 to {count}")))?;
        let names: Vec<&str> = plan.entrants.iter().map(|bot| &*bot.name.name).collect();
        if self.printed.format == Format::Table {
            cup.drawing(&names).iter().for_each(say);
        }
        tables::matches_of(cup, &names).print(self.printed)
    }
}

/// Returns the account of a sub-tournament.
pub(crate) fn set_of(account: &TournamentAccount, set: Option<usize>) -> anyhow::Result<&SeasonAccount> {
    let season = set.unwrap_or(1).checked_sub(1).and_then(|index| account.sets.get(index));
    let count = account.sets.len();
    season.ok_or_else(|| Error::input(format!("--set: there are sub-tournaments 1 to {count}")).into())
}

/// Prints the bracket of each sub-tournament that is a knockout.
pub(super) fn print_brackets(plan: &Plan) -> anyhow::Result<()> {
    let names: Vec<&str> = plan.entrants.iter().map(|bot| &*bot.name.name).collect();
    plan.cups()?.iter().flat_map(|cup| cup.drawing(&names)).for_each(say);
    Ok(())
}

/// Prints the standings over all sub-tournaments, with the mean share in each; of a single one, with its confidence.
pub(crate) fn print_standings(plan: &Plan, printed: impl Into<Printed>) -> anyhow::Result<()> {
    let printed = printed.into();
    let account = TournamentAccount::read(plan)?;
    let mut overall = account.standings();
    conclude(plan, &account, &mut overall)?;
    let standings = Standings::of_tournament(&account, &overall);
    standings
        .sheet()
        .about("tournament", plan.contents.name.as_str())
        .about("game", plan.contents.game.as_str())
        .about("round", plan.contents.round)
        .print(printed)?;
    if printed.format == Format::Table {
        say(tables::legend_of(&account, &standings, &plan.contents.format));
    }
    if plan.sets.len() > 1 && printed.format == Format::Table {
        for (set, number) in plan.contents.set.iter().zip(1..) {
            say(format!("  share_{number}: {}", tables::name_of_set(&plan.contents, set)));
        }
    }
    Ok(())
}

/// Prints whether the tournament is over, and why.
pub(crate) fn note_end(plan: &Plan) -> anyhow::Result<()> {
    let account = TournamentAccount::read(plan)?;
    conclude(plan, &account, &mut account.standings())
}

/// Puts the bots in the order of the format, and prints whether the standings are final, and why the tournament is
/// over.
fn conclude(plan: &Plan, account: &TournamentAccount, overall: &mut Overall) -> anyhow::Result<()> {
    let notes = account.conclude(plan, overall)?;
    notes.iter().for_each(note);
    Ok(())
}
