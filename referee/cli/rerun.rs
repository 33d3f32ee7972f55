//! `referee rerun`: sends the questions of a recorded game to a program and compares its answers.

use std::io::{self, IsTerminal};
use std::path::PathBuf;

use clap::Args;
use referee_files::log;
use referee_games::catalog;
use referee_record::error::{Error, ErrorKind};
use referee_record::play::position;
use referee_record::play::replay::rerun::{Comparison, Judged, Rerun as Recorded, RerunObserver, Terms};
use referee_record::text;
use referee_rules::{Fault, Seat};
use referee_table::examine::{Cause, Reader, first_grave};
use referee_table::open;
use serde_json::Value;

use crate::context::Context;
use crate::host::{BotOptions, check_start};
use crate::progress::Taken;
use crate::sheet::{Format, Print, Printed, Sheet, rounded};
use crate::{built, note, replay, say, shell, usage};

/// Send recorded questions to a program again, compare answers
///
/// Send the questions of a recorded game to a program again, unchanged, and compare its answers with the recorded
/// ones. The game follows the record, not the program's answers.
#[derive(Debug, Args)]
pub(super) struct Rerun {
    /// The log of a game; or, with --game, a folder of games, a hill or a tournament
    log: PathBuf,
    /// The program, its source (`referee docs sources`), or a house bot's name
    #[arg(value_name = "BOT")]
    bot: String,
    /// A game of that folder
    #[arg(long, value_name = "GAME")]
    game: Option<String>,
    /// The seat whose questions are sent
    #[arg(long, value_name = "N", value_parser = super::number::whole::<usize>(0..=u32::MAX.into()))]
    seat: usize,
    /// Stop after this turn and show its question and answers in full
    #[arg(long, value_name = "T", value_parser = super::number::index)]
    turn: Option<u32>,
    /// Set no time limit; with --turn, wait for Enter before that turn's question, so that you can attach a debugger
    #[arg(long)]
    no_timeout: bool,
    #[command(flatten)]
    bots: BotOptions,
    #[command(flatten)]
    printed: Printed,
}

impl Rerun {
    pub(super) fn run(self, context: &Context) -> anyhow::Result<()> {
        let log = replay::log_of(&self.log, self.game.as_deref())?;
        let recorded = log::open(&log).and_then(|log| Recorded::open(log, self.seat)).map_err(usage)?;
        let info = recorded.info().clone();
        let seat = Seat::new(self.seat);
        let entry = catalog::find(info.name).map_err(|error| Error::input(error.to_string()))?;
        let ready = built::find(context, entry, &self.bot)?;
        let program = self.bots.permit(ready.entrant.program.clone());
        let setup = self.bots.setup(context)?;
        check_start(&setup, &program)?;
        let mut table = open::alone(&info, seat, &program, &setup).map_err(Error::from)?;
        if self.printed.format == Format::Table {
            let bot = &recorded.heading().bots[seat];
            say(format!(
                "{}: {}, seat {seat} was {} (version {})",
                recorded.heading().game,
                info.name,
                bot.name,
                bot.version
            ));
        }
        let unit = if table.guests().contains(&seat) { Unit::Units } else { Unit::Time };
        let process = table.process(seat);
        let mut printer =
            RerunPrinter { options: &self, unit, process, turns: Vec::new(), has_shown_difference: false };
        let terms = Terms { last_turn: self.turn, no_timeout: self.no_timeout };
        let run = recorded.run(&mut *table, terms, &mut printer);
        let turns = printer.turns;
        let errors = table.farewell()[seat].errors.to_bytes();
        run.map_err(usage)?;
        if let Some(turn) = self.turn
            && !turns.iter().any(|compared| compared.turn == turn)
        {
            let last = turns.last().map_or(0, |compared| compared.turn);
            let what = format!(
                "--turn {turn}: seat {seat} gets no question in that turn; its last question is in turn {last}"
            );
            return Err(Error::input(what).into());
        }
        if self.printed.format == Format::Table
            && let Some(fault) = first_grave(turns.iter().filter_map(|turn| turn.now.fault.as_ref()))
        {
            say(format!("{}.", Cause::of(fault, &errors).summary(Reader::Here(info.name))));
        }
        self.print(&turns, unit, &String::from_utf8_lossy(&errors))
    }

    fn print(&self, turns: &[Turn], unit: Unit, errors: &str) -> anyhow::Result<()> {
        let different: Vec<u32> = turns.iter().filter(|turn| !turn.is_same).map(|turn| turn.turn).collect();
        if self.printed.format == Format::Table {
            print_text(turns, unit, errors, different.len());
        } else {
            sheet_of(turns).print(self.printed)?;
        }
        match different.first() {
            None => Ok(()),
            Some(turn) => {
                let what = format!("{}: the first different answer is in turn {turn}", self.log.display());
                Err(Error::new(ErrorKind::Failed, what).into())
            }
        }
    }
}

/// Prints how the costs are distributed, the end of the bot's standard error, and whether its answers are as recorded.
fn print_text(turns: &[Turn], unit: Unit, errors: &str, different: usize) {
    say(unit.quantiles_line(turns));
    say(unit.dearest_line(turns));
    if !errors.is_empty() {
        let lines: Vec<String> = errors.lines().map(|line| text::harmless_line(line.as_bytes())).collect();
        let last = &lines[lines.len().saturating_sub(LAST_LINES)..];
        say(format!(
            "Standard error, {}, the last of them:\n  {}",
            text::count(lines.len() as u64, "line"),
            last.join("\n  ")
        ));
    }
    say(match different {
        0 if turns.len() == 1 => "The answer is as it was recorded.".to_owned(),
        0 => format!("All {} answers are as they were recorded.", turns.len()),
        1 => format!("1 of {} differs from the record.", text::count(turns.len() as u64, "answer")),
        count => format!("{count} of {} answers differ from the record.", turns.len()),
    });
}

fn sheet_of(turns: &[Turn]) -> Sheet {
    let columns = ["turn", "same", "verdict_then", "verdict", "ms_then", "ms", "answer_then", "answer"];
    let mut sheet = Sheet::new(columns);
    for turn in turns {
        sheet.row(vec![
            turn.turn.into(),
            turn.is_same.into(),
            Value::from(turn.then.verdict.as_str()),
            Value::from(turn.now.verdict.as_str()),
            rounded(turn.then.ms, 3),
            rounded(turn.now.ms, 3),
            Value::from(turn.then.values.as_str()),
            Value::from(turn.now.values.as_str()),
        ]);
    }
    sheet
}

/// The unit of an answer's cost: time, or units of a module of WebAssembly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unit {
    Time,
    Units,
}

impl Unit {
    /// Returns a cost as a number. A millisecond counts as a million units.
    fn number(self, ms: f64) -> String {
        match self {
            Unit::Time => format!("{ms:.3}"),
            Unit::Units => format!("{:.0}", ms * 1000.0),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Unit::Time => "ms",
            Unit::Units => "thousand units",
        }
    }

    fn title(self) -> &'static str {
        match self {
            Unit::Time => "Time",
            Unit::Units => "Units",
        }
    }

    /// Returns the line about the distribution of the costs of the turns.
    fn quantiles_line(self, turns: &[Turn]) -> String {
        let quantiles = |cost_of: fn(&Turn) -> f64| {
            let mut costs: Vec<f64> = turns.iter().map(cost_of).collect();
            costs.sort_by(f64::total_cmp);
            let at = |part: f64| costs.get((costs.len() as f64 * part) as usize).or(costs.last());
            let [median, p99, max] =
                [0.5, 0.99, 1.0].map(|part| self.number(at(part).copied().unwrap_or(0.0)));
            format!("p50 {median}, p99 {p99}, max {max} {}", self.name())
        };
        let (now, then) = (quantiles(|turn| turn.now.ms), quantiles(|turn| turn.then.ms));
        format!("{} a turn: {now}; then: {then}", self.title())
    }

    /// Returns the line about the turns with the highest costs.
    fn dearest_line(self, turns: &[Turn]) -> String {
        let total: f64 = turns.iter().map(|turn| turn.now.ms).sum();
        let mut dearest: Vec<&Turn> = turns.iter().collect();
        dearest.sort_by(|one, other| other.now.ms.total_cmp(&one.now.ms));
        let list: Vec<String> = dearest
            .iter()
            .take(DEAREST)
            .map(|turn| format!("turn {} ({})", turn.turn, self.number(turn.now.ms)))
            .collect();
        format!("Most in {}; {} {} in all", list.join(", "), self.number(total), self.name())
    }
}

/// Number of turns that are named as those with the highest costs.
const DEAREST: usize = 3;

/// Number of lines of a program's standard error that are shown.
const LAST_LINES: usize = 5;

/// Length in characters to which a line is cut, unless --turn asks for the turn.
const LINE_MAX: usize = 160;

/// A turn with the answer of the record and that of the program.
struct Turn {
    turn: u32,
    is_same: bool,
    then: ShownAnswer,
    now: ShownAnswer,
}

/// An answer as it is shown.
struct ShownAnswer {
    fault: Option<Fault>,
    verdict: String,
    /// Its cost. A millisecond counts as a million units.
    ms: f64,
    values: String,
}

impl ShownAnswer {
    fn new(Judged { answer, fault }: &Judged<'_>) -> ShownAnswer {
        let integers: Vec<String> = answer.integers.iter().map(i64::to_string).collect();
        ShownAnswer {
            fault: fault.clone(),
            verdict: fault.as_ref().map_or("ok".to_owned(), ToString::to_string),
            ms: answer.thinking.as_secs_f64() * 1000.0,
            values: integers.join(" "),
        }
    }
}

struct RerunPrinter<'a> {
    options: &'a Rerun,
    unit: Unit,
    process: Option<i32>,
    turns: Vec<Turn>,
    has_shown_difference: bool,
}

impl RerunObserver for RerunPrinter<'_> {
    fn before(&mut self, turn: u32) {
        if self.options.turn != Some(turn) || !self.options.no_timeout {
            return;
        }
        let process = self.process.map_or("not running".to_owned(), |number| format!("process {number}"));
        note(format!("turn {turn} comes next; the program is {process}"));
        if io::stdin().is_terminal() {
            note("press Enter to send the question");
            let _taken = Taken::terminal();
            let _ = io::stdin().read_line(&mut String::new());
        }
    }

    fn after(&mut self, compared: &Comparison<'_>) {
        let (then, now) = (ShownAnswer::new(&compared.recorded), ShownAnswer::new(&compared.rerun));
        let turn = Turn { turn: compared.game.turn(), is_same: compared.is_same(), then, now };
        let is_asked_for = self.options.turn == Some(turn.turn);
        let is_first_difference = !turn.is_same && !self.has_shown_difference && self.options.turn.is_none();
        if self.options.printed.format == Format::Table && (is_asked_for || is_first_difference) {
            self.has_shown_difference |= is_first_difference;
            self.show(compared, &turn, is_asked_for);
        }
        self.turns.push(turn);
    }
}

impl RerunPrinter<'_> {
    fn show(&self, compared: &Comparison<'_>, turn: &Turn, is_whole: bool) {
        let cut = |text: &str| match text.char_indices().nth(LINE_MAX) {
            Some((end, _)) if !is_whole => format!("{} ...", &text[..end]),
            _ => text.to_owned(),
        };
        let what = if turn.is_same { "as recorded" } else { "the first difference" };
        say(format!("Turn {}, {what}. Before it:", turn.turn));
        let mut facts = Vec::new();
        compared.game.describe(&mut |fact| facts.push(fact));
        for line in position::in_words(&facts) {
            say(format!("    {line}"));
        }
        let question = String::from_utf8_lossy(compared.question);
        say(format!("  question  {}", cut(question.trim_end())));
        for (when, answer) in [("then", &turn.then), ("now", &turn.now)] {
            let cost = format!("{} {}", self.unit.number(answer.ms), self.unit.name());
            say(format!("  {when:8}  {} ({}, {cost})", cut(&answer.values), answer.verdict));
        }
        if !is_whole {
            let Rerun { log, bot, seat, .. } = self.options;
            let bot = shell(bot.as_ref());
            say(format!("  whole:    referee rerun {} --seat {seat} {bot} --turn {}", shell(log), turn.turn));
        }
    }
}
