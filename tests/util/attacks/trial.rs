//! Tries attacks in one surrounding: plans the games, has the referee play them, and reports which attacks worked. A
//! build has no game: its attacks are programs that its commands run.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::thread;

use wait_timeout::ChildExt;

use super::corpus::{Attack, Setting};
use super::plain;
use super::range::{EXTRAS, Range, SECRET};
use super::scapegoat::Scapegoat;
use crate::support::{PATIENCE, answers_in, results_in};

/// Where attacks are tried.
#[derive(Clone, Copy)]
pub enum Surrounding<'a> {
    /// No sandbox, and no referee either: bots are started like any program.
    Plain,
    /// A tier of the sandbox, and the referee.
    Tier(&'a str, &'a Path),
    /// The sandbox of a build. Builds a source whose command is these words; it gets a question.
    Build(&'a (dyn Fn(&str) -> Built + Sync)),
}

/// What came of a build.
#[derive(Clone, Debug)]
pub struct Built {
    pub log: String,
    /// How it has failed, if it has.
    pub fault: Option<String>,
}

/// The result of an attack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Worked,
    Refused,
    /// Neither the bot nor its traces show a result.
    Unclear,
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Outcome::Worked => "works",
            Outcome::Refused => "-",
            Outcome::Unclear => "?",
        })
    }
}

/// A row of a trial.
#[derive(Clone, Debug)]
pub struct Row {
    pub family: String,
    pub name: String,
    pub outcome: Outcome,
    /// How the bot or its traces show it.
    pub detail: String,
}

/// The setup of a game for its attacks.
#[derive(Clone, Debug)]
struct Game {
    name: &'static str,
    options: &'static [&'static str],
    seats: Vec<Chair>,
}

#[derive(Clone, Debug)]
struct Chair {
    /// The name of an attack, or of a bot that only plays.
    name: String,
    is_receiver: bool,
}

impl Chair {
    fn attacker(attack: &Attack) -> Chair {
        Chair { name: attack.name.clone(), is_receiver: false }
    }

    fn receiver(attack: &Attack) -> Chair {
        Chair { name: attack.name.clone(), is_receiver: true }
    }

    fn extra(name: &str) -> Chair {
        Chair { name: name.to_owned(), is_receiver: false }
    }
}

/// All seats are asked at once. The limits are so wide that no bot is late.
const AT_ONCE: &[&str] =
    &["-p", "1", "--max-turns", "2", "--stall-turns", "0", "--turn-ms", "20000", "--first-ms", "20000"];

/// One seat after the other.
const IN_TURN: &[&str] =
    &["--max-rounds", "3", "--wall-one-in", "0", "--turn-ms", "20000", "--first-ms", "20000"];

/// Number of games that are played in parallel. They mainly wait for lines that never come.
const WORKERS: usize = 12;

/// Tries all attacks. On a busy machine a bot can be ended for its memory before it says what it got: such an attack is
/// tried once more.
pub fn try_all(program: &Path, attacks: &[Attack], surrounding: Surrounding<'_>) -> Vec<Row> {
    let mut rows = try_once(program, attacks, surrounding);
    let is_unclear = |attack: &&Attack| {
        attack.setting == Setting::Alone
            && rows.iter().any(|row| row.name == attack.name && row.outcome == Outcome::Unclear)
    };
    let again: Vec<Attack> = attacks.iter().filter(is_unclear).cloned().collect();
    for row in if again.is_empty() { Vec::new() } else { try_once(program, &again, surrounding) } {
        rows.iter_mut().filter(|before| before.name == row.name).for_each(|before| *before = row.clone());
    }
    rows
}

/// Attacks in a later game of a job follow those in earlier ones.
fn try_once(program: &Path, attacks: &[Attack], surrounding: Surrounding<'_>) -> Vec<Row> {
    let range = Range::new(program, attacks);
    let before: BTreeMap<&str, Vec<String>> =
        attacks.iter().map(|attack| (&*attack.name, range.look_at_canaries(&attack.name))).collect();
    let jobs = Mutex::new(plan(attacks).into_iter().enumerate());
    let found: Mutex<BTreeMap<String, Vec<Evidence>>> = Mutex::default();
    thread::scope(|scope| {
        for _ in 0..WORKERS {
            scope.spawn(|| {
                while let Some((number, job)) = { jobs.lock().expect("jobs").next() } {
                    let findings = Job { program, range: &range, surrounding, number }.run(&job);
                    let mut found = found.lock().expect("findings");
                    for (name, finding) in findings {
                        found.entry(name).or_default().push(finding);
                    }
                }
            });
        }
    });
    let mut found = found.into_inner().expect("findings");
    for (name, count) in range.arrivals() {
        let claimed = |finding: &Evidence| matches!(finding, Evidence::Said(said, _) if said == "worked");
        let traced = attacks.iter().filter(|attack| attack.family == "network");
        if count > 0 && !traced.clone().any(|attack| found[&attack.name].iter().any(claimed)) {
            found.entry(name.to_owned()).or_default().push(Evidence::Trace(format!("{count} arrivals")));
        }
    }
    let row = |attack: &Attack| {
        let mut findings = found.remove(&attack.name).unwrap_or_default();
        let after = range.look_at_canaries(&attack.name);
        let before = &before[&*attack.name];
        if let Some(changed) = after.iter().find(|line| !before.contains(line)) {
            findings.push(Evidence::Trace(format!("changed: {changed}")));
        } else if after.len() < before.len() {
            findings.push(Evidence::Trace("a file is gone".to_owned()));
        }
        let (outcome, detail) = judge(&findings);
        Row { family: attack.family.clone(), name: attack.name.clone(), outcome, detail }
    };
    attacks.iter().map(row).collect()
}

/// Seats attacks at tables, the long games first. Neighbours in the list are similar, and take the same
/// things: they get different tables.
fn plan(attacks: &[Attack]) -> Vec<Vec<Game>> {
    let with = |setting| attacks.iter().filter(move |attack| attack.setting == setting);
    let football = |seats: Vec<Chair>| Game { name: "football", options: AT_ONCE, seats };
    let alone: Vec<&Attack> = with(Setting::Alone).collect();
    let tables = alone.len().div_ceil(3);
    let mut jobs = Vec::new();
    for attack in with(Setting::Ponder) {
        let mut seats = vec![Chair::extra("slow"); 16];
        seats[0] = Chair::attacker(attack);
        jobs.push(vec![Game { name: "target", options: IN_TURN, seats }]);
    }
    for attack in with(Setting::Pair) {
        let seats = vec![Chair::attacker(attack), Chair::receiver(attack)];
        jobs.push(vec![football([seats, vec![Chair::extra("victim"); 2]].concat())]);
    }
    for attack in with(Setting::Sequel) {
        let game = |chair| football([vec![chair], vec![Chair::extra("victim"); 3]].concat());
        jobs.push(vec![game(Chair::attacker(attack)), game(Chair::receiver(attack))]);
    }
    for table in 0..tables {
        let mut seats: Vec<Chair> =
            alone.iter().skip(table).step_by(tables).map(|attack| Chair::attacker(attack)).collect();
        seats.resize_with(4, || Chair::extra("victim"));
        jobs.push(vec![football(seats)]);
    }
    jobs
}

/// Evidence of whether an attack worked.
#[derive(Clone, Debug)]
enum Evidence {
    /// The bot's own report, and the reason.
    Said(String, String),
    /// The driver has observed it.
    Trace(String),
    /// The bot ended before it reported anything.
    Ended(String),
    /// Unknown, with the reason.
    Nothing(String),
}

fn judge(findings: &[Evidence]) -> (Outcome, String) {
    let trace = findings.iter().find_map(|finding| match finding {
        Evidence::Trace(what) => Some(what.clone()),
        _ => None,
    });
    if let Some(what) = trace {
        return (Outcome::Worked, what);
    }
    // Of two bots, the second reports.
    match findings.last() {
        Some(Evidence::Said(said, why)) if said == "worked" => (Outcome::Worked, why.clone()),
        Some(Evidence::Said(said, why)) if said == "refused" => (Outcome::Refused, why.clone()),
        Some(Evidence::Said(..)) => (Outcome::Refused, "without a trace".to_owned()),
        Some(Evidence::Ended(how)) => (Outcome::Refused, how.clone()),
        Some(Evidence::Nothing(why)) => (Outcome::Unclear, why.clone()),
        _ => (Outcome::Unclear, "it was not tried".to_owned()),
    }
}

/// One game, or several in a row.
struct Job<'a> {
    program: &'a Path,
    range: &'a Range,
    surrounding: Surrounding<'a>,
    number: usize,
}

impl Job<'_> {
    fn run(&self, games: &[Game]) -> Vec<(String, Evidence)> {
        let tmp = self.range.path(&format!("tmp/{}", self.number));
        fs::create_dir(&tmp).expect("a folder");
        fs::set_permissions(&tmp, fs::Permissions::from_mode(0o777)).expect("permissions");
        games.iter().zip(0..).flat_map(|(game, part)| self.play(game, part, &tmp)).collect()
    }

    fn play(&self, game: &Game, part: u32, tmp: &Path) -> Vec<(String, Evidence)> {
        let start = |_| Scapegoat::start(self.program, &self.range.path(""), &self.range.token);
        let scapegoats: Vec<Scapegoat> = game.seats.iter().map(start).collect();
        let pairs = game.seats.iter().zip(&scapegoats);
        let words: Vec<String> = pairs
            .map(|(chair, scapegoat)| self.range.words(&chair.name, chair.is_receiver, scapegoat.id()))
            .collect();
        let said = match self.surrounding {
            Surrounding::Plain => self.play_plain(game, &words, tmp),
            Surrounding::Tier(tier, referee) => {
                let folder = self.range.path(&format!("played/{}-{part}", self.number));
                let mut command = Command::new(referee);
                command.args(["play", game.name, "--sandbox", tier]);
                self.play_with_referee(command, game, &words, &folder, tmp)
            }
            Surrounding::Build(build) => self.play_builds(build, game, &words, tmp),
        };
        let left: Vec<String> = fs::read_dir(tmp)
            .expect("a folder")
            .flatten()
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .collect();
        let mut findings = Vec::new();
        for ((chair, scapegoat), said) in game.seats.iter().zip(scapegoats).zip(said) {
            if EXTRAS.contains(&&*chair.name) {
                continue; // others of that name still play elsewhere
            }
            let mut found = vec![said];
            found.extend(scapegoat.end().map(Evidence::Trace));
            if !left.is_empty() && SPOILERS.contains(&&*chair.name) {
                found.push(Evidence::Trace(format!("left in the folder for temporary files: {left:?}")));
            }
            findings.extend(found.into_iter().map(|finding| (chair.name.clone(), finding)));
        }
        for (name, count) in self.survivors(game) {
            findings.push((name, Evidence::Trace(format!("{count} processes stay"))));
        }
        findings
    }

    /// Kills what stays of a game. Returns the attacks with the number of their processes, of those with any.
    fn survivors(&self, game: &Game) -> BTreeMap<String, usize> {
        let mut names: Vec<&str> = game.seats.iter().map(|chair| &*chair.name).collect();
        names.retain(|name| !EXTRAS.contains(name)); // others of that name still play elsewhere
        // Some are hard to detect.
        let looks = if names.iter().any(|name| name.starts_with("stay-")) { 10 } else { 1 };
        let mut most: BTreeMap<String, usize> = BTreeMap::new();
        for _ in 0..looks {
            for (name, count) in self.range.kill_survivors(&names) {
                let before = most.entry(name.to_owned()).or_default();
                *before = count.max(*before);
            }
        }
        most
    }

    fn play_plain(&self, game: &Game, words: &[String], tmp: &Path) -> Vec<Evidence> {
        let ends = plain::play(game.name, words, &self.range.token, tmp);
        ends.into_iter().map(|(errors, fault)| finding_of(&errors, fault)).collect()
    }

    /// Builds at the same time. A bot that only plays is a bot here, too.
    fn play_builds(
        &self,
        build: &(dyn Fn(&str) -> Built + Sync),
        game: &Game,
        words: &[String],
        tmp: &Path,
    ) -> Vec<Evidence> {
        enum Seat<'a> {
            Bot(plain::Bot),
            Build(thread::ScopedJoinHandle<'a, Built>),
        }
        thread::scope(|scope| {
            let start = |(seat, chair): (usize, &Chair)| {
                let words = &words[seat];
                if EXTRAS.contains(&&*chair.name) {
                    Seat::Bot(plain::Bot::start(game.name, words, seat, tmp, &self.range.token))
                } else {
                    Seat::Build(scope.spawn(move || build(words)))
                }
            };
            let seats: Vec<Seat<'_>> = game.seats.iter().enumerate().map(start).collect();
            // Those that only play are the last.
            let end = |seat| match seat {
                Seat::Bot(bot) => Evidence::Nothing(bot.dismiss().0),
                Seat::Build(build) => {
                    let built = build.join().expect("a build");
                    finding_of(&built.log, built.fault)
                }
            };
            seats.into_iter().map(end).collect()
        })
    }

    fn play_with_referee(
        &self,
        mut command: Command,
        game: &Game,
        words: &[String],
        folder: &Path,
        tmp: &Path,
    ) -> Vec<Evidence> {
        command.args(game.options).args(["--seed", "1", "--dir"]).arg(folder).args(words);
        command.env("TMPDIR", tmp).env(SECRET, &self.range.token).stdin(Stdio::null());
        let trouble = self.run_referee(command, folder).err();
        let finding = |seat| match &trouble {
            Some(trouble) => Evidence::Nothing(trouble.clone()),
            None => finding_in_record(folder, seat),
        };
        (0..words.len()).map(finding).collect()
    }

    fn run_referee(&self, mut command: Command, folder: &Path) -> Result<(), String> {
        let errors = fs::File::create(folder.with_extension("stderr")).expect("a file");
        let mut referee =
            command.stdout(Stdio::null()).stderr(errors).spawn().expect("referee can be started");
        let status = referee.wait_timeout(PATIENCE).expect("a child");
        if status.is_none() {
            let _ = referee.kill();
            let _ = referee.wait();
        }
        match status {
            Some(status) if status.success() => Ok(()),
            status => {
                let errors = fs::read_to_string(folder.with_extension("stderr")).unwrap_or_default();
                Err(format!("the referee: {status:?}: {}", errors.trim().replace('\n', " / ")))
            }
        }
    }
}

/// Attacks that leave something in a scratch folder that cannot be removed. A table has at most one of them.
const SPOILERS: [&str; 6] =
    ["deep-tree", "locked-folder", "blind-folder", "long-names", "replace-scratch", "race-removal"];

/// What a record, and the files stored with it, show about a seat.
fn finding_in_record(folder: &Path, seat: usize) -> Evidence {
    let game = &results_in(folder)[0];
    let errors = fs::read(folder.join(format!("stderr/{}-seat{seat}.txt", game.game))).unwrap_or_default();
    let answers = answers_in(&folder.join(&game.log));
    let fault = answers.iter().find(|said| said.seat == seat && said.verdict != "ok");
    let fault = fault.map(|said| format!("{} {}", said.verdict, said.detail));
    finding_of(&String::from_utf8_lossy(&errors), fault)
}

/// The bot's report on its attack, or the evidence of its end.
fn finding_of(errors: &str, fault: Option<String>) -> Evidence {
    let said = errors.lines().find_map(|line| line.strip_prefix("attack: ")?.split_once(':'));
    match (said, fault) {
        (Some((word, why)), None) => Evidence::Said(word.to_owned(), why.trim().to_owned()),
        // Whatever it claims, it must be a bot that plays: otherwise it proves nothing.
        (Some((word, why)), Some(fault)) => Evidence::Nothing(format!("{word}: {why}, but {fault}")),
        (None, Some(fault)) if fault.starts_with("crashed") || fault.starts_with("resource") => {
            Evidence::Ended(fault)
        }
        (None, fault) => Evidence::Nothing(fault.unwrap_or_else(|| format!("it said nothing: {errors}"))),
    }
}
