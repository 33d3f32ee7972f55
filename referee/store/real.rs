//! A folder of this machine, or one that several machines share.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::Duration;

use referee_files::beneath::{self, Spot};
use referee_files::lock::{self, Holder};
use referee_files::walk;
use rustix::fs::{FallocateFlags, fallocate};

use crate::Disk;

/// A folder. Its files are opened below it, or below the root of its spot, and through no link.
#[derive(Clone, Debug)]
pub struct RealDisk {
    folder: Arc<Spot>,
    /// Whether other machines may write to it.
    is_shared: Arc<OnceLock<bool>>,
}

impl RealDisk {
    /// Returns the disk of a folder that exists.
    pub fn new(folder: impl Into<Spot>) -> RealDisk {
        RealDisk { folder: Arc::new(folder.into()), is_shared: Arc::default() }
    }

    fn spot(&self, name: &str) -> Spot {
        match self.folder.root() {
            Some(_) => self.folder.at(self.path(name)),
            None => Spot::below(self.folder.path(), name),
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
}

impl Disk for RealDisk {
    type File = Arc<File>;

    fn create(&self, name: &str) -> io::Result<Arc<File>> {
        self.spot(name).append_new().map(Arc::new)
    }

    fn append(&self, file: &Arc<File>, bytes: &[u8]) -> io::Result<()> {
        (&**file).write_all(bytes)
    }

    fn keep_room(&self, file: &Arc<File>, bytes: u64) -> io::Result<()> {
        let length = file.metadata()?.len();
        let reserved = retried(|| match bytes {
            0 => file.set_len(length),
            _ => Ok(fallocate(file, FallocateFlags::KEEP_SIZE, length, bytes)?),
        });
        reserved.or_else(|error| match error.kind() {
            io::ErrorKind::Unsupported => Ok(()),
            _ => Err(error),
        })
    }

    fn sync(&self, file: &Arc<File>) -> io::Result<()> {
        retried(|| file.sync_data())
    }

    fn sync_named(&self, name: &str) -> io::Result<()> {
        let file = self.spot(name).open()?;
        retried(|| file.sync_all())
    }

    fn sync_folder(&self, folder: &str) -> io::Result<()> {
        // The folder of a file is synced, and any name will do for the file.
        let name = if folder.is_empty() { "x".to_owned() } else { format!("{folder}/x") };
        retried(|| self.spot(&name).sync_folder())
    }

    fn lock(&self, file: &Arc<File>) -> io::Result<()> {
        for _ in 0..CLAIMS_MAX {
            if retried(|| lock::claim(file))? {
                return Ok(());
            }
            thread::sleep(PAUSE);
        }
        Err(io::Error::new(io::ErrorKind::WouldBlock, format!("{} holds it", Holder::of(file))))
    }

    fn is_locked(&self, name: &str) -> io::Result<bool> {
        lock::is_claimed(&self.spot(name).open()?)
    }

    fn read(&self, name: &str, from: u64, max: u64) -> io::Result<Vec<u8>> {
        let mut file = self.spot(name).open()?;
        file.seek(SeekFrom::Start(from))?;
        // A record is read in one piece.
        let mut bytes = Vec::with_capacity(max.min(RECORD_USUAL) as usize);
        file.take(max).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    fn length(&self, name: &str) -> io::Result<u64> {
        let look = self.spot(name).look()?.ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))?;
        Ok(look.length())
    }

    fn list(&self, folder: &str) -> io::Result<Vec<String>> {
        let mut names = walk::names(&self.spot(folder))?;
        names.retain(|name| !name.starts_with('.')); // files that `is_there_now` of others has made
        Ok(names)
    }

    fn is_there_now(&self, folder: &str, name: &str, runner: &str) -> io::Result<bool> {
        if !*self.is_shared.get_or_init(|| !beneath::is_local(self.folder.path())) {
            return Ok(self.spot(&format!("{folder}/{name}")).look()?.is_some());
        }
        // The system throws away the listing that it has kept when the folder changes. If the change fails, that
        // listing is the best there is.
        let change = self.spot(&format!("{folder}/.look-{runner}"));
        let _ = change.append();
        let _ = change.remove();
        Ok(self.list(folder)?.iter().any(|listed| listed == name))
    }

    fn make_folder(&self, folder: &str) -> io::Result<()> {
        self.spot(&format!("{folder}/x")).make_folders()
    }

    fn link(&self, from: &str, to: &str) -> io::Result<()> {
        fs::hard_link(self.path(from), self.path(to))
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        self.spot(name).remove()
    }
}

/// Number of attempts to lock a new file that another process has locked as soon as it was there.
const CLAIMS_MAX: u32 = 50;

/// The pause between two of these attempts.
const PAUSE: Duration = Duration::from_millis(20);

/// Bytes for which memory is taken at once when a part of a file is read.
const RECORD_USUAL: u64 = 64 << 10;

/// Calls `act` again as long as a signal interrupts it.
fn retried<T>(mut act: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    loop {
        match act() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            done => return done,
        }
    }
}
