//! `referee demo`: house bots play king of the hill in a folder that is kept.

use std::path::{Path, PathBuf};

use clap::Args;
use referee_contest::hill::{Hill, HillSettings};
use referee_contest::{folder, node};
use referee_games::catalog::{GAMES, Seating};
use referee_record::error::Error;
use referee_rules::{Parameters, Seed};
use referee_statistics::stop_rule::StopRule;
use referee_table::process::Setup;

use crate::context::Context;
use crate::hill_submit::HowSubmitted;
use crate::host::HostOptions;
use crate::rounds::{self, HowFar, PlayedSeason};
use crate::sheet::Format;
use crate::standings::{print_account, print_standings};
use crate::{bot, hill_submit, say, shell};

/// The seed of each demonstration, so that everybody sees the same games.
const SEED: Seed = Seed(2026);

/// Watch house bots play a contest, to see what a hill is
///
/// The strongest house bots play king of the hill, and a report is written. The seed is fixed, so everybody sees the
/// same games. The folder is kept: run the command again to continue the contest.
#[derive(Debug, Args)]
pub(super) struct Demo {
    /// The folder of the hill
    #[arg(default_value = "demo-hill")]
    folder: PathBuf,
    #[command(flatten)]
    host: HostOptions,
}

/// Number of rounds that each demonstration plays, one game each.
const ROUNDS: u32 = 40;

impl Demo {
    pub(super) fn run(self, context: &Context) -> anyhow::Result<()> {
        demo(context, &self.folder, self.host)
    }
}

fn demo(context: &Context, root: &Path, host: HostOptions) -> anyhow::Result<()> {
    let shown = root.display();
    let hill = if root.join("hill.toml").exists() {
        say(format!("Continuing the hill in {shown}."));
        Hill::open(root).map_err(super::usage)?
    } else {
        let entry = &GAMES[0];
        say(format!("Creating a hill in {shown}: {}.", entry.about));
        let mut settings = HillSettings::default();
        settings.set("block", "one-game").map_err(|error| Error::input(error.to_string()))?;
        let parameters = Parameters::defaults(entry.parameters);
        Hill::create(root, entry, parameters, SEED, settings).map_err(super::usage)?
    };
    let setup = host.setup_on(context, &hill)?;
    enter_house_bots(context, &hill, &setup)?;
    let rule = StopRule::default();
    let PlayedSeason { number, counted } =
        rounds::play_rounds(context, &hill, HowFar::More(ROUNDS), rule, node::cores(), &setup)?;
    match counted {
        Some((account, ratings)) => print_account(&hill, &account, &ratings, Format::Table)?,
        None => print_standings(&hill, Some(number), rule, Format::Table)?,
    }
    say(HOW_TO_READ);
    say(format!("Play until it is proven: referee hill run {} --until-clear", shell(hill.root())));
    say_what_next(context, &hill, &setup)
}

/// What the words above and below the table mean, for somebody who sees them for the first time.
const HOW_TO_READ: &str = "
How to read it: the bots are in the order of their points so far. `likely` says which places luck leaves open: one
number means that the bot had this place in most resamplings of its games. `Proof` is a bet on the leader that began
with 1: at the odds that are needed the referee takes it as proven, and names a king.
More: referee docs standings";

/// Enters the strongest house bots that are not on the hill yet: an interrupted first run can have entered some. They
/// fill one table, so each plays in every game.
fn enter_house_bots(context: &Context, hill: &Hill, setup: &Setup) -> anyhow::Result<()> {
    let bots: Vec<_> = bot::house_bots(hill.entry().name).collect();
    let spare = match hill.entry().seating {
        Seating::Fixed(seats) => bots.len().saturating_sub(seats),
        Seating::Range { .. } | Seating::Teams(_) | Seating::Field { .. } => 0,
    };
    for bot in &bots[spare..] {
        if hill.entrants()?.next_version(bot.name) == 1 {
            let submitted = hill_submit::submit(context, hill, bot.name, HowSubmitted::default(), setup)?;
            say(format!("  {}", submitted.message));
        }
    }
    Ok(())
}

fn say_what_next(context: &Context, hill: &Hill, setup: &Setup) -> anyhow::Result<()> {
    let results = hill.results()?;
    let game = results.last().map_or("GAME", |row| &row.game);
    let log = results.last().map_or("LOG", |row| &row.log);
    let root = shell(hill.root());
    say(format!("\nThe results: {}", folder::results_of(hill.root()).path().display()));
    say(format!("Logs: one for each game in {root}/logs; the last one is {root}/{log}"));
    for addition in context.parts.additions {
        addition.demonstrated(hill, setup)?.iter().for_each(say);
    }
    say("\nTry next (`referee` stands for what you have typed, such as `./referee`):");
    let next = [
        (format!("referee audit {root}"), "play every game again from its log, and compare"),
        (format!("referee replay {root} {game}"), "watch a game, turn by turn"),
        (format!("referee hill log {root} {game}"), "what happened in a game"),
        (
            format!("referee hill submit {root} ./mybot"),
            "enter a bot of your own (see referee docs first-bot)",
        ),
    ];
    let width = next.iter().map(|(command, _)| command.chars().count()).max().unwrap_or(0);
    next.iter().for_each(|(command, what)| say(format!("  {command:width$}  {what}")));
    Ok(())
}
