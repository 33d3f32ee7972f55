//! `referee play`: plays one game, or several of the same bots, into a folder of games.

use std::collections::BTreeMap;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::mpsc::{self, Receiver};
use std::thread;

use anyhow::Context as _;
use clap::{ArgMatches, Args};
use referee_contest::admission::sources::BuiltAlone;
use referee_contest::fixture::{Entrant, Fixture};
use referee_contest::folder::{self, Folder, voids_of};
use referee_contest::hill::Hill;
use referee_contest::runner::GameEnd;
use referee_contest::runner::watch::Broadcast;
use referee_files::beneath::Spot;
use referee_games::catalog::Entry;
use referee_judge as judge;
use referee_record::BotName;
use referee_record::error::{Error, ErrorKind};
use referee_record::file::Form;
use referee_record::game_result::GameResult;
use referee_record::text::{self, count};
use referee_rules::{Dice, FaultKind, ParameterKind, Parameters, Seat, Seed};
use referee_statistics::rounds::{SingleLookMean, block_shares};
use referee_statistics::schedule::deal;
use referee_table::examine::{Cause, Reader, first_grave};
use referee_table::process::Setup;
use serde_json::Value;

use crate::addition::Watching;
use crate::built;
use crate::context::Context;
use crate::game::GameWith;
use crate::host::{BotOptions, check_start, note_passed_over};
use crate::progress::Task;
use crate::sheet::{Audience, Cells, Format, Print, Printed, Sheet, ms, score, share};
use crate::{bot, hill_log, note, say, shell, usage};

/// Play one game, or several of the same bots.
#[derive(Debug, Args)]
pub(super) struct Play {
    #[command(subcommand)]
    game: GameWith<PlayOptions>,
}

#[derive(Debug, Args)]
struct PlayOptions {
    /// The bots, seat by seat: a house bot's name (`referee bots`) or a program's path. Quote it to add arguments or a
    /// name: './mybot --level 3', fox='./mybot --say "a word"'
    #[arg(required = true, value_name = "BOT")]
    bots: Vec<String>,
    /// Fill the other seats with bots of a hill, drawn anew for each game. Uses the hill's settings
    #[arg(long, value_name = "HILL")]
    vs: Option<PathBuf>,
    /// Allow an hour for each answer, for a debugger
    #[arg(long)]
    no_timeout: bool,
    /// Show bots' standard error live, each line with its seat
    #[arg(long)]
    stderr: bool,
    /// Random seed [default: a new one]
    #[arg(long)]
    seed: Option<Seed>,
    /// Number of games, each with its own seed. After each game, every bot moves on by one seat
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = super::number::count)]
    repeat: u32,
    /// Keep each bot in its seat through all games of --repeat
    #[arg(long, conflicts_with = "vs")]
    fixed_seats: bool,
    /// Games at a time
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = super::number::jobs)]
    jobs: u16,
    /// The folder for results, logs and standard error
    #[arg(long, default_value = "games")]
    dir: PathBuf,
    /// Compress logs as they are written (.csv.gz); every command can read them
    #[arg(long)]
    compress: bool,
    #[command(flatten)]
    started: BotOptions,
    #[command(flatten)]
    printed: Printed,
}

impl Play {
    /// Plays. `matches` are those of the command, with the options of parts.
    pub(super) fn run(self, matches: &ArgMatches, context: &Context) -> anyhow::Result<()> {
        let GameWith { entry, parameters, parameter_options, rest: options } = self.game;
        let opponents = options.vs.as_deref().map(|hill| Opponents::open(hill, entry)).transpose()?;
        let parameters = match &opponents {
            Some(opponents) => opponents.parameters(&parameter_options)?,
            None => parameters,
        };
        let party = options.party(context, entry, parameters, opponents)?;
        let (echo, echoed) = mpsc::channel();
        let setup = Setup { echo: options.stderr.then_some(echo), ..options.setup(context, &party)? };
        let echo_thread = thread::spawn(move || show_errors(&echoed));
        let (folder, set_aside) = Folder::open(&options.dir)?;
        judge::store(entry, &options.dir)?;
        if let Some(set_aside) = set_aside {
            note(set_aside);
        }
        let seed = options.seed.map_or_else(random_seed, Ok)?;
        let (_, of_game) = matches.subcommand().expect("a game");
        let watching = match context.screen() {
            Some(screen) => screen.watch(of_game, &setup.stop)?,
            None => None,
        };
        let summary = options.play(&folder, options.fixtures(&party, seed), &setup, watching)?;
        // The setup holds the last sender of standard error; without it, the thread ends.
        drop(setup);
        let _ = echo_thread.join();
        if options.repeat > 1 {
            summary.sheet().print(options.printed)?;
        }
        if options.printed.format == Format::Table {
            say(format!("Results: {}", folder::results_of(&options.dir).path().display()));
        }
        Ok(())
    }
}

/// A game and the bots at its table.
struct Party {
    entry: &'static Entry,
    parameters: Parameters,
    /// The place at the table of each seat's bot.
    seating: Vec<usize>,
    /// The bots that the command line names.
    bots: Vec<Entrant>,
    /// The bots of a hill that fill the table.
    opponents: Option<Opponents>,
    /// Number of bots at the table.
    bots_at_table: usize,
    /// Programs that were built for the bots. They are removed when this is dropped.
    _built: Vec<BuiltAlone>,
}

impl PlayOptions {
    /// Finds the bots, builds those that are sources, and seats all at a table.
    fn party(
        &self,
        context: &Context,
        entry: &'static Entry,
        mut parameters: Parameters,
        opponents: Option<Opponents>,
    ) -> anyhow::Result<Party> {
        if self.no_timeout {
            give_an_hour(entry, &mut parameters);
        }
        let (mut bots, mut is_fixed, mut built) = (Vec::new(), Vec::new(), Vec::new());
        for words in &self.bots {
            let ready = built::find(context, entry, words)?;
            built.extend(ready.built);
            is_fixed.push(ready.named.is_chosen || ready.named.is_house(context));
            bots.push(Entrant { program: self.started.permit(ready.entrant.program), ..ready.entrant });
        }
        bot::tell_apart(&mut bots, &is_fixed).into_iter().for_each(note);
        let bots_at_table = match &opponents {
            Some(opponents) => opponents.bots_at_table(entry, bots.len()),
            None => bots.len(),
        };
        let (parameters, seating) =
            entry.seat(&parameters, bots_at_table).map_err(|error| Error::input(error.to_string()))?;
        Ok(Party { entry, parameters, seating, bots, opponents, bots_at_table, _built: built })
    }

    /// Checks that all bots can be started, and returns how.
    fn setup(&self, context: &Context, party: &Party) -> anyhow::Result<Setup> {
        let setup = match &party.opponents {
            Some(opponents) => self.started.setup_on(context, &opponents.hill)?,
            None => self.started.setup(context)?,
        };
        let others = party.opponents.iter().flat_map(|opponents| &opponents.bots);
        for bot in party.bots.iter().chain(others) {
            check_start(&setup, &bot.program)?;
        }
        note_passed_over(&setup, party.bots.iter().map(|bot| &bot.program));
        Ok(setup)
    }

    /// Returns the games. After each, all bots move on by one seat.
    fn fixtures(&self, party: &Party, first: Seed) -> Vec<Fixture> {
        let fixture = |repetition: u32| {
            let seed = match repetition {
                0 => first,
                number => deal::derive(first, "repeat", [number, 0, 0]),
            };
            let mut table = match &party.opponents {
                None => party.bots.clone(),
                Some(opponents) => opponents.table(&party.bots, party.bots_at_table, seed),
            };
            if !self.fixed_seats {
                let bots = table.len();
                table.rotate_right(repetition as usize % bots);
            }
            Fixture {
                id: format!("{}-{seed}", party.entry.name),
                folder: String::new(),
                log: Form::compressed_if(self.compress),
                live: false,
                entry: party.entry,
                parameters: party.parameters.clone(),
                seed,
                entrants: party.seating.iter().map(|bot| table[*bot].clone()).collect(),
                scheduled: None,
                fillers: Vec::new(),
            }
        };
        (0..self.repeat).map(fixture).collect()
    }

    /// Plays the games, and prints the end of each: at once, or when the screen that shows them is closed.
    fn play(
        &self,
        folder: &Folder,
        fixtures: Vec<Fixture>,
        setup: &Setup,
        watching: Option<Watching>,
    ) -> anyhow::Result<Summary> {
        match watching {
            Some(watching) => self.play_on_screen(folder, fixtures, setup, watching),
            None => self.play_and_print(folder, fixtures, setup),
        }
    }

    /// Plays the games and prints the end of each at once. If the user stops them, prints the summary of those so far.
    fn play_and_print(
        &self,
        folder: &Folder,
        fixtures: Vec<Fixture>,
        setup: &Setup,
    ) -> anyhow::Result<Summary> {
        let mut summary = Summary::default();
        let played =
            self.play_all(folder, fixtures, setup, None, |rows| self.tell(folder, &rows, &mut summary));
        let Err(error) = played else { return Ok(summary) };
        let was_stopped =
            error.downcast_ref::<Error>().is_some_and(|error| error.kind() == ErrorKind::Stopped);
        if summary.games > 0 && was_stopped {
            summary.sheet().print(self.printed)?;
            let what = format!("stopped after {}", count(summary.games, "game"));
            return Err(Error::new(ErrorKind::Stopped, what).into());
        }
        Err(error)
    }

    /// Plays the games on the screen, and prints the end of each when the screen is closed.
    fn play_on_screen(
        &self,
        folder: &Folder,
        fixtures: Vec<Fixture>,
        setup: &Setup,
        (broadcast, screen): Watching,
    ) -> anyhow::Result<Summary> {
        let mut results = Vec::new();
        let played = self.play_all(folder, fixtures, setup, Some(&broadcast), |rows| {
            results.push(rows);
            Ok(())
        });
        // Without it, the screen shows that the games are over.
        drop(broadcast);
        setup.stop.fetch_or(played.is_err(), Ordering::Relaxed);
        let closed = screen.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        played.and(closed)?;
        let mut summary = Summary::default();
        for rows in &results {
            self.tell(folder, rows, &mut summary)?;
        }
        Ok(summary)
    }

    /// Plays the games, and hands each result to `take`. A void game, or an error of `take`, stops the others.
    fn play_all(
        &self,
        folder: &Folder,
        fixtures: Vec<Fixture>,
        setup: &Setup,
        broadcast: Option<&Broadcast>,
        mut take: impl FnMut(GameResult) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let task = match self.repeat {
            1 => Task::new("playing"),
            games => Task::counted("", "game", Some(games.into())),
        };
        let mut first_error = Ok(());
        let played = folder.play_all(fixtures, setup, self.jobs.into(), broadcast, |fixture, end| {
            let taken = match end {
                GameEnd::Over(rows) => take(rows),
                GameEnd::Void(why) => {
                    let voids = voids_of(&self.dir);
                    Err(anyhow::anyhow!("game {}: {why}; see {}", fixture.id, voids.path().display()))
                }
            };
            task.add(1, String::new);
            if taken.is_err() {
                setup.stop.store(true, Ordering::Relaxed);
                if first_error.is_ok() {
                    first_error = taken;
                }
            }
        });
        first_error.and(played.map_err(Into::into))
    }

    /// Prints the end of a game.
    fn tell(&self, folder: &Folder, rows: &GameResult, summary: &mut Summary) -> anyhow::Result<()> {
        summary.add(rows);
        if self.repeat == 1 {
            report(folder, rows, self.printed)?;
        } else if self.printed.format == Format::Table {
            say(line_of(rows));
            warn_of_faults(folder, rows);
        }
        Ok(())
    }
}

/// Prints the result of one game in full.
fn report(folder: &Folder, rows: &GameResult, printed: Printed) -> anyhow::Result<()> {
    sheet_of(rows).print(printed)?;
    if printed.format == Format::Table {
        let first = rows.shared();
        say(format!(
            "{} after {}: {}. Seed {}.",
            first.game,
            count(first.turns.into(), "turn"),
            first.end,
            first.seed
        ));
        warn_of_faults(folder, rows);
        let log = folder.log_path("", &first.game);
        say(format!("Log: {0}    Check it: referee audit {0}", shell(&log)));
    }
    Ok(())
}

/// Returns the result of one of many games.
fn line_of(rows: &GameResult) -> String {
    let bots: Vec<String> = rows.iter().map(|row| format!("{} {}", row.bot.name, row.score)).collect();
    let turns = count(rows.shared().turns.into(), "turn");
    format!("{}: {} ({turns}, {})", rows.game(), bots.join(", "), rows.shared().end)
}

/// Sets all time limits to their maximum.
fn give_an_hour(entry: &Entry, parameters: &mut Parameters) {
    for parameter in entry.parameters.iter().filter(|parameter| parameter.name.ends_with("_ms")) {
        if let ParameterKind::Integer { max, .. } = parameter.kind {
            parameters.set(parameter.name, max).expect("a value within its range");
        }
    }
}

/// The bots of a hill, as opponents.
struct Opponents {
    hill: Hill,
    bots: Vec<Entrant>,
}

impl Opponents {
    fn open(root: &Path, entry: &Entry) -> anyhow::Result<Opponents> {
        let hill = Hill::open(root).map_err(usage)?;
        if hill.entry().name != entry.name {
            let what = format!("{}: a hill of {}, not of {}", root.display(), hill.entry().name, entry.name);
            return Err(Error::input(what).into());
        }
        let entrants = hill.entrants().map_err(usage)?;
        let field = entrants.field();
        let bots = field.iter().map(|bot| {
            let name = bot.bot_name();
            entrants.program(bot).map(|program| Entrant { name, program, author: bot.author.clone() })
        });
        let bots: Vec<Entrant> = bots.collect::<Result<_, _>>().map_err(usage)?;
        if bots.is_empty() {
            return Err(Error::input(format!("{}: there is no bot on this hill", root.display())).into());
        }
        Ok(Opponents { hill, bots })
    }

    /// Returns the parameters of the hill. It is an error if an option sets one, too.
    fn parameters(&self, parameter_options: &[String]) -> Result<Parameters, Error> {
        if let [option, ..] = parameter_options {
            return Err(Error::input(format!(
                "{option} is set by the hill: with --vs, leave it out, or change {}",
                self.hill.root().join("hill.toml").display()
            )));
        }
        Ok(self.hill.parameters().clone())
    }

    /// Returns the number of bots at a table. `named` is the number of bots that the command line names.
    fn bots_at_table(&self, entry: &Entry, named: usize) -> usize {
        match entry.table(self.hill.parameters()) {
            Some(seats) => seats.max(named),
            None => named + self.bots.len(),
        }
    }

    /// Returns the bots of a table: the named ones, and random others.
    fn table(&self, named: &[Entrant], bots_at_table: usize, seed: Seed) -> Vec<Entrant> {
        let mut dice = Dice::for_start(deal::derive(seed, "company", [0; 3]));
        let mut others: Vec<usize> = Vec::new();
        while others.len() + named.len() < bots_at_table {
            let mut all: Vec<usize> = (0..self.bots.len()).collect();
            dice.shuffle(&mut all);
            others.extend(all);
        }
        let others = others.into_iter().map(|bot| self.bots[bot].clone());
        named.iter().cloned().chain(others).take(bots_at_table).collect()
    }
}

/// Shows the standard error of bots, line by line, each with its seat.
fn show_errors(echoed: &Receiver<(Seat, Vec<u8>)>) {
    let mut unfinished_lines: BTreeMap<Seat, Vec<u8>> = BTreeMap::new();
    for (seat, bytes) in echoed {
        let unfinished = unfinished_lines.entry(seat).or_default();
        unfinished.extend(bytes);
        while let Some(end) = unfinished.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = unfinished.drain(..=end).collect();
            note(format!("seat {seat}: {}", text::harmless_line(&line)));
        }
    }
}

/// Results of many games, bot by bot, in the order of their first seats.
#[derive(Default)]
struct Summary {
    games: u64,
    bots: Vec<(BotName, BotSummary)>,
}

#[derive(Default)]
struct BotSummary {
    games: u64,
    wins: u64,
    score: i64,
    share: f64,
    /// The mean share of its seats in each game.
    by_game: SingleLookMean,
    faults: u64,
    max_us: u64,
}

impl Summary {
    fn add(&mut self, rows: &GameResult) {
        self.games += 1;
        for row in rows {
            let index = self.bots.iter().position(|(bot, _)| *bot == row.bot).unwrap_or_else(|| {
                self.bots.push((row.bot.clone(), BotSummary::default()));
                self.bots.len() - 1
            });
            let (_, summary) = &mut self.bots[index];
            summary.games += 1;
            summary.wins += u64::from(row.place == 1);
            summary.score += row.score;
            summary.share += row.share.value();
            summary.faults += row.faults.iter().sum::<u64>();
            summary.max_us = summary.max_us.max(row.thinking.max_us);
        }
        for (bot, share) in block_shares(std::slice::from_ref(rows)) {
            if let Some((_, summary)) = self.bots.iter_mut().find(|(other, _)| other == bot) {
                summary.by_game.add(share);
            }
        }
    }

    /// Makes the table of bots, the best first.
    fn sheet(&self) -> Sheet {
        let mut bots: Vec<&(BotName, BotSummary)> = self.bots.iter().collect();
        let mean = |summary: &BotSummary| summary.share / summary.games as f64;
        bots.sort_by(|(_, one), (_, other)| mean(other).total_cmp(&mean(one)));
        let columns = [
            "bot",
            "version",
            "seats",
            "mean_share",
            "mean_error",
            "mean_score",
            "first_places",
            "faults",
            "max_ms",
        ];
        let mut sheet =
            Sheet::new(columns).cells(Cells::Wrongs, &["faults"]).audience(Audience::Wide, &["version"]);
        for (bot, summary) in bots {
            sheet.row(vec![
                Value::from(bot.name.as_str()),
                bot.version.into(),
                summary.games.into(),
                share(mean(summary)),
                summary.by_game.error().map_or(Value::Null, share),
                score(summary.score as f64 / summary.games as f64),
                summary.wins.into(),
                summary.faults.into(),
                ms(summary.max_us),
            ]);
        }
        sheet
    }
}

/// Number of bytes that are read from the end of a bot's standard error.
const ERRORS_END: u64 = 4096;

/// Returns the last line that a bot wrote to standard error, if it wrote any.
fn last_line(errors: &[u8]) -> Option<String> {
    let lines = errors.split(|byte| *byte == b'\n').map(text::harmless_line);
    lines.rev().find(|line| !line.is_empty())
}

/// Reads the end of a file with a bot's standard error.
fn end_of(errors: &Path) -> Option<Vec<u8>> {
    let mut file = Spot::from(errors).open().ok()?;
    let length = file.metadata().ok()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(ERRORS_END))).ok()?;
    let mut end = Vec::new();
    file.take(ERRORS_END).read_to_end(&mut end).ok()?;
    Some(end)
}

/// Makes a seed from the system's random numbers.
pub(super) fn random_seed() -> anyhow::Result<Seed> {
    use rand::TryRng;
    let number =
        rand::rngs::SysRng.try_next_u64().context("the system gives no random number; use --seed")?;
    Ok(Seed(number))
}

/// Makes the table of one game's result.
fn sheet_of(rows: &GameResult) -> Sheet {
    let mut columns = vec!["seat", "bot", "score", "share", "place"];
    let kinds = FaultKind::ALL.map(FaultKind::name);
    columns.extend(kinds);
    columns.extend(["max_ms", "p99_ms", "thinking_ms"]);
    let mut sheet = Sheet::new(columns).cells(Cells::Wrongs, &kinds);
    for row in rows {
        let mut values = vec![
            Value::from(row.seat.index()),
            Value::from(row.bot.name.clone()),
            Value::from(row.score),
            share(row.share.value()),
            Value::from(row.place),
        ];
        values.extend(FaultKind::ALL.map(|kind| Value::from(row.faults(kind))));
        let times = [row.thinking.max_us, row.thinking.p99_us, row.thinking.total_us];
        values.extend(times.map(ms));
        sheet.row(values);
    }
    sheet.drop_zeros(&kinds);
    sheet
}

/// Prints a warning for each seat with faults: their numbers, the first of them, and the program's last line on
/// standard error.
fn warn_of_faults(folder: &Folder, rows: &GameResult) {
    let log = Spot::from(&*folder.log_path("", rows.game()));
    // The log was just written. If it cannot be read, the first fault is not shown.
    let faults_by_seat = hill_log::faults(&log, rows.len()).ok();
    let reader = Reader::Here(&rows.shared().rules);
    for row in rows {
        let counts: Vec<String> = FaultKind::ALL
            .into_iter()
            .filter(|kind| row.faults(*kind) > 0)
            .map(|kind| format!("{} {}", row.faults(kind), kind.name()))
            .collect();
        if counts.is_empty() {
            continue;
        }
        let seat_faults = faults_by_seat.as_ref().map(|faults| &faults[row.seat]);
        let first_fault = seat_faults.and_then(|faults| faults.sentences.first());
        let first_fault = first_fault.map_or(String::new(), |fault| format!("; first in {fault}"));
        say(format!("  seat {} {}: {}{first_fault}", row.seat, row.bot.name, counts.join(", ")));
        let errors = folder.errors_path("", &row.game, row.seat);
        let end = end_of(&errors).unwrap_or_default();
        let last_line = last_line(&end);
        if let Some(line) = &last_line {
            say(format!("    standard error ends with: {line}"));
        }
        if let Some(fault) = seat_faults.and_then(|faults| first_grave(faults.first.iter())) {
            say(format!("    {}.", Cause::of(fault, &end).summary(reader)));
        }
        if last_line.is_some() {
            say(format!("    whole file: {}", errors.display()));
        }
    }
}
