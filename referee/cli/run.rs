//! `run`: plays the games of a hill or of a tournament.

use std::panic::{self, AssertUnwindSafe};

use clap::Args;
use referee_contest::hill::Hill;
use referee_contest::node;
use referee_contest::opened::Opened;
use referee_files::beneath;
use referee_record::error::{Error, ErrorKind};

use crate::context::Context;
use crate::folder::Folder;
use crate::host::HostOptions;
use crate::rounds::Rounds;
use crate::shell;
use crate::tournament::run::Batches;
use crate::verbs::refuse;

pub(super) const STATUS: &str = "Exit status of run: 0 all games that were asked for (of a plan: those of the shard) have \
                                 ended, by this run or another; 2 wrong usage; 3 the plan, the results or the records were changed, or \
                                 are gone: do not retry; 70 a defect of the referee. For a hill, 130 stopped. For a \
                                 tournament, 75 stopped, or this machine could not play: try again; 78 the plan was \
                                 made with other binaries: do not retry. Of run and plan: 1 also if the next pairings \
                                 depend on void games without a ruling (`tournament rule`).";

#[derive(Debug, Args)]
pub(super) struct Run {
    #[command(flatten)]
    folder: Folder,
    /// Games at a time [default: the number of cores]
    ///
    /// The cores are those that this process may use, by its affinity, its control group's quota and Slurm.
    #[arg(long, value_name = "N", value_parser = super::number::jobs)]
    jobs: Option<u16>,
    #[command(flatten)]
    host: HostOptions,
    #[command(flatten, next_help_heading = "Options for a hill")]
    rounds: Rounds,
    #[command(flatten, next_help_heading = "Options for a tournament")]
    batches: Batches,
}

impl Run {
    pub(super) fn run(self, context: &Context) -> anyhow::Result<()> {
        let Run { folder, jobs, host, rounds, batches } = self;
        let jobs = jobs.map_or_else(node::cores, usize::from);
        let play = || {
            beneath::keep_folders();
            if Hill::is_at(folder.path()) {
                refuse("tournaments", &batches.given())?;
            }
            // Mistakes in the command are reported before those in the folder.
            let shard = batches.shard()?;
            match Opened::open(folder.path())? {
                Opened::Hill(hill) => rounds.play(context, &hill, host, jobs),
                Opened::Tournament(plan) => {
                    refuse("hills", &rounds.given())?;
                    host.refuse_for_plan()?;
                    let command = format!("referee tournament run {}", shell(&plan.root));
                    batches.play(context, *plan, shard, host.interpreters(), jobs, &command).map(|()| None)
                }
            }
        };
        let result = panic::catch_unwind(AssertUnwindSafe(play)).unwrap_or_else(|panic| {
            let message = match panic.downcast_ref::<String>() {
                Some(message) => message,
                None => panic.downcast_ref::<&str>().copied().unwrap_or_default(),
            };
            let what =
                format!("a defect of the referee: please report this and the message above: {message}");
            Err(Error::new(ErrorKind::Defect, what).into())
        });
        rounds.report(&result);
        result.map(drop)
    }
}
