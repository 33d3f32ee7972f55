//! A folder that is a hill or a tournament.

use std::path::Path;

use referee_record::error::{Error, ErrorKind};

use crate::audit::is_tournament;
use crate::hill::Hill;
use crate::plan::{self, Plan};

/// What a folder is.
#[derive(Debug)]
pub enum Opened {
    /// A hill.
    Hill(Box<Hill>),
    /// A tournament, with the plan of its last round.
    Tournament(Box<Plan>),
}

impl Opened {
    /// Opens a folder.
    ///
    /// # Errors
    ///
    /// If it is neither, or damaged.
    pub fn open(root: &Path) -> Result<Opened, Error> {
        if Hill::is_at(root) {
            // Whatever is wrong with its files, here it is wrong input; an error of the system stays one.
            let hill = Hill::open(root).map_err(|error| error.or(ErrorKind::Input))?;
            return Ok(Opened::Hill(Box::new(hill)));
        }
        if is_tournament(root) {
            return Ok(Opened::Tournament(Box::new(plan::open(root)?)));
        }
        // A folder that cannot be read may be either: then the error is that of the system.
        let is_unreadable = |error: &Error| error.kind() == ErrorKind::System && !error.is_not_found();
        let opened = [Hill::open(root).err(), plan::open(root).err()];
        if let Some(error) = opened.into_iter().flatten().find(is_unreadable) {
            return Err(error);
        }
        let what = "neither a hill nor a tournament: there is no hill.toml and no plan.toml in it; make one with \
                    `referee hill new` or `referee tournament plan`";
        Err(Error::file(root, what))
    }
}
