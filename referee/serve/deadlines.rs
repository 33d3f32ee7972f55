//! The deadlines of a class: when each account's submissions end.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use referee_contest::class::roll::Deadlines;
use referee_files::beneath::Spot;
use referee_files::reread::Reread;
use referee_record::error::Error;

/// The deadlines of the class that a hill is, read again when its files change.
#[derive(Debug)]
pub(crate) struct Class {
    root: PathBuf,
    deadlines: Reread<Arc<Deadlines>>,
}

impl Class {
    /// Returns the class in a folder, if there is one.
    pub(crate) fn at(root: &Path) -> Option<Class> {
        Deadlines::is_at(root).then(|| Class { root: root.to_owned(), deadlines: Reread::default() })
    }

    /// Returns its deadlines.
    pub(crate) fn deadlines(&self) -> Result<Arc<Deadlines>, Error> {
        let files = ["class.toml", "extensions.csv"].map(|name| Spot::below(&self.root, name));
        self.deadlines.get(&files.each_ref(), || Deadlines::read(&self.root).map(Arc::new))
    }
}
