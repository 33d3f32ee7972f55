//! King of the hill: a folder with a game, its bots, and rounds of games that go on for as long as anyone likes.
//!
//! Everything in it can be read by eye and copied: `hill.toml` (what is played), `entrants.csv` and `store` (who),
//! `seasons.csv` (which field played when), `results.csv`, `logs` and `stderr` (what came of it).

mod deal;
mod room;
mod run;
mod settings;

use std::fs::{self, File, OpenOptions};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use crate::audit;
use crate::catalog::{Entry, Seating};
use crate::clock;
use crate::record::RecordError;
use crate::record::results::{self, ResultRow};
use crate::rules::{Parameters, Seed};
use crate::table::process::{Setup, Timekeeping};
use crate::table::program;
use crate::table::sandbox::{Choice, Limits};
use crate::tournament::check;
use crate::tournament::entrants::{self, Entrants, Event, EventKind};
use crate::tournament::fixture::{self, Entrant};
use crate::tournament::folder::{self, Folder};
use crate::tournament::node;
use crate::tournament::rating::Ratings;
use crate::tournament::rounds::Game;
use crate::tournament::season::SeasonAccount;
use crate::tournament::seasons::{self, Season};
use crate::tournament::stop_rule::StopRule;
pub use crate::tournament::submission::{Admitted, Submission, SubmitError};
use crate::tournament::verdicts;

pub use self::room::Dropped;
pub use self::run::Run;
pub use self::settings::Conduct;

/// A hill.
#[derive(Debug)]
pub struct Hill {
    root: PathBuf,
    entry: &'static Entry,
    parameters: Parameters,
    seed: Seed,
    sandbox: Choice,
    limits: Limits,
    timekeeping: Timekeeping,
    conduct: Conduct,
    span: Mutex<Option<deal::Span>>,
}

impl Hill {
    /// Returns how its bots shall be confined.
    pub fn sandbox(&self) -> Choice {
        self.sandbox
    }

    /// Returns how much of the machine each of its bots may use.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Returns what bots are charged here.
    pub fn timekeeping(&self) -> Timekeeping {
        self.timekeeping
    }

    /// Returns how its rounds are dealt, and for how many bots it has room.
    pub fn conduct(&self) -> &Conduct {
        &self.conduct
    }

    /// Returns the folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the game.
    pub fn entry(&self) -> &'static Entry {
        self.entry
    }

    /// Returns what is set.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// Reads the history of the hill's bots.
    ///
    /// # Errors
    ///
    /// As [`Entrants::read`].
    pub fn entrants(&self) -> Result<Entrants, RecordError> {
        Entrants::read(&self.root)
    }

    /// Submits a program: stores it, has it play a check game, and enters it under a name. Whoever played under that
    /// name before has its place taken.
    ///
    /// # Errors
    ///
    /// Says why it is not admitted. Then the hill is as it was, but for the copy in its store.
    pub fn submit(&self, submission: &Submission, setup: &Setup) -> Result<Admitted, SubmitError> {
        if let Some(why) = entrants::bad_name(&submission.name) {
            return Err(SubmitError::Name(why));
        }
        if let Some(bad) = submission.arguments.iter().find(|word| word.contains(char::is_whitespace)) {
            return Err(SubmitError::Name(format!("an argument with a blank in it: {bad:?}")));
        }
        let file = submission.file.clone();
        program::inspect(&file).map_err(|why| SubmitError::NotAProgram { file, why })?;
        let digest = entrants::store(&self.root, &submission.file)?;
        let arguments = submission.arguments.join(" ");
        let event = Event {
            date: clock::date(),
            event: EventKind::Submitted,
            name: submission.name.clone(),
            version: 0,
            digest: digest.to_string(),
            arguments,
            source: submission.source.clone(),
            allow_fork: submission.may_fork,
        };
        let program = self.entrants()?.program(&event)?;
        let warning = check::check(self.entry, &self.parameters, &program, setup)?;

        let _lock = self.lock_field()?;
        Entrants::repair(&self.root)?;
        let mut entrants = self.entrants()?;
        let same = |other: &&Event| other.name == event.name;
        if let Some(present) = entrants.field().into_iter().find(same)
            && present.digest == event.digest
            && present.arguments == event.arguments
            && present.allow_fork == event.allow_fork
        {
            return Err(SubmitError::Same { name: present.name.clone(), version: present.version });
        }
        let event = Event { version: entrants.next_version(&event.name), ..event };
        entrants.add(event.clone())?;
        Ok(Admitted { event, warning })
    }

    /// Takes a bot out of the field. Its history stays.
    ///
    /// # Errors
    ///
    /// If no such bot plays.
    pub fn retire(&self, name: &str) -> Result<Event, RecordError> {
        let _lock = self.lock_field()?;
        Entrants::repair(&self.root)?;
        let mut entrants = self.entrants()?;
        let Some(present) = entrants.field().into_iter().find(|event| event.name == name).cloned() else {
            let names: Vec<String> = entrants.field().iter().map(|event| event.name.clone()).collect();
            let what = format!("no bot named {name} plays here (there are: {})", names.join(", "));
            return Err(RecordError::file(&self.root, what));
        };
        let event = Event { date: clock::date(), event: EventKind::Retired, ..present };
        entrants.add(event.clone())?;
        Ok(event)
    }

    /// Opens the hill for playing. Only one run at a time may do so; what an interrupted one has left is cleaned up.
    ///
    /// # Errors
    ///
    /// If another run is going on, the field is too small, or a file is damaged.
    pub fn begin_run(&self) -> Result<Run<'_>, RecordError> {
        let lock = self.lock_run()?;
        let entrants = self.entrants()?;
        let field = entrants.field();
        if field.len() < 2 {
            let what = "there are fewer than two bots; submit some with `referee hill submit`";
            return Err(RecordError::file(&self.root, what));
        }
        if matches!(self.entry.seating, Seating::Field { .. })
            && let Err(error) = self.entry.seat(&self.parameters, field.len())
        {
            return Err(RecordError::file(&self.root, error.to_string()));
        }
        let bots: Result<Vec<Entrant>, RecordError> = field
            .iter()
            .map(|event| {
                let name = event
                    .bot_name()
                    .ok_or_else(|| RecordError::file(&self.root, "an entrant without digest"))?;
                Ok(Entrant { name, program: entrants.program(event)? })
            })
            .collect();
        let bots = bots?;
        let (folder, set_aside) = Folder::open(&self.root)?;
        let played = folder.recover()?;
        let season = seasons::of_field(&self.root, &bots)?;
        let notice = set_aside.map(|set_aside| set_aside.to_string());
        Ok(Run { hill: self, _lock: lock, folder, bots, season, played, notice })
    }

    /// Reads the results; a hill on which nothing was played has none.
    ///
    /// # Errors
    ///
    /// If they are damaged.
    pub fn results(&self) -> Result<Vec<ResultRow>, RecordError> {
        match results::read(&folder::results_of(&self.root)) {
            Ok(rows) => Ok(rows.into_iter().map(|(_, row)| row).collect()),
            Err(error) if results::is_missing(&error) => Ok(Vec::new()),
            Err(error) => Err(error),
        }
    }

    /// Reads the results game by game, as far as they go now.
    ///
    /// # Errors
    ///
    /// If they cannot be read; each game, if it is damaged.
    pub fn games(&self) -> Result<impl Iterator<Item = Result<Game, RecordError>> + use<>, RecordError> {
        let games = match results::games(&folder::results_of(&self.root)) {
            Ok(games) => Some(games),
            Err(error) if results::is_missing(&error) => None,
            Err(error) => return Err(error),
        };
        let rows = |game: Vec<results::Numbered>| game.into_iter().map(|(_, row)| row).collect();
        Ok(games.into_iter().flatten().map(move |game| game.map(rows)))
    }

    /// Gives an account of a season, or of the last one of which there are games; and the ratings after it.
    ///
    /// # Errors
    ///
    /// If a file is damaged.
    pub fn account(
        &self,
        season: Option<u32>,
        rule: StopRule,
    ) -> Result<Option<(SeasonAccount, Ratings)>, RecordError> {
        let seasons = self.seasons()?;
        let (mut ratings, mut last) = (Ratings::default(), None::<SeasonAccount>);
        for game in self.games()? {
            let game = game?;
            let Some(number) = game[0].place_in_schedule.map(|place| place.season) else { continue };
            if season.is_some_and(|season| number > season) {
                continue;
            }
            if last.as_ref().is_none_or(|last| last.number < number) {
                last.iter_mut().for_each(|last| last.close(&mut ratings));
                let known = seasons.iter().find(|known| known.number == number);
                let bots = known.map_or(&[][..], |known| &known.bots);
                last = Some(SeasonAccount::new(number, bots, self.dealt(bots.len()), rule));
            }
            match &mut last {
                Some(last) if last.number == number => last.add(game, &mut ratings),
                _ => ratings.add(&game), // of an earlier season, from a file that was put together
            }
        }
        last.iter_mut().for_each(|last| last.close(&mut ratings));
        let last = last.filter(|last| season.is_none_or(|season| last.number == season));
        Ok(last.map(|last| (last, ratings)))
    }

    /// Checks everything that can be checked: results, logs, programs, and that each game is the one that the schedule
    /// asks for.
    ///
    /// # Errors
    ///
    /// Names the first thing that is not as it should be.
    pub fn audit(&self) -> Result<audit::Counts, RecordError> {
        let path = folder::results_of(&self.root);
        let entrants = self.entrants()?;
        let seasons = self.seasons()?;
        for digest in entrants::digests(&entrants).keys() {
            let file = entrants::stored(&self.root, digest);
            let found = crate::record::Digest::of_file(&file).map_err(|error| match error.kind() {
                std::io::ErrorKind::NotFound => {
                    RecordError::file(&file, "a program of entrants.csv is missing")
                }
                _ => RecordError::system(&file, "read a stored program")(error),
            })?;
            if found.as_str() != *digest {
                return Err(RecordError::file(
                    &file,
                    format!("the program was changed: its SHA-256 is {found}"),
                ));
            }
        }
        for bot in seasons.iter().flat_map(|season| &season.bots) {
            entrants.check_submitted(bot)?;
        }
        if !path.exists() {
            audit::audit_no_results(&path)?;
            return Ok(audit::Counts::default());
        }
        let counts = audit::audit_results(&path, node::cores(), |game| {
            game.iter().try_for_each(|(line, row)| {
                let checked = self.check_scheduled(row, &seasons);
                checked.map_err(|what| RecordError::line(&path, *line, what))
            })
        })?;
        verdicts::audit(self)?;
        Ok(counts)
    }

    fn check_scheduled(&self, row: &ResultRow, seasons: &[Season]) -> Result<(), String> {
        let place = row.place_in_schedule.ok_or("a game of a hill has a season and a round")?;
        let season = seasons.iter().find(|season| season.number == place.season);
        let season = season.ok_or_else(|| format!("seasons.csv knows no season {}", place.season))?;
        let games = self.round(place.season, place.round, season.bots.len());
        let due = games.into_iter().find(|game| game.scheduled == place);
        let due = due.ok_or_else(|| format!("round {} has no such table or rotation", place.round))?;
        let bot = &season.bots[due.entrants[row.seat]];
        let due = fixture::Due {
            scheduled: place,
            entry: self.entry,
            parameters: &due.parameters,
            seed: due.seed,
            bot,
            counts: !due.fillers.contains(&row.seat),
            rules_version: self.entry.start(&due.parameters, due.seed).info().version,
            clock: None, // a run may have had another
        };
        due.difference(row).map_or(Ok(()), Err)
    }

    /// Reads the seasons so far.
    ///
    /// # Errors
    ///
    /// As [`seasons::read`].
    pub fn seasons(&self) -> Result<Vec<Season>, RecordError> {
        seasons::read(&self.root)
    }

    /// Waits until nobody else changes the field.
    fn lock_field(&self) -> Result<File, RecordError> {
        let path = self.root.join("entrants.lock");
        let locked = open_lock(&path).and_then(|file| file.lock().map(|()| file));
        locked.map_err(RecordError::system(&path, "lock the entrants"))
    }

    fn lock_run(&self) -> Result<File, RecordError> {
        let path = self.root.join("run.lock");
        let file = open_lock(&path).map_err(RecordError::system(&path, "open the lock"))?;
        match file.try_lock() {
            Ok(()) => Ok(file),
            Err(fs::TryLockError::WouldBlock) => {
                Err(RecordError::file(&self.root, "another run on this hill is going on; wait for its end"))
            }
            Err(fs::TryLockError::Error(error)) => Err(RecordError::system(&path, "lock the hill")(error)),
        }
    }
}

fn open_lock(path: &Path) -> std::io::Result<File> {
    OpenOptions::new().append(true).create(true).open(path)
}
