//! Gaps: scheduled games of a hill that are missing in its results. Seed, season and field determine the games of a
//! round, so a removed game is always noticed.
//!
//! A stopped run leaves out the games in flight. There are few of them, and few later games were played. They count as
//! not finished, because `hill run` plays them next. A game was lost or removed if many later ones were played. All
//! missing games were lost or removed if there are many before the last game that was begun, by the results, the
//! journals of the last runs, or the list of void games.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::fixture::game_id;
use crate::hill::Hill;
use crate::hill::seasons::Season;
use referee_record::results::Scheduled;

/// Maximum number of games of a season that an audit accepts as in flight.
const IN_FLIGHT_MAX: usize = 64;

/// Maximum number of rounds with gaps that are listed for a season: results of a stranger can begin with any round.
const LISTED_MAX: usize = 1000;

/// A round with missing games.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gap {
    /// The season.
    pub season: u32,
    /// The round.
    pub round: u32,
    /// The names of the games that are missing.
    pub missing: Vec<String>,
    /// The number of games of the round.
    pub of: usize,
    /// The number of played games of the season that come later in the schedule than the first missing one.
    pub later: usize,
    /// The number of missing games of the season from this round up to the last game that was begun.
    pub missing_in_all: usize,
}

impl Gap {
    /// Tells whether the missing games can be those that were in flight when a run was stopped.
    pub fn is_under_way(&self) -> bool {
        self.later <= IN_FLIGHT_MAX && self.missing_in_all <= IN_FLIGHT_MAX
    }
}

/// `season 1, round 3: 1 of 4 games is missing (s001-r00003-t001-g2); 2 later games were played`
impl fmt::Display for Gap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const NAMED_MAX: usize = 5;
        let Gap { season, round, missing, of, later, missing_in_all } = self;
        let more = if missing.len() > NAMED_MAX { ", ..." } else { "" };
        let named = missing[..missing.len().min(NAMED_MAX)].join(", ");
        let are = if missing.len() == 1 { "is" } else { "are" };
        write!(f, "season {season}, round {round}: ")?;
        match of {
            1 => write!(f, "the game is missing ({named})")?,
            _ => write!(f, "{} of {of} games {are} missing ({named}{more})", missing.len())?,
        }
        match later {
            0 => f.write_str("; no later game was played")?,
            1 => f.write_str("; 1 later game was played")?,
            _ => write!(f, "; {later} later games were played")?,
        }
        match missing_in_all - missing.len() {
            0 => Ok(()),
            1 => f.write_str("; 1 game of later rounds is missing, too"),
            others => write!(f, "; {others} games of later rounds are missing, too"),
        }
    }
}

/// The played games of a hill, round by round. A complete round is remembered only as complete.
#[derive(Debug, Default)]
pub(super) struct Played {
    rounds: BTreeMap<(u32, u32), Round>,
    /// By season, the last game of the schedule that is known to have been begun.
    begun: BTreeMap<u32, Scheduled>,
}

#[derive(Debug)]
enum Round {
    Complete,
    Open(BTreeSet<Scheduled>),
}

impl Played {
    /// Takes a game of a round with this number of games.
    pub(super) fn add(&mut self, place: Scheduled, games: usize) {
        self.begin(place);
        let round = self.rounds.entry((place.season, place.round)).or_insert(Round::Open(BTreeSet::new()));
        if let Round::Open(found) = round {
            found.insert(place);
            if found.len() == games {
                *round = Round::Complete;
            }
        }
    }

    /// Takes a game that was begun, whether it has ended or not.
    pub(super) fn begin(&mut self, place: Scheduled) {
        let last = self.begun.entry(place.season).or_insert(place);
        *last = place.max(*last);
    }

    /// Lists, for each season, the rounds with missing games up to the last round that was begun.
    pub(super) fn gaps(&self, hill: &Hill, seasons: &[Season]) -> Vec<Gap> {
        seasons.iter().flat_map(|season| self.gaps_of(hill, season)).collect()
    }

    fn gaps_of(&self, hill: &Hill, season: &Season) -> Vec<Gap> {
        let Some(last) = self.begun.get(&season.number) else { return Vec::new() };
        let games = hill.lengths(season);
        let (mut later, mut missing_in_all, mut gaps) = (0, 0, Vec::new());
        for number in (1..=last.round).rev() {
            let found = match self.rounds.get(&(season.number, number)) {
                Some(Round::Complete) => {
                    later += games(number);
                    continue;
                }
                Some(Round::Open(found)) => found.clone(),
                None => BTreeSet::new(),
            };
            let due = hill.games_of(season, number);
            let missing: Vec<Scheduled> =
                due.iter().map(|game| game.scheduled).filter(|place| !found.contains(place)).collect();
            let after = missing.first().map_or(0, |first| found.range(first..).count());
            missing_in_all += missing.iter().filter(|place| *place <= last).count();
            gaps.push(Gap {
                season: season.number,
                round: number,
                of: due.len(),
                later: later + after,
                missing_in_all: missing_in_all.max(missing.len()),
                missing: missing.into_iter().map(game_id).collect(),
            });
            later += found.len();
            if gaps.len() == LISTED_MAX {
                break;
            }
        }
        gaps.reverse();
        gaps
    }
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;
    use crate::hill::HillSettings;
    use referee_games::catalog::GAMES;
    use referee_rules::{Parameters, Seed};

    /// A hill of four bots, which play four games a round.
    fn hill() -> (TempDir, Hill, Vec<Season>) {
        let folder = tempfile::tempdir().expect("a folder");
        let entry = &GAMES[0];
        let parameters = Parameters::defaults(entry.parameters);
        let hill =
            Hill::create(&folder.path().join("hill"), entry, parameters, Seed(5), HillSettings::default());
        let hill = hill.expect("a hill");
        let bots = ["a", "b", "c", "d"].map(|name| format!("1,today,4,{name},1,{}\n", "0".repeat(64)));
        let seasons = format!("season,date,size,name,version,digest\n{}", bots.concat());
        std::fs::write(hill.root().join("seasons.csv"), seasons).expect("seasons");
        let seasons = hill.seasons().expect("seasons");
        assert_eq!((seasons.len(), hill.round_games(4)), (1, 4));
        (folder, hill, seasons)
    }

    fn place(number: u32) -> Scheduled {
        Scheduled { season: 1, round: 1 + number / 4, table: 1, rotation: 1 + number % 4 }
    }

    /// The missing games if the first `count` games of the schedule were played, except for some.
    fn gaps_without(count: u32, without: impl Fn(u32) -> bool, begun: Option<u32>) -> Vec<Gap> {
        let (_folder, hill, seasons) = hill();
        let known: Vec<Scheduled> = (1..=2)
            .flat_map(|round| hill.round(1, round, &seasons[0].authors))
            .map(|g| g.scheduled)
            .collect();
        assert_eq!(known, (0..8).map(place).collect::<Vec<Scheduled>>());
        let mut played = Played::default();
        (0..count).filter(|game| !without(*game)).for_each(|game| played.add(place(game), 4));
        begun.into_iter().for_each(|game| played.begin(place(game)));
        played.gaps(&hill, &seasons)
    }

    fn gap(round: u32, missing: &[u32], later: usize, missing_in_all: usize) -> Gap {
        let missing = missing.iter().map(|game| game_id(place(*game))).collect();
        Gap { season: 1, round, missing, of: 4, later, missing_in_all }
    }

    #[test]
    fn of_whole_rounds_nothing_is_missing() {
        assert_eq!(gaps_without(0, |_| false, None), []);
        assert_eq!(gaps_without(12, |_| false, None), []);
    }

    #[test]
    fn a_round_that_is_cut_off_is_under_way() {
        let gaps = gaps_without(10, |_| false, None);
        assert_eq!(gaps, [gap(3, &[10, 11], 0, 2)]);
        assert!(gaps[0].is_under_way());
        assert_eq!(
            gaps[0].to_string(),
            "season 1, round 3: 2 of 4 games are missing (s001-r00003-t001-g3, s001-r00003-t001-g4); no later game \
             was played"
        );
    }

    #[test]
    fn a_game_is_under_way_as_long_as_few_others_were_played_after_it() {
        let gaps = gaps_without(5 + 1 + 64, |game| game == 5, None);
        assert_eq!(gaps, [gap(2, &[5], 64, 1), gap(18, &[70, 71], 0, 2)]);
        assert!(gaps.iter().all(Gap::is_under_way));
        let gaps = gaps_without(5 + 1 + 65, |game| game == 5, None);
        assert_eq!(gaps[0], gap(2, &[5], 65, 1));
        assert!(!gaps[0].is_under_way());
        assert!(
            gaps[0]
                .to_string()
                .ends_with("1 of 4 games is missing (s001-r00002-t001-g2); 65 later games were played"),
            "{}",
            gaps[0]
        );
    }

    #[test]
    fn whole_rounds_that_are_cut_off_are_seen_where_a_later_game_was_begun() {
        let gaps = gaps_without(8, |_| false, Some(13));
        assert_eq!(gaps, [gap(3, &[8, 9, 10, 11], 0, 6), gap(4, &[12, 13, 14, 15], 0, 4)]);
        assert!(gaps.iter().all(Gap::is_under_way));
        let gaps = gaps_without(8, |_| false, Some(8 + 64));
        assert_eq!((gaps.len(), gaps[0].missing_in_all), (17, 65), "more than are in flight at once");
        assert!(!gaps[0].is_under_way());
        assert!(gaps[0].to_string().ends_with("; 61 games of later rounds are missing, too"), "{}", gaps[0]);
    }

    #[test]
    fn a_stranger_who_begins_with_the_last_round_of_all_is_not_followed_through_all_rounds() {
        let gaps = gaps_without(0, |_| false, Some(u32::MAX - 8));
        assert_eq!(gaps.len(), LISTED_MAX);
        assert!(!gaps[0].is_under_way());
    }
}
