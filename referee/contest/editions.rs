//! Editions: by which rules the records of a signed contest are made and checked. Its beginning names them, so that no
//! record can choose an older edition. If a beginning of an earlier version does not name one, the records choose it.

use std::fmt;
use std::path::Path;

use referee_files::beneath::Spot;
use referee_record::error::Error;
use referee_record::forms::UNITS;
use referee_record::results::ResultRow;
use referee_table::process::Timekeeping;

use crate::hill::seasons::Season;
use crate::hill::terms::Terms;
use crate::plan;

/// What each line of an edition begins with.
const WORD: &str = "edition ";

/// Seasons have seeds of their own, which follow from their entrants.
const SEEDS: u32 = 1;

/// The signed entries of seasons have the sources of their bots.
const SOURCES: u32 = 1;

/// Maximum length of a beginning, in bytes.
const FILE_MAX: u64 = 1 << 20;

/// The editions that a beginning names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Editions {
    /// What bots are charged, on a hill.
    clock: Option<Timekeeping>,
    /// The oldest version of the rules, on a hill.
    rules: Option<u32>,
    /// Where the seeds of seasons come from, on a hill.
    seeds: Option<u32>,
    /// Whether seasons name the sources of their bots, on a hill.
    sources: Option<u32>,
    /// The oldest table of instruction costs.
    units: Option<u32>,
}

/// Returns the file of the beginning of a contest: the first entry of what is signed.
pub fn beginning_of(root: &Path) -> Spot {
    Spot::below(root, "proof/beginning")
}

/// Tells whether a line of a beginning names an edition.
pub fn is_edition(line: &str) -> bool {
    line.starts_with(WORD)
}

impl Editions {
    /// Returns the editions in force, for a new tournament.
    pub fn of_tournament() -> Editions {
        // The plan, which is signed, says everything else.
        Editions { units: Some(UNITS), ..Editions::default() }
    }

    /// Returns the editions in force, for a new hill with this clock and version of the rules.
    pub fn of_hill(clock: Timekeeping, rules: u32) -> Editions {
        let (clock, rules) = (Some(clock), Some(rules));
        Editions { clock, rules, seeds: Some(SEEDS), sources: Some(SOURCES), units: Some(UNITS) }
    }

    /// Returns those of these editions that earlier seasons and games agree with.
    #[must_use]
    pub fn that_agree(self, terms: &[Terms], rows: &[ResultRow]) -> Editions {
        let none = Editions::default();
        let if_agreeing = |one: Editions| {
            let agrees = terms.iter().all(|terms| one.check_terms(terms).is_ok())
                && rows.iter().all(|row| one.check_row(row).is_ok());
            if agrees { one } else { none }
        };
        Editions {
            clock: if_agreeing(Editions { clock: self.clock, ..none }).clock,
            rules: if_agreeing(Editions { rules: self.rules, ..none }).rules,
            seeds: if_agreeing(Editions { seeds: self.seeds, ..none }).seeds,
            units: if_agreeing(Editions { units: self.units, ..none }).units,
            sources: self.sources,
        }
    }

    /// Reads the editions that the beginning of a contest names; none if nothing is signed.
    ///
    /// # Errors
    ///
    /// If it names one that this program does not know, or the system refuses.
    pub fn read(root: &Path) -> Result<Editions, Error> {
        let spot = beginning_of(root);
        if !spot.exists() {
            return Ok(Editions::default());
        }
        let text = spot.read_text(FILE_MAX).map_err(Error::system(spot.path(), "read the beginning"))?;
        let mut editions = Editions::default();
        for line in text.lines().filter_map(|line| line.strip_prefix(WORD)) {
            editions.take(line).ok_or_else(|| {
                let what = format!(
                    "`{WORD}{line}` is no edition that this program knows: audit the contest with a later version"
                );
                Error::file(spot.path(), what)
            })?;
        }
        Ok(editions)
    }

    /// Takes a line; `None` if it names no edition that this program knows.
    fn take(&mut self, line: &str) -> Option<()> {
        let (name, value) = line.split_once(' ')?;
        let number = || value.parse::<u32>().ok().filter(|number| number.to_string() == value);
        match name {
            "clock" => self.clock = Some(Timekeeping::ALL.into_iter().find(|clock| clock.name() == value)?),
            "rules" => self.rules = Some(number()?),
            "seeds" => self.seeds = Some(number().filter(|number| *number == SEEDS)?),
            "sources" => self.sources = Some(number().filter(|number| *number == SOURCES)?),
            "units" => self.units = Some(number()?),
            _ => return None,
        }
        Some(())
    }

    /// Lists what the beginning of a contest does not name, so that its records choose it.
    pub fn unnamed(&self, root: &Path) -> Vec<&'static str> {
        let is_hill = !plan::is_there(root, root);
        let editions = [
            ("clock", is_hill && self.clock.is_none()),
            ("rules", is_hill && self.rules.is_none()),
            ("seeds", is_hill && self.seeds.is_none()),
            ("sources", is_hill && self.sources.is_none()),
            ("units", self.units.is_none()),
        ];
        editions.into_iter().filter(|(_, is_unnamed)| *is_unnamed).map(|(name, _)| name).collect()
    }

    /// Tells whether the signed entries of seasons have the sources of their bots.
    pub fn has_sources(&self) -> bool {
        self.sources.is_some()
    }

    /// Makes sure that the terms of a season are of no older edition.
    ///
    /// # Errors
    ///
    /// Says what is older.
    pub fn check_terms(&self, terms: &Terms) -> Result<(), String> {
        let games = &terms.games;
        if self.seeds.is_some() && !terms.has_own_seed {
            return Err("its seed does not follow from its entrants, as the signed beginning says".to_owned());
        }
        if let Some(rules) = self.rules
            && games.rules < rules
        {
            return Err(format!("its rules have version {}; the signed beginning says {rules}", games.rules));
        }
        match self.clock {
            Some(signed) if games.clock != signed => {
                let (found, signed) = (games.clock.name(), signed.name());
                Err(format!("its clock is {found}; the signed beginning says {signed}"))
            }
            _ => Ok(()),
        }
    }

    /// Makes sure that a season in the table of this contest is of no older edition.
    ///
    /// # Errors
    ///
    /// Names the table, the season and what is older.
    pub fn check_season(&self, root: &Path, season: &Season) -> Result<(), Error> {
        self.check_terms(&season.terms).map_err(|what| {
            let what = format!("season {} was begun by an older edition: {what}", season.number);
            Error::record(&root.join("seasons.csv"), what)
        })
    }

    /// Makes sure that a row is of no older edition.
    ///
    /// # Errors
    ///
    /// Says what is older.
    pub fn check_row(&self, row: &ResultRow) -> Result<(), String> {
        if let Some(signed) = self.units
            && row.units().is_some_and(|units| units < signed)
        {
            return Err(format!("column clock is {}; the signed beginning says units-{signed}", row.clock));
        }
        Ok(())
    }
}

impl fmt::Display for Editions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Editions { clock, rules, seeds, sources, units } = self;
        if let Some(clock) = clock {
            writeln!(f, "{WORD}clock {}", clock.name())?;
        }
        for (name, number) in [("rules", rules), ("seeds", seeds), ("sources", sources), ("units", units)] {
            if let Some(number) = number {
                writeln!(f, "{WORD}{name} {number}")?;
            }
        }
        Ok(())
    }
}
