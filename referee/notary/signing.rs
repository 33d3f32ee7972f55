//! Signs checkpoints, as the host.

use std::path::{Path, PathBuf};

use crate::proof::checkpoint::Checkpoint;

use crate::checkpoints::{Checked, Signed, checked, notes};
use crate::keys;
use crate::list::List;
use crate::{FILE_MAX, Notary, beginning, folder, is_there, key, list_cache, says_signed};
use referee_contest::folder::results_of;
use referee_contest::lock::Lock;
use referee_contest::publish::{self, Published};
use referee_files::beneath::Spot;
use referee_record::error::Error;
use referee_table::clock;

/// A hill that is signed during a run. The results are read once, and only new ones later.
#[derive(Debug)]
pub struct Signing {
    root: PathBuf,
    notary: Notary,
    list: List,
    /// The size of the last checkpoint; `None` if there is none.
    signed_size: Option<u64>,
    /// The number of bytes of the results that the cache has; `None` if there is no cache.
    bytes_cached: Option<u64>,
    /// The time in the last checkpoint.
    last_time: Option<String>,
}

impl Signing {
    /// Begins to sign a hill, if it has a notary: compares all checkpoints with the results.
    ///
    /// # Errors
    ///
    /// If the results no longer begin with the signed ones, or the private key cannot be read.
    pub fn begin(root: &Path) -> Result<Option<Signing>, Error> {
        if !is_there(root) {
            // A hill that is to be signed is not played without signatures.
            return if says_signed(root)? { key(root).map(|_| None) } else { Ok(None) };
        }
        let notary = Notary::open(root)?;
        let (Checked { all, list, .. }, bytes_cached) = match list_cache::resume(root, &notary.key)? {
            Some((checked, bytes)) => (checked, Some(bytes)),
            None => (checked(root, &notary.key)?, None),
        };
        let last = all.last().map(|last| &last.checkpoint);
        let last_time = last.and_then(|last| last.value("time")).map(str::to_owned);
        let signed_size = last.map(|last| last.size);
        let mut signing =
            Signing { root: root.to_owned(), notary, list, signed_size, bytes_cached, last_time };
        signing.keep()?;
        Ok(Some(signing))
    }

    /// As [`sign`](Signing::sign), while nobody else changes the results, and when they are on the disk.
    pub fn sign_alone(&mut self) -> Result<Option<Signed>, Error> {
        let _lock = Lock::wait(&self.root)?;
        let results = results_of(&self.root);
        if results.exists() {
            let synced = results.open().and_then(|file| file.sync_data());
            synced.map_err(Error::system(results.path(), "sync the results"))?;
        }
        self.sign()
    }

    /// Signs the current results. `None` if no game was added since the last checkpoint. To be called while
    /// no runner changes the results.
    ///
    /// # Errors
    ///
    /// If the system refuses, or there is another checkpoint of this size.
    pub fn sign(&mut self) -> Result<Option<Signed>, Error> {
        let signed = self.sign_new()?;
        self.keep()?;
        Ok(signed)
    }

    /// Brings the cache up to date, if all that was read is signed.
    fn keep(&mut self) -> Result<(), Error> {
        if self.signed_size == Some(self.list.size()) {
            self.bytes_cached =
                list_cache::keep(&self.root, &self.notary.key, &self.list, self.bytes_cached)?;
        }
        Ok(())
    }

    fn sign_new(&mut self) -> Result<Option<Signed>, Error> {
        self.list.read_on(|_, _, _| ())?;
        let size = self.list.size();
        if self.signed_size == Some(size) {
            return Ok(None);
        }
        self.list.write_seasons()?;
        // Machines that share a hill can have different clocks: no note is older than what it signs.
        let times = [Some(clock::date()), self.last_time.take(), self.list.started(), self.newest_time()?];
        let time = times.into_iter().flatten().max().unwrap_or_default();
        let mut more = vec![beginning::line(&self.list.beginning()), format!("time {time}")];
        more.extend(self.list.chain().map(|chain| format!("chain {chain}")));
        self.last_time = Some(time);
        let origin = self.notary.key.name().to_owned();
        let checkpoint = Checkpoint { origin, size, root: self.list.root(), more };
        let note = self.notary.signer.sign(&checkpoint.to_string());
        let spot = Spot::below(&self.root, format!("proof/checkpoints/{size:09}.note"));
        let path = spot.path().to_owned();
        let games = self.list.games();
        self.signed_size = Some(size);
        if publish::once(&spot, note.as_bytes())? == Published::Mine {
            return Ok(Some(Signed { checkpoint, note, path, games }));
        }
        // Another runner was here first: its note has another time, but must have the same entries.
        let note = spot.read_text(FILE_MAX).map_err(Error::system(&path, "read the note"))?;
        let published = keys::checkpoint(&self.notary.key, &note).map_err(|error| error.at(&path))?;
        if (published.size, published.root) != (size, checkpoint.root) {
            let what = "there is another checkpoint of this size already";
            return Err(Error::record(&path, what));
        }
        self.last_time = published.value("time").map(str::to_owned);
        Ok(Some(Signed { checkpoint: published, note, path, games }))
    }

    /// Returns the time in the checkpoint of the largest size: another machine can have signed it.
    fn newest_time(&self) -> Result<Option<String>, Error> {
        let Some(name) = notes(&self.root)?.pop_last() else { return Ok(None) };
        let path = folder(&self.root).join("checkpoints").join(name);
        let note = Spot::within(&self.root, &path).read_text(FILE_MAX);
        let note = note.map_err(Error::system(&path, "read the note"))?;
        let newest = keys::checkpoint(&self.notary.key, &note).map_err(|error| error.at(&path))?;
        Ok(newest.value("time").map(str::to_owned))
    }
}

/// Signs the current records of a hill. `None` if no game was added since the last checkpoint.
///
/// # Errors
///
/// If the hill has no notary, or its results no longer begin with the signed ones.
pub fn checkpoint(root: &Path) -> Result<Option<Signed>, Error> {
    super::key(root)?;
    let _lock = Lock::take(root)?;
    match Signing::begin(root)? {
        Some(mut signing) => signing.sign(),
        None => Ok(None),
    }
}
