//! `referee judge check`: examines a program that implements the rules of a game.

use std::path::PathBuf;
use std::time::Duration;

use crate::context::Context;
use crate::judge::{JudgeInterpreters, with_slash};
use crate::out::{note, say};
use crate::shell;
use clap::Subcommand;
use referee_files::beneath::Spot;
use referee_judge as judge;
use referee_judge::check::{CheckReport, Fixed, LIMIT, Terms};
use referee_record::error::{Error, ErrorKind};
use referee_record::text::count;
use referee_rules::Seed;

/// Judges: programs in any language that implement the rules of a game (see `referee docs judge`)
#[derive(Debug, Subcommand)]
pub(crate) enum JudgeCommand {
    /// Examine a judge: play its game to the end with every number of seats, at the ends of its parameters, with
    /// every kind of fault, and several times. Report the first mistake, or the first difference between two runs
    Check {
        /// The judge
        judge: PathBuf,
        /// Number of seats of all games [default: every number]
        #[arg(long, value_name = "N")]
        seats: Option<usize>,
        /// Set a parameter in all games; can be given several times [default: the usual value, and both ends]
        #[arg(long, value_name = "NAME=VALUE")]
        set: Vec<String>,
        /// First random seed [default: several]
        #[arg(long, value_name = "N")]
        seed: Option<u64>,
        /// Maximum time in seconds. If it ends first, the judge is not certified
        #[arg(long, value_name = "N", default_value_t = LIMIT.as_secs())]
        seconds: u64,
        /// Write all lines from and to the judge of the last game, the failed one, into this file
        #[arg(long, value_name = "FILE")]
        transcript: Option<PathBuf>,
        #[command(flatten)]
        interpreters: JudgeInterpreters,
    },
}

impl JudgeCommand {
    pub(crate) fn run(self, context: &Context) -> anyhow::Result<()> {
        let JudgeCommand::Check { judge, seats, set, seed, seconds, transcript, .. } = self;
        let name_and_value = |pair: &String| {
            let parts = pair.split_once('=').map(|(name, value)| (name.to_owned(), value.to_owned()));
            parts.ok_or_else(|| Error::input(format!("--set {pair}: write NAME=VALUE")))
        };
        let is_part = seats.is_some() || seed.is_some() || !set.is_empty();
        let set = set.iter().map(name_and_value).collect::<Result<_, _>>()?;
        let file = transcript
            .map(|path| Spot::from(&*path).create().map_err(Error::system(&path, "write the transcript")));
        let transcript = file.transpose()?.map(judge::Transcript::to);
        context.stop()?;
        let terms = Terms {
            fixed: Fixed { set, seats },
            seed: seed.map(Seed),
            limit: Duration::from_secs(seconds),
            transcript,
            ..Terms::default()
        };
        let checked = judge::check::check(&context.judges, &judge, &terms, |game| note(format!("  {game}")))?;
        let CheckReport { name, games, turns, faults, kills, settings, pace: (mean, longest), .. } = checked;
        let milliseconds = |time: Duration| format!("{:.2}", time.as_secs_f64() * 1000.0);
        say(format!(
            "{name}: {games} games with {turns} turns in all, with {}, {faults} faults of bots and \
             {kills} restarts",
            count(settings as u64, "setting")
        ));
        say(format!("  {} ms a turn, at most {} ms", milliseconds(mean), milliseconds(longest)));
        checked.remarks.iter().for_each(|remark| say(format!("  remark: {remark}")));
        checked.left_out.iter().for_each(|part| say(format!("  left out: {part}")));
        checked.missing.iter().for_each(|part| say(format!("  not covered: {part}")));
        if !checked.missing.is_empty() {
            let what = format!(
                "{name} is not certified: {seconds} seconds were too short, and {} parts are not covered; raise \
                 --seconds, or check less at a time with --seats, --set and --seed",
                checked.missing.len()
            );
            return Err(Error::new(ErrorKind::Failed, what).into());
        }
        say(format!("Play it: referee play {}{}", shell(&with_slash(&judge)), " BOT".repeat(checked.bots)));
        say(if is_part {
            format!("{name}: the same each time, in the games that --seats, --set and --seed leave.")
        } else {
            format!("{name}: the same each time.")
        });
        Ok(())
    }
}
