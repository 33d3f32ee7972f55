//! A disk in memory that keeps apart what processes see and what a power cut leaves.
//!
//! A runner's call of the store is one operation of several verbs. To interleave the verbs of several runners without
//! threads, an operation is begun anew at each step: verbs that were done return what they returned before, some more
//! are done, and the next one breaks the operation off with an error. One seed is one schedule.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, ErrorKind};
use std::rc::Rc;

use referee_store::Disk;
use referee_testutil::random::Random;

/// What a file system promises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum System {
    /// Names reach the disk in their order, and at the latest with the bytes of any file.
    Ext4,
    /// The weakest that POSIX allows: any name that was not synced can be lost, whatever came later.
    Posix,
    /// Likewise; and no lock is seen by others, the bytes of others come late, links report falsely.
    Nfs,
}

/// A verb that is left out, to see that the tests notice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Omitted {
    /// Syncs of a folder.
    SyncFolder(&'static str),
    /// Syncs of the files that a runner writes below a folder.
    Sync(&'static str),
    /// Syncs of the files of others.
    SyncNamed,
    /// Names in a folder: none is listed when a runner looks for its own.
    List(&'static str),
}

#[derive(Clone, Debug)]
enum Change {
    Added(String, usize),
    Removed(String),
}

#[derive(Clone, Debug, Default)]
struct Content {
    name: String,
    bytes: Vec<u8>,
    synced: usize,
    /// The process that has locked it.
    locked: Option<usize>,
}

/// What a verb has returned.
type Outcome = Result<Value, ErrorKind>;

#[derive(Clone, Debug)]
enum Value {
    Nothing,
    File(usize),
    Bytes(Vec<u8>),
    Names(Vec<String>),
    Bool(bool),
}

/// The state of the disk, and of the operation that is being done.
#[derive(Debug)]
pub(crate) struct World {
    system: System,
    omitted: Option<Omitted>,
    random: Random,
    contents: Vec<Content>,
    /// The names that processes see, those on the disk, and what leads from these to those.
    names: BTreeMap<String, usize>,
    kept: BTreeMap<String, usize>,
    pending: Vec<Change>,
    /// Of this many verbs, one fails.
    fails_once_in: Option<usize>,
    /// The process whose operation is done, its verbs so far, and how many are left.
    process: usize,
    done: Vec<Outcome>,
    next: usize,
    left: usize,
    is_paused: bool,
}

/// The disk of a process.
#[derive(Clone, Debug)]
pub(crate) struct SimDisk(Rc<RefCell<World>>);

impl SimDisk {
    pub(crate) fn new(system: System, omitted: Option<Omitted>, seed: u64) -> SimDisk {
        SimDisk(Rc::new(RefCell::new(World {
            system,
            omitted,
            random: Random::new(seed),
            contents: Vec::new(),
            names: BTreeMap::new(),
            kept: BTreeMap::new(),
            pending: Vec::new(),
            fails_once_in: None,
            process: 0,
            done: Vec::new(),
            next: 0,
            left: usize::MAX,
            is_paused: false,
        })))
    }

    pub(crate) fn fail_once_in(&self, verbs: Option<usize>) {
        self.0.borrow_mut().fails_once_in = verbs;
    }

    /// Does some more verbs of an operation. Returns its verbs so far, and its result if it is over.
    pub(crate) fn step<T>(
        &self,
        process: usize,
        done: Vec<ReplayedVerb>,
        verbs: usize,
        operation: impl FnOnce() -> T,
    ) -> (Vec<ReplayedVerb>, Option<T>) {
        {
            let mut world = self.0.borrow_mut();
            (world.process, world.done, world.next) =
                (process, done.into_iter().map(|verb| verb.0).collect(), 0);
            (world.left, world.is_paused) = (verbs, false);
        }
        let result = operation();
        let mut world = self.0.borrow_mut();
        let done = std::mem::take(&mut world.done).into_iter().map(ReplayedVerb).collect();
        let is_over = !world.is_paused;
        (world.next, world.left, world.is_paused) = (0, usize::MAX, false);
        (done, is_over.then_some(result))
    }

    /// The process is gone, and its locks with it.
    pub(crate) fn kill(&self, process: usize) {
        let held = |content: &&mut Content| content.locked == Some(process);
        self.0.borrow_mut().contents.iter_mut().filter(held).for_each(|content| content.locked = None);
    }

    /// All processes are gone, and whatever was not synced may be.
    pub(crate) fn cut_power(&self) {
        let world = &mut *self.0.borrow_mut();
        let pending = std::mem::take(&mut world.pending);
        let first = world.random.below(pending.len() + 1);
        for (at, change) in pending.into_iter().enumerate() {
            let stays = if world.system == System::Ext4 { at < first } else { world.random.percent(50) };
            if stays {
                world.keep(change);
            }
        }
        world.names = world.kept.clone();
        for content in &mut world.contents {
            content.locked = None;
            let length = content.synced + world.random.below(content.bytes.len() - content.synced + 1);
            // The length of a file can be on the disk before its bytes.
            if world.random.percent(30) {
                content.bytes[content.synced..].fill(0);
            }
            content.bytes.truncate(length);
            content.synced = length;
        }
    }

    /// Waits until all bytes are on the disk, so that those of others come at once.
    pub(crate) fn settle(&self) {
        self.0.borrow_mut().contents.iter_mut().for_each(|content| content.synced = content.bytes.len());
    }

    fn verb(&self, act: impl FnOnce(&mut World) -> Outcome) -> io::Result<Value> {
        let world = &mut *self.0.borrow_mut();
        if let Some(outcome) = world.done.get(world.next).cloned() {
            world.next += 1;
            return outcome.map_err(io::Error::from);
        }
        if world.left == 0 || world.is_paused {
            world.is_paused = true;
            return Err(io::Error::other("not yet"));
        }
        let outcome = act(world);
        if world.left != usize::MAX {
            world.left -= 1;
            world.done.push(outcome.clone());
            world.next += 1;
        }
        outcome.map_err(io::Error::from)
    }
}

/// A verb of an operation that is not over.
#[derive(Debug)]
pub(crate) struct ReplayedVerb(Outcome);

impl World {
    fn keep(&mut self, change: Change) {
        match change {
            Change::Added(name, content) => drop(self.kept.insert(name, content)),
            Change::Removed(name) => drop(self.kept.remove(&name)),
        }
    }

    fn find(&self, name: &str) -> Result<usize, ErrorKind> {
        self.names.get(name).copied().ok_or(ErrorKind::NotFound)
    }

    /// Keeps the names in a folder; all, in one journal, with the strongest system.
    fn keep_names(&mut self, folder: &str) {
        let prefix = format!("{folder}/");
        for change in std::mem::take(&mut self.pending) {
            let (Change::Added(name, _) | Change::Removed(name)) = &change;
            match self.system == System::Ext4 || name.starts_with(&prefix) {
                true => self.keep(change),
                false => self.pending.push(change),
            }
        }
    }

    fn fails(&mut self) -> bool {
        self.fails_once_in.is_some_and(|verbs| self.random.below(verbs) == 0)
    }

    fn sync(&mut self, content: usize) -> Outcome {
        if self.fails() {
            return Err(ErrorKind::Other);
        }
        self.contents[content].synced = self.contents[content].bytes.len();
        if self.system == System::Ext4 {
            self.keep_names("");
        }
        Ok(Value::Nothing)
    }

    fn add(&mut self, name: &str, content: usize) -> Outcome {
        if self.names.contains_key(name) {
            return Err(ErrorKind::AlreadyExists);
        }
        self.names.insert(name.to_owned(), content);
        self.pending.push(Change::Added(name.to_owned(), content));
        Ok(Value::Nothing)
    }
}

impl Disk for SimDisk {
    type File = usize;

    fn create(&self, name: &str) -> io::Result<usize> {
        let made = self.verb(|world| {
            if world.fails() {
                return Err(ErrorKind::StorageFull);
            }
            let number = world.contents.len();
            world.add(name, number)?;
            world.contents.push(Content { name: name.to_owned(), ..Content::default() });
            Ok(Value::File(number))
        })?;
        let Value::File(number) = made else { unreachable!("a file") };
        Ok(number)
    }

    fn append(&self, file: &usize, bytes: &[u8]) -> io::Result<()> {
        self.verb(|world| {
            let fails = world.fails();
            let length = if fails { world.random.below(bytes.len()) } else { bytes.len() };
            world.contents[*file].bytes.extend(&bytes[..length]);
            if fails { Err(ErrorKind::StorageFull) } else { Ok(Value::Nothing) }
        })
        .map(drop)
    }

    fn sync(&self, file: &usize) -> io::Result<()> {
        self.verb(|world| match world.omitted {
            Some(Omitted::Sync(folder)) if world.contents[*file].name.starts_with(folder) => {
                Ok(Value::Nothing)
            }
            _ => world.sync(*file),
        })
        .map(drop)
    }

    fn sync_named(&self, name: &str) -> io::Result<()> {
        self.verb(|world| {
            let found = world.find(name)?;
            if world.omitted == Some(Omitted::SyncNamed) { Ok(Value::Nothing) } else { world.sync(found) }
        })
        .map(drop)
    }

    fn sync_folder(&self, folder: &str) -> io::Result<()> {
        self.verb(|world| {
            if world.fails() {
                return Err(ErrorKind::Other);
            }
            if !matches!(world.omitted, Some(Omitted::SyncFolder(omitted)) if omitted == folder) {
                world.keep_names(folder);
            }
            Ok(Value::Nothing)
        })
        .map(drop)
    }

    fn lock(&self, file: &usize) -> io::Result<()> {
        self.verb(|world| {
            world.contents[*file].locked = Some(world.process);
            Ok(Value::Nothing)
        })
        .map(drop)
    }

    fn is_locked(&self, name: &str) -> io::Result<bool> {
        let looked = self.verb(|world| {
            let is_locked = world.contents[world.find(name)?].locked.is_some();
            // No machine sees the locks of others: now and then one that lives is taken for dead.
            let is_seen = world.system != System::Nfs || !world.random.percent(10);
            Ok(Value::Bool(is_locked && is_seen))
        })?;
        Ok(matches!(looked, Value::Bool(true)))
    }

    fn read(&self, name: &str, from: u64, most: u64) -> io::Result<Vec<u8>> {
        let read = self.verb(|world| {
            let content = world.find(name)?;
            let Content { bytes, synced, locked, .. } = &world.contents[content];
            let is_late = world.system == System::Nfs && *locked != Some(world.process);
            let (synced, length) = (*synced, bytes.len());
            let end = if is_late { synced + world.random.below(length - synced + 1) } else { length };
            let from = end.min(usize::try_from(from).expect("short"));
            let most = usize::try_from(most).expect("short").min(end - from);
            Ok(Value::Bytes(world.contents[content].bytes[from..from + most].to_vec()))
        })?;
        let Value::Bytes(bytes) = read else { unreachable!("bytes") };
        Ok(bytes)
    }

    fn length(&self, name: &str) -> io::Result<u64> {
        let world = self.0.borrow();
        let content = world.find(name).map_err(io::Error::from)?;
        Ok(world.contents[content].bytes.len() as u64)
    }

    /// Looks the name up where a look-up is as good as a listing.
    fn is_there_now(&self, folder: &str, name: &str, _: &str) -> io::Result<bool> {
        let is_local = self.0.borrow().system == System::Ext4;
        if !is_local {
            return Ok(self.list(folder)?.iter().any(|there| there == name));
        }
        let looked = self.verb(|world| Ok(Value::Bool(world.find(&format!("{folder}/{name}")).is_ok())))?;
        Ok(matches!(looked, Value::Bool(true)))
    }

    fn list(&self, folder: &str) -> io::Result<Vec<String>> {
        let listed = self.verb(|world| {
            if matches!(world.omitted, Some(Omitted::List(omitted)) if omitted == folder && world.is_in_over()) {
                return Ok(Value::Names(Vec::new()));
            }
            let prefix = format!("{folder}/");
            let names: BTreeSet<&str> =
                world.names.keys().filter_map(|name| name.strip_prefix(&prefix)).collect();
            Ok(Value::Names(names.into_iter().map(str::to_owned).collect()))
        })?;
        let Value::Names(names) = listed else { unreachable!("names") };
        Ok(names)
    }

    fn make_folder(&self, _folder: &str) -> io::Result<()> {
        // Folders are made before the first runner starts.
        Ok(())
    }

    fn link(&self, from: &str, to: &str) -> io::Result<()> {
        self.verb(|world| {
            let content = world.find(from)?;
            world.add(to, content)?;
            let is_false = world.system == System::Nfs && world.random.percent(10);
            if is_false { Err(ErrorKind::AlreadyExists) } else { Ok(Value::Nothing) }
        })
        .map(drop)
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        self.verb(|world| {
            world.find(name)?;
            world.names.remove(name);
            world.pending.push(Change::Removed(name.to_owned()));
            Ok(Value::Nothing)
        })
        .map(drop)
    }
}

impl World {
    /// The operation has appended and synced before it lists: it records an end.
    fn is_in_over(&self) -> bool {
        self.done.len() == 2
    }
}
