//! The rows of `races.csv`, and the rounds before which a race is looked at.

use std::path::Path;

use referee_files::beneath::Spot;
use referee_record::schema::{Column, Columns, Number, Text, column};

/// The number of rounds from one look at the race to the next.
pub const STAGE: u32 = 10;

/// The bots that are in the race from a round on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Race {
    /// The first round.
    pub round: u32,
    /// Their places in the list of the season's bots, from 0, in order.
    pub bots: Vec<usize>,
}

/// A row: a race of a season.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "its columns say it")]
pub struct RaceRow {
    pub season: u32,
    pub round: u32,
    pub racing: String,
}

impl Columns for RaceRow {
    const WHAT: &'static str = "a row of a race";
    const FORMAT: u32 = 1;
    const COLUMNS: &'static [Column<RaceRow>] = &[
        column!("season", season, Number, "number of the season"),
        column!("round", round, Number, "first round of this race, up to that of the season's next row"),
        column!(
            "racing",
            racing,
            Text,
            "the bots in the race, by their rows of the season in seasons.csv, from 1: `1 4 7`; all others only fill tables"
        ),
    ];

    fn blank() -> RaceRow {
        RaceRow { season: 0, round: 0, racing: String::new() }
    }
}

impl RaceRow {
    /// Makes the row of a race.
    pub(super) fn new(season: u32, race: &Race) -> RaceRow {
        let racing = race.bots.iter().map(|bot| (bot + 1).to_string()).collect::<Vec<String>>().join(" ");
        RaceRow { season, round: race.round, racing }
    }

    /// Returns the race among this number of bots; `None` if it is no list of some of them, in order.
    pub(super) fn race(&self, bots: usize) -> Option<Race> {
        let number = |word: &str| word.parse::<usize>().ok()?.checked_sub(1).filter(|bot| *bot < bots);
        let racing: Vec<usize> = self.racing.split(' ').map(number).collect::<Option<Vec<usize>>>()?;
        let is_list = !racing.is_empty() && racing.is_sorted_by(|one, next| one < next);
        let race = Race { round: self.round, bots: racing };
        (is_list && is_looked_at(self.round) && RaceRow::new(self.season, &race) == *self).then_some(race)
    }
}

/// Tells whether the race is looked at before this round.
pub(super) fn is_looked_at(round: u32) -> bool {
    round > 1 && (round - 1).is_multiple_of(STAGE)
}

/// Returns the file of a hill's races.
pub(super) fn file_of(root: &Path) -> Spot {
    Spot::below(root, "races.csv")
}
