//! Programs that were handed in for a tournament.

use std::path::Path;

use referee_builds::Artefact;
use referee_record::Digest;
use referee_record::error::Error;
use referee_sandbox::program::{NotAProgram, Opened};

use crate::admission::candidate::Candidate;
use crate::admission::shelf::Shelved;
use crate::admission::{entrants, handed_in};
use crate::file::Tournament;

/// A program that was handed in for a tournament, and is not in its store yet.
pub(super) enum Handed {
    File(Opened),
    /// A program with files beside it, of a hill's store.
    Folder(Artefact),
}

impl Handed {
    pub(super) fn file(
        root: &Path,
        tournament: &Tournament,
        file: &Path,
        is_planned: bool,
    ) -> Result<(Handed, Digest), Error> {
        let refused = |why: NotAProgram| Error::file(file, why.to_string());
        let found = handed_in::follow(file).map_err(&refused)?;
        let opened =
            handed_in::open(root, &found, tournament.settings.contest.program_mib.0).map_err(refused)?;
        let digest = Digest::of_reader(opened.file());
        let digest = digest.map_err(Error::system(file, "read the program"))?;
        if !is_planned {
            handed_in::check_not_stored(root, &opened, &digest).map_err(refused)?;
        }
        Ok((Handed::File(opened), digest))
    }

    pub(super) fn folder(path: &Path) -> Result<(Handed, Digest), Error> {
        let base = path.parent().unwrap_or(path);
        let artefact = Shelved::at(base, path).and_then(|shelved| shelved.folder(base));
        let artefact = artefact.map_err(Error::system(path, "read the program"))?.expect("it is a folder");
        let digest = artefact.digest();
        Ok((Handed::Folder(artefact), digest))
    }

    pub(super) fn store(&self, root: &Path) -> Result<(), Error> {
        match self {
            Handed::File(opened) => entrants::store(root, opened).map(drop),
            Handed::Folder(artefact) => Candidate::lay_out(root, artefact)?.keep(root),
        }
    }
}
