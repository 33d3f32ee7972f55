//! The judge's doctor: plays its game to the end, with every number of seats, at the corners of its parameters, with
//! every kind of fault, and several times with differences that must not matter. It reports the first mistake, and
//! what it has not covered.

mod answers;
mod course;
mod deeds;
mod leaks;
mod remarks;
mod scene;
mod settings;
mod starts;
mod wrong;

use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::Duration;

use self::answers::{Left, NumberTrials};
use self::course::{Course, Script, Shared, Style, Way};
use self::deeds::{Coverage, rows};
use self::leaks::Leaks;
use self::remarks::Results;
pub use self::settings::Fixed;
use self::settings::{Setting, settings};
use self::starts::{Starts, odds};
use self::wrong::{Wrong, fail_if_judge_failed};
use crate::session::{Session, Source};
use crate::transcript::Transcript;
use crate::words::Description;
use crate::{Host, Judge};
use referee_record::error::{Error, ErrorKind};
use referee_rules::{Parameters, Seed};
use referee_sandbox::{NOT_MOVED, Tier};
use referee_table::clock::{Clock, Moment, date};

/// The terms of an examination.
#[derive(Clone, Debug)]
pub struct Terms {
    /// What is given, and so not varied.
    pub fixed: Fixed,
    /// The seed of the first games, from which those of the others follow. `None`: several seeds.
    pub seed: Option<Seed>,
    /// Maximum time. What is not covered by then is reported.
    pub limit: Duration,
    /// Number of times that whole games are repeated at the end, at other times and places; fewer if they are long.
    pub repeats: u32,
    /// Receives the lines from and to the judge of the last game.
    pub transcript: Option<Transcript>,
}

impl Default for Terms {
    fn default() -> Terms {
        Terms { fixed: Fixed::default(), seed: None, limit: LIMIT, repeats: REPEATED, transcript: None }
    }
}

/// Maximum time of an examination by default.
pub const LIMIT: Duration = Duration::from_secs(600);

/// The games of an examination.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CheckReport {
    /// The name of its game.
    pub name: &'static str,
    /// Number of bots at a table, with the usual parameters.
    pub bots: usize,
    /// Number of games that were played, in whole or from a position.
    pub games: u32,
    /// Number of turns in all games.
    pub turns: u64,
    /// Number of answers with a fault, and of seats without an answer.
    pub faults: u64,
    /// Number of times that the judge was killed in a game, and a new one was told all answers.
    pub kills: u32,
    /// Number of settings: numbers of seats and values of parameters.
    pub settings: usize,
    /// The mean and the longest time of the judge for a turn.
    pub pace: (Duration, Duration),
    /// What looks like a mistake and can be meant, a sentence each.
    pub remarks: Vec<String>,
    /// What this examination leaves out on purpose, a sentence each.
    pub left_out: Vec<String>,
    /// What it had no time for, a part each. Empty: it was complete.
    pub missing: Vec<String>,
}

/// The seeds of the games that are played.
const SEEDS: [u64; 3] = [1, 2, 3];

/// Number of turns above which a game is long: fewer of these are played.
const LONG: u32 = 2_000;

/// Number of turns of a game in which the judge is killed, besides the first and the last.
const KILLS: u32 = 4;

/// Maximum number of games in which numbers are given that were not given yet, with the first setting, and with the
/// second. Half of them is enough for numbers that are neither small nor allowed.
const NUMBER_GAMES: [u32; 2] = [64, 16];

/// Number of times that whole games are repeated unless the terms say otherwise: in the strict sandbox the process
/// number then has all remainders by numbers up to 97.
const REPEATED: u32 = 97;

/// Maximum number of turns of those games in all.
const REPEATED_TURNS_MAX: u32 = 20_000;

/// Number of such games below which no odds are named.
const ODDS_MIN: u32 = 10;

/// The clocks that no examination moves.
const UNMOVED: &str = "clocks that are read without the system (rdtsc), or by another program that the judge executes in \
                       its place; times of files";

/// Maximum number of positions in which every kind of fault is given to every seat.
const POSITIONS: usize = 6;

/// Examines a judge: its description, and games between bots that answer at random, sometimes with a fault. `next` is
/// called with a description of each part before it begins.
///
/// # Errors
///
/// The first mistake, or the first difference between two games that should be the same.
pub fn check(
    host: &Host,
    file: &Path,
    terms: &Terms,
    mut next: impl FnMut(&str),
) -> Result<CheckReport, Error> {
    next("description");
    let entry = crate::open(host, file)?;
    crate::refuse_option_conflict(&entry)?;
    let judge = Judge::of(&entry).expect("it was just opened");
    let starts = Starts::of(judge)?;
    let bots = entry.table(&Parameters::defaults(entry.parameters));
    let mut examination = Examination {
        host,
        file,
        judge,
        terms,
        clock: Clock::start(),
        coverage: Coverage::default(),
        numbers: NumberTrials::default(),
        starts,
        results: Results::default(),
        leaks: Leaks::new(judge.description.hidden),
        whole_games: Vec::new(),
        report: CheckReport { name: entry.name, bots: bots.unwrap_or(1), ..CheckReport::default() },
        judge_time: Duration::ZERO,
        timed_turns: 0,
    };
    examination.description()?;
    let (settings, left_out) = settings(judge, &terms.fixed).map_err(Error::input)?;
    examination.report.left_out = left_out;
    for (number, setting) in settings.iter().enumerate() {
        examination.play_with(setting, number, &mut next)?;
        if examination.is_over() {
            let left = settings.len() - examination.report.settings;
            examination.report.missing.push(format!("{left} of {} settings", settings.len()));
            break;
        }
        examination.report.settings += 1;
    }
    examination.repeat(&mut next)?;
    Ok(examination.finish())
}

/// An examination under way.
struct Examination<'a> {
    host: &'a Host,
    file: &'a Path,
    judge: &'static Judge,
    terms: &'a Terms,
    clock: Clock,
    coverage: Coverage,
    numbers: NumberTrials,
    starts: Starts,
    leaks: Leaks,
    results: Results,
    /// Whole games with all answers allowed: the first one, and the shortest one.
    whole_games: Vec<WholeGame>,
    report: CheckReport,
    /// How long the judge took in games that were played as usual.
    judge_time: Duration,
    /// The number of turns of those games.
    timed_turns: u64,
}

/// A game that was played to its end.
struct WholeGame {
    setting: Setting,
    seed: Seed,
    script: Script,
}

impl Examination<'_> {
    fn is_over(&self) -> bool {
        self.clock.now() - Moment::default() >= self.terms.limit
    }

    /// Returns the error for a mistake in a game.
    fn wrong(&self, game: &str, wrong: Wrong) -> Error {
        if self.judge.setup.stop.load(Ordering::Relaxed) {
            return Error::new(ErrorKind::Stopped, "stopped");
        }
        let text = format!("{}: {game}: {wrong}", self.file.display());
        Error::new(ErrorKind::Failed, text)
    }

    /// Has the judge describe its game again, also in another environment.
    fn description(&mut self) -> Result<(), Error> {
        let patience = Description::PATIENCE;
        let (options, judge) = (self.host.options(), self.judge);
        let describe = |source| crate::describe_alone(&Source { patience, ..source }, options);
        // Whether clocks can be moved is found out before the judge has said a word: it must not choose that.
        if let Err(why) = Session::start(&self.starts.different())
            && why.contains(NOT_MOVED)
        {
            self.starts.leave_clocks(&why);
        }
        for description in [describe(judge.source()), describe(self.starts.different())] {
            let description = description.map_err(|failure| self.wrong("description", failure.into()))?;
            if description != self.judge.description {
                let wrong = "its description of the game changes from start to start".to_owned();
                return Err(self.wrong("description", wrong.into()));
            }
        }
        Ok(())
    }

    /// Plays games with a setting. More games are played with the first two settings.
    fn play_with(
        &mut self,
        setting: &Setting,
        number: usize,
        next: &mut impl FnMut(&str),
    ) -> Result<(), Error> {
        let Some(number_games) = NUMBER_GAMES.get(number) else {
            return self.play_once_with(setting, next);
        };
        let seeds = self.terms.seed.map_or(SEEDS.map(Seed).to_vec(), |seed| vec![seed]);
        let three_ways = [
            Way { asks_twice_in_pieces: true, ..Way::PLAIN },
            Way { other_environment: true, ..Way::PLAIN },
            Way { restarts_judge: true, ..Way::PLAIN },
        ];
        let all_ways = [&three_ways[..], &[Way { probes_numbers: true, ..Way::PLAIN }]].concat();
        for (index, seed) in seeds.iter().enumerate() {
            let is_first = index == 0;
            if is_first {
                let script = self.compare(setting, *seed, Style::Clean, &all_ways, true, next)?;
                self.branch(setting, *seed, &script, next)?;
                self.give_numbers(setting, *seed, *number_games, next)?;
                self.keep_whole(setting, *seed, script);
            }
            let ways = if is_first { &three_ways[..] } else { &[Way::ALL] };
            let script = self.compare(setting, *seed, Style::Faults, ways, is_first, next)?;
            if is_first {
                self.compare(setting, *seed, Style::Silent, &[], false, next)?;
                self.compare(setting, *seed, Style::Nonsense, &[], false, next)?;
            }
            if script.turns() > LONG {
                self.leave_out(format!("more seeds than one where a game has more than {LONG} turns"));
                return Ok(());
            }
        }
        if number == 0 {
            // Equal players, for a remark.
            for seed in (1..u64::from(remarks::GAMES_MIN)).map(|more| Seed(seeds[0].0.wrapping_add(more))) {
                self.compare(setting, seed, Style::Clean, &[], false, next)?;
            }
        }
        Ok(())
    }

    /// Plays one game of each style with a setting.
    fn play_once_with(&mut self, setting: &Setting, next: &mut impl FnMut(&str)) -> Result<(), Error> {
        let seed = self.terms.seed.unwrap_or(Seed(SEEDS[0]));
        let script = self.compare(setting, seed, Style::Faults, &[Way::ALL], false, next)?;
        if script.turns() > LONG {
            self.leave_out(format!(
                "games without faults, and with nothing else, at corners where a game has more than {LONG} turns"
            ));
            return Ok(());
        }
        let script = self.compare(setting, seed, Style::Clean, &[Way::ALL], false, next)?;
        self.keep_whole(setting, seed, script);
        self.compare(setting, seed, Style::Silent, &[], false, next)?;
        self.compare(setting, seed, Style::Nonsense, &[], false, next).map(drop)
    }

    /// Plays games in which seats give numbers that were not given yet, at most `games_max`, and then small numbers
    /// again and again.
    fn give_numbers(
        &mut self,
        setting: &Setting,
        seed: Seed,
        games_max: u32,
        next: &mut impl FnMut(&str),
    ) -> Result<(), Error> {
        self.numbers.begin();
        // Once, with the usual values of the parameters.
        let stubborn = if games_max == NUMBER_GAMES[0] { self.numbers.stubborn() } else { Vec::new() };
        for game in 0..games_max {
            match self.numbers.left() {
                Left::None => break,
                Left::OnlyUnlikely if game >= games_max / 2 => break,
                Left::OnlyUnlikely | Left::Likely => {}
            }
            let seed = Seed(seed.0.wrapping_add(1000 + u64::from(game)));
            self.compare(setting, seed, Style::QueuedNumbers, &[], false, next)?;
        }
        for number in stubborn {
            self.compare(setting, seed, Style::Stubborn(number), &[], false, next)?;
        }
        let left_out = self.numbers.end();
        for part in left_out {
            self.leave_out(format!("{part} ({setting})"));
        }
        Ok(())
    }

    fn leave_out(&mut self, what: String) {
        if !self.report.left_out.contains(&what) {
            self.report.left_out.push(what);
        }
    }

    /// Keeps a game that was played to its end if it is the first one, or the shortest.
    fn keep_whole(&mut self, setting: &Setting, seed: Seed, script: Script) {
        let is_shorter = |other: &WholeGame| script.turns() < other.script.turns();
        if script.turns() > 0 && self.whole_games.last().is_none_or(is_shorter) {
            self.whole_games.truncate(1);
            self.whole_games.push(WholeGame { setting: setting.clone(), seed, script });
        }
    }

    /// Repeats whole games at other times and places, to find what differs only in some starts.
    fn repeat(&mut self, next: &mut impl FnMut(&str)) -> Result<(), Error> {
        let whole_games = std::mem::take(&mut self.whole_games);
        let (Some(first), Some(shortest)) = (whole_games.first(), whole_games.last()) else { return Ok(()) };
        let planned = self.terms.repeats.min(REPEATED_TURNS_MAX / (shortest.script.turns() + 1)).max(3);
        next(&format!("{planned} games, at other times and places"));
        let mut games = 0;
        let way = Way { other_environment: true, ..Way::PLAIN };
        self.starts.count_process_numbers();
        while games < planned {
            if self.is_over() {
                self.report.missing.push(format!("games at other times and places: only {games}"));
                break;
            }
            // Mostly the shortest one.
            let repeats_first = games % 8 == 7 && first.script.turns() < 10 * shortest.script.turns();
            let WholeGame { setting, seed, script } = if repeats_first { first } else { shortest };
            let title = format!("{setting}, seed {}, {}{way}, start {games}", seed.0, Style::Clean);
            let mut course = Course::new(*seed, Style::Clean, way);
            let source = self.starts.different();
            games += u32::from(self.run(&mut course, source, setting, Some(script), &title)?);
        }
        self.report.left_out.push(match games {
            0..ODDS_MIN => format!("what differs in some starts only: {games} games were repeated"),
            _ => format!(
                "what differs in fewer than 1 of {} starts: {games} games were repeated with other process numbers, \
                 addresses and times, which shows it with a probability of 95 %",
                odds(games)
            ),
        });
        Ok(())
    }

    /// Plays a game, and again in other ways, which must lead to the same game; if `is_later`, in another second of
    /// the clock. Returns its script, which is empty if the time was over before the end.
    fn compare(
        &mut self,
        setting: &Setting,
        seed: Seed,
        style: Style,
        ways: &[Way],
        is_later: bool,
        next: &mut impl FnMut(&str),
    ) -> Result<Script, Error> {
        let started = date();
        let mut first_run: Option<Script> = None;
        for way in [&[Way::PLAIN], ways].concat() {
            let title = format!("{setting}, seed {}, {style}{way}", seed.0);
            if self.is_over() {
                self.report.missing.push(title);
                continue;
            }
            next(&title);
            // A judge that reads the clock in seconds must find another one.
            while way.other_environment && is_later && self.starts.unmoved.is_some() && date() == started {
                std::thread::sleep(Duration::from_millis(5));
            }
            let mut course = Course::new(seed, style, way);
            // Another judge is started before it, and still runs.
            let _other = way.other_environment.then(|| self.judge.begin(setting.parameters(), Seed(!seed.0)));
            let source = if way.other_environment { self.starts.different() } else { self.starts.usual() };
            let is_whole = self.run(&mut course, source, setting, first_run.as_ref(), &title)?;
            if way == Way::PLAIN {
                self.judge_time += course.judge_time;
                self.timed_turns += u64::from(course.turns);
                self.report.pace.1 = self.report.pace.1.max(course.judge_time_max);
                if let Some(outcome) = &course.outcome {
                    self.results.add(outcome, style == Style::Clean);
                }
            }
            if !is_whole {
                let turns = self.judge.description.turns_max;
                let missing = format!("{title}: stopped before turn {} of at most {turns}", course.turns);
                self.report.missing.push(missing);
            } else if first_run.is_none() {
                first_run = Some(course.into_script());
            }
            if first_run.is_none() {
                break;
            }
        }
        Ok(first_run.unwrap_or_default())
    }

    /// Plays one game. Tells whether it has come to its end before the time was over.
    fn run(
        &mut self,
        course: &mut Course,
        source: Source,
        setting: &Setting,
        first_run: Option<&Script>,
        title: &str,
    ) -> Result<bool, Error> {
        let source = Source { transcript: self.transcript(title), ..source };
        let mut game = self.judge.begin_as(source, setting.parameters(), course.seed);
        let (clock, limit) = (&self.clock, self.terms.limit);
        let result = course.play(
            &mut game,
            first_run,
            &mut Shared {
                coverage: &mut self.coverage,
                numbers: &mut self.numbers,
                leaks: &mut self.leaks,
                next_start: &mut || self.starts.different(),
                is_over: &|| clock.now() - Moment::default() >= limit,
            },
        );
        self.report.games += 1;
        self.report.turns += u64::from(course.turns);
        self.report.faults += course.faults;
        self.report.kills += course.kills;
        result.map_err(|wrong| self.wrong(title, wrong))
    }

    /// Gives every seat every kind of fault in some positions of a game, among them the first and each seat's last.
    fn branch(
        &mut self,
        setting: &Setting,
        seed: Seed,
        script: &Script,
        next: &mut impl FnMut(&str),
    ) -> Result<(), Error> {
        let (positions, note) =
            script.positions(if self.report.settings == 0 { POSITIONS } else { POSITIONS / 3 });
        if let Some(note) = note {
            self.leave_out(note);
        }
        let title =
            format!("{setting}, seed {}, every fault of every seat in {} positions", seed.0, positions.len());
        next(&title);
        let chance = |turn: u32| Seed(seed.0 ^ u64::from(turn) << 20);
        let source = Source { transcript: self.transcript(&title), ..self.starts.usual() };
        let mut game = self.judge.begin_as(source, setting.parameters(), seed);
        let mut branches = Vec::new();
        for turn in &positions {
            script.go_to(&mut game, *turn);
            let rows = rows(&mut game, self.judge.description.seats_max, chance(*turn));
            fail_if_judge_failed(&game).map_err(|wrong| self.wrong(&title, wrong))?;
            branches.push((turn, game.copy(), rows));
        }
        drop(game);
        for (done, (turn, game, rows)) in branches.iter().enumerate() {
            for row in rows {
                if self.is_over() {
                    self.report.missing.push(format!("{title}: {} of them", positions.len() - done));
                    return Ok(());
                }
                let mut branch = game.copy_with(self.starts.different());
                let where_ = format!("{title}: turn {turn}");
                branch.set_transcript(self.transcript(&where_));
                let played = deeds::play_on(&mut branch, row, chance(**turn));
                self.report.games += 1;
                self.report.kills += 1;
                match played {
                    Ok((turns, faults)) => {
                        self.report.turns += turns;
                        self.report.faults += faults;
                    }
                    Err(wrong) => return Err(self.wrong(&title, wrong)),
                }
            }
        }
        Ok(())
    }

    /// Empties the transcript for the next game.
    fn transcript(&self, title: &str) -> Option<Transcript> {
        let transcript = self.terms.transcript.clone()?;
        transcript.restart(title);
        Some(transcript)
    }

    fn finish(mut self) -> CheckReport {
        self.report.pace.0 = self.judge_time / u32::try_from(self.timed_turns.max(1)).unwrap_or(u32::MAX);
        self.report.left_out.push(format!(
            "a game in which the judge is killed: at most {} of its turns, the first and the last among them",
            KILLS + 2
        ));
        self.report.left_out.push(match &self.starts.unmoved {
            None => UNMOVED.to_owned(),
            Some(why) => format!("other dates and times: its clocks cannot be moved here ({why})"),
        });
        if self.judge.setup.sandbox != Tier::Strict {
            self.report.left_out.push(
                "most process numbers: only in the strict tier of the sandbox a judge has its own, and that does not work here"
                    .to_owned(),
            );
        }
        self.report.left_out.push("machines of another kind than this one".to_owned());
        self.report.remarks = self.results.remarks();
        self.report.remarks.extend(self.leaks.remark());
        self.report
    }
}
