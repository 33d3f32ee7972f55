//! Commands for the folder of a hill or of a tournament: `standings`, `fairness`, `status` and `repair`.

use clap::Args;
use referee_contest::batch::list;
use referee_contest::opened::Opened;
use referee_contest::overall::TournamentAccount;
use referee_record::error::Error;
use referee_record::text::count;
use referee_statistics::stop_rule::StopRule;

use crate::addition::Event;
use crate::context::Context;
use crate::folder::Folder;
use crate::hill_status;
use crate::say;
use crate::sheet::Printed;
use crate::standings::{self as of_hill, print_fairness};
use crate::tournament::{status, tables as of_tournament};

/// Refuses options that are for the other kind of contest.
pub(super) fn refuse(kind: &str, options: &[(&str, bool)]) -> Result<(), Error> {
    match options.iter().find(|(_, is_given)| *is_given) {
        Some((option, _)) => Err(Error::input(format!("{option} is for {kind}: leave it out"))),
        None => Ok(()),
    }
}

/// The games of a hill or of a tournament that a command is about, and the form of its output.
#[derive(Debug, Args)]
struct Which {
    #[command(flatten)]
    folder: Folder,
    /// A season of a hill [default: the last]
    #[arg(long, value_name = "N", value_parser = super::number::count)]
    season: Option<u32>,
    /// A sub-tournament, from 1 [default: in standings all, else the first]
    #[arg(long, value_name = "N", value_parser = crate::number::whole::<usize>(1..=u32::MAX.into()))]
    set: Option<usize>,
    #[command(flatten)]
    printed: Printed,
}

impl Which {
    /// Opens the folder. If it is a tournament, brings the list of its games up to date.
    fn open(&self) -> anyhow::Result<Opened> {
        let opened = Opened::open(self.folder.path())?;
        match &opened {
            Opened::Hill(_) => refuse("tournaments", &[("--set", self.set.is_some())])?,
            Opened::Tournament(plan) => {
                refuse("hills", &[("--season", self.season.is_some())])?;
                list::bring_up(plan)?;
            }
        }
        Ok(opened)
    }
}

#[derive(Debug, Args)]
pub(super) struct Standings {
    #[command(flatten)]
    which: Which,
    /// How often each bot finished before each opponent: the part of their games, ties half
    #[arg(long)]
    pairs: bool,
    /// Of a hill: the error probability of the intervals: all of them are right with a probability of 1 - P
    /// [default: 0.05]
    #[arg(long, value_name = "P", value_parser = super::number::fraction)]
    alpha: Option<f64>,
}

impl Standings {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let Standings { which, pairs, alpha } = self;
        match which.open()? {
            Opened::Hill(hill) => {
                let usual = StopRule::default();
                let rule = StopRule { alpha: alpha.unwrap_or(usual.alpha), ..usual };
                if let Some(fault) = rule.fault() {
                    return Err(Error::input(fault).into());
                }
                if pairs {
                    of_hill::print_pairs(&hill, which.season, rule, which.printed)
                } else {
                    of_hill::print_standings(&hill, which.season, rule, which.printed)
                }
            }
            Opened::Tournament(plan) => {
                refuse("hills", &[("--alpha", alpha.is_some())])?;
                match (which.set, pairs) {
                    (None, false) => of_tournament::print_standings(&plan, which.printed),
                    (set, _) => of_tournament::print_set(&plan, set, pairs, which.printed),
                }
            }
        }
    }
}

#[derive(Debug, Args)]
pub(super) struct Fairness {
    #[command(flatten)]
    which: Which,
}

impl Fairness {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let Which { season, set, printed, .. } = self.which;
        match self.which.open()? {
            Opened::Hill(hill) => {
                print_fairness(&of_hill::account(&hill, season, StopRule::default())?.0, printed)
            }
            Opened::Tournament(plan) => {
                let account = TournamentAccount::read(&plan)?;
                print_fairness(of_tournament::set_of(&account, set)?, printed)
            }
        }
    }
}

#[derive(Debug, Args)]
pub(super) struct Status {
    #[command(flatten)]
    folder: Folder,
    /// Of a tournament: the number of shards; names the job array that plays the missing games
    #[arg(long, value_name = "N", value_parser = crate::number::count)]
    n: Option<u32>,
    /// Show lost games, void games and games with faults, by bot and seat, in a tournament by node, too. (The table
    /// format shows them below if any game was lost or void)
    #[arg(long)]
    losses: bool,
    #[command(flatten)]
    printed: Printed,
}

impl Status {
    pub(super) fn run(self) -> anyhow::Result<()> {
        match Opened::open(self.folder.path())? {
            Opened::Hill(hill) => {
                refuse("tournaments", &[("--n", self.n.is_some())])?;
                hill_status::print(&hill, self.losses, self.printed)
            }
            Opened::Tournament(plan) => status::print(&plan, self.n, self.losses, self.printed),
        }
    }
}

#[derive(Debug, Args)]
pub(super) struct Repair {
    #[command(flatten)]
    folder: Folder,
}

impl Repair {
    pub(super) fn run(self, context: &Context) -> anyhow::Result<()> {
        let dir = self.folder.path();
        let repaired = match Opened::open(self.folder.path())? {
            Opened::Hill(hill) => hill.repair()?,
            Opened::Tournament(plan) => list::repair(&plan)?,
        };
        for (file, aside) in &repaired.changed {
            let aside = aside
                .as_ref()
                .map_or(String::new(), |aside| format!("; the old file is {}", aside.display()));
            say(format!("{}: made again{aside}", file.display()));
        }
        if let Some(first) = repaired.unrecorded.first() {
            let left_out = count(repaired.unrecorded.len() as u64, "game");
            say(format!(
                "{left_out} of the old results are not recorded by a runner, so they are left out: {first} ..."
            ));
        }
        let nothing = if repaired.changed.is_empty() { "nothing to repair: " } else { "" };
        say(format!("{}: {nothing}{}, as recorded", dir.display(), count(repaired.games as u64, "game")));
        Ok(context.tell(dir, Event::Repaired)?)
    }
}
