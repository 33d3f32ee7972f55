//! The deadlines of a class: when each account's submissions end.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;
use referee_contest::accounts::{self, TOO_LATE};
use referee_contest::class::roll::Deadlines;
use referee_files::beneath::Spot;
use referee_files::reread::Reread;
use referee_record::error::Error;

/// The deadlines of the class that a hill is, read again when its files change.
#[derive(Debug)]
pub(crate) struct Class {
    root: PathBuf,
    /// The accounts that are noted as too late.
    noted: Mutex<BTreeSet<String>>,
    deadlines: Reread<Arc<Deadlines>>,
}

impl Class {
    /// Returns the class in a folder, if there is one.
    pub(crate) fn at(root: &Path) -> Option<Class> {
        Deadlines::is_at(root).then(|| Class {
            root: root.to_owned(),
            noted: Mutex::default(),
            deadlines: Reread::default(),
        })
    }

    /// Notes once that an account was too late, so that the host sees it.
    pub(crate) fn note_too_late(&self, account: &str, name: &str, end: &str) -> Result<(), Error> {
        if self.noted.lock().insert(account.to_owned()) {
            accounts::note(&self.root, account, TOO_LATE, &format!("{name} after {end}"))?;
        }
        Ok(())
    }

    /// Returns its deadlines.
    pub(crate) fn deadlines(&self) -> Result<Arc<Deadlines>, Error> {
        let files = ["class.toml", "extensions.csv"].map(|name| Spot::below(&self.root, name));
        self.deadlines.get(&files.each_ref(), || Deadlines::read(&self.root).map(Arc::new))
    }
}
