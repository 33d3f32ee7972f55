//! A runner: claims units, records what happens to their games, and takes over from runners that are gone.

use std::collections::BTreeMap;
use std::io;

use crate::event::{Event, Kind};
use crate::state::{ContestState, look_up, text_of};
use crate::{Disk, Trouble};

/// The folders of a store.
const FOLDERS: [&str; 5] = ["runs", "claims", "sealing", "sealed", "made"];

/// Maximum length of a name, in bytes.
const NAME_MAX: usize = 100;

/// Room that is kept on the disk for the end of an attempt, in bytes: the rows of a game of a hundred seats.
const END_ROOM: u64 = 32 << 10;

/// A runner, from its start to its end. It has one log and never appends to that of an earlier start.
///
/// After an error of a write, and when others have taken it for dead, it can do no more: another one starts.
#[derive(Clone, Debug)]
pub struct Runner<D: Disk> {
    disk: D,
    name: String,
    log: D::File,
    state: ContestState,
    /// The runner of each try at each unit that was looked up.
    claims: BTreeMap<String, Vec<String>>,
    /// Number of texts that were written beside their place.
    made: u32,
    /// Why it can do no more.
    ended: Option<Stopped>,
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
    /// Starts a runner. No other may have had its name: letters, digits, `_` and `-`.
    ///
    /// # Errors
    ///
    /// If one has, or the system refuses, or a file of the store is damaged.
    pub fn start(disk: D, name: &str) -> Result<Runner<D>, Trouble> {
        check_name(name)?;
        for folder in FOLDERS {
            disk.make_folder(folder).map_err(Trouble::system("make", folder))?;
        }
        disk.sync_folder("").map_err(Trouble::system("sync", "the folder"))?;
        let path = format!("runs/{name}");
        let log = disk.create(&path).map_err(Trouble::system("begin", &path))?;
        disk.lock(&log).map_err(Trouble::system("lock", &path))?;
        // Whatever names this runner from now on must find its log.
        disk.sync(&log).map_err(Trouble::system("sync", &path))?;
        disk.sync_folder("runs").map_err(Trouble::system("sync", "runs"))?;
        let mut state = ContestState::default();
        state.belong_to(name);
        Ok(Runner { disk, name: name.to_owned(), log, state, claims: BTreeMap::new(), made: 0, ended: None })
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

    /// Returns those of these games that have not ended, as far as this runner knows.
    pub fn open<'g>(&self, games: &[&'g str]) -> Vec<&'g str> {
        let is_open = |game: &&&str| self.state.came(game).is_none();
        games.iter().filter(is_open).copied().collect()
    }

    /// Claims a unit with these games, unless a runner that lives has it. If its runner is gone, this one seals the log
    /// of that one and takes over.
    ///
    /// # Errors
    ///
    /// If the system refuses, or a file of the store is damaged. After a failed write this runner can do no more.
    pub fn claim(&mut self, unit: &str, games: &[&str]) -> Result<Claim, Trouble> {
        self.claim_if(unit, games, false)
    }

    /// As [`claim`](Runner::claim), but takes over from a runner that holds its lock, too: from one that hangs.
    pub fn take_over(&mut self, unit: &str, games: &[&str]) -> Result<Claim, Trouble> {
        self.claim_if(unit, games, true)
    }

    fn claim_if(&mut self, unit: &str, games: &[&str], by_force: bool) -> Result<Claim, Trouble> {
        check_name(unit)?;
        self.check()?;
        loop {
            if self.is_mine(unit) {
                return Ok(if self.open(games).is_empty() { Claim::Over } else { Claim::Mine });
            }
            look_up(&self.disk, unit, self.claims.entry(unit.to_owned()).or_default())?;
            let tries = self.claims[unit].clone();
            if let Some(last) = tries.last() {
                // Only they can have begun a game of it. What a seal leaves out must not be seen.
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
                    if !by_force && self.lives(last)? {
                        return Ok(Claim::Others);
                    }
                    self.seal(last)?;
                    continue;
                }
                // The runner that has sealed the log of the last try may not have waited for this yet.
                self.disk.sync_folder("sealed").map_err(Trouble::system("sync", "sealed"))?;
            }
            let name = self.name.clone();
            let there = self.publish(&format!("claims/{unit}.{}", tries.len()), &name)?;
            self.claims.entry(unit.to_owned()).or_default().push(there);
        }
    }

    /// Returns the runner that has claimed a unit last, as far as this one knows.
    pub fn runner_at(&self, unit: &str) -> Option<&str> {
        self.claims.get(unit)?.last().map(String::as_str)
    }

    /// Tells whether what this runner has recorded of a game counts, though others have taken it for dead; `None` if
    /// they have not said so yet.
    pub fn counts_after_all(&mut self, game: &str) -> Result<Option<bool>, Trouble> {
        self.state.follow_some(&self.disk, std::slice::from_ref(&self.name))?;
        Ok(self.state.is_sealed(&self.name).then(|| self.state.came(game).is_some()))
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
    fn lives(&self, runner: &str) -> Result<bool, Trouble> {
        let path = format!("runs/{runner}");
        self.disk.is_locked(&path).map_err(Trouble::system("look at the lock of", &path))
    }

    /// Seals the logs of all runners that are gone, and returns those that live, but for this one.
    pub fn seal_gone(&mut self) -> Result<Vec<String>, Trouble> {
        self.check()?;
        self.remove_made();
        self.state.follow(&self.disk)?;
        let others: Vec<String> =
            self.state.unsealed().filter(|runner| *runner != self.name).map(str::to_owned).collect();
        let (mut live, count) = (Vec::new(), others.len());
        for runner in others {
            if self.lives(&runner)? {
                live.push(runner);
            } else {
                self.seal(&runner)?;
            }
        }
        if live.len() < count {
            self.state.follow(&self.disk)?;
        }
        Ok(live)
    }

    /// Removes the texts that runners with a seal have left beside their places. If the system refuses, they stay.
    fn remove_made(&self) {
        let made = self.disk.list("made").unwrap_or_default();
        if made.is_empty() {
            return;
        }
        let sealed = self.disk.list("sealed").unwrap_or_default();
        for name in made {
            let is_over = |(runner, _): (&str, &str)| sealed.iter().any(|sealed| sealed == runner);
            if name.rsplit_once('-').is_some_and(is_over) {
                let _ = self.disk.remove(&format!("made/{name}"));
            }
        }
    }

    /// Seals the log of a runner that is gone: what it may still write no longer counts.
    fn seal(&mut self, runner: &str) -> Result<(), Trouble> {
        // First it must know, if it lives after all: it acknowledges nothing from now on.
        self.publish(&format!("sealing/{runner}"), runner)?;
        self.state.follow_some(&self.disk, &[runner.to_owned()])?;
        let path = format!("runs/{runner}");
        self.disk.sync_named(&path).map_err(Trouble::system("sync", &path))?;
        let records = self.state.records(runner);
        self.publish(&format!("sealed/{runner}"), &records.to_string()).map(drop)
    }

    /// Puts a text in place, if nothing is there, and waits until the name is on the disk. Returns the text that is
    /// there, its own or another's.
    fn publish(&mut self, to: &str, text: &str) -> Result<String, Trouble> {
        self.made += 1;
        let made = format!("made/{}-{}", self.name, self.made);
        let published = self.publish_by(&made, to, text);
        // The name can be there, and not on the disk: a runner that went on would take it for its own.
        if published.is_err() {
            self.ended = Some(Stopped::Broken);
        }
        published
    }

    fn publish_by(&self, made: &str, to: &str, text: &str) -> Result<String, Trouble> {
        let write = || -> io::Result<()> {
            let file = self.disk.create(made)?;
            self.disk.append(&file, text.as_bytes())?;
            self.disk.sync(&file)
        };
        write().map_err(Trouble::system("write", made))?;
        let linked = self.disk.link(made, to);
        let there = text_of(&self.disk, to).map_err(|trouble| match (trouble, linked) {
            (Trouble::System { .. }, Err(error)) => Trouble::system("publish", to)(error),
            (trouble, _) => trouble,
        })?;
        let folder = to.split('/').next().unwrap_or_default();
        self.disk.sync_folder(folder).map_err(Trouble::system("sync", folder))?;
        self.disk.remove(made).map_err(Trouble::system("remove", made))?;
        Ok(there)
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
        // Of each attempt that has no end, and for this record.
        let room = END_ROOM * (self.state.own_open() as u64 + 2);
        let path = format!("runs/{}", self.name);
        self.disk.keep_room(&self.log, room).map_err(Trouble::system("keep room for results in", &path))?;
        self.record(Kind::Begun, &begun, cells)?;
        Ok(begun)
    }

    /// Returns an attempt that ends at once, so its beginning is not recorded.
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

    /// Lets others see the last record: to be called before a pause.
    pub fn rest(&mut self) -> Result<(), Trouble> {
        self.check()?;
        self.append(Event::of_runner(Kind::Mark), &[])
    }

    /// Ends the runner in an orderly way: it seals its own log, so nobody has to. It can then do no more.
    pub fn end(&mut self) -> Result<(), Trouble> {
        let _ = self.disk.keep_room(&self.log, 0); // what stays kept is used by nobody, and harms nobody
        self.check()?;
        let records = self.state.records(&self.name);
        let name = self.name.clone();
        let sealed = self.publish(&format!("sealed/{name}"), &records.to_string());
        self.ended = Some(Stopped::Broken);
        sealed.map(drop)
    }

    fn record_for_good(&mut self, kind: Kind, begun: &Begun, cells: &[String]) -> Result<(), Trouble> {
        self.check()?;
        self.record(kind, begun, cells)?;
        // A runner that seals this log has said so before it has read the log.
        let is_sealing = self.disk.is_there_now("sealing", &self.name, &self.name);
        match is_sealing.map_err(Trouble::system("look at", "sealing")) {
            Ok(false) => {
                self.state.is_certain();
                Ok(())
            }
            Ok(true) => {
                self.ended = Some(Stopped::TakenOver);
                Err(Trouble::TakenOver)
            }
            Err(trouble) => {
                self.ended = Some(Stopped::Broken);
                Err(trouble)
            }
        }
    }

    fn record(&mut self, kind: Kind, begun: &Begun, cells: &[String]) -> Result<(), Trouble> {
        let Begun { unit, attempt, game } = begun.clone();
        self.append(Event { kind, unit, attempt, game }, cells)
    }

    /// Appends a record, and waits until it is on the disk: what follows it then shows that.
    fn append(&mut self, event: Event, cells: &[String]) -> Result<(), Trouble> {
        let line = event.line(cells)?;
        let path = || format!("runs/{}", self.name);
        let written = self.disk.append(&self.log, &line).and_then(|()| self.disk.sync(&self.log));
        // Part of the record may be there, and a second sync would prove nothing.
        if written.is_err() {
            self.ended = Some(Stopped::Broken);
        }
        written.map_err(|error| Trouble::System { what: "write", name: path(), error })?;
        self.state.wrote(&self.disk, event, line.len())
    }

    fn check(&self) -> Result<(), Trouble> {
        match self.ended {
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
