//! The repair of a hill.

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
        if Running::on_hill(self)?.runners > 0 {
            let what = "a runner plays here: wait for its end, or stop it";
            return Err(Error::new(ErrorKind::Busy, what).at(&self.root));
        }
        let records = records::read(&self.root)?;
        if records.ended().next().is_none() {
            let what = "no runner has recorded a game here, so there is nothing to make results of";
            return Err(Error::new(ErrorKind::Input, what).at(&self.root));
        }
        self.check_all_known(&records)?;
        // Its races are read while the games are listed: the results may be damaged.
        let last = self.fields()?.pop();
        let last = last.ok_or_else(|| Error::file(&self.root, "seasons.csv has no season: put it back"))?;
        let [results, voids] = [results_of(&self.root), voids_of(&self.root)];
        let mut aside = Vec::new();
        for file in [&results, &voids] {
            let renamed = if file.exists() { Some(repair::set_aside(&self.root, file)?) } else { None };
            aside.push((file, renamed));
        }
        let put_back = || {
            for (file, renamed) in &aside {
                let _ = renamed.as_ref().map(|renamed| renamed.rename(file));
            }
        };
        let runner = self.list_again(lock, last).inspect_err(|_| put_back())?;
        // By now the logs of runners that are gone are sealed, so their last records count.
        let records = records::read(&self.root)?;
        let old_results = aside[0].1.as_ref();
        let mut unrecorded: Vec<String> =
            old_results.map(repair::games_in).unwrap_or_default().into_iter().collect();
        unrecorded.retain(|game| place_of(game).is_some() && records.ending(game).is_none());
        let mut repaired = Repaired { unrecorded, games: runner.count(), ..Repaired::default() };
        for (file, renamed) in aside {
            match renamed {
                Some(renamed) if is_same(&renamed, file) => {
                    renamed.rename(file).map_err(Error::system(file.path(), "put the file back"))?;
                }
                None if !file.exists() => {}
                renamed => {
                    let renamed = renamed.map(|renamed| renamed.path().to_owned());
                    repaired.changed.push((file.path().to_owned(), renamed));
                }
            }
        }
        let named = repaired.changed.iter().filter_map(|(file, _)| file.file_name()?.to_str());
        let named = named.collect::<Vec<&str>>().join(" and ");
        if !named.is_empty() {
            runner.note_repair(&named)?;
        }
        runner.let_in();
        Ok(repaired)
    }

    /// Makes sure that runners have recorded each game that has a log, and each void game that is listed: of others, the
    /// files are the only trace.
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
            let is_void = place_of(&row.game).is_some() && !records.is_known(&row.game);
            unrecorded_void = unrecorded_void.take().or(is_void.then_some(row.game));
            Ok(())
        })
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

/// Tells whether two files have the same content.
fn is_same(one: &Spot, other: &Spot) -> bool {
    let digest_of = |file: &Spot| digest::of_file(file.clone()).ok();
    digest_of(one).is_some_and(|digest| digest_of(other) == Some(digest))
}
