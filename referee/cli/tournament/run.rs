//! The command `referee tournament run`, which plays a shard. If the shard is the whole tournament, it also goes on to
//! the next round, and shows the standings.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use anyhow::Context as _;
use clap::Args;
use referee_contest::batch::shard::{self, Ended, Shard, ShardEvent, ShardOptions};
use referee_contest::batch::{list, missing as missing_batches};
use referee_contest::exam::ExamAccount;
use referee_contest::node;
use referee_contest::plan::{self, Next, Plan};
use referee_files::lock;
use referee_record::error::{Error, ErrorKind};
use referee_sandbox::program::Opened;
use referee_sandbox::{Tier, probe};
use referee_table::process::Setup;
use signal_hook::consts::SIGUSR1;
use signal_hook::iterator::Signals;

use crate::addition::{Event, Observer};
use crate::context::Context;
use crate::host::{InterpreterOptions, check_ranked};
use crate::note;
use crate::shard::ShardChoice;
use crate::sheet::Format;
use crate::stop;
use crate::tournament::progress::Progress;
use crate::tournament::{exam_so_far, missing, runner_error, tables, until_clear};

/// Options of a tournament's runner.
#[derive(Debug, Default, Args)]
pub(crate) struct Batches {
    /// Play only shard k of n: the batches b with b mod n = k. n may differ between runs. auto/n: take k from the job
    /// array (of Slurm, HyperQueue, Kubernetes, PBS, Grid Engine, LSF or GNU parallel) [default: 0/1]
    #[arg(long, value_name = "K/N")]
    shard: Option<ShardChoice>,
    /// Begin no game after this number of seconds
    #[arg(long, value_name = "S", value_parser = crate::number::whole::<u64>(0..=u64::MAX))]
    max_seconds: Option<u64>,
    /// Take over from the runners of this machine that began before, though they seem to live: for one that hangs and
    /// cannot be ended. They end by themselves as soon as they go on, and their games in progress count as lost
    #[arg(long, value_name = "NODE", hide_short_help = true)]
    take_over: Option<String>,
    /// Free space in MiB that the tournament's folder must have [default: 256]
    #[arg(long, value_name = "MIB", value_parser = crate::number::whole::<u64>(0..=u64::MAX))]
    min_disk: Option<u64>,
}

/// Free space that a tournament's folder must have, in MiB.
const MIN_DISK: u64 = 256;

/// Time that games in flight have to end by themselves after a signal.
const GRACE: Duration = Duration::from_secs(20);

impl Batches {
    /// Lists the options by name, each with whether the user gave it.
    pub(crate) fn given(&self) -> [(&'static str, bool); 4] {
        [
            ("--shard", self.shard.is_some()),
            ("--max-seconds", self.max_seconds.is_some()),
            ("--take-over", self.take_over.is_some()),
            ("--min-disk", self.min_disk.is_some()),
        ]
    }

    /// Returns the shard that this runner plays.
    pub(crate) fn shard(&self) -> Result<Shard, Error> {
        match self.shard {
            Some(choice) => choice.shard(),
            None => Ok(Shard::WHOLE),
        }
    }

    /// Plays the remaining games of a plan, or of one shard of it. Who stops it is told the command that goes on.
    pub(crate) fn play(
        &self,
        context: &Context,
        mut plan: Plan,
        shard: Shard,
        interpreters: &InterpreterOptions,
        jobs: usize,
        command: &str,
    ) -> anyhow::Result<()> {
        plan.verify_build()?;
        plan.verify_games()?;
        self.check_room(&plan)?;
        plan.verify_bots().map_err(runner_error)?;
        let time = self.max_seconds.map(Duration::from_secs);
        let until = ShardOptions { time, take_over: self.take_over.clone(), ..ShardOptions::default() };
        let setup = setup_of(context, &plan, interpreters)?;
        note(named(setup.sandbox));
        if let Some(rule) = until_clear(&plan) {
            note(rule);
        }
        watch_for_signals(&until.stop, &setup.stop)?;
        let mut observer = context.observer(&plan.root);
        if plan.contents.host.signed || list::is_listed(&plan) {
            // The list can end with half a game, which cannot be signed.
            list::mend(&plan).map_err(runner_error)?;
        }
        observer.happened(Event::RunnerBegins).map_err(runner_error)?;
        loop {
            let played = play_round(&plan, shard, (&setup, &until), jobs, &mut observer, command);
            observer.happened(Event::Paused).map_err(runner_error)?;
            played?;
            if shard != Shard::WHOLE {
                return Ok(());
            }
            list_round(&plan)?;
            observer.happened(Event::Paused).map_err(runner_error)?;
            if plan.contents.format.is_exam() {
                note(exam_so_far(&ExamAccount::read(&plan)?));
            }
            match plan::following(&plan)? {
                Next::Round(next) => {
                    plan = *next;
                    plan.verify_bots().map_err(runner_error)?;
                }
                // Students are compared with the panel alone.
                Next::Over(_) if plan.contents.format.is_exam() => return tables::note_end(&plan),
                Next::Over(_) => {
                    tables::print_brackets(&plan)?;
                    return tables::print_standings(&plan, Format::Table);
                }
            }
        }
    }

    /// Makes sure that there is enough free space.
    fn check_room(&self, plan: &Plan) -> anyhow::Result<()> {
        let min_bytes = self.min_disk.unwrap_or(MIN_DISK).saturating_mul(1 << 20);
        node::room(&plan.root, min_bytes).map_err(|why| {
            let folder = plan.root.display();
            let what = format!("{folder}: {why}; free some space, or lower the minimum with --min-disk");
            Error::new(ErrorKind::TryAgain, what).into()
        })
    }
}

/// Lists the games of a round that has ended, and prints those that are void.
fn list_round(plan: &Plan) -> anyhow::Result<()> {
    list::bring_up(plan)?;
    if !list::is_listed(plan) {
        return Err(missing(plan, &missing_batches(plan)?.0));
    }
    for (game, why) in list::void_games(plan)? {
        note(format!("{game} is void: {why}"));
    }
    Ok(())
}

/// Names a sandbox, for the host.
fn named(sandbox: Tier) -> String {
    format!("sandbox: {sandbox} ({})", sandbox.about())
}

/// Returns how the bots of a plan are started, and makes sure that each can be started here.
pub(crate) fn setup_of(
    context: &Context,
    plan: &Plan,
    interpreters: &InterpreterOptions,
) -> anyhow::Result<Setup> {
    let host = &plan.contents.host;
    let setup = Setup {
        timekeeping: host.clock,
        limits: host.limits.clone(),
        interpreters: interpreters.and(&host.interpreters)?,
        ..context.starting()
    };
    let sandbox = probe::choose(host.sandbox, &setup.fork_server, setup.landlock_version_max)?;
    check_ranked(host.sandbox, sandbox).inspect_err(|_| note(named(sandbox)))?;
    let setup = Setup { sandbox, ..setup };
    for bot in &plan.entrants {
        let checked = Opened::open(&bot.program.file).and_then(|opened| setup.check(&opened));
        checked.map_err(|why| {
            Error::new(ErrorKind::TryAgain, format!("{} cannot be started here: {why}", bot.name.name))
        })?;
    }
    Ok(setup)
}

/// Plays the open batches of a shard in one round.
fn play_round(
    plan: &Plan,
    shard: Shard,
    setup_and_options: (&Setup, &ShardOptions),
    jobs: usize,
    observer: &mut impl Observer,
    command: &str,
) -> anyhow::Result<()> {
    let open = shard.open(plan).map_err(runner_error)?;
    let progress = Progress::new(plan, &open);
    let plan::Contents { name, round, .. } = &plan.contents;
    // A round of an exam's plan can have several of the exam.
    let round = if plan.contents.format.is_exam() { String::new() } else { format!(", round {round}") };
    note(format!("{name}{round}: {}, {} at a time", progress.what_is_left(), jobs));
    let mut observed = Ok(());
    let ended = shard::play(plan, &open, setup_and_options, jobs, |event| {
        if observed.is_ok()
            && let ShardEvent::Game { is_last: true, .. } = &event
        {
            observed = observer.happened(Event::BatchEnded);
        }
        progress.take(event);
    });
    progress.finish();
    observed.map_err(runner_error)?;
    match ended.map_err(runner_error)? {
        Ended::Complete => Ok(()),
        Ended::Stopped => {
            let shard = if shard == Shard::WHOLE { String::new() } else { format!(" --shard {shard}") };
            let what = format!("stopped; finished games are kept. To continue:\n  {command}{shard}");
            Err(Error::new(ErrorKind::TryAgain, what).into())
        }
    }
}

/// Watches for signals. After the first one, no new game begins, and those in flight have some time to end. The second
/// one gives these up. The third one ends the program.
fn watch_for_signals(no_new_games: &Arc<AtomicBool>, give_up: &Arc<AtomicBool>) -> anyhow::Result<()> {
    let mut signals =
        Signals::new(stop::watched().into_iter().chain([SIGUSR1])).context("cannot watch for signals")?;
    lock::stop_by(give_up);
    let (no_new_games, give_up) = (Arc::clone(no_new_games), Arc::clone(give_up));
    thread::spawn(move || {
        for (_, count) in signals.forever().zip(1..) {
            match count {
                1 => {
                    no_new_games.store(true, Ordering::Relaxed);
                    let give_up = Arc::clone(&give_up);
                    thread::spawn(move || {
                        thread::sleep(GRACE);
                        give_up.store(true, Ordering::Relaxed);
                    });
                }
                2 => give_up.store(true, Ordering::Relaxed),
                _ => std::process::exit(75),
            }
        }
    });
    Ok(())
}
