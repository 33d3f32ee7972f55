//! `referee class exam` and `referee class final`: a tournament of what students have handed in, planned and played.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use referee_contest::batch::missing;
use referee_contest::batch::shard::Shard;
use referee_contest::bot::Bot;
use referee_contest::class::contests::{Kind, Made, make};
use referee_contest::class::grades::Grades;
use referee_contest::class::practice;
use referee_contest::class::roll::{Counted, Entry, Roll};
use referee_contest::exam::{self, ExamAccount};
use referee_contest::folder::Folder;
use referee_contest::hill::Hill;
use referee_contest::node;
use referee_contest::plan::{self, Plan};
use referee_record::error::Error;
use referee_record::text::count;
use referee_rules::Seed;
use referee_statistics::exam::{Size, Tally, expected, goal};
use referee_table::clock::{self, Clock};

use super::grades;
use crate::addition::Event;
use crate::context::Context;
use crate::host::InterpreterOptions;
use crate::progress::Task;
use crate::sheet::{Format, Print};
use crate::tournament;
use crate::tournament::run::{self, Batches};
use crate::{note, say, shell};

#[derive(Debug, Args)]
pub(crate) struct Play {
    /// The class
    dir: PathBuf,
    /// Games at a time [default: the number of cores]
    #[arg(long, value_name = "N", value_parser = crate::number::jobs)]
    jobs: Option<u16>,
    /// Say how many games there are and how long they take, and play none
    #[arg(long)]
    plan: bool,
    /// Begin though some students can still hand in: their later versions do not take part
    #[arg(long)]
    early: bool,
}

impl Play {
    pub(super) fn run(self, context: &Context, kind: Kind) -> anyhow::Result<()> {
        let (hill, roll) = super::open(&self.dir)?;
        let jobs = self.jobs.map_or_else(node::cores, usize::from);
        let folder = kind.folder(&hill, &roll.settings);
        let has_begun = plan::is_there(&folder, &folder);
        let command = format!("referee class {} {}", kind.name(), shell(&self.dir));
        if self.plan && has_begun {
            let plan = plan::open(&folder)?;
            note_later_versions(&roll, &plan, kind);
            let (left, due) = if kind == Kind::Exam {
                let account = ExamAccount::read(&plan)?;
                say(tournament::exam_so_far(&account));
                (account.left_max(&plan), account.undecided())
            } else {
                (missing(&plan)?.1, Vec::new())
            };
            if left == 0 {
                say(format!("The {} is over", kind.name()));
                return Ok(());
            }
            let seconds = seconds_per_game(context, &plan, jobs, &due, left as f64)? * left as f64;
            say(format!(
                "at most {} left, {} on this machine",
                count(left, "game"),
                duration_in_words(seconds)
            ));
            say(format!("Go on: {command}"));
            return Ok(());
        }
        if self.plan {
            // A plan is made once, and for good: this one is thrown away.
            let scratch =
                tempfile::tempdir().map_err(Error::system(&std::env::temp_dir(), "create a folder"))?;
            let plan = plan_contest(context, &hill, &make(&hill, &roll, kind)?, scratch.path())?;
            note_students_without_bot(&roll, kind);
            if let Err(open) = self.check_closed(&roll, kind) {
                note(open);
            }
            say(forecast(context, &hill, &roll, &plan, kind, jobs)?);
            let early = if self.early { " --early" } else { "" };
            say(format!("Play it: {command}{early}"));
            return Ok(());
        }
        let plan = if has_begun {
            let plan = plan::open(&folder)?;
            if plan.contents.host.signed
                && plan.contents.round == 1
                && missing(&plan)?.1 == u64::from(plan.contents.games)
            {
                // Somebody may have ended the first command before there was a key.
                context.tell(&plan.root, Event::Made)?;
            }
            note_later_versions(&roll, &plan, kind);
            plan
        } else {
            self.check_closed(&roll, kind)?;
            let plan = plan_contest(context, &hill, &make(&hill, &roll, kind)?, &folder)?;
            if plan.contents.host.signed {
                context.tell(&plan.root, Event::Made)?;
            }
            note_students_without_bot(&roll, kind);
            say(forecast(context, &hill, &roll, &plan, kind, jobs)?);
            plan
        };
        let batches = Batches::default();
        batches.play(context, plan, Shard::WHOLE, &InterpreterOptions::default(), jobs, &command)?;
        if kind == Kind::Exam {
            grades::table(&Grades::read(&hill, &roll)?).print(Format::Table)?;
            say(format!("To keep: referee class grades {} --format csv > grades.csv", shell(&self.dir)));
        }
        Ok(())
    }

    /// Makes sure that nobody can hand in any more.
    fn check_closed(&self, roll: &Roll, kind: Kind) -> Result<(), Error> {
        let waiting: Vec<&str> =
            roll.entries.iter().filter(|entry| entry.waiting > 0).map(Entry::account).collect();
        if !waiting.is_empty() && !self.early {
            let what = format!(
                "what {} handed in is still checked: begin when the server has done so, or now with --early, without it",
                waiting.join(", ")
            );
            return Err(Error::input(what));
        }
        let now = clock::date();
        let open: Vec<&str> = roll
            .entries
            .iter()
            .filter(|entry| entry.closes >= now)
            .flat_map(|entry| entry.students.iter().map(|student| &*student.name))
            .collect();
        if open.is_empty() || self.early {
            return Ok(());
        }
        let last = roll.entries.iter().map(|entry| &*entry.closes).max().unwrap_or_default();
        let who = match &open[..] {
            [one] => (*one).to_owned(),
            all => count(all.len() as u64, "student"),
        };
        let name = kind.name();
        let what = format!(
            "{who} can hand in until {last} (UTC): begin the {name} then, or now with --early, without later versions"
        );
        Err(Error::input(what))
    }
}

/// Plans a contest of a class.
fn plan_contest(context: &Context, hill: &Hill, made: &Made<'_>, folder: &Path) -> anyhow::Result<Plan> {
    let path = hill.root().join("class.toml");
    let mut found = tournament::programs(context, &path, &made.tournament, made.panel())?;
    found.extend(made.bots_of_students(hill));
    Ok(plan::first(folder, &made.tournament, &found, hill.seed())?)
}

/// Says whose version has changed since a contest was planned.
fn note_later_versions(roll: &Roll, plan: &Plan, kind: Kind) {
    let is_left_behind = |entry: &&Entry| {
        let plays = |counted: &Counted| {
            let is_it = |bot: &Bot| bot.author == entry.account() && bot.digest == counted.bot.digest;
            plan.contents.entrant.iter().any(is_it)
        };
        entry.counts.as_ref().is_some_and(|counted| !plays(counted))
    };
    let left_behind = roll.entries.iter().filter(is_left_behind);
    let names: Vec<&str> =
        left_behind.flat_map(|entry| entry.students.iter().map(|student| &*student.name)).collect();
    if !names.is_empty() {
        let name = kind.name();
        note(format!(
            "the {name} began before the present version of {} was there: it goes on without",
            names.join(", ")
        ));
    }
}

/// Says who takes no part.
fn note_students_without_bot(roll: &Roll, kind: Kind) {
    let without = roll.entries.iter().filter(|entry| entry.counts.is_none());
    let names: Vec<&str> =
        without.flat_map(|entry| entry.students.iter().map(|student| &*student.name)).collect();
    if !names.is_empty() {
        note(format!("not in the {}, without a bot that counts: {}", kind.name(), names.join(", ")));
    }
}

/// Sample games for each job, by which the length of the measurement is chosen.
const FIRST_SAMPLES_PER_JOB: usize = 4;

/// Sample games for each job at most.
const SAMPLES_PER_JOB_MAX: usize = 256;

/// Part of a contest's time for which its games are measured.
const SAMPLED: f64 = 1.0 / 20.0;

/// Seconds for which games are measured, at least and at most. The speed of a virtual machine differs by an eighth from
/// one half minute to the next.
const SAMPLED_SECONDS: (f64, f64) = (2.0, 30.0);

/// Measures the time per game with `jobs` games at a time, by playing some games of the first round. They do not count.
/// `due` is that of [`exam::samples`], `games` the number of games that there will be.
fn seconds_per_game(
    context: &Context,
    plan: &Plan,
    jobs: usize,
    due: &[f64],
    games: f64,
) -> anyhow::Result<f64> {
    let setup = run::setup_of(context, plan, &InterpreterOptions::default())?;
    let clock = Clock::start();
    let measure = |count: usize| -> anyhow::Result<(f64, usize)> {
        let folder = tempfile::tempdir().map_err(Error::system(&std::env::temp_dir(), "create a folder"))?;
        let (opened, _) = Folder::open(folder.path())?;
        let samples = exam::samples(plan, count, due);
        let played = samples.len();
        let begin = clock.now();
        opened.play_all(samples, &setup, jobs, None, |_, _| {})?;
        Ok(((clock.now() - begin).as_secs_f64() / played as f64, played))
    };
    let _task = Task::new("measuring how long a game takes");
    let (first, played) = measure(jobs * FIRST_SAMPLES_PER_JOB)?;
    let wanted = (games * first * SAMPLED).clamp(SAMPLED_SECONDS.0, SAMPLED_SECONDS.1);
    let count = ((wanted / first).ceil() as usize).min(jobs * SAMPLES_PER_JOB_MAX);
    // The first games also read programs from the disk for the first time: they choose the length alone.
    Ok(if count > played { measure(count)?.0 } else { first })
}

/// Says how many games there will be, and how long they take with `jobs` at a time.
fn forecast(
    context: &Context,
    hill: &Hill,
    roll: &Roll,
    plan: &Plan,
    kind: Kind,
    jobs: usize,
) -> anyhow::Result<String> {
    let format = &plan.contents.format;
    if kind == Kind::Final {
        let games = f64::from(plan.contents.games);
        let seconds = seconds_per_game(context, plan, jobs, &[], games)? * games;
        return Ok(format!(
            "{}, about {} on this machine",
            count(games as u64, "game"),
            duration_in_words(seconds)
        ));
    }
    let students = plan.entrants.len() - format.panel();
    let size = Size {
        seats: plan.entry.info(&plan.sets[0]).block as u32,
        groups: plan.sets.len(),
        rounds: format.rounds_max().unwrap_or(0),
        goal: goal(plan.contents.stop.unwrap_or_default().alpha, students),
    };
    let practice = practice::read_with_exams(hill, roll)?;
    let entrants = plan.entrants[format.panel()..].iter();
    let met: Vec<&[Tally]> = entrants.filter_map(|entrant| Some(&**practice.get(&entrant.author)?)).collect();
    let students_expected = expected(&met, size, Seed(0));
    let due: Vec<f64> = students_expected.iter().map(|student| student.games).collect();
    let decided: f64 = students_expected.iter().map(|student| student.decided).sum();
    let games = due.iter().sum::<f64>();
    let seconds = seconds_per_game(context, plan, jobs, &due, games)?;
    let duration = |games: f64| duration_in_words(games * seconds);
    let most = f64::from(size.seats) * size.groups as f64 * f64::from(size.rounds) * students as f64;
    let known: u32 = practice.values().flatten().map(|tally| tally.games()).sum();
    let by = match (known, roll.settings.exam.number) {
        (0, _) => "without games of practice, ",
        (_, 1) => "by the games of practice, ",
        _ => "by the games of practice and of earlier exams, ",
    };
    Ok(format!(
        "{}: {by}about {decided:.0} will be decided after {}, {} on this machine; at most {}, {}",
        count(students as u64, "bot"),
        count(games.round() as u64, "game"),
        duration(games),
        count(most as u64, "game"),
        duration(most)
    ))
}

/// Says a number of seconds in words, to two digits.
fn duration_in_words(seconds: f64) -> String {
    match Duration::from_secs_f64(seconds).as_secs() {
        short @ 0..90 => count(short.max(1), "second"),
        90..600 => format!("{:.1} minutes", seconds / 60.0),
        long => count((long + 30) / 60, "minute"),
    }
}
