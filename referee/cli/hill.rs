//! `referee hill`: bots are submitted, rounds are played, standings are drawn up.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use referee::rules::Seed;
use referee::table::process::Setup;
use referee::tournament::hill::{Hill, Submission, SubmitError};
use serde_json::Value;

use super::game::GameWith;
use super::host::HostOptions;
use super::rounds::{self, Until};
use super::sheet::{Format, Sheet};
use super::{Failed, Usage, bot, hill_log, play, say, shell};

/// King of the hill.
#[derive(Debug, Subcommand)]
pub(super) enum HillCommand {
    /// Make a hill: a folder with a game and its parameters
    New(New),
    /// Submit a bot; under a name that plays already it takes that one's place
    Submit(Submit),
    /// Play rounds: in each, every bot plays one table of games with the seats rotated
    Run(Run),
    /// Show who leads, by mean share of the score
    Standings(Standings),
    /// Show the bots that play, and those that did
    Bots(Bots),
    /// Take a bot out of the field; its history stays
    Retire(Retire),
    /// Tell what happened in a game: scores, faults, where its files are
    Log(Log),
}

#[derive(Debug, Args)]
pub(super) struct New {
    /// The folder
    dir: PathBuf,
    #[command(subcommand)]
    game: GameWith<NewOptions>,
}

#[derive(Debug, Args)]
struct NewOptions {
    /// What all chance follows from; bots must not know it [default: a random one]
    #[arg(long)]
    seed: Option<Seed>,
}

#[derive(Debug, Args)]
pub(super) struct Submit {
    /// The hill
    dir: PathBuf,
    /// A program's path, or a house bot's name (`referee bots`); quote it to give it arguments: './mybot --level 3'
    bot: String,
    /// The bot's name [default: the file's]
    #[arg(long)]
    name: Option<String>,
    /// It may start other programs
    #[arg(long)]
    allow_fork: bool,
    #[command(flatten)]
    host: HostOptions,
}

#[derive(Debug, Args)]
pub(super) struct Run {
    /// The hill
    dir: PathBuf,
    /// So many rounds; one that was interrupted is finished first, and is one of them
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
    /// Instead: play until this round of the season is complete
    #[arg(long, value_name = "ROUND", conflicts_with = "rounds", value_parser = clap::value_parser!(u32).range(1..))]
    to_round: Option<u32>,
    #[command(flatten)]
    host: HostOptions,
    /// Games at a time [default: as many as there are cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    jobs: Option<u16>,
}

#[derive(Debug, Args)]
pub(super) struct Standings {
    /// The hill
    dir: PathBuf,
    /// Another season than the last
    #[arg(long, value_name = "N")]
    season: Option<u32>,
    /// How they are printed
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

#[derive(Debug, Args)]
pub(super) struct Bots {
    /// The hill
    dir: PathBuf,
    /// How they are printed
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

#[derive(Debug, Args)]
pub(super) struct Retire {
    /// The hill
    dir: PathBuf,
    /// The bot's name
    name: String,
}

#[derive(Debug, Args)]
pub(super) struct Log {
    /// The hill, or any other folder of games
    dir: PathBuf,
    /// The game's name, as in the column `game` of results.csv
    game: String,
    /// Print the log itself
    #[arg(long)]
    raw: bool,
}

impl HillCommand {
    pub(super) fn run(self) -> anyhow::Result<()> {
        match self {
            HillCommand::New(new) => new.run(),
            HillCommand::Submit(submit) => submit.run(),
            HillCommand::Run(run) => run.run(),
            HillCommand::Standings(standings) => standings.run(),
            HillCommand::Bots(bots) => bots.run(),
            HillCommand::Retire(retire) => retire.run(),
            HillCommand::Log(log) => hill_log::tell(&log.dir, &log.game, log.raw),
        }
    }
}

impl New {
    fn run(self) -> anyhow::Result<()> {
        let GameWith { entry, parameters, rest } = self.game;
        let seed = rest.seed.map_or_else(play::random_seed, Ok)?;
        let hill = Hill::create(&self.dir, entry, parameters, seed).map_err(super::usage)?;
        say(format!("{}: a hill for {} ({})", hill.root().display(), entry.name, hill.parameters()));
        say(format!("Submit a bot: referee hill submit {} ./mybot", shell(&self.dir)));
        Ok(())
    }
}

impl Submit {
    fn run(self) -> anyhow::Result<()> {
        let hill = Hill::open(&self.dir).map_err(super::usage)?;
        let setup = setup(&hill, self.host)?;
        say(submit(&hill, &self.bot, self.name, self.allow_fork, &setup)?);
        Ok(())
    }
}

/// Submits a bot as it is named on the command line. Returns what to tell.
pub(super) fn submit(
    hill: &Hill,
    words: &str,
    name: Option<String>,
    may_fork: bool,
    setup: &Setup,
) -> anyhow::Result<String> {
    let bot = bot::find(hill.entry(), words)?;
    let submission = Submission {
        name: name.unwrap_or(bot.name),
        file: bot.file,
        source: bot.source,
        arguments: bot.arguments,
        may_fork,
    };
    let admitted = hill.submit(&submission, setup).map_err(|error| match error {
        SubmitError::Check(check) => {
            Failed(format!("{} is not admitted: it {check}", submission.name)).into()
        }
        SubmitError::Record(error) => anyhow::Error::from(error),
        other => Usage(format!("{} is not admitted: {other}", submission.name)).into(),
    })?;
    let event = admitted.event;
    let mut text =
        format!("{} version {} plays from now on (SHA-256 {})", event.name, event.version, event.digest);
    if let Some(warning) = admitted.warning {
        text += &format!("\n  but look at this: in its check game, {warning}");
    }
    Ok(text)
}

impl Run {
    fn run(self) -> anyhow::Result<()> {
        let hill = Hill::open(&self.dir).map_err(super::usage)?;
        let until = self.to_round.map_or(Until::More(self.rounds), Until::Round);
        let setup = setup(&hill, self.host)?;
        let season = rounds::play_rounds(&hill, until, self.jobs.map_or_else(cores, usize::from), &setup)?;
        print_standings(&hill, Some(season), Format::Table)
    }
}

/// Returns how the bots of a hill are started: as its settings say, unless the command line says otherwise.
pub(super) fn setup(hill: &Hill, host: HostOptions) -> anyhow::Result<Setup> {
    host.setup(hill.timekeeping(), hill.sandbox(), hill.limits())
}

/// The cores that this program may use.
pub(super) fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

impl Standings {
    fn run(self) -> anyhow::Result<()> {
        let hill = Hill::open(&self.dir).map_err(super::usage)?;
        print_standings(&hill, self.season, self.format)
    }
}

/// Prints the standings of a season, or of the last one.
pub(super) fn print_standings(hill: &Hill, season: Option<u32>, format: Format) -> anyhow::Result<()> {
    let rows = hill.results()?;
    let season_of =
        |row: &&referee::record::results::ResultRow| row.place_in_schedule.map(|place| place.season);
    let last = rows.iter().filter_map(|row| season_of(&row)).max();
    let Some(season) = season.or(last) else {
        let command = format!("referee hill run {}", shell(hill.root()));
        return Err(Usage(format!(
            "{}: no game has been played; play some: {command}",
            hill.root().display()
        ))
        .into());
    };
    let entrants = hill.entrants()?;
    let field: Vec<String> = entrants.field().iter().map(|e| format!("{} {}", e.name, e.version)).collect();
    let retired = |standing: &referee::tournament::standings::Standing| {
        !field.contains(&format!("{} {}", standing.bot.name, standing.bot.version))
    };
    let rows: Vec<_> = rows.iter().filter(|row| season_of(row) == Some(season)).collect();
    if rows.is_empty() {
        return Err(Usage(format!("{}: there was no season {season}", hill.root().display())).into());
    }
    rounds::sheet_of(rows, retired).print(format)
}

impl Bots {
    fn run(self) -> anyhow::Result<()> {
        let hill = Hill::open(&self.dir).map_err(super::usage)?;
        let mut sheet = Sheet::new(["bot", "version", "since", "source", "digest"]);
        for event in hill.entrants()?.field() {
            sheet.row(vec![
                Value::from(event.name.clone()),
                Value::from(event.version),
                Value::from(event.date.clone()),
                Value::from(event.source.clone()),
                Value::from(event.digest.clone()),
            ]);
        }
        sheet.print(self.format)
    }
}

impl Retire {
    fn run(self) -> anyhow::Result<()> {
        let hill = Hill::open(&self.dir).map_err(super::usage)?;
        let event = hill.retire(&self.name).map_err(super::usage)?;
        say(format!("{} version {} plays no more; its games stay in the results", event.name, event.version));
        Ok(())
    }
}
