//! The repair of a hill: its lists are made again from what its runners recorded.

use std::path::Path;

use referee_files::beneath::Spot;
use referee_files::{digest, voids};
use referee_record::error::{Error, ErrorKind};
use referee_sandbox::Tier;
use referee_store::ContestState;

use super::Hill;
use super::runner::{Found, HillRunner};
use super::seasons::Season;
use crate::fixture::place_of;
use crate::folder::{results_of, voids_of};
use crate::lock::Lock;
use crate::records::{self, REPAIRED};
use crate::repair::{self, Repaired};
use crate::running::Running;

impl Hill {
    /// Makes the results and the list of void games again. If they are as recorded, nothing changes.
    ///
    /// # Errors
    ///
    /// If no runner has recorded a game, other runners play here, or the records are damaged. Then all is as before.
    pub fn repair(&self) -> Result<Repaired, Error> {
        let lock = self.lock()?;
        self.check_repairable()?;
        // Its races are read while the games are listed: the results may be damaged.
        let last = self.fields()?.pop();
        let last = last.ok_or_else(|| Error::file(&self.root, "seasons.csv has no season: put it back"))?;
        let old_results = OldFile::set_aside(&self.root, results_of(&self.root))?;
        let old_voids = OldFile::set_aside(&self.root, voids_of(&self.root))?;
        let runner = self.list_again(lock, last).inspect_err(|_| {
            old_results.put_back();
            old_voids.put_back();
        })?;
        // By now the logs of runners that are gone are sealed, so their last records count.
        let records = records::read(&self.root)?;
        let mut unrecorded = old_results.aside.as_ref().map(repair::games_in).unwrap_or_default();
        unrecorded.retain(|game| place_of(game).is_some() && records.ending(game).is_none());
        let unrecorded = unrecorded.into_iter().collect();
        let mut repaired = Repaired { unrecorded, games: runner.count(), ..Repaired::default() };
        for old in [old_results, old_voids] {
            if old.is_changed()? {
                let aside = old.aside.map(|aside| aside.path().to_owned());
                repaired.changed.push((old.file.path().to_owned(), aside));
            }
        }
        if !repaired.changed.is_empty() {
            let names = repaired.changed.iter().filter_map(|(file, _)| file.file_name()?.to_str());
            runner.note_repair(&names.collect::<Vec<&str>>().join(" and "))?;
        }
        runner.let_in();
        Ok(repaired)
    }

    /// Makes sure that no runner plays here, and that the records have all that would be lost with the files.
    fn check_repairable(&self) -> Result<(), Error> {
        if Running::on_hill(self)?.runners > 0 {
            let what = "a runner plays here: wait for its end, or stop it";
            return Err(Error::new(ErrorKind::Busy, what).at(&self.root));
        }
        let records = records::read(&self.root)?;
        if records.ended().next().is_none() {
            let what = "no runner has recorded a game here, so there is nothing to make results of";
            return Err(Error::new(ErrorKind::Input, what).at(&self.root));
        }
        self.check_all_known(&records)
    }

    /// Makes sure that runners have recorded each game that has a log, and each void game that is listed: the files
    /// would be the only trace of others.
    fn check_all_known(&self, records: &ContestState) -> Result<(), Error> {
        let nothing_changed =
            |what: String| Err(Error::file(&self.root, format!("{what}; nothing was changed")));
        if let Some(log) = self.unrecorded_log(records)? {
            return nothing_changed(format!(
                "no runner has recorded the game of {}, so its result would be lost",
                log.display()
            ));
        }
        let mut unrecorded_void = None;
        voids::each(voids_of(&self.root), |row| {
            if unrecorded_void.is_none() && place_of(&row.game).is_some() && !records.is_known(&row.game) {
                unrecorded_void = Some(row.game);
            }
            Ok(())
        })
        // A damaged list is what a repair is for.
        .or_else(|error| if error.kind() == ErrorKind::System { Err(error) } else { Ok(()) })?;
        match unrecorded_void {
            Some(game) => {
                nothing_changed(format!("no runner has recorded the void game {game} of voids.csv"))
            }
            None => Ok(()),
        }
    }

    /// Lists all games that were recorded, in files that are begun anew. The hill stays locked.
    fn list_again(&self, lock: Lock, last: Season) -> Result<HillRunner<'_>, Error> {
        // More losses may be allowed in another tier: a run decides.
        let losses = self.host().lost_max(Tier::Strict);
        let mut found = Found::look(self, lock, losses, None, |_| Ok(()))?;
        found.close_seasons(last.number)?;
        let (runner, ..) = found.begin(self, last)?;
        runner.sync()?;
        Ok(runner)
    }

    /// Lists the repairs so far: when, and of which files.
    pub fn repairs(&self) -> Result<Vec<(String, String)>, Error> {
        let disk = records::disk_of(&self.root);
        let records = records::read(&self.root)?;
        let mut repairs = Vec::new();
        for runner in records.runners() {
            for cells in records.notes(&disk, runner).map_err(records::trouble_at(&self.root))? {
                if let [kind, date, files] = &cells[..]
                    && kind == REPAIRED
                {
                    repairs.push((date.clone(), files.clone()));
                }
            }
        }
        repairs.sort();
        Ok(repairs)
    }
}

/// A file that is made again, and where the old one is meanwhile.
struct OldFile {
    file: Spot,
    /// `None` if there was no file.
    aside: Option<Spot>,
}

impl OldFile {
    fn set_aside(root: &Path, file: Spot) -> Result<OldFile, Error> {
        let aside = if file.exists() { Some(repair::set_aside(root, &file)?) } else { None };
        Ok(OldFile { file, aside })
    }

    /// Puts the old file back to its place. If the system refuses, it stays aside.
    fn put_back(&self) {
        if let Some(aside) = &self.aside {
            let _ = aside.rename(&self.file);
        }
    }

    /// Tells whether the new file has another content. If it has not, puts the old one back to its place.
    fn is_changed(&self) -> Result<bool, Error> {
        match &self.aside {
            Some(aside) if is_same(aside, &self.file) => {
                aside.rename(&self.file).map_err(Error::system(self.file.path(), "put the file back"))?;
                Ok(false)
            }
            Some(_) => Ok(true),
            None => Ok(self.file.exists()),
        }
    }
}

/// Tells whether two files have the same content.
fn is_same(one: &Spot, other: &Spot) -> bool {
    let digest_of = |file: &Spot| digest::of_file(file.clone()).ok();
    digest_of(one).is_some_and(|digest| digest_of(other) == Some(digest))
}
