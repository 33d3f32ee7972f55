//! A runner: claims units, records what happens to their games, and takes over from runners that are gone.

use std::collections::BTreeMap;
use std::io;

use crate::event::{Event, Kind};
use crate::state::{ContestState, read_tries, text_of};
use crate::{Disk, Trouble};

/// The folders of a store.
const FOLDERS: [&str; 5] = ["runs", "claims", "sealing", "sealed", "made"];

/// Maximum length of a name, in bytes.
const NAME_MAX: usize = 100;

/// Room that is kept on the disk for the end of an attempt, in bytes: the rows of a game of a hundred seats.
const END_ROOM: u64 = 32 << 10;

/// A runner, from its start to its end. Each start has a name and a log of its own.
///
/// After an error of a write, and when others have taken it for dead, it can do no more: another one has to start.
#[derive(Clone, Debug)]
pub struct Runner<D: Disk> {
    disk: D,
    name: String,
    log: D::File,
    state: ContestState,
    /// The runner of each try at each unit that was looked up.
    claims: BTreeMap<String, Vec<String>>,
    /// Number of texts that it has written to the folder `made` so far.
    made: u32,
    /// Why it can do no more; `None` if it can.
    stopped: Option<Stopped>,
}

/// Why a runner can do no more.
#[derive(Clone, Copy, Debug)]
enum Stopped {
    /// A write has failed, or it has ended in an orderly way.
    Broken,
    /// Others have taken it for dead.
    TakenOver,
}

/// The answer to a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claim {
    /// This runner plays the open games of the unit.
    Mine,
    /// A runner that lives does.
    Others,
    /// All games of the unit have ended.
    Over,
}

/// An attempt at a game that this runner has begun.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use = "its end is to be recorded"]
pub struct Begun {
    unit: String,
    attempt: u32,
    game: String,
}

impl<D: Disk> Runner<D> {
    /// Starts a runner. Its name has letters, digits, `_` and `-`. It fails if another runner has ever had this name.
    pub fn start(disk: D, name: &str) -> Result<Runner<D>, Trouble> {
        check_name(name)?;
        for folder in FOLDERS {
            disk.make_folder(folder).map_err(Trouble::system("make", folder))?;
        }
        disk.sync_folder("").map_err(Trouble::system("sync", "the folder"))?;
        let path = format!("runs/{name}");
        let log = disk.create(&path).map_err(Trouble::system("begin", &path))?;
        disk.lock(&log).map_err(Trouble::system("lock", &path))?;
        // Its claims name this log, so it must be on the disk before them.
        disk.sync(&log).map_err(Trouble::system("sync", &path))?;
        disk.sync_folder("runs").map_err(Trouble::system("sync", "runs"))?;
        let mut state = ContestState::default();
        state.belong_to(name);
        Ok(Runner {
            disk,
            name: name.to_owned(),
            log,
            state,
            claims: BTreeMap::new(),
            made: 0,
            stopped: None,
        })
    }

    /// Returns its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns what the files said when they were last read.
    pub fn state(&self) -> &ContestState {
        &self.state
    }

    /// As [`ContestState::pass_over`].
    pub fn pass_over(&mut self, runners: impl IntoIterator<Item = String>) {
        self.state.pass_over(runners);
    }

    /// Reads what is new in the files.
    pub fn follow(&mut self) -> Result<&ContestState, Trouble> {
        self.state.follow(&self.disk)?;
        Ok(&self.state)
    }

    /// Lists those of these games that have not ended, as far as this runner knows.
    pub fn open<'g>(&self, games: &[&'g str]) -> Vec<&'g str> {
        games.iter().copied().filter(|game| self.state.ending(game).is_none()).collect()
    }

    /// Claims a unit with these games, unless a runner that lives has it. If its runner is gone, this runner seals the
    /// log of that runner and takes over.
    pub fn claim(&mut self, unit: &str, games: &[&str]) -> Result<Claim, Trouble> {
        self.claim_if(unit, games, false)
    }

    /// As [`claim`](Runner::claim), but takes over from a runner that lives, too, since it hangs.
    pub fn take_over(&mut self, unit: &str, games: &[&str]) -> Result<Claim, Trouble> {
        self.claim_if(unit, games, true)
    }

    fn claim_if(&mut self, unit: &str, games: &[&str], is_forced: bool) -> Result<Claim, Trouble> {
        check_name(unit)?;
        self.check()?;
        loop {
            if self.is_mine(unit) {
                return Ok(if self.open(games).is_empty() { Claim::Over } else { Claim::Mine });
            }
            read_tries(&self.disk, unit, self.claims.entry(unit.to_owned()).or_default())?;
            let tries = self.claims[unit].clone();
            if let Some(last) = tries.last() {
                // Other runners cannot have begun a game of this unit. A seal is looked for first: records behind it
                // must not be read.
                let look = self.disk.is_there_now("sealed", last, &self.name);
                look.map_err(Trouble::system("look at", "sealed"))?;
                self.state.follow_some(&self.disk, &tries)?;
                if self.open(games).is_empty() {
                    return Ok(Claim::Over);
                }
                if *last == self.name {
                    return Ok(Claim::Mine);
                }
                if !self.state.is_sealed(last) {
                    if !is_forced && self.is_alive(last)? {
                        return Ok(Claim::Others);
                    }
                    self.seal(last)?;
                    continue;
                }
                // The runner that has made the seal may not have waited yet until it is on the disk.
                self.disk.sync_folder("sealed").map_err(Trouble::system("sync", "sealed"))?;
            }
            let name = self.name.clone();
            let claimant = self.publish(&format!("claims/{unit}.{}", tries.len()), &name)?;
            self.claims.entry(unit.to_owned()).or_default().push(claimant);
        }
    }

    /// Returns the runner that has claimed a unit last, as far as this one knows.
    pub fn runner_at(&self, unit: &str) -> Option<&str> {
        self.claims.get(unit)?.last().map(String::as_str)
    }

    /// Tells whether what this runner has recorded of a game counts, though others have taken the runner for dead;
    /// `None` if they have not sealed its log yet.
    pub fn counts_after_all(&mut self, game: &str) -> Result<Option<bool>, Trouble> {
        self.state.follow_some(&self.disk, std::slice::from_ref(&self.name))?;
        if !self.state.is_sealed(&self.name) {
            return Ok(None);
        }
        Ok(Some(self.state.ending(game).is_some()))
    }

    /// Returns the number of this runner's try at a unit, from 0; `None` if it has not claimed the unit.
    pub fn try_at(&self, unit: &str) -> Option<u32> {
        let tries = self.claims.get(unit)?;
        (tries.last()? == &self.name).then(|| tries.len() as u32 - 1)
    }

    fn is_mine(&self, unit: &str) -> bool {
        self.try_at(unit).is_some()
    }

    /// Tells whether a runner holds the lock of its log.
    fn is_alive(&self, runner: &str) -> Result<bool, Trouble> {
        let path = format!("runs/{runner}");
        self.disk.is_locked(&path).map_err(Trouble::system("look at the lock of", &path))
    }

    /// Seals the logs of all runners that are gone. Lists the others that live.
    pub fn seal_gone(&mut self) -> Result<Vec<String>, Trouble> {
        self.check()?;
        self.remove_made();
        self.state.follow(&self.disk)?;
        let others: Vec<String> =
            self.state.unsealed().filter(|runner| *runner != self.name).map(str::to_owned).collect();
        let (mut alive, count) = (Vec::new(), others.len());
        for runner in others {
            if self.is_alive(&runner)? {
                alive.push(runner);
            } else {
                self.seal(&runner)?;
            }
        }
        if alive.len() < count {
            self.state.follow(&self.disk)?;
        }
        Ok(alive)
    }

    /// Removes the texts in the folder `made` of runners whose logs are sealed. If the system refuses, they stay.
    fn remove_made(&self) {
        let made = self.disk.list("made").unwrap_or_default();
        if made.is_empty() {
            return;
        }
        let sealed = self.disk.list("sealed").unwrap_or_default();
        for name in made {
            let is_of_sealed = |(runner, _): (&str, &str)| sealed.iter().any(|sealed| sealed == runner);
            if name.rsplit_once('-').is_some_and(is_of_sealed) {
                let _ = self.disk.remove(&format!("made/{name}"));
            }
        }
    }

    /// Seals the log of a runner that is gone: what it may still write no longer counts.
    fn seal(&mut self, runner: &str) -> Result<(), Trouble> {
        // If that runner lives after all, it sees this file at its next record, and stops.
        self.publish(&format!("sealing/{runner}"), runner)?;
        self.state.follow_some(&self.disk, &[runner.to_owned()])?;
        let path = format!("runs/{runner}");
        self.disk.sync_named(&path).map_err(Trouble::system("sync", &path))?;
        let records = self.state.records(runner);
        self.publish(&format!("sealed/{runner}"), &records.to_string()).map(drop)
    }

    /// Writes a text under a name, unless the name is taken, and waits until the name is on the disk. Returns the text
    /// that is there: this one, or that of another runner.
    fn publish(&mut self, to: &str, text: &str) -> Result<String, Trouble> {
        self.made += 1;
        let made = format!("made/{}-{}", self.name, self.made);
        let published = self.publish_by(&made, to, text);
        // After an error the name can be there, and not on the disk: then a claim could be lost that this runner relies
        // on.
        if published.is_err() {
            self.stopped = Some(Stopped::Broken);
        }
        published
    }

    /// Writes the text to `made`, and links that file to `to`.
    fn publish_by(&self, made: &str, to: &str, text: &str) -> Result<String, Trouble> {
        let write = || -> io::Result<()> {
            let file = self.disk.create(made)?;
            self.disk.append(&file, text.as_bytes())?;
            self.disk.sync(&file)
        };
        write().map_err(Trouble::system("write", made))?;
        let linked = self.disk.link(made, to);
        let found = text_of(&self.disk, to).map_err(|trouble| match (trouble, linked) {
            (Trouble::System { .. }, Err(error)) => Trouble::system("publish", to)(error),
            (trouble, _) => trouble,
        })?;
        let folder = to.split('/').next().unwrap_or_default();
        self.disk.sync_folder(folder).map_err(Trouble::system("sync", folder))?;
        self.disk.remove(made).map_err(Trouble::system("remove", made))?;
        Ok(found)
    }

    /// Records something about this runner, which readers find in [`ContestState::notes`].
    pub fn note(&mut self, cells: &[String]) -> Result<(), Trouble> {
        self.check()?;
        self.append(Event::of_runner(Kind::Note), cells)
    }

    /// Records that an attempt at a game of a claimed unit begins. If this runner is killed, it counts as lost. Room is
    /// kept for the end, so a disk that gets full meanwhile loses no attempt.
    ///
    /// # Errors
    ///
    /// If the system refuses, the unit is not claimed, or the game's name is not plain.
    pub fn begin(&mut self, unit: &str, game: &str, cells: &[String]) -> Result<Begun, Trouble> {
        let begun = self.at_once(unit, game)?;
        // For the ends of all open attempts and of this one, and for this record.
        let room = END_ROOM * (self.state.own_open() as u64 + 2);
        let path = format!("runs/{}", self.name);
        self.disk.keep_room(&self.log, room).map_err(Trouble::system("keep room for results in", &path))?;
        self.record(Kind::Begun, &begun, cells)?;
        Ok(begun)
    }

    /// Returns an attempt that ends at once: its end can be recorded, and its beginning is not.
    pub fn at_once(&self, unit: &str, game: &str) -> Result<Begun, Trouble> {
        check_name(game)?;
        self.check()?;
        match self.try_at(unit) {
            Some(attempt) => Ok(Begun { unit: unit.to_owned(), attempt, game: game.to_owned() }),
            None => Err(Trouble::Unfit(format!("{unit} is not claimed"))),
        }
    }

    /// Records the result of a game. When this returns, it counts, for good.
    ///
    /// # Errors
    ///
    /// If the system refuses, or others have taken over: then it is not known whether it counts.
    pub fn over(&mut self, begun: Begun, cells: &[String]) -> Result<(), Trouble> {
        self.record_for_good(Kind::Over, &begun, cells)
    }

    /// Records that an attempt does not count.
    pub fn void(&mut self, begun: Begun, cells: &[String]) -> Result<(), Trouble> {
        self.record_for_good(Kind::Void, &begun, cells)
    }

    /// Records that a game is not tried again.
    pub fn give_up(&mut self, begun: Begun, cells: &[String]) -> Result<(), Trouble> {
        self.record_for_good(Kind::GivenUp, &begun, cells)
    }

    /// Records that this runner breaks an attempt off. It neither counts nor is it lost.
    pub fn leave(&mut self, begun: Begun) -> Result<(), Trouble> {
        self.record_for_good(Kind::Left, &begun, &[])
    }

    /// Writes a mark, which shows to others that the record before it is on the disk. To be called before a pause.
    pub fn rest(&mut self) -> Result<(), Trouble> {
        self.check()?;
        self.append(Event::of_runner(Kind::Mark), &[])
    }

    /// Ends the runner in an orderly way: it seals its own log, so nobody has to. It can then do no more.
    pub fn end(&mut self) -> Result<(), Trouble> {
        let _ = self.disk.keep_room(&self.log, 0); // room that stays reserved does no harm
        self.check()?;
        let records = self.state.records(&self.name);
        let name = self.name.clone();
        let sealed = self.publish(&format!("sealed/{name}"), &records.to_string());
        self.stopped = Some(Stopped::Broken);
        sealed.map(drop)
    }

    /// Records the end of an attempt. Fails if others have taken this runner for dead.
    fn record_for_good(&mut self, kind: Kind, begun: &Begun, cells: &[String]) -> Result<(), Trouble> {
        self.check()?;
        self.record(kind, begun, cells)?;
        // Another runner that seals this log first makes a file in `sealing`, and then reads the log.
        let is_sealing = self.disk.is_there_now("sealing", &self.name, &self.name);
        match is_sealing.map_err(Trouble::system("look at", "sealing")) {
            Ok(false) => {
                self.state.mark_certain();
                Ok(())
            }
            Ok(true) => {
                self.stopped = Some(Stopped::TakenOver);
                Err(Trouble::TakenOver)
            }
            Err(trouble) => {
                self.stopped = Some(Stopped::Broken);
                Err(trouble)
            }
        }
    }

    fn record(&mut self, kind: Kind, begun: &Begun, cells: &[String]) -> Result<(), Trouble> {
        let Begun { unit, attempt, game } = begun.clone();
        self.append(Event { kind, unit, attempt, game }, cells)
    }

    /// Appends a record, and waits until it is on the disk. So a further record shows that this one is.
    fn append(&mut self, event: Event, cells: &[String]) -> Result<(), Trouble> {
        let line = event.line(cells)?;
        let written = self.disk.append(&self.log, &line).and_then(|()| self.disk.sync(&self.log));
        // Part of the record may be there, and a second sync would prove nothing.
        if written.is_err() {
            self.stopped = Some(Stopped::Broken);
        }
        written.map_err(|error| Trouble::system("write", &format!("runs/{}", self.name))(error))?;
        self.state.take_written(&self.disk, event, line.len())
    }

    fn check(&self) -> Result<(), Trouble> {
        match self.stopped {
            None => Ok(()),
            Some(Stopped::Broken) => Err(Trouble::Broken),
            Some(Stopped::TakenOver) => Err(Trouble::TakenOver),
        }
    }
}

fn check_name(name: &str) -> Result<(), Trouble> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-".contains(&byte);
    if name.is_empty() || name.len() > NAME_MAX || !name.bytes().all(is_plain) {
        let what = format!("{name:?}: a name has letters, digits, _ and -, up to {NAME_MAX}");
        return Err(Trouble::Unfit(what));
    }
    Ok(())
}
