//! Pages and films, on the command line: `referee report`, and the options of `referee replay` that write files.

mod replay;
mod report;
mod why;

use crate::addition::{Addition, with_options};
use crate::context::Context;
use crate::replay::Replay;
use crate::shell;
use clap::{ArgMatches, Args, Command, FromArgMatches};
use referee_contest::hill::Hill;
use referee_report::pages::Options;
use referee_table::process::Setup;

use self::replay::{EXAMPLES, Written};
use self::report::Report;

/// Adds its commands to the program.
#[derive(Clone, Copy, Debug)]
pub struct Pages;

impl Addition for Pages {
    fn extend(&self, root: Command) -> Command {
        root.subcommand(Report::augment_args(Command::new("report").display_order(111))).mut_subcommand(
            "replay",
            |replay| {
                let examples = replay.get_after_help().map(ToString::to_string).unwrap_or_default();
                let replay = replay.mut_arg("game", |game| {
                    let help = game.get_help().map(ToString::to_string).unwrap_or_default();
                    game.help(
                        help + ". With --html, after a log: another log; both games are shown side by side",
                    )
                });
                with_options::<Written>(replay.after_help(examples + EXAMPLES))
            },
        )
    }

    fn run(&self, matches: &ArgMatches, context: &Context) -> Option<anyhow::Result<()>> {
        match matches.subcommand()? {
            ("report", report) => {
                let report = Report::from_arg_matches(report).map_err(Into::into);
                Some(report.and_then(|report| report.run(context)))
            }
            ("replay", replay) => write(replay, context).transpose(),
            _ => None,
        }
    }

    fn demonstrated(&self, hill: &Hill, setup: &Setup) -> anyhow::Result<Option<String>> {
        let folder = hill.root().join("report");
        let report = referee_report::pages::of_hill(hill, None, Options::default(), &folder, &setup.stop)?;
        let mut notice = format!("Report with plots: open {}", report.page.display());
        if let Some(row) = hill.results()?.last() {
            let root = shell(hill.root());
            notice +=
                &format!("\nA game in the browser: referee replay {root} {} --html game.html", row.game);
        }
        Ok(Some(notice))
    }
}

/// Writes the files that the options of a replay ask for; `None` if they ask for none.
fn write(matches: &ArgMatches, context: &Context) -> anyhow::Result<Option<()>> {
    let written = Written::from_arg_matches(matches)?;
    if !written.is_asked_for() {
        return Ok(None);
    }
    written.run(&Replay::from_arg_matches(matches)?, context).map(Some)
}
