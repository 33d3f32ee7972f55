//! `referee play`: one game, or several of the same bots, into a folder of games.

use std::path::PathBuf;

use anyhow::Context;
use clap::Args;
use referee::record::results::ResultRow;
use referee::rules::{BySeat, FaultKind, Seed};
use referee::table::process::Timekeeping;
use referee::table::sandbox::Choice;
use referee::tournament::fixture::{Entrant, Fixture};
use referee::tournament::folder::{self, Folder};
use referee::tournament::schedule;
use serde_json::Value;

use super::game::GameWith;
use super::host::{HostOptions, LimitOptions};
use super::sheet::{Format, Sheet, rounded};
use super::{Usage, bot, note, say, shell};

/// Play one game, or several of the same bots.
#[derive(Debug, Args)]
pub(super) struct Play {
    #[command(subcommand)]
    game: GameWith<PlayOptions>,
}

#[derive(Debug, Args)]
struct PlayOptions {
    /// Who plays, seat by seat: a house bot's name (`referee bots`), or a program's path; quote it to give it
    /// arguments: './mybot --level 3'
    #[arg(required = true, value_name = "BOT")]
    bots: Vec<String>,
    /// What all chance follows from [default: a random one]
    #[arg(long)]
    seed: Option<Seed>,
    /// How many games, each with a seed of its own
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    repeat: u32,
    /// The folder for results, logs and standard error
    #[arg(long, default_value = "games")]
    dir: PathBuf,
    #[command(flatten)]
    host: HostOptions,
    #[command(flatten)]
    limits: LimitOptions,
    /// How the result is printed
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

impl Play {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let GameWith { entry, parameters, rest: options } = self.game;
        let (parameters, seating) =
            entry.seat(&parameters, options.bots.len()).map_err(|error| Usage(error.to_string()))?;
        let mut bots: Vec<Entrant> = options
            .bots
            .iter()
            .map(|words| bot::find(entry, words).and_then(|bot| bot.entrant()))
            .collect::<anyhow::Result<_>>()?;
        bots.iter_mut().for_each(|bot| bot.program.may_fork = options.limits.allow_fork);
        let entrants: BySeat<Entrant> = seating.iter().map(|bot| bots[*bot].clone()).collect();
        let (clock, sandbox) = (Timekeeping::default(), Choice::default());
        let setup = options.host.setup(clock, sandbox, &options.limits.limits())?;
        let (folder, set_aside) = Folder::open(&options.dir)?;
        if let Some(set_aside) = set_aside {
            note(set_aside);
        }
        let seed = match options.seed {
            Some(seed) => seed,
            None => random_seed()?,
        };
        for repetition in 0..options.repeat {
            let seed =
                if repetition == 0 { seed } else { schedule::derive(seed, "repeat", [repetition, 0, 0]) };
            let fixture = Fixture {
                id: free_id(&folder, entry.name, seed),
                folder: String::new(),
                entry,
                parameters: parameters.clone(),
                seed,
                entrants: entrants.clone(),
                scheduled: None,
                fillers: Vec::new(),
            };
            let rows = folder.play(&fixture, &setup).with_context(|| format!("game {}", fixture.id))?;
            sheet_of(&rows).print(options.format)?;
            if options.format == Format::Table {
                let first = &rows[0];
                say(format!(
                    "{} after {} turns: {}. Seed {}.",
                    first.game, first.turns, first.end, first.seed
                ));
                warn_of_faults(&folder, &rows);
                let log = folder.log_path("", &first.game);
                say(format!("Log: {0}    Check it: referee audit {0}", shell(&log)));
            }
        }
        if options.format == Format::Table {
            say(format!("Results: {}", folder::results_of(&options.dir).display()));
        }
        Ok(())
    }
}

/// Makes a seed by the system's own chance.
pub(super) fn random_seed() -> anyhow::Result<Seed> {
    use rand::TryRng;
    let number =
        rand::rngs::SysRng.try_next_u64().context("the system gives no random number; use --seed")?;
    Ok(Seed(number))
}

/// A name that no game in the folder has.
fn free_id(folder: &Folder, game: &str, seed: Seed) -> String {
    let id =
        |number: u32| if number == 1 { format!("{game}-{seed}") } else { format!("{game}-{seed}-{number}") };
    let is_free = |id: &String| !folder.log_path("", id).exists();
    (1..).map(id).find(is_free).expect("numbers have no end")
}

/// The result of one game for people.
fn sheet_of(rows: &[ResultRow]) -> Sheet {
    let mut columns = vec!["seat", "bot", "score", "share", "place"];
    let kinds = FaultKind::ALL.map(FaultKind::name);
    columns.extend(kinds);
    columns.extend(["thinking_ms", "p99_ms", "max_ms"]);
    let mut sheet = Sheet::new(columns);
    for row in rows {
        let mut values = vec![
            Value::from(row.seat.index()),
            Value::from(row.bot.name.clone()),
            Value::from(row.score),
            rounded(row.share, 4),
            Value::from(row.place),
        ];
        values.extend(FaultKind::ALL.map(|kind| Value::from(row.faults(kind))));
        let times = [row.thinking.total_us, row.thinking.p99_us, row.thinking.max_us];
        values.extend(times.map(|time| rounded(time as f64 / 1000.0, 3)));
        sheet.row(values);
    }
    sheet.drop_zeros(&kinds);
    sheet
}

/// Says loudly what authors overlook: orders that were not allowed, and programs that never ran.
fn warn_of_faults(folder: &Folder, rows: &[ResultRow]) {
    for row in rows {
        let faults: Vec<String> = FaultKind::ALL
            .into_iter()
            .filter(|kind| row.faults(*kind) > 0)
            .map(|kind| format!("{} {}", row.faults(kind), kind.name()))
            .collect();
        if !faults.is_empty() {
            let errors = folder.errors_path("", &row.game, row.seat);
            let errors = if errors.exists() {
                format!(" (its standard error: {})", errors.display())
            } else {
                String::new()
            };
            say(format!("  seat {} {}: {}{errors}", row.seat, row.bot.name, faults.join(", ")));
        }
    }
}
