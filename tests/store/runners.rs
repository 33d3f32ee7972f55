//! Each game counts once, whatever happens, and what was acknowledged or seen stays.

use std::collections::{BTreeMap, BTreeSet};

use referee_store::{Attempt, Begun, Claim, ContestState, GameEnding, Runner, Trouble};
use referee_testutil::random::Random;

use crate::sim_disk::{Omitted, ReplayedVerb, SimDisk, System};

/// The units, each with its games.
const UNITS: [(&str, [&str; 2]); 2] = [("u", ["u1", "u2"]), ("v", ["v1", "v2"])];

/// Maximum number of verbs that a process does before another one is chosen.
const VERBS_AT_ONCE: usize = 8;

/// Number of void attempts after which a game is given up.
const VOID_MAX: usize = 2;

/// A runner that is being played, or somebody who only reads.
#[derive(Debug)]
struct Process {
    /// Its number, which no later process has.
    number: usize,
    runner: Option<Runner<SimDisk>>,
    task: Task,
    /// The verbs that were done of the task.
    done: Vec<ReplayedVerb>,
    /// The games that it does not play, since it began with a list of them.
    listed: BTreeSet<String>,
}

/// What a reader has written down for runners that start later.
#[derive(Clone, Debug, Default)]
struct Listed {
    /// The games whose results are in the list.
    games: BTreeSet<String>,
    /// The runners whose records need not be read.
    settled: Vec<String>,
}

#[derive(Clone, Debug)]
enum Task {
    Start,
    Claim(usize),
    Begin(usize, &'static str),
    Play(Begun, &'static str, u32),
    End(Begun, &'static str, Ending),
    Rest,
    /// The logs of runners that are gone are sealed.
    Sweep,
    /// The runner ends in an orderly way.
    Finish,
    /// Whether the results are read, too, and what is listed then is kept.
    Read(bool, bool),
}

#[derive(Clone, Debug, PartialEq)]
enum Ending {
    Over(String),
    Void,
    GivenUp,
    Left,
}

/// A contest on a simulated disk.
struct Contest {
    disk: SimDisk,
    random: Random,
    processes: Vec<Process>,
    started: usize,
    /// What was acknowledged, and what was seen, of each game: its result, or none if it was given up.
    acknowledged: BTreeMap<&'static str, Option<String>>,
    seen: BTreeMap<String, Option<String>>,
    voids: BTreeMap<&'static str, usize>,
    /// The state that a reader follows.
    followed: ContestState,
    /// The lists that were kept. They stay on the disk, whatever happens to records.
    lists: Vec<Listed>,
}

impl Contest {
    fn new(system: System, omitted: Option<Omitted>, seed: u64, runners: usize) -> Contest {
        let mut contest = Contest {
            disk: SimDisk::new(system, omitted, seed),
            random: Random::new(seed ^ 0x5eed),
            processes: Vec::new(),
            started: 0,
            acknowledged: BTreeMap::new(),
            seen: BTreeMap::new(),
            voids: BTreeMap::new(),
            followed: ContestState::default(),
            lists: Vec::new(),
        };
        for _ in 0..runners {
            let process = contest.fresh(Task::Start);
            contest.processes.push(process);
        }
        let reader = contest.fresh(Task::Read(true, false));
        contest.processes.push(reader);
        contest
    }

    fn fresh(&mut self, task: Task) -> Process {
        self.started += 1;
        Process { number: self.started, runner: None, task, done: Vec::new(), listed: BTreeSet::new() }
    }

    /// Ends a process, and starts another one in its place.
    fn replace(&mut self, at: usize) {
        let is_reader = matches!(self.processes[at].task, Task::Read(..));
        let task = if is_reader { Task::Read(true, false) } else { Task::Start };
        self.disk.kill(self.processes[at].number);
        self.processes[at] = self.fresh(task);
    }

    fn cut_power(&mut self) {
        self.disk.cut_power();
        self.followed = ContestState::default();
        (0..self.processes.len()).for_each(|at| self.replace(at));
    }

    /// Does this many verbs of a process, or fewer if its operation ends.
    fn step_by(&mut self, at: usize, verbs: usize) -> Result<(), String> {
        if let Task::Play(begun, game, left) = &mut self.processes[at].task {
            if *left > 0 {
                *left -= 1;
                return Ok(());
            }
            let (begun, game) = (begun.clone(), *game);
            let ending = match self.random.below(8) {
                0 if self.voids.get(game).is_some_and(|voids| *voids >= VOID_MAX) => Ending::GivenUp,
                0 => Ending::Void,
                1 if self.random.percent(50) => Ending::Left,
                // The same game played twice has two results: nobody may see both.
                _ => Ending::Over(format!("result {}", self.random.next())),
            };
            self.processes[at].task = Task::End(begun, game, ending);
            return Ok(());
        }
        let process = &mut self.processes[at];
        let (number, task, mut runner) = (process.number, process.task.clone(), process.runner.clone());
        let done = std::mem::take(&mut process.done);
        let known = if runner.is_none() && number.is_multiple_of(2) {
            self.lists.last().cloned().unwrap_or_default()
        } else {
            Listed::default()
        };
        let listed = process.listed.clone();
        let open_of = |unit: usize| -> Vec<&'static str> {
            UNITS[unit].1.into_iter().filter(|game| !listed.contains(*game)).collect()
        };
        let disk = self.disk.clone();
        let mut followed =
            if matches!(task, Task::Read(..)) { self.followed.clone() } else { ContestState::default() };
        let (before, mut seen, mut kept): (BTreeSet<String>, _, _) =
            (self.seen.keys().cloned().collect(), Vec::new(), None);
        let (done, came) = self.disk.step(number, done, verbs, || -> Result<Option<Next>, Trouble> {
            let cells = [format!("since {number}")];
            Ok(match (&task, runner.as_mut()) {
                (Task::Start, _) => {
                    let mut started = Runner::start(disk.clone(), &format!("r{number}"))?;
                    started.pass_over(known.settled.clone());
                    runner = Some(started);
                    None
                }
                (Task::Read(with_results, keeps), _) => {
                    followed.follow(&disk)?;
                    for (game, came) in followed.ended().filter(|_| *with_results) {
                        let result = followed.result(&disk, game)?.expect("it has ended");
                        seen.push((game.to_owned(), (came == GameEnding::Over).then(|| result[0].clone())));
                    }
                    if *keeps {
                        let games = before.iter().chain(seen.iter().map(|(game, _)| game));
                        let games: BTreeSet<String> = games.cloned().collect();
                        let settled = followed.settled(&disk, |game| games.contains(game))?;
                        kept = Some(Listed { games, settled });
                    }
                    None
                }
                (Task::Claim(unit), Some(runner)) => {
                    let games = open_of(*unit);
                    if games.is_empty() {
                        return Ok(None);
                    }
                    let claim = runner.claim(UNITS[*unit].0, &games)?;
                    let open = runner.open(&games).first().copied();
                    Some(Next::Claimed(claim, open))
                }
                (Task::Begin(unit, game), Some(runner)) => {
                    Some(Next::Begun(runner.begin(UNITS[*unit].0, game, &cells)?))
                }
                (Task::End(begun, _, ending), Some(runner)) => {
                    match ending {
                        Ending::Over(result) => runner.over(begun.clone(), std::slice::from_ref(result))?,
                        Ending::Void => runner.void(begun.clone(), &cells)?,
                        Ending::GivenUp => runner.give_up(begun.clone(), &cells)?,
                        Ending::Left => runner.leave(begun.clone())?,
                    }
                    None
                }
                (Task::Rest, Some(runner)) => {
                    runner.rest()?;
                    None
                }
                (Task::Sweep, Some(runner)) => {
                    runner.seal_gone()?;
                    None
                }
                (Task::Finish, Some(runner)) => {
                    runner.end()?;
                    None
                }
                (task, None) => unreachable!("no runner for {task:?}"),
                (Task::Play(..), _) => unreachable!("it has no verbs"),
            })
        });
        let Some(came) = came else {
            self.processes[at].done = done;
            return Ok(());
        };
        let next = match came {
            Ok(next) => next,
            Err(trouble @ Trouble::Damaged { .. }) => return Err(trouble.to_string()),
            // A runner that may go on sometimes does; else another one starts.
            Err(Trouble::System { .. }) if runner.is_some() && self.random.percent(50) => {
                self.processes[at].runner = runner;
                self.processes[at].task = match task {
                    Task::Read(..) => Task::Read(true, false),
                    _ => Task::Claim(self.random.below(UNITS.len())),
                };
                return Ok(());
            }
            Err(_) => {
                self.replace(at);
                return Ok(());
            }
        };
        let unit = self.random.below(UNITS.len());
        let then = match (task, next) {
            (Task::Read(..), _) => {
                for (game, result) in seen {
                    let before = self.seen.entry(game.clone()).or_insert_with(|| result.clone());
                    if *before != result {
                        return Err(format!("{game}: first {before:?} was seen, then {result:?}"));
                    }
                }
                self.followed = followed;
                self.lists.extend(kept);
                Task::Read(self.random.percent(30), self.random.percent(50))
            }
            (Task::Claim(unit), Some(Next::Claimed(Claim::Mine, Some(game)))) => Task::Begin(unit, game),
            (Task::Claim(_), _) => Task::Rest,
            (Task::Begin(_, game), Some(Next::Begun(begun))) => {
                Task::Play(begun, game, self.random.below(6) as u32)
            }
            (Task::End(_, game, ending), _) => {
                match ending {
                    Ending::Void => *self.voids.entry(game).or_default() += 1,
                    Ending::Over(result) => self.acknowledge(game, Some(result))?,
                    Ending::GivenUp => self.acknowledge(game, None)?,
                    Ending::Left => {}
                }
                Task::Claim(unit)
            }
            (Task::Finish, _) => {
                self.replace(at);
                return Ok(());
            }
            (Task::Rest, _) if self.random.percent(20) => Task::Finish,
            (Task::Start | Task::Rest, _) if self.random.percent(30) => Task::Sweep,
            _ => Task::Claim(unit),
        };
        if self.processes[at].runner.is_none() && runner.is_some() {
            self.processes[at].listed = known.games;
        }
        self.processes[at].runner = runner;
        self.processes[at].task = then;
        Ok(())
    }

    fn acknowledge(&mut self, game: &'static str, result: Option<String>) -> Result<(), String> {
        match self.acknowledged.insert(game, result) {
            Some(_) => Err(format!("{game} was acknowledged twice")),
            None => Ok(()),
        }
    }

    /// Plays on without a crash, by one more runner, until all games have ended; then compares.
    fn end(&mut self) -> Result<(), String> {
        self.disk.fail_once_in(None);
        // The lists are thrown away: all follows from the records.
        let lists = std::mem::take(&mut self.lists);
        (0..self.processes.len()).for_each(|at| self.replace(at));
        let reader = self.processes.len() - 1;
        let games: BTreeSet<&str> = UNITS.iter().flat_map(|(_, games)| games).copied().collect();
        let mut steps = 0;
        // What was seen may be open again after a power cut, until somebody seals the log once more: a reader sees a
        // seal that is not on the disk yet. Another result it never has.
        while games.iter().any(|game| !self.seen.contains_key(*game) || self.followed.ending(game).is_none())
        {
            self.step_by(0, VERBS_AT_ONCE)?;
            self.step_by(reader, VERBS_AT_ONCE)?;
            steps += 1;
            if steps > 20_000 {
                return Err(format!("the games never end; these were seen: {:?}", self.seen));
            }
        }
        self.disk.settle();
        let state = ContestState::read(&self.disk).map_err(|trouble| trouble.to_string())?;
        for (game, result) in &self.acknowledged {
            if self.seen[*game] != *result {
                return Err(format!("{game}: {result:?} was acknowledged, {:?} counts", self.seen[*game]));
            }
        }
        for &game in &games {
            let result = state.result(&self.disk, game).map_err(|trouble| trouble.to_string())?;
            let came = state
                .ending(game)
                .ok_or_else(|| format!("{game}: it was seen to end, and by the files it has not"))?;
            let over = came == GameEnding::Over;
            if result.filter(|_| over).map(|cells| cells[0].clone()) != self.seen[game] {
                return Err(format!("{game}: read anew it is another result"));
            }
            let attempts = state.attempts(&self.disk, game).map_err(|trouble| trouble.to_string())?;
            let voids = attempts.iter().filter(|attempt| matches!(attempt, Attempt::Void(_))).count();
            let due = self.voids.get(game).copied().unwrap_or_default();
            if voids < due {
                return Err(format!("{game}: {voids} of {due} void attempts are left"));
            }
        }
        for list in lists {
            let mut few = ContestState::default();
            few.pass_over(list.settled.clone());
            few.follow(&self.disk).map_err(|trouble| trouble.to_string())?;
            for game in games.iter().filter(|game| !list.games.contains(**game)) {
                let of = |state: &ContestState| {
                    Ok((state.result(&self.disk, game)?, state.attempts(&self.disk, game)?))
                };
                let told = |trouble: Trouble| trouble.to_string();
                if of(&few).map_err(told)? != of(&state).map_err(told)? {
                    return Err(format!("{game}: {list:?} leaves out what must be read"));
                }
            }
        }
        self.followed.follow(&self.disk).map_err(|trouble| trouble.to_string())?;
        if self.followed != ContestState::read(&self.disk).map_err(|trouble| trouble.to_string())? {
            return Err("what was followed is not what is read anew".to_owned());
        }
        Ok(())
    }
}

enum Next {
    Claimed(Claim, Option<&'static str>),
    Begun(Begun),
}

/// What is done next in a schedule.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Move {
    /// A process does some verbs.
    Step { process: usize, verbs: usize },
    /// It is killed, and another one starts.
    Kill { process: usize },
    /// The power fails for all.
    CutPower,
}

/// Returns the moves of a schedule: up to four crashes at any verb.
fn moves(seed: u64) -> Vec<Move> {
    let mut random = Random::new(seed ^ 0x0dd5);
    let mut crashes = 0;
    let mut next = |_| match random.below(32) {
        0 if crashes < 4 => {
            crashes += 1;
            Move::Kill { process: random.below(3) }
        }
        1 if crashes < 4 => {
            crashes += 1;
            Move::CutPower
        }
        _ => Move::Step { process: random.below(4), verbs: 1 + random.below(VERBS_AT_ONCE) },
    };
    (0..160).map(&mut next).collect()
}

/// Plays these moves with three runners and a reader, and then to the end.
fn play(system: System, omitted: Option<Omitted>, seed: u64, moves: &[Move]) -> Result<(), String> {
    let mut contest = Contest::new(system, omitted, seed, 3);
    contest.disk.fail_once_in(seed.is_multiple_of(3).then_some(60));
    for next in moves {
        match *next {
            Move::Kill { process } => contest.replace(process),
            Move::CutPower => contest.cut_power(),
            Move::Step { process, verbs } => contest.step_by(process, verbs)?,
        }
    }
    contest.end()
}

/// Returns the first seed of a range with a fault, and the fault.
fn first_fault(
    system: System,
    omitted: Option<Omitted>,
    seeds: impl Iterator<Item = u64>,
) -> Option<(u64, String)> {
    let fault = |seed| play(system, omitted, seed, &moves(seed)).err().map(|fault| (seed, fault));
    seeds.into_iter().find_map(fault)
}

/// Leaves out moves of a schedule, as long as it has a fault.
fn minimised(system: System, omitted: Option<Omitted>, seed: u64) -> Vec<Move> {
    let mut left = moves(seed);
    let mut length = left.len();
    while length > 0 {
        let before = left.len();
        let mut from = 0;
        while from < left.len() {
            let mut fewer = left.clone();
            fewer.drain(from..(from + length).min(left.len()));
            match play(system, omitted, seed, &fewer) {
                Err(_) => left = fewer,
                Ok(()) => from += length,
            }
        }
        // Once more with single moves, until none can go.
        if length > 1 || left.len() == before {
            length /= 2;
        }
    }
    left
}

/// A fault of a schedule, with the moves that are enough for it.
fn told(system: System, omitted: Option<Omitted>, (seed, fault): &(u64, String)) -> String {
    let moves = minimised(system, omitted, *seed);
    format!("{system:?}, REFEREE_TEST_SEED={seed}: {fault}; enough for it: {moves:?}")
}

#[test]
fn of_a_schedule_with_a_fault_the_moves_that_are_enough_for_it_are_left() {
    let (system, omitted) = (System::Ext4, Some(Omitted::Sync("runs/")));
    let (seed, _) = first_fault(system, omitted, 0..20_000).expect("a fault");
    let least = minimised(system, omitted, seed);
    assert!(least.contains(&Move::CutPower) && least.len() < moves(seed).len() / 2, "{least:?}");
    assert!(play(system, omitted, seed, &least).is_err(), "{least:?}");
    for left_out in 0..least.len() {
        let fewer: Vec<Move> = (0..least.len()).filter(|at| *at != left_out).map(|at| least[at]).collect();
        assert_eq!(play(system, omitted, seed, &fewer), Ok(()), "{:?} can go", least[left_out]);
    }
}

/// Reads a number that `scripts/simulate` sets.
fn given(name: &str, by_default: u64) -> u64 {
    std::env::var(name).ok().and_then(|number| number.parse().ok()).unwrap_or(by_default)
}

#[test]
fn each_game_counts_once_whatever_happens() {
    // The same schedules in each run: a change is judged by what it changed.
    let base = given("REFEREE_TEST_SEED", 0);
    for system in [System::Ext4, System::Posix, System::Nfs] {
        let fault = first_fault(system, None, base..base + given("REFEREE_TEST_SCHEDULES", SCHEDULES));
        if let Some(fault) = fault {
            panic!("{}", told(system, None, &fault));
        }
    }
}

/// Number of schedules for each system.
const SCHEDULES: u64 = 3_000;

/// Schedules that once had a fault, after their moves were minimised.
const KEPT: &[(System, u64, &[Move])] = &[
    // A runner took its claim for good though the sync of the name had failed.
    (
        System::Posix,
        17_943,
        &[
            Move::Step { process: 3, verbs: 4 },
            Move::Step { process: 1, verbs: 3 },
            Move::Step { process: 3, verbs: 8 },
            Move::Step { process: 2, verbs: 6 },
            Move::Step { process: 0, verbs: 7 },
            Move::Step { process: 1, verbs: 1 },
            Move::Step { process: 0, verbs: 8 },
            Move::Step { process: 3, verbs: 6 },
            Move::Step { process: 0, verbs: 7 },
            Move::Step { process: 2, verbs: 7 },
            Move::Kill { process: 0 },
            Move::Step { process: 3, verbs: 2 },
            Move::Step { process: 0, verbs: 8 },
            Move::Step { process: 1, verbs: 2 },
            Move::Step { process: 3, verbs: 5 },
            Move::Step { process: 0, verbs: 3 },
            Move::Step { process: 0, verbs: 2 },
            Move::Step { process: 2, verbs: 5 },
            Move::Step { process: 2, verbs: 5 },
            Move::Step { process: 2, verbs: 3 },
            Move::Step { process: 2, verbs: 3 },
            Move::Step { process: 2, verbs: 3 },
            Move::CutPower,
        ],
    ),
];

#[test]
fn schedules_that_once_had_a_fault_have_none() {
    for (system, seed, moves) in KEPT {
        assert_eq!(play(*system, None, *seed, moves), Ok(()), "{system:?}, {seed}");
    }
}

/// What befalls the first of two runners.
#[derive(Clone, Copy, Debug)]
enum Fate {
    /// It loses its lock, sleeps, and goes on later.
    Sleeps,
    IsKilled,
    /// The power fails for both.
    LosesPower(u64),
}

#[test]
fn two_runners_of_one_unit_may_be_interrupted_at_any_two_verbs() {
    let fates = [Fate::Sleeps, Fate::IsKilled, Fate::LosesPower(1), Fate::LosesPower(2)];
    for system in [System::Ext4, System::Posix, System::Nfs] {
        for fate in fates {
            for (first, second) in
                (0..VERBS_OF_ONE * VERBS_OF_ONE).map(|at| (at / VERBS_OF_ONE, at % VERBS_OF_ONE))
            {
                let fault = interrupted(system, fate, first, second).err();
                assert!(fault.is_none(), "{system:?}, {fate:?}, {first} and {second} verbs: {fault:?}");
            }
        }
    }
}

/// More verbs than a runner needs to start, to claim a unit, and to end a game.
const VERBS_OF_ONE: usize = 45;

/// The first runner does some verbs, then something befalls it; the second does some, and the first goes on; then both
/// are gone, and a third plays to the end.
fn interrupted(system: System, fate: Fate, first: usize, second: usize) -> Result<(), String> {
    let seed = if let Fate::LosesPower(seed) = fate { seed } else { 0 };
    let mut contest = Contest::new(system, None, seed, 2);
    (0..first).try_for_each(|_| contest.step_by(0, 1))?;
    match fate {
        Fate::Sleeps => contest.disk.kill(contest.processes[0].number),
        Fate::IsKilled => contest.replace(0),
        Fate::LosesPower(_) => contest.cut_power(),
    }
    (0..second).try_for_each(|_| contest.step_by(1, 1))?;
    (0..VERBS_OF_ONE).try_for_each(|_| contest.step_by(0, 1))?;
    contest.end()
}

#[test]
fn whatever_is_left_out_is_noticed() {
    let least = [
        (Omitted::Sync("runs/"), System::Ext4),
        (Omitted::Sync("made/"), System::Posix),
        (Omitted::SyncFolder("runs"), System::Posix),
        (Omitted::SyncFolder("claims"), System::Posix),
        (Omitted::SyncFolder("sealed"), System::Posix),
        (Omitted::SyncNamed, System::Posix),
        (Omitted::List("sealing"), System::Nfs),
    ];
    for (omitted, system) in least {
        let fault = first_fault(system, Some(omitted), 0..20_000);
        let Some(fault) = fault else { panic!("{omitted:?}: nothing is seen") };
        println!("{omitted:?}, {system:?}: {fault:?}");
    }
}
