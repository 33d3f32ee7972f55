//! `verdicts.csv` of a hill: how seasons ended that were played until clear. Each row follows from the results and the
//! rule that it names; an audit makes it again.

use std::fmt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::hill::Hill;
use super::publish;
use super::rounds::{Field, Rounds};
use super::seasons::Season;
use super::stop_rule::{Race, StopRule, Verdict};
use crate::record::{RecordError, small};

/// How a season ended, and by which rule.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct VerdictRow {
    /// Which season.
    pub season: u32,
    /// As in [`StopRule`].
    pub alpha: f64,
    /// As in [`StopRule`].
    pub epsilon: f64,
    /// As in [`StopRule`].
    pub min_rounds: u32,
    /// As in [`StopRule`].
    pub max_rounds: u32,
    /// The round after which it was over.
    pub round: u32,
    /// `clear_king`, `joint_kings` or `not_separated`.
    pub verdict: String,
    /// Who was beaten by nobody, with versions: `fox 1 owl 3`.
    pub kings: String,
}

/// `season 2 is over after round 30: clear king: fox 1`
impl fmt::Display for VerdictRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let VerdictRow { season, round, verdict, kings, .. } = self;
        write!(f, "season {season} is over after round {round}: {}: {kings}", verdict.replace('_', " "))
    }
}

impl VerdictRow {
    /// Writes down a verdict.
    pub fn new(season: u32, rule: &StopRule, round: u32, verdict: &Verdict, field: &Field) -> VerdictRow {
        let names = verdict.kings().iter().map(|king| {
            let bot = &field.bots()[*king];
            format!("{} {}", bot.name, bot.version)
        });
        let StopRule { alpha, epsilon, min_rounds, max_rounds } = *rule;
        let verdict = verdict.name().to_owned();
        let kings = names.collect::<Vec<String>>().join(" ");
        VerdictRow { season, alpha, epsilon, min_rounds, max_rounds, round, verdict, kings }
    }

    fn rule(&self) -> StopRule {
        let VerdictRow { alpha, epsilon, min_rounds, max_rounds, .. } = *self;
        StopRule { alpha, epsilon, min_rounds, max_rounds }
    }
}

/// A season that is played until clear.
#[derive(Debug)]
pub struct Watch {
    season: u32,
    rule: StopRule,
    field: Field,
    rounds: Rounds,
    race: Race,
    verdict: Option<VerdictRow>,
}

impl Watch {
    /// Begins to watch a season.
    pub fn new(season: &Season, round_games: usize, rule: StopRule) -> Watch {
        let field = Field::new(season.bots.iter().cloned());
        Watch {
            season: season.number,
            rule,
            rounds: Rounds::new(round_games),
            race: Race::for_verdict(rule, field.len()),
            field,
            verdict: None,
        }
    }

    /// Takes a game of the season, and looks after each round that is complete now.
    pub fn add(&mut self, game: super::rounds::Game) {
        for round in self.rounds.add(game) {
            if self.verdict.is_some() {
                return;
            }
            self.race.add_round_within(&round.block_means(&self.field));
            self.verdict = self
                .race
                .verdict()
                .map(|verdict| VerdictRow::new(self.season, &self.rule, round.number, &verdict, &self.field));
        }
    }

    /// Returns how the season ended, if it has.
    pub fn verdict(&self) -> Option<&VerdictRow> {
        self.verdict.as_ref()
    }

    /// Returns how many rounds were looked at.
    pub fn rounds(&self) -> u32 {
        self.race.rounds()
    }
}

/// Reads the verdicts of a hill, and checks that each follows from the results.
///
/// # Errors
///
/// Names the first row that does not.
pub fn audit(hill: &Hill) -> Result<(), RecordError> {
    let path = file_of(hill.root());
    for (index, row) in read(hill.root())?.iter().enumerate() {
        let wrong = |what: String| RecordError::line(&path, index as u64 + 2, what);
        if let Some(fault) = row.rule().fault() {
            return Err(wrong(fault));
        }
        let seasons = hill.seasons()?;
        let season = seasons.iter().find(|season| season.number == row.season);
        let season = season.ok_or_else(|| wrong(format!("seasons.csv knows no season {}", row.season)))?;
        let watch = watch(hill, season, row.rule())?;
        match watch.verdict() {
            Some(due) if due == row => {}
            Some(due) => {
                let VerdictRow { round, verdict, kings, .. } = due;
                return Err(wrong(format!("by the results it is {verdict} in round {round}: {kings}")));
            }
            None => {
                let rounds = watch.rounds();
                return Err(wrong(format!("by the results nothing is clear after {rounds} rounds")));
            }
        }
    }
    Ok(())
}

/// Watches what a season has been so far.
///
/// # Errors
///
/// If the results are damaged.
pub fn watch(hill: &Hill, season: &Season, rule: StopRule) -> Result<Watch, RecordError> {
    let mut watch = Watch::new(season, hill.round_games(season.bots.len()), rule);
    for game in hill.games()? {
        let game = game?;
        if game[0].place_in_schedule.is_some_and(|place| place.season == season.number) {
            watch.add(game);
        }
    }
    Ok(watch)
}

/// Adds a verdict to a hill's, unless it stands there, and returns when it is on the disk. To be called by the one run of
/// the hill.
///
/// # Errors
///
/// If the system refuses, or the file is damaged.
pub fn add(root: &Path, row: &VerdictRow) -> Result<(), RecordError> {
    let path = file_of(root);
    let mut rows = read(root)?;
    if rows.contains(row) {
        return Ok(());
    }
    rows.push(row.clone());
    publish::replace(&path, &text(&rows)) // a short file: anew, in one step
}

/// Writes verdicts as a file holds them.
pub fn text(rows: &[VerdictRow]) -> Vec<u8> {
    small::text(rows)
}

/// Reads the verdicts of a hill. One where none was given has none.
///
/// # Errors
///
/// If a row is not one.
pub fn read(root: &Path) -> Result<Vec<VerdictRow>, RecordError> {
    small::read(&file_of(root), "a verdict")
}

/// Returns the file of verdicts.
pub fn file_of(root: &Path) -> PathBuf {
    root.join("verdicts.csv")
}
