//! The state of a contest, which says what counts: a pure function of the files.

use std::collections::{BTreeMap, BTreeSet};
use std::io::ErrorKind;
use std::sync::Arc;

use crate::event::{Event, Kind, each_event};
use crate::{Disk, Trouble};

/// Number of bytes at the end of a log in which watchers look for attempts.
const TAIL: u64 = 8 << 20;

/// Number of bytes at the start of two logs that are compared to find out whether one is a copy of the other.
const START: u64 = 4096;

/// Maximum length of a claim or a seal, in bytes.
const TEXT_MAX: u64 = 4096;

/// The state of a contest: what its files say about each game. Equal files give equal states.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ContestState {
    logs: BTreeMap<Arc<str>, Log>,
    /// What has happened to each game, by try, runner and number.
    games: BTreeMap<String, Vec<Entry>>,
    /// The runners with attempts that have no end, by game.
    open: BTreeMap<String, BTreeSet<Arc<str>>>,
    /// The runner that holds this state, if one does.
    own: Option<Own>,
    /// The runners whose sealed logs are not read: all that these logs say is known otherwise.
    passed_over: BTreeSet<Arc<str>>,
}

/// The runner that holds a state. It tells the state what it writes.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Own {
    runner: Arc<str>,
    /// The number of its records that are certainly on the disk.
    certain: u64,
}

/// What is known of a log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Log {
    /// The number of its bytes that were read.
    bytes: u64,
    /// The number of its records that were read.
    records: u64,
    /// The number of records that count, once it is sealed.
    seal: Option<u64>,
    /// The attempts without an end, by game.
    open: BTreeMap<String, Entry>,
    notes: Vec<Entry>,
}

/// The place of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Entry {
    kind: Kind,
    attempt: u32,
    runner: Arc<str>,
    /// The number of the record in the log, from 0.
    number: u64,
    /// Its first byte in the log, and its length in bytes.
    from: u64,
    length: u64,
}

impl Entry {
    fn order(&self) -> (u32, &str, u64) {
        (self.attempt, &self.runner, self.number)
    }
}

/// How a game has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GameEnding {
    /// It was played to its end.
    Over,
    /// It was given up.
    GivenUp,
}

/// An attempt at a game that does not count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Attempt {
    /// It was void, for a reason that its runner recorded.
    Void(Vec<String>),
    /// It was lost with its runner, which recorded this at its beginning.
    Lost(Vec<String>),
}

/// An attempt that has no end: the game, and the cells of its beginning.
pub type OpenAttempt = (String, Vec<String>);

impl ContestState {
    /// Reads all files.
    pub fn read(disk: &impl Disk) -> Result<ContestState, Trouble> {
        let mut state = ContestState::default();
        state.follow(disk)?;
        Ok(state)
    }

    /// Reads what is new. The result is that of [`read`](ContestState::read).
    pub fn follow(&mut self, disk: &impl Disk) -> Result<(), Trouble> {
        // The seals first: a log is sealed when its records are on the disk.
        let sealed = self.not_passed_over(sorted_names(disk, "sealed")?);
        self.read_seals(disk, sealed)?;
        let runs = self.not_passed_over(sorted_names(disk, "runs")?);
        self.read_logs(disk, runs)
    }

    /// From now on, passes over the logs of these runners, which were [settled](ContestState::settled). A log is read
    /// all the same if it is asked for by name.
    pub fn pass_over(&mut self, runners: impl IntoIterator<Item = String>) {
        self.passed_over.extend(runners.into_iter().map(Arc::from));
    }

    fn not_passed_over(&self, mut runners: Vec<String>) -> Vec<String> {
        runners.retain(|runner| !self.passed_over.contains(&**runner));
        runners
    }

    /// Lists the runners that can be [passed over](ContestState::pass_over) later: their logs are sealed, and each game
    /// of which they say anything is known otherwise. Waits until the seals are on the disk: if a seal got lost, a
    /// later runner could make another one, by which more of the log counts.
    pub fn settled(&self, disk: &impl Disk, is_known: impl Fn(&str) -> bool) -> Result<Vec<String>, Trouble> {
        let sealed = self.logs.iter().filter(|(_, log)| log.is_whole());
        let mut settled: BTreeSet<&str> = sealed.map(|(runner, _)| &**runner).collect();
        for (_, entries) in self.games.iter().filter(|(game, _)| !is_known(game)) {
            settled.retain(|runner| !entries.iter().any(|entry| *entry.runner == **runner));
        }
        for (_, runners) in self.open.iter().filter(|(game, _)| !is_known(game)) {
            settled.retain(|runner| !runners.contains(*runner));
        }
        if !settled.is_empty() {
            disk.sync_folder("sealed").map_err(Trouble::system("sync", "sealed"))?;
        }
        Ok(settled
            .into_iter()
            .chain(self.passed_over.iter().map(|runner| &**runner))
            .map(str::to_owned)
            .collect())
    }

    /// Reads what is new of these runners alone. If they are all that have claimed a unit, the state is then complete
    /// for the games of that unit.
    pub fn follow_some(&mut self, disk: &impl Disk, runners: &[String]) -> Result<(), Trouble> {
        self.passed_over.retain(|runner| !runners.iter().any(|asked| **asked == **runner));
        // A listing shows a seal that a look-up might not.
        let mut sealed = sorted_names(disk, "sealed")?;
        sealed.retain(|runner| runners.contains(runner));
        self.read_seals(disk, sealed)?;
        self.read_logs(disk, runners.to_vec())
    }

    /// Reads what is new of the runners that have claimed a unit, and lists them, by try.
    pub fn follow_unit(&mut self, disk: &impl Disk, unit: &str) -> Result<Vec<String>, Trouble> {
        let tries = ContestState::tries_at(disk, unit)?;
        if !tries.is_empty() {
            self.follow_some(disk, &tries)?;
        }
        Ok(tries)
    }

    /// Lists the runners that have claimed a unit, by try.
    pub fn tries_at(disk: &impl Disk, unit: &str) -> Result<Vec<String>, Trouble> {
        let mut tries = Vec::new();
        read_tries(disk, unit, &mut tries)?;
        Ok(tries)
    }

    /// Takes the logs of runners that are gone as they are, as if they were sealed. For readers alone: a runner that
    /// goes on with a contest writes seals.
    pub fn close_gone(&mut self, disk: &impl Disk) -> Result<(), Trouble> {
        for (runner, log) in self.logs.iter_mut().filter(|(_, log)| log.seal.is_none()) {
            let name = format!("runs/{runner}");
            if !disk.is_locked(&name).map_err(Trouble::system("look at the lock of", &name))? {
                log.seal = Some(log.records);
            }
        }
        Ok(())
    }

    fn read_seals(&mut self, disk: &impl Disk, runners: Vec<String>) -> Result<(), Trouble> {
        for runner in runners {
            if !self.is_sealed(&runner) {
                let seal = seal_of(disk, &runner)?;
                self.seal(&runner, seal);
            }
        }
        Ok(())
    }

    fn read_logs(&mut self, disk: &impl Disk, runners: Vec<String>) -> Result<(), Trouble> {
        for runner in runners {
            // The runner that holds this state has told it what it has written.
            if self.is_sealed(&runner) || !self.is_own(&runner) {
                self.read_log(disk, &runner)?;
            }
        }
        for (runner, log) in &self.logs {
            if let Some(seal) = log.seal
                && log.records < seal
            {
                let what = format!("{} of its {seal} records are left", log.records);
                return Err(Trouble::damaged(&format!("runs/{runner}"), log.bytes, what));
            }
        }
        Ok(())
    }

    /// Reads the attempts without an end of each runner that lives. Only the last bytes of its log are read, so an
    /// attempt that began long ago can be missing. For watchers: no decision may depend on it.
    pub fn running(disk: &impl Disk) -> Result<Vec<Vec<OpenAttempt>>, Trouble> {
        let sealed = sorted_names(disk, "sealed")?;
        let mut running = Vec::new();
        for runner in sorted_names(disk, "runs")? {
            if sealed.binary_search(&runner).is_ok() {
                continue;
            }
            let name = format!("runs/{runner}");
            if !disk.is_locked(&name).map_err(Trouble::system("look at the lock of", &name))? {
                continue;
            }
            let length = disk.length(&name).map_err(Trouble::system("look at", &name))?;
            let bytes = disk.read(&name, length.saturating_sub(TAIL), TAIL);
            let bytes = bytes.map_err(Trouble::system("read", &name))?;
            let mut open = BTreeMap::new();
            for line in bytes.split_inclusive(|byte| *byte == b'\n') {
                // The first line has lost its beginning, the last one its end.
                match Event::parse(line) {
                    Some(Event { kind: Kind::Begun, game, .. }) => drop(open.insert(game, line)),
                    Some(event) => drop(open.remove(&event.game)),
                    None => {}
                }
            }
            let cells = |line: &[u8]| Event::cells_of(line).unwrap_or_default();
            running.push(open.into_iter().map(|(game, line)| (game, cells(line))).collect());
        }
        Ok(running)
    }

    /// Takes note of a seal. What was read behind it is forgotten.
    fn seal(&mut self, runner: &str, seal: u64) {
        let log = self.logs.entry(runner.into()).or_default();
        if log.records > seal {
            *log = Log::default();
            self.open.retain(|_, runners| {
                runners.remove(runner);
                !runners.is_empty()
            });
            self.games.values_mut().for_each(|entries| entries.retain(|entry| &*entry.runner != runner));
            self.games.retain(|_, entries| !entries.is_empty());
        }
        log.seal = Some(seal);
    }

    /// Reads the new records of a log: up to its seal, or its end. A torn record at the end is not read yet.
    fn read_log(&mut self, disk: &impl Disk, runner: &str) -> Result<(), Trouble> {
        let name = format!("runs/{runner}");
        let runner: Arc<str> = runner.into();
        let mut log = self.logs.remove(&runner).unwrap_or_default();
        let read = self.read_on(disk, &name, &runner, &mut log);
        self.logs.insert(Arc::clone(&runner), log);
        read.map_err(|trouble| missing_log(disk, &runner, trouble))
    }

    /// Takes note of an attempt that has no end yet.
    fn begin_attempt(&mut self, log: &mut Log, game: String, entry: Entry) {
        self.open.entry(game.clone()).or_default().insert(Arc::clone(&entry.runner));
        log.open.insert(game, entry);
    }

    /// Takes note of the end of an attempt.
    fn end_attempt(&mut self, log: &mut Log, game: &str, runner: &Arc<str>) {
        log.open.remove(game);
        if let Some(runners) = self.open.get_mut(game) {
            runners.remove(runner);
            if runners.is_empty() {
                self.open.remove(game);
            }
        }
    }

    /// Reads on in a log that was taken out of the state.
    fn read_on(
        &mut self,
        disk: &impl Disk,
        name: &str,
        runner: &Arc<str>,
        log: &mut Log,
    ) -> Result<(), Trouble> {
        if log.is_whole() {
            return Ok(());
        }
        let read = each_event(disk, name, log.bytes, |event, _, line| {
            self.take_next(disk, runner, log, event, line.len())?;
            Ok(!log.is_whole())
        });
        read.map(drop)
    }

    /// Takes the next record of a log, of this length in bytes. Fails if another runner has records of the same try.
    fn take_next(
        &mut self,
        disk: &impl Disk,
        runner: &Arc<str>,
        log: &mut Log,
        Event { kind, unit, attempt, game }: Event,
        length: usize,
    ) -> Result<(), Trouble> {
        let (number, from, length) = (log.records, log.bytes, length as u64);
        (log.bytes, log.records) = (from + length, number + 1);
        let entry = Entry { kind, attempt, runner: Arc::clone(runner), number, from, length };
        match self.take_record(log, game, entry) {
            Some(other) => Err(two_logs_of_try(disk, &unit, attempt, [runner, &other], from)),
            None => Ok(()),
        }
    }

    /// Makes this the state that a runner holds.
    pub(crate) fn belong_to(&mut self, runner: &str) {
        self.own = Some(Own { runner: runner.into(), certain: 0 });
    }

    fn is_own(&self, runner: &str) -> bool {
        self.own.as_ref().is_some_and(|own| *own.runner == *runner)
    }

    /// Counts the attempts of this runner that have no end.
    pub(crate) fn own_open(&self) -> usize {
        let log = self.own.as_ref().and_then(|own| self.logs.get(&own.runner));
        log.map_or(0, |log| log.open.len())
    }

    /// Takes a record that the runner has written, of this length in bytes.
    pub(crate) fn take_written(
        &mut self,
        disk: &impl Disk,
        event: Event,
        length: usize,
    ) -> Result<(), Trouble> {
        let Some(Own { runner, .. }) = self.own.clone() else { return Ok(()) };
        let mut log = self.logs.remove(&runner).unwrap_or_default();
        let taken = self.take_next(disk, &runner, &mut log, event, length);
        self.logs.insert(runner, log);
        taken
    }

    /// Takes note that all records which the runner has written are on the disk, and that nobody has taken it for dead.
    pub(crate) fn mark_certain(&mut self) {
        if let Some(own) = &mut self.own {
            own.certain = self.logs.get(&own.runner).map_or(0, |log| log.records);
        }
    }

    /// Takes a record of a log. If another runner has records of the same try, returns that runner, and does not take
    /// the record.
    fn take_record(&mut self, log: &mut Log, game: String, entry: Entry) -> Option<Arc<str>> {
        match entry.kind {
            Kind::Mark => {}
            Kind::Note => log.notes.push(entry),
            Kind::Begun => self.begin_attempt(log, game, entry),
            Kind::Left => self.end_attempt(log, &game, &entry.runner),
            Kind::Over | Kind::Void | Kind::GivenUp => {
                self.end_attempt(log, &game, &entry.runner);
                let entries = self.games.entry(game).or_default();
                // The claim of a unit names one runner for each try.
                let is_others =
                    |other: &&Entry| other.attempt == entry.attempt && other.runner != entry.runner;
                if let Some(other) = entries.iter().find(is_others) {
                    return Some(Arc::clone(&other.runner));
                }
                let at = entries.partition_point(|other| other.order() < entry.order());
                entries.insert(at, entry);
            }
        }
        None
    }

    /// Tells whether an entry counts: its record was certainly on the disk.
    fn counts(&self, entry: &Entry) -> bool {
        let log = &self.logs[&entry.runner];
        if let Some(seal) = log.seal {
            return entry.number < seal;
        }
        // A runner appends only behind what is on the disk: all records but the last are there.
        let certain = match &self.own {
            Some(own) if own.runner == entry.runner => own.certain,
            _ => 0,
        };
        entry.number < certain.max(log.records.saturating_sub(1))
    }

    fn end_of(&self, game: &str) -> Option<&Entry> {
        let ends = |entry: &&Entry| matches!(entry.kind, Kind::Over | Kind::GivenUp);
        self.entries(game).iter().filter(ends).find(|entry| self.counts(entry))
    }

    fn entries(&self, game: &str) -> &[Entry] {
        self.games.get(game).map_or(&[], Vec::as_slice)
    }

    /// Returns how a game has ended; `None` if it has not.
    pub fn ending(&self, game: &str) -> Option<GameEnding> {
        let end = self.end_of(game)?;
        Some(if end.kind == Kind::Over { GameEnding::Over } else { GameEnding::GivenUp })
    }

    /// Lists the games that have ended, in the order of their names.
    pub fn ended(&self) -> impl Iterator<Item = (&str, GameEnding)> {
        self.games.keys().filter_map(|game| Some((game.as_str(), self.ending(game)?)))
    }

    /// Tells whether a runner has recorded anything of a game, whether that counts or not. That it has broken off an
    /// attempt does not matter.
    pub fn has_touched(&self, runner: &str, game: &str) -> bool {
        self.entries(game).iter().any(|entry| &*entry.runner == runner)
            || self.logs.get(runner).is_some_and(|log| log.open.contains_key(game))
    }

    /// Tells whether a game was begun, by any runner.
    pub fn is_known(&self, game: &str) -> bool {
        self.games.contains_key(game) || self.open.contains_key(game)
    }

    /// Lists the games that were begun, in no order, and some twice.
    pub fn known(&self) -> impl Iterator<Item = &str> {
        self.games.keys().chain(self.open.keys()).map(String::as_str)
    }

    /// Reads the cells of a game's end: the result, or why it was given up; `None` if it has not ended.
    ///
    /// # Errors
    ///
    /// If the system refuses, or the log was changed since.
    pub fn result(&self, disk: &impl Disk, game: &str) -> Result<Option<Vec<String>>, Trouble> {
        self.end_of(game).map(|end| read_cells(disk, end)).transpose()
    }

    /// Lists the runners of those attempts at a game that have an end which is certainly on the disk, in the order of
    /// the attempts: of the one that counts, and of void ones.
    pub fn runners_of(&self, game: &str) -> impl Iterator<Item = &str> {
        self.entries(game).iter().filter(|entry| self.counts(entry)).map(|entry| &*entry.runner)
    }

    /// Returns the runner that has ended a game.
    pub fn runner_of(&self, game: &str) -> Option<&str> {
        self.end_of(game).map(|end| &*end.runner)
    }

    /// Reads the attempts at a game that do not count, by try and in the order of each log. An attempt is lost when the
    /// log of its runner is sealed and has no end of it.
    pub fn attempts(&self, disk: &impl Disk, game: &str) -> Result<Vec<Attempt>, Trouble> {
        let voids = self.entries(game).iter().filter(|entry| entry.kind == Kind::Void);
        let open = self.open.get(game).into_iter().flatten().map(|runner| &self.logs[runner]);
        let lost = open.filter(|log| log.seal.is_some()).filter_map(|log| log.open.get(game));
        let mut entries: Vec<&Entry> = voids.chain(lost).filter(|entry| self.counts(entry)).collect();
        entries.sort_by_key(|entry| entry.order());
        let attempt = |entry: &&Entry| {
            let cells = read_cells(disk, entry)?;
            Ok(if entry.kind == Kind::Void { Attempt::Void(cells) } else { Attempt::Lost(cells) })
        };
        entries.iter().map(attempt).collect()
    }

    /// Lists the games with a lost attempt, in the order of the runners.
    pub fn lost(&self) -> impl Iterator<Item = &str> {
        self.logs
            .values()
            .filter(|log| log.seal.is_some())
            .flat_map(|log| log.open.keys().map(String::as_str))
    }

    /// Lists the games with a void attempt, and those that were given up.
    pub fn voided(&self) -> impl Iterator<Item = &str> {
        let is_void = |entry: &Entry| matches!(entry.kind, Kind::Void | Kind::GivenUp) && self.counts(entry);
        let voided = self.games.iter().filter(move |(_, entries)| entries.iter().any(is_void));
        voided.map(|(game, _)| game.as_str())
    }

    /// Lists all runners, in the order of their names.
    pub fn runners(&self) -> impl Iterator<Item = &str> {
        self.logs.keys().map(|runner| &**runner)
    }

    /// Lists the runners whose logs are not sealed: some live, and of the others nobody has noticed yet that they are
    /// gone.
    pub fn unsealed(&self) -> impl Iterator<Item = &str> {
        self.logs.iter().filter(|(_, log)| log.seal.is_none()).map(|(runner, _)| &**runner)
    }

    /// Reads the attempts of a runner that have no end.
    pub fn open_of(&self, disk: &impl Disk, runner: &str) -> Result<Vec<OpenAttempt>, Trouble> {
        let open = self.logs.get(runner).into_iter().flat_map(|log| &log.open);
        open.map(|(game, entry)| Ok((game.clone(), read_cells(disk, entry)?))).collect()
    }

    /// Reads what a runner has recorded about itself.
    pub fn notes(&self, disk: &impl Disk, runner: &str) -> Result<Vec<Vec<String>>, Trouble> {
        let notes = self.logs.get(runner).into_iter().flat_map(|log| &log.notes);
        notes.map(|entry| read_cells(disk, entry)).collect()
    }

    pub(crate) fn is_sealed(&self, runner: &str) -> bool {
        self.logs.get(runner).is_some_and(|log| log.seal.is_some())
    }

    pub(crate) fn records(&self, runner: &str) -> u64 {
        self.logs.get(runner).map_or(0, |log| log.records)
    }
}

impl Log {
    /// Tells whether all of its records that count were read.
    fn is_whole(&self) -> bool {
        self.seal.is_some_and(|seal| self.records >= seal)
    }
}

/// Returns the trouble with the log of a runner that a claim or a seal names. A runner claims nothing before its log is
/// there. So if the log is not listed either, it was removed, and no retry helps.
fn missing_log(disk: &impl Disk, runner: &str, trouble: Trouble) -> Trouble {
    let is_missing = matches!(&trouble, Trouble::System { error, .. } if error.kind() == ErrorKind::NotFound);
    let is_listed =
        || sorted_names(disk, "runs").is_ok_and(|runners| runners.iter().any(|known| known == runner));
    if is_missing && !is_listed() {
        return Trouble::damaged(&format!("runs/{runner}"), 0, "the file is missing");
    }
    trouble
}

fn sorted_names(disk: &impl Disk, folder: &str) -> Result<Vec<String>, Trouble> {
    let mut names = disk.list(folder).map_err(Trouble::system("list", folder))?;
    names.sort_unstable();
    Ok(names)
}

/// Adds the runners of the tries at a unit that are not in this list yet.
pub(crate) fn read_tries(disk: &impl Disk, unit: &str, tries: &mut Vec<String>) -> Result<(), Trouble> {
    loop {
        match text_of(disk, &format!("claims/{unit}.{}", tries.len())) {
            Ok(runner) => tries.push(runner),
            Err(Trouble::System { error, .. }) if error.kind() == ErrorKind::NotFound => return Ok(()),
            Err(trouble) => return Err(trouble),
        }
    }
}

/// Returns the trouble with two logs that have records of the same try. If they begin alike, one is a copy of the
/// other, and the claim of the unit names the runner of the original. Otherwise the first is damaged, at this place.
fn two_logs_of_try(
    disk: &impl Disk,
    unit: &str,
    attempt: u32,
    [runner, other]: [&str; 2],
    from: u64,
) -> Trouble {
    let start = |name: &str| disk.read(&format!("runs/{name}"), 0, START).ok();
    let claim = text_of(disk, &format!("claims/{unit}.{attempt}")).ok();
    let is_alike = || start(runner) == start(other);
    let copy = |name: &str, original: &str| Trouble::Copy {
        name: format!("runs/{name}"),
        original: format!("runs/{original}"),
    };
    match claim {
        Some(claim) if claim == other && is_alike() => copy(runner, other),
        Some(claim) if claim == runner && is_alike() => copy(other, runner),
        _ => {
            let what = format!("a try that runs/{other} has made, too");
            Trouble::damaged(&format!("runs/{runner}"), from, what)
        }
    }
}

/// Reads the seal of a runner: how many of its records count.
pub(crate) fn seal_of(disk: &impl Disk, runner: &str) -> Result<u64, Trouble> {
    let name = format!("sealed/{runner}");
    text_of(disk, &name)?.parse().map_err(|_| Trouble::damaged(&name, 0, "not a number of records"))
}

/// Reads a claim or a seal. Fails if it is empty, since it was then not written to its end.
pub(crate) fn text_of(disk: &impl Disk, name: &str) -> Result<String, Trouble> {
    let bytes = disk.read(name, 0, TEXT_MAX).map_err(Trouble::system("read", name))?;
    let text = String::from_utf8(bytes).ok().filter(|text| !text.is_empty());
    text.ok_or_else(|| Trouble::damaged(name, 0, "it is empty, or no text"))
}

fn read_cells(disk: &impl Disk, entry: &Entry) -> Result<Vec<String>, Trouble> {
    let name = format!("runs/{}", entry.runner);
    let mut line = Vec::new();
    while (line.len() as u64) < entry.length {
        let (from, left) = (entry.from + line.len() as u64, entry.length - line.len() as u64);
        let more = disk.read(&name, from, left).map_err(Trouble::system("read", &name))?;
        if more.is_empty() {
            break;
        }
        line.extend(more);
    }
    Event::cells_of(&line).ok_or_else(|| Trouble::damaged(&name, entry.from, "a record was changed"))
}
