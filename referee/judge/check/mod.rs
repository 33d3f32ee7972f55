//! The judge's doctor: plays its game to the end, with every number of seats, at the corners of its parameters, with
//! every kind of fault, and several times with differences that must not matter. It reports the first mistake, and
//! what it has not covered.

mod course;
mod deeds;
mod scene;
mod settings;
mod wrong;

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::Duration;

use tempfile::TempDir;

use self::course::{Course, Script, Style, Way};
use self::deeds::{Coverage, rows};
pub use self::settings::Fixed;
use self::settings::{Setting, settings};
use self::wrong::Wrong;
use crate::start::Source;
use crate::transcript::Transcript;
use crate::words::Description;
use crate::{Host, Judge};
use referee_files::beneath::Spot;
use referee_record::error::{Error, ErrorKind};
use referee_rules::Seed;
use referee_table::clock::{Clock, Moment, date};
use referee_table::process::{Program, Setup, Surroundings};

/// The terms of an examination.
#[derive(Clone, Debug)]
pub struct Terms {
    /// What is given, and so not varied.
    pub fixed: Fixed,
    /// The seed of all games. `None`: several seeds.
    pub seed: Option<Seed>,
    /// Maximum time. What is not covered by then is reported.
    pub limit: Duration,
    /// Receives the lines from and to the judge of the last game.
    pub transcript: Option<Transcript>,
}

impl Default for Terms {
    fn default() -> Terms {
        Terms { fixed: Fixed::default(), seed: None, limit: LIMIT, transcript: None }
    }
}

/// Maximum time of an examination by default.
pub const LIMIT: Duration = Duration::from_secs(600);

/// The games of an examination.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Checked {
    /// The name of its game.
    pub name: &'static str,
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
const KILLS: u32 = 8;

/// Maximum number of positions in which every kind of fault is given to every seat.
const POSITIONS: usize = 6;

/// Examines a judge: its description, and games between bots that answer at random, sometimes with a fault. `next` is
/// called with a description of each part before it begins.
///
/// # Errors
///
/// The first mistake, or the first difference between two games that should be the same.
pub fn check(host: &Host, file: &Path, terms: &Terms, mut next: impl FnMut(&str)) -> Result<Checked, Error> {
    next("description");
    let entry = crate::open(host, file)?;
    crate::refuse_taken(&entry)?;
    let judge = Judge::of(&entry).expect("it was just opened");
    let elsewhere = Elsewhere::of(judge)?;
    let mut examination = Examination {
        host,
        file,
        judge,
        terms,
        clock: Clock::start(),
        coverage: Coverage::default(),
        elsewhere,
        checked: Checked { name: entry.name, ..Checked::default() },
        taken: Duration::ZERO,
        timed: 0,
    };
    examination.description()?;
    let (settings, left_out) = settings(judge, &terms.fixed).map_err(Error::input)?;
    examination.checked.left_out = left_out;
    for (number, setting) in settings.iter().enumerate() {
        examination.play_with(setting, number < 2, &mut next)?;
        examination.checked.settings += 1;
        examination.checked.settings -= usize::from(examination.is_over());
        if examination.is_over() {
            let left = settings.len() - examination.checked.settings;
            examination.checked.missing.push(format!("{left} of {} settings", settings.len()));
            break;
        }
    }
    Ok(examination.report())
}

/// A judge as it is started elsewhere: under another name, in another folder, with another environment and another
/// number.
#[derive(Debug)]
struct Elsewhere {
    _folder: TempDir,
    program: Program,
}

impl Elsewhere {
    fn of(judge: &Judge) -> Result<Elsewhere, Error> {
        let copy = || -> io::Result<Elsewhere> {
            let folder = tempfile::Builder::new().prefix("referee-").tempdir()?;
            let path: PathBuf = folder.path().join(judge.name);
            let mut to = File::create_new(&path)?;
            io::copy(&mut Spot::from(&*judge.file).open()?, &mut to)?;
            drop(to);
            fs::set_permissions(&path, PermissionsExt::from_mode(0o555))?;
            Ok(Elsewhere { _folder: folder, program: Program::new(path, Vec::new()) })
        };
        copy().map_err(Error::system(&judge.file, "copy the judge"))
    }

    /// Returns how the judge is started there.
    fn source(&self, judge: &Judge) -> Source {
        let mut surroundings = Surroundings { processes_before: 5, ..Surroundings::default() };
        let mut path = std::env::var_os("PATH").unwrap_or_default();
        path.push(":/opt/elsewhere/bin");
        surroundings.variables = vec![("PATH".into(), path), ("ELSEWHERE".into(), "x".repeat(777).into())];
        let setup = Setup { surroundings, ..judge.setup.clone() };
        Source::new(self.program.clone(), judge.description.patience, setup)
    }
}

/// An examination under way.
struct Examination<'a> {
    host: &'a Host,
    file: &'a Path,
    judge: &'static Judge,
    terms: &'a Terms,
    clock: Clock,
    coverage: Coverage,
    elsewhere: Elsewhere,
    checked: Checked,
    /// The judge's time in games that were played as usual, and the number of their turns.
    taken: Duration,
    timed: u64,
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

    /// Has it describe its game again, also elsewhere.
    fn description(&self) -> Result<(), Error> {
        let patience = Description::PATIENCE;
        for source in [self.judge.source(), self.elsewhere.source(self.judge)] {
            let again = crate::described_alone(&Source { patience, ..source }, self.host.options());
            let again = again.map_err(|failure| self.wrong("description", failure.into()))?;
            if again != self.judge.description {
                let wrong = "its description of the game changes from start to start".to_owned();
                return Err(self.wrong("description", wrong.into()));
            }
        }
        Ok(())
    }

    /// Plays games with a setting. The main settings get more of them.
    fn play_with(
        &mut self,
        setting: &Setting,
        is_main: bool,
        next: &mut impl FnMut(&str),
    ) -> Result<(), Error> {
        if !is_main {
            return self.play_once_with(setting, next);
        }
        let seeds = self.terms.seed.map_or(SEEDS.map(Seed).to_vec(), |seed| vec![seed]);
        let [again, elsewhere, killed] = [(true, false, false), (false, true, false), (false, false, true)]
            .map(|(again, elsewhere, killed)| Way { again, elsewhere, killed });
        for (number, seed) in seeds.iter().enumerate() {
            let is_first = number == 0;
            if is_first {
                let script =
                    self.compare(setting, *seed, Style::Clean, &[again, elsewhere, killed], true, next)?;
                self.branch(setting, *seed, &script, next)?;
            }
            let script =
                self.compare(setting, *seed, Style::Faults, &[again, elsewhere, killed], is_first, next)?;
            if is_first {
                self.compare(setting, *seed, Style::Silent, &[], false, next)?;
                self.compare(setting, *seed, Style::Nonsense, &[], false, next)?;
            }
            if script.turns() > LONG {
                self.leave_out(format!("more seeds than one where a game has more than {LONG} turns"));
                break;
            }
        }
        Ok(())
    }

    fn play_once_with(&mut self, setting: &Setting, next: &mut impl FnMut(&str)) -> Result<(), Error> {
        let all = Way { again: true, elsewhere: true, killed: true };
        let seed = self.terms.seed.unwrap_or(Seed(SEEDS[0]));
        let script = self.compare(setting, seed, Style::Faults, &[all], false, next)?;
        if script.turns() > LONG {
            self.leave_out(format!(
                "games without faults, and with nothing else, at corners where a game has more than {LONG} turns"
            ));
            return Ok(());
        }
        self.compare(setting, seed, Style::Clean, &[all], false, next)?;
        self.compare(setting, seed, Style::Silent, &[], false, next)?;
        self.compare(setting, seed, Style::Nonsense, &[], false, next).map(drop)
    }

    fn leave_out(&mut self, what: String) {
        if !self.checked.left_out.contains(&what) {
            self.checked.left_out.push(what);
        }
    }

    /// Plays a game, and again in other ways, which must lead to the same game; if `is_later`, in another second of
    /// the clock. Returns its answers, none if the time was over before the end.
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
        let mut plain: Option<Script> = None;
        for way in [&[Way::PLAIN], ways].concat() {
            let title = format!("{setting}, seed {}, {style}{way}", seed.0);
            if self.is_over() {
                self.checked.missing.push(title);
                continue;
            }
            next(&title);
            if way.elsewhere && is_later {
                // A judge that reads the clock in seconds must find another one.
                while date() == started {
                    std::thread::sleep(Duration::from_millis(5));
                }
            }
            let mut course = Course::new(seed, style, way);
            let begun = {
                let source =
                    if way.elsewhere { self.elsewhere.source(self.judge) } else { self.judge.source() };
                // Another judge is started before it, and still runs.
                let _other = way.elsewhere.then(|| self.judge.begin(setting.parameters(), Seed(!seed.0)));
                let transcript = self.transcript(&title);
                let source = Source { transcript, ..source };
                let mut game = self.judge.begin_as(source, setting.parameters(), seed);
                let clock = &self.clock;
                let limit = self.terms.limit;
                let over = || clock.now() - Moment::default() >= limit;
                course.play(&mut game, plain.as_ref(), &mut self.coverage, &over)
            };
            self.checked.games += 1;
            self.checked.turns += u64::from(course.turns);
            self.checked.faults += course.faults;
            self.checked.kills += course.kills;
            if way == Way::PLAIN {
                self.taken += course.taken;
                self.timed += u64::from(course.turns);
                self.checked.pace.1 = self.checked.pace.1.max(course.longest);
            }
            match begun.map_err(|wrong| self.wrong(&title, wrong))? {
                true if plain.is_none() => plain = Some(course.into_script()),
                true => {}
                false => {
                    let turns = self.judge.description.turns;
                    let end = format!("{title}: stopped before turn {} of at most {turns}", course.turns);
                    self.checked.missing.push(end);
                }
            }
            if plain.is_none() {
                break;
            }
        }
        Ok(plain.unwrap_or_default())
    }

    /// Gives every seat every kind of fault in some positions of a game, among them the first and each seat's last.
    fn branch(
        &mut self,
        setting: &Setting,
        seed: Seed,
        script: &Script,
        next: &mut impl FnMut(&str),
    ) -> Result<(), Error> {
        let (positions, kinds) =
            script.positions(if self.checked.settings == 0 { POSITIONS } else { POSITIONS / 3 });
        kinds.into_iter().for_each(|note| self.leave_out(note));
        let title =
            format!("{setting}, seed {}, every fault of every seat in {} positions", seed.0, positions.len());
        next(&title);
        let mut game = self.judge.begin(setting.parameters(), seed);
        for (done, turn) in positions.iter().enumerate() {
            script.go_to(&mut game, *turn);
            for row in rows(self.judge.description.most) {
                if self.is_over() {
                    self.checked.missing.push(format!("{title}: {} of them", positions.len() - done));
                    return Ok(());
                }
                let mut branch = game.another();
                let where_ = format!("{title}: turn {turn}");
                branch.write_to(self.transcript(&where_));
                let played = deeds::play_on(&mut branch, &row, Seed(seed.0 ^ u64::from(*turn) << 20));
                self.checked.games += 1;
                self.checked.kills += 1;
                match played {
                    Ok((turns, faults)) => {
                        self.checked.turns += turns;
                        self.checked.faults += faults;
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

    fn report(mut self) -> Checked {
        self.checked.pace.0 = self.taken / u32::try_from(self.timed.max(1)).unwrap_or(u32::MAX);
        self.checked.left_out.push(format!(
            "a game in which the judge is killed: at most {} of its turns, the first and the last among them",
            KILLS + 2
        ));
        self.checked.left_out.push("other dates, and machines of another kind than this one".to_owned());
        self.checked
    }
}
