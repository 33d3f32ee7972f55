//! `referee tournament watch`: bracket and standings of a tournament on the screen, while other processes play it.

use std::fmt::Write;
use std::path::Path;

use clap::Args;
use referee_contest::overall::TournamentAccount;
use referee_contest::plan::{self, Plan};
use referee_contest::played;
use referee_record::text::count;
use referee_report::tables::contests as tables;
use referee_report::tables::standing::Standings;

use crate::folder::Folder;
use crate::screen::follow::{self, Page};
use crate::sheet::drawn;

/// Show bracket and standings on the screen, and follow a run
#[derive(Debug, Args)]
pub(crate) struct Watch {
    #[command(flatten)]
    folder: Folder,
}

impl Watch {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let dir = self.folder.path();
        plan::open(dir)?;
        let look = || Ok(played::progress(&plan::open(dir)?));
        follow::on_screen("referee tournament standings", look, |width| page(dir, width))
    }
}

/// Writes the page: progress, brackets and standings.
fn page(dir: &Path, width: usize) -> anyhow::Result<Page> {
    let plan = plan::open(dir)?;
    let live = played::ended(&plan)?;
    let (mut page, ended) = heading(&plan, live.len())?;
    let left = u64::from(plan.contents.games).saturating_sub(ended);
    let names: Vec<&str> = plan.entrants.iter().map(|bot| &*bot.name.name).collect();
    for cup in plan.cups_with(live.clone())? {
        cup.drawing(&names).iter().for_each(|line| page += &format!("{line}\n"));
    }
    let account = TournamentAccount::read_with(&plan, live)?;
    let mut overall = account.standings();
    let notes = account.conclude_for_watchers(&plan, &mut overall)?;
    let standings = Standings::of_tournament(&account, &overall);
    let _ = writeln!(page, "{}", drawn(&standings.sheet().for_people().fitting(width), Some(width)));
    let _ = writeln!(page, "{}", tables::legend_of(&account, &standings, &plan.contents.format));
    notes.iter().for_each(|note| page += &format!("{note}\n"));
    Ok(Page { text: page, help: "", ended, left: Some((left, "until the round ends")) })
}

/// Names the tournament, its game, and the number of games of the round that have ended. Returns that number, too.
fn heading(plan: &Plan, live: usize) -> anyhow::Result<(String, u64)> {
    let plan::Contents { name, game, format, round, games, .. } = &plan.contents;
    let mut ended = live as u64;
    played::each_game(plan, |of_round, _, _| {
        ended += u64::from(of_round.contents.round == *round);
        Ok(())
    })?;
    let games = count(u64::from(*games), "game");
    Ok((format!("{name}: {game}, {format}\nRound {round}: {ended} of {games} ended\n"), ended))
}
