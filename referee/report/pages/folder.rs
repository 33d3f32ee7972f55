//! The folder of a report. It is written beside its target, and moved there when it is complete. It replaces an earlier
//! report, which is removed just before the move: for that moment there is none. It replaces nothing else.

use std::collections::BTreeSet;
use std::fs::{self, File, Permissions};
use std::io::{self, BufWriter};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tempfile::TempDir;

use referee_files::beneath::{self, Spot};
use referee_files::walk::{self, Entry};
use referee_record::error::{Error, ErrorKind};

/// The list of a report's files. A folder with it is a report.
const LIST: &str = "files.txt";

/// Maximum length of the list, in bytes. It is enough for a million games.
const LIST_MAX: u64 = 64 << 20;

/// The first line of the list.
const LIST_HEADING: &str = concat!(
    "# Written by `referee report`, which replaces these files. ",
    "They follow from the records: nothing is lost with them.\n"
);

/// A report that is being written.
#[derive(Debug)]
pub(super) struct Folder {
    target: PathBuf,
    /// The folder in which the report is written.
    temporary: TempDir,
    files: BTreeSet<String>,
    stop: Arc<AtomicBool>,
}

impl Folder {
    /// Begins a report in a temporary folder beside the target.
    ///
    /// # Errors
    ///
    /// If anything but a report is at the target, or the system refuses.
    pub(super) fn begin(target: &Path, stop: &Arc<AtomicBool>) -> Result<Folder, Error> {
        let name = target.file_name();
        let name = name.ok_or_else(|| Error::file(target, "not a name for a folder; choose another"))?;
        let parent = match target.parent() {
            Some(parent) if parent != Path::new("") => parent,
            _ => Path::new("."),
        };
        beneath::create_folder(parent)?;
        let parent = fs::canonicalize(parent).map_err(Error::system(parent, "find the folder"))?;
        let target = parent.join(name);
        check_target(&target)?;
        let temporary = tempfile::Builder::new().prefix(".referee-report-").tempdir_in(&parent);
        let temporary = temporary.map_err(Error::system(&parent, "write a report"))?;
        Ok(Folder { target, temporary, files: BTreeSet::new(), stop: Arc::clone(stop) })
    }

    /// Returns the path of the finished report.
    pub(super) fn target(&self) -> &Path {
        &self.target
    }

    /// Makes sure that the user does not want to stop. After the error, nothing of the report is left.
    pub(super) fn check_not_stopped(&self) -> Result<(), Error> {
        let what = "stopped; no report was written, and an earlier one is unchanged";
        if self.stop.load(Ordering::Relaxed) { Err(Error::new(ErrorKind::Stopped, what)) } else { Ok(()) }
    }

    /// Writes a file. Its name may contain folders.
    pub(super) fn write(&mut self, name: &str, bytes: impl AsRef<[u8]>) -> Result<(), Error> {
        self.check_not_stopped()?;
        let path = self.path(name);
        let folder = path.parent().expect("a file in a folder");
        let written = fs::create_dir_all(folder).and_then(|()| fs::write(&path, bytes));
        written.map_err(Error::system(&self.target, "write the report"))?;
        self.files.insert(name.to_owned());
        Ok(())
    }

    /// Returns the path of a file while the report is being written.
    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.temporary.path().join(name)
    }

    /// Takes over a file of an earlier report, as a link. Returns `false` if that failed.
    pub(super) fn link(&mut self, old: &Path, name: &str) -> bool {
        let path = self.path(name);
        let is_there = path.parent().is_some_and(|folder| fs::create_dir_all(folder).is_ok())
            && fs::hard_link(old, path).is_ok();
        if is_there {
            self.files.insert(name.to_owned());
        }
        is_there
    }

    /// Begins a file that is written little by little.
    pub(super) fn begin_file(&mut self, name: &str) -> Result<BufWriter<File>, Error> {
        let file = File::create(self.path(name));
        let file = file.map_err(Error::system(&self.target, "write the report"))?;
        self.files.insert(name.to_owned());
        Ok(BufWriter::new(file))
    }

    /// Moves the report to its target. Returns that path, and the number of files.
    ///
    /// # Errors
    ///
    /// If the system refuses, `stop` is set, or something else is at the target by now.
    pub(super) fn finish(mut self) -> Result<(PathBuf, usize), Error> {
        let names: Vec<String> = self.files.iter().map(|name| format!("{name}\n")).collect();
        self.write(LIST, format!("{LIST_HEADING}{}", names.concat()))?;
        check_target(&self.target)?;
        let refused = || Error::system(&self.target, "put the report there");
        let replace = || -> io::Result<()> {
            fs::set_permissions(self.temporary.path(), Permissions::from_mode(0o755))?;
            if self.target.exists() {
                fs::remove_dir_all(&self.target)?;
            }
            fs::rename(self.temporary.path(), &self.target)
        };
        replace().map_err(refused())?;
        let count = self.files.len();
        // The folder has another name now, so there is nothing to remove.
        let _ = self.temporary.keep();
        Ok((self.target, count))
    }
}

/// Makes sure that the target is a report, an empty folder, or absent.
fn check_target(target: &Path) -> Result<(), Error> {
    if Spot::from(target).is_file() || target.exists() && !target.is_dir() {
        let what = "a file, not a folder; choose another folder for the report";
        return Err(Error::file(target, what));
    }
    let files = files_below(target)?;
    if files.is_empty() {
        return Ok(());
    }
    let list = Spot::below(target, LIST).read_text(LIST_MAX).unwrap_or_default();
    let Some(list) = list.strip_prefix(LIST_HEADING) else {
        let what = "neither empty nor a report; choose another folder, or empty this one";
        return Err(Error::file(target, what));
    };
    let own: BTreeSet<&Path> = list.lines().chain([LIST]).map(Path::new).collect();
    if let Some(other) = files.iter().find(|file| !own.contains(file.as_path())) {
        let what = format!("{} is beside the report and not part of it; move it away", other.display());
        return Err(Error::file(target, what));
    }
    Ok(())
}

/// Lists the files below a folder, relative to it. A folder that is not there has none.
fn files_below(root: &Path) -> Result<Vec<PathBuf>, Error> {
    let mut files = Vec::new();
    walk::each_file(&Spot::from(root), |Entry { path, .. }| {
        files.push(path.strip_prefix(root).unwrap_or(&path).to_owned());
        Ok(())
    })?;
    files.sort();
    Ok(files)
}
